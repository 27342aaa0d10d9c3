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
    /// What the classes of each node say.
    pub(super) says: Vec<Says>,
}

/// What a class may say of an element, as bits.
pub(super) type Says = u8;
/// Navigation, a side bar, a footer.
const BESIDE: Says = 1;
/// A title.
pub(super) const TITLE: Says = 2;
/// A date.
pub(super) const DATE: Says = 4;
/// When something was edited.
pub(super) const EDITED: Says = 8;
/// When something was published.
pub(super) const PUBLISHED: Says = 16;
/// Who wrote it.
pub(super) const AUTHOR: Says = 32;
/// Something about a post that is neither its title nor its text: tags, buttons.
pub(super) const META: Says = 64;

/// The words for each, in the languages in which class names are written.
const WORDS: [(Says, &[&str]); 6] = [
    (BESIDE, &ASIDE),
    (DATE, &["date", "datum", "fecha", "time", "published", "posted", "day", "timestamp", "pubdate"]),
    (EDITED, &["updated", "modified", "edited"]),
    (PUBLISHED, &["published", "date"]),
    (AUTHOR, &["author", "authors", "byline", "autor", "auteur"]),
    (META, &["tags", "tag", "meta", "categories", "category", "share", "footer", "avatar", "img", "box"]),
];

/// What the words of a class, or of several, say.
fn says(classes: &str) -> Says {
    let mut all = 0;
    for class in classes.split_ascii_whitespace() {
        let words = class_words(class);
        let is = |names: &[&str]| words.iter().any(|w| names.contains(&w.as_str()));
        let mut own = WORDS.iter().filter(|(_, names)| is(names)).fold(0, |says, (bit, _)| says | bit);
        // `has-sidebar` names something that has one.
        if is(&["has", "with", "no", "without"]) {
            own &= !BESIDE;
        }
        let titles = ["title", "headline", "heading", "titel", "titre", "titulo"];
        if words.last().is_some_and(|w| titles.contains(&w.as_str())) || class == "p-name" {
            own |= TITLE;
        }
        // `author-title` is what a person is called besides the name.
        if own & AUTHOR != 0 && words.last().is_some_and(|w| BESIDES.contains(&w.as_str())) {
            own &= !(AUTHOR | TITLE);
        }
        all |= own;
    }
    all
}

/// Last words of a class of what is said of an author besides the name.
const BESIDES: [&str; 13] = [
    "bio",
    "company",
    "description",
    "image",
    "job",
    "label",
    "photo",
    "picture",
    "position",
    "role",
    "team",
    "thumb",
    "title",
];

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
        let mut known: HashMap<&str, Says> = HashMap::new();
        let mut said = vec![0; count];
        for id in tree.elements(1..count) {
            if let Some(class) = tree.attribute(id, "class") {
                said[id] = *known.entry(class).or_insert_with(|| says(class));
            }
        }
        let all = tree.letters(0..count);
        let mut aside = vec![false; count];
        for id in 1..count {
            let is_region = || {
                let is_once = repeated.get(&classes[id]).is_none_or(|&n| n < REPEATED);
                is_aside(tree, id, is_once, said[id]) && tree.size(id) * 2 <= all
            };
            aside[id] = aside[tree.parent(id)] || tree.is_element(id) && is_region();
        }
        Self { names, classes, depth, aside, says: said }
    }
}

/// Whether an element says that it is beside the point; `is_once`: there are not several like it.
fn is_aside(tree: &Tree, id: Id, is_once: bool, said: Says) -> bool {
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
    is_once
        && !is_heading(tree.name(id))
        && (said & BESIDE != 0 || tree.attribute(id, "id").is_some_and(|name| says(name) & BESIDE != 0))
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
