//! Namespaces and names as feeds use them → what they mean.
//!
//! In: an element's namespace and name. Out: which field of RSS 2.0 or Atom 1.0 it is, if pagewire reads it. Here are
//! RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0, Dublin Core, and the content module.

/// The two forms in which a feed is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// RSS 2.0; also RSS 0.9x and 1.0 (RDF).
    Rss,
    /// Atom 1.0; also 0.3.
    Atom,
}

impl Format {
    /// By a feed's root element, or that of one Atom entry by itself (RFC 4287 §2).
    pub(super) fn of_root(name: &str) -> Option<Self> {
        let is = |n: &str| local(name).eq_ignore_ascii_case(n);
        if is("rss") || is("RDF") {
            Some(Self::Rss)
        } else if is("feed") || is("entry") {
            Some(Self::Atom)
        } else {
            None
        }
    }

    /// What an item is called.
    pub(super) fn item(self) -> &'static str {
        if self == Self::Rss { "item" } else { "entry" }
    }

    /// What stands around the fields of an item.
    pub(super) fn item_tags(self) -> (&'static str, &'static str) {
        if self == Self::Rss { ("<item>", "</item>") } else { ("<entry>", "</entry>") }
    }

    /// What stands around the fields and the items of a feed put in order.
    pub(super) fn frame(self) -> (&'static str, &'static str) {
        match self {
            Self::Rss => (
                "<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
                 xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><channel>",
                "</channel></rss>",
            ),
            Self::Atom => ("<feed xmlns=\"http://www.w3.org/2005/Atom\">", "</feed>"),
        }
    }
}

/// A name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// What an element's namespace means to a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// The feed's own.
    Core,
    /// Dublin Core.
    Dublin,
    /// The content module of RSS.
    Content,
    /// Atom's inside RSS.
    Atom,
    /// Another vocabulary.
    Other,
}

impl Space {
    /// By address, as found in feeds: with either scheme, with and without a mark at its end.
    pub(super) fn of(address: &str, format: Format) -> Self {
        let name = address.trim().trim_start_matches("http://").trim_start_matches("https://");
        let own = |own: Format, other| if own == format { Self::Core } else { other };
        match name.trim_end_matches(['/', '#']) {
            "" => Self::Core,
            "www.w3.org/2005/Atom" | "purl.org/atom/ns" => own(Format::Atom, Self::Atom),
            "purl.org/rss/1.0" | "my.netscape.com/rdf/simple/0.9" | "channel.netscape.com/rdf/simple/0.9" => {
                own(Format::Rss, Self::Other)
            }
            "purl.org/dc/elements/1.1" | "purl.org/dc/elements/1.0" | "purl.org/dc/terms" => Self::Dublin,
            "purl.org/rss/1.0/modules/content" => Self::Content,
            name if name.contains("userland.com/rss") || name.ends_with("/tech/rss") => own(Format::Rss, Self::Other),
            _ => Self::Other,
        }
    }

    /// By the prefix that everybody uses, where none is declared.
    pub(super) fn usual(prefix: &str, format: Format) -> Self {
        match (prefix, format) {
            ("dc", _) => Self::Dublin,
            ("content", _) => Self::Content,
            ("atom", Format::Rss) => Self::Atom,
            ("atom", Format::Atom) | ("rss", Format::Rss) => Self::Core,
            _ => Self::Other,
        }
    }
}

/// What is done with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Its text is the value of this field.
    Text(&'static str),
    /// Its text is the value of this field where nothing better gives one.
    Late(&'static str),
    /// An Atom text with a `type`.
    Typed(&'static str),
    /// An address as text.
    Link,
    /// An Atom link, with attributes.
    Reference,
    /// A `guid`.
    Guid,
    /// Somebody's name.
    Person,
    /// A file that belongs to the item.
    Enclosure,
}

const RSS: [(Space, &str, Field); 20] = [
    (Space::Core, "title", Field::Text("title")),
    (Space::Core, "link", Field::Link),
    (Space::Core, "description", Field::Text("description")),
    (Space::Core, "guid", Field::Guid),
    (Space::Core, "pubDate", Field::Text("pubDate")),
    (Space::Core, "author", Field::Person),
    (Space::Core, "enclosure", Field::Enclosure),
    (Space::Content, "encoded", Field::Text("content:encoded")),
    (Space::Dublin, "creator", Field::Person),
    (Space::Dublin, "date", Field::Late("pubDate")),
    (Space::Dublin, "issued", Field::Late("pubDate")),
    (Space::Dublin, "created", Field::Late("pubDate")),
    (Space::Dublin, "title", Field::Late("title")),
    (Space::Dublin, "description", Field::Late("description")),
    (Space::Atom, "published", Field::Late("pubDate")),
    (Space::Atom, "updated", Field::Late("updated")),
    (Space::Atom, "link", Field::Reference),
    (Space::Atom, "author", Field::Person),
    (Space::Atom, "summary", Field::Late("description")),
    (Space::Atom, "content", Field::Late("content:encoded")),
];

const ATOM: [(Space, &str, Field); 16] = [
    (Space::Core, "title", Field::Typed("title")),
    (Space::Core, "link", Field::Reference),
    (Space::Core, "summary", Field::Typed("summary")),
    (Space::Core, "content", Field::Typed("content")),
    (Space::Core, "id", Field::Text("id")),
    (Space::Core, "published", Field::Text("published")),
    (Space::Core, "updated", Field::Text("updated")),
    (Space::Core, "author", Field::Person),
    (Space::Core, "subtitle", Field::Typed("subtitle")),
    // Atom 0.3.
    (Space::Core, "issued", Field::Text("published")),
    (Space::Core, "modified", Field::Text("updated")),
    (Space::Core, "created", Field::Late("published")),
    (Space::Core, "tagline", Field::Typed("subtitle")),
    (Space::Core, "pubDate", Field::Late("published")),
    (Space::Dublin, "date", Field::Late("published")),
    (Space::Dublin, "creator", Field::Person),
];

/// The field that an element is, if it is read at all.
pub(super) fn field(format: Format, space: Space, name: &str) -> Option<Field> {
    let table: &[(Space, &str, Field)] = if format == Format::Rss { &RSS } else { &ATOM };
    table.iter().find(|(s, n, _)| *s == space && n.eq_ignore_ascii_case(name)).map(|(_, _, field)| *field)
}
