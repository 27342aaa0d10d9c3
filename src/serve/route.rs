//! A request → the answer: which address it is, who may use it, by which method.
//!
//! In: a request and where it came from. Out: its answer. Paths are compared as they came, but for characters that
//! need no encoding: what is published is made of slugs, so a path with `..` or any other `%` in it is none of ours.

use super::answer::{self, Answer};
use super::document::{self, Wanted};
use super::guard::{self, Peer};
use super::hub;
use super::reader::{self, Caller};
use super::select::Selection;
use super::{Server, Terms, operator, status};
use crate::model::{FeedKey, Format, Shelf, Shelved, Stamp, normal_codes};
use hyper::body::Incoming;
use hyper::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, RANGE};
use hyper::{HeaderMap, Method, Request, StatusCode};

/// For a feed that is not published yet, in seconds.
const RETRY_PENDING: i64 = 300;
/// Files of every publication.
const LISTS: [&str; 2] = ["index.html", "feeds.opml"];

/// What is at an address.
#[derive(Debug, PartialEq, Eq)]
enum Place<'a> {
    /// A published file, by its path.
    File(&'a str, Shelved),
    /// One that will be published.
    Pending,
    /// One that is gone for good.
    Gone,
    /// One that has another address now; relative to this one.
    Moved(String),
    Health,
    Ready,
    Status,
    StatusJson,
    Refresh,
    Reload,
    Task,
    Metrics,
    /// The health feed in a format.
    HealthFeed(Format),
    /// The events of the refresh with this id.
    Events(&'a str),
}

impl Place<'_> {
    /// Whether not everybody may see it.
    fn is_operators(&self) -> bool {
        !matches!(self, Self::File(..) | Self::Pending | Self::Gone | Self::Moved(_) | Self::Health | Self::Ready)
    }
}

/// The format of the health feed at a path.
fn health(path: &str) -> Option<Format> {
    let ending = path.strip_prefix(&FeedKey::Health.path())?.strip_prefix('.')?;
    Format::of_ending(ending)
}

/// Answers a request.
pub(super) async fn answer(server: &Server, peer: Peer, mut request: Request<Incoming>) -> Answer {
    let is_head = request.method() == Method::HEAD;
    if is_head {
        // Only GET has parts (RFC 9110 §14.2).
        request.headers_mut().remove(RANGE);
    }
    let answer = whole(server, peer, request).await;
    if is_head { answer::head(answer) } else { answer }
}

async fn whole(server: &Server, peer: Peer, request: Request<Incoming>) -> Answer {
    let terms = server.front.terms.borrow().clone();
    let shelf = server.front.shelf.borrow().clone();
    let path = plain(request.uri().path());
    let base = &plain(terms.site.base_url.path());
    if let Some(name) = folder_without_slash(&path, base) {
        return answer::moved(&format!("{name}/"));
    }
    let now = (server.front.now)();
    let found = meanings(&path, base).find_map(|path| place(path, &shelf, now));
    if found.is_none() && hub::is_own(&terms) && meanings(&path, base).any(|path| path == "hub") {
        return match *request.method() {
            Method::POST => hub::subscribe(server, &terms, &shelf, request).await,
            _ => answer::only("POST"),
        };
    }
    match found {
        None => nowhere(&request, &terms),
        // A page of another origin asks before it sends validators (Fetch standard, "CORS-preflight request").
        Some(place) if !place.is_operators() && is_preflight(&request) => answer::preflight(),
        Some(place) if place.is_operators() => for_operator(server, &terms, peer, place, request).await,
        Some(_) if !matches!(*request.method(), Method::GET | Method::HEAD) => answer::only("GET, HEAD"),
        Some(place) => for_everybody(server, &terms, &shelf, place, &request).await,
    }
}

/// A path in which nothing is encoded that need not be, and no slash stands twice: the same address for all that are
/// written otherwise.
fn plain(path: &str) -> String {
    let mut plain = normal_codes(path).into_owned();
    while plain.contains("//") {
        plain = plain.replace("//", "/");
    }
    plain
}

/// Whether a browser asks on behalf of a page what it may send.
fn is_preflight(request: &Request<Incoming>) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The paths below the published folder that an address may mean: first below `base_url`, where subscribers were told
/// to look, then below the root, for a proxy that takes the path of `base_url` away.
fn meanings<'a>(path: &'a str, base: &str) -> impl Iterator<Item = &'a str> {
    let below = (base != "/").then(|| path.strip_prefix(base)).flatten();
    below.into_iter().chain(path.strip_prefix('/'))
}

/// The last part of a `base_url`'s path that was asked for without the slash at its end.
fn folder_without_slash<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let is_base = base.strip_suffix('/').is_some_and(|base| !base.is_empty() && base == path);
    is_base.then(|| path.rsplit('/').next()).flatten()
}

fn place<'a>(path: &'a str, shelf: &Shelf, now: Stamp) -> Option<Place<'a>> {
    let path = if path.is_empty() { LISTS[0] } else { path };
    if !shelf.gone.is_empty() && feed_of(path).and_then(|feed| shelf.gone.get(feed)).is_some_and(|at| *at <= now) {
        return Some(Place::Gone);
    }
    if let Some(shelved) = shelf.files.get(path) {
        return Some(Place::File(path, *shelved));
    }
    Some(match path {
        "healthz" => Place::Health,
        "readyz" => Place::Ready,
        "status" => Place::Status,
        "api/status" => Place::StatusJson,
        "metrics" => Place::Metrics,
        "api/refresh" => Place::Refresh,
        "api/reload" => Place::Reload,
        "api/task" => Place::Task,
        list if LISTS.contains(&list) => Place::Pending,
        other if health(other).is_some() => Place::HealthFeed(health(other)?),
        other => match other.strip_prefix("api/refresh/").and_then(|rest| rest.strip_suffix("/events")) {
            Some(id) => Place::Events(id),
            None => return unpublished(other, shelf),
        },
    })
}

/// Whether a feed's path can end so.
fn is_of_feeds(ending: &str) -> bool {
    ending == "html" || Format::of_ending(ending).is_some()
}

/// The feed that a path is of, or of an archive of.
fn feed_of(path: &str) -> Option<&str> {
    let (stem, _) = path.rsplit_once('.').filter(|(_, ending)| is_of_feeds(ending))?;
    Some(stem.split_once("/archive/").map_or(stem, |(feed, _)| feed))
}

/// A feed that is known, though there is no file of it here.
fn unpublished(path: &str, shelf: &Shelf) -> Option<Place<'static>> {
    let (stem, ending) = path.rsplit_once('.').filter(|(_, ending)| is_of_feeds(ending))?;
    let (feed, archive) = stem
        .split_once("/archive/")
        .map_or((stem, String::new()), |(feed, number)| (feed, format!("/archive/{number}")));
    if let Some(to) = shelf.moved.get(feed) {
        let up = "../".repeat(path.matches('/').count());
        return Some(Place::Moved(format!("{up}{to}{archive}.{ending}")));
    }
    // A format that is written no more, where others of the same feed are.
    let other = Format::ALL.iter().find(|other| shelf.files.contains_key(&format!("{stem}.{}", other.ending())));
    if let Some(other) = other.filter(|_| Format::of_ending(ending).is_some()) {
        return Some(Place::Moved(format!("{}.{}", stem.rsplit('/').next().unwrap_or(stem), other.ending())));
    }
    shelf.pending.contains(stem).then_some(Place::Pending)
}

async fn for_everybody(
    server: &Server,
    terms: &Terms,
    shelf: &Shelf,
    place: Place<'_>,
    request: &Request<Incoming>,
) -> Answer {
    match place {
        Place::File(path, shelved) => {
            let feed = document::is_feed(path);
            let page = if feed && wants_page(request) { page_of(path, shelf) } else { None };
            let query = request.uri().query().filter(|_| feed && page.is_none()).unwrap_or_default();
            let selection = match Selection::of(query) {
                Ok(selection) => selection,
                Err(why) => return document::open(answer::sentence(StatusCode::BAD_REQUEST, &why)),
            };
            let (path, shelved) = page.as_ref().map_or((path, shelved), |(path, shelved)| (path.as_str(), *shelved));
            let wanted =
                Wanted { shelf, path, shelved, feed, selection, site: &terms.site, deltas: terms.server.deltas };
            let now = (server.front.now)();
            let answer = document::answer(wanted, &server.cache, request.headers(), now).await;
            if feed && page.is_none() && !path.contains("/archive/") {
                let from = request.extensions().get::<Caller>().and_then(|caller| caller.0);
                let reader = reader::reader(&server.marks, request.headers(), from);
                let not_modified = answer.status() == StatusCode::NOT_MODIFIED;
                server.front.metrics.read(feed_of(path).unwrap_or(path), not_modified, reader, now);
            }
            answer
        }
        Place::Gone => {
            let answer = answer::sentence(StatusCode::GONE, "This feed has ended: its topic is not followed any more.");
            document::open(answer)
        }
        Place::Moved(to) => {
            let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            document::open(answer::moved(&format!("{to}{query}")))
        }
        Place::Pending => document::open(answer::later(
            RETRY_PENDING,
            "This is not published yet: its pages are still to be read for the first time. Please try again later.",
        )),
        Place::Ready if !*server.front.ready.borrow() => answer::sentence(StatusCode::SERVICE_UNAVAILABLE, "starting"),
        _ => answer::sentence(StatusCode::OK, "ok"),
    }
}

/// Whether a person opens this in a browser, and did not ask for the feed itself. `Accept` says nothing: readers copy
/// the browsers' one.
fn wants_page(request: &Request<Incoming>) -> bool {
    let raw = |query: &str| query.split('&').any(|part| part.split('=').next() == Some("raw"));
    is_browser(request.headers()) && !request.uri().query().is_some_and(raw)
}

fn is_browser(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-dest").is_some_and(|dest| dest == "document")
}

/// The page that shows a feed to people.
fn page_of(path: &str, shelf: &Shelf) -> Option<(String, Shelved)> {
    let page = format!("{}.html", path.rsplit_once('.')?.0);
    let shelved = *shelf.files.get(&page)?;
    Some((page, shelved))
}

async fn for_operator(
    server: &Server,
    terms: &Terms,
    peer: Peer,
    place: Place<'_>,
    request: Request<Incoming>,
) -> Answer {
    let exists = match place {
        Place::Refresh => peer == Peer::Control || terms.token.is_some(),
        Place::Reload | Place::Task => peer == Peer::Control,
        _ => guard::is_operator(peer, request.headers(), terms),
    };
    if !exists {
        return nowhere(&request, terms);
    }
    if let Some(refusal) = operator::kept_out(peer, &request, terms) {
        return refusal;
    }
    let posts = matches!(place, Place::Refresh | Place::Reload | Place::Task);
    match *request.method() {
        Method::POST if posts => {}
        Method::GET | Method::HEAD if !posts => {}
        _ => return answer::only(if posts { "POST" } else { "GET, HEAD" }),
    }
    match place {
        Place::Refresh => operator::refresh(server, terms, peer, request).await,
        Place::Reload => operator::reload(server).await,
        Place::Task => operator::task(server, request).await,
        Place::Events(id) => operator::events(server, id),
        Place::Metrics => operator::metrics(server).await,
        Place::HealthFeed(format) => operator::health(server, format, request.headers()).await,
        Place::Status => operator::status_page(server, terms).await,
        _ => operator::status_json(server).await,
    }
}

/// Nothing here: a page with a way on for people, a sentence for everybody else.
fn nowhere(request: &Request<Incoming>, terms: &Terms) -> Answer {
    if is_browser(request.headers()) {
        return answer::page(StatusCode::NOT_FOUND, status::nowhere(&terms.site), &status::POLICY);
    }
    answer::unknown()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_looked_for_below_the_base_first() {
        let meant = |path, base| meanings(path, base).collect::<Vec<_>>();
        assert_eq!(meant("/feeds/all.atom", "/feeds/"), ["all.atom", "feeds/all.atom"]);
        assert_eq!(meant("/all.atom", "/feeds/"), ["all.atom"]);
        assert_eq!(meant("/feedsall.atom", "/feeds/"), ["feedsall.atom"]);
        assert_eq!(meant("/all.atom", "/"), ["all.atom"]);
        assert_eq!(meant("*", "/"), [""; 0]);
        assert_eq!(folder_without_slash("/a/feeds", "/a/feeds/"), Some("feeds"));
        assert_eq!(folder_without_slash("/a/feeds/", "/a/feeds/"), None);
        assert_eq!(folder_without_slash("", "/"), None);
    }

    #[test]
    fn what_needs_no_encoding_is_decoded_once_and_nothing_else_is() {
        for (path, is) in [
            ("/topics/%74.atom", "/topics/t.atom"),
            ("/%7Ex/", "/~x/"),
            ("/%2e%2E/x", "/../x"),
            ("/%2574", "/%2574"),
            ("/a%2Fb%00%", "/a%2Fb%00%25"),
            ("/%é", "/%25é"),
            ("//topics///t.atom", "/topics/t.atom"),
        ] {
            assert_eq!(plain(path), is, "{path}");
        }
    }
}
