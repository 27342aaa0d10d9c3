//! Feed → JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>).
//!
//! `content_html` is always there, since an item must have content, even where a page says nothing of a post.

use super::Masthead;
use crate::model::{Entry, Format, Text};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::borrow::Cow;

#[derive(Serialize)]
struct JsonFeed<'a> {
    version: &'static str,
    title: &'a str,
    home_page_url: &'a str,
    feed_url: String,
    description: &'a str,
    favicon: String,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    title: &'a str,
    content_html: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Cow<'a, str>>,
    date_published: String,
    date_modified: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'a str>,
}

#[derive(Serialize)]
struct Author<'a> {
    name: &'a str,
}

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let feed = JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: head.feed.title.as_str(),
        home_page_url: &head.page,
        feed_url: head.address(Format::Json),
        description: &head.description,
        favicon: head.site.address("favicon.ico"),
        items: head.feed.entries.iter().map(item).collect(),
    };
    // Each summary stands there as HTML and as text.
    let mut bytes = Vec::with_capacity(head.room() * 2);
    feed.serialize(&mut Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(b" ")))
        .expect("memory takes every byte, and all keys are strings");
    bytes.push(b'\n');
    bytes
}

fn item(entry: &Entry) -> Item<'_> {
    Item {
        id: &entry.uid,
        url: entry.link.as_deref(),
        title: entry.title.as_str(),
        content_html: entry.summary.as_str(),
        summary: Some(entry.summary.words()).filter(|text| !text.is_empty()),
        date_published: entry.published.rfc3339(),
        date_modified: entry.updated.rfc3339(),
        authors: entry.authors.iter().map(|name| Author { name: name.as_str() }).collect(),
        tags: entry.kind.iter().chain(entry.companies.iter().map(|c| &c.name)).map(Text::as_str).collect(),
    }
}
