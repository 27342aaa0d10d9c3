//! Answers that are no file: a sentence, an object, a small page.
//!
//! In: a status and what to say. Out: a response that nobody keeps and no browser takes for something else.

use super::flight::Events;
use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Body;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE,
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// Bytes, or events as they come.
pub(super) type Payload = Either<Full<Bytes>, Events>;
/// What a request is answered with.
pub(super) type Answer = Response<Payload>;

pub(super) fn is_stream(answer: &Answer) -> bool {
    matches!(answer.body(), Either::Right(_))
}

/// Bytes of a media type.
pub(super) fn bytes(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Either::Left(Full::new(body.into())));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// A sentence for a person with a terminal.
pub(super) fn sentence(status: StatusCode, text: &str) -> Answer {
    bytes(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

/// An object for a program.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Answer {
    let mut text = serde_json::to_string(value).expect("keys are strings");
    text.push('\n');
    bytes(status, "application/json", text)
}

/// Why a program's request was not done, in the shape of the contract's errors.
pub(super) fn refusal(status: StatusCode, kind: &str, message: &str) -> Answer {
    json(status, &serde_json::json!({ "error": { "kind": kind, "message": message } }))
}

/// A page for a person with a browser, and the content security policy that it needs.
pub(super) fn page(status: StatusCode, html: String, policy: &str) -> Answer {
    let answer = bytes(status, "text/html; charset=utf-8", html);
    with(with(answer, CONTENT_SECURITY_POLICY, policy), REFERRER_POLICY, "no-referrer")
}

/// Nothing of the kind here, or nothing for this peer.
pub(super) fn unknown() -> Answer {
    sentence(StatusCode::NOT_FOUND, "Nothing is published at this address.")
}

/// The address exists, for other methods.
pub(super) fn only(methods: &str) -> Answer {
    with(sentence(StatusCode::METHOD_NOT_ALLOWED, &format!("This address answers {methods} only.")), ALLOW, methods)
}

/// Not now.
pub(super) fn later(seconds: i64, text: &str) -> Answer {
    with(sentence(StatusCode::SERVICE_UNAVAILABLE, text), RETRY_AFTER, &seconds.to_string())
}

/// For good somewhere else.
pub(super) fn moved(to: &str) -> Answer {
    let answer = with(sentence(StatusCode::MOVED_PERMANENTLY, &format!("This moved to {to}")), LOCATION, to);
    with(answer, CACHE_CONTROL, "public, max-age=3600")
}

/// What a page of another origin may send: it reads as everybody does.
pub(super) fn preflight() -> Answer {
    let answer = bytes(StatusCode::NO_CONTENT, "", Bytes::new());
    let mut answer = with(answer, ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    answer.headers_mut().remove(CONTENT_TYPE);
    let answer = with(answer, ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD");
    with(with(answer, ACCESS_CONTROL_ALLOW_HEADERS, "*"), ACCESS_CONTROL_MAX_AGE, "86400")
}

/// The same answer with a header.
///
/// # Panics
/// Never with what is given: values are ours, or parts of addresses, which are ASCII.
pub(super) fn with(mut answer: Answer, name: HeaderName, value: &str) -> Answer {
    answer.headers_mut().insert(name, HeaderValue::from_str(value).expect("values are ASCII"));
    answer
}

/// The answer to HEAD: what GET has, without the bytes.
pub(super) fn head(mut answer: Answer) -> Answer {
    if let Some(length) = answer.body().size_hint().exact()
        && answer.status() != StatusCode::NOT_MODIFIED
    {
        answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    *answer.body_mut() = Either::Left(Full::default());
    answer
}
