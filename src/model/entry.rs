//! An entry: a post as pagewire knows it.

use super::enclosure::Enclosure;
use super::feed::Feed;
use super::page::Topic;
use super::post::Published;
use super::slug::Slug;
use super::text::{Html, Text};
use super::time::Stamp;
use uuid::Uuid;

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
    /// What its page says of it, sanitised.
    pub summary: Html,
    /// The text of its own page, where that was read for it.
    pub content: Html,
    /// Files that belong to it.
    pub enclosures: Vec<Enclosure>,
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

impl Entry {
    /// The last entry of a retired topic's feed, which says so: readers that only get 410 tell their user less.
    pub fn farewell(feed: &Feed, retired: Stamp) -> Self {
        let path = feed.identity.clone().unwrap_or_else(|| feed.key.path());
        let uid = Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("pagewire:retired:{path}").as_bytes()).urn().to_string();
        let end = retired.plus(Topic::FAREWELL).utc().format("%-d %B %Y");
        let words = format!("There are no more posts in this feed. It is gone from {end} on, so you can unsubscribe.");
        Self {
            id: EntryId::NEW,
            uid,
            title: Text::line(&format!("{} has ended", feed.title)),
            link: None,
            companies: Vec::new(),
            authors: Vec::new(),
            kind: None,
            kind_slug: None,
            topic: None,
            summary: Html::escaped(&Text::line(&words)),
            content: Html::default(),
            enclosures: Vec::new(),
            dated: None,
            first_seen: retired,
            published: retired,
            updated: retired,
            position: 0,
            revision: 0,
        }
    }
}
