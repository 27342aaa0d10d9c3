//! Feed → RSS 2.0, as the RSS Advisory Board's specification and its Best Practices Profile want it.
//!
//! A guid is the entry's `uid` and never promises to be a link. Names of people stand in one `dc:creator`: several
//! are misread by half of the readers, and `author` must hold a mail address. The description is HTML.

use super::xml::Xml;
use super::{GENERATOR, Masthead, byline, company_page};
use crate::model::{Entry, Format};

const DOCS: &str = "https://www.rssboard.org/rss-specification";
const ATOM: &str = "http://www.w3.org/2005/Atom";
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let mut xml = Xml::new("<?xml version=\"1.0\" encoding=\"utf-8\"?>", head.room());
    let attributes = [("version", "2.0"), ("xmlns:atom", ATOM), ("xmlns:dc", DUBLIN_CORE)];
    let has_authors = head.feed.entries.iter().any(|entry| !entry.authors.is_empty());
    xml.start("rss", if has_authors { &attributes } else { &attributes[..2] });
    xml.start("channel", &[]);
    xml.text("title", &[], head.feed.title.as_str());
    xml.text("link", &[], &head.page);
    xml.text("description", &[], &head.description);
    xml.text("lastBuildDate", &[], &head.feed.updated.rfc822());
    xml.text("generator", &[], GENERATOR);
    xml.text("docs", &[], DOCS);
    // The Profile wants it in every channel.
    let itself = head.address(Format::Rss);
    xml.text("atom:link", &[("href", &itself), ("rel", "self"), ("type", Format::Rss.media_type())], "");
    for entry in &head.feed.entries {
        item(&mut xml, head, entry);
    }
    xml.end("channel");
    xml.end("rss");
    xml.into_bytes()
}

fn item(xml: &mut Xml, head: &Masthead, entry: &Entry) {
    xml.start("item", &[]);
    xml.text("title", &[], entry.title.as_str());
    if let Some(link) = &entry.link {
        xml.text("link", &[], link);
    }
    if !entry.summary.is_empty() {
        xml.cdata("description", entry.summary.as_str());
    }
    categories(xml, head, entry);
    xml.text("guid", &[("isPermaLink", "false")], &entry.uid);
    xml.text("pubDate", &[], &entry.published.rfc822());
    if let Some(names) = byline(entry) {
        xml.text("dc:creator", &[], &names);
    }
    xml.end("item");
}

/// The type, then each company with its page as the domain.
fn categories(xml: &mut Xml, head: &Masthead, entry: &Entry) {
    if let Some(kind) = &entry.kind {
        xml.text("category", &[], kind.as_str());
    }
    for company in &entry.companies {
        match company_page(&head.companies, company) {
            Some(page) => xml.text("category", &[("domain", &page)], company.name.as_str()),
            None => xml.text("category", &[], company.name.as_str()),
        }
    }
}
