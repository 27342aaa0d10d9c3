//! Which company or type a name means, and what its feed's slug is.
//!
//! In: names and links as pages give them. Out: feeds. Kept in memory as a whole, since every post asks. Follows
//! CONTRACT "What is published": a company is known by its name and aliases; a link makes two names one only while no
//! reading shows it with two names, and never a bare host.

use super::{Store, StoreError};
use crate::model::{Company, CompanySeed, Key, NameKey, Post, Slug, assign_slugs, linked_slug};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use url::Url;

/// `feed.kind` in the schema.
pub(super) const ALL: i64 = 0;
pub(super) const TOPIC: i64 = 1;
pub(super) const COMPANY: i64 = 2;
pub(super) const TYPE: i64 = 3;
pub(super) const COMBINED: i64 = 4;

/// Every known name and link.
#[derive(Debug, Default)]
pub(crate) struct Names {
    companies: HashMap<String, Option<i64>>,
    types: HashMap<String, Option<i64>>,
}

impl Store {
    /// For each company of the seeds the slug under which its feed was published first, where that is another one than
    /// the seeds say now: it is kept for ever.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn kept_slugs(&self, seeds: &[CompanySeed]) -> Result<Vec<Option<String>>, StoreError> {
        const SLUG: &str = "SELECT f.slug FROM alias a JOIN feed f ON f.id = a.feed WHERE a.kind = ?1 AND a.key = ?2";
        self.run(|db| {
            let mut statement = db.conn.prepare(SLUG)?;
            let kept = |seed: &CompanySeed| {
                let key = NameKey::of(seed.title.as_str());
                let slug = statement.query_row(params![COMPANY, key.as_str()], |r| r.get::<_, Option<String>>(0));
                Ok(slug.optional()?.flatten().filter(|slug| slug != seed.slug.as_str()))
            };
            seeds.iter().map(kept).collect()
        })
        .await
    }
}

impl Names {
    pub(crate) fn load(conn: &Connection) -> Result<Self, StoreError> {
        let mut statement = conn.prepare("SELECT key, feed FROM alias WHERE kind = ?1")?;
        let mut of_kind = |kind: i64| -> Result<HashMap<String, Option<i64>>, rusqlite::Error> {
            statement.query_map([kind], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        Ok(Self { companies: of_kind(COMPANY)?, types: of_kind(TYPE)? })
    }

    /// The feed of a type.
    pub(super) fn kind(&mut self, tx: &Connection, name: &str) -> Result<i64, StoreError> {
        let key = NameKey::of(name);
        if let Some(Some(feed)) = self.types.get(key.as_str()) {
            return Ok(*feed);
        }
        let feed = add_feed(tx, TYPE, &key, name, None)?;
        self.put(tx, TYPE, key.as_str(), Some(feed), None)?;
        Ok(feed)
    }

    /// The feed of a company: by its name, else by its link, else a new one.
    pub(super) fn company(&mut self, tx: &Connection, company: &Company, page: &Url) -> Result<i64, StoreError> {
        let name = NameKey::of(company.name.as_str());
        let link = company.link.as_ref().map(Key::of).filter(|k| !k.is_bare_host()).map(|k| linked(&k));
        let by_link = link.as_ref().and_then(|l| self.companies.get(l).copied());
        if let Some(Some(feed)) = self.companies.get(name.as_str()) {
            let feed = *feed;
            if let (Some(link), None) = (&link, by_link) {
                self.put(tx, COMPANY, link, Some(feed), None)?;
            }
            return Ok(feed);
        }
        if let (Some(Some(feed)), Some(link)) = (by_link, &link) {
            self.put(tx, COMPANY, name.as_str(), Some(feed), Some(link))?;
            return Ok(feed);
        }
        let hint = company.link.as_ref().and_then(|l| linked_slug(l, page));
        let feed = add_feed(tx, COMPANY, &name, company.name.as_str(), hint.as_ref())?;
        self.put(tx, COMPANY, name.as_str(), Some(feed), None)?;
        if let (Some(link), None) = (&link, by_link) {
            self.put(tx, COMPANY, link, Some(feed), None)?;
        }
        Ok(feed)
    }

    /// Notes which links one reading shows with several names: such a link makes no two names one.
    pub(super) fn note(&mut self, tx: &Connection, posts: &[Post]) -> Result<(), StoreError> {
        let mut shown: BTreeMap<Key, BTreeSet<NameKey>> = BTreeMap::new();
        for company in posts.iter().flat_map(|p| &p.companies) {
            if let Some(link) = company.link.as_ref().map(Key::of).filter(|k| !k.is_bare_host()) {
                shown.entry(link).or_default().insert(NameKey::of(company.name.as_str()));
            }
        }
        for (link, names) in shown.into_iter().filter(|(_, names)| names.len() > 1) {
            let link = linked(&link);
            let feeds: BTreeSet<_> = names.iter().map(|n| self.companies.get(n.as_str())).collect();
            let configured_as_one = feeds.len() == 1 && !feeds.contains(&None) && !Self::made_by(tx, &link)?;
            if configured_as_one || self.companies.get(&link) == Some(&None) {
                continue;
            }
            self.put(tx, COMPANY, &link, None, None)?;
            tx.execute("DELETE FROM alias WHERE kind = ?1 AND via = ?2", params![COMPANY, link])?;
            *self = Self::load(tx)?;
        }
        Ok(())
    }

    /// Whether a link made some name an alias.
    fn made_by(tx: &Connection, link: &str) -> Result<bool, StoreError> {
        let found = tx
            .query_row("SELECT 1 FROM alias WHERE kind = ?1 AND via = ?2", params![COMPANY, link], |_| Ok(()))
            .optional()?;
        Ok(found.is_some())
    }

    /// Makes a company of the seeds known by its title and aliases: the number of its feed, and the feeds that these
    /// names and links had before, of companies that the seeds do not name.
    pub(super) fn configure(&mut self, tx: &Connection, seed: &CompanySeed) -> Result<(i64, Vec<i64>), StoreError> {
        const ITS_OWN: &str = "SELECT 1 FROM feed WHERE id = ?1 AND NOT fixed AND (name = ?2 OR ?2 GLOB '//*')";
        let mut former = Vec::new();
        let title = NameKey::of(seed.title.as_str());
        let known = self.companies.get(title.as_str()).copied().flatten();
        let by_slug = tx
            .query_row("SELECT id FROM feed WHERE kind = ?1 AND slug = ?2", params![COMPANY, seed.slug.as_str()], |r| {
                r.get(0)
            })
            .optional()?;
        let feed = match known.or(by_slug) {
            Some(feed) => feed,
            None => add_feed(tx, COMPANY, &title, seed.title.as_str(), None)?,
        };
        // A slug that was published once is kept for ever, whatever the seeds say later.
        tx.execute(
            "UPDATE feed SET slug = coalesce(slug, ?2), title = ?3, fixed = 1 WHERE id = ?1 AND
             (slug IS NULL OR title <> ?3 OR fixed = 0)",
            params![feed, seed.slug.as_str(), seed.title.as_str()],
        )?;
        let names = std::iter::once(seed.title.as_str()).chain(seed.aliases.iter().map(String::as_str));
        for name in names {
            let key = match Url::parse(name) {
                Ok(link) if link.has_host() => linked(&Key::of(&link)),
                _ => NameKey::of(name).as_str().to_owned(),
            };
            let was = self.companies.get(&key).copied().flatten();
            if was != Some(feed) {
                if let Some(was) = was
                    && tx.prepare_cached(ITS_OWN)?.exists(params![was, key])?
                {
                    former.push(was);
                }
                self.put(tx, COMPANY, &key, Some(feed), None)?;
            }
        }
        Ok((feed, former))
    }

    fn put(
        &mut self,
        tx: &Connection,
        kind: i64,
        key: &str,
        feed: Option<i64>,
        via: Option<&str>,
    ) -> Result<(), StoreError> {
        tx.prepare_cached(
            "INSERT INTO alias (kind, key, feed, via) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (kind, key) DO UPDATE SET feed = excluded.feed, via = excluded.via",
        )?
        .execute(params![kind, key, feed, via])?;
        let known = if kind == TYPE { &mut self.types } else { &mut self.companies };
        known.insert(key.to_owned(), feed);
        Ok(())
    }
}

/// A link as it stands among the names.
fn linked(key: &Key) -> String {
    ["//", key.as_str()].concat()
}

/// A feed that has no slug yet.
fn add_feed(tx: &Connection, kind: i64, name: &NameKey, title: &str, hint: Option<&Slug>) -> Result<i64, StoreError> {
    let feed = tx
        .prepare_cached("SELECT id FROM feed WHERE kind = ?1 AND name = ?2")?
        .query_row(params![kind, name.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(feed) = feed {
        return Ok(feed);
    }
    tx.prepare_cached("INSERT INTO feed (kind, name, title, hint) VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        kind,
        name.as_str(),
        title,
        hint.map(Slug::as_str)
    ])?;
    Ok(tx.last_insert_rowid())
}

/// Gives every feed without a slug its own; see [`assign_slugs`].
pub(super) fn name_feeds(tx: &Connection) -> Result<(), StoreError> {
    // Who followed a company that goes on in another one is not to get a third.
    const TAKEN: &str = "SELECT slug FROM feed WHERE kind = ?1 AND slug IS NOT NULL \
         UNION ALL SELECT replace(path, 'companies/', '') FROM moved WHERE ?1 = 2";
    for kind in [COMPANY, TYPE] {
        let unnamed: Vec<(i64, String, Option<String>)> = tx
            .prepare_cached("SELECT id, title, hint FROM feed WHERE slug IS NULL AND kind = ?1")?
            .query_map([kind], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?
            .collect::<Result<_, _>>()?;
        if unnamed.is_empty() {
            continue;
        }
        let taken: HashSet<String> = tx.prepare(TAKEN)?.query_map([kind], |r| r.get(0))?.collect::<Result<_, _>>()?;
        let names = unnamed.iter().map(|(_, title, hint)| (title.as_str(), hint.clone().map(Slug::stored)));
        let slugs = assign_slugs(names, |slug| taken.contains(slug.as_str()));
        for (id, title, _) in &unnamed {
            let slug = slugs.get(&NameKey::of(title)).map(Slug::as_str);
            tx.prepare_cached("UPDATE feed SET slug = ?2 WHERE id = ?1")?.execute(params![id, slug])?;
        }
    }
    Ok(())
}
