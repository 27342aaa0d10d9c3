//! Posts' own pages: which are to be read, who waits for that, and what was found, into the entries.
//!
//! In: posts as readings bring them, and [`OwnResult`]s. Out: [`Own`]s that are due, and entries that a feed shows with
//! what their own pages say. A post that waits is an entry in no feed (`gone` 3), so that a crash loses none; `published`
//! may change only until it enters its feeds, its id never. Deliberately absent: when a failed one is tried again
//! (`schedule`), and what a page says (`extract`).

use super::round::{FORGOTTEN, LEFT, Round, Spot, WAITING, difference, lines};
use super::{Store, StoreError, listing};
use crate::model::{
    Changes, DAY, Deed, EntryId, Event, Key, Late, Listed, Own, OwnPage, OwnResult, PageId, Post, Published, Reading,
    Robots, Spent, Stamp, Text, Wants,
};
use rusqlite::{OptionalExtension, Row, params};
use std::collections::{BTreeMap, HashSet};
use url::Url;

/// So many due ones of a page are looked at; which of these are asked, its allowance says.
const LOOKED_AT: i64 = 200;
/// A post that gives no date is not dated by its own page to a time longer ago than this, as a late addition is not.
const LATE: i64 = 7 * DAY;

/// How a post's own page is to be read.
#[derive(Clone, Copy)]
pub(super) struct Follow {
    /// Whether the post waits for it with being published.
    pub(super) waits: bool,
    /// Whether it is new to readers then.
    pub(super) news: bool,
    pub(super) now: Stamp,
}

/// What a page's settings say of its posts' own pages.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// What they are read for.
    pub wants: Wants,
    /// How old posts are dated that are added late.
    pub late: Late,
}

/// What readings of posts' own pages did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filled {
    /// Posts that were published.
    pub released: usize,
    /// Posts that got something from their own pages.
    pub filled: usize,
    /// What could not be read, with why: the page, the post's own page, the failure.
    pub unread: Vec<(String, String, String)>,
}

/// A row of `own` with what it needs of its entry.
struct Seen {
    page: PageId,
    waits: bool,
    news: bool,
    gone: i64,
    authors: Option<String>,
    content: bool,
    dated: Option<Published>,
    /// When it was first seen.
    since: Stamp,
    published: Stamp,
}

impl Store {
    /// The posts of these pages whose own pages are due, those that wait first. Of each page not more than
    /// [`Own::MOST`] in [`Own::WAIT`]. With `all_that_wait` also those that wait and are to be tried later.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_due(&self, pages: &[PageId], now: Stamp, all_that_wait: bool) -> Result<Vec<Own>, StoreError> {
        // Apart, so that each finds its rows by an index.
        const PAGES: &str = "SELECT page FROM own WHERE due <= ?1";
        const WAITED: &str = "SELECT page FROM own WHERE due <= ?1 UNION SELECT page FROM own WHERE until IS NOT NULL";
        const ASKED: &str = "SELECT count(*) FROM own WHERE page = ?1 AND asked > ?2";
        // Of those that wait the oldest first, so that feeds and archives grow in order.
        const DUE: &str = "SELECT o.entry, e.link, e.title, o.tries, o.until IS NOT NULL, coalesce(o.asked, 0) > ?3 \
             FROM own o JOIN entry e ON e.id = o.entry \
             WHERE o.page = ?1 AND (o.due <= ?2 OR (?4 AND o.until IS NOT NULL)) AND e.link IS NOT NULL \
             ORDER BY o.until IS NULL, CASE WHEN o.until IS NULL THEN -e.published ELSE e.published END, -e.id LIMIT ?5";
        let since = now.plus(-Own::WAIT).0;
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(if all_that_wait { WAITED } else { PAGES })?;
            let due = statement.query_map([now.0], |r| r.get(0).map(PageId))?;
            let due: HashSet<PageId> = due.collect::<Result<_, _>>()?;
            let mut all = Vec::new();
            for &page in pages.iter().filter(|page| due.contains(page)) {
                let asked: i64 = db.conn.prepare_cached(ASKED)?.query_row([page.0, since], |r| r.get(0))?;
                let mut room = Own::MOST.saturating_sub(usize::try_from(asked).unwrap_or_default());
                let mut statement = db.conn.prepare_cached(DUE)?;
                let rows = statement.query_map(params![page.0, now.0, since, all_that_wait, LOOKED_AT], |r| {
                    let (link, title): (String, String) = (r.get(1)?, r.get(2)?);
                    let (entry, title) = (EntryId(r.get(0)?), Text::stored(title));
                    let own = |link| Own { entry, page, link, title, tries: 0, waits: false };
                    let own = Url::parse(&link).ok().map(own);
                    Ok((own, r.get::<_, u32>(3)?, r.get::<_, bool>(4)?, r.get::<_, bool>(5)?))
                })?;
                for row in rows {
                    let (Some(own), tries, waits, is_again) = row? else { continue };
                    if is_again || room > 0 {
                        room -= usize::from(!is_again);
                        all.push(Own { tries, waits, ..own });
                    }
                }
            }
            Ok(all)
        })
        .await
    }

    /// Notes before posts' own pages are asked that they are, so that whatever happens none is asked in a hurry: each
    /// with the time of its next try.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_claim(&self, owns: &[(EntryId, Option<Stamp>)], now: Stamp) -> Result<(), StoreError> {
        const CLAIM: &str = "UPDATE own SET due = ?2, asked = ?3, tries = tries + 1 WHERE entry = ?1";
        self.run(|db| {
            db.write(|round| {
                for (entry, due) in owns {
                    round.tx.prepare_cached(CLAIM)?.execute(params![entry.0, due.map(|due| due.0), now.0])?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Leaves posts' own pages for later without having asked.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_put_off(&self, owns: &[(EntryId, Stamp)]) -> Result<(), StoreError> {
        self.run(|db| {
            db.write(|round| {
                for (entry, due) in owns {
                    round.tx.prepare_cached("UPDATE own SET due = ?2 WHERE entry = ?1")?.execute([entry.0, due.0])?;
                }
                Ok(())
            })
        })
        .await
    }

    /// When the next one is due, now at the earliest, and when the first post waits no longer.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_next(&self) -> Result<(Option<Stamp>, Option<Stamp>), StoreError> {
        const DUE: &str = "SELECT min(due) FROM own WHERE due IS NOT NULL";
        const UNTIL: &str = "SELECT min(until) FROM own WHERE until IS NOT NULL";
        self.run(|db| {
            let first =
                |sql| db.conn.prepare_cached(sql)?.query_row([], |r| Ok(r.get::<_, Option<i64>>(0)?.map(Stamp)));
            Ok((first(DUE)?, first(UNTIL)?))
        })
        .await
    }

    /// Takes up what posts' own pages say, and publishes the posts that waited for that, or for no longer: those that
    /// wait until `until` at most. `terms` are those of a page now; `spent` what is not stored yet.
    ///
    /// # Errors
    /// When the database fails; nothing was changed then.
    pub async fn fill(
        &self,
        results: &[(Own, OwnResult)],
        terms: impl Fn(PageId) -> Option<Terms>,
        robots: &[Robots],
        spent: Spent,
        until: Stamp,
        now: Stamp,
    ) -> Result<Filled, StoreError> {
        self.run(|db| {
            db.write(|round| {
                round.at(now);
                round.keep_robots(robots, now)?;
                round.spend(spent, now)?;
                let (mut done, before) = (Filled::default(), round.so_far());
                let mut events: BTreeMap<PageId, Vec<Event>> = BTreeMap::new();
                for (own, result) in results {
                    let told = round.take_own(own, result, terms(own.page), now, &mut done)?;
                    events.entry(own.page).or_default().extend(told);
                }
                round.expire(until, now, &mut done)?;
                round.oldest_first(before);
                for (page, events) in events {
                    round.note(page, now, None, &events)?;
                }
                Ok(done)
            })
        })
        .await
    }
}

impl Round<'_> {
    /// Which of a reading's new posts, by their positions, wait for their own pages: the newest of those that have one.
    pub(super) fn who_waits(spot: &Spot, reading: &Reading, changes: &Changes) -> HashSet<usize> {
        let is_read = |post: &Post| spot.wants.is_some_and(|wants| is_to_be_read(spot, post, wants));
        let new = changes.added.iter().filter(|added| is_read(&reading.posts[added.post]));
        let mut new: Vec<(Stamp, usize)> = new.map(|added| (added.published, added.post)).collect();
        new.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        new.into_iter().take(Own::MOST).map(|(_, post)| post).collect()
    }

    /// Notes that a post's own page is to be read, where the page's settings want that and its list does not say it all.
    pub(super) fn follow(&mut self, spot: &Spot, id: EntryId, post: &Post, how: Follow) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO own (entry, page, due, until, news, original) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (entry) DO UPDATE SET page = excluded.page, original = coalesce(excluded.original, original)";
        let Some(wants) = spot.wants else { return Ok(()) };
        let original = post.original.as_ref().filter(|url| Listed::original_of(url) != 0).map(Url::as_str);
        let is_read = is_to_be_read(spot, post, wants);
        if !is_read && original.is_none() {
            return Ok(());
        }
        let (due, until) = (is_read.then_some(how.now.0), how.waits.then(|| how.now.plus(Own::WAIT).0));
        let values = params![id.0, spot.page.0, due, until, how.news, original];
        self.tx.prepare_cached(ADD)?.execute(values)?;
        if let (true, Some(original)) = (wants.original, original) {
            self.open(id, Some(original))?;
        }
        Ok(())
    }

    /// Has a page's posts show what its settings want now, and reads the own pages of those that need it.
    pub(super) fn reconsider(
        &mut self,
        spot: &Spot,
        posts: Vec<(EntryId, &Post)>,
        now: Stamp,
    ) -> Result<(), StoreError> {
        const OWNER: &str = "SELECT 1 FROM entry WHERE id = ?1 AND owner = ?2 AND gone IN (0, 3)";
        const AGAIN: &str = "UPDATE own SET due = ?2, tries = 0 WHERE entry = ?1 AND due IS NULL \
             AND EXISTS (SELECT 1 FROM entry WHERE id = ?1 AND content IS NULL)";
        let rows: Vec<(EntryId, Option<String>)> = {
            let mut statement = self.tx.prepare_cached("SELECT entry, original FROM own WHERE page = ?1")?;
            let rows = statement.query_map([spot.page.0], |r| Ok((EntryId(r.get(0)?), r.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
        };
        for (id, original) in rows {
            self.open(id, original.as_deref().filter(|_| spot.wants.is_some_and(|wants| wants.original)))?;
            if !spot.wants.is_some_and(|wants| wants.content) {
                self.show(id, "UPDATE entry SET content = NULL WHERE id = ?1 AND content IS NOT NULL", None)?;
            }
        }
        let Some(wants) = spot.wants else {
            // What waits is published as it is, and nothing is asked any more.
            const OFF: &str = "UPDATE own SET due = NULL, until = min(until, ?2) WHERE page = ?1";
            self.tx.prepare_cached(OFF)?.execute([spot.page.0, now.0])?;
            return Ok(());
        };
        for (id, post) in posts {
            if self.tx.prepare_cached(OWNER)?.exists([id.0, spot.page.0])? {
                self.follow(spot, id, post, Follow { waits: false, news: false, now })?;
                if wants.content {
                    self.tx.prepare_cached(AGAIN)?.execute([id.0, now.0])?;
                }
            }
        }
        Ok(())
    }

    /// The feeds that posts which wait belong to.
    pub(super) fn waited_for(&self) -> Result<HashSet<i64>, StoreError> {
        const FEEDS: &str = "SELECT e.feeds FROM own o JOIN entry e ON e.id = o.entry WHERE o.until IS NOT NULL";
        let mut statement = self.tx.prepare_cached(FEEDS)?;
        let mut feeds = HashSet::new();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            feeds.extend(row.get_ref(0)?.as_str().unwrap_or_default().split(' ').filter_map(|f| f.parse::<i64>().ok()));
        }
        Ok(feeds)
    }

    /// Takes up what came of one post's own page.
    fn take_own(
        &mut self,
        own: &Own,
        result: &OwnResult,
        terms: Option<Terms>,
        now: Stamp,
        done: &mut Filled,
    ) -> Result<Vec<Event>, StoreError> {
        const READ: &str =
            "UPDATE own SET due = NULL, original = coalesce(?2, original), authors = ?3 WHERE entry = ?1";
        let Some(seen) = self.seen(own.entry)? else { return Ok(Vec::new()) };
        let event = |deed, detail: String| Event { detail, ..Event::posts(deed, vec![own.entry]) };
        let (page, terms) = match (result, terms) {
            (OwnResult::Failed(failure, again), _) => {
                const FAILED: &str = "UPDATE own SET due = ?2 WHERE entry = ?1";
                self.tx.prepare_cached(FAILED)?.execute(params![own.entry.0, again.map(|at| at.0)])?;
                if seen.waits && (own.tries + 1 >= Own::FAILURES || again.is_none()) {
                    self.release(own.entry, &seen, seen.published, now, done)?;
                }
                let then = again.map_or_else(|| "given up".to_owned(), |at| format!("asked again {}", at.rfc3339()));
                done.unread.push((self.address(seen.page)?, own.link.to_string(), failure.to_string()));
                return Ok(vec![event(Deed::Unread, format!("{}: {failure}; {then}", own.link))]);
            }
            // The settings do not want it any more.
            (OwnResult::Read(_), None) => return Ok(Vec::new()),
            (OwnResult::Read(page), Some(terms)) => (page, terms),
        };
        let authors = lines(page.authors.iter().map(Text::as_str));
        let original = page.original.as_ref().map(Url::as_str);
        self.tx.prepare_cached(READ)?.execute(params![own.entry.0, original, authors])?;
        if let Some(old) = self.renamed(own.entry, &seen, page)? {
            return self.adopt(own.entry, old, &seen, now).map(|event| vec![event]);
        }
        let published = exact(&seen, page.published, terms.late).filter(|_| seen.waits).unwrap_or(seen.published);
        let told = self.write(own.entry, &seen, page, terms.wants)?;
        self.relist(seen.page, own.entry, page.original.as_ref(), published)?;
        if seen.waits {
            self.release(own.entry, &seen, published, now, done)?;
        }
        done.filled += usize::from(!told.is_empty());
        let told = if told.is_empty() { "nothing more".to_owned() } else { told.join(", ") };
        Ok(vec![event(Deed::Filled, format!("{}: {told}", own.link))])
    }

    /// Writes what a post's own page says into its entry, and tells what.
    fn write(&mut self, id: EntryId, seen: &Seen, page: &OwnPage, wants: Wants) -> Result<Vec<String>, StoreError> {
        let mut told = Vec::new();
        if let Some(original) = page.original.as_ref().filter(|_| wants.original).map(Url::as_str)
            && self.open(id, Some(original))?
        {
            told.push(format!("it summarises `{original}`"));
        }
        if let (None, Some(authors)) = (&seen.authors, lines(page.authors.iter().map(Text::as_str))) {
            self.show(id, "UPDATE entry SET authors = ?2 WHERE id = ?1 AND authors IS NULL", Some(&authors))?;
            told.push(format!("by {}", authors.replace('\n', ", ")));
        }
        if wants.content && !page.content.is_empty() && !seen.content {
            const CONTENT: &str = "UPDATE entry SET content = ?2 WHERE id = ?1";
            self.show(id, CONTENT, Some(page.content.as_str()))?;
            told.push(format!("{} bytes of text", page.content.as_str().len()));
        }
        Ok(told)
    }

    /// Sets what a feed's link opens instead of the post's own; whether that changed.
    fn open(&mut self, id: EntryId, address: Option<&str>) -> Result<bool, StoreError> {
        const OPEN: &str = "UPDATE entry SET opens = nullif(?2, coalesce(link, '')) \
             WHERE id = ?1 AND opens IS NOT nullif(?2, coalesce(link, ''))";
        self.show(id, OPEN, address)
    }

    /// Changes what feeds show of an entry, if that is a change. No news: `updated` stays.
    fn show(&mut self, id: EntryId, change: &str, value: Option<&str>) -> Result<bool, StoreError> {
        let mut statement = self.tx.prepare_cached(change)?;
        let changed = match statement.parameter_count() {
            1 => statement.execute([id.0])?,
            _ => statement.execute(params![id.0, value])?,
        };
        if changed > 0 {
            self.tx.prepare_cached("UPDATE entry SET revision = revision + 1 WHERE id = ?1")?.execute([id.0])?;
            let seat = self.seat(id)?;
            if seat.gone == 0 {
                seat.feeds.iter().for_each(|feed| self.touch(*feed));
            }
        }
        Ok(changed > 0)
    }

    /// Publishes a post that waited: it enters its feeds now.
    fn release(
        &mut self,
        id: EntryId,
        seen: &Seen,
        published: Stamp,
        now: Stamp,
        done: &mut Filled,
    ) -> Result<(), StoreError> {
        // What was edited while nobody had it is no edit, and it is seen from now on.
        const RELEASE: &str = "UPDATE entry SET gone = 0, published = ?2, updated = ?2, first_seen = max(first_seen, ?3) \
             WHERE id = ?1 AND gone = 3";
        self.tx.prepare_cached("UPDATE own SET until = NULL WHERE entry = ?1")?.execute([id.0])?;
        if self.tx.prepare_cached(RELEASE)?.execute([id.0, published.0, now.0])? == 0 {
            return Ok(());
        }
        let mut seat = self.seat(id)?;
        // A topic may have been dropped meanwhile.
        let mut exists = self.tx.prepare_cached("SELECT 1 FROM feed WHERE id = ?1")?;
        let mut feeds = Vec::with_capacity(seat.feeds.len());
        for feed in seat.feeds {
            if exists.exists([feed])? {
                feeds.push(feed);
            }
        }
        seat.feeds = feeds;
        self.sit(id, &seat.feeds)?;
        let entered = if seen.news { now } else { published };
        for feed in seat.feeds {
            self.enter(feed, id, published, entered, false);
        }
        done.released += 1;
        Ok(())
    }

    /// Publishes what waits until then at most.
    fn expire(&mut self, until: Stamp, now: Stamp, done: &mut Filled) -> Result<(), StoreError> {
        // A time further away than any post waits is from before the clock was set back.
        const EXPIRED: &str = "SELECT entry FROM own WHERE until <= ?1 OR until > ?2 ORDER BY entry";
        let ids: Vec<EntryId> = {
            let mut statement = self.tx.prepare_cached(EXPIRED)?;
            let far = now.plus(Own::WAIT);
            statement.query_map([until.0, far.0], |r| r.get(0).map(EntryId))?.collect::<Result<_, _>>()?
        };
        for id in ids {
            if let Some(seen) = self.seen(id)? {
                self.release(id, &seen, seen.published, now, done)?;
            }
        }
        // Whatever else: nothing waits for ever.
        self.tx.prepare_cached("UPDATE own SET until = NULL WHERE until <= ?1")?.execute([until.0])?;
        Ok(())
    }

    fn seen(&self, id: EntryId) -> Result<Option<Seen>, StoreError> {
        const SEEN: &str = "SELECT o.page, o.until IS NOT NULL, o.news, e.gone, e.authors, \
             e.content IS NOT NULL, e.dated, e.first_seen, e.published \
             FROM own o JOIN entry e ON e.id = o.entry WHERE o.entry = ?1";
        let row = |r: &Row<'_>| {
            Ok(Seen {
                page: PageId(r.get(0)?),
                waits: r.get(1)?,
                news: r.get(2)?,
                gone: r.get(3)?,
                authors: r.get(4)?,
                content: r.get(5)?,
                dated: r.get::<_, Option<String>>(6)?.and_then(|dated| dated.parse().ok()),
                since: Stamp(r.get(7)?),
                published: Stamp(r.get(8)?),
            })
        };
        Ok(self.tx.prepare_cached(SEEN)?.query_row([id.0], row).optional()?)
    }

    fn address(&self, page: PageId) -> Result<String, StoreError> {
        let mut statement = self.tx.prepare_cached("SELECT address FROM page WHERE id = ?1")?;
        Ok(statement.query_row([page.0], |r| r.get(0)).optional()?.unwrap_or_default())
    }

    /// Notes in a page's past what was found out about a post.
    fn relist(
        &mut self,
        page: PageId,
        id: EntryId,
        original: Option<&Url>,
        published: Stamp,
    ) -> Result<(), StoreError> {
        let mut past = self.listing(page)?;
        let Some(listed) = past.iter_mut().find(|listed| listed.entry == id) else { return Ok(()) };
        let before = *listed;
        listed.original = original.map_or(listed.original, Listed::original_of);
        listed.published = published;
        if *listed != before {
            self.put_listing(page, &past)?;
        }
        Ok(())
    }

    /// The entry that a waiting post is, at another address: the one that the page lists no more with the same article,
    /// if no third post has it (CONTRACT "Rename", a).
    fn renamed(&self, id: EntryId, seen: &Seen, page: &OwnPage) -> Result<Option<EntryId>, StoreError> {
        let original = page.original.as_ref().map_or(0, Listed::original_of);
        if !seen.waits || seen.gone != WAITING || original == 0 {
            return Ok(None);
        }
        let past = self.listing(seen.page)?;
        let mut others = past.iter().filter(|listed| listed.entry != id && listed.original == original);
        let (Some(old), None) = (others.next().filter(|old| !old.now), others.next()) else { return Ok(None) };
        let gone = self.seat(old.entry)?.gone;
        Ok((gone != WAITING).then_some(old.entry))
    }

    /// Makes a post that waits the entry that it is: keys, text and place go over, and the new row goes.
    fn adopt(&mut self, id: EntryId, old: EntryId, seen: &Seen, now: Stamp) -> Result<Event, StoreError> {
        const TEXT: &str = "UPDATE entry SET (owner, link, dated, title, kind, companies, guid, extra, enclosures, summary) = \
             (SELECT owner, link, dated, title, kind, companies, guid, extra, enclosures, summary FROM entry WHERE id = ?2), \
             authors = coalesce((SELECT authors FROM entry WHERE id = ?2), authors), revision = revision + 1, \
             updated = max(published, CASE WHEN ?3 < updated THEN updated + 1 ELSE coalesce(?3, updated) END), gone = CASE gone WHEN 2 THEN 0 ELSE gone END WHERE id = ?1";
        const OWN: &str = "INSERT OR REPLACE INTO own (entry, page, original, authors) \
             SELECT ?1, page, original, authors FROM own WHERE entry = ?2";
        let mut seat = self.seat(old)?;
        let (before, more) = (self.text(old)?, self.seat(id)?.feeds);
        let updated = seen.news.then_some(now.0);
        self.tx.prepare_cached(TEXT)?.execute(params![old.0, id.0, updated])?;
        self.tx.prepare_cached(OWN)?.execute([old.0, id.0])?;
        self.tx.prepare_cached("UPDATE key SET entry = ?1 WHERE entry = ?2")?.execute([old.0, id.0])?;
        let published = seat.published;
        self.replace_in_listings(id, old, published)?;
        self.tx.prepare_cached("DELETE FROM own WHERE entry = ?1")?.execute([id.0])?;
        self.tx.prepare_cached("DELETE FROM entry WHERE id = ?1")?.execute([id.0])?;
        if seat.gone == LEFT {
            self.reenter(old, &seat);
            seat.gone = 0;
        }
        if seat.gone != FORGOTTEN {
            seat.feeds.iter().for_each(|feed| self.touch(*feed));
        }
        self.join(old, seat, updated.map_or(published, Stamp), &more)?;
        let detail = difference(&before, &self.text(old)?);
        Ok(Event { detail, ..Event::posts(Deed::Renamed, vec![old]) })
    }

    /// Has every page's past name the entry that a post turned out to be.
    fn replace_in_listings(&mut self, id: EntryId, old: EntryId, published: Stamp) -> Result<(), StoreError> {
        let mut statement = self.tx.prepare("SELECT page, posts FROM listing")?;
        let mut rows = statement.query([])?;
        let mut with_it = Vec::new();
        while let Some(r) = rows.next()? {
            let past = listing::unpack(&r.get::<_, Vec<u8>>(1)?);
            if past.iter().any(|listed| listed.entry == id) {
                with_it.push((PageId(r.get(0)?), past));
            }
        }
        for (page, mut past) in with_it {
            past.retain(|listed| listed.entry != old);
            for listed in past.iter_mut().filter(|listed| listed.entry == id) {
                (listed.entry, listed.published) = (old, published);
            }
            self.put_listing(page, &past)?;
        }
        Ok(())
    }
}

/// Whether a post has a page of its own that says what its list does not.
fn is_to_be_read(spot: &Spot, post: &Post, wants: Wants) -> bool {
    let is_list = |key: Key| key == spot.key || key == Key::of(&spot.at).bare();
    let has_page = post.link.as_ref().is_some_and(|link| !is_list(Key::of(link).bare()));
    has_page && (wants.content || wants.original && post.original.is_none())
}

/// The time that a post's own page gives, where that is more than its list says: the time of the day that the list
/// names, or any where it names none. Never later than it was first seen.
fn exact(seen: &Seen, said: Option<Published>, late: Late) -> Option<Stamp> {
    let at = match (seen.dated, said?) {
        (Some(Published::Day(day)), Published::Instant(at)) => {
            // Midnight stands for a day; and it is that day somewhere, from 14 hours before UTC to 12 behind it.
            let start = Stamp::midnight(day);
            let is_then = (start.plus(-14 * 3_600)..start.plus(36 * 3_600)).contains(&Stamp(at.timestamp()));
            let is_dated = seen.published.utc().date_naive() == day;
            (is_then && is_dated && at.time() != chrono::NaiveTime::MIN).then(|| Stamp(at.timestamp()))?
        }
        (None, said) => {
            let at = match said {
                Published::Instant(at) => Stamp(at.timestamp()),
                Published::Day(day) => Stamp::of_day(day),
            };
            let is_late = seen.news && late == Late::FirstSeen && at < seen.since.plus(-LATE);
            (!is_late).then_some(at)?
        }
        _ => return None,
    };
    (at <= seen.since).then_some(at)
}
