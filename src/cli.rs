//! The command line: words to verbs, results to people and scripts.
//!
//! In: arguments. Out: an exit code; data on standard output, everything else on standard error. One place decides the
//! exit code ([`Exit`]), a failed page marks the run and the rest goes on. Deliberately absent: the work itself.

mod add;
mod backup;
mod check;
mod check_feed;
mod control;
mod doctor;
mod export;
mod import;
mod log;
mod look;
mod manual;
mod owner;
mod preview;
mod refresh;
mod reload;
mod replay;
mod run;
mod status;
mod task;
mod watchdog;

use crate::config;
use crate::model::Settings;
use crate::refresh::RefreshError;
use crate::store::StoreError;
use clap::{Parser, Subcommand};
use control::Control;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How the program ends; the numbers are the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Well = 0,
    /// Something failed or is held; the rest was done.
    Failed = 1,
    /// Bad usage.
    Usage = 2,
    /// Another process holds the state.
    Busy = 75,
    /// Bad configuration, or a folder or address from it that can't be used.
    Config = 78,
    /// Ctrl-C.
    Interrupted = 130,
}

/// Turns pages that list posts into RSS, Atom and JSON feeds.
#[derive(Debug, Parser)]
#[command(name = "pagewire", version, arg_required_else_help = true, propagate_version = true)]
struct Cli {
    /// The configuration [default: `$PAGEWIRE_CONFIG`, else ./config/pagewire.toml, XDG's, /etc/pagewire/pagewire.toml]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Say more: the log of `run` then has a line for each quiet poll too
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Say only what failed
    #[arg(short, long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Args),
    Refresh(refresh::Args),
    Preview(Box<preview::Args>),
    Add(add::Args),
    Status(status::Args),
    Why(task::Why),
    Diff(task::Diff),
    Forget(task::Forget),
    Pause(task::Pause),
    Resume(task::Resume),
    Drop(task::Drop),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Import(import::Args),
    Replay(replay::Args),
    Doctor(doctor::Args),
    Completions(manual::Completions),
    Man(manual::Man),
    Check(check::Args),
    CheckFeed(check_feed::Args),
    Export(export::Args),
    Reload(reload::Args),
}

/// Runs the program with its arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let exit = match Cli::try_parse_from(arguments) {
        Ok(cli) => dispatch(&cli),
        Err(error) => {
            let _ = error.print();
            if error.use_stderr() { Exit::Usage } else { Exit::Well }
        }
    };
    ExitCode::from(exit as u8)
}

fn dispatch(cli: &Cli) -> Exit {
    let config = cli.config.as_deref();
    match &cli.verb {
        Verb::Run(_) => run::run(config, cli.verbose, cli.quiet),
        Verb::Reload(args) => reload::run(config, args),
        Verb::Refresh(args) => refresh::run(config, args, cli.quiet),
        Verb::Preview(args) => preview::run(args),
        Verb::Add(args) => add::run(config, args),
        Verb::Status(args) => status::run(config, args),
        Verb::Why(args) => task::why(config, args),
        Verb::Diff(args) => task::diff(config, args),
        Verb::Forget(args) => task::forget(config, args),
        Verb::Pause(args) => task::pause(config, args),
        Verb::Resume(args) => task::resume(config, args),
        Verb::Drop(args) => task::drop(config, args),
        Verb::Backup(args) => backup::backup(config, args),
        Verb::Restore(args) => backup::restore(config, args),
        Verb::Import(args) => import::run(config, args),
        Verb::Replay(args) => replay::run(config, args),
        Verb::Doctor(args) => doctor::run(config, args),
        Verb::Completions(args) => manual::completions(args),
        Verb::Man(args) => manual::man(args),
        Verb::Check(args) => check::run(config, args),
        Verb::CheckFeed(args) => check_feed::run(args),
        Verb::Export(args) => export::run(config, args),
    }
}

/// Reads the configuration, or says what is wrong with it.
fn settings(config: Option<&Path>) -> Result<Settings, Exit> {
    let load = || config::load(&config::locate(config)?);
    let settings = load().map_err(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        Exit::Config
    })?;
    for warning in &settings.warnings {
        say_warning(warning);
    }
    Ok(settings)
}

/// What a verb works with that a running daemon can answer.
struct Reached {
    settings: Settings,
    daemon: Option<Control>,
    /// Whether the settings are all that the configuration says: its seeds may be broken while the daemon goes on with
    /// what it read last.
    is_whole: bool,
}

/// Reads the configuration and looks for its daemon; without one a broken configuration is refused.
fn reach(config: Option<&Path>) -> Result<Reached, Exit> {
    let refused = |error: &config::ConfigError| {
        let _ = writeln!(io::stderr(), "{error}");
        Exit::Config
    };
    let file = config::locate(config).map_err(|error| refused(&error))?;
    let error = match config::load(&file) {
        Ok(settings) => {
            settings.warnings.iter().for_each(say_warning);
            let daemon = Control::find(&settings.server)?;
            return Ok(Reached { settings, daemon, is_whole: true });
        }
        Err(error) => error,
    };
    let Some(settings) = config::without_seeds(&file) else { return Err(refused(&error)) };
    match Control::find(&settings.server) {
        Ok(Some(daemon)) => {
            say_warning(format!(
                "the configuration is broken, and the daemon goes on with what it said before:\n{error}"
            ));
            Ok(Reached { settings, daemon: Some(daemon), is_whole: false })
        }
        _ => Err(refused(&error)),
    }
}

/// The exit code of a state that cannot be used, after saying why.
fn store_failed(error: &StoreError) -> Exit {
    say_error(error);
    match error {
        StoreError::InUse(_) => Exit::Busy,
        StoreError::Database(_) | StoreError::Unwritable { .. } => Exit::Failed,
        _ => Exit::Config,
    }
}

/// The exit code of work that could not be done, after saying why.
fn refresh_failed(error: &RefreshError) -> Exit {
    match error {
        RefreshError::Store(error) => store_failed(error),
        RefreshError::Publish(error) => {
            say_error(error);
            Exit::Failed
        }
    }
}

/// Writes data whole, and says how that ends the program.
fn deliver(mut out: impl Write, data: &[u8]) -> Exit {
    written(out.write_all(data).and_then(|()| out.flush()))
}

/// A reader that went away (`| head`) had enough; any other data that could not be written is a failure.
fn written(result: io::Result<()>) -> Exit {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say_error(format!("cannot write to standard output: {error}"));
            Exit::Failed
        }
        _ => Exit::Well,
    }
}

// Nobody can be told that standard error is closed or full, so that is no reason to stop.
fn say_error(what: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{RED}error{RED:#}: {what}");
}

fn say_warning(what: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{YELLOW}warning{YELLOW:#}: {what}");
}

const RED: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();
const YELLOW: anstyle::Style = anstyle::AnsiColor::Yellow.on_default().bold();
const GREEN: anstyle::Style = anstyle::AnsiColor::Green.on_default();
const DIM: anstyle::Style = anstyle::Style::new().dimmed();

/// The one runtime of a verb that waits for anything: one thread, since the work is mostly waiting.
fn runtime() -> Result<tokio::runtime::Runtime, Exit> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        say_error(format!("no runtime: {error}"));
        Exit::Failed
    })
}

/// "1 post", "2 posts".
fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
