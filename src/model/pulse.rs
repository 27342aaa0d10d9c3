//! A count of what was done, by which a watcher sees that something is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The count; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Something was done.
    pub fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How much was done so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
