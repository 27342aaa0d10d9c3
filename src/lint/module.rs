//! Elements of modules, wherever they stand: what each must hold.
//!
//! In: the tree of an RSS or Atom document. Out: notes. A table: a module's element, its meaning, and whether its parent
//! may have it once only.

use super::Notes;
use super::field::{self, Holds};
use super::tree::Node;
use super::value::Address;

const URI: Holds = Holds::Link(Address::Uri);
const REFERENCE: Holds = Holds::Link(Address::IriReference);
const COUNT: Holds = Holds::Number(0, i64::MAX);
const NUMBER: Holds = Holds::Number(1, i64::MAX);
const INTEGER: Holds = Holds::Number(i64::MIN, i64::MAX);
const DECIMAL: Holds = Holds::Decimal(0.0, f64::MAX);
const TRUE_FALSE: Holds = Holds::Word(&["true", "false"]);
const PLAIN_HTML: Holds = Holds::Word(&["plain", "html"]);
const LATITUDE: Holds = Holds::Decimal(-90.0, 90.0);
const LONGITUDE: Holds = Holds::Decimal(-180.0, 180.0);

/// Namespace, element, whether it stands once in its parent, what it holds.
#[rustfmt::skip]
const ELEMENTS: &[(&str, &str, bool, Holds)] = &[
    ("dc", "date", false, Holds::W3c),
    ("dc", "language", false, Holds::Language),
    ("dcterms", "created", false, Holds::W3c),
    ("dcterms", "issued", false, Holds::W3c),
    ("dcterms", "modified", false, Holds::W3c),
    ("content", "encoded", true, Holds::Text),
    ("sy", "updatePeriod", true, Holds::Word(&["hourly", "daily", "weekly", "monthly", "yearly"])),
    ("sy", "updateFrequency", true, Holds::Number(1, i64::MAX)),
    ("sy", "updateBase", true, Holds::W3c),
    ("slash", "comments", true, COUNT),
    ("wfw", "comment", true, URI),
    ("wfw", "commentRss", true, URI),
    ("creativeCommons", "license", false, URI),
    ("geo", "lat", true, LATITUDE),
    ("geo", "long", true, LONGITUDE),
    ("fh", "archive", true, Holds::Any),
    ("fh", "complete", true, Holds::Any),
    ("opensearch", "totalResults", true, COUNT),
    ("opensearch", "startIndex", true, INTEGER),
    ("opensearch", "itemsPerPage", true, COUNT),
    ("app", "edited", true, Holds::Rfc3339),
    ("itunes", "block", true, Holds::Word(&["yes", "no", "Yes", "No"])),
    ("itunes", "explicit", true, Holds::Word(&["yes", "no", "clean", "Yes", "No", "Clean", "true", "false", "explicit"])),
    ("itunes", "email", true, Holds::Mail),
    ("feedburner", "awareness", true, URI),
    ("feedburner", "origLink", true, URI),
    ("feedburner", "browserFriendly", true, Holds::Text),
    ("media", "title", true, Holds::Text),
    ("media", "description", true, Holds::Text),
    ("media", "copyright", true, Holds::Text),
    ("ev", "startdate", true, Holds::Iso8601),
    ("ev", "enddate", true, Holds::Iso8601),
    ("slash", "hit_parade", true, Holds::Numbers),
    ("thr", "total", true, COUNT),
    ("itunes", "duration", true, Holds::Duration),
    ("itunes", "season", true, NUMBER),
    ("itunes", "episode", true, NUMBER),
    ("itunes", "episodeType", true, Holds::Word(&["full", "trailer", "bonus"])),
    ("itunes", "type", true, Holds::Word(&["episodic", "serial"])),
    ("geourl", "latitude", true, LATITUDE),
    ("geourl", "longitude", true, LONGITUDE),
    ("icbm", "latitude", true, LATITUDE),
    ("icbm", "longitude", true, LONGITUDE),
    ("conversationsNetwork", "introMilliseconds", true, COUNT),
    ("conversationsNetwork", "ratingAverage", true, Holds::Decimal(0.0, f64::MAX)),
    ("conversationsNetwork", "ratingCount", true, COUNT),
    ("conversationsNetwork", "ratingIndividual", true, NUMBER),
    ("conversationsNetwork", "ratingTimestamp", true, Holds::Iso8601),
    ("conversationsNetwork", "image", true, URI),
    ("feedburner", "feedburnerHostname", true, URI),
    ("feedburner", "origEnclosureLink", true, URI),
];

/// Namespace, element, attribute, whether it must be there, what it holds.
#[rustfmt::skip]
const ATTRIBUTES: &[(&str, &str, &str, bool, Holds)] = &[
    ("media", "content", "url", false, URI),
    ("media", "content", "fileSize", false, NUMBER),
    ("media", "content", "type", false, Holds::MediaType),
    ("media", "content", "medium", false, Holds::Word(&["image", "audio", "video", "document", "executable"])),
    ("media", "content", "isDefault", false, TRUE_FALSE),
    ("media", "content", "expression", false, Holds::Word(&["sample", "full", "nonstop"])),
    ("media", "content", "bitrate", false, DECIMAL),
    ("media", "content", "framerate", false, DECIMAL),
    ("media", "content", "samplingrate", false, DECIMAL),
    ("media", "content", "channels", false, COUNT),
    ("media", "content", "duration", false, DECIMAL),
    ("media", "content", "height", false, NUMBER),
    ("media", "content", "width", false, NUMBER),
    ("media", "content", "lang", false, Holds::Language),
    ("media", "title", "type", false, PLAIN_HTML),
    ("media", "description", "type", false, PLAIN_HTML),
    ("media", "text", "type", false, PLAIN_HTML),
    ("media", "text", "lang", false, Holds::Language),
    ("media", "thumbnail", "url", true, URI),
    ("media", "thumbnail", "width", false, NUMBER),
    ("media", "thumbnail", "height", false, NUMBER),
    ("media", "player", "url", true, URI),
    ("media", "player", "width", false, NUMBER),
    ("media", "player", "height", false, NUMBER),
    ("media", "copyright", "url", false, URI),
    ("media", "category", "scheme", false, URI),
    ("media", "credit", "scheme", false, URI),
    ("media", "hash", "algo", false, Holds::Word(&["md5", "sha-1"])),
    ("media", "restriction", "relationship", true, Holds::Word(&["allow", "deny"])),
    ("media", "restriction", "type", false, Holds::Word(&["country", "uri", "sharing"])),
    ("itunes", "category", "text", true, Holds::Text),
    ("itunes", "image", "href", true, URI),
    ("thr", "in-reply-to", "ref", false, URI),
    ("thr", "in-reply-to", "href", false, REFERENCE),
    ("thr", "in-reply-to", "type", false, Holds::MediaType),
    ("thr", "in-reply-to", "source", false, REFERENCE),
    ("feedburner", "feedFlare", "href", false, REFERENCE),
    ("feedburner", "feedFlare", "src", false, REFERENCE),
    ("sx", "sync", "id", true, Holds::Text),
    ("sx", "sync", "updates", true, Holds::Number(1, 0x7fff_ffff)),
    ("sx", "sync", "deleted", false, TRUE_FALSE),
    ("sx", "sync", "noconflicts", false, TRUE_FALSE),
    ("sx", "history", "sequence", true, Holds::Number(1, 0x7fff_ffff)),
    ("sx", "history", "when", false, Holds::Rfc3339),
    ("sx", "sharing", "since", false, Holds::Rfc3339),
    ("sx", "sharing", "until", false, Holds::Rfc3339),
    ("sx", "sharing", "expires", false, Holds::Rfc3339),
    ("sx", "related", "link", true, URI),
    ("sx", "related", "type", true, Holds::Word(&["complete", "aggregated"])),
    ("opensearch", "Query", "role", true, Holds::Text),
    ("opensearch", "Query", "count", false, COUNT),
    ("opensearch", "Query", "totalResults", false, COUNT),
    ("opensearch", "Query", "startIndex", false, INTEGER),
    ("opensearch", "Query", "startPage", false, INTEGER),
];

/// Checks the elements of modules in a whole tree.
pub(super) fn everywhere(root: &Node<'_>, notes: &mut Notes) {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        for (place, child) in node.children.iter().enumerate() {
            let row = || ELEMENTS.iter().find(|(space, name, ..)| *space == child.space && *name == child.name);
            if let Some((space, name, once, holds)) = is_of_module(child).then(row).flatten() {
                let rule = rule(space);
                if *once && node.children[..place].iter().any(|c| c.space == *space && c.name == *name) {
                    notes.error(child.at, rule, format!("a second <{space}:{name}> in <{}>", node.name));
                }
                field::content(child, *holds, rule, notes);
            }
            // Most have neither, and there are many.
            if is_of_module(child) || !child.attributes.is_empty() || !child.children.is_empty() {
                waiting.push(child);
            }
        }
        attributes(node, notes);
    }
}

/// Whether it is neither of RSS 2.0 nor of Atom itself.
fn is_of_module(node: &Node<'_>) -> bool {
    !matches!(node.space, "" | "atom")
}

/// Checks the attributes of a module's element, and those that every element may have.
fn attributes(node: &Node<'_>, notes: &mut Notes) {
    for (space, name, attribute, needed, holds) in
        ATTRIBUTES.iter().filter(|row| is_of_module(node) && row.0 == node.space && row.1 == node.name)
    {
        match node.attribute(attribute) {
            Some(value) => field::attribute(node, attribute, value, *holds, rule(space), notes),
            None if *needed => notes.error(node.at, rule(space), format!("<{space}:{name}> has no `{attribute}`")),
            None => {}
        }
    }
    if let Some(base) = node.attribute_in("xml", "base") {
        field::attribute(node, "xml:base", base, REFERENCE, "XML Base", notes);
    }
    if let Some(language) = node.attribute_in("xml", "lang").filter(|language| !language.is_empty()) {
        field::attribute(node, "xml:lang", language, Holds::Language, "XML 1.0 §2.12", notes);
    }
    if node.space == "sx" && node.name == "sync" && node.first("sx", "history").is_none() {
        notes.error(node.at, rule("sx"), "<sx:sync> has no <sx:history>".to_owned());
    }
    if node.space == "media" && node.name == "group" && node.all("media", "content").count() < 2 {
        notes.error(node.at, rule("media"), "<media:group> is for several <media:content> of one thing".to_owned());
    }
}

/// What a module's specification is called.
fn rule(space: &str) -> &'static str {
    match space {
        "dc" | "dcterms" => "Dublin Core",
        "content" | "sy" | "slash" | "ev" => "RSS 1.0 modules",
        "wfw" => "Comment API",
        "geo" => "WGS84 Geo",
        "fh" => "RFC 5005",
        "opensearch" => "OpenSearch 1.1",
        "app" => "RFC 5023 §10",
        "itunes" => "iTunes podcasts",
        "media" => "Media RSS",
        _ => "its module",
    }
}
