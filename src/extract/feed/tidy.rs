//! An XML feed as it stands → the same feed as a parser wants it.
//!
//! In: decoded text. Out: what pagewire reads of the feed, well-formed, under the names of RSS 2.0 or Atom 1.0, each
//! item apart. A feed without faults says the same afterwards, and there is one way of reading, so a feed that is broken
//! on some days does not change its posts with them. What else is put right: junk around the root, characters that XML
//! forbids, bare `&`, HTML's entities, any `version`, namespaces that are old, odd or not declared, RDF and Atom 0.3,
//! markup without escapes, end tags that are missing between items. An item with a field that is never closed is left
//! out, and told.
//!
//! Other vocabularies (media, podcasts, threads) stay behind, and with them the values on which `feed-rs` panics. Links
//! inside an `xml:base` are resolved here (XML Base, RFC 3986). Nothing recurses, and the walk is linear.
//!
//! Known gaps: `xml:base` inside a text; namespaces declared elsewhere than on the root, the channel, an item and the
//! field itself; Atom contents that are neither text nor HTML nor XHTML.

use super::piece::{Piece, Value};
use super::scan::{Scan, Tag, Token, decoded};
use super::space::{Field, Format, Space, field, local};
use crate::extract::no_topic_page;
use crate::model::{ErrorKind, Failure, Warning, WarningKind};
use std::borrow::Cow;
use std::cell::OnceCell;
use url::Url;

/// Elements inside each other before the document is refused; no field of a feed needs more than ten.
const MAX_DEPTH: usize = 10_000;

/// Prefixes that are looked at; a feed has ten or twenty.
const MAX_PREFIXES: usize = 200;

/// A feed put in order.
#[derive(Debug)]
pub(super) struct Tidy<'a> {
    pub(super) format: Format,
    /// The feed's own fields.
    pub(super) head: String,
    /// Its items in its order.
    pub(super) items: Vec<Piece<'a>>,
    /// What was left out.
    pub(super) problems: Vec<Warning>,
}

/// Puts a feed in order. `document` is what a relative `xml:base` of the root resolves against.
///
/// # Errors
/// `not-a-topic-page` where there is no feed, `truncated` where its end is missing, `parse` where it is nested too deep.
pub(super) fn tidy<'a>(text: &'a str, document: Option<&Url>) -> Result<Tidy<'a>, Failure> {
    let mut scan = Scan { text, at: 0 };
    let mut first = None;
    let root = scan.find_map(|token| match token {
        Token::Open(tag) => {
            first = first.or(Some(tag.name));
            Format::of_root(tag.name).map(|format| (tag, format))
        }
        _ => None,
    });
    let Some((root, format)) = root else {
        let what = first.map_or_else(|| "it has no element".to_owned(), |r| format!("it begins with `<{r}>`"));
        return Err(no_topic_page(format!(
            "the document is no feed: {what}, not with `<rss>`, `<feed>` or `<rdf:RDF>`"
        )));
    };
    let bases = Bases { document, is_used: text.contains("xml:base") };
    let walk = Walk {
        scan,
        format,
        root: root.name,
        spaces: Vec::new(),
        bases,
        is_too_deep: false,
        is_in_item: false,
        is_sound: OnceCell::new(),
    };
    if local(root.name).eq_ignore_ascii_case("entry") { walk.entry(&root) } else { walk.feed(&root) }
}

/// What links resolve against where the feed itself says so.
#[derive(Debug, Clone, Copy)]
struct Bases<'b> {
    document: Option<&'b Url>,
    is_used: bool,
}

impl Bases<'_> {
    /// The base inside an element, given the one around it.
    fn inside(&self, tag: &Tag<'_>, around: Option<&Url>) -> Option<Url> {
        let own = if self.is_used { tag.attribute("xml:base") } else { None };
        let own = own.and_then(|own| match around.or(self.document) {
            Some(outer) => outer.join(own.trim()).ok(),
            None => Url::parse(own.trim()).ok(),
        });
        own.or_else(|| around.cloned())
    }
}

/// Where the walk through a feed is.
struct Walk<'a, 'b> {
    scan: Scan<'a>,
    format: Format,
    root: &'a str,
    /// The declared prefixes.
    spaces: Vec<(&'a str, Space)>,
    bases: Bases<'b>,
    is_too_deep: bool,
    is_in_item: bool,
    /// Whether the whole document is well-formed, once that matters.
    is_sound: OnceCell<bool>,
}

impl<'a> Walk<'a, '_> {
    /// One Atom entry that is a document of its own: a list of one.
    fn entry(mut self, root: &Tag<'a>) -> Result<Tidy<'a>, Failure> {
        self.declare(root);
        let item = self.item(root, None, 1);
        match item.broken {
            Some(_) => Err(self.cut(0)),
            None => Ok(Tidy { format: self.format, head: String::new(), items: vec![item], problems: Vec::new() }),
        }
    }

    fn feed(mut self, root: &Tag<'a>) -> Result<Tidy<'a>, Failure> {
        self.declare(root);
        let mut base = self.bases.inside(root, None);
        let mut head = Piece::new(self.format, 0);
        let mut tidy = Tidy { format: self.format, head: String::new(), items: Vec::new(), problems: Vec::new() };
        let (mut number, mut has_channel, mut is_whole) = (0, self.format == Format::Atom, root.is_empty);
        while !is_whole {
            match self.scan.next() {
                Some(Token::Open(tag)) if self.is(tag.name, self.format.item()) => {
                    number += 1;
                    let item = self.item(&tag, base.as_ref(), number);
                    match item.broken {
                        Some(name) => tidy.problems.push(left_out(number, name)),
                        None => tidy.items.push(item),
                    }
                }
                Some(Token::Open(tag)) if self.is(tag.name, "channel") => {
                    self.declare(&tag);
                    base = self.bases.inside(&tag, base.as_ref());
                    has_channel = true;
                }
                Some(Token::Open(tag)) => self.field(&tag, &mut head, base.as_ref()),
                Some(Token::Close(name)) => is_whole = self.is_end(name),
                Some(Token::Text(_) | Token::Literal(_)) => {}
                None => return Err(self.cut(number)),
            }
            if self.is_too_deep {
                let why = format!("elements stand more than {MAX_DEPTH} deep in each other: this is no feed");
                return Err(Failure::new(ErrorKind::Parse, why));
            }
        }
        if !has_channel && number == 0 {
            return Err(no_topic_page(format!("the document is no feed: its `{}` has no channel", self.root)));
        }
        head.finish();
        tidy.head = head.xml;
        Ok(tidy)
    }

    /// The failure of a feed without an end: what is missing may be posts.
    fn cut(&self, items: usize) -> Failure {
        let root = self.root;
        let why = format!("the feed has {items} items and no `</{root}>`: it was cut off, so none of it is taken");
        Failure::new(ErrorKind::Truncated, why)
    }

    /// Whether an end tag ends the list: the root's, or the channel's but in RDF, where the list comes after it.
    fn is_end(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.root)
            || self.is(name, "channel") && !local(self.root).eq_ignore_ascii_case("RDF")
    }

    /// Whether a tag can stand in no field: an item's, or one of those around it.
    fn is_boundary(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.root) || self.is(name, self.format.item()) || self.is(name, "channel")
    }

    /// Whether an item inside an element of another item is part of that (other versions of it, an answered post) and
    /// no sign of a missing end tag: a well-formed document means what it says.
    fn is_nested(&self) -> bool {
        self.is_in_item && *self.is_sound.get_or_init(|| Scan { text: self.scan.text, at: 0 }.is_sound())
    }

    /// Whether a name is this one of the feed's own.
    fn is(&self, name: &str, own: &str) -> bool {
        match name.split_once(':') {
            Some((prefix, local)) => local.eq_ignore_ascii_case(own) && self.prefixed(prefix) == Space::Core,
            None => name.eq_ignore_ascii_case(own),
        }
    }

    fn declare(&mut self, tag: &Tag<'a>) {
        for (name, address) in tag.attributes() {
            if let Some(prefix) = name.strip_prefix("xmlns:").filter(|_| self.spaces.len() < MAX_PREFIXES) {
                self.spaces.push((prefix, Space::of(address, self.format)));
            }
        }
    }

    fn prefixed(&self, prefix: &str) -> Space {
        let declared = self.spaces.iter().rev().find(|(p, _)| *p == prefix);
        declared.map_or_else(|| Space::usual(prefix, self.format), |(_, space)| *space)
    }

    /// The namespace of a field. Without a prefix it is the feed's own, whatever `xmlns` stands on the root, unless the
    /// field declares another.
    fn space(&self, tag: &Tag<'_>) -> Space {
        let prefix = tag.name.split_once(':').map(|(prefix, _)| prefix);
        let is_own = |name: &str| name.strip_prefix("xmlns").is_some_and(|n| n.strip_prefix(':') == prefix);
        match (tag.attributes().find(|(name, _)| is_own(name)), prefix) {
            (Some((_, address)), _) => Space::of(address, self.format),
            (None, Some(prefix)) => self.prefixed(prefix),
            (None, None) => Space::Core,
        }
    }

    /// An item up to its end tag, or to what shows that the tag is missing.
    fn item(&mut self, tag: &Tag<'a>, around: Option<&Url>, number: usize) -> Piece<'a> {
        let declared = self.spaces.len();
        self.declare(tag);
        let base = self.bases.inside(tag, around);
        let mut item = Piece::new(self.format, number);
        if let Some(about) = tag.attribute("rdf:about") {
            item.permalink(&about);
        }
        if !tag.is_empty {
            self.is_in_item = true;
            self.fields(&mut item, base.as_ref());
            self.is_in_item = false;
        }
        self.spaces.truncate(declared);
        item.finish();
        item
    }

    /// What stands in an item.
    fn fields(&mut self, item: &mut Piece<'a>, base: Option<&Url>) {
        loop {
            let before = self.scan.at;
            match self.scan.next() {
                Some(Token::Close(name)) if self.is(name, self.format.item()) => return,
                Some(Token::Open(Tag { name, .. }) | Token::Close(name)) if self.is_boundary(name) => {
                    self.scan.at = before;
                    return;
                }
                Some(Token::Open(tag)) => self.field(&tag, item, base),
                Some(_) => {}
                None => {
                    item.broken = Some(self.format.item());
                    return;
                }
            }
        }
    }

    /// Reads an element into the item or head that it stands in, or passes over it.
    fn field(&mut self, tag: &Tag<'a>, into: &mut Piece<'a>, around: Option<&Url>) {
        let Some(field) = field(self.format, self.space(tag), local(tag.name)) else {
            self.inside(tag, |_| {});
            return;
        };
        let value = match field {
            Field::Person => self.person(tag),
            _ => self.value(tag),
        };
        match value {
            Some(value) => into.take(field, tag, &value, self.bases.inside(tag, around)),
            None => into.broken = Some(tag.name),
        }
    }

    /// What stands in an element.
    fn value(&mut self, tag: &Tag<'a>) -> Option<Value<'a>> {
        let (mut text, mut has_elements) = (Cow::Borrowed(""), false);
        let source = self.inside(tag, |token| match token {
            Token::Text(piece) => join(&mut text, decoded(piece)),
            Token::Literal(piece) => join(&mut text, Cow::Borrowed(piece)),
            Token::Open(_) => has_elements = true,
            Token::Close(_) => {}
        })?;
        Some(Value { source, text, has_elements })
    }

    /// Somebody's name: the text of the element or of the `name` in it.
    fn person(&mut self, tag: &Tag<'a>) -> Option<Value<'a>> {
        let (mut text, mut child) = (Cow::Borrowed(""), None);
        let source = self.inside(tag, |token| match token {
            Token::Open(tag) if !tag.is_empty => child = Some(local(tag.name)),
            Token::Close(_) => child = None,
            Token::Text(piece) if child.is_none_or(|c| c == "name") => join(&mut text, decoded(piece)),
            Token::Literal(piece) if child.is_none_or(|c| c == "name") => join(&mut text, Cow::Borrowed(piece)),
            _ => {}
        })?;
        Some(Value { source, text, has_elements: false })
    }

    /// Walks through an element and behind its end tag; its source. Where the end tag is missing it stops at what shows
    /// that, and there is no source.
    fn inside(&mut self, tag: &Tag<'a>, mut each: impl FnMut(Token<'a>)) -> Option<&'a str> {
        let start = self.scan.at;
        let (mut same, mut depth) = (0_usize, 0_usize);
        if tag.is_empty {
            return Some("");
        }
        loop {
            let before = self.scan.at;
            let token = self.scan.next()?;
            match token {
                Token::Close(name) if name == tag.name && same == 0 => return Some(&self.scan.text[start..before]),
                Token::Open(Tag { name, .. }) | Token::Close(name) if self.is_boundary(name) && !self.is_nested() => {
                    self.scan.at = before;
                    return None;
                }
                Token::Open(inner) if !inner.is_empty => {
                    same += usize::from(inner.name == tag.name);
                    depth += 1;
                    self.is_too_deep |= depth > MAX_DEPTH;
                }
                Token::Close(name) => {
                    same -= usize::from(name == tag.name);
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            each(token);
        }
    }
}

/// The warning about an item that can't be read.
fn left_out(number: usize, name: &str) -> Warning {
    let why = format!("item {number}: its `<{name}>` is never closed, so the item is left out");
    Warning::new(WarningKind::Item, why)
}

/// Appends text, without a copy where it is all there is.
fn join<'a>(text: &mut Cow<'a, str>, piece: Cow<'a, str>) {
    if text.is_empty() {
        *text = piece;
    } else {
        text.to_mut().push_str(&piece);
    }
}
