//! The date in a line beside a post: `Posted on 24 September 2026 by Ana`, `Sep 24, 2026 · 5 min read`.
//!
//! In: a line of a page. Out: what it says of a date. Whether a line is a byline at all is told by its place where
//! markup has places (HTML), and by the line alone where it has none ([`plain`], Markdown).

use super::{Order, Seen, ago, find, seen};
use crate::model::Ago;
use chrono_tz::Tz;

/// Longest line that may be a byline, in bytes.
const MAX_LINE: usize = 200;

/// Words that say that something was published, in lower case.
const PUBLISHED: [&str; 12] = [
    "published",
    "posted",
    "veröffentlicht",
    "publié",
    "publicado",
    "pubblicato",
    "gepubliceerd",
    "geplaatst",
    "publicerad",
    "опубликовано",
    "发布",
    "公開",
];

/// Words that say that something was changed later.
const EDITED: [&str; 8] =
    ["updated", "modified", "edited", "aktualisiert", "mis à jour", "mise à jour", "actualizado", "обновлено"];

/// What else may stand right before the date of a byline, in lower case.
const LABELS: [&str; 11] =
    ["on", "date", "released", "released on", "written", "written on", "created", "added", "am", "le", "el"];

/// What may stand before the name of an author, in lower case.
const BY: [&str; 9] = ["by", "von", "par", "por", "di", "door", "av", "af", "от"];

/// Most words of a piece of a byline: a name, a category, `5 min read`.
const MAX_WORDS: usize = 6;

/// A date with nothing beside it, or a short remark: `Sep 24, 2026 · 5 min read`.
pub(in crate::extract) fn alone(line: &str, tz: Tz) -> Option<Seen> {
    let remark = line.split_once(['·', '•', '|']).map_or("", |(_, rest)| rest);
    if remark.chars().filter(|c| c.is_alphabetic()).count() > 14 { None } else { seen(line, tz) }
}

/// A date behind a label and before a remark: `Published: 24 September 2026`, `Sep 24, 2026 — 5 min`.
pub(in crate::extract) fn labelled(line: &str, tz: Tz) -> Option<Seen> {
    let behind =
        line.split_once([':', '：']).map(|(_, rest)| rest.trim()).filter(|r| r.contains(|c: char| c.is_numeric()));
    if let Some(seen) = behind.and_then(|rest| seen(rest, tz)) {
        return Some(seen);
    }
    let (seen, range) = find(line)?;
    let outside = letters(&line[..range.start]) + letters(&line[range.end..]);
    (outside <= 14 && range.end > 0).then_some(seen)
}

/// The date of a short line that says when a post was published, and the order of numbers that it proves: `Published 24 September 2026` of
/// `Updated 26 September 2026 · Published 24 September 2026`, `Posted on 24 September 2026 by Ana`.
pub(in crate::extract) fn stated(line: &str) -> Option<(Seen, Option<Order>)> {
    if line.len() > MAX_LINE {
        return None;
    }
    let says = |piece: &&str| is_stated(&label(piece).trim().to_lowercase());
    let piece = line.split(['·', '•', '|']).map(str::trim).find(says)?;
    let (seen, range) = find(piece)?;
    Some((seen, Seen::order(&piece[range.start..])))
}

/// Whether words say that what they stand before is when something was last edited.
pub(in crate::extract) fn says_edited(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    EDITED.iter().any(|word| text.find(word).is_some_and(|at| at < 20))
}

/// The date of a line that is a byline and nothing else: a date, and beside it, set apart, names and short remarks. A
/// date in a sentence is none: it is what the sentence tells of.
pub(in crate::extract) fn plain(line: &str, tz: Tz) -> Option<Seen> {
    let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    if line.len() > MAX_LINE || line.ends_with(['!', '?', '…', '。', ':']) || letters(line) == 0 {
        return None;
    }
    let dates = |piece: &str| of_piece(piece, tz);
    let pieces: Vec<&str> = pieces(line).collect();
    let at = pieces.iter().position(|piece| dates(piece).is_some())?;
    let is_short = |piece: &&str| piece.split_whitespace().count() <= MAX_WORDS && !piece.ends_with('.');
    if !pieces.iter().enumerate().all(|(n, piece)| n == at || is_short(piece) || dates(piece).is_some()) {
        return None;
    }
    // Of several dates the one that is said to be the post's, else the first that is not said to be an edit's.
    let is_stated = |piece: &&&str| PUBLISHED.iter().any(|word| piece.to_lowercase().starts_with(word));
    let stated = pieces.iter().filter(is_stated).find_map(|piece| dates(piece));
    let edited = |piece: &&&str| !says_edited(label(piece));
    stated.or_else(|| pieces.iter().filter(edited).find_map(|piece| dates(piece)))
}

/// How long ago a line says that its post was published, where it says nothing else but short remarks set apart.
pub(in crate::extract) fn plain_ago(line: &str) -> Option<Ago> {
    let first = pieces(line.trim()).next().filter(|_| line.len() <= MAX_LINE)?;
    ago(first)
}

/// The parts of a line that signs set apart.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let bars = line.split(['·', '•', '|', '—', '–', '⋅', '∙']);
    bars.flat_map(|piece| piece.split(" - ").flat_map(|piece| piece.split(" // "))).map(str::trim)
}

/// The date that a piece of a byline is, with a label or an author's name at most.
fn of_piece(piece: &str, tz: Tz) -> Option<Seen> {
    let piece = piece.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end();
    if let Some(seen) = seen(piece, tz) {
        return Some(seen);
    }
    let (found, range) = find(piece).filter(|(_, range)| range.end > 0)?;
    let (before, after) = (&piece[..range.start], &piece[range.end..]);
    if !is_label(before) {
        return None;
    }
    if let Some(seen) = seen(&piece[range.start..], tz) {
        return Some(seen);
    }
    is_remark(after).then_some(found)
}

/// Whether what stands before a date only leads to it.
fn is_label(before: &str) -> bool {
    let text = before.trim().trim_end_matches([':', '：', ',', '(', '[']).trim_end().to_lowercase();
    let is_name = || {
        let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let words = rest.split_whitespace().count();
        BY.contains(&first) && (1..MAX_WORDS).contains(&words)
    };
    // A weekday, in any language; a name or a place.
    let is_apart = || {
        let mut words = before.split_whitespace();
        before.trim_end().ends_with(',')
            && (!text.contains(char::is_whitespace) || words.all(|word| !word.starts_with(char::is_lowercase)))
    };
    let is_long = text.split_whitespace().count() >= MAX_WORDS;
    letters(&text) == 0
        || LABELS.contains(&&*text)
        || is_edit(&text)
        || is_stated(&text)
        || !is_long && (is_name() || is_apart())
}

/// Whether words in lower case say, and say nothing else, that something was changed later.
fn is_edit(text: &str) -> bool {
    says_edited(text) && text.split_whitespace().count() <= 3
}

/// Whether words in lower case say that something was published, and little more: `on`, `am`, `le`; with more words
/// it is a sentence.
fn is_stated(text: &str) -> bool {
    let joins = |rest: &str| rest.chars().filter(|c| c.is_alphabetic()).count() <= 4;
    PUBLISHED.iter().any(|word| text.strip_prefix(word).is_some_and(joins))
}

/// Whether what stands behind a date is an author, or a remark that a sign sets apart.
fn is_remark(after: &str) -> bool {
    let text = after.trim();
    let is_short = text.split_whitespace().count() <= MAX_WORDS && !text.ends_with('.');
    let by = text.split_whitespace().next().is_some_and(|word| BY.contains(&word.to_lowercase().as_str()));
    let is_apart = text.starts_with(['(', '[', '/', '#', '@']) || text.chars().next().is_none_or(is_picture);
    // `, Ann Bee`, `in News`.
    let is_named = text.strip_prefix(',').or_else(|| text.strip_prefix("in ")).is_some_and(|rest| {
        rest.split_whitespace().all(|word| !word.starts_with(char::is_lowercase) || ["min", "read"].contains(&word))
    });
    is_short && (by || is_apart || is_named)
}

/// Whether a sign is a picture, such as that of a clock.
fn is_picture(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_ascii() && !matches!(c, '’' | '“' | '”' | '，' | '。')
}

/// What stands before a line's first digit.
fn label(line: &str) -> &str {
    line.find(|c: char| c.is_numeric()).map_or("", |at| &line[..at])
}

/// How many letters and digits there are.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}
