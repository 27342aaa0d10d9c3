//! XML → a tree of elements, read as strictly as XML 1.0 and Namespaces in XML say.
//!
//! In: decoded text. Out: the root, or a note about why there is none. Namespaces are known by short names of ours.
//! Entities: the five of XML, and characters; with a document type of somebody else's also HTML's, since such a
//! document may declare them there, where nobody looks. Deliberately absent: validation against a document type.

use super::Notes;
use quick_xml::Reader;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use std::borrow::Cow;

const XML: &str = "XML 1.0";
const NAMES: &str = "Namespaces in XML 1.0";
/// The deepest nesting that is read.
const MAX_DEPTH: usize = 256;
/// A byte order mark.
const MARK: char = '\u{feff}';

/// Namespaces by the names that they have here, which are the usual prefixes.
#[rustfmt::skip]
const SPACES: &[(&str, &str)] = &[
    ("http://www.w3.org/2005/Atom", "atom"),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf"),
    ("http://purl.org/rss/1.0/", "rss1"),
    ("http://my.netscape.com/rdf/simple/0.9/", "rss1"),
    ("http://channel.netscape.com/rdf/simple/0.9/", "rss1"),
    ("http://purl.org/net/rss1.1#", "rss11"),
    ("http://www.w3.org/1999/xhtml", "xhtml"),
    ("http://www.w3.org/XML/1998/namespace", "xml"),
    ("http://purl.org/dc/elements/1.1/", "dc"),
    ("http://purl.org/dc/terms/", "dcterms"),
    ("http://purl.org/rss/1.0/modules/content/", "content"),
    ("http://purl.org/rss/1.0/modules/syndication/", "sy"),
    ("http://purl.org/rss/1.0/modules/slash/", "slash"),
    ("http://purl.org/syndication/history/1.0", "fh"),
    ("http://purl.org/syndication/thread/1.0", "thr"),
    ("http://search.yahoo.com/mrss/", "media"),
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", "itunes"),
    ("http://wellformedweb.org/CommentAPI/", "wfw"),
    ("http://www.w3.org/2003/01/geo/wgs84_pos#", "geo"),
    ("http://www.georss.org/georss", "georss"),
    ("http://a9.com/-/spec/opensearch/1.1/", "opensearch"),
    ("http://a9.com/-/spec/opensearchrss/1.0/", "opensearch"),
    ("http://rssnamespace.org/feedburner/ext/1.0", "feedburner"),
    ("http://feedsync.org/2007/feedsync", "sx"),
    ("http://base.google.com/ns/1.0", "g"),
    ("http://www.w3.org/2007/app", "app"),
    ("http://backend.userland.com/creativeCommonsRssModule", "creativeCommons"),
    ("http://www.bloglines.com/about/specs/fac-1.0", "access"),
    ("http://conversationsnetwork.org/rssNamespace-1.0/", "conversationsNetwork"),
    ("http://purl.org/rss/1.0/modules/event/", "ev"),
    ("http://www.microsoft.com/schemas/rss/core/2005", "cf"),
    ("http://madskills.com/public/xml/rss/module/trackback/", "trackback"),
    ("http://webns.net/mvcb/", "admin"),
    ("http://geourl.org/rss/module/", "geourl"),
    ("http://postneo.com/icbm", "icbm"),
];

/// A namespace that is not in the list.
pub(super) const OTHER: &str = "?";

/// An element.
pub(super) struct Node<'a> {
    /// Its namespace, by its short name; empty for none.
    pub(super) space: &'static str,
    /// Its name without a prefix.
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) children: Vec<Self>,
    /// All text that stands in it directly.
    pub(super) text: Cow<'a, str>,
    /// Where it begins, in bytes.
    pub(super) at: usize,
}

/// An attribute that declares no namespace.
pub(super) struct Attribute<'a> {
    pub(super) space: &'static str,
    pub(super) name: &'a str,
    pub(super) value: Cow<'a, str>,
}

impl<'a> Node<'a> {
    /// The children of a name in a namespace.
    pub(super) fn all<'n>(&'n self, space: &'n str, name: &'n str) -> impl Iterator<Item = &'n Node<'a>> {
        self.children.iter().filter(move |child| child.space == space && child.name == name)
    }

    /// The first of them.
    pub(super) fn first<'n>(&'n self, space: &'n str, name: &'n str) -> Option<&'n Node<'a>> {
        self.all(space, name).next()
    }

    /// The value of an attribute without a namespace.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attribute_in("", name)
    }

    /// The value of an attribute in a namespace.
    pub(super) fn attribute_in(&self, space: &str, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.space == space && a.name == name).map(|a| a.value.as_ref())
    }
}

/// A namespace that a prefix means from an element on.
struct Binding<'a> {
    prefix: &'a str,
    space: &'static str,
    /// How many elements were open before the one that declares it.
    depth: usize,
}

struct Reading<'a, 'n> {
    text: &'a str,
    notes: &'n mut Notes,
    open: Vec<Node<'a>>,
    bindings: Vec<Binding<'a>>,
    root: Option<Node<'a>>,
    /// Whether a document type outside may declare entities.
    foreign: bool,
    declared: Vec<String>,
}

/// Why reading ended early; the note is made.
struct Broken;

/// The root element of a document.
pub(super) fn read<'a>(text: &'a str, notes: &mut Notes) -> Option<Node<'a>> {
    if let Some(at) = forbidden(text) {
        notes.error(at, "XML 1.0 §2.2", "a character that XML forbids".to_owned());
        return None;
    }
    let bindings = vec![Binding { prefix: "xml", space: "xml", depth: 0 }];
    let (open, declared) = (Vec::with_capacity(16), Vec::new());
    let mut reading = Reading { text, notes, open, bindings, root: None, foreign: false, declared };
    reading.whole().ok()?;
    if reading.root.is_none() {
        reading.notes.error(text.len(), "XML 1.0 §2.1", "there is no element".to_owned());
    }
    reading.root
}

/// Where the first character stands that XML 1.0 §2.2 forbids.
fn forbidden(text: &str) -> Option<usize> {
    let is_control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r');
    // In pieces without an early end, which the compiler turns into a few instructions each.
    let piece = text.as_bytes().chunks(64).position(|piece| piece.iter().fold(false, |any, b| any | is_control(b)));
    let control = piece.and_then(|n| text.as_bytes()[n * 64..].iter().position(is_control).map(|at| n * 64 + at));
    let last = memchr::memmem::find_iter(text.as_bytes(), b"\xef\xbf").find(|at| text.as_bytes()[at + 2] >= 0xbe);
    control.into_iter().chain(last).min()
}

impl<'a> Reading<'a, '_> {
    fn broken<T>(&mut self, at: usize, rule: &'static str, message: String) -> Result<T, Broken> {
        self.notes.error(at, rule, message);
        Err(Broken)
    }

    fn whole(&mut self) -> Result<(), Broken> {
        let mut reader = Reader::from_str(self.text);
        // Decoding took a byte order mark away; the reader passes over a second one without counting it.
        let uncounted = if self.text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
        let mut end = uncounted;
        loop {
            let start = end;
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => return self.broken(start, XML, format!("not well-formed: {error}")),
            };
            end = uncounted + position(&reader);
            match event {
                Event::Start(tag) => self.start(tag.name().as_ref().len(), start, end - 1)?,
                Event::Empty(tag) => {
                    self.start(tag.name().as_ref().len(), start, end - 2)?;
                    self.end();
                }
                Event::End(_) => self.end(),
                Event::Text(_) => self.words(start, end)?,
                Event::CData(_) | Event::GeneralRef(_) if self.open.is_empty() => {
                    return self.broken(start, "XML 1.0 §2.1", "text outside the root element".to_owned());
                }
                Event::CData(_) => self.push(&self.text[start + 9..end - 3]),
                Event::GeneralRef(_) => self.reference(start, end)?,
                Event::DocType(kind) => self.document_type(&kind.decode().unwrap_or_default()),
                Event::Eof if self.open.is_empty() => return Ok(()),
                Event::Eof => {
                    let name = self.open.last().map_or("", |node| node.name).to_owned();
                    return self.broken(end, "XML 1.0 §2.1", format!("<{name}> is not closed"));
                }
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            }
        }
    }

    /// An element begins: its name is so long, and its tag's inside ends there.
    fn start(&mut self, name: usize, at: usize, end: usize) -> Result<(), Broken> {
        if self.root.is_some() && self.open.is_empty() {
            return self.broken(at, "XML 1.0 §2.1", "a second root element".to_owned());
        }
        if self.open.len() == MAX_DEPTH {
            return self.broken(at, XML, format!("elements are nested more than {MAX_DEPTH} deep"));
        }
        let tag = &self.text[at + 1..end];
        let full = &tag[..name];
        let depth = self.open.len();
        let mut attributes = Vec::new();
        for attribute in Attributes::new(tag, name) {
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
            let prefix = if name == "xmlns" { Some("") } else { name.strip_prefix("xmlns:") };
            if let Some(prefix) = prefix {
                let known = SPACES.iter().find(|(uri, _)| *uri == value).map(|(_, space)| *space);
                let space = known.unwrap_or(if value.is_empty() { "" } else { OTHER });
                self.bindings.push(Binding { prefix, space, depth });
            } else {
                attributes.push(Attribute { space: "", name, value });
            }
        }
        let (space, name) = self.resolve(full, at, true)?;
        // Only now: a prefix may be declared behind its first use.
        for attribute in &mut attributes {
            (attribute.space, attribute.name) = self.resolve(attribute.name, at, false)?;
        }
        self.open.push(Node { space, name, attributes, children: Vec::new(), text: Cow::Borrowed(""), at });
        Ok(())
    }

    /// The namespace of a name, and the name without its prefix.
    fn resolve<'s>(&mut self, full: &'s str, at: usize, default: bool) -> Result<(&'static str, &'s str), Broken> {
        let colon = full.bytes().position(|b| b == b':');
        let (prefix, name) = colon.map_or(("", full), |at| (&full[..at], &full[at + 1..]));
        if prefix.is_empty() && !default {
            return Ok(("", name));
        }
        match self.bindings.iter().rev().find(|b| b.prefix == prefix) {
            Some(binding) => Ok((binding.space, name)),
            None if prefix.is_empty() => Ok(("", name)),
            None => self.broken(at, NAMES, format!("the prefix `{prefix}` is not declared")),
        }
    }

    fn end(&mut self) {
        let Some(node) = self.open.pop() else { return };
        let depth = self.open.len();
        while self.bindings.last().is_some_and(|b| b.depth >= depth && b.prefix != "xml") {
            self.bindings.pop();
        }
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.root = Some(node),
        }
    }

    fn words(&mut self, start: usize, end: usize) -> Result<(), Broken> {
        let words = &self.text[start..end];
        if self.open.is_empty() {
            if words.trim_matches([MARK, ' ', '\t', '\r', '\n']).is_empty() {
                return Ok(());
            }
            return self.broken(start, "XML 1.0 §2.1", "text outside the root element".to_owned());
        }
        // The bracket first: it is rare, and to look for one byte is cheap.
        let bracket = memchr::memchr(b']', words.as_bytes());
        if let Some(at) = bracket.and_then(|_| memchr::memmem::find(words.as_bytes(), b"]]>")) {
            return self.broken(start + at, "XML 1.0 §2.4", "`]]>` in text".to_owned());
        }
        self.push(words);
        Ok(())
    }

    fn push(&mut self, words: &'a str) {
        if let Some(node) = self.open.last_mut() {
            if node.text.is_empty() {
                node.text = Cow::Borrowed(words);
            } else if !is_between_elements(node, words) {
                node.text.to_mut().push_str(words);
            }
        }
    }

    /// A reference to an entity in text.
    fn reference(&mut self, start: usize, end: usize) -> Result<(), Broken> {
        let mut text =
            self.open.last_mut().map_or_else(String::new, |node| std::mem::take(&mut node.text).into_owned());
        self.entity(&self.text[start + 1..end - 1], start, &mut text)?;
        if let Some(node) = self.open.last_mut() {
            node.text = Cow::Owned(text);
        }
        Ok(())
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
            let is_char = |c: &char| forbidden(c.encode_utf8(&mut [0; 4])).is_none();
            let Some(c) = code.ok().and_then(char::from_u32).filter(is_char) else {
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

/// Whether a text does no more than break lines between elements. There are many, and to keep them all is to copy.
fn is_between_elements(node: &Node<'_>, words: &str) -> bool {
    !node.children.is_empty() && words.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}
