//! The `Key: value` list below a post's heading → what it says about the post.
//!
//! In: the events of the lists that stand straight after a heading. Out: companies, authors, date, type, and which of
//! the events are not about these but belong to the post's text: CommonMark glues a text to the last value when no
//! blank line parts them, and a list to the list above it.
//!
//! A list counts as metadata only if a key in it is known, so "- Note: …" in a text stays in the text.

use super::inline::{Inline, Part};
use super::value;
use crate::extract::date;
use crate::extract::link::Links;
use crate::extract::named::Named as Known;
use crate::model::{Ago, Company, Published, Text, WarningKind};
use chrono_tz::Tz;
use pulldown_cmark::{Event, Tag, TagEnd};
use std::ops::Range;
use url::Url;

/// An event and the bytes of the page that it comes from.
pub(super) type Placed<'a> = (Event<'a>, Range<usize>);

/// Longest field, in bytes; a longer one is text.
const MAX_FIELD: usize = 4 * 1024;

/// Longest key, with the space around it, in characters.
const MAX_KEY: usize = 39;

/// As long as most fields are.
const USUAL_FIELD: usize = 64;

/// What a list says.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) companies: Vec<Company>,
    pub(super) authors: Vec<Text>,
    pub(super) published: Option<Published>,
    /// How long ago that was, where no more is said.
    pub(super) ago: Option<Ago>,
    pub(super) kind: Option<Text>,
    pub(super) original: Option<Url>,
    pub(super) extra: Vec<(Text, Text)>,
    /// What was not understood, and where.
    pub(super) problems: Vec<(usize, WarningKind, String)>,
    /// Whether it says whose post it is, or of when.
    is_certain: bool,
    /// The events that belong to the text.
    pub(super) rest: Vec<Range<usize>>,
}

/// One item of the lists.
#[derive(Debug)]
struct Item {
    /// The event that starts its list.
    list: usize,
    /// The events between its start and its end.
    events: Range<usize>,
    /// Where it begins in the page.
    at: usize,
    /// Its line.
    text: Inline,
    /// What it is, if it has the shape of a field.
    field: Option<Field>,
    /// The first event behind its value.
    after: usize,
    /// Whether a blank line stands before it.
    is_apart: bool,
}

/// A line that is a key and a value.
#[derive(Debug, Clone, Copy)]
struct Field {
    /// Where its key ends.
    end: usize,
    /// Where its value begins.
    value: usize,
    /// What the key means.
    known: Option<Known>,
}

impl Item {
    fn known(&self) -> Option<Known> {
        self.field?.known
    }
}

impl Fields {
    /// Reads the lists below a heading; none where no key is known.
    pub(super) fn read(events: &[Placed<'_>], source: &str, links: &Links, tz: Tz) -> Option<Self> {
        let mut items = items(events, source);
        let count = field_count(&items);
        // Steps are numbered more often than fields are.
        let is_numbered = matches!(events.first(), Some((Event::Start(Tag::List(Some(_))), _)));
        let known = items[..count].iter().filter(|item| item.known().is_some()).count();
        if count == 0 || is_numbered && known < 2 {
            return None;
        }
        let mut fields = Self::default();
        let mut text = items.split_off(count).into_iter();
        for item in items {
            if item.after < item.events.end {
                fields.rest.push(item.after..item.events.end);
            }
            if let Some(Field { end, value, known }) = item.field {
                fields.set(item.text.text[..end].trim(), known, item.text.behind(value), item.at, links, tz);
            }
        }
        if let Some(first) = text.next() {
            // The rest of this list, and all lists behind it.
            fields.rest.push(first.list..first.list + 1);
            fields.rest.push(first.events.start - 1..events.len());
        }
        Some(fields)
    }

    /// Takes an item that is a field with a known key; gives back any other.
    pub(super) fn add(&mut self, item: Inline, links: &Links, tz: Tz) -> Result<(), Inline> {
        let Some(Field { value, known: Some(known), .. }) = field(&item) else { return Err(item) };
        self.set("", Some(known), item.behind(value), 0, links, tz);
        Ok(())
    }

    /// Takes the value of a known key.
    pub(super) fn add_named(&mut self, known: Known, value: &Inline, links: &Links, tz: Tz) {
        self.set("", Some(known), value.behind(0), 0, links, tz);
    }

    /// Whether the list says whose post it is, or of when: a heading without a link is a post only with such a list.
    pub(super) fn is_certain(&self) -> bool {
        self.is_certain
    }

    fn set(&mut self, key: &str, known: Option<Known>, value: Part<'_>, at: usize, links: &Links, tz: Tz) {
        self.is_certain |= matches!(known, Some(Known::Company | Known::Published));
        // Names are made from the value itself.
        let text = match known {
            Some(Known::Company | Known::Author) => Text::default(),
            _ => Text::line(value.text),
        };
        match known {
            Some(Known::Company) => {
                let companies = value::companies(value, links);
                self.companies.reserve_exact(companies.len());
                for company in companies {
                    if !self.companies.iter().any(|c| c.name == company.name) {
                        self.companies.push(company);
                    }
                }
            }
            Some(Known::Author) if self.authors.is_empty() => self.authors = value::authors(value),
            Some(Known::Author) => self.authors.extend(value::authors(value)),
            Some(Known::Published) if self.published.is_none() && !text.is_empty() => {
                self.published = date::parse_field(text.as_str(), tz);
                if self.published.is_none() {
                    self.ago = date::ago(text.as_str());
                }
                if self.published.is_none() && self.ago.is_none() {
                    self.problems.push((at, WarningKind::Date, not_a_date(&text)));
                }
            }
            Some(Known::Type) if self.kind.is_none() && !text.is_empty() => self.kind = Some(text),
            Some(Known::Original) if self.original.is_none() => {
                // Words without a link name a source, but no address.
                let written = || text.as_str().split(' ').find(|word| word.contains("://"));
                let first = value.links().next().map(|(destination, _)| destination).or_else(written);
                self.original = first.and_then(|first| links.web(first));
            }
            _ if text.is_empty() => {}
            _ => self.extra.push((Text::line(key), text)),
        }
    }
}

/// The sentence about a date that nobody can read.
fn not_a_date(text: &Text) -> String {
    let shown: String = text.as_str().chars().take(60).collect();
    format!("date `{shown}` not understood: write it as `2026-09-24` or `Sep 24, 2026`")
}

/// How many of the first items are fields: up to the last known key, and unknown ones right behind it. A blank line
/// parts the fields from a list of the text, unless a key stands behind it that was not yet there.
fn field_count(items: &[Item]) -> usize {
    let mut seen = [false; Known::COUNT];
    let mut count = 0;
    for (i, item) in items.iter().enumerate() {
        match item.known() {
            _ if item.field.is_none() => break,
            Some(known) if !item.is_apart || !seen[known as usize] => {
                seen[known as usize] = true;
                count = i + 1;
            }
            None if !item.is_apart && count == i => count = i + 1,
            _ => {}
        }
    }
    if seen.contains(&true) { count } else { 0 }
}

/// Most lines of fields that are no list.
const MAX_LINES: usize = 12;

/// Whether a paragraph is of lines that all are fields with known keys, one of them or more than one of any text.
pub(super) fn are_lines(paragraph: &str) -> bool {
    let known = |line: &str| {
        let key = &line[..colon(line)?];
        Known::of(key.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_')))
    };
    let mut lines = paragraph.trim().lines();
    let Some(first) = lines.next().and_then(known) else { return false };
    let more = lines.clone().count();
    let is_certain = more > 0 || matches!(first, Known::Company | Known::Published);
    is_certain && more < MAX_LINES && lines.all(|line| known(line).is_some())
}

/// The byte that begins `：` in UTF-8, among others.
const WIDE_COLON: u8 = 0xef;

/// Where the first colon is, narrow or wide.
fn colon(text: &str) -> Option<usize> {
    // Long texts are asked for it, so what cannot be one is passed over in one go.
    memchr::memchr2_iter(b':', WIDE_COLON, text.as_bytes()).find(|&at| text[at..].starts_with([':', '：']))
}

/// The lines of the paragraph that begins at an event, as items.
fn lines(events: &[Placed<'_>], start: usize, items: &mut Vec<Item>) {
    let mut from = start + 1;
    for (i, (event, range)) in events.iter().enumerate().skip(start + 1) {
        let is_end = matches!(event, Event::End(TagEnd::Paragraph));
        if !is_end && !matches!(event, Event::SoftBreak | Event::HardBreak) {
            continue;
        }
        let mut text = Inline::with_capacity(USUAL_FIELD);
        events[from..i].iter().for_each(|(event, _)| text.push(event));
        let field = field(&text);
        if field.is_some() {
            let at = events[from.min(i)].1.start.min(range.start);
            let events = from..i;
            items.push(Item { list: start, events, at, text, field, after: i, is_apart: false });
        }
        from = i + 1;
        if is_end {
            return;
        }
    }
}

/// The items of the outermost lists, and the lines of paragraphs before them.
fn items(events: &[Placed<'_>], source: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut depth, mut list, mut start) = (0usize, 0, 0);
    for (i, (event, range)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Paragraph) if depth == 0 => lines(events, i, &mut items),
            Event::Start(Tag::List(_)) if depth == 0 => list = i,
            Event::Start(Tag::Item) if depth == 1 => start = i + 1,
            Event::End(TagEnd::Item) if depth == 2 => {
                let mut item = item(events, source, list, start..i, range.start);
                item.is_apart &= !items.is_empty();
                items.push(item);
            }
            _ => {}
        }
        match event {
            Event::Start(Tag::List(_) | Tag::Item) => depth += 1,
            Event::End(TagEnd::List(_) | TagEnd::Item) => depth -= 1,
            _ => {}
        }
    }
    items
}

fn item(events: &[Placed<'_>], source: &str, list: usize, inside: Range<usize>, at: usize) -> Item {
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let marker = indent(&source[line_start..]);
    let mut text = Inline::with_capacity(USUAL_FIELD);
    let ends = |i: usize| {
        let (event, range) = &events[i];
        match event {
            Event::Start(Tag::Paragraph) if i == inside.start => return None,
            Event::SoftBreak | Event::HardBreak if is_lazy(&text, &source[range.end..], marker) => return Some(i + 1),
            Event::End(TagEnd::Paragraph) => return Some(i + 1),
            Event::Start(Tag::List(_)) if text.text.trim_end().ends_with(':') => {
                return Some(listed(events, i, &mut text));
            }
            Event::Start(tag) if is_block(tag) => return Some(i),
            Event::Rule => return Some(i),
            _ => text.push(event),
        }
        None
    };
    let after = inside.clone().find_map(ends).unwrap_or(inside.end);
    let gap = &before[before.trim_end().len()..];
    let is_apart = gap.matches('\n').count() > 1;
    let field = field(&text);
    Item { list, events: inside, at, text, field, after, is_apart }
}

/// Whether a tag starts a block.
fn is_block(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph | Tag::List(_) | Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::Heading { .. }
    )
}

/// Takes the items of a list that is a value into it, parted by commas. Returns the event behind the list.
fn listed(events: &[Placed<'_>], start: usize, text: &mut Inline) -> usize {
    let mut depth = 0usize;
    let mut is_first = true;
    for (i, (event, _)) in events.iter().enumerate().skip(start) {
        match event {
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) => depth -= 1,
            Event::Start(Tag::Item) if !std::mem::take(&mut is_first) => text.text.push_str(", "),
            event => text.push(event),
        }
        if depth == 0 {
            return i + 1;
        }
    }
    events.len()
}

/// Whether the line behind a break belongs to the text below the list: it is not set in under its item, and the value
/// does not end in the middle of a list of names.
fn is_lazy(value: &Inline, next: &str, marker: usize) -> bool {
    indent(next) <= marker && !value.text.trim_end().ends_with(',')
}

/// How many spaces a line begins with.
fn indent(line: &str) -> usize {
    line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// A line as a field: a few words, none of them a link, then a colon that is not an address's.
fn field(text: &Inline) -> Option<Field> {
    let end = colon(&text.text)?;
    let (before, behind) = text.text.split_at(end);
    let key = before.trim();
    let known = Known::of(key);
    let is_words = || {
        key.starts_with(char::is_alphabetic)
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '(' | ')' | '/' | '&' | '\''))
            && key.split_whitespace().count() <= 4
    };
    let is_near = before.chars().nth(MAX_KEY).is_none();
    let is_address = behind.starts_with("://");
    let is_linked = text.links.iter().any(|link| link.range.start < end);
    let is_short = text.text.len() <= MAX_FIELD;
    let is_field = is_short && is_near && (known.is_some() || is_words()) && !is_address && !is_linked;
    let value = end + behind.chars().next()?.len_utf8();
    is_field.then_some(Field { end, value, known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_may_be_wide() {
        assert_eq!(colon("ﬁrm：a:b"), Some("ﬁrm".len()), "a ligature begins with the same byte");
        assert_eq!(colon("no ﬁrm"), None);
        assert!(are_lines("Company： Acme\n**Date**: 2026-09-24"));
        assert!(!are_lines("Company： Acme\nText"));
    }

    #[test]
    fn a_key_is_near_and_of_words() {
        let field = |line: &str| {
            let mut text = Inline::default();
            text.text.push_str(line);
            field(&text).map(|f| (line[..f.end].to_owned(), line[f.value..].to_owned(), f.known.is_some()))
        };
        let some = |key: &str, value: &str, known| Some((key.to_owned(), value.to_owned(), known));
        assert_eq!(field("Author(s): Ana"), some("Author(s)", " Ana", true));
        assert_eq!(field("Reading time：5 min"), some("Reading time", "5 min", false));
        assert_eq!(field(&format!("{}: x", "ä".repeat(39))), some(&"ä".repeat(39), " x", false));
        for none in [&format!("{}: x", "ä".repeat(40)), "source://x", "One two three four five: x", "5: x", "no colon"]
        {
            assert_eq!(field(none), None, "{none}");
        }
    }
}
