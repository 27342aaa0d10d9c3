//! Only what is new since a reader's last poll: 226 IM Used (RFC 3229, with the instance manipulation `feed`).
//!
//! In: a request's headers, and the feed now. Out: the same document with those posts alone that the reader's copy has
//! not, or nothing: then the whole is sent. Only where the operator switched it on, and only for readers that were seen
//! to merge such an answer; others ask for it, too, and then lose the post. What a tag stood for is known as long as its
//! bytes are in memory; any doubt is a whole feed. Deliberately absent: a store of old versions.

use super::cache::Cache;
use super::coding::Coding;
use super::condition;
use super::select;
use hyper::HeaderMap;
use hyper::header::{HeaderName, IF_NONE_MATCH, RANGE, USER_AGENT};

/// What a reader says that it can undo.
const A_IM: HeaderName = HeaderName::from_static("a-im");
/// How readers begin their names that were seen to merge: newsboat 2.21, and reader 3.26 of the Python package index.
const MERGE: [&str; 2] = ["newsboat/", "python-reader/"];

/// The version that a reader has who may be sent what is new since.
pub(super) fn wanted(headers: &HeaderMap) -> Option<[u8; 16]> {
    let text = |name: HeaderName| {
        let mut values = headers.get_all(name).into_iter();
        values.next().filter(|_| values.next().is_none())?.to_str().ok()
    };
    let asks = text(A_IM)?.split(',').any(|im| im.trim().eq_ignore_ascii_case("feed"));
    let merges = text(USER_AGENT).is_some_and(|agent| MERGE.iter().any(|name| agent.starts_with(name)));
    let known = condition::hash(text(IF_NONE_MATCH)?);
    known.filter(|_| asks && merges && !headers.contains_key(RANGE))
}

/// The feed with those posts alone that its earlier version had not, or had otherwise; none where that cannot be told,
/// or where there are none. `address` is the feed's own.
pub(super) fn cut(cache: &Cache, earlier: [u8; 16], ending: &str, address: &str, now: &[u8]) -> Option<Vec<u8>> {
    let earlier = cache.find(&(earlier, Coding::Plain))?.bytes;
    // A tag of another feed says nothing of this one.
    select::unknown(ending, address, &earlier, now)
}
