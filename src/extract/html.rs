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
mod article;
mod build;
mod column;
mod day;
mod family;
mod instead;
mod linked;
mod list;
mod next;
mod own;
mod person;
mod post;
mod select;
mod shape;
mod summary;
mod title;
mod tree;

pub(super) use next::hints;
pub(super) use own::own;

use crate::extract::link::Links;
use crate::extract::no_topic_page;
use crate::model::{Body, Failure, Kind, PageSettings, Post, Reading, Text, Warning, WarningKind};
use about::About;
use anchor::Anchor;
use column::Columns;
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
    columns: Columns,
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

/// Reads a page. Where several lists stand on it, the one with this shape is meant: a page's last taken reading had it.
///
/// # Errors
/// `not-a-topic-page` where nothing on it is a list of posts, or a selector finds nothing.
pub(super) fn read(text: &str, body: &Body, settings: &PageSettings, shape: Option<u64>) -> Result<Reading, Failure> {
    let read = look(text, body, settings, shape).map(|look| look.reading);
    let Some(why) = unplaced(text, body, settings, read.as_ref().ok()) else { return read };
    let mut reading = read.map_err(|_| no_topic_page(&why))?;
    reading.problems.push(Warning::new(WarningKind::Item, why));
    Ok(reading)
}

/// A sentence about posts of a file that are left out since nobody knows where their links lead: a file has no address
/// against which they could resolve. None where it has a base, or no such post.
fn unplaced(text: &str, body: &Body, settings: &PageSettings, read: Option<&Reading>) -> Option<String> {
    const ANYWHERE: &str = "https://base.invalid/";
    if settings.base.is_some() || body.address.scheme() != "file" {
        return None;
    }
    let anywhere = Url::parse(ANYWHERE).ok()?;
    let with_base = PageSettings { base: Some(anywhere.clone()), ..settings.clone() };
    let all = look(text, body, &with_base, None).ok()?.reading.posts;
    let is_there = |post: &Post| post.link.as_ref().is_some_and(|link| link.host() == anywhere.host());
    let left = all.iter().filter(|post| is_there(post)).count();
    let has = |post: &Post| all.iter().any(|other| other.link == post.link);
    let is_more = read.is_none_or(|reading| reading.posts.iter().all(has));
    let left_out = match left {
        1 => "1 post is left out: its link is".to_owned(),
        n => format!("{n} posts are left out: their links are"),
    };
    let help = "say where the page is: `base = \"https://…\"` in the seeds, `--base` for `preview`";
    (left > 0 && is_more).then(|| format!("{left_out} relative, and a file has no address of its own; {help}"))
}

/// What a page says, and how it was found: in lines for people.
///
/// # Errors
/// As [`read`].
pub(super) fn explain(text: &str, body: &Body, settings: &PageSettings) -> Result<Vec<String>, Failure> {
    Ok(look(text, body, settings, None)?.told)
}

/// The other forms that a page names of itself.
pub(super) fn alternates(text: &str, body: &Body, settings: &PageSettings) -> Vec<(Kind, Url)> {
    let Some(tree) = build::tree(text) else { return Vec::new() };
    let about = About::of(&tree);
    let links = links(body, settings, &about);
    about.alternates.iter().filter_map(|(kind, href)| Some((*kind, links.web(href)?))).collect()
}

struct Look {
    reading: Reading,
    told: Vec<String>,
}

fn look(text: &str, body: &Body, settings: &PageSettings, shape: Option<u64>) -> Result<Look, Failure> {
    let Some(tree) = build::tree(text) else {
        return Err(no_topic_page(format!(
            "the HTML page has over {} elements: it is no topic page",
            build::MAX_NODES
        )));
    };
    let about = About::of(&tree);
    let links = links(body, settings, &about);
    let found = if settings.selectors.is_empty() { None } else { Some(select::found(&tree, &settings.selectors)?) };
    let mut page = page(tree, about, body, settings, &links);
    let chosen = found.as_ref().filter(|_| settings.selectors.of("item").is_some());
    let list = match chosen {
        Some(found) => found.list(&mut page, &links),
        None => list::list(&page, shape),
    };
    if let Some(why) = instead::found(&page, list.as_ref()) {
        return Err(no_topic_page(format!(
            "the HTML page is an error, a login or a challenge instead of a list of posts: {why}"
        )));
    }
    let given = |record: &family::Record| {
        found.as_ref().map_or_else(post::Given::default, |found| found.given(&page, record, &links, settings))
    };
    let (posts, told, problems) = match &list {
        Some(list) => {
            let (read, problems) = post::posts(&page, list, &links, &given);
            let told = told(&page, list, &read);
            (read.into_iter().map(|read| read.post).collect(), told, problems)
        }
        None => (post::of_facts(&page), vec!["posts: JSON-LD alone".to_owned()], Vec::new()),
    };
    if posts.is_empty() {
        return Err(no_topic_page(nothing(&page, chosen.is_some())));
    }
    let said = |text: &Option<String>| text.as_deref().map(Text::line).filter(|t| !t.is_empty());
    let reading = Reading {
        kind: Kind::Html,
        title: said(&page.about.title),
        description: said(&page.about.description),
        stated: None,
        filtered: 0,
        list: true,
        pace: None,
        shape: list.as_ref().and_then(|list| list.best.as_ref()?.shape(&page)),
        posts,
        problems,
    };
    Ok(Look { reading, told })
}

/// How a list was found, and what each of its posts' titles and dates come from.
fn told(page: &Page, list: &list::List, read: &[post::Read]) -> Vec<String> {
    let mut told = Vec::new();
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    for (n, group) in list.groups.iter().enumerate() {
        let path = path(page, page.anchors[group[0].anchor].id);
        let what = if n == 0 { "posts" } else { "and" };
        told.push(format!("{what}: {} links at {path}", group.len()));
    }
    match &list.best {
        Some(best) => told.push(format!(
            "because: {} have dates, {} headings, {} text, {} marks of a post, {} addresses together",
            percent(best.dated.max(best.in_address)),
            percent(best.headed),
            percent(best.with_text),
            percent(best.marked),
            percent(best.together)
        )),
        None => told.push("because: the selector `item` says so".to_owned()),
    }
    let mut ways: Vec<((&str, &str), usize)> = Vec::new();
    for read in read {
        match ways.iter_mut().find(|(how, _)| *how == read.how) {
            Some((_, count)) => *count += 1,
            None => ways.push((read.how, 1)),
        }
    }
    told.extend(ways.iter().map(|((title, date), count)| format!("{count} of them: title by {title}, date by {date}")));
    told
}

/// The path of elements that leads to one, as a selector.
fn path(page: &Page, id: Id) -> String {
    let class = |id: Id| page.tree.words(id, "class").next().map_or_else(String::new, |class| format!(".{class}"));
    let name = |id: Id| format!("{}{}", page.tree.name(id), class(id));
    let mut steps: Vec<String> = std::iter::once(id).chain(page.tree.ancestors(id)).take(5).map(name).collect();
    steps.reverse();
    steps.join(" > ")
}

/// How the page's links resolve: against its own `<base>`, which resolves against the configured base, or else its address.
fn links(body: &Body, settings: &PageSettings, about: &About) -> Links {
    let links = Links::of(body, settings);
    let given = about.base.as_deref().and_then(|base| links.web(base));
    match given {
        Some(base) => links.based(base),
        None => links,
    }
}

fn page(tree: Tree, about: About, body: &Body, settings: &PageSettings, links: &Links) -> Page {
    let address = settings.base.clone().unwrap_or_else(|| body.address.clone());
    let shape = Shape::of(&tree);
    let columns = Columns::of(&tree);
    let mut anchors = anchor::anchors(&tree, links, &address);
    anchors.retain(|anchor| !columns.is_beside(&tree, anchor.id));
    let by_id = anchors.iter().enumerate().map(|(n, a)| (a.id, n)).collect();
    let dates = Dates::of(&tree, &shape, &about.language, settings.timezone, &columns);
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
        columns,
        facts,
        by_key,
    };
    page.is_head = (0..page.tree.len()).map(|id| page.tree.is_element(id) && title::is_head(&page, id)).collect();
    page.heads = (0..page.tree.len()).filter(|&id| page.is_head[id]).collect();
    page
}

/// Why a page is no topic page, in words that help.
fn nothing(page: &Page, chosen: bool) -> String {
    if chosen {
        return "none of what the selector `item` finds has a link and a title: name them with `link_selector` and `title`"
            .to_owned();
    }
    let links = page.anchors.len();
    let what: String = page.about.title.as_deref().unwrap_or_default().chars().take(60).collect();
    let called = if what.is_empty() { String::new() } else { format!(" `{what}`") };
    format!(
        "no list of posts found in the HTML page{called}: none of its {links} links have dates, headings or texts as posts have; \
         if it is a list, say where its posts are: item = \"CSS selector\""
    )
}

/// Posts with the same address are one.
fn distinct(posts: Vec<Post>) -> Vec<Post> {
    let mut known = std::collections::HashSet::new();
    posts.into_iter().filter(|p| p.link.as_ref().is_none_or(|link| known.insert(link.clone()))).collect()
}
