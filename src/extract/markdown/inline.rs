//! Inline events → plain text with its links.
//!
//! In: the events of a heading or of a value. Out: the words without their markup. Tags of HTML are markup; what only
//! looks like one, the `<T>` of `Vec<T>`, is a word.

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// As long as most titles are.
const USUAL_TITLE: usize = 96;

/// A stretch of text.
#[derive(Debug, Default)]
pub(super) struct Inline {
    pub(super) text: String,
    pub(super) links: Vec<Linked>,
    /// What stands for pictures: text only where there is no other.
    pub(super) alt: String,
    pictures: usize,
}

/// A link in it.
#[derive(Debug)]
pub(super) struct Linked {
    pub(super) destination: String,
    /// The bytes of [`Inline::text`] that it covers.
    pub(super) range: Range<usize>,
}

/// What stands behind some bytes of a stretch of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    links: &'a [Linked],
    /// Where it begins in the stretch.
    at: usize,
}

impl<'a> Part<'a> {
    /// Its links: where each leads, and the bytes of its text that it covers.
    pub(super) fn links(self) -> impl Iterator<Item = (&'a str, Range<usize>)> {
        let range =
            move |link: &Linked| link.range.start.saturating_sub(self.at)..link.range.end.saturating_sub(self.at);
        self.links.iter().map(move |link| (link.destination.as_str(), range(link)))
    }
}

impl Inline {
    /// Nothing yet, with memory for so many bytes of text.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { text: String::with_capacity(capacity), ..Self::default() }
    }

    /// The text of some events.
    pub(super) fn of<'e, 'a: 'e>(events: impl IntoIterator<Item = &'e Event<'a>>) -> Self {
        let mut inline = Self::with_capacity(USUAL_TITLE);
        for event in events {
            inline.push(event);
        }
        inline
    }

    /// Appends what an event says.
    pub(super) fn push(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(words) | Event::Code(words) => self.push_str(words),
            Event::SoftBreak | Event::HardBreak => self.push_str(" "),
            Event::InlineHtml(tag) if !is_markup(tag) => self.push_str(tag),
            // `<br>` parts words; between words one space more is none.
            Event::InlineHtml(tag) if tag.starts_with("<br") => self.push_str(" "),
            Event::InlineHtml(tag) if tag.starts_with("</a") => self.end_link(),
            Event::InlineHtml(tag) => {
                if let Some(destination) = href(tag) {
                    let range = self.text.len()..self.text.len();
                    self.links.push(Linked { destination, range });
                }
            }
            Event::Start(Tag::Image { .. }) => self.pictures += 1,
            Event::End(TagEnd::Image) => self.pictures = self.pictures.saturating_sub(1),
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let range = self.text.len()..self.text.len();
                self.links.push(Linked { destination: destination(*link_type, dest_url).into_owned(), range });
            }
            Event::End(TagEnd::Link) => self.end_link(),
            _ => {}
        }
    }

    fn end_link(&mut self) {
        if let Some(link) = self.links.last_mut() {
            link.range.end = self.text.len();
        }
    }

    fn push_str(&mut self, words: &str) {
        if self.pictures > 0 { &mut self.alt } else { &mut self.text }.push_str(words);
    }

    /// Makes it a title: pictures speak where there are no words, and `{#id}` at the end, an attribute of kramdown's,
    /// Pandoc's and Hugo's, is no word.
    pub(super) fn settle(&mut self) {
        let linked = self.links.last().map_or(0, |link| link.range.end);
        if self.text.ends_with('}')
            && let Some(at) = self.text.rfind(" {").filter(|&at| at >= linked)
            && self.text[at + 2..].starts_with(['#', '.', ':'])
        {
            self.text.truncate(at);
        }
        if self.text.trim().is_empty() {
            self.text = std::mem::take(&mut self.alt);
            for link in &mut self.links {
                link.range = 0..self.text.len();
            }
        }
    }

    /// What stands behind the first `at` bytes, with the links that begin there.
    pub(super) fn behind(&self, at: usize) -> Part<'_> {
        let first = self.links.iter().position(|link| link.range.start >= at).unwrap_or(self.links.len());
        Part { text: &self.text[at..], links: &self.links[first..], at }
    }

    /// The text of its links.
    pub(super) fn linked(&self) -> String {
        self.links.iter().map(|link| &self.text[link.range.clone()]).collect()
    }

    /// The text outside its links.
    pub(super) fn outside(&self) -> String {
        let mut out = String::new();
        let mut at = 0;
        for link in &self.links {
            out.push_str(self.text.get(at..link.range.start).unwrap_or_default());
            at = link.range.end.max(at);
        }
        out.push_str(&self.text[at..]);
        out
    }
}

/// Where the tag of a link leads.
fn href(tag: &str) -> Option<String> {
    attribute(tag, "a", "href")
}

/// What an attribute of a tag says, if the tag is of that element.
pub(super) fn attribute(tag: &str, element: &str, name: &str) -> Option<String> {
    let (start, attributes) = tag.strip_prefix('<')?.split_at_checked(element.len())?;
    let lower = attributes.to_ascii_lowercase();
    let is_whole = |at: &usize| attributes[..*at].ends_with(char::is_whitespace);
    let at = lower.match_indices(name).map(|(at, _)| at).find(is_whole)?;
    let value = attributes[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split(|c: char| c.is_whitespace() || c == '>').next()?,
    };
    let value = quick_xml::escape::unescape(value).unwrap_or_else(|_| value.into());
    Some(value.trim().to_owned()).filter(|value| start.eq_ignore_ascii_case(element) && !value.is_empty())
}

/// Where a link leads: `<ana@x.example>` is written without its scheme.
pub(super) fn destination(kind: LinkType, written: &str) -> Cow<'_, str> {
    if kind == LinkType::Email { Cow::Owned(format!("mailto:{written}")) } else { Cow::Borrowed(written) }
}

/// Whether a tag is one that HTML or a component library knows, and written as one: `<B>` and `<Data>` alone are
/// somebody's types.
pub(super) fn is_markup(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len())];
    let is_written = tag.contains('=')
        || !name.contains(|c: char| c.is_ascii_uppercase())
        || (name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase()));
    // Comments, instructions and declarations have no name.
    name.is_empty() || name.contains('-') || is_written && is_element(name)
}

/// Whether a name in any case is one of [`ELEMENTS`].
fn is_element(name: &str) -> bool {
    let mut padded = [b' '; "blockquote".len() + 2];
    let Some(word) = padded.get_mut(1..=name.len()) else { return false };
    word.copy_from_slice(name.as_bytes());
    word.make_ascii_lowercase();
    padded.get(..name.len() + 2).is_some_and(|word| memchr::memmem::find(ELEMENTS.as_bytes(), word).is_some())
}

/// The elements of HTML, old ones that are still found among them, and the roots of pictures and formulas, each between
/// spaces.
const ELEMENTS: &str = " a abbr acronym address area article aside audio b base bdi bdo big blink blockquote body br button \
    canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset \
    figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins \
    kbd label legend li link main map mark marquee math menu meta meter nav noscript object ol optgroup option output p \
    param picture pre progress q rp rt ruby s samp script search section select slot small source span strike strong \
    style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr ";
