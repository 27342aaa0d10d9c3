//! The value of a field → the names in it.
//!
//! In: text with links. Out: companies, each with its own link, or authors. Where names are written in one line without
//! links, where one ends is a guess that only authors' lists bear: "Smith, Jones & Co" is one company.

use super::inline::Part;
use crate::extract::link::Links;
use crate::model::{Company, Text};
use std::ops::Range;

/// Companies: every link one; without links the whole value one; beside links what stands between commas.
pub(super) fn companies(value: Part<'_>, links: &Links) -> Vec<Company> {
    let count = value.links().count();
    if count == 0 {
        return name(value.text).map(|name| Company { name, link: None }).into_iter().collect();
    }
    let mut found = Vec::with_capacity(count);
    for piece in pieces(value) {
        let mut in_piece = value.links().filter(|(_, range)| piece.contains(&range.start)).peekable();
        if in_piece.peek().is_none() {
            found.extend(name(&value.text[piece]).map(|name| Company { name, link: None }));
            continue;
        }
        for (destination, range) in in_piece {
            let link_to = links.web(destination);
            found.extend(name(&value.text[range]).map(|name| Company { name, link: link_to }));
        }
    }
    found
}

/// Authors: what stands between commas and semicolons outside brackets and links.
pub(super) fn authors(value: Part<'_>) -> Vec<Text> {
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
fn pieces(value: Part<'_>) -> impl Iterator<Item = Range<usize>> {
    // Most values are one: without a comma, a semicolon, or a byte that `、` begins with, nothing parts them.
    let is_one = memchr::memchr3(b',', b';', 0xe3, value.text.as_bytes()).is_none();
    let text = if is_one { "" } else { value.text };
    // Brackets that are never closed hide nothing.
    let count = |brackets: [char; 3]| text.bytes().filter(|b| brackets.contains(&char::from(*b))).count();
    let is_balanced = count(OPENING) == count(CLOSING);
    let (mut next, mut depth) = (Some(0), 0usize);
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let start = next?;
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
            if parts && depth == 0 && !value.links().any(|(_, range)| range.contains(&at)) {
                next = Some(at + c.len_utf8());
                return Some(start..at);
            }
        }
        next = None;
        Some(start..value.text.len())
    })
}
