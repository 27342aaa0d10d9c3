//! OPML → subscriptions: what a feed reader exported.
//!
//! In: the text of an OPML file (1.0 or 2.0). Out: every outline with a feed's address, in order, each address once.
//! Groups are left out: a topic's slug and title are its own. What is not well-formed further down costs what follows.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashSet;
use url::Url;

/// One subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscribed {
    /// What the reader calls it.
    pub title: String,
    /// The feed's address.
    pub feed: Url,
    /// Whether it had a user or password in it, which are left out.
    pub secret: bool,
}

/// The subscriptions of an OPML file.
///
/// # Errors
/// A sentence where it is none, or has none.
///
/// # Examples
/// ```
/// let list = r#"<opml version="2.0"><body><outline text="A &amp; B" xmlUrl="https://x.example/feed"/></body></opml>"#;
/// let found = pagewire::config::subscriptions(list)?;
/// assert_eq!((found[0].title.as_str(), found[0].feed.as_str()), ("A & B", "https://x.example/feed"));
/// # Ok::<(), String>(())
/// ```
pub fn subscriptions(text: &str) -> Result<Vec<Subscribed>, String> {
    let mut reader = Reader::from_str(text);
    let (mut found, mut seen, mut is_opml) = (Vec::new(), HashSet::new(), false);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                is_opml |= tag.name().as_ref().eq_ignore_ascii_case(b"opml");
                if tag.name().as_ref().eq_ignore_ascii_case(b"outline") {
                    found.extend(subscribed(&tag).filter(|one| seen.insert(one.feed.clone())));
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) if found.is_empty() => return Err(format!("no OPML: {error}")),
            Err(_) => break,
        }
    }
    match (is_opml, found.is_empty()) {
        (false, _) => Err("no OPML: there is no <opml>".to_owned()),
        (true, true) => Err("no outline has an `xmlUrl`, so there is nothing to follow".to_owned()),
        _ => Ok(found),
    }
}

fn subscribed(tag: &BytesStart<'_>) -> Option<Subscribed> {
    let value = |wanted: &str| {
        let attribute = tag.attributes().flatten().find(|a| a.key.as_ref().eq_ignore_ascii_case(wanted.as_bytes()))?;
        let raw = String::from_utf8_lossy(&attribute.value).into_owned();
        let text = quick_xml::escape::unescape(&raw).map(std::borrow::Cow::into_owned).unwrap_or(raw);
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let mut feed = web(&value("xmlUrl")?)?;
    let secret = !feed.username().is_empty() || feed.password().is_some();
    if secret {
        // Seeds hold no secrets; whoever imports is told.
        let _ = (feed.set_username(""), feed.set_password(None));
    }
    let title = value("title").or_else(|| value("text")).or_else(|| feed.host_str().map(str::to_owned))?;
    Some(Subscribed { title, feed, secret })
}

/// An address of the web, also as readers write it who want others to know a feed by it: `feed://x.example/` is one over
/// http by that scheme's draft, of which sites lead on to https, and `feed:https://x.example/` says it.
fn web(text: &str) -> Option<Url> {
    let lower = text.get(..5).map(str::to_ascii_lowercase);
    let text = match text.get(5..).filter(|_| lower.as_deref() == Some("feed:")) {
        Some(rest) if rest.starts_with("//") => format!("http:{rest}"),
        Some(rest) => rest.to_owned(),
        None => text.to_owned(),
    };
    Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
