//! A feed: the posts of one topic, company or type, of several as the seeds combine them, or all, in the order in which readers see them.

use super::entry::Entry;
use super::slug::Slug;
use super::text::Text;
use super::time::Stamp;
use memchr::memmem;
use std::fmt;
use std::ops::Range;

/// Which posts a feed holds. Owns the path, so that files, links and addresses agree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum FeedKey {
    /// Every post.
    #[default]
    All,
    /// A topic of the seeds.
    Topic(Slug),
    /// One company's posts.
    Company(Slug),
    /// One type's posts.
    Type(Slug),
    /// What a `[[feed]]` of the seeds combines.
    Combined(Slug),
    /// What happened to the pages; served to the operator, never published.
    Health,
}

impl FeedKey {
    /// The path without an ending: `topics/tpu`, `all`.
    pub fn path(&self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Topic(s) => format!("topics/{s}"),
            Self::Company(s) => format!("companies/{s}"),
            Self::Type(s) => format!("types/{s}"),
            Self::Combined(s) => format!("feeds/{s}"),
            Self::Health => "health".to_owned(),
        }
    }

    /// The path of one of its archives, without an ending: `topics/tpu/archive/3`.
    pub fn archive(&self, number: u32) -> String {
        format!("{self}/archive/{number}")
    }
}

impl fmt::Display for FeedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())
    }
}

/// A format of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Atom 1.0 (RFC 4287).
    Atom,
    /// RSS 2.0 with the RSS Profile's best practice.
    Rss,
    /// JSON Feed 1.1.
    Json,
}

impl Format {
    /// All there are, the one that all readers know best first.
    pub const ALL: [Self; 3] = [Self::Atom, Self::Rss, Self::Json];

    /// The file's ending, without a dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Rss => "rss",
            Self::Json => "json",
        }
    }

    /// The media type, without parameters.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml",
            Self::Rss => "application/rss+xml",
            Self::Json => "application/feed+json",
        }
    }

    /// The format with this ending.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.ending() == ending)
    }

    /// How an entry begins and ends in the documents that we write: on lines of their own. Text cannot look like that:
    /// its `<` are escaped, and so are the ends of its lines in JSON.
    pub fn marks(self) -> [&'static str; 2] {
        match self {
            Self::Atom => ["\n <entry>", "\n </entry>"],
            Self::Rss => ["\n  <item>", "\n  </item>"],
            Self::Json => ["\n  {\n", "\n  }"],
        }
    }

    /// Where the entries stand in a document that we wrote, in its order.
    pub fn entries(self, document: &[u8]) -> Vec<Range<usize>> {
        let [open, close] = self.marks().map(str::as_bytes);
        let mut found = Vec::new();
        // In JSON the feed's own authors look like entries.
        let list = if self == Self::Json { memmem::find(document, b"\n \"items\": [") } else { Some(0) };
        let Some(mut at) = list else { return found };
        let (open, close) = (memmem::Finder::new(open), memmem::Finder::new(close));
        while let Some(start) = open.find(&document[at..]).map(|begins| at + begins) {
            let Some(ends) = close.find(&document[start..]) else { break };
            at = start + ends + close.needle().len();
            found.push(start..at);
        }
        found
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atom => "Atom",
            Self::Rss => "RSS",
            Self::Json => "JSON Feed",
        }
    }
}

/// What a list of feeds says about one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedHead {
    /// Which one.
    pub key: FeedKey,
    /// What it is called.
    pub title: Text,
    /// How many posts it ever held.
    pub posts: u32,
    /// When its newest post was published; none in an empty feed.
    pub newest: Option<Stamp>,
}

/// A feed's content, ready to be written in any format. Its bytes depend on this and the configuration only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feed {
    /// Which one.
    pub key: FeedKey,
    /// What it is called.
    pub title: Text,
    /// What it says about itself.
    pub description: Option<Text>,
    /// The stored time of the last change of its content (Atom `updated`, RSS `lastBuildDate`).
    pub updated: Stamp,
    /// The path that it was first published at, where that was another one: its id stays when it moves.
    pub identity: Option<String>,
    /// The language of its posts, where somebody said.
    pub language: Option<Text>,
    /// For how many minutes a reader may keep it.
    pub ttl: u32,
    /// The last of its archives, which also has the newest posts; none where this is every post there is.
    pub last_archive: Option<u32>,
    /// The posts, newest first.
    pub entries: Vec<Entry>,
}

impl Feed {
    /// All of it but its posts, which are many.
    #[must_use]
    pub fn bare(&self) -> Self {
        Self {
            key: self.key.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            identity: self.identity.clone(),
            language: self.language.clone(),
            entries: Vec::new(),
            ..*self
        }
    }
}

/// How many posts an archive holds.
pub const ARCHIVED: usize = 100;

/// A part of everything that a feed ever held: 100 posts in the order in which they were stored for it (RFC 5005 §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Its number, from 1, the oldest.
    pub number: u32,
    /// Whether another one follows; then it is whole and stays as it is.
    pub followed: bool,
    /// Whose it is, as the feed is otherwise, but with the posts of this part, oldest first. `updated` is the latest of
    /// theirs.
    pub feed: Feed,
}
