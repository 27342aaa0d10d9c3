//! Which page is due when.
//!
//! In: times by address. Out: those that have come. Eight bytes a page would do; with two maps it is some more, and no
//! page has a timer or a task of its own.

use crate::model::Stamp;
use std::collections::{BTreeSet, HashMap};

/// Due times, by page address.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    by_time: BTreeSet<(Stamp, String)>,
    by_page: HashMap<String, Stamp>,
}

impl Agenda {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Sets when a page is due, instead of what was set before.
    pub(super) fn set(&mut self, page: &str, due: Stamp) {
        self.remove(page);
        self.by_page.insert(page.to_owned(), due);
        self.by_time.insert((due, page.to_owned()));
    }

    pub(super) fn remove(&mut self, page: &str) {
        if let Some(due) = self.by_page.remove(page) {
            self.by_time.remove(&(due, page.to_owned()));
        }
    }

    /// The next time at which a page is due.
    pub(super) fn first(&self) -> Option<Stamp> {
        self.by_time.first().map(|(due, _)| *due)
    }

    /// Takes out the pages that are due, the longest due first.
    pub(super) fn take_due(&mut self, now: Stamp) -> Vec<String> {
        let mut due = Vec::new();
        while let Some((at, page)) = self.by_time.pop_first() {
            if at > now {
                self.by_time.insert((at, page));
                break;
            }
            self.by_page.remove(&page);
            due.push(page);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_due_once_and_at_its_last_time() {
        let mut agenda = Agenda::default();
        agenda.set("a", Stamp(10));
        agenda.set("b", Stamp(5));
        agenda.set("a", Stamp(7));
        assert_eq!(agenda.first(), Some(Stamp(5)));
        assert_eq!(agenda.take_due(Stamp(4)), [""; 0]);
        assert_eq!(agenda.take_due(Stamp(9)), ["b", "a"]);
        assert_eq!(agenda.first(), None);
        agenda.set("a", Stamp(1));
        agenda.remove("a");
        assert_eq!(agenda.take_due(Stamp(9)), [""; 0]);
    }
}
