//! The journal on disk: written with what it tells of, in one transaction, and bounded.

use super::round::Round;
use super::{Store, StoreError};
use crate::model::{Act, EntryId, Event, Origin, PageId, Stamp, pack_events, unpack_events};
use rusqlite::{Row, ToSql, params};

/// How many acts of a page are kept.
const ACTS: i64 = 300;

impl Round<'_> {
    /// Notes what was done; nothing where nothing was.
    ///
    /// # Errors
    /// When the database fails.
    pub fn note(
        &mut self,
        page: PageId,
        at: Stamp,
        origin: Option<&Origin>,
        events: &[Event],
    ) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO journal (page, at, address, bytes, body, health, events) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        const BOUND: &str = "DELETE FROM journal WHERE page = ?1 AND id <= \
             (SELECT id FROM journal WHERE page = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)";
        if events.is_empty() {
            return Ok(());
        }
        self.tx.prepare_cached(ADD)?.execute(params![
            page.0,
            at.0,
            origin.map(|o| o.address.as_str()),
            origin.map(|o| o.bytes.cast_signed()),
            origin.map(|o| o.hash),
            events.iter().any(|e| e.deed.is_health()),
            pack_events(events),
        ])?;
        self.tx.prepare_cached(BOUND)?.execute([page.0, ACTS])?;
        Ok(())
    }
}

impl Store {
    /// What was done with posts, oldest first: the acts that name one of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn acts_on(&self, entry: EntryId) -> Result<Vec<Act>, StoreError> {
        let mut acts = self.acts("ORDER BY j.id", &[]).await?;
        for act in &mut acts {
            act.events.retain(|e| e.posts.contains(&entry));
        }
        acts.retain(|act| !act.events.is_empty());
        Ok(acts)
    }

    /// The newest acts on pages, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn acts_of(&self, pages: &[String], most: usize) -> Result<Vec<Act>, StoreError> {
        let mut acts = self.acts("ORDER BY j.id DESC", &[]).await?;
        acts.retain(|act| pages.contains(&act.page));
        acts.truncate(most);
        Ok(acts)
    }

    /// The newest changes of pages' states, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn health(&self, most: usize) -> Result<Vec<Act>, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.acts("WHERE j.health ORDER BY j.id DESC LIMIT ?1", &[&most]).await
    }

    async fn acts(&self, which: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Act>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(&format!(
                "SELECT p.address, j.at, j.address, j.bytes, j.body, j.events FROM journal j \
                 JOIN page p ON p.id = j.page {which}"
            ))?;
            let values: Vec<&dyn ToSql> = values.iter().map(|v| *v as &dyn ToSql).collect();
            let acts = statement.query_map(&values[..], act)?;
            Ok(acts.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn act(row: &Row<'_>) -> rusqlite::Result<Act> {
    let origin = match row.get(2)? {
        Some(address) => Some(Origin { address, bytes: row.get::<_, i64>(3)?.cast_unsigned(), hash: row.get(4)? }),
        None => None,
    };
    let events = unpack_events(row.get_ref(5)?.as_str()?);
    Ok(Act { page: row.get(0)?, at: Stamp(row.get(1)?), origin, events })
}
