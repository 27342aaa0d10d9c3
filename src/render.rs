//! Feed → documents: Atom 1.0, RSS 2.0, JSON Feed 1.1 and an HTML page, and for all feeds together `index.html`,
//! `feeds.opml` and `favicon.ico`.
//!
//! In: a [`Feed`], the [`Site`] and the configured formats. Out: [`Document`]s whose bytes depend on nothing else, so
//! that the same posts always give the same bytes. The formats carry the same ids, order, instants and texts.
//! Deliberately absent: input and output, the clock, filtering (`model::Text` and `model::Html` did it), and which
//! posts a feed holds (the store's choice). Only writers escape, each once.
//! Archives follow RFC 5005 §4. Known gaps: no image but the icon; a language only where the configuration says one.

mod atom;
mod html;
mod icon;
mod json;
mod opml;
mod part;
mod reference;
mod rss;

use crate::model::{
    Archive, Document, Entry, EntryCompany, Feed, FeedHead, FeedKey, Format, Site, Stamp, Text, strict_address,
};
use std::borrow::Cow;

pub use part::{Shell, Source, source};

/// What feeds and pages say made them. Without a version: an upgrade is no change of a feed.
const GENERATOR: &str = "pagewire";

/// The path of the picture that feeds show.
const ICON: &str = "icon.png";

/// RFC 5005's namespace.
const HISTORY: &str = "http://purl.org/syndication/history/1.0";

/// The files of one feed: one for each format, in the order given, then its HTML page.
///
/// ```
/// use pagewire::model::{Feed, FeedKey, Format, Site, Slug, Stamp, Text};
///
/// let site = Site { title: Text::line("Pagewire"), base_url: "https://feeds.example/".parse()?, language: None, hub: None };
/// let feed = Feed {
///     key: FeedKey::Topic(Slug::of("tpu")),
///     title: Text::line("TPU"),
///     description: None,
///     updated: Stamp(1_790_244_000),
///     ..Feed::default()
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
    Document { path: "favicon.ico".to_owned(), bytes: icon::ico() }
}

/// `icon.png`: the same picture, as large as RSS allows.
pub fn icon() -> Document {
    Document { path: ICON.to_owned(), bytes: icon::png() }
}

/// The archives of a feed that are made: Atom and JSON Feed, as far as these formats are configured.
///
/// In RSS they would need the names of Atom for every link, and who reads RFC 5005 reads Atom.
pub fn archive<'a>(archive: &'a Archive, site: &'a Site, formats: &'a [Format]) -> impl Iterator<Item = Document> + 'a {
    let mut head = Masthead::of(&archive.feed, site, formats);
    head.part = Some(Part { number: archive.number, followed: archive.followed });
    formats.iter().filter_map(move |format| {
        let bytes = match format {
            Format::Atom => atom::write(&head),
            Format::Json => json::write(&head),
            Format::Rss => return None,
        };
        Some(Document { path: head.archive_path(archive.number, *format), bytes })
    })
}

/// What goes around the posts of an archive where these are written already, and the same document with a stand-in for
/// them, by which it can be checked.
pub fn shells(archive: &Archive, site: &Site, formats: &[Format]) -> Vec<(Shell, Document)> {
    let feed = Feed { entries: vec![Entry::farewell(&archive.feed, archive.feed.updated)], ..archive.feed.bare() };
    let stand_in = Archive { feed, ..*archive };
    let made = formats.iter().filter(|format| **format != Format::Rss);
    let documents = self::archive(&stand_in, site, formats);
    made.zip(documents)
        .filter_map(|(format, document)| Some((Shell::of(*format, &document.bytes)?, document)))
        .collect()
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
    /// Which archive this is; none for the feed itself.
    part: Option<Part>,
}

/// How long a file that holds these once becomes: a guess that is rarely too small, since to grow is to copy. In a feed of
/// several topics each entry has a source.
fn room(entries: &[Entry]) -> usize {
    let each = |entry: &Entry| entry.summary.as_str().len() + entry.content.as_str().len() + 1_536;
    entries.iter().map(each).sum::<usize>() + 2_048
}

/// An archive's place among the others.
#[derive(Clone, Copy)]
struct Part {
    number: u32,
    followed: bool,
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
            part: None,
            stem,
        }
    }

    /// The path of the feed's file with this ending.
    fn path(&self, ending: &str) -> String {
        format!("{}.{ending}", self.stem)
    }

    /// The address of the feed in a format.
    fn address(&self, format: Format) -> String {
        self.site.address(&self.path(format.ending()))
    }

    fn archive_path(&self, number: u32, format: Format) -> String {
        format!("{}.{}", self.feed.key.archive(number), format.ending())
    }

    /// The address of this document in a format: the feed's, or the archive's.
    fn own_address(&self, format: Format) -> String {
        match self.part {
            Some(part) => self.site.address(&self.archive_path(part.number, format)),
            None => self.address(format),
        }
    }

    /// The archive with the posts before those of this document.
    fn prev(&self) -> Option<u32> {
        match self.part {
            Some(part) => (part.number > 1).then(|| part.number - 1),
            None => self.feed.last_archive,
        }
    }

    /// The links to the feed itself and to the archives around this document, by relation (RFC 5005 §4), in Atom.
    fn around(&self) -> Vec<(&'static str, String)> {
        let archive = |number| self.site.address(&self.archive_path(number, Format::Atom));
        let mut links = Vec::new();
        if self.part.is_some() {
            links.push(("current", self.address(Format::Atom)));
        }
        if self.formats.contains(&Format::Atom) {
            links.extend(self.prev().map(|number| ("prev-archive", archive(number))));
            let next = self.part.filter(|part| part.followed).map(|part| part.number + 1);
            links.extend(next.map(|number| ("next-archive", archive(number))));
        }
        links
    }

    /// What RFC 5005 calls this document in one word: `complete`, `archive`, or nothing. An archive that still grows
    /// is not called one, since whoever has an archive never asks for it again.
    fn mark(&self) -> Option<&'static str> {
        match self.part {
            None if self.feed.last_archive.is_none() => Some("complete"),
            Some(Part { followed: true, .. }) => Some("archive"),
            _ => None,
        }
    }

    /// The language of the posts.
    fn language(&self) -> Option<&str> {
        self.feed.language.as_ref().or(self.site.language.as_ref()).map(Text::as_str)
    }

    /// Whether its posts come from several topics, so that each says from which.
    fn is_merged(&self) -> bool {
        !matches!(self.feed.key, FeedKey::Topic(_))
    }
}

/// What a feed is about, in a sentence.
fn described(key: &FeedKey, title: &str) -> String {
    match key {
        FeedKey::All => "All posts, of every topic".to_owned(),
        FeedKey::Topic(_) => format!("Posts about {title}"),
        FeedKey::Company(_) => format!("Posts by {title}"),
        FeedKey::Type(_) => format!("Posts of the type {title}"),
        FeedKey::Combined(_) => format!("Posts chosen for {title}"),
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
const COMBINED: Group = Group { anchor: "combined", title: "Combined" };
const COMPANIES: Group = Group { anchor: "companies", title: "Companies" };
const TYPES: Group = Group { anchor: "types", title: "Types" };

/// The group in which a feed is listed.
fn group(key: &FeedKey) -> Group {
    match key {
        FeedKey::All | FeedKey::Health => EVERYTHING,
        FeedKey::Topic(_) => TOPICS,
        FeedKey::Combined(_) => COMBINED,
        FeedKey::Company(_) => COMPANIES,
        FeedKey::Type(_) => TYPES,
    }
}

/// The feeds by group, without groups that are empty.
fn grouped(heads: &[FeedHead]) -> impl Iterator<Item = (Group, Vec<&FeedHead>)> {
    [EVERYTHING, TOPICS, COMBINED, COMPANIES, TYPES].into_iter().filter_map(|one| {
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
        None => company.link.as_deref().and_then(safe_href).map(strict_address),
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
