//! Documents → the entries in them as they are written there, and back: what is written once is not written again.
//!
//! In: documents of this crate's writers, which put every entry on lines of its own. An entry's text is the same in all
//! documents of a format, but for the `source` that Atom wants in feeds of several topics: it goes behind `published`.
//! Deliberately absent: parsing; a document of anybody else.

use super::{atom, room};
use crate::model::{Entry, EntryTopic, Format, Site};
use memchr::memmem::{self, Finder};

/// A document around its entries.
#[derive(Debug)]
pub struct Shell {
    /// The document's format.
    pub format: Format,
    head: Vec<u8>,
    tail: Vec<u8>,
    seams: Seams,
}

/// Where in an entry its source goes, and the time that it has from there.
#[derive(Debug)]
struct Seams {
    published: Finder<'static>,
    updated: Finder<'static>,
}

/// What stands in a `source`, around its `updated`.
#[derive(Debug)]
pub struct Source {
    before: Vec<u8>,
    after: Vec<u8>,
}

/// A document in XML, whose writer is given some of the entries at a time: it makes a tree of them and a copy, which
/// for a feed of a thousand posts would be many megabytes.
pub(super) fn by_part(format: Format, entries: &[Entry], mut write: impl FnMut(&[Entry]) -> Vec<u8>) -> Vec<u8> {
    const PART: usize = 128;
    let [open, close] = format.marks();
    let end = |document: &[u8]| memmem::rfind(document, close.as_bytes()).map(|at| at + close.len());
    let mut parts = entries.chunks(PART);
    let mut document = write(parts.next().unwrap_or_default());
    let Some(first) = end(&document) else { return document };
    let tail = document.split_off(first);
    // At once: to grow step by step leaves as much behind as it needs.
    document.reserve(room(&entries[entries.len().min(PART)..]));
    for part in parts {
        let next = write(part);
        if let (Some(start), Some(end)) = (memmem::find(&next, open.as_bytes()), end(&next)) {
            document.extend_from_slice(&next[start..end]);
        }
    }
    document.extend_from_slice(&tail);
    document
}

impl Shell {
    /// Takes a document with entries apart.
    pub(super) fn of(format: Format, document: &[u8]) -> Option<Self> {
        let entries = format.entries(document);
        let (first, last) = (entries.first()?, entries.last()?);
        let (head, tail) = (document[..first.start].to_vec(), document[last.end..].to_vec());
        let seams = Seams { published: Finder::new("</published>"), updated: Finder::new(UPDATED[0]) };
        Some(Self { format, head, tail, seams })
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
        match source.and_then(|source| Some((source, self.seams.of(entry)?))) {
            Some((source, (at, updated))) => {
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

impl Seams {
    /// The place for the source, and the time.
    fn of<'e>(&self, entry: &'e [u8]) -> Option<(usize, &'e [u8])> {
        let behind = |found: &Finder<'_>| found.find(entry).map(|at| at + found.needle().len());
        let (at, updated) = (behind(&self.published)?, behind(&self.updated)?);
        let time = &entry[updated..];
        Some((at, &time[..memchr::memchr(b'<', time)?]))
    }
}

/// The source that stands in entries which this topic brought.
pub fn source(topic: &EntryTopic, site: &Site) -> Option<Source> {
    let document = atom::source_alone(site, topic);
    let start = memmem::find(&document, b"\n  <source>")?;
    let end = after(&document, "</source>")?;
    let source = document.get(start..end)?;
    let updated = after(source, UPDATED[0])?;
    let rest = updated + memmem::find(&source[updated..], UPDATED[1].as_bytes())?;
    Some(Source { before: source[..updated].to_vec(), after: source[rest..].to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Feed, Stamp};

    #[test]
    fn a_document_in_parts_has_every_entry_once_between_one_head_and_one_tail() {
        let numbered = |n: usize| Entry { uid: n.to_string(), ..Entry::farewell(&Feed::default(), Stamp(0)) };
        let entry = |entry: &Entry| format!("\n <entry>{}\n </entry>", entry.uid);
        let whole = |entries: &[Entry]| format!("<feed>{}\n</feed>", entries.iter().map(entry).collect::<String>());
        for count in [0, 1, 128, 129, 300] {
            let entries: Vec<Entry> = (0..count).map(numbered).collect();
            let made = by_part(Format::Atom, &entries, |part| whole(part).into_bytes());
            assert_eq!(String::from_utf8_lossy(&made), whole(&entries));
        }
    }
}
