//! `pagewire export opml`: all feeds, for a reader's import. Reads the state only and makes no file.

use super::{Exit, runtime, settings, store_failed};
use crate::clock;
use crate::render;
use crate::store::Store;
use std::io::Write;
use std::path::Path;

/// Write subscriptions out
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire export opml > feeds.opml")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum What {
    /// Every feed as an OPML outline, on standard output
    Opml,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let What::Opml = args.what;
    let work = || {
        let settings = settings(config)?;
        let store = Store::open_to_read(&settings.state.database).map_err(|e| store_failed(&e))?;
        let heads = runtime()?.block_on(store.heads()).map_err(|e| store_failed(&e))?;
        let opml = render::opml(&settings.site, &heads, &settings.publish.formats, clock::now());
        let written = std::io::stdout().write_all(&opml.bytes);
        Ok(if written.is_ok() { Exit::Well } else { Exit::Failed })
    };
    work().unwrap_or_else(|exit: Exit| exit)
}
