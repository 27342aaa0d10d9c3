//! What the operator may ask: how things stand, a refresh, another configuration.
//!
//! In: requests that passed the guard. Out: asks to the daemon, and answers made of its replies. The daemon may be busy
//! or stuck, so no answer waits for it without a limit.

use super::answer::{self, Answer, refusal, with};
use super::coding::Coding;
use super::guard::{self, Peer};
use super::{Server, Terms, condition, status};
use crate::model::{Ask, Format, Order, Refused, Stamp, Task, digest};
use http_body_util::{BodyExt, Either, Limited};
use hyper::body::Incoming;
use hyper::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::{HeaderMap, Request, StatusCode};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The largest body that is read, in bytes.
const MAX_BODY: usize = 4 << 10;
/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How long the daemon may take to say how things stand.
const STATUS_TIME: Duration = Duration::from_secs(5);
/// How long it may take to read a configuration.
const RELOAD_TIME: Duration = Duration::from_mins(1);
/// How long it may take to do a task.
const TASK_TIME: Duration = Duration::from_mins(1);
/// Tells nginx not to keep events back until they fill a buffer.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// `/api/status`
pub(super) async fn status_json(server: &Server) -> Answer {
    match status(server).await {
        Some(status) => answer::json(StatusCode::OK, &status),
        None => silent(),
    }
}

/// `/status`
pub(super) async fn status_page(server: &Server, terms: &Terms) -> Answer {
    let Some(status) = status(server).await else { return silent() };
    let shelf = server.front.shelf.borrow().clone();
    match status::page(status, &terms.site, &shelf) {
        Ok(html) => answer::page(StatusCode::OK, html, &status::POLICY),
        Err(e) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "failed", &format!("the status cannot be shown: {e}")),
    }
}

/// `/metrics`
pub(super) async fn metrics(server: &Server) -> Answer {
    match ask(server, STATUS_TIME, |answer| Ask::Metrics { answer }).await {
        Some(text) => answer::bytes(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text),
        None => silent(),
    }
}

/// `/health.atom`, `.rss`, `.json`
pub(super) async fn health(server: &Server, format: Format, headers: &HeaderMap) -> Answer {
    let Some(documents) = ask(server, STATUS_TIME, |answer| Ask::Health { answer }).await else { return silent() };
    let Some(feed) = documents.into_iter().find(|d| d.path.ends_with(format.ending())) else { return silent() };
    let hash = digest(&feed.bytes);
    // Only by its tag: no time of change is stored of it.
    let known = headers.contains_key(IF_NONE_MATCH).then(|| condition::known(headers, hash, Stamp(0), Coding::Plain));
    let answer = match known.flatten() {
        Some(_) => answer::bytes(StatusCode::NOT_MODIFIED, format.media_type(), ""),
        None => answer::bytes(StatusCode::OK, format.media_type(), feed.bytes),
    };
    let answer = with(answer, ETAG, &condition::tag(hash, Coding::Plain));
    with(answer, CACHE_CONTROL, "private, no-cache")
}

async fn status(server: &Server) -> Option<Value> {
    ask(server, STATUS_TIME, |answer| Ask::Status { answer }).await
}

/// What the daemon says to a question.
async fn ask<T>(server: &Server, limit: Duration, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Option<T> {
    let (done, reply) = oneshot::channel();
    let work = async {
        server.front.asks.send(ask(done)).await.ok()?;
        reply.await.ok()
    };
    timeout(limit, work).await.ok().flatten()
}

fn silent() -> Answer {
    let answer = refusal(StatusCode::SERVICE_UNAVAILABLE, "failed", "the daemon does not answer; feeds are served");
    with(answer, RETRY_AFTER, "10")
}

/// `POST /api/reload`
pub(super) async fn reload(server: &Server) -> Answer {
    match ask(server, RELOAD_TIME, |done| Ask::Reload { done }).await {
        Some(Ok(())) => answer::json(StatusCode::OK, &json!({ "reloaded": true })),
        Some(Err(why)) => refusal(StatusCode::CONFLICT, "invalid", &why),
        None => silent(),
    }
}

/// What `POST /api/refresh` takes.
#[derive(serde::Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Wish {
    topics: Vec<String>,
    pages: Vec<String>,
    force: bool,
    accept: bool,
}

/// `POST /api/refresh`, after the guard.
pub(super) async fn refresh(server: &Server, terms: &Terms, peer: Peer, request: Request<Incoming>) -> Answer {
    if peer != Peer::Control && !terms.token.is_some_and(|token| token.is_in(request.headers())) {
        let answer = refusal(StatusCode::UNAUTHORIZED, "token", "send `Authorization: Bearer` and the token");
        return with(answer, WWW_AUTHENTICATE, "Bearer realm=\"pagewire\"");
    }
    let mut order = match order(request).await {
        Ok(order) => order,
        Err((status, why)) => return refusal(status, "request", &why),
    };
    // The socket's users are few and mean it; `refresh_min` is for those whom a token was given.
    order.min = if peer == Peer::Control { Duration::ZERO } else { terms.server.refresh_min };
    match server.flights.order(order, &server.front.asks) {
        Ok(id) => {
            let events = format!("refresh/{id}/events");
            with(answer::json(StatusCode::ACCEPTED, &json!({ "id": id })), LOCATION, &events)
        }
        Err(refused) => refused.into(),
    }
}

impl From<super::flight::Refused> for Answer {
    fn from(refused: super::flight::Refused) -> Self {
        match refused {
            super::flight::Refused::Deaf => silent(),
            super::flight::Refused::Full => {
                let text = "as many refreshes as can be are under way";
                with(refusal(StatusCode::SERVICE_UNAVAILABLE, "busy", text), RETRY_AFTER, "10")
            }
        }
    }
}

/// `POST /api/task`, over the control socket only.
pub(super) async fn task(server: &Server, request: Request<Incoming>) -> Answer {
    let body = match object(request).await {
        Ok(body) => body,
        Err((status, why)) => return refusal(status, "request", &why),
    };
    let task: Task = match serde_json::from_value(Value::Object(body)) {
        Ok(task) => task,
        Err(e) => return refusal(StatusCode::BAD_REQUEST, "request", &e.to_string()),
    };
    match ask(server, TASK_TIME, |answer| Ask::Task { task, answer }).await {
        Some(Ok(found)) => answer::json(StatusCode::OK, &found),
        Some(Err(Refused::Unknown(why))) => refusal(StatusCode::NOT_FOUND, "unknown", &why),
        Some(Err(Refused::Failed(why))) => refusal(StatusCode::CONFLICT, "failed", &why),
        None => silent(),
    }
}

/// What a request orders, or why it cannot be understood.
async fn order(request: Request<Incoming>) -> Result<Order, (StatusCode, String)> {
    let object = object(request).await?;
    let wish: Wish = serde_json::from_value(Value::Object(object)).map_err(bad)?;
    let names = [wish.topics, wish.pages].concat();
    if wish.accept && names.is_empty() {
        let text = "`accept` needs names: say whose held posts to release in `topics` or `pages`";
        return Err((StatusCode::BAD_REQUEST, text.to_owned()));
    }
    Ok(Order { names, force: wish.force, accept: wish.accept, min: Duration::ZERO })
}

/// A body's JSON object; Serde would take a list for a struct.
async fn object(request: Request<Incoming>) -> Result<Map<String, Value>, (StatusCode, String)> {
    if !is_json(request.headers()) {
        let text = "send `Content-Type: application/json`";
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, text.to_owned()));
    }
    let body = match timeout(BODY_TIME, Limited::new(request.into_body(), MAX_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return Err((StatusCode::PAYLOAD_TOO_LARGE, format!("at most {MAX_BODY} bytes are read"))),
        Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body did not come".to_owned())),
    };
    let body = if body.is_empty() { b"{}".as_slice() } else { &body };
    serde_json::from_slice(body).map_err(bad)
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn bad(error: serde_json::Error) -> (StatusCode, String) {
    (StatusCode::BAD_REQUEST, error.to_string())
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// `GET /api/refresh/ID/events`
pub(super) fn events(server: &Server, id: &str) -> Answer {
    let Some(events) = server.flights.events(id, &server.stop) else {
        return refusal(StatusCode::NOT_FOUND, "unknown", "there is no refresh of this id, or it ended long ago");
    };
    let mut answer = answer::bytes(StatusCode::OK, "text/event-stream", "");
    *answer.body_mut() = Either::Right(events);
    with(answer, UNBUFFERED, "no")
}

/// Why a request to an operator's address gets no further, if it does not.
pub(super) fn kept_out(peer: Peer, request: &Request<Incoming>, terms: &Terms) -> Option<Answer> {
    let why = guard::foreign(peer, request.uri().authority(), request.headers(), &terms.site)?;
    Some(refusal(StatusCode::FORBIDDEN, "refused-address", &why))
}
