//! Where an element stands, as numbers that are equal for elements at like places; and which places are beside the
//! point: navigation, side bars, footers.

use super::tree::{Id, Tree, is_heading};
use std::collections::HashMap;

/// What is known of each node's place.
#[derive(Debug)]
pub(super) struct Shape {
    /// A number for the path of element names that leads to a node.
    pub(super) names: Vec<u64>,
    /// The same with classes.
    pub(super) classes: Vec<u64>,
    pub(super) depth: Vec<u16>,
    /// Whether the node is navigation or otherwise beside the point.
    pub(super) aside: Vec<bool>,
}

/// Words in a class or id that name what is beside the point.
const ASIDE: [&str; 22] = [
    "breadcrumb",
    "breadcrumbs",
    "comments",
    "cookie",
    "drawer",
    "footer",
    "menu",
    "nav",
    "navbar",
    "navigation",
    "offcanvas",
    "pager",
    "paginate",
    "pagination",
    "related",
    "share",
    "sidebar",
    "sidenav",
    "social",
    "tagcloud",
    "toc",
    "topbar",
];

/// As many elements of one shape are parts of posts, and no region of the page.
const REPEATED: u32 = 3;

impl Shape {
    pub(super) fn of(tree: &Tree) -> Self {
        let count = tree.len();
        let (mut names, mut classes, mut depth) = (vec![0; count], vec![0; count], vec![0u16; count]);
        let mut repeated: HashMap<u64, u32> = HashMap::new();
        for id in 1..count {
            let parent = tree.parent(id);
            depth[id] = depth[parent].saturating_add(1);
            names[id] = mixed(names[parent], tree.name(id).as_bytes());
            classes[id] = mixed(classes[parent], tree.name(id).as_bytes());
            for class in tree.words(id, "class").filter(|c| !c.bytes().any(|b| b.is_ascii_digit())) {
                classes[id] = mixed(classes[id], class.as_bytes());
            }
            if tree.is_element(id) {
                *repeated.entry(classes[id]).or_default() += 1;
            }
        }
        let all = tree.letters(0..count);
        let mut aside = vec![false; count];
        for id in 1..count {
            let is_region = || {
                let is_once = repeated.get(&classes[id]).is_none_or(|&n| n < REPEATED);
                is_aside(tree, id, is_once) && tree.size(id) * 2 <= all
            };
            aside[id] = aside[tree.parent(id)] || tree.is_element(id) && is_region();
        }
        Self { names, classes, depth, aside }
    }
}

/// Whether an element says that it is beside the point; `is_once`: there are not several like it.
fn is_aside(tree: &Tree, id: Id, is_once: bool) -> bool {
    match &**tree.name(id) {
        "nav" | "aside" => return true,
        "header" | "footer" if is_once && !is_in_content(tree, id) => return true,
        "a" | "main" | "article" | "body" | "html" => return false,
        _ => {}
    }
    if let Some(role) = tree.attribute(id, "role") {
        let roles = ["navigation", "complementary", "contentinfo", "banner", "search", "menu", "menubar", "dialog"];
        if roles.contains(&role.trim()) {
            return true;
        }
    }
    is_once && !is_heading(tree.name(id)) && {
        let names = [tree.attribute(id, "class"), tree.attribute(id, "id")];
        names.into_iter().flatten().flat_map(str::split_ascii_whitespace).any(says_aside)
    }
}

/// Whether a class names what is beside the point, rather than something that has it.
fn says_aside(class: &str) -> bool {
    let words = class_words(class);
    let has = words.iter().any(|w| ["has", "with", "no", "without"].contains(&w.as_str()));
    !has && words.iter().any(|w| ASIDE.contains(&w.as_str()))
}

/// Whether an element stands in the content of a page, where a header or footer is that of a post.
fn is_in_content(tree: &Tree, id: Id) -> bool {
    tree.ancestors(id).any(|up| matches!(&**tree.name(up), "article" | "main" | "section" | "li"))
}

/// The words of a class: `postDate`, `post-date` and `post_date` are `post` and `date`.
pub(super) fn class_words(class: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '-';
    for c in class.chars() {
        if !c.is_alphanumeric() || before.is_lowercase() && c.is_uppercase() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|w| !w.is_empty());
    words
}

/// A number for a number and bytes, the same on every computer (FNV-1a).
pub(super) fn mixed(seed: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let start = (seed ^ 0xcbf2_9ce4_8422_2325).wrapping_mul(PRIME);
    bytes.iter().fold(start, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(PRIME))
}
