//! A post's stretch of the page → its title.
//!
//! The heading that is its link, holds it or is in it; else what markup names as its title; else the text of its link,
//! unless that is one that other posts' links have too ("Read more", in any language); else its heading; else what its
//! link says to people who cannot see, or its picture. Dates, marks for permanent links and hidden words are no part.

use super::Page;
use super::family::{Record, any_heading, headings, own_heading};
use super::shape::{TITLE, mixed};
use super::tree::{Id, Tree, is_block, is_heading};
use crate::extract::date::{self, Seen};
use std::collections::HashMap;

/// Longest title, in bytes.
const MAX_TITLE: usize = 500;

/// Whether an element is a heading, in name or by what markup says of it.
pub(super) fn is_head(page: &Page, id: Id) -> bool {
    let tree = &page.tree;
    if is_heading(tree.name(id)) {
        return true;
    }
    let property = tree.attribute(id, "itemprop").unwrap_or_default();
    if property.eq_ignore_ascii_case("headline") || tree.attribute(id, "role") == Some("heading") {
        return true;
    }
    let is_named = page.shape.says[id] & TITLE != 0 && tree.size(id) <= 300;
    // A box of that name around a heading is none.
    is_named && !tree.elements(id + 1..tree.end(id)).any(|inner| is_heading(tree.name(inner)))
}

/// A title, and the element that it was read from.
#[derive(Debug, Clone)]
pub(super) struct Title {
    pub(super) text: String,
    pub(super) id: Id,
    pub(super) from: &'static str,
}

/// The titles of posts that look alike.
pub(super) fn titles(page: &Page, records: &[Record], is_date: &dyn Fn(Id) -> bool) -> Vec<Option<Title>> {
    let common = common_texts(page, records);
    let is_own = |text: &str| {
        let said = common.get(&folded(text)).copied().unwrap_or(0);
        text.contains(char::is_alphanumeric) && (said < 2 || said * 5 < records.len())
    };
    // Posts that come again and again under one title are posts too: what sets them apart is that other links speak.
    let differ = common.keys().filter(|text| !text.is_empty()).count() * 2 > records.len();
    let slot = slot(page, records, is_date);
    // Where the links of many say nothing, those of the others say no titles either.
    let says_nothing = |record: &&Record| !is_own(&page.anchors[record.anchor].text);
    let by_heading = records.iter().filter(says_nothing).count() * 3 > records.len();
    let again = |record: &Record| {
        let text = if differ { repeated(page, record, is_date, &common) } else { None };
        text.or_else(|| Some(date_text(page, record, is_date)).filter(|title| is_own(&title.text)))
    };
    let title = |record| title(page, record, is_date, &is_own, slot, by_heading).or_else(|| again(record));
    records.iter().map(|record| title(record).map(|title| finished(&page.tree, title))).collect()
}

/// How many posts have a link of each text.
fn common_texts(page: &Page, records: &[Record]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for record in records {
        let mut own: Vec<String> = same_links(page, record).map(|n| folded(&page.anchors[n].text)).collect();
        own.sort_unstable();
        own.dedup();
        for text in own {
            *counts.entry(text).or_default() += 1;
        }
    }
    counts
}

/// The letters and digits of a text, in lower case.
fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The links of a post that lead to it.
pub(super) fn same_links<'p>(page: &'p Page, record: &'p Record) -> impl Iterator<Item = usize> + 'p {
    let key = &page.anchors[record.anchor].key;
    let start = page.anchors.partition_point(|a| a.id < record.range.start);
    let inside = page.anchors[start..].iter().take_while(|a| a.id < record.range.end).take(200);
    inside.enumerate().filter(move |(_, a)| a.key == *key).map(move |(n, _)| start + n)
}

fn title(
    page: &Page,
    record: &Record,
    is_date: &dyn Fn(Id) -> bool,
    is_own: &dyn Fn(&str) -> bool,
    slot: Option<Place>,
    by_heading: bool,
) -> Option<Title> {
    let tree = &page.tree;
    let read = |id: Id, from| {
        let text = clean(page, id, is_date);
        (is_own(&text) && !is_only_date(&text)).then_some(Title { text, id, from })
    };
    let own_headings = || {
        same_links(page, record).filter_map(|anchor| own_heading(page, &Record { anchor, range: record.range.clone() }))
    };
    let heading = || own_headings().find_map(|id| read(id, "the heading that is its link"));
    // Several posts may have one title; a heading that says no more than "Read more" stands below another.
    let same_heading = || {
        let title = own_headings().find_map(|id| said(page, id, is_date, "the heading that is its link"))?;
        headings(page, record).all(|id| !is_own(&clean(page, id, is_date))).then_some(title)
    };
    let by_slot = || {
        let slot = slot?;
        let id = leaves(page, record, is_date).find(|&(place, _)| place == slot)?.1;
        read(id, "the place at which all posts have another text")
    };
    let text = || {
        let texts = same_links(page, record).filter_map(|n| {
            let id = page.anchors[n].id;
            (!is_date(id)).then(|| read(id, "the text of its link"))?
        });
        texts.max_by_key(|t| t.text.len().min(80))
    };
    let any = || any_heading(page, record).and_then(|id| read(id, "its heading"));
    let spoken = || {
        same_links(page, record).find_map(|n| {
            let id = page.anchors[n].id;
            let label = ["title", "aria-label"].iter().find_map(|a| tree.attribute(id, a));
            let picture = || {
                tree.elements(id..tree.end(id))
                    .find_map(|i| tree.attribute(i, "alt").filter(|alt| !alt.trim().is_empty()))
            };
            let text = super::tree::squeezed(label.or_else(picture)?);
            is_own(&text).then_some(Title { text, id, from: "what its link says to those who cannot see it" })
        })
    };
    let strong = || {
        let bold = |id: &Id| matches!(&**tree.name(*id), "strong" | "b") && tree.size(*id) > 3;
        let id = tree.elements(record.range.clone()).find(bold)?;
        read(id, "its first words in bold")
    };
    let found = heading().or_else(same_heading).or_else(by_slot).or_else(|| if by_heading { any() } else { None });
    found.or_else(text).or_else(any).or_else(spoken).or_else(strong)
}

/// What an element says, where that can be a title.
fn said(page: &Page, id: Id, is_date: &dyn Fn(Id) -> bool, from: &'static str) -> Option<Title> {
    let text = clean(page, id, is_date);
    (text.contains(char::is_alphanumeric) && !is_only_date(&text)).then_some(Title { text, id, from })
}

/// Of a post's links the text that the fewest others have, and of these the longest.
fn repeated(
    page: &Page,
    record: &Record,
    is_date: &dyn Fn(Id) -> bool,
    common: &HashMap<String, usize>,
) -> Option<Title> {
    let links = same_links(page, record).map(|n| page.anchors[n].id).filter(|&id| !is_date(id));
    let texts = links.filter_map(|id| said(page, id, is_date, "the text of its link, which others have too"));
    texts.min_by_key(|t| {
        let others = common.get(&folded(&t.text)).copied().unwrap_or(0);
        (others, std::cmp::Reverse(t.text.len()))
    })
}

/// The text of a post's link where that is a date.
fn date_text(page: &Page, record: &Record, is_date: &dyn Fn(Id) -> bool) -> Title {
    let id = page.anchors[record.anchor].id;
    Title { text: clean(page, id, is_date), id, from: "the text of its link, a date" }
}

/// A title in full, and no longer than titles may be.
fn finished(tree: &Tree, mut title: Title) -> Title {
    if let Some(whole) = whole(tree, title.id, &title.text) {
        title.text = whole;
    }
    title.text.truncate(title.text.floor_char_boundary(MAX_TITLE));
    title
}

/// Whether a text is a date and nothing else; a month may be a title.
fn is_only_date(text: &str) -> bool {
    let seen = date::seen(text, chrono_tz::UTC);
    matches!(seen, Some(Seen::Whole(_) | Seen::Yearless { .. } | Seen::Swappable { .. }))
        && text.chars().filter(|c| c.is_alphabetic()).count() < 24
}

/// The whole of a title that is cut short on the page, if its element says it.
fn whole(tree: &Tree, id: Id, text: &str) -> Option<String> {
    let start = text.strip_suffix('…').or_else(|| text.strip_suffix("..."))?.trim_end();
    let around = std::iter::once(id).chain(tree.ancestors(id).take(2)).chain(tree.elements(id..tree.end(id)));
    let mut given = around.filter_map(|id| tree.attribute(id, "title")).map(super::tree::squeezed);
    given.find(|whole| whole.len() > start.len() && whole.starts_with(start))
}

/// An element's text without what is no part of a title.
fn clean(page: &Page, id: Id, is_date: &dyn Fn(Id) -> bool) -> String {
    let tree = &page.tree;
    let all = tree.text(id..tree.end(id), |at| tree.is_element(at) && is_mark(tree, at));
    let without =
        tree.text(id..tree.end(id), |at| at != id && (tree.is_element(at) && is_mark(tree, at) || is_date(at)));
    let text = if without.contains(char::is_alphanumeric) { without } else { all };
    text.trim_matches(|c: char| matches!(c, '¶' | '§' | '»' | '→' | '›' | '|' | '·' | '•') || c.is_whitespace())
        .to_owned()
}

/// Whether an element is a mark beside words: a permanent link's sign, or words that only some can hear.
fn is_mark(tree: &Tree, id: Id) -> bool {
    let is_hidden = |class: &str| {
        matches!(
            class,
            "sr-only" | "visually-hidden" | "screen-reader-text" | "headerlink" | "hash-link" | "anchor-link"
        )
    };
    if tree.words(id, "class").any(is_hidden) {
        return true;
    }
    let is_within = tree.attribute(id, "href").is_some_and(|href| href.contains('#'));
    is_within && tree.size(id) == 0
}

/// A place within a link that is a whole card: a path of names, with the last element's classes or else its number.
type Place = u64;

/// The pieces of text within a link that is a whole card, each with its place.
fn leaves<'p>(
    page: &'p Page,
    record: &Record,
    is_date: &'p dyn Fn(Id) -> bool,
) -> impl Iterator<Item = (Place, Id)> + 'p {
    let tree = &page.tree;
    let anchor = page.anchors[record.anchor].id;
    let is_leaf = move |&id: &Id| {
        let has_blocks = || tree.children(id).any(|c| tree.is_element(c) && is_block(tree.name(c)));
        let has_parts = || tree.children(id).filter(|&c| tree.is_element(c) && tree.size(c) > 0).count() > 1;
        tree.size(id) > 0 && !is_date(id) && !is_mark(tree, id) && !has_blocks() && !has_parts()
    };
    let inside = tree.elements(anchor + 1..tree.end(anchor)).take(60).filter(is_leaf);
    inside.enumerate().map(move |(number, id)| {
        let class = tree.attribute(id, "class").filter(|c| !c.is_empty());
        let own = class.map_or_else(|| number.to_string(), str::to_owned);
        (mixed(page.shape.names[id], own.as_bytes()), id)
    })
}

/// The place within links that are whole cards at which each post has a text of its own, as long as a title is: the
/// first such.
fn slot(page: &Page, records: &[Record], is_date: &dyn Fn(Id) -> bool) -> Option<Place> {
    let tree = &page.tree;
    let mut places: HashMap<Place, (usize, usize, Id)> = HashMap::new();
    let mut texts: HashMap<(Place, String), usize> = HashMap::new();
    let mut cards = 0;
    for record in records {
        let inside: Vec<_> = leaves(page, record, is_date).collect();
        if inside.len() < 2 {
            continue;
        }
        cards += 1;
        for (place, id) in inside {
            let entry = places.entry(place).or_insert((0, 0, id.saturating_sub(record.range.start)));
            entry.0 += 1;
            entry.1 += tree.size(id);
            *texts.entry((place, folded(&tree.line(id)))).or_default() += 1;
        }
    }
    if cards * 2 <= records.len() {
        return None;
    }
    let mut different: HashMap<Place, usize> = HashMap::new();
    for (place, _) in texts.keys() {
        *different.entry(*place).or_default() += 1;
    }
    let is_title = |&(place, &(count, size, _)): &(&Place, &(usize, usize, Id))| {
        let mean = size / count.max(1);
        count * 5 >= cards * 4 && different.get(place).is_some_and(|n| n * 5 >= count * 4) && (6..=150).contains(&mean)
    };
    let found = places.iter().filter(is_title);
    found.min_by_key(|(place, (_, _, offset))| (*offset, **place)).map(|(&place, _)| place)
}
