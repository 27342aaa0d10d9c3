//! When a page is asked again.
//!
//! In: what became of a poll. Out: the time of the next one, stored before anything else happens. Pure.
//! Known gap: `auto` is a fixed interval within its bounds until it learns from the page's own rate.

use crate::model::{Cadence, Page, PageState, ScheduleSettings, Stamp};
use std::time::Duration;

/// The interval of `auto` before anything is learned.
const AUTO: Duration = Duration::from_secs(3_600);
/// How often an interval is doubled at most after failures.
const DOUBLINGS: u32 = 6;

/// The time of the next poll: by the page's cadence, later after failures, never before the server allows it.
pub fn next(page: &Page, state: &PageState, settings: &ScheduleSettings, now: Stamp) -> Stamp {
    let interval = match &page.settings.cadence {
        Cadence::Every(interval) => *interval,
        Cadence::Auto => AUTO.clamp(settings.min, settings.max.max(settings.min)),
    };
    let doubled = interval.saturating_mul(1 << state.failures.min(DOUBLINGS));
    let wait = if state.failures > 0 { doubled.min(settings.max.max(interval)) } else { interval };
    let due = now.plus(i64::try_from(wait.as_secs()).unwrap_or(i64::MAX));
    state.retry_after.map_or(due, |until| due.max(until))
}
