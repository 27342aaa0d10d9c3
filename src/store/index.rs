//! Proposals: the topic pages that indexes listed, so that each is told once.

use super::StoreError;
use super::round::{Round, hash};
use crate::model::{PageId, Proposal, Stamp};
use rusqlite::params;

impl Round<'_> {
    /// Takes note of what an index lists; those that it had not listed before.
    ///
    /// # Errors
    /// When the database fails.
    pub fn propose<'p>(
        &mut self,
        page: PageId,
        listed: &'p [Proposal],
        now: Stamp,
    ) -> Result<Vec<&'p Proposal>, StoreError> {
        const ADD: &str = "INSERT OR IGNORE INTO proposal (page, key, at) VALUES (?1, ?2, ?3)";
        let mut add = self.tx.prepare_cached(ADD)?;
        let mut new = Vec::new();
        for one in listed {
            if add.execute(params![page.0, hash(&one.key), now.0])? > 0 {
                new.push(one);
            }
        }
        Ok(new)
    }
}
