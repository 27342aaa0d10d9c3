//! What hooks have last heard of a topic's feed, by which they are told what is new or edited since.
//!
//! In: a feed's entries, and when it changed. Out: which are news, and bytes for the store. By post and not by time: a
//! feed's own times say when something was published or edited, not when somebody was told.

use super::entry::Entry;
use super::time::Stamp;
use std::collections::BTreeMap;

/// So many posts are remembered at least, the latest to be stored, also when they left the feed.
const LEAST: usize = 2_000;
/// Bytes of a post: its number, `updated`, revision.
const RECORD: usize = 8 + 8 + 4;

/// What was told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heard {
    /// When the feed had changed.
    at: Stamp,
    /// When its last entry was published.
    from: Stamp,
    /// Each post, by its number, with its `updated` and its revision.
    posts: BTreeMap<i64, (Stamp, u32)>,
}

impl Heard {
    /// What somebody has heard who knows the feed as it was at a time.
    pub fn by(at: Stamp, entries: &[Entry]) -> Self {
        Self::default().and(at, entries.iter().filter(|entry| entry.first_seen <= at))
    }

    /// What has been heard besides when these were.
    #[must_use]
    pub fn and<'e>(mut self, at: Stamp, entries: impl Iterator<Item = &'e Entry>) -> Self {
        let (mut from, mut now) = (None, 0);
        for entry in entries {
            from = from.min(Some(entry.published)).or(Some(entry.published));
            now += 1;
            self.posts.insert(entry.id.0, (entry.updated, entry.revision));
        }
        while self.posts.len() > LEAST.max(2 * now) {
            self.posts.pop_first();
        }
        Self { at, from: from.unwrap_or_default(), posts: self.posts }
    }

    /// Whether a post was not told yet. One that only slid into the feed, since another left it, is no news.
    pub fn is_new(&self, entry: &Entry) -> bool {
        !self.posts.contains_key(&entry.id.0) && (entry.first_seen > self.at || entry.published > self.from)
    }

    /// Whether a post that was told changed since, in a feed that changed at this time. Within a second `updated` stays,
    /// and the revision alone goes up also where a text was taken over without being news.
    pub fn is_edited(&self, entry: &Entry, since: Stamp) -> bool {
        let was = self.posts.get(&entry.id.0);
        was.is_some_and(|&(updated, revision)| {
            entry.updated > updated || entry.revision != revision && entry.updated >= since
        })
    }

    /// As bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = [self.at.0.to_le_bytes(), self.from.0.to_le_bytes()].concat();
        for (id, (updated, revision)) in &self.posts {
            out.extend(id.to_le_bytes());
            out.extend(updated.0.to_le_bytes());
            out.extend(revision.to_le_bytes());
        }
        out
    }

    /// From bytes; what is no whole record is left out.
    pub fn unpack(bytes: &[u8]) -> Self {
        let eight = |at: usize| i64::from_le_bytes(std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0)));
        let four = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0)));
        let records = (16..).step_by(RECORD).take_while(|at| at + RECORD <= bytes.len());
        let posts = records.map(|at| (eight(at), (Stamp(eight(at + 8)), four(at + 16)))).collect();
        Self { at: Stamp(eight(0)), from: Stamp(eight(8)), posts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was() {
        let posts = BTreeMap::from([(3, (Stamp(-7), 2)), (9, (Stamp(i64::MAX), u32::MAX))]);
        let heard = Heard { at: Stamp(5), from: Stamp(-1), posts };
        assert_eq!(Heard::unpack(&heard.pack()), heard);
        assert_eq!(Heard::unpack(&[]), Heard::default());
    }
}
