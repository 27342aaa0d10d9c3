//! What waits to be sent, and who subscribed at our hub.
//!
//! In: errands, and what became of them. Out: those that are due. An errand is stored in the transaction that calls its
//! feed published, so that a crash loses none; the same for one receiver twice is one, sent once more.

use super::{Store, StoreError};
use crate::model::{Arrival, Errand, Purpose, Stamp, Subscription};
use rusqlite::{Connection, Row, params};

/// Subscriptions of all feeds together.
const MAX_SUBSCRIBERS: i64 = 10_000;

impl Store {
    /// Errands that are due, but those that are under way.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn errands(&self, now: Stamp, under_way: &[i64], most: usize) -> Result<Vec<Errand>, StoreError> {
        const DUE: &str = "SELECT id, serial, purpose, path, target, body, attempts, since, \
             (SELECT secret FROM subscriber s WHERE s.path = errand.path AND s.callback = errand.target) \
             FROM errand WHERE due <= ?1 ORDER BY due, id";
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(DUE)?;
            let mut rows = statement.query([now.0])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                if !under_way.contains(&id) {
                    found.extend(errand(row)?);
                }
                if found.len() == most {
                    break;
                }
            }
            Ok(found)
        })
        .await
    }

    /// When the next errand is due that is not under way.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_errand(&self, under_way: &[i64]) -> Result<Option<Stamp>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare_cached("SELECT id, due FROM errand ORDER BY due")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if !under_way.contains(&row.get(0)?) {
                    return Ok(Some(Stamp(row.get(1)?)));
                }
            }
            Ok(None)
        })
        .await
    }

    /// Has a subscriber asked whether it wants what was asked in its name. False where there are too many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn verify_subscription(&self, asked: &Subscription, now: Stamp) -> Result<bool, StoreError> {
        self.run(|db| {
            db.conn.execute("DELETE FROM subscriber WHERE expires <= ?1", [now.0])?;
            let counted = "SELECT (SELECT count(*) FROM subscriber) + (SELECT count(*) FROM errand WHERE purpose = 1)";
            let subscribers: i64 = db.conn.query_row(counted, [], |r| r.get(0))?;
            if asked.subscribe && subscribers >= MAX_SUBSCRIBERS {
                return Ok(false);
            }
            let body = serde_json::to_string(asked).unwrap_or_default();
            add(&db.conn, Purpose::Verify, &asked.path, asked.callback.as_str(), &body, now)?;
            Ok(true)
        })
        .await
    }

    /// Notes what became of an errand. `again`: when it is tried once more, if it failed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn arrived(
        &self,
        errand: &Errand,
        arrival: &Arrival,
        again: Option<Stamp>,
        now: Stamp,
    ) -> Result<(), StoreError> {
        const AGAIN: &str = "UPDATE errand SET attempts = attempts + 1, due = ?2 WHERE id = ?1 AND serial = ?3";
        self.run(|db| {
            let tx = db.conn.transaction()?;
            if let (Arrival::Failed(_), Some(due)) = (arrival, again) {
                tx.prepare_cached(AGAIN)?.execute(params![errand.id, due.0, errand.serial])?;
            } else {
                let done = "DELETE FROM errand WHERE id = ?1 AND serial = ?2";
                tx.prepare_cached(done)?.execute([errand.id, errand.serial])?;
            }
            match arrival {
                Arrival::Proved(asked) if asked.subscribe => {
                    let values = params![asked.path, asked.callback.as_str(), asked.secret, now.plus(asked.lease).0];
                    tx.execute(
                        "INSERT OR REPLACE INTO subscriber (path, callback, secret, expires) VALUES (?1, ?2, ?3, ?4)",
                        values,
                    )?;
                }
                Arrival::Proved(asked) => unsubscribe(&tx, &asked.path, asked.callback.as_str())?,
                Arrival::Gone if errand.purpose == Purpose::Deliver => unsubscribe(&tx, &errand.path, &errand.target)?,
                _ => {}
            }
            tx.commit()?;
            Ok(())
        })
        .await
    }
}

/// Ends a subscription, and takes back what waits for it.
fn unsubscribe(tx: &Connection, path: &str, callback: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM subscriber WHERE path = ?1 AND callback = ?2", [path, callback])?;
    let waiting = "DELETE FROM errand WHERE purpose = ?3 AND path = ?1 AND target = ?2";
    tx.execute(waiting, params![path, callback, Purpose::Deliver as i64])?;
    Ok(())
}

/// Stores an errand; one that waits already is sent once more.
pub(super) fn add(
    tx: &Connection,
    purpose: Purpose,
    path: &str,
    target: &str,
    body: &str,
    now: Stamp,
) -> Result<(), StoreError> {
    const ADD: &str = "INSERT INTO errand (purpose, path, target, body, since, due) VALUES (?1, ?2, ?3, ?4, ?5, ?5) \
         ON CONFLICT (purpose, path, target) DO UPDATE SET \
         body = excluded.body, serial = serial + 1, attempts = 0, since = excluded.since, due = excluded.due";
    tx.prepare_cached(ADD)?.execute(params![purpose as i64, path, target, body, now.0])?;
    Ok(())
}

/// The callbacks of a feed's subscribers.
pub(super) fn callbacks(tx: &Connection, path: &str, now: Stamp) -> Result<Vec<String>, StoreError> {
    let mut statement = tx.prepare_cached("SELECT callback FROM subscriber WHERE path = ?1 AND expires > ?2")?;
    Ok(statement.query_map(params![path, now.0], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

fn errand(row: &Row<'_>) -> rusqlite::Result<Option<Errand>> {
    let Some(purpose) = Purpose::of(row.get(2)?) else { return Ok(None) };
    Ok(Some(Errand {
        id: row.get(0)?,
        serial: row.get(1)?,
        purpose,
        path: row.get(3)?,
        target: row.get(4)?,
        body: row.get(5)?,
        attempts: row.get(6)?,
        since: Stamp(row.get(7)?),
        secret: row.get(8)?,
    }))
}
