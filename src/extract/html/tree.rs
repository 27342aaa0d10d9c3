//! An HTML document as a list of nodes in document order.
//!
//! What stands in an element is the nodes between it and its [`Node::end`], so "is inside" is a comparison, and how
//! much text an element holds a subtraction. Deliberately absent: comments, scripts but those that are data, the
//! insides of pictures (`svg`), and any change after it is built.

use html5ever::{LocalName, local_name};

/// A node's number, in document order. Number 0 is the document.
pub(super) type Id = usize;

/// An element or a piece of text.
#[derive(Debug)]
pub(super) struct Node {
    /// The element that it is in.
    pub(super) parent: Id,
    /// The number behind the last node inside it.
    pub(super) end: Id,
    /// Its name; the empty name for text and for the document.
    pub(super) name: LocalName,
    pub(super) attributes: Vec<(LocalName, String)>,
    /// Its text; none for an element.
    pub(super) text: Option<String>,
}

/// A document.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The texts of scripts that are JSON-LD.
    pub(super) scripts: Vec<String>,
    /// How many letters and digits stand before each node, and in all.
    letters: Vec<u32>,
}

impl Tree {
    pub(super) fn new(nodes: Vec<Node>, scripts: Vec<String>) -> Self {
        let mut letters = Vec::with_capacity(nodes.len() + 1);
        let mut sum = 0u32;
        for node in &nodes {
            letters.push(sum);
            let count = |text: &String| text.chars().filter(|c| c.is_alphanumeric()).count();
            sum = sum.saturating_add(u32::try_from(node.text.as_ref().map_or(0, count)).unwrap_or(u32::MAX));
        }
        letters.push(sum);
        Self { nodes, scripts, letters }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn name(&self, id: Id) -> &LocalName {
        &self.nodes[id].name
    }

    pub(super) fn parent(&self, id: Id) -> Id {
        self.nodes[id].parent
    }

    pub(super) fn end(&self, id: Id) -> Id {
        self.nodes[id].end
    }

    pub(super) fn is_element(&self, id: Id) -> bool {
        id > 0 && self.nodes[id].text.is_none()
    }

    pub(super) fn contains(&self, outer: Id, inner: Id) -> bool {
        (outer..self.end(outer)).contains(&inner)
    }

    /// An attribute's value.
    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        self.nodes[id].attributes.iter().find(|(n, _)| &**n == name).map(|(_, value)| value.as_str())
    }

    /// The words of an attribute that holds several.
    pub(super) fn words(&self, id: Id, name: &str) -> impl Iterator<Item = &str> {
        self.attribute(id, name).unwrap_or_default().split_ascii_whitespace()
    }

    pub(super) fn has_word(&self, id: Id, name: &str, word: &str) -> bool {
        self.words(id, name).any(|w| w.eq_ignore_ascii_case(word))
    }

    /// The elements around a node, the nearest first.
    pub(super) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        let mut at = id;
        std::iter::from_fn(move || {
            at = self.nodes[at].parent;
            (at != 0).then_some(at)
        })
    }

    /// The nodes straight inside an element.
    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        let end = self.end(id);
        let mut at = id + 1;
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.end(child);
            Some(child)
        })
    }

    /// The siblings before a node, the nearest first.
    pub(super) fn before(&self, id: Id) -> impl Iterator<Item = Id> {
        let parent = self.parent(id);
        let mut at = id;
        std::iter::from_fn(move || {
            if at <= parent + 1 {
                return None;
            }
            let mut up = at - 1;
            while self.parent(up) != parent {
                up = self.parent(up);
            }
            at = up;
            Some(at)
        })
    }

    /// The elements of a stretch of the document.
    pub(super) fn elements(&self, range: std::ops::Range<Id>) -> impl Iterator<Item = Id> {
        range.filter(|&id| self.is_element(id))
    }

    /// How many letters and digits a stretch of the document shows.
    pub(super) fn letters(&self, range: std::ops::Range<Id>) -> usize {
        (self.letters[range.end] - self.letters[range.start.min(range.end)]) as usize
    }

    /// How many letters and digits an element shows.
    pub(super) fn size(&self, id: Id) -> usize {
        self.letters(id..self.end(id))
    }

    /// The text of a stretch of the document in one line, blocks set apart by a space; `skip` says what is left out.
    pub(super) fn text(&self, range: std::ops::Range<Id>, skip: impl Fn(Id) -> bool) -> String {
        let mut out = String::new();
        let mut at = range.start;
        while at < range.end {
            if skip(at) {
                at = self.end(at);
                continue;
            }
            match &self.nodes[at].text {
                Some(text) => out.push_str(text),
                None if is_block(self.name(at)) || self.name(at) == &local_name!("br") => out.push(' '),
                None => {}
            }
            at += 1;
            if range.end - at > 0 && at > 1 && self.ends_block(at) {
                out.push(' ');
            }
        }
        squeezed(&out)
    }

    /// Whether a block ends right before a node.
    fn ends_block(&self, at: Id) -> bool {
        let mut up = at - 1;
        while up != 0 && self.end(up) == at {
            if self.is_element(up) && is_block(self.name(up)) {
                return true;
            }
            up = self.parent(up);
        }
        false
    }

    /// All of an element's text.
    pub(super) fn line(&self, id: Id) -> String {
        self.text(id..self.end(id), |_| false)
    }
}

/// A text in one line.
pub(super) fn squeezed(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}' | '\u{ad}' | '\u{2060}'))
        .filter(|word| !word.is_empty())
        .fold(String::new(), |mut line, word| {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            line
        })
}

/// Whether an element is a heading.
pub(super) fn is_heading(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
    )
}

/// Whether an element stands on lines of its own.
pub(super) fn is_block(name: &LocalName) -> bool {
    !matches!(
        &**name,
        "" | "a"
            | "abbr"
            | "b"
            | "bdi"
            | "bdo"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "meta"
            | "link"
            | "nobr"
            | "picture"
            | "q"
            | "rp"
            | "rt"
            | "ruby"
            | "s"
            | "samp"
            | "small"
            | "source"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "svg"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
            | "br"
    )
}
