//! Posts' own pages in the daemon: asked as soon as they are due, a few at a time, beside everything else.
//!
//! In: what the store says is due. Out: posts that waited, published together at most [`LINGER`] after the first was
//! read. When each is asked next is stored before the request; a post waits in the store, not here, so that a crash or a
//! stop loses none and asks none in a hurry.

use super::alarm::Alarm;
use crate::clock;
use crate::model::{ErrorKind, Failure, Metrics, Own, OwnResult, Stamp};
use crate::refresh::App;
use crate::store::StoreError;
use futures_util::FutureExt;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{debug, error, warn};

/// Requests at once.
const AT_ONCE: usize = 16;
/// How long what was read waits for more of it: a feed changes once for several posts.
const LINGER: Duration = Duration::from_secs(5);
/// How often the store is looked at where something is there for later.
const LOOK: i64 = 30;

/// Own pages under way, and those that were read.
#[derive(Default)]
pub(super) struct Owns {
    /// Each a task of its own, as a page's is.
    flights: JoinSet<(String, Own, OwnResult)>,
    /// Requests under way, by host.
    busy: HashMap<String, usize>,
    landed: Vec<(Own, OwnResult)>,
    /// When the first of them landed.
    since: Option<Instant>,
    alarm: Alarm,
    /// Whether a post waits no longer.
    expired: bool,
}

impl Owns {
    /// Something may be due earlier than we know.
    pub(super) fn look_again(&mut self) {
        self.alarm.look_again();
    }

    /// When there is something to ask, if it is known.
    pub(super) fn wake(&self) -> Option<Stamp> {
        self.alarm.next().filter(|_| self.flights.len() < AT_ONCE)
    }

    /// When what was read has waited long enough.
    pub(super) fn full(&self) -> Option<Instant> {
        if self.expired { Some(Instant::now()) } else { self.since.map(|since| since + LINGER) }
    }

    /// Asks what is due, as far as there is room.
    pub(super) async fn launch(&mut self, app: &App, metrics: &Metrics) {
        let now = clock::now();
        let room = AT_ONCE - self.flights.len();
        if room == 0 || !self.alarm.rings(now) {
            return;
        }
        let due = async {
            let due = app.own_due(&self.busy, room, false, now).await?;
            let (next, until) = app.own_next().await?;
            self.expired = until.is_some_and(|at| at <= now);
            // What is due and was not asked now waits for its host, its page's allowance, or its page to be followed.
            let later = |at: Stamp| if at > now { at.min(now.plus(LOOK)) } else { now.plus(LOOK) };
            self.alarm.set(next.map(later).into_iter().chain(until.map(later)).min());
            Ok::<_, StoreError>(due)
        };
        let due = match due.await {
            Ok(due) => due,
            Err(error) => {
                error!("{error}");
                self.alarm.failed(now);
                return;
            }
        };
        for own in due {
            let host = app.own_host(&own);
            *self.busy.entry(host.clone()).or_default() += 1;
            let (app, metrics) = (app.clone(), metrics.clone());
            self.flights.spawn_local(async move {
                let start = Instant::now();
                let read = AssertUnwindSafe(app.read_own(&own, now)).catch_unwind().await;
                metrics.fetched(own.link.scheme(), start.elapsed());
                let bug = || OwnResult::Failed(Failure::new(ErrorKind::Panic, "a bug, please report it"), None);
                (host, own, read.unwrap_or_else(|_| bug()))
            });
        }
    }

    /// Waits until one was read or was not; for ever where none is under way.
    pub(super) async fn landed(&mut self) {
        let Some(landed) = self.flights.join_next().await else { return std::future::pending().await };
        let (host, own, result) = landed.expect("a panic is caught within its flight");
        if let Some(flying) = self.busy.get_mut(&host) {
            *flying -= 1;
        }
        self.busy.retain(|_, flying| *flying > 0);
        self.since.get_or_insert_with(Instant::now);
        self.landed.push((own, result));
        self.alarm.look_again();
    }

    /// Whether something was read that is not taken up yet.
    pub(super) fn has_landed(&self) -> bool {
        !self.landed.is_empty()
    }

    /// Whether there is something to take up now.
    pub(super) fn is_ready(&self) -> bool {
        let waited = self.since.is_some_and(|since| since.elapsed() >= LINGER);
        self.expired || !self.landed.is_empty() && (self.flights.is_empty() || waited)
    }

    /// Takes up what was read, and what waits no longer; whether feeds may have changed.
    pub(super) async fn fill(&mut self, app: &App) -> Result<bool, StoreError> {
        let now = clock::now();
        let mut landed = std::mem::take(&mut self.landed);
        (self.since, self.expired) = (None, false);
        self.alarm.look_again();
        landed.sort_by_key(|(own, _)| own.entry);
        let filled = app.fill(&landed, now, now).await?;
        for (page, link, why) in &filled.unread {
            warn!(page, link, "{link} of {page}: {why}");
        }
        debug!(released = filled.released, filled = filled.filled, "posts' own pages");
        Ok(filled.released + filled.filled > 0)
    }
}
