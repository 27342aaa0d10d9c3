//! Posts as people name them: found, taken out of all feeds and put back, and taken over from another feed.

use super::feed::{Cutter, feed_key};
use super::listing;
use super::round::{FORGOTTEN, IMPORTED, LEFT, Round, Spot, WAITING, hash};
use super::{Registered, Store, StoreError};
use crate::model::{Added, Deed, EntryId, Event, FeedKey, Key, PageId, Post, PublishSettings, Slug, Stamp, fold};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use url::Url;

/// A post and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The store's number.
    pub id: EntryId,
    /// Its id in every feed.
    pub uid: String,
    /// Its title.
    pub title: String,
    /// What a reader opens.
    pub link: Option<String>,
    /// When it was published.
    pub published: Stamp,
    /// When it was first seen.
    pub first_seen: Stamp,
    /// When its meaning last changed.
    pub updated: Stamp,
    /// Whether somebody took it out of all feeds.
    pub forgotten: bool,
    /// Whether it waits for its own page with being published.
    pub waits: bool,
    /// The feeds that it is in.
    pub feeds: Vec<FeedKey>,
    /// The pages whose last taken reading lists it.
    pub pages: Vec<String>,
}

/// What of a post must not change without a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Its id in every feed.
    pub uid: String,
    /// Its title.
    pub title: String,
    /// What a reader opens.
    pub link: Option<String>,
    /// When it was published.
    pub published: Stamp,
    /// When its meaning last changed.
    pub updated: Stamp,
    /// The feeds that it is in, by their paths.
    pub feeds: String,
}

/// What an imported feed says about one post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The post, without companies and type, which its page will say.
    pub post: Post,
    /// Its id, kept as it is.
    pub uid: String,
    /// The keys under which a page may list it.
    pub keys: Vec<Key>,
    /// When it was published.
    pub published: Stamp,
}

impl Store {
    /// The posts that a name means: an id or a link, else a part of a title, whatever its case.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, name: &str) -> Result<Vec<Found>, StoreError> {
        self.run(|db| {
            let mut ids = by_address(&db.conn, name)?;
            if ids.is_empty() {
                ids = by_title(&db.conn, name)?;
            }
            ids.into_iter().map(|id| found(&db.conn, id)).collect()
        })
        .await
    }

    /// Every post that is in a feed, by the store's number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn outlines(&self) -> Result<BTreeMap<i64, Outline>, StoreError> {
        const POSTS: &str =
            "SELECT id, uid, title, coalesce(opens, link), published, updated, feeds FROM entry WHERE gone = 0";
        self.run(|db| {
            let mut statement = db.conn.prepare("SELECT id, kind, slug FROM feed")?;
            let feeds = statement.query_map([], |r| Ok((r.get(0)?, feed_key(r.get(1)?, r.get(2)?))))?;
            let feeds: HashMap<i64, Option<FeedKey>> = feeds.collect::<Result<_, _>>()?;
            let paths = |numbers: &str| {
                let keys = numbers.split(' ').filter_map(|n| feeds.get(&n.parse().ok()?)?.as_ref());
                keys.map(FeedKey::path).collect::<Vec<_>>().join(" ")
            };
            let mut statement = db.conn.prepare(POSTS)?;
            let row = |r: &Row<'_>| {
                let outline = Outline {
                    uid: r.get(1)?,
                    title: r.get(2)?,
                    link: r.get(3)?,
                    published: Stamp(r.get(4)?),
                    updated: Stamp(r.get(5)?),
                    feeds: paths(r.get_ref(6)?.as_str()?),
                };
                Ok((r.get(0)?, outline))
            };
            let outlines = statement.query_map([], row)?;
            Ok(outlines.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Ids and titles of posts.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn titles(&self, ids: &BTreeSet<EntryId>) -> Result<HashMap<EntryId, (String, String)>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare_cached("SELECT uid, title FROM entry WHERE id = ?1")?;
            let mut titles = HashMap::new();
            for id in ids {
                let row = statement.query_row([id.0], |r| Ok((r.get(0)?, r.get(1)?))).optional()?;
                titles.extend(row.map(|row| (*id, row)));
            }
            Ok(titles)
        })
        .await
    }

    /// Takes a post out of all feeds for good, or puts it back. False where it is so already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget(&self, id: EntryId, undo: bool, now: Stamp) -> Result<bool, StoreError> {
        self.run(|db| {
            db.write(|round| {
                let seat = round.seat(id)?;
                if (seat.gone == FORGOTTEN) != undo {
                    return Ok(false);
                }
                round.at(now);
                if undo {
                    round.reenter(id, &seat);
                } else {
                    round.leave(id)?;
                }
                let gone = if undo { 0 } else { FORGOTTEN };
                round.tx.execute("UPDATE entry SET gone = ?2 WHERE id = ?1", [id.0, gone])?;
                let owner = round.tx.query_row("SELECT owner FROM entry WHERE id = ?1", [id.0], |r| r.get(0))?;
                let deed = if undo { Deed::Restored } else { Deed::Forgotten };
                round.note(PageId(owner), now, None, &[Event::posts(deed, vec![id])])?;
                Ok(true)
            })
        })
        .await
    }

    /// Takes over posts of another feed into a topic that was not published yet; those that are known already stay as
    /// they are. None where the topic has posts.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn import(
        &self,
        registered: &Registered,
        topic: usize,
        page: PageId,
        posts: &[Import],
        now: Stamp,
    ) -> Result<Option<usize>, StoreError> {
        self.run(|db| {
            db.write(|round| {
                let feed = registered.topics[topic];
                let known = "SELECT count(*) FROM member WHERE feed = ?1";
                if round.tx.query_row(known, [feed], |r| r.get::<_, i64>(0))? > 0 {
                    return Ok(None);
                }
                round.at(now);
                let spot = Spot::of_import(IMPORTED, vec![registered.all, feed]);
                let (mut ids, before) = (Vec::with_capacity(posts.len()), round.so_far());
                for (position, import) in posts.iter().enumerate() {
                    if round.is_known(import)? {
                        continue;
                    }
                    round.claim_uid(&import.uid)?;
                    let added = Added {
                        post: position,
                        keys: import.keys.clone(),
                        uid: import.uid.clone(),
                        turn: None,
                        published: import.published,
                        entered: import.published,
                        news: false,
                    };
                    ids.push(round.add(&spot, &added, &import.post, now, false)?);
                }
                round.oldest_first(before);
                let imported = ids.len();
                round.note(page, now, None, &[Event::posts(Deed::Imported, ids)])?;
                Ok(Some(imported))
            })
        })
        .await
    }

    /// Removes a topic that is not followed any more: its feed, and the posts that no other topic has and no page of a
    /// company lists. False where there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drop_topic(
        &self,
        slug: &Slug,
        followed: &[PageId],
        of_companies: &[PageId],
        now: Stamp,
    ) -> Result<bool, StoreError> {
        // Posts that were taken out of their feeds, or that wait, are no members; by the time they come back, the number may
        // mean another feed.
        const HAS: &str = "SELECT entry FROM member WHERE feed = ?1 UNION \
             SELECT id FROM entry WHERE gone <> 0 AND ' ' || feeds || ' ' LIKE '% ' || ?1 || ' %'";
        self.run(|db| {
            db.write(|round| {
                let topics: HashMap<String, i64> = {
                    let mut statement = round.tx.prepare("SELECT slug, id FROM feed WHERE kind = 1")?;
                    statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?
                };
                let Some(&feed) = topics.get(slug.as_str()) else { return Ok(false) };
                let others: HashSet<i64> = topics.into_values().filter(|id| *id != feed).collect();
                // A company's page is in no topic.
                let listed = listed(round.tx, |page| of_companies.contains(&page))?;
                round.at(now);
                let posts = entries(round.tx, HAS, feed)?;
                round.unread(&posts, followed)?;
                for id in posts {
                    let mut seat = round.seat(id)?;
                    seat.feeds.retain(|f| *f != feed);
                    if seat.feeds.iter().any(|f| others.contains(f)) || listed.contains(&id) {
                        round.leave_one(feed, id, seat.published)?;
                    } else {
                        round.hollow(id)?;
                    }
                    round.sit(id, &seat.feeds)?;
                }
                round.abandon(&FeedKey::Topic(slug.clone()).path())?;
                round.forget_feed(feed)?;
                Ok(true)
            })
        })
        .await
    }

    /// Whether something was last done at least `every` seconds ago; then it counts as done now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_time(&self, what: &str, every: i64, now: Stamp) -> Result<bool, StoreError> {
        self.run(|db| {
            let mut last = db.conn.prepare_cached("SELECT value FROM note WHERE name = ?1")?;
            let last: Option<String> = last.query_row([what], |r| r.get(0)).optional()?;
            let last = last.and_then(|at| at.parse::<i64>().ok());
            // One in the future is from before the clock was set back.
            if last.is_some_and(|at| (0..every).contains(&(now.0 - at))) {
                return Ok(false);
            }
            db.conn
                .prepare_cached("INSERT OR REPLACE INTO note (name, value) VALUES (?1, ?2)")?
                .execute(params![what, now.0.to_string()])?;
            Ok(true)
        })
        .await
    }

    /// Lets go of the texts of posts published before `before` that no page has listed since then and no feed shows: they
    /// leave the archives, and what tells them from new ones stays. The number of posts.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune(&self, before: Stamp, cut: &PublishSettings, now: Stamp) -> Result<usize, StoreError> {
        const OLD: &str =
            "SELECT id FROM entry WHERE gone = 0 AND published < ?1 AND (delisted IS NULL OR delisted < ?1)";
        self.run(|db| {
            let mut old: HashSet<EntryId> = entries(&db.conn, OLD, before.0)?.into_iter().collect();
            if old.is_empty() {
                return Ok(0);
            }
            for listed in listed(&db.conn, |_| true)? {
                old.remove(&listed);
            }
            for shown in shown(&db.conn, cut, &old)? {
                old.remove(&shown);
            }
            let mut old: Vec<EntryId> = old.into_iter().collect();
            old.sort_unstable();
            db.write(|round| {
                round.at(now);
                old.iter().try_for_each(|id| round.hollow(*id))?;
                Ok(old.len())
            })
        })
        .await
    }
}

impl Round<'_> {
    /// Takes an entry out of the feeds that it is in.
    fn leave(&mut self, id: EntryId) -> Result<(), StoreError> {
        let seat = self.seat(id)?;
        seat.feeds.iter().try_for_each(|feed| self.leave_one(*feed, id, seat.published))
    }

    /// Takes an entry out of a feed, if it is in it.
    pub(super) fn leave_one(&mut self, feed: i64, id: EntryId, published: Stamp) -> Result<(), StoreError> {
        const DELETE: &str = "DELETE FROM member WHERE feed = ?1 AND published = ?2 AND entry = ?3";
        if self.tx.prepare_cached(DELETE)?.execute([feed, published.0, id.0])? > 0 {
            self.lose(feed);
        }
        Ok(())
    }

    /// Takes an entry out of its feeds and lets go of its text, until a page lists it again.
    fn hollow(&mut self, id: EntryId) -> Result<(), StoreError> {
        self.leave(id)?;
        let mut update = self.tx.prepare_cached(
            "UPDATE entry SET gone = ?2, summary = '', authors = NULL, extra = NULL, enclosures = NULL, \
             opens = NULL, content = NULL WHERE id = ?1 AND gone IN (0, ?3)",
        )?;
        update.execute([id.0, LEFT, WAITING])?;
        self.tx.prepare_cached("DELETE FROM own WHERE entry = ?1")?.execute([id.0])?;
        Ok(())
    }

    /// Has pages that list some of these posts and are not followed read anew, whenever they are followed again.
    fn unread(&mut self, posts: &[EntryId], followed: &[PageId]) -> Result<(), StoreError> {
        let mut statement = self.tx.prepare("SELECT page, posts FROM listing")?;
        let rows = statement.query_map([], |r| Ok((PageId(r.get(0)?), listing::unpack(r.get_ref(1)?.as_blob()?))))?;
        let posts: HashSet<&EntryId> = posts.iter().collect();
        for row in rows {
            let (page, listing) = row?;
            if !followed.contains(&page) && listing.iter().any(|l| posts.contains(&l.entry)) {
                self.tx.execute("UPDATE page SET fingerprint = 0 WHERE id = ?1", [page.0])?;
            }
        }
        Ok(())
    }

    fn is_known(&self, import: &Import) -> Result<bool, StoreError> {
        let by_uid = "SELECT 1 FROM entry WHERE uid = ?1";
        let by_key = "SELECT 1 FROM key WHERE key = ?1 AND entry IS NOT NULL";
        let mut known = self.tx.prepare_cached(by_uid)?.exists([&import.uid])?;
        for key in &import.keys {
            known |= self.tx.prepare_cached(by_key)?.exists([hash(key)])?;
        }
        Ok(known)
    }
}

fn by_address(conn: &Connection, name: &str) -> Result<Vec<EntryId>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT id FROM entry WHERE uid = ?1 OR link = ?1 OR opens = ?1")?;
    let ids = statement.query_map([name], |r| r.get(0).map(EntryId))?;
    let mut ids: Vec<EntryId> = ids.collect::<Result<_, _>>()?;
    if let (true, Ok(url)) = (ids.is_empty(), Url::parse(name)) {
        let mut statement = conn.prepare_cached("SELECT entry FROM key WHERE key = ?1 AND entry IS NOT NULL")?;
        ids.extend(statement.query_row([hash(&Key::of(&url))], |r| r.get(0).map(EntryId)).optional()?);
    }
    Ok(ids)
}

fn by_title(conn: &Connection, part: &str) -> Result<Vec<EntryId>, StoreError> {
    let part = fold(part).to_lowercase();
    let mut statement = conn.prepare_cached("SELECT id, title FROM entry ORDER BY published DESC")?;
    let rows = statement.query_map([], |r| Ok((EntryId(r.get(0)?), r.get::<_, String>(1)?)))?;
    let rows: Vec<(EntryId, String)> = rows.collect::<Result<_, _>>()?;
    let title = |t: &str| fold(t).to_lowercase();
    let exact: Vec<EntryId> = rows.iter().filter(|(_, t)| title(t) == part).map(|(id, _)| *id).collect();
    if exact.len() == 1 {
        return Ok(exact);
    }
    Ok(rows.into_iter().filter(|(_, t)| title(t).contains(&part)).map(|(id, _)| id).collect())
}

fn found(conn: &Connection, id: EntryId) -> Result<Found, StoreError> {
    const ENTRY: &str =
        "SELECT uid, title, coalesce(opens, link), published, first_seen, updated, gone FROM entry WHERE id = ?1";
    const FEEDS: &str = "SELECT f.kind, f.slug FROM feed f JOIN entry e ON e.id = ?1 \
         JOIN member m ON m.feed = f.id AND m.published = e.published AND m.entry = e.id ORDER BY f.kind, f.slug";
    let row = |r: &Row<'_>| {
        Ok(Found {
            id,
            uid: r.get(0)?,
            title: r.get(1)?,
            link: r.get(2)?,
            published: Stamp(r.get(3)?),
            first_seen: Stamp(r.get(4)?),
            updated: Stamp(r.get(5)?),
            forgotten: r.get::<_, i64>(6)? == FORGOTTEN,
            waits: r.get::<_, i64>(6)? == WAITING,
            feeds: Vec::new(),
            pages: Vec::new(),
        })
    };
    let mut post = conn.prepare_cached(ENTRY)?.query_row([id.0], row)?;
    let mut statement = conn.prepare_cached(FEEDS)?;
    let feeds = statement.query_map([id.0], |r| Ok(feed_key(r.get(0)?, r.get(1)?)))?;
    post.feeds = feeds.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut statement =
        conn.prepare_cached("SELECT p.address, l.posts FROM listing l JOIN page p ON p.id = l.page ORDER BY p.id")?;
    let pages = statement.query_map([], |r| Ok((r.get(0)?, listing::unpack(r.get_ref(1)?.as_blob()?))))?;
    for page in pages {
        let (address, listing) = page?;
        if listing.iter().any(|l| l.now && l.entry == id) {
            post.pages.push(address);
        }
    }
    Ok(post)
}

/// Every entry that one of these pages lists now.
fn listed(conn: &Connection, pages: impl Fn(PageId) -> bool) -> Result<HashSet<EntryId>, StoreError> {
    let mut statement = conn.prepare("SELECT page, posts FROM listing")?;
    let mut all = HashSet::new();
    let listings = statement.query_map([], |r| Ok((PageId(r.get(0)?), listing::unpack(r.get_ref(1)?.as_blob()?))))?;
    for row in listings {
        let (page, listing) = row?;
        if !pages(page) {
            continue;
        }
        all.extend(listing.into_iter().filter(|l| l.now).map(|l| l.entry));
    }
    Ok(all)
}

/// What the feeds of some entries show.
fn shown(conn: &Connection, cut: &PublishSettings, some: &HashSet<EntryId>) -> Result<HashSet<EntryId>, StoreError> {
    let mut feeds = HashSet::new();
    let mut statement = conn.prepare("SELECT feeds FROM entry WHERE id = ?1")?;
    for id in some {
        let numbers: String = statement.query_row([id.0], |r| r.get(0))?;
        feeds.extend(numbers.split(' ').filter_map(|f| f.parse::<i64>().ok()));
    }
    let mut cutter = Cutter::new(conn, cut)?;
    let mut shown = HashSet::new();
    for feed in feeds {
        shown.extend(cutter.cut(feed)?.into_iter().map(|e| e.id));
    }
    Ok(shown)
}

pub(super) fn entries(conn: &Connection, sql: &str, value: i64) -> Result<Vec<EntryId>, StoreError> {
    let mut statement = conn.prepare(sql)?;
    let rows = statement.query_map(params![value], |r| r.get(0).map(EntryId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
