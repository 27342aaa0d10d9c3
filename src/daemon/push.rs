//! Errands in the daemon: sent as soon as they are due, a few at a time, beside everything else.
//!
//! In: what the store says is due. Out: what became of each. A slow or broken receiver takes one place of the few and
//! nothing else; publishing never waits.

use crate::clock;
use crate::model::{Arrival, Errand, Stamp};
use crate::refresh::App;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use std::panic::AssertUnwindSafe;
use tracing::error;

/// Errands at once.
const AT_ONCE: usize = 16;

/// Errands under way, and when there is the next one.
#[derive(Default)]
pub(super) struct Push {
    flights: FuturesUnordered<LocalBoxFuture<'static, (App, Errand, Arrival)>>,
    under_way: Vec<i64>,
    /// Whether the store was asked when the next one is due.
    asked: bool,
    next: Option<Stamp>,
}

impl Push {
    /// Something may be due earlier than we know.
    pub(super) fn look_again(&mut self) {
        self.asked = false;
    }

    /// When there is something to do, if it is known.
    pub(super) fn wake(&self) -> Option<Stamp> {
        self.next.filter(|_| self.under_way.len() < AT_ONCE)
    }

    /// Sends what is due, as far as there is room.
    pub(super) async fn launch(&mut self, app: &App) {
        let now = clock::now();
        let room = AT_ONCE - self.under_way.len();
        if room == 0 || (self.asked && self.next.is_none_or(|at| at > now)) {
            return;
        }
        let due = async {
            let due = app.errands(now, &self.under_way, room).await?;
            self.under_way.extend(due.iter().map(|errand| errand.id));
            (self.asked, self.next) = (true, app.next_errand(&self.under_way).await?);
            Ok::<_, crate::store::StoreError>(due)
        };
        let due = match due.await {
            Ok(due) => due,
            Err(error) => {
                error!("{error}");
                (self.asked, self.next) = (true, Some(now.plus(60)));
                return;
            }
        };
        for errand in due {
            let app = app.clone();
            let work = async move {
                let sent = AssertUnwindSafe(app.send(&errand)).catch_unwind().await;
                let arrival = sent.unwrap_or_else(|_| Arrival::Lost("a bug, please report it".to_owned()));
                (app, errand, arrival)
            };
            self.flights.push(work.boxed_local());
        }
    }

    /// Waits until one arrived or did not, and notes it; for ever where none is under way.
    pub(super) async fn landed(&mut self) {
        let Some((app, errand, arrival)) = self.flights.next().await else { return std::future::pending().await };
        if let Err(error) = app.arrived(&errand, &arrival, clock::now()).await {
            error!("{error}");
        }
        self.under_way.retain(|id| *id != errand.id);
        self.asked = false;
    }
}
