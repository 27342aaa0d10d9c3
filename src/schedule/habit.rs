//! What a page's posts say about when it posts: learning, and the rhythm that follows.
//!
//! In: posts as they are found, and the times between which they must have come. Out: a [`Rhythm`], the posts expected
//! in each hour of a week. Pure. The model is that of Sia, Cho and Cho ("Efficient Monitoring Algorithm for Fast News
//! Alerts"): posts come at random, at a rate that depends on the page and repeats with the week.
//!
//! The rate is what came lately over the time it took, with a little of what pages are like on the average, so that few
//! posts mean little. Two memories, of a month and of days, follow a page that falls silent or wakes up: the short one
//! counts for more the more posts it would have expected. The shape of the week is the product of hours and days, whose
//! boundary is the page's own night, until there are enough posts for each hour of the week to speak for itself.
//! Deliberately absent: time zones and their changes of clocks (memory fades within two months), holidays, bursts.

use crate::model::{Count, DAY, Habit, Published, Stamp, WEEK_HOURS};
use chrono::NaiveTime;

const HOUR: i64 = 3_600;
/// Half of what the long memory of the rate holds is forgotten after so many days.
const SLOW: f64 = 30.0;
/// The same of the short one.
const FAST: f64 = 3.0;
/// The same of the week's shape.
const SHAPE: f64 = 60.0;
/// What is believed of a page before it posts: as many posts in as many days.
const PRIOR: (f64, f64) = (0.5, 2.0);
/// The short memory counts for half where it would expect so many posts.
const DOUBT: f64 = 3.0;
/// So many posts at any hour are believed besides those seen.
const HOURS_PRIOR: f64 = 12.0;
/// So many on any day of the week.
const DAYS_PRIOR: f64 = 7.0;
/// So many that come as hours and days say.
const CELLS_PRIOR: f64 = 150.0;
/// How far back the first reading of a page is believed to show all its posts, in seconds.
const HISTORY: i64 = 60 * DAY;
/// Of a longer time between two readings only the end is looked at, in seconds.
const LONGEST: i64 = 7 * DAY;

/// When posts are to be expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Rhythm {
    /// Posts a second, in each hour of the week.
    pub(super) rates: [f64; WEEK_HOURS],
}

impl Rhythm {
    /// The rhythm that a page has shown.
    pub fn of(habit: &Habit) -> Self {
        let (rate, shape) = (rate(habit), shape(habit));
        Self { rates: shape.map(|part| part * rate) }
    }
}

/// Takes up a reading at `now` that brought these posts, dated as the page says; without a post it says that none came.
/// The first one is the page's history as far as it goes.
pub fn learn(habit: &mut Habit, posts: &[Option<Published>], now: Stamp) {
    let Some(last) = habit.at else { return begin(habit, posts, now) };
    // A clock that was set back.
    let last = last.min(now);
    fade(habit, now);
    if posts.is_empty() {
        return;
    }
    let shape = shape(habit);
    for post in posts {
        let (from, to) = came(*post, last, now);
        add(habit, from, to, &shape);
    }
}

/// The first reading: what it dates within the time of which it shows everything.
fn begin(habit: &mut Habit, posts: &[Option<Published>], now: Stamp) {
    let dated = posts.iter().filter(|post| post.is_some());
    let mut times: Vec<(Stamp, Stamp)> = dated.map(|post| came(*post, Stamp(i64::MIN), now)).collect();
    times.retain(|(from, to)| *from >= now.plus(-HISTORY) && *to <= now);
    times.sort_unstable();
    habit.at = Some(times.first().map_or(now, |(from, _)| *from));
    habit.week_at = now;
    // The oldest one only says since when nothing is missing.
    for (from, to) in times.into_iter().skip(1) {
        fade(habit, from);
        add(habit, from, to, &[1.0; WEEK_HOURS]);
    }
    fade(habit, now);
}

/// Between which times a post came: at the one that it gives, if nobody looked since; else within its day, else at any
/// time since the last reading.
fn came(post: Option<Published>, last: Stamp, now: Stamp) -> (Stamp, Stamp) {
    let (from, to) = match post {
        // Midnight is how programs write a day.
        Some(Published::Instant(at)) if at.time() == NaiveTime::MIN => {
            let start = Stamp(at.timestamp());
            (start, start.plus(DAY))
        }
        Some(Published::Instant(at)) => (Stamp(at.timestamp() - 1), Stamp(at.timestamp())),
        Some(Published::Day(day)) => {
            let start = Stamp(day.and_time(NaiveTime::MIN).and_utc().timestamp());
            (start, start.plus(DAY))
        }
        None => (last, now),
    };
    // A date before the last reading is one that the page kept back.
    if to <= last || from >= now { (last, now) } else { (from.max(last), to.min(now)) }
}

/// Lets time pass.
fn fade(habit: &mut Habit, now: Stamp) {
    let days = days(now.0 - habit.at.map_or(now.0, |at| at.0));
    for (count, half) in [(&mut habit.slow, SLOW), (&mut habit.fast, FAST)] {
        let kept = kept(days, half);
        // The time that passed fades as it passes.
        let more = (1.0 - kept) * half / std::f64::consts::LN_2;
        *count =
            Count { posts: single(f64::from(count.posts) * kept), days: single(f64::from(count.days) * kept + more) };
    }
    habit.at = habit.at.max(Some(now));
    // Not at every reading: what is stored is rounded.
    if now.0 - habit.week_at.0 >= DAY {
        let kept = single(kept(self::days(now.0 - habit.week_at.0), SHAPE));
        for posts in &mut habit.week {
            *posts *= kept;
        }
        habit.week_at = now;
    }
}

/// Counts a post that came between two times, where by `shape` it most likely did.
fn add(habit: &mut Habit, from: Stamp, to: Stamp, shape: &[f64; WEEK_HOURS]) {
    habit.slow.posts += 1.0;
    habit.fast.posts += 1.0;
    let from = from.0.max(to.0.saturating_sub(LONGEST));
    let parts = || {
        Hours { at: from, end: to.0.max(from.saturating_add(1)) }.map(|(hour, seconds)| (hour, seconds * shape[hour]))
    };
    let whole: f64 = parts().map(|(_, part)| part).sum();
    for (hour, part) in parts() {
        habit.week[hour] += single(part / whole);
    }
}

/// Posts a second.
fn rate(habit: &Habit) -> f64 {
    let Habit { slow, fast, .. } = habit;
    let long = (f64::from(slow.posts) + PRIOR.0) / (f64::from(slow.days) + PRIOR.1);
    let doubt = DOUBT / long;
    (f64::from(fast.posts) + doubt * long) / (f64::from(fast.days) + doubt) / seconds(DAY)
}

/// How much more or less than on the average comes in each hour of the week.
fn shape(habit: &Habit) -> [f64; WEEK_HOURS] {
    let week = habit.week.map(f64::from);
    let all: f64 = week.iter().sum();
    let mut hours = [0.0; 24];
    for (cell, posts) in week.iter().enumerate() {
        hours[cell % 24] += posts;
    }
    // Neighbours share what they have: a post at 9:55 says as much about 10:05.
    let hours: [f64; 24] = std::array::from_fn(|hour| {
        let near = [(0, 3.0), (1, 2.0), (23, 2.0), (2, 1.0), (22, 1.0)];
        near.iter().map(|(offset, weight)| hours[(hour + offset) % 24] * weight).sum::<f64>() / 9.0
    });
    let night = night(&hours);
    let day = |cell: usize| ((cell + WEEK_HOURS - night) % WEEK_HOURS) / 24;
    let mut days = [0.0; 7];
    for (cell, posts) in week.iter().enumerate() {
        days[day(cell)] += posts;
    }
    let product: [f64; WEEK_HOURS] =
        std::array::from_fn(|cell| (24.0 * hours[cell % 24] + HOURS_PRIOR) * (7.0 * days[day(cell)] + DAYS_PRIOR));
    let mean = product.iter().sum::<f64>() / WEEK_HOURS_F;
    let shaped = |cell: usize| (week[cell] * WEEK_HOURS_F + CELLS_PRIOR * product[cell] / mean) / (all + CELLS_PRIOR);
    std::array::from_fn(shaped)
}

/// [`WEEK_HOURS`], to count with.
const WEEK_HOURS_F: f64 = 168.0;

/// The hour in the middle of the eight with the fewest posts: a page's days begin there, wherever it is.
fn night(hours: &[f64; 24]) -> usize {
    let quiet = |from: usize| (0..8).map(|i| hours[(from + i) % 24]).sum::<f64>();
    let from = (0..24).min_by(|a, b| quiet(*a).total_cmp(&quiet(*b))).unwrap_or(0);
    (from + 4) % 24
}

/// The hour of the week of a time.
fn cell(at: i64) -> usize {
    usize::try_from(at.div_euclid(HOUR).rem_euclid(168)).unwrap_or(0)
}

/// The hours between two times, each with the seconds of it.
pub(super) struct Hours {
    pub(super) at: i64,
    pub(super) end: i64,
}

impl Iterator for Hours {
    type Item = (usize, f64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let next = ((self.at.div_euclid(HOUR) + 1) * HOUR).min(self.end);
        let part = (cell(self.at), seconds(next - self.at));
        self.at = next;
        Some(part)
    }
}

/// What is left after some days, where half is left after `half`.
fn kept(days: f64, half: f64) -> f64 {
    (-days / half).exp2()
}

fn days(length: i64) -> f64 {
    seconds(length.max(0)) / seconds(DAY)
}

#[expect(clippy::cast_precision_loss, reason = "times that are exact to a second for a hundred million years")]
pub(super) fn seconds(length: i64) -> f64 {
    length as f64
}

#[expect(clippy::cast_possible_truncation, reason = "counts need no more digits")]
fn single(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monday 2026-09-21T00:00:00Z.
    const MONDAY: Stamp = Stamp(1_789_948_800);

    fn at(day: i64, hour: i64) -> Stamp {
        MONDAY.plus(day * DAY + hour * HOUR)
    }

    #[expect(clippy::unnecessary_wraps, reason = "posts are dated or not")]
    fn instant(at: Stamp) -> Option<Published> {
        Some(Published::Instant(at.utc().into()))
    }

    /// A page that is read every hour for some weeks, and posts on working days at ten.
    fn clockwork(weeks: i64) -> Habit {
        let mut habit = Habit::default();
        learn(&mut habit, &[], MONDAY);
        for hour in 1..weeks * 168 {
            let now = MONDAY.plus(hour * HOUR);
            let posts = hour % 24 == 11 && (hour / 24) % 7 < 5;
            let post = instant(now.plus(-HOUR));
            learn(&mut habit, if posts { std::slice::from_ref(&post) } else { &[] }, now);
        }
        habit
    }

    fn a_day(rate: f64) -> f64 {
        rate * seconds(DAY)
    }

    #[test]
    fn nothing_known_is_the_average_page_at_any_time() {
        let rhythm = Rhythm::of(&Habit::default());
        assert!(rhythm.rates.iter().all(|rate| (a_day(*rate) - 0.25).abs() < 1e-9));
    }

    #[test]
    fn hours_and_days_are_learned() {
        let rhythm = Rhythm::of(&clockwork(8));
        let on = |day: i64, hour: i64| a_day(rhythm.rates[cell(at(70 + day, hour).0)]);
        let mean = rhythm.rates.iter().map(|rate| a_day(*rate)).sum::<f64>() / 168.0;
        assert!((0.6..0.9).contains(&mean), "five a week: {mean}");
        assert!(on(1, 10) > 5.0 * mean, "{}", on(1, 10));
        assert!(on(1, 22) < 0.5 * mean && on(5, 10) < 0.5 * on(1, 10), "{} {}", on(1, 22), on(5, 10));
    }

    #[test]
    fn a_post_without_a_time_came_since_the_last_reading_or_on_its_day() {
        let week = |post, last: Stamp, now: Stamp| {
            let mut habit = Habit::default();
            learn(&mut habit, &[], last);
            learn(&mut habit, &[post], now);
            let total: f32 = habit.week.iter().sum();
            assert!((total - 1.0).abs() < 1e-3, "{total}");
            (0..168).filter(|hour| habit.week[cell(at(0, *hour).0)] > 0.01).collect::<Vec<i64>>()
        };
        assert_eq!(week(None, at(0, 6), at(0, 9)), [6, 7, 8]);
        assert_eq!(week(instant(at(0, 7).plus(60)), at(0, 6), at(0, 9)), [7]);
        let tuesday = Some(Published::Day(at(1, 0).utc().date_naive()));
        assert_eq!(week(tuesday, at(0, 22), at(1, 3)), [24, 25, 26], "its day, until now");
        assert_eq!(week(tuesday, at(1, 5), at(1, 7)), [29, 30]);
        assert_eq!(week(instant(at(0, 1)), at(0, 6), at(0, 8)), [6, 7], "kept back by the page");
        assert_eq!(week(instant(at(300, 1)), at(0, 6), at(0, 8)), [6, 7], "from the future");
    }

    #[test]
    fn the_first_reading_is_the_pages_history() {
        let mut habit = Habit::default();
        // Twenty posts, one every other day at ten.
        let posts: Vec<_> = (0..20).map(|n| instant(at(-2 * n, 10))).collect();
        learn(&mut habit, &posts, at(0, 12));
        let mean = a_day(rate(&habit));
        assert!((0.4..0.6).contains(&mean), "{mean}");
        let old: Vec<_> = (0..20).map(|n| instant(at(-400 - n, 10))).collect();
        let mut habit = Habit::default();
        learn(&mut habit, &old, at(0, 12));
        assert_eq!(Rhythm::of(&habit), Rhythm::of(&Habit::default()), "long ago says nothing of now");
    }

    #[test]
    fn a_page_that_falls_silent_or_wakes_up_is_followed_within_days() {
        let mut habit = Habit::default();
        learn(&mut habit, &[], at(0, 0));
        let mut run = |days: std::ops::Range<i64>, posts_a_day: i64| {
            for hour in days.start * 24 + 1..=days.end * 24 {
                let now = MONDAY.plus(hour * HOUR);
                let posts =
                    if posts_a_day > 0 && hour % (24 / posts_a_day) == 0 { vec![instant(now)] } else { Vec::new() };
                learn(&mut habit, &posts, now);
            }
            a_day(rate(&habit))
        };
        let busy = run(0..60, 8);
        assert!((7.0..9.0).contains(&busy), "{busy}");
        let silent = run(60..70, 0);
        assert!(silent < 2.0, "ten days later: {silent}");
        run(70..200, 0);
        assert!(run(200..204, 8) > 3.0, "four days later");
    }

    #[test]
    fn no_clock_and_no_date_breaks_it() {
        let mut habit = clockwork(1);
        let far = instant(Stamp(8_000_000_000_000));
        for now in [at(-300, 0), at(400, 0), Stamp(0), at(401, 0)] {
            learn(&mut habit, &[far, None, instant(Stamp(-8_000_000_000_000))], now);
            assert!(Rhythm::of(&habit).rates.iter().all(|rate| rate.is_finite() && *rate > 0.0));
        }
    }
}
