//! Bytes in memory, by what they are: a bounded number of them, those used lately.
//!
//! In: the bytes of files and their codings. Out: the same, until others need the room. Keyed by content, so that a
//! file that changes finds nothing and its old bytes fade away. Two generations instead of a list in order of use: what
//! was not asked for while one filled up goes with it.

use super::coding::Coding;
use bytes::Bytes;
use hyper::header::HeaderValue;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// All bytes together.
const MAX_BYTES: usize = 16 << 20;

/// Bytes, and what has to be said about them.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) bytes: Bytes,
    /// The content security policy that a page states.
    pub(super) policy: Option<HeaderValue>,
}

pub(super) type Key = ([u8; 16], Coding);

/// See the module.
#[derive(Default)]
pub(super) struct Cache {
    generations: Mutex<Generations>,
    /// Whoever makes bytes holds one of these, so that all others wait for them instead of making them too.
    making: [tokio::sync::Mutex<()>; 16],
}

#[derive(Default)]
struct Generations {
    young: HashMap<Key, Kept>,
    old: HashMap<Key, Kept>,
    /// Bytes in the young one.
    size: usize,
}

impl Cache {
    pub(super) fn find(&self, key: &Key) -> Option<Kept> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = generations.young.get(key) {
            return Some(kept.clone());
        }
        let kept = generations.old.remove(key)?;
        generations.add(*key, kept.clone());
        Some(kept)
    }

    pub(super) fn keep(&self, key: Key, kept: Kept) {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner).add(key, kept);
    }

    /// The right to make the bytes of this content.
    pub(super) async fn turn(&self, hash: [u8; 16]) -> tokio::sync::MutexGuard<'_, ()> {
        self.making[usize::from(hash[0]) % self.making.len()].lock().await
    }
}

impl Generations {
    fn add(&mut self, key: Key, kept: Kept) {
        let size = kept.bytes.len();
        if size > MAX_BYTES / 2 {
            return;
        }
        if self.size + size > MAX_BYTES / 2 {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        if self.young.insert(key, kept).is_none() {
            self.size += size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_within_its_bound_and_keeps_what_is_used() {
        let cache = Cache::default();
        let key = |n: u8| ([n; 16], Coding::Plain);
        let megabyte = Kept { bytes: vec![0; 1 << 20].into(), policy: None };
        for n in 0..200 {
            cache.keep(key(n), megabyte.clone());
            assert!(cache.find(&key(0)).is_some(), "asked for all the time, gone after {n}");
            let generations = cache.generations.lock().unwrap();
            assert!(generations.young.len() + generations.old.len() <= 16);
        }
        assert!(cache.find(&key(150)).is_none());
        cache.keep(key(201), Kept { bytes: vec![0; 17 << 20].into(), policy: None });
        assert!(cache.find(&key(201)).is_none(), "larger than all room");
    }
}
