//! What indexes listed: which topic pages were told of, which are followed, and which are not to be followed again.

use super::company::TOPIC;
use super::round::{Round, hash};
use super::{Store, StoreError};
use crate::model::{Index, Key, Lead, PageId, Proposal, Slug, Stamp, Text};
use rusqlite::{Row, params};
use std::collections::HashSet;
use url::Url;

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

    /// Follows what an index lists, but for what was dropped and what is more than [`Index::MOST`]: those that are
    /// followed from now on, with their slugs. A slug that is `taken`, or was given to a topic before, is given to no other.
    ///
    /// # Errors
    /// When the database fails.
    pub fn lead<'p>(
        &mut self,
        page: PageId,
        listed: &'p [Proposal],
        taken: &HashSet<Slug>,
        now: Stamp,
    ) -> Result<Vec<(&'p Proposal, Slug)>, StoreError> {
        const COUNT: &str = "SELECT count(*) FROM proposal WHERE page = ?1 AND slug IS NOT NULL";
        const IS_OUT: &str = "SELECT 1 FROM proposal WHERE key = ?1 AND (dropped OR slug IS NOT NULL) LIMIT 1";
        const IS_TAKEN: &str = "SELECT 1 FROM proposal WHERE slug = ?1 UNION ALL \
             SELECT 1 FROM feed WHERE kind = ?2 AND slug = ?1 LIMIT 1";
        const ADD: &str = "INSERT OR REPLACE INTO proposal (page, key, at, slug, title, address) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let count: i64 = self.tx.query_row(COUNT, [page.0], |r| r.get(0))?;
        let room = Index::MOST.saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        let mut new = Vec::new();
        for one in listed {
            let key = hash(&one.key);
            if new.len() == room {
                break;
            }
            if self.tx.prepare_cached(IS_OUT)?.exists([key])? {
                continue;
            }
            let mut is_taken = self.tx.prepare_cached(IS_TAKEN)?;
            let plain = Slug::of(one.title.as_str());
            // The address tells apart what is called the same.
            let names = [plain.beside(one.title.as_str()), plain.beside(one.address.as_str())];
            for slug in [plain].into_iter().chain(names) {
                if !taken.contains(&slug) && !is_taken.exists(params![slug.as_str(), TOPIC])? {
                    let values = params![page.0, key, now.0, slug.as_str(), one.title.as_str(), one.address.as_str()];
                    self.tx.prepare_cached(ADD)?.execute(values)?;
                    new.push((one, slug));
                    break;
                }
            }
        }
        Ok(new)
    }
}

impl Store {
    /// What is followed because an index listed it, the earliest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn leads(&self) -> Result<Vec<Lead>, StoreError> {
        const LEADS: &str = "SELECT g.address, p.slug, p.title, p.address FROM proposal p JOIN page g ON g.id = p.page \
             WHERE p.slug IS NOT NULL ORDER BY p.at, p.slug";
        self.run(|db| {
            let row = |r: &Row<'_>| Ok((r.get(0)?, r.get(1)?, r.get::<_, String>(2)?, r.get::<_, String>(3)?));
            let mut statement = db.conn.prepare(LEADS)?;
            let rows = statement.query_map([], row)?.collect::<Result<Vec<_>, _>>()?;
            let lead = |(index, slug, title, address): (String, String, String, String)| {
                let address = Url::parse(&address).ok()?;
                let page = Proposal::new(Text::line(&title), address);
                Some(Lead { index, slug: Slug::stored(slug), page })
            };
            Ok(rows.into_iter().filter_map(lead).collect())
        })
        .await
    }

    /// Follows a page no more that an index led to, and never again by itself; whether it was followed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn unfollow(&self, page: &Key) -> Result<bool, StoreError> {
        const DROP: &str = "UPDATE proposal SET slug = NULL, dropped = 1 WHERE key = ?1 AND slug IS NOT NULL";
        self.run(|db| db.write(|round| Ok(round.tx.execute(DROP, [hash(page)])? > 0))).await
    }
}
