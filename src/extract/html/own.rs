//! A post's own page in HTML → what it says.
//!
//! In: a page at large. Out: the article that it names: `rel=canonical` to another site, h-entry's `u-repost-of` and
//! `u-bookmark-of`, schema.org's `isBasedOn` and `citation`, a link whose words say so; authors and date from JSON-LD and
//! `meta`, else from the marks of its byline and the `time` beside its title; the text by [`article`](super::article). Navigation, footers and side bars name nothing.

use super::about::About;
use super::linked::{self, Fact};
use super::tree::{Id, Tree, is_block};
use super::{article, build, person};
use crate::extract::link::Links;
use crate::extract::own::{Said, Whence, introduces_original, names_original};
use crate::extract::{date, no_topic_page};
use crate::model::{Failure, Html, OwnPage, Published, Text, Wants};
use chrono_tz::Tz;
use html5ever::local_name;
use url::Url;

/// So many nodes before a link are looked at.
const BEFORE: usize = 24;

/// As many letters may stand between an article's title and its date: authors, a line below the title.
const HEAD: usize = 240;

/// Most elements that name authors.
const MAX_PEOPLE: usize = 20;

/// Longest element that names authors, in letters.
const MAX_NAMES: usize = 300;

/// Reads the page.
///
/// # Errors
/// `not-a-topic-page` where it has too many elements.
pub(in crate::extract) fn own(text: &str, whence: &Whence<'_>, tz: Tz, wants: Wants) -> Result<Said, Failure> {
    let Some(tree) = build::tree(text) else {
        return Err(no_topic_page(format!("the post's own page has over {} elements", build::MAX_NODES)));
    };
    let about = About::of(&tree);
    let links = whence.links();
    let base = about.base.as_deref().and_then(|base| links.web(base));
    let links = base.into_iter().fold(links, Links::based);
    let facts = linked::facts(&tree.scripts, &links, tz);
    let unnamed = linked::facts_of_page(&tree.scripts, whence.at(), &links, tz);
    let only = || if let [one] = &facts[..] { Some(one) } else { None };
    let fact = facts.iter().find(|fact| whence.is_own(&fact.key)).or(unnamed.first()).or_else(only);
    let mut words = about.title.clone().unwrap_or_default();
    words.push(' ');
    words.push_str(&fact.map(|fact| fact.title.clone()).unwrap_or_default());
    words.push(' ');
    words.push_str(&tree.line(0));
    let content = if wants.content { article::article(&tree, &links) } else { None };
    let page = OwnPage {
        original: original(&tree, &links, whence),
        authors: authors(&tree, fact),
        published: published(&tree, fact, tz),
        content: content.unwrap_or_else(Html::default),
    };
    Ok(Said { page, words })
}

/// The article that the page names, the most certain way first.
fn original(tree: &Tree, links: &Links, whence: &Whence<'_>) -> Option<Url> {
    let outside = |href: &str| links.web(href.trim()).filter(|url| whence.is_outside(url));
    let href = |id: Id| tree.attribute(id, "href").and_then(outside);
    let elements = || tree.elements(1..tree.len());
    let canonical = || {
        let is_it = |&id: &Id| *tree.name(id) == local_name!("link") && tree.has_word(id, "rel", "canonical");
        elements().filter(is_it).find_map(href)
    };
    let marked = || {
        let is_it = |&id: &Id| ["u-repost-of", "u-bookmark-of"].iter().any(|class| tree.has_word(id, "class", class));
        elements().filter(is_it).find_map(|id| {
            let inner = || tree.elements(id + 1..tree.end(id)).find_map(href);
            href(id).or_else(inner)
        })
    };
    let based = || linked::based_on(&tree.scripts).iter().find_map(|address| outside(address));
    let named = || {
        let is_link = |&id: &Id| *tree.name(id) == local_name!("a") && !is_aside(tree, id);
        elements().filter(is_link).find_map(|id| href(id).filter(|_| is_named(tree, id)))
    };
    canonical().or_else(marked).or_else(based).or_else(named)
}

/// Whether an element is of the page's frame rather than of the post.
fn is_aside(tree: &Tree, id: Id) -> bool {
    let mut in_article = false;
    for up in tree.ancestors(id) {
        match &**tree.name(up) {
            "article" => in_article = true,
            "nav" | "aside" => return true,
            "footer" if !in_article => return !tree.ancestors(up).any(|outer| &**tree.name(outer) == "article"),
            _ => {}
        }
    }
    false
}

/// Whether the words of a link, or those before it, say that it leads to the article.
fn is_named(tree: &Tree, id: Id) -> bool {
    if names_original(&tree.line(id)) {
        return true;
    }
    let block = tree.ancestors(id).find(|&up| is_block(tree.name(up))).unwrap_or(0);
    let start = (block + 1).max(id.saturating_sub(BEFORE)).min(id);
    introduces_original(&tree.text(start..id, |_| false))
}

fn authors(tree: &Tree, fact: Option<&Fact>) -> Vec<Text> {
    let names = fact.map(|fact| fact.authors.clone()).filter(|names| !names.is_empty());
    let names = names.or_else(|| Some(vec![meta(tree, &["author", "article:author", "dc.creator"])?.to_owned()]));
    let names = names.unwrap_or_else(|| marked_authors(tree));
    // Some sites give a profile's address for a name.
    names.iter().filter(|name| !name.contains("://")).map(|name| Text::line(name)).filter(|n| !n.is_empty()).collect()
}

/// The authors that the page's own markup names: the first such element, and those beside it.
fn marked_authors(tree: &Tree) -> Vec<String> {
    let is_it = |&id: &Id| {
        (tree.has_word(id, "rel", "author")
            || tree.has_word(id, "class", "p-author")
            || tree.attribute(id, "itemprop").is_some_and(|name| name.eq_ignore_ascii_case("author")))
            && (1..=MAX_NAMES).contains(&tree.size(id))
            && !is_aside(tree, id)
    };
    let mut all = tree.elements(1..tree.len()).filter(is_it).peekable();
    let Some(&first) = all.peek() else { return Vec::new() };
    let is_line = |&up: &Id| is_block(tree.name(up)) && &**tree.name(up) != "li";
    let around = tree.ancestors(first).find(is_line).unwrap_or(0);
    let mut found: Vec<String> = Vec::new();
    let mut end = 0;
    for id in all.take_while(|&id| id < tree.end(around)).take(MAX_PEOPLE) {
        // One within another is the same author.
        if id < end {
            continue;
        }
        end = tree.end(id);
        let card = tree.elements(id + 1..end).find(|&inner| tree.has_word(inner, "class", "p-name"));
        for (name, _) in person::names(tree, card.unwrap_or(id)) {
            found.extend(person::alone(&name).filter(|name| !found.contains(name)));
        }
    }
    found
}

fn published(tree: &Tree, fact: Option<&Fact>, tz: Tz) -> Option<Published> {
    let names =
        ["article:published_time", "datepublished", "dc.date.issued", "dc.date", "pubdate", "publish-date", "date"];
    let times = || tree.elements(1..tree.len()).filter(|&id| *tree.name(id) == local_name!("time"));
    let is_it = |&id: &Id| tree.has_word(id, "class", "dt-published") || tree.has_word(id, "itemprop", "datePublished");
    let marked = || times().find(is_it).and_then(|id| tree.attribute(id, "datetime"));
    let headed = || {
        let title = tree.elements(1..tree.len()).find(|&head| *tree.name(head) == local_name!("h1"))?;
        times().find(|&id| heads(tree, title, id)).and_then(|id| tree.attribute(id, "datetime"))
    };
    let written = || {
        let text = meta(tree, &names).or_else(marked).or_else(headed);
        text.and_then(|text| date::parse(text.trim(), tz))
    };
    fact.and_then(|fact| fact.published).or_else(written)
}

/// Whether a `time` stands at the head of the page's article, close to its title, and is not said to be of an edit.
fn heads(tree: &Tree, title: Id, id: Id) -> bool {
    let between = if id < title { tree.end(id)..title } else { tree.end(title)..id };
    let is_edit = |words: &str| {
        let words = words.to_lowercase();
        ["updated", "modified", "edited", "aktualisiert", "mis à jour", "actualizado"].iter().any(|w| words.contains(w))
    };
    let before = tree.text(id.saturating_sub(BEFORE).max(1)..id, |_| false);
    let class = tree.attribute(id, "class").unwrap_or_default();
    between.start <= between.end
        && tree.letters(between) <= HEAD
        && !is_aside(tree, id)
        && !is_edit(class)
        && !is_edit(before.get(before.floor_char_boundary(before.len().saturating_sub(40))..).unwrap_or_default())
}

/// The content of the first `meta` of one of these names, in lower case.
fn meta<'t>(tree: &'t Tree, names: &[&str]) -> Option<&'t str> {
    let named = |name: &str| {
        tree.elements(1..tree.len()).filter(|&id| *tree.name(id) == local_name!("meta")).find_map(|id| {
            let called = ["name", "property", "itemprop"].iter().find_map(|key| tree.attribute(id, key))?;
            let content = tree.attribute(id, "content").map(str::trim).filter(|text| !text.is_empty())?;
            called.trim().eq_ignore_ascii_case(name).then_some(content)
        })
    };
    names.iter().find_map(|name| named(name))
}
