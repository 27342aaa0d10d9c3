//! `pagewire replay`: what another configuration or version would make of the stored pages. Writes nothing.

use super::{DIM, Exit, GREEN, RED, YELLOW, counted, deliver, refresh_failed, runtime, settings, store_failed};
use crate::clock;
use crate::refresh;
use crate::store::Store;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Read the stored pages again, and list every id, date and file that would change
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is asked of any site and nothing is written. Exit code 0: nothing would change; 1: something \
    would, or a page cannot be read.\n\nExample:\n  pagewire replay --config new.toml"
)]
pub(super) struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let work = || {
        let settings = settings(config)?;
        let store = Store::open_to_read(&settings.state.database).map_err(|e| store_failed(&e))?;
        let told =
            runtime()?.block_on(refresh::replay(settings, &store, clock::now())).map_err(|e| refresh_failed(&e))?;
        let shown = if args.json {
            deliver(std::io::stdout(), format!("{told}\n").as_bytes())
        } else {
            deliver(anstream::stdout(), as_text(&told).as_bytes())
        };
        Ok(if shown == Exit::Well && (changes(&told) || failures(&told)) { Exit::Failed } else { shown })
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

fn list<'v>(told: &'v Value, name: &str) -> &'v [Value] {
    told[name].as_array().map_or(&[], Vec::as_slice)
}

fn changes(told: &Value) -> bool {
    !list(told, "posts").is_empty() || !list(told, "files").is_empty()
}

fn failures(told: &Value) -> bool {
    list(told, "pages").iter().any(|page| !page["error"].is_null()) || !list(told, "unread").is_empty()
}

fn as_text(told: &Value) -> String {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut out = String::new();
    for page in list(told, "pages") {
        if let Some(message) = page["error"]["message"].as_str() {
            let _ = writeln!(out, "{RED}{}{RED:#}  {}  {message}", text(&page["outcome"]), text(&page["page"]));
        }
    }
    for page in list(told, "unread") {
        let _ = writeln!(out, "{DIM}{}: no document is stored of it yet{DIM:#}", text(page));
    }
    for post in list(told, "posts") {
        let (what, title) = (text(&post["what"]), text(&post["title"]));
        let style = if what == "added" { GREEN } else { YELLOW };
        let _ = writeln!(out, "{style}{what:<9}{style:#}  {title}  {DIM}{}{DIM:#}", text(&post["id"]));
        if what != "added" {
            let _ = writeln!(out, "           {} → {}", text(&post["before"]), text(&post["after"]));
        }
    }
    for file in list(told, "files") {
        let before = file["before"].as_u64().map_or("new".to_owned(), |n| format!("{n} bytes"));
        let became = file["after"].as_u64().map_or("removed".to_owned(), |n| format!("{before} → {n} bytes"));
        let _ = writeln!(out, "{DIM}file     {DIM:#}  {}  {became}", text(&file["path"]));
    }
    let pages = counted(list(told, "pages").len(), "page");
    if changes(told) {
        let (posts, files) = (counted(list(told, "posts").len(), "change"), counted(list(told, "files").len(), "file"));
        let _ = writeln!(out, "\n{pages}: {posts} of posts, {files} would be written");
    } else {
        let _ = writeln!(out, "{pages}: nothing would change");
    }
    out
}
