//! When a page is stale: it brought nothing for far longer than its own rhythm.
//!
//! In: the days of the posts that the page ever listed. Out: from when on nothing new is odd. A page that posts each
//! week and is silent for two months is most likely broken or abandoned, however well it answers; one that posts twice a
//! year is not.

use crate::model::{DAY, Listed, Stamp};

/// So many of the newest posts show the rhythm.
const POSTS: usize = 20;
/// Fewer show none.
const FEWEST: usize = 5;
/// A page may be silent for so many of its mean gaps …
const MEAN_GAPS: i64 = 6;
/// … and for so many of its longest one, whichever is longer …
const LONGEST_GAPS: i64 = 2;
/// … and for so long in any case, in seconds.
pub const LEAST_SILENCE: i64 = 14 * DAY;

/// From when on the page is stale if it brings nothing; none where its rhythm is not known.
pub fn stale_at(listing: &[Listed], now: Stamp) -> Option<Stamp> {
    let mut times: Vec<i64> = listing.iter().map(|l| l.published.0.min(now.0)).collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    times.truncate(POSTS);
    if times.len() < FEWEST {
        return None;
    }
    let gaps = || times.windows(2).map(|w| w[0] - w[1]);
    let mean = gaps().sum::<i64>() / i64::try_from(times.len() - 1).unwrap_or(1);
    let silence = (MEAN_GAPS * mean).max(LONGEST_GAPS * gaps().max().unwrap_or(0)).max(LEAST_SILENCE);
    Some(Stamp(times[0] + silence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntryId;

    fn posted(days: &[i64]) -> Vec<Listed> {
        let listed = |day: &i64| Listed {
            entry: EntryId(1),
            now: true,
            missed: false,
            said: 0,
            summary: 0,
            original: 0,
            day: None,
            published: Stamp(day * DAY),
        };
        days.iter().map(listed).collect()
    }

    #[test]
    fn silence_is_measured_by_the_pages_own_rhythm() {
        let now = Stamp(1_000 * DAY);
        // A post a week: six weeks of silence. A burst after a quiet time: the quiet time twice. Daily: two weeks.
        assert_eq!(stale_at(&posted(&[28, 21, 14, 7, 0]), now), Some(Stamp((28 + 42) * DAY)));
        assert_eq!(stale_at(&posted(&[104, 103, 102, 101, 1]), now), Some(Stamp((104 + 200) * DAY)));
        assert_eq!(stale_at(&posted(&[5, 4, 3, 2, 1]), now), Some(Stamp((5 + 14) * DAY)));
        assert_eq!(stale_at(&posted(&[3, 2, 1, 0]), now), None);
    }

    #[test]
    fn a_date_in_the_future_does_not_put_it_off() {
        let now = Stamp(100 * DAY);
        assert_eq!(stale_at(&posted(&[4_000, 99, 98, 97, 96]), now), Some(Stamp((100 + 14) * DAY)));
    }
}
