//! Our own `WebSub` hub: what subscribers ask of it.
//!
//! In: a form sent to `hub` below the base (W3C Recommendation of 23 January 2018, §5.1). Out: 202, and the daemon asks
//! at the callback whether that is wanted; or why not. Deliberately absent: publishing by others: the only publisher
//! whose feeds this hub has is pagewire.

use super::answer::{self, Answer};
use super::document::{self, is_feed};
use super::{Server, Terms};
use crate::model::{Ask, Shelf, Subscription};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;
use url::{Url, form_urlencoded};
use uuid::Uuid;

/// The longest form, in bytes.
const MAX_BODY: usize = 8 << 10;
/// For it to come, and for the daemon to take it.
const TIME: Duration = Duration::from_secs(10);
/// The longest callback, in bytes.
const MAX_CALLBACK: usize = 2_048;
/// The longest secret, in bytes (§5.1: less than 200).
const MAX_SECRET: usize = 199;

/// Whether the hub that feeds name is ours.
pub(super) fn is_own(terms: &Terms) -> bool {
    terms.site.hub.as_ref().is_some_and(|hub| hub.as_str() == terms.site.address("hub"))
}

/// `POST hub`
pub(super) async fn subscribe(server: &Server, terms: &Terms, shelf: &Shelf, request: Request<Incoming>) -> Answer {
    let body = match timeout(TIME, Limited::new(request.into_body(), MAX_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return said(StatusCode::PAYLOAD_TOO_LARGE, "the form is too long"),
        Err(_) => return said(StatusCode::REQUEST_TIMEOUT, "the form did not come"),
    };
    let asked = match read(&body, terms, shelf) {
        Ok(asked) => asked,
        Err(why) => return said(StatusCode::BAD_REQUEST, &why),
    };
    let (answer, reply) = oneshot::channel();
    let work = async {
        server.front.asks.send(Ask::Subscribe { asked, answer }).await.ok()?;
        reply.await.ok()
    };
    match timeout(TIME, work).await.ok().flatten() {
        Some(Ok(())) => said(StatusCode::ACCEPTED, "your callback is asked whether it wants this"),
        Some(Err(why)) => said(StatusCode::BAD_REQUEST, &why),
        None => answer::later(60, "nobody takes subscriptions just now"),
    }
}

fn said(status: StatusCode, text: &str) -> Answer {
    document::open(answer::sentence(status, text))
}

/// What a form asks, or what is wrong with it.
fn read(body: &[u8], terms: &Terms, shelf: &Shelf) -> Result<Subscription, String> {
    let find = |name: &str| {
        form_urlencoded::parse(body)
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.into_owned())
            .filter(|v| !v.is_empty())
    };
    let needed = |name: &str| find(name).ok_or_else(|| format!("{name} is missing"));
    let subscribe = match needed("hub.mode")?.as_str() {
        "subscribe" => true,
        "unsubscribe" => false,
        other => return Err(format!("hub.mode is subscribe or unsubscribe, not `{other}`")),
    };
    let topic = needed("hub.topic")?;
    let path = topic.strip_prefix(terms.site.base_url.as_str()).unwrap_or_default().to_owned();
    if !is_feed(&path) || path.contains("/archive/") || !shelf.files.contains_key(&path) {
        return Err("hub.topic is no feed of this site; take the address that it names as its own".to_owned());
    }
    let callback = needed("hub.callback")?;
    let url = Url::parse(&callback).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let callback = url.filter(|_| callback.len() <= MAX_CALLBACK).ok_or("hub.callback is no http or https address")?;
    let secret = find("hub.secret");
    if secret.as_ref().is_some_and(|secret| secret.len() > MAX_SECRET) {
        return Err(format!("hub.secret is longer than {MAX_SECRET} bytes"));
    }
    let lease = match find("hub.lease_seconds") {
        None => None,
        Some(seconds) => Some(seconds.parse().map_err(|_| "hub.lease_seconds is no number".to_owned())?),
    };
    let challenge = Uuid::new_v4().simple().to_string();
    Ok(Subscription { subscribe, path, callback, secret, lease: lease.unwrap_or(0), challenge })
}
