//! Feed → Atom 1.0 (RFC 4287).
//!
//! Ids: an entry's is its `uid`; the feed's is made from its path alone, so that it stays when the site moves.
//! Every author is an `author`; the site stands in for entries without one (§4.1.1). Text is `text`, markup `html`,
//! never `xhtml`, which would have to be well-formed.

use super::xml::Xml;
use super::{GENERATOR, Masthead};
use crate::model::{Entry, Format, Html};
use std::borrow::Cow;
use uuid::Uuid;

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let mut xml = Xml::new("<?xml version=\"1.0\"?>", head.room());
    xml.start("feed", &[("xmlns", "http://www.w3.org/2005/Atom")]);
    xml.text("title", &[], head.feed.title.as_str());
    xml.text("id", &[], &feed_id(&head.stem));
    xml.text("updated", &[], &head.feed.updated.rfc3339());
    person(&mut xml, head.site.title.as_str());
    xml.text("generator", &[], GENERATOR);
    xml.text("icon", &[], &head.site.address("favicon.ico"));
    links(&mut xml, head);
    xml.text("subtitle", &[], &head.description);
    for entry in &head.feed.entries {
        item(&mut xml, head, entry);
    }
    xml.end("feed");
    xml.into_bytes()
}

/// The same wherever the feed is served.
fn feed_id(stem: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("pagewire:{stem}").as_bytes()).urn().to_string()
}

/// This file, the page for people, and the same posts in the other formats.
fn links(xml: &mut Xml, head: &Masthead) {
    let mut link =
        |href: &str, rel, media_type| xml.empty("link", &[("href", href), ("rel", rel), ("type", media_type)]);
    link(&head.address(Format::Atom), "self", Format::Atom.media_type());
    link(&head.page, "alternate", "text/html");
    for &other in head.formats.iter().filter(|&&f| f != Format::Atom) {
        link(&head.address(other), "alternate", other.media_type());
    }
}

fn item(xml: &mut Xml, head: &Masthead, entry: &Entry) {
    xml.start("entry", &[]);
    xml.text("title", &[], entry.title.as_str());
    xml.text("id", &[], &entry.uid);
    xml.text("updated", &[], &entry.updated.rfc3339());
    for author in &entry.authors {
        person(xml, author.as_str());
    }
    categories(xml, head, entry);
    if let Some(link) = &entry.link {
        alternate(xml, link);
    }
    xml.text("published", &[], &entry.published.rfc3339());
    // §4.1.2 wants content where there is no link. Where a page says nothing of a post, its title is the content:
    // readers and validators want some, and a summary should not repeat the title (§4.2.13).
    match (&entry.link, text(&entry.summary)) {
        _ if entry.summary.is_empty() => xml.text("content", &[("type", "text")], entry.title.as_str()),
        (None, Some(plain)) => xml.text("content", &[("type", "text")], &plain),
        (None, None) => xml.text("content", &[("type", "html")], entry.summary.as_str()),
        (Some(_), Some(plain)) => xml.text("summary", &[], &plain),
        (Some(_), None) => xml.text("summary", &[("type", "html")], entry.summary.as_str()),
    }
    xml.end("entry");
}

/// The type, then each company.
fn categories(xml: &mut Xml, head: &Masthead, entry: &Entry) {
    if let Some(kind) = &entry.kind {
        xml.empty("category", &[("term", kind.as_str()), ("scheme", &head.types)]);
    }
    for company in &entry.companies {
        let name = company.name.as_str();
        match &company.slug {
            Some(slug) => {
                xml.empty("category", &[("term", slug.as_str()), ("scheme", &head.companies), ("label", name)]);
            }
            None => xml.empty("category", &[("term", name)]),
        }
    }
}

/// A summary that is plain text, which then needs no markup.
fn text(html: &Html) -> Option<Cow<'_, str>> {
    html.is_plain().then(|| html.words())
}

/// What a reader opens. A page that ends in `.md` is no HTML, and a wrong type is worse than none.
fn alternate(xml: &mut Xml, url: &str) {
    let markdown = url.len() >= 3 && url.as_bytes()[url.len() - 3..].eq_ignore_ascii_case(b".md");
    let attributes = [("href", url), ("rel", "alternate"), ("type", "text/html")];
    xml.empty("link", if markdown { &attributes[..2] } else { &attributes });
}

fn person(xml: &mut Xml, name: &str) {
    xml.start("author", &[]);
    xml.text("name", &[], name);
    xml.end("author");
}
