//! The journal: what readings did to posts and pages, and what people ordered.

use super::entry::EntryId;
use super::time::Stamp;
use std::fmt::Write;

/// What happened. The words are shown to people and scripts, and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// Posts that nobody knew were taken in.
    Added,
    /// A post changed in meaning.
    Edited,
    /// A post moved to another address.
    Renamed,
    /// A post's own page was read, and it is published with what that says.
    Filled,
    /// A post's own page could not be read.
    Unread,
    /// Posts are no longer on the page; they stay in the feeds.
    Delisted,
    /// Posts are on the page again.
    Returned,
    /// A guard keeps posts back.
    Held,
    /// What was kept back is published.
    Released,
    /// Somebody took a post out of all feeds.
    Forgotten,
    /// Somebody took that back.
    Restored,
    /// A post is known from an imported feed.
    Imported,
    /// The page cannot be taken any more.
    Failed,
    /// It can again.
    Recovered,
    /// It ended, with 410.
    Ended,
    /// It brought nothing for far longer than its rhythm.
    Stale,
    /// An index lists topic pages that nobody knew.
    Proposed,
    /// Somebody stopped its polling.
    Paused,
    /// Somebody started it again.
    Resumed,
}

impl Deed {
    const NAMES: [(Self, &'static str); 19] = [
        (Self::Added, "added"),
        (Self::Edited, "edited"),
        (Self::Renamed, "renamed"),
        (Self::Filled, "filled"),
        (Self::Unread, "unread"),
        (Self::Delisted, "delisted"),
        (Self::Returned, "returned"),
        (Self::Held, "held"),
        (Self::Released, "released"),
        (Self::Forgotten, "forgotten"),
        (Self::Restored, "restored"),
        (Self::Imported, "imported"),
        (Self::Failed, "failed"),
        (Self::Recovered, "recovered"),
        (Self::Ended, "ended"),
        (Self::Stale, "stale"),
        (Self::Proposed, "proposed"),
        (Self::Paused, "paused"),
        (Self::Resumed, "resumed"),
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(deed, _)| *deed == self).map_or("", |(_, name)| name)
    }

    /// The deed of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, name)| *name == word).map(|(deed, _)| *deed)
    }

    /// Whether it says that a page's state changed, or that there is more to follow, which the health feed tells.
    pub fn is_health(self) -> bool {
        matches!(self, Self::Held | Self::Failed | Self::Recovered | Self::Ended | Self::Stale | Self::Proposed)
    }
}

/// One deed, and whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub deed: Deed,
    /// The posts; none where it concerns the page.
    pub posts: Vec<EntryId>,
    /// What was before, or why; one line.
    pub detail: String,
}

impl Event {
    /// A deed that concerns posts.
    pub fn posts(deed: Deed, posts: Vec<EntryId>) -> Self {
        Self { deed, posts, detail: String::new() }
    }

    /// A deed that concerns the page.
    pub fn page(deed: Deed, detail: impl Into<String>) -> Self {
        Self { deed, posts: Vec::new(), detail: detail.into() }
    }
}

/// What a reading came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The address that answered.
    pub address: String,
    /// How many bytes the document has.
    pub bytes: u64,
    /// A number for the bytes; see [`super::Body::hash`].
    pub hash: [u8; 16],
}

/// What one reading, or one order, did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// The address of the page.
    pub page: String,
    /// When.
    pub at: Stamp,
    /// By which document; none for an order, or where there was no answer.
    pub origin: Option<Origin>,
    /// What.
    pub events: Vec<Event>,
}

/// The longest that the events of one act are kept, in bytes.
const MAX_ACT: usize = 16 << 10;

/// Events as they are stored: a line each of deed, posts and detail, by tabs. What is too much is left out and counted.
pub fn pack_events(events: &[Event]) -> String {
    let mut out = String::new();
    for (i, event) in events.iter().enumerate() {
        let before = out.len();
        let end = if out.is_empty() { "" } else { "\n" };
        let detail = event.detail.replace(['\t', '\n'], " ");
        let (deed, posts) = (event.deed.as_str(), pack_posts(&event.posts));
        write!(out, "{end}{deed}\t{posts}\t{detail}").expect("memory takes every character");
        if out.len() > MAX_ACT && i > 0 {
            out.truncate(before);
            write!(out, "\n\t\tand {} more", events.len() - i).expect("memory takes every character");
            break;
        }
    }
    out
}

/// Events from their stored form; lines that cannot be read are left out.
pub fn unpack_events(text: &str) -> Vec<Event> {
    let event = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let deed = Deed::named(parts.next()?)?;
        Some(Event { deed, posts: unpack_posts(parts.next()?), detail: parts.next()?.to_owned() })
    };
    text.lines().filter_map(event).collect()
}

/// Numbers of posts, neighbours as a range: most posts of a reading are added one after the other.
fn pack_posts(posts: &[EntryId]) -> String {
    let mut out = String::new();
    let mut rest = posts;
    while let [first, ..] = rest {
        let run = 1 + rest.windows(2).take_while(|pair| pair[1].0 == pair[0].0 + 1).count();
        let space = if out.is_empty() { "" } else { " " };
        let to = if run > 1 { format!("-{}", rest[run - 1].0) } else { String::new() };
        write!(out, "{space}{}{to}", first.0).expect("memory takes every digit");
        rest = &rest[run..];
    }
    out
}

fn unpack_posts(text: &str) -> Vec<EntryId> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse::<i64>().ok()?..=to.parse::<i64>().ok()?)
    };
    text.split(' ').filter_map(range).flatten().map(EntryId).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_back_to_their_deeds() {
        for (deed, word) in Deed::NAMES {
            assert_eq!((Deed::named(word), deed.as_str()), (Some(deed), word));
        }
    }

    #[test]
    fn events_come_back_as_they_were() {
        let ids = |ids: &[i64]| ids.iter().copied().map(EntryId).collect::<Vec<_>>();
        let events = vec![
            Event::posts(Deed::Added, ids(&[12, 13, 14, 20, 22, 23])),
            Event { detail: "title was `A b`".into(), ..Event::posts(Deed::Edited, ids(&[5])) },
            Event::page(Deed::Failed, "http-503: no"),
        ];
        assert_eq!(pack_events(&events).lines().next(), Some("added\t12-14 20 22-23\t"));
        assert_eq!(unpack_events(&pack_events(&events)), events);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let long = Event::page(Deed::Held, "x".repeat(9_000));
        let text = pack_events(&[long.clone(), long.clone(), long]);
        assert!(text.ends_with("and 2 more"), "{}", &text[text.len() - 40..]);
        assert_eq!(unpack_events(&text).len(), 1);
    }
}
