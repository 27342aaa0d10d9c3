//! Feeds made by hand, with what has broken feeds before.

use pagewire::model::{Entry, EntryCompany, EntryId, Feed, FeedHead, FeedKey, Format, Html, Site, Slug, Stamp, Text};

pub const FORMATS: [Format; 3] = [Format::Atom, Format::Rss, Format::Json];
pub const HOSTILE: &str = "R&D — \"x\" <b> ]]> 🚀 &amp; it's";
/// Thu, 24 September 2026, 10:00 UTC.
pub const THURSDAY: Stamp = Stamp(1_790_244_000);

pub fn site() -> Site {
    Site {
        title: Text::line("Feeds & more"),
        base_url: "https://feeds.example/base/".parse().unwrap(),
        language: None,
        hub: None,
    }
}

/// An entry with nothing but an id and dates.
pub fn bare(uid: &str, published: Stamp) -> Entry {
    Entry {
        id: EntryId(0),
        uid: uid.to_owned(),
        title: Text::default(),
        link: None,
        companies: vec![],
        authors: vec![],
        kind: None,
        kind_slug: None,
        topic: None,
        summary: Html::default(),
        content: Html::default(),
        enclosures: vec![],
        dated: None,
        first_seen: published,
        published,
        updated: published,
        position: 0,
        revision: 0,
    }
}

/// A post with everything, then posts that lack one thing after another.
pub fn hostile() -> Feed {
    let company = |name: &str, slug: Option<&str>, link: Option<&str>| EntryCompany {
        name: Text::line(name),
        link: link.map(str::to_owned),
        slug: slug.map(Slug::of),
    };
    let day = 86_400;
    let full = Entry {
        title: Text::line(HOSTILE),
        link: Some("https://blog.example/a?x=1&y=2".parse().unwrap()),
        companies: vec![
            company("AT&T", Some("AT&T"), Some("https://att.example/")),
            company("Zürich, Inc.", Some("Zürich, Inc."), None),
        ],
        authors: vec![Text::line("Ann \"Q\" <ann@x.example>"), Text::line("Bo & Co")],
        kind: Some(Text::line("Problem & solution")),
        kind_slug: Some(Slug::of("Problem & solution")),
        summary: Html::sanitised(
            "<p>x &lt; y &amp;&amp; <em>z</em> ]]&gt; <a href='https://x.example/?a=1&b=2'>more</a><script>alert(1)</script></p>",
            None,
        ),
        updated: THURSDAY.plus(3_600),
        ..bare("https://blog.example/a?x=1&y=2", THURSDAY)
    };
    let plain = Entry {
        title: Text::line("&lt;script&gt;alert(1)&lt;/script&gt;"),
        link: Some("https://blog.example/b".parse().unwrap()),
        companies: vec![
            company("Not yet published", None, Some("https://new.example/")),
            company("Sly", None, Some("javascript:alert(1)")),
        ],
        kind: Some(Text::line("Tutorial")),
        summary: Html::escaped(&Text::line("a < b & c")),
        ..bare("https://blog.example/b", THURSDAY.plus(-day))
    };
    let silent = Entry {
        title: Text::line("A link and no word"),
        link: Some("https://blog.example/c".parse().unwrap()),
        authors: vec![Text::line("Wei Wei")],
        ..bare("https://blog.example/c", THURSDAY.plus(-2 * day))
    };
    let unlinked = Entry {
        title: Text::line("Words and no link"),
        summary: Html::sanitised("<p>One</p><ul><li>two</li></ul>", None),
        ..bare("urn:uuid:6c1a8c9e-63b5-5d0c-9f43-5b1f2b0c7e11", THURSDAY.plus(-3 * day))
    };
    let title_only = Entry {
        title: Text::line("Neither < word nor link"),
        ..bare("urn:uuid:9d6a6c56-3b57-5a5e-8c39-1f0b6f0d2a22", THURSDAY.plus(-4 * day))
    };
    Feed {
        key: FeedKey::Topic(Slug::of("hostile")),
        title: Text::line(HOSTILE),
        description: Some(Text::line("5 posts about R&D, <summarised>")),
        updated: THURSDAY.plus(3_600),
        language: Some(Text::line("en")),
        ttl: 30,
        entries: vec![full, plain, silent, unlinked, title_only],
        ..Feed::default()
    }
}

pub fn empty() -> Feed {
    Feed {
        key: FeedKey::Topic(Slug::of("empty")),
        title: Text::line("Nothing yet"),
        description: None,
        updated: THURSDAY,
        ttl: 60,
        ..Feed::default()
    }
}

pub fn heads() -> Vec<FeedHead> {
    let head = |key, title: &str, posts, newest| FeedHead { key, title: Text::line(title), posts, newest };
    vec![
        head(FeedKey::All, "Everything", 5, Some(THURSDAY)),
        head(FeedKey::Topic(Slug::of("hostile")), HOSTILE, 5, Some(THURSDAY)),
        head(FeedKey::Topic(Slug::of("empty")), "Nothing yet", 0, None),
        head(FeedKey::Company(Slug::of("AT&T")), "AT&T", 1, Some(THURSDAY)),
        head(FeedKey::Type(Slug::of("Problem & solution")), "Problem & solution", 1, Some(THURSDAY)),
    ]
}
