//! A request → who reads, without a name.
//!
//! In: where a request came from and its `User-Agent`. Out: a [`Reader`]: a mark made with a key that is drawn at the
//! start and never leaves the process, so that neither address nor agent can be found again; and for how many people a
//! service says that it reads ("16 subscribers"). Such a service is one reader from whichever address it asks. Behind a
//! proxy the address is the one that it forwards. What a client says of itself may be untrue.

use crate::model::Reader;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue, USER_AGENT};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

/// The address that a connection came from; none over a Unix socket. Goes with a request until it is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller(pub(super) Option<IpAddr>);

/// Who sent a request.
pub(super) fn reader(key: &RandomState, headers: &HeaderMap, from: Option<IpAddr>) -> Reader {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let agent = headers.get(USER_AGENT).map(text).unwrap_or_default();
    if let Some((before, subscribers, after)) = subscribers(&agent) {
        return Reader { mark: key.hash_one((before, after)), subscribers: Some(subscribers) };
    }
    let forwarded = HeaderName::from_static("x-forwarded-for");
    let near = from.is_none_or(|address| address.to_canonical().is_loopback());
    let first = |value: &HeaderValue| text(value).split(',').next().unwrap_or_default().trim().to_owned();
    let forwarded = headers.get(forwarded).filter(|_| near).map(first);
    Reader { mark: key.hash_one((forwarded, from, agent)), subscribers: None }
}

/// "N subscribers" in the words of an agent: what stands before, N, what stands behind.
fn subscribers(agent: &str) -> Option<(&str, u32, &str)> {
    let lower = agent.to_ascii_lowercase();
    let word = lower.find("subscriber")?;
    let before = agent[..word].trim_end();
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = before.split_at(before.len() - digits);
    Some((before, number.parse().ok()?, &agent[word..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_say_for_how_many_they_read() {
        for (agent, expected) in [
            ("Feedly/1.0 (+http://www.feedly.com/fetcher.html; 16 subscribers; like FeedFetcher-Google)", Some(16)),
            ("Feedbin feed-id:1374 - 5 subscribers", Some(5)),
            ("NewsBlur Feed Fetcher - 1 subscriber - https://newsblur.com", Some(1)),
            ("Mozilla/5.0 (compatible; theoldreader.com; 2 SUBSCRIBERS; feed-id=ab)", Some(2)),
            ("Reader/1.0 (99999999999999999999 subscribers)", None),
            ("Reader/1.0 (no subscribers)", None),
            ("newsboat/2.21.0 (Linux x86_64)", None),
            ("", None),
        ] {
            assert_eq!(subscribers(agent).map(|(_, n, _)| n), expected, "{agent}");
        }
    }

    #[test]
    fn a_service_is_one_from_every_address_and_others_are_told_by_theirs() {
        let key = RandomState::new();
        let mark = |agent: &str, from: &str, forwarded: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(USER_AGENT, HeaderValue::from_str(agent).unwrap());
            if let Some(forwarded) = forwarded {
                headers.insert("x-forwarded-for", HeaderValue::from_str(forwarded).unwrap());
            }
            reader(&key, &headers, from.parse().ok()).mark
        };
        assert_eq!(mark("S - 4 subscribers", "192.0.2.1", None), mark("S - 5 subscribers", "192.0.2.2", None));
        assert_ne!(mark("R/1", "192.0.2.1", None), mark("R/1", "192.0.2.2", None));
        assert_ne!(mark("R/1", "192.0.2.1", None), mark("Q/1", "192.0.2.1", None));
        let behind = |client: &str| mark("R/1", "127.0.0.1", Some(client));
        assert_ne!(behind("192.0.2.1"), behind("192.0.2.2"));
        let outside = |client: &str| mark("R/1", "192.0.2.9", Some(client));
        assert_eq!(outside("192.0.2.1"), outside("192.0.2.2"), "only a proxy on this machine is believed");
    }
}
