//! An address to a body: the one gate for every request out.
//!
//! In: an address, and the validators of its last answer. Out: a decoded [`Body`], "not modified", or a [`Refusal`]
//! that says why. A request is admitted (scheme, user, address policy), waits for its host's turn, is bounded in time
//! and size, and is admitted again at every redirect. Follows RFC 9110 (conditional requests §13, redirects §15.4,
//! Retry-After §10.2.3). Deliberately absent: proxies from the environment, cookies, `Referer`.
//! Known gaps: robots.txt, daily budgets, own headers and credentials.

mod address;
mod decode;
mod file;
mod host;

use crate::model::{AllowPrivate, Body, ErrorKind, Failure, FetchSettings, Page, RETRY_AFTER_MAX, Stamp, Validators};
use bytes::{Bytes, BytesMut};
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// Time to a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest silence within an answer.
const SILENCE: Duration = Duration::from_secs(20);
/// As large as most pages are at most; only for these is memory taken on the server's word.
const USUAL_SIZE: u64 = 128 << 10;
/// Redirects that are followed.
const HOPS: usize = 5;

/// What a page answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// A whole document.
    Body(Body),
    /// 304 to our validators, with what it says they are now.
    NotModified(Validators),
}

/// Why there is no answer, and until when the server asked to be left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub failure: Failure,
    /// From Retry-After.
    pub retry_after: Option<Stamp>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure, retry_after: None }
    }
}

/// Fetches pages. One for the whole program, since politeness is shared.
#[derive(Debug)]
pub struct Fetcher {
    settings: FetchSettings,
    hosts: host::Hosts,
    /// By address policy and whether they speak TLS; most often there is one.
    clients: Mutex<Vec<(AllowPrivate, bool, Client)>>,
}

impl Fetcher {
    /// A fetcher; makes no connection and reads no file.
    pub fn new(settings: &FetchSettings) -> Self {
        // The one provider of cryptography; a second install is refused, and then the first serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let hosts = host::Hosts::new(settings.per_host);
        Self { settings: settings.clone(), hosts, clients: Mutex::default() }
    }

    /// Asks for a page, with its validators where they are still good.
    ///
    /// # Errors
    /// A [`Refusal`] for everything but a complete 200 and a 304 to our validators.
    pub async fn get(&self, page: &Page, validators: Option<&Validators>, now: Stamp) -> Result<Fetched, Refusal> {
        if page.address.url().scheme() == "file" {
            return Ok(Fetched::Body(file::read(&page.address, self.settings.max_size)?));
        }
        let mut url = page.address.url().clone();
        let mut left = self.settings.timeout;
        for _ in 0..=HOPS {
            let (response, sent) = self.hop(page, &url, validators, &mut left).await?;
            match response {
                Hop::Redirect(to) => url = to,
                Hop::Document(body) => return Ok(Fetched::Body(body)),
                Hop::Answer(status, headers) => return answer(&url, status, &headers, sent, now),
            }
        }
        let message = format!("more than {HOPS} redirects, the last to `{url}`");
        Err(Failure::new(ErrorKind::Redirect, message).into())
    }

    /// One request, from its host's turn to the end of its body; takes its time off what is `left` for all hops.
    async fn hop<'v>(
        &self,
        page: &Page,
        url: &Url,
        validators: Option<&'v Validators>,
        left: &mut Duration,
    ) -> Result<(Hop, Option<&'v Validators>), Refusal> {
        let allow = &page.settings.allow_private;
        address::admit(url, allow)?;
        let client = self.client(allow, url.scheme() == "https")?;
        let sent = validators.filter(|v| v.address == url.as_str());
        let turn = self.hosts.turn(url).await;
        let start = tokio::time::Instant::now();
        let work = async {
            let response = send(&client, url, sent).await?;
            if response.status() == StatusCode::OK {
                return self.body(response, url).await.map(Hop::Document);
            }
            match redirect(&response, url)? {
                Some(to) => Ok(Hop::Redirect(to)),
                None => Ok(Hop::Answer(response.status(), response.headers().clone())),
            }
        };
        let hop = tokio::time::timeout(*left, work).await.map_err(|_| {
            let seconds = self.settings.timeout.as_secs();
            let message = format!("no whole answer within {seconds} s; is the site slow, or `timeout` too short?");
            Failure::new(ErrorKind::Timeout, message)
        })??;
        *left = left.saturating_sub(start.elapsed());
        drop(turn);
        Ok((hop, sent))
    }

    /// The client for an address policy. Plain HTTP needs no certificates and works where there are none.
    fn client(&self, allow: &AllowPrivate, tls: bool) -> Result<Client, Failure> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., client)) = clients.iter().find(|(policy, with_tls, _)| policy == allow && *with_tls == tls) {
            return Ok(client.clone());
        }
        let mut builder = Client::builder()
            .user_agent(&self.settings.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .pool_max_idle_per_host(self.settings.per_host.concurrency)
            .default_headers(default_headers())
            .dns_resolver(Arc::new(address::Resolver::new(allow)));
        if !tls {
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|e| {
            let message = format!("no HTTPS here: {}; install the package `ca-certificates`", innermost(&e));
            Failure::new(ErrorKind::Io, message)
        })?;
        clients.push((allow.clone(), tls, client.clone()));
        Ok(client)
    }

    /// Reads a body to its end, within its bounds, and undoes its coding.
    async fn body(&self, mut response: Response, url: &Url) -> Result<Body, Refusal> {
        let headers = response.headers();
        let coding = decode::codings(headers)?;
        let text = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok()).map(str::to_owned);
        let media_type = text(header::CONTENT_TYPE);
        let validators = validators(url, headers, None);
        let framed = headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING);
        let maybe_cut = !framed && response.version() < reqwest::Version::HTTP_2;
        let max = self.settings.max_size;
        let length = response.content_length().unwrap_or(0).min(max).min(USUAL_SIZE);
        let mut wire = BytesMut::with_capacity(usize::try_from(length).unwrap_or(0));
        while let Some(chunk) = response.chunk().await.map_err(|e| broken(&e))? {
            if wire.len() as u64 + chunk.len() as u64 > max {
                return Err(decode::too_large(max).into());
            }
            wire.extend_from_slice(&chunk);
        }
        let bytes: Bytes = decode::decode(wire.freeze(), &coding, max)?;
        Ok(Body { address: url.clone(), bytes, media_type, validators, maybe_cut })
    }
}

/// How one hop ended.
enum Hop {
    Redirect(Url),
    Document(Body),
    Answer(StatusCode, HeaderMap),
}

fn default_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    let accept =
        "text/markdown, application/atom+xml, application/rss+xml, application/feed+json, text/html;q=0.9, */*;q=0.5";
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
    headers
}

/// Sends one GET; once more on a fresh connection where a kept-alive one had died.
async fn send(client: &Client, url: &Url, validators: Option<&Validators>) -> Result<Response, Failure> {
    let attempt = || {
        let mut request = client.get(url.clone());
        if let Some(v) = validators {
            let fields = [(header::IF_NONE_MATCH, &v.etag), (header::IF_MODIFIED_SINCE, &v.last_modified)];
            for (name, value) in fields {
                if let Some(value) = value.as_ref().and_then(|v| HeaderValue::from_bytes(v).ok()) {
                    request = request.header(name, value);
                }
            }
        }
        request.send()
    };
    match attempt().await {
        Err(e) if e.is_request() && !e.is_connect() && !e.is_timeout() => attempt().await.map_err(|e| broken(&e)),
        other => other.map_err(|e| broken(&e)),
    }
}

/// Where a response leads, if it is a redirect.
fn redirect(response: &Response, from: &Url) -> Result<Option<Url>, Failure> {
    if ![301, 302, 303, 307, 308].contains(&response.status().as_u16()) {
        return Ok(None);
    }
    let status = response.status().as_u16();
    let to = response.headers().get(header::LOCATION).and_then(|v| std::str::from_utf8(v.as_bytes()).ok());
    let Some(to) = to.and_then(|to| from.join(to).ok()) else {
        return Err(Failure::new(ErrorKind::Redirect, format!("{status} without a usable Location")));
    };
    Ok(Some(to))
}

/// What a status without a document means.
fn answer(
    url: &Url,
    status: StatusCode,
    headers: &HeaderMap,
    sent: Option<&Validators>,
    now: Stamp,
) -> Result<Fetched, Refusal> {
    let retry_after = headers.get(header::RETRY_AFTER).and_then(|v| retry_after(v, now));
    let failure = |kind, message: String| Refusal { failure: Failure::new(kind, message), retry_after };
    let until = retry_after.map(|t| format!(" until {}", t.rfc3339())).unwrap_or_default();
    match (status.as_u16(), sent) {
        (304, Some(sent)) => {
            Ok(Fetched::NotModified(validators(url, headers, Some(sent)).unwrap_or_else(|| sent.clone())))
        }
        (304, None) => Err(failure(ErrorKind::Http(304), "304 to a request without validators".to_owned())),
        (410, _) => {
            let message = "410 Gone: the page ended; `pagewire resume` asks again";
            Err(failure(ErrorKind::Gone, message.to_owned()))
        }
        (429, _) => Err(failure(ErrorKind::RateLimited, format!("429: the site asks for fewer requests{until}"))),
        (503, _) if retry_after.is_some() => {
            Err(failure(ErrorKind::RateLimited, format!("503: the site asks to be left alone{until}")))
        }
        (code, _) => {
            let reason = status.canonical_reason().unwrap_or("unknown status");
            Err(failure(ErrorKind::Http(code), format!("the site answered {code} {reason}")))
        }
    }
}

/// The validators of an answer; what a 304 does not repeat stays as it was.
fn validators(url: &Url, headers: &HeaderMap, before: Option<&Validators>) -> Option<Validators> {
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
    let seconds = if let Ok(seconds) = value.parse::<u64>() {
        i64::try_from(seconds).unwrap_or(RETRY_AFTER_MAX)
    } else {
        let at = httpdate::parse_http_date(value).ok()?;
        i64::try_from(at.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs()).ok()? - now.0
    };
    (seconds > 0).then(|| now.plus(seconds.min(RETRY_AFTER_MAX)))
}

/// What a failed exchange was, from what the client says of it.
fn broken(error: &reqwest::Error) -> Failure {
    if let Some(refused) = address::refused(error) {
        return refused;
    }
    let cause = innermost(error);
    let (kind, what) = if error.is_timeout() {
        (ErrorKind::Timeout, "the site did not answer in time")
    } else if error.is_connect() {
        (ErrorKind::Io, "no connection")
    } else if error.is_body() || error.is_decode() {
        (ErrorKind::Truncated, "the answer broke off")
    } else {
        (ErrorKind::Io, "the exchange failed")
    };
    Failure::new(kind, format!("{what}: {cause}"))
}

/// The last cause of an error, which says most.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
