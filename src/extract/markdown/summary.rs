//! Events → HTML, written as they come.
//!
//! In: CommonMark events in any order, even from the middle of a list. Out: well-nested HTML of few tags with all text
//! escaped and absolute addresses only. Raw HTML is written as it stands and remembered, so that whoever takes the
//! text sanitises it; all else needs no HTML parser.
//!
//! Never recurses, and bounds what it writes, so that no page can make it slow or large.

use super::inline::{destination, is_markup};
use crate::extract::link::Links;
use crate::model::push_escaped;
use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

/// Longest text of a post, in bytes; what follows is cut off between two characters.
pub(super) const MAX: usize = 32 * 1024;

/// As long as most texts are, in bytes.
const USUAL: usize = 1_024;

/// Deepest nesting that is written; elements below it lose their tags.
const DEEPEST: usize = 32;

/// A thematic break.
pub(super) const RULE: &str = "<hr>";

/// Longest text of a whole article, in bytes.
const MAX_ARTICLE: usize = 128 * 1024;

/// HTML in the making.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) html: String,
    /// Whether it holds raw HTML.
    pub(super) is_raw: bool,
    /// Where the first thematic break between blocks is.
    pub(super) rule: Option<usize>,
    open: Vec<Open>,
    picture: Option<Picture>,
    is_full: bool,
    /// The longest that it may be, in bytes.
    max: usize,
    /// Whether it is a whole article, whose headings keep their levels, instead of a post's text on a page.
    is_article: bool,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            html: String::new(),
            is_raw: false,
            rule: None,
            open: Vec::new(),
            picture: None,
            is_full: false,
            max: MAX,
            is_article: false,
        }
    }
}

/// An element that is open: its name, and whether its tag was written.
#[derive(Debug)]
struct Open(&'static str, bool);

/// A picture whose text is being read.
#[derive(Debug)]
struct Picture {
    source: String,
    alt: String,
    depth: usize,
}

impl Summary {
    /// One for a whole article.
    pub(super) fn of_article() -> Self {
        Self { max: MAX_ARTICLE, is_article: true, ..Self::default() }
    }

    /// As much of some words as it may have.
    fn head<'w>(&self, words: &'w str) -> &'w str {
        &words[..words.floor_char_boundary(self.max)]
    }

    /// The element of a heading.
    fn of_heading(&self, level: HeadingLevel) -> &'static str {
        match level {
            _ if !self.is_article => "h4",
            HeadingLevel::H1 | HeadingLevel::H2 => "h2",
            HeadingLevel::H3 => "h3",
            HeadingLevel::H4 => "h4",
            HeadingLevel::H5 => "h5",
            HeadingLevel::H6 => "h6",
        }
    }

    /// Writes one event.
    pub(super) fn push(&mut self, event: &Event<'_>, links: &Links) {
        if self.is_full || self.in_picture(event) {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag, links),
            Event::End(end) => self.end(*end),
            Event::Text(words) => self.text(words),
            Event::Code(words) => {
                self.inline("<code>");
                let words = self.head(words);
                push_escaped(&mut self.html, words);
                self.html.push_str("</code>");
            }
            Event::InlineHtml(tag) if !is_markup(tag) => self.text(tag),
            Event::InlineHtml(tag) => {
                self.is_raw = true;
                self.inline(self.head(tag));
            }
            Event::Html(source) => {
                self.is_raw = true;
                let source = self.head(source);
                self.html.push_str(source);
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.inline("<br>"),
            Event::Rule => self.rule(),
            _ => {}
        }
        if self.html.len() > self.max {
            self.finish();
            self.is_full = true;
        }
    }

    /// Writes a part of a post that has a heading of its own.
    pub(super) fn heading(&mut self, events: &[Event<'_>], tag: &'static str, links: &Links) {
        self.block();
        self.open(tag, true);
        for event in events {
            self.push(event, links);
        }
        self.finish();
    }

    /// Appends what was written elsewhere.
    pub(super) fn append(&mut self, other: Self) {
        if other.html.is_empty() || self.html.len() > self.max {
            return;
        }
        if self.html.is_empty() && self.open.is_empty() {
            *self = other;
            return;
        }
        self.block();
        self.rule = self.rule.or(other.rule.map(|at| at + self.html.len()));
        self.html.push_str(&other.html);
        self.is_raw |= other.is_raw;
    }

    /// Ends a paragraph that began without its start.
    pub(super) fn end_paragraph(&mut self) {
        if let [Open("p", _)] = self.open[..] {
            self.finish();
        }
    }

    /// Ends all that is open.
    pub(super) fn finish(&mut self) {
        if let Some(picture) = self.picture.take() {
            self.text(&picture.alt);
        }
        while !self.open.is_empty() {
            self.close_last();
        }
    }

    fn start(&mut self, tag: &Tag<'_>, links: &Links) {
        match tag {
            Tag::Paragraph => self.element("p"),
            Tag::Heading { level, .. } => self.element(self.of_heading(*level)),
            Tag::BlockQuote(_) => self.element("blockquote"),
            Tag::CodeBlock(_) => {
                self.element("pre");
                self.open("code", true);
            }
            Tag::List(None) => self.element("ul"),
            Tag::List(Some(_)) => self.element("ol"),
            Tag::Item => self.element("li"),
            Tag::HtmlBlock => self.block(),
            Tag::Emphasis => self.span("em"),
            Tag::Strong => self.span("strong"),
            Tag::Strikethrough => self.span("del"),
            Tag::Table(_) => self.element("table"),
            Tag::TableHead | Tag::TableRow => self.open("tr", true),
            Tag::TableCell => self.open("td", true),
            Tag::Link { link_type, dest_url, .. } => match links.anchor(&destination(*link_type, dest_url)) {
                Some(address) => {
                    self.inline("<a href=\"");
                    push_escaped(&mut self.html, address.as_str());
                    self.html.push_str("\">");
                    self.open.push(Open("a", true));
                }
                None => self.open.push(Open("a", false)),
            },
            Tag::Image { dest_url, .. } => {
                let source = links.web(dest_url).map(String::from).unwrap_or_default();
                self.picture = Some(Picture { source, alt: String::new(), depth: 1 });
            }
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Paragraph => self.close("p"),
            TagEnd::Heading(level) => self.close(self.of_heading(level)),
            TagEnd::BlockQuote(_) => self.close("blockquote"),
            TagEnd::CodeBlock => {
                self.close("code");
                self.close("pre");
            }
            TagEnd::List(false) => self.close("ul"),
            TagEnd::List(true) => self.close("ol"),
            TagEnd::Item => self.close("li"),
            TagEnd::Emphasis => self.close("em"),
            TagEnd::Strong => self.close("strong"),
            TagEnd::Strikethrough => self.close("del"),
            TagEnd::Table => self.close("table"),
            TagEnd::TableHead | TagEnd::TableRow => self.close("tr"),
            TagEnd::TableCell => self.close("td"),
            TagEnd::Link => self.close("a"),
            _ => {}
        }
    }

    /// Whether an event belongs to a picture: all between its start and its end is its text.
    fn in_picture(&mut self, event: &Event<'_>) -> bool {
        let Some(picture) = &mut self.picture else { return false };
        match event {
            Event::Text(words) | Event::Code(words) => picture.alt.push_str(words),
            Event::SoftBreak | Event::HardBreak => picture.alt.push(' '),
            Event::Start(Tag::Image { .. }) => picture.depth += 1,
            Event::End(TagEnd::Image) => picture.depth -= 1,
            _ => {}
        }
        if picture.depth == 0
            && let Some(Picture { source, alt, .. }) = self.picture.take()
        {
            self.picture(&source, &alt);
        }
        true
    }

    fn picture(&mut self, source: &str, alt: &str) {
        if source.is_empty() {
            return self.text(alt);
        }
        self.inline("<img src=\"");
        let (source, alt) = (self.head(source), self.head(alt));
        push_escaped(&mut self.html, source);
        self.html.push_str("\" alt=\"");
        push_escaped(&mut self.html, alt);
        self.html.push_str("\">");
    }

    fn text(&mut self, words: &str) {
        self.inline("");
        let room = self.max.saturating_sub(self.html.len()) + 1;
        push_escaped(&mut self.html, &words[..words.floor_char_boundary(room)]);
    }

    /// Writes within a paragraph; words that stand alone get one.
    fn inline(&mut self, html: &str) {
        if self.open.is_empty() {
            self.element("p");
        }
        self.html.push_str(html);
    }

    fn rule(&mut self) {
        self.block();
        if self.open.is_empty() {
            self.rule.get_or_insert(self.html.len());
        }
        self.html.push_str(RULE);
    }

    /// Makes room for a block: a paragraph that began without its start ends, blocks of the post stand on their lines.
    fn block(&mut self) {
        self.end_paragraph();
        if self.open.is_empty() && !self.html.is_empty() {
            self.html.push('\n');
        }
    }

    fn element(&mut self, name: &'static str) {
        self.block();
        self.open(name, true);
    }

    fn span(&mut self, name: &'static str) {
        self.inline("");
        self.open(name, true);
    }

    fn open(&mut self, name: &'static str, wanted: bool) {
        let is_written = wanted && self.open.len() < DEEPEST;
        if self.html.capacity() == 0 {
            self.html.reserve(USUAL);
        }
        if is_written {
            self.html.push('<');
            self.html.push_str(name);
            self.html.push('>');
        }
        self.open.push(Open(name, is_written));
    }

    /// Ends an element, if it is the one that is open: its start may lie before what is written.
    fn close(&mut self, name: &'static str) {
        if self.open.last().is_some_and(|open| open.0 == name) {
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        match self.open.pop() {
            // An empty paragraph, of a picture without address and text, is none.
            Some(Open("p", true)) if self.html.ends_with("<p>") => self.html.truncate(self.html.len() - 3),
            Some(Open(name, true)) => {
                self.html.push_str("</");
                self.html.push_str(name);
                self.html.push('>');
            }
            _ => {}
        }
    }
}
