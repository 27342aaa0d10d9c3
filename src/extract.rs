//! Body → Reading: finds out what sort of document a body is, and reads it.
//!
//! In: decoded bytes, their media type, the page's settings. Out: a [`Reading`], or why there is none. Pure: no input
//! or output, no clock, no randomness; the same bytes under the same settings give the same reading on any computer.
//! The content decides what a document is, not the media type alone: challenge pages come as Markdown, topic pages
//! come as `text/plain`.
//!
//! Deliberately absent: size limits (`fetch` bounds the body), keys, duplicates, what was known before (`diff`).

pub mod date;
mod decode;
mod feed;
mod html;
mod link;
mod markdown;
mod named;
mod next;
mod own;

pub use next::{may_go_on, next};
pub use own::own;

use crate::model::{Body, ErrorKind, Failure, Kind, PageSettings, Published, Reading, Warning, WarningKind};
use link::Links;
use url::Url;

/// What a body says.
///
/// # Errors
/// `not-a-topic-page` when the document is no list of posts, or not of the sort that the settings demand.
pub fn extract(body: &Body, settings: &PageSettings) -> Result<Reading, Failure> {
    extract_again(body, settings, None)
}

/// The same of a page that was read before, where its list had this shape ([`Reading::shape`]).
///
/// # Errors
/// As [`extract()`].
pub fn extract_again(body: &Body, settings: &PageSettings, shape: Option<u64>) -> Result<Reading, Failure> {
    let text = decode::text(&body.bytes, body.media_type.as_deref());
    if text.trim().is_empty() {
        return Err(Failure::new(ErrorKind::Empty, "the document is empty"));
    }
    let found = kind(&text, body.media_type.as_deref());
    match (settings.kind, found) {
        (Some(Kind::Markdown), Kind::Html | Kind::Feed) => Err(no_topic_page(format!(
            "the document is {}, though `kind` says `markdown`: look at what the address serves",
            if found == Kind::Html { "HTML" } else { "a feed" }
        ))),
        (Some(Kind::Markdown), _) | (None, Kind::Markdown) => {
            markdown::read(&text, &Links::of(body, settings), settings.timezone)
        }
        (Some(Kind::Html), _) | (None, Kind::Html) => html::read(&text, body, settings, shape),
        (Some(Kind::Feed), Kind::Html) => {
            Err(no_topic_page("the document is HTML, though `kind` says `feed`: look at what the address serves"))
        }
        (Some(Kind::Feed), _) | (None, Kind::Feed) => feed::read(&text, body, settings),
    }
}

/// Whether nothing says which charset a body is in, though it takes one to read it.
pub fn lacks_charset(body: &Body) -> bool {
    decode::is_unsaid(&body.bytes, body.media_type.as_deref())
}

/// Gives such a body the charset that the page's last one was said to be in: servers leave it out of one answer sooner than
/// pages change theirs.
pub fn recall_charset(body: &mut Body, last: &Body) {
    if let Some(charset) = decode::said(&last.bytes, last.media_type.as_deref()) {
        let media_type = body.media_type.as_deref().unwrap_or_default();
        body.media_type = Some(format!("{media_type}; charset={charset}"));
    }
}

/// How a body was understood, beyond what its reading says: lines for people, where there is something to say.
pub fn explain(body: &Body, settings: &PageSettings) -> Vec<String> {
    let text = decode::text(&body.bytes, body.media_type.as_deref());
    let is_html = settings.kind.is_none_or(|kind| kind == Kind::Html);
    if !is_html || settings.kind.is_none() && kind(&text, body.media_type.as_deref()) != Kind::Html {
        return Vec::new();
    }
    html::explain(&text, body, settings).unwrap_or_default()
}

/// The other forms that an HTML page names of itself (`<link rel=alternate>`): feeds and Markdown, in its order.
pub fn alternates(body: &Body, settings: &PageSettings) -> Vec<(Kind, Url)> {
    html::alternates(&decode::text(&body.bytes, body.media_type.as_deref()), body, settings)
}

/// The failure of a document that lists no posts.
fn no_topic_page(why: impl AsRef<str>) -> Failure {
    Failure::new(ErrorKind::NotATopicPage, why)
}

/// Most posts of one list that are read.
const MAX_POSTS: usize = 1000;

/// Of a list that is too long its newest posts, in the list's order, and a warning. Where most have no date, the first.
fn newest<T>(mut posts: Vec<T>, published: impl Fn(&T) -> Option<Published>) -> (Vec<T>, Option<Warning>) {
    let count = posts.len();
    if count <= MAX_POSTS {
        return (posts, None);
    }
    let mut ranked: Vec<(usize, Option<chrono::NaiveDate>)> =
        posts.iter().map(|post| published(post).map(Published::day)).enumerate().collect();
    let is_dated = ranked.iter().filter(|(_, day)| day.is_some()).count() * 2 >= count;
    if is_dated {
        ranked.sort_by_key(|&(_, day)| std::cmp::Reverse(day));
    }
    let kept: std::collections::HashSet<usize> = ranked.iter().take(MAX_POSTS).map(|&(place, _)| place).collect();
    let mut place = 0..;
    posts.retain(|_| place.next().is_some_and(|place| kept.contains(&place)));
    let which = if is_dated { "newest" } else { "first" };
    let why = format!("{count} posts: only the {which} {MAX_POSTS} of them are read");
    (posts, Some(Warning::new(WarningKind::Item, why)))
}

/// What sort of document a text is, told by how it begins.
fn kind(text: &str, media_type: Option<&str>) -> Kind {
    let (start, is_xml) = after_prolog(text);
    if feed::is_behind_junk(text) {
        return Kind::Feed;
    }
    let Some(tag) = start.strip_prefix('<') else {
        return if is_json(start) && !is_front_matter(start) { Kind::Feed } else { Kind::Markdown };
    };
    let mut words = tag.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/' | '['));
    let name = words.next().unwrap_or_default();
    let is = |names: &[&str]| names.iter().any(|n| name.eq_ignore_ascii_case(n));
    let is_doctype = is(&["!doctype"]);
    if is(&["html", "head", "body", "title", "meta"])
        || is_doctype && words.next().is_none_or(|root| root.eq_ignore_ascii_case("html"))
    {
        return Kind::Html;
    }
    if is_xml || is_doctype || feed::is_root(name) {
        return Kind::Feed;
    }
    // Markdown may begin with an HTML block too, so only here does the media type decide.
    let media_type = media_type.unwrap_or_default().trim_start().to_ascii_lowercase();
    if media_type.starts_with("text/html") || media_type.starts_with("application/xhtml") {
        return Kind::Html;
    }
    Kind::Markdown
}

/// The text after white space, comments and processing instructions, and whether one of these was `<?xml`.
fn after_prolog(text: &str) -> (&str, bool) {
    let mut rest = text.trim_start();
    let mut is_xml = false;
    loop {
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|i| i + 3)
        } else if rest.starts_with("<?") {
            is_xml |= rest.starts_with("<?xml");
            rest.find("?>").map(|i| i + 2)
        } else {
            None
        };
        match end {
            Some(end) => rest = rest[end..].trim_start(),
            None => return (rest, is_xml),
        }
    }
}

/// Whether a JSON object is the front matter of Markdown: a heading stands behind it.
fn is_front_matter(start: &str) -> bool {
    markdown::json_front(start).is_some_and(|end| start[end..].trim_start().starts_with('#'))
}

/// Whether a text begins as a JSON object or a list of them. Template marks such as `{%` and `{:` do not.
fn is_json(start: &str) -> bool {
    let inner = |c| start.strip_prefix(c).map(str::trim_start);
    inner('{').is_some_and(|s| s.starts_with(['"', '}'])) || inner('[').is_some_and(|s| s.starts_with('{'))
}
