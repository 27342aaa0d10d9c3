//! A page that lists topic pages: what it lists anew is proposed to whoever runs this, and nothing is followed by itself.
//!
//! In: a document of an index, in any form that posts are listed in, or OPML. Out: an event in the journal, which the
//! health feed shows, and the proposals in the state, so that each is told once.

use super::App;
use crate::config;
use crate::model::{Body, Deed, Event, Kind, Page, PageId, Post, Proposal, Reading, Stamp, Text};
use crate::store::{Round, StoreError};
use std::collections::HashSet;

/// So many new ones are named in one event.
const NAMED: usize = 20;

/// A list of subscriptions as a reading; none where the document is no OPML.
pub(super) fn outlines(body: &Body) -> Option<Reading> {
    let text = String::from_utf8_lossy(&body.bytes);
    let listed = config::subscriptions(&text).ok()?;
    let post =
        |one: config::Subscribed| Post { title: Text::line(&one.title), link: Some(one.feed), ..Post::default() };
    Some(Reading {
        kind: Kind::Feed,
        title: None,
        description: None,
        stated: None,
        list: true,
        pace: None,
        filtered: 0,
        posts: listed.into_iter().map(post).collect(),
        problems: Vec::new(),
    })
}

impl App {
    /// Takes note of what an index lists; what is new to us and not followed is told: how much, and what.
    pub(super) fn propose(
        &self,
        round: &mut Round<'_>,
        (page, id): (&Page, PageId),
        reading: &Reading,
        now: Stamp,
    ) -> Result<Option<(usize, Event)>, StoreError> {
        let Some(index) = &page.index else { return Ok(None) };
        let followed: HashSet<_> = self.settings.pages.iter().map(|page| page.address.key()).collect();
        let listed: Vec<Proposal> =
            index.proposals(reading).into_iter().filter(|one| !followed.contains(&one.key)).collect();
        let new = round.propose(id, &listed, now)?;
        if new.is_empty() {
            return Ok(None);
        }
        let mut named: Vec<String> =
            new.iter().take(NAMED).map(|one| format!("`{}` at {}", one.title, one.address)).collect();
        if new.len() > NAMED {
            named.push(format!("{} more, which `pagewire preview {}` shows", new.len() - NAMED, page.address));
        }
        let detail = format!("{}; `pagewire add ADDRESS` follows one", named.join("; "));
        Ok(Some((new.len(), Event::page(Deed::Proposed, detail))))
    }
}
