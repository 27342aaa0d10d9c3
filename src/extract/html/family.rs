//! Links at like places → families of posts, each with what speaks for it.
//!
//! A family is the links to different addresses that stand at the same path of elements. Around each of them is as much
//! of the page as belongs to no other link of the family: that is its post. A family is judged by what its posts have:
//! dates, headings, text, marks such as `<article>`, addresses below the page's own; not by the words of one language
//! nor by any site's classes.

use super::Page;
use super::anchor::host;
use super::tree::{Id, is_heading};
use crate::extract::date;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// One post of a family.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The number of its link among the page's.
    pub(super) anchor: usize,
    /// The stretch of the page that is it.
    pub(super) range: Range<Id>,
}

/// A family with what speaks for it, each as a share of its posts.
#[derive(Debug, Clone)]
pub(super) struct Family {
    pub(super) records: Vec<Record>,
    pub(super) dated: f64,
    /// Dates in addresses.
    pub(super) in_address: f64,
    /// A month or a day that is only part of a date.
    pub(super) partly_dated: f64,
    pub(super) headed: f64,
    pub(super) with_text: f64,
    pub(super) marked: f64,
    /// Addresses below the page's own, or in one folder, where the page is not the home of its site.
    pub(super) together: f64,
    pub(super) aside: f64,
    /// How much like titles the texts are, 0 to 1.
    pub(super) titled: f64,
    /// Links with the same text as another's, or none.
    pub(super) generic: f64,
    /// Different addresses among all links.
    pub(super) distinct: f64,
    /// Addresses below the page's own.
    pub(super) below: f64,
    /// Posts with a heading that their link has nothing to do with.
    pub(super) foreign: f64,
    /// Links to parts of the page itself.
    pub(super) within: f64,
}

/// The families of a page; a link is in two of them, by names and by names and classes.
pub(super) fn families(page: &Page) -> Vec<Family> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<u64, usize> = HashMap::new();
    for shapes in [&page.shape.classes, &page.shape.names] {
        known.clear();
        for (n, anchor) in page.anchors.iter().enumerate() {
            let group = *known.entry(shapes[anchor.id]).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(n);
        }
    }
    groups.into_iter().filter_map(|group| Family::of(page, &group)).collect()
}

impl Family {
    /// The family of some links, given in the page's order.
    pub(super) fn of(page: &Page, group: &[usize]) -> Option<Self> {
        let is_generic = generic_texts(page, group);
        // Where many say the same ("Read more", the source's name), all of them lead to posts from within sentences.
        let says_nothing = share(group.iter().filter(|&&n| is_generic(n)).count(), group.len()) > 0.3;
        let is_usable = |&n: &usize| !page.anchors[n].running || says_nothing || is_generic(n);
        let usable: Vec<usize> = group.iter().copied().filter(is_usable).collect();
        let records = records(page, &usable)?;
        let mut family = Self::judged(page, records)?;
        family.distinct = share(family.records.len(), usable.len());
        Some(family)
    }

    /// What speaks for some posts.
    pub(super) fn judged(page: &Page, records: Vec<Record>) -> Option<Self> {
        let links: Vec<usize> = records.iter().map(|r| r.anchor).collect();
        let is_generic = generic_texts(page, &links);
        if records.is_empty() {
            return None;
        }
        let count = |is: &dyn Fn(&Record) -> bool| share(records.iter().filter(|r| is(r)).count(), records.len());
        let anchor = |r: &Record| &page.anchors[r.anchor];
        let is_whole = |r: &Record| {
            let dates = page.dates.within(&r.range);
            dates.iter().any(|d| !matches!(d.seen, date::Seen::Year(_) | date::Seen::Month { .. }))
                || page.fact(&anchor(r).key).is_some_and(|fact| fact.published.is_some())
        };
        // A link that says no more than a month, and ends with its numbers, opens its archive.
        let is_month = |r: &Record| {
            let text = anchor(r).text.split('(').next().unwrap_or_default();
            let mut path = anchor(r).url.path().trim_end_matches('/').rsplit('/');
            let is_number = |part: Option<&str>, len| part.is_some_and(|p| p.len() == len && p.parse::<u16>().is_ok());
            let is_numbered = is_number(path.next(), 2) && is_number(path.next(), 4);
            is_numbered && matches!(date::seen(text, chrono_tz::UTC), Some(date::Seen::Month { .. }))
        };
        let is_partly = |r: &Record| {
            let is_month_there = |d: &super::day::Dated| matches!(d.seen, date::Seen::Month { .. });
            !is_month(r) && page.dates.within(&r.range).iter().any(is_month_there)
        };
        let (together, below) = together(page, &records);
        let is_foreign = |r: &Record| !is_headed(page, r, is_generic(r.anchor)) && has_heading(page, r);
        let titles: f64 = records.iter().map(|r| like_title(&anchor(r).text, head_size(page, r))).sum();
        Some(Self {
            dated: count(&is_whole),
            in_address: count(&|r| date::in_path(anchor(r).url.path()).is_some()),
            partly_dated: count(&is_partly),
            headed: count(&|r| is_headed(page, r, is_generic(r.anchor))),
            with_text: count(&|r| page.tree.letters(r.range.clone()) >= page.tree.size(anchor(r).id) + 60),
            marked: count(&|r| is_marked(page, r)),
            together,
            below,
            foreign: count(&is_foreign),
            within: count(&|r| anchor(r).within),
            aside: count(&|r| page.shape.aside[anchor(r).id]),
            titled: titles / real(records.len()),
            generic: count(&|r| is_generic(r.anchor) && head_size(page, r) == 0),
            distinct: 1.0,
            records,
        })
    }

    /// How sure it is that these are the page's posts.
    pub(super) fn score(&self) -> f64 {
        let dated = self.dated.max(self.in_address * 0.8).max(self.partly_dated * 0.5);
        let evidence = 0.3
            + 3.0 * dated
            + 2.0 * self.headed
            + self.with_text
            + 1.2 * self.marked
            + 0.8 * self.together
            + 1.5 * self.titled
            - 1.5 * self.generic
            - 1.5 * self.foreign;
        let count = (1.0 + real(self.records.len().min(60))).ln();
        evidence.max(0.1).powi(2) * count * self.distinct.sqrt() * (1.0 - 0.95 * self.aside)
    }

    /// Where its links stand, by the names of elements alone: a site's classes change more often.
    pub(super) fn shape(&self, page: &Page) -> Option<u64> {
        self.records.first().map(|record| page.shape.names[page.anchors[record.anchor].id])
    }

    /// Whether that is enough to say that the page is a list of posts.
    pub(super) fn is_list(&self) -> bool {
        let dated = self.dated >= 0.5 || self.in_address >= 0.5;
        if self.aside > 0.5 || self.generic > 0.5 || self.foreign >= 0.5 && self.together < 0.7 {
            return false;
        }
        if self.within > 0.0 {
            // Every manual has headings that lead to themselves; those of posts have dates.
            return self.within >= 0.99 && self.records.len() > 1 && self.headed >= 0.9 && self.dated >= 0.9;
        }
        match self.records.len() {
            1 => dated && self.headed > 0.0 && (self.marked > 0.0 || self.together > 0.0),
            2..=3 => {
                self.dated >= 0.99
                    || self.in_address >= 0.99 && (self.titled > 0.2 || self.headed >= 0.5)
                    || self.headed >= 0.5 && self.marked >= 0.5 && self.together >= 0.5
                    || self.headed >= 0.9 && self.with_text >= 0.9 && self.together >= 0.9
            }
            count => {
                self.dated >= 0.9
                    || dated && (self.titled > 0.1 || self.headed >= 0.5)
                    || self.partly_dated >= 0.8 && self.together >= 0.4
                    || self.headed >= 0.7 && (self.with_text >= 0.5 || self.marked >= 0.5) && self.together >= 0.7
                    || self.marked >= 0.7 && self.titled >= 0.4
                    || count >= 5 && self.titled >= 0.6 && self.together >= 0.8
                    || count >= 4 && self.titled >= 0.3 && self.below >= 0.9
            }
        }
    }
}

/// Which links have a text that says nothing of a post: none, or one that several have.
fn generic_texts<'p>(page: &'p Page, group: &[usize]) -> impl Fn(usize) -> bool + use<'p> {
    let mut keys: HashMap<&str, Vec<&str>> = HashMap::new();
    for &n in group {
        let anchor = &page.anchors[n];
        let known = keys.entry(anchor.text.as_str()).or_default();
        if known.len() < 8 && !known.contains(&anchor.key.as_str()) {
            known.push(&anchor.key);
        }
    }
    let few = group.len().min(24) / 8 + 1;
    move |n| {
        let text = page.anchors[n].text.as_str();
        !text.contains(char::is_alphanumeric) || keys.get(text).is_some_and(|k| k.len() > few)
    }
}

/// The stretches of the page that belong to each of some links, in the page's order, one an address.
pub(super) fn records(page: &Page, group: &[usize]) -> Option<Vec<Record>> {
    let tree = &page.tree;
    let anchor = |n: usize| &page.anchors[n];
    let mut seen: HashSet<&str> = HashSet::new();
    let mut found: Vec<(usize, Id)> = Vec::new();
    for (place, &n) in group.iter().enumerate() {
        if !seen.insert(&anchor(n).key) {
            continue;
        }
        let is_other = |&&m: &&usize| anchor(m).key != anchor(n).key;
        let before = group[..place].iter().rev().take(64).find(is_other).map_or(0, |&m| anchor(m).id);
        let after = group[place + 1..].iter().take(64).find(is_other).map_or(tree.len(), |&m| anchor(m).id);
        let fits = |&up: &Id| up > before && tree.end(up) <= after && !is_whole_page(page, up);
        let top = tree.ancestors(anchor(n).id).take_while(fits).last().unwrap_or(anchor(n).id);
        found.push((n, top));
    }
    if found.is_empty() {
        return None;
    }
    let level = usual_depth(page, &found);
    let lowered = found.iter().map(|&(n, top)| {
        let id = anchor(n).id;
        let at_level = std::iter::once(id).chain(tree.ancestors(id)).find(|&up| page.shape.depth[up] <= level);
        (n, at_level.filter(|&up| tree.contains(top, up)).unwrap_or(top))
    });
    Some(widened(page, &lowered.collect::<Vec<_>>()))
}

/// Whether an element is no part of a list: the page's body or main part.
fn is_whole_page(page: &Page, id: Id) -> bool {
    matches!(&**page.tree.name(id), "html" | "body" | "main")
}

/// The depth at which most posts of a family are.
fn usual_depth(page: &Page, found: &[(usize, Id)]) -> u16 {
    let mut counts: HashMap<u16, usize> = HashMap::new();
    for &(_, top) in found {
        *counts.entry(page.shape.depth[top]).or_default() += 1;
    }
    counts.into_iter().max_by_key(|&(depth, count)| (count, depth)).map_or(0, |(depth, _)| depth)
}

/// The posts with the siblings that belong to them, where they stand side by side with what they say of themselves.
fn widened(page: &Page, found: &[(usize, Id)]) -> Vec<Record> {
    let tree = &page.tree;
    let pairs = || found.windows(2).filter(|two| tree.parent(two[0].1) == tree.parent(two[1].1));
    let is_apart = |two: &&[(usize, Id)]| tree.letters(tree.end(two[0].1)..two[1].1) > 0;
    let (apart, all) = (pairs().filter(is_apart).count(), pairs().count());
    if all == 0 || apart * 2 < all {
        return found.iter().map(|&(anchor, id)| Record { anchor, range: id..tree.end(id) }).collect();
    }
    let lead = lead(page, found);
    let most = pairs().map(|two| between(page, page.tree.end(two[0].1), two[1].1).len()).max().unwrap_or(0);
    let mut records: Vec<Record> = Vec::with_capacity(found.len());
    for (place, &(anchor, id)) in found.iter().enumerate() {
        let parent = tree.parent(id);
        let next = found.get(place + 1).map(|&(_, next)| next).filter(|&next| tree.parent(next) == parent);
        let limit = next.unwrap_or(tree.end(parent));
        let mut start = id;
        if lead != Lead::Nothing {
            // Only what stands behind the post before is looked at, or long lists would take for ever.
            let before = records.last().map_or(0, |r| r.range.end).max(parent + 1);
            let siblings = between(page, before, id);
            start = lead_start(page, &siblings, lead).unwrap_or(id);
        }
        let mut end = tree.end(id);
        let mut taken = 0;
        while end < limit && taken <= most.max(1) {
            if ends_record(page, end, id) || next.is_some_and(|next| is_lead(page, end, next, lead)) {
                break;
            }
            end = tree.end(end);
            taken += 1;
        }
        records.push(Record { anchor, range: start..end.min(limit) });
    }
    records
}

/// The siblings from one place up to another.
fn between(page: &Page, from: Id, to: Id) -> Vec<Id> {
    std::iter::successors(Some(from), |&at| Some(page.tree.end(at))).take_while(|&at| at < to).collect()
}

/// What stands before the links of a list in which all stand side by side, and belongs to them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Nothing,
    Date,
    /// The links are dates or signs, and their posts' titles stand above them.
    Title,
}

fn lead(page: &Page, found: &[(usize, Id)]) -> Lead {
    let Some(&(_, first)) = found.first() else { return Lead::Nothing };
    let before = page.tree.before(first).take(8).find(|&id| page.tree.size(id) > 0);
    let says_nothing = |&&(anchor, id): &&(usize, Id)| {
        let text = &page.anchors[anchor].text;
        !page.is_head[id]
            && (!text.contains(char::is_alphabetic) || is_date(page, page.anchors[anchor].id) && text.len() < 40)
    };
    match before {
        Some(last) if is_date(page, last) => Lead::Date,
        Some(last) if page.is_head[last] && found.iter().filter(says_nothing).count() * 2 > found.len() => Lead::Title,
        _ => Lead::Nothing,
    }
}

/// Whether an element is what leads posts.
fn is_leading(page: &Page, id: Id, lead: Lead) -> bool {
    match lead {
        Lead::Nothing => false,
        Lead::Date => is_date(page, id),
        Lead::Title => page.is_head[id],
    }
}

/// Whether an element is a short one with a date in it.
fn is_date(page: &Page, id: Id) -> bool {
    let whole = |d: &super::day::Dated| !matches!(d.seen, date::Seen::Year(_) | date::Seen::Month { .. });
    page.tree.size(id) <= 100 && page.dates.within(&(id..page.tree.end(id))).iter().any(whole)
}

/// Where a post begins that what stands right before it belongs to.
fn lead_start(page: &Page, siblings: &[Id], lead: Lead) -> Option<Id> {
    let last = siblings.iter().rev().find(|&&s| page.tree.size(s) > 0)?;
    is_leading(page, *last, lead).then_some(*last)
}

/// Whether what stands here, before the next post, is what leads it.
fn is_lead(page: &Page, id: Id, next: Id, lead: Lead) -> bool {
    let mut at = page.tree.end(id);
    while at < next {
        if page.tree.size(at) > 0 {
            return false;
        }
        at = page.tree.end(at);
    }
    is_leading(page, id, lead)
}

/// Whether what stands beside a post begins something else: a line, a heading above it, a part that is beside the point.
fn ends_record(page: &Page, id: Id, post: Id) -> bool {
    let tree = &page.tree;
    let rank = |id: Id| tree.name(id).strip_prefix('h').and_then(|n| n.parse::<u8>().ok());
    let own = rank(post).or_else(|| tree.elements(post..tree.end(post)).find_map(rank));
    let is_above = rank(id).is_some_and(|other| own.is_none_or(|own| other <= own));
    &**tree.name(id) == "hr" || is_above || is_like(page, id, post) || page.shape.aside[id] && tree.is_element(id)
}

/// Whether an element is another post, though nothing in it leads anywhere: made as the first is, with a heading too.
fn is_like(page: &Page, id: Id, post: Id) -> bool {
    let is_item = matches!(&**page.tree.name(id), "article" | "li" | "section");
    let has_head = |id: Id| {
        let first = page.heads.partition_point(|&head| head < id);
        page.heads.get(first).is_some_and(|&head| head < page.tree.end(id))
    };
    page.shape.classes[id] == page.shape.classes[post] && (is_item || has_head(id) && has_head(post))
}

/// The heading of a post: one that is its link, holds it, or is in it.
pub(super) fn own_heading(page: &Page, record: &Record) -> Option<Id> {
    let tree = &page.tree;
    let anchor = page.anchors[record.anchor].id;
    let around = tree.ancestors(anchor).take_while(|&up| record.range.contains(&up)).find(|&up| page.is_head[up]);
    around.or_else(|| tree.elements(anchor..tree.end(anchor)).find(|&id| page.is_head[id]))
}

/// Any heading of a post.
pub(super) fn any_heading(page: &Page, record: &Record) -> Option<Id> {
    headings(page, record).next()
}

/// The headings of a post, those that lead elsewhere left out.
pub(super) fn headings<'p>(page: &'p Page, record: &'p Record) -> impl Iterator<Item = Id> + 'p {
    let heads = &page.heads;
    let start = heads.partition_point(|&id| id < record.range.start);
    let inside = heads[start..].iter().take_while(|&&id| id < record.range.end);
    let leads_elsewhere = |id: Id| {
        let of = page.tree.elements(id..page.tree.end(id)).filter(|&a| &**page.tree.name(a) == "a");
        of.into_iter().any(|a| page.key_of(a).is_some_and(|key| key != page.anchors[record.anchor].key))
    };
    inside.copied().take(8).filter(move |&id| page.tree.size(id) > 0 && !leads_elsewhere(id))
}

/// Whether a post has a heading, in name.
fn has_heading(page: &Page, record: &Record) -> bool {
    let start = page.heads.partition_point(|&id| id < record.range.start);
    let inside = page.heads[start..].iter().take_while(|&&id| id < record.range.end);
    inside.take(8).any(|&id| is_heading(page.tree.name(id)) && page.tree.size(id) > 0)
}

fn is_headed(page: &Page, record: &Record, is_generic: bool) -> bool {
    own_heading(page, record).is_some() || is_generic && any_heading(page, record).is_some()
}

/// How long the heading of a post is, in letters.
fn head_size(page: &Page, record: &Record) -> usize {
    let own = own_heading(page, record);
    let anchor = page.anchors[record.anchor].id;
    let head = own.or_else(|| if page.tree.size(anchor) == 0 { any_heading(page, record) } else { None });
    head.or_else(|| any_heading(page, record)).map_or(0, |id| page.tree.size(id))
}

/// How much a text is like a title, 0 to 1: names of sections are a word or two.
fn like_title(text: &str, head: usize) -> f64 {
    // A sign of East Asia says as much as two or three letters.
    let weight = |c: char| if u32::from(c) >= 0x2e80 { 2.5 } else { 1.0 };
    let letters: f64 = text.chars().filter(|c| c.is_alphanumeric()).map(weight).sum();
    let letters = letters.max(real(head)).min(200.0);
    ((letters - 10.0) / 20.0).clamp(0.0, 1.0)
}

/// Whether markup says that a post is one.
fn is_marked(page: &Page, record: &Record) -> bool {
    let tree = &page.tree;
    let anchor = page.anchors[record.anchor].id;
    let marks = |id: Id| {
        &**tree.name(id) == "article"
            || tree.words(id, "class").any(|c| ["h-entry", "hentry"].contains(&c))
            || tree.attribute(id, "itemtype").is_some_and(|t| t.ends_with("Article") || t.ends_with("Posting"))
            || tree.attribute(id, "role") == Some("article")
    };
    let around = tree.ancestors(anchor).take_while(|&up| record.range.contains(&up));
    std::iter::once(anchor).chain(around).any(marks)
}

/// The share of addresses that lie below the page's own or in the folder that most lie in, and that of the first alone.
fn together(page: &Page, records: &[Record]) -> (f64, f64) {
    let mut folders: HashMap<(&str, &str), usize> = HashMap::new();
    let own = page.address.path().trim_end_matches("index.html").trim_end_matches('/');
    let own = own.strip_suffix(".html").unwrap_or(own);
    let mut below = 0;
    for record in records {
        let url = &page.anchors[record.anchor].url;
        let path = url.path();
        let is_below = host(url) == host(&page.address)
            && path.strip_prefix(own).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
            && !own.is_empty();
        below += usize::from(is_below);
        let first = folder(path);
        if !first.is_empty() {
            *folders.entry((host(url), first)).or_default() += 1;
        }
    }
    let most = folders.values().copied().max().unwrap_or(0);
    // A home page has cards for services and products; those are in one folder too.
    let is_list = records.len() > 1 && !own.is_empty();
    let all = records.len();
    (share(below.max(if is_list { most } else { most / 2 }), all), share(below, all))
}

/// A part of a whole; nothing of nothing is nothing.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    real(part) / real(whole.max(1))
}

fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The first folder of a path; all years are one.
pub(super) fn folder(path: &str) -> &str {
    let first = path.trim_start_matches('/').split_once('/').map_or("", |(first, _)| first);
    if first.len() == 4 && first.bytes().all(|b| b.is_ascii_digit()) { "0000" } else { first }
}
