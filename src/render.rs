//! Feed → documents: Atom 1.0, RSS 2.0, JSON Feed 1.1 and an HTML page, and for all feeds together `index.html`,
//! `feeds.opml` and `favicon.ico`.
//!
//! In: a [`Feed`], the [`Site`] and the configured formats. Out: [`Document`]s whose bytes depend on nothing else, so
//! that the same posts always give the same bytes. The formats carry the same ids, order, instants and texts.
//! Deliberately absent: input and output, the clock, filtering (`model::Text` and `model::Html` did it), and which
//! posts a feed holds (the store's choice). Only writers escape, each once.
//! Known gaps: no language (pages rarely say which), no image but the icon, no archives (RFC 5005) yet.

mod atom;
mod favicon;
mod html;
mod json;
mod opml;
mod rss;

use crate::model::{Document, Entry, EntryCompany, Feed, FeedHead, FeedKey, Format, Site, Stamp, Text};
use std::borrow::Cow;

/// What feeds and pages say made them. Without a version: an upgrade is no change of a feed.
const GENERATOR: &str = "pagewire";

/// The files of one feed: one for each format, in the order given, then its HTML page.
///
/// ```
/// use pagewire::model::{Feed, FeedKey, Format, Site, Slug, Stamp, Text};
///
/// let site = Site { title: Text::line("Pagewire"), base_url: "https://feeds.example/".parse()? };
/// let feed = Feed {
///     key: FeedKey::Topic(Slug::of("tpu")),
///     title: Text::line("TPU"),
///     description: None,
///     updated: Stamp(1_790_244_000),
///     entries: vec![],
/// };
/// let documents: Vec<_> = pagewire::render::documents(&feed, &site, &[Format::Atom]).collect();
/// assert_eq!(documents[0].path, "topics/tpu.atom");
/// assert_eq!(documents[1].path, "topics/tpu.html");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn documents<'a>(feed: &'a Feed, site: &'a Site, formats: &'a [Format]) -> impl Iterator<Item = Document> + 'a {
    let head = Masthead::of(feed, site, formats);
    // One after the other: a feed of a thousand posts is some megabytes in each.
    formats.iter().copied().map(Some).chain([None]).map(move |format| {
        let bytes = match format {
            Some(Format::Atom) => atom::write(&head),
            Some(Format::Rss) => rss::write(&head),
            Some(Format::Json) => json::write(&head),
            None => html::feed(&head),
        };
        Document { path: head.path(format.map_or("html", Format::ending)), bytes }
    })
}

/// `index.html`: all feeds, for people. Within a group, feeds stand in the order given.
pub fn index(site: &Site, heads: &[FeedHead], formats: &[Format]) -> Document {
    Document { path: "index.html".to_owned(), bytes: html::index(site, heads, formats) }
}

/// `feeds.opml`: all feeds, for a reader, one outline each. `updated` is when this list last changed.
pub fn opml(site: &Site, heads: &[FeedHead], formats: &[Format], updated: Stamp) -> Document {
    Document { path: "feeds.opml".to_owned(), bytes: opml::write(site, heads, formats, updated) }
}

/// `favicon.ico`: always the same.
pub fn favicon() -> Document {
    Document { path: "favicon.ico".to_owned(), bytes: favicon::draw() }
}

/// What every format of one feed says in the same words and addresses, worked out once.
struct Masthead<'a> {
    feed: &'a Feed,
    site: &'a Site,
    formats: &'a [Format],
    /// The feed's path without an ending.
    stem: String,
    /// What the feed says about itself; made up from its title where nobody said.
    description: Cow<'a, str>,
    /// The address of its HTML page.
    page: String,
    /// The address of the folder of company feeds, with a trailing `/`.
    companies: String,
    /// The address of the folder of type feeds, with a trailing `/`.
    types: String,
}

impl<'a> Masthead<'a> {
    fn of(feed: &'a Feed, site: &'a Site, formats: &'a [Format]) -> Self {
        let stem = feed.key.path();
        Self {
            feed,
            site,
            formats,
            description: match &feed.description {
                Some(text) if !text.is_empty() => Cow::Borrowed(text.as_str()),
                _ => Cow::Owned(described(&feed.key, feed.title.as_str())),
            },
            page: site.address(&format!("{stem}.html")),
            companies: site.address("companies/"),
            types: site.address("types/"),
            stem,
        }
    }

    /// How long a file that holds each summary once becomes: a guess that is rarely too small, since to grow is to copy.
    fn room(&self) -> usize {
        let each = |entry: &Entry| entry.summary.as_str().len() + 1_024;
        self.feed.entries.iter().map(each).sum::<usize>() + 1_024
    }

    /// The path of the feed's file with this ending.
    fn path(&self, ending: &str) -> String {
        format!("{}.{ending}", self.stem)
    }

    /// The address of the feed in a format.
    fn address(&self, format: Format) -> String {
        self.site.address(&self.path(format.ending()))
    }
}

/// What a feed is about, in a sentence.
fn described(key: &FeedKey, title: &str) -> String {
    match key {
        FeedKey::All => "All posts, of every topic".to_owned(),
        FeedKey::Topic(_) => format!("Posts about {title}"),
        FeedKey::Company(_) => format!("Posts by {title}"),
        FeedKey::Type(_) => format!("Posts of the type {title}"),
        FeedKey::Health => title.to_owned(),
    }
}

/// A group of feeds in a list.
#[derive(PartialEq)]
struct Group {
    /// Its place on the index page.
    anchor: &'static str,
    title: &'static str,
}

const EVERYTHING: Group = Group { anchor: "everything", title: "Everything" };
const TOPICS: Group = Group { anchor: "topics", title: "Topics" };
const COMPANIES: Group = Group { anchor: "companies", title: "Companies" };
const TYPES: Group = Group { anchor: "types", title: "Types" };

/// The group in which a feed is listed.
fn group(key: &FeedKey) -> Group {
    match key {
        FeedKey::All | FeedKey::Health => EVERYTHING,
        FeedKey::Topic(_) => TOPICS,
        FeedKey::Company(_) => COMPANIES,
        FeedKey::Type(_) => TYPES,
    }
}

/// The feeds by group, without groups that are empty.
fn grouped(heads: &[FeedHead]) -> impl Iterator<Item = (Group, Vec<&FeedHead>)> {
    [EVERYTHING, TOPICS, COMPANIES, TYPES].into_iter().filter_map(|one| {
        let feeds: Vec<&FeedHead> = heads.iter().filter(|head| group(&head.key) == one).collect();
        (!feeds.is_empty()).then_some((one, feeds))
    })
}

/// The format to offer first: Atom where there is one, since it says most exactly what it means.
fn preferred(formats: &[Format]) -> Format {
    match formats.first() {
        Some(&first) if !formats.contains(&Format::Atom) => first,
        _ => Format::Atom,
    }
}

/// The page of a company's feed below `folder`, else its own page.
fn company_page<'e>(folder: &str, company: &'e EntryCompany) -> Option<Cow<'e, str>> {
    match &company.slug {
        Some(slug) => Some([folder, slug.as_str(), ".html"].concat().into()),
        None => company.link.as_deref().and_then(safe_href).map(Cow::Borrowed),
    }
}

/// The names of an entry's authors, for formats that show them in one place; none without authors.
fn byline(entry: &Entry) -> Option<Cow<'_, str>> {
    match &entry.authors[..] {
        [] => None,
        [one] => Some(Cow::Borrowed(one.as_str())),
        more => Some(Cow::Owned(more.iter().map(Text::as_str).collect::<Vec<_>>().join(", "))),
    }
}

/// An address that may stand in a link: writers escape text, but not what a scheme does when it is clicked.
fn safe_href(address: &str) -> Option<&str> {
    let scheme = address.split_once(':')?.0;
    ["http", "https", "mailto"].iter().any(|safe| scheme.eq_ignore_ascii_case(safe)).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_open_pages_or_mail_are_links() {
        for safe in ["https://x.example/", "HTTP://x.example", "mailto:a@x.example"] {
            assert_eq!(safe_href(safe), Some(safe));
        }
        for not in ["javascript:alert(1)", "data:text/html,x", " https://x", "java\nscript:x", "file:///etc", "x", ""] {
            assert_eq!(safe_href(not), None, "{not}");
        }
    }

    #[test]
    fn atom_is_preferred_where_it_is_made() {
        assert_eq!(preferred(&[Format::Rss, Format::Atom]), Format::Atom);
        assert_eq!(preferred(&[Format::Json, Format::Rss]), Format::Json);
    }
}
