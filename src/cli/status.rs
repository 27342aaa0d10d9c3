//! `pagewire status`: what is known of each page's polls. A running daemon is asked; without one, or where it is too busy
//! to answer, the state is read, and no file is made.

use super::{DIM, Exit, GREEN, RED, Reached, YELLOW, counted, deliver, reach, runtime, say_error, store_failed};
use crate::clock;
use crate::fetch::Fetcher;
use crate::model::{PageState, Settings, Spent};
use crate::refresh;
use crate::store::{Store, StoreError};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Show each page's state, last fetch, last change, next poll, posts and error
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire status --json | jq '.pages[] | select(.state != \"ok\")'")]
pub(super) struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let work = || {
        let Reached { settings, daemon, is_whole } = reach(config)?;
        let status = match daemon {
            Some(daemon) => match runtime()?.block_on(daemon.status()) {
                Ok(status) => status,
                // It may be writing thousands of feeds; the state knows the same.
                Err(why) if is_whole => read(&settings).inspect_err(|_| say_error(why))?,
                Err(why) => {
                    say_error(why);
                    return Err(Exit::Failed);
                }
            },
            None => read(&settings)?,
        };
        Ok(if args.json {
            deliver(std::io::stdout(), format!("{status}\n").as_bytes())
        } else {
            deliver(anstream::stdout(), as_table(&status).as_bytes())
        })
    };
    work().unwrap_or_else(|exit| exit)
}

/// The same from the state on disk, where no daemon answers.
fn read(settings: &Settings) -> Result<Value, Exit> {
    let (settings, states, refused, robots, spent) = match Store::open_to_read(&settings.state.database) {
        Ok(store) => {
            let all = async {
                let settings = refresh::led(settings.clone(), &store).await?;
                let (states, refused, robots) =
                    (store.states(&[]).await?.1, store.refused().await?, store.robots().await?);
                Ok::<_, StoreError>((settings, states, refused, robots, store.spent(clock::now()).await?))
            };
            runtime()?.block_on(all).map_err(|e| store_failed(&e))?
        }
        Err(StoreError::Missing(_)) => (settings.clone(), Vec::new(), Vec::new(), Vec::new(), Spent::default()),
        Err(error) => return Err(store_failed(&error)),
    };
    let mut states: HashMap<String, PageState> = states.into_iter().collect();
    let mut state = |address: &str| states.remove(address).unwrap_or_default();
    let states: Vec<PageState> = settings.pages.iter().map(|p| state(p.address.url().as_str())).collect();
    let fetcher = Fetcher::new(&settings.fetch);
    fetcher.recall(robots);
    Ok(refresh::status(&settings, &states, &refused, spent, &fetcher, clock::now()))
}

/// So many feeds are shown with their readers.
const FEEDS: usize = 20;

/// The hosts that ask for longer pauses than the configuration makes, and what `auto` plans and spent, if it is bound.
fn pace(status: &Value) -> String {
    let mut out = String::new();
    for host in status["hosts"].as_array().into_iter().flatten() {
        let (Some(asked), Some(pause)) = (host["crawl_delay"].as_f64(), host["pause"].as_f64()) else { continue };
        if asked > pause {
            let name = host["host"].as_str().unwrap_or_default();
            let _ = writeln!(
                out,
                "{YELLOW}{asked} s{YELLOW:#} between two requests to {name}, as its robots.txt asks ({pause} s by [fetch])"
            );
        }
    }
    if let Some(limit) = status["budget"]["limit"].as_u64().filter(|limit| *limit > 0) {
        let (planned, spent) = (&status["budget"]["planned"], &status["budget"]["spent"]);
        let _ =
            writeln!(out, "{planned} of {limit} requests a day are planned, {spent} were sent in the last 24 hours");
    }
    out
}

/// Who reads the feeds, as far as somebody asked for them since the daemon's start.
fn readers(status: &Value) -> String {
    let feeds = status["feeds"].as_array().map_or(&[][..], Vec::as_slice);
    if feeds.is_empty() {
        return String::new();
    }
    let mut out =
        format!("\n{DIM}{:>7} {:>11} {:>9} {:>5}  FEED{DIM:#}\n", "READERS", "SUBSCRIBERS", "REQUESTS", "304");
    for feed in feeds.iter().take(FEEDS) {
        let number = |name: &str| feed[name].as_u64().unwrap_or(0);
        let (requests, same) = (number("requests"), number("not_modified"));
        let share = format!("{} %", same * 100 / requests.max(1));
        let (readers, subscribers, name) = (number("readers"), number("subscribers"), &feed["feed"]);
        let name = name.as_str().unwrap_or_default();
        let _ = writeln!(out, "{readers:>7} {subscribers:>11} {requests:>9} {share:>5}  {name}");
    }
    if feeds.len() > FEEDS {
        let _ = writeln!(out, "and {} more, which --json shows", feeds.len() - FEEDS);
    }
    out
}

fn as_table(status: &Value) -> String {
    let none = Vec::new();
    let pages = status["pages"].as_array().unwrap_or(&none);
    let text = |v: &Value| v.as_str().unwrap_or("-").to_owned();
    // 2026-09-24T10:00:00Z → 2026-09-24 10:00
    let time = |v: &Value| v.as_str().map_or("-".to_owned(), |t| t.get(..16).unwrap_or(t).replace('T', " "));
    let list = |v: &Value| v.as_array().unwrap_or(&none).iter().map(text).collect::<Vec<_>>();
    // By the names that commands know.
    let topics = |p: &Value| {
        let companies = list(&p["companies"]).into_iter().map(|company| format!("company:{company}"));
        let index = (p["index"] == true).then(|| "(index)".to_owned());
        list(&p["topics"]).into_iter().chain(companies).chain(index).collect::<Vec<_>>().join(", ")
    };
    let wide = pages.iter().map(|p| topics(p).chars().count()).max().unwrap_or(0).max("TOPIC".len());
    let mut out = format!(
        "{DIM}{:<8} {:<wide$} {:>5}  {:<16}  {:<16}  {:<16}  PAGE{DIM:#}\n",
        "STATE", "TOPIC", "POSTS", "LAST FETCH (UTC)", "LAST CHANGE", "NEXT POLL"
    );
    for page in pages {
        let state = text(&page["state"]);
        let style = match state.as_str() {
            "ok" => GREEN,
            "failing" => RED,
            "new" => DIM,
            _ => YELLOW,
        };
        let (topics, posts, address) = (topics(page), page["posts"].as_u64().unwrap_or(0), text(&page["page"]));
        let [fetch, change, due] = ["last_fetch", "last_change", "next_due"].map(|name| time(&page[name]));
        let _ = writeln!(
            out,
            "{style}{state:<8}{style:#} {topics:<wide$} {posts:>5}  {fetch:<16}  {change:<16}  {due:<16}  {address}"
        );
        if let (Some(kind), Some(message)) = (page["error"]["kind"].as_str(), page["error"]["message"].as_str()) {
            let since = time(&page["since"]);
            let times = counted(usize::try_from(page["failures"].as_u64().unwrap_or(0)).unwrap_or(0), "time");
            let _ = writeln!(out, "         {RED}{kind}: {message}{RED:#} (since {since}, failed {times})");
        }
        if page["until"].is_string() {
            let _ =
                writeln!(out, "         {YELLOW}left alone until {}{YELLOW:#}, as the site asks", time(&page["until"]));
        }
        if let Some(to) = page["moved"]["to"].as_str() {
            let (since, times) = (time(&page["moved"]["since"]), page["moved"]["times"].as_u64().unwrap_or(0));
            let advice = if page["moved"]["holds"] == true {
                format!("; follow it there, with former = [\"{address}\"]")
            } else {
                String::new()
            };
            let times = counted(usize::try_from(times).unwrap_or(0), "time");
            let _ = writeln!(out, "         {YELLOW}moved{YELLOW:#} to {to} (said {times} since {since}){advice}");
        }
        for warning in page["warnings"].as_array().unwrap_or(&none) {
            let (kind, message) = (text(&warning["kind"]), text(&warning["message"]));
            let _ = writeln!(out, "         {YELLOW}{kind}{YELLOW:#}: {message}");
        }
    }
    out += &pace(status);
    out += &readers(status);
    for file in status["refused"].as_array().unwrap_or(&none) {
        let (path, why, since) = (text(&file["path"]), text(&file["why"]), time(&file["since"]));
        let _ = writeln!(out, "{RED}not published{RED:#} {path}: {why} (since {since}; the last good one stays)");
    }
    out
}
