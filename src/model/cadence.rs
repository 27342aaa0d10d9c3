//! How often a page is polled.
//!
//! In: a schedule as people write it (`auto`, `every 30m`, `@hourly`, five crontab fields) and a time. Out: the next
//! time after it. Pure: no clock, no state; offsets, back-off and the rate of `auto` are `schedule`'s work.
//!
//! The fields are read as cron(5) reads them, because the `cron` crate counts weekdays from 1, wants seconds and skips
//! or doubles jobs where clocks change; that crate then only walks the calendar. Deliberately absent: `L`, `W`, `#`,
//! `?`, seconds, years and `@reboot`. Schedules end with the year 2100, where the crate's calendar ends.

use super::duration::{duration_text, parse_duration};
use super::time::Stamp;
use chrono::{DateTime, Datelike, MappedLocalTime, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use cron::Schedule;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// A schedule as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cadence {
    /// As often as the page's own rate makes worth while.
    Auto,
    /// At a fixed interval.
    Every(Duration),
    /// When the clock on the wall says so.
    Crontab(Crontab),
}

/// A crontab line, or one of its names such as `@daily`. Two are equal when their texts are.
#[derive(Debug, Clone)]
pub struct Crontab {
    text: Arc<str>,
    /// One, or two where both day fields are restricted: crontab fires when either day fits.
    calendars: Arc<[Schedule]>,
    hours: Hours,
}

/// What a line's hour field says about clock changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hours {
    /// Every hour: follows real time, so that it neither pauses nor doubles up where clocks change.
    Every,
    /// Every few hours (`*/2`): an hour that occurs twice counts twice, one that is skipped is made up for.
    Step,
    /// At given hours: once a day each, whatever clocks do.
    Fixed,
}

/// Why a schedule is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CadenceError {
    /// It is no schedule.
    #[error(
        "`{0}` is no schedule: use \"auto\", \"every 30m\", \"@hourly\" or a crontab line such as \"*/15 * * * *\""
    )]
    Unknown(String),
    /// `every` with something else than a length of time behind it.
    #[error(
        "`{0}` is no interval: write \"every\", a number and s, m, h, d, w or y, such as \"every 30m\" or \"every 12h\""
    )]
    Interval(String),
    /// More fields than five.
    #[error("`{0}` has {1} fields, but a crontab line has five: minute hour day month weekday; there are no seconds")]
    Fields(String, usize),
    /// A field that says nothing.
    #[error("`{value}` is no {field}: {wanted}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What stands there.
        value: String,
        /// What could.
        wanted: String,
    },
    /// No day fits.
    #[error("`{0}` never fires: none of its months has that day")]
    Never(String),
}

/// The names for whole lines.
const NAMED: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

impl Cadence {
    /// The schedule that a text names.
    ///
    /// # Errors
    /// When it is none, or never fires.
    pub fn parse(text: &str) -> Result<Self, CadenceError> {
        let text = text.trim();
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Some(rest) = text.strip_prefix("every")
            && !rest.starts_with(|c: char| c.is_alphanumeric() && !c.is_ascii_digit())
        {
            return match parse_duration(rest) {
                Ok(interval) if !interval.is_zero() => Ok(Self::Every(interval)),
                _ => Err(CadenceError::Interval(text.to_owned())),
            };
        }
        let line = NAMED.iter().find(|(name, _)| *name == text).map_or(text, |(_, line)| line);
        Crontab::parse(text, line).map(Self::Crontab)
    }

    /// The first time after `after` that it names: none for `auto`, which depends on the page, and none where a
    /// crontab line's calendar ends. Its times are those of the clock in `tz`, in whole minutes; an interval counts
    /// from `after`.
    pub fn next(&self, after: Stamp, tz: Tz) -> Option<Stamp> {
        match self {
            Self::Auto => None,
            Self::Every(interval) => Some(after.plus(i64::try_from(interval.as_secs()).unwrap_or(i64::MAX))),
            Self::Crontab(line) => line.next(after, tz),
        }
    }

    /// Seconds between the next two times, seen from a fixed date, so that it depends on nothing else; none where no
    /// time is promised.
    pub fn interval(&self, tz: Tz) -> Option<i64> {
        let start = Stamp(1_767_225_600); // 2026-01-01T00:00:00Z
        let first = self.next(start, tz)?;
        Some(self.next(first, tz)?.0 - first.0)
    }
}

impl fmt::Display for Cadence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Every(interval) => write!(f, "every {}", duration_text(*interval)),
            Self::Crontab(line) => f.write_str(&line.text),
        }
    }
}

impl PartialEq for Crontab {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Crontab {}

impl Crontab {
    /// `text` is what was written, `line` its five fields.
    fn parse(text: &str, line: &str) -> Result<Self, CadenceError> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(match fields.len() {
                n @ 6..=7 => CadenceError::Fields(text.to_owned(), n),
                _ => CadenceError::Unknown(text.to_owned()),
            });
        };
        let clock = format!("0 {} {}", MINUTE.numbers(minute)?, HOUR.numbers(hour)?);
        let (days, months, weekdays) = (DAY.numbers(day)?, MONTH.numbers(month)?, WEEKDAY.numbers(weekday)?);
        // As cron(5): either day field may fire, unless one of them begins with `*`.
        let calendars = if day.starts_with('*') || weekday.starts_with('*') {
            vec![calendar(&format!("{clock} {days} {months} {weekdays}"))]
        } else {
            vec![calendar(&format!("{clock} {days} {months} *")), calendar(&format!("{clock} * {months} {weekdays}"))]
        };
        let hours = match hour {
            "*" => Hours::Every,
            h if h.starts_with('*') => Hours::Step,
            _ => Hours::Fixed,
        };
        let it = Self { text: text.into(), calendars: calendars.into(), hours };
        let start = DateTime::<Utc>::UNIX_EPOCH.naive_utc();
        if it.on_the_wall(start).is_none() { Err(CadenceError::Never(text.to_owned())) } else { Ok(it) }
    }

    /// The first time after `after` on a wall clock that never changes.
    fn on_the_wall(&self, after: NaiveDateTime) -> Option<NaiveDateTime> {
        if !(1970..2100).contains(&after.year()) {
            return None;
        }
        self.calendars.iter().filter_map(|c| c.after(&after.and_utc()).next()).min().map(|t| t.naive_utc())
    }

    fn next(&self, after: Stamp, tz: Tz) -> Option<Stamp> {
        let local = after.utc().with_timezone(&tz).naive_local();
        let mut wall = match tz.from_local_datetime(&local) {
            // The hour comes twice: its first minutes may be due again.
            MappedLocalTime::Ambiguous(first, second) if self.hours != Hours::Fixed => local - (second - first),
            _ => local,
        };
        let mut best: Option<Stamp> = None;
        while let Some(candidate) = self.on_the_wall(wall) {
            let (first, second) = self.instants(candidate, tz);
            let due = [first, second].into_iter().flatten().filter(|&t| t > after).min();
            best = [best, due].into_iter().flatten().min();
            // First instants rise with the wall clock, so no later candidate comes before this one.
            if first.is_some_and(|t| t > after) {
                break;
            }
            wall = candidate;
        }
        best
    }

    /// When the wall clock shows a time: the first and, where it does so again and that counts, the second instant.
    fn instants(&self, wall: NaiveDateTime, tz: Tz) -> (Option<Stamp>, Option<Stamp>) {
        match tz.from_local_datetime(&wall) {
            MappedLocalTime::Single(t) => (Some(t.to_utc().into()), None),
            MappedLocalTime::Ambiguous(first, second) => {
                (Some(first.to_utc().into()), (self.hours != Hours::Fixed).then(|| second.to_utc().into()))
            }
            MappedLocalTime::None if self.hours == Hours::Every => (None, None),
            MappedLocalTime::None => (after_the_gap(wall, tz), None),
        }
    }
}

/// The first minute after the gap in which the wall clock skips a time. Gaps are whole minutes since the 1970s, and
/// the longest, a skipped day at the date line, is 24 hours.
fn after_the_gap(wall: NaiveDateTime, tz: Tz) -> Option<Stamp> {
    (1..=24 * 60)
        .find_map(|minutes| tz.from_local_datetime(&(wall + TimeDelta::minutes(minutes))).earliest())
        .map(|t| t.to_utc().into())
}

/// A calendar from fields that [`Field::numbers`] wrote.
fn calendar(fields: &str) -> Schedule {
    Schedule::from_str(fields).expect("lists of numbers in range are always a schedule")
}

/// A field of a crontab line.
struct Field {
    name: &'static str,
    first: u32,
    last: u32,
    /// Names for the values from `first` on.
    names: &'static [&'static str],
    /// What is added for the `cron` crate, which counts weekdays from 1.
    shift: u32,
}

const MINUTE: Field = Field { name: "minute", first: 0, last: 59, names: &[], shift: 0 };
const HOUR: Field = Field { name: "hour", first: 0, last: 23, names: &[], shift: 0 };
const DAY: Field = Field { name: "day of the month", first: 1, last: 31, names: &[], shift: 0 };
const MONTH: Field = Field {
    name: "month",
    first: 1,
    last: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    shift: 0,
};
/// 0 and 7 are both Sunday.
const WEEKDAY: Field =
    Field { name: "weekday", first: 0, last: 7, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"], shift: 1 };

impl Field {
    /// The field as a plain list of numbers, or `*`.
    fn numbers(&self, text: &str) -> Result<String, CadenceError> {
        if text == "*" {
            return Ok("*".to_owned());
        }
        let mut all = std::collections::BTreeSet::new();
        for part in text.split(',') {
            let (range, step) = match part.split_once('/') {
                Some((range, step)) => (range, self.step(part, range, step)?),
                None => (part, 1),
            };
            let (from, to) = self.range(range)?;
            all.extend((from..=to).step_by(step).map(|n| self.wrapped(n) + self.shift));
        }
        Ok(all.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
    }

    /// The ends of `*`, `a` or `a-b`; a range of weekdays that wraps goes on past 7.
    fn range(&self, text: &str) -> Result<(u32, u32), CadenceError> {
        if text == "*" {
            return Ok((self.first, if self.is_weekday() { 6 } else { self.last }));
        }
        let Some((from, to)) = text.split_once('-') else {
            return self.number(text).map(|n| (n, n));
        };
        let (from, to) = (self.number(from)?, self.number(to)?);
        match (from <= to, self.is_weekday()) {
            (true, _) => Ok((from, to)),
            (false, true) => Ok((from, to + 7)),
            (false, false) => {
                Err(self
                    .error(text, format!("a range runs upwards, so write `{from}-{},{}-{to}`", self.last, self.first)))
            }
        }
    }

    fn number(&self, text: &str) -> Result<u32, CadenceError> {
        let named = self.names.iter().zip(self.first..).find(|(name, _)| name.eq_ignore_ascii_case(text));
        if let Some((_, n)) = named {
            return Ok(n);
        }
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match text.parse() {
            Ok(n) if digits && (self.first..=self.last).contains(&n) => Ok(n),
            _ => Err(self.error(text, self.wanted())),
        }
    }

    fn step(&self, part: &str, range: &str, step: &str) -> Result<usize, CadenceError> {
        if range != "*" && !range.contains('-') {
            return Err(self.error(part, format!("a step needs a range, so write `{range}-{}/{step}`", self.last)));
        }
        match step.parse() {
            Ok(n) if n > 0 && step.bytes().all(|b| b.is_ascii_digit()) => Ok(n),
            _ => Err(self.error(part, "a step is a whole number from 1".to_owned())),
        }
    }

    fn wanted(&self) -> String {
        match (self.names.first(), self.names.last()) {
            (Some(first), Some(last)) => {
                format!("use {} to {}, `{first}` to `{last}`, ranges, steps and lists of these", self.first, self.last)
            }
            _ => format!("use {} to {}, ranges, steps and lists of these", self.first, self.last),
        }
    }

    fn error(&self, value: &str, wanted: String) -> CadenceError {
        CadenceError::Field { field: self.name, value: value.to_owned(), wanted }
    }

    fn is_weekday(&self) -> bool {
        self.shift == 1
    }

    fn wrapped(&self, n: u32) -> u32 {
        if self.is_weekday() { n % 7 } else { n }
    }
}
