//! Requests for the pages that share the budget, in numbers: those on schedule `auto`.

use serde::Serialize;

/// What was sent for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// All requests: polls, by hand too, their redirects, second tries, robots.txt, further pages of lists, posts' own
    /// pages.
    pub requests: u32,
    /// Polls of pages that were due, one each: what the plan knows of.
    pub planned: u32,
}

impl Spent {
    /// What the plan does not know of.
    pub fn unplanned(self) -> u32 {
        self.requests.saturating_sub(self.planned)
    }
}

/// The budget of a day, as it is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Requests that `auto` may spend; 0 for no bound.
    pub limit: u32,
    /// How many it makes of them, in the mean of a week; none without a bound.
    pub planned: Option<u32>,
    /// How many requests were sent in the last day, in whole hours.
    pub spent: u32,
}
