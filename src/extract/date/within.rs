//! Dates inside other text → what of a date is there.
//!
//! In: a short text of a page, such as `Posted on 24 September 2026 by Ana`, `Sep 24`, `2026`, `11/09/2026`, or an
//! address with `/2026/09/24/`. Out: what can be read for certain, and no more: a part of a date stays a part, to be
//! completed by what stands around it, and of two readings of `11/09/2026` neither is chosen here.

use super::{Found, Published, YEARS, digits, names, numeric, part, word, worded};
use chrono::NaiveDate;
use chrono_tz::Tz;

/// What a text says of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::extract) enum Seen {
    /// All of it.
    Whole(Published),
    /// All of it, were it known which of the two numbers is the month.
    Swappable {
        /// Four digits.
        year: u32,
        /// The two numbers, 1 to 12, as they stand.
        numbers: (u32, u32),
    },
    /// A day and a month.
    Yearless {
        /// 1 to 12.
        month: u32,
        /// 1 to 31.
        day: u32,
    },
    /// A month of a year.
    Month {
        /// Four digits.
        year: u32,
        /// 1 to 12.
        month: u32,
    },
    /// A year.
    Year(u32),
}

/// Which number comes first in dates of two numbers and a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::extract) enum Order {
    /// `24/09/2026`
    DayFirst,
    /// `09/24/2026`
    MonthFirst,
}

impl Seen {
    /// The date, if the order of numbers and the year or month of the heading above complete it.
    pub(in crate::extract) fn completed(self, order: Option<Order>, above: Option<Self>) -> Option<Published> {
        let day = match (self, above) {
            (Self::Whole(published), _) => return Some(published),
            (Self::Swappable { year, numbers: (a, b) }, _) => match order? {
                Order::DayFirst => found(year, b, a)?.day,
                Order::MonthFirst => found(year, a, b)?.day,
            },
            (Self::Yearless { month, day }, Some(Self::Year(year))) => found(year, month, day)?.day,
            (Self::Yearless { month, day }, Some(Self::Month { year, month: m })) if m == month => {
                found(year, month, day)?.day
            }
            _ => return None,
        };
        Some(Published::Day(day))
    }

    /// Which order a date proves, if its numbers can be read one way only and do not say so themselves.
    pub(in crate::extract) fn order(text: &str) -> Option<Order> {
        let (first, 1..=2, rest) = digits(text.trim_start())? else { return None };
        let sign = rest.chars().next().filter(|c| matches!(c, '/' | '-'))?;
        let (second, 1..=2, rest) = digits(&rest[1..])? else { return None };
        let (_, 4, _) = digits(rest.strip_prefix(sign)?)? else { return None };
        match (first, second) {
            (13..=31, 1..=12) => Some(Order::DayFirst),
            (1..=12, 13..=31) => Some(Order::MonthFirst),
            _ => None,
        }
    }
}

/// What all of a text says of a date.
pub(in crate::extract) fn seen(text: &str, tz: Tz) -> Option<Seen> {
    let text = ascii_digits(text.trim());
    let dotted = dotted(text.trim());
    let text = dotted.as_deref().unwrap_or(text.trim());
    if let Some(published) = super::parse(text, tz) {
        return Some(Seen::Whole(published));
    }
    let (seen, rest) = partial(text).or_else(|| partial(super::after_weekday(text)?))?;
    let is_end = !rest.contains(char::is_alphanumeric);
    is_end.then_some(seen)
}

/// The first date in a text that is more than a date, and where it stands; nowhere, where its digits are not ASCII's.
pub(in crate::extract) fn find(text: &str) -> Option<(Seen, std::ops::Range<usize>)> {
    let plain = ascii_digits(text);
    let is_same = matches!(plain, std::borrow::Cow::Borrowed(_));
    let text = &*plain;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_start = !before.is_alphanumeric() && !matches!(before, '.' | '/' | '-' | '$' | '€' | '#');
        // Letters of East Asia stand right before a year.
        let is_start = is_start || c.is_ascii_digit() && !before.is_ascii_alphanumeric() && !before.is_ascii();
        before = c;
        let here = &text[at..];
        if !(is_start && (c.is_ascii_digit() || c.is_alphabetic() && is_month(word(here).0))) {
            continue;
        }
        let whole = numeric(here).filter(|_| !is_long_number(here)).or_else(|| worded(here));
        let whole = whole.filter(|(date, _)| !date.short_year && date.is_of(&YEARS));
        let whole = whole.map(|(date, rest)| (Seen::Whole(Published::Day(date.day)), rest));
        let Some((seen, rest)) = whole.or_else(|| swappable(here)) else { continue };
        if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Some((seen, if is_same { at..text.len() - rest.len() } else { 0..0 }));
        }
    }
    None
}

/// A day of the years that a post can be of.
fn found(year: u32, month: u32, day: u32) -> Option<Found> {
    super::found(year, month, day).filter(|found| found.is_of(&YEARS))
}

/// Whether a date may begin with a word.
fn is_month(word: &str) -> bool {
    names::month(word).is_some() || names::is_month_of_number(word)
}

/// Eight digits in running text are a number more often than a date.
fn is_long_number(text: &str) -> bool {
    digits(text).is_none_or(|(_, len, _)| len == 8)
}

/// Less than a date, and the rest.
fn partial(text: &str) -> Option<(Seen, &str)> {
    swappable(text).or_else(|| {
        if let Some((year, 4, rest)) = digits(text)
            && YEARS.contains(&year)
            && !rest.trim_start().starts_with(|c: char| c.is_alphanumeric())
        {
            return Some((Seen::Year(year), rest.strip_prefix('年').unwrap_or(rest)));
        }
        month_with(text)
    })
}

/// A month's name with a day or a year; `9月24日`, `2026年9月`, `2026年`.
fn month_with(text: &str) -> Option<(Seen, &str)> {
    if let Some((number, len, rest)) = digits(text)
        && let Some(rest) = rest.trim_start().strip_prefix(['年', '년'])
    {
        let year = (len == 4).then_some(number)?;
        return match digits(rest.trim_start()).and_then(|(n, _, r)| Some((n, r.strip_prefix(['月', '월'])?))) {
            Some((month, rest)) if (1..=12).contains(&month) => Some((Seen::Month { year, month }, rest)),
            _ => YEARS.contains(&year).then_some((Seen::Year(year), rest)),
        };
    }
    if let Some((month, _, rest)) = digits(text)
        && let Some(rest) = rest.strip_prefix(['月', '월'])
    {
        let (day, _, rest) = digits(rest.trim_start())?;
        return yearless(month, day, rest.strip_prefix(['日', '일'])?);
    }
    let (first, rest) = part(text)?;
    let (second, rest) = part(rest)?;
    let ((super::Part::Month(month), super::Part::Number(number, len))
    | (super::Part::Number(number, len), super::Part::Month(month))) = (first, second)
    else {
        return None;
    };
    match len {
        4 if YEARS.contains(&number) => Some((Seen::Month { year: number, month }, rest)),
        1..=2 => yearless(month, number, rest),
        _ => None,
    }
}

fn yearless(month: u32, day: u32, rest: &str) -> Option<(Seen, &str)> {
    // 2024 was a leap year: the 29th of February may be meant.
    NaiveDate::from_ymd_opt(2024, month, day).map(|_| (Seen::Yearless { month, day }, rest))
}

/// `3/12/2020` and the like, which can be read in two ways.
fn swappable(text: &str) -> Option<(Seen, &str)> {
    let (a, 1..=2, rest) = digits(text)? else { return None };
    let sign = rest.chars().next().filter(|c| matches!(c, '/' | '-'))?;
    let (b, 1..=2, rest) = digits(&rest[1..])? else { return None };
    let (year, 4, rest) = digits(rest.strip_prefix(sign)?)? else { return None };
    let fits = (1..=12).contains(&a) && (1..=12).contains(&b) && a != b && YEARS.contains(&year);
    fits.then_some((Seen::Swappable { year, numbers: (a, b) }, rest))
}

/// The day that an address's path holds: `/2026/09/24/`, `/2026-09-24-title`, `/20260924/`.
pub(in crate::extract) fn in_path(path: &str) -> Option<NaiveDate> {
    let is_number =
        |s: &str, len: std::ops::RangeInclusive<usize>| len.contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
    let segments: Vec<&str> = path.split('/').collect();
    for three in segments.windows(3) {
        if is_number(three[0], 4..=4) && is_number(three[1], 1..=2) {
            let day = three[2].split(['-', '_', '.']).next().unwrap_or_default();
            if is_number(day, 1..=2) {
                return day_of(three[0], three[1], day);
            }
        }
    }
    segments.iter().rev().find_map(|segment| {
        let (year, 4, rest) = digits(segment)? else {
            let (number, 8, rest) = digits(segment)? else { return None };
            let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
            return found(number / 10_000, number / 100 % 100, number % 100).filter(|_| ends).map(|f| f.day);
        };
        let sign = rest.chars().next().filter(|c| matches!(c, '-' | '_' | '.'))?;
        let (month, 1..=2, rest) = digits(&rest[1..])? else { return None };
        let (day, 1..=2, rest) = digits(rest.strip_prefix(sign)?)? else { return None };
        let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        found(year, month, day).filter(|_| ends).map(|f| f.day)
    })
}

fn day_of(year: &str, month: &str, day: &str) -> Option<NaiveDate> {
    found(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).map(|f| f.day)
}

/// `24·09·2026` with dots on the line.
fn dotted(text: &str) -> Option<String> {
    let is_so = text.contains('·') && text.chars().all(|c| c.is_ascii_digit() || c == '·');
    is_so.then(|| text.replace('·', "."))
}

/// The zeros of digits that are written for ASCII's: Arabic, Persian, Hindi, Bengali, Thai, and wide ones.
const ZEROS: [char; 6] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}', '\u{ff10}'];

/// A text with other digits as ASCII's.
pub(super) fn ascii_digits(text: &str) -> std::borrow::Cow<'_, str> {
    let digit = |c: char| {
        let value = ZEROS.iter().map(|&zero| u32::from(c).wrapping_sub(u32::from(zero))).find(|value| *value < 10);
        value.and_then(|value| char::from_digit(value, 10))
    };
    if text.is_ascii() || !text.contains(|c| digit(c).is_some()) {
        return text.into();
    }
    text.chars().map(|c| digit(c).unwrap_or(c)).collect::<String>().into()
}
