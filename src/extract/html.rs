//! HTML → [`Reading`], without configuration.
//!
//! In: a page that lists posts, in any markup. Out: its posts in its order. The list is found by what posts have, not by
//! the words of one site: links at like places, each with a heading, a date, a text of its own (`family`); dates in
//! `<time>`, attributes, words of many languages, addresses, and headings of groups (`day`); JSON-LD, microformats and
//! microdata where a page has them. Navigation, side bars, footers, tags and pages of the list are left out (`shape`,
//! `anchor`). A page without such a list (a login, a challenge, an error, a single article) is no topic page.
//!
//! Follows the HTML standard for the tree (`build`), schema.org and microformats2 for marks. Deliberately absent:
//! scripts and what they would add; types, because tags that come and go would be other types. Known gap: pictures outside
//! texts.

mod about;
mod anchor;
mod bound;
mod build;
mod day;
mod family;
mod linked;
mod list;
mod post;
mod shape;
mod summary;
mod title;
mod tree;

use crate::extract::link::Links;
use crate::extract::no_topic_page;
use crate::model::{Body, Failure, Kind, PageSettings, Post, Reading, Text};
use about::About;
use anchor::Anchor;
use day::Dates;
use linked::Fact;
use shape::Shape;
use std::collections::HashMap;
use tree::{Id, Tree};
use url::Url;

/// A page with all that is known of it before its list is looked for.
#[derive(Debug)]
struct Page {
    tree: Tree,
    shape: Shape,
    about: About,
    address: Url,
    anchors: Vec<Anchor>,
    /// The places of anchors among the page's, by element.
    by_id: HashMap<Id, usize>,
    dates: Dates,
    /// The headings, and what is named as one, in order.
    heads: Vec<Id>,
    /// Which elements those are.
    is_head: Vec<bool>,
    facts: Vec<Fact>,
    /// The places of facts, by the key of their post.
    by_key: HashMap<String, usize>,
}

impl Page {
    /// What JSON-LD says of a post.
    fn fact(&self, key: &str) -> Option<&Fact> {
        self.by_key.get(key).map(|&n| &self.facts[n])
    }

    /// Where a link of the page leads.
    fn key_of(&self, id: Id) -> Option<&str> {
        self.by_id.get(&id).map(|&n| self.anchors[n].key.as_str())
    }
}

/// Reads a page.
///
/// # Errors
/// `not-a-topic-page` where nothing on it is a list of posts.
pub(super) fn read(text: &str, body: &Body, settings: &PageSettings) -> Result<Reading, Failure> {
    let tree = build::tree(text);
    if tree.len() >= build::MAX_NODES {
        return Err(no_topic_page(format!("the page has over {} elements: it is no topic page", build::MAX_NODES)));
    }
    let about = About::of(&tree);
    let links = links(body, settings, &about);
    let page = page(tree, about, body, settings, &links);
    let (posts, problems) = match list::list(&page) {
        Some(list) => post::posts(&page, &list, &links, settings),
        None => (post::of_facts(&page), Vec::new()),
    };
    if posts.is_empty() {
        return Err(no_topic_page(nothing(&page)));
    }
    Ok(Reading {
        kind: Kind::Html,
        title: page.about.title.as_deref().map(Text::line).filter(|t| !t.is_empty()),
        description: page.about.description.as_deref().map(Text::line).filter(|t| !t.is_empty()),
        stated: None,
        list: true,
        posts,
        problems,
    })
}

/// How the page's links resolve: against the configured base, else its own `<base>`, else its address.
fn links(body: &Body, settings: &PageSettings, about: &About) -> Links {
    let links = Links::of(body, settings);
    let given = about.base.as_deref().filter(|_| settings.base.is_none()).and_then(|base| links.web(base));
    match given {
        Some(base) => links.based(base),
        None => links,
    }
}

fn page(tree: Tree, about: About, body: &Body, settings: &PageSettings, links: &Links) -> Page {
    let address = settings.base.clone().unwrap_or_else(|| body.address.clone());
    let shape = Shape::of(&tree);
    let anchors = anchor::anchors(&tree, links, &address);
    let by_id = anchors.iter().enumerate().map(|(n, a)| (a.id, n)).collect();
    let dates = Dates::of(&tree, &shape, &about.language, settings.timezone);
    let facts = linked::facts(&tree.scripts, links, settings.timezone);
    let by_key = facts.iter().enumerate().rev().map(|(n, fact)| (fact.key.clone(), n)).collect();
    let mut page = Page {
        is_head: Vec::new(),
        heads: Vec::new(),
        tree,
        shape,
        about,
        address,
        anchors,
        by_id,
        dates,
        facts,
        by_key,
    };
    page.is_head = (0..page.tree.len()).map(|id| page.tree.is_element(id) && title::is_head(&page.tree, id)).collect();
    page.heads = (0..page.tree.len()).filter(|&id| page.is_head[id]).collect();
    page
}

/// Why a page is no topic page, in words that help.
fn nothing(page: &Page) -> String {
    let links = page.anchors.len();
    let what = page.about.title.as_deref().unwrap_or_default();
    let what: String = what.chars().take(60).collect();
    let called = if what.is_empty() { String::new() } else { format!(" (`{what}`)") };
    format!(
        "no list of posts found in the page{called}: {links} links, but none with dates, headings or texts as posts have; \
         if it is one, say where its posts are: item = \"CSS selector\""
    )
}

/// Posts with the same address are one.
fn distinct(posts: Vec<Post>) -> Vec<Post> {
    let mut known = std::collections::HashSet::new();
    posts.into_iter().filter(|p| p.link.as_ref().is_none_or(|link| known.insert(link.clone()))).collect()
}
