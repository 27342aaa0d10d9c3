//! Who reads which feed, in numbers: requests, and how many different readers sent them.
//!
//! In: a request for a feed, with a mark that stands for who sent it. Out: counts a feed. Held in memory only, and only
//! as marks, so that nobody can be told from it; it begins anew with every start. Bounded: beyond so many feeds the
//! others count as one, and beyond so many readers new ones do not count until old ones are a day away.

use super::time::{DAY, Stamp};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many feeds are counted by themselves: the first that are asked for.
const FEEDS: usize = 256;
/// So many readers are remembered, those of all feeds together.
const READERS: usize = 65_536;
/// What the feeds beyond [`FEEDS`] are counted as.
const OTHERS: &str = "others";

/// Who sent a request, without a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// A number that the same reader has again until the next start, and that leads back to nobody.
    pub mark: u64,
    /// For how many people it reads, as services say of themselves.
    pub subscribers: Option<u32>,
}

/// What is known of a feed's readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readership {
    /// The feed, by its path without an ending; or `others`.
    pub feed: String,
    /// Requests for it in any format since the start.
    pub requests: u64,
    /// Those of them that were answered with 304.
    pub not_modified: u64,
    /// Different readers in the last day that read for themselves.
    pub readers: u64,
    /// For how many people services read it, by their own word in the last day.
    pub subscribers: u64,
}

/// The counts; clones count into the same.
#[derive(Debug, Clone, Default)]
pub struct Readers(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    feeds: HashMap<String, Counts>,
    /// By feed and mark, when it was last here, and for how many it reads.
    seen: HashMap<(String, u64), (Stamp, Option<u32>)>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    requests: u64,
    not_modified: u64,
}

impl Readers {
    /// Counts a request for a feed; the name that it is counted under.
    pub fn asked(&self, feed: &str, not_modified: bool, reader: Reader, now: Stamp) -> String {
        let mut table = self.table();
        let known = table.feeds.contains_key(feed) || table.feeds.len() < FEEDS;
        let name = if known { feed } else { OTHERS }.to_owned();
        let counts = table.feeds.entry(name.clone()).or_default();
        counts.requests += 1;
        counts.not_modified += u64::from(not_modified);
        let key = (name.clone(), reader.mark);
        if table.seen.len() >= READERS && !table.seen.contains_key(&key) {
            table.seen.retain(|_, (at, _)| is_recent(*at, now));
        }
        if table.seen.len() < READERS || table.seen.contains_key(&key) {
            table.seen.insert(key, (now, reader.subscribers));
        }
        name
    }

    /// What is known of each feed that was asked for, the most read first.
    pub fn all(&self, now: Stamp) -> Vec<Readership> {
        let table = self.table();
        let mut people: HashMap<&str, (u64, u64)> = HashMap::new();
        for ((feed, _), (_, subscribers)) in table.seen.iter().filter(|(_, (at, _))| is_recent(*at, now)) {
            let (readers, by_services) = people.entry(feed).or_default();
            match subscribers {
                Some(subscribers) => *by_services += u64::from(*subscribers),
                None => *readers += 1,
            }
        }
        let row = |(feed, counts): (&String, &Counts)| {
            let (readers, subscribers) = people.get(feed.as_str()).copied().unwrap_or_default();
            let Counts { requests, not_modified } = *counts;
            Readership { feed: feed.clone(), requests, not_modified, readers, subscribers }
        };
        let mut all: Vec<Readership> = table.feeds.iter().map(row).collect();
        all.sort_by(|a, b| {
            let people = |r: &Readership| (r.readers + r.subscribers, r.requests);
            people(b).cmp(&people(a)).then_with(|| a.feed.cmp(&b.feed))
        });
        all
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a time is within the last day; one in the future is from before the clock was set back.
fn is_recent(at: Stamp, now: Stamp) -> bool {
    now.0 - at.0 < DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Reader = Reader { mark: 1, subscribers: None };
    const TWO: Reader = Reader { mark: 2, subscribers: None };

    #[test]
    fn a_reader_counts_once_a_feed_and_for_a_day() {
        let readers = Readers::default();
        let service = Reader { mark: 3, subscribers: Some(40) };
        for (reader, at) in [(ONE, 0), (ONE, 3_600), (TWO, 7_200), (service, 7_200)] {
            readers.asked("topics/tpu", at > 0, reader, Stamp(at));
        }
        // The service tells of fewer: the last word counts.
        readers.clone().asked("topics/tpu", true, Reader { subscribers: Some(38), ..service }, Stamp(9_000));
        readers.asked("all", false, ONE, Stamp(9_000));
        let row = |feed: &str, requests, not_modified, readers, subscribers| Readership {
            feed: feed.to_owned(),
            requests,
            not_modified,
            readers,
            subscribers,
        };
        assert_eq!(readers.all(Stamp(9_000)), [row("topics/tpu", 5, 4, 2, 38), row("all", 1, 0, 1, 0)]);
        assert_eq!(readers.all(Stamp(3_600 + DAY))[0], row("topics/tpu", 5, 4, 1, 38), "one has not come for a day");
    }

    #[test]
    fn neither_feeds_nor_readers_grow_without_bound() {
        let readers = Readers::default();
        for n in 0..FEEDS as u64 + 10 {
            readers.asked(&format!("companies/{n}"), false, ONE, Stamp(0));
        }
        let all = readers.all(Stamp(0));
        assert_eq!((all.len(), all.iter().find(|r| r.feed == OTHERS).map(|r| r.requests)), (FEEDS + 1, Some(10)));
        for mark in 0..READERS as u64 + 10 {
            readers.asked("companies/0", false, Reader { mark, subscribers: None }, Stamp(1));
        }
        assert_eq!(readers.table().seen.len(), READERS);
        readers.asked("companies/0", false, Reader { mark: u64::MAX, subscribers: None }, Stamp(2 * DAY));
        assert_eq!(readers.table().seen.len(), 1, "those of the day before make room");
    }
}
