//! Pages: their numbers, and what is known of their polls.

use super::company::{ALL, COMBINED, TOPIC};
use super::feed::feed_key;
use super::round::{Round, hash};
use super::{Store, StoreError, listing};
use crate::model::{
    Deed, ErrorKind, Event, Failure, Hold, Key, Kind, PageId, PageState, Server, Settings, Slug, Stamp, Text,
    Validators, Warning, WarningKind,
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::collections::{HashMap, HashSet};

/// The numbers that the state gave to what the configuration follows, in its order.
#[derive(Debug, Clone, Default)]
pub struct Registered {
    /// Of `Settings::pages`.
    pub pages: Vec<PageId>,
    /// Of the feeds of `Settings::topics`.
    pub(super) topics: Vec<i64>,
    /// Of the feeds of the companies that have pages, by their slugs in the seeds.
    pub(super) companies: HashMap<Slug, i64>,
    /// Of the feed of everything.
    pub(super) all: i64,
}

/// The columns of a [`PageState`], in the order in which [`state`] reads and [`settle`] writes them.
const COLUMNS: &str = "fingerprint, kind, body, unproved, count_fitted, title, description, posts, validator_address, \
     etag, last_modified, last_fetch, last_change, next_due, failures, since, error_kind, error, warnings, \
     retry_after, ended, hold, stale_at, stale, paused, server, habit";
/// How many those are: what is asked for besides comes behind them.
const ID: usize = 27;

impl Store {
    /// What is known of every page: of some in the order given, and of all others, by address.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn states(&self, pages: &[PageId]) -> Result<(Vec<PageState>, Vec<(String, PageState)>), StoreError> {
        let places: HashMap<PageId, usize> = pages.iter().enumerate().map(|(place, page)| (*page, place)).collect();
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(&format!("SELECT {COLUMNS}, id, address FROM page"))?;
            let (mut states, mut others) = (vec![PageState::default(); pages.len()], Vec::new());
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                match places.get(&PageId(row.get(ID)?)) {
                    Some(place) => states[*place] = state(row)?,
                    None => others.push((row.get(ID + 1)?, state(row)?)),
                }
            }
            Ok((states, others))
        })
        .await
    }

    /// The same of some pages, in the order given.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn states_of(&self, pages: &[PageId]) -> Result<Vec<PageState>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM page WHERE id = ?1"))?;
            pages.iter().map(|page| Ok(statement.query_row([page.0], state)?)).collect()
        })
        .await
    }
}

impl Store {
    /// Stores when pages are next due.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim(&self, due: &[(PageId, Stamp)]) -> Result<(), StoreError> {
        self.run(|db| {
            db.write(|round| {
                let mut update = round.tx.prepare_cached("UPDATE page SET next_due = ?2 WHERE id = ?1")?;
                for (page, at) in due {
                    update.execute(params![page.0, at.0])?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Stops or starts the polling of pages. Started ones are due at once, also one that ended with 410.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pause(&self, pages: &[PageId], paused: bool, now: Stamp) -> Result<(), StoreError> {
        const PAUSE: &str = "UPDATE page SET paused = 1, next_due = NULL WHERE id = ?1";
        const RESUME: &str = "UPDATE page SET paused = 0, ended = 0, next_due = NULL, retry_after = NULL, \
             error_kind = CASE WHEN ended THEN NULL ELSE error_kind END, failures = 0 WHERE id = ?1";
        self.run(|db| {
            db.write(|round| {
                let deed = if paused { Deed::Paused } else { Deed::Resumed };
                for page in pages {
                    round.tx.prepare_cached(if paused { PAUSE } else { RESUME })?.execute([page.0])?;
                    round.note(*page, now, None, &[Event::page(deed, "")])?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Whether none of these keys leads to a post that the page's last taken reading lists, though it lists some.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_gap(&self, page: PageId, keys: &[Key]) -> Result<bool, StoreError> {
        const LISTING: &str = "SELECT posts FROM listing WHERE page = ?1";
        self.run(|db| {
            let row = |r: &Row<'_>| Ok(listing::unpack(r.get_ref(0)?.as_blob()?));
            let past = db.conn.prepare_cached(LISTING)?.query_row([page.0], row).optional()?.unwrap_or_default();
            let listed: HashSet<i64> = past.iter().filter(|l| l.now).map(|l| l.entry.0).collect();
            let mut by_key = db.conn.prepare_cached("SELECT entry FROM key WHERE key = ?1 AND entry IS NOT NULL")?;
            for key in keys {
                let entry = by_key.query_row([hash(key)], |r| r.get::<_, i64>(0)).optional()?;
                if entry.is_some_and(|entry| listed.contains(&entry)) {
                    return Ok(false);
                }
            }
            Ok(!listed.is_empty())
        })
        .await
    }

    /// The addresses of the pages that brought posts of a company.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pages_of_company(&self, slug: &str) -> Result<Vec<String>, StoreError> {
        self.run(|db| {
            let mut statement = db.conn.prepare(
                "SELECT DISTINCT p.address FROM feed f JOIN member m ON m.feed = f.id JOIN entry e ON e.id = m.entry
                 JOIN page p ON p.id = e.owner WHERE f.kind = 2 AND f.slug = ?1",
            )?;
            let rows = statement.query_map([slug], |r| r.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

impl Round<'_> {
    /// Stores what is known of a page's polls.
    ///
    /// # Errors
    /// When the database fails.
    pub fn settle(&mut self, page: PageId, state: &PageState) -> Result<(), StoreError> {
        settle(self.tx, page, state)
    }

    /// Gives pages and topics their numbers, and takes over titles and slugs from the configuration.
    pub(super) fn register(&mut self, settings: &Settings) -> Result<Registered, StoreError> {
        let title = settings.site.title.as_str();
        let all = self.feed_row(ALL, "", None, Some(title), &[])?;
        let (ttl, ttls) = settings.ttls();
        if self.pace(all, ttl, None)? {
            // Feeds of companies and types, and combined ones, follow it.
            self.tx.execute("UPDATE feed SET dirty = coalesce(dirty, updated) WHERE kind > 1", [])?;
        }
        let mut registered = Registered { all, ..Registered::default() };
        for (topic, ttl) in settings.topics.iter().zip(ttls) {
            let former: Vec<&str> = topic.former.iter().map(Slug::as_str).collect();
            let slug = topic.slug.as_str();
            let title = topic.title.as_ref().map(Text::as_str);
            let feed = self.feed_row(TOPIC, slug, Some(slug), title, &former)?;
            let is_free = |old: &&&str| settings.topics.iter().all(|topic| topic.slug.as_str() != **old);
            for old in former.iter().filter(is_free) {
                self.absorb(TOPIC, old, feed, true)?;
            }
            self.pace(feed, ttl, topic.language.as_ref())?;
            registered.topics.push(feed);
        }
        for company in &settings.companies {
            let (feed, former) = self.names.configure(self.tx, company)?;
            for other in former {
                self.merge_company(other, feed)?;
            }
            registered.companies.insert(company.slug.clone(), feed);
        }
        for feed in &settings.combined {
            let former: Vec<&str> = feed.former.iter().map(Slug::as_str).collect();
            let slug = feed.slug.as_str();
            let id = self.feed_row(COMBINED, slug, Some(slug), Some(feed.title.as_str()), &former)?;
            let is_free = |old: &&&str| settings.combined.iter().all(|feed| feed.slug.as_str() != **old);
            for old in former.iter().filter(is_free) {
                self.absorb(COMBINED, old, id, false)?;
            }
        }
        for page in &settings.pages {
            let former: Vec<&str> = page.former.iter().map(|a| a.url().as_str()).collect();
            registered.pages.push(self.page_row(page.address.url().as_str(), &former)?);
        }
        Ok(registered)
    }

    /// Takes over for how long a feed may be kept and which language it has; whether that is another than before.
    fn pace(&mut self, feed: i64, ttl: u32, language: Option<&Text>) -> Result<bool, StoreError> {
        const SET: &str =
            "UPDATE feed SET ttl = ?2, language = ?3 WHERE id = ?1 AND (ttl IS NOT ?2 OR language IS NOT ?3)";
        let changed = self.tx.prepare_cached(SET)?.execute(params![feed, ttl, language.map(Text::as_str)])? > 0;
        if changed {
            self.touch(feed);
        }
        Ok(changed)
    }

    fn feed_row(
        &mut self,
        kind: i64,
        name: &str,
        slug: Option<&str>,
        title: Option<&str>,
        former: &[&str],
    ) -> Result<i64, StoreError> {
        let find = |name: &str| {
            self.tx
                .prepare_cached("SELECT id, title, fixed FROM feed WHERE kind = ?1 AND name = ?2")?
                .query_row(params![kind, name], |r| {
                    Ok((r.get::<_, i64>(0)?, r.get::<_, String>(1)?, r.get::<_, bool>(2)?))
                })
                .optional()
        };
        let mut found = find(name)?;
        if found.is_none() {
            for old in former {
                found = find(old)?;
                if let Some((id, ..)) = &found {
                    const MOVE: &str = "UPDATE feed SET name = ?2, slug = ?3, \
                         identity = coalesce(identity, ?4) WHERE id = ?1";
                    let path = feed_key(kind, Some((*old).to_owned())).unwrap_or_default().path();
                    self.tx.execute(MOVE, params![id, name, slug, path])?;
                    // Nobody publishes there any more; the server sends whoever asks on.
                    self.abandon(&path)?;
                    self.touch(*id);
                    break;
                }
            }
        }
        let Some((id, was, fixed)) = found else {
            self.tx
                .prepare_cached("INSERT INTO feed (kind, name, slug, title, fixed) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![kind, name, slug, title.unwrap_or(name), title.is_some()])?;
            return Ok(self.tx.last_insert_rowid());
        };
        if title.is_some() != fixed || title.is_some_and(|t| t != was) {
            self.tx.execute(
                "UPDATE feed SET title = coalesce(?2, title), fixed = ?3 WHERE id = ?1",
                params![id, title, title.is_some()],
            )?;
            self.touch(id);
        }
        Ok(id)
    }

    /// Has a feed go on in another one that has its slug as a former one, with its posts or without.
    fn absorb(&mut self, kind: i64, old: &str, into: i64, posts: bool) -> Result<(), StoreError> {
        const FIND: &str = "SELECT id FROM feed WHERE kind = ?1 AND name = ?2 AND id <> ?3";
        let from = self.tx.prepare_cached(FIND)?.query_row(params![kind, old, into], |r| r.get(0)).optional()?;
        let Some(from): Option<i64> = from else { return Ok(()) };
        let path = feed_key(kind, Some(old.to_owned())).unwrap_or_default().path();
        self.merge(from, &path, posts.then_some(into))
    }

    fn page_row(&mut self, address: &str, former: &[&str]) -> Result<PageId, StoreError> {
        let find = |address: &str| {
            self.tx
                .prepare_cached("SELECT id FROM page WHERE address = ?1")?
                .query_row([address], |r| r.get(0))
                .optional()
        };
        if let Some(id) = find(address)? {
            return Ok(PageId(id));
        }
        for old in former {
            if let Some(id) = find(old)? {
                self.tx.execute("UPDATE page SET address = ?2 WHERE id = ?1", params![id, address])?;
                return Ok(PageId(id));
            }
        }
        self.tx.prepare_cached("INSERT INTO page (address) VALUES (?1)")?.execute([address])?;
        Ok(PageId(self.tx.last_insert_rowid()))
    }
}

/// Reads a state from the columns of [`COLUMNS`].
fn state(row: &Row<'_>) -> rusqlite::Result<PageState> {
    let stamp = |i| row.get::<_, Option<i64>>(i).map(|t| t.map(Stamp));
    let text = |i| row.get::<_, Option<String>>(i).map(|t| t.map(Text::stored));
    let validators = match row.get(8)? {
        Some(address) => Some(Validators { address, etag: row.get(9)?, last_modified: row.get(10)? }),
        None => None,
    };
    let error = row.get::<_, Option<String>>(16)?;
    let message = row.get::<_, Option<String>>(17)?.unwrap_or_default();
    Ok(PageState {
        fingerprint: row.get::<_, i64>(0)?.cast_unsigned(),
        kind: row.get::<_, Option<String>>(1)?.as_deref().and_then(Kind::named),
        body: row.get(2)?,
        unproved: row.get(3)?,
        count_fitted: row.get(4)?,
        title: text(5)?,
        description: text(6)?,
        posts: row.get(7)?,
        validators,
        last_fetch: stamp(11)?,
        last_change: stamp(12)?,
        next_due: stamp(13)?,
        failures: row.get(14)?,
        since: stamp(15)?,
        error: error.map(|kind| Failure { kind: ErrorKind::named(&kind), message }),
        warnings: row.get::<_, Option<String>>(18)?.map(|w| warnings(&w)).unwrap_or_default(),
        retry_after: stamp(19)?,
        ended: row.get(20)?,
        hold: row.get::<_, Option<String>>(21)?.as_deref().and_then(unpack_hold),
        stale_at: stamp(22)?,
        stale: row.get(23)?,
        paused: row.get(24)?,
        server: row.get::<_, Option<String>>(25)?.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
        habit: row.get::<_, Option<Vec<u8>>>(26)?.unwrap_or_default(),
    })
}

/// Writes a state, except whether the page is paused: somebody may pause it while it is being asked.
fn settle(tx: &Connection, page: PageId, s: &PageState) -> Result<(), StoreError> {
    const SET: &str = "UPDATE page SET fingerprint = ?2, kind = ?3, body = ?4, unproved = ?5, count_fitted = ?6, \
         title = ?7, description = ?8, posts = ?9, validator_address = ?10, etag = ?11, last_modified = ?12, \
         last_fetch = ?13, last_change = ?14, next_due = ?15, failures = ?16, since = ?17, error_kind = ?18, \
         error = ?19, warnings = ?20, retry_after = ?21, ended = ?22, hold = ?23, stale_at = ?24, stale = ?25, \
         server = ?26, habit = ?27 WHERE id = ?1";
    let stamp = |t: Option<Stamp>| t.map(|t| t.0);
    let validators = s.validators.as_ref();
    let values: [&dyn ToSql; 27] = [
        &page.0,
        &s.fingerprint.cast_signed(),
        &s.kind.map(Kind::as_str),
        &s.body,
        &s.unproved,
        &s.count_fitted,
        &s.title.as_ref().map(Text::as_str),
        &s.description.as_ref().map(Text::as_str),
        &s.posts,
        &validators.map(|v| v.address.as_str()),
        &validators.and_then(|v| v.etag.as_deref()),
        &validators.and_then(|v| v.last_modified.as_deref()),
        &stamp(s.last_fetch),
        &stamp(s.last_change),
        &stamp(s.next_due),
        &s.failures,
        &stamp(s.since),
        &s.error.as_ref().map(|e| e.kind.to_string()),
        &s.error.as_ref().map(|e| e.message.as_str()),
        &(!s.warnings.is_empty()).then(|| serde_json::to_string(&s.warnings).unwrap_or_default()),
        &stamp(s.retry_after),
        &s.ended,
        &s.hold.as_ref().map(pack_hold),
        &stamp(s.stale_at),
        &s.stale,
        &(s.server != Server::default()).then(|| serde_json::to_string(&s.server).unwrap_or_default()),
        &(!s.habit.is_empty()).then_some(&s.habit),
    ];
    tx.prepare_cached(SET)?.execute(&values[..])?;
    Ok(())
}

/// Reads the stored form of warnings, which is that of their JSON.
fn warnings(json: &str) -> Vec<Warning> {
    #[derive(serde::Deserialize)]
    struct Stored {
        kind: String,
        message: String,
    }
    let stored: Vec<Stored> = serde_json::from_str(json).unwrap_or_default();
    let known = |s: Stored| Some(Warning { kind: WarningKind::named(&s.kind)?, message: s.message });
    stored.into_iter().filter_map(known).collect()
}

/// A hold as its column has it: the times of its readings, then the numbers of its posts, both separated by spaces.
fn pack_hold(hold: &Hold) -> String {
    let join = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(" ");
    let readings = join(&mut hold.readings.iter().map(|t| t.0.to_string()));
    format!("{readings}\n{}", join(&mut hold.posts.iter().map(u64::to_string)))
}

fn unpack_hold(text: &str) -> Option<Hold> {
    let (readings, posts) = text.split_once('\n')?;
    Some(Hold {
        readings: readings.split(' ').filter_map(|t| t.parse().ok().map(Stamp)).collect(),
        posts: posts.split(' ').filter_map(|p| p.parse().ok()).collect(),
    })
}
