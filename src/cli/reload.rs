//! `pagewire reload`: the running daemon reads its configuration again.

use super::control::Control;
use super::{Exit, runtime, say_error, settings};
use std::path::Path;

/// Have the running daemon read its configuration again
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A refused configuration changes nothing: the old one goes on, and the reason is told.\n\nExample:\n  \
    pagewire check && pagewire reload --wait"
)]
pub(super) struct Args {
    /// Wait until it is live or refused [this is so anyway; for units that say it]
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(config: Option<&Path>, _args: &Args) -> Exit {
    let work = || {
        let settings = settings(config)?;
        let Some(daemon) = Control::find(&settings.server)? else {
            let path = settings.server.control.path.display().to_string();
            say_error(format!("no daemon answers at `{path}`; start one with `pagewire run`"));
            return Err(Exit::Failed);
        };
        match runtime()?.block_on(daemon.reload()) {
            Ok(Ok(())) => Ok(Exit::Well),
            Ok(Err(why)) | Err(why) => {
                say_error(why);
                Err(Exit::Failed)
            }
        }
    };
    work().unwrap_or_else(|exit: Exit| exit)
}
