//! `pagewire export opml`: all feeds, for a reader's import. Reads the state only and makes no file.

use super::{Exit, deliver, runtime, settings, store_failed};
use crate::clock;
use crate::render;
use crate::store::Store;
use std::path::Path;

const EXAMPLE: &str = "Example:\n  pagewire export opml > feeds.opml";

/// Write subscriptions out
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum What {
    /// Every feed as an OPML outline, on standard output
    #[command(after_help = EXAMPLE)]
    Opml,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let What::Opml = args.what;
    let work = || {
        let settings = settings(config)?;
        let store = Store::open_to_read(&settings.state.database).map_err(|e| store_failed(&e))?;
        let heads = runtime()?.block_on(store.heads(clock::now())).map_err(|e| store_failed(&e))?;
        let opml = render::opml(&settings.site, &heads, &settings.publish.formats, clock::now());
        Ok(deliver(std::io::stdout(), &opml.bytes))
    };
    work().unwrap_or_else(|exit: Exit| exit)
}
