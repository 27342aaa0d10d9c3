//! A document as a tree of elements, and the ways through it.
//!
//! In: what [`read`](super::read) found. Out: elements, their attributes, texts and children, to the rules.
//! A feed has hundreds of elements, and is checked each time before it is published: so all of them lie in one list, in
//! the order in which they begin, and all attributes in another, instead of in a list of their own in each element.

use super::space::Space;
use std::borrow::Cow;
use std::ops::{Deref, Range};

/// The elements of a document, the root first.
pub(super) struct Tree<'a> {
    pub(super) elements: Vec<Element<'a>>,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// Those elements of which rules beyond RSS 2.0 and Atom say something, in their order, and their parents.
    pub(super) marked: Vec<Marked>,
}

/// Places of elements in the list.
pub(super) struct Marked {
    pub(super) place: usize,
    pub(super) parent: Option<usize>,
}

/// An element.
pub(super) struct Element<'a> {
    pub(super) space: Space,
    /// Its name without a prefix.
    pub(super) name: &'a str,
    /// Where it begins, in bytes.
    pub(super) at: usize,
    /// All text that stands in it directly.
    pub(super) text: Cow<'a, str>,
    /// Which attributes of the list are its own.
    pub(super) attributes: Range<usize>,
    /// The place behind the last element in it.
    pub(super) end: usize,
}

/// An attribute that declares no namespace.
pub(super) struct Attribute<'a> {
    pub(super) space: Space,
    pub(super) name: &'a str,
    pub(super) value: Cow<'a, str>,
}

/// An element where it stands in its tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree<'t>,
    element: &'t Element<'t>,
    place: usize,
}

impl<'t> Deref for Node<'t> {
    type Target = Element<'t>;

    fn deref(&self) -> &Element<'t> {
        self.element
    }
}

impl Tree<'_> {
    /// The element at a place.
    pub(super) fn node(&self, place: usize) -> Option<Node<'_>> {
        self.elements.get(place).map(|element| Node { tree: self, element, place })
    }

    /// The root element.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.node(0)
    }

    /// The marked elements, and their parents.
    pub(super) fn marked(&self) -> impl Iterator<Item = (Node<'_>, Option<Node<'_>>)> {
        self.marked.iter().filter_map(|m| Some((self.node(m.place)?, m.parent.and_then(|parent| self.node(parent)))))
    }
}

impl<'t> Node<'t> {
    /// The elements in it, without those in these.
    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let mut next = self.place + 1;
        std::iter::from_fn(move || {
            let child = self.tree.node(next).filter(|_| next < self.element.end)?;
            next = child.element.end;
            Some(child)
        })
    }

    /// The children of a name in a namespace.
    pub(super) fn all(self, space: Space, name: &str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.space == space && child.name == name)
    }

    /// The first of them.
    pub(super) fn first(self, space: Space, name: &str) -> Option<Self> {
        self.all(space, name).next()
    }

    /// All text that stands in it directly, for as long as the tree is there.
    pub(super) fn text(self) -> &'t str {
        &self.element.text
    }

    /// The same without white space around it.
    pub(super) fn trimmed(self) -> &'t str {
        let text = self.text();
        // Most have none, which is seen faster than by decoding characters.
        let is_visible = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
        if is_visible(text.as_bytes().first()) && is_visible(text.as_bytes().last()) { text } else { text.trim() }
    }

    /// Its attributes.
    pub(super) fn attributes(self) -> &'t [Attribute<'t>] {
        &self.tree.attributes[self.element.attributes.clone()]
    }

    /// The value of an attribute without a namespace.
    pub(super) fn attribute(self, name: &str) -> Option<&'t str> {
        self.attribute_in(Space::None, name)
    }

    /// The value of an attribute in a namespace.
    pub(super) fn attribute_in(self, space: Space, name: &str) -> Option<&'t str> {
        self.attributes().iter().find(|a| a.space == space && a.name == name).map(|a| a.value.as_ref())
    }
}
