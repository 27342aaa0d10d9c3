//! Where log lines go: text on a terminal, fields in the journal under systemd, JSON where the configuration says so.

use crate::model::LogFormat;
use std::io::IsTerminal;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// Opens the log. `RUST_LOG` says more or less than the words of the command line do.
pub(super) fn open(format: LogFormat, verbose: bool, quiet: bool) {
    let usual = match (verbose, quiet) {
        (true, _) => "pagewire=debug",
        (false, true) => "pagewire=warn",
        (false, false) => "pagewire=info",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let journal = || std::env::var_os("JOURNAL_STREAM").and_then(|_| tracing_journald::layer().ok());
    let terminal = std::io::stderr().is_terminal();
    let text = || fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = match (format, journal()) {
        (LogFormat::Json, _) => text().json().flatten_event(true).boxed(),
        (LogFormat::Auto, Some(journal)) => journal.with_field_prefix(Some("PAGEWIRE".to_owned())).boxed(),
        (LogFormat::Auto, None) => text().with_ansi(terminal && std::env::var_os("NO_COLOR").is_none()).boxed(),
    };
    // A second log in one process (a test) keeps the first.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
}
