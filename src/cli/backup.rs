//! `pagewire backup` and `restore`: the state out into one file, and back.

use super::owner::become_owner;
use super::{Exit, runtime, settings, store_failed};
use crate::store::Store;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Write a consistent copy of the state into a new file, while a daemon works or not
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire backup /var/backups/pagewire-$(date +%F).db")]
pub(super) struct Backup {
    /// A file that is not there yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Put a backup in the place of the state; no daemon may run
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The state before stays beside it, with .before-restore behind its name. The feeds follow at the next \
    start.\n\nExample:\n  systemctl stop pagewire && pagewire restore /var/backups/pagewire-2026-09-24.db"
)]
pub(super) struct Restore {
    /// What `pagewire backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn backup(config: Option<&Path>, args: &Backup) -> Exit {
    let work = || {
        let settings = settings(config)?;
        let store = Store::open_to_read(&settings.state.database).map_err(|e| store_failed(&e))?;
        runtime()?.block_on(store.back_up(&args.file)).map_err(|e| store_failed(&e))?;
        say(&format!("the state is in {}", args.file.display()));
        Ok(Exit::Well)
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

pub(super) fn restore(config: Option<&Path>, args: &Restore) -> Exit {
    let work = || {
        let settings = settings(config)?;
        // As root everything can be read, afterwards perhaps not.
        let file = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
        become_owner(&settings.state.database)?;
        let before = Store::restore(&file, &settings.state.database).map_err(|e| store_failed(&e))?;
        say(&format!("{} holds what {} held", settings.state.database.display(), file.display()));
        if let Some(before) = before {
            say(&format!("the state before is in {}", before.display()));
        }
        Ok(Exit::Well)
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}
