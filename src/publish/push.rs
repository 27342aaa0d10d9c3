//! Words and times of what is sent out: signatures, forms, and when to try again.
//!
//! In: bodies, secrets, errands. Out: what stands in a request (`WebSub`, W3C Recommendation of 23 January 2018), and the
//! time of the next try. Deliberately absent: sending, which is `fetch`'s, and what is remembered, which is the store's.

use crate::model::{Errand, Stamp, Subscription};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt::Write;
use url::Url;
use url::form_urlencoded::Serializer;

/// After the first failure, in seconds; twice as long after each further one.
const FIRST: i64 = 30;
/// The longest time between two tries, in seconds.
const LONGEST: i64 = 3_600;
/// After so long it is given up, in seconds.
const GIVE_UP: i64 = 2 * 86_400;
/// For how long a subscription holds, in seconds: where nobody says, at least and at most.
const LEASE: (i64, i64, i64) = (864_000, 300, 2_592_000);

/// `sha256=` and the HMAC of a body (RFC 2104), in hexadecimal.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(body);
    mac.finalize().into_bytes().iter().fold("sha256=".to_owned(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// When an errand that failed is tried again; none when it waited long enough.
pub fn again(errand: &Errand, now: Stamp) -> Option<Stamp> {
    let wait = FIRST.saturating_mul(1 << errand.attempts.min(16)).min(LONGEST);
    (now.0 - errand.since.0 < GIVE_UP).then(|| now.plus(wait))
}

/// For how long a subscription holds of which somebody asked for so many seconds.
pub fn lease(asked: Option<i64>) -> i64 {
    asked.unwrap_or(LEASE.0).clamp(LEASE.1, LEASE.2)
}

/// What tells an outside hub that a feed changed (§7 leaves the form to the hub; this is what all of them take).
pub fn ping(feed: &str) -> String {
    Serializer::new(String::new())
        .append_pair("hub.mode", "publish")
        .append_pair("hub.topic", feed)
        .append_pair("hub.url", feed)
        .finish()
}

/// The address at which a subscriber proves what it wants (§5.3.1).
pub fn verification(asked: &Subscription, feed: &str) -> Url {
    let mut url = asked.callback.clone();
    let mut query = url.query_pairs_mut();
    query
        .append_pair("hub.mode", if asked.subscribe { "subscribe" } else { "unsubscribe" })
        .append_pair("hub.topic", feed)
        .append_pair("hub.challenge", &asked.challenge);
    if asked.subscribe {
        query.append_pair("hub.lease_seconds", &asked.lease.to_string());
    }
    drop(query);
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Purpose;

    /// RFC 4231 §4.3, test case 2.
    #[test]
    fn a_body_is_signed() {
        assert_eq!(
            signature("Jefe", b"what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn tries_come_further_apart_and_end() {
        let errand = |attempts, since| Errand {
            id: 1,
            serial: 0,
            purpose: Purpose::Ping,
            path: String::new(),
            target: String::new(),
            body: String::new(),
            secret: None,
            attempts,
            since: Stamp(since),
        };
        let now = Stamp(1_000_000);
        let waits = [0, 1, 2, 6, 7, 60].map(|n| again(&errand(n, 1_000_000), now).map(|at| at.0 - now.0));
        assert_eq!(waits, [30, 60, 120, 1_920, 3_600, 3_600].map(Some));
        assert_eq!(again(&errand(9, 1_000_000 - GIVE_UP), now), None);
        assert_eq!([None, Some(1), Some(86_400), Some(i64::MAX)].map(lease), [864_000, 300, 86_400, 2_592_000]);
    }

    #[test]
    fn a_subscriber_is_asked_at_its_own_address() {
        let asked = Subscription {
            subscribe: true,
            path: "topics/tpu.atom".to_owned(),
            callback: "https://s.example/cb?id=1".parse().expect("an address"),
            secret: None,
            lease: 300,
            challenge: "c&1".to_owned(),
        };
        assert_eq!(
            verification(&asked, "https://f.example/a").as_str(),
            "https://s.example/cb?id=1&hub.mode=subscribe&hub.topic=https%3A%2F%2Ff.example%2Fa&hub.challenge=c%261\
             &hub.lease_seconds=300"
        );
        assert_eq!(
            ping("https://f.example/a"),
            "hub.mode=publish&hub.topic=https%3A%2F%2Ff.example%2Fa&hub.url=https%3A%2F%2Ff.example%2Fa"
        );
    }
}
