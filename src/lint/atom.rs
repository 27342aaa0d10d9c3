//! Atom 1.0 (RFC 4287), threading (RFC 4685) and feed history (RFC 5005).

use super::Notes;
use super::field::{self, Holds, Row};
use super::space::Space;
use super::tree::Node;
use super::value::{self, Address};
use base64::Engine;
use std::collections::HashSet;

const IRI: Holds = Holds::Link(Address::Iri);
const REFERENCE: Holds = Holds::Link(Address::IriReference);

const FEED: &[Row; 13] = &[
    ("author", false, Holds::Any),
    ("category", false, Holds::Any),
    ("contributor", false, Holds::Any),
    ("generator", true, Holds::Words),
    ("icon", true, REFERENCE),
    ("id", true, IRI),
    ("link", false, Holds::Any),
    ("logo", true, REFERENCE),
    ("rights", true, Holds::Any),
    ("subtitle", true, Holds::Any),
    ("title", true, Holds::Any),
    ("updated", true, Holds::Rfc3339),
    ("entry", false, Holds::Any),
];

/// What a source has: all of a feed but its entries.
const SOURCE: &[Row; 12] = FEED.first_chunk().expect("the table is longer");

/// In the order in which most write it, which is the fastest.
const ENTRY: &[Row; 12] = &[
    ("title", true, Holds::Any),
    ("id", true, IRI),
    ("updated", true, Holds::Rfc3339),
    ("author", false, Holds::Any),
    ("category", false, Holds::Any),
    ("contributor", false, Holds::Any),
    ("link", false, Holds::Any),
    ("published", true, Holds::Rfc3339),
    ("rights", true, Holds::Any),
    ("source", true, Holds::Any),
    ("summary", true, Holds::Any),
    ("content", true, Holds::Any),
];

const PERSON: &[Row; 3] = &[("name", true, Holds::Words), ("uri", true, REFERENCE), ("email", true, Holds::Mail)];

/// What stands around an entry.
#[derive(Default)]
pub(super) struct Around {
    author: bool,
}

/// A feed with its entries.
pub(super) fn feed(root: Node<'_>, notes: &mut Notes) {
    head(root, "RFC 4287 §4.1.1", notes);
    let of_atom = root.children().filter(|c| c.space == Space::Atom);
    if let Some(child) = of_atom.skip_while(|c| c.name != "entry").find(|c| c.name != "entry") {
        let message =
            format!("<{}> stands behind the first <entry>, where readers that stop early miss it", child.name);
        notes.warning(child.at, "RFC 4287 §4.1.1", message);
    }
    if root.all(Space::Atom, "link").all(|link| link.attribute("rel") != Some("self")) {
        notes.warning(root.at, "RFC 4287 §4.1.1", "<feed> has no <link rel=\"self\">".to_owned());
    }
    history(root, notes);
    let around = Around { author: root.first(Space::Atom, "author").is_some() };
    let count = if notes.only_blocking { 0 } else { root.children().count() };
    let (mut ids, mut instants) = (HashSet::with_capacity(count), HashSet::with_capacity(count));
    for child in root.all(Space::Atom, "entry") {
        entry(child, &around, notes);
        if notes.only_blocking {
            continue;
        }
        let text = |name| child.first(Space::Atom, name).map(Node::trimmed);
        if let Some(id) = text("id").filter(|id| !ids.insert(*id)) {
            notes.warning(child.at, "RFC 4287 §4.2.6", format!("two entries have one id{}", field::quoted(id)));
        }
        if text("updated").is_some_and(|updated| !instants.insert(updated)) {
            let message = "two entries have one <updated>: readers can't tell which is newer";
            notes.warning(child.at, "RFC 4287 §4.2.15", message.to_owned());
        }
    }
}

/// What a feed and a source have.
fn head(node: Node<'_>, rule: &'static str, notes: &mut Notes) {
    field::attributes(node, [], 0, rule, notes);
    field::children(node, Space::Atom, FEED, rule, notes);
    field::needs(node, Space::Atom, &["title", "id", "updated"], rule, notes);
    parts(node, notes);
}

/// One entry.
pub(super) fn entry(node: Node<'_>, around: &Around, notes: &mut Notes) {
    const RULE: &str = "RFC 4287 §4.1.2";
    field::attributes(node, [], 0, RULE, notes);
    let [title, id, updated, author, .., source, summary, content] =
        field::children(node, Space::Atom, ENTRY, RULE, notes);
    if [title, id, updated].iter().any(Option::is_none) {
        field::needs(node, Space::Atom, &["title", "id", "updated"], RULE, notes);
    }
    let of_source = source.is_some_and(|source| source.first(Space::Atom, "author").is_some());
    if !around.author && !of_source && author.is_none() {
        notes.error(node.at, RULE, "<entry> has no <author>, and neither has its feed".to_owned());
    }
    let alternates = parts(node, notes);
    match content {
        None if alternates == 0 => {
            let message = "<entry> has neither <content> nor a <link rel=\"alternate\">";
            notes.error(node.at, RULE, message.to_owned());
        }
        None if summary.is_none() => {
            notes.warning(node.at, RULE, "<entry> has neither <summary> nor <content>".to_owned());
        }
        Some(content) if summary.is_none() => {
            let kind = content.attribute("type").unwrap_or("text");
            let readable =
                !kind.contains('/') || kind.starts_with("text/") || kind.ends_with("+xml") || kind.ends_with("/xml");
            if content.attribute("src").is_some() || !readable {
                notes.error(
                    node.at,
                    RULE,
                    "<entry> has no <summary>, and its <content> is elsewhere or encoded".to_owned(),
                );
            }
        }
        _ => {}
    }
    if let Some(source) = source {
        const RULE: &str = "RFC 4287 §4.2.11";
        field::children(source, Space::Atom, SOURCE, RULE, notes);
        for name in ["title", "id", "updated"].into_iter().filter(|name| source.first(Space::Atom, name).is_none()) {
            notes.warning(source.at, RULE, format!("<source> has no <{name}>"));
        }
        parts(source, notes);
    }
    for rel in node.all(Space::Atom, "link").filter_map(|link| link.attribute("rel")).filter(|rel| PAGING.contains(rel))
    {
        notes.warning(node.at, "RFC 5005", format!("rel=\"{rel}\" is of feeds, not of entries"));
    }
}

/// The people, categories, links and texts of a feed, an entry or a source. Returns how many links are alternates.
fn parts(node: Node<'_>, notes: &mut Notes) -> usize {
    let mut alternates = 0;
    for child in node.children().filter(|child| child.space == Space::Atom) {
        match child.name {
            "author" | "contributor" => {
                let [name, ..] = field::children(child, Space::Atom, PERSON, "RFC 4287 §3.2", notes);
                if name.is_none() {
                    field::needs(child, Space::Atom, &["name"], "RFC 4287 §3.2.1", notes);
                }
            }
            "category" => category(child, notes),
            "link" => {
                link(child, notes);
                alternates += usize::from(is_alternate(child));
            }
            "generator" => {
                if let Some(uri) = child.attribute("uri").or_else(|| child.attribute("url")) {
                    field::attribute(child, "uri", uri, REFERENCE, "RFC 4287 §4.2.4", notes);
                }
            }
            "title" | "subtitle" | "rights" | "summary" => text(child, notes),
            "content" => content(child, notes),
            _ => {}
        }
    }
    if alternates > 1 {
        differ(node, notes);
    }
    alternates
}

/// Notes alternates that are alike.
fn differ(node: Node<'_>, notes: &mut Notes) {
    let mut kinds = HashSet::new();
    for link in node.all(Space::Atom, "link").filter(|link| is_alternate(*link)) {
        let kind = (link.attribute("type").unwrap_or(""), link.attribute("hreflang").unwrap_or(""));
        if !kinds.insert(kind) {
            let message = "two alternates have the same type and language";
            notes.error(link.at, "RFC 4287 §4.1.1", message.to_owned());
        }
    }
}

fn is_alternate(link: Node<'_>) -> bool {
    link.attribute("rel").is_none_or(|rel| rel == "alternate")
}

fn category(node: Node<'_>, notes: &mut Notes) {
    const RULE: &str = "RFC 4287 §4.2.2";
    let [term, scheme, _] = field::attributes(node, ["term", "scheme", "label"], 1, RULE, notes);
    if term == Some("") {
        notes.warning(node.at, RULE, "`term` of <category> is empty".to_owned());
    }
    if let Some(scheme) = scheme {
        field::attribute(node, "scheme", scheme, IRI, RULE, notes);
    }
}

/// A link; also in RSS.
pub(super) fn link(node: Node<'_>, notes: &mut Notes) {
    const RULE: &str = "RFC 4287 §4.2.7";
    let names = ["href", "rel", "type", "hreflang", "title", "length"];
    let [href, rel, kind, language, title, length] = field::attributes(node, names, 1, RULE, notes);
    if let Some(href) = href {
        field::attribute(node, "href", href, REFERENCE, RULE, notes);
    }
    if let Some(kind) = kind.filter(|kind| !value::is_media_type(kind)) {
        notes.error(node.at, RULE, format!("`type` of <link> is no media type{}", field::quoted(kind)));
    }
    if let Some(language) = language {
        field::attribute(node, "hreflang", language, Holds::Language, RULE, notes);
    }
    if let Some(length) = length {
        field::attribute(node, "length", length, Holds::Number(0, i64::MAX), RULE, notes);
    }
    for (name, _) in [("rel", rel), ("title", title)].into_iter().filter(|(_, value)| *value == Some("")) {
        notes.error(node.at, RULE, format!("`{name}` of <link> is empty"));
    }
    if node.attributes().iter().any(|attribute| attribute.space == Space::Thr) {
        threading(node, rel, notes);
    }
    if !node.trimmed().is_empty() {
        notes.warning(node.at, RULE, "<link> holds text, which nobody reads".to_owned());
    }
}

/// What RFC 4685 §4 adds to a link.
fn threading(node: Node<'_>, rel: Option<&str>, notes: &mut Notes) {
    for (name, holds) in [("count", Holds::Number(0, i64::MAX)), ("updated", Holds::Rfc3339)] {
        let Some(value) = node.attribute_in(Space::Thr, name) else { continue };
        if rel != Some("replies") {
            notes.error(node.at, "RFC 4685 §4", format!("`thr:{name}` is of rel=\"replies\" only"));
        }
        field::attribute(node, name, value, holds, "RFC 4685 §4", notes);
    }
    if node.attribute_in(Space::Thr, "when").is_some() {
        notes.error(node.at, "RFC 4685 §4", "`thr:when` became `thr:updated`".to_owned());
    }
}

/// A text construct.
fn text(node: Node<'_>, notes: &mut Notes) {
    const RULE: &str = "RFC 4287 §3.1";
    let [kind] = field::attributes(node, ["type"], 0, RULE, notes);
    match kind.unwrap_or("text") {
        kind @ ("text" | "html") => no_elements(node, kind, RULE, notes),
        "xhtml" => one_div(node, notes),
        other => notes.error(
            node.at,
            "RFC 4287 §3.1.1",
            format!("`type` of <{}> is none of text, html, xhtml{}", node.name, field::quoted(other)),
        ),
    }
}

fn no_elements(node: Node<'_>, kind: &str, rule: &'static str, notes: &mut Notes) {
    if let Some(child) = node.children().next() {
        let message =
            format!("<{}> of type {kind} holds text, not elements such as <{}>: escape it", node.name, child.name);
        notes.error(child.at, rule, message);
    }
    if kind == "text" && node.text().contains("</") {
        let message = format!("<{}> of type text looks like HTML: say type=\"html\"", node.name);
        notes.warning(node.at, "RFC 4287 §3.1.1.1", message);
    }
}

/// What XHTML must stand in.
fn one_div(node: Node<'_>, notes: &mut Notes) {
    const RULE: &str = "RFC 4287 §3.1.1.3";
    let mut children = node.children();
    match (children.next(), children.next()) {
        (Some(div), None) if div.space == Space::Xhtml && div.name == "div" => {}
        (Some(first), _) if first.space != Space::Xhtml => {
            let message = format!("<{}> of type xhtml holds <{}>, which is no element of XHTML", node.name, first.name);
            notes.error(first.at, RULE, message);
        }
        _ => notes.error(node.at, RULE, format!("<{}> of type xhtml must hold one <div>", node.name)),
    }
    if !node.trimmed().is_empty() {
        notes.error(node.at, RULE, format!("<{}> of type xhtml holds text outside its <div>", node.name));
    }
}

fn content(node: Node<'_>, notes: &mut Notes) {
    const RULE: &str = "RFC 4287 §4.1.3";
    let [kind, src] = field::attributes(node, ["type", "src"], 0, RULE, notes);
    if let Some(src) = src {
        field::attribute(node, "src", src, REFERENCE, "RFC 4287 §4.1.3.2", notes);
        if !node.trimmed().is_empty() || node.children().next().is_some() {
            notes.error(node.at, "RFC 4287 §4.1.3.2", "<content> with `src` must be empty".to_owned());
        }
        match kind {
            None => notes.warning(node.at, "RFC 4287 §4.1.3.2", "<content> with `src` has no `type`".to_owned()),
            Some(kind) if !value::is_media_type(kind) => {
                notes.error(
                    node.at,
                    "RFC 4287 §4.1.3.2",
                    format!("`type` of <content> is no media type{}", field::quoted(kind)),
                );
            }
            Some(_) => {}
        }
        return;
    }
    match kind.unwrap_or("text") {
        kind @ ("text" | "html") => no_elements(node, kind, RULE, notes),
        "xhtml" => one_div(node, notes),
        kind if !value::is_media_type(kind) || kind.starts_with("multipart/") || kind.starts_with("message/") => {
            notes.error(
                node.at,
                "RFC 4287 §4.1.3.1",
                format!("`type` of <content> is no media type{}", field::quoted(kind)),
            );
        }
        kind if kind.ends_with("+xml") || kind.ends_with("/xml") => {}
        kind if kind.starts_with("text/") => no_elements(node, kind, RULE, notes),
        kind => {
            no_elements(node, kind, RULE, notes);
            let plain: String = node.text().split_whitespace().collect();
            if base64::engine::general_purpose::STANDARD.decode(plain).is_err() {
                notes.error(node.at, "RFC 4287 §4.1.3.3", format!("<content> of type {kind} is no Base64"));
            }
        }
    }
}

/// The relations of RFC 5005.
const PAGING: [&str; 7] = ["current", "first", "last", "next", "next-archive", "prev-archive", "previous"];

fn history(root: Node<'_>, notes: &mut Notes) {
    let rels: Vec<&str> = root.all(Space::Atom, "link").filter_map(|link| link.attribute("rel")).collect();
    let own =
        root.all(Space::Atom, "link").find(|l| l.attribute("rel") == Some("self")).and_then(|l| l.attribute("href"));
    if let Some(mark) = root.first(Space::Fh, "complete") {
        for rel in rels.iter().filter(|rel| PAGING.contains(rel)) {
            let to = root
                .all(Space::Atom, "link")
                .find(|l| l.attribute("rel") == Some(*rel))
                .and_then(|l| l.attribute("href"));
            if *rel != "current" || to != own {
                notes.error(
                    mark.at,
                    "RFC 5005 §2",
                    format!("a complete feed has no other documents, but this links to a {rel} one"),
                );
            }
        }
    }
    if let Some(mark) = root.first(Space::Fh, "archive")
        && root.first(Space::Fh, "complete").is_none()
    {
        if !rels.contains(&"prev-archive") && !rels.contains(&"next-archive") {
            notes.warning(mark.at, "RFC 5005 §4", "an archive has no link to another one".to_owned());
        }
        if !rels.contains(&"current") {
            notes.warning(mark.at, "RFC 5005 §4", "an archive has no link to the current feed".to_owned());
        }
    }
    for (end, beyond) in [("first", "previous"), ("last", "next")] {
        let to = |rel: &str| {
            root.all(Space::Atom, "link").find(|l| l.attribute("rel") == Some(rel)).and_then(|l| l.attribute("href"))
        };
        if own.is_some() && to(end) == own && rels.contains(&beyond) {
            notes.error(root.at, "RFC 5005 §3", format!("this is the {end} document, and yet has a {beyond} one"));
        }
    }
}
