//! How many requests of a round may be under way: so many quick ones, and beside them slow ones that take nobody's place.
//!
//! In: when each began. Out: whether there is room for one more, and when there may be. Deliberately absent: the pace of a
//! host, which the fetcher keeps.

use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// What takes longer than that no longer counts against `concurrency`: a hundred tar pits delay nobody.
pub const SLOW: Duration = Duration::from_secs(5);
/// How many times `concurrency` may be under way, the slow ones among them.
pub const CROWD: usize = 8;

/// What is under way, by number; who begins later has a higher one.
pub(super) struct Crowd {
    /// Quick ones at once.
    most: usize,
    since: BTreeMap<usize, Instant>,
}

impl Crowd {
    pub(super) fn new(concurrency: usize) -> Self {
        Self { most: concurrency.max(1), since: BTreeMap::new() }
    }

    pub(super) fn begin(&mut self, number: usize) {
        self.since.insert(number, Instant::now());
    }

    pub(super) fn end(&mut self, number: usize) {
        self.since.remove(&number);
    }

    /// Whether one more may begin. Asks for the time only where that depends on it.
    pub(super) fn has_room(&self) -> bool {
        let all = self.since.len();
        all < self.most || (all < self.most.saturating_mul(CROWD) && all - self.slow() < self.most)
    }

    /// Waits until a quick one has become slow; for ever where none is.
    pub(super) async fn slower(&self) {
        match self.since.values().nth(self.slow()) {
            Some(first) => tokio::time::sleep_until(*first + SLOW).await,
            None => std::future::pending().await,
        }
    }

    /// How many are slow: the first of all.
    fn slow(&self) -> usize {
        let now = Instant::now();
        self.since.values().take_while(|since| now.duration_since(**since) >= SLOW).count()
    }
}
