//! JSON Feed 1 and 1.1 (<https://www.jsonfeed.org/version/1.1/>).
//!
//! Places are those of the whole document where JSON itself is in order: its values carry none.

use super::Notes;
use super::field::{self, Holds};
use super::value::Address;
use serde_json::{Map, Value};
use std::collections::HashSet;

const RULE: &str = "JSON Feed 1.1";

/// A whole document.
pub(super) fn check(text: &str, notes: &mut Notes) {
    let feed: Value = match serde_json::from_str(text) {
        Ok(feed) => feed,
        Err(error) => {
            let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            return notes.error(before + error.column().saturating_sub(1), "RFC 8259", format!("no JSON: {error}"));
        }
    };
    let Some(feed) = feed.as_object() else { return notes.error(0, RULE, "the document is no object".to_owned()) };
    match feed.get("version").and_then(Value::as_str) {
        Some("https://jsonfeed.org/version/1" | "https://jsonfeed.org/version/1.1") => {}
        _ => notes.error(0, RULE, "`version` is not https://jsonfeed.org/version/1.1".to_owned()),
    }
    strings(
        feed,
        "the feed",
        &["title", "description", "user_comment", "language"],
        &["home_page_url", "feed_url", "next_url", "icon", "favicon"],
        notes,
    );
    if feed.get("title").is_none() {
        notes.error(0, RULE, "the feed has no `title`".to_owned());
    }
    if let Some(Err(why)) = feed.get("language").and_then(Value::as_str).map(|l| field::is(l, Holds::Language)) {
        notes.flaw(0, RULE, format!("`language` {why}"));
    }
    if feed.get("next_url").is_some() && feed.get("next_url") == feed.get("feed_url") {
        notes.error(0, RULE, "`next_url` is the feed itself".to_owned());
    }
    let Some(items) = feed.get("items").and_then(Value::as_array) else {
        return notes.error(0, RULE, "the feed has no list `items`".to_owned());
    };
    let mut ids = HashSet::new();
    for (place, item) in items.iter().enumerate() {
        let name = format!("item {}", place + 1);
        match item.as_object() {
            Some(item) => self::item(item, &name, &mut ids, notes),
            None => notes.error(0, RULE, format!("{name} is no object")),
        }
    }
}

fn item(item: &Map<String, Value>, name: &str, ids: &mut HashSet<String>, notes: &mut Notes) {
    strings(
        item,
        name,
        &["title", "content_html", "content_text", "summary", "language"],
        &["url", "external_url", "image", "banner_image"],
        notes,
    );
    match item.get("id") {
        Some(Value::String(id)) if !id.is_empty() => {
            if !ids.insert(id.clone()) {
                notes.error(0, RULE, format!("two items have one id{}", field::quoted(id)));
            }
        }
        Some(Value::Number(_)) => notes.warning(0, RULE, format!("`id` of {name} is a number, not a string")),
        _ => notes.error(0, RULE, format!("{name} has no `id`")),
    }
    if item.get("content_html").is_none() && item.get("content_text").is_none() {
        notes.error(0, RULE, format!("{name} has neither `content_html` nor `content_text`"));
    }
    for date in ["date_published", "date_modified"] {
        let Some(value) = item.get(date) else { continue };
        if value.as_str().is_none_or(|text| field::is(text, Holds::Rfc3339).is_err()) {
            notes.error(0, RULE, format!("`{date}` of {name} is no date of RFC 3339"));
        }
    }
    let is_words = |tags: &Vec<Value>| tags.iter().all(Value::is_string);
    if item.get("tags").is_some_and(|tags| !tags.as_array().is_some_and(is_words)) {
        notes.error(0, RULE, format!("`tags` of {name} is no list of texts"));
    }
    if item.get("authors").is_some_and(|authors| !authors.is_array()) {
        notes.error(0, RULE, format!("`authors` of {name} is no list"));
    }
}

/// Notes values that are no texts, and addresses that are none.
fn strings(of: &Map<String, Value>, name: &str, texts: &[&str], addresses: &[&str], notes: &mut Notes) {
    for key in texts.iter().chain(addresses).filter(|key| of.get(**key).is_some_and(|value| !value.is_string())) {
        notes.error(0, RULE, format!("`{key}` of {name} is no text"));
    }
    for key in addresses {
        let Some(url) = of.get(*key).and_then(Value::as_str) else { continue };
        if let Err(why) = field::is(url, Holds::Link(Address::Iri)) {
            let message = format!("`{key}` of {name} {why}{}", field::quoted(url));
            if url.contains(':') { notes.flaw(0, RULE, message) } else { notes.error(0, RULE, message) }
        }
    }
}
