//! Feeds → OPML 2.0 (<https://opml.org/spec2.opml>), a subscription list that readers import or follow.
//!
//! One outline a feed, whatever the number of formats, so that an import subscribes once. `type` is `rss` for every
//! format: the specification knows no other.

use super::{grouped, preferred};
use crate::model::{FeedHead, Format, Site, Stamp};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// The list's bytes.
pub(super) fn write(site: &Site, heads: &[FeedHead], formats: &[Format], updated: Stamp) -> Vec<u8> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
    document(&mut writer, site, heads, preferred(formats), updated).expect("memory takes every byte");
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    bytes
}

fn document(
    writer: &mut Writer<Vec<u8>>,
    site: &Site,
    heads: &[FeedHead],
    format: Format,
    updated: Stamp,
) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
    writer.create_element("opml").with_attribute(("version", "2.0")).write_inner_content(|opml| {
        opml.create_element("head").write_inner_content(|head| {
            head.create_element("title").write_text_content(BytesText::new(site.title.as_str()))?;
            head.create_element("dateModified").write_text_content(BytesText::new(&updated.rfc822()))?;
            Ok(())
        })?;
        opml.create_element("body").write_inner_content(|body| {
            for (group, feeds) in grouped(heads) {
                body.create_element("outline").with_attribute(("text", group.title)).write_inner_content(|list| {
                    feeds.into_iter().try_for_each(|head| outline(list, site, head, format))
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn outline(writer: &mut Writer<Vec<u8>>, site: &Site, head: &FeedHead, format: Format) -> io::Result<()> {
    let path = head.key.path();
    writer
        .create_element("outline")
        .with_attribute(("type", "rss"))
        .with_attribute(("text", head.title.as_str()))
        .with_attribute(("title", head.title.as_str()))
        .with_attribute(("xmlUrl", site.address(&format!("{path}.{}", format.ending())).as_str()))
        .with_attribute(("htmlUrl", site.address(&format!("{path}.html")).as_str()))
        .write_empty()?;
    Ok(())
}
