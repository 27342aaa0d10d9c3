//! What a request is worth: where `auto` spends its requests.
//!
//! In: when posts are to be expected, and the price of a request in seconds that posts wait. Out: when to ask again; and
//! the price at which a budget is just spent. Pure.
//!
//! A page is asked once its posts are expected to have waited, all together, for as long as a request is worth. With one
//! price for all pages no request would do more elsewhere, which is what makes the delay of all posts least. Where posts
//! come at an even rate this asks at the interval sqrt(2 price / rate), the optimum of Sia, Cho and Cho.

use super::habit::{Hours, Rhythm, seconds};
use crate::model::{DAY, Habit, Stamp};

/// The price of a request: the seconds that posts may wait for it, all together.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Price(pub f64);

impl Default for Price {
    /// Without a budget: a page with a post a day is asked once an hour.
    fn default() -> Self {
        Self(75.0)
    }
}

/// Bounds of an interval, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The shortest.
    pub min: i64,
    /// The longest.
    pub max: i64,
}

/// How many pages are looked at to find a price: more say the same.
const SAMPLE: usize = 2_000;
/// Prices between which one is looked for: a request for each post as it comes, and none.
const CHEAPEST: f64 = 1e-3;
const DEAREST: f64 = 1e12;
/// A price at which so much of the budget is spent is good enough.
const NEAR: f64 = 0.995;

/// The seconds from `now` to the next request.
pub fn wait(rhythm: &Rhythm, price: Price, bounds: Bounds, now: Stamp) -> i64 {
    let (mut at, end) = (now.0, now.0.saturating_add(bounds.max));
    // Posts that are expected to be there, and for how long they have waited.
    let (mut posts, mut waited) = (0.0, 0.0);
    for (hour, length) in (Hours { at, end }) {
        let rate = rhythm.rates[hour];
        let then = waited + posts * length + rate * length * length / 2.0;
        if then >= price.0 {
            // Within this hour: waited + posts x + rate x² / 2 = price.
            let left = price.0 - waited;
            let x = (posts * posts + 2.0 * rate * left).sqrt() - posts;
            let x = if rate > 0.0 { x / rate } else { left / posts };
            #[expect(clippy::cast_possible_truncation, reason = "at most an hour")]
            let due = at - now.0 + x.clamp(0.0, length).ceil() as i64;
            return due.clamp(bounds.min, bounds.max);
        }
        (waited, posts) = (then, posts + rate * length);
        #[expect(clippy::cast_possible_truncation, reason = "at most an hour")]
        let whole = length as i64;
        at += whole;
    }
    bounds.max
}

/// How many requests a day a page gets at a price.
pub fn requests(rhythm: &Rhythm, price: Price, bounds: Bounds) -> f64 {
    let (mut at, mut count) = (0, 0.0);
    while at < 7 * DAY {
        at += wait(rhythm, price, bounds, Stamp(at)).max(1);
        count += 1.0;
    }
    count * seconds(DAY) / seconds(at)
}

/// The price at which these pages, packed habits with bounds, together get so many requests a day. Where even the
/// longest interval for all takes more, that is what they get.
pub fn price(pages: &[(&[u8], Bounds)], budget: f64) -> Price {
    let (sample, share) = sample(pages);
    if sample.is_empty() { Price::default() } else { afford(&sample, budget * share) }
}

/// How many requests a day that makes.
pub(super) fn planned(pages: &[(&[u8], Bounds)], budget: f64) -> u32 {
    let (sample, share) = sample(pages);
    let price = afford(&sample, budget * share);
    let all: f64 = sample.iter().map(|(rhythm, bounds)| requests(rhythm, price, *bounds)).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is not negative")]
    let planned = (all / share.max(f64::MIN_POSITIVE)).round() as u32;
    planned
}

/// Some of the pages, evenly, and which part of all they are.
#[expect(clippy::cast_precision_loss, reason = "fewer pages than that")]
fn sample(pages: &[(&[u8], Bounds)]) -> (Vec<(Rhythm, Bounds)>, f64) {
    let sample = pages.iter().step_by(pages.len().div_ceil(SAMPLE).max(1));
    let sample: Vec<_> = sample.map(|(habit, bounds)| (Rhythm::of(&Habit::unpack(habit)), *bounds)).collect();
    let share = sample.len() as f64 / pages.len().max(1) as f64;
    (sample, share)
}

/// Searched from the usual price on: requests go about with one over its square root, which is nearly always so.
fn afford(pages: &[(Rhythm, Bounds)], budget: f64) -> Price {
    let (mut low, mut high) = (CHEAPEST, DEAREST);
    let mut guess = Price::default().0;
    while high / low > 1.002 {
        let spent: f64 = pages.iter().map(|(rhythm, bounds)| requests(rhythm, Price(guess), *bounds)).sum();
        if spent > budget {
            low = guess;
        } else {
            high = guess;
            if spent > NEAR * budget {
                break;
            }
        }
        // A little to the dear side of what would fit, so that it does.
        let next = guess * (spent / (budget * (1.0 + NEAR) / 2.0)).powi(2);
        guess = if low < next && next < high { next } else { (low * high).sqrt() };
    }
    Price(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WEEK_HOURS;

    const BOUNDS: Bounds = Bounds { min: 300, max: DAY };

    /// A page with as many posts a day, evenly.
    fn even(posts: f64) -> Rhythm {
        Rhythm { rates: [posts / seconds(DAY); WEEK_HOURS] }
    }

    #[test]
    fn an_even_page_is_asked_at_the_optimum_within_its_bounds() {
        for (posts, price, expected) in
            [(1.0, 75.0, 3_600), (4.0, 75.0, 1_800), (0.25, 75.0, 7_200), (0.0, 75.0, DAY), (1e6, 75.0, 300)]
        {
            let wait = wait(&even(posts), Price(price), BOUNDS, Stamp(12_345));
            assert!((wait - expected).abs() <= 1, "{posts}: {wait}");
        }
    }

    #[test]
    fn requests_go_where_posts_come() {
        let mut rhythm = even(0.1);
        rhythm.rates[10..20].fill(20.0 / seconds(DAY));
        let times: Vec<i64> =
            std::iter::successors(Some(0), |at| Some(at + wait(&rhythm, Price(75.0), BOUNDS, Stamp(*at))))
                .take_while(|at| *at < DAY)
                .collect();
        let within = |from: i64, to: i64| times.iter().filter(|at| (from * 3_600..to * 3_600).contains(*at)).count();
        assert!(within(10, 20) > 30 && within(0, 10) <= 4 && within(21, 24) <= 2, "{times:?}");
    }

    #[test]
    fn a_budget_is_spent_and_not_more() {
        let pages: Vec<(Rhythm, Bounds)> = (0..100).map(|n| (even(0.01 * 1.08_f64.powi(n)), BOUNDS)).collect();
        let spent = |price| pages.iter().map(|(rhythm, bounds)| requests(rhythm, price, *bounds)).sum::<f64>();
        for budget in [300.0, 2_400.0, 10_000.0] {
            let spent = spent(afford(&pages, budget));
            assert!(spent <= budget && spent > 0.97 * budget, "{budget}: {spent}");
        }
        assert!((spent(afford(&pages, 10.0)) - 100.0).abs() < 1.0, "once a day each, since `max` says so");
        assert!(spent(afford(&pages, 1e9)) <= 100.0 * 288.0);
        assert_eq!(price(&[], 24.0), Price::default());
    }
}
