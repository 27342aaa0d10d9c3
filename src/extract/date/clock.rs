//! What stands behind a day: a time and a zone → an instant.
//!
//! In: `T10:15:00Z`, ` 10:15 PM EDT`, ` um 10:15 Uhr`, `오후 3:15`, `下午3时15分`. Out: the instant in its own offset; nothing
//! where the clock or the zone cannot be. Fractions of seconds are dropped, as everywhere in pagewire.

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
    let before = names::half_of_day(joint);
    let is_joint = is_iso || before.is_some() || names::is_time_joint(joint);
    let text = if is_joint { after.trim_start_matches(['.', ' ']) } else { text };
    let (first, len, rest) = digits(text)?;
    let counted = rest.trim_start().strip_prefix(['時', '时', '點', '点', '시']).filter(|_| len <= 2);
    let (hour, minute, second, rest) = match (len, counted) {
        (1..=2, Some(rest)) => {
            let (minute, rest) = minutes(rest.trim_start()).unwrap_or((0, rest));
            (first, Some(minute), 0, rest)
        }
        (1..=2, None) => {
            let (minute, rest) = sixty(rest).map_or((None, rest), |(n, rest)| (Some(n), rest));
            let (second, rest) = minute.and_then(|_| sixty(rest)).unwrap_or((0, rest));
            (first, minute, second, rest)
        }
        // Without the `T` four digits may be a year or a count.
        (4, _) if is_iso => (first / 100, Some(first % 100), 0, rest),
        (6, _) if is_iso => (first / 10_000, Some(first / 100 % 100), first % 100, rest),
        _ => return None,
    };
    let rest = rest.strip_prefix(['.', ',']).and_then(digits).map_or(rest, |(_, _, rest)| rest);
    let (behind, rest) = half(rest);
    // "10" alone is no time, "10 am" is.
    let minute = minute.or(before.or(behind).map(|_| 0))?;
    let hour = match (before, behind) {
        // Where the half is left to the reader, hours of both may be meant.
        (None, None) if counted.is_some() && (1..=12).contains(&hour) => return None,
        (None, None) => hour,
        (Some(_), Some(_)) => return None,
        (None, Some(_)) if !(1..=12).contains(&hour) => return None,
        // Zero is said for twelve, and what a clock of 24 hours shows, behind the word too.
        (Some(true), None) if (13..24).contains(&hour) => hour,
        (Some(_), None) if hour > 12 => return None,
        (half, other) => hour % 12 + if half.or(other) == Some(true) { 12 } else { 0 },
    };
    // A leap second is counted with the second before it.
    let second = if second == 60 { 59 } else { second };
    Some((NaiveTime::from_hms_opt(hour, minute, second)?, rest))
}

/// Minutes before the word for them, and the rest.
fn minutes(text: &str) -> Option<(u32, &str)> {
    let (number, 1..=2, rest) = digits(text)? else { return None };
    Some((number, rest.trim_start().strip_prefix(['分', '분'])?))
}

/// Two digits behind a colon, and the rest.
fn sixty(text: &str) -> Option<(u32, &str)> {
    let (number, len, rest) = digits(text.strip_prefix(':')?)?;
    (len == 2).then_some((number, rest))
}

/// Whether "am" or "pm" follows, and the rest, also behind "Uhr", which adds nothing.
fn half(text: &str) -> (Option<bool>, &str) {
    let after = text.trim_start();
    for (spelling, afternoon) in [
        ("a.m.", false),
        ("p.m.", true),
        ("a. m.", false),
        ("p. m.", true),
        ("a.m", false),
        ("p.m", true),
        ("am", false),
        ("pm", true),
    ] {
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

/// Whether what stands right behind a day is a zone and nothing else: a day of XML Schema (`xsd:date`), as in Dublin Core.
pub(super) fn is_zone_of_day(text: &str) -> bool {
    text.eq_ignore_ascii_case("z") || text.contains(':') && offset(text).is_some()
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
