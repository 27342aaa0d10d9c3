//! Feed → JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>).
//!
//! `content_html` is always there, since an item must have content, even where a page says nothing of a post: the text of
//! its own page where that is read, else what the page says. Authors
//! also stand in version 1's `author`, as one, for readers that know no other. `next_url` leads to the archives.

use super::{ICON, Masthead, byline, room};
use crate::model::{Enclosure, Entry, Format, Text, strict_address};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::borrow::Cow;
use url::Url;

#[derive(Serialize)]
struct JsonFeed<'a> {
    version: &'static str,
    title: &'a str,
    home_page_url: &'a str,
    feed_url: String,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_url: Option<String>,
    icon: String,
    favicon: String,
    authors: [Author<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hubs: Vec<Hub<'a>>,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Cow<'a, str>>,
    title: &'a str,
    content_html: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Cow<'a, str>>,
    date_published: String,
    date_modified: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Author<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Attachment<'a>>,
}

#[derive(Serialize)]
struct Attachment<'a> {
    url: Cow<'a, str>,
    mime_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size_in_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Author<'a> {
    name: Cow<'a, str>,
}

#[derive(Serialize)]
struct Hub<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    url: &'a str,
}

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let feed = JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: head.feed.title.as_str(),
        home_page_url: &head.page,
        feed_url: head.own_address(Format::Json),
        description: &head.description,
        next_url: head.prev().map(|number| head.site.address(&head.archive_path(number, Format::Json))),
        icon: head.site.address(ICON),
        favicon: head.site.address("favicon.ico"),
        authors: [author(head.site.title.as_str())],
        language: head.language(),
        hubs: head.site.hub.iter().filter(|_| head.part.is_none()).map(hub).collect(),
        items: head.feed.entries.iter().map(item).collect(),
    };
    // Each summary stands there as HTML and as text.
    let mut bytes = Vec::with_capacity(room(&head.feed.entries) * 2);
    feed.serialize(&mut Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(b" ")))
        .expect("memory takes every byte, and all keys are strings");
    bytes.push(b'\n');
    bytes
}

fn item(entry: &Entry) -> Item<'_> {
    Item {
        id: &entry.uid,
        url: entry.link.as_deref().map(strict_address),
        title: entry.title.as_str(),
        content_html: if entry.content.is_empty() { &entry.summary } else { &entry.content }.as_str(),
        summary: Some(entry.summary.words()).filter(|text| !text.is_empty()),
        date_published: entry.published.rfc3339(),
        date_modified: entry.updated.rfc3339(),
        authors: entry.authors.iter().map(|name| author(name.as_str())).collect(),
        author: byline(entry).map(|name| Author { name }),
        tags: entry.kind.iter().chain(entry.companies.iter().map(|c| &c.name)).map(Text::as_str).collect(),
        attachments: entry.enclosures.iter().map(attachment).collect(),
    }
}

fn attachment(file: &Enclosure) -> Attachment<'_> {
    let size_in_bytes = (file.length > 0).then_some(file.length);
    Attachment { url: strict_address(&file.url), mime_type: &file.media_type, size_in_bytes }
}

fn author(name: &str) -> Author<'_> {
    Author { name: name.into() }
}

fn hub(url: &Url) -> Hub<'_> {
    Hub { kind: "WebSub", url: url.as_str() }
}
