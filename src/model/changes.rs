//! What a reading changes: the answer of `diff`, which the store applies in one transaction.

use super::entry::{Entry, EntryId};
use super::failure::{Failure, Warning};
use super::key::{Key, SplitBy};
use super::page::{Listed, PageId};
use super::time::Stamp;
use std::collections::HashMap;

/// An entry that one of a reading's keys leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntry {
    /// Which one.
    pub entry: EntryId,
    /// What its link is now.
    pub link: Option<String>,
    /// When it was published.
    pub published: Stamp,
    /// The page that owns its text.
    pub owner: PageId,
    /// Whether that page's last taken reading lists it.
    pub owner_lists: bool,
    /// Whether it is known without a page's text, which it gets from the next page that lists it: it was imported, or it
    /// left the feeds because of its age or with its topic.
    pub hollow: bool,
}

/// What a reading asks the store about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asks {
    /// Every key under which one of its posts may be known.
    pub keys: Vec<Key>,
    /// Bare addresses of posts with a fragment: under which fragments are posts known there?
    pub fragments_of: Vec<Key>,
}

/// What the store knows about the keys and the past of one page, loaded before `diff` runs.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Entries by key: all of the reading's keys that lead to one.
    pub by_key: HashMap<Key, KnownEntry>,
    /// Addresses whose posts need more than the address to be told apart.
    pub split: HashMap<Key, SplitBy>,
    /// For each bare address of a post with a fragment: the fragments under which posts are known.
    pub fragments: HashMap<Key, Vec<String>>,
    /// The page's own past, in the order of its last readings.
    pub listing: Vec<Listed>,
}

/// An entry that the page listed and this reading does not: it may have been renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// It.
    pub entry: Entry,
    /// What this page last said about it.
    pub listed: Listed,
}

/// A new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Its position in the reading.
    pub post: usize,
    /// Every key under which it is seen; the first makes the id.
    pub keys: Vec<Key>,
    /// The id in every feed, unless it is another entry's.
    pub uid: String,
    /// Where the first key was another entry's: which of its names ([`Key::urn`]) is the first that this one may have.
    pub turn: Option<u32>,
    /// Written once.
    pub published: Stamp,
    /// When it counts as having entered the feeds.
    pub entered: Stamp,
    /// Whether it is news, and not of a backlog.
    pub news: bool,
}

/// An entry whose text the page now gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Which one.
    pub entry: EntryId,
    /// The position of its new text in the reading.
    pub post: usize,
    /// When its meaning changed; none where the text is taken over without being news.
    pub updated: Option<Stamp>,
}

/// An entry that was known before and is on this page now: it joins the page's topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joined {
    /// Which one.
    pub entry: EntryId,
    /// When it counts as having entered their feeds.
    pub entered: Stamp,
}

/// What one taken reading changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Set when the reading cannot be taken; everything else is then empty.
    pub failure: Option<Failure>,
    /// New entries, in the page's order.
    pub added: Vec<Added>,
    /// Entries with a new text.
    pub edited: Vec<Edited>,
    /// Entries that are listed on this page for the first time.
    pub joined: Vec<Joined>,
    /// Keys under which known entries were seen for the first time.
    pub keys: Vec<(Key, EntryId)>,
    /// Addresses found to be shared.
    pub split: Vec<(Key, SplitBy)>,
    /// The page's past from now on. The first of it are the reading's posts; where one is new its number is
    /// [`EntryId::NEW`], and the store gives the numbers in the order of [`Changes::added`].
    pub listing: Vec<Listed>,
    /// Entries that moved to another address.
    pub renamed: Vec<EntryId>,
    /// How many changed in meaning.
    pub updated: u32,
    /// Entries that are no longer listed.
    pub delisted: Vec<EntryId>,
    /// Entries that are listed again.
    pub returned: Vec<EntryId>,
    /// What was odd.
    pub warnings: Vec<Warning>,
    /// Whether the page's stated count fits.
    pub count_fits: bool,
    /// Whether nothing of what the page listed before is there any more, in any order or under another address.
    pub nothing_left: bool,
    /// Whether more than half of the posts left at once, so that the reading is not to be trusted as whole.
    pub shrunk: bool,
}

impl Changes {
    /// Whether anything of what is known moves.
    pub fn moves(&self) -> bool {
        let lists = [&self.renamed, &self.delisted, &self.returned];
        !self.added.is_empty() || !self.edited.is_empty() || lists.iter().any(|list| !list.is_empty())
    }
}
