//! The best times to ask a page whose rate is known: the optimum of the model of Sia, Cho and Cho.
//!
//! In: the shape of a week and the price of a request. Out: for each minute of the week when to ask next, so that what
//! posts wait and what requests cost are least together, in the long run. Found by dynamic programming over minutes,
//! backwards through some weeks, until the first of them no longer depends on where it ends.
//! Since only the price over the rate matters, and all pages have the same week but for their zones, a table for some
//! hundred such ratios serves all.

use super::world::{MAX, MIN, START, Source, intensity};
use pagewire::model::DAY;

const MINUTE: i64 = 60;
const WEEK: usize = 7 * 24 * 60;
/// Weeks that are looked ahead.
const AHEAD: usize = 2;
/// Ratios of the table, from this on, each so many times the one before.
const FIRST: f64 = 1e-2;
const STEP: f64 = 1.12;
const RATIOS: usize = 190;
/// A page's posts never wait for longer than so many times what a request costs.
const ENOUGH: f64 = 6.0;

/// For each ratio, for each minute of the week, the minutes until the next request.
pub struct Optimum(Vec<Vec<u16>>);

impl Optimum {
    pub fn new() -> Self {
        let shape: Vec<f64> = (0..WEEK as i64).map(|minute| intensity(START + minute * MINUTE)).collect();
        let ratio = |n: usize| FIRST * STEP.powi(n as i32);
        Self((0..RATIOS).map(|n| table(&shape, ratio(n))).collect())
    }

    /// When to ask a page again that is asked now, at a price in seconds that posts may wait.
    pub fn next(&self, source: &Source, price: f64, at: i64) -> i64 {
        // In minutes and posts a minute.
        let ratio = (price / 60.0) / (source.rate / 1_440.0);
        let n = ((ratio / FIRST).ln() / STEP.ln()).round().clamp(0.0, (RATIOS - 1) as f64) as usize;
        let minute = ((at + source.zone - START).rem_euclid(7 * DAY) / MINUTE) as usize;
        at + i64::from(self.0[n][minute]) * MINUTE
    }
}

/// The best waits for a page of one post a minute on the average.
fn table(shape: &[f64], price: f64) -> Vec<u16> {
    let (min, max) = ((MIN / MINUTE) as usize, (MAX / MINUTE) as usize);
    let end = AHEAD * WEEK + max;
    let mut cost = vec![0.0; end + 1];
    let mut waits = vec![0; WEEK];
    for from in (0..AHEAD * WEEK).rev() {
        let (mut posts, mut waited) = (0.0, 0.0);
        let (mut best, mut wait) = (f64::INFINITY, max);
        for length in 1..=max {
            let rate = shape[(from + length - 1) % WEEK];
            waited += posts + rate / 2.0;
            posts += rate;
            if length < min {
                continue;
            }
            let whole = waited + price + cost[from + length];
            if whole < best {
                (best, wait) = (whole, length);
            }
            if waited > ENOUGH * price {
                break;
            }
        }
        cost[from] = best;
        if from < WEEK {
            waits[from] = wait as u16;
        }
    }
    waits
}
