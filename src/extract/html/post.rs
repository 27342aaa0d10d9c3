//! The page's list → its posts.

use super::Page;
use super::anchor::host;
use super::day::Dated;
use super::family::Record;
use super::list::List;
use super::person::{self, MAX_NAME};
use super::shape::{AUTHOR, META};
use super::title::{self, Title};
use super::tree::Id;
use super::{distinct, summary};
use crate::extract::link::Links;
use crate::extract::named::Named;
use crate::extract::{date, newest};
use crate::model::{Company, Html, Post, Published, Text, Warning, WarningKind};

/// Longest list of names in one element, in letters.
const MAX_NAMES: usize = 300;

/// What selectors say of a post; what they do not say is found without.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) title: Option<(Id, String)>,
    /// A date, if it could be read, and its text.
    pub(super) date: Option<(Option<Published>, String)>,
    pub(super) authors: Option<Vec<String>>,
    pub(super) kind: Option<String>,
    pub(super) company: Option<Company>,
    pub(super) summary: Option<Html>,
    /// A picture as a paragraph of safe HTML.
    pub(super) image: Option<String>,
}

/// A post with how it was found.
#[derive(Debug)]
pub(super) struct Read {
    at: Id,
    pub(super) post: Post,
    /// Where its title and date come from.
    pub(super) how: (&'static str, &'static str),
}

/// The posts of a list, in the page's order, and what was odd.
pub(super) fn posts(
    page: &Page,
    list: &List,
    links: &Links,
    given: &dyn Fn(&Record) -> Given,
) -> (Vec<Read>, Vec<Warning>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    for group in &list.groups {
        of_group(page, group, links, given, &mut found, &mut problems);
    }
    found.sort_by_key(|read| read.at);
    let mut known = std::collections::HashSet::new();
    found.retain(|read| read.post.link.as_ref().is_none_or(|link| known.insert(link.clone())));
    let (found, too_many) = newest(found, |read| read.post.published);
    problems.extend(too_many);
    (found, problems)
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
    given: &dyn Fn(&Record) -> Given,
    found: &mut Vec<Read>,
    problems: &mut Vec<Warning>,
) {
    let ranges: Vec<_> = group.iter().map(|r| r.range.clone()).collect();
    let first = title::titles(page, group, &|_| false);
    let is_title =
        |n: usize, id: Id| first[n].as_ref().is_some_and(|t| page.tree.contains(t.id, id) && !is_card(page, t.id));
    let dates = page.dates.chosen(&ranges, is_title, &page.tree);
    // Only a date that stands beside other words is cut out of a title; one that is all of it is the title.
    let is_date = |id: Id| {
        let own = |d: &Option<(Published, &Dated)>| d.as_ref().is_some_and(|(_, d)| d.id == id && d.within.is_none());
        let near = ranges.partition_point(|r| r.start <= id);
        near > 0 && own(&dates[near - 1])
    };
    let titles = title::titles(page, group, &is_date);
    for ((record, title), date) in group.iter().zip(titles).zip(&dates) {
        let mut given = given(record);
        let own = given.title.take().map(|(id, text)| Title { text, id, from: "the selector" });
        let Some(mut title) = own.or(title) else {
            let url = &page.anchors[record.anchor].url;
            problems.push(Warning::new(WarningKind::Item, format!("`{url}` has no title, so it is left out")));
            continue;
        };
        let dated = date.as_ref().map(|(_, d)| *d);
        cut_date(page, &mut title, dated);
        if let Some((None, text)) = &given.date
            && date::ago(text).is_none()
        {
            let shown: String = text.chars().take(60).collect();
            let help = "say how it is written with `date_format`";
            problems.push(Warning::new(
                WarningKind::Date,
                format!("date `{shown}` of `{}` not understood: {help}", title.text),
            ));
        }
        found.push(read(page, record, links, &title, *date, given));
    }
}

/// One post.
fn read(
    page: &Page,
    record: &Record,
    links: &Links,
    title: &Title,
    date: Option<(Published, &Dated)>,
    given: Given,
) -> Read {
    let anchor = &page.anchors[record.anchor];
    let fact = page.fact(&anchor.key);
    let (published, dated) = match &given.date {
        Some((published, _)) => (*published, "the selector"),
        None => published(fact.and_then(|f| f.published), date, anchor.url.path()),
    };
    // What has no date may say how long ago it was, in an element of its own.
    let is_short = |id: &Id| (3..=24).contains(&page.tree.size(*id));
    let ago =
        || page.tree.elements(record.range.clone()).filter(is_short).find_map(|id| date::ago(&page.tree.line(id)));
    let ago = if published.is_none() { ago() } else { None };
    let marked = authors(page, record, title);
    let cell = |named| page.columns.cell(&page.tree, record.range.clone(), named);
    let names = given.authors.or_else(|| fact.map(|f| f.authors.clone()).filter(|a| !a.is_empty()));
    let names = names.or_else(|| cell(Named::Author).map(|cell| of_cell(page, cell)));
    let names = names.unwrap_or_else(|| marked.iter().map(|(name, _)| name.clone()).collect());
    let summary = given.summary.or_else(|| Some(summary::of(&page.tree, &[cell(Named::Summary)?], links)));
    let mut summary = summary.unwrap_or_else(|| text(page, record, links, title, date.map(|(_, d)| d), &marked));
    if let (true, Some(fact)) = (summary.is_empty(), fact) {
        summary = Html::escaped(&Text::line(&fact.description));
    }
    if let Some(image) = given.image {
        summary = Html::written(image + summary.as_str());
    }
    let companies = || match cell(Named::Company) {
        Some(cell) => companies_of(page, cell, links),
        None => company(page, &anchor.url),
    };
    let kind = given.kind.or_else(|| cell(Named::Type).map(|cell| page.tree.line(cell)));
    let original = cell(Named::Original).and_then(|cell| {
        let tree = &page.tree;
        let mut named = tree.elements(cell..tree.end(cell)).filter_map(|id| tree.attribute(id, "href"));
        links.web(named.next()?.trim())
    });
    let post = Post {
        original,
        title: Text::line(&title.text),
        companies: given.company.map_or_else(companies, |company| vec![company]),
        link: links.post(anchor.url.as_str()),
        authors: names.iter().map(|a| Text::line(a)).filter(|a| !a.is_empty()).collect(),
        published,
        ago,
        kind: kind.as_deref().map(Text::line).filter(|k| says(k.as_str())),
        summary,
        ..Post::default()
    };
    Read { at: record.range.start, post, how: (title.from, dated) }
}

/// When a post was published, and how that is known: JSON-LD says it, the page shows it, its address holds it.
fn published(
    fact: Option<Published>,
    shown: Option<(Published, &Dated)>,
    path: &str,
) -> (Option<Published>, &'static str) {
    match (fact, shown) {
        (Some(published), _) => (Some(published), "JSON-LD"),
        (None, Some((published, dated))) => (Some(published), dated.source.as_str()),
        (None, None) => match date::in_path(path) {
            Some(day) => (Some(Published::Day(day)), "its address"),
            None => (None, "nothing"),
        },
    }
}

/// Whether a title was read from a link that holds more than it.
fn is_card(page: &Page, id: Id) -> bool {
    page.tree.size(id) > 150
}

/// Takes a date out of a title that has other words too, where it stands at its start or end.
fn cut_date(page: &Page, title: &mut Title, date: Option<&Dated>) {
    let Some(Dated { id, within: Some(range), .. }) = date else { return };
    let Some(text) = page.tree.nodes[*id].text.as_deref().filter(|_| page.tree.contains(title.id, *id)) else { return };
    let is_sign =
        |c: char| !c.is_alphanumeric() && !matches!(c, '"' | '“' | '«' | '„' | '(' | '[' | '\'' | '¿' | '¡' | '#');
    let (before, after) = (text[..range.start].trim(), text[range.end..].trim());
    let rest = match (before.contains(char::is_alphanumeric), after.contains(char::is_alphanumeric)) {
        (false, true) => after.trim_start_matches(is_sign),
        (true, false) => before.trim_end_matches(|c: char| is_sign(c) && !matches!(c, '!' | '?' | '.' | ')')),
        _ => return,
    };
    let date = super::tree::squeezed(&text[range.clone()]);
    let (at_start, at_end) = (
        title.text.trim_start_matches(is_sign).starts_with(&date),
        title.text.trim_end_matches(is_sign).ends_with(&date),
    );
    if (at_start || at_end) && rest.chars().filter(|c| c.is_alphanumeric()).count() > 2 {
        let rest = super::tree::squeezed(rest);
        // The text may be one of several that make the title.
        title.text = if title.text.len() <= text.len() + 4 {
            rest
        } else {
            title.text.replacen(&super::tree::squeezed(text), &rest, 1)
        };
    }
}

/// Who publishes: the site, of posts that are on it.
fn company(page: &Page, post: &url::Url) -> Vec<Company> {
    let site = page.about.site.as_deref().map(Text::line).filter(|s| !s.is_empty());
    let is_own = host(post) == host(&page.address);
    site.filter(|_| is_own).map(|name| Company { name, link: None }).into_iter().collect()
}

/// Whether a text says anything: a dash alone says that there is nothing.
fn says(text: &str) -> bool {
    text.contains(|c: char| !c.is_whitespace() && !matches!(c, '-' | '–' | '—'))
}

/// The names in a table's cell of authors.
fn of_cell(page: &Page, cell: Id) -> Vec<String> {
    let names = person::names(&page.tree, cell);
    let pieces = names.iter().flat_map(|(name, _)| match names.len() {
        1 => name.split([',', ';', '&']).flat_map(|piece| piece.split(" and ")).collect(),
        _ => vec![name.as_str()],
    });
    pieces.map(|name| person::alone(name).unwrap_or_else(|| name.trim().to_owned())).filter(|name| says(name)).collect()
}

/// The companies in a table's cell: those of its links, else its words.
fn companies_of(page: &Page, cell: Id, links: &Links) -> Vec<Company> {
    let tree = &page.tree;
    let company = |id: Id| Company {
        name: Text::line(&tree.line(id)),
        link: tree.attribute(id, "href").and_then(|href| links.web(href.trim())),
    };
    let mut found: Vec<Company> = Vec::new();
    let named = tree.elements(cell..tree.end(cell)).filter(|&id| &**tree.name(id) == "a" && tree.size(id) > 0);
    for company in named.map(company) {
        if !found.iter().any(|known| known.name == company.name) {
            found.push(company);
        }
    }
    let words = Some(company(cell)).filter(|_| found.is_empty());
    found.into_iter().chain(words).filter(|company| says(company.name.as_str())).collect()
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
        let names = of_authors(page, at);
        at = if names.is_empty() { at + 1 } else { tree.end(at) };
        for (name, id) in names {
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, id));
            }
        }
    }
    found
}

/// The names in an element that says that they are authors'.
fn of_authors(page: &Page, id: Id) -> Vec<(String, Id)> {
    let tree = &page.tree;
    if !tree.is_element(id) || tree.size(id) == 0 || tree.size(id) > MAX_NAMES {
        return Vec::new();
    }
    let property = tree.attribute(id, "itemprop").unwrap_or_default();
    let says = |id: Id| page.shape.says[id] & AUTHOR != 0 && page.shape.says[id] & META == 0;
    let is_author = tree.has_word(id, "rel", "author") || property.eq_ignore_ascii_case("author") || says(id);
    // Of a list of several the innermost are the names.
    let inner = |is: &dyn Fn(Id) -> bool| tree.elements(id + 1..tree.end(id)).filter(|&i| is(i)).count();
    let has_inner = || inner(&|i| page.shape.says[i] & AUTHOR != 0) > 1;
    if !is_author || has_inner() || !page.dates.within(&(id..tree.end(id))).is_empty() {
        return Vec::new();
    }
    let names = person::names(tree, id);
    let is_one = names.len() == 1;
    if is_one && (tree.size(id) > MAX_NAME || inner(&|i| &**tree.name(i) == "a") > 1) {
        return Vec::new();
    }
    // Where one is the element's own, all of it is the author's.
    let place = |part: Id| if is_one { id } else { part };
    names.into_iter().filter_map(|(name, part)| Some((person::alone(&name)?, place(part)))).collect()
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
        if id == title.id && !is_card(page, id)
            || date.is_some_and(|d| d.id == id && tree.letters(id..tree.end(id)) < 150)
        {
            return true;
        }
        if authors.iter().any(|(_, at)| *at == id) || page.columns.says(id).is_some_and(|n| n != Named::Summary) {
            return true;
        }
        if !tree.is_element(id) {
            return false;
        }
        let is_small_link = own.contains(&id) && tree.size(id) < 40;
        is_small_link
            || page.is_head[id] && tree.contains(id, title.id)
            || matches!(&**tree.name(id), "button" | "nav" | "script" | "form" | "table")
            || tree.size(id) < 200 && page.shape.says[id] & META != 0
    };
    summary::summary(page, record, links, &is_other)
}
