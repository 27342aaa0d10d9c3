//! How long ago something was, as pages say it: `3 days ago`, `an hour ago`, `yesterday`.
//!
//! In: a text. Out: an [`Ago`], or nothing; the day that it means only whoever has the time of the reading knows. English
//! only, and only where nothing else stands beside it. Deliberately absent: `last week` and other spans.

use crate::model::Ago;

/// The longest that a page says it in numbers: what is older has a date.
const MOST: u32 = 1_000;

/// Reads how long ago something was.
pub(in crate::extract) fn ago(text: &str) -> Option<Ago> {
    let text = text.trim().to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let (number, unit) = match words[..] {
        ["just", "now"] | ["now"] => return Some(Ago::Seconds(0)),
        ["today"] => return Some(Ago::Days(0)),
        ["yesterday"] => return Some(Ago::Days(1)),
        [number, unit, "ago"] => (number, unit),
        // As in `3d ago`.
        [both, "ago"] => both.split_at_checked(both.find(|c: char| !c.is_ascii_digit())?)?,
        _ => return None,
    };
    let number = match number {
        "a" | "an" | "one" => 1,
        digits => digits.parse().ok().filter(|number| *number <= MOST)?,
    };
    Some(match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => Ago::Seconds(number),
        "m" | "min" | "mins" | "minute" | "minutes" => Ago::Seconds(number * 60),
        "h" | "hr" | "hrs" | "hour" | "hours" => Ago::Seconds(number * 3_600),
        "d" | "day" | "days" => Ago::Days(number),
        "w" | "week" | "weeks" => Ago::Days(number * 7),
        "mo" | "month" | "months" => Ago::Months(number),
        "y" | "yr" | "year" | "years" => Ago::Months(number * 12),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_read_where_it_stands_alone() {
        for (text, expected) in [
            ("3 days ago", Some(Ago::Days(3))),
            (" An hour ago", Some(Ago::Seconds(3_600))),
            ("45m ago", Some(Ago::Seconds(2_700))),
            ("2 weeks ago", Some(Ago::Days(14))),
            ("a year ago", Some(Ago::Months(12))),
            ("Yesterday", Some(Ago::Days(1))),
            ("just now", Some(Ago::Seconds(0))),
            ("3 days", None),
            ("days ago", None),
            ("3 days ago in Paris", None),
            ("99999 days ago", None),
            ("ago", None),
            ("", None),
        ] {
            assert_eq!(ago(text), expected, "{text}");
        }
    }
}
