//! When a new post counts as published: written once, so it is worked out with care.
//!
//! In: what the page says, and the times already stored for it. Out: an instant, never later than the reading.
//! Follows CONTRACT "Identity and time", **`published`**.

use super::Case;
use super::resolve::Seat;
use crate::model::{Ago, DAY, Known, Post, Published, Stamp};
use chrono::{NaiveDate, NaiveTime};
use std::collections::HashMap;

/// An addition that is older than the newest by more than this is late.
const LATE: i64 = 7 * DAY;

/// Dates the new posts of one reading and hands out the times of our own.
pub(super) struct Dater<'a> {
    case: &'a Case<'a>,
    /// The newest `published` stored for the page before this reading.
    newest: Option<Stamp>,
    /// For each day the latest `published` stored for the page's posts of that day.
    latest: HashMap<NaiveDate, Stamp>,
    /// Whether every time of the reading is midnight, which then stands for no time.
    midnights: bool,
    /// The next time of our own.
    own: Stamp,
}

impl<'a> Dater<'a> {
    pub(super) fn new(case: &'a Case<'a>, known: &Known) -> Self {
        let mut latest: HashMap<NaiveDate, Stamp> = HashMap::new();
        for listed in &known.listing {
            if let Some(day) = listed.day
                && listed.published.utc().date_naive() == day
            {
                let at = latest.entry(day).or_insert(listed.published);
                *at = (*at).max(listed.published);
            }
        }
        Self {
            case,
            newest: known.listing.iter().map(|l| l.published).max(),
            latest,
            midnights: case.reading.posts.iter().filter_map(|p| p.published).all(is_midnight),
            own: case.now,
        }
    }

    /// A time of our own: the reading's for the first that needs one, a second less for each that follows.
    pub(super) fn own_time(&mut self) -> Stamp {
        let own = self.own;
        self.own = own.plus(-1);
        own
    }

    /// For each seat that is new the time that the page's date gives; none where it is to be a time of our own.
    pub(super) fn published(&mut self, seats: &[Seat]) -> Vec<Option<Stamp>> {
        let mut dates = vec![None; seats.len()];
        let mut order: Vec<usize> = (0..seats.len()).filter(|&i| seats[i].entry.is_none()).collect();
        if !rises(&self.case.reading.posts) {
            order.reverse();
        }
        for i in order {
            let post = &self.case.reading.posts[seats[i].post];
            let history = self.case.is_history(seats[i].post);
            let at = match (post.published, post.ago) {
                (Some(said), _) => self.date(said, history),
                (None, Some(ago)) => self.ago(ago, history),
                (None, None) => None,
            };
            dates[i] = at.filter(|&at| at <= self.case.now);
        }
        dates
    }

    fn date(&mut self, said: Published, history: bool) -> Option<Stamp> {
        let day = match said {
            Published::Instant(t) if !self.midnights => {
                let at = Stamp(t.timestamp());
                return (!self.is_late(at, history)).then_some(at);
            }
            said => said.day(),
        };
        let first = Stamp::of_day(day);
        if self.is_late(first, history) {
            return None;
        }
        let at = self.latest.get(&day).map_or(first, |latest| latest.plus(1));
        self.latest.insert(day, at);
        Some(at)
    }

    /// The time of what was so long ago at this reading; hours are exact, whatever the other times are.
    fn ago(&mut self, ago: Ago, history: bool) -> Option<Stamp> {
        match ago.before(self.case.now, self.case.page.settings.timezone)? {
            Published::Instant(t) => Some(Stamp(t.timestamp())).filter(|&at| !self.is_late(at, history)),
            day @ Published::Day(_) => self.date(day, history),
        }
    }

    fn is_late(&self, at: Stamp, history: bool) -> bool {
        !history && super::late_counts(self.case.page) && self.newest.is_some_and(|newest| at < newest.plus(-LATE))
    }
}

/// Whether a date stands for a day: it is one, or midnight in its own offset.
fn is_midnight(said: Published) -> bool {
    match said {
        Published::Day(_) => true,
        Published::Instant(t) => t.time() == NaiveTime::MIN,
    }
}

/// Whether the page's dates rise from top to bottom.
fn rises(posts: &[Post]) -> bool {
    let days: Vec<NaiveDate> = posts.iter().filter_map(|p| p.published).map(Published::day).collect();
    let up = days.windows(2).filter(|w| w[0] < w[1]).count();
    let down = days.windows(2).filter(|w| w[0] > w[1]).count();
    up > down
}
