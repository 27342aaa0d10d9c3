//! Clients: connections that are kept from one poll to the next, and what every request says of itself.
//!
//! In: an address policy, a proxy. Out: a client that resolves names by that policy, follows no redirect, undoes no
//! coding and knows no cookies. Deliberately absent: proxies from the environment, `Referer`.

use super::address::{Names, Resolver};
use super::innermost;
use crate::model::{AllowPrivate, ErrorKind, Failure, FetchSettings};
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, Proxy};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// Time to a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest silence within an answer.
const SILENCE: Duration = Duration::from_secs(20);

/// The schemes of a proxy's address. All of these look names up themselves: with `socks5` and `socks4` it would be done
/// here, where a site might not be known, or nobody should learn of it.
const PROXIES: [&str; 3] = ["http", "https", "socks5h"];

/// What tells clients apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) allow: AllowPrivate,
    /// Plain HTTP needs no certificates and works where there are none.
    pub(super) tls: bool,
    /// The proxy's address.
    pub(super) proxy: Option<String>,
    /// Whether each request gets a connection of its own.
    pub(super) fresh: bool,
}

/// Clients by kind; most often there are two.
#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<Vec<(Kind, Client)>>);

impl Clients {
    pub(super) fn of(&self, kind: &Kind, settings: &FetchSettings, names: &Names) -> Result<Client, Failure> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = clients.iter().find(|(known, _)| known == kind) {
            return Ok(client.clone());
        }
        let client = make(kind, settings, names)?;
        clients.push((kind.clone(), client.clone()));
        Ok(client)
    }
}

fn make(kind: &Kind, settings: &FetchSettings, names: &Names) -> Result<Client, Failure> {
    // With a proxy the only name that is looked up here is the proxy's, which the configuration names.
    let allow = if kind.proxy.is_some() { &AllowPrivate::Yes } else { &kind.allow };
    let mut builder = Client::builder()
        .user_agent(&settings.user_agent)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .pool_max_idle_per_host(if kind.fresh { 0 } else { settings.per_host.concurrency })
        .default_headers(default_headers())
        .dns_resolver(Arc::new(Resolver::new(allow, names)));
    if let Some(proxy) = &kind.proxy {
        builder = builder.proxy(proxied(proxy)?);
    }
    let encrypted = kind.tls || kind.proxy.as_ref().is_some_and(|proxy| proxy.starts_with("https:"));
    if !encrypted {
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|e| {
        let message = format!("no HTTPS here: {}; install the package `ca-certificates`", innermost(&e));
        Failure::new(ErrorKind::Io, message)
    })
}

/// The proxy for everything. No message shows its address, which may hold a password.
fn proxied(address: &str) -> Result<Proxy, Failure> {
    let wrong = || {
        let message = "`proxy` is no address of a proxy: write http://host:port, https://host:port or \
                       socks5h://host:port";
        Failure::new(ErrorKind::Invalid, message)
    };
    let mut url = Url::parse(address).ok().filter(|u| PROXIES.contains(&u.scheme())).ok_or_else(wrong)?;
    let decoded = |part: &str| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned();
    let (user, password) = (decoded(url.username()), url.password().map(decoded));
    url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| wrong())?;
    let proxy = Proxy::all(url).map_err(|_| wrong())?;
    Ok(if user.is_empty() { proxy } else { proxy.basic_auth(&user, password.as_deref().unwrap_or_default()) })
}

fn default_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    let accept =
        "text/markdown, application/atom+xml, application/rss+xml, application/feed+json, text/html;q=0.9, */*;q=0.5";
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd"));
    headers
}
