//! Namespaces: their addresses → short names, which are compared in one step.

/// The namespace of an element or an attribute. Those that have a prefix in common use are named by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// None.
    None,
    /// One that is not in the list.
    Other,
    Access,
    Admin,
    App,
    Atom,
    Cf,
    Content,
    ConversationsNetwork,
    CreativeCommons,
    Dc,
    DcTerms,
    Ev,
    FeedBurner,
    Fh,
    G,
    Geo,
    GeoRss,
    GeoUrl,
    Icbm,
    Itunes,
    Media,
    OpenSearch,
    Rdf,
    /// RSS 0.90 and 1.0.
    Rss1,
    Rss11,
    Slash,
    /// Simple Sharing Extensions.
    Sx,
    Sy,
    Thr,
    Trackback,
    Wfw,
    Xhtml,
    Xml,
}

#[rustfmt::skip]
const SPACES: &[(&str, Space)] = &[
    ("http://www.w3.org/2005/Atom", Space::Atom),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", Space::Rdf),
    ("http://purl.org/rss/1.0/", Space::Rss1),
    ("http://my.netscape.com/rdf/simple/0.9/", Space::Rss1),
    ("http://channel.netscape.com/rdf/simple/0.9/", Space::Rss1),
    ("http://purl.org/net/rss1.1#", Space::Rss11),
    ("http://www.w3.org/1999/xhtml", Space::Xhtml),
    ("http://www.w3.org/XML/1998/namespace", Space::Xml),
    ("http://purl.org/dc/elements/1.1/", Space::Dc),
    ("http://purl.org/dc/terms/", Space::DcTerms),
    ("http://purl.org/rss/1.0/modules/content/", Space::Content),
    ("http://purl.org/rss/1.0/modules/syndication/", Space::Sy),
    ("http://purl.org/rss/1.0/modules/slash/", Space::Slash),
    ("http://purl.org/syndication/history/1.0", Space::Fh),
    ("http://purl.org/syndication/thread/1.0", Space::Thr),
    ("http://search.yahoo.com/mrss/", Space::Media),
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", Space::Itunes),
    ("http://wellformedweb.org/CommentAPI/", Space::Wfw),
    ("http://www.w3.org/2003/01/geo/wgs84_pos#", Space::Geo),
    ("http://www.georss.org/georss", Space::GeoRss),
    ("http://a9.com/-/spec/opensearch/1.1/", Space::OpenSearch),
    ("http://a9.com/-/spec/opensearchrss/1.0/", Space::OpenSearch),
    ("http://rssnamespace.org/feedburner/ext/1.0", Space::FeedBurner),
    ("http://feedsync.org/2007/feedsync", Space::Sx),
    ("http://base.google.com/ns/1.0", Space::G),
    ("http://www.w3.org/2007/app", Space::App),
    ("http://backend.userland.com/creativeCommonsRssModule", Space::CreativeCommons),
    ("http://www.bloglines.com/about/specs/fac-1.0", Space::Access),
    ("http://conversationsnetwork.org/rssNamespace-1.0/", Space::ConversationsNetwork),
    ("http://purl.org/rss/1.0/modules/event/", Space::Ev),
    ("http://www.microsoft.com/schemas/rss/core/2005", Space::Cf),
    ("http://madskills.com/public/xml/rss/module/trackback/", Space::Trackback),
    ("http://webns.net/mvcb/", Space::Admin),
    ("http://geourl.org/rss/module/", Space::GeoUrl),
    ("http://postneo.com/icbm", Space::Icbm),
];

impl Space {
    /// The namespace of an address; none of an empty one.
    pub(super) fn of(address: &str) -> Self {
        let known = SPACES.iter().find(|(known, _)| *known == address).map(|(_, space)| *space);
        known.unwrap_or(if address.is_empty() { Self::None } else { Self::Other })
    }

    /// Whether what is in it is neither of RSS 2.0 nor of Atom itself.
    pub(super) fn is_module(self) -> bool {
        !matches!(self, Self::None | Self::Atom)
    }
}
