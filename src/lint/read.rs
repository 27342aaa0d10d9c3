//! XML → a tree of elements, read as strictly as XML 1.0 and Namespaces in XML say.
//!
//! In: decoded text. Out: the tree, or a note about why there is none. quick-xml reads the markup, but not what feeds
//! consist of, since each is checked before it is published: texts, which it would hand out in pieces, and tags as nearly
//! every writer writes them. Those are found here, and left to it on any doubt.
//! Entities: the five of XML, and characters; with a document type of somebody else's also HTML's, since such a
//! document may declare them there, where nobody looks. Deliberately absent: validation against a document type.

mod tag;
mod words;

use super::Notes;
use super::space::Space;
use super::tree::{Attribute, Element, Marked, Tree};
use quick_xml::errors::IllFormedError;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use quick_xml::{Error, Reader};
use std::borrow::Cow;
use std::io::BufRead;

const XML: &str = "XML 1.0";
const NAMES: &str = "Namespaces in XML 1.0";
/// The deepest nesting that is read.
const MAX_DEPTH: usize = 256;

/// A namespace that a prefix means from an element on.
struct Binding<'a> {
    prefix: &'a str,
    space: Space,
    /// How many elements were open before the one that declares it.
    depth: usize,
}

struct Reading<'a, 'n> {
    text: &'a str,
    notes: &'n mut Notes,
    tree: Tree<'a>,
    /// The elements that have begun and not ended.
    open: Vec<Open<'a>>,
    bindings: Vec<Binding<'a>>,
    /// The names of the attributes of a tag.
    names: Vec<&'a str>,
    /// Whether a document type outside may declare entities.
    foreign: bool,
    declared: Vec<String>,
}

/// An element that has begun: its place, and its name with the prefix.
#[derive(Clone, Copy)]
struct Open<'a> {
    place: usize,
    name: &'a str,
}

/// Why reading ended early; the note is made.
struct Broken;

/// The elements of a document; at least its root.
pub(super) fn read<'a>(text: &'a str, notes: &mut Notes) -> Option<Tree<'a>> {
    if let Some(at) = forbidden(text) {
        notes.error(at, "XML 1.0 §2.2", "a character that XML forbids".to_owned());
        return None;
    }
    let bindings = vec![Binding { prefix: "xml", space: Space::Xml, depth: 0 }];
    // What a feed of ours has of them; another one needs more, or less.
    let expected = text.len() / 100;
    let (elements, attributes) = (Vec::with_capacity(expected), Vec::with_capacity(expected));
    let tree = Tree { elements, attributes, marked: Vec::new() };
    let (open, declared) = (Vec::with_capacity(16), Vec::new());
    let mut reading = Reading { text, notes, tree, open, bindings, names: Vec::new(), foreign: false, declared };
    reading.whole().ok()?;
    if reading.tree.elements.is_empty() {
        reading.notes.error(text.len(), "XML 1.0 §2.1", "there is no element".to_owned());
        return None;
    }
    Some(reading.tree)
}

/// Where the first character stands that XML 1.0 §2.2 forbids.
fn forbidden(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // The least byte, the least if those up to a line feed came last, and the most: the compiler takes such steps for many
    // bytes at once. Only a carriage return, and a character as far out as U+FFFE, leave a doubt.
    let step = |(least, behind, most): (u8, u8, u8), b: &u8| {
        (least.min(*b), behind.min(b.wrapping_sub(b'\n' + 1)), most.max(*b))
    };
    let (least, behind, most) = bytes.iter().fold((u8::MAX, u8::MAX, 0), step);
    let is_certain = least >= b'\t' && behind >= b' ' - (b'\n' + 1);
    let control = if is_certain { None } else { bytes.iter().position(|b| *b < b' ' && !is_blank(*b)) };
    let mut far = memchr::memchr_iter(0xef, if most >= 0xef { bytes } else { &[] });
    let last = far.find(|at| bytes[at + 1] == 0xbf && bytes[at + 2] >= 0xbe);
    control.into_iter().chain(last).min()
}

/// White space (XML 1.0 §2.3).
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

impl<'a> Reading<'a, '_> {
    fn broken<T>(&mut self, at: usize, rule: &'static str, message: String) -> Result<T, Broken> {
        self.notes.error(at, rule, message);
        Err(Broken)
    }

    fn ill_formed<T>(&mut self, at: usize, error: &Error) -> Result<T, Broken> {
        self.broken(at, XML, format!("not well-formed: {error}"))
    }

    fn outside<T>(&mut self, at: usize) -> Result<T, Broken> {
        self.broken(at, "XML 1.0 §2.1", "text outside the root element".to_owned())
    }

    fn whole(&mut self) -> Result<(), Broken> {
        let mut reader = Reader::from_str(self.text);
        // Whether end tags are in order is seen here, since the reader does not get them all.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        reader.config_mut().check_comments = true;
        let (mut at, mut consumed) = (0, 0);
        loop {
            at = self.words(at)?;
            if let Some(end) = self.usual_tag(at)? {
                at = end;
                continue;
            }
            let start = at;
            reader.stream().consume(start - consumed);
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => return self.ill_formed(start, &error),
            };
            at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            consumed = at;
            match event {
                Event::Start(tag) => self.odd_start(&self.text[start + 1..at - 1], tag.name().0.len(), start)?,
                Event::Empty(tag) => {
                    self.odd_start(&self.text[start + 1..at - 2], tag.name().0.len(), start)?;
                    self.end();
                }
                Event::End(tag) => self.odd_end(String::from_utf8_lossy(tag.name().0).into_owned(), start)?,
                Event::CData(_) if self.open.is_empty() => return self.outside(start),
                Event::CData(_) => self.push(&self.text[start + 9..at - 3]),
                Event::DocType(kind) => self.document_type(&kind.decode().unwrap_or_default()),
                Event::Eof => return self.finished(at),
                // Texts are read already.
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Text(_) | Event::GeneralRef(_) => {}
            }
        }
    }

    /// Any other end tag.
    fn odd_end(&mut self, found: String, at: usize) -> Result<(), Broken> {
        let error = match self.open.last().map(|open| open.name.to_owned()) {
            Some(expected) if expected == found => {
                self.end();
                return Ok(());
            }
            Some(expected) => IllFormedError::MismatchedEndTag { expected, found },
            None => IllFormedError::UnmatchedEndTag(found),
        };
        self.ill_formed(at, &Error::IllFormed(error))
    }

    /// The document ends.
    fn finished(&mut self, at: usize) -> Result<(), Broken> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let name = self.tree.elements[open.place].name;
        self.broken(at, "XML 1.0 §2.1", format!("<{name}> is not closed"))
    }

    /// Any other tag with which an element begins: what is inside of it, of which the name is so long.
    fn odd_start(&mut self, tag: &'a str, length: usize, at: usize) -> Result<(), Broken> {
        let (full, first) = (&tag[..length], self.tree.attributes.len());
        self.may_start(at)?;
        let mut is_prefixed = false;
        for attribute in Attributes::new(tag, length) {
            let attribute = match attribute {
                Ok(attribute) => attribute,
                Err(error) => return self.broken(at, "XML 1.0 §3.1", format!("<{full}>: {error}")),
            };
            // Always so: values are handed out as they stand.
            let Cow::Borrowed(raw) = attribute.value else { continue };
            // Parts of a text, ended at ASCII: always whole characters.
            let [name, raw] = [attribute.key.0, raw].map(|part| std::str::from_utf8(part).unwrap_or_default());
            if memchr::memchr(b'<', raw.as_bytes()).is_some() {
                return self.broken(at, "XML 1.0 §3.1", format!("`<` in the attribute `{name}` of <{full}>"));
            }
            let value = self.unescaped(raw, at)?;
            is_prefixed |= self.attribute(name, value);
        }
        self.start(full, first, is_prefixed, at)
    }

    /// Keeps an attribute, or the namespace that it declares; returns whether it has a prefix.
    fn attribute(&mut self, name: &'a str, value: Cow<'a, str>) -> bool {
        let prefix = match name.as_bytes() {
            [b'x', b'm', b'l', b'n', b's'] => Some(""),
            [b'x', b'm', b'l', b'n', b's', b':', ..] => Some(&name[6..]),
            _ => None,
        };
        if let Some(prefix) = prefix {
            self.bindings.push(Binding { prefix, space: Space::of(&value), depth: self.open.len() });
            return false;
        }
        self.tree.attributes.push(Attribute { space: Space::None, name, value });
        name.bytes().any(|b| b == b':')
    }

    /// Whether an element may begin here.
    fn may_start(&mut self, at: usize) -> Result<(), Broken> {
        if !self.tree.elements.is_empty() && self.open.is_empty() {
            return self.broken(at, "XML 1.0 §2.1", "a second root element".to_owned());
        }
        if self.open.len() == MAX_DEPTH {
            return self.broken(at, XML, format!("elements are nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    /// An element begins, whose attributes are those from the `first` on.
    fn start(&mut self, full: &'a str, first: usize, is_prefixed: bool, at: usize) -> Result<(), Broken> {
        if self.open.is_empty() || self.open.len() == MAX_DEPTH {
            self.may_start(at)?;
        }
        let (prefix, name) = split(full);
        let space = match self.space(prefix) {
            Some(space) => space,
            None if prefix.is_empty() => Space::None,
            None => return self.undeclared(prefix, at),
        };
        // Only now: a prefix may be declared behind its first use.
        let is_xml = if is_prefixed { self.prefixes(first, at)? } else { false };
        let place = self.tree.elements.len();
        if is_xml || space.is_module() {
            self.tree.marked.push(Marked { place, parent: self.open.last().map(|open| open.place) });
        }
        self.open.push(Open { place, name: full });
        let attributes = first..self.tree.attributes.len();
        self.tree.elements.push(Element { space, name, at, text: Cow::Borrowed(""), attributes, end: place + 1 });
        Ok(())
    }

    /// Finds the namespaces of attributes from this one on; whether one of them is XML's own.
    fn prefixes(&mut self, first: usize, at: usize) -> Result<bool, Broken> {
        let mut is_xml = false;
        for n in first..self.tree.attributes.len() {
            let (prefix, name) = split(self.tree.attributes[n].name);
            if prefix.is_empty() {
                self.tree.attributes[n].name = name;
                continue;
            }
            let Some(space) = self.space(prefix) else { return self.undeclared(prefix, at) };
            is_xml |= space == Space::Xml;
            (self.tree.attributes[n].space, self.tree.attributes[n].name) = (space, name);
        }
        Ok(is_xml)
    }

    /// The namespace that a prefix means here.
    fn space(&self, prefix: &str) -> Option<Space> {
        self.bindings.iter().rev().find(|b| b.prefix == prefix).map(|b| b.space)
    }

    fn undeclared<T>(&mut self, prefix: &str, at: usize) -> Result<T, Broken> {
        self.broken(at, NAMES, format!("the prefix `{prefix}` is not declared"))
    }

    fn end(&mut self) {
        let Some(Open { place, .. }) = self.open.pop() else { return };
        let depth = self.open.len();
        while self.bindings.last().is_some_and(|b| b.depth >= depth && b.prefix != "xml") {
            self.bindings.pop();
        }
        self.tree.elements[place].end = self.tree.elements.len();
    }

    fn document_type(&mut self, text: &str) {
        let outside = text.split('[').next().unwrap_or_default();
        self.foreign = outside.contains("PUBLIC") || outside.contains("SYSTEM");
        let names = text.split("<!ENTITY").skip(1).filter_map(|rest| rest.split_whitespace().next());
        self.declared.extend(names.map(str::to_owned));
    }
}

/// The prefix of a name, empty where there is none, and the rest.
fn split(full: &str) -> (&str, &str) {
    let colon = full.bytes().position(|b| b == b':');
    colon.map_or(("", full), |at| (&full[..at], &full[at + 1..]))
}
