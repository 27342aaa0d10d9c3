//! A feed's bytes → what is wrong with it, in the words of its specification.
//!
//! In: a document: RSS 0.9x, 1.0, 2.0, Atom 1.0, JSON Feed 1 or 1.1, OPML. Out: a [`Verdict`]: every [`Finding`] with its
//! place. An error is what a specification forbids; a warning is what readers stumble over. It is used twice: what we
//! publish is checked before it replaces what is published ([`admit`]), and `pagewire check-feed` shows it to people.
//! Deliberately absent: input and output, and HTTP; how a feed is served is not its content.
//! Known gaps: elements of modules are checked where they are common (Dublin Core, content, syndication, media, iTunes,
//! threading, feed history), the others pass; HTML in texts is not parsed.

mod atom;
mod date;
mod field;
mod json;
mod module;
mod opml;
mod read;
mod rss;
mod space;
mod tree;
mod value;

use crate::model::Document;
use space::Space;
use std::fmt;

/// The largest document that is checked and published, in bytes. Readers refuse far smaller ones.
pub const MAX_SIZE: usize = 64 << 20;
/// From here on common readers give up, in bytes.
const LARGE: usize = 10 << 20;

/// What sort of document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// RSS 0.91, 0.92 or 2.0.
    Rss,
    /// RSS 0.90, 1.0 or 1.1, which are RDF.
    Rdf,
    /// Atom 1.0.
    Atom,
    /// An Atom entry that stands alone.
    AtomEntry,
    /// JSON Feed.
    Json,
    /// OPML.
    Opml,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rss => "RSS",
            Self::Rdf => "RSS 1.0",
            Self::Atom => "Atom",
            Self::AtomEntry => "an Atom entry",
            Self::Json => "JSON Feed",
            Self::Opml => "OPML",
        })
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The specification forbids it.
    Error,
    /// Allowed, but readers stumble over it.
    Warning,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// Whether it is an error at which readers fail, so that pagewire would not publish it: all but odd characters in an
    /// address, a language or a mail address that there is not.
    pub blocks: bool,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Where it stands: `RFC 4287 §4.1.1`.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = if self.level == Level::Error { "error" } else { "warning" };
        write!(f, "{}:{}: {level}: {} ({})", self.line, self.column, self.message, self.rule)
    }
}

/// What a document is, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What sort of document; none where it is no feed.
    pub kind: Option<Kind>,
    /// In the order of the document.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Whether nothing is an error.
    pub fn is_valid(&self) -> bool {
        self.findings.iter().all(|finding| finding.level != Level::Error)
    }
}

/// Looks at a whole document.
///
/// # Examples
/// ```
/// let verdict = pagewire::lint::check(b"<rss version='2.0'><channel><title>T</title></channel></rss>");
/// assert!(!verdict.is_valid());
/// assert_eq!(verdict.findings[0].message, "<channel> has no <link>");
/// ```
pub fn check(bytes: &[u8]) -> Verdict {
    examine(bytes, Notes::default())
}

fn examine(bytes: &[u8], mut notes: Notes) -> Verdict {
    if bytes.len() > MAX_SIZE {
        notes.error(0, "RFC 9110 §8.6", format!("the document is larger than {} MiB", MAX_SIZE >> 20));
        return Verdict { kind: None, findings: notes.findings("") };
    }
    if bytes.len() > LARGE {
        notes.warning(0, "common readers", format!("the document is larger than {} MiB", LARGE >> 20));
    }
    let text = value::decoded(bytes, &mut notes);
    let kind = if text.trim_start().starts_with('{') {
        json::check(&text, &mut notes);
        Some(Kind::Json)
    } else {
        xml(&text, &mut notes)
    };
    Verdict { kind, findings: notes.findings(&text) }
}

/// Checks an XML document by what its root says that it is.
fn xml(text: &str, notes: &mut Notes) -> Option<Kind> {
    let tree = read::read(text, notes)?;
    let root = tree.root()?;
    module::everywhere(&tree, notes);
    let kind = match (root.space, root.name) {
        (_, "rss") => Kind::Rss,
        (Space::Rdf, "RDF") | (Space::Rss11, "Channel") => Kind::Rdf,
        (Space::Atom, "feed") => Kind::Atom,
        (Space::Atom, "entry") => Kind::AtomEntry,
        (Space::None, "opml") => Kind::Opml,
        (_, "feed" | "entry") => {
            let message = "Atom's elements are in the namespace http://www.w3.org/2005/Atom, and this one is not";
            notes.error(root.at, "RFC 4287 §1.2", message.to_owned());
            return Some(Kind::Atom);
        }
        _ => {
            notes.error(root.at, "RSS, Atom, JSON Feed", format!("<{}> is no feed", root.name));
            return None;
        }
    };
    match kind {
        Kind::Rss => rss::document(root, notes),
        Kind::Rdf => rss::rdf(root, notes),
        Kind::Atom => atom::feed(root, notes),
        Kind::AtomEntry => atom::entry(root, &atom::Around::default(), notes),
        Kind::Opml => opml::check(root, notes),
        Kind::Json => {}
    }
    Some(kind)
}

/// Whether a document may be published. What is no feed and no list of feeds (a page, a picture) always may.
///
/// # Errors
/// The first thing in it at which readers fail.
pub fn admit(document: &Document) -> Result<(), Finding> {
    let ending = document.path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !["atom", "rss", "json", "opml"].contains(&ending) {
        return Ok(());
    }
    let notes = Notes { only_blocking: true, ..Notes::default() };
    examine(&document.bytes, notes).findings.into_iter().find(|finding| finding.blocks).map_or(Ok(()), Err)
}

/// Findings while they are made, by their places in bytes.
#[derive(Default)]
struct Notes {
    found: Vec<Note>,
    /// Whether nobody will read those that do not block, so that what is costly and makes none other may be left out.
    only_blocking: bool,
}

struct Note {
    at: usize,
    level: Level,
    blocks: bool,
    rule: &'static str,
    message: String,
}

impl Notes {
    fn error(&mut self, at: usize, rule: &'static str, message: String) {
        self.found.push(Note { at, level: Level::Error, blocks: true, rule, message });
    }

    /// An error that no reader minds.
    fn flaw(&mut self, at: usize, rule: &'static str, message: String) {
        self.found.push(Note { at, level: Level::Error, blocks: false, rule, message });
    }

    fn warning(&mut self, at: usize, rule: &'static str, message: String) {
        self.found.push(Note { at, level: Level::Warning, blocks: false, rule, message });
    }

    /// All of them with lines and columns.
    fn findings(mut self, text: &str) -> Vec<Finding> {
        self.found.sort_by_key(|note| note.at);
        let (mut line, mut start, mut seen) = (1, 0, 0);
        let mut findings = Vec::with_capacity(self.found.len());
        for Note { at, level, blocks, rule, message } in self.found {
            let at = text.floor_char_boundary(at.min(text.len()));
            for end in memchr::memchr_iter(b'\n', &text.as_bytes()[seen..at]) {
                (line, start) = (line + 1, seen + end + 1);
            }
            seen = at;
            let column = text[start..at].chars().count() + 1;
            findings.push(Finding { level, blocks, line, column, rule, message });
        }
        findings
    }
}
