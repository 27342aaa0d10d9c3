//! Markdown whose posts are no headings → posts: lists of links (`- 2026-09-24: [Title](link) — text`, llms.txt, lists
//! of recommended links) and tables with a link and a date in each row.
//!
//! Asked only where no heading is a post, or those that are may be days over such lists. Prose has links too, so a list
//! needs evidence: dates in most of its rows, or, without dates, that the document is little else than such rows.
//! Deliberately absent: rows without a link, and links within the page, which are its table of contents.

use super::fields::Fields;
use super::inline::{Inline, Linked};
use super::outline::{Head, Section};
use crate::extract::date::{self, Seen};
use crate::extract::link::Links;
use crate::extract::named::Named;
use crate::model::{Html, Post, Published, Text};
use chrono_tz::Tz;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Most rows that are looked at; of the posts in them the newest are read.
const MAX_ROWS: usize = 20_000;

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
    /// The day, month or year of the heading above.
    above: Option<Seen>,
    /// What a list below it, or the heads of a table's columns, say of it.
    fields: Fields,
    /// Whether it is such a list's.
    is_field: bool,
    /// What the column of summaries says of it.
    summary: Option<Inline>,
}

/// The posts of a document's lists and tables; none where they are no list of posts.
pub(super) fn posts(markdown: &str, links: &Links, tz: Tz) -> Vec<Post> {
    let (rows, letters) = rows(markdown, links, tz);
    let own =
        rows.iter().flat_map(|row| row.cells.iter().chain(&row.summary)).map(|cell| count(&cell.text)).sum::<usize>();
    let total = rows.len();
    let mut rows = rows;
    rows.iter_mut().for_each(Row::settle);
    // "link", "read" of row after row: the title stands in another cell. What most say is in the middle of all in order.
    let mut texts: Vec<&str> = rows.iter().filter_map(Row::link_text).collect();
    texts.sort_unstable();
    let is_said_by_most =
        |text: &&str| texts.len() > 1 && texts.iter().filter(|t| *t == text).count() * 2 > texts.len();
    let same = texts.get(texts.len() / 2).copied().filter(is_said_by_most).map(str::to_owned);
    let posts: Vec<Post> = rows.into_iter().filter_map(|row| row.post(same.as_deref(), links, tz)).collect();
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

/// Whether posts are days, each over a list of links and nothing else, as link blogs have them: the links are the posts.
/// What a changelog links to, changes and issues, are none.
pub(super) fn are_days(sections: &[Section<'_>], heads: &[Head], is_post: &[bool], tz: Tz) -> bool {
    let days = || sections.iter().zip(heads).zip(is_post).filter(|(_, is_post)| **is_post);
    let is_day = |head: &Head| head.link.is_none() && matches!(date::seen(head.title.trim(), tz), Some(Seen::Whole(_)));
    let is_of_links = |section: &Section<'_>| section.text_at.is_none() && is_of_links(section);
    let count = days().filter(|((section, head), _)| is_day(head) && is_of_links(section)).count();
    count > 0 && count * 5 >= days().filter(|((section, _), _)| !section.is_empty()).count() * 4
}

/// Whether nearly all items of a section's lists begin with a link that has a title.
fn is_of_links(section: &Section<'_>) -> bool {
    let mut events = section.lists.iter().map(|(event, _)| event);
    let (mut items, mut linked) = (0, 0);
    while let Some(event) = events.next() {
        if !matches!(event, Event::Start(Tag::Item)) {
            continue;
        }
        items += 1;
        let is_mark = |event: &&Event<'_>| matches!(event, Event::Start(Tag::Paragraph | Tag::Strong | Tag::Emphasis));
        let Some(Event::Start(Tag::Link { dest_url, .. })) = events.by_ref().find(|event| !is_mark(event)) else {
            continue;
        };
        let words = events.by_ref().take_while(|event| !matches!(event, Event::End(TagEnd::Link)));
        let title = Inline::of(words).text;
        let is_change = CHANGES.iter().any(|part| dest_url.contains(part));
        let is_title = title.chars().filter(|c| c.is_alphabetic()).count() > 2 && !title.starts_with(['#', '@', '!']);
        linked += usize::from(is_title && !is_change && !dest_url.starts_with('#'));
    }
    items > 0 && linked * 5 >= items * 4
}

/// What addresses of changes and issues hold.
const CHANGES: [&str; 7] =
    ["/commit/", "/commits/", "/pull/", "/issues/", "/compare/", "/merge_requests/", "/pull-requests/"];

/// The letters and digits of a text.
fn count(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// A walk through a document's lists and tables.
#[derive(Debug, Default)]
struct Walk {
    rows: Vec<Row>,
    /// The items that the walk is in, each with its place among the rows.
    open: Vec<usize>,
    /// The heading that it is in, outside of lists.
    heading: Option<Inline>,
    above: Option<Seen>,
    /// The heads of the columns of the table that it is in.
    columns: Vec<String>,
    in_head: bool,
    /// How many letters there are besides headings.
    letters: usize,
}

/// The rows of a document, in its order, and how many letters there are besides headings.
fn rows(markdown: &str, links: &Links, tz: Tz) -> (Vec<Row>, usize) {
    let mut walk = Walk::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        walk.take(&event, links, tz);
    }
    walk.rows.retain(|row| !row.is_field);
    (walk.rows, walk.letters)
}

impl Walk {
    fn take(&mut self, event: &Event<'_>, links: &Links, tz: Tz) {
        match event {
            Event::Start(Tag::Heading { .. }) if self.open.is_empty() => self.heading = Some(Inline::default()),
            Event::End(TagEnd::Heading(_)) if self.open.is_empty() => {
                let seen = self.heading.take().and_then(|h| date::seen(h.text.trim(), tz));
                self.above = seen.filter(|seen| matches!(seen, Seen::Year(_) | Seen::Month { .. } | Seen::Whole(_)));
            }
            Event::Start(Tag::TableHead) => (self.in_head, self.columns) = (true, Vec::new()),
            Event::End(TagEnd::TableHead) => self.in_head = false,
            Event::Start(Tag::TableCell) if self.in_head => self.columns.push(String::new()),
            Event::Start(Tag::Item | Tag::TableRow) if self.rows.len() < MAX_ROWS => {
                self.open.push(self.rows.len());
                self.rows.push(Row { cells: vec![Inline::default()], above: self.above, ..Row::default() });
            }
            Event::End(TagEnd::Item) => {
                if let Some(row) = self.open.pop() {
                    self.end_item(row, links, tz);
                }
            }
            Event::End(TagEnd::TableRow) => {
                if let Some(row) = self.open.pop() {
                    self.rows[row].end_of_table(&self.columns, links, tz);
                }
            }
            Event::Start(Tag::TableCell) => {
                if let Some(row) = self.open.last().and_then(|&n| self.rows.get_mut(n)) {
                    row.cells.push(Inline::default());
                }
            }
            event => self.inline(event),
        }
    }

    /// Takes what stands in a line.
    fn inline(&mut self, event: &Event<'_>) {
        if let Event::Text(words) | Event::Code(words) = event {
            if self.heading.is_none() {
                self.letters += count(words);
            }
            if let (true, Some(column)) = (self.in_head, self.columns.last_mut()) {
                column.push_str(words);
            }
        }
        let cell = self.open.last().and_then(|&n| self.rows.get_mut(n)).and_then(|row| row.cells.last_mut());
        let Some(inline) = self.heading.as_mut().or(cell) else { return };
        match event {
            // Blocks of one item stand apart.
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) if !inline.text.is_empty() => {
                inline.push(&Event::SoftBreak);
            }
            event => inline.push(event),
        }
    }

    /// Ends an item; where it is a field of the item that it is in, it is no row of its own.
    fn end_item(&mut self, row: usize, links: &Links, tz: Tz) {
        let Some(&outer) = self.open.last() else { return };
        let [cell] = &mut self.rows[row].cells[..] else { return };
        let cell = std::mem::take(cell);
        match self.rows[outer].fields.add(cell, links, tz) {
            Ok(()) => self.rows[row].is_field = true,
            Err(cell) => self.rows[row].cells[0] = cell,
        }
    }
}

impl Row {
    /// Takes the cells of a table's row whose columns are fields.
    fn end_of_table(&mut self, columns: &[String], links: &Links, tz: Tz) {
        let head = |n: usize| columns.get(n.wrapping_sub(1)).map_or("", String::as_str);
        let is_field = |n: usize| Named::of_column(head(n), false).is_some();
        let said =
            |cell: &Inline| cell.links.first().and_then(|link| cell.text.get(link.range.clone())).map(str::to_owned);
        let is_title = |n: usize| {
            let may_be = |link: String| Named::is_title(head(n), &link);
            Named::of_column(head(n), true).is_none() && said(&self.cells[n]).is_some_and(may_be)
        };
        let has_title = (1..self.cells.len()).any(is_title);
        // Where no other cell has a link, a field's is the post's.
        let has_link = (1..self.cells.len()).any(|n| !is_field(n) && !self.cells[n].links.is_empty());
        // The first cell stands for what is in none.
        for (cell, column) in self.cells.iter_mut().skip(1).zip(columns) {
            let is_read = (has_link || cell.links.is_empty()) && date::seen(cell.text.trim(), tz).is_none();
            match Named::of_column(column, has_title).filter(|_| is_read) {
                Some(Named::Summary) => self.summary = Some(std::mem::take(cell)),
                Some(named) => {
                    self.fields.add_named(named, cell, links, tz);
                    *cell = Inline::default();
                }
                None => {}
            }
        }
    }

    /// Makes its cells plain; an address that is all of a table's cell is a link.
    fn settle(&mut self) {
        let is_table = self.cells.len() > 1;
        for cell in &mut self.cells {
            cell.settle();
            let text = cell.text.trim();
            let is_address = text.starts_with("http") && text.contains("://") && !text.contains(char::is_whitespace);
            if is_table && is_address && cell.links.is_empty() {
                cell.links.push(Linked { destination: text.to_owned(), range: 0..cell.text.len() });
            }
        }
    }

    /// The text of its first link.
    fn link_text(&self) -> Option<&str> {
        let cell = self.cells.iter().find(|cell| !cell.links.is_empty())?;
        cell.text.get(cell.links.first()?.range.clone()).map(str::trim)
    }

    /// What a table's row says besides its link, if its link says no title: the longest cell that is no date.
    fn other_title(&self, link: &Inline, tz: Tz) -> Option<Text> {
        let others = self.cells.iter().filter(|cell| !std::ptr::eq(*cell, link) && cell.links.is_empty());
        let titles = others.filter(|cell| count(&cell.text) > 0 && self.read(&cell.text, tz).is_none());
        titles.max_by_key(|cell| cell.text.len()).map(|cell| Text::line(&cell.text))
    }

    /// The post of a row that begins with a link, after a date at most, or of a table's row with one. `same` is what the
    /// links of most rows say.
    fn post(self, same: Option<&str>, links: &Links, tz: Tz) -> Option<Post> {
        let is_table = self.cells.len() > 1;
        let cell = self.cells.iter().find(|cell| !cell.links.is_empty())?;
        let first = cell.links.first()?;
        if first.destination.starts_with('#') {
            return None;
        }
        let link = links.post(&first.destination)?;
        let said = &cell.text[first.range.clone()];
        let says_nothing = is_table && (same == Some(said.trim()) || said.trim() == first.destination);
        let other = if says_nothing { self.other_title(cell, tz) } else { None };
        let title = other.unwrap_or_else(|| Text::line(said));
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
        let published = published.or(self.fields.published);
        let published = published.or_else(|| others().find_map(|other| self.read(&other.text, tz)));
        let of_group = self.above.and_then(|above| if let Seen::Whole(day) = above { Some(day) } else { None });
        let published = published.or(of_group);
        if let (true, Some(mut own)) = (summary.is_empty(), self.summary) {
            own.settle();
            summary = own.text;
        }
        (!title.is_empty()).then(|| Post {
            title,
            link: Some(link),
            original: self.fields.original.clone(),
            companies: self.fields.companies.clone(),
            authors: self.fields.authors.clone(),
            kind: self.fields.kind.clone(),
            published,
            ago: self.fields.ago,
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
