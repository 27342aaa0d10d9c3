//! The fields of an item → its XML, one element a field, well-formed.
//!
//! In: elements with what stands in them. Out: what `feed-rs` reads. A blank value is none, and of a field that counts
//! once the first value stays. Deliberately absent: which element is which field (`space`), and where it ends (`tidy`).

use super::scan::{Scan, Tag, Token};
use super::space::{Field, Format, local};
use super::words::person;
use crate::model::push_escaped;
use std::borrow::Cow;
use url::Url;

/// So many files of an item are kept.
pub(super) const MAX_ENCLOSURES: usize = 16;

/// What stands in an element.
#[derive(Debug)]
pub(super) struct Value<'a> {
    /// As it stands.
    pub(super) source: &'a str,
    /// Its text, decoded.
    pub(super) text: Cow<'a, str>,
    /// Whether elements stand in it.
    pub(super) has_elements: bool,
}

impl Value<'_> {
    /// The text; where markup was not escaped, the markup.
    fn text(&self) -> Cow<'_, str> {
        if self.has_elements { Cow::Owned(markup(self.source)) } else { Cow::Borrowed(&self.text) }
    }

    /// An Atom text: whether it is `text` or `html`, and it. Nothing for what is neither. Follows RFC 4287 §3.1 and
    /// §4.1.3, and Atom 0.3 for `mode`.
    fn typed(&self, tag: &Tag<'_>) -> Option<(&'static str, Cow<'_, str>)> {
        let kind = tag.attribute("type").unwrap_or_default().trim().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim_end();
        if tag.attribute("mode").is_some_and(|mode| mode.eq_ignore_ascii_case("base64")) {
            return None;
        }
        match kind {
            // No escape was undone in it, so its text is markup as well.
            "xhtml" | "application/xhtml+xml" => Some(("html", Cow::Owned(markup(self.source)))),
            "html" | "text/html" => Some(("html", self.text())),
            _ if self.has_elements && matches!(kind, "" | "text" | "text/plain") => Some(("html", self.text())),
            "" | "text" => Some(("text", self.text())),
            _ if kind.starts_with("text/") => Some(("text", self.text())),
            _ => None,
        }
    }
}

/// What an Atom link leads to, by its short name: RFC 4287 §4.2.7.2 allows the long one, and means `alternate` by none.
fn relation(tag: &Tag<'_>) -> String {
    let rel = tag.attribute("rel").map_or_else(|| "alternate".to_owned(), |rel| rel.trim().to_ascii_lowercase());
    rel.strip_prefix("http://www.iana.org/assignments/relation/").map(str::to_owned).unwrap_or(rel)
}

/// The markup in an element as HTML: prefixes go, CDATA is escaped.
fn markup(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut scan = Scan { text: source, at: 0 };
    let mut before = 0;
    while let Some(token) = scan.next() {
        let piece = &source[before..scan.at];
        before = scan.at;
        match token {
            Token::Literal(text) => push_escaped(&mut out, text),
            Token::Open(tag) if tag.name.contains(':') => {
                out.push('<');
                out.push_str(local(tag.name));
                out.push_str(piece.split_once(tag.name).map_or(">", |(_, rest)| rest));
            }
            Token::Close(name) => {
                out.push_str("</");
                out.push_str(local(name));
                out.push('>');
            }
            Token::Open(_) | Token::Text(_) => out.push_str(piece),
        }
    }
    out
}

/// A file that belongs to an item, as the feed says.
#[derive(Debug, Clone)]
pub(super) struct Attached {
    pub(super) address: String,
    pub(super) media_type: String,
    pub(super) length: String,
}

/// One item, or the fields of the feed itself.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    /// Its place in the feed, from 1.
    pub(super) number: usize,
    pub(super) xml: String,
    /// What links in its summary (RSS `description`) resolve against, where the feed says so.
    pub(super) summary_base: Option<Url>,
    /// The same for its content.
    pub(super) content_base: Option<Url>,
    /// The element that no end tag closes, if there is one.
    pub(super) broken: Option<&'a str>,
    /// Files that belong to it.
    pub(super) enclosures: Vec<Attached>,
    format: Format,
    seen: Vec<&'static str>,
    late: Vec<(&'static str, String)>,
}

impl<'a> Piece<'a> {
    pub(super) fn new(format: Format, number: usize) -> Self {
        Self {
            number,
            xml: String::new(),
            summary_base: None,
            content_base: None,
            broken: None,
            enclosures: Vec::new(),
            format,
            seen: Vec::new(),
            late: Vec::new(),
        }
    }

    /// Writes a field, if it is one that counts.
    pub(super) fn take(&mut self, field: Field, tag: &Tag<'a>, value: &Value<'a>, base: Option<Url>) {
        let resolved = |link: &str| base.as_ref().and_then(|b| b.join(link.trim()).ok()).map(String::from);
        match field {
            Field::Text(name) => self.text(name, "", &value.text(), base),
            Field::Typed(name) => {
                if let Some((kind, text)) = value.typed(tag) {
                    self.text(name, kind, &text, base);
                }
            }
            Field::Late(name) => self.late.push((name, value.text().into_owned())),
            Field::Link => {
                self.once("link", "", &resolved(&value.text).unwrap_or_else(|| value.text.to_string()));
            }
            Field::Enclosure => self.enclosure(tag, "url", resolved),
            Field::Reference => match relation(tag).as_str() {
                "enclosure" => self.enclosure(tag, "href", resolved),
                "alternate" => {
                    if let Some(href) = tag.attribute("href").filter(|href| !href.trim().is_empty()) {
                        let kind = tag.attribute("type").unwrap_or_default();
                        self.reference(&kind, resolved(&href).unwrap_or_else(|| href.into_owned()));
                    }
                }
                _ => {}
            },
            Field::Guid => {
                self.once("guid", "", &value.text);
                if tag.attribute("isPermaLink").is_none_or(|is| !is.trim().eq_ignore_ascii_case("false")) {
                    self.permalink(&value.text);
                }
            }
            Field::Person => self.person(&person(&value.text)),
        }
    }

    /// Takes note of a file that belongs to it.
    fn enclosure(&mut self, tag: &Tag<'a>, name: &str, resolved: impl Fn(&str) -> Option<String>) {
        let said = |name| tag.attribute(name).unwrap_or_default().into_owned();
        let address = said(name);
        if !address.trim().is_empty() && self.enclosures.len() < MAX_ENCLOSURES {
            let address = resolved(&address).unwrap_or(address);
            self.enclosures.push(Attached { address, media_type: said("type"), length: said("length") });
        }
    }

    /// The link of an item that gives none.
    pub(super) fn permalink(&mut self, address: &str) {
        let scheme = address.trim_start().split_once("://").map_or("", |(scheme, _)| scheme);
        if scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") {
            self.late.push(("link", address.to_owned()));
        }
    }

    fn text(&mut self, name: &'static str, kind: &str, value: &str, base: Option<Url>) {
        if self.once(name, kind, value) {
            match name {
                "description" | "summary" => self.summary_base = base,
                "content:encoded" | "content" => self.content_base = base,
                _ => {}
            }
        }
    }

    /// Writes a field that counts once; whether it did.
    fn once(&mut self, name: &'static str, kind: &str, value: &str) -> bool {
        let is_new = !value.trim().is_empty() && !self.seen.contains(&name);
        if is_new {
            self.seen.push(name);
            self.element(name, kind, value);
        }
        is_new
    }

    fn person(&mut self, name: &str) {
        match self.format {
            _ if name.is_empty() => {}
            Format::Rss => self.element("dc:creator", "", name),
            Format::Atom => {
                self.xml.push_str("<author>");
                self.element("name", "", name);
                self.xml.push_str("</author>");
            }
        }
    }

    /// An Atom link; RSS has its own.
    fn reference(&mut self, kind: &str, address: String) {
        if self.format == Format::Rss {
            return self.late.push(("link", address));
        }
        self.xml.push_str("<link rel=\"alternate\" type=\"");
        push_escaped(&mut self.xml, kind);
        self.xml.push_str("\" href=\"");
        push_escaped(&mut self.xml, &address);
        self.xml.push_str("\"/>");
    }

    fn element(&mut self, name: &str, kind: &str, value: &str) {
        let parts: &[&str] = if kind.is_empty() { &["<", name, ">"] } else { &["<", name, " type=\"", kind, "\">"] };
        self.xml.extend(parts.iter().copied());
        push_escaped(&mut self.xml, value);
        self.xml.extend(["</", name, ">"]);
    }

    /// Its XML, with what counts only where nothing better came.
    pub(super) fn finish(&mut self) {
        for (name, value) in std::mem::take(&mut self.late) {
            self.once(name, "", &value);
        }
    }
}
