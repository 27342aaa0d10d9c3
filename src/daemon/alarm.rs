//! When the store is to be asked again for what is due.
//!
//! In: what it said last, and that something may be due earlier. Out: whether now. So nobody asks in every turn.

use crate::model::Stamp;

/// After so many seconds a store that failed is asked again.
const AFTER_FAILURE: i64 = 60;

/// The time of the next thing to do, as far as it is known.
#[derive(Default)]
pub(super) struct Alarm {
    asked: bool,
    next: Option<Stamp>,
}

impl Alarm {
    /// Something may be due earlier than we know.
    pub(super) fn look_again(&mut self) {
        self.asked = false;
    }

    /// The store said when the next is due, if any is.
    pub(super) fn set(&mut self, next: Option<Stamp>) {
        (self.asked, self.next) = (true, next);
    }

    /// The store did not say.
    pub(super) fn failed(&mut self, now: Stamp) {
        self.set(Some(now.plus(AFTER_FAILURE)));
    }

    /// When there is something to do, if it is known.
    pub(super) fn next(&self) -> Option<Stamp> {
        self.next
    }

    /// Whether the store is to be asked.
    pub(super) fn rings(&self, now: Stamp) -> bool {
        !self.asked || self.next.is_some_and(|at| at <= now)
    }
}
