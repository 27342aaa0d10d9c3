//! How many requests were sent, hour by hour, for as long as a day: what the budget is compared with.

use super::round::Round;
use super::{Store, StoreError};
use crate::model::{Spent, Stamp};
use rusqlite::params;

/// The hours of a day, the present one among them.
const HOURS: i64 = 24;

impl Store {
    /// What was sent in the last day.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn spent(&self, now: Stamp) -> Result<Spent, StoreError> {
        // What is later than now is from before the clock was set back.
        const SUM: &str = "SELECT coalesce(sum(requests), 0), coalesce(sum(planned), 0) FROM spent \
             WHERE hour > ?1 AND hour <= ?2";
        let hour = hour(now);
        self.run(|db| {
            let row = |r: &rusqlite::Row<'_>| Ok(Spent { requests: r.get(0)?, planned: r.get(1)? });
            Ok(db.conn.prepare_cached(SUM)?.query_row([hour - HOURS, hour], row)?)
        })
        .await
    }
}

impl Round<'_> {
    /// Adds what was sent since it was last stored.
    ///
    /// # Errors
    /// When the database fails.
    pub fn spend(&mut self, spent: Spent, now: Stamp) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO spent (hour, requests, planned) VALUES (?1, ?2, ?3) ON CONFLICT (hour) \
             DO UPDATE SET requests = requests + excluded.requests, planned = planned + excluded.planned";
        const FORGET: &str = "DELETE FROM spent WHERE hour <= ?1 OR hour > ?2";
        if spent == Spent::default() {
            return Ok(());
        }
        let hour = hour(now);
        self.tx.prepare_cached(ADD)?.execute(params![hour, spent.requests, spent.planned])?;
        self.tx.prepare_cached(FORGET)?.execute([hour - HOURS, hour])?;
        Ok(())
    }
}

fn hour(at: Stamp) -> i64 {
    at.0.div_euclid(3_600)
}
