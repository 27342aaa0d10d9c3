//! Families → the page's list of posts.
//!
//! The family that most speaks for is the list. Others join it where they are posts by the same measure and stand
//! outside its posts: a featured post in other markup, a second column, older posts in a plain list below the new.

use super::Page;
use super::family::{Family, Record, families, folder, share};
use super::tree::Id;
use std::collections::HashSet;

/// The list of a page.
#[derive(Debug)]
pub(super) struct List {
    /// Its posts, in the page's order, in groups that look alike.
    pub(super) groups: Vec<Vec<Record>>,
    /// What speaks for it, where it was looked for.
    pub(super) best: Option<Family>,
}

/// The page's list of posts; none where nothing speaks for one. A list with the shape that it had before comes first: what
/// else the page lists may be longer one day.
pub(super) fn list(page: &Page, shape: Option<u64>) -> Option<List> {
    let mut all = families(page);
    let as_before = |n: usize| shape.is_some() && all[n].shape(page) == shape;
    let best = (0..all.len()).filter(|&n| all[n].is_list()).max_by(|&a, &b| {
        let scores = || all[a].score().total_cmp(&all[b].score()).then(b.cmp(&a));
        as_before(a).cmp(&as_before(b)).then_with(scores)
    })?;
    let best = all.swap_remove(best);
    let mut known: HashSet<&str> = best.records.iter().map(|r| page.anchors[r.anchor].key.as_str()).collect();
    let mut groups = vec![best.records.clone()];
    all.retain(|family| family.aside < 0.5);
    all.sort_by(|a, b| b.score().total_cmp(&a.score()));
    let mut left = 2 * page.anchors.len();
    for family in all {
        if left < family.records.len() {
            break;
        }
        left -= family.records.len();
        let is_new = |r: &&Record| {
            let anchor = &page.anchors[r.anchor];
            !known.contains(anchor.key.as_str()) && !groups.iter().any(|group| is_inside(group, anchor.id))
        };
        let new: Vec<usize> = family.records.iter().filter(is_new).map(|r| r.anchor).collect();
        if new.is_empty() {
            continue;
        }
        // What is left of a family is judged anew, within what the list leaves of the page.
        let Some(rest) = rest(page, &new, &groups) else { continue };
        if joins(page, &best, &rest) {
            known.extend(rest.records.iter().map(|r| page.anchors[r.anchor].key.as_str()));
            groups.push(rest.records);
            groups.sort_by_key(|group| group[0].range.start);
        }
        if groups.len() > 40 {
            break;
        }
    }
    Some(List { groups, best: Some(best) })
}

/// Whether a place is in one of some posts, which are in order.
fn is_inside(group: &[Record], id: Id) -> bool {
    let next = group.partition_point(|r| r.range.start <= id);
    next > 0 && group[next - 1].range.contains(&id)
}

/// A family of links outside a list's posts, whose own posts end where those of the list begin.
fn rest(page: &Page, group: &[usize], taken: &[Vec<Record>]) -> Option<Family> {
    let mut family = Family::of(page, group)?;
    for record in &mut family.records {
        let id = page.anchors[record.anchor].id;
        let overlaps = |id: Id| {
            taken.iter().any(|group| {
                let next = group.partition_point(|r| r.range.start < page.tree.end(id));
                next > 0 && group[next - 1].range.end > id
            })
        };
        if overlaps(record.range.start) || record.range.len() > page.tree.len() / 2 {
            let fits = |&up: &Id| record.range.contains(&up) && !overlaps(up) || up == id;
            let top = page.tree.ancestors(id).take_while(fits).last().unwrap_or(id);
            record.range = top..page.tree.end(top);
        }
    }
    Family::judged(page, family.records)
}

/// Whether a family is of posts by the measure of the list.
fn joins(page: &Page, best: &Family, other: &Family) -> bool {
    let dated = |f: &Family| f.dated.max(f.in_address).max(f.partly_dated);
    if (best.within > 0.0) != (other.within > 0.0) {
        return false;
    }
    let alike = alike(page, best, other);
    if other.generic > 0.5 || alike < 0.8 {
        return false;
    }
    if dated(best) >= 0.5 {
        return dated(other) >= 0.9 || dated(other) >= 0.5 && (other.headed >= 0.5 || other.titled >= 0.2);
    }
    if best.headed >= 0.5 {
        return other.headed >= 0.5;
    }
    other.titled >= 0.4
}

/// The share of a family's addresses that are of the folder that most of a list's are in.
fn alike(page: &Page, best: &Family, other: &Family) -> f64 {
    let folder = |r: &Record| {
        let url = &page.anchors[r.anchor].url;
        (super::anchor::host(url).to_owned(), folder(url.path()).to_owned())
    };
    let folders: HashSet<_> = best.records.iter().map(folder).collect();
    let count = other.records.iter().filter(|r| folders.contains(&folder(r))).count();
    share(count, other.records.len())
}
