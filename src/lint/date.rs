//! Dates: RFC 822, RFC 3339 and the W3C's profile of ISO 8601. In: a text. Out: whether it is one, and if not, why.

use chrono::NaiveDate;
use std::borrow::Cow;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const ZONES: [&str; 11] = ["ut", "gmt", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "z"];

const NO_DATE: &str = "is no date of RFC 822, such as `Thu, 24 Sep 2026 10:00:00 GMT`";

/// RFC 822 §5, with years of four digits too (RSS 2.0). What is wrong, if something is.
pub(super) fn rfc822(text: &str) -> Result<(), &'static str> {
    if is_usual_rfc822(text) {
        return Ok(());
    }
    let plain = without_comments(text);
    let comma = plain.bytes().position(|b| b == b',');
    let (day_name, rest) = comma.map_or((None, &*plain), |at| (Some(plain[..at].trim()), &plain[at + 1..]));
    let mut parts = rest.split_whitespace();
    let [day, month, year, time, zone, more] = std::array::from_fn(|_| parts.next());
    let (Some(day), Some(month), Some(year), Some(time), Some(zone), None) = (day, month, year, time, zone, more)
    else {
        return Err(NO_DATE);
    };
    let place = |names: &[&str], name: &str| names.iter().position(|known| known.eq_ignore_ascii_case(name));
    let number =
        |s: &str, lengths: &[usize]| Digits(s.as_bytes()).number(s.len()).filter(|_| lengths.contains(&s.len()));
    let month = place(&MONTHS, month).and_then(|m| u32::try_from(m + 1).ok());
    let day = number(day, &[1, 2]);
    let full = number(year, &[2, 4]).map(|y| if year.len() == 4 { y } else { y + if y < 50 { 2000 } else { 1900 } });
    let (Some(day), Some(month), Some(full)) = (day, month, full) else { return Err(NO_DATE) };
    let weekday = day_name.map(|name| place(&DAYS, name));
    let offset = zone.strip_prefix(['+', '-']).is_some_and(|d| number(d, &[4]).is_some());
    let military = matches!(zone.as_bytes(), [b] if b.is_ascii_alphabetic() && !b.eq_ignore_ascii_case(&b'j'));
    let mut clock = time.split(':').map(|part| number(part, &[2]));
    let (hour, minute, second) = (clock.next().flatten(), clock.next().flatten(), clock.next());
    let (Some(hour), Some(minute), None) = (hour, minute, clock.next()) else { return Err(NO_DATE) };
    let is_shaped = second != Some(None) && weekday != Some(None);
    if !is_shaped || !(offset || military || place(&ZONES, zone).is_some()) {
        return Err(NO_DATE);
    }
    let Some(date) = i32::try_from(full).ok().and_then(|year| NaiveDate::from_ymd_opt(year, month, day)) else {
        return Err("names a day that there is not");
    };
    let its_own = chrono::Datelike::weekday(&date).num_days_from_monday() as usize;
    if weekday.flatten().is_some_and(|day| day != its_own) && year.len() == 4 {
        return Err("names another day of the week than that date has");
    }
    if hour > 23 || minute > 59 || second.flatten() > Some(60) {
        return Err("names a time that there is not");
    }
    Ok(())
}

/// Whether it is a date as nearly every feed writes it, `Thu, 24 Sep 2026 10:00:00 +0000`, and all is well with it.
fn is_usual_rfc822(text: &str) -> bool {
    let Some((names, numbers)) = text.split_at_checked(5).filter(|(name, _)| name.ends_with(", ")) else {
        return false;
    };
    let mut rest = Digits(numbers.as_bytes());
    let Some(day) = rest.number(2).filter(|_| rest.skip(b' ')) else { return false };
    let Some((month, numbers)) = rest.0.split_at_checked(3) else { return false };
    let month = MONTHS.iter().zip(1..).find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(month));
    rest = Digits(numbers);
    let year = rest.behind(b' ', 4).and_then(|year| i32::try_from(year).ok());
    let (Some((_, month)), Some(year)) = (month, year) else { return false };
    let Some(date) = NaiveDate::from_ymd_opt(year, month, day) else { return false };
    let weekday = DAYS[chrono::Datelike::weekday(&date).num_days_from_monday() as usize];
    weekday.eq_ignore_ascii_case(&names[..3])
        && rest.skip(b' ')
        && rest.is_clock()
        && rest.behind(b':', 2).is_some_and(|second| second <= 60)
        && rest.skip(b' ')
        && (rest.skip(b'+') || rest.skip(b'-'))
        && rest.number(4).is_some()
        && rest.ends()
}

/// Without what stands in brackets, which RFC 822 §3.4.3 allows anywhere.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|b| matches!(b, b'(' | b'\\')) {
        return Cow::Borrowed(text);
    }
    let mut depth = 0usize;
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// RFC 3339 §5.6, as RFC 4287 §3.3 wants it: with seconds, and a capital `T` and `Z`.
pub(super) fn rfc3339(text: &str) -> bool {
    text.len() >= 20 && text.as_bytes()[10] == b'T' && text.as_bytes()[16] == b':' && w3c(text)
}

/// W3C's profile of ISO 8601: a year, a month, a day, or a time with its zone.
pub(super) fn w3c(text: &str) -> bool {
    let mut rest = Digits(text.as_bytes());
    let Some(year) = rest.number(4) else { return false };
    if rest.ends() {
        return true;
    }
    let Some(month) = rest.behind(b'-', 2) else { return false };
    if rest.ends() {
        return (1..=12).contains(&month);
    }
    let day = rest.behind(b'-', 2).zip(i32::try_from(year).ok());
    if day.and_then(|(day, year)| NaiveDate::from_ymd_opt(year, month, day)).is_none() {
        return false;
    }
    rest.ends() || (rest.skip(b'T') && rest.is_time())
}

/// What is left of a date.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn ends(&self) -> bool {
        self.0.is_empty()
    }

    /// Passes over a byte, if it is there.
    fn skip(&mut self, byte: u8) -> bool {
        let [first, rest @ ..] = self.0 else { return false };
        if *first == byte {
            self.0 = rest;
        }
        *first == byte
    }

    /// The number that so many digits are.
    fn number(&mut self, length: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let push = |number: u32, b: &u8| number.checked_mul(10)?.checked_add(u32::from(b.checked_sub(b'0')?));
        digits.iter().try_fold(0, |number, b| push(number, b).filter(|_| b.is_ascii_digit()))
    }

    /// The same behind a byte.
    fn behind(&mut self, byte: u8, length: usize) -> Option<u32> {
        if self.skip(byte) { self.number(length) } else { None }
    }

    /// Whether what is left is hours and minutes, perhaps seconds, perhaps parts of them, and the zone.
    fn is_time(&mut self) -> bool {
        if !self.is_clock() {
            return false;
        }
        if self.skip(b':') {
            if self.number(2).is_none_or(|second| second > 60) {
                return false;
            }
            if self.skip(b'.') {
                let parts = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
                if parts == 0 {
                    return false;
                }
                self.0 = &self.0[parts..];
            }
        }
        let zone = self.skip(b'Z') || ((self.skip(b'+') || self.skip(b'-')) && self.is_clock());
        zone && self.ends()
    }

    /// Whether hours and minutes come.
    fn is_clock(&mut self) -> bool {
        self.number(2).is_some_and(|hour| hour <= 23) && self.behind(b':', 2).is_some_and(|minute| minute <= 59)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for good in [
            "Thu, 24 Sep 2026 10:00:00 +0000",
            "24 Sep 26 10:00 GMT",
            "Thu, 24 Sep 2026 10:00:00 EST",
            "thu,24 sep 2026 10:00 z (noon)",
        ] {
            assert_eq!(rfc822(good), Ok(()), "{good}");
        }
        for bad in [
            "2026-09-24",
            "Fri, 24 Sep 2026 10:00:00 GMT",
            "24 Sept 2026 10:00:00 GMT",
            "31 Feb 2026 10:00:00 GMT",
            "24 Sep 2026",
            "24 Sep 2026 10:00:00",
            "24 Sep 2026 25:00:00 GMT",
            "",
        ] {
            assert!(rfc822(bad).is_err(), "{bad}");
        }
        for good in ["2026-09-24T10:00:00Z", "2026-09-24T10:00:00.25+02:00"] {
            assert!(rfc3339(good), "{good}");
        }
        for bad in [
            "2026-09-24",
            "2026-09-24T10:00Z",
            "2026-09-24T10:00+02:00",
            "2026-09-24T10:00:00.Z",
            "2026-09-24t10:00:00Z",
            "2026-09-24 10:00:00Z",
            "2026-09-31T10:00:00Z",
            "2026-09-24T10:00:00",
            "2026-09-24T24:00:00Z",
            "0T",
            "é",
        ] {
            assert!(!rfc3339(bad), "{bad}");
        }
        for (text, good) in [
            ("2026", true),
            ("2026-09", true),
            ("2026-13", false),
            ("2026-09-24T10:00Z", true),
            ("2026-09-24T10:00", false),
        ] {
            assert_eq!(w3c(text), good, "{text}");
        }
    }
}
