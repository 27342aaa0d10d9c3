//! What sites' robots.txt say to us, from one start to the next.

use super::round::Round;
use super::{Store, StoreError};
use crate::model::{DAY, Robots, Stamp};
use rusqlite::params;

/// After this time nobody believes a copy any more, in seconds.
const KEPT: i64 = 30 * DAY;

impl Store {
    /// Every copy.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn robots(&self) -> Result<Vec<Robots>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare("SELECT origin, read, text, known FROM robots")?;
            let rows = statement.query_map([], |r| {
                Ok(Robots { origin: r.get(0)?, read: Stamp(r.get(1)?), text: r.get(2)?, known: r.get(3)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

impl Round<'_> {
    /// Stores copies, and forgets those that nobody believes any more.
    ///
    /// # Errors
    /// When the database fails.
    pub fn keep_robots(&mut self, copies: &[Robots], now: Stamp) -> Result<(), StoreError> {
        if copies.is_empty() {
            return Ok(());
        }
        let mut put = self.tx.prepare_cached("INSERT OR REPLACE INTO robots VALUES (?1, ?2, ?3, ?4)")?;
        for copy in copies {
            put.execute(params![copy.origin, copy.read.0, copy.text, copy.known])?;
        }
        self.tx.execute("DELETE FROM robots WHERE read < ?1", [now.0 - KEPT])?;
        Ok(())
    }
}
