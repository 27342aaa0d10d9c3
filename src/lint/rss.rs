//! RSS 2.0 and its forerunners (the RSS Advisory Board's specification and its Profile), and RSS 1.0.

use super::Notes;
use super::field::{self, Holds, Row};
use super::space::Space;
use super::tree::Node;
use super::value::{self, Address};
use std::collections::HashSet;

const RULE: &str = "RSS 2.0";
const URI: Holds = Holds::Link(Address::Uri);

const CHANNEL: &[Row; 20] = &[
    ("title", true, Holds::Words),
    ("link", true, URI),
    ("description", true, Holds::Text),
    ("language", true, Holds::Language),
    ("copyright", true, Holds::Text),
    ("managingEditor", true, Holds::Contact),
    ("webMaster", true, Holds::Contact),
    ("pubDate", true, Holds::Rfc822),
    ("lastBuildDate", true, Holds::Rfc822),
    ("category", false, Holds::Text),
    ("generator", true, Holds::Text),
    ("docs", true, URI),
    ("cloud", true, Holds::Any),
    ("ttl", true, Holds::Number(1, i64::MAX)),
    ("image", true, Holds::Any),
    ("rating", false, Holds::Text),
    ("textInput", true, Holds::Any),
    ("skipHours", true, Holds::Any),
    ("skipDays", true, Holds::Any),
    ("item", false, Holds::Any),
];

const ITEM: &[Row; 10] = &[
    ("title", true, Holds::Words),
    ("link", true, URI),
    ("description", true, Holds::Text),
    ("author", true, Holds::Contact),
    ("category", false, Holds::Words),
    ("comments", true, URI),
    ("enclosure", false, Holds::Any),
    ("guid", true, Holds::Text),
    ("pubDate", true, Holds::Rfc822),
    ("source", true, Holds::Text),
];

const IMAGE: &[Row; 6] = &[
    ("url", true, URI),
    ("title", true, Holds::Words),
    ("link", true, URI),
    ("width", true, Holds::Number(1, 144)),
    ("height", true, Holds::Number(1, 400)),
    ("description", true, Holds::Text),
];

const TEXT_INPUT: &[Row; 4] = &[
    ("title", true, Holds::Text),
    ("description", true, Holds::Text),
    ("name", true, Holds::Words),
    ("link", true, URI),
];

const DAYS: &[&str] = &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A whole document of RSS 0.9x or 2.0.
pub(super) fn document(root: Node<'_>, notes: &mut Notes) {
    if root.space != Space::None {
        notes.error(root.at, RULE, "elements of RSS 2.0 are in no namespace, and this <rss> is in one".to_owned());
    }
    match root.attribute("version") {
        None => notes.error(root.at, RULE, "<rss> has no `version`".to_owned()),
        Some("0.91" | "0.92" | "2.0") => {}
        Some(other) => notes.warning(
            root.at,
            RULE,
            format!("<rss> has a version that readers do not know{}", field::quoted(other)),
        ),
    }
    let space = root.space;
    if !root.trimmed().is_empty() {
        notes.error(root.at, RULE, "<rss> holds elements, not text".to_owned());
    }
    field::children(root, space, &[("channel", true, Holds::Any)], RULE, notes);
    field::needs(root, space, &["channel"], RULE, notes);
    if let Some(channel) = root.first(space, "channel") {
        self::channel(channel, space, notes);
    }
}

fn channel(node: Node<'_>, space: Space, notes: &mut Notes) {
    field::children(node, space, CHANNEL, RULE, notes);
    if !node.trimmed().is_empty() {
        notes.error(node.at, RULE, "<channel> holds elements, not text".to_owned());
    }
    field::needs(node, space, &["title", "link", "description"], RULE, notes);
    let is_self = |link: Node<'_>| link.attribute("rel") == Some("self");
    if !node.all(Space::Atom, "link").any(is_self) {
        notes.warning(node.at, "RSS Profile", "<channel> has no <atom:link rel=\"self\">".to_owned());
    }
    for link in node.all(Space::Atom, "link") {
        super::atom::link(link, notes);
    }
    let mut guids = HashSet::with_capacity(node.children().count());
    for child in node.children().filter(|child| child.space == space) {
        match child.name {
            "item" => item(child, space, &mut guids, notes),
            "image" => image(child, node, space, notes),
            "textInput" => {
                field::children(child, space, TEXT_INPUT, RULE, notes);
                field::needs(child, space, &["title", "description", "name", "link"], RULE, notes);
            }
            "skipHours" => skip(child, space, "hour", |text| value::is_number(text, 0, 24), notes),
            "skipDays" => skip(child, space, "day", |text| DAYS.contains(&text), notes),
            "cloud" => cloud(child, notes),
            _ => {}
        }
    }
}

fn image(node: Node<'_>, channel: Node<'_>, space: Space, notes: &mut Notes) {
    field::children(node, space, IMAGE, RULE, notes);
    field::needs(node, space, &["url", "title", "link"], RULE, notes);
    if !node.trimmed().is_empty() {
        notes.error(node.at, RULE, "<image> holds elements, not text".to_owned());
    }
    for name in ["title", "link"] {
        let text = |of: Node<'_>| of.first(space, name).map(|n| n.trimmed().to_owned());
        if text(node) != text(channel) {
            notes.warning(node.at, "RSS Profile", format!("<{name}> of <image> is not the channel's"));
        }
    }
}

fn skip(node: Node<'_>, space: Space, name: &'static str, is_fine: impl Fn(&str) -> bool, notes: &mut Notes) {
    field::children(node, space, &[(name, false, Holds::Text)], RULE, notes);
    field::needs(node, space, &[name], RULE, notes);
    let mut seen = HashSet::new();
    for child in node.all(space, name) {
        let text = child.trimmed();
        if !is_fine(text) {
            notes.error(child.at, RULE, format!("<{name}> is none{}", field::quoted(text)));
        } else if !seen.insert(if text == "24" { "0" } else { text }) {
            notes.error(child.at, RULE, format!("the same <{name}> twice{}", field::quoted(text)));
        }
    }
}

fn cloud(node: Node<'_>, notes: &mut Notes) {
    field::needs_attributes(node, &["domain", "port", "path", "registerProcedure", "protocol"], RULE, notes);
    if let Some(port) = node.attribute("port").filter(|port| !value::is_number(port, 1, i64::MAX)) {
        notes.error(node.at, RULE, format!("`port` of <cloud> is no number{}", field::quoted(port)));
    }
    let protocol = node.attribute("protocol");
    if let Some(protocol) = protocol.filter(|p| !["xml-rpc", "soap", "http-post"].contains(p)) {
        notes.error(
            node.at,
            RULE,
            format!("`protocol` of <cloud> is none of xml-rpc, soap, http-post{}", field::quoted(protocol)),
        );
    }
}

fn item<'t>(node: Node<'t>, space: Space, guids: &mut HashSet<&'t str>, notes: &mut Notes) {
    let [title, _, description, author, _, _, enclosure, guid, _, source] =
        field::children(node, space, ITEM, RULE, notes);
    if title.is_none() && description.is_none() {
        notes.error(node.at, RULE, "<item> has neither <title> nor <description>".to_owned());
    }
    if let Some(author) = author.filter(|_| node.first(Space::Dc, "creator").is_some()) {
        notes.warning(author.at, "RSS Profile", "<author> and <dc:creator> say the same".to_owned());
    }
    match guid {
        Some(guid) => self::guid(guid, guids, notes),
        None => notes.warning(node.at, "RSS Profile", "<item> has no <guid>, so readers make one up".to_owned()),
    }
    for link in node.all(Space::Atom, "link") {
        super::atom::link(link, notes);
    }
    if let Some(source) = source {
        field::needs_attributes(source, &["url"], RULE, notes);
        address(source, "url", notes);
    }
    for enclosure in enclosure.into_iter().flat_map(|_| node.all(space, "enclosure")) {
        field::needs_attributes(enclosure, &["url", "length", "type"], RULE, notes);
        address(enclosure, "url", notes);
        if let Some(length) = enclosure.attribute("length").filter(|length| !value::is_number(length, 0, i64::MAX)) {
            notes.error(
                enclosure.at,
                RULE,
                format!("`length` of <enclosure> is no number of bytes{}", field::quoted(length)),
            );
        }
        if let Some(kind) = enclosure.attribute("type").filter(|kind| !value::is_media_type(kind)) {
            notes.error(enclosure.at, RULE, format!("`type` of <enclosure> is no media type{}", field::quoted(kind)));
        }
    }
}

/// Notes an attribute that is no web address.
fn address(node: Node<'_>, name: &str, notes: &mut Notes) {
    let Some(url) = node.attribute(name) else { return };
    if value::address(url, Address::Uri).is_err() {
        field::attribute(node, name, url, URI, RULE, notes);
    } else if node.name == "enclosure" && !url.starts_with("http") {
        notes.error(node.at, RULE, format!("`{name}` of <enclosure> is no http address{}", field::quoted(url)));
    }
}

fn guid<'t>(node: Node<'t>, guids: &mut HashSet<&'t str>, notes: &mut Notes) {
    let [permalink] = field::attributes(node, ["isPermaLink"], 0, RULE, notes);
    let text = node.trimmed();
    let permalink = match permalink {
        None | Some("true") => true,
        Some("false") => false,
        Some(other) => {
            notes.error(node.at, RULE, format!("`isPermaLink` is neither true nor false{}", field::quoted(other)));
            false
        }
    };
    if text.is_empty() {
        notes.warning(node.at, RULE, "<guid> is empty".to_owned());
    } else if !guids.insert(text) {
        notes.error(node.at, RULE, format!("two items have one <guid>{}", field::quoted(text)));
    }
    if !permalink || text.is_empty() {
        return;
    }
    if let Err(why) = value::address(text, Address::Uri) {
        notes.error(
            node.at,
            RULE,
            format!("<guid> is a permalink, but {why}: say isPermaLink=\"false\"{}", field::quoted(text)),
        );
    } else if text.starts_with("tag:") || text.starts_with("urn:") {
        notes.error(
            node.at,
            RULE,
            "<guid> is a permalink, but nobody can open it: say isPermaLink=\"false\"".to_owned(),
        );
    }
}

/// A whole document of RSS 0.90, 1.0 or 1.1.
pub(super) fn rdf(root: Node<'_>, notes: &mut Notes) {
    const RULE: &str = "RSS 1.0";
    let space = if root.space == Space::Rss11 { Space::Rss11 } else { Space::Rss1 };
    let channel = if root.space == Space::Rss11 { Some(root) } else { root.first(space, "channel") };
    let Some(channel) = channel else {
        return notes.error(root.at, RULE, "<rdf:RDF> has no <channel>".to_owned());
    };
    if root.all(space, "channel").count() > 1 {
        notes.error(root.at, RULE, "a second <channel>".to_owned());
    }
    field::needs(channel, space, &["title", "link", "description"], RULE, notes);
    if channel.attribute_in(Space::Rdf, "about").is_some() {
        field::needs(channel, space, &["items"], RULE, notes);
    } else if let Some(items) = channel.first(space, "items").filter(|_| space == Space::Rss1) {
        notes.error(items.at, RULE, "<channel> has no `rdf:about`".to_owned());
    }
    for name in ["title", "link", "description", "items", "image", "textinput"] {
        if let Some(second) = channel.all(space, name).nth(1) {
            notes.error(second.at, RULE, format!("a second <{name}> in <channel>"));
        }
    }
    if let Some(link) = channel.first(space, "link") {
        field::content(link, URI, RULE, notes);
    }
    let items = root.children().chain(channel.first(space, "items").into_iter().flat_map(Node::children));
    let mut abouts = HashSet::new();
    for item in items.filter(|child| child.space == space && child.name == "item") {
        field::needs(item, space, &["title", "link"], RULE, notes);
        for name in ["title", "link", "description"] {
            if let Some(second) = item.all(space, name).nth(1) {
                notes.error(second.at, RULE, format!("a second <{name}> in <item>"));
            }
        }
        if let Some(link) = item.first(space, "link") {
            field::content(link, URI, RULE, notes);
        }
        let about = item.attribute_in(Space::Rdf, "about");
        if let Some(about) = about.filter(|about| !abouts.insert(about.to_owned())) {
            notes.error(item.at, RULE, format!("two items have one `rdf:about`{}", field::quoted(about)));
        }
    }
}
