//! `pagewire check-feed`: what is wrong with any feed, in the specifications' words.
//!
//! In: files and addresses. Out: a line a finding, or JSON; data on standard output. Deliberately absent: how a feed is
//! served (status, validators, media type), and the state; it needs no configuration.

use super::look::body;
use super::{Exit, counted, deliver, runtime, say_error};
use crate::clock;
use crate::lint::{self, Level, Verdict};
use crate::model::Text;
use serde_json::json;
use std::fmt::Write;
use std::io;

/// Say what is wrong with a feed: RSS, Atom, JSON Feed or OPML
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pagewire check-feed https://blog.rust-lang.org/feed.xml\n  pagewire check-feed \
    var/feeds/topics/*.atom --json | jq .findings\n\nExit codes: 0 all are valid, 1 one is not, or could not be read.")]
pub(super) struct Args {
    /// Addresses or files
    #[arg(value_name = "URL|FILE", required = true)]
    feeds: Vec<String>,
    /// A JSON object a line, one for each feed
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Exit {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(exit) => return exit,
    };
    let mut exit = Exit::Well;
    for feed in &args.feeds {
        let verdict = match runtime.block_on(body(feed, clock::now())) {
            Ok(body) => lint::check(&body.bytes),
            Err(failure) => {
                say_error(format!("{}: {failure}", Text::line(feed)));
                exit = Exit::Failed;
                continue;
            }
        };
        if !verdict.is_valid() {
            exit = Exit::Failed;
        }
        let told = if args.json { object(feed, &verdict) } else { lines(feed, &verdict) };
        if deliver(io::stdout(), told.as_bytes()) == Exit::Failed {
            return Exit::Failed;
        }
    }
    exit
}

/// A line a finding, and one about the whole; inert, since all of it may come from the feed.
fn lines(feed: &str, verdict: &Verdict) -> String {
    let mut out = String::new();
    for finding in &verdict.findings {
        let _ = writeln!(out, "{}", Text::line(&format!("{feed}:{finding}")));
    }
    let count = |level| verdict.findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings) = (counted(count(Level::Error), "error"), counted(count(Level::Warning), "warning"));
    let kind = verdict.kind.map_or_else(|| "no feed".to_owned(), |kind| kind.to_string());
    let valid = if verdict.is_valid() { "valid" } else { "not valid" };
    let _ = writeln!(out, "{}", Text::line(&format!("{feed}: {kind}, {valid}: {errors}, {warnings}")));
    out
}

fn object(feed: &str, verdict: &Verdict) -> String {
    let level = |level| if level == Level::Error { "error" } else { "warning" };
    let findings: Vec<_> = verdict
        .findings
        .iter()
        .map(|f| json!({ "level": level(f.level), "line": f.line, "column": f.column, "rule": f.rule, "message": f.message }))
        .collect();
    let kind = verdict.kind.map(|kind| kind.to_string());
    let object = json!({ "feed": feed, "kind": kind, "valid": verdict.is_valid(), "findings": findings });
    format!("{object}\n")
}
