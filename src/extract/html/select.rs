//! Selectors of the configuration → what they find on a page.
//!
//! Selectors are matched by the `scraper` crate on a tree of its own, made from ours, so that both see one document.
//! A selector that finds nothing is an error that names it and the nearest that would find something: a class that is
//! spelled much like it, or the selector with a part left out.

use super::Page;
use super::anchor::{Anchor, bare};
use super::family::Record;
use super::list::List;
use super::post::Given;
use super::tree::{Id, Tree};
use crate::extract::date::{self, Seen};
use crate::extract::link::Links;
use crate::extract::no_topic_page;
use crate::model::{Company, Failure, Html, Key, PageSettings, Published, Selector, Selectors, Text, push_escaped};
use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeZone};
use html5ever::{Attribute, QualName, ns};
use scraper::node::{Element, Node};
use std::collections::{BTreeSet, HashMap};

/// What the selectors of a page find, in the page's order.
pub(super) struct Found<'s> {
    selectors: &'s Selectors,
    matches: HashMap<&'static str, Vec<Id>>,
}

/// Finds what selectors name.
///
/// # Errors
/// `not-a-topic-page` where one of them finds nothing on the whole page.
pub(super) fn found<'s>(tree: &Tree, selectors: &'s Selectors) -> Result<Found<'s>, Failure> {
    let document = Document::of(tree);
    let mut matches = HashMap::new();
    for (key, selector) in selectors.all().filter(|(_, selector)| !selector.css().is_empty()) {
        let ids = document.matches(selector.css());
        if ids.is_empty() {
            return Err(missing(key, selector, tree, &document, "finds nothing on the page"));
        }
        matches.insert(key, ids);
    }
    let found = Found { selectors, matches };
    found.inside_items(tree, &document)?;
    Ok(found)
}

impl Found<'_> {
    /// Whether each selector finds something in one post at least.
    fn inside_items(&self, tree: &Tree, document: &Document) -> Result<(), Failure> {
        let Some(items) = self.matches.get("item") else { return Ok(()) };
        for (key, selector) in self.selectors.all().filter(|(key, s)| *key != "item" && !s.css().is_empty()) {
            let is_inside = |id: &Id| items.iter().any(|&item| tree.contains(item, *id));
            if !self.matches[key].iter().any(is_inside) {
                return Err(missing(key, selector, tree, document, "finds nothing in any post that `item` finds"));
            }
        }
        Ok(())
    }

    /// The posts that `item` finds, if it is given; each needs a link.
    pub(super) fn list(&self, page: &mut Page, links: &Links) -> Option<List> {
        let items = self.matches.get("item")?;
        // Of items in items the outermost are posts.
        let mut end = 0;
        let outer = items.iter().copied().filter(|&id| {
            let is_outer = id >= end;
            end = end.max(page.tree.end(id));
            is_outer
        });
        // Of several links in a post the one that it would be found by without selectors is meant.
        let groups = super::list::list(page, None).map_or_else(Vec::new, |list| list.groups);
        let usual: BTreeSet<Id> = groups.iter().flatten().map(|record| page.anchors[record.anchor].id).collect();
        let placed: Vec<(Id, Id)> = outer.filter_map(|item| Some((item, self.link(page, item, &usual)?))).collect();
        let here = |url: &url::Url| Key::of(&bare(url)).to_string();
        for &(_, link) in &placed {
            if let (false, Some(url)) = (page.by_id.contains_key(&link), self.address(page, link, links)) {
                let text = page.tree.line(link);
                let key = here(&url);
                page.anchors.push(Anchor { id: link, key, url, text, running: false, within: false });
            }
        }
        page.anchors.sort_by_key(|anchor| anchor.id);
        page.by_id = page.anchors.iter().enumerate().map(|(n, anchor)| (anchor.id, n)).collect();
        let record = |&(item, link): &(Id, Id)| {
            let anchor = *page.by_id.get(&link)?;
            Some(Record { anchor, range: item..page.tree.end(item) })
        };
        let records: Vec<Record> = placed.iter().filter_map(record).collect();
        (!records.is_empty()).then(|| List { groups: vec![records], best: None })
    }

    /// The element of a post that says where it leads.
    fn link(&self, page: &Page, item: Id, usual: &BTreeSet<Id>) -> Option<Id> {
        let tree = &page.tree;
        let range = item..tree.end(item);
        if self.selectors.of("link_selector").is_some() {
            return self.elements("link_selector", &range).first().copied();
        }
        let is_link = |id: &Id| &**tree.name(*id) == "a" && tree.attribute(*id, "href").is_some();
        if let Some(&title) = self.elements("title", &range).first() {
            let around = std::iter::once(title).chain(tree.ancestors(title)).take_while(|up| range.contains(up));
            let inside = tree.elements(title..tree.end(title));
            if let Some(link) = around.chain(inside).find(is_link) {
                return Some(link);
            }
        }
        if let Some(&link) = usual.range(range.clone()).next() {
            return Some(link);
        }
        let heading = page.heads.iter().copied().find(|head| range.contains(head));
        let in_heading = heading.and_then(|head| {
            let around = tree.ancestors(head).take_while(|up| range.contains(up));
            tree.elements(head..tree.end(head)).chain(around).find(is_link)
        });
        let around = || tree.ancestors(item).find(is_link);
        in_heading.or_else(|| tree.elements(range.clone()).find(is_link)).or_else(around)
    }

    fn address(&self, page: &Page, link: Id, links: &Links) -> Option<url::Url> {
        let attribute = self.selectors.of("link_selector").and_then(Selector::attribute);
        let tree = &page.tree;
        let given = |id: Id| tree.attribute(id, attribute.as_deref().unwrap_or("href"));
        let inner = || tree.elements(link..tree.end(link)).find_map(given);
        links.web(given(link).or_else(inner)?.trim())
    }

    /// The elements that a selector finds in a stretch of the page; of one without CSS the stretch's own.
    fn elements(&self, key: &str, range: &std::ops::Range<Id>) -> &[Id] {
        let Some(ids) = self.matches.get(key) else { return &[] };
        let start = ids.partition_point(|id| *id < range.start);
        let end = ids.partition_point(|id| *id < range.end);
        &ids[start..end]
    }

    /// What a selector finds in a post, as texts.
    fn texts(&self, key: &str, tree: &Tree, range: &std::ops::Range<Id>) -> Vec<(Id, String)> {
        let Some(selector) = self.selectors.of(key) else { return Vec::new() };
        let attribute = selector.attribute();
        let read = |id: Id| match &attribute {
            Some(name) => tree.attribute(id, name).map(super::tree::squeezed),
            None => Some(tree.line(id)),
        };
        let own = [range.start];
        let ids = if selector.css().is_empty() { &own[..] } else { self.elements(key, range) };
        ids.iter().filter_map(|&id| Some((id, read(id)?))).filter(|(_, text)| !text.is_empty()).collect()
    }

    /// What the selectors say of a post.
    pub(super) fn given(&self, page: &Page, record: &Record, links: &Links, settings: &PageSettings) -> Given {
        let tree = &page.tree;
        let range = &record.range;
        let first = |key| self.texts(key, tree, range).into_iter().next();
        let date = first("date").map(|(id, text)| {
            // An element that says its date to programs means that one.
            let has_attribute = self.selectors.of("date").is_some_and(|s| s.attribute().is_some());
            let machine =
                tree.attribute(id, "datetime").filter(|_| !has_attribute && self.selectors.date_format.is_none());
            let read = machine.and_then(|text| date::parse(text.trim(), settings.timezone));
            (read.or_else(|| dated(&text, self.selectors.date_format.as_deref(), settings)), text)
        });
        let company = first("company").map(|(id, name)| {
            let around = std::iter::once(id).chain(tree.elements(id..tree.end(id)));
            let link = around.filter(|&a| &**tree.name(a) == "a").find_map(|a| tree.attribute(a, "href"));
            Company { name: Text::line(&name), link: link.and_then(|href| links.web(href)) }
        });
        let is_text =
            |id: Id| id != range.start && self.selectors.of("author").is_some_and(|s| s.attribute().is_none());
        let names = || {
            self.texts("author", tree, range).into_iter().flat_map(|(id, name)| {
                let in_element = || super::person::names(tree, id).into_iter().map(|(name, _)| name).collect();
                if is_text(id) { in_element() } else { vec![name] }
            })
        };
        Given {
            title: first("title"),
            date,
            authors: self.selectors.of("author").map(|_| names().collect()),
            kind: first("type").map(|(_, text)| text),
            company,
            summary: self.summary(page, range, links),
            image: self.image(tree, range, links),
        }
    }

    fn summary(&self, page: &Page, range: &std::ops::Range<Id>, links: &Links) -> Option<Html> {
        let selector = self.selectors.of("summary")?;
        if selector.attribute().is_some() {
            let text = self.texts("summary", &page.tree, range).into_iter().next()?.1;
            return Some(Html::escaped(&Text::line(&text)));
        }
        Some(super::summary::of(&page.tree, self.elements("summary", range), links))
    }

    /// The post's picture, as a paragraph.
    fn image(&self, tree: &Tree, range: &std::ops::Range<Id>, links: &Links) -> Option<String> {
        let selector = self.selectors.of("image")?;
        let attribute = selector.attribute().unwrap_or_else(|| "src".to_owned());
        let id = *self.elements("image", range).first()?;
        let given = |id: Id| tree.attribute(id, &attribute);
        let src = given(id).or_else(|| tree.elements(id..tree.end(id)).find_map(given))?;
        let url = links.web(src.trim())?;
        let mut html = "<p><img src=\"".to_owned();
        push_escaped(&mut html, url.as_str());
        html.push_str("\" alt=\"");
        push_escaped(&mut html, tree.attribute(id, "alt").unwrap_or_default());
        html.push_str("\"></p>");
        Some(html)
    }
}

/// A date in its format, or else as people and programs write it.
fn dated(text: &str, format: Option<&str>, settings: &PageSettings) -> Option<Published> {
    let Some(format) = format else {
        let whole = date::parse(text, settings.timezone);
        return whole.or_else(|| match date::find(text)?.0 {
            Seen::Whole(published) => Some(published),
            _ => None,
        });
    };
    if let Ok((time, _)) = DateTime::parse_and_remainder(text, format) {
        return Some(Published::Instant(time));
    }
    if let Ok((time, _)) = NaiveDateTime::parse_and_remainder(text, format) {
        let local = settings.timezone.from_local_datetime(&time).earliest()?;
        return Some(Published::Instant(local.fixed_offset()));
    }
    NaiveDate::parse_and_remainder(text, format).ok().map(|(day, _)| Published::Day(day))
}

/// The page as `scraper` sees it.
struct Document {
    html: scraper::Html,
    /// Our numbers of its nodes, in the order in which they were made, which is ours.
    ids: Vec<Id>,
}

impl Document {
    fn of(tree: &Tree) -> Self {
        let mut html = scraper::Html::new_document();
        let mut made = vec![html.tree.root().id(); tree.len()];
        let mut ids = vec![0];
        for id in tree.elements(1..tree.len()) {
            let Some(mut parent) = html.tree.get_mut(made[tree.parent(id)]) else { continue };
            made[id] = parent.append(Node::Element(element(tree, id))).id();
            ids.push(id);
        }
        Self { html, ids }
    }

    /// The elements that CSS matches, in the page's order.
    fn matches(&self, css: &str) -> Vec<Id> {
        let Ok(selector) = scraper::Selector::parse(css) else { return Vec::new() };
        let nodes = self.html.tree.nodes().zip(&self.ids);
        let is_match = |node| scraper::ElementRef::wrap(node).is_some_and(|element| selector.matches(&element));
        nodes.filter(|(node, _)| is_match(*node)).map(|(_, id)| *id).collect()
    }
}

fn element(tree: &Tree, id: Id) -> Element {
    let name = QualName::new(None, ns!(html), tree.name(id).clone());
    let attribute = |(name, value): &(html5ever::LocalName, String)| Attribute {
        name: QualName::new(None, ns!(), name.clone()),
        value: value.as_str().into(),
    };
    Element::new(name, tree.nodes[id].attributes.iter().map(attribute).collect())
}

/// The failure of a selector that finds nothing, with the nearest that would.
fn missing(key: &str, selector: &Selector, tree: &Tree, document: &Document, what: &str) -> Failure {
    let near = nearest(selector.css(), tree, document);
    let remedy = match near {
        Some((css, 1)) => format!("`{css}` would find 1 element"),
        Some((css, count)) => format!("`{css}` would find {count} elements"),
        None => "nothing like it is there: look at the page's source".to_owned(),
    };
    no_topic_page(format!("the selector {key} = `{selector}` {what}: {remedy}"))
}

/// Most selectors that are tried in the place of one that finds nothing.
const MAX_TRIED: usize = 60;

/// The nearest selector that finds something, and how much: first another spelling of a class or id, then a looser one.
fn nearest(css: &str, tree: &Tree, document: &Document) -> Option<(String, usize)> {
    let tried = respelled(css, tree).into_iter().chain(loosened(css)).take(MAX_TRIED);
    tried.map(|css| (document.matches(&css).len(), css)).find(|(count, _)| *count > 0).map(|(count, css)| (css, count))
}

/// The selector with a class or id that the page has in the place of one that it has not.
fn respelled(css: &str, tree: &Tree) -> Vec<String> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for id in tree.elements(1..tree.len()) {
        known.extend(tree.words(id, "class").map(|class| format!(".{class}")));
        known.extend(tree.attribute(id, "id").map(|id| format!("#{}", id.trim())));
        known.insert(tree.name(id).to_string());
    }
    known.retain(|name| name.len() < 80 && pieces(name).len() == 1);
    let mut all = Vec::new();
    let pieces = pieces(css);
    let mut current = pieces.concat();
    for (n, piece) in pieces.iter().enumerate().filter(|(_, piece)| is_name(piece) && !known.contains(**piece)) {
        let distance = |name: &&String| strsim::damerau_levenshtein(name, piece);
        // Of `title_x3f9` built anew the start is what stays.
        let stem = |name: &str| name.trim_end_matches(|c: char| c.is_alphanumeric()).len();
        let is_near = |name: &&String| {
            let start = stem(name);
            name.starts_with(&piece[..1])
                && (distance(name) * 3 <= piece.len()
                    || start > 3 && start < name.len() && piece.starts_with(&name[..start]))
        };
        let is_sort = |name: &&String| name.starts_with(['.', '#']) == piece.starts_with(['.', '#']);
        let Some(near) = known.iter().filter(is_sort).filter(is_near).min_by_key(distance) else { continue };
        let mut other = pieces.clone();
        other[n] = near;
        all.push(other.concat());
        current = current.replacen(piece, near, 1);
    }
    all.push(current);
    all
}

/// The selector with one part left out, then with fewer and fewer of its last parts.
fn loosened(css: &str) -> Vec<String> {
    let pieces = pieces(css);
    let mut all = Vec::new();
    for n in 0..pieces.len() {
        let mut rest = pieces.clone();
        let is_combinator = pieces[n].trim().is_empty() || matches!(pieces[n].trim(), ">" | "+" | "~");
        if is_combinator {
            rest[n] = " ";
        } else {
            rest.remove(n);
        }
        all.push(rest.concat());
    }
    for n in 1..pieces.len() {
        all.push(pieces[n..].concat());
        all.push(pieces[..n].concat());
    }
    let tidy =
        |css: String| css.trim_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '+' | '~' | ',')).to_owned();
    all.into_iter().map(tidy).filter(|css| !css.is_empty()).collect()
}

/// A selector cut into names, attributes, pseudo-classes and what joins them.
fn pieces(css: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    let is_joint = |c: char| c.is_whitespace() || matches!(c, '>' | '+' | '~' | ',');
    let mut before = ' ';
    for (at, c) in css.char_indices() {
        let begins =
            depth == 0 && (matches!(c, '.' | '#' | '[' | ':') && before != ':' || is_joint(c) != is_joint(before));
        if begins && at > start {
            pieces.push(&css[start..at]);
            start = at;
        }
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
    }
    pieces.push(&css[start..]);
    pieces
}

/// Whether a piece of a selector is an element's name, a class or an id.
fn is_name(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '#'))
}
