//! One round's transaction: what is known of a reading's posts, and the changes that follow from it.

use super::archive::{self, Tail};
use super::combined::Rules;
use super::company::Names;
use super::entry::Entries;
use super::own::Follow;
use super::page::Registered;
use super::{StoreError, listing};
use crate::model::{
    Added, Asks, Changes, Deed, Enclosure, EntryId, Event, Filter, Html, Key, Known, KnownEntry, Listed, Missing,
    PageId, Post, Reading, Settings, SplitBy, Stamp, Text, Wants, number,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, btree_map};
use std::fmt::Write;
use url::Url;

/// An open transaction of one round.
pub struct Round<'a> {
    pub(super) tx: &'a Connection,
    pub(super) names: &'a mut Names,
    rules: &'a Rules,
    /// Feeds that may have changed, with how many posts each gained.
    touched: BTreeMap<i64, i64>,
    /// Lists of pages that were loaded to see whether they still list a post.
    lists: HashMap<PageId, HashSet<EntryId>>,
    /// The time that the feeds of this round are marked with.
    now: Option<Stamp>,
    /// What entered which feeds, written at the end in the order in which it lies on disk.
    entered: Vec<Member>,
    /// Entries that were in a feed before, with its number.
    back: HashSet<(i64, EntryId)>,
    sql: Statements<'a>,
}

/// Who owns an entry that was imported and that no page has listed yet.
pub(super) const IMPORTED: PageId = PageId(0);
/// `gone` of an entry that somebody took out of all feeds for good.
pub(super) const FORGOTTEN: i64 = 1;
/// `gone` of an entry that left all feeds because of its age or with its topic, until a page lists it again.
pub(super) const LEFT: i64 = 2;

/// `gone` of an entry that is in no feed yet: it waits for its own page.
pub(super) const WAITING: i64 = 3;

/// Where an entry belongs: its feeds, also while it is gone from them.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    pub(super) feeds: Vec<i64>,
    pub(super) published: Stamp,
    pub(super) gone: i64,
}

/// That an entry is in a feed.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    feed: i64,
    published: Stamp,
    entry: EntryId,
    /// When it entered, if that is not when it was published.
    entered: Option<Stamp>,
    /// The number of the archive that holds it.
    archive: u32,
}

/// The statements that run once a post or more often, prepared once a round.
struct Statements<'a> {
    by_key: CachedStatement<'a>,
    put_key: CachedStatement<'a>,
    add: CachedStatement<'a>,
    entries: Entries<'a>,
}

impl<'a> Statements<'a> {
    fn new(tx: &'a Connection) -> Result<Self, StoreError> {
        const BY_KEY: &str = "SELECT k.split, e.id, e.published, e.owner, e.link, e.gone FROM key k \
             LEFT JOIN entry e ON e.id = k.entry WHERE k.key = ?1";
        const PUT_KEY: &str =
            "INSERT INTO key (key, entry) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET entry = excluded.entry";
        const ADD: &str = "INSERT INTO entry (owner, position, first_seen, published, updated, feeds, uid, link, \
             dated, title, kind, authors, companies, guid, extra, summary, enclosures) \
             VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        Ok(Self {
            by_key: tx.prepare_cached(BY_KEY)?,
            put_key: tx.prepare_cached(PUT_KEY)?,
            add: tx.prepare_cached(ADD)?,
            entries: Entries::new(tx)?,
        })
    }
}

/// Where a reading's posts go.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The page's number.
    pub page: PageId,
    /// The feeds that every one of its posts enters.
    feeds: Vec<i64>,
    /// The topic feeds that take some posts only.
    choosy: Vec<(i64, Filter)>,
    /// The topic feeds that it may give its title to.
    titles: Vec<i64>,
    /// The feeds of the companies that list it, which its posts enter by their companies.
    companies: Vec<i64>,
    /// Where the page is for its links: on that host a company's link may name its slug.
    pub(super) at: Url,
    /// What its posts' own pages are read for.
    pub(super) wants: Option<Wants>,
    /// The key of the page itself, which is no post's own page.
    pub(super) key: Key,
}

impl Spot {
    /// The place of a page among what is registered; `index` is its position in the settings.
    pub fn new(registered: &Registered, index: usize, settings: &Settings, first_of: &[usize], at: &Url) -> Self {
        let topic = |&t: &usize| registered.topics.get(t).copied();
        let filter = |&t: &usize| Some((topic(&t)?, settings.topics.get(t)?.filter.clone()));
        let page = &settings.pages[index];
        Self {
            page: registered.pages[index],
            feeds: std::iter::once(registered.all).chain(page.topics.iter().filter_map(topic)).collect(),
            choosy: page.topics.iter().filter_map(filter).filter(|(_, filter)| *filter != Filter::default()).collect(),
            titles: first_of.iter().filter_map(topic).collect(),
            companies: page.companies.iter().filter_map(|c| registered.companies.get(&c.slug)).copied().collect(),
            at: at.clone(),
            wants: page.settings.wants(),
            key: page.address.key(),
        }
    }

    /// The feeds that a post enters by being on this page.
    fn feeds_of(&self, post: &Post) -> Vec<i64> {
        let takes = |feed: &i64| self.choosy.iter().all(|(choosy, filter)| choosy != feed || filter.takes(post));
        self.feeds.iter().copied().filter(takes).collect()
    }
}

impl Spot {
    /// Where imported posts go: into these feeds, on no page.
    pub(super) fn of_import(page: PageId, feeds: Vec<i64>) -> Self {
        let at = Url::parse("https://import.invalid/").expect("it is an address");
        let key = Key::of(&at);
        Self { page, feeds, choosy: Vec::new(), titles: Vec::new(), companies: Vec::new(), at, wants: None, key }
    }
}

impl<'a> Round<'a> {
    pub(super) fn new(tx: &'a Connection, names: &'a mut Names, rules: &'a Rules) -> Result<Self, StoreError> {
        let (touched, lists, sql) = (BTreeMap::new(), HashMap::new(), Statements::new(tx)?);
        Ok(Self { tx, names, rules, touched, lists, now: None, entered: Vec::new(), back: HashSet::new(), sql })
    }

    /// Says when what follows is done: feeds that it changes are marked with that time.
    pub(super) fn at(&mut self, now: Stamp) {
        self.now = Some(now);
    }

    /// Marks a feed as possibly changed.
    pub(super) fn touch(&mut self, feed: i64) {
        self.touched.entry(feed).or_default();
    }

    /// Marks a feed as changed by a post that left it.
    pub(super) fn lose(&mut self, feed: i64) {
        *self.touched.entry(feed).or_default() -= 1;
    }

    /// Forgets a feed.
    pub(super) fn forget_feed(&mut self, feed: i64) -> Result<(), StoreError> {
        self.touched.remove(&feed);
        self.tx.execute("DELETE FROM archive WHERE feed = ?1", [feed])?;
        // A topic is named as the source of its posts in the feeds of several topics.
        self.tx.execute("UPDATE feed SET dirty = coalesce(dirty, updated) WHERE kind <> 1", [])?;
        self.tx.execute("DELETE FROM heard WHERE feed = ?1", [feed])?;
        self.tx.execute("DELETE FROM member WHERE feed = ?1", [feed])?;
        self.tx.execute("DELETE FROM feed WHERE id = ?1", [feed])?;
        Ok(())
    }

    /// Has the files of a feed removed, given its path without an ending.
    pub(super) fn abandon(&mut self, path: &str) -> Result<(), StoreError> {
        const ABANDON: &str = "UPDATE document SET size = -2 WHERE path GLOB ?1 || '.*' OR path GLOB ?1 || '/*'";
        self.tx.execute(ABANDON, [path])?;
        Ok(())
    }

    /// Writes to which feeds an entry belongs.
    pub(super) fn sit(&mut self, id: EntryId, feeds: &[i64]) -> Result<(), StoreError> {
        let mut update = self.tx.prepare_cached("UPDATE entry SET feeds = ?2 WHERE id = ?1")?;
        update.execute(params![id.0, numbers(feeds)])?;
        Ok(())
    }

    /// Gives what entered a feed its place in the feed's archives: where it was before, else behind the others.
    fn archive(&mut self) -> Result<(), StoreError> {
        let mut tails: BTreeMap<i64, Tail> = BTreeMap::new();
        for member in &mut self.entered {
            let (feed, entry) = (member.feed, member.entry);
            let place = if self.back.contains(&(feed, entry)) { archive::back(self.tx, feed, entry)? } else { None };
            member.archive = match (place, tails.entry(feed)) {
                (Some(place), _) => place,
                (None, btree_map::Entry::Occupied(tail)) => tail.into_mut().push(self.tx, entry)?,
                (None, btree_map::Entry::Vacant(free)) => free.insert(Tail::of(self.tx, feed)?).push(self.tx, entry)?,
            };
        }
        tails.values().try_for_each(|tail| tail.put(self.tx))
    }

    /// Has archives hold what entered feeds since then from the oldest on; posts of one instant as they stand on their
    /// page, from the bottom.
    pub(super) fn oldest_first(&mut self, since: usize) {
        self.entered[since..].sort_by_key(|member| (member.published, Reverse(member.entry)));
    }

    /// How much entered feeds so far.
    pub(super) fn so_far(&self) -> usize {
        self.entered.len()
    }

    /// Writes what entered which feeds, and which are to be published.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        self.archive()?;
        // A feed without a post yet, to which one is on its way, is better not there than empty.
        let waited_for = if self.touched.is_empty() { HashSet::new() } else { self.waited_for()? };
        self.entered.sort_unstable();
        let mut statement = self.tx.prepare_cached(
            "INSERT INTO member (feed, published, entry, entered, archive) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for Member { feed, published, entry, entered, archive } in self.entered {
            statement.execute(params![feed, published.0, entry.0, entered.map(|at| at.0), archive])?;
        }
        let mut statement = self.tx.prepare_cached(
            "UPDATE feed SET posts = posts + ?2, dirty = CASE WHEN ?4 AND updated IS NULL AND posts + ?2 <= 0 THEN dirty \
             ELSE coalesce(?3, dirty, updated) END WHERE id = ?1",
        )?;
        for (feed, gained) in self.touched {
            statement.execute(params![feed, gained, self.now.map(|n| n.0), waited_for.contains(&feed)])?;
        }
        Ok(())
    }

    /// What is known about the keys that a reading asks for, and about the page's past.
    ///
    /// # Errors
    /// When the database fails.
    pub fn known(&mut self, page: PageId, asks: &Asks) -> Result<Known, StoreError> {
        let mut known = Known { listing: self.listing(page)?, ..Known::default() };
        self.learn(page, asks, &mut known)?;
        Ok(known)
    }

    /// Adds what is known about more keys.
    ///
    /// # Errors
    /// When the database fails.
    pub fn learn(&mut self, page: PageId, asks: &Asks, known: &mut Known) -> Result<(), StoreError> {
        let mut found = Vec::new();
        for key in &asks.keys {
            let row = |r: &Row<'_>| {
                let entry = match r.get::<_, Option<i64>>(1)? {
                    Some(id) => {
                        let hollow = r.get::<_, i64>(3)? == IMPORTED.0 || r.get::<_, i64>(5)? == LEFT;
                        Some((EntryId(id), Stamp(r.get(2)?), PageId(r.get(3)?), r.get(4)?, hollow))
                    }
                    None => None,
                };
                Ok((r.get::<_, Option<i64>>(0)?, entry))
            };
            if let Some((split, entry)) = self.sql.by_key.query_row([hash(key)], row).optional()? {
                if let Some(by) = split {
                    known.split.insert(key.clone(), if by == 0 { SplitBy::Guid } else { SplitBy::Title });
                }
                found.extend(entry.map(|e| (key.clone(), e)));
            }
        }
        for (key, (entry, published, owner, link, hollow)) in found {
            let owner_lists = owner != page && self.lists(owner, entry)?;
            known.by_key.insert(key, KnownEntry { entry, link, published, owner, owner_lists, hollow });
        }
        for bare in &asks.fragments_of {
            known.fragments.insert(bare.clone(), self.fragments(bare)?);
        }
        Ok(())
    }

    /// The fragments under which posts of an address are known; as many as tell one from several.
    fn fragments(&self, bare: &Key) -> Result<Vec<String>, StoreError> {
        let mut statement = self.tx.prepare_cached("SELECT fragment FROM fragment WHERE address = ?1 LIMIT 16")?;
        let fragments = statement.query_map([hash(bare)], |r| r.get(0))?;
        Ok(fragments.collect::<Result<_, _>>()?)
    }

    /// Whether a page's last taken reading lists an entry.
    fn lists(&mut self, page: PageId, entry: EntryId) -> Result<bool, StoreError> {
        if !self.lists.contains_key(&page) {
            let list = self.listing(page)?.into_iter().filter(|l| l.now).map(|l| l.entry).collect();
            self.lists.insert(page, list);
        }
        Ok(self.lists[&page].contains(&entry))
    }

    pub(super) fn listing(&self, page: PageId) -> Result<Vec<Listed>, StoreError> {
        let mut statement = self.tx.prepare_cached("SELECT posts FROM listing WHERE page = ?1")?;
        let row = statement.query_row([page.0], |r| Ok(listing::unpack(r.get_ref(0)?.as_blob()?))).optional()?;
        Ok(row.unwrap_or_default())
    }

    pub(super) fn put_listing(&self, page: PageId, listing: &[Listed]) -> Result<(), StoreError> {
        const PUT: &str = "INSERT OR REPLACE INTO listing (page, posts) VALUES (?1, ?2)";
        self.tx.prepare_cached(PUT)?.execute(params![page.0, listing::pack(listing)])?;
        Ok(())
    }

    /// Takes a fall back: the page lists again what its last readings left out. How many posts it lists then.
    ///
    /// # Errors
    /// When the database fails.
    pub fn as_before(&mut self, page: PageId) -> Result<usize, StoreError> {
        let listing: Vec<Listed> = self.listing(page)?.into_iter().map(|l| Listed { missed: false, ..l }).collect();
        self.put_listing(page, &listing)?;
        Ok(listing.iter().filter(|l| l.now).count())
    }

    /// The texts of entries that the page listed before.
    ///
    /// # Errors
    /// When the database fails.
    pub fn missing(&mut self, known: &Known, wanted: &[EntryId]) -> Result<Vec<Missing>, StoreError> {
        let mut missing = Vec::with_capacity(wanted.len());
        for listed in known.listing.iter().filter(|l| wanted.contains(&l.entry)) {
            if let Some(entry) = self.sql.entries.get(listed.entry, None)? {
                missing.push(Missing { entry, listed: *listed });
            }
        }
        Ok(missing)
    }

    /// Applies what a reading changes, and says what that did to which posts.
    ///
    /// # Errors
    /// When the database fails; the whole round is then undone.
    pub fn apply(
        &mut self,
        spot: &Spot,
        reading: &Reading,
        changes: &Changes,
        now: Stamp,
        backlog: bool,
    ) -> Result<Vec<Event>, StoreError> {
        let before = self.so_far();
        self.at(now);
        self.lists.remove(&spot.page);
        self.names.note(self.tx, &reading.posts)?;
        if backlog {
            for feed in spot.feeds.iter().chain(&spot.companies) {
                self.touch(*feed);
            }
        }
        self.title(spot, reading)?;
        for (key, by) in &changes.split {
            let by = i64::from(*by == SplitBy::Title);
            self.tx
                .prepare_cached(
                    "INSERT INTO key (key, split) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET split = excluded.split",
                )?
                .execute(params![hash(key), by])?;
        }
        let mut listing = changes.listing.clone();
        let mut new = listing.iter_mut().filter(|l| l.entry == EntryId::NEW);
        let mut added_ids = Vec::with_capacity(changes.added.len());
        let waits = Self::who_waits(spot, reading, changes);
        for added in &changes.added {
            let waits = waits.contains(&added.post);
            let id = self.add(spot, added, &reading.posts[added.post], now, waits)?;
            self.follow(spot, id, &reading.posts[added.post], Follow { waits, news: added.news, now })?;
            added_ids.push(id);
            if let Some(listed) = new.next() {
                listed.entry = id;
            }
        }
        let mut events = vec![Event::posts(Deed::Added, added_ids)];
        for edited in &changes.edited {
            let detail = self.edit(spot, edited.entry, &reading.posts[edited.post], edited.updated)?;
            let deed = if changes.renamed.contains(&edited.entry) { Deed::Renamed } else { Deed::Edited };
            events.push(Event { detail, ..Event::posts(deed, vec![edited.entry]) });
            self.follow(spot, edited.entry, &reading.posts[edited.post], Follow { waits: false, news: false, now })?;
        }
        // The first of the listing are the reading's posts.
        let places = listing.iter().take(reading.posts.len()).enumerate().map(|(n, listed)| (listed.entry, n));
        let places: HashMap<EntryId, usize> = places.collect();
        for joined in &changes.joined {
            let seat = self.seat(joined.entry)?;
            let feeds =
                places.get(&joined.entry).map_or_else(|| spot.feeds.clone(), |&n| spot.feeds_of(&reading.posts[n]));
            self.join(joined.entry, seat, joined.entered, &feeds)?;
        }
        for (key, entry) in &changes.keys {
            self.put_key(key, *entry)?;
        }
        if backlog {
            let posts = listing.iter().zip(&reading.posts).map(|(listed, post)| (listed.entry, post));
            self.reconsider(spot, posts.collect(), now)?;
        }
        self.oldest_first(before);
        self.put_listing(spot.page, &listing)?;
        let edited = |entry: &&EntryId| changes.edited.iter().any(|e| e.entry == **entry);
        let silent = changes.renamed.iter().filter(|e| !edited(e)).copied().collect();
        events.push(Event::posts(Deed::Renamed, silent));
        events.push(Event::posts(Deed::Returned, changes.returned.clone()));
        for entry in &changes.delisted {
            self.tx.prepare_cached("UPDATE entry SET delisted = ?2 WHERE id = ?1")?.execute([entry.0, now.0])?;
        }
        events.push(Event::posts(Deed::Delisted, changes.delisted.clone()));
        // An edit without a detail is one of what no feed shows.
        events.retain(|e| !e.posts.is_empty() && (e.deed != Deed::Edited || !e.detail.is_empty()));
        Ok(events)
    }

    /// Gives topics without a configured title what their first page calls itself. A description that counts the
    /// page's posts would change with every one, and is not true of the feed, which also keeps those that left.
    fn title(&mut self, spot: &Spot, reading: &Reading) -> Result<(), StoreError> {
        let description = reading.description.as_ref().filter(|_| reading.stated.is_none()).map(Text::as_str);
        for feed in &spot.titles {
            let changed = self
                .tx
                .prepare_cached(
                    "UPDATE feed SET title = CASE WHEN fixed THEN title ELSE coalesce(?2, title) END, description = ?3
                     WHERE id = ?1 AND (description IS NOT ?3 OR (NOT fixed AND title <> coalesce(?2, title)))",
                )?
                .execute(params![feed, reading.title.as_ref().map(Text::as_str), description])?;
            if changed > 0 {
                self.touch(*feed);
            }
        }
        Ok(())
    }

    /// Takes in a post that nobody knew.
    pub(super) fn add(
        &mut self,
        spot: &Spot,
        added: &Added,
        post: &Post,
        now: Stamp,
        waits: bool,
    ) -> Result<EntryId, StoreError> {
        let (companies, mut feeds) = self.places(spot, post)?;
        feeds.extend(self.rules.takers(&feeds, post));
        let uid = match added.turn {
            None => Cow::Borrowed(added.uid.as_str()),
            Some(first) => Cow::Owned(self.free_uid(&added.keys[0], first)?),
        };
        self.sql.add.execute(params![
            spot.page.0,
            i64::try_from(added.post).unwrap_or(i64::MAX),
            now.0,
            added.published.0,
            numbers(&feeds),
            uid,
            post.link.as_ref().map(Url::as_str),
            post.published.map(|p| p.to_string()),
            post.title.as_str(),
            post.kind.as_ref().map(Text::as_str),
            lines(post.authors.iter().map(Text::as_str)),
            companies,
            post.guid,
            extra(post),
            post.summary.as_str(),
            enclosures(post),
        ])?;
        let id = EntryId(self.tx.last_insert_rowid());
        for key in &added.keys {
            self.put_key(key, id)?;
        }
        if waits {
            self.tx.prepare_cached("UPDATE entry SET gone = ?2 WHERE id = ?1")?.execute([id.0, WAITING])?;
            return Ok(id);
        }
        for feed in feeds {
            self.enter(feed, id, added.published, added.entered, false);
        }
        Ok(id)
    }

    /// Gives an entry another text, and says what it was.
    fn edit(&mut self, spot: &Spot, id: EntryId, post: &Post, updated: Option<Stamp>) -> Result<String, StoreError> {
        const UPDATE: &str = "UPDATE entry SET owner = ?2, revision = revision + 1, updated = max(published, CASE WHEN ?3 < updated THEN updated + 1 ELSE coalesce(?3, updated) END), link = ?4, \
             dated = ?5, title = ?6, kind = ?7, authors = coalesce(?8, (SELECT authors FROM own WHERE entry = ?1)), companies = ?9, guid = ?10, extra = ?11, summary = ?12, enclosures = ?13, \
             gone = CASE gone WHEN 2 THEN 0 ELSE gone END WHERE id = ?1";
        let (companies, feeds) = self.places(spot, post)?;
        let mut seat = self.seat(id)?;
        let before = self.text(id)?;
        self.tx.prepare_cached(UPDATE)?.execute(params![
            id.0,
            spot.page.0,
            updated.map(|t| t.0),
            post.link.as_ref().map(Url::as_str),
            post.published.map(|p| p.to_string()),
            post.title.as_str(),
            post.kind.as_ref().map(Text::as_str),
            lines(post.authors.iter().map(Text::as_str)),
            companies,
            post.guid,
            extra(post),
            post.summary.as_str(),
            enclosures(post),
        ])?;
        if seat.gone == LEFT {
            self.reenter(id, &seat);
            seat.gone = 0;
        }
        if seat.gone != WAITING {
            seat.feeds.iter().for_each(|feed| self.touch(*feed));
        }
        let entered = updated.unwrap_or(seat.published);
        self.join(id, seat, entered, &feeds)?;
        Ok(difference(&before, &self.text(id)?))
    }

    /// The columns of an entry that people see.
    pub(super) fn text(&self, id: EntryId) -> Result<[Option<String>; 6], StoreError> {
        const SELECT: &str = "SELECT title, link, authors, companies, kind, summary FROM entry WHERE id = ?1";
        let mut statement = self.tx.prepare_cached(SELECT)?;
        let row = |r: &Row<'_>| Ok([r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?]);
        Ok(statement.query_row([id.0], row)?)
    }

    /// Puts an entry back into the feeds that it was in. That is no news.
    pub(super) fn reenter(&mut self, id: EntryId, seat: &Seat) {
        for feed in &seat.feeds {
            self.enter(*feed, id, seat.published, seat.published, true);
        }
    }

    /// The companies of a post as its row holds them, and all feeds that it belongs to, each once.
    fn places(&mut self, spot: &Spot, post: &Post) -> Result<(Option<String>, Vec<i64>), StoreError> {
        let mut feeds = Vec::with_capacity(spot.feeds.len() + post.companies.len() + 1);
        let push_once = |feeds: &mut Vec<i64>, feed| {
            if !feeds.contains(&feed) {
                feeds.push(feed);
            }
        };
        spot.feeds_of(post).into_iter().for_each(|feed| push_once(&mut feeds, feed));
        let mut companies = String::new();
        for company in &post.companies {
            let feed = self.names.company(self.tx, company, &spot.at)?;
            push_once(&mut feeds, feed);
            let link = company.link.as_ref().map_or("", Url::as_str);
            companies.reserve(link.len() + company.name.as_str().len() + 24);
            let end = if companies.is_empty() { "" } else { "\n" };
            write!(companies, "{end}{feed}\t{link}\t{}", company.name).expect("memory takes every character");
        }
        if let Some(kind) = &post.kind {
            push_once(&mut feeds, self.names.kind(self.tx, kind.as_str())?);
        }
        Ok(((!companies.is_empty()).then_some(companies), feeds))
    }

    /// Where an entry belongs.
    pub(super) fn seat(&self, id: EntryId) -> Result<Seat, StoreError> {
        let mut statement = self.tx.prepare_cached("SELECT feeds, published, gone FROM entry WHERE id = ?1")?;
        let row = |r: &Row<'_>| {
            let feeds = r.get_ref(0)?.as_str()?.split(' ').filter_map(|f| f.parse().ok()).collect();
            Ok(Seat { feeds, published: Stamp(r.get(1)?), gone: r.get(2)? })
        };
        Ok(statement.query_row([id.0], row)?)
    }

    /// Puts an entry into those of `feeds`, and of the combined ones that take it now, that it is not in yet.
    pub(super) fn join(
        &mut self,
        id: EntryId,
        mut seat: Seat,
        entered: Stamp,
        feeds: &[i64],
    ) -> Result<(), StoreError> {
        let known = seat.feeds.len();
        seat.feeds.extend(feeds);
        if !self.rules.is_empty() {
            seat.feeds.extend(self.rules.takers(&seat.feeds, &self.filtered_by(id)?));
        }
        for feed in seat.feeds.split_off(known) {
            if !seat.feeds.contains(&feed) {
                seat.feeds.push(feed);
                if seat.gone == 0 {
                    self.enter(feed, id, seat.published, entered, false);
                }
            }
        }
        if seat.feeds.len() > known {
            self.sit(id, &seat.feeds)?;
        }
        Ok(())
    }

    /// Puts an entry into a feed, perhaps back into it.
    pub(super) fn enter(&mut self, feed: i64, id: EntryId, published: Stamp, entered: Stamp, back: bool) {
        if back {
            self.back.insert((feed, id));
        }
        let entered = (entered != published).then_some(entered);
        self.entered.push(Member { feed, published, entry: id, entered, archive: 0 });
        *self.touched.entry(feed).or_default() += 1;
    }

    /// The first of a key's names, from this one on, that no entry has: it has it now.
    fn free_uid(&self, key: &Key, first: u32) -> Result<String, StoreError> {
        let mut turn = first;
        loop {
            let uid = key.urn(turn);
            if self.claim_uid(&uid)? {
                return Ok(uid);
            }
            turn += 1;
        }
    }

    /// Notes among the keys that an entry has this id, which its own first key does not tell; false where one has it.
    pub(super) fn claim_uid(&self, uid: &str) -> Result<bool, StoreError> {
        const CLAIM: &str = "INSERT OR IGNORE INTO key (key) VALUES (?1)";
        // No key has a space.
        Ok(self.tx.prepare_cached(CLAIM)?.execute([hash(&Key::stored(format!("id {uid}")))])? > 0)
    }

    fn put_key(&mut self, key: &Key, entry: EntryId) -> Result<(), StoreError> {
        self.sql.put_key.execute([hash(key), entry.0])?;
        if let Some(fragment) = key.fragment().filter(|f| !f.starts_with(':')) {
            self.tx
                .prepare_cached("INSERT OR IGNORE INTO fragment (address, fragment) VALUES (?1, ?2)")?
                .execute(params![hash(&key.bare()), fragment])?;
        }
        Ok(())
    }
}

/// What an entry's text was where it is another now: for people, in one line.
pub(super) fn difference(before: &[Option<String>; 6], after: &[Option<String>; 6]) -> String {
    const NAMES: [&str; 6] = ["title", "link", "authors", "companies", "type", "summary"];
    /// So many characters of a text are shown.
    const SHOWN: usize = 200;
    let part = |(name, (was, is)): (&&str, (&Option<String>, &Option<String>))| {
        let was = was.as_deref().unwrap_or_default();
        if was == is.as_deref().unwrap_or_default() {
            return None;
        }
        let plain = match *name {
            "summary" => Html::written(was.to_owned()).text().into(),
            // Of a company's line only its name, the last part, means something to people.
            _ => was.lines().filter_map(|l| l.rsplit('\t').next()).collect::<Vec<_>>().join(", "),
        };
        let shown: String = plain.chars().take(SHOWN).collect();
        let more = if shown.len() < plain.len() { "…" } else { "" };
        Some(if shown.is_empty() { format!("{name} was empty") } else { format!("{name} was `{shown}{more}`") })
    };
    NAMES.iter().zip(before.iter().zip(after)).filter_map(part).collect::<Vec<_>>().join("; ")
}

/// A key as the database knows it.
pub(super) fn hash(key: &Key) -> i64 {
    number(key.as_str().as_bytes()).cast_signed()
}

/// A list of texts, a line each, since no text of one line holds a line's end; null for an empty one.
pub(super) fn lines<'t>(texts: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut out: Option<String> = None;
    for text in texts {
        match &mut out {
            Some(out) => {
                out.push('\n');
                out.push_str(text);
            }
            None => out = Some(text.to_owned()),
        }
    }
    out
}

/// Keys and values that pagewire has no use for, a line each.
fn extra(post: &Post) -> Option<String> {
    let pairs: Vec<String> = post.extra.iter().map(|(key, value)| format!("{key}\t{value}")).collect();
    lines(pairs.iter().map(String::as_str))
}

/// Files that belong to a post, a line each.
fn enclosures(post: &Post) -> Option<String> {
    let packed: Vec<String> = post.enclosures.iter().map(Enclosure::pack).collect();
    lines(packed.iter().map(String::as_str))
}

fn numbers(feeds: &[i64]) -> String {
    let mut out = String::with_capacity(feeds.len() * 4);
    for feed in feeds {
        if !out.is_empty() {
            out.push(' ');
        }
        write!(out, "{feed}").expect("memory takes every digit");
    }
    out
}
