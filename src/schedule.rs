//! When a page is asked again.
//!
//! In: what became of a poll. Out: the time of the next one, stored before anything else happens. Pure.
//! Known gap: `auto` is a fixed interval within its bounds until it learns from the page's own rate.

use crate::model::{Cadence, Page, PageState, ScheduleSettings, Stamp};

/// The interval of `auto` before anything is learned, in seconds.
const AUTO: i64 = 3_600;
/// How often an interval is doubled at most after failures.
const DOUBLINGS: u32 = 6;

/// The time of the next poll: by the page's cadence, later after failures, never before the server allows it.
pub fn next(page: &Page, state: &PageState, settings: &ScheduleSettings, now: Stamp) -> Stamp {
    let cadence = &page.settings.cadence;
    let zone = settings.timezone;
    let (min, max) = (seconds(settings.min), seconds(settings.max).max(seconds(settings.min)));
    let fire = |after: Stamp| cadence.next(after, zone).unwrap_or_else(|| after.plus(AUTO.clamp(min, max)));
    let first = fire(now);
    let interval = match cadence {
        Cadence::Crontab(_) => fire(first).0 - first.0,
        _ => first.0 - now.0,
    };
    // A failing page waits for 1, 2, 4 … intervals instead of one, up to `max`.
    let factor = (1_i64 << state.failures.min(DOUBLINGS)) - 1;
    let wait = interval.saturating_mul(factor).min((max - interval).max(0));
    let due = if state.failures == 0 { first } else { fire(now.plus(wait)) };
    state.retry_after.map_or(due, |until| due.max(until))
}

fn seconds(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}
