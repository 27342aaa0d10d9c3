//! `pagewire why`, `diff`, `forget`, `pause`, `resume` and `drop`: questions about the past, and orders.
//!
//! A running daemon is asked; without one a question reads the state and makes no file, and an order is done here, as
//! the state's owner.

use super::owner::become_owner;
use super::{DIM, Exit, GREEN, RED, Reached, YELLOW, deliver, reach, refresh_failed, runtime, say_error, store_failed};
use crate::clock;
use crate::model::{Refused, Settings, Task};
use crate::refresh::{self, App};
use crate::store::Store;
use anstyle::Style;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Say when a post was added, edited, renamed or held back, and by which document
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire why \"Expanding our use\"")]
pub(super) struct Why {
    /// Its id, its link, or a unique part of its title
    #[arg(value_name = "POST")]
    post: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Show what changed lately on the pages of a topic, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire diff tpu")]
pub(super) struct Diff {
    /// A topic, or a page's address or path
    #[arg(value_name = "TOPIC")]
    topic: String,
    /// So many readings that changed something
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    most: usize,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Take a post out of all feeds for good
#[derive(Debug, clap::Args)]
#[command(after_help = "It is never announced again, whatever a page lists.\n\nExample:\n  pagewire forget \
    https://x.example/posts/leaked\n  pagewire forget --undo https://x.example/posts/leaked")]
pub(super) struct Forget {
    /// Its id, its link, or a unique part of its title
    #[arg(value_name = "POST")]
    post: String,
    /// Put it back, with its id and date, announced to nobody
    #[arg(long)]
    undo: bool,
}

/// Stop polling a topic's pages, or one page
#[derive(Debug, clap::Args)]
#[command(after_help = "Its feeds stay as they are. `pagewire resume` goes on.\n\nExample:\n  pagewire pause tpu")]
pub(super) struct Pause {
    /// Topics, or pages' addresses or paths
    #[arg(value_name = "TOPIC|PAGE", required = true)]
    names: Vec<String>,
}

/// Start polling again, also a page that ended with 410
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire resume tpu")]
pub(super) struct Resume {
    /// Topics, or pages' addresses or paths
    #[arg(value_name = "TOPIC|PAGE", required = true)]
    names: Vec<String>,
}

/// Remove a topic or combined feed that is not in the seeds any more, and its files
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Posts that no other topic has leave the other feeds too. What tells them from new ones stays, so that \
    following the topic again announces nothing twice.\n\nExamples:\n  pagewire drop tpu\n  pagewire drop feed:chips   a combined feed; its posts stay where they are else"
)]
pub(super) struct Drop {
    /// Its slug; that of a combined feed with `feed:` before it
    #[arg(value_name = "TOPIC|feed:SLUG")]
    topic: String,
}

pub(super) fn why(config: Option<&Path>, args: &Why) -> Exit {
    done(config, &Task::Why { post: args.post.clone() }, args.json, why_as_text)
}

pub(super) fn diff(config: Option<&Path>, args: &Diff) -> Exit {
    done(config, &Task::Diff { topic: args.topic.clone(), most: args.most }, args.json, diff_as_text)
}

pub(super) fn forget(config: Option<&Path>, args: &Forget) -> Exit {
    let undo = args.undo;
    done(config, &Task::Forget { post: args.post.clone(), undo }, false, |told| {
        let title = text(&told["post"]["title"]);
        match (told["changed"].as_bool() == Some(true), undo) {
            (true, false) => format!("`{title}` is in no feed any more\n"),
            (true, true) => format!("`{title}` is back in its feeds\n"),
            (false, false) => format!("`{title}` was forgotten before\n"),
            (false, true) => format!("`{title}` was not forgotten\n"),
        }
    })
}

pub(super) fn pause(config: Option<&Path>, args: &Pause) -> Exit {
    done(config, &Task::Pause { names: args.names.clone() }, false, |told| pages("paused", told))
}

pub(super) fn resume(config: Option<&Path>, args: &Resume) -> Exit {
    done(config, &Task::Resume { names: args.names.clone() }, false, |told| pages("resumed", told))
}

pub(super) fn drop(config: Option<&Path>, args: &Drop) -> Exit {
    done(config, &Task::Drop { topic: args.topic.clone() }, false, |told| {
        format!("`{}` and its files are gone\n", text(&told["topic"]))
    })
}

/// Has a task done, and shows what came of it.
fn done(config: Option<&Path>, task: &Task, json: bool, as_text: impl FnOnce(&Value) -> String) -> Exit {
    let work = || {
        let Reached { settings, daemon, .. } = reach(config)?;
        let told = match daemon {
            Some(daemon) => runtime()?.block_on(daemon.task(task)),
            None if task.only_reads() => {
                let store = Store::open_to_read(&settings.state.database).map_err(|e| store_failed(&e))?;
                let answer = async { refresh::answer(&refresh::led(settings, &store).await?, &store, task).await };
                runtime()?.block_on(answer).map_err(|e| store_failed(&e))?
            }
            None => {
                become_owner(&settings.state.database)?;
                runtime()?.block_on(here(settings, task))?
            }
        };
        match told {
            Ok(told) if json => Ok(deliver(std::io::stdout(), format!("{told}\n").as_bytes())),
            Ok(told) => Ok(deliver(anstream::stdout(), as_text(&told).as_bytes())),
            Err(refused) => {
                say_error(&refused);
                Err(if matches!(refused, Refused::Unknown(_)) { Exit::Usage } else { Exit::Failed })
            }
        }
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

/// An order without a daemon: done and published.
async fn here(settings: Settings, task: &Task) -> Result<Result<Value, Refused>, Exit> {
    let store = Store::open(&settings.state.database).map_err(|e| store_failed(&e))?;
    let app = App::new(settings, store).await.map_err(|e| refresh_failed(&e))?;
    let told = app.task(task, clock::now()).await;
    app.finish(clock::now()).await.map_err(|e| refresh_failed(&e))?;
    Ok(told)
}

fn pages(what: &str, told: &Value) -> String {
    list(&told["pages"]).flat_map(|page| [what.to_owned(), "  ".to_owned(), text(page), "\n".to_owned()]).collect()
}

fn why_as_text(told: &Value) -> String {
    let mut out = String::new();
    let post = &told["post"];
    if post.is_null() {
        out.push_str("It is held back, and in no feed yet.\n");
    } else {
        let _ = writeln!(out, "{}", text(&post["title"]));
        let words = |v: &Value| list(v).map(text).collect::<Vec<_>>().join(", ");
        for (name, value) in [
            ("link", text(&post["url"])),
            ("id", text(&post["id"])),
            ("published", time(&post["published"])),
            ("first seen", time(&post["first_seen"])),
            ("updated", time(&post["updated"])),
            ("state", text(&post["state"])),
            ("in feeds", words(&post["feeds"])),
            ("on pages", words(&post["pages"])),
        ] {
            let _ = writeln!(out, "  {DIM}{name:<10}{DIM:#}  {value}");
        }
    }
    for event in list(&told["acts"]) {
        let _ = writeln!(out, "\n{}  {}", time(&event["at"]), what(event));
        let _ = writeln!(out, "  {DIM}{}{DIM:#}", document(event));
        let detail = text(&event["detail"]);
        if !detail.is_empty() {
            let _ = writeln!(out, "  {detail}");
        }
    }
    if told["acts"].as_array().is_some_and(Vec::is_empty) {
        out.push_str("\nThe journal holds nothing about it any more.\n");
    }
    out
}

fn diff_as_text(told: &Value) -> String {
    let mut out = String::new();
    let mut head = String::new();
    for event in list(&told["acts"]) {
        let this = format!("{}  {}", time(&event["at"]), document(event));
        if this != head {
            let gap = if head.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{gap}{DIM}{this}{DIM:#}");
            head = this;
        }
        let titles: Vec<String> = list(&event["posts"]).map(|p| text(&p["title"])).collect();
        let detail = text(&event["detail"]);
        if titles.is_empty() {
            let _ = writeln!(out, "  {}  {detail}", what(event));
        }
        for title in titles {
            let _ = writeln!(out, "  {}  {title}", what(event));
            if !detail.is_empty() {
                let _ = writeln!(out, "             {DIM}{detail}{DIM:#}");
            }
        }
    }
    if out.is_empty() {
        out.push_str("The journal holds nothing about it yet.\n");
    }
    out
}

/// The word for a deed, in its colour, as wide as the longest.
fn what(event: &Value) -> String {
    let word = text(&event["what"]);
    let style = match word.as_str() {
        "added" | "returned" | "recovered" | "released" | "restored" | "resumed" => GREEN,
        "failed" | "ended" => RED,
        "held" | "stale" | "delisted" | "forgotten" | "paused" => YELLOW,
        _ => Style::new(),
    };
    format!("{style}{word:<9}{style:#}")
}

/// What a deed came from.
fn document(event: &Value) -> String {
    let origin = &event["document"];
    match (origin["address"].as_str(), origin["bytes"].as_u64(), origin["hash"].as_str()) {
        (Some(address), Some(bytes), Some(hash)) => format!("{address}, {bytes} bytes, {hash}"),
        _ => text(&event["page"]),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// 2026-09-24T10:00:00Z as 2026-09-24 10:00.
fn time(value: &Value) -> String {
    value.as_str().map_or(String::new(), |t| t.get(..16).unwrap_or(t).replace('T', " "))
}
