//! When a page is due: crontab lines, intervals, and the days on which clocks change.

use chrono::{DateTime, TimeZone, Utc};
use chrono_tz::Tz;
use pagewire::model::{Cadence, Stamp};
use proptest::prelude::*;
use std::str::FromStr;

fn at(text: &str) -> Stamp {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc().into()
}

/// The next `n` times after `from`, as the clock in `tz` shows them.
fn firings(line: &str, from: &str, tz: Tz, n: usize) -> Vec<String> {
    let cadence = Cadence::parse(line).unwrap_or_else(|e| panic!("{e}"));
    let mut now = at(from);
    let mut out = Vec::new();
    for _ in 0..n {
        let Some(next) = cadence.next(now, tz) else { break };
        assert!(next > now, "{line}: {} is not after {}", next.rfc3339(), now.rfc3339());
        now = next;
        out.push(now.utc().with_timezone(&tz).format("%a %Y-%m-%d %H:%M %z").to_string());
    }
    out
}

fn refusal(line: &str) -> String {
    Cadence::parse(line).expect_err(line).to_string()
}

/// Fault 100: weekdays count as in crontab, not as in the `cron` crate.
#[test]
fn weekdays_are_those_of_crontab() {
    assert_eq!(
        firings("0 9 * * 1-5", "2026-09-24T10:00:00Z", Tz::UTC, 5),
        [
            "Fri 2026-09-25 09:00 +0000",
            "Mon 2026-09-28 09:00 +0000",
            "Tue 2026-09-29 09:00 +0000",
            "Wed 2026-09-30 09:00 +0000",
            "Thu 2026-10-01 09:00 +0000",
        ]
    );
    for sunday in ["0 9 * * 0", "0 9 * * 7", "0 9 * * sun", "0 9 * * SUN", "0 9 * * 7-7"] {
        assert_eq!(firings(sunday, "2026-09-24T10:00:00Z", Tz::UTC, 1), ["Sun 2026-09-27 09:00 +0000"], "{sunday}");
    }
}

#[test]
fn a_range_of_weekdays_may_pass_sunday() {
    for line in ["0 0 * * fri-mon", "0 0 * * 5-1", "0 0 * * 5-7,1"] {
        let days = firings(line, "2026-09-24T10:00:00Z", Tz::UTC, 5);
        let days: Vec<&str> = days.iter().map(|d| &d[..3]).collect();
        assert_eq!(days, ["Fri", "Sat", "Sun", "Mon", "Fri"], "{line}");
    }
    let steps = firings("0 0 * * */2", "2026-09-24T10:00:00Z", Tz::UTC, 4);
    assert_eq!(steps.iter().map(|d| &d[..3]).collect::<Vec<_>>(), ["Sat", "Sun", "Tue", "Thu"]);
}

#[test]
fn either_day_field_fires_unless_one_begins_with_a_star() {
    assert_eq!(
        firings("0 9 1 * mon", "2026-09-24T10:00:00Z", Tz::UTC, 3),
        ["Mon 2026-09-28 09:00 +0000", "Thu 2026-10-01 09:00 +0000", "Mon 2026-10-05 09:00 +0000"]
    );
    assert_eq!(
        firings("0 9 */7 * mon", "2026-09-24T10:00:00Z", Tz::UTC, 2),
        ["Mon 2027-02-01 09:00 +0000", "Mon 2027-02-08 09:00 +0000"],
        "Mondays that are a 1st, 8th, 15th, 22nd or 29th"
    );
}

/// Fault 101: five fields, never guessed.
#[test]
fn five_fields_and_no_other_number() {
    assert_eq!(
        firings("*/30 * * * *", "2026-09-24T10:00:00Z", Tz::UTC, 2),
        ["Thu 2026-09-24 10:30 +0000", "Thu 2026-09-24 11:00 +0000"]
    );
    assert_eq!(
        refusal("0 */30 * * * *"),
        "`0 */30 * * * *` has 6 fields, but a crontab line has five: minute hour day month weekday; there are no seconds"
    );
    for no_line in ["******", "* * * *", "", "hourly", "@reboot", "30m", "0 0 0 0 0 0 0 0 0"] {
        assert_eq!(
            refusal(no_line),
            format!(
                "`{no_line}` is no schedule: use \"auto\", \"every 30m\", \"@hourly\" or a crontab line such as \
                 \"*/15 * * * *\""
            )
        );
    }
}

#[test]
fn each_field_says_what_it_wants() {
    for (line, message) in [
        ("60 * * * *", "`60` is no minute: use 0 to 59, ranges, steps and lists of these"),
        ("0 24 * * *", "`24` is no hour: use 0 to 23, ranges, steps and lists of these"),
        ("0 0 0 * *", "`0` is no day of the month: use 1 to 31, ranges, steps and lists of these"),
        ("0 0 L * *", "`L` is no day of the month: use 1 to 31, ranges, steps and lists of these"),
        ("0 0 1 13 *", "`13` is no month: use 1 to 12, `jan` to `dec`, ranges, steps and lists of these"),
        ("0 0 * * MON#1", "`MON#1` is no weekday: use 0 to 7, `sun` to `sat`, ranges, steps and lists of these"),
        ("0 22-2 * * *", "`22-2` is no hour: a range runs upwards, so write `22-23,0-2`"),
        ("5/15 * * * *", "`5/15` is no minute: a step needs a range, so write `5-59/15`"),
        ("*/0 * * * *", "`*/0` is no minute: a step is a whole number from 1"),
        ("+5 * * * *", "`+5` is no minute: use 0 to 59, ranges, steps and lists of these"),
        ("1,,2 * * * *", "`` is no minute: use 0 to 59, ranges, steps and lists of these"),
    ] {
        assert_eq!(refusal(line), message, "{line}");
    }
}

#[test]
fn names_stand_for_lines() {
    for (name, next) in [
        ("@hourly", "Thu 2026-09-24 11:00 +0000"),
        ("@daily", "Fri 2026-09-25 00:00 +0000"),
        ("@midnight", "Fri 2026-09-25 00:00 +0000"),
        ("@weekly", "Sun 2026-09-27 00:00 +0000"),
        ("@monthly", "Thu 2026-10-01 00:00 +0000"),
        ("@yearly", "Fri 2027-01-01 00:00 +0000"),
        ("@annually", "Fri 2027-01-01 00:00 +0000"),
    ] {
        assert_eq!(firings(name, "2026-09-24T10:00:00Z", Tz::UTC, 1), [next], "{name}");
    }
}

#[test]
fn an_interval_counts_from_the_time_it_is_given() {
    assert_eq!(
        firings("every 30m", "2026-09-24T10:01:07Z", Tz::UTC, 2),
        ["Thu 2026-09-24 10:31 +0000", "Thu 2026-09-24 11:01 +0000"]
    );
    for none in ["every 0s", "every", "every hour", "every 30", "every m"] {
        let message = refusal(none);
        assert!(message.starts_with(&format!("`{none}` is no interval")), "{message}");
    }
    assert_eq!(Cadence::parse("auto").unwrap().next(at("2026-09-24T10:00:00Z"), Tz::UTC), None);
}

#[test]
fn a_schedule_gives_its_text_back_and_is_its_text() {
    for text in ["auto", "every 30m", "@daily", "*/15 9-17 * jan mon-fri"] {
        assert_eq!(Cadence::parse(text).unwrap().to_string(), text);
        assert_eq!(Cadence::parse(text).unwrap(), Cadence::parse(&format!(" {text} ")).unwrap());
    }
    assert_ne!(Cadence::parse("@daily").unwrap(), Cadence::parse("@hourly").unwrap());
}

/// Fault 103: a skipped local time fires once, at the first minute after the gap.
#[test]
fn a_skipped_time_fires_after_the_gap() {
    let new_york = Tz::America__New_York;
    assert_eq!(
        firings("30 2 * * *", "2026-03-07T12:00:00Z", new_york, 2),
        ["Sun 2026-03-08 03:00 -0400", "Mon 2026-03-09 02:30 -0400"]
    );
    assert_eq!(
        firings("*/20 2 * * *", "2026-03-08T00:00:00-05:00", new_york, 2),
        ["Sun 2026-03-08 03:00 -0400", "Mon 2026-03-09 02:00 -0400"],
        "three skipped times are one run"
    );
    assert_eq!(
        firings("0 */12 * * *", "2026-04-23T13:00:00+02:00", Tz::Africa__Cairo, 2),
        ["Fri 2026-04-24 01:00 +0300", "Fri 2026-04-24 12:00 +0300"],
        "a skipped midnight"
    );
    assert_eq!(
        firings("0 9 * * *", "2011-12-29T12:00:00-10:00", Tz::Pacific__Apia, 2),
        ["Sat 2011-12-31 00:00 +1400", "Sat 2011-12-31 09:00 +1400"],
        "a skipped day"
    );
}

/// Fault 103: a doubled local time fires once.
#[test]
fn a_doubled_time_fires_once() {
    let new_york = Tz::America__New_York;
    assert_eq!(
        firings("30 1 * * *", "2026-10-31T12:00:00Z", new_york, 2),
        ["Sun 2026-11-01 01:30 -0400", "Mon 2026-11-02 01:30 -0500"]
    );
    assert_eq!(
        firings("*/30 1-3 * * *", "2026-11-01T00:00:00-04:00", new_york, 6),
        [
            "Sun 2026-11-01 01:00 -0400",
            "Sun 2026-11-01 01:30 -0400",
            "Sun 2026-11-01 02:00 -0500",
            "Sun 2026-11-01 02:30 -0500",
            "Sun 2026-11-01 03:00 -0500",
            "Sun 2026-11-01 03:30 -0500",
        ]
    );
    assert_eq!(
        firings("30 1 * * *", "2026-11-01T01:10:00-05:00", new_york, 1),
        ["Mon 2026-11-02 01:30 -0500"],
        "asked within the second pass"
    );
}

/// Fault 103: hourly runs every real hour.
#[test]
fn hourly_follows_real_hours() {
    let new_york = Tz::America__New_York;
    for (line, from) in [
        ("0 * * * *", "2026-11-01T00:30:00-04:00"),
        ("30 * * * *", "2026-11-01T00:30:00-04:00"),
        ("@hourly", "2026-03-08T00:00:00-05:00"),
        ("30 * * * *", "2026-03-08T00:30:00-05:00"),
    ] {
        let cadence = Cadence::parse(line).unwrap();
        let mut now = cadence.next(at(from), new_york).unwrap();
        for _ in 0..6 {
            let next = cadence.next(now, new_york).unwrap();
            assert_eq!(next.0 - now.0, 3600, "{line} after {}", now.rfc3339());
            now = next;
        }
    }
    assert_eq!(
        firings("*/20 * * * *", "2026-11-01T01:30:00-04:00", new_york, 5),
        [
            "Sun 2026-11-01 01:40 -0400",
            "Sun 2026-11-01 01:00 -0500",
            "Sun 2026-11-01 01:20 -0500",
            "Sun 2026-11-01 01:40 -0500",
            "Sun 2026-11-01 02:00 -0500",
        ]
    );
    assert_eq!(
        firings("*/30 */2 * * *", "2026-10-25T00:45:00+02:00", Tz::Europe__Berlin, 5),
        [
            "Sun 2026-10-25 02:00 +0200",
            "Sun 2026-10-25 02:30 +0200",
            "Sun 2026-10-25 02:00 +0100",
            "Sun 2026-10-25 02:30 +0100",
            "Sun 2026-10-25 04:00 +0100",
        ]
    );
}

/// Fault 104: no endless loop, no nonsense, no panic.
#[test]
fn a_line_that_never_fires_is_refused() {
    for never in ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"] {
        assert_eq!(refusal(never), format!("`{never}` never fires: none of its months has that day"));
    }
    assert_eq!(firings("0 0 29 2 *", "2026-03-01T00:00:00Z", Tz::UTC, 1), ["Tue 2028-02-29 00:00 +0000"]);
    assert_eq!(firings("0 0 31 2 mon", "2026-09-24T10:00:00Z", Tz::UTC, 1), ["Mon 2027-02-01 00:00 +0000"]);
    let daily = Cadence::parse("@daily").unwrap();
    for far in [i64::MIN, -1, at("2100-06-01T00:00:00Z").0, i64::MAX] {
        let next = daily.next(Stamp(far), Tz::America__New_York);
        assert!(next.is_none_or(|t| t.0 > far), "{far}: {next:?}");
    }
}

/// A field: a star, a step, or a list of numbers and ranges.
fn field(first: u32, last: u32) -> impl Strategy<Value = String> {
    let one = (first..=last).prop_map(|n| n.to_string());
    let range = (first..=last, first..=last, 1_u32..8).prop_map(|(a, b, step)| {
        let (a, b) = (a.min(b), a.max(b));
        if step == 1 { format!("{a}-{b}") } else { format!("{a}-{b}/{step}") }
    });
    let parts = prop::collection::vec(prop_oneof![one, range], 1..4).prop_map(|parts| parts.join(","));
    prop_oneof![2 => Just("*".to_owned()), 3 => parts]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Away from clock changes another implementation of crontab agrees.
    #[test]
    fn agrees_with_croner(
        minute in field(0, 59), hour in field(0, 23), day in field(1, 31), month in field(1, 12), weekday in field(0, 7),
        step in prop::option::of(1_u32..30), from in 1_700_000_000_i64..2_500_000_000,
    ) {
        let minute = step.map_or(minute, |n| format!("*/{n}"));
        let line = format!("{minute} {hour} {day} {month} {weekday}");
        let theirs = croner::Cron::from_str(&line).expect("croner reads what we write");
        let Ok(ours) = Cadence::parse(&line) else {
            let start = Utc.timestamp_opt(from, 0).unwrap();
            prop_assert!(theirs.find_next_occurrence(&start, false).is_err(), "{line} is refused, but fires");
            return Ok(());
        };
        let mut now = Stamp(from);
        for _ in 0..5 {
            let next = ours.next(now, Tz::UTC);
            let expected = theirs.find_next_occurrence(&now.utc(), false).ok().map(Stamp::from);
            prop_assert_eq!(next.map(Stamp::rfc3339), expected.map(Stamp::rfc3339), "{} after {}", line, now.rfc3339());
            let Some(next) = next else { break };
            now = next;
        }
    }

    /// Whatever the zone and the line: a next time is later, on a minute, and nothing lies between.
    #[test]
    fn next_is_the_first_after(
        minute in field(0, 59), hour in field(0, 23), zone in 0..chrono_tz::TZ_VARIANTS.len(),
        from in 1_700_000_000_i64..2_000_000_000, back in 1_i64..7200,
    ) {
        let cadence = Cadence::parse(&format!("{minute} {hour} * * *")).unwrap();
        let tz = chrono_tz::TZ_VARIANTS[zone];
        let next = cadence.next(Stamp(from), tz).unwrap();
        prop_assert!(next.0 > from && next.0 % 60 == 0);
        let between = Stamp((next.0 - back).max(from));
        prop_assert_eq!(cadence.next(between, tz), Some(next));
    }
}
