//! A feed: the posts of one topic, company or type, or all, in the order in which readers see them.

use super::entry::Entry;
use super::slug::Slug;
use super::text::Text;
use super::time::Stamp;
use std::fmt;

/// Which posts a feed holds. Owns the path, so that files, links and addresses agree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeedKey {
    /// Every post.
    All,
    /// A topic of the seeds.
    Topic(Slug),
    /// One company's posts.
    Company(Slug),
    /// One type's posts.
    Type(Slug),
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
            Self::Health => "health".to_owned(),
        }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// Which one.
    pub key: FeedKey,
    /// What it is called.
    pub title: Text,
    /// What it says about itself.
    pub description: Option<Text>,
    /// The stored time of the last change of its content (Atom `updated`, RSS `lastBuildDate`).
    pub updated: Stamp,
    /// The posts, newest first.
    pub entries: Vec<Entry>,
}
