//! Times as pagewire stores them.
//!
//! In: an instant. Out: whole seconds, written the one way that each format wants. Sub-seconds are dropped at the
//! door: no feed shows them and two clocks never agree on them.

use chrono::{DateTime, SecondsFormat, Utc};

/// Seconds in a day.
pub const DAY: i64 = 86_400;

/// A point in time in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(pub i64);

impl Stamp {
    /// This time plus (or, when negative, minus) so many seconds.
    #[must_use]
    pub fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// The same instant for `chrono`. Times outside its range (a quarter of a million years) become 1970.
    pub fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0, 0).unwrap_or_default()
    }

    /// RFC 3339 in UTC, ending in `Z`: `2026-09-24T10:00:00Z`.
    pub fn rfc3339(self) -> String {
        self.utc().to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// RFC 822 as RSS 2.0 wants it, with English names and a numeric zone: `Thu, 24 Sep 2026 10:00:00 +0000`.
    pub fn rfc822(self) -> String {
        self.utc().format("%a, %d %b %Y %H:%M:%S +0000").to_string()
    }
}

impl From<DateTime<Utc>> for Stamp {
    fn from(t: DateTime<Utc>) -> Self {
        Self(t.timestamp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_both_forms() {
        let t = Stamp(1_790_244_000);
        assert_eq!(t.rfc3339(), "2026-09-24T10:00:00Z");
        assert_eq!(t.rfc822(), "Thu, 24 Sep 2026 10:00:00 +0000");
    }
}
