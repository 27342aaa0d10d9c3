//! A page that lists topic pages: what it lists anew is proposed to whoever runs this, or followed where that is wanted.
//!
//! In: a document of an index, in any form that posts are listed in, or OPML. Out: an event in the journal, which the
//! health feed shows, and the proposals in the state, so that each is told once. What is followed is a topic from the
//! next refresh on, until it is dropped: an index that lists it no more changes nothing.

use super::{App, RefreshError};
use crate::config;
use crate::model::{Body, Deed, Event, Kind, Page, PageId, Post, Proposal, Reading, Settings, Slug, Stamp, Text};
use crate::store::{Round, Store, StoreError};
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
        shape: None,
        filtered: 0,
        posts: listed.into_iter().map(post).collect(),
        problems: Vec::new(),
    })
}

impl App {
    /// Takes note of what an index lists; what is new to us and not followed is told: how much, and what; and whether
    /// some of it is followed now.
    pub(super) fn propose(
        &self,
        round: &mut Round<'_>,
        (page, id): (&Page, PageId),
        reading: &Reading,
        now: Stamp,
    ) -> Result<Option<(Proposed, Event)>, StoreError> {
        let Some(index) = &page.index else { return Ok(None) };
        let followed: HashSet<_> = self.settings.pages.iter().map(|page| page.address.key()).collect();
        let listed: Vec<Proposal> =
            index.proposals(reading).into_iter().filter(|one| !followed.contains(&one.key)).collect();
        let topics = self.settings.topics.iter();
        let taken = topics.flat_map(|topic| topic.former.iter().chain([&topic.slug])).cloned().collect();
        let followed = if index.follow { round.lead(id, &listed, &taken, now)? } else { Vec::new() };
        let new = round.propose(id, &listed, now)?;
        if new.is_empty() && followed.is_empty() {
            return Ok(None);
        }
        let shown = |one: &Proposal| format!("`{}` at {}", one.title, one.address);
        let followed_as = |(one, slug): &(&Proposal, Slug)| format!("{} as `{slug}`", shown(one));
        let mut told = Vec::new();
        if !followed.is_empty() {
            let named = self::named(followed.iter().map(followed_as), page);
            told.push(format!("followed from now on: {named}; `pagewire drop NAME` ends one"));
        }
        if !new.is_empty() {
            told.push(format!("{}; `pagewire add ADDRESS` follows one", named(new.iter().copied().map(shown), page)));
        }
        let counts = Proposed { followed: followed.len(), proposed: new.len() };
        Ok(Some((counts, Event::page(Deed::Proposed, told.join(". ")))))
    }

    /// The same with what indexes led to since: the topics that are followed, and those that are not any more.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn led(&self) -> Result<Self, RefreshError> {
        self.reloaded(Settings::clone(&self.said)).await
    }
}

/// How many topic pages an index lists anew.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proposed {
    pub(super) followed: usize,
    pub(super) proposed: usize,
}

/// The first of what an index lists, and how much more there is.
fn named(all: impl ExactSizeIterator<Item = String>, index: &Page) -> String {
    let more = all.len().saturating_sub(NAMED);
    let mut named: Vec<String> = all.take(NAMED).collect();
    if more > 0 {
        named.push(format!("{more} more, which `pagewire preview {}` shows", index.address));
    }
    named.join("; ")
}

/// What the seeds say, with the topics that indexes lead to by the state.
///
/// # Errors
/// When the state fails.
pub async fn led(settings: Settings, store: &Store) -> Result<Settings, StoreError> {
    Ok(settings.led(store.leads().await?))
}
