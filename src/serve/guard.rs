//! Who may see the operator's pages and ask for work.
//!
//! In: where a connection came from, and a request's headers. Out: yes or no. A browser on the operator's machine also
//! runs the pages of strangers, so being near is not enough: the name it was asked by (`Host`) must be ours, against
//! names that were made to point here (DNS rebinding), and so must the page that asks (`Origin`). Feeds ask neither.

use super::Terms;
use crate::model::Site;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::http::uri::Authority;
use std::fmt;
use std::net::IpAddr;
use url::Url;

/// Headers of proxies: with one of them, a request from this machine was asked elsewhere.
const FORWARDED: [&str; 3] = ["forwarded", "via", "x-real-ip"];

/// Where a connection came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// By the control socket.
    Control,
    /// By TCP, from this machine.
    Loopback,
    /// From anywhere else; also by a Unix socket that a proxy uses.
    Outside,
}

/// The token for `POST /api/refresh`, of which only a hash is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(blake3::Hash);

impl Token {
    /// The token that a file holds, without white space at its ends; none in an empty file.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(blake3::hash(text.as_bytes())))
    }

    /// Whether the request brings this token. Takes the same time for every wrong one: hashes are compared, whole.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes).and_then(|value| value.split_at_checked(7));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(b"bearer ") && self.0 == blake3::hash(token.trim_ascii())
        })
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Whether the operator's pages exist for this request.
pub(super) fn is_operator(peer: Peer, headers: &HeaderMap, terms: &Terms) -> bool {
    let forwarded = |name: &HeaderName| FORWARDED.contains(&name.as_str()) || name.as_str().starts_with("x-forwarded");
    peer == Peer::Control
        || terms.server.operator_public
        || peer == Peer::Loopback && !headers.keys().any(forwarded)
        || terms.token.is_some_and(|token| token.is_in(headers))
}

/// Why a request to the operator's addresses is refused, if it is.
pub(super) fn foreign(peer: Peer, target: Option<&Authority>, headers: &HeaderMap, site: &Site) -> Option<String> {
    if peer == Peer::Control {
        return None;
    }
    let mut hosts = headers.get_all(HOST).into_iter().filter_map(|value| value.to_str().ok());
    let host = target.map(Authority::as_str).or_else(|| hosts.next()).unwrap_or_default();
    if hosts.next().is_some() || !is_ours(host, site) {
        let help = "ask by IP address, by `localhost`, or by the host of `base_url` in [site]";
        return Some(format!("`{host}` is no name of this server: {help}"));
    }
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or_default();
    (!is_same(origin, host, site)).then(|| format!("pages of `{origin}` may not ask for this"))
}

/// Whether a `Host` can only mean us.
fn is_ours(host: &str, site: &Site) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_end_matches('.');
    name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || site.base_url.host_str().is_some_and(|ours| name.eq_ignore_ascii_case(ours.trim_end_matches('.')))
}

/// Whether an `Origin` is the server that was asked, or the one that subscribers know. Another port is another program.
fn is_same(origin: &str, host: &str, site: &Site) -> bool {
    let Ok(origin) = Url::parse(origin) else { return false };
    let place = |url: &Url| Some((url.host_str()?.to_owned(), url.port_or_known_default()?));
    let asked = Url::parse(&format!("{}://{host}", origin.scheme())).ok();
    place(&origin).is_some_and(|from| {
        Some(&from) == place(&site.base_url).as_ref() || Some(from) == asked.as_ref().and_then(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Text;

    fn site() -> Site {
        Site {
            title: Text::line("T"),
            base_url: Url::parse("https://feeds.example/x/").expect("an address"),
            language: None,
            hub: None,
        }
    }

    #[test]
    fn names_that_others_can_point_here_are_not_ours() {
        let ours =
            ["127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "192.168.1.2", "localhost:1", "LOCALHOST", "localhost."];
        for host in ours.into_iter().chain(["feeds.example", "Feeds.Example:443", "feeds.example.:8080"]) {
            assert!(is_ours(host, &site()), "{host}");
        }
        for host in ["", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "a@evil.example", "x y", ":80"]
        {
            assert!(!is_ours(host, &site()), "{host}");
        }
    }

    #[test]
    fn pages_of_the_same_server_may_ask() {
        for origin in ["https://feeds.example", "http://127.0.0.1:8080"] {
            assert!(is_same(origin, "127.0.0.1:8080", &site()), "{origin}");
        }
        let others =
            ["null", "", "https://evil.example", "http://127.0.0.1:3000", "http://feeds.example:8080", "file://"];
        for origin in others {
            assert!(!is_same(origin, "127.0.0.1:8080", &site()), "{origin}");
        }
        assert!(is_same("http://localhost", "localhost:80", &site()));
    }
}
