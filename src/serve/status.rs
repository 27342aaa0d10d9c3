//! How things stand, as a page for the operator; and the page for addresses where nothing is.
//!
//! In: the object that `/api/status` shows. Out: HTML that looks like the published pages, in one document, with what
//! needs a look first. Everything in it may come from a stranger's page, so every word is escaped, only addresses that
//! open pages become links, and the content security policy lets nothing run.

use crate::model::{Shelf, Site, Stamp};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// The published pages' style, and what a table needs besides.
const STYLE: &str = concat!(include_str!("../render/style.css"), include_str!("status.css"));

/// Nothing but that style and the icon.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
});

#[derive(Deserialize)]
struct Status {
    version: String,
    now: String,
    budget: Budget,
    pages: Vec<Page>,
    hosts: Vec<Host>,
    feeds: Option<Vec<Readership>>,
}

#[derive(Deserialize)]
struct Budget {
    limit: u64,
    planned: Option<u64>,
    spent: u64,
}

/// How often a host may be asked; times in seconds.
#[derive(Deserialize)]
struct Host {
    #[serde(rename = "host")]
    name: String,
    pages: u64,
    concurrency: u64,
    pause: f64,
    pace: f64,
    until: Option<String>,
}

/// Who reads a feed.
#[derive(Deserialize)]
struct Readership {
    feed: String,
    requests: u64,
    not_modified: u64,
    readers: u64,
    subscribers: u64,
}

#[derive(Deserialize)]
struct Page {
    #[serde(rename = "page")]
    address: String,
    topics: Vec<String>,
    companies: Vec<String>,
    index: bool,
    state: String,
    last_fetch: Option<String>,
    last_change: Option<String>,
    next_due: Option<String>,
    posts: u64,
    failures: u64,
    since: Option<String>,
    until: Option<String>,
    moved: Option<Moved>,
    warnings: Vec<Said>,
    error: Option<Said>,
}

#[derive(Deserialize)]
struct Moved {
    to: String,
    since: String,
    times: u64,
    holds: bool,
}

#[derive(Deserialize)]
struct Said {
    kind: String,
    message: String,
}

impl Page {
    fn has_notes(&self) -> bool {
        self.error.is_some() || self.until.is_some() || self.moved.is_some() || !self.warnings.is_empty()
    }

    /// Failures first, then what else needs a look, then the others.
    fn rank(&self) -> u8 {
        match self.state.as_str() {
            "failing" | "ended" => 0,
            "held" => 1,
            _ if !self.warnings.is_empty() || self.moved.as_ref().is_some_and(|moved| moved.holds) => 2,
            _ => 3,
        }
    }
}

/// The page.
///
/// # Errors
/// When the object is not what the contract says.
pub(super) fn page(status: Value, site: &Site, shelf: &Shelf) -> Result<String, serde_json::Error> {
    let mut status: Status = serde_json::from_value(status)?;
    status.pages.sort_by_key(Page::rank);
    let now = stamp(&status.now).unwrap_or_default();
    let body = html! {
        header {
            nav.way aria-label="Site" { a href="index.html" { (site.title) } }
            h1 { "Status" }
            p.lead { (summary(&status.pages)) }
            p.meta { span { "As of " (written(now)) } span { "pagewire " (status.version) } }
            p.meta { span { (requests(&status.budget)) } }
        }
        main {
            table {
                thead {
                    tr {
                        th scope="col" { "Page" } th scope="col" { "State" } th.number scope="col" { "Posts" }
                        th scope="col" { "Fetched" } th scope="col" { "Changed" } th scope="col" { "Next" }
                    }
                }
                @for page in &status.pages { (row(page, shelf, now)) }
            }
            (readers(status.feeds.as_deref().unwrap_or_default(), shelf))
            (hosts(&status.hosts, now))
        }
    };
    Ok(sheet(&format!("Status – {}", site.title), &body))
}

/// The page for people who come where nothing is.
pub(super) fn nowhere(site: &Site) -> String {
    let body = html! {
        header {
            nav.way aria-label="Site" { a href=(site.address("")) { (site.title) } }
            h1 { "Nothing here" }
            p.lead { "No feed is published at this address. " a href=(site.address("")) { "See all feeds" } "." }
        }
    };
    sheet(&format!("Nothing here – {}", site.title), &body)
}

fn sheet(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    page.into_string()
}

fn summary(pages: &[Page]) -> String {
    let bad = pages.iter().filter(|page| page.rank() < 3).count();
    match (pages.len(), bad) {
        (0, _) => "No pages are followed.".to_owned(),
        (1, 0) => "The one page is well.".to_owned(),
        (all, 0) => format!("All {all} pages are well."),
        (all, 1) => format!("1 of {all} pages needs a look."),
        (all, bad) => format!("{bad} of {all} pages need a look."),
    }
}

fn row(page: &Page, shelf: &Shelf, now: Stamp) -> Markup {
    html! {
        tbody {
            tr {
                th scope="row" { (address(&page.address)) p.meta { (lists(page, shelf)) } }
                td data-label="State" { span.state.(page.state) { (page.state) } }
                td.number data-label="Posts" { (page.posts) }
                td data-label="Fetched" { (when(page.last_fetch.as_deref(), now)) }
                td data-label="Changed" { (when(page.last_change.as_deref(), now)) }
                td data-label="Next" { (when(page.next_due.as_deref(), now)) }
            }
            @if page.has_notes() { tr.note { td colspan="6" { (notes(page, now)) } } }
        }
    }
}

fn notes(page: &Page, now: Stamp) -> Markup {
    html! {
        @if let Some(error) = &page.error {
            p { strong { (error.kind) } ": " (error.message) }
            @if let Some(since) = &page.since {
                p.by {
                    "Since " (when(Some(since), now))
                    @if page.failures > 1 { ", " (page.failures) " times in a row" }
                }
            }
        }
        @if let Some(until) = &page.until { p { "Left alone, as the site asks, until " (when(Some(until), now)) } }
        @if let Some(moved) = &page.moved {
            p {
                strong.odd { "moved" } ": to " (address(&moved.to)) ", as the site says since " (when(Some(&moved.since), now))
                " (" (moved.times) " times)"
                @if moved.holds { ". Follow it there, with this address as a former one." }
            }
        }
        @for warning in &page.warnings { p { strong.odd { (warning.kind) } ": " (warning.message) } }
    }
}

fn address(page: &str) -> Markup {
    let opens = ["http://", "https://"].iter().any(|scheme| page.starts_with(scheme));
    html! { @if opens { a href=(page) { (page) } } @else { (page) } }
}

/// The topics and companies that a page is listed by.
fn lists(page: &Page, shelf: &Shelf) -> Markup {
    html! {
        @for topic in &page.topics { (feed_link(&format!("topics/{topic}"), topic, shelf)) }
        @for company in &page.companies { (feed_link(&format!("companies/{company}"), company, shelf)) }
        @if page.index { span { "index" } }
    }
}

/// A feed's name, which leads to its page if there is one.
fn feed_link(feed: &str, name: &str, shelf: &Shelf) -> Markup {
    let path = format!("{feed}.html");
    html! { @if shelf.files.contains_key(&path) { a href=(path) { (name) } } @else { span { (name) } } }
}

/// What was sent of the budget, in a sentence.
fn requests(budget: &Budget) -> String {
    let sent = format!("{} requests sent in the last 24 hours for pages on schedule auto", budget.spent);
    match (budget.limit, budget.planned) {
        (limit @ 1.., Some(planned)) => format!("{sent}; {planned} of {limit} a day planned"),
        _ => sent,
    }
}

/// Who reads the feeds, the most read first.
fn readers(feeds: &[Readership], shelf: &Shelf) -> Markup {
    html! {
        @if !feeds.is_empty() {
            details {
                summary { "Readers" }
                p.meta { "Since the start; readers and subscribers of the last day. No addresses are kept." }
                table {
                    thead {
                        tr {
                            th scope="col" { "Feed" } th.number scope="col" { "Readers" }
                            th.number scope="col" { "Subscribers" } th.number scope="col" { "Requests" }
                            th.number scope="col" { "Not modified" }
                        }
                    }
                    @for feed in feeds {
                        tbody {
                            tr {
                                th scope="row" { (feed_link(&feed.feed, &feed.feed, shelf)) }
                                td.number data-label="Readers" { (feed.readers) }
                                td.number data-label="Subscribers" { (feed.subscribers) }
                                td.number data-label="Requests" { (feed.requests) }
                                td.number data-label="Not modified" {
                                    (feed.not_modified * 100 / feed.requests.max(1)) " %"
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How often each host may be asked.
fn hosts(hosts: &[Host], now: Stamp) -> Markup {
    html! {
        @if !hosts.is_empty() {
            details {
                summary { "Hosts" }
                table {
                    thead {
                        tr {
                            th scope="col" { "Host" } th.number scope="col" { "Pages" }
                            th.number scope="col" { "At once" } th.number scope="col" { "Pause" }
                            th scope="col" { "Left alone" }
                        }
                    }
                    @for host in hosts {
                        tbody {
                            tr {
                                th scope="row" { (host.name) }
                                td.number data-label="Pages" { (host.pages) }
                                td.number data-label="At once" { (host.concurrency) }
                                td.number data-label="Pause" {
                                    (host.pace) " s" @if host.pace > host.pause { ", as it asks" }
                                }
                                td data-label="Left alone" {
                                    @if let Some(until) = &host.until { (when(Some(until), now)) } @else { "–" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A time as people say it now; the exact one is there to be looked up.
fn when(time: Option<&str>, now: Stamp) -> Markup {
    let Some(at) = time.and_then(stamp) else { return html! { "–" } };
    html! { time datetime=(at.rfc3339()) title=(written(at)) { (spoken(at.0 - now.0)) } }
}

/// A distance in time in one unit: `5 min ago`, `in 3 h`.
fn spoken(seconds: i64) -> String {
    let length = match seconds.unsigned_abs() {
        0..45 => return "now".to_owned(),
        s @ 45..5_400 => format!("{} min", (s + 30) / 60),
        s @ 5_400..129_600 => format!("{} h", (s + 1_800) / 3_600),
        s => format!("{} days", (s + 43_200) / 86_400),
    };
    if seconds < 0 { format!("{length} ago") } else { format!("in {length}") }
}

fn written(at: Stamp) -> String {
    at.utc().format("%-d %B %Y, %H:%M UTC").to_string()
}

fn stamp(text: &str) -> Option<Stamp> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| Stamp(time.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_one_unit() {
        for (seconds, said) in [
            (0, "now"),
            (-44, "now"),
            (60, "in 1 min"),
            (-330, "6 min ago"),
            (3_600, "in 60 min"),
            (-7_200, "2 h ago"),
            (86_400, "in 24 h"),
            (-172_800, "2 days ago"),
        ] {
            assert_eq!(spoken(seconds), said);
        }
    }
}
