//! The value of a field → the names in it.
//!
//! In: text with links. Out: companies, each with its own link, or authors. Where names are written in one line without
//! links, where one ends is a guess that only authors' lists bear: "Smith, Jones & Co" is one company.

use super::inline::Inline;
use crate::extract::link::Links;
use crate::model::{Company, Text};
use std::ops::Range;

/// Companies: every link one; without links the whole value one; beside links what stands between commas.
pub(super) fn companies(value: &Inline, links: &Links) -> Vec<Company> {
    if value.links.is_empty() {
        return name(&value.text).map(|name| Company { name, link: None }).into_iter().collect();
    }
    let mut found = Vec::with_capacity(value.links.len());
    for piece in pieces(value) {
        let mut in_piece = value.links.iter().filter(|l| piece.contains(&l.range.start)).peekable();
        if in_piece.peek().is_none() {
            found.extend(name(&value.text[piece]).map(|name| Company { name, link: None }));
            continue;
        }
        for link in in_piece {
            let link_to = links.web(&link.destination);
            found.extend(name(&value.text[link.range.clone()]).map(|name| Company { name, link: link_to }));
        }
    }
    found
}

/// Authors: what stands between commas and semicolons outside brackets and links.
pub(super) fn authors(value: &Inline) -> Vec<Text> {
    let mut found: Vec<Text> = Vec::new();
    for piece in pieces(value) {
        let Some(author) = name(&value.text[piece]) else { continue };
        match found.last_mut() {
            Some(before) if SUFFIXES.contains(&author.as_str()) => *before = Text::line(&format!("{before}, {author}")),
            _ => found.push(author),
        }
    }
    found
}

/// What belongs to the name before the comma.
const SUFFIXES: [&str; 16] =
    ["Jr", "Jr.", "Sr", "Sr.", "II", "III", "PhD", "Ph.D.", "MD", "M.D.", "Inc", "Inc.", "LLC", "Ltd", "Ltd.", "GmbH"];

/// A name without the "and" of the last in a list.
fn name(text: &str) -> Option<Text> {
    let text = text.trim();
    let text = ["and ", "& "].iter().find_map(|joint| text.strip_prefix(joint)).unwrap_or(text);
    let name = Text::line(text);
    // A dash alone says that there is none; other signs are a name, however odd.
    name.as_str().contains(|c: char| !c.is_whitespace() && !matches!(c, '-' | '–' | '—')).then_some(name)
}

const OPENING: [char; 3] = ['(', '[', '{'];
const CLOSING: [char; 3] = [')', ']', '}'];

/// The stretches of a value between its separators.
fn pieces(value: &Inline) -> Vec<Range<usize>> {
    // Brackets that are never closed hide nothing.
    let count = |brackets: [char; 3]| value.text.bytes().filter(|b| brackets.contains(&char::from(*b))).count();
    let is_balanced = count(OPENING) == count(CLOSING);
    let mut pieces = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    let mut chars = value.text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let parts = match c {
            ',' => chars.peek().is_none_or(|(_, next)| next.is_whitespace() || matches!(next, ',' | ';')),
            ';' | '、' => true,
            _ => false,
        };
        if is_balanced && OPENING.contains(&c) {
            depth += 1;
        } else if CLOSING.contains(&c) {
            depth = depth.saturating_sub(1);
        }
        if parts && depth == 0 && !value.links.iter().any(|link| link.range.contains(&at)) {
            pieces.push(start..at);
            start = at + c.len_utf8();
        }
    }
    pieces.push(start..value.text.len());
    pieces
}
