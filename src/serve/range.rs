//! Parts of a document (RFC 9110 §14): one range of bytes, for who goes on with a download.
//!
//! In: `Range` and `If-Range`, the validators and the length of what would be sent. Out: which bytes, or that there are
//! none. Several ranges at once, and what is no range of bytes, are answered as if nobody had asked (§14.2 allows it).

use crate::model::Stamp;
use hyper::HeaderMap;
use hyper::header::{IF_RANGE, RANGE};
use std::time::{Duration, UNIX_EPOCH};

/// What to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything.
    Whole,
    /// From the first byte to the last, both counted.
    Bytes(usize, usize),
    /// There is nothing there.
    Beyond,
}

/// What of `length` bytes is asked for.
pub(super) fn wanted(headers: &HeaderMap, tag: &str, mtime: Stamp, length: usize) -> Part {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(set) = text(RANGE).and_then(|range| range.strip_prefix("bytes=")) else { return Part::Whole };
    if let Some(condition) = text(IF_RANGE) {
        // A strong comparison: a weak tag never fits, and a time only if it is exactly ours (§13.1.5).
        let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(mtime.0).unwrap_or(0));
        if condition != tag && httpdate::parse_http_date(condition).ok() != Some(time) {
            return Part::Whole;
        }
    }
    let Some((first, last)) = set.split_once('-').filter(|_| !set.contains(',')) else { return Part::Whole };
    let number =
        |s: &str| (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().unwrap_or(usize::MAX));
    match (first, number(first.trim()), number(last.trim())) {
        // The last so many.
        ("", None, Some(0)) => Part::Beyond,
        ("", None, Some(count)) if length > 0 => Part::Bytes(length.saturating_sub(count), length - 1),
        (_, Some(first), None) if last.trim().is_empty() => from(first, length, length),
        (_, Some(first), Some(last)) if first <= last => from(first, last.saturating_add(1), length),
        _ => Part::Whole,
    }
}

fn from(first: usize, end: usize, length: usize) -> Part {
    if first >= length { Part::Beyond } else { Part::Bytes(first, end.min(length) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&str, &str)]) -> Part {
        let pair = |(name, value): &(&str, &str)| {
            let name: hyper::header::HeaderName = name.parse().expect("a name");
            (name, value.parse().expect("a value"))
        };
        wanted(&headers.iter().map(pair).collect(), "\"a\"", Stamp(1_790_240_400), 10)
    }

    #[test]
    fn ranges() {
        for (range, part) in [
            ("bytes=0-3", Part::Bytes(0, 3)),
            ("bytes=5-", Part::Bytes(5, 9)),
            ("bytes=-4", Part::Bytes(6, 9)),
            ("bytes=-40", Part::Bytes(0, 9)),
            ("bytes=8-99", Part::Bytes(8, 9)),
            ("bytes=10-", Part::Beyond),
            ("bytes=-0", Part::Beyond),
            ("bytes=0-1,3-4", Part::Whole),
            ("bytes=4-3", Part::Whole),
            ("bytes=a-", Part::Whole),
            ("bytes=-", Part::Whole),
            ("lines=0-1", Part::Whole),
            ("bytes=99999999999999999999-", Part::Beyond),
        ] {
            assert_eq!(of(&[("range", range)]), part, "{range}");
        }
        for (condition, part) in [
            ("\"a\"", Part::Bytes(0, 3)),
            ("W/\"a\"", Part::Whole),
            ("\"b\"", Part::Whole),
            ("Thu, 24 Sep 2026 09:00:00 GMT", Part::Bytes(0, 3)),
            ("Thu, 24 Sep 2026 09:00:01 GMT", Part::Whole),
        ] {
            assert_eq!(of(&[("range", "bytes=0-3"), ("if-range", condition)]), part, "{condition}");
        }
    }
}
