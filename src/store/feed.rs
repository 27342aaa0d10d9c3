//! Feeds: which are to be published, what they hold, and what was published.
//!
//! How a feed is cut is here: its newest entries, and besides them those that entered it less than 30 days before its
//! newest entry did, since readers forget ids that leave sooner.

use super::archive::{self, ArchiveDone, ArchiveIssue};
use super::company::{self, ALL, COMBINED, COMPANY, TOPIC};
use super::entry::{Entries, Slugs};
use super::push;
use super::{Store, StoreError};
use crate::model::{
    DAY, Entry, EntryId, Feed, FeedHead, FeedKey, Heard, PublishSettings, Purpose, Shelved, Slug, Stamp, Text, Topic,
    Unpublished, digest,
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// How long an entry stays in a feed after it entered, counted back from the newest to enter.
const STAY: i64 = 30 * DAY;

/// A feed whose content may have changed since it was last published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirty {
    /// The store's number.
    id: i64,
    /// Which one.
    pub key: FeedKey,
    /// The time of the change, which becomes the feed's `updated` if its content really differs.
    since: Stamp,
}

impl Dirty {
    /// When it changed.
    pub fn since(&self) -> Stamp {
        self.since
    }
}

/// A feed ready to be written, with what was published of it last.
#[derive(Debug, Clone)]
pub struct Issue {
    /// Which, and since when it is dirty.
    pub dirty: Dirty,
    /// Its content.
    pub feed: Feed,
    /// Its `updated` before; none where it was never published.
    pub before: Option<Stamp>,
    /// Its files as they were published last, by path.
    pub files: HashMap<String, Issued>,
    /// What hooks were last told of it.
    pub heard: Option<Heard>,
    /// Whether its content is other than what was published last.
    pub changed: bool,
    /// A number for its content.
    pub digest: [u8; 16],
}

/// What is to be written: a feed, or after it one of its archives.
#[derive(Debug, Clone)]
pub enum Piece {
    /// A feed.
    Feed(Box<Issue>),
    /// An archive of the feed before, whose posts are there for the asking.
    Archive(Box<ArchiveIssue>),
}

/// Reads posts: those that there are, in the order given.
pub type Load<'l> = dyn FnMut(&[EntryId]) -> Result<Vec<Entry>, StoreError> + 'l;

/// What a publishing did.
#[derive(Debug, Clone, Default)]
pub struct Publication {
    /// Feeds that are clean now.
    pub feeds: Vec<Done>,
    /// Archives that are.
    pub archives: Vec<ArchiveDone>,
    /// Files as they are in place.
    pub files: Vec<(String, Issued)>,
    /// Files that were wrong, and so are not.
    pub refused: Vec<Unpublished>,
    /// Files that were wrong once and no longer are, by path.
    pub mended: Vec<String>,
    /// Feeds that changed, by path, for those who subscribed at our hub.
    pub delivered: Vec<String>,
    /// What is to be sent besides: purpose, path or event, receiver, body.
    pub errands: Vec<(Purpose, String, String, String)>,
    /// When this is.
    pub at: Stamp,
    /// Facts about the whole, by name.
    pub notes: Vec<(&'static str, String)>,
}

/// A feed that was written, without its content.
#[derive(Debug, Clone)]
pub struct Done {
    dirty: Dirty,
    updated: Stamp,
    digest: [u8; 16],
    heard: Option<Heard>,
}

impl Issue {
    /// What is to be remembered once the feed's files are in place.
    pub fn done(self) -> Done {
        Done { updated: self.feed.updated, digest: self.digest, dirty: self.dirty, heard: self.heard }
    }
}

/// A file as it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issued {
    /// The hash of its bytes.
    pub hash: [u8; 16],
    /// How many bytes.
    pub size: u64,
    /// Its time of last change.
    pub mtime: Stamp,
}

impl Store {
    /// Ends a round: feeds that appeared in it get their slugs, and so become known outside.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn name_feeds(&self) -> Result<(), StoreError> {
        self.run(|db| db.write(|round| company::name_feeds(round.tx))).await
    }

    /// The feeds that are to be published, in a stable order: topics first, from which their posts are known to others.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dirty(&self) -> Result<Vec<Dirty>, StoreError> {
        self.run(|db| {
            feeds(
                &db.conn,
                "SELECT id, kind, slug, dirty FROM feed WHERE dirty IS NOT NULL ORDER BY kind <> 1, kind, slug",
            )
        })
        .await
    }

    /// The feeds that were published and are not dirty.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn published(&self) -> Result<Vec<Dirty>, StoreError> {
        self.run(|db| {
            feeds(&db.conn, "SELECT id, kind, slug, updated FROM feed WHERE updated IS NOT NULL AND dirty IS NULL")
        })
        .await
    }

    /// Marks feeds as dirty without a change of content: their files are made again where they differ.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn touch(&self, feeds: &[Dirty]) -> Result<(), StoreError> {
        if feeds.is_empty() {
            return Ok(());
        }
        self.run(|db| {
            db.write(|round| {
                for feed in feeds {
                    round.touch(feed.id);
                }
                Ok(())
            })
        })
        .await
    }

    /// Takes note of the topics that are retired, and since when; all others are not.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn retire(&self, topics: &[(Slug, Stamp)]) -> Result<(), StoreError> {
        const KNOWN: &str = "SELECT id, slug, retired FROM feed WHERE kind = 1 AND slug IS NOT NULL";
        const SET: &str =
            "UPDATE feed SET retired = ?2, dirty = max(coalesce(dirty, updated), coalesce(?2, 0)) WHERE id = ?1";
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(KNOWN)?;
            let row = |r: &Row<'_>| Ok((r.get(0)?, r.get(1)?, r.get(2)?));
            let known: Vec<(i64, String, Option<i64>)> = statement.query_map([], row)?.collect::<Result<_, _>>()?;
            drop(statement);
            for (feed, slug, was) in known {
                let is = topics.iter().find(|(s, _)| s.as_str() == slug).map(|(_, at)| at.0);
                if is != was {
                    db.conn.execute(SET, params![feed, is])?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Marks the archives of feeds as dirty.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn redo_archives(&self, of: &[Dirty]) -> Result<(), StoreError> {
        if of.is_empty() {
            return Ok(());
        }
        self.run(|db| db.write(|round| of.iter().try_for_each(|feed| archive::redo(round.tx, feed.id, None)))).await
    }

    /// A fact about the whole, by its name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.run(|db| {
            Ok(db.conn.query_row("SELECT value FROM note WHERE name = ?1", [name], |r| r.get(0)).optional()?)
        })
        .await
    }

    /// Hands out the content of dirty feeds, each followed by its dirty archives, as they all were at one time.
    ///
    /// # Errors
    /// When the database fails, and what `each` says.
    pub async fn issues<E: From<StoreError>>(
        &self,
        dirty: &[Dirty],
        cut: &PublishSettings,
        mut each: impl FnMut(Piece, &mut Load<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let all = |db: &mut super::Db| {
            // One look at the log for all of them, and not one for every row.
            let tx = db.conn.transaction()?;
            let mut cutter = Cutter::new(&tx, cut)?;
            for dirty in dirty {
                let issue = issue(&tx, &mut cutter, dirty.clone())?;
                let head = issue.feed.bare();
                let mut load = |entries: &[EntryId]| cutter.load(entries.iter().copied());
                if let Err(error) = each(Piece::Feed(Box::new(issue)), &mut load) {
                    return Ok(Err(error));
                }
                if head.last_archive.is_none() {
                    continue;
                }
                for (number, state) in archive::dirty(&tx, dirty.id)? {
                    let archive = archive::issue(&tx, (dirty.id, number, state), &head)?;
                    if let Err(error) = each(Piece::Archive(Box::new(archive)), &mut load) {
                        return Ok(Err(error));
                    }
                }
            }
            drop(cutter);
            tx.commit()?;
            Ok(Ok(()))
        };
        self.run(all).await?
    }

    /// What was published of these paths.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn issued(&self, paths: &[String]) -> Result<Vec<Option<Issued>>, StoreError> {
        self.run(|db| paths.iter().map(|path| issued(&db.conn, path)).collect()).await
    }

    /// Every published file.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn shelved<C: FromIterator<(String, Shelved)>>(&self) -> Result<C, StoreError> {
        self.run(|db| {
            let mut statement =
                db.conn.prepare_cached("SELECT path, hash, size, mtime FROM document WHERE size <> -2")?;
            let row = |r: &Row<'_>| {
                let size = r.get::<_, i64>(2)?.cast_unsigned();
                Ok((r.get(0)?, Shelved { hash: r.get(1)?, size, mtime: Stamp(r.get(3)?) }))
            };
            Ok(statement.query_map([], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Has the files of feeds and archives removed whose names end so.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn abandon_endings(&self, endings: &[&str]) -> Result<(), StoreError> {
        const ABANDON: &str = "UPDATE document SET size = -2 WHERE path GLOB '*.' || ?1";
        self.run(|db| {
            endings.iter().try_for_each(|ending| db.conn.execute(ABANDON, [ending]).map(|_| ()))?;
            Ok(())
        })
        .await
    }

    /// Takes note of files whose feed has another name now, and forgets them; they are to be removed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn abandoned(&self) -> Result<Vec<String>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare_cached("SELECT path FROM document WHERE size = -2")?;
            Ok(statement.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Forgets a file that was removed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn removed(&self, path: &str) -> Result<(), StoreError> {
        self.run(|db| db.write(|round| Ok(round.tx.execute("DELETE FROM document WHERE path = ?1", [path])?))).await?;
        Ok(())
    }

    /// Forgets that files were published as they were: their feeds are dirty, and the files are written again. They keep
    /// their times if their bytes turn out the same.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn distrust(&self, paths: &[String]) -> Result<(), StoreError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.run(|db| {
            let feeds = feeds(&db.conn, "SELECT id, kind, slug, coalesce(updated, 0) FROM feed")?;
            let feeds: HashMap<String, i64> = feeds.into_iter().map(|feed| (feed.key.path(), feed.id)).collect();
            db.write(|round| {
                for path in paths {
                    // A size that no file has: whoever compares it with the disk finds that they differ.
                    round.tx.execute("UPDATE document SET size = -1 WHERE path = ?1", [path])?;
                    let archive = archive::of_path(path);
                    let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
                    let stem = archive.map_or(stem, |(stem, _)| stem);
                    if let Some(&feed) = feeds.get(stem) {
                        round.touch(feed);
                        if let Some((_, number)) = archive {
                            archive::redo(round.tx, feed, Some(number))?;
                        }
                    }
                }
                Ok(())
            })
        })
        .await
    }

    /// The files that were not put in place, since they were wrong.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn refused(&self) -> Result<Vec<Unpublished>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare_cached("SELECT path, why, since FROM refused ORDER BY path")?;
            let row = |r: &Row<'_>| Ok(Unpublished { path: r.get(0)?, why: r.get(1)?, since: Stamp(r.get(2)?) });
            Ok(statement.query_map([], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Notes what was published.
    ///
    /// # Errors
    /// When the database fails; the feeds then stay dirty, and the same files are made again.
    pub async fn publish(&self, what: &Publication) -> Result<(), StoreError> {
        const FEED: &str = "UPDATE feed SET digest = ?2, updated = ?3, \
             dirty = CASE WHEN dirty = ?4 THEN NULL ELSE dirty END WHERE id = ?1";
        const FILE: &str = "INSERT OR REPLACE INTO document (path, hash, size, mtime) VALUES (?1, ?2, ?3, ?4)";
        const HEARD: &str = "INSERT OR REPLACE INTO heard (feed, what) VALUES (?1, ?2)";
        const NOTE: &str = "INSERT OR REPLACE INTO note (name, value) VALUES (?1, ?2)";
        const REFUSED: &str = "INSERT OR REPLACE INTO refused (path, why, since) VALUES (?1, ?2, ?3)";
        self.run(|db| {
            db.write(|round| {
                for done in &what.feeds {
                    let values = params![done.dirty.id, done.digest, done.updated.0, done.dirty.since.0];
                    round.tx.prepare_cached(FEED)?.execute(values)?;
                    if let Some(heard) = &done.heard {
                        round.tx.prepare_cached(HEARD)?.execute(params![done.dirty.id, heard.pack()])?;
                    }
                }
                for archive in &what.archives {
                    archive.note(round.tx)?;
                }
                for (path, issued) in &what.files {
                    let values = params![path, issued.hash, issued.size.cast_signed(), issued.mtime.0];
                    round.tx.prepare_cached(FILE)?.execute(values)?;
                }
                for refused in &what.refused {
                    round.tx.prepare_cached(REFUSED)?.execute(params![refused.path, refused.why, refused.since.0])?;
                }
                for path in &what.mended {
                    round.tx.prepare_cached("DELETE FROM refused WHERE path = ?1")?.execute([path])?;
                }
                for path in &what.delivered {
                    for callback in push::callbacks(round.tx, path, what.at)? {
                        push::add(round.tx, Purpose::Deliver, path, &callback, "", what.at)?;
                    }
                }
                for (purpose, path, target, body) in &what.errands {
                    push::add(round.tx, *purpose, path, target, body, what.at)?;
                }
                for (name, value) in &what.notes {
                    round.tx.prepare_cached(NOTE)?.execute([*name, value])?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Every feed that is or is about to be published and is not gone, for lists of feeds: everything, topics, companies,
    /// types, each by title.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn heads(&self, now: Stamp) -> Result<Vec<FeedHead>, StoreError> {
        self.run(|db| {
            const SELECT: &str = "SELECT kind, slug, title, posts, \
                 (SELECT max(published) FROM member m WHERE m.feed = feed.id) \
                 FROM feed WHERE (dirty IS NOT NULL OR updated IS NOT NULL) AND (retired IS NULL OR retired > ?1) \
                 ORDER BY kind, title, slug";
            let mut statement = db.conn.prepare_cached(SELECT)?;
            let row = |r: &Row<'_>| {
                let head = feed_key(r.get(0)?, r.get(1)?).map(|key| (key, r.get(2), r.get(3), r.get(4)));
                let Some((key, title, posts, newest)) = head else { return Ok(None) };
                let newest: Option<i64> = newest?;
                Ok(Some(FeedHead { key, title: Text::stored(title?), posts: posts?, newest: newest.map(Stamp) }))
            };
            let heads: Vec<Option<FeedHead>> =
                statement.query_map([now.plus(-Topic::FAREWELL).0], row)?.collect::<Result<_, _>>()?;
            Ok(heads.into_iter().flatten().collect())
        })
        .await
    }
}

/// Feeds from rows of id, kind, slug and a time; those without a slug yet are left out.
fn feeds(conn: &Connection, select: &str) -> Result<Vec<Dirty>, StoreError> {
    let mut statement = conn.prepare_cached(select)?;
    let row = |r: &Row<'_>| Ok((r.get(0)?, feed_key(r.get(1)?, r.get(2)?), Stamp(r.get(3)?)));
    let rows: Vec<(i64, Option<FeedKey>, Stamp)> = statement.query_map([], row)?.collect::<Result<_, _>>()?;
    Ok(rows.into_iter().filter_map(|(id, key, since)| Some(Dirty { id, key: key?, since })).collect())
}

/// The key of a feed's row; none where it has no slug yet.
pub(super) fn feed_key(kind: i64, slug: Option<String>) -> Option<FeedKey> {
    if kind == ALL {
        return Some(FeedKey::All);
    }
    let slug = Slug::stored(slug?);
    Some(match kind {
        TOPIC => FeedKey::Topic(slug),
        COMPANY => FeedKey::Company(slug),
        COMBINED => FeedKey::Combined(slug),
        _ => FeedKey::Type(slug),
    })
}

/// What was published at a path.
pub(super) fn issued(conn: &Connection, path: &str) -> Result<Option<Issued>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT hash, size, mtime FROM document WHERE path = ?1")?;
    let row = |r: &Row<'_>| {
        Ok(Issued { hash: r.get(0)?, size: r.get::<_, i64>(1)?.cast_unsigned(), mtime: Stamp(r.get(2)?) })
    };
    Ok(statement.query_row([path], row).optional()?)
}

fn issue(conn: &Connection, cutter: &mut Cutter<'_>, dirty: Dirty) -> Result<Issue, StoreError> {
    const HEAD: &str = "SELECT title, description, digest, updated, identity, language, \
         coalesce(ttl, (SELECT ttl FROM feed WHERE kind = 0), 60), retired FROM feed WHERE id = ?1";
    let head = |r: &Row<'_>| {
        let text = |i| r.get::<_, Option<String>>(i).map(|t| t.map(Text::stored));
        let (title, description) = (Text::stored(r.get(0)?), text(1)?);
        let head =
            Feed { title, description, identity: r.get(4)?, language: text(5)?, ttl: r.get(6)?, ..Feed::default() };
        let stamp = |i| r.get::<_, Option<i64>>(i).map(|t| t.map(Stamp));
        Ok((head, r.get::<_, Option<[u8; 16]>>(2)?, stamp(3)?, stamp(7)?))
    };
    let (head, was, updated, retired) = conn.prepare_cached(HEAD)?.query_row([dirty.id], head)?;
    let entries = cutter.cut(dirty.id)?;
    let last_archive = if cutter.holds_more(dirty.id, entries.len())? { archive::last(conn, dirty.id)? } else { None };
    let mut feed = Feed { key: dirty.key.clone(), last_archive, entries, ..head };
    if let Some(retired) = retired {
        let last = Entry::farewell(&feed, retired);
        let place = feed.entries.iter().position(|entry| in_feed_order(&last, entry).is_lt());
        feed.entries.insert(place.unwrap_or(feed.entries.len()), last);
    }
    let digest = feed_digest(&feed);
    let changed = updated.is_some() && was != Some(digest);
    feed.updated = match updated {
        Some(updated) if was == Some(digest) => updated,
        Some(updated) => dirty.since.max(updated),
        None => feed.entries.first().map_or(dirty.since, |e| e.published),
    };
    let mut files = HashMap::new();
    for ending in ["atom", "rss", "json", "html"] {
        let path = format!("{}.{ending}", feed.key.path());
        if let Some(file) = issued(conn, &path)? {
            files.insert(path, file);
        }
    }
    let heard = "SELECT what FROM heard WHERE feed = ?1";
    let heard = conn.prepare_cached(heard)?.query_row([dirty.id], |r| Ok(Heard::unpack(r.get_ref(0)?.as_blob()?)));
    Ok(Issue { dirty, feed, before: updated, files, heard: heard.optional()?, changed, digest })
}

/// Cuts feeds: statements, slugs and lengths for all of them.
pub(super) struct Cutter<'c> {
    pub(super) conn: &'c Connection,
    entries: Entries<'c>,
    slugs: Slugs<'c>,
    /// How many of the newest entries a feed holds, and how many in all.
    least: usize,
    most: usize,
}

impl<'c> Cutter<'c> {
    pub(super) fn new(conn: &'c Connection, cut: &PublishSettings) -> Result<Self, StoreError> {
        let (least, most) = (cut.entries, cut.entries_max.max(cut.entries));
        Ok(Self { conn, entries: Entries::new(conn)?, slugs: Slugs::new(conn)?, least, most })
    }

    /// Whether a feed has more than so many entries.
    fn holds_more(&self, feed: i64, than: usize) -> Result<bool, StoreError> {
        const MORE: &str = "SELECT 1 FROM member WHERE feed = ?1 LIMIT 1 OFFSET ?2";
        Ok(self.conn.prepare_cached(MORE)?.exists(params![feed, i64::try_from(than).unwrap_or(i64::MAX)])?)
    }

    /// The entries of a feed in order: the newest, and with them those that entered it lately.
    pub(super) fn cut(&mut self, feed: i64) -> Result<Vec<Entry>, StoreError> {
        const NEWEST: &str = "SELECT entry, published FROM member WHERE feed = ?1 ORDER BY published DESC LIMIT ?2";
        const EQUAL: &str = "SELECT entry, entered FROM member WHERE feed = ?1 AND published = ?2";
        const LATEST: &str = "SELECT max( \
             coalesce((SELECT max(published) FROM member WHERE feed = ?1 AND entered IS NULL), 0), \
             coalesce((SELECT max(entered) FROM member WHERE feed = ?1 AND entered IS NOT NULL), 0))";
        const LATELY: &str = "SELECT entry, published AS entered FROM member \
             WHERE feed = ?1 AND published > ?2 AND entered IS NULL \
             UNION ALL SELECT entry, entered FROM member WHERE feed = ?1 AND entered > ?2 \
             ORDER BY entered DESC, entry LIMIT ?3";
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let mut newest = self.members(NEWEST, &[&feed, &count(self.least)])?;
        if newest.len() < self.least {
            let mut all = self.load(newest.into_iter().map(|(id, _)| id))?;
            all.sort_by(in_feed_order);
            return Ok(all);
        }
        // Which of those that are published at the same instant as the last come first is in the entries.
        if let Some(&(_, last)) = newest.last() {
            newest.retain(|(_, published)| *published > last);
            newest.extend(self.members(EQUAL, &[&feed, &last])?);
        }
        let mut chosen = self.load(newest.into_iter().map(|(id, _)| id))?;
        chosen.sort_by(in_feed_order);
        chosen.truncate(self.least);
        let latest: i64 = self.conn.prepare_cached(LATEST)?.query_row([feed], |r| r.get(0))?;
        let held: HashSet<EntryId> = chosen.iter().map(|e| e.id).collect();
        let mut more = self.members(LATELY, &[&feed, &(latest - STAY), &count(self.most)])?;
        more.retain(|(id, _)| !held.contains(id));
        more.truncate(self.most - chosen.len());
        chosen.extend(self.load(more.into_iter().map(|(id, _)| id))?);
        chosen.sort_by(in_feed_order);
        Ok(chosen)
    }

    /// Numbers of entries, each with a time.
    fn members(&self, sql: &str, values: &[&dyn ToSql]) -> Result<Vec<(EntryId, Option<i64>)>, StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(values, |r| Ok((EntryId(r.get(0)?), r.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn load(&mut self, ids: impl ExactSizeIterator<Item = EntryId>) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::with_capacity(ids.len());
        for id in ids {
            entries.extend(self.entries.get(id, Some(&mut self.slugs))?);
        }
        Ok(entries)
    }
}

/// Newest first, then by the position in the reading that first brought them, then by id.
fn in_feed_order(a: &Entry, b: &Entry) -> Ordering {
    b.published.cmp(&a.published).then(a.position.cmp(&b.position)).then_with(|| a.uid.cmp(&b.uid))
}

/// A number for what a feed shows: its entries and how often each was changed. Its own `updated` is left out, since
/// that follows from this.
fn feed_digest(feed: &Feed) -> [u8; 16] {
    let mut all = Vec::with_capacity(feed.entries.len() * 64);
    let mut part = |s: &str| {
        all.extend_from_slice(s.as_bytes());
        all.push(0);
    };
    part(feed.title.as_str());
    part(feed.description.as_ref().map_or("", Text::as_str));
    for entry in &feed.entries {
        part(&entry.uid);
        part(&entry.revision.to_string());
    }
    digest(&all)
}
