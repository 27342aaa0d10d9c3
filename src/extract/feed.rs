//! A feed as a page → [`Reading`].
//!
//! In: the decoded text of RSS 0.9x, 1.0 or 2.0, Atom 0.3 or 1.0 (also one entry by itself), or JSON Feed 1 or 1.1.
//! Out: its posts in its order. A feed's own words count: its ids, and none of our making; its dates as they stand; its
//! plain text and its HTML. One broken item costs itself. A feed without an end is refused whole: what is missing could
//! be read as posts that left.
//!
//! The link of a post is its own, else its permanent guid. Relative ones resolve against `xml:base`, else the page's
//! configured base, else in RSS and JSON the address that the feed gives as its site's, else the document's (RFC 4287,
//! XML Base, RFC 3986). The summary is the text of a post, the content where there is none. The date is
//! `published`, else `updated`: another one than the first that is given would be a guess.
//!
//! Tried on 30 November 2026 with the 2,177 documents of the W3C feed validator's test suite (its revision 43dabeb),
//! beside `feed-rs` by itself: 1,770 both read, 45 only pagewire, and 2 only `feed-rs`, RDF without a channel, which
//! the suite calls wrong as well; 360 that are no feeds, or too broken, neither. No document made either panic. Of the
//! 764 that both read and the suite calls valid, every title, date and web link of a post came through. Not taken:
//! addresses that are no `http` (three), and what `feed-rs` takes for a post's link but is that of its comments, a
//! file, or something related.
//!
//! Deliberately absent: companies, and types from categories: a tag that comes or goes would be another type. Known
//! gaps: images, RFC 5005's archives, RSS 1.1.

mod json;
mod next;
mod pace;
mod piece;
mod scan;
mod space;
mod tidy;
mod words;
mod xml;

pub(super) use next::hints;

use super::date;
use super::link::Links;
use crate::model::{
    Body, Enclosure, Failure, Html, Kind, PageSettings, Post, Published, Reading, Text, Warning, WarningKind,
};
use chrono_tz::Tz;
use piece::Attached;
use url::Url;
use words::Words;

/// Most posts that are read of a feed: readers' limits are far lower, and our own feeds hold no more.
const MAX_ITEMS: usize = 1000;

/// What a feed says, before dates and addresses are read.
#[derive(Debug)]
struct Listing {
    title: Words,
    description: Words,
    /// The site that it is of, where links may be relative to that.
    home: Option<String>,
    items: Vec<Item>,
    problems: Vec<Warning>,
}

/// One item, as it says.
#[derive(Debug)]
struct Item {
    /// Its place in the feed, from 1.
    number: usize,
    title: Words,
    link: Option<String>,
    guid: String,
    date: Option<String>,
    authors: Vec<String>,
    text: Words,
    /// What links in its text resolve against, where the feed says so.
    base: Option<Url>,
    /// Files that belong to it.
    enclosures: Vec<Attached>,
}

/// Whether an element of this name holds a feed.
pub(super) fn is_root(name: &str) -> bool {
    space::Format::of_root(name).is_some()
}

/// How far behind a document's start a feed may begin.
const MAX_JUNK: usize = 4096;

/// Whether a text that begins otherwise, with a program's warnings, is a feed: its root begins near the start, and the
/// text ends with the end of it.
pub(super) fn is_behind_junk(text: &str) -> bool {
    let Some(name) = text.trim_end().strip_suffix('>').and_then(|t| t.rsplit_once("</")).map(|(_, name)| name) else {
        return false;
    };
    let start = &text[..text.floor_char_boundary(MAX_JUNK)];
    is_root(name) && start.match_indices('<').any(|(at, _)| start[at + 1..].starts_with(name))
}

/// Reads a feed.
///
/// # Errors
/// `not-a-topic-page` where it is none, `truncated` where its end is missing, `parse` where it cannot be read at all.
pub(super) fn read(text: &str, body: &Body, settings: &PageSettings) -> Result<Reading, Failure> {
    let links = Links::of(body, settings);
    let tz = settings.timezone;
    let is_newer = |one: &Item, other: &Item| {
        let day = |item: &Item| item.date(tz).map(Published::day);
        day(one).zip(day(other)).is_some_and(|(one, other)| one < other)
    };
    let is_json = text.trim_start().starts_with(['{', '[']);
    let mut listing = if is_json { json::read(text, is_newer)? } else { xml::read(text, links.base(), is_newer)? };
    let home = listing.home.as_deref().filter(|_| settings.base.is_none()).and_then(|home| links.web(home));
    let links = match home {
        Some(home) => links.based(home),
        None => links,
    };
    let mut problems = std::mem::take(&mut listing.problems);
    let posts = listing.items.into_iter().filter_map(|item| item.post(&links, tz, &mut problems)).collect();
    let said = |words: &Words| Some(words.line()).filter(|t| !t.is_empty());
    Ok(Reading {
        kind: Kind::Feed,
        title: said(&listing.title),
        description: said(&listing.description),
        stated: None,
        filtered: 0,
        list: true,
        pace: if is_json { None } else { pace::pace(text) },
        shape: None,
        posts,
        problems,
    })
}

impl Item {
    /// Its date; a day, an instant, or nothing that can be read.
    fn date(&self, tz: Tz) -> Option<Published> {
        self.date.as_deref().and_then(|text| date::of_feed(text.trim(), tz))
    }

    /// The post; none, and a problem, where the item says nothing.
    fn post(self, links: &Links, tz: Tz, problems: &mut Vec<Warning>) -> Option<Post> {
        let number = self.number;
        let mut tell = |kind, why: String| problems.push(Warning::new(kind, format!("item {number}: {why}")));
        let published = self.date(tz);
        if let (None, Some(date)) =
            (published, self.date.as_deref().filter(|date| !date::is_none_of_feed(date.trim(), tz)))
        {
            tell(WarningKind::Date, format!("date `{}` not understood", shown(date)));
        }
        let link = self.link.as_deref().and_then(|link| links.post(link.trim()));
        if let (None, Some(given)) = (&link, &self.link) {
            tell(WarningKind::Link, format!("link `{}` is no http address", shown(given)));
        }
        let summary = self.text.html(self.base.as_ref().or(links.base()));
        let title = self.title.line();
        let title = if title.is_empty() { made_title(&summary, link.as_ref()) } else { title };
        if title.is_empty() {
            tell(WarningKind::Item, "it has neither title nor link nor text, so it is left out".to_owned());
            return None;
        }
        if is_error_of_bridge(title.as_str()) {
            tell(
                WarningKind::Item,
                format!("`{}` is an error of RSS-Bridge's and no post, so it is left out", shown(title.as_str())),
            );
            return None;
        }
        let guid = self.guid.trim();
        Some(Post {
            title,
            link,
            authors: self.authors.iter().map(|a| Text::line(a)).filter(|a| !a.is_empty()).collect(),
            published,
            summary,
            guid: (!guid.is_empty()).then(|| guid.to_owned()),
            enclosures: self
                .enclosures
                .iter()
                .filter_map(|a| Some(Enclosure::new(&links.web(a.address.trim())?, &a.media_type, &a.length)))
                .collect(),
            ..Post::default()
        })
    }
}

/// Whether an item is RSS-Bridge's report of its own failure, `Bridge returned error 503! (20722)`, which it puts into the
/// feed unless told otherwise (`[error] output`).
fn is_error_of_bridge(title: &str) -> bool {
    let code = title.strip_prefix("Bridge returned error ").and_then(|rest| rest.split_once('!'));
    code.is_some_and(|(code, day)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let day = day.trim().strip_prefix('(').and_then(|day| day.strip_suffix(')'));
        is_number(code) && day.is_some_and(is_number)
    })
}

/// The title of a post that has none: its first words, else its link.
fn made_title(summary: &Html, link: Option<&Url>) -> Text {
    let words = words::first_words(&summary.text());
    if words.is_empty() { Text::line(link.map_or("", Url::as_str)) } else { words }
}

/// The start of a text, for a message.
fn shown(text: &str) -> String {
    text.trim().chars().take(60).collect()
}

/// The warning about a feed with more items than are read.
fn too_many(len: usize, is_dated: bool) -> Warning {
    let which = if is_dated { "newest" } else { "first" };
    Warning::new(WarningKind::Item, format!("{len} items: only the {which} {MAX_ITEMS} of them are read"))
}
