//! A date as people and programs write it → [`Published`], or nothing.
//!
//! In: the text of a date, and the zone in which a time without one is meant. Out: a day, or an instant in its own
//! offset. What cannot be read for certain is no date: day and month that could be swapped (`3/12/2020`), no year,
//! relative words (which `ago` reads apart), a day that does not exist, an hour that no clock shows, years outside 1990 to
//! 2100 (in a feed's own dates: years before 1000, and the days that programs write for no date, such as 1 January 1970).
//! Never a guess, and never the clock: what a page says must mean the same tomorrow and on every computer.
//!
//! Reads RFC 3339 and ISO 8601 calendar dates, days of XML Schema, RFC 2822, `24.09.2026` (dots are written day first
//! everywhere), `2026年9月24日`, and months of nearly forty languages, also with the digits of Arabic, Persian, Hindi and
//! Thai; beside Thai words years may count from the Buddha (2569). Known gaps: week and ordinal dates of ISO 8601, other calendars
//! (Persian, Hebrew), zones whose abbreviation means several (`IST`), clocks written `10h30`.

mod ago;
pub(super) mod byline;
mod clock;
mod names;
mod within;

pub(super) use ago::ago;
pub(super) use within::{Order, Seen, find, in_path, seen};

use crate::model::Published;
use chrono::{Datelike, NaiveDate, Timelike};
use chrono_tz::Tz;
use std::ops::RangeInclusive;

/// Longest text that can be a date; anything longer is a sentence.
const MAX: usize = 100;

/// Longest word beside a date, in bytes.
const MAX_WORD: usize = 40;

/// The years that a post on a page can be of: pages name other years too, and mean something else.
const YEARS: RangeInclusive<u32> = 1990..=2100;

/// The years in a feed's own date, which can be of nothing but the post: archives go back further than the web.
const YEARS_OF_FEEDS: RangeInclusive<u32> = 1000..=2999;

/// Years of the Persian and the Islamic calendar: dates in numbers are of these, sooner than of our Middle Ages.
const YEARS_OF_OTHERS: RangeInclusive<i32> = 1300..=1500;

/// The days from which programs count, which they write where they have no date.
const ZEROS: [(i32, u32, u32); 6] =
    [(1601, 1, 1), (1899, 12, 30), (1900, 1, 1), (1904, 1, 1), (1969, 12, 31), (1970, 1, 1)];

/// Reads a date; see the module's page for what is understood.
///
/// ```
/// use pagewire::extract::date;
/// let day = date::parse("Sep 24, 2026", chrono_tz::UTC).expect("a date");
/// assert_eq!(day.json(), "2026-09-24");
/// assert_eq!(date::parse("3/12/2020", chrono_tz::UTC), None);
/// ```
pub fn parse(text: &str, tz: Tz) -> Option<Published> {
    parse_of(text, tz, &YEARS)
}

/// Reads what stands where only a date can: besides what [`parse`] reads, a date with a word before it and one behind it,
/// as weekdays and the word for "year" are in many languages (`сб, 5 сентября 2026 г.`, `2026年9月5日 星期六`).
pub(super) fn parse_field(text: &str, tz: Tz) -> Option<Published> {
    parse(text, tz).or_else(|| between_words(text, tz))
}

fn between_words(text: &str, tz: Tz) -> Option<Published> {
    let text = within::ascii_digits(text.trim());
    if text.len() > MAX {
        return None;
    }
    let (Seen::Whole(Published::Day(day)), range) = find(&text)? else { return None };
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let is_word = |text: &str| {
        let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
        text.len() <= MAX_WORD && !text.contains(char::is_whitespace) && !text.contains(char::is_numeric)
    };
    let time = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
    let (word_of_day, time) = after.split_at(time);
    if !is_word(before) || !is_word(word_of_day) {
        return None;
    }
    if time.is_empty() {
        return Some(Published::Day(day));
    }
    let is_sign = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
    // With a word that may name half of the day a time of twelve hours says two.
    let is_plain = word_of_day.split(is_sign).all(|word| word.is_empty() || names::is_of_day(word));
    let of_half = || clock::instant(day, after.trim_start_matches(is_sign), tz);
    let at = if is_plain { clock::instant(day, time, tz) } else { of_half() };
    if at.is_some() || is_plain {
        return at.map(Published::Instant);
    }
    let at = clock::instant(day, time, tz)?;
    let is_certain = at.hour() == 0 || at.hour() > 12;
    Some(if is_certain { Published::Instant(at) } else { Published::Day(day) })
}

/// Reads the date of a feed's item: of more years, and with the zones of one letter, which programs got wrong so often
/// that they say nothing (RFC 2822 §4.3). The days from which programs count are none.
pub(super) fn of_feed(text: &str, tz: Tz) -> Option<Published> {
    let is_of_others = |(date, _): (Found, &str)| YEARS_OF_OTHERS.contains(&date.day.year());
    if numeric(&within::ascii_digits(text)).is_some_and(is_of_others) {
        return None;
    }
    stated(text, tz).or_else(|| between_words(text, tz)).filter(|date| !is_zero(*date))
}

/// Whether a feed gives the date that programs write for none.
pub(super) fn is_none_of_feed(text: &str, tz: Tz) -> bool {
    text.starts_with("0001-01-01") || text.contains(" Jan 0001 ") || stated(text, tz).is_some_and(is_zero)
}

fn stated(text: &str, tz: Tz) -> Option<Published> {
    let military = text.rsplit_once([' ', '\t']).filter(|(_, z)| z.len() == 1 && z.as_bytes()[0].is_ascii_alphabetic());
    let of_letter = military.and_then(|(time, _)| parse_of(&format!("{time} +0000"), tz, &YEARS_OF_FEEDS));
    of_letter.or_else(|| parse_of(text, tz, &YEARS_OF_FEEDS))
}

fn is_zero(date: Published) -> bool {
    let day = date.day();
    ZEROS.contains(&(day.year(), day.month(), day.day()))
}

fn parse_of(text: &str, tz: Tz, years: &RangeInclusive<u32>) -> Option<Published> {
    if text.len() > MAX {
        return None;
    }
    let mut text = within::ascii_digits(text);
    let is_odd_space = |c: char| c.is_whitespace() && c != ' ';
    if text.contains(is_odd_space) {
        text = text.replace(is_odd_space, " ").into();
    }
    // "Sep 24, 2026 · 5 min read": what is set apart does not belong to the date.
    let text = text.split(['·', '•', '|']).next().unwrap_or_default();
    let text = text.trim().trim_end_matches(['.', ',']);
    let date = |text| numeric(text).or_else(|| worded(text)).filter(|(date, _)| date.is_of(years));
    let (date, rest) = date(text).or_else(|| date(after_weekday(text)?))?;
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('(') || clock::is_zone_of_day(rest) {
        return (!date.short_year).then_some(Published::Day(date.day));
    }
    clock::instant(date.day, rest, tz).map(Published::Instant)
}

/// A day, and whether its year was written with two digits, which RFC 2822 alone allows, before a time.
struct Found {
    day: NaiveDate,
    short_year: bool,
}

impl Found {
    fn is_of(&self, years: &RangeInclusive<u32>) -> bool {
        u32::try_from(self.day.year()).is_ok_and(|year| years.contains(&year))
    }
}

fn found(year: u32, month: u32, day: u32) -> Option<Found> {
    let day = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    Some(Found { day, short_year: false })
}

/// What follows `Thu, `, `Donnerstag, `, `jeudi `: whether it fits the date is not our affair.
fn after_weekday(text: &str) -> Option<&str> {
    let (word, rest) = word(text);
    names::is_weekday(word).then(|| rest.trim_start_matches(['.', ',', ' ']))
}

/// The letters (with accents that stand apart) at the start of a text, and the rest.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !names::is_of_word(c)).unwrap_or(text.len()))
}

/// The digits at the start of a text as a number, how many they are, and the rest.
fn digits(text: &str) -> Option<(u32, usize, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..len].parse().ok()?, len, &text[len..]))
}

/// Dates in digits only.
fn numeric(text: &str) -> Option<(Found, &str)> {
    let (first, len, rest) = digits(text)?;
    if len == 8 {
        return Some((found(first / 10_000, first / 100 % 100, first % 100)?, rest));
    }
    let sign = rest.chars().next()?;
    let (month_sign, day_sign) = match sign {
        '-' | '/' | '.' => (sign, None),
        '年' => ('月', Some('日')),
        '년' => ('월', Some('일')),
        _ => return None,
    };
    let (second, second_len, rest) = digits(rest[sign.len_utf8()..].trim_start_matches(' '))?;
    let (third, third_len, rest) = digits(rest.strip_prefix(month_sign)?.trim_start_matches(' '))?;
    let rest = day_sign.map_or(Some(rest), |s| rest.strip_prefix(s))?;
    let found = match (len, second_len, third_len) {
        (4, 1..=2, 1..=2) => found(first, second, third)?,
        (1..=2, 1..=2, 4) => match sign {
            '.' => found(third, second, first)?,
            // A number over 12 is no month, so only one order is left; two equal ones need none.
            _ if first > 12 || first == second => found(third, second, first)?,
            _ if second > 12 => found(third, first, second)?,
            _ => return None,
        },
        _ => return None,
    };
    Some((found, rest))
}

/// One part of a date with a month's name.
enum Part {
    Month(u32),
    Number(u32, usize),
}

/// Dates with a month's name: day, month and year in the three orders that are in use.
fn worded(text: &str) -> Option<(Found, &str)> {
    let (a, rest) = part(text)?;
    let (b, rest) = part(rest)?;
    let (c, rest) = part(rest)?;
    let read = &text[..text.len() - rest.len()];
    let found = |year, month, day| {
        // 2569 is 2026 where years are counted from the Buddha.
        let is_of_buddha = year > 2400 && read.contains(names::is_thai);
        found(if is_of_buddha { year - 543 } else { year }, month, day)
    };
    match (a, b, c) {
        (Part::Month(month), Part::Number(day, 1..=2), Part::Number(year, 4))
        | (Part::Number(day, 1..=2), Part::Month(month), Part::Number(year, 4))
        | (Part::Number(year, 4), Part::Month(month), Part::Number(day, 1..=2)) => {
            Some((found(year, month, day)?, rest))
        }
        (Part::Number(day, 1..=2), Part::Month(month), Part::Number(year, 2)) => {
            // RFC 2822 §4.3: 00 to 49 are of this century.
            let year = if year < 50 { 2000 + year } else { 1900 + year };
            Some((Found { short_year: true, ..found(year, month, day)? }, rest))
        }
        _ => None,
    }
}

/// The next number or month, after punctuation and words that only join, and the rest.
fn part(mut text: &str) -> Option<(Part, &str)> {
    loop {
        text = text.trim_start_matches([' ', ',', '.', '-', '/']);
        if let Some((number, len, rest)) = digits(text) {
            return Some((Part::Number(number, len), after_ordinal(rest)));
        }
        let (word, rest) = word(text);
        if let Some(month) = names::month(word) {
            return Some((Part::Month(month), rest));
        }
        if names::is_month_of_number(word) {
            let (month, _, rest) = digits(rest.trim_start())?;
            return Some((Part::Month(month), rest));
        }
        if !names::is_joint(word) {
            return None;
        }
        text = rest;
    }
}

/// `24th`, `1er`, `1º`: the ending goes.
fn after_ordinal(text: &str) -> &str {
    let (ending, rest) = word(text);
    if names::is_ordinal(ending) { rest } else { text.trim_start_matches('°') }
}
