//! Markdown whose posts are no headings → posts: lists of links (`- 2026-09-24: [Title](link) — text`, llms.txt, lists
//! of recommended links) and tables with a link and a date in each row.
//!
//! Asked only where no heading is a post. Prose has links too, so a list needs evidence: dates in most of its rows, or,
//! without dates, that the document is little else than such rows. Deliberately absent: rows without a link, and links
//! within the page, which are its table of contents.

use super::inline::Inline;
use crate::extract::date::{self, Seen};
use crate::extract::link::Links;
use crate::model::{Html, Post, Published, Text};
use chrono_tz::Tz;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Most rows that are read.
const MAX_ROWS: usize = 1000;

/// As many rows with dates are a list, and as many without.
const MIN_DATED: usize = 2;
const MIN_UNDATED: usize = 5;

/// What stands before a link that begins a row: a mark, an emoji, a number; in letters.
const MAX_BEFORE: usize = 12;

/// One row of a list or table.
#[derive(Debug, Default)]
struct Row {
    /// The cells of a table; one of a list.
    cells: Vec<Inline>,
    /// The year, or month and year, of the heading above.
    above: Option<Seen>,
}

/// The posts of a document's lists and tables; none where they are no list of posts.
pub(super) fn posts(markdown: &str, links: &Links, tz: Tz) -> Vec<Post> {
    let (rows, letters) = rows(markdown, tz);
    let own = rows.iter().flat_map(|row| &row.cells).map(|cell| count(&cell.text)).sum::<usize>();
    let total = rows.len();
    let posts: Vec<Post> = rows.into_iter().filter_map(|row| row.post(links, tz)).collect();
    let dated = posts.iter().filter(|post| post.published.is_some()).count();
    let is_dated = dated >= MIN_DATED && dated * 2 >= total;
    let is_little_else = posts.len() >= MIN_UNDATED && posts.len() * 5 >= total * 4 && own * 2 >= letters;
    let mut known = std::collections::HashSet::new();
    let distinct = posts.into_iter().filter(|post| post.link.as_ref().is_some_and(|link| known.insert(link.clone())));
    if is_dated {
        // Rows without a date are something else: links to the archive, to the author.
        distinct.filter(|post| dated * 5 < total * 4 || post.published.is_some()).collect()
    } else if is_little_else {
        distinct.collect()
    } else {
        Vec::new()
    }
}

/// The letters and digits of a text.
fn count(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// The rows of a document, in its order, and how many letters there are besides headings.
fn rows(markdown: &str, tz: Tz) -> (Vec<Row>, usize) {
    let mut rows: Vec<Row> = Vec::new();
    // The items that the walk is in, each with its place among the rows.
    let mut open: Vec<usize> = Vec::new();
    let mut heading: Option<Inline> = None;
    let mut above = None;
    let mut letters = 0;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match &event {
            Event::Start(Tag::Heading { .. }) => heading = Some(Inline::default()),
            Event::End(TagEnd::Heading(_)) => {
                let seen = heading.take().and_then(|h| date::seen(h.text.trim(), tz));
                above = seen.filter(|seen| matches!(seen, Seen::Year(_) | Seen::Month { .. }));
            }
            Event::Start(Tag::Item | Tag::TableRow) if rows.len() < MAX_ROWS => {
                open.push(rows.len());
                rows.push(Row { cells: vec![Inline::default()], above });
            }
            Event::End(TagEnd::Item | TagEnd::TableRow) => {
                open.pop();
            }
            Event::Start(Tag::TableCell) => {
                if let Some(row) = open.last().and_then(|&n| rows.get_mut(n)) {
                    row.cells.push(Inline::default());
                }
            }
            event => {
                if let Event::Text(words) | Event::Code(words) = event
                    && heading.is_none()
                {
                    letters += count(words);
                }
                let cell = open.last().and_then(|&n| rows.get_mut(n)).and_then(|row| row.cells.last_mut());
                if let Some(inline) = heading.as_mut().or(cell) {
                    inline.push(event);
                }
            }
        }
    }
    (rows, letters)
}

impl Row {
    /// The post of a row that begins with a link, after a date at most, or of a table's row with one.
    fn post(mut self, links: &Links, tz: Tz) -> Option<Post> {
        self.cells.iter_mut().for_each(Inline::settle);
        let is_table = self.cells.len() > 1;
        let cell = self.cells.iter().find(|cell| !cell.links.is_empty())?;
        let first = cell.links.first()?;
        if first.destination.starts_with('#') {
            return None;
        }
        let link = links.post(&first.destination)?;
        let title = Text::line(&cell.text[first.range.clone()]);
        let (before, after) = (&cell.text[..first.range.start], &cell.text[first.range.end..]);
        let mut published = self.read(before, tz);
        if published.is_none() && count(before) > MAX_BEFORE && !is_table {
            return None;
        }
        let mut summary = trimmed(after).to_owned();
        if published.is_none() {
            (published, summary) = self.behind(after, tz);
        }
        let others = || self.cells.iter().filter(|other| !std::ptr::eq(*other, cell));
        let published = published.or_else(|| others().find_map(|other| self.read(&other.text, tz)));
        (!title.is_empty()).then(|| Post {
            title,
            link: Some(link),
            published,
            summary: Html::escaped(&Text::line(&summary)),
            ..Post::default()
        })
    }

    /// The date that a text is.
    fn read(&self, text: &str, tz: Tz) -> Option<Published> {
        let text = trimmed(text);
        if text.len() > 60 { None } else { date::seen(text, tz)?.completed(None, self.above) }
    }

    /// The date at the start or end of what stands behind a link, and the rest.
    fn behind(&self, text: &str, tz: Tz) -> (Option<Published>, String) {
        let text = trimmed(text);
        if let Some(published) = self.read(text, tz) {
            return (Some(published), String::new());
        }
        let bound = |at: usize| text.floor_char_boundary(at);
        if let Some((seen, range)) = date::find(&text[..bound(60)]).filter(|(_, range)| range.end > 0)
            && count(&text[..range.start]) == 0
        {
            return (seen.completed(None, self.above), trimmed(&text[range.end..]).to_owned());
        }
        let start = bound(text.len().saturating_sub(40));
        if let Some((seen, range)) = date::find(&text[start..]).filter(|(_, range)| range.end > 0)
            && count(&text[start + range.end..]) == 0
        {
            return (seen.completed(None, self.above), trimmed(&text[..start + range.start]).to_owned());
        }
        (None, text.to_owned())
    }
}

/// A text without the signs that join it to a link or a date.
fn trimmed(text: &str) -> &str {
    let is_sign = |c: char| {
        c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '|' | ',' | ';' | '·' | '(' | ')' | '[' | ']' | '*')
    };
    let text = text.trim_matches(|c: char| c.is_whitespace());
    let inner = text.trim_start_matches(is_sign);
    // A bracket at the end may close one within.
    let is_end = |c: char| is_sign(c) && (!matches!(c, ')' | ']') || !inner.contains(['(', '[']));
    inner.trim_end_matches(is_end)
}
