//! An address to a body: the one gate for every request out.
//!
//! In: an address, and the validators of its last answer. Out: an [`Answer`] with a decoded [`Body`] or "not modified",
//! or a [`Refusal`] that says why. A request is admitted (scheme, user, address policy, robots.txt), waits for its
//! host's turn, is bounded in time and size, and is admitted again at every redirect. Own headers and credentials go to
//! the page's own host only. Follows RFC 9110 (conditional requests §13, redirects §15.4) and RFC 9309.
//! Deliberately absent: proxies from the environment, cookies of the site's, `Referer`, a second try but where a kept
//! connection had died.

mod address;
mod answer;
mod body;
mod client;
mod decode;
mod file;
mod host;
mod letter;
mod robots;
mod secret;

pub use letter::Letter;

pub use address::Names;

use crate::model::{Body, Cadence, Credentials, ErrorKind, Failure, FetchSettings, Page, Robots, Stamp, Validators};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use decode::Much;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use url::Url;

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

/// What a page answered, and what it said besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// A document, or that there is no new one.
    pub what: Fetched,
    /// For how many seconds the answer says that it stays as it is.
    pub fresh: Option<i64>,
    /// Where the page is for good, as its redirects say (301, 308).
    pub moved: Option<Url>,
    /// Where its list goes on, as a `Link` field says (RFC 8288).
    pub next: Option<Url>,
}

/// Why there is no answer, and until when the server asked to be left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub failure: Failure,
    /// From Retry-After.
    pub retry_after: Option<Stamp>,
    /// Whether that holds for all pages of the host: a 429 says that we ask too much, a 503 that this fails.
    pub host_wide: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure, retry_after: None, host_wide: false }
    }
}

/// Fetches pages. One for the whole program, since politeness is shared.
#[derive(Debug)]
pub struct Fetcher {
    settings: FetchSettings,
    hosts: host::Hosts,
    clients: client::Clients,
    names: Names,
    room: body::Room,
    robots: robots::Copies,
    /// Requests of the budget that are not stored yet.
    spent: Arc<AtomicU32>,
}

impl Fetcher {
    /// A fetcher; makes no connection and reads no file.
    pub fn new(settings: &FetchSettings) -> Self {
        Self::with_names(settings, Names::System)
    }

    /// The same with another way to look names up.
    pub fn with_names(settings: &FetchSettings, names: Names) -> Self {
        // The one provider of cryptography; a second install is refused, and then the first serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            hosts: host::Hosts::new(settings.per_host),
            clients: client::Clients::default(),
            names,
            room: body::Room::default(),
            robots: robots::Copies::new(&settings.user_agent),
            spent: Arc::default(),
            settings: settings.clone(),
        }
    }

    /// One with other settings that still knows what each host asked of us.
    #[must_use]
    pub fn under(&self, settings: &FetchSettings) -> Self {
        let hosts = self.hosts.under(settings.per_host);
        Self { hosts, spent: Arc::clone(&self.spent), ..Self::with_names(settings, self.names.clone()) }
    }

    /// Takes over what was known of robots.txt files.
    pub fn recall(&self, stored: Vec<Robots>) {
        self.robots.recall(stored);
    }

    /// What was learned of robots.txt files since the last call.
    pub fn news(&self) -> Vec<Robots> {
        self.robots.news()
    }

    /// How many requests of the budget were sent that are not stored yet: those for pages on schedule `auto`, with all
    /// that belongs to them.
    pub fn spent(&self) -> u32 {
        self.spent.load(Ordering::Relaxed)
    }

    /// So many of them are stored.
    pub fn stored(&self, spent: u32) {
        self.spent.fetch_sub(spent, Ordering::Relaxed);
    }

    /// Leaves a host alone until then, whichever of its pages is to be asked.
    pub fn rest(&self, url: &Url, until: Stamp) {
        self.hosts.rest(url, until);
    }

    /// Until when an address's host wants to be left alone.
    pub fn resting(&self, url: &Url, now: Stamp) -> Option<Stamp> {
        self.hosts.resting(url, now)
    }

    /// The pause between two requests that a page's site asks for in its robots.txt, as far as that was read and counts.
    pub fn crawl_delay(&self, page: &Page) -> Option<Duration> {
        let asked = self.robots.delay(page.address.url()).filter(|_| page.settings.request.robots);
        asked.map(|delay| delay.min(host::CRAWL_DELAY_MAX))
    }

    /// Asks for a page, with its validators where they are still good.
    ///
    /// # Errors
    /// A [`Refusal`] for everything but a complete 200 and a 304 to our validators.
    pub async fn get(&self, page: &Page, validators: Option<&Validators>, now: Stamp) -> Result<Answer, Refusal> {
        if page.address.url().scheme() == "file" {
            let body = file::read(&page.address, self.settings.max_size)?;
            return Ok(Answer { what: Fetched::Body(body), fresh: None, moved: None, next: None });
        }
        self.ask(page, page.address.url(), validators, self.settings.max_size, now).await
    }

    /// Asks for an address that a page leads to: a post's own page, or where its list goes on. The page's settings hold
    /// for it; what the page adds to requests goes to its own host only, as ever.
    ///
    /// # Errors
    /// A [`Refusal`] for everything but a complete 200 of at most `max` bytes.
    pub async fn get_from(&self, page: &Page, url: &Url, max: u64, now: Stamp) -> Result<(Body, Option<Url>), Refusal> {
        let answer = self.ask(page, url, None, max.min(self.settings.max_size), now).await?;
        match answer.what {
            Fetched::Body(body) => Ok((body, answer.next)),
            Fetched::NotModified(_) => Err(Failure::new(ErrorKind::Http(304), "304 without validators").into()),
        }
    }

    /// Asks for an address, and follows where it leads.
    async fn ask(
        &self,
        page: &Page,
        start: &Url,
        validators: Option<&Validators>,
        max: u64,
        now: Stamp,
    ) -> Result<Answer, Refusal> {
        let proxy = page.settings.request.proxy.as_ref().map(|proxy| secret::read(proxy, "proxy")).transpose()?;
        let mut ask = Ask { page, proxy, left: self.settings.timeout };
        let (mut url, mut been) = (start.clone(), Vec::new());
        let (mut moved, mut for_now) = (None, false);
        for _ in 0..=HOPS {
            self.admit(&ask, &url, now).await?;
            let sent = validators.filter(|v| v.address == url.as_str());
            let headers = ask.headers(&url, sent)?;
            let reply = match self.exchange(&mut ask, &url, headers, Much::All(max)).await? {
                Hop::Redirect(redirect) => {
                    for_now |= !redirect.for_good;
                    if !for_now {
                        moved = Some(redirect.to.clone());
                    }
                    been.push(std::mem::replace(&mut url, redirect.to));
                    if been.contains(&url) {
                        let message = format!("redirects go in a circle, by `{url}`");
                        return Err(Failure::new(ErrorKind::Redirect, message).into());
                    }
                    continue;
                }
                Hop::Reply(reply) => *reply,
            };
            let (fresh, next) = (answer::fresh(&reply.headers, now), answer::next(&reply.headers, &url));
            let what = if let Some(body) = reply.body {
                Fetched::Body(body)
            } else {
                let meaning = answer::meaning(&url, reply.status, &reply.headers, sent, for_now, now);
                meaning.map_err(|refusal| self.heed(refusal, page, &url))?
            };
            return Ok(Answer { what, fresh, moved, next });
        }
        let message = format!("more than {HOPS} redirects, the last to `{url}`");
        Err(Failure::new(ErrorKind::Redirect, message).into())
    }

    /// Leaves a host alone that asks all of us for it. Where the page only leads there, that says nothing of its own.
    fn heed(&self, refusal: Refusal, page: &Page, url: &Url) -> Refusal {
        if let (true, Some(until)) = (refusal.host_wide, refusal.retry_after) {
            self.hosts.rest(url, until);
        }
        let host_wide = refusal.host_wide && url.host() == page.address.url().host();
        Refusal { host_wide, ..refusal }
    }

    /// Admits an address: by its scheme and host, and by what its site says to robots.
    async fn admit(&self, ask: &Ask<'_>, url: &Url, now: Stamp) -> Result<(), Failure> {
        address::admit(url, &ask.page.settings.allow_private)?;
        if !ask.page.settings.request.robots {
            return Ok(());
        }
        {
            let gate = self.robots.gate(url);
            let _one_at_a_time = gate.lock().await;
            if !self.robots.holds(url, now) {
                let found = self.read_robots(ask, robots::address(url)).await;
                self.robots.learn(url, found, now);
            }
        }
        self.hosts.slow_down(url, self.robots.delay(url));
        self.robots.admit(url)
    }

    /// Reads a site's robots.txt, through the same gate as everything.
    async fn read_robots(&self, ask: &Ask<'_>, mut url: Url) -> robots::Found {
        let mut ask = Ask { left: ask.left.min(robots::TIME), proxy: ask.proxy.clone(), ..*ask };
        for _ in 0..=HOPS {
            if address::admit(&url, &ask.page.settings.allow_private).is_err() {
                return robots::Found::Nothing;
            }
            match self.exchange(&mut ask, &url, HeaderMap::new(), Much::Start(robots::MOST)).await {
                Ok(Hop::Redirect(redirect)) => url = redirect.to,
                Ok(Hop::Reply(reply)) => {
                    let later = reply.status.is_server_error() || reply.status == StatusCode::TOO_MANY_REQUESTS;
                    return match reply.body {
                        Some(body) => robots::Found::Text(body.bytes.to_vec()),
                        None if later => robots::Found::Unreadable(format!("it answers {}", reply.status.as_u16())),
                        None => robots::Found::Nothing,
                    };
                }
                Err(failure) if matches!(failure.kind, ErrorKind::Redirect | ErrorKind::RefusedAddress) => {
                    return robots::Found::Nothing;
                }
                Err(failure) => return robots::Found::Unreadable(failure.message),
            }
        }
        robots::Found::Nothing
    }

    /// One request and its answer, from its host's turn to the end of its body; takes its time off what is left.
    async fn exchange(&self, ask: &mut Ask<'_>, url: &Url, headers: HeaderMap, much: Much) -> Result<Hop, Failure> {
        let turn = self.hosts.turn(url).await;
        let start = tokio::time::Instant::now();
        // In a box: it is large, and would be copied from every future into the next around it.
        let work = Box::pin(async {
            let mut response = self.send(ask, url, &headers).await?;
            self.hosts.meet(url);
            if let Some(redirect) = answer::redirect(&response, url)? {
                return Ok(Hop::Redirect(redirect));
            }
            let (status, headers) = (response.status(), response.headers().clone());
            let body = match status {
                // A proxy on the way that changed a 200 says 203 (RFC 9110 §15.3.4).
                StatusCode::OK | StatusCode::NON_AUTHORITATIVE_INFORMATION => {
                    Some(self.body(&mut response, url, much).await?)
                }
                _ => None,
            };
            Ok(Hop::Reply(Box::new(Reply { status, headers, body })))
        });
        let hop = tokio::time::timeout(ask.left, work).await.map_err(|_| {
            let seconds = self.settings.timeout.as_secs();
            let message = format!("no whole answer within {seconds} s; is the site slow, or `timeout` too short?");
            Failure::new(ErrorKind::Timeout, message)
        })??;
        ask.left = ask.left.saturating_sub(start.elapsed());
        drop(turn);
        Ok(hop)
    }

    /// Sends one GET; once more on a fresh connection where a kept one may have died.
    async fn send(&self, ask: &Ask<'_>, url: &Url, headers: &HeaderMap) -> Result<Response, Failure> {
        let client = self.client(ask, url, false)?;
        self.spend(ask);
        let first = client.get(url.clone()).headers(headers.clone()).send().await;
        let response = match first {
            Err(e) if self.hosts.met(url) && e.is_request() && !e.is_connect() && !e.is_timeout() => {
                self.hosts.pause(url).await;
                self.spend(ask);
                self.client(ask, url, true)?.get(url.clone()).headers(headers.clone()).send().await
            }
            first => first,
        };
        let response = response.map_err(|e| broken(&e))?;
        // Nothing can lead elsewhere: this would be a bug of ours or of the client's.
        let stray = response.remote_addr().filter(|_| ask.proxy.is_none()).filter(|at| {
            let allow = &ask.page.settings.allow_private;
            !address::admits(allow, at.ip()) && !address::named(url, allow)
        });
        if let Some(at) = stray {
            let message = format!("`{url}` was answered by {}, which is not allowed; please report it", at.ip());
            return Err(Failure::new(ErrorKind::RefusedAddress, message));
        }
        Ok(response)
    }

    /// Counts a request, where it is of the budget.
    fn spend(&self, ask: &Ask<'_>) {
        if ask.page.settings.cadence == Cadence::Auto {
            self.spent.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn client(&self, ask: &Ask<'_>, url: &Url, fresh: bool) -> Result<Client, Failure> {
        let kind = client::Kind {
            allow: ask.page.settings.allow_private.clone(),
            tls: url.scheme() == "https",
            proxy: ask.proxy.clone(),
            fresh,
        };
        self.clients.of(&kind, &self.settings, &self.names)
    }

    /// Reads a body to its end, within its bounds, and undoes its coding.
    async fn body(&self, response: &mut Response, url: &Url, much: Much) -> Result<Body, Failure> {
        let headers = response.headers();
        let coding = decode::codings(headers)?;
        let media_type = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let validators = answer::validators(url, headers, None);
        let framed = headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING);
        let maybe_cut = !framed && response.version() < reqwest::Version::HTTP_2;
        let wire = self.room.read(response, much).await?;
        let bytes = decode::decode(wire, &coding, much)?;
        Ok(Body { address: url.clone(), bytes, media_type, validators, maybe_cut })
    }
}

/// One poll of a page, over all its hops.
struct Ask<'p> {
    page: &'p Page,
    proxy: Option<String>,
    /// The time that is left.
    left: Duration,
}

impl Ask<'_> {
    /// What a request says besides its address: validators, and to the page's own host what its configuration adds.
    fn headers(&self, url: &Url, validators: Option<&Validators>) -> Result<HeaderMap, Failure> {
        let mut headers = HeaderMap::new();
        if let Some(v) = validators {
            for (name, value) in [(header::IF_NONE_MATCH, &v.etag), (header::IF_MODIFIED_SINCE, &v.last_modified)] {
                if let Some(value) = value.as_ref().and_then(|v| HeaderValue::from_bytes(v).ok()) {
                    headers.insert(name, value);
                }
            }
        }
        if !at_home(url, self.page.address.url()) {
            return Ok(headers);
        }
        let own = &self.page.settings.request;
        let mut add = |name: HeaderName, value: &str, key: &str| {
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                Failure::new(ErrorKind::Invalid, format!("`{key}` holds what no header can; use one line of text"))
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
            Ok::<(), Failure>(())
        };
        for (name, value) in &own.headers {
            let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else { continue };
            add(header, &secret::read(value, name)?, name)?;
        }
        let key = "credentials";
        match &own.credentials {
            Some(Credentials::Basic(pair)) => {
                let value = format!("Basic {}", STANDARD.encode(secret::read(pair, key)?));
                add(header::AUTHORIZATION, &value, key)?;
            }
            Some(Credentials::Bearer(token)) => {
                add(header::AUTHORIZATION, &format!("Bearer {}", secret::read(token, key)?), key)?;
            }
            None => {}
        }
        Ok(headers)
    }
}

/// Whether an address is on the page's own host: the same origin, or the same host over TLS where the page is not.
fn at_home(url: &Url, page: &Url) -> bool {
    let upgraded = || {
        let (there, here) = (url.port_or_known_default(), page.port_or_known_default());
        url.scheme() == "https" && page.scheme() == "http" && there == Some(443) && here == Some(80)
    };
    url.origin() == page.origin() || (url.host() == page.host() && upgraded())
}

/// How one hop ended.
enum Hop {
    Redirect(answer::Redirect),
    Reply(Box<Reply>),
}

/// An answer that leads nowhere else; only a 200 has a body that counts.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Option<Body>,
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
