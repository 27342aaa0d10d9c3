//! `pagewire import`: what was followed elsewhere, taken over.

use super::look::look;
use super::owner::become_owner;
use super::{Exit, counted, deliver, refresh_failed, runtime, say_error, settings, store_failed};
use crate::clock;
use crate::config::{Subscribed, subscriptions};
use crate::model::{Kind, Refused, Selectors, Slug, Text};
use crate::refresh::App;
use crate::store::Store;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const OPML: &str = "Example:\n  pagewire import opml subscriptions.opml > seeds/subscriptions.toml && pagewire reload";
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
    /// The feeds that a reader follows, as seeds on standard output: a topic each, but those that are followed already
    #[command(after_help = OPML)]
    Opml {
        /// A list of subscriptions, as feed readers export it
        file: PathBuf,
    },
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
    let (feed, topic) = match &args.what {
        What::Opml { file } => return opml(config, file).unwrap_or_else(|exit| exit),
        What::Feed { feed, topic } => (feed, topic),
    };
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
            let app = App::new(settings, store).await.map_err(|e| refresh_failed(&e))?;
            let imported = app.import(topic, &look.reading, now).await.map_err(|e| store_failed(&e))?;
            let imported = imported.map_err(|refused| {
                say_error(&refused);
                if matches!(refused, Refused::Unknown(_)) { Exit::Usage } else { Exit::Failed }
            })?;
            let known = look.reading.posts.len() - imported;
            let already = if known > 0 { format!("; {known} were known already") } else { String::new() };
            let posts = counted(imported, "post");
            let told = format!("{posts} taken over into `{topic}`{already}\n");
            deliver(anstream::stderr(), told.as_bytes());
            Ok(Exit::Well)
        })
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

/// Writes seeds for what an OPML file follows.
fn opml(config: Option<&Path>, file: &Path) -> Result<Exit, Exit> {
    let settings = settings(config)?;
    let failed = |why: String| {
        say_error(Text::line(&format!("{}: {why}", file.display())));
        Exit::Failed
    };
    let bytes = std::fs::read(file).map_err(|e| failed(e.to_string()))?;
    let found = subscriptions(&String::from_utf8_lossy(&bytes)).map_err(failed)?;
    let followed: HashSet<&str> = settings.pages.iter().map(|page| page.address.url().as_str()).collect();
    let mut slugs: HashSet<Slug> = settings.topics.iter().map(|topic| topic.slug.clone()).collect();
    let (all, mut seeds, mut count) = (found.len(), String::new(), 0);
    for Subscribed { title, feed, secret } in found.into_iter().filter(|one| !followed.contains(one.feed.as_str())) {
        let title = Text::line(&title);
        let plain = Slug::of(title.as_str());
        // Two of one name: the later one is told apart by its address.
        let slug = if slugs.contains(&plain) { Slug::of(&format!("{title} {}", feed.as_str())) } else { plain };
        if secret {
            let told = format!("{feed}: its user and password are left out; `credentials` in the seeds names a file");
            deliver(anstream::stderr(), format!("{}\n", Text::line(&told)).as_bytes());
        }
        let _ = write!(
            seeds,
            "{}[[topic]]\nslug = {}\ntitle = {}\npages = [{}]\n",
            if seeds.is_empty() { "" } else { "\n" },
            quoted(slug.as_str()),
            quoted(title.as_str()),
            quoted(feed.as_str())
        );
        slugs.insert(slug);
        count += 1;
    }
    let already = if count < all { format!("; {} are followed already", all - count) } else { String::new() };
    deliver(anstream::stderr(), format!("{} to follow{already}\n", counted(count, "feed")).as_bytes());
    Ok(deliver(std::io::stdout(), seeds.as_bytes()))
}

/// A text as TOML writes it: with the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
