//! Errands in the daemon: sent as soon as they are due, a few at a time, beside everything else.
//!
//! In: what the store says is due. Out: what became of each. A slow or broken receiver takes one place of the few and
//! nothing else; publishing never waits.

use super::alarm::Alarm;
use crate::clock;
use crate::model::{Arrival, Errand, Stamp};
use crate::refresh::App;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use tokio::task::JoinSet;
use tracing::error;

/// Errands at once.
const AT_ONCE: usize = 16;

/// Errands under way, and when there is the next one.
#[derive(Default)]
pub(super) struct Push {
    /// Each a task of its own, as a page's is.
    flights: JoinSet<(App, Errand, Arrival)>,
    under_way: Vec<i64>,
    alarm: Alarm,
}

impl Push {
    /// Something may be due earlier than we know.
    pub(super) fn look_again(&mut self) {
        self.alarm.look_again();
    }

    /// When there is something to do, if it is known.
    pub(super) fn wake(&self) -> Option<Stamp> {
        self.alarm.next().filter(|_| self.under_way.len() < AT_ONCE)
    }

    /// Sends what is due, as far as there is room.
    pub(super) async fn launch(&mut self, app: &App) {
        let now = clock::now();
        let room = AT_ONCE - self.under_way.len();
        if room == 0 || !self.alarm.rings(now) {
            return;
        }
        let due = async {
            let due = app.errands(now, &self.under_way, room).await?;
            self.under_way.extend(due.iter().map(|errand| errand.id));
            self.alarm.set(app.next_errand(&self.under_way).await?);
            Ok::<_, crate::store::StoreError>(due)
        };
        let due = match due.await {
            Ok(due) => due,
            Err(error) => {
                error!("{error}");
                self.alarm.failed(now);
                return;
            }
        };
        for errand in due {
            let app = app.clone();
            self.flights.spawn_local(async move {
                let sent = AssertUnwindSafe(app.send(&errand)).catch_unwind().await;
                let arrival = sent.unwrap_or_else(|_| Arrival::Lost("a bug, please report it".to_owned()));
                (app, errand, arrival)
            });
        }
    }

    /// Waits until one arrived or did not, and notes it; for ever where none is under way.
    pub(super) async fn landed(&mut self) {
        let Some(landed) = self.flights.join_next().await else { return std::future::pending().await };
        let (app, errand, arrival) = landed.expect("a panic is caught within its flight");
        if let Err(error) = app.arrived(&errand, &arrival, clock::now()).await {
            error!("{error}");
        }
        self.under_way.retain(|id| *id != errand.id);
        self.alarm.look_again();
    }
}
