//! Lengths of time as people write them: `30m`, `12h`, `2y`, `1h 30m`.
//!
//! In: text. Out: whole seconds, and the same text back in its shortest form. A month is not a unit: `m` is a minute,
//! and months differ. A year is 365 days.

use std::time::Duration;

/// The units, largest first, with their seconds. Weeks and years only where they come out even.
const UNITS: [(&str, u64); 6] =
    [("y", 365 * 86_400), ("w", 7 * 86_400), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];

/// Why a length of time is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no length of time: write a number and s, m, h, d, w or y, such as \"30m\" or \"1h 30m\"")]
pub struct DurationError(String);

/// The length of time that a text names.
///
/// # Errors
/// When it is not one or more of a whole number and a unit, or is too long to count.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let refused = || DurationError(text.to_owned());
    let mut rest = text.trim();
    let mut seconds: u64 = 0;
    if rest.is_empty() {
        return Err(refused());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(refused)?;
        let number: u64 = rest[..digits].parse().map_err(|_| refused())?;
        let tail = rest[digits..].trim_start();
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &tail[..letters]).ok_or_else(refused)?;
        seconds = number.checked_mul(*unit).and_then(|n| seconds.checked_add(n)).ok_or_else(refused)?;
        rest = tail[letters..].trim_start();
    }
    // Half the range keeps `now + length` countable.
    if seconds > u64::MAX / 4 { Err(refused()) } else { Ok(Duration::from_secs(seconds)) }
}

/// A length of time in its largest even unit: `90s`, `30m`, `1d`, `2y`.
pub fn duration_text(length: Duration) -> String {
    let seconds = length.as_secs();
    let (name, unit) =
        UNITS.iter().find(|(_, unit)| seconds >= *unit && seconds.is_multiple_of(*unit)).unwrap_or(&("s", 1));
    format!("{}{name}", seconds / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, seconds) in [
            ("1s", 1),
            ("30m", 1800),
            ("12h", 43_200),
            ("7d", 604_800),
            ("2w", 1_209_600),
            ("2y", 63_072_000),
            ("1h 30m", 5400),
            ("1h30m", 5400),
            (" 5 m ", 300),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn refuses_what_could_mean_two_things() {
        for text in ["", "30", "m", "30 minutes", "1M", "-5m", "1.5h", "5m3", "99999999999999999999s", "9999999999999y"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn writes_the_largest_even_unit() {
        for text in ["0s", "1s", "90s", "5m", "30m", "1h", "36h", "1d", "1w", "2y"] {
            assert_eq!(duration_text(parse_duration(text).unwrap()), text);
        }
        assert_eq!(duration_text(Duration::from_hours(24)), "1d");
    }
}
