//! Which links of a page may lead to posts.
//!
//! Left out: links within the page, to the page itself and to the folders above it, to tags, authors and neighbours as
//! `rel` tells them, to other pages of the list, and to files that are no documents.

use super::tree::{Id, Tree, is_block, is_heading};
use crate::extract::link::Links;
use crate::model::Key;
use html5ever::local_name;
use url::Url;

/// Most links that are looked at.
const MAX_ANCHORS: usize = 6_000;

/// A link that may lead to a post.
#[derive(Debug)]
pub(super) struct Anchor {
    pub(super) id: Id,
    pub(super) url: Url,
    /// Equal for links to the same post.
    pub(super) key: String,
    /// The text of it.
    pub(super) text: String,
    /// Whether it stands in the middle of a sentence.
    pub(super) running: bool,
    /// Whether it leads to a part of the page itself.
    pub(super) within: bool,
}

/// The links of a page, in its order.
pub(super) fn anchors(tree: &Tree, links: &Links, page: &Url) -> Vec<Anchor> {
    let here = Key::of(&bare(page)).to_string();
    let is_link = |&id: &Id| match *tree.name(id) {
        local_name!("a") => true,
        local_name!("link") => is_alone(tree, id),
        _ => false,
    };
    let all = tree.elements(1..tree.len()).filter(is_link);
    all.filter_map(|id| anchor(tree, id, links, page, &here)).take(MAX_ANCHORS).collect()
}

fn anchor(tree: &Tree, id: Id, links: &Links, page: &Url, here: &str) -> Option<Anchor> {
    let href = tree.attribute(id, "href")?.trim();
    if href.is_empty() || tree.attribute(id, "download").is_some() {
        return None;
    }
    let url = links.web(href)?;
    if let Some(fragment) = url.fragment()
        && Key::of(&bare(&url)).to_string() == here
    {
        // A part of the page may be a post of it, if its heading leads to it.
        let is_heading = std::iter::once(id).chain(tree.ancestors(id).take(2)).any(|up| is_heading(tree.name(up)));
        let key = format!("#{fragment}");
        let is_part = is_heading && fragment.len() > 1 && !fragment.starts_with(":~:");
        let text = tree.line(id);
        return is_part.then_some(Anchor { id, url, key, text, running: false, within: true });
    }
    if tree.words(id, "rel").any(is_other) || is_file(url.path()) {
        return None;
    }
    let key = Key::of(&bare(&url)).to_string();
    if key == here || is_above(&url, page) || is_page_of_list(&url, page) {
        return None;
    }
    Some(Anchor { id, url, key, text: tree.line(id), running: is_running(tree, id), within: false })
}

/// Whether a `link` is the only one that microdata gives a post: its thing has no `a`.
fn is_alone(tree: &Tree, id: Id) -> bool {
    let is_url = tree.attribute(id, "itemprop").is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let thing = || tree.ancestors(id).find(|&up| tree.attribute(up, "itemscope").is_some());
    let has_link = |thing: Id| tree.elements(thing..tree.end(thing)).any(|id| *tree.name(id) == local_name!("a"));
    let is_small = |thing: &Id| tree.end(*thing) - thing <= MAX_THING;
    is_url && thing().filter(is_small).is_some_and(|thing| tree.size(thing) > 0 && !has_link(thing))
}

/// Most nodes of a thing of microdata that is a post.
const MAX_THING: usize = 400;

/// An address without its fragment.
pub(super) fn bare(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

/// Whether a link's `rel` says that it leads to something that is no post.
fn is_other(rel: &str) -> bool {
    let others =
        ["tag", "author", "category", "next", "prev", "previous", "license", "me", "search", "alternate", "home"];
    others.iter().any(|other| rel.eq_ignore_ascii_case(other))
}

/// Whether a path ends as files do that are no documents.
fn is_file(path: &str) -> bool {
    let Some((_, ending)) = path.rsplit_once('.') else { return false };
    let endings = [
        "jpg", "jpeg", "png", "gif", "svg", "webp", "avif", "zip", "gz", "xz", "exe", "dmg", "xml", "rss", "atom",
        "json", "css", "js", "mp3", "mp4", "ics", "woff2",
    ];
    endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// Whether an address is a folder that the page is in: its home, its language.
fn is_above(url: &Url, page: &Url) -> bool {
    let folder = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let (outer, inner) = (folder(url), page.path().to_owned());
    let is_folder =
        url.query().is_none() && (outer.is_empty() || inner.strip_prefix(&outer).is_some_and(|r| r.starts_with('/')));
    is_folder && (outer.is_empty() || host(url) == host(page))
}

/// The host of an address, with or without `www.`.
pub(super) fn host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Whether an address is another part of the same list: `?page=2`, `/page/2/`.
fn is_page_of_list(url: &Url, page: &Url) -> bool {
    let is_number = |s: &str| !s.is_empty() && s.len() < 5 && s.bytes().all(|b| b.is_ascii_digit());
    let same = url.path().trim_end_matches('/') == page.path().trim_end_matches('/') && host(url) == host(page);
    let names = ["page", "paged", "pg", "pagina", "seite", "offset", "start"];
    let by_query = same && url.query_pairs().any(|(name, value)| names.contains(&&*name) && is_number(&value));
    let segments: Vec<&str> = url.path().split('/').filter(|s| !s.is_empty()).collect();
    let by_path = match segments.as_slice() {
        [.., word, number] => is_number(number) && ["page", "pages", "seite", "pagina"].contains(word),
        _ => false,
    };
    by_query || by_path
}

/// Whether words stand beside a link in its block, as they do in a sentence.
fn is_running(tree: &Tree, id: Id) -> bool {
    let Some(block) = block_of(tree, id) else { return false };
    let is_card = tree.elements(id + 1..tree.end(id)).any(|inner| is_block(tree.name(inner)));
    if is_card || !matches!(&**tree.name(block), "p" | "blockquote" | "dd" | "li" | "td" | "figcaption" | "div") {
        return false;
    }
    let before = beside(tree, block, (block + 1..id).rev());
    let after = beside(tree, block, tree.end(id)..tree.end(block));
    match &**tree.name(block) {
        "p" | "blockquote" | "figcaption" => before > 40 || before > 0 && after > tree.size(id).max(20),
        _ => before > 80 && after > 0,
    }
}

/// The block that a node stands in.
fn block_of(tree: &Tree, id: Id) -> Option<Id> {
    tree.ancestors(id).find(|&up| is_block(tree.name(up)))
}

/// As many nodes beside a link are looked at.
const MAX_BESIDE: usize = 64;

/// How many letters stand on one side of a link on its own lines, up to the next link.
fn beside(tree: &Tree, block: Id, nodes: impl Iterator<Item = Id>) -> usize {
    let is_same_line = |&id: &Id| match &tree.nodes[id].text {
        Some(_) => block_of(tree, id) == Some(block) && !tree.ancestors(id).any(|up| &**tree.name(up) == "a"),
        None => !matches!(&**tree.name(id), "a" | "br") && !is_block(tree.name(id)),
    };
    let texts = nodes.take(MAX_BESIDE).take_while(is_same_line).filter(|&id| !tree.is_element(id));
    texts.map(|id| tree.size(id)).sum()
}
