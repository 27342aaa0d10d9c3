//! An entry: a post as pagewire knows it.

use super::post::Published;
use super::slug::Slug;
use super::text::{Html, Text};
use super::time::Stamp;

/// The store's number of an entry; never shown outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub i64);

impl EntryId {
    /// Stands for an entry that has no number yet.
    pub const NEW: Self = Self(0);
}

/// A company of an entry, with the slug of its feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryCompany {
    /// Its name as the page gave it.
    pub name: Text,
    /// Its page, if the name was a link.
    pub link: Option<String>,
    /// Its feed. None until the end of the round that first saw it.
    pub slug: Option<Slug>,
}

/// The topic that first brought an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryTopic {
    /// Its feed.
    pub slug: Slug,
    /// The path that it was first published at, where that was another one.
    pub identity: Option<String>,
    /// What that is called.
    pub title: Text,
}

/// What is known of a post. `uid`, `first_seen` and `published` are written once and never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The store's number.
    pub id: EntryId,
    /// The id in every feed and format (Atom `id`, RSS `guid`, JSON Feed `id`): an absolute IRI.
    pub uid: String,
    /// The title.
    pub title: Text,
    /// What a reader opens: an absolute `http` or `https` address.
    pub link: Option<String>,
    /// Who published it.
    pub companies: Vec<EntryCompany>,
    /// Who wrote it.
    pub authors: Vec<Text>,
    /// "Benchmark", "Tutorial" …
    pub kind: Option<Text>,
    /// The feed of its type. None until the end of the round that first saw the type.
    pub kind_slug: Option<Slug>,
    /// The topic that first brought it (Atom `source` in the feeds of several topics).
    pub topic: Option<EntryTopic>,
    /// Its text, sanitised.
    pub summary: Html,
    /// What the page said about its date; rename rules compare it.
    pub dated: Option<Published>,
    /// When pagewire first saw it.
    pub first_seen: Stamp,
    /// When it was published, as every feed shows it.
    pub published: Stamp,
    /// When its meaning last changed; at first `published`.
    pub updated: Stamp,
    /// Its position in the reading that first brought it: order among equals.
    pub position: u32,
    /// How often its text was replaced.
    pub revision: u32,
}
