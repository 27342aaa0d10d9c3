//! The links of an HTML page that may lead to the next page of its list.

use super::about::About;
use super::build;
use crate::extract::next::Hint;
use crate::model::{Body, PageSettings};
use html5ever::local_name;

/// Most links that are looked at.
const MAX: usize = 6_000;

/// Every link, with its words: an `aria-label` says what a picture or an arrow means.
pub(in crate::extract) fn hints(text: &str, body: &Body, settings: &PageSettings) -> Vec<Hint> {
    let Some(tree) = build::tree(text) else { return Vec::new() };
    let links = super::links(body, &PageSettings { base: None, ..settings.clone() }, &About::of(&tree));
    let all =
        tree.elements(1..tree.len()).filter(|&id| matches!(*tree.name(id), local_name!("a") | local_name!("link")));
    let hint = |id| {
        let is_anchor = *tree.name(id) == local_name!("a");
        let is_marked = tree.has_word(id, "rel", "next");
        let url = links.web(tree.attribute(id, "href")?.trim()).filter(|_| is_anchor || is_marked)?;
        let label = tree.attribute(id, "aria-label").filter(|label| !label.trim().is_empty());
        let words = label.map_or_else(|| if is_anchor { tree.line(id) } else { String::new() }, str::to_owned);
        Some(Hint { url, is_marked, words })
    };
    all.take(MAX).filter_map(hint).collect()
}
