//! JSON-LD → what it says of posts.
//!
//! In: the texts of `<script type="application/ld+json">`. Out: for each article its address, title, date, authors and
//! description (schema.org: any type that ends with `Article` or `Posting`). One broken script costs itself.

use super::anchor::bare;
use crate::extract::date;
use crate::extract::link::Links;
use crate::model::{Key, Published};
use chrono_tz::Tz;
use serde_json::Value;
use url::Url;

/// Most articles that are read.
const MAX: usize = 1000;

/// What JSON-LD says of one post.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) key: String,
    pub(super) url: Url,
    pub(super) title: String,
    pub(super) published: Option<Published>,
    pub(super) authors: Vec<String>,
    pub(super) description: String,
}

/// The posts that scripts describe, in their order.
pub(super) fn facts(scripts: &[String], links: &Links, tz: Tz) -> Vec<Fact> {
    walked(scripts, &|value| Some(fact(value, address(value, links)?, tz)))
}

/// The posts that scripts describe without an address, which are that of the page itself.
pub(super) fn facts_of_page(scripts: &[String], page: &Url, links: &Links, tz: Tz) -> Vec<Fact> {
    walked(scripts, &|value| address(value, links).is_none().then(|| fact(value, page.clone(), tz)))
}

fn walked(scripts: &[String], fact: &dyn Fn(&Value) -> Option<Fact>) -> Vec<Fact> {
    let mut facts = Vec::new();
    for script in scripts {
        if let Some(value) = value(script) {
            walk(&value, fact, &mut facts);
        }
    }
    facts
}

/// The JSON of a script.
fn value(script: &str) -> Option<Value> {
    let text = script.trim().trim_start_matches("<!--").trim_end_matches("-->").trim();
    let text = text.trim_start_matches("//<![CDATA[").trim_end_matches("//]]>");
    serde_json::from_str(text).ok()
}

/// Looks for articles everywhere in a value. Its depth is bounded by its reader.
fn walk(value: &Value, fact: &dyn Fn(&Value) -> Option<Fact>, facts: &mut Vec<Fact>) {
    match value {
        _ if facts.len() >= MAX => {}
        Value::Array(values) => values.iter().for_each(|v| walk(v, fact, facts)),
        Value::Object(map) => {
            if is_article(&value["@type"]) {
                facts.extend(fact(value));
            }
            map.values().for_each(|v| walk(v, fact, facts));
        }
        _ => {}
    }
}

/// The addresses that articles are based on, or that they cite alone: what they summarise.
pub(super) fn based_on(scripts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for value in scripts.iter().filter_map(|script| value(script)) {
        walk_based(&value, &mut found);
    }
    found
}

fn walk_based(value: &Value, found: &mut Vec<String>) {
    match value {
        _ if found.len() >= MAX => {}
        Value::Array(values) => values.iter().for_each(|v| walk_based(v, found)),
        Value::Object(map) => {
            if is_article(&value["@type"]) {
                for key in ["isBasedOn", "isBasedOnUrl", "citation"] {
                    let one = match &value[key] {
                        Value::Array(values) if values.len() == 1 => &values[0],
                        other => other,
                    };
                    let address = one.as_str().or(one["url"].as_str()).or(one["@id"].as_str());
                    found.extend(address.filter(|address| address.contains("://")).map(str::to_owned));
                }
            }
            map.values().for_each(|v| walk_based(v, found));
        }
        _ => {}
    }
}

fn is_article(kind: &Value) -> bool {
    let is = |kind: &str| kind.ends_with("Article") || kind.ends_with("Posting");
    match kind {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is),
        _ => false,
    }
}

/// The address that an article says is its own.
fn address(value: &Value, links: &Links) -> Option<Url> {
    let page = &value["mainEntityOfPage"];
    let given = [&value["url"], &page["@id"], page, &value["@id"]];
    given.into_iter().filter_map(Value::as_str).find_map(|link| links.web(link))
}

fn fact(value: &Value, url: Url, tz: Tz) -> Fact {
    let text = |key: &str| value[key].as_str().map(plain).filter(|t| !t.is_empty());
    let title = text("headline").or_else(|| text("name")).unwrap_or_default();
    let published = value["datePublished"].as_str().and_then(|text| date::parse(text.trim(), tz));
    let mut authors = Vec::new();
    names(&value["author"], &mut authors);
    Fact {
        key: Key::of(&bare(&url)).to_string(),
        url,
        title,
        published,
        authors,
        description: text("description").unwrap_or_default(),
    }
}

/// The names of one or several persons.
fn names(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(name) if !name.contains("://") => into.push(plain(name)),
        Value::Array(values) => values.iter().take(20).for_each(|v| names(v, into)),
        Value::Object(map) => map.get("name").into_iter().for_each(|v| names(v, into)),
        _ => {}
    }
}

/// Text without the entities that writers of JSON-LD leave in it.
fn plain(text: &str) -> String {
    let text = quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned);
    super::tree::squeezed(&text)
}
