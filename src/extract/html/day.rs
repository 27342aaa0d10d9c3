//! Where on a page dates stand, and which of them are the posts'.
//!
//! Looked for once a page: in `<time>` and attributes made for it (HTML, microdata, microformats), in elements that
//! hold nothing but a date, at the start of short texts. Which of several dates of a post is its own is told by the
//! list as a whole: the one that stands at the same place in most posts. `3/12/2026` is read in the order that other
//! dates of the list prove, and not at all where none does.

use super::column::Columns;
use super::shape::{DATE, EDITED, PUBLISHED, Shape, mixed};
use super::tree::{Id, Tree};
use crate::extract::date::{self, Order, Seen, byline};
use crate::extract::named::Named;
use crate::model::Published;
use chrono_tz::Tz;
use html5ever::local_name;
use std::collections::HashMap;
use std::ops::Range;

/// Longest text that may be nothing but a date, in letters and digits.
const MAX_WHOLE: usize = 50;

/// How far into a text its date may begin, in letters.
const MAX_BEFORE: usize = 60;

/// How much may follow a date that other words stand before, in letters.
const MAX_AFTER: usize = 30;

/// How a date was found, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Words before it say that it is when the post was last edited: it dates nothing.
    Told,
    /// A class says that it is when the post was last edited.
    Edited,
    /// In the midst of other words.
    Words,
    /// All that an element or a piece of text says.
    Alone,
    /// So, and a class says that it is a date.
    Named,
    /// In markup made for it.
    Marked,
    /// Words before it say that it is when the post was published.
    Stated,
}

impl Source {
    fn weight(self) -> usize {
        match self {
            Self::Told => 0,
            Self::Edited => 2,
            Self::Words => 4,
            Self::Alone => 7,
            Self::Named => 9,
            Self::Marked => 10,
            Self::Stated => 12,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Told | Self::Edited => "a date of an edit",
            Self::Words => "a date among words",
            Self::Alone => "a date that stands alone",
            Self::Named => "an element named as a date",
            Self::Marked => "markup for dates",
            Self::Stated => "a date that is said to be the post's",
        }
    }
}

/// A date on the page.
#[derive(Debug, Clone)]
pub(super) struct Dated {
    /// The element or text that says it.
    pub(super) id: Id,
    pub(super) seen: Seen,
    pub(super) source: Source,
    /// Where in the text it stands, where other words stand beside it.
    pub(super) within: Option<Range<usize>>,
    /// Equal for dates at like places.
    slot: u64,
    /// The order of numbers that it proves.
    order: Option<Order>,
}

/// All dates of a page, in its order.
#[derive(Debug)]
pub(super) struct Dates {
    all: Vec<Dated>,
    /// Whether the page's language writes the day first.
    day_first: bool,
}

impl Dates {
    pub(super) fn of(tree: &Tree, shape: &Shape, language: &str, tz: Tz, columns: &Columns) -> Self {
        let mut all: Vec<Dated> = Vec::new();
        let mut covered = 0;
        // The end of the cell that says when a row's post was published.
        let mut stated = 0;
        for id in 1..tree.len() {
            if columns.says(id) == Some(Named::Published) {
                stated = tree.end(id);
            }
            // What stands in an element that is a date is part of it.
            if id < covered {
                continue;
            }
            if let Some(mut dated) = dated(tree, shape, id, tz) {
                if id < stated {
                    dated.source = Source::Stated;
                }
                if dated.within.is_none() {
                    covered = tree.end(id);
                }
                all.push(dated);
            }
        }
        let day_first = !language.is_empty() && !["en", "zh", "ja", "ko"].iter().any(|l| language.starts_with(l));
        Self { all, day_first }
    }

    /// The dates of a stretch of the page.
    pub(super) fn within(&self, range: &Range<Id>) -> &[Dated] {
        let start = self.all.partition_point(|d| d.id < range.start);
        let end = self.all.partition_point(|d| d.id < range.end);
        &self.all[start.min(end)..end]
    }

    /// The nearest year, or month of a year, that stands alone above a post: a heading of its group.
    fn above(&self, at: Id, tree: &Tree) -> Option<Seen> {
        let end = self.all.partition_point(|d| d.id < at);
        let is_heading = |d: &&Dated| {
            let is_group = matches!(d.seen, Seen::Year(_) | Seen::Month { .. }) && d.source >= Source::Alone;
            // A heading holds for what follows in the block that it stands in.
            is_group && tree.ancestors(d.id).take(6).any(|up| tree.contains(up, at) && tree.parent(up) != 0)
        };
        self.all[..end].iter().rev().take(60).find(is_heading).map(|d| d.seen)
    }

    /// For each of several stretches of the page that are posts of one list: which date is its own, and what it says.
    pub(super) fn chosen(
        &self,
        posts: &[Range<Id>],
        is_title: impl Fn(usize, Id) -> bool,
        tree: &Tree,
    ) -> Vec<Option<(Published, &Dated)>> {
        let order = self.order(posts);
        let above: Vec<Option<Seen>> = posts.iter().map(|post| self.above(post.start, tree)).collect();
        let dates = |d: &Dated| d.source != Source::Told;
        let read = |n: usize, d: &Dated| d.seen.completed(order, above[n]).filter(|_| dates(d));
        let mut slots: HashMap<u64, (usize, usize)> = HashMap::new();
        for (n, post) in posts.iter().enumerate() {
            let mut counted = Vec::new();
            for d in self.within(post).iter().filter(|d| read(n, d).is_some()) {
                if !counted.contains(&d.slot) && counted.len() < 16 {
                    counted.push(d.slot);
                    let entry = slots.entry(d.slot).or_default();
                    *entry = (entry.0 + 1, d.source.weight());
                }
            }
        }
        let worth = |d: &Dated| slots.get(&d.slot).map_or(0, |(count, weight)| count * weight);
        let is_usual =
            |d: &Dated| slots.get(&d.slot).is_some_and(|(count, _)| count * 2 >= posts.len() && posts.len() > 1);
        let own = |(n, post): (usize, &Range<Id>)| {
            let fits = |d: &&Dated| {
                let is_sure = d.source >= Source::Alone || d.within.as_ref().is_some_and(|range| range.start == 0);
                let is_own =
                    is_usual(d) || is_sure && !is_title(n, d.id) || posts.len() == 1 && d.source > Source::Edited;
                is_own && read(n, d).is_some()
            };
            // The first of those that are worth most.
            let dates = self.within(post).iter().filter(fits);
            let best = dates.rev().max_by_key(|d| (d.source == Source::Stated, worth(d), d.source))?;
            let day = read(n, best)?;
            // The same day with its time, if markup has it.
            let exact =
                self.within(post).iter().filter(|d| d.source == Source::Marked && best.source == Source::Stated);
            let exact = exact.filter_map(|d| read(n, d)).find(|exact| exact.day() == day.day());
            Some((exact.unwrap_or(day), best))
        };
        posts.iter().enumerate().map(own).collect()
    }

    /// The order of numbers that the dates of some posts prove, or else that their page's language has.
    fn order(&self, posts: &[Range<Id>]) -> Option<Order> {
        let dates = || posts.iter().flat_map(|post| self.within(post));
        let proves = |order| dates().any(|d| d.order == Some(order));
        match (proves(Order::DayFirst), proves(Order::MonthFirst)) {
            (true, false) => return Some(Order::DayFirst),
            (false, true) => return Some(Order::MonthFirst),
            (true, true) => return None,
            (false, false) => {}
        }
        // Lists are sorted by time: where one order sorts them and the other does not, it is meant.
        let sorted = |order| {
            let days: Vec<_> =
                dates().filter_map(|d| d.seen.completed(Some(order), None)).map(Published::day).collect();
            days.len() > 3 && (days.is_sorted() || days.iter().rev().is_sorted())
        };
        match (sorted(Order::DayFirst), sorted(Order::MonthFirst)) {
            (true, false) => Some(Order::DayFirst),
            (false, true) => Some(Order::MonthFirst),
            _ => self.day_first.then_some(Order::DayFirst),
        }
    }
}

/// The date that a node says.
fn dated(tree: &Tree, shape: &Shape, id: Id, tz: Tz) -> Option<Dated> {
    let make = |seen, source, within, order| {
        let holder = if tree.is_element(id) { id } else { tree.parent(id) };
        let class = tree.attribute(holder, "class").unwrap_or_default();
        let slot = mixed(mixed(shape.names[id], class.as_bytes()), &[source as u8]);
        Some(Dated { id, seen, source, within, slot, order })
    };
    let Some(text) = &tree.nodes[id].text else {
        if let Some(published) = marked(tree, id, tz) {
            let source = if is_edit(tree, shape, id) { Source::Edited } else { Source::Marked };
            return make(Seen::Whole(published), source, None, None);
        }
        // One piece of text is looked at as such.
        let is_one = tree.end(id) == id + 2 && tree.nodes[id + 1].text.is_some();
        let size = tree.size(id);
        if tree.end(id) == id + 1 || size == 0 || size > MAX_WHOLE {
            return None;
        }
        if is_one && !is_named(shape, id) {
            return None;
        }
        // What markup says within is more exact than its words: `Posted on <time datetime="…">`.
        if tree.elements(id + 1..tree.end(id)).any(|inner| marked(tree, inner, tz).is_some()) {
            return None;
        }
        let line = tree.line(id);
        if let Some((seen, order)) = byline::stated(&line) {
            return make(seen, Source::Stated, None, order);
        }
        if is_told_as_edit(tree, id, &line) {
            return make(date::find(&line)?.0, Source::Told, None, None);
        }
        let seen = byline::alone(&line, tz).or_else(|| byline::labelled(&line, tz))?;
        let source = if is_edit(tree, shape, id) {
            Source::Edited
        } else if is_named(shape, id) {
            Source::Named
        } else {
            Source::Alone
        };
        return make(seen, source, None, Seen::order(&line));
    };
    if !text.contains(|c: char| c.is_numeric()) {
        return None;
    }
    let line = text.trim();
    if let Some((seen, order)) = byline::stated(line) {
        return make(seen, Source::Stated, None, order);
    }
    if is_told_as_edit(tree, id, line) {
        return make(date::find(line)?.0, Source::Told, None, None);
    }
    if line.len() < 4 * MAX_WHOLE
        && let Some(seen) = byline::alone(line, tz).or_else(|| byline::labelled(line, tz))
    {
        return make(seen, Source::Alone, None, Seen::order(line));
    }
    let start = &text[..text.floor_char_boundary(4 * MAX_BEFORE)];
    let (seen, range) = date::find(start)?;
    let before = start[..range.start].chars().filter(|c| c.is_alphanumeric()).count();
    let order = Seen::order(&start[range.start..]);
    // In a sentence a date is what it tells of: only a line that begins with it, or soon ends behind it, is dated by it.
    let after = text[range.end..].chars().take(4 * MAX_BEFORE).filter(|c| c.is_alphanumeric()).count();
    let is_line = before == 0 || after <= MAX_AFTER;
    (before <= MAX_BEFORE && is_line).then(|| make(seen, Source::Words, Some(range), order))?
}

/// The date of an element that markup makes one.
fn marked(tree: &Tree, id: Id, tz: Tz) -> Option<Published> {
    let name = tree.name(id);
    let read = |text: &str| date::parse(text.trim(), tz);
    if *name == local_name!("time") {
        let shown = || match date::seen(&tree.line(id), tz) {
            Some(Seen::Whole(published)) => Some(published),
            _ => None,
        };
        return tree.attribute(id, "datetime").and_then(read).or_else(shown);
    }
    let property = tree.attribute(id, "itemprop").unwrap_or_default();
    let is_date = ["datePublished", "dateCreated", "dateModified"].iter().any(|p| property.eq_ignore_ascii_case(p))
        || tree.has_word(id, "class", "dt-published")
        || tree.has_word(id, "class", "dt-updated")
        || tree.has_word(id, "class", "published");
    if is_date {
        let given = ["content", "datetime", "value", "title"].iter().find_map(|a| tree.attribute(id, a).and_then(read));
        return given.or_else(|| read(&tree.line(id)));
    }
    let data =
        ["data-date", "data-datetime", "data-published", "data-publish-date", "data-pubdate", "data-time", "datetime"];
    if let Some(published) = data.iter().find_map(|a| tree.attribute(id, a).and_then(read)) {
        return Some(published);
    }
    // A hint with the whole date over a short one.
    let is_short = matches!(&**name, "span" | "abbr" | "small" | "div") && tree.size(id) <= MAX_WHOLE;
    if is_short { tree.attribute(id, "title").and_then(read) } else { None }
}

/// Whether words before a date, in its text or right before that, say that it is when something was last edited.
fn is_told_as_edit(tree: &Tree, id: Id, line: &str) -> bool {
    let says = byline::says_edited;
    let before = |id: Id| tree.nodes[id - 1].text.as_deref().is_some_and(|text| text.len() < 40 && says(text));
    let label = line.find(|c: char| c.is_ascii_digit()).map_or(line, |at| &line[..at]);
    says(label) || before(id)
}

/// Whether an element or one around it says that a date is that of an edit.
fn is_edit(tree: &Tree, shape: &Shape, id: Id) -> bool {
    let says = |id: Id| {
        let property = tree.attribute(id, "itemprop").unwrap_or_default();
        let is_edited = shape.says[id] & EDITED != 0 && shape.says[id] & PUBLISHED == 0;
        is_edited || property.eq_ignore_ascii_case("dateModified")
    };
    says(id) || says(tree.parent(id))
}

/// Whether a class says that an element is a date.
fn is_named(shape: &Shape, id: Id) -> bool {
    shape.says[id] & DATE != 0
}
