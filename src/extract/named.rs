//! The words that name what a page says of a post: keys of a list, heads of a table's columns.
//!
//! In: a word or two, as a page writes them. Out: what they mean. One list for every form of page.

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Company,
    Author,
    Published,
    Type,
    Original,
    Summary,
}

/// How they are written, in any case.
const NAMES: [(Named, &[&str]); 5] = [
    (
        Named::Company,
        &["company", "companies", "publisher", "publishers", "published by", "organization", "organisation"],
    ),
    (Named::Author, &["author", "authors", "author(s)", "by", "written by"]),
    (
        Named::Published,
        &["published", "published on", "published at", "publication date", "date", "posted", "posted on"],
    ),
    (Named::Type, &["type", "kind", "category"]),
    (
        Named::Original,
        &[
            "original",
            "original post",
            "original article",
            "original link",
            "original url",
            "original source",
            "source",
            "source url",
            "source link",
        ],
    ),
];

/// What only the head of a column says so: in a list below a post's heading these may begin its text.
const OF_COLUMNS: [(Named, &[&str]); 4] = [
    (Named::Company, &["organizations", "organisations", "company/organization", "company/organisation"]),
    (Named::Author, &["speaker", "speakers", "speaker(s)", "presenter", "presenters", "contributor", "contributors"]),
    (Named::Published, &["date published", "published date", "date posted", "release date"]),
    (Named::Type, &["types", "categories"]),
];

/// Heads of columns that say so beside a title; where no other column has one they stand above the title itself.
const BESIDE_A_TITLE: [(Named, &[&str]); 2] =
    [(Named::Type, &["topic", "topics"]), (Named::Summary, &["summary", "description", "abstract", "excerpt"])];

/// What links say that lead to a post without its title.
const GENERIC: [&str; 18] = [
    "link",
    "links",
    "url",
    "here",
    "read",
    "read more",
    "more",
    "view",
    "open",
    "details",
    "web",
    "html",
    "pdf",
    "slides",
    "video",
    "recording",
    "code",
    "download",
];

impl Named {
    /// How many there are.
    pub(super) const COUNT: usize = Self::Summary as usize + 1;

    /// What a key of a list means.
    pub(super) fn of(key: &str) -> Option<Self> {
        find(&NAMES, key)
    }

    /// What the head of a column means, in a row whose title stands in another column, or in none that is known.
    pub(super) fn of_column(head: &str, beside_title: bool) -> Option<Self> {
        let head = head.trim().trim_end_matches(':');
        let strong = Self::of(head).or_else(|| find(&OF_COLUMNS, head));
        strong.or_else(|| find(&BESIDE_A_TITLE, head).filter(|_| beside_title))
    }

    /// Whether a link in a column may be a title: it says more than what it is.
    pub(super) fn is_title(head: &str, link: &str) -> bool {
        let link = link.trim();
        let is_generic = GENERIC.iter().any(|generic| generic.eq_ignore_ascii_case(link));
        let says = link.contains(char::is_alphanumeric) && !link.contains("://");
        says && !is_generic && !link.eq_ignore_ascii_case(head.trim())
    }
}

fn find(names: &[(Named, &[&str])], key: &str) -> Option<Named> {
    let is_one_of = |(_, names): &&(Named, &[&str])| names.iter().any(|name| name.eq_ignore_ascii_case(key));
    names.iter().find(is_one_of).map(|(named, _)| *named)
}
