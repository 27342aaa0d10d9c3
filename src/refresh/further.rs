//! A page of a list → the list's further pages, where they are to be read.
//!
//! In: a page as it was read. Out: the same reading with the posts of further pages behind its own: as many pages as
//! `max_pages` allows in a backlog reading, and otherwise only to close a gap, up to a post that the page listed last.
//! Each goes through the same gate as every request, stays on the page's host, and is read as the page is. What cannot be
//! read ends the walk with a warning; what was read counts, and later readings walk the whole way again until nothing is
//! [`Unread`]. Validators, hash and document stay those of the page itself.

use super::App;
use super::visit::{Look, Taken, guarded};
use crate::diff::Rest;
use crate::model::{Body, ErrorKind, Failure, Key, Page, Post, Reading, Stamp, Unread, Warning, WarningKind};
use crate::{diff, extract};
use std::collections::HashSet;
use std::sync::Arc;
use url::Url;

/// Most posts of all pages together.
const MOST_POSTS: usize = 10_000;

/// Why and how far a list is read on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk<'a> {
    /// Whether it is part of a backlog reading.
    pub(super) backlog: bool,
    /// What earlier readings could not read.
    pub(super) unread: Option<&'a Unread>,
    /// Whether that is tried now.
    pub(super) again: bool,
    /// How many seconds ago the page was asked before.
    pub(super) interval: i64,
}

impl App {
    /// Reads on, if there is a reason to. `header` is where the answer's header says that the list goes on.
    pub(super) async fn read_on(
        &self,
        index: usize,
        mut look: Look,
        body: &Body,
        header: Option<Url>,
        walk: Walk<'_>,
        now: Stamp,
    ) -> Look {
        let page = &self.settings.pages[index];
        if page.settings.max_pages < 2 {
            return look;
        }
        let Look::Read(taken) = &mut look else { return look };
        let Some(taken) = Arc::get_mut(taken) else { return look };
        let Walk { backlog, unread, again, interval } = walk;
        // A state that cannot be read fails soon enough, when the reading is stored.
        let wanted = backlog || again || self.has_gap(index, &taken.reading).await;
        if !wanted && unread.is_none() {
            return look;
        }
        let header = header.filter(|url| extract::may_go_on(url, &body.address));
        let Some(next) = header.or_else(|| extract::next(body, &page.settings)) else { return look };
        taken.rest = unread.map(|unread| Rest { history: unread.history });
        let why = if wanted {
            let whole = backlog || unread.is_some();
            self.walk(index, taken, body, next, whole, now).await.err()
        } else {
            unread.map(|unread| unread.why.clone())
        };
        if let Some(why) = why {
            taken.reading.problems.push(Warning::new(WarningKind::Gap, why.clone()));
            taken.unread = match unread {
                Some(unread) if !wanted => Some(unread.clone()),
                unread => Some(Unread::after(unread, why, backlog, interval, now)),
            };
        }
        look
    }

    /// Whether nothing of a reading is on the list as it was last.
    async fn has_gap(&self, index: usize, reading: &Reading) -> bool {
        let asks = diff::Keyed::new(&self.settings.pages[index], reading).asks();
        self.store.has_gap(self.registered.pages[index], &asks.keys).await.unwrap_or(false)
    }

    /// Adds what further pages list: of as many as may be, or only of those up to one that overlaps with what is known.
    /// The error is a sentence for people about the page that was not read.
    async fn walk(
        &self,
        index: usize,
        taken: &mut Taken,
        body: &Body,
        next: Url,
        whole: bool,
        now: Stamp,
    ) -> Result<(), String> {
        let page = &self.settings.pages[index];
        let mut been = HashSet::from([page.address.url().clone(), body.address.clone()]);
        let mut known: HashSet<String> = taken.reading.posts.iter().map(name).collect();
        let mut next = Some(next);
        for number in 2..=page.settings.max_pages {
            let Some(url) = next.filter(|url| been.insert(url.clone())) else { return Ok(()) };
            let read = self.page_of_list(page, &url, now).await;
            let (reading, body, header) = read.map_err(|failure| {
                format!("page {number} of the list, `{url}`, was not read, so posts may be missing: {failure}")
            })?;
            // A redirect may lead back to where the walk has been.
            if body.address != url && !been.insert(body.address.clone()) {
                return Ok(());
            }
            let mut posts = reading.posts.clone();
            posts.retain(|post| known.insert(name(post)));
            if posts.is_empty() || known.len() > MOST_POSTS {
                return Ok(());
            }
            taken.further += posts.len();
            taken.reading.posts.extend(posts);
            if !whole && !self.has_gap(index, &reading).await {
                return Ok(());
            }
            next = header.or_else(|| extract::next(&body, &page.settings));
        }
        Ok(())
    }

    /// Asks for a further page of a list and reads it.
    async fn page_of_list(&self, page: &Page, url: &Url, now: Stamp) -> Result<(Reading, Body, Option<Url>), Failure> {
        let answer = self.fetcher.get_from(page, url, u64::MAX, now).await;
        let (body, header) = answer.map_err(|refusal| refusal.failure)?;
        let is_here = body.address == *page.address.url() || extract::may_go_on(&body.address, page.address.url());
        if !is_here {
            return Err(Failure::new(ErrorKind::Redirect, format!("it leads to `{}`", body.address)));
        }
        let reading = guarded(|| extract::extract(&body, &page.settings))?;
        let reading = page.filtered(page.attributed(reading), &self.settings.topics);
        let header = header.filter(|url| extract::may_go_on(url, &body.address));
        Ok((reading, body, header))
    }
}

/// What tells a post from the others of a list.
fn name(post: &Post) -> String {
    let key = post.link.as_ref().map(|link| Key::of(link).to_string());
    // Several posts may share an address.
    format!("{}\n{}\n{}", key.unwrap_or_default(), post.guid.as_deref().unwrap_or_default(), post.title)
}
