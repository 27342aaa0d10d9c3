//! What an answer means that is no document: its status, and the fields that say when to come again.
//!
//! In: status and header fields. Out: "not modified", or a [`Refusal`]; validators, Retry-After, freshness. Follows
//! RFC 9110 (conditional requests §13, redirects §15.4, Retry-After §10.2.3) and RFC 9111 §4.2 (freshness).

use super::{Fetched, Refusal};
use crate::model::{DAY, ErrorKind, Failure, RETRY_AFTER_MAX, Stamp, Validators};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use url::Url;

/// Freshness beyond that says no more.
const FRESH_MAX: i64 = 365 * DAY;

/// A redirect.
#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) to: Url,
    /// 301 and 308: for good, as the server says.
    pub(super) for_good: bool,
}

/// Where a response leads, if it is a redirect.
pub(super) fn redirect(response: &Response, from: &Url) -> Result<Option<Redirect>, Failure> {
    let status = response.status().as_u16();
    if ![301, 302, 303, 307, 308].contains(&status) {
        return Ok(None);
    }
    let to = response.headers().get(header::LOCATION).and_then(|v| std::str::from_utf8(v.as_bytes()).ok());
    let Some(mut to) = to.and_then(|to| from.join(to).ok()) else {
        return Err(Failure::new(ErrorKind::Redirect, format!("{status} without a usable Location")));
    };
    to.set_fragment(None);
    Ok(Some(Redirect { to, for_good: matches!(status, 301 | 308) }))
}

/// What a status without a document means. A page that only for now leads to one that is gone is not gone.
pub(super) fn meaning(
    url: &Url,
    status: StatusCode,
    headers: &HeaderMap,
    sent: Option<&Validators>,
    for_now: bool,
    now: Stamp,
) -> Result<Fetched, Refusal> {
    let retry_after = headers.get(header::RETRY_AFTER).and_then(|v| retry_after(v, now));
    let failure = |kind, message: String| {
        let host_wide = status == StatusCode::TOO_MANY_REQUESTS;
        Refusal { failure: Failure::new(kind, message), retry_after, host_wide }
    };
    let until = retry_after.map(|t| format!(" until {}", t.rfc3339())).unwrap_or_default();
    match (status.as_u16(), sent) {
        (304, Some(sent)) => {
            Ok(Fetched::NotModified(validators(url, headers, Some(sent)).unwrap_or_else(|| sent.clone())))
        }
        (304, None) => Err(failure(ErrorKind::Http(304), "304 to a request without validators".to_owned())),
        (410, _) if !for_now => {
            let message = "410 Gone: the page ended; `pagewire resume` asks again";
            Err(failure(ErrorKind::Gone, message.to_owned()))
        }
        (429, _) => Err(failure(ErrorKind::RateLimited, format!("429: the site asks for fewer requests{until}"))),
        (503, _) if retry_after.is_some() => {
            Err(failure(ErrorKind::RateLimited, format!("503: the site asks to be left alone{until}")))
        }
        (401 | 403, _) => {
            let reason = status.canonical_reason().unwrap_or_default();
            let code = status.as_u16();
            let message = format!("the site answered {code} {reason}; does the page need `credentials` or `headers`?");
            Err(failure(ErrorKind::Http(code), message))
        }
        (code, _) => {
            let reason = status.canonical_reason().unwrap_or("unknown status");
            Err(failure(ErrorKind::Http(code), format!("the site answered {code} {reason}")))
        }
    }
}

/// The validators of an answer; what a 304 does not repeat stays as it was.
pub(super) fn validators(url: &Url, headers: &HeaderMap, before: Option<&Validators>) -> Option<Validators> {
    let field = |name, before: Option<&Vec<u8>>| {
        headers.get(name).map(|v: &HeaderValue| v.as_bytes().to_vec()).or_else(|| before.cloned())
    };
    let etag = field(header::ETAG, before.and_then(|b| b.etag.as_ref()));
    let last_modified = field(header::LAST_MODIFIED, before.and_then(|b| b.last_modified.as_ref()));
    (etag.is_some() || last_modified.is_some()).then(|| Validators { address: url.to_string(), etag, last_modified })
}

/// Retry-After in both forms, at most a week from now.
fn retry_after(value: &HeaderValue, now: Stamp) -> Option<Stamp> {
    let value = value.to_str().ok()?.trim();
    let seconds = seconds(value).or_else(|| Some(date(value)?.0 - now.0))?;
    (seconds > 0).then(|| now.plus(seconds.min(RETRY_AFTER_MAX)))
}

/// Where a list goes on, as `Link: <…>; rel="next"` says (RFC 8288 §3).
pub(super) fn next(headers: &HeaderMap, url: &Url) -> Option<Url> {
    let lines = headers.get_all(header::LINK).iter().filter_map(|v| v.to_str().ok());
    let is_next = |parameters: &str| {
        parameters.split(';').filter_map(|p| p.split_once('=')).any(|(name, value)| {
            let mut words = value.trim().trim_matches('"').split_ascii_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && words.any(|word| word.eq_ignore_ascii_case("next"))
        })
    };
    // Addresses hold commas and semicolons, but no `>`; the next link begins at the next `<`.
    let mut links = lines.flat_map(|line| line.split('<').skip(1)).filter_map(|link| link.split_once('>'));
    links.find(|(_, parameters)| is_next(parameters)).and_then(|(target, _)| url.join(target.trim()).ok())
}

/// For how many seconds an answer says that it stays as it is; none where it says nothing of that.
pub(super) fn fresh(headers: &HeaderMap, now: Stamp) -> Option<i64> {
    let text = |name: HeaderName| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let mut max_age = None;
    for value in headers.get_all(header::CACHE_CONTROL) {
        for directive in value.to_str().unwrap_or_default().split(',') {
            let (name, argument) = directive.split_once('=').unwrap_or((directive, ""));
            match name.trim().to_ascii_lowercase().as_str() {
                "no-cache" | "no-store" => return None,
                "max-age" => max_age = max_age.or(seconds(argument.trim().trim_matches('"'))),
                _ => {}
            }
        }
    }
    let left = match max_age {
        Some(whole) => whole - text(header::AGE).and_then(seconds).unwrap_or(0),
        None => date(text(header::EXPIRES)?)?.0 - text(header::DATE).and_then(date).unwrap_or(now).0,
    };
    (left > 0).then_some(left.min(FRESH_MAX))
}

/// Delta seconds (RFC 9111 §1.2.2); too many are very many.
fn seconds(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(FRESH_MAX).min(FRESH_MAX))
}

fn date(text: &str) -> Option<Stamp> {
    let at = httpdate::parse_http_date(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(at.as_secs()).ok().map(Stamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Stamp = Stamp(1_790_244_000); // Thu, 24 Sep 2026 10:00:00 GMT

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let line = |(name, value): &(&str, &str)| -> (HeaderName, HeaderValue) {
            (name.parse().unwrap(), value.parse().unwrap())
        };
        lines.iter().map(line).collect()
    }

    /// Fault 044.
    #[test]
    fn retry_after_is_read_in_both_forms_and_bounded() {
        let until = |value: &str| retry_after(&value.parse().unwrap(), NOW).map(|t| t.0 - NOW.0);
        assert_eq!(until("120"), Some(120));
        assert_eq!(until("Thu, 24 Sep 2026 11:00:00 GMT"), Some(3_600));
        assert_eq!(until("Thursday, 24-Sep-26 11:00:00 GMT"), Some(3_600), "RFC 850");
        assert_eq!(until("Thu Sep 24 11:00:00 2026"), Some(3_600), "asctime");
        assert_eq!(until("315360000"), Some(7 * DAY), "ten years");
        assert_eq!(until("99999999999999999999999"), Some(7 * DAY));
        assert_eq!(until("Sun, 24 Sep 2062 11:00:00 GMT"), Some(7 * DAY));
        for nothing in ["0", "-5", "soon", "", "1.5", "Thu, 24 Sep 2026 09:00:00 GMT"] {
            assert_eq!(until(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn freshness_is_what_the_server_says_less_its_age() {
        for (lines, expected) in [
            (&[("cache-control", "public, max-age=3600")][..], Some(3_600)),
            (&[("cache-control", "Max-Age=\"600\", public"), ("age", "100")], Some(500)),
            (&[("cache-control", "max-age=600"), ("expires", "Thu, 24 Sep 2026 11:00:00 GMT")], Some(600)),
            (&[("expires", "Thu, 24 Sep 2026 11:00:00 GMT")], Some(3_600)),
            (&[("expires", "Thu, 24 Sep 2026 11:00:00 GMT"), ("date", "Thu, 24 Sep 2026 10:30:00 GMT")], Some(1_800)),
            (&[("cache-control", "max-age=99999999999999999999")], Some(FRESH_MAX)),
            (&[("cache-control", "no-cache, max-age=600")], None),
            (&[("cache-control", "no-store"), ("expires", "Thu, 24 Sep 2026 11:00:00 GMT")], None),
            (&[("cache-control", "max-age=0")], None),
            (&[("cache-control", "s-maxage=600")], None),
            (&[("expires", "0")], None),
            (&[("cache-control", "max-age=soon")], None),
            (&[], None),
        ] {
            assert_eq!(fresh(&headers(lines), NOW), expected, "{lines:?}");
        }
    }

    #[test]
    fn the_next_page_of_a_list_is_the_link_that_says_so() {
        let here = Url::parse("https://x.example/list?page=2").unwrap();
        for (lines, expected) in [
            (
                &[("link", "<https://x.example/a;b,c>; rel=prev, </list?page=3>; rel=\"next\"")][..],
                Some("/list?page=3"),
            ),
            (
                &[("link", "</style.css>; rel=preload"), ("link", "<?page=3>; title=\"on\"; Rel=\"last Next\"")],
                Some("/list?page=3"),
            ),
            (&[("link", "</a>; rel=\"nextish\"")], None),
            (&[("link", "rel=next")], None),
            (&[], None),
        ] {
            let expected = expected.map(|path| here.join(path).unwrap());
            assert_eq!(next(&headers(lines), &here), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_page_is_gone_only_where_it_was() {
        let url = Url::parse("https://x.example/").unwrap();
        let kind = |for_now| {
            let refusal = meaning(&url, StatusCode::GONE, &HeaderMap::new(), None, for_now, NOW).unwrap_err();
            refusal.failure.kind
        };
        assert_eq!((kind(false), kind(true)), (ErrorKind::Gone, ErrorKind::Http(410)));
    }
}
