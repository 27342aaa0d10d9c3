//! What stands behind a day: a time and a zone → an instant.
//!
//! In: `T10:15:00Z`, ` 10:15 PM EDT`, ` um 10:15 Uhr`. Out: the instant in its own offset; nothing where the clock or
//! the zone cannot be. Fractions of seconds are dropped, as everywhere in pagewire.

use super::{digits, names, word};
use chrono::{DateTime, Duration, FixedOffset, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone};
use chrono_tz::Tz;

/// The instant that a day and the text behind it name. All of the text must be understood.
pub(super) fn instant(day: NaiveDate, text: &str, tz: Tz) -> Option<DateTime<FixedOffset>> {
    let (time, rest) = time(text.trim_start_matches([' ', ',']))?;
    let at = day.and_time(time);
    // RFC 2822 and 9557 explain an offset by a name in brackets; without one the name is the zone.
    let (zone, comment) = rest.split_once(['[', '(']).map_or((rest, ""), |(z, c)| (z, c.trim_end_matches([']', ')'])));
    match (zone.trim(), comment.trim()) {
        ("", "") => local(at, tz),
        ("", name) => in_zone(at, name),
        (zone, _) => in_zone(at, zone),
    }
}

/// A clock's time, behind what joins it to the day, and the rest.
fn time(text: &str) -> Option<(NaiveTime, &str)> {
    let (joint, after) = word(text);
    let is_iso = joint.eq_ignore_ascii_case("t");
    let text = if is_iso || names::is_time_joint(joint) { after.trim_start_matches(['.', ' ']) } else { text };
    let (first, len, rest) = digits(text)?;
    let (hour, minute, second, rest) = match len {
        1..=2 => {
            let (minute, rest) = sixty(rest).map_or((None, rest), |(n, rest)| (Some(n), rest));
            let (second, rest) = minute.and_then(|_| sixty(rest)).unwrap_or((0, rest));
            (first, minute, second, rest)
        }
        // Without the `T` four digits may be a year or a count.
        4 if is_iso => (first / 100, Some(first % 100), 0, rest),
        6 if is_iso => (first / 10_000, Some(first / 100 % 100), first % 100, rest),
        _ => return None,
    };
    let rest = rest.strip_prefix(['.', ',']).and_then(digits).map_or(rest, |(_, _, rest)| rest);
    let (half, rest) = half(rest);
    // "10" alone is no time, "10 am" is.
    let minute = minute.or(half.map(|_| 0))?;
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
    };
    // A leap second is counted with the second before it.
    let second = if second == 60 { 59 } else { second };
    Some((NaiveTime::from_hms_opt(hour, minute, second)?, rest))
}

/// Two digits behind a colon, and the rest.
fn sixty(text: &str) -> Option<(u32, &str)> {
    let (number, len, rest) = digits(text.strip_prefix(':')?)?;
    (len == 2).then_some((number, rest))
}

/// Whether "am" or "pm" follows, and the rest, also behind "Uhr", which adds nothing.
fn half(text: &str) -> (Option<bool>, &str) {
    let after = text.trim_start();
    for (spelling, afternoon) in
        [("a.m.", false), ("p.m.", true), ("a.m", false), ("p.m", true), ("am", false), ("pm", true)]
    {
        if let Some(start) = after.get(..spelling.len())
            && start.eq_ignore_ascii_case(spelling)
            && !after[spelling.len()..].starts_with(char::is_alphabetic)
        {
            return (Some(afternoon), &after[spelling.len()..]);
        }
    }
    let (first, rest) = word(after);
    (None, if first.eq_ignore_ascii_case("uhr") { rest } else { text })
}

/// A time in a zone that the text names.
fn in_zone(at: NaiveDateTime, zone: &str) -> Option<DateTime<FixedOffset>> {
    let (name, rest) = word(zone);
    match names::zone(name) {
        Some(names::Zone::Minutes(minutes)) => {
            // "UTC+2" counts from UTC; "EST-5" would be read twice.
            let offset = if rest.is_empty() { Some(minutes) } else { offset(rest).filter(|_| minutes == 0) };
            fixed(at, offset?)
        }
        Some(names::Zone::Place(tz)) if rest.is_empty() => local(at, tz),
        None if name.is_empty() => {
            // Go writes the name behind the offset: `+0000 UTC`.
            let named = zone.split_once(' ').filter(|(_, name)| name.chars().all(|c| c.is_ascii_alphabetic()));
            fixed(at, offset(named.map_or(zone, |(offset, _)| offset))?)
        }
        None if zone.contains('/') => local(at, zone.parse().ok()?),
        Some(names::Zone::Place(_)) | None => None,
    }
}

/// `+02:00`, `+0200`, `+2` in minutes. No place on earth is more than 14 hours from UTC.
fn offset(text: &str) -> Option<i32> {
    let mut rest = text.chars();
    let sign = match rest.next()? {
        '+' => 1,
        '-' | '\u{2212}' => -1,
        _ => return None,
    };
    let (first, len, rest) = digits(rest.as_str())?;
    let (hours, minutes, rest) = match (len, sixty(rest)) {
        (1..=2, Some((minutes, rest))) => (first, minutes, rest),
        (1..=2, None) => (first, 0, rest),
        (4, _) => (first / 100, first % 100, rest),
        _ => return None,
    };
    let valid = rest.is_empty() && minutes < 60 && hours * 60 + minutes <= 14 * 60;
    valid.then_some(sign * i32::try_from(hours * 60 + minutes).ok()?)
}

fn fixed(at: NaiveDateTime, minutes: i32) -> Option<DateTime<FixedOffset>> {
    FixedOffset::east_opt(minutes * 60)?.from_local_datetime(&at).single()
}

/// A time on the clocks of a place. Of an hour that comes twice it is the first; one that is skipped is read as the
/// clock that was not put forward would show it.
fn local(at: NaiveDateTime, tz: Tz) -> Option<DateTime<FixedOffset>> {
    let found = match tz.from_local_datetime(&at) {
        LocalResult::Single(t) | LocalResult::Ambiguous(t, _) => t,
        LocalResult::None => {
            // No place has ever skipped more than a day.
            let before = tz.from_local_datetime(&at.checked_sub_signed(Duration::hours(25))?).earliest()?;
            before.checked_add_signed(Duration::hours(25))?
        }
    };
    Some(found.with_timezone(&found.offset().fix()))
}
