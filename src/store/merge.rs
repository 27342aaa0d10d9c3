//! A feed that goes on in another one, since that names its slug as a former one, or its company as another name.
//!
//! In: what was published under the old slug. Out: its posts are the other's too, as a backlog is; its files go, and the
//! server sends whoever asks for them on. Nothing is lost: what the other holds stays where it is.

use super::company::{COMPANY, Names};
use super::feed::feed_key;
use super::post::entries;
use super::round::Round;
use super::{Store, StoreError};
use crate::model::EntryId;
use rusqlite::{OptionalExtension, Row, params};

impl Store {
    /// Where companies were published that now go on in others, and where those are; without endings.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn moved(&self) -> Result<Vec<(String, String)>, StoreError> {
        const MOVED: &str = "SELECT moved.path, feed.kind, feed.slug FROM moved JOIN feed ON feed.id = moved.feed";
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(MOVED)?;
            let row = |r: &Row<'_>| Ok((r.get(0)?, feed_key(r.get(1)?, r.get(2)?)));
            let all: Vec<(String, _)> = statement.query_map([], row)?.collect::<Result<_, _>>()?;
            Ok(all.into_iter().filter_map(|(path, key)| Some((path, key?.path()))).collect())
        })
        .await
    }
}

impl Round<'_> {
    /// Lets a feed, published at this path, go on in another one that takes its posts, if they are to be taken: those of
    /// a combined feed come by its rule.
    pub(super) fn merge(&mut self, from: i64, path: &str, into: Option<i64>) -> Result<(), StoreError> {
        const IN_IT: &str = "SELECT id FROM entry WHERE instr(' ' || feeds || ' ', ' ' || ?1 || ' ') > 0";
        let before = self.so_far();
        for id in entries(self.tx, IN_IT, from)? {
            let mut seat = self.seat(id)?;
            seat.feeds.retain(|feed| *feed != from);
            self.sit(id, &seat.feeds)?;
            if let Some(into) = into {
                let published = seat.published;
                self.join(id, seat, published, &[into])?;
            }
        }
        self.oldest_first(before);
        if let Some(into) = into {
            self.touch(into);
        }
        if !path.is_empty() {
            self.abandon(path)?;
        }
        self.forget_feed(from)
    }

    /// Lets the feed of a company go on in that of the company of the seeds whose other name it is.
    pub(super) fn merge_company(&mut self, from: i64, into: i64) -> Result<(), StoreError> {
        const OF_IT: &str = "SELECT id FROM entry WHERE instr(char(10) || companies, char(10) || ?1 || char(9)) > 0";
        let find = "SELECT slug FROM feed WHERE id = ?1";
        let slug: Option<Option<String>> = self.tx.query_row(find, [from], |r| r.get(0)).optional()?;
        // Two of its names led there, and the first took it along.
        let Some(slug) = slug else { return Ok(()) };
        self.tx.execute("UPDATE alias SET feed = ?3 WHERE kind = ?1 AND feed = ?2", params![COMPANY, from, into])?;
        *self.names = Names::load(self.tx)?;
        for id in entries(self.tx, OF_IT, from)? {
            self.rename_company(id, from, into)?;
        }
        let path = feed_key(COMPANY, slug).map(|key| key.path()).unwrap_or_default();
        self.tx.execute("UPDATE moved SET feed = ?2 WHERE feed = ?1", [from, into])?;
        if !path.is_empty() {
            self.tx.execute("INSERT OR REPLACE INTO moved (path, feed) VALUES (?1, ?2)", params![path, into])?;
        }
        self.merge(from, &path, Some(into))
    }

    /// Writes into an entry that a company has another feed; what names that changes, too.
    fn rename_company(&mut self, id: EntryId, from: i64, into: i64) -> Result<(), StoreError> {
        let find = "SELECT companies FROM entry WHERE id = ?1";
        let companies: String = self.tx.prepare_cached(find)?.query_row([id.0], |r| r.get(0))?;
        let (was, is) = (format!("{from}\t"), format!("{into}\t"));
        let renamed = |line: &str| line.strip_prefix(&was).map_or_else(|| line.to_owned(), |rest| [&is, rest].concat());
        let lines: Vec<String> = companies.lines().map(renamed).collect();
        let mut put = self.tx.prepare_cached("UPDATE entry SET companies = ?2 WHERE id = ?1")?;
        put.execute(params![id.0, lines.join("\n")])?;
        let seat = self.seat(id)?;
        seat.feeds.iter().for_each(|feed| self.touch(*feed));
        Ok(())
    }
}
