//! `pagewire status`: what is known of each page's polls. Reads the state only and makes no file.

use super::{DIM, Exit, GREEN, RED, YELLOW, counted, deliver, runtime, settings, store_failed};
use crate::clock;
use crate::model::{PageState, Settings, Stamp};
use crate::refresh;
use crate::store::{Store, StoreError};
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
        let settings = settings(config)?;
        let states = match Store::open_to_read(&settings.state.database) {
            Ok(store) => runtime()?.block_on(store.states()).map_err(|e| store_failed(&e))?,
            Err(StoreError::Missing(_)) => std::collections::HashMap::new(),
            Err(error) => return Err(store_failed(&error)),
        };
        let state = |address: &str| states.get(address).map(|(_, s)| s.clone()).unwrap_or_default();
        let pages: Vec<PageState> = settings.pages.iter().map(|p| state(p.address.url().as_str())).collect();
        Ok(if args.json {
            deliver(std::io::stdout(), format!("{}\n", refresh::status(&settings, &pages, clock::now())).as_bytes())
        } else {
            deliver(anstream::stdout(), as_table(&settings, &pages).as_bytes())
        })
    };
    work().unwrap_or_else(|exit| exit)
}

fn topics(settings: &Settings, page: usize) -> Vec<String> {
    settings.pages[page].topics.iter().filter_map(|&t| settings.topics.get(t)).map(|t| t.slug.to_string()).collect()
}

fn as_table(settings: &Settings, states: &[PageState]) -> String {
    let time = |t: Option<Stamp>| t.map_or("-".to_owned(), |t| t.utc().format("%Y-%m-%d %H:%M").to_string());
    let names: Vec<String> = (0..states.len()).map(|i| topics(settings, i).join(", ")).collect();
    let wide = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max("TOPIC".len());
    let mut out = format!(
        "{DIM}{:<8} {:<wide$} {:>5}  {:<16}  {:<16}  {:<16}  PAGE{DIM:#}\n",
        "STATE", "TOPIC", "POSTS", "LAST FETCH (UTC)", "LAST CHANGE", "NEXT POLL"
    );
    for (i, s) in states.iter().enumerate() {
        let style = match s.word() {
            "ok" => GREEN,
            "failing" => RED,
            "new" => DIM,
            _ => YELLOW,
        };
        let _ = writeln!(
            out,
            "{style}{:<8}{style:#} {:<wide$} {:>5}  {:<16}  {:<16}  {:<16}  {}",
            s.word(),
            names[i],
            s.posts,
            time(s.last_fetch),
            time(s.last_change),
            time(s.next_due),
            settings.pages[i].address
        );
        if let Some(error) = &s.error {
            let since = time(s.since);
            let failed = counted(s.failures as usize, "time");
            let _ = writeln!(out, "         {RED}{error}{RED:#} (since {since}, failed {failed})");
        }
        for warning in &s.warnings {
            let _ = writeln!(out, "         {YELLOW}{}{YELLOW:#}: {}", warning.kind.as_str(), warning.message);
        }
    }
    out
}
