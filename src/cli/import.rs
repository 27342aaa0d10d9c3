//! `pagewire import`: what was followed elsewhere, taken over.

use super::look::look;
use super::owner::become_owner;
use super::{Exit, counted, runtime, say_error, settings, store_failed};
use crate::clock;
use crate::model::{Kind, Refused, Selectors};
use crate::refresh::{App, RefreshError};
use crate::store::Store;
use std::io::Write as _;
use std::path::Path;

const FEED: &str = "Example:\n  pagewire import feed https://old.example/tpu.xml --topic tpu";

/// Take over what was followed elsewhere
#[derive(Debug, clap::Args)]
#[command(after_help = FEED)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The ids, links and dates of a feed, into a topic before its first reading: readers see no post twice
    #[command(after_help = FEED)]
    Feed {
        /// An RSS, Atom or JSON feed, as another program made it
        #[arg(value_name = "FILE or URL")]
        feed: String,
        /// The topic of the seeds that follows the same page
        #[arg(long, value_name = "SLUG")]
        topic: String,
    },
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let What::Feed { feed, topic } = &args.what;
    let work = || {
        let settings = settings(config)?;
        become_owner(&settings.state.database)?;
        let store = Store::open(&settings.state.database).map_err(|e| store_failed(&e))?;
        runtime()?.block_on(async {
            let now = clock::now();
            let look = look(feed, None, Some(Kind::Feed), Selectors::default(), now).await.map_err(|failure| {
                say_error(failure);
                Exit::Failed
            })?;
            let failed = |error: RefreshError| match error {
                RefreshError::Store(error) => store_failed(&error),
                RefreshError::Publish(error) => {
                    say_error(error);
                    Exit::Failed
                }
            };
            let app = App::new(settings, store).await.map_err(failed)?;
            let imported = app.import(topic, &look.reading, now).await.map_err(|e| store_failed(&e))?;
            let imported = imported.map_err(|refused| {
                say_error(&refused);
                if matches!(refused, Refused::Unknown(_)) { Exit::Usage } else { Exit::Failed }
            })?;
            let known = look.reading.posts.len() - imported;
            let already = if known > 0 { format!("; {known} were known already") } else { String::new() };
            let posts = counted(imported, "post");
            let _ = writeln!(anstream::stderr(), "{posts} taken over into `{topic}`{already}");
            Ok(Exit::Well)
        })
    };
    work().unwrap_or_else(|exit: Exit| exit)
}
