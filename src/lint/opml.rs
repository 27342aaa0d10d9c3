//! OPML 2.0 (<https://opml.org/spec2.opml>).

use super::Notes;
use super::field::{self, Holds};
use super::space::Space;
use super::tree::Node;
use super::value::{self, Address};

const RULE: &str = "OPML 2.0";

/// A whole list.
pub(super) fn check(root: Node<'_>, notes: &mut Notes) {
    field::needs_attributes(root, &["version"], RULE, notes);
    field::children(root, Space::None, &[("head", true, Holds::Any), ("body", true, Holds::Any)], RULE, notes);
    field::needs(root, Space::None, &["head", "body"], RULE, notes);
    if let Some(head) = root.first(Space::None, "head") {
        let dates = ["dateCreated", "dateModified"].into_iter().filter_map(|name| head.first(Space::None, name));
        for date in dates {
            field::content(date, Holds::Rfc822, RULE, notes);
        }
        if let Some(mail) = head.first(Space::None, "ownerEmail") {
            field::content(mail, Holds::Mail, RULE, notes);
        }
    }
    if let Some(body) = root.first(Space::None, "body") {
        field::needs(body, Space::None, &["outline"], RULE, notes);
    }
    let mut waiting: Vec<Node<'_>> = root.first(Space::None, "body").into_iter().collect();
    while let Some(node) = waiting.pop() {
        for outline in node.children().filter(|child| child.space == Space::None) {
            if outline.name == "outline" {
                self::outline(outline, notes);
                waiting.push(outline);
            } else {
                notes.error(outline.at, RULE, format!("<{}> has no element <{}>", node.name, outline.name));
            }
        }
    }
}

fn outline(node: Node<'_>, notes: &mut Notes) {
    if node.attribute("text").is_none() {
        notes.error(node.at, RULE, "<outline> has no `text`".to_owned());
    }
    if node.attribute("type") == Some("rss") && node.attribute("xmlUrl").is_none() {
        notes.error(node.at, RULE, "<outline type=\"rss\"> has no `xmlUrl`".to_owned());
    }
    for name in ["isComment", "isBreakpoint"] {
        if let Some(odd) = node.attribute(name).filter(|value| !["true", "false"].contains(value)) {
            notes.error(node.at, RULE, format!("`{name}` is neither true nor false{}", field::quoted(odd)));
        }
    }
    for name in ["xmlUrl", "htmlUrl"] {
        let Some(url) = node.attribute(name) else { continue };
        if let Err(why) = value::address(url, Address::Iri) {
            notes.error(node.at, RULE, format!("`{name}` {why}{}", field::quoted(url)));
        }
    }
}
