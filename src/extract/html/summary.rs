//! A post's stretch of the page → its text, as HTML that is safe by how it is written.
//!
//! Kept are paragraphs, lists, quotes, code, emphasis, links and pictures with absolute addresses; everything else
//! loses its tags and keeps its text. Title, date, authors, tags and "Read more" are no part of it.

use super::Page;
use super::family::Record;
use super::tree::{Id, Tree, is_block};
use crate::extract::link::Links;
use crate::model::{Html, push_escaped};

/// Longest text, in bytes of HTML.
const MAX: usize = 32 * 1024;

/// As many letters make a paragraph that is no label.
const PARAGRAPH: usize = 30;

/// The text of a post. `is_other` says which nodes are something else of it.
pub(super) fn summary(page: &Page, record: &Record, links: &Links, is_other: &dyn Fn(Id) -> bool) -> Html {
    let mut out = String::new();
    let mut at = record.range.start;
    while at < record.range.end && out.len() < MAX {
        if is_other(at) {
            at = page.tree.end(at);
        } else if is_text(&page.tree, at, is_other) {
            write(&page.tree, at, links, is_other, &mut out);
            at = page.tree.end(at);
        } else {
            at += 1;
        }
    }
    Html::written(out)
}

/// The text of some elements.
pub(super) fn of(tree: &Tree, elements: &[Id], links: &Links) -> Html {
    let mut out = String::new();
    for &id in elements {
        let has_pieces =
            tree.elements(id + 1..tree.end(id)).any(|inner| matches!(&**tree.name(inner), "p" | "ul" | "ol"));
        if has_pieces && !matches!(&**tree.name(id), "ul" | "ol") {
            tree.children(id).for_each(|child| inside(tree, child, links, &|_| false, &mut out));
        } else if tree.size(id) > 0 {
            write(tree, id, links, &|_| false, &mut out);
        }
    }
    Html::written(out.trim().to_owned())
}

/// Whether a node is a whole piece of text: a paragraph, a list, or a block of nothing but words.
fn is_text(tree: &Tree, id: Id, is_other: &dyn Fn(Id) -> bool) -> bool {
    let end = tree.end(id);
    if !tree.is_element(id) {
        return tree.letters(id..end) >= PARAGRAPH;
    }
    let has_other = || (id + 1..end).any(|inner| is_other(inner) && tree.letters(inner..tree.end(inner)) > 0);
    let has_block = || tree.elements(id + 1..end).any(|inner| is_block(tree.name(inner)));
    match &**tree.name(id) {
        "p" | "blockquote" | "pre" | "ul" | "ol" => tree.size(id) >= PARAGRAPH / 2 && !has_other(),
        "a" | "time" | "button" | "nav" => false,
        _ => tree.size(id) >= PARAGRAPH && !has_block() && !has_other(),
    }
}

/// Writes a piece of text.
fn write(tree: &Tree, id: Id, links: &Links, is_other: &dyn Fn(Id) -> bool, out: &mut String) {
    let name = &**tree.name(id);
    let is_own = matches!(name, "p" | "blockquote" | "pre" | "ul" | "ol");
    if !out.is_empty() {
        out.push('\n');
    }
    if is_own {
        inside(tree, id, links, is_other, out);
    } else {
        out.push_str("<p>");
        inside(tree, id, links, is_other, out);
        out.push_str("</p>");
    }
}

/// Writes a node with what is in it, in the tags that a text may have.
fn inside(tree: &Tree, id: Id, links: &Links, is_other: &dyn Fn(Id) -> bool, out: &mut String) {
    if is_other(id) || out.len() > MAX {
        return;
    }
    if let Some(text) = &tree.nodes[id].text {
        return push_spaced(out, &text[..text.floor_char_boundary(MAX)]);
    }
    let tag = match &**tree.name(id) {
        "p" | "li" | "ul" | "ol" | "blockquote" | "pre" | "code" | "em" | "strong" | "sub" | "sup" => &**tree.name(id),
        "b" => "strong",
        "i" => "em",
        "br" => return out.push_str("<br>"),
        "img" => return picture(tree, id, links, out),
        "a" => return link(tree, id, links, is_other, out),
        _ => "",
    };
    let is_box = tag.is_empty() && is_block(tree.name(id));
    if !tag.is_empty() {
        out.extend(["<", tag, ">"]);
    } else if is_box && !out.ends_with(' ') && !is_at_block(out) {
        out.push(' ');
    }
    tree.children(id).for_each(|child| inside(tree, child, links, is_other, out));
    if !tag.is_empty() {
        out.extend(["</", tag, ">"]);
    } else if is_box && !out.ends_with(' ') {
        out.push(' ');
    }
}

fn link(tree: &Tree, id: Id, links: &Links, is_other: &dyn Fn(Id) -> bool, out: &mut String) {
    let to = tree.attribute(id, "href").and_then(|href| links.anchor(href.trim()));
    if let Some(to) = &to {
        out.push_str("<a href=\"");
        push_escaped(out, to.as_str());
        out.push_str("\">");
    }
    tree.children(id).for_each(|child| inside(tree, child, links, is_other, out));
    if to.is_some() {
        out.push_str("</a>");
    }
}

fn picture(tree: &Tree, id: Id, links: &Links, out: &mut String) {
    let Some(from) = tree.attribute(id, "src").and_then(|src| links.web(src.trim())) else { return };
    out.push_str("<img src=\"");
    push_escaped(out, from.as_str());
    out.push_str("\" alt=\"");
    push_escaped(out, tree.attribute(id, "alt").unwrap_or_default());
    out.push_str("\">");
}

/// Appends text with runs of white space as one space.
fn push_spaced(out: &mut String, text: &str) {
    let mut word = true;
    for c in text.chars() {
        let is_space = c.is_whitespace();
        if !is_space {
            push_escaped(out, c.encode_utf8(&mut [0; 4]));
        } else if word && !out.ends_with(' ') && !is_at_block(out) {
            out.push(' ');
        }
        word = !is_space;
    }
}

/// Whether a block begins or ends here, so that space says nothing.
fn is_at_block(out: &str) -> bool {
    const BLOCKS: [&str; 7] = ["p", "li", "ul", "ol", "blockquote", "pre", "br"];
    let Some(tag) = out.strip_suffix('>') else { return out.is_empty() };
    BLOCKS.iter().any(|block| tag.strip_suffix(block).is_some_and(|tag| tag.ends_with('<') || tag.ends_with("</")))
}
