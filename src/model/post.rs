//! A post: what a page says about one article.

use super::enclosure::Enclosure;
use super::text::{Html, Text};
use super::time::Stamp;
use chrono::{DateTime, Days, FixedOffset, Months, NaiveDate, SecondsFormat, TimeDelta};
use chrono_tz::Tz;
use std::fmt;
use std::str::FromStr;
use url::Url;

/// A company as a page names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Its name.
    pub name: Text,
    /// Its page, if the name was a link.
    pub link: Option<Url>,
}

/// When a post was published, as far as the page says. A day is never made into an instant before it is stored, and
/// what cannot be read for certain is no date at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// A calendar day.
    Day(NaiveDate),
    /// A point in time, in the offset in which the page gave it.
    Instant(DateTime<FixedOffset>),
}

impl Published {
    /// The day that it names, in its own offset.
    pub fn day(self) -> NaiveDate {
        match self {
            Self::Day(d) => d,
            Self::Instant(t) => t.date_naive(),
        }
    }

    /// For outside: `2026-09-24`, or an RFC 3339 time in UTC.
    pub fn json(self) -> String {
        match self {
            Self::Day(d) => d.to_string(),
            Self::Instant(t) => t.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true),
        }
    }
}

/// As stored: a day, or an RFC 3339 time in the offset that the page gave.
impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(d) => d.fmt(f),
            Self::Instant(t) => f.write_str(&t.to_rfc3339_opts(SecondsFormat::Secs, false)),
        }
    }
}

/// Reads what its [`fmt::Display`] wrote.
impl FromStr for Published {
    type Err = chrono::ParseError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        s.parse().map(Self::Day).or_else(|_| DateTime::parse_from_rfc3339(s).map(Self::Instant))
    }
}

/// How long before its reading a page says that something was published. The day is worked out once, when the post is
/// stored: the next reading says something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ago {
    /// Seconds, as of minutes and hours.
    Seconds(u32),
    /// Calendar days.
    Days(u32),
    /// Calendar months.
    Months(u32),
}

impl Ago {
    /// When that was, read at `now` in a place with this time zone; none before the calendar begins.
    pub fn before(self, now: Stamp, tz: Tz) -> Option<Published> {
        let here = now.utc().with_timezone(&tz);
        Some(match self {
            Self::Seconds(seconds) => {
                let at = here.checked_sub_signed(TimeDelta::seconds(seconds.into()))?;
                Published::Instant(at.fixed_offset())
            }
            Self::Days(days) => Published::Day(here.date_naive().checked_sub_days(Days::new(days.into()))?),
            Self::Months(months) => Published::Day(here.date_naive().checked_sub_months(Months::new(months))?),
        })
    }
}

/// One article as a page lists it. Two posts with the same meaning are equal after folding; see `diff`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Post {
    /// Its title (Atom and RSS `title`, JSON Feed `title`).
    pub title: Text,
    /// The address that a reader opens, absolute, `http` or `https`.
    pub link: Option<Url>,
    /// The article that the link's page summarises, where known.
    pub original: Option<Url>,
    /// Who published it; often one, sometimes several, sometimes nobody.
    pub companies: Vec<Company>,
    /// Who wrote it, in the page's order.
    pub authors: Vec<Text>,
    /// When, as the page says.
    pub published: Option<Published>,
    /// How long ago, where the page says no more than that.
    pub ago: Option<Ago>,
    /// What sort of post it is: "Benchmark", "Tutorial" …
    pub kind: Option<Text>,
    /// What it says, as sanitised HTML.
    pub summary: Html,
    /// The source's own identifier (RSS `guid`, Atom `id`, JSON Feed `id`), which counts within its page only.
    pub guid: Option<String>,
    /// Files that belong to it.
    pub enclosures: Vec<Enclosure>,
    /// `Key: value` pairs that pagewire has no use for, in the page's order.
    pub extra: Vec<(Text, Text)>,
}
