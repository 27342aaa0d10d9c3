//! HTML → [`Tree`], in one pass, in time that grows with its length only.
//!
//! The words are cut by html5ever's tokenizer; the tree is made here, because html5ever's own tree takes time that
//! grows with the square of the nesting, and can grow itself with the square of the document. Follows the HTML
//! standard's tree construction where real pages need it: which end tags may be left out, which elements are void,
//! which hold raw text, and what becomes of a link that is closed behind the block that it opened before (§13.2.6).
//! Known gaps: nothing is moved out of tables, frames are ordinary elements, and deeper nesting than [`MAX_DEPTH`] is
//! read flat.

use super::tree::{Id, Node, Tree, is_heading};
use crate::model::bounded_tags;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::{LocalName, local_name};
use std::cell::RefCell;

/// Deepest nesting that is kept; the deepest of pages in use is some sixty.
const MAX_DEPTH: usize = 128;

/// Most nodes of a document; a page of ten thousand posts has fewer.
pub(super) const MAX_NODES: usize = 100_000;

/// Most tags, pieces of text and entities.
const MAX_TOKENS: usize = 3 * MAX_NODES;

/// How much is read between two looks at the number of nodes, in bytes.
const PIECE: usize = 64 * 1024;

/// Longest text of a script that is data.
const MAX_SCRIPT: usize = 1024 * 1024;

/// The tree of a document; none where it has more than [`MAX_NODES`].
pub(super) fn tree(html: &str) -> Option<Tree> {
    let html = bounded_tags(html);
    let tokenizer = Tokenizer::new(Builder(RefCell::new(State::new())), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = &*html;
    while !rest.is_empty() && !tokenizer.sink.0.borrow().is_full() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        input.push_back(StrTendril::from_slice(piece));
        // The sink runs no scripts, so nothing interrupts this.
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    let state = tokenizer.sink.0.take();
    if state.is_full() { None } else { Some(state.finish()) }
}

struct Builder(RefCell<State>);

/// A tree in the making.
#[derive(Default)]
struct State {
    nodes: Vec<Node>,
    /// The open elements, the document first.
    open: Vec<Id>,
    /// Open elements that are too deep to be kept.
    too_deep: usize,
    /// How many open `svg` elements the walk is in; nothing in them is kept.
    in_picture: usize,
    has_body: bool,
    tokens: usize,
    /// Scripts that are data, with their elements.
    scripts: Vec<(Id, String)>,
}

impl TokenSink for Builder {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let state = &mut *self.0.borrow_mut();
        state.tokens += 1;
        if state.is_full() {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(tag),
            Token::TagToken(tag) => state.close(&tag.name),
            Token::CharacterTokens(text) => state.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn new() -> Self {
        let mut state = Self::default();
        state.push(local_name!(""), Vec::new(), None);
        state.open.push(0);
        state
    }

    fn is_full(&self) -> bool {
        self.nodes.len() >= MAX_NODES || self.tokens >= MAX_TOKENS
    }

    fn finish(mut self) -> Tree {
        while let Some(id) = self.open.pop() {
            self.nodes[id].end = self.nodes.len();
        }
        Tree::new(self.nodes, self.scripts.into_iter().map(|(_, script)| script).collect())
    }

    fn push(&mut self, name: LocalName, attributes: Vec<(LocalName, String)>, text: Option<String>) -> Id {
        let id = self.nodes.len();
        let parent = self.open.last().copied().unwrap_or(0);
        self.nodes.push(Node { parent, end: id + 1, name, attributes, text });
        id
    }

    fn name(&self, depth: usize) -> &LocalName {
        &self.nodes[self.open[depth]].name
    }

    fn current(&self) -> &LocalName {
        self.name(self.open.len() - 1)
    }

    fn text(&mut self, text: &str) {
        if self.in_picture > 0 || self.is_hidden() {
            return;
        }
        if self.is_in(&local_name!("script")) {
            if self.is_data() {
                self.keep_script(text);
            }
            return;
        }
        // Space between blocks is none.
        let last = self.nodes.len() - 1;
        if text.trim().is_empty() && self.nodes[last].text.is_none() && text.contains('\n') && !self.has_inline(last) {
            return;
        }
        let parent = self.open.last().copied();
        match &mut self.nodes[last] {
            Node { text: Some(before), parent: of, .. } if Some(*of) == parent => before.push_str(text),
            _ => {
                self.push(local_name!(""), Vec::new(), Some(text.to_owned()));
            }
        }
    }

    /// Keeps the text of a script that is data; the tokenizer gives it in pieces.
    fn keep_script(&mut self, text: &str) {
        let of = self.open[self.open.len() - 1];
        match self.scripts.last_mut() {
            Some((id, script)) if *id == of => {
                if script.len() < MAX_SCRIPT {
                    script.push_str(text);
                }
            }
            _ => self.scripts.push((of, text.to_owned())),
        }
    }

    /// Whether text here is shown by no browser.
    fn is_hidden(&self) -> bool {
        let unseen = |id: &Id| {
            let node = &self.nodes[*id];
            &*node.name == "template" || node.attributes.iter().any(|(name, _)| &**name == "hidden")
        };
        self.open.iter().any(unseen)
            || matches!(
                &**self.current(),
                "style" | "textarea" | "iframe" | "noembed" | "noframes" | "select" | "option"
            )
    }

    /// Whether space behind a node may part two words.
    fn has_inline(&self, last: Id) -> bool {
        !super::tree::is_block(&self.nodes[last].name)
    }

    fn is_in(&self, name: &LocalName) -> bool {
        self.current() == name
    }

    /// Whether the open script is data that is read.
    fn is_data(&self) -> bool {
        let script = &self.nodes[self.open[self.open.len() - 1]];
        script.attributes.iter().any(|(n, v)| *n == local_name!("type") && v.trim().eq_ignore_ascii_case(JSON_LD))
    }

    fn start(&mut self, tag: Tag) -> TokenSinkResult<()> {
        let name = tag.name;
        if self.in_picture > 0 {
            self.in_picture += usize::from(name == local_name!("svg") && !tag.self_closing);
            return TokenSinkResult::Continue;
        }
        if self.is_repeated(&name) {
            return TokenSinkResult::Continue;
        }
        self.close_implied(&name);
        let attributes: Vec<_> = tag.attrs.into_iter().map(|a| (a.name.local, a.value.into())).collect();
        if self.open.len() >= MAX_DEPTH && !is_void(&name) {
            self.too_deep += 1;
            return raw(&name);
        }
        let id = self.push(name.clone(), attributes, None);
        if name == local_name!("svg") {
            self.in_picture = usize::from(!tag.self_closing);
        } else if !is_void(&name) {
            self.open.push(id);
        }
        raw(&name)
    }

    /// Whether a document can have one such element only, and has it.
    fn is_repeated(&mut self, name: &LocalName) -> bool {
        match *name {
            local_name!("html") | local_name!("head") => {
                self.nodes.len() > 2 || self.nodes.last().is_some_and(|n| n.name == *name)
            }
            local_name!("body") => std::mem::replace(&mut self.has_body, true),
            _ => false,
        }
    }

    /// Closes what a start tag closes.
    fn close_implied(&mut self, name: &LocalName) {
        if self.is_in(&local_name!("head")) && !is_of_head(name) {
            self.pop_to(self.open.len() - 1);
        }
        match &**name {
            "li" => self.close_back(&["li"]),
            "dt" | "dd" => self.close_back(&["dt", "dd"]),
            "option" | "optgroup" if self.is_in(&local_name!("option")) => self.pop_to(self.open.len() - 1),
            "tr" => self.close_in_table(&["tr", "td", "th", "caption"]),
            "td" | "th" => self.close_in_table(&["td", "th"]),
            "tbody" | "thead" | "tfoot" => {
                self.close_in_table(&["tr", "td", "th", "tbody", "thead", "tfoot", "caption", "colgroup"]);
            }
            "a" => {
                let is_phrase = |depth: usize| !is_special(self.name(depth));
                let inside = (1..self.open.len()).rev().take_while(|&d| is_phrase(d));
                let open = inside.into_iter().find(|&d| self.name(d) == name);
                if let Some(depth) = open {
                    self.pop_to(depth);
                }
            }
            _ => {}
        }
        if closes_paragraph(name) {
            let open = (1..self.open.len()).rev().take_while(|&d| !is_boundary(self.name(d)));
            if let Some(depth) = open.into_iter().find(|&d| *self.name(d) == local_name!("p")) {
                self.pop_to(depth);
            }
        }
        if is_heading(name) && is_heading(self.current()) {
            self.pop_to(self.open.len() - 1);
        }
    }

    /// Closes the nearest of some elements, if no other list or section has begun since.
    fn close_back(&mut self, names: &[&str]) {
        for depth in (1..self.open.len()).rev() {
            let name = self.name(depth);
            if names.contains(&&**name) {
                return self.pop_to(depth);
            }
            if is_special(name) && !matches!(&**name, "address" | "div" | "p") {
                return;
            }
        }
    }

    /// Closes parts of the innermost table.
    fn close_in_table(&mut self, names: &[&str]) {
        let inside = (1..self.open.len()).rev().take_while(|&d| *self.name(d) != local_name!("table"));
        let outermost = inside.into_iter().filter(|&d| names.contains(&&**self.name(d))).last();
        if let Some(depth) = outermost {
            self.pop_to(depth);
        }
    }

    fn close(&mut self, name: &LocalName) {
        if self.in_picture > 0 {
            self.in_picture -= usize::from(*name == local_name!("svg"));
            return;
        }
        if self.too_deep > 0 && !is_void(name) {
            self.too_deep -= 1;
            return;
        }
        let is_same = |other: &LocalName| other == name || is_heading(name) && is_heading(other);
        let is_formatting = is_formatting(name);
        let is_special_end = is_special(name);
        let mut crossed = false;
        for depth in (1..self.open.len()).rev() {
            let other = self.name(depth);
            if is_same(other) {
                if crossed && is_formatting {
                    self.rotate(depth);
                }
                let depth = if crossed && is_formatting { self.open.len() - 1 } else { depth };
                return self.pop_to(depth);
            }
            if is_boundary(other) && !matches!(&**name, "table" | "html" | "body" | "template") {
                let is_part = matches!(&**name, "tr" | "tbody" | "thead" | "tfoot") && matches!(&**other, "td" | "th");
                if !is_part {
                    return;
                }
            }
            if is_special(other) && !is_special_end {
                if !is_formatting {
                    return;
                }
                crossed = true;
            }
        }
    }

    /// A link or other mark-up was closed while blocks that were opened in it are open: they go around it, as a
    /// browser would have it. Each element takes the place of the one inside it.
    fn rotate(&mut self, depth: usize) {
        for d in depth..self.open.len() - 1 {
            let (outer, inner) = (self.open[d], self.open[d + 1]);
            let (head, tail) = self.nodes.split_at_mut(inner);
            std::mem::swap(&mut head[outer].name, &mut tail[0].name);
            std::mem::swap(&mut head[outer].attributes, &mut tail[0].attributes);
        }
    }

    /// Closes the open elements from a depth on.
    fn pop_to(&mut self, depth: usize) {
        let end = self.nodes.len();
        for id in self.open.drain(depth.max(1)..) {
            self.nodes[id].end = end;
        }
    }
}

/// The media type of JSON-LD.
pub(super) const JSON_LD: &str = "application/ld+json";

/// What the tokenizer must know about the insides of an element.
fn raw(name: &LocalName) -> TokenSinkResult<()> {
    match &**name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

#[rustfmt::skip]
pub(super) fn is_void(name: &LocalName) -> bool {
    matches!(&**name,
        "area" | "base" | "basefont" | "bgsound" | "br" | "col" | "embed" | "frame" | "hr" | "image" | "img" | "input"
        | "keygen" | "link" | "meta" | "param" | "source" | "track" | "wbr")
}

fn is_of_head(name: &LocalName) -> bool {
    matches!(&**name, "base" | "link" | "meta" | "noscript" | "script" | "style" | "template" | "title")
}

fn is_formatting(name: &LocalName) -> bool {
    let names = ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
    names.contains(&&**name)
}

#[rustfmt::skip]
fn is_boundary(name: &LocalName) -> bool {
    matches!(&**name,
        "applet" | "button" | "caption" | "html" | "marquee" | "object" | "table" | "td" | "template" | "th")
}

#[rustfmt::skip]
fn closes_paragraph(name: &LocalName) -> bool {
    is_heading(name) || matches!(&**name,
        "address" | "article" | "aside" | "blockquote" | "center" | "dd" | "details" | "dialog" | "dir" | "div" | "dl"
        | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "header" | "hgroup" | "hr" | "li"
        | "listing" | "main" | "menu" | "nav" | "ol" | "p" | "pre" | "search" | "section" | "summary" | "table" | "ul"
        | "xmp")
}

#[rustfmt::skip]
fn is_special(name: &LocalName) -> bool {
    closes_paragraph(name) || is_boundary(name) || is_void(name) || matches!(&**name,
        "body" | "colgroup" | "frameset" | "head" | "iframe" | "noembed" | "noframes" | "noscript" | "plaintext"
        | "script" | "select" | "style" | "tbody" | "textarea" | "tfoot" | "thead" | "title" | "tr")
}
