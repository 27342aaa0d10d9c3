//! Feed → RSS 2.0, as the RSS Advisory Board's specification and its Best Practices Profile want it.
//!
//! A guid is the entry's `uid` and never promises to be a link. Names of people stand in one `dc:creator`: several
//! are misread by half of the readers, and `author` must hold a mail address. The description is HTML, what the page
//! says of a post; the text of its own page, where that is read, is `content:encoded`. `ttl` and `sy:*` say the same, as exactly as whole hours allow.

use super::{GENERATOR, HISTORY, ICON, Masthead, byline, company_page, icon, part, reference, room};
use crate::model::{self, Entry, Format, strict_address};
use rss::extension::dublincore::DublinCoreExtension;
use rss::extension::{Extension, ExtensionMap};
use rss::{Category, Channel, Enclosure, Guid, Image, Item};
use std::borrow::Cow;
use std::collections::BTreeMap;

const DOCS: &str = "https://www.rssboard.org/rss-specification";
const ATOM: &str = "http://www.w3.org/2005/Atom";
const SYNDICATION: &str = "http://purl.org/rss/1.0/modules/syndication/";

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let mut channel = Channel {
        title: head.feed.title.as_str().to_owned(),
        link: head.page.clone(),
        description: head.description.clone().into_owned(),
        last_build_date: Some(head.feed.updated.rfc822()),
        language: head.language().map(str::to_owned),
        generator: Some(GENERATOR.to_owned()),
        docs: Some(DOCS.to_owned()),
        ttl: Some(head.feed.ttl.to_string()),
        image: Some(image(head)),
        extensions: extensions(head),
        namespaces: namespaces(head),
        ..Channel::default()
    };
    part::by_part(Format::Rss, &head.feed.entries, |entries| {
        channel.items = entries.iter().map(|entry| item(head, entry)).collect();
        let room = Vec::with_capacity(room(entries));
        let mut bytes = channel.pretty_write_to(room, b' ', 1).expect("memory takes every byte");
        bytes.push(b'\n');
        // The channel's own description is text; those of its items are HTML.
        let items = memchr::memmem::find(&bytes, b"<item>").unwrap_or(bytes.len());
        let mut out = Vec::with_capacity(bytes.len() + 256);
        reference::hexadecimal(&bytes[..items], &["title", "description"], &mut out);
        reference::hexadecimal(&bytes[items..], &["title", "dc:creator", "category"], &mut out);
        out
    })
}

fn item(head: &Masthead, entry: &Entry) -> Item {
    Item {
        title: Some(entry.title.as_str().to_owned()),
        link: entry.link.as_deref().map(|link| strict_address(link).into_owned()),
        description: (!entry.summary.is_empty()).then(|| entry.summary.as_str().to_owned()),
        categories: categories(head, entry),
        guid: Some(Guid { value: entry.uid.clone(), permalink: false }),
        content: (!entry.content.is_empty()).then(|| entry.content.as_str().to_owned()),
        pub_date: Some(entry.published.rfc822()),
        // One an item: readers take the first or the last of several (RSS Profile).
        enclosure: entry.enclosures.first().map(enclosure),
        dublin_core_ext: byline(entry)
            .map(|names| DublinCoreExtension { creators: vec![names.into_owned()], ..DublinCoreExtension::default() }),
        ..Item::default()
    }
}

fn enclosure(file: &model::Enclosure) -> Enclosure {
    Enclosure {
        url: strict_address(&file.url).into_owned(),
        length: file.length.to_string(),
        mime_type: file.media_type.clone(),
    }
}

/// The type, then each company with its page as the domain.
fn categories(head: &Masthead, entry: &Entry) -> Vec<Category> {
    let kind = entry.kind.iter().map(|kind| Category { name: kind.as_str().to_owned(), domain: None });
    kind.chain(entry.companies.iter().map(|company| Category {
        name: company.name.as_str().to_owned(),
        domain: company_page(&head.companies, company).map(Cow::into_owned),
    }))
    .collect()
}

/// The picture, whose title and link are the channel's.
fn image(head: &Masthead) -> Image {
    Image {
        url: head.site.address(ICON),
        title: head.feed.title.as_str().to_owned(),
        link: head.page.clone(),
        width: Some(icon::LARGE.to_string()),
        height: Some(icon::LARGE.to_string()),
        ..Image::default()
    }
}

/// Links (the one to itself is the Profile's wish for every channel), RFC 5005's mark, and how often to come again.
fn extensions(head: &Masthead) -> ExtensionMap {
    let mut links = vec![link("self", head.address(Format::Rss), Some(Format::Rss))];
    links.extend(head.site.hub.iter().map(|hub| link("hub", hub.to_string(), None)));
    links.extend(head.around().into_iter().map(|(rel, href)| link(rel, href, Some(Format::Atom))));
    let often = (60 / head.feed.ttl.max(1)).max(1).to_string();
    let rhythm = BTreeMap::from([
        ("updateFrequency".to_owned(), vec![element("sy:updateFrequency", often)]),
        ("updatePeriod".to_owned(), vec![element("sy:updatePeriod", "hourly".to_owned())]),
    ]);
    let mut all =
        BTreeMap::from([("atom".to_owned(), BTreeMap::from([("link".to_owned(), links)])), ("sy".to_owned(), rhythm)]);
    if let Some(mark) = head.mark() {
        let mark = BTreeMap::from([(mark.to_owned(), vec![element(&format!("fh:{mark}"), String::new())])]);
        all.insert("fh".to_owned(), mark);
    }
    all
}

fn namespaces(head: &Masthead) -> BTreeMap<String, String> {
    let history = head.mark().map(|_| ("fh", HISTORY));
    let all = [("atom", ATOM), ("sy", SYNDICATION)].into_iter().chain(history);
    all.map(|(prefix, name)| (prefix.to_owned(), name.to_owned())).collect()
}

fn element(name: &str, value: String) -> Extension {
    // An empty value keeps the writer from breaking the line inside the element.
    Extension { name: name.to_owned(), value: Some(value), ..Extension::default() }
}

/// An `atom:link`.
fn link(rel: &str, href: String, format: Option<Format>) -> Extension {
    let kind = format.map(|format| ("type", format.media_type().to_owned()));
    let attributes = [("href", href), ("rel", rel.to_owned())].into_iter().chain(kind);
    let attrs = attributes.map(|(name, value)| (name.to_owned(), value)).collect();
    Extension { attrs, ..element("atom:link", String::new()) }
}
