//! What a page's server says about being polled, and what is remembered of it.

use super::time::{DAY, Stamp};
use serde::{Deserialize, Serialize};
use url::Url;

/// A page that only ever answers 304 is asked for the whole of it after this time, in seconds: some servers say
/// "not modified" for ever.
const WHOLE: i64 = 8 * DAY;
/// How often a server must have said that a page moved, in polls and over seconds, before it is worth a proposal: a
/// captive portal and a slip of an afternoon say so too.
const MOVED: (u32, i64) = (3, 3 * DAY);

/// What a page's server said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Server {
    /// For how many seconds its last answer stays as it is (Cache-Control, Expires).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<i64>,
    /// How many seconds its document wants between two polls (`ttl`, `sy:updatePeriod`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<i64>,
    /// Where it says that the page is for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// When it last sent a whole document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<Stamp>,
    /// Whether it is the whole host that wants to be left alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub host_wide: bool,
    /// Where its list was when a reading was last taken, if it is an HTML page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<u64>,
    /// Which further pages of its list are still to be read; none where all that were asked for answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<Unread>,
}

/// Further pages of a list of which one did not answer, so that posts may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// What became of the last try, for people.
    pub why: String,
    /// Whether they were to be read with a backlog reading: what they list is no news then.
    pub history: bool,
    /// How often they were tried in vain.
    pub tries: u32,
    /// From when on a poll by the schedule tries them again.
    pub after: Stamp,
}

impl Unread {
    /// After a try that failed; `before` is what was unread already, `interval` the seconds since the poll before. The
    /// next two polls try again, then every second one, every fourth and so on, up to a day apart.
    pub fn after(before: Option<&Self>, why: String, history: bool, interval: i64, now: Stamp) -> Self {
        let tries = before.map_or(0, |before| before.tries).saturating_add(1);
        let wait = match tries {
            1 => 0,
            // Half a poll less, since polls are no clockwork.
            _ => interval.clamp(0, DAY).saturating_mul((1 << (tries - 1).min(20)) - 1).saturating_div(2).min(DAY),
        };
        Self { why, history: before.map_or(history, |before| before.history), tries, after: now.plus(wait) }
    }

    /// Whether a poll by the schedule tries them. A time further away than any wait is from before the clock was set
    /// back.
    pub fn is_due(&self, now: Stamp) -> bool {
        self.after <= now || self.after.0 - now.0 > DAY
    }
}

/// A page's new address, as its redirects have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The address.
    pub to: String,
    /// Since when every good poll was led there.
    pub since: Stamp,
    /// How many those were.
    pub times: u32,
}

impl Moved {
    /// Whether the server has said so for long enough to be believed.
    pub fn holds(&self, now: Stamp) -> bool {
        self.times >= MOVED.0 && now.0 - self.since.0 >= MOVED.1
    }
}

impl Server {
    /// The seconds that the server wants between two polls.
    pub fn interval(&self) -> Option<i64> {
        self.fresh.max(self.pace)
    }

    /// Whether it is time to ask for the whole document, whatever the server said last.
    pub fn is_stale(&self, now: Stamp) -> bool {
        self.whole.is_some_and(|whole| now.0 - whole.0 >= WHOLE)
    }

    /// Takes over what came with a good answer.
    pub fn heed(&mut self, fresh: Option<i64>, moved: Option<&Url>, now: Stamp) {
        self.fresh = fresh;
        self.host_wide = false;
        let before = self.moved.take();
        self.moved = moved.map(|to| match before {
            Some(before) if before.to == to.as_str() => Moved { times: before.times.saturating_add(1), ..before },
            _ => Moved { to: to.to_string(), since: now, times: 1 },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Stamp = Stamp(1_790_244_000);

    /// Fault 050: a portal's 301, or one that comes and goes, is no move.
    #[test]
    fn a_move_must_hold_for_days() {
        let (there, other) = (Url::parse("https://b.example/").unwrap(), Url::parse("https://c.example/").unwrap());
        let mut server = Server::default();
        let mut say = |to: Option<&Url>, days: i64| {
            server.heed(None, to, NOW.plus(days * DAY));
            server.moved.as_ref().is_some_and(|moved| moved.holds(NOW.plus(days * DAY)))
        };
        assert!(!say(Some(&there), 0) && !say(Some(&there), 1) && !say(Some(&there), 2));
        assert!(say(Some(&there), 3));
        assert!(!say(None, 4) && !say(Some(&there), 5), "anew");
        assert!(!say(Some(&other), 9) && !say(Some(&other), 12), "two polls are few");
        assert!(say(Some(&other), 13));
    }

    #[test]
    fn not_modified_is_not_believed_for_ever() {
        let server = Server { whole: Some(NOW), ..Server::default() };
        assert!(!server.is_stale(NOW.plus(8 * DAY - 1)) && server.is_stale(NOW.plus(8 * DAY)));
        assert!(!Server::default().is_stale(NOW));
    }

    #[test]
    fn further_pages_are_tried_at_the_next_reading_then_ever_later() {
        let mut unread = Unread::after(None, "http-500".into(), true, 600, NOW);
        let mut waits = Vec::new();
        for _ in 0..40 {
            waits.push(unread.after.0 - NOW.0);
            unread = Unread::after(Some(&unread), "http-500".into(), false, 600, NOW);
        }
        assert_eq!(waits[..4], [0, 300, 900, 2_100], "before the next poll, that, the second and the fourth");
        assert_eq!((waits[11], waits[39]), (DAY, DAY));
        assert!(unread.history, "as at the first try");
        assert!(!unread.is_due(NOW) && unread.is_due(NOW.plus(DAY)) && unread.is_due(NOW.plus(-DAY)));
    }

    #[test]
    fn the_longer_wish_counts() {
        let of = |fresh, pace| Server { fresh, pace, ..Server::default() }.interval();
        assert_eq!((of(None, None), of(Some(60), None), of(Some(60), Some(3_600))), (None, Some(60), Some(3_600)));
    }
}
