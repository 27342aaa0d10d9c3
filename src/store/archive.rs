//! Archives: which posts stand in which, and which are to be written again.
//!
//! In: what enters a feed, in the order in which it is stored. Out: [`Archive`]s of a hundred posts each (RFC 5005 §4).
//! A feed's posts are numbered once: what leaves a feed leaves a gap, so that every other post keeps its place.
//! An edit writes no archive again: the feed itself shows it, and whoever keeps archives for ever relies on theirs.

use super::StoreError;
use super::feed::{Issued, issued};
use crate::model::{ARCHIVED, Archive, EntryId, Feed};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::fmt::Write;

/// An archive that is to be written.
#[derive(Debug, Clone)]
pub struct ArchiveIssue {
    /// What it is, without its posts.
    pub archive: Archive,
    /// Its posts, in its order.
    pub entries: Vec<EntryId>,
    /// Its files as they were published last, by path.
    pub files: HashMap<String, Issued>,
    /// What is to be remembered once they are in place.
    pub done: ArchiveDone,
}

/// An archive that was written.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveDone {
    feed: i64,
    number: u32,
    dirty: i64,
}

impl ArchiveDone {
    /// Notes that it is published as it was when it was handed out.
    pub(super) fn note(self, tx: &Connection) -> Result<(), StoreError> {
        const CLEAN: &str = "UPDATE archive SET dirty = 0 WHERE feed = ?1 AND number = ?2 AND dirty = ?3";
        tx.prepare_cached(CLEAN)?.execute(params![self.feed, self.number, self.dirty])?;
        Ok(())
    }
}

/// The end of a feed's archives, where what enters it goes.
pub(super) struct Tail {
    feed: i64,
    number: u32,
    posts: String,
    held: usize,
}

impl Tail {
    pub(super) fn of(tx: &Connection, feed: i64) -> Result<Self, StoreError> {
        const LAST: &str = "SELECT number, posts FROM archive WHERE feed = ?1 ORDER BY number DESC LIMIT 1";
        let row = |r: &rusqlite::Row<'_>| Ok((r.get::<_, u32>(0)?, r.get::<_, String>(1)?));
        let last = tx.prepare_cached(LAST)?.query_row([feed], row).optional()?;
        let (number, posts) = last.unwrap_or_else(|| (1, " ".to_owned()));
        let held = posts.split_whitespace().count();
        Ok(Self { feed, number, posts, held })
    }

    /// Puts an entry behind the others; the number of the archive that it is in.
    pub(super) fn push(&mut self, tx: &Connection, entry: EntryId) -> Result<u32, StoreError> {
        if self.held == ARCHIVED {
            // Written once more: it says now which one follows.
            self.put(tx)?;
            (self.number, self.posts, self.held) = (self.number + 1, " ".to_owned(), 0);
        }
        write!(self.posts, "{} ", entry.0).expect("memory takes every digit");
        self.held += 1;
        Ok(self.number)
    }

    /// Writes the last one.
    pub(super) fn put(&self, tx: &Connection) -> Result<(), StoreError> {
        const PUT: &str = "INSERT INTO archive (feed, number, posts) VALUES (?1, ?2, ?3) \
             ON CONFLICT (feed, number) DO UPDATE SET posts = excluded.posts, dirty = dirty + 1";
        tx.prepare_cached(PUT)?.execute(params![self.feed, self.number, self.posts])?;
        Ok(())
    }
}

/// The archive that an entry was in before it left the feed; it closes its gap there, and is written again.
pub(super) fn back(tx: &Connection, feed: i64, entry: EntryId) -> Result<Option<u32>, StoreError> {
    const BACK: &str = "UPDATE archive SET gaps = gaps - 1, dirty = dirty + 1 \
         WHERE feed = ?1 AND gaps > 0 AND instr(posts, ' ' || ?2 || ' ') > 0 RETURNING number";
    Ok(tx.prepare_cached(BACK)?.query_row([feed, entry.0], |r| r.get(0)).optional()?)
}

/// The number of a feed's last archive.
pub(super) fn last(conn: &Connection, feed: i64) -> Result<Option<u32>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT max(number) FROM archive WHERE feed = ?1")?;
    Ok(statement.query_row([feed], |r| r.get(0))?)
}

/// The archives of a feed that changed since they were published: number and state.
pub(super) fn dirty(conn: &Connection, feed: i64) -> Result<Vec<(u32, i64)>, StoreError> {
    const DIRTY: &str = "SELECT number, dirty FROM archive WHERE feed = ?1 AND dirty > 0 ORDER BY number";
    let mut statement = conn.prepare_cached(DIRTY)?;
    Ok(statement.query_map([feed], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// One archive of a feed; `of` is the feed, without its posts, which are many.
pub(super) fn issue(
    conn: &Connection,
    (feed, number, dirty): (i64, u32, i64),
    of: &Feed,
) -> Result<ArchiveIssue, StoreError> {
    const POSTS: &str = "SELECT posts, gaps FROM archive WHERE feed = ?1 AND number = ?2";
    let row = |r: &rusqlite::Row<'_>| Ok((r.get(0)?, r.get(1)?));
    let (posts, gaps): (String, i64) = conn.prepare_cached(POSTS)?.query_row(params![feed, number], row)?;
    let mut entries = Vec::with_capacity(ARCHIVED);
    for entry in posts.split_whitespace().filter_map(|p| p.parse().ok().map(EntryId)) {
        // Who left is asked for only where somebody did: that reads a page of the database a post.
        if gaps == 0 || is_member(conn, feed, entry)? {
            entries.push(entry);
        }
    }
    let mut files = HashMap::new();
    for ending in ["atom", "json"] {
        let path = format!("{}.{ending}", of.key.archive(number));
        if let Some(file) = issued(conn, &path)? {
            files.insert(path, file);
        }
    }
    let followed = of.last_archive.is_some_and(|last| number < last);
    let archive = Archive { number, followed, feed: of.clone() };
    Ok(ArchiveIssue { archive, entries, files, done: ArchiveDone { feed, number, dirty } })
}

/// The feed's path and the number that an archive's path names.
pub(super) fn of_path(path: &str) -> Option<(&str, u32)> {
    let stem = path.rsplit_once('.')?.0;
    let (feed, number) = stem.split_once("/archive/")?;
    Some((feed, number.parse().ok()?))
}

/// Has a feed's archives written again: all of them, or one.
pub(super) fn redo(tx: &Connection, feed: i64, number: Option<u32>) -> Result<(), StoreError> {
    const REDO: &str = "UPDATE archive SET dirty = dirty + 1 WHERE feed = ?1 AND number = coalesce(?2, number)";
    tx.prepare_cached(REDO)?.execute(params![feed, number])?;
    Ok(())
}

/// Whether an entry still is in a feed.
fn is_member(conn: &Connection, feed: i64, entry: EntryId) -> Result<bool, StoreError> {
    const IS_MEMBER: &str = "SELECT 1 FROM member WHERE feed = ?1 AND entry = ?2 \
         AND published = (SELECT published FROM entry WHERE id = ?2)";
    Ok(conn.prepare_cached(IS_MEMBER)?.exists(params![feed, entry.0])?)
}
