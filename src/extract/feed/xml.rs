//! RSS and Atom → [`Listing`].
//!
//! In: decoded text. Out: the feed's fields and its items, as `feed-rs` reads them from what `tidy` put in order.
//! `feed-rs` knows instants only, so each date is handed to it as its place in a list of texts: a day stays a day. Its
//! ids are those given; it is told to make none.
//!
//! Deliberately absent: dates, addresses and HTML; `feed` reads them.

use super::piece::Piece;
use super::space::Format;
use super::tidy::{Tidy, tidy};
use super::words::Words;
use super::{Item, Listing, MAX_ITEMS};
use crate::model::{ErrorKind, Failure};
use chrono::DateTime;
use feed_rs::{model, parser};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// Reads a feed. `document` is what a relative `xml:base` resolves against; `is_newer` tells of two items whether the
/// second is newer, by their dates.
pub(super) fn read(
    text: &str,
    document: Option<&Url>,
    is_newer: impl Fn(&Item, &Item) -> bool,
) -> Result<Listing, Failure> {
    let mut tidy = tidy(text, document)?;
    let len = tidy.items.len();
    if len > MAX_ITEMS {
        let first = parse(&tidy, 0..1)?.items;
        let last = parse(&tidy, len - 1..len)?.items;
        let ends_newest = first.iter().zip(&last).any(|(first, last)| is_newer(first, last));
        let kept = if ends_newest { len - MAX_ITEMS..len } else { 0..MAX_ITEMS };
        let starts_newest = first.iter().zip(&last).any(|(first, last)| is_newer(last, first));
        tidy.problems.push(super::too_many(len, starts_newest || ends_newest));
        return parse(&tidy, kept);
    }
    parse(&tidy, 0..len)
}

/// Reads some of a feed's items.
fn parse(tidy: &Tidy<'_>, kept: Range<usize>) -> Result<Listing, Failure> {
    let pieces = &tidy.items[kept];
    let ((start, end), (open, close)) = (tidy.format.frame(), tidy.format.item_tags());
    let items = pieces.iter().flat_map(|piece| [open, &piece.xml, close]);
    let document: String = [start, &tidy.head].into_iter().chain(items).chain([end]).collect();
    let dates = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&dates);
    let parser = parser::Builder::new()
        .sanitize_content(false)
        .id_generator(|_, _, _| String::new())
        .timestamp_parser(move |text| {
            let mut dates = noted.lock().unwrap_or_else(PoisonError::into_inner);
            dates.push(text.to_owned());
            DateTime::from_timestamp(i64::try_from(dates.len()).ok()?, 0)
        })
        .build();
    let feed = parser.parse(document.as_bytes()).map_err(|why| {
        Failure::new(ErrorKind::Parse, format!("the feed could not be read: {why}; please report it with the feed"))
    })?;
    let dates = dates.lock().unwrap_or_else(PoisonError::into_inner);
    let authors = names(feed.authors);
    let items = feed.entries.into_iter().zip(pieces);
    Ok(Listing {
        title: line(feed.title, tidy.format),
        description: line(feed.description, tidy.format),
        // Atom says what its links resolve against, RSS does not: there its site is what authors mean.
        home: link(&feed.links).filter(|_| tidy.format == Format::Rss),
        items: items.map(|(entry, piece)| item(entry, piece, tidy.format, &dates, &authors)).collect(),
        problems: tidy.problems.clone(),
    })
}

fn item(entry: model::Entry, piece: &Piece<'_>, format: Format, dates: &[String], feeds: &[String]) -> Item {
    let place = |t: DateTime<chrono::Utc>| usize::try_from(t.timestamp()).ok()?.checked_sub(1);
    let date = |t: Option<DateTime<chrono::Utc>>| dates.get(place(t?)?).cloned();
    let summary = entry.summary.map_or(Words::None, |t| words(t.content, t.content_type.as_str(), format));
    let content = entry.content.and_then(|c| Some(words(c.body?, c.content_type.as_str(), format))).unwrap_or_default();
    let (text, base) = match summary {
        Words::None => (content, &piece.content_base),
        summary => (summary, &piece.summary_base),
    };
    let own = names(entry.authors);
    Item {
        number: piece.number,
        title: line(entry.title, format),
        link: link(&entry.links),
        guid: entry.id,
        date: date(entry.published).or_else(|| date(entry.updated)),
        // RFC 4287 §4.2.1: an entry without an author has the feed's.
        authors: if own.is_empty() && format == Format::Atom { feeds.to_vec() } else { own },
        text,
        base: base.clone(),
        enclosures: piece.enclosures.clone(),
    }
}

/// The address of what a feed or an entry is about: the first that is a web page by its type, else the first.
fn link(links: &[model::Link]) -> Option<String> {
    let is_page = |l: &&model::Link| l.media_type.as_ref().is_none_or(|t| t.is_empty() || t.contains("html"));
    links.iter().find(is_page).or(links.first()).map(|l| l.href.clone())
}

fn names(people: Vec<model::Person>) -> Vec<String> {
    people.into_iter().filter_map(|p| p.name).collect()
}

/// A title or a description of the feed.
fn line(given: Option<model::Text>, format: Format) -> Words {
    match given {
        None => Words::None,
        Some(text) if format == Format::Rss => Words::Loose(text.content),
        Some(text) => words(text.content, text.content_type.as_str(), format),
    }
}

/// A text, by its type; of RSS always HTML.
fn words(text: String, media_type: &str, format: Format) -> Words {
    if format == Format::Atom && media_type == "text/plain" { Words::Plain(text) } else { Words::Html(text) }
}
