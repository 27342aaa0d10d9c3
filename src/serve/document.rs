//! Published files over HTTP: validators, freshness, codings (RFC 9110, RFC 9111).
//!
//! In: the shelf's word on a file, and a request's headers. Out: 200 with the bytes, or 304 without asking the disk.
//! Bytes come from the disk once, are proved to be those that the shelf speaks of, and stay in memory while they are
//! asked for. A file that was replaced a moment ago is answered with its own tag and time; one that cannot be read
//! with 503, never 404: the feed exists.

use super::answer::{self, Answer, with};
use super::cache::{Cache, Kept};
use super::coding::{self, Coding};
use super::range::{self, Part};
use super::select::Selection;
use super::{condition, delta};
use crate::model::{Format, Shelf, Shelved, Site, Stamp, digest};
use bytes::Bytes;
use hyper::header::{
    ACCEPT_RANGES, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_ENCODING,
    CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LAST_MODIFIED, LINK,
    REFERRER_POLICY, VARY,
};
use hyper::{HeaderMap, StatusCode};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};
use tokio::task::spawn_blocking;

/// The shortest and the longest time for which a reader need not ask again, in seconds.
const FRESH: (i64, i64) = (300, 3_600);
/// For an archive that stays as it is, in seconds: a forgotten post must leave it some day.
const LASTING: i64 = 86_400;
/// What a 226 did to the feed.
const IM: HeaderName = HeaderName::from_static("im");
/// After a file that cannot be read, in seconds.
const RETRY_FILE: i64 = 60;

/// A file that is asked for.
pub(super) struct Wanted<'a> {
    pub(super) shelf: &'a Shelf,
    /// Its path on the shelf.
    pub(super) path: &'a str,
    pub(super) shelved: Shelved,
    /// Whether its address is a feed's, whose answer depends on who asks.
    pub(super) feed: bool,
    /// What the feed says of itself: where it is, and which hub it has.
    pub(super) site: &'a Site,
    /// Which posts of a feed are asked for; none: all.
    pub(super) selection: Option<Selection>,
    /// Whether readers that merge may be sent what is new alone.
    pub(super) deltas: bool,
}

/// Bytes of a file, as they are now.
struct Copy {
    hash: [u8; 16],
    mtime: Stamp,
    kept: Kept,
}

/// The answer to GET.
pub(super) async fn answer(wanted: Wanted<'_>, cache: &Cache, headers: &HeaderMap, now: Stamp) -> Answer {
    if let Some(selection) = &wanted.selection {
        return wanted.selected(selection, cache, headers, now).await;
    }
    let Shelved { hash, size, mtime } = wanted.shelved;
    let coding = coding::wanted(headers, size);
    if let Some(tag) = condition::known(headers, hash, mtime, coding) {
        return wanted.common(not_modified(), &tag, mtime, now);
    }
    if let Some(answer) = wanted.delta(cache, coding, headers, now).await {
        return answer;
    }
    let Ok(copy) = wanted.copy(cache, coding).await else { return unreadable() };
    // Another file than the shelf's: it may be the one that the client knows.
    if copy.hash != hash
        && let Some(tag) = condition::known(headers, copy.hash, copy.mtime, coding)
    {
        return wanted.common(not_modified(), &tag, copy.mtime, now);
    }
    wanted.whole(copy, coding, headers, now)
}

/// The feed exists, but its file cannot be read.
fn unreadable() -> Answer {
    open(answer::later(RETRY_FILE, "This file cannot be read just now. Please try again in a minute."))
}

fn not_modified() -> Answer {
    let mut answer = answer::bytes(StatusCode::NOT_MODIFIED, "", Bytes::new());
    answer.headers_mut().remove(CONTENT_TYPE);
    answer
}

/// For pages of other origins too: there is nothing here that not everybody may read.
pub(super) fn open(answer: Answer) -> Answer {
    with(with(answer, ACCESS_CONTROL_ALLOW_ORIGIN, "*"), ACCESS_CONTROL_EXPOSE_HEADERS, "*")
}

impl Wanted<'_> {
    /// What 200 and 304 both say.
    fn common(&self, answer: Answer, tag: &str, mtime: Stamp, now: Stamp) -> Answer {
        let fresh = format!("public, max-age={}", self.fresh(now));
        let vary = match self.feed {
            true if self.deltas => "Accept-Encoding, Sec-Fetch-Dest, A-IM",
            true => "Accept-Encoding, Sec-Fetch-Dest",
            false => "Accept-Encoding",
        };
        let headers: [(HeaderName, &str); 5] = [
            (ETAG, tag),
            (LAST_MODIFIED, &http_date(mtime)),
            (CACHE_CONTROL, &fresh),
            (VARY, vary),
            (ACCEPT_RANGES, "bytes"),
        ];
        let answer = headers.into_iter().fold(open(answer), |answer, (name, value)| with(answer, name, value));
        match &self.site.hub {
            Some(hub) if is_feed(self.path) && !self.path.contains("/archive/") && self.selection.is_none() => {
                let own = self.site.address(self.path);
                with(answer, LINK, &format!("<{hub}>; rel=\"hub\", <{own}>; rel=\"self\""))
            }
            _ => answer,
        }
    }

    fn whole(&self, copy: Copy, coding: Coding, headers: &HeaderMap, now: Stamp) -> Answer {
        let tag = condition::tag(copy.hash, coding);
        let bytes = copy.kept.bytes;
        let length = bytes.len();
        let (status, bytes, span) = match range::wanted(headers, &tag, copy.mtime, length) {
            Part::Whole => (StatusCode::OK, bytes, None),
            Part::Bytes(first, last) => {
                (StatusCode::PARTIAL_CONTENT, bytes.slice(first..=last), Some(format!("bytes {first}-{last}/{length}")))
            }
            Part::Beyond => {
                let answer = answer::sentence(StatusCode::RANGE_NOT_SATISFIABLE, "There is nothing behind the end.");
                return open(with(answer, CONTENT_RANGE, &format!("bytes */{length}")));
            }
        };
        let answer = answer::bytes(status, media_type(self.path), bytes);
        let mut answer = self.common(answer, &tag, copy.mtime, now);
        if let Some(span) = span {
            answer = with(answer, CONTENT_RANGE, &span);
        }
        if let Some(name) = coding.name() {
            answer = with(answer, CONTENT_ENCODING, name);
        }
        if let Some(policy) = copy.kept.policy {
            answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
            answer = with(answer, REFERRER_POLICY, "no-referrer");
        }
        answer
    }

    /// The answer with some of a feed's posts: a document of its own, with a tag of its own and the feed's time.
    async fn selected(&self, selection: &Selection, cache: &Cache, headers: &HeaderMap, now: Stamp) -> Answer {
        let Ok(feed) = self.copy(cache, Coding::Plain).await else { return unreadable() };
        let ending = self.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let bytes = Bytes::from(selection.cut(ending, &feed.kept.bytes));
        let hash = digest(&bytes);
        let coding = coding::wanted(headers, bytes.len() as u64);
        if let Some(tag) = condition::known(headers, hash, feed.mtime, coding) {
            return self.common(not_modified(), &tag, feed.mtime, now);
        }
        let plain = Copy { hash, mtime: feed.mtime, kept: Kept { bytes, policy: None } };
        match coded(plain, cache, coding).await {
            Ok(copy) => self.whole(copy, coding, headers, now),
            Err(_) => unreadable(),
        }
    }

    /// What is new since the version that the client has, where it may be sent that alone. The tag is the whole feed's.
    async fn delta(&self, cache: &Cache, coding: Coding, headers: &HeaderMap, now: Stamp) -> Option<Answer> {
        if !self.deltas || !is_feed(self.path) || self.path.contains("/archive/") {
            return None;
        }
        let earlier = delta::wanted(headers)?;
        let feed = self.copy(cache, Coding::Plain).await.ok()?;
        let (_, ending) = self.path.rsplit_once('.')?;
        let own = self.site.address(self.path);
        let bytes = Bytes::from(delta::cut(cache, earlier, ending, &own, &feed.kept.bytes)?);
        let part = Copy { hash: digest(&bytes), mtime: feed.mtime, kept: Kept { bytes, policy: None } };
        let part = coded(part, cache, coding).await.ok()?;
        let answer = answer::bytes(StatusCode::IM_USED, media_type(self.path), part.kept.bytes);
        let mut answer = self.common(answer, &condition::tag(feed.hash, coding), feed.mtime, now);
        answer.headers_mut().remove(ACCEPT_RANGES);
        if let Some(name) = coding.name() {
            answer = with(answer, CONTENT_ENCODING, name);
        }
        // Nobody between keeps a part for the whole.
        Some(with(with(answer, CACHE_CONTROL, "no-store, im"), IM, "feed"))
    }

    /// Seconds until the feed's next page is due; for lists of feeds until any is. An archive that another follows stays
    /// as it is.
    fn fresh(&self, now: Stamp) -> i64 {
        let due = &self.shelf.due;
        let (stem, ending) = self.path.rsplit_once('.').unwrap_or((self.path, ""));
        let stem = match stem.split_once("/archive/") {
            Some((feed, number)) => {
                let next =
                    number.parse::<u64>().ok().map(|n| format!("{feed}/archive/{}.{ending}", n.saturating_add(1)));
                if next.is_some_and(|next| self.shelf.files.contains_key(&next)) {
                    return LASTING;
                }
                feed
            }
            None => stem,
        };
        let next = due.get(stem).or_else(|| due.values().min());
        next.map_or(FRESH.1, |next| next.0.saturating_sub(now.0)).clamp(FRESH.0, FRESH.1)
    }

    /// The file's bytes in a coding, from memory or else from the disk.
    async fn copy(&self, cache: &Cache, coding: Coding) -> io::Result<Copy> {
        let Shelved { hash, mtime, .. } = self.shelved;
        let found = |kept| Copy { hash, mtime, kept };
        if let Some(kept) = cache.find(&(hash, coding)) {
            return Ok(found(kept));
        }
        let _turn = cache.turn(hash).await;
        if let Some(kept) = cache.find(&(hash, coding)) {
            return Ok(found(kept));
        }
        let plain = match cache.find(&(hash, Coding::Plain)) {
            Some(kept) => found(kept),
            None => self.proved(read(self.shelf.directory.join(self.path)).await?),
        };
        cache.keep((plain.hash, Coding::Plain), plain.kept.clone());
        // Also where the disk is ahead of the shelf, each coding is made once.
        coded(plain, cache, coding).await
    }

    /// The time of these bytes is the one they were published with, whatever the disk says (it may be a copy's).
    fn proved(&self, read: Copy) -> Copy {
        if read.hash == self.shelved.hash { Copy { mtime: self.shelved.mtime, ..read } } else { read }
    }
}

/// The same in a coding, made once.
async fn coded(plain: Copy, cache: &Cache, coding: Coding) -> io::Result<Copy> {
    if coding == Coding::Plain {
        return Ok(plain);
    }
    if let Some(kept) = cache.find(&(plain.hash, coding)) {
        return Ok(Copy { kept, ..plain });
    }
    let from = plain.kept.bytes.clone();
    let bytes = spawn_blocking(move || coding.encode(&from)).await??.into();
    let kept = Kept { bytes, policy: plain.kept.policy };
    cache.keep((plain.hash, coding), kept.clone());
    Ok(Copy { kept, ..plain })
}

/// A file as it is on the disk.
async fn read(path: PathBuf) -> io::Result<Copy> {
    let work = move || {
        let mut file = std::fs::File::open(&path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let since = file.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let hash = digest(&bytes);
        let policy = path.extension().is_some_and(|e| e == "html").then(|| stated_policy(&bytes));
        let mtime = Stamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX));
        Ok(Copy { hash, mtime, kept: Kept { bytes: bytes.into(), policy } })
    };
    spawn_blocking(work).await?
}

/// The content security policy that a page states in its head, for the header: there it also says who may frame it.
/// The page knows best; it may be older than this program. One that states none may load nothing.
fn stated_policy(html: &[u8]) -> HeaderValue {
    const BEFORE: &[u8] = b"http-equiv=\"Content-Security-Policy\" content=\"";
    let stated = memchr::memmem::find(html, BEFORE).map(|at| &html[at + BEFORE.len()..]);
    let stated = stated.and_then(|rest| Some(&rest[..memchr::memchr(b'"', rest)?])).unwrap_or(b"default-src 'none'");
    HeaderValue::from_bytes(&[stated, b"; frame-ancestors 'none'"].concat())
        .unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

fn http_date(stamp: Stamp) -> String {
    // Past the year 9999 there is no such date.
    let seconds = u64::try_from(stamp.0.clamp(0, 253_402_300_799)).unwrap_or(0);
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "atom" => "application/atom+xml; charset=utf-8",
        "rss" => "application/rss+xml; charset=utf-8",
        "json" => "application/feed+json; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "opml" => "text/x-opml; charset=utf-8",
        "ico" => "image/x-icon",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

/// Whether a path is a feed's, in a format that readers read.
pub(super) fn is_feed(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| Format::of_ending(ending).is_some())
}
