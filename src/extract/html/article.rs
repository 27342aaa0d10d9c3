//! A tree → the text of the article in it, sanitised.
//!
//! In: a tree of bounded size and depth. Out: what `dom_smoothie`, a port of Mozilla's Readability, takes for the article.
//! It gets the tree written out again rather than the page: html5ever's time grows with the square of the nesting, and
//! Readability's with more, so both see at most [`MAX_NODES`] nodes at most 128 deep.
//!
//! Deliberately absent: its titles, dates and authors, which `own` reads; and JSON-LD, which `linked` does.

use super::tree::Tree;
use crate::extract::link::Links;
use crate::model::{Html, push_escaped};
use dom_smoothie::{Config, Readability};

/// Most nodes of a page whose article is looked for.
const MAX_NODES: usize = 12_000;

/// Longest page, in bytes.
const MAX: usize = 1024 * 1024;

/// A shorter text is no article: a note, a form, an excerpt. In characters.
const SHORTEST: usize = 200;

/// The article of a page; none where there is none.
pub(super) fn article(tree: &Tree, links: &Links) -> Option<Html> {
    if tree.len() > MAX_NODES {
        return None;
    }
    let html = written(tree)?;
    let config = Config { disable_json_ld: true, ..Config::default() };
    let base = links.base().map(url::Url::as_str);
    let article = Readability::new(html, base, Some(config)).ok()?.parse().ok()?;
    if article.length < SHORTEST {
        return None;
    }
    Some(Html::article(&article.content, links.base())).filter(|html| !html.is_empty())
}

/// The tree as HTML; none where that is too long.
fn written(tree: &Tree) -> Option<String> {
    let mut out = String::with_capacity(64 * 1024);
    let mut open: Vec<usize> = Vec::new();
    let mut at = 1;
    loop {
        while open.last().is_some_and(|&id| tree.end(id) <= at) {
            let id = open.pop()?;
            out.push_str("</");
            out.push_str(tree.name(id));
            out.push('>');
        }
        if at >= tree.len() {
            return Some(out);
        }
        let node = &tree.nodes[at];
        if let Some(text) = &node.text {
            push_escaped(&mut out, text);
            at += 1;
        } else if is_left_out(&node.name) {
            at = node.end;
        } else {
            out.push('<');
            out.push_str(&node.name);
            for (name, value) in node.attributes.iter().filter(|(name, _)| is_name(name)) {
                out.push(' ');
                out.push_str(name);
                out.push_str("=\"");
                push_escaped(&mut out, value);
                out.push('"');
            }
            out.push('>');
            if node.end > at + 1 || !super::build::is_void(&node.name) {
                open.push(at);
            }
            at += 1;
        }
        if out.len() > MAX {
            return None;
        }
    }
}

/// Elements that hold nothing of an article's text.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "object"
            | "embed"
            | "form"
            | "select"
            | "textarea"
            | "button"
            | "input"
            | "canvas"
    )
}

/// Whether an attribute's name can be written again as it is.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':'))
}
