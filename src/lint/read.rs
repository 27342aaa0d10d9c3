//! XML → a tree of elements, read as strictly as XML 1.0 and Namespaces in XML say.
//!
//! In: decoded text. Out: the tree, or a note about why there is none. quick-xml reads the markup. What takes no skill is
//! read here, since a feed is checked each time it is published and consists of little else: texts, which it would hand
//! out in pieces, and end tags that are just what they must be.
//! Entities: the five of XML, and characters; with a document type of somebody else's also HTML's, since such a
//! document may declare them there, where nobody looks. Deliberately absent: validation against a document type.

use super::Notes;
use super::space::Space;
use super::tree::{Attribute, Element, Marked, Tree};
use quick_xml::errors::IllFormedError;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use quick_xml::{Error, Reader};
use std::borrow::Cow;
use std::io::BufRead;

const XML: &str = "XML 1.0";
const NAMES: &str = "Namespaces in XML 1.0";
/// The deepest nesting that is read.
const MAX_DEPTH: usize = 256;
/// From so many bytes on a tag may have more attributes than to compare each with each.
const LONG: usize = 512;
/// A byte order mark, which decoding took away unless there are several.
const MARK: char = '\u{feff}';

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
    // In steps that the compiler takes for many bytes at once: the least byte, the least if those up to a line feed came
    // last, and whether one is the first of U+FFFE.
    let step = |(least, behind, marks): (u8, u8, u8), b: &u8| {
        (least.min(*b), behind.min(b.wrapping_sub(b'\n' + 1)), marks | u8::from(*b == 0xef))
    };
    let (least, behind, marks) = bytes.iter().fold((u8::MAX, u8::MAX, 0), step);
    let is_certain = least >= b'\t' && behind >= b' ' - (b'\n' + 1);
    let control = if is_certain { None } else { bytes.iter().position(|b| *b < b' ' && !is_blank(*b)) };
    let mut marks = memchr::memchr_iter(0xef, if marks > 0 { bytes } else { &[] });
    let last = marks.find(|at| bytes[at + 1] == 0xbf && bytes[at + 2] >= 0xbe);
    control.into_iter().chain(last).min()
}

/// The bytes of common names.
const IN_NAMES: [bool; 256] = {
    let (mut table, mut byte) = ([false; 256], 0u8);
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

/// White space (XML 1.0 §2.3).
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether XML 1.0 §2.2 has this character.
fn is_character(c: char) -> bool {
    !matches!(c, '\0'..'\t' | '\u{b}' | '\u{c}' | '\u{e}'..' ' | '\u{fffe}' | '\u{ffff}')
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
        let (mut at, mut consumed) = (0, 0);
        loop {
            at = self.words(at)?;
            if let Some(end) = self.plain_tag(at)? {
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
                Event::Start(tag) => self.start(&self.text[start + 1..at - 1], tag.name().0.len(), start)?,
                Event::Empty(tag) => {
                    self.start(&self.text[start + 1..at - 2], tag.name().0.len(), start)?;
                    self.end();
                }
                Event::End(tag) => self.odd_end(within(self.text, tag.name().0), start)?,
                Event::CData(_) if self.open.is_empty() => return self.outside(start),
                Event::CData(_) => self.push(&self.text[start + 9..at - 3]),
                Event::DocType(kind) => self.document_type(&kind.decode().unwrap_or_default()),
                Event::Eof => return self.finished(at),
                // Texts are read already.
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Text(_) | Event::GeneralRef(_) => {}
            }
        }
    }

    /// Reads a tag that is no more than a name, if one stands here, or the end tag that is due; returns where it ends.
    fn plain_tag(&mut self, at: usize) -> Result<Option<usize>, Broken> {
        let rest = &self.text.as_bytes()[at..];
        if let [b'<', b'/', rest @ ..] = rest {
            let Some(Open { name, .. }) = self.open.last() else { return Ok(None) };
            if rest.get(name.len()) != Some(&b'>') || rest[..name.len()] != *name.as_bytes() {
                return Ok(None);
            }
            let end = at + name.len() + 3;
            self.end();
            return Ok(Some(end));
        }
        let name = rest.iter().skip(1).take_while(|b| IN_NAMES[usize::from(**b)]).count();
        if name == 0 || rest.get(name + 1) != Some(&b'>') {
            return Ok(None);
        }
        self.start(&self.text[at + 1..at + 1 + name], name, at)?;
        Ok(Some(at + name + 2))
    }

    /// Any other end tag.
    fn odd_end(&mut self, found: &str, at: usize) -> Result<(), Broken> {
        let found = found.to_owned();
        match self.open.last().map(|open| open.name.to_owned()) {
            Some(expected) if expected == found => self.end(),
            Some(expected) => {
                return self.ill_formed(at, &Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }));
            }
            None => return self.ill_formed(at, &Error::IllFormed(IllFormedError::UnmatchedEndTag(found))),
        }
        Ok(())
    }

    /// The document ends.
    fn finished(&mut self, at: usize) -> Result<(), Broken> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let name = self.tree.elements[open.place].name;
        self.broken(at, "XML 1.0 §2.1", format!("<{name}> is not closed"))
    }

    /// An element begins, with this inside of its tag, of which its name is so long.
    fn start(&mut self, tag: &'a str, length: usize, at: usize) -> Result<(), Broken> {
        if !self.tree.elements.is_empty() && self.open.is_empty() {
            return self.broken(at, "XML 1.0 §2.1", "a second root element".to_owned());
        }
        if self.open.len() == MAX_DEPTH {
            return self.broken(at, XML, format!("elements are nested more than {MAX_DEPTH} deep"));
        }
        let full = &tag[..length];
        let first = self.tree.attributes.len();
        let is_prefixed = if length < tag.len() { self.attributes(tag, length, at)? } else { false };
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

    /// The attributes of a tag, and the namespaces that it declares; whether one of the attributes has a prefix.
    fn attributes(&mut self, tag: &'a str, length: usize, at: usize) -> Result<bool, Broken> {
        let full = &tag[..length];
        let is_plain = memchr::memchr2(b'<', b'&', tag.as_bytes()).is_none();
        let mut is_prefixed = false;
        self.names.clear();
        // The reader's own check for names that come twice allocates for each tag. It is needed where there may be many.
        for attribute in Attributes::new(tag, length).with_checks(tag.len() > LONG) {
            let (name, raw) = match &attribute {
                Ok(attribute) => (within(tag, attribute.key.0), within(tag, &attribute.value)),
                Err(_) => return self.odd_attribute(tag, length, at),
            };
            if tag.len() <= LONG && self.names.contains(&name) {
                return self.odd_attribute(tag, length, at);
            }
            if !is_plain && memchr::memchr(b'<', raw.as_bytes()).is_some() {
                return self.broken(at, "XML 1.0 §3.1", format!("`<` in the attribute `{name}` of <{full}>"));
            }
            let value = if is_plain { Cow::Borrowed(raw) } else { self.unescaped(raw, at)? };
            let prefix = if name == "xmlns" { Some("") } else { name.strip_prefix("xmlns:") };
            if let Some(prefix) = prefix {
                self.bindings.push(Binding { prefix, space: Space::of(&value), depth: self.open.len() });
            } else {
                is_prefixed |= name.bytes().any(|b| b == b':');
                self.tree.attributes.push(Attribute { space: Space::None, name, value });
            }
            self.names.push(name);
        }
        Ok(is_prefixed)
    }

    /// Notes the first attribute of a tag that is none, or is there twice.
    fn odd_attribute<T>(&mut self, tag: &str, name: usize, at: usize) -> Result<T, Broken> {
        let error = Attributes::new(tag, name).find_map(Result::err);
        let error = error.map_or_else(String::new, |error| error.to_string());
        self.broken(at, "XML 1.0 §3.1", format!("<{}>: {error}", &tag[..name]))
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

    /// The text from here to the next tag; returns where that is.
    fn words(&mut self, start: usize) -> Result<usize, Broken> {
        let rest = &self.text.as_bytes()[start..];
        let is_tag = |length: usize| rest.get(length).is_none_or(|b| *b == b'<');
        // Line breaks between elements are short and many: to look at them by hand is faster than to search.
        let blank = rest.iter().position(|b| !is_blank(*b)).unwrap_or(rest.len());
        if is_tag(blank) {
            if blank > 0 && !self.is_between_elements() {
                self.push(&self.text[start..start + blank]);
            }
            return Ok(start + blank);
        }
        let stop = memchr::memchr3(b'<', b'&', b']', rest).unwrap_or(rest.len());
        let length = if is_tag(stop) { stop } else { memchr::memchr(b'<', rest).unwrap_or(rest.len()) };
        let end = start + length;
        if self.open.is_empty() {
            self.words_outside(start, end)?;
        } else if length == stop {
            self.push(&self.text[start..end]);
        } else {
            self.words_with_references(start, end)?;
        }
        Ok(end)
    }

    /// Text outside the root element: white space at most.
    fn words_outside(&mut self, start: usize, end: usize) -> Result<(), Broken> {
        let words = &self.text[start..end];
        let stop = memchr::memchr(b'&', words.as_bytes()).unwrap_or(words.len());
        if !words[..stop].trim_matches([MARK, ' ', '\t', '\r', '\n']).is_empty() {
            return self.outside(start);
        }
        if stop == words.len() {
            return Ok(());
        }
        self.reference(start + stop, end)?;
        self.outside(start + stop)
    }

    /// Text in an element.
    fn words_with_references(&mut self, start: usize, end: usize) -> Result<(), Broken> {
        let Some(Open { place, .. }) = self.open.last().copied() else { return Ok(()) };
        let mut text = std::mem::take(&mut self.tree.elements[place].text).into_owned();
        text.reserve(end - start);
        let has_children = self.tree.elements.len() > place + 1;
        let mut at = start;
        while at < end {
            let rest = &self.text.as_bytes()[at..end];
            let mut length = memchr::memchr2(b'&', b']', rest).unwrap_or(rest.len());
            if rest.get(length) == Some(&b']') {
                length = memchr::memchr(b'&', rest).unwrap_or(rest.len());
                if let Some(bracket) = memchr::memmem::find(&rest[..length], b"]]>") {
                    return self.broken(at + bracket, "XML 1.0 §2.4", "`]]>` in text".to_owned());
                }
            }
            let words = &self.text[at..at + length];
            if text.is_empty() || !has_children || !words.bytes().all(is_blank) {
                text.push_str(words);
            }
            at += length;
            if at < end {
                let name = self.reference(at, end)?;
                self.entity(name, at, &mut text)?;
                at += name.len() + 2;
            }
        }
        self.tree.elements[place].text = Cow::Owned(text);
        Ok(())
    }

    /// Appends to the text of the element that is open.
    fn push(&mut self, words: &'a str) {
        let Some(Open { place, .. }) = self.open.last().copied() else { return };
        if self.is_between_elements() && words.bytes().all(is_blank) {
            return;
        }
        let text = &mut self.tree.elements[place].text;
        if text.is_empty() {
            *text = Cow::Borrowed(words);
        } else {
            text.to_mut().push_str(words);
        }
    }

    /// Whether white space here does no more than break lines between elements: the one that is open has text and other
    /// elements already. There is much of it, and to keep it all is to copy.
    fn is_between_elements(&self) -> bool {
        let Some(Open { place, .. }) = self.open.last() else { return false };
        self.tree.elements.len() > place + 1 && !self.tree.elements[*place].text.is_empty()
    }

    /// The name in a reference that begins here.
    fn reference(&mut self, at: usize, end: usize) -> Result<&'a str, Broken> {
        let rest = &self.text[at + 1..end];
        match rest.bytes().position(|b| matches!(b, b';' | b'&')) {
            Some(length) if rest.as_bytes()[length] == b';' => Ok(&rest[..length]),
            _ => self.ill_formed(at, &Error::IllFormed(IllFormedError::UnclosedReference)),
        }
    }

    /// Appends what an entity stands for.
    fn entity(&mut self, name: &str, at: usize, out: &mut String) -> Result<(), Broken> {
        let predefined = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => None,
        };
        if let Some(c) = predefined {
            out.push(c);
            return Ok(());
        }
        if let Some(number) = name.strip_prefix('#') {
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            let Some(c) = code.ok().and_then(char::from_u32).filter(|c| is_character(*c)) else {
                return self.broken(at, "XML 1.0 §4.1", format!("`&{name};` is no character that XML allows"));
            };
            out.push(c);
            return Ok(());
        }
        if self.declared.iter().any(|declared| declared == name) {
            return Ok(());
        }
        let Some(text) = resolve_html5_entity(name).filter(|_| self.foreign) else {
            return self.broken(at, "XML 1.0 §4.1", format!("the entity `&{name};` is not declared"));
        };
        out.push_str(text);
        Ok(())
    }

    /// The value of an attribute.
    fn unescaped(&mut self, raw: &'a str, at: usize) -> Result<Cow<'a, str>, Broken> {
        if memchr::memchr(b'&', raw.as_bytes()).is_none() {
            return Ok(Cow::Borrowed(raw));
        }
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(start) = rest.find('&') {
            out.push_str(&rest[..start]);
            let Some(end) = rest[start..].find(';') else {
                return self.broken(at, "XML 1.0 §4.1", "a bare `&` in an attribute".to_owned());
            };
            self.entity(&rest[start + 1..start + end], at, &mut out)?;
            rest = &rest[start + end + 1..];
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
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

/// The text of a part that came back as bytes, found by where it lies: to prove again that it is UTF-8 costs more.
fn within<'a>(whole: &'a str, part: &[u8]) -> &'a str {
    let start = part.as_ptr().addr().wrapping_sub(whole.as_ptr().addr());
    whole.get(start..start.wrapping_add(part.len())).unwrap_or_default()
}
