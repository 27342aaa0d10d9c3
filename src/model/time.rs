//! Times as pagewire stores them.
//!
//! In: an instant. Out: whole seconds, written the one way that each format wants. Sub-seconds are dropped at the
//! door: no feed shows them and two clocks never agree on them.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, SecondsFormat, Timelike, Utc};

/// Seconds in a day.
pub const DAY: i64 = 86_400;

/// A point in time in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(pub i64);

impl Stamp {
    /// The start of a day, in UTC.
    pub fn midnight(day: NaiveDate) -> Self {
        Self(day.and_time(NaiveTime::MIN).and_utc().timestamp())
    }

    /// What stands for a day without a time: 10:00 UTC, when it is that day from Hawaii to New Zealand.
    pub fn of_day(day: NaiveDate) -> Self {
        Self::midnight(day).plus(10 * 3_600)
    }

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
        let t = self.utc();
        let (Ok(year @ 0..=9_999), mut out) = (u32::try_from(t.year()), String::with_capacity(20)) else {
            return t.to_rfc3339_opts(SecondsFormat::Secs, true);
        };
        push_padded(&mut out, year, 4);
        let rest = [('-', t.month()), ('-', t.day()), ('T', t.hour()), (':', t.minute()), (':', t.second())];
        for (mark, number) in rest {
            out.push(mark);
            push_padded(&mut out, number, 2);
        }
        out.push('Z');
        out
    }

    /// RFC 822 as RSS 2.0 wants it, with English names and a numeric zone: `Thu, 24 Sep 2026 10:00:00 +0000`.
    pub fn rfc822(self) -> String {
        let t = self.utc();
        let (Ok(year @ 0..=9_999), mut out) = (u32::try_from(t.year()), String::with_capacity(31)) else {
            return t.format("%a, %d %b %Y %H:%M:%S +0000").to_string();
        };
        out.push_str(DAYS[t.weekday().num_days_from_monday() as usize]);
        out.push_str(", ");
        push_padded(&mut out, t.day(), 2);
        out.push(' ');
        out.push_str(&MONTHS[t.month0() as usize][..3]);
        out.push(' ');
        push_padded(&mut out, year, 4);
        for (mark, number) in [(' ', t.hour()), (':', t.minute()), (':', t.second())] {
            out.push(mark);
            push_padded(&mut out, number, 2);
        }
        out.push_str(" +0000");
        out
    }

    /// The day as English prose has it: `24 September 2026`.
    pub fn day(self) -> String {
        let t = self.utc();
        match t.year() {
            year @ 0..=9_999 => format!("{} {} {year:04}", t.day(), MONTHS[t.month0() as usize]),
            _ => t.format("%-d %B %Y").to_string(),
        }
    }
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Appends a number, with zeros before it to a width of at most four. A feed holds several times a post, and the general
/// way of formatting costs more than the rest of the post.
fn push_padded(out: &mut String, number: u32, width: u32) {
    for place in (0..width).rev() {
        out.push(char::from(b'0' + (number / 10_u32.pow(place) % 10) as u8));
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
        assert_eq!(t.day(), "24 September 2026");
    }

    #[test]
    fn every_time_is_written_as_chrono_writes_it() {
        for at in (-99_999_999_999..=999_999_999_999).step_by(7_654_321_987).chain([0, 68_169_600, -62_167_219_201]) {
            let (t, utc) = (Stamp(at), Stamp(at).utc());
            assert_eq!(t.rfc3339(), utc.to_rfc3339_opts(SecondsFormat::Secs, true));
            assert_eq!(t.rfc822(), utc.format("%a, %d %b %Y %H:%M:%S +0000").to_string());
            assert_eq!(t.day(), utc.format("%-d %B %Y").to_string());
        }
    }
}
