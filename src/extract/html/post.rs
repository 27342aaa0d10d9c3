//! The page's list → its posts.

use super::Page;
use super::anchor::host;
use super::day::Dated;
use super::family::Record;
use super::list::List;
use super::shape::class_words;
use super::title::{self, Title};
use super::tree::Id;
use super::{distinct, summary};
use crate::extract::date;
use crate::extract::link::Links;
use crate::model::{Company, Html, PageSettings, Post, Published, Text, Warning, WarningKind};

/// Longest name of a person, in letters.
const MAX_NAME: usize = 60;

/// The posts of a list, in the page's order, and what was odd.
pub(super) fn posts(page: &Page, list: &List, links: &Links, settings: &PageSettings) -> (Vec<Post>, Vec<Warning>) {
    let mut placed: Vec<(Id, Post)> = Vec::new();
    let mut problems = Vec::new();
    for group in &list.groups {
        of_group(page, group, links, settings, &mut placed, &mut problems);
    }
    placed.sort_by_key(|(at, _)| *at);
    (distinct(placed.into_iter().map(|(_, post)| post).collect()), problems)
}

/// The posts that JSON-LD alone tells of.
pub(super) fn of_facts(page: &Page) -> Vec<Post> {
    let here = crate::model::Key::of(&super::anchor::bare(&page.address)).to_string();
    let facts: Vec<_> = page.facts.iter().filter(|f| f.key != here && !f.title.is_empty()).collect();
    if facts.len() < 2 {
        return Vec::new();
    }
    let post = |fact: &&super::linked::Fact| Post {
        title: Text::line(&fact.title),
        link: Some(fact.url.clone()),
        companies: company(page, &fact.url),
        authors: fact.authors.iter().map(|a| Text::line(a)).collect(),
        published: fact.published,
        summary: Html::escaped(&Text::line(&fact.description)),
        ..Post::default()
    };
    distinct(facts.iter().map(post).collect())
}

/// The posts that look alike.
fn of_group(
    page: &Page,
    group: &[Record],
    links: &Links,
    settings: &PageSettings,
    placed: &mut Vec<(Id, Post)>,
    problems: &mut Vec<Warning>,
) {
    let ranges: Vec<_> = group.iter().map(|r| r.range.clone()).collect();
    let no_date = |_: Id| false;
    let first = title::titles(page, group, &no_date);
    let is_title = |n: usize, id: Id| first[n].as_ref().is_some_and(|t| page.tree.contains(t.id, id) && !is_card(page, t.id));
    let dates = page.dates.chosen(&ranges, is_title, &page.tree);
    // Only a date that stands beside other words is cut out of a title; one that is all of it is the title.
    let is_date = |id: Id| {
        let own = |d: &Option<(Published, &Dated)>| d.as_ref().is_some_and(|(_, d)| d.id == id && d.within.is_none());
        let near = ranges.partition_point(|r| r.start <= id);
        near > 0 && own(&dates[near - 1])
    };
    let titles = title::titles(page, group, &is_date);
    for (n, record) in group.iter().enumerate() {
        let anchor = &page.anchors[record.anchor];
        let Some(mut title) = titles[n].clone() else {
            let why = format!("`{}` has no title, so it is left out", anchor.url);
            problems.push(Warning::new(WarningKind::Item, why));
            continue;
        };
        cut_date(page, &mut title, dates[n].as_ref().map(|(_, d)| *d));
        let fact = page.fact(&anchor.key);
        let published = fact.and_then(|f| f.published).or(dates[n].as_ref().map(|(p, _)| *p));
        let in_address = || date::in_path(anchor.url.path()).map(Published::Day);
        let authors = authors(page, record, &title);
        let text = text(page, record, links, &title, dates[n].as_ref().map(|(_, d)| *d), &authors);
        let summary = match fact {
            Some(fact) if text.is_empty() => Html::escaped(&Text::line(&fact.description)),
            _ => text,
        };
        let names = match fact {
            Some(fact) if !fact.authors.is_empty() => fact.authors.clone(),
            _ => authors.iter().map(|(name, _)| name.clone()).collect(),
        };
        let link = links.post(anchor.url.as_str());
        placed.push((
            record.range.start,
            Post {
                title: Text::line(&title.text),
                companies: company(page, &anchor.url),
                link,
                authors: names.iter().map(|a| Text::line(a)).filter(|a| !a.is_empty()).collect(),
                published: published.or_else(in_address),
                summary,
                ..Post::default()
            },
        ));
    }
    let _ = settings;
}

/// Whether a title was read from a link that holds more than it.
fn is_card(page: &Page, id: Id) -> bool {
    page.tree.size(id) > 150
}

/// Takes a date out of a title that has other words too, where it stands at its start or end.
fn cut_date(page: &Page, title: &mut Title, date: Option<&Dated>) {
    let Some(Dated { id, within: Some(range), .. }) = date else { return };
    let Some(text) = page.tree.nodes[*id].text.as_deref().filter(|_| page.tree.contains(title.id, *id)) else { return };
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '"' | '“' | '«' | '„' | '(' | '[' | '\'' | '¿' | '¡' | '#');
    let (before, after) = (text[..range.start].trim(), text[range.end..].trim());
    let rest = match (before.contains(char::is_alphanumeric), after.contains(char::is_alphanumeric)) {
        (false, true) => after.trim_start_matches(is_sign),
        (true, false) => before.trim_end_matches(|c: char| is_sign(c) && !matches!(c, '!' | '?' | '.' | ')')),
        _ => return,
    };
    let date = super::tree::squeezed(&text[range.clone()]);
    let (at_start, at_end) = (title.text.trim_start_matches(is_sign).starts_with(&date), title.text.trim_end_matches(is_sign).ends_with(&date));
    if (at_start || at_end) && rest.chars().filter(|c| c.is_alphanumeric()).count() > 2 {
        let rest = super::tree::squeezed(rest);
        // The text may be one of several that make the title.
        title.text = if title.text.len() <= text.len() + 4 { rest } else { title.text.replacen(&super::tree::squeezed(text), &rest, 1) };
    }
}

/// Who publishes: the site, of posts that are on it.
fn company(page: &Page, post: &url::Url) -> Vec<Company> {
    let site = page.about.site.as_deref().map(Text::line).filter(|s| !s.is_empty());
    let is_own = host(post) == host(&page.address);
    site.filter(|_| is_own).map(|name| Company { name, link: None }).into_iter().collect()
}

/// The names that a post gives as its authors', with the elements that hold them.
fn authors(page: &Page, record: &Record, title: &Title) -> Vec<(String, Id)> {
    let tree = &page.tree;
    let mut found: Vec<(String, Id)> = Vec::new();
    let mut at = record.range.start;
    while at < record.range.end && found.len() < 12 {
        if at == title.id && tree.size(at) > 0 && !is_card(page, at) {
            at = tree.end(at);
            continue;
        }
        if let Some(name) = author(page, at) {
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, at));
            }
            at = tree.end(at);
        } else {
            at += 1;
        }
    }
    found
}

/// The name in an element that says that it is an author's.
fn author(page: &Page, id: Id) -> Option<String> {
    let tree = &page.tree;
    if !tree.is_element(id) || tree.size(id) == 0 || tree.size(id) > MAX_NAME {
        return None;
    }
    let property = tree.attribute(id, "itemprop").unwrap_or_default();
    let says = |class: &str| {
        let words = class_words(class);
        words.iter().any(|w| ["author", "authors", "byline", "autor", "auteur"].contains(&w.as_str()))
    };
    let is_author = tree.has_word(id, "rel", "author")
        || property.eq_ignore_ascii_case("author")
        || tree.words(id, "class").any(says) && !tree.words(id, "class").any(|c| class_words(c).iter().any(|w| ["meta", "avatar", "img", "box"].contains(&w.as_str())));
    // Of a list of several the innermost are the names.
    let has_inner = || tree.elements(id + 1..tree.end(id)).filter(|&i| &**tree.name(i) == "a" || says(tree.attribute(i, "class").unwrap_or_default())).count() > 1;
    if !is_author || has_inner() || !page.dates.within(&(id..tree.end(id))).is_empty() {
        return None;
    }
    let line = tree.line(id);
    let mut name = line.as_str();
    for label in ["by ", "von ", "par ", "por ", "di ", "door ", "av ", "af ", "от ", "автор: ", "author: ", "autor: "] {
        if name.get(..label.len()).is_some_and(|start| start.to_lowercase() == label) {
            name = &name[label.len()..];
        }
    }
    let name = name.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ')' | '('));
    (!name.is_empty() && !name.contains(|c: char| c.is_ascii_digit())).then(|| name.to_owned())
}

/// The text of a post without its title, date, authors, tags and links to itself that say nothing.
fn text(
    page: &Page,
    record: &Record,
    links: &Links,
    title: &Title,
    date: Option<&Dated>,
    authors: &[(String, Id)],
) -> Html {
    let tree = &page.tree;
    let own: Vec<Id> = title::same_links(page, record).map(|n| page.anchors[n].id).collect();
    let is_other = |id: Id| {
        if id == title.id && !is_card(page, id) || date.is_some_and(|d| d.id == id && tree.letters(id..tree.end(id)) < 150) {
            return true;
        }
        if authors.iter().any(|(_, at)| *at == id) {
            return true;
        }
        if !tree.is_element(id) {
            return false;
        }
        let is_small_link = own.contains(&id) && tree.size(id) < 40;
        let says = |class: &str| class_words(class).iter().any(|w| ["tags", "tag", "meta", "categories", "category", "share", "footer"].contains(&w.as_str()));
        is_small_link
            || page.is_head[id] && tree.contains(id, title.id)
            || matches!(&**tree.name(id), "button" | "nav" | "script" | "form" | "table")
            || tree.size(id) < 200 && tree.words(id, "class").any(says)
    };
    summary::summary(page, record, links, &is_other)
}
