//! One page, asked and read, before anything is judged.

use super::further::Walk;
use super::{App, Mode, index};
use crate::diff::Rest;
use crate::model::{Body, Cadence, ErrorKind, Failure, Origin, PageState, Reading, Stamp, Unread, Validators};
use crate::store::Raw;
use crate::{clock, extract, fetch};
use std::sync::Arc;
use url::Url;

impl App {
    /// One page: asked, and read if it answered with something new.
    pub async fn visit(&self, index: usize, state: PageState, mode: Mode, now: Stamp) -> Visit {
        let page = &self.settings.pages[index];
        let fingerprint = page.fingerprint(&self.settings.topics);
        let same_settings = state.taken() && state.fingerprint == fingerprint && !mode.force;
        let mut said = None;
        let is_due = state.next_due.is_none_or(|due| due <= now);
        // What further pages of the list said is not in an answer that says "as before".
        let unread = state.server.unread.as_ref().filter(|_| state.taken() && state.fingerprint == fingerprint);
        let again = unread.is_some_and(|unread| mode.force || !is_due || unread.is_due(now));
        let look = if state.ended || state.paused {
            Look::Skipped(None)
        } else if let Some(until) = self.left_alone(index, &state, now) {
            Look::Skipped(Some(until))
        } else if now < clock::BUILT {
            let message = format!("the clock says {}; set it, then refresh again", now.rfc3339());
            Look::failed(Failure::new(ErrorKind::Clock, message))
        } else {
            let validators =
                state.validators.as_ref().filter(|_| same_settings && !again && !state.server.is_stale(now));
            let mut next = None;
            let answer = self.fetcher.get(page, validators, now).await.map(|answer| {
                said = Some(Said { fresh: answer.fresh, moved: answer.moved });
                next = answer.next;
                answer.what
            });
            match answer {
                Ok(fetch::Fetched::NotModified(validators)) => Look::NotModified(validators),
                Ok(fetch::Fetched::Body(body))
                    if same_settings && !again && state.body == Some(body.hash()) && !(mode.accept && state.fell()) =>
                {
                    Look::Same(body.validators)
                }
                Ok(fetch::Fetched::Body(mut body)) => {
                    // A state that cannot be read is told when the round is saved.
                    if extract::lacks_charset(&body)
                        && let Ok(Some((_, last))) = self.store.raw(self.registered.pages[index], true).await
                    {
                        extract::recall_charset(&mut body, &last);
                    }
                    let topics = &self.settings.topics;
                    let shape = state.shape(fingerprint).filter(|_| !mode.accept);
                    let look = read(&body, || {
                        if let Some(outlines) = page.index.as_ref().and_then(|_| index::outlines(&body)) {
                            return Ok(outlines);
                        }
                        let reading = extract::extract_again(&body, &page.settings, shape)?;
                        Ok(page.filtered(page.attributed(reading), topics))
                    });
                    let backlog = !state.taken() || state.fingerprint != fingerprint;
                    let interval = state.last_fetch.map_or(0, |last| now.0 - last.0);
                    let walk = Walk { backlog, unread, again, interval };
                    self.read_on(index, look, &body, next, walk, now).await
                }
                Err(refusal) => Look::Failed(refusal, None),
            }
        };
        let asks = page.address.file().is_none() && !matches!(look, Look::Skipped(_));
        let planned = asks && is_due && page.settings.cadence == Cadence::Auto;
        Visit { index, state, fingerprint, accept: mode.accept, look, said, planned }
    }
}

/// A page's poll, before it is judged.
#[derive(Debug)]
pub struct Visit {
    pub(super) index: usize,
    pub(super) state: PageState,
    pub(super) fingerprint: u64,
    /// Whether what a guard would keep back is taken.
    pub(super) accept: bool,
    pub(super) look: Look,
    /// What came with the answer.
    pub(super) said: Option<Said>,
    /// Whether the plan of the budget knew of it.
    pub(super) planned: bool,
}

/// What an answer says besides its document.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// For how many seconds it stays as it is.
    pub(super) fresh: Option<i64>,
    /// Where the page is for good.
    pub(super) moved: Option<Url>,
}

/// What a poll brought.
#[derive(Debug, Clone)]
pub(super) enum Look {
    Skipped(Option<Stamp>),
    NotModified(Validators),
    Same(Option<Validators>),
    Read(Arc<Taken>),
    /// Not taken; with the document, if one came.
    Failed(fetch::Refusal, Option<Arc<Raw>>),
}

impl Look {
    /// Nothing came that could be looked at.
    pub(super) fn failed(failure: Failure) -> Self {
        Self::Failed(failure.into(), None)
    }
}

/// A reading with what is to be remembered of its body.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) reading: Reading,
    pub(super) origin: Origin,
    pub(super) address: Url,
    pub(super) raw: Raw,
    pub(super) validators: Option<Validators>,
    pub(super) maybe_cut: bool,
    /// How many of the reading's posts, the last ones, stand on further pages of the list.
    pub(super) further: usize,
    /// Set where these are what earlier readings could not read.
    pub(super) rest: Option<Rest>,
    /// What of the list is still to be read.
    pub(super) unread: Option<Unread>,
}

impl Visit {
    /// Which page it was, by its position in the configuration.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The visit of a page whose polling itself panicked.
    pub fn panicked(index: usize, state: PageState) -> Self {
        let failure = Failure::new(ErrorKind::Panic, "pagewire could not ask for the page: please report it");
        let (fingerprint, look) = (state.fingerprint, Look::failed(failure));
        Self { index, state, fingerprint, accept: false, look, said: None, planned: false }
    }

    /// How many posts it brought.
    pub(super) fn posts(&self) -> usize {
        match &self.look {
            Look::Read(taken) => taken.reading.posts.len(),
            _ => 0,
        }
    }

    /// About how many bytes it holds while it waits.
    pub(super) fn weight(&self) -> usize {
        match &self.look {
            Look::Read(taken) => usize::try_from(taken.origin.bytes).unwrap_or(usize::MAX),
            _ => 0,
        }
    }
}

/// A panic of a parser is its page's failure and nobody else's.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        let message = format!("pagewire could not read the page: {what}; please report it with the page");
        Err(Failure::new(ErrorKind::Panic, message))
    })
}

/// Reads a body.
pub(super) fn read(body: &Body, work: impl FnOnce() -> Result<Reading, Failure>) -> Look {
    match guarded(work) {
        Ok(reading) => Look::Read(Arc::new(Taken {
            reading,
            origin: Origin { address: body.address.to_string(), bytes: body.bytes.len() as u64, hash: body.hash() },
            address: body.address.clone(),
            raw: Raw::of(body),
            validators: body.validators.clone(),
            maybe_cut: body.maybe_cut,
            further: 0,
            rest: None,
            unread: None,
        })),
        Err(failure) => Look::Failed(failure.into(), Some(Arc::new(Raw::of(body)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_parser_is_a_failure_of_its_page() {
        let address = Url::parse("https://x.example/").expect("an address");
        let body = Body { address, bytes: bytes::Bytes::new(), media_type: None, validators: None, maybe_cut: false };
        let Look::Failed(refusal, _) = read(&body, || panic!("at byte {}", 7)) else { panic!("taken") };
        assert_eq!(refusal.failure.kind, ErrorKind::Panic);
        assert!(refusal.failure.message.contains("at byte 7"), "{}", refusal.failure);
    }
}
