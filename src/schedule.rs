//! When a page is asked again.
//!
//! In: what became of a poll. Out: the time of the next one, stored before anything else happens. Pure.
//! Crontab lines and `@` words fire in their minute. `every` has a phase of its own a page, so that a thousand pages do
//! not fire at once, nor all together again after a restart. `auto` asks a page when posts are to be expected there
//! ([`Rhythm`]), as often as they are worth it ([`Price`]), and never on the second.

mod habit;
mod price;

pub use habit::{Rhythm, learn};
pub use price::{Bounds, Price, price, requests, wait};

use crate::model::{Address, Cadence, DAY, ErrorKind, Habit, Page, PageState, ScheduleSettings, Stamp, number};

/// A wait of `auto` is up to this part shorter or longer, so that pages alike part company.
const SPREAD: f64 = 0.1;
/// How often an interval is doubled at most after failures.
const DOUBLINGS: u32 = 6;
/// A computer whose clock stands before this program's time is looked at again so soon, in seconds.
const CLOCK_RETRY: i64 = 60;
/// A clock that stands this much before where it stood was set back, in seconds.
pub const SET_BACK: i64 = 60;

/// The time of the next poll: by the page's cadence, later after failures, never before the server allows it.
pub fn next(page: &Page, state: &PageState, settings: &ScheduleSettings, price: Price, now: Stamp) -> Stamp {
    if state.error.as_ref().is_some_and(|e| e.kind == ErrorKind::Clock) {
        return now.plus(CLOCK_RETRY);
    }
    let (min, max) = (seconds(settings.min), seconds(settings.max).max(seconds(settings.min)));
    // Who names times means them; who names an interval leaves room for what the server asks.
    let asked = state.server.interval().unwrap_or(0).min(max);
    let interval = match &page.settings.cadence {
        Cadence::Every(interval) => seconds(*interval).max(asked),
        Cadence::Auto => {
            let bounds = Bounds { min: min.max(asked), max: max.max(asked) };
            wait(&Rhythm::of(&Habit::unpack(&state.habit)), spread(&page.address, price, now), bounds, now)
        }
        line @ Cadence::Crontab(_) => {
            let fire = |after: Stamp| line.next(after, page.settings.timezone).unwrap_or_else(|| after.plus(max));
            let first = fire(now);
            if state.failures == 0 {
                return allowed(first, state, now);
            }
            return allowed(fire(now.plus(backed_off(fire(first).0 - first.0, state.failures, max))), state, now);
        }
    };
    let is_first = state.last_fetch.is_none();
    let due = if state.failures == 0 && page.settings.cadence == Cadence::Auto {
        let due = if is_first { in_phase(&page.address, interval, now) } else { now.plus(interval) };
        due.clamp(now.plus(min), now.plus(max))
    } else if state.failures == 0 {
        in_phase(&page.address, interval, now)
    } else {
        now.plus(interval + backed_off(interval, state.failures, max))
    };
    allowed(due.max(now.plus(asked)), state, now)
}

/// When a page is due at a start or after a reload: as it was stored, unless this schedule or this clock never meant
/// that. A page that was never asked is due now.
pub fn due(page: &Page, state: &PageState, settings: &ScheduleSettings, price: Price, now: Stamp) -> Stamp {
    let Some(stored) = state.next_due else { return now };
    let next = next(page, state, settings, price, now);
    let set_back = state.last_fetch.is_some_and(|last| last > now.plus(SET_BACK));
    // At most one and a half intervals were stored, and half a one is the least that is said now.
    let other = state.failures == 0 && stored.0 - now.0 > 3 * (next.0 - now.0);
    if set_back || other { stored.min(next) } else { stored }
}

/// A failing page waits for 2, 4, 8 … intervals instead of one, up to `max`: the time on top of the one.
fn backed_off(interval: i64, failures: u32, max: i64) -> i64 {
    let factor = (1_i64 << failures.min(DOUBLINGS)) - 1;
    interval.saturating_mul(factor).min((max - interval).max(0))
}

/// After so many seconds a post's own page is asked again that could not be read so many times; none where it is given
/// up. The second try is within the time that the post waits for it.
pub fn own_again(failures: u32) -> Option<i64> {
    const WAITS: [i64; 4] = [2 * 60, 3_600, 6 * 3_600, DAY];
    WAITS.get(usize::try_from(failures.checked_sub(1)?).ok()?).copied()
}

/// Never before the server allows it.
fn allowed(due: Stamp, state: &PageState, now: Stamp) -> Stamp {
    state.left_alone(now).map_or(due, |until| due.max(until))
}

/// A price for this page and this time, a little off the one for all; the same whenever it is asked.
fn spread(address: &Address, price: Price, now: Stamp) -> Price {
    let mut what = address.url().as_str().as_bytes().to_vec();
    what.extend(now.0.to_le_bytes());
    #[expect(clippy::cast_precision_loss, reason = "sixteen bits")]
    let part = (number(&what) >> 48) as f64 / f64::from(u16::MAX);
    // A wait goes with the square root of the price.
    Price(price.0 * (1.0 + SPREAD * (2.0 * part - 1.0)).powi(2))
}

/// The price of a request at which the pages whose schedule is `auto` spend the budget; the usual one without a budget.
pub fn afford<'p>(pages: impl Iterator<Item = (&'p Page, &'p PageState)>, settings: &ScheduleSettings) -> Price {
    match settings.budget {
        0 => Price::default(),
        budget => price(&shoppers(pages, settings), f64::from(budget)),
    }
}

/// How many requests a day `auto` makes of the budget, in the mean of a week; none without one.
pub fn planned<'p>(pages: impl Iterator<Item = (&'p Page, &'p PageState)>, settings: &ScheduleSettings) -> Option<u32> {
    (settings.budget > 0).then(|| price::planned(&shoppers(pages, settings), f64::from(settings.budget)))
}

/// The pages that share the budget: what they have shown, and their bounds.
fn shoppers<'p>(
    pages: impl Iterator<Item = (&'p Page, &'p PageState)>,
    settings: &ScheduleSettings,
) -> Vec<(&'p [u8], Bounds)> {
    let (min, max) = (seconds(settings.min), seconds(settings.max).max(seconds(settings.min)));
    let asks = |page: &Page| page.settings.cadence == Cadence::Auto && page.address.file().is_none();
    let auto = pages.filter(|(page, state)| asks(page) && !state.ended && !state.paused);
    let bounds = |state: &PageState| {
        let asked = state.server.interval().unwrap_or(0).min(max);
        Bounds { min: min.max(asked), max: max.max(asked) }
    };
    auto.map(|(_, state)| (state.habit.as_slice(), bounds(state))).collect()
}

/// The next time in the page's own phase of an interval: a whole interval after the last, half to one and a half after
/// a poll out of phase.
fn in_phase(address: &Address, interval: i64, now: Stamp) -> Stamp {
    let interval = interval.max(1);
    let earliest = now.plus((interval / 2).max(1));
    earliest.plus((phase(address, interval) - earliest.0).rem_euclid(interval))
}

/// A page's place within an interval, the same for ever.
fn phase(address: &Address, interval: i64) -> i64 {
    number(address.url().as_str().as_bytes()).cast_signed().rem_euclid(interval)
}

fn seconds(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PageSettings;
    use chrono_tz::Tz;
    use std::time::Duration;
    use url::Url;

    const NOW: Stamp = Stamp(1_790_244_000); // Thu 2026-09-24T10:00:00Z

    fn page(n: usize, cadence: &str) -> Page {
        Page {
            address: Address::new(Url::parse(&format!("https://x.example/{n}.md")).unwrap()),
            former: Vec::new(),
            topics: vec![0],
            companies: Vec::new(),
            index: None,
            settings: PageSettings { cadence: Cadence::parse(cadence).unwrap(), ..PageSettings::default() },
        }
    }

    fn settings() -> ScheduleSettings {
        ScheduleSettings {
            default: Cadence::Auto,
            timezone: Tz::UTC,
            min: Duration::from_mins(5),
            max: Duration::from_hours(24),
            budget: 0,
        }
    }

    fn due(page: &Page, state: &PageState, now: Stamp) -> i64 {
        next(page, state, &settings(), Price::default(), now).0 - now.0
    }

    #[test]
    fn every_keeps_its_phase_whenever_it_was_asked() {
        let page = page(1, "every 1h");
        let first = next(&page, &PageState::default(), &settings(), Price::default(), NOW);
        assert!((1_800..5_400).contains(&(first.0 - NOW.0)));
        assert_eq!(due(&page, &PageState::default(), first), 3_600);
        assert_eq!(
            next(&page, &PageState::default(), &settings(), Price::default(), NOW.plus(7)),
            first,
            "the same after a restart"
        );
    }

    #[test]
    fn a_posts_own_page_is_asked_five_times_at_most() {
        let waits: Vec<_> = (0..7).map(own_again).collect();
        assert_eq!(waits, [None, Some(120), Some(3_600), Some(21_600), Some(86_400), None, None]);
        assert!(own_again(1).is_some_and(|wait| wait < crate::model::Own::WAIT), "the second try is worth waiting for");
    }

    #[test]
    fn the_shortest_interval_is_no_busy_loop() {
        for interval in [1, 2, 3] {
            let page = page(1, &format!("every {interval}s"));
            let waits = (0..10).map(|n| due(&page, &PageState::default(), NOW.plus(n))).collect::<Vec<_>>();
            assert!(waits.iter().all(|wait| (1..=interval).contains(wait)), "{interval}: {waits:?}");
        }
    }

    #[test]
    fn a_stored_time_holds_unless_another_schedule_or_clock_said_it() {
        let stored = |every: &str, state: &PageState, now: Stamp| {
            super::due(&page(1, every), state, &settings(), Price::default(), now).0 - NOW.0
        };
        assert_eq!(stored("every 1h", &PageState::default(), NOW), 0, "never asked");
        for cadence in ["every 1h", "every 7s", "auto", "0 9-10 * * *", "*/7 * * * *"] {
            for failures in [0, 3] {
                let state = PageState { failures, last_fetch: Some(NOW), ..PageState::default() };
                let at = next(&page(1, cadence), &state, &settings(), Price::default(), NOW);
                let state = PageState { next_due: Some(at), ..state };
                for later in [0, 1, 3, 1_000, 3_599, 100_000] {
                    assert_eq!(stored(cadence, &state, NOW.plus(later)), at.0 - NOW.0, "{cadence} {later} s later");
                }
            }
        }
        let daily = PageState { next_due: Some(NOW.plus(DAY)), last_fetch: Some(NOW), ..PageState::default() };
        assert!(stored("every 10m", &daily, NOW) <= 900, "it was daily before");
        let ahead = PageState { failures: 1, ..daily };
        assert!(stored("every 10m", &ahead, NOW.plus(-DAY)) <= 1_200 - DAY, "the clock was set back by a day");
    }

    #[test]
    fn a_wrong_clock_is_looked_at_every_minute() {
        let error = Some(crate::model::Failure::new(ErrorKind::Clock, "1970"));
        let state = PageState { failures: 9, error, ..PageState::default() };
        assert_eq!(due(&page(1, "every 1d"), &state, NOW), 60);
    }

    #[test]
    fn five_hundred_pages_are_spread_over_the_interval() {
        let mut minutes = [0; 60];
        for n in 0..500 {
            let at = next(&page(n, "every 1h"), &PageState::default(), &settings(), Price::default(), NOW);
            minutes[usize::try_from(at.0.rem_euclid(3_600) / 60).unwrap()] += 1;
        }
        assert!(minutes.iter().all(|&n| (1..30).contains(&n)), "{minutes:?}");
    }

    #[test]
    fn a_crontab_line_is_of_the_pages_own_zone() {
        let mut page = page(1, "30 2 * * *");
        assert_eq!(due(&page, &PageState::default(), NOW), 16 * 3_600 + 1_800, "10:00 to 2:30");
        page.settings.timezone = Tz::America__New_York;
        assert_eq!(due(&page, &PageState::default(), NOW), 20 * 3_600 + 1_800, "6:00 to 2:30");
    }

    #[test]
    fn crontab_lines_fire_in_their_minute() {
        let state = PageState::default();
        assert_eq!(due(&page(1, "*/15 * * * *"), &state, NOW.plus(1)), 15 * 60 - 1);
        assert_eq!(due(&page(1, "@daily"), &state, NOW), 14 * 3_600);
    }

    #[test]
    fn failures_wait_longer_up_to_the_longest_interval_and_never_end() {
        let failed = |failures| PageState { failures, ..PageState::default() };
        let every = page(1, "every 1h");
        let waits: Vec<i64> = (1..=7).map(|n| due(&every, &failed(n), NOW) / 3_600).collect();
        assert_eq!(waits, [2, 4, 8, 16, 24, 24, 24]);
        assert_eq!(due(&every, &failed(u32::MAX), NOW), 24 * 3_600);
        let line = page(1, "0 * * * *");
        assert_eq!(due(&line, &failed(1), NOW), 2 * 3_600);
        let slow = page(1, "every 30d");
        assert_eq!(due(&slow, &failed(3), NOW), 30 * DAY, "never more often than asked for");
    }

    #[test]
    fn a_server_that_asks_to_be_left_alone_is() {
        let state = PageState { retry_after: Some(NOW.plus(9_999)), failures: 1, ..PageState::default() };
        assert_eq!(due(&page(1, "every 10m"), &state, NOW), 9_999);
        assert_eq!(due(&page(1, "* * * * *"), &state, NOW), 9_999);
    }

    #[test]
    fn an_interval_is_no_shorter_than_the_server_asks_and_no_longer_than_max() {
        let asks = |fresh| {
            let server = crate::model::Server { fresh: Some(fresh), ..Default::default() };
            PageState { server, last_fetch: Some(NOW), ..PageState::default() }
        };
        for cadence in ["every 10m", "auto"] {
            let wait = due(&page(1, cadence), &asks(7_200), NOW);
            assert!((7_200..=10_800).contains(&wait), "{cadence}: {wait}");
            let wait = due(&page(1, cadence), &asks(365 * DAY), NOW);
            assert!((DAY..=DAY * 3 / 2).contains(&wait), "{cadence}: {wait}");
            let (short, none) = (asks(60), asks(0));
            assert_eq!(due(&page(1, cadence), &short, NOW), due(&page(1, cadence), &none, NOW), "{cadence}");
        }
        assert_eq!(due(&page(1, "*/15 * * * *"), &asks(7_200), NOW), 15 * 60, "a line names times");
    }

    #[test]
    fn auto_asks_as_often_as_posts_are_to_be_expected_within_its_bounds() {
        let auto = page(1, "auto");
        let posting = |every: i64| {
            let mut habit = Habit::default();
            let times = (0..300).map(|n| NOW.plus(-n * every).utc().into());
            let posts: Vec<_> = times.map(|t| Some(crate::model::Published::Instant(t))).collect();
            learn(&mut habit, &posts, NOW);
            PageState { habit: habit.pack().unwrap_or_default(), last_fetch: Some(NOW), ..PageState::default() }
        };
        let wait = |state: &PageState| due(&auto, state, NOW);
        assert!(
            (3_600..3 * 3_600).contains(&wait(&PageState::default())),
            "first look: {}",
            wait(&PageState::default())
        );
        assert_eq!(wait(&posting(60)), 300, "a busy page, at `min`");
        // At all hours, one after the other.
        let daily = posting(29 * 3_600);
        assert!((3_000..5_400).contains(&wait(&daily)), "some post a day: {}", wait(&daily));
        assert!(wait(&posting(30 * DAY)) > 7_200, "a quiet one: {}", wait(&posting(30 * DAY)));
        let dear = next(&auto, &posting(DAY), &settings(), Price(1e9), NOW).0 - NOW.0;
        assert_eq!(dear, DAY, "`max` holds whatever a request is worth");
    }

    #[test]
    fn pages_alike_part_company() {
        let state = PageState { last_fetch: Some(NOW), ..PageState::default() };
        let mut waits: Vec<i64> = (0..500).map(|n| due(&page(n, "auto"), &state, NOW)).collect();
        waits.sort_unstable();
        waits.dedup();
        assert!(waits.len() > 300 && waits[waits.len() - 1] - waits[0] > 900, "{waits:?}");
        let first: Vec<i64> = (0..500).map(|n| due(&page(n, "auto"), &PageState::default(), NOW)).collect();
        let span = first.iter().max().unwrap() - first.iter().min().unwrap();
        assert!(span > 3_600, "after the first look over the whole interval: {span}");
    }

    #[test]
    fn a_budget_is_for_auto_alone() {
        let settings = ScheduleSettings { budget: 240, ..settings() };
        let pages: Vec<Page> = (0..100).map(|n| page(n, if n < 10 { "auto" } else { "every 1h" })).collect();
        let state = PageState::default();
        let spent = |settings: &ScheduleSettings| {
            let price = afford(pages.iter().map(|page| (page, &state)), settings);
            requests(&Rhythm::of(&Habit::default()), price, Bounds { min: 300, max: DAY }) * 10.0
        };
        assert!((230.0..=240.0).contains(&spent(&settings)), "{}", spent(&settings));
        assert_eq!(afford(pages.iter().map(|page| (page, &state)), &super::tests::settings()), Price::default());
    }
}
