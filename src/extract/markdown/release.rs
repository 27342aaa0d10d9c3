//! Releases of a changelog → what tells them from its other headings.
//!
//! In: headings and their parts. Out: whether one is called after a version, which notes may stand behind its date, and
//! which headings below it are of its text. Knows Keep a Changelog, standard-version and release-please.

use super::outline::{Head, Section};
use crate::extract::date::{self, Seen};
use crate::model::Published;
use std::ops::RangeInclusive;

/// At which levels releases stand.
pub(super) const LEVELS: RangeInclusive<u8> = 1..=4;

/// Most words of a release's name: `Version 1.2.0 of Tool`.
const MAX_NAME: usize = 4;

/// Most words of a note behind a date: `[YANKED]`, `"Codename"`.
const MAX_NOTE: usize = 3;

/// Longest such note, in letters.
const MAX_LETTERS: usize = 30;

/// Whether a heading is called after a version: `1.2.0`, `v2`, `tool-1.2.0-rc.1`, `@scope/tool@1.2.0`.
pub(super) fn is_name(title: &str) -> bool {
    let is_version = |part: &str| {
        let part = part.trim_matches(|c: char| !c.is_alphanumeric());
        let number = part.trim_start_matches(['v', 'V']);
        let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_dotted = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        rest.len() < number.len() && (is_dotted || rest.is_empty() && number.len() < part.len())
    };
    let mut words = title.split_whitespace();
    title.split_whitespace().count() <= MAX_NAME && words.any(|word| word.split(['@', '-', '_', '/']).any(is_version))
}

/// Whether what stands behind a release's date is a short note.
pub(super) fn is_note(after: &str) -> bool {
    let letters = after.chars().filter(|c| c.is_alphabetic()).count();
    let words = after.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    words <= MAX_NOTE && letters <= MAX_LETTERS && !after.contains(char::is_numeric)
}

/// The date that begins what stands beside a link, with a note behind it.
pub(super) fn noted(beside: &str) -> Option<Published> {
    let (seen, range) = date::find(beside).filter(|(_, range)| range.end > 0)?;
    let is_first = !beside[..range.start].contains(char::is_alphanumeric);
    match seen {
        Seen::Whole(published) if is_first && is_note(&beside[range.end..]) => Some(published),
        _ => None,
    }
}

/// The level below which headings belong to the release above them, where posts are releases of which some stand a level
/// below the others, or so deep that their sections stand beside them.
pub(super) fn text_level(sections: &[Section<'_>], heads: &[Head], is_post: &[bool]) -> Option<u8> {
    let posts = || sections.iter().zip(heads).zip(is_post).filter(|(_, is_post)| **is_post).map(|(both, _)| both);
    let highest = posts().map(|(section, _)| section.level).min()?;
    if !posts().all(|(_, head)| head.published.is_some() && is_name(&head.title)) {
        return None;
    }
    let is_mixed = posts().any(|(section, _)| section.level != highest);
    Some(if is_mixed || highest < 3 { highest } else { highest - 1 })
}
