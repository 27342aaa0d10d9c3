//! "Only if it changed": `If-None-Match` and `If-Modified-Since` (RFC 9110 §13).
//!
//! In: a request's headers, and the hash and time of what we have. Out: the tag to answer 304 with, or none.
//! A reader may come back by another way than before: with another coding, through a proxy that makes a tag weak or
//! adds its own coding to it (`"…-gzip"`), or that loses the quotes. The bytes are the same, so all of those match.

use super::coding::Coding;
use crate::model::Stamp;
use hyper::HeaderMap;
use hyper::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use std::fmt::Write;
use std::time::{Duration, UNIX_EPOCH};

/// The strong entity tag of bytes in a coding.
pub(super) fn tag(hash: [u8; 16], coding: Coding) -> String {
    format!("\"{}{}\"", hex(hash), coding.suffix())
}

/// The tag of what the client has, when that is what we have.
pub(super) fn known(headers: &HeaderMap, hash: [u8; 16], mtime: Stamp, coding: Coding) -> Option<String> {
    if headers.contains_key(IF_NONE_MATCH) {
        let ours = hex(hash);
        let lists = headers.get_all(IF_NONE_MATCH).into_iter().filter_map(|value| value.to_str().ok());
        let suffix = lists.flat_map(|list| list.split(',')).find_map(|tag| matching(tag.trim(), &ours))?;
        let same = Coding::ALL.into_iter().find(|coding| coding.suffix() == suffix);
        return Some(tag(hash, same.unwrap_or(coding)));
    }
    let since = httpdate::parse_http_date(headers.get(IF_MODIFIED_SINCE)?.to_str().ok()?).ok()?;
    let mtime = UNIX_EPOCH + Duration::from_secs(u64::try_from(mtime.0).unwrap_or(0));
    (since >= mtime).then(|| tag(hash, coding))
}

/// The hash in a tag of ours, whichever coding it is of; none where it is another's tag, or a list of several.
pub(super) fn hash(tag: &str) -> Option<[u8; 16]> {
    let opaque = tag.trim().trim_start_matches("W/").trim_matches('"');
    let (hash, rest) = opaque.split_at_checked(32)?;
    let is_ours = rest.is_empty() || rest.starts_with(['-', ';']);
    u128::from_str_radix(hash, 16).ok().filter(|_| is_ours && !tag.contains(',')).map(u128::to_be_bytes)
}

/// What a tag that means our bytes has behind their hash; `*` means any bytes.
fn matching<'a>(tag: &'a str, ours: &str) -> Option<&'a str> {
    if tag == "*" {
        return Some("*");
    }
    let opaque = tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"');
    opaque.strip_prefix(ours).filter(|rest| rest.is_empty() || rest.starts_with(['-', ';']))
}

fn hex(hash: [u8; 16]) -> String {
    hash.iter().fold(String::with_capacity(32), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
