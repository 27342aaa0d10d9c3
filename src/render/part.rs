//! Documents → the entries in them as they are written there, and back: what is written once is not written again.
//!
//! In: documents of this crate's writers, which put every entry on lines of its own. An entry's text is the same in all
//! documents of a format, but for the `source` that Atom wants in feeds of several topics: it goes behind `published`.
//! Deliberately absent: parsing; a document of anybody else.

use super::{Masthead, atom};
use crate::model::{Entry, EntryTopic, Feed, FeedKey, Format, Site, Stamp};
use memchr::memmem;
use std::ops::Range;

/// A document around its entries.
#[derive(Debug)]
pub struct Shell {
    /// The document's format.
    pub format: Format,
    head: Vec<u8>,
    tail: Vec<u8>,
}

/// What stands in a `source`, around its `updated`.
#[derive(Debug)]
pub struct Source {
    before: Vec<u8>,
    after: Vec<u8>,
}

/// Where the entries of a document stand, in its order.
pub fn entries(format: Format, document: &[u8]) -> Vec<Range<usize>> {
    let (open, close, from) = match format {
        Format::Atom => ("\n <entry>", "\n </entry>", Some(0)),
        // Authors of the feed stand as deep as items.
        Format::Json => ("\n  {", "\n  }", memmem::find(document, b"\n \"items\": [")),
        Format::Rss => return Vec::new(),
    };
    let Some(from) = from else { return Vec::new() };
    let mut found = Vec::new();
    let mut starts = memmem::find_iter(&document[from..], open).map(|at| from + at).peekable();
    while let Some(start) = starts.next() {
        let next = starts.peek().map_or(document.len(), |next| *next);
        if let Some(end) = memmem::rfind(&document[start..next], close.as_bytes()) {
            found.push(start..start + end + close.len());
        }
    }
    found
}

impl Shell {
    /// Takes a document with entries apart.
    pub(super) fn of(format: Format, document: &[u8]) -> Option<Self> {
        let entries = entries(format, document);
        let (first, last) = (entries.first()?, entries.last()?);
        Some(Self { format, head: document[..first.start].to_vec(), tail: document[last.end..].to_vec() })
    }

    /// Begins a document that will hold so many bytes of entries.
    pub fn begin(&self, room: usize) -> Vec<u8> {
        let mut document = Vec::with_capacity(self.head.len() + room + self.tail.len());
        document.extend_from_slice(&self.head);
        document
    }

    /// Adds an entry, with its source where it has one.
    pub fn push(&self, document: &mut Vec<u8>, entry: &[u8], source: Option<&Source>) {
        if self.format == Format::Json && document.len() > self.head.len() {
            document.push(b',');
        }
        match source.and_then(|source| Some((source, after(entry, "</published>")?, between(entry, UPDATED)?))) {
            Some((source, at, updated)) => {
                document.extend_from_slice(&entry[..at]);
                for part in [&source.before, updated, &source.after, &entry[at..]] {
                    document.extend_from_slice(part);
                }
            }
            None => document.extend_from_slice(entry),
        }
    }

    /// Ends a document.
    pub fn end(&self, mut document: Vec<u8>) -> Vec<u8> {
        document.extend_from_slice(&self.tail);
        document
    }
}

const UPDATED: [&str; 2] = ["<updated>", "</updated>"];

fn after(bytes: &[u8], what: &str) -> Option<usize> {
    memmem::find(bytes, what.as_bytes()).map(|at| at + what.len())
}

fn between<'b>(bytes: &'b [u8], [open, close]: [&str; 2]) -> Option<&'b [u8]> {
    let start = after(bytes, open)?;
    Some(&bytes[start..start + memmem::find(&bytes[start..], close.as_bytes())?])
}

/// The source that stands in entries which this topic brought.
pub fn source(topic: &EntryTopic, site: &Site) -> Option<Source> {
    let entry = Entry { topic: Some(topic.clone()), ..Entry::farewell(&Feed::default(), Stamp(0)) };
    let feed = Feed { key: FeedKey::All, entries: vec![entry], ..Feed::default() };
    let document = atom::write(&Masthead::of(&feed, site, &[Format::Atom]));
    let start = memmem::find(&document, b"\n  <source>")?;
    let end = after(&document, "</source>")?;
    let source = document.get(start..end)?;
    let updated = after(source, UPDATED[0])?;
    let rest = updated + memmem::find(&source[updated..], UPDATED[1].as_bytes())?;
    Some(Source { before: source[..updated].to_vec(), after: source[rest..].to_vec() })
}
