//! Whether a listener lets anybody in, and since when not: one of the things that the watchdog looks at.
//!
//! In: what its accept loop does. Out: since when somebody waits in vain, if so. A crowd is no hang: each that is let
//! in ends the wait.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// One listener's door; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Door(Arc<Mutex<Option<Instant>>>);

impl Door {
    /// Since when somebody waits who can't be let in: no room, or the system gives no connection.
    pub fn shut_since(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody has to wait.
    pub(super) fn shut(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
    }

    /// Somebody was let in, or nobody waits.
    pub(super) fn open(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
