//! JSON Feed 1 and 1.1 → [`Listing`].
//!
//! In: decoded text. Out: the feed's fields and its items. Any object with a list of `items` is read, whatever version
//! it names; numbers where texts belong are read as texts, as JSON Feed 1.1 asks of ids. What strict parsers refuse is
//! put right when they do: half of a character (`\ud83d` alone) becomes U+FFFD, a control character a space. An item that
//! is no JSON even so costs only itself.
//!
//! Deliberately absent: the next page (`next_url`), images. `feed-rs` is not asked: it refuses a whole feed
//! for one item with a number as id.

use super::piece::{Attached, MAX_ENCLOSURES};
use super::words::Words;
use super::{Item, Listing, MAX_ITEMS};
use crate::extract::no_topic_page;
use crate::model::{ErrorKind, Failure, Warning, WarningKind};
use serde_json::{Map, Value};

/// Reads a feed. `is_newer` tells of two items whether the second is newer, by their dates.
pub(super) fn read(text: &str, is_newer: impl Fn(&Item, &Item) -> bool) -> Result<Listing, Failure> {
    let feed = match parse(text) {
        Ok(feed) => feed,
        Err(why) if why.is_eof() => {
            let why = "the JSON ends before it is complete: it was cut off, so none of it is taken";
            return Err(Failure::new(ErrorKind::Truncated, why));
        }
        Err(why) => return Err(Failure::new(ErrorKind::Parse, format!("the document is no JSON: {why}"))),
    };
    let Some(Value::Array(items)) = feed.get("items") else {
        return Err(no_topic_page("the document is JSON but no JSON Feed: it has no list of `items`"));
    };
    let feeds = authors(&feed);
    let mut problems = Vec::new();
    let mut found = Vec::with_capacity(items.len().min(MAX_ITEMS));
    for (i, value) in items.iter().enumerate() {
        if let Value::Object(fields) = value {
            found.push(item(fields, i + 1, &feeds));
        } else {
            let what = if value.is_null() { "it is null, or no JSON" } else { "it is no object" };
            let why = format!("item {}: {what}, so it is left out", i + 1);
            problems.push(Warning::new(WarningKind::Item, why));
        }
    }
    if found.len() > MAX_ITEMS {
        let ends = found.first().zip(found.last());
        let ends_newest = ends.is_some_and(|(first, last)| is_newer(first, last));
        let starts_newest = ends.is_some_and(|(first, last)| is_newer(last, first));
        problems.push(super::too_many(found.len(), starts_newest || ends_newest));
        if ends_newest {
            found.drain(..found.len() - MAX_ITEMS);
        }
        found.truncate(MAX_ITEMS);
    }
    let words = |name| string(&feed, name).map_or(Words::None, Words::Plain);
    let home = string(&feed, "home_page_url");
    Ok(Listing { title: words("title"), description: words("description"), home, items: found, problems })
}

/// The object of a document, after a repair if it takes one; what says best why there is none is the document as it came.
fn parse(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(text).or_else(|why| {
        if why.is_eof() {
            return Err(why);
        }
        let text = repaired(text);
        serde_json::from_str(&text).or_else(|why| {
            let without = without_broken_items(&text).and_then(|text| serde_json::from_str(&text).ok());
            without.ok_or(why)
        })
    })
}

/// A feed with `null` for each of its items that is no JSON; none where its list of items is not found, or not closed.
fn without_broken_items(text: &str) -> Option<String> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    // The last text that is no value of an item, and where the list and the item that the walk is in begin.
    let (mut said, mut list, mut item) = (0..0, None, 0);
    let mut items: Vec<&str> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => {
                quoted = !quoted;
                said = if quoted { at + 1..at } else { said.start..at };
            }
            _ if quoted => {}
            b'[' if depth == 1 && list.is_none() && text.get(said.clone()) == Some("items") => {
                (list, item, depth) = (Some(at), at + 1, 2);
            }
            b',' | b']' if depth == 2 && list.is_some() => {
                let own = text[item..at].trim();
                let is_whole = own.is_empty() || serde_json::from_str::<Value>(own).is_ok();
                items.push(if is_whole { own } else { "null" });
                if let (Some(start), b']') = (list, byte) {
                    // Nothing stands behind a last comma.
                    items.pop_if(|last| last.is_empty());
                    return Some(format!("{}{}{}", &text[..=start], items.join(","), &text[at..]));
                }
                item = at + 1;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

fn item(fields: &Map<String, Value>, number: usize, feeds: &[String]) -> Item {
    let own = authors(fields);
    let plain = |name| string(fields, name).map(Words::Plain);
    let text = plain("summary").or_else(|| string(fields, "content_html").map(Words::Html));
    Item {
        number,
        title: plain("title").unwrap_or_default(),
        link: string(fields, "url").or_else(|| string(fields, "external_url")),
        guid: string(fields, "id").unwrap_or_default(),
        date: string(fields, "date_published").or_else(|| string(fields, "date_modified")),
        // JSON Feed: an item without an author has the feed's.
        authors: if own.is_empty() { feeds.to_vec() } else { own },
        text: text.or_else(|| plain("content_text")).unwrap_or_default(),
        base: None,
        enclosures: attachments(fields),
    }
}

/// The files of `attachments`.
fn attachments(of: &Map<String, Value>) -> Vec<Attached> {
    let attached = |value: &Value| {
        let fields = value.as_object()?;
        let said = |name| string(fields, name).unwrap_or_default();
        Some(Attached { address: string(fields, "url")?, media_type: said("mime_type"), length: said("size_in_bytes") })
    };
    let all = of.get("attachments").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(attached).take(MAX_ENCLOSURES).collect()
}

/// The names of `authors` (1.1) and `author` (1), each once.
fn authors(of: &Map<String, Value>) -> Vec<String> {
    let many = of.get("authors").and_then(Value::as_array).into_iter().flatten();
    let mut names: Vec<String> = Vec::new();
    for name in many.chain(of.get("author")).filter_map(|author| string(author.as_object()?, "name")) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A text that says something, or a number as text.
fn string(of: &Map<String, Value>, name: &str) -> Option<String> {
    match of.get(name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// JSON in which halves of characters are U+FFFD and control characters spaces.
fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '\\' || c.is_ascii_control()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let unit = |s: &str| u16::from_str_radix(s.strip_prefix("\\u")?.get(..4)?, 16).ok();
        let len = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            _ if rest.starts_with('\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => {
                out.push(' ');
                rest = &rest[1..];
                continue;
            }
        };
        out.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    out + rest
}
