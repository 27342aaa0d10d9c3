//! Feed → RSS 2.0, as the RSS Advisory Board's specification and its Best Practices Profile want it.
//!
//! A guid is the entry's `uid` and never promises to be a link. Names of people stand in one `dc:creator`: several
//! are misread by half of the readers, and `author` must hold a mail address. The description is HTML.

use super::{GENERATOR, Masthead, byline, company_page};
use crate::model::{Entry, Format};
use rss::extension::dublincore::DublinCoreExtension;
use rss::extension::{Extension, ExtensionMap};
use rss::{Category, Channel, Guid, Item};
use std::borrow::Cow;
use std::collections::BTreeMap;

const DOCS: &str = "https://www.rssboard.org/rss-specification";
const ATOM: &str = "http://www.w3.org/2005/Atom";

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let channel = Channel {
        title: head.feed.title.as_str().to_owned(),
        link: head.page.clone(),
        description: head.description.clone().into_owned(),
        last_build_date: Some(head.feed.updated.rfc822()),
        generator: Some(GENERATOR.to_owned()),
        docs: Some(DOCS.to_owned()),
        extensions: self_link(head.address(Format::Rss)),
        namespaces: BTreeMap::from([("atom".to_owned(), ATOM.to_owned())]),
        items: head.feed.entries.iter().map(|entry| item(head, entry)).collect(),
        ..Channel::default()
    };
    let mut bytes = channel.pretty_write_to(Vec::with_capacity(head.room()), b' ', 1).expect("memory takes every byte");
    bytes.push(b'\n');
    bytes
}

fn item(head: &Masthead, entry: &Entry) -> Item {
    Item {
        title: Some(entry.title.as_str().to_owned()),
        link: entry.link.clone(),
        description: (!entry.summary.is_empty()).then(|| entry.summary.as_str().to_owned()),
        categories: categories(head, entry),
        guid: Some(Guid { value: entry.uid.clone(), permalink: false }),
        pub_date: Some(entry.published.rfc822()),
        dublin_core_ext: byline(entry)
            .map(|names| DublinCoreExtension { creators: vec![names.into_owned()], ..DublinCoreExtension::default() }),
        ..Item::default()
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

/// `atom:link rel="self"`, which the Profile wants in every channel.
fn self_link(href: String) -> ExtensionMap {
    let attributes = [("href", href), ("rel", "self".to_owned()), ("type", Format::Rss.media_type().to_owned())];
    let link = Extension {
        name: "atom:link".to_owned(),
        attrs: attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        // An empty value keeps the writer from breaking the line inside the element.
        value: Some(String::new()),
        ..Extension::default()
    };
    BTreeMap::from([("atom".to_owned(), BTreeMap::from([("link".to_owned(), vec![link])]))])
}
