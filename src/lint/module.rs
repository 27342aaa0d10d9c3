//! Elements of modules, wherever they stand: what each must hold.
//!
//! In: the tree of an RSS or Atom document. Out: notes. A table: what each module says of its elements and their
//! attributes.

use super::Notes;
use super::field::{self, Holds, Row};
use super::space::Space;
use super::tree::{Node, Tree};
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

/// What a module says.
struct Module {
    space: Space,
    prefix: &'static str,
    /// What its specification is called.
    rule: &'static str,
    /// Element, whether it stands once in its parent, what it holds.
    elements: &'static [Row],
    /// Element, attribute, whether it must be there, what it holds.
    attributes: &'static [(&'static str, &'static str, bool, Holds)],
}

#[rustfmt::skip]
const MODULES: &[Module] = &[
    Module {
        space: Space::Dc,
        prefix: "dc",
        rule: "Dublin Core",
        elements: &[
            ("date", false, Holds::W3c),
            ("language", false, Holds::Language),
        ],
        attributes: &[],
    },
    Module {
        space: Space::DcTerms,
        prefix: "dcterms",
        rule: "Dublin Core",
        elements: &[
            ("created", false, Holds::W3c),
            ("issued", false, Holds::W3c),
            ("modified", false, Holds::W3c),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Content,
        prefix: "content",
        rule: "RSS 1.0 modules",
        elements: &[
            ("encoded", true, Holds::Text),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Sy,
        prefix: "sy",
        rule: "RSS 1.0 modules",
        elements: &[
            ("updatePeriod", true, Holds::Word(&["hourly", "daily", "weekly", "monthly", "yearly"])),
            ("updateFrequency", true, Holds::Number(1, i64::MAX)),
            ("updateBase", true, Holds::W3c),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Slash,
        prefix: "slash",
        rule: "RSS 1.0 modules",
        elements: &[
            ("comments", true, COUNT),
            ("hit_parade", true, Holds::Numbers),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Wfw,
        prefix: "wfw",
        rule: "Comment API",
        elements: &[
            ("comment", true, URI),
            ("commentRss", true, URI),
        ],
        attributes: &[],
    },
    Module {
        space: Space::CreativeCommons,
        prefix: "creativeCommons",
        rule: "its module",
        elements: &[
            ("license", false, URI),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Geo,
        prefix: "geo",
        rule: "WGS84 Geo",
        elements: &[
            ("lat", true, LATITUDE),
            ("long", true, LONGITUDE),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Fh,
        prefix: "fh",
        rule: "RFC 5005",
        elements: &[
            ("archive", true, Holds::Any),
            ("complete", true, Holds::Any),
        ],
        attributes: &[],
    },
    Module {
        space: Space::OpenSearch,
        prefix: "opensearch",
        rule: "OpenSearch 1.1",
        elements: &[
            ("totalResults", true, COUNT),
            ("startIndex", true, INTEGER),
            ("itemsPerPage", true, COUNT),
        ],
        attributes: &[
            ("Query", "role", true, Holds::Text),
            ("Query", "count", false, COUNT),
            ("Query", "totalResults", false, COUNT),
            ("Query", "startIndex", false, INTEGER),
            ("Query", "startPage", false, INTEGER),
        ],
    },
    Module {
        space: Space::App,
        prefix: "app",
        rule: "RFC 5023 §10",
        elements: &[
            ("edited", true, Holds::Rfc3339),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Itunes,
        prefix: "itunes",
        rule: "iTunes podcasts",
        elements: &[
            ("block", true, Holds::Word(&["yes", "no", "Yes", "No"])),
            ("explicit", true, Holds::Word(&["yes", "no", "clean", "Yes", "No", "Clean", "true", "false", "explicit"])),
            ("email", true, Holds::Mail),
            ("duration", true, Holds::Duration),
            ("season", true, NUMBER),
            ("episode", true, NUMBER),
            ("episodeType", true, Holds::Word(&["full", "trailer", "bonus"])),
            ("type", true, Holds::Word(&["episodic", "serial"])),
        ],
        attributes: &[
            ("category", "text", true, Holds::Text),
            ("image", "href", true, URI),
        ],
    },
    Module {
        space: Space::FeedBurner,
        prefix: "feedburner",
        rule: "its module",
        elements: &[
            ("awareness", true, URI),
            ("origLink", true, URI),
            ("browserFriendly", true, Holds::Text),
            ("feedburnerHostname", true, URI),
            ("origEnclosureLink", true, URI),
        ],
        attributes: &[
            ("feedFlare", "href", false, REFERENCE),
            ("feedFlare", "src", false, REFERENCE),
        ],
    },
    Module {
        space: Space::Media,
        prefix: "media",
        rule: "Media RSS",
        elements: &[
            ("title", true, Holds::Text),
            ("description", true, Holds::Text),
            ("copyright", true, Holds::Text),
        ],
        attributes: &[
            ("content", "url", false, URI),
            ("content", "fileSize", false, NUMBER),
            ("content", "type", false, Holds::MediaType),
            ("content", "medium", false, Holds::Word(&["image", "audio", "video", "document", "executable"])),
            ("content", "isDefault", false, TRUE_FALSE),
            ("content", "expression", false, Holds::Word(&["sample", "full", "nonstop"])),
            ("content", "bitrate", false, DECIMAL),
            ("content", "framerate", false, DECIMAL),
            ("content", "samplingrate", false, DECIMAL),
            ("content", "channels", false, COUNT),
            ("content", "duration", false, DECIMAL),
            ("content", "height", false, NUMBER),
            ("content", "width", false, NUMBER),
            ("content", "lang", false, Holds::Language),
            ("title", "type", false, PLAIN_HTML),
            ("description", "type", false, PLAIN_HTML),
            ("text", "type", false, PLAIN_HTML),
            ("text", "lang", false, Holds::Language),
            ("thumbnail", "url", true, URI),
            ("thumbnail", "width", false, NUMBER),
            ("thumbnail", "height", false, NUMBER),
            ("player", "url", true, URI),
            ("player", "width", false, NUMBER),
            ("player", "height", false, NUMBER),
            ("copyright", "url", false, URI),
            ("category", "scheme", false, URI),
            ("credit", "scheme", false, URI),
            ("hash", "algo", false, Holds::Word(&["md5", "sha-1"])),
            ("restriction", "relationship", true, Holds::Word(&["allow", "deny"])),
            ("restriction", "type", false, Holds::Word(&["country", "uri", "sharing"])),
        ],
    },
    Module {
        space: Space::Ev,
        prefix: "ev",
        rule: "RSS 1.0 modules",
        elements: &[
            ("startdate", true, Holds::Iso8601),
            ("enddate", true, Holds::Iso8601),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Thr,
        prefix: "thr",
        rule: "its module",
        elements: &[
            ("total", true, COUNT),
        ],
        attributes: &[
            ("in-reply-to", "ref", false, URI),
            ("in-reply-to", "href", false, REFERENCE),
            ("in-reply-to", "type", false, Holds::MediaType),
            ("in-reply-to", "source", false, REFERENCE),
        ],
    },
    Module {
        space: Space::GeoUrl,
        prefix: "geourl",
        rule: "its module",
        elements: &[
            ("latitude", true, LATITUDE),
            ("longitude", true, LONGITUDE),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Icbm,
        prefix: "icbm",
        rule: "its module",
        elements: &[
            ("latitude", true, LATITUDE),
            ("longitude", true, LONGITUDE),
        ],
        attributes: &[],
    },
    Module {
        space: Space::ConversationsNetwork,
        prefix: "conversationsNetwork",
        rule: "its module",
        elements: &[
            ("introMilliseconds", true, COUNT),
            ("ratingAverage", true, Holds::Decimal(0.0, f64::MAX)),
            ("ratingCount", true, COUNT),
            ("ratingIndividual", true, NUMBER),
            ("ratingTimestamp", true, Holds::Iso8601),
            ("image", true, URI),
        ],
        attributes: &[],
    },
    Module {
        space: Space::Sx,
        prefix: "sx",
        rule: "its module",
        elements: &[],
        attributes: &[
            ("sync", "id", true, Holds::Text),
            ("sync", "updates", true, Holds::Number(1, 0x7fff_ffff)),
            ("sync", "deleted", false, TRUE_FALSE),
            ("sync", "noconflicts", false, TRUE_FALSE),
            ("history", "sequence", true, Holds::Number(1, 0x7fff_ffff)),
            ("history", "when", false, Holds::Rfc3339),
            ("sharing", "since", false, Holds::Rfc3339),
            ("sharing", "until", false, Holds::Rfc3339),
            ("sharing", "expires", false, Holds::Rfc3339),
            ("related", "link", true, URI),
            ("related", "type", true, Holds::Word(&["complete", "aggregated"])),
        ],
    },
];

/// Checks the elements of modules in a whole tree, and the attributes that every element may have.
pub(super) fn everywhere(tree: &Tree<'_>, notes: &mut Notes) {
    for (node, parent) in tree.marked() {
        let module = MODULES.iter().find(|module| module.space == node.space);
        if let (Some(module), Some(parent)) = (module, parent) {
            element(node, parent, module, notes);
        }
        if let Some(module) = module {
            attributes(node, module, notes);
        }
        if let Some(base) = node.attribute_in(Space::Xml, "base") {
            field::attribute(node, "xml:base", base, REFERENCE, "XML Base", notes);
        }
        let language = node.attribute_in(Space::Xml, "lang").filter(|language| !language.is_empty());
        if let Some(language) = language {
            field::attribute(node, "xml:lang", language, Holds::Language, "XML 1.0 §2.12", notes);
        }
        if node.space == Space::Sx && node.name == "sync" && node.first(Space::Sx, "history").is_none() {
            notes.error(node.at, "its module", "<sx:sync> has no <sx:history>".to_owned());
        }
        if node.space == Space::Media && node.name == "group" && node.all(Space::Media, "content").count() < 2 {
            notes.error(node.at, "Media RSS", "<media:group> is for several <media:content> of one thing".to_owned());
        }
    }
}

/// Checks an element of a module.
fn element(node: Node<'_>, parent: Node<'_>, module: &Module, notes: &mut Notes) {
    let Some((name, once, holds)) = module.elements.iter().find(|(name, ..)| *name == node.name) else { return };
    let is_first = || parent.first(module.space, name).is_none_or(|first| first.at == node.at);
    if *once && !is_first() {
        let message = format!("a second <{}:{name}> in <{}>", module.prefix, parent.name);
        notes.error(node.at, module.rule, message);
    }
    field::content(node, *holds, module.rule, notes);
}

/// Checks the attributes of a module's element.
fn attributes(node: Node<'_>, module: &Module, notes: &mut Notes) {
    for (name, attribute, needed, holds) in module.attributes.iter().filter(|(name, ..)| *name == node.name) {
        match node.attribute(attribute) {
            Some(value) => field::attribute(node, attribute, value, *holds, module.rule, notes),
            None if *needed => {
                notes.error(node.at, module.rule, format!("<{}:{name}> has no `{attribute}`", module.prefix));
            }
            None => {}
        }
    }
}
