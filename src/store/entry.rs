//! Entries, read back.
//!
//! In: their numbers. Out: [`Entry`]s, with the slugs of the feeds that they are in, each looked up once.

use super::StoreError;
use super::company::{COMPANY, TOPIC, TYPE};
use crate::model::{Enclosure, Entry, EntryCompany, EntryId, EntryTopic, Html, NameKey, Slug, Stamp, Text};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};
use std::collections::BTreeMap;

/// What entries say of the feeds that they are in: those that were asked for.
pub(super) struct Slugs<'c> {
    find: CachedStatement<'c>,
    known: BTreeMap<i64, Option<Named>>,
}

/// A feed that entries name.
enum Named {
    Topic(EntryTopic),
    Company(Slug),
    /// A type, with its name.
    Type(String, Slug),
}

impl<'c> Slugs<'c> {
    pub(super) fn new(conn: &'c Connection) -> Result<Self, StoreError> {
        const FIND: &str = "SELECT kind, name, slug, identity, title FROM feed WHERE id = ?1 AND slug IS NOT NULL";
        Ok(Self { find: conn.prepare_cached(FIND)?, known: BTreeMap::new() })
    }

    /// Looks a feed up, if nobody did.
    fn learn(&mut self, feed: i64) -> rusqlite::Result<()> {
        if self.known.contains_key(&feed) {
            return Ok(());
        }
        let named = |r: &Row<'_>| {
            let slug = Slug::stored(r.get(2)?);
            Ok(match r.get(0)? {
                TOPIC => Some(Named::Topic(EntryTopic { slug, identity: r.get(3)?, title: Text::stored(r.get(4)?) })),
                COMPANY => Some(Named::Company(slug)),
                TYPE => Some(Named::Type(r.get(1)?, slug)),
                _ => None,
            })
        };
        let found = self.find.query_row([feed], named).optional()?.flatten();
        self.known.insert(feed, found);
        Ok(())
    }

    fn of(&self, feed: i64) -> Option<&Named> {
        self.known.get(&feed)?.as_ref()
    }

    /// The slug of an entry's type. One whose type changed is in the feeds of both.
    fn of_type(&self, feeds: &[i64], kind: &str) -> Option<Slug> {
        let named = |feed: &i64| match self.of(*feed)? {
            Named::Type(name, slug) => Some((name.as_str(), slug)),
            _ => None,
        };
        let mut types: Vec<(&str, &Slug)> = feeds.iter().filter_map(named).collect();
        if types.len() > 1 {
            let name = NameKey::of(kind);
            types.retain(|(n, _)| *n == name.as_str());
        }
        types.first().map(|(_, slug)| (*slug).clone())
    }
}

/// Reads entries.
pub(super) struct Entries<'c>(CachedStatement<'c>);

impl<'c> Entries<'c> {
    pub(super) fn new(conn: &'c Connection) -> Result<Self, StoreError> {
        const SELECT: &str = "SELECT uid, title, coalesce(opens, link), companies, authors, kind, summary, dated, \
             first_seen, published, updated, position, feeds, revision, enclosures, content FROM entry WHERE id = ?1";
        Ok(Self(conn.prepare_cached(SELECT)?))
    }

    /// An entry, with the slugs of its feeds where they are wanted.
    pub(super) fn get(&mut self, id: EntryId, slugs: Option<&mut Slugs<'_>>) -> Result<Option<Entry>, StoreError> {
        Ok(self.0.query_row([id.0], |row| entry(row, id, slugs)).optional()?)
    }
}

fn entry(r: &Row<'_>, id: EntryId, mut slugs: Option<&mut Slugs<'_>>) -> rusqlite::Result<Entry> {
    let list = |i| r.get_ref(i).map(|v| v.as_str_or_null().ok().flatten());
    let feeds: Vec<i64> = list(12)?.into_iter().flat_map(|f| f.split(' ')).filter_map(|f| f.parse().ok()).collect();
    if let Some(slugs) = slugs.as_deref_mut() {
        let companies =
            list(3)?.into_iter().flat_map(str::lines).filter_map(|line| line.split('\t').next()?.parse().ok());
        feeds.iter().copied().chain(companies).try_for_each(|feed| slugs.learn(feed))?;
    }
    let slugs = slugs.as_deref();
    let slug = |feed: i64| match slugs?.of(feed)? {
        Named::Company(slug) | Named::Type(_, slug) => Some(slug.clone()),
        Named::Topic(_) => None,
    };
    let topic = |feed: &i64| match slugs?.of(*feed)? {
        Named::Topic(topic) => Some(topic.clone()),
        _ => None,
    };
    let company = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let feed: i64 = parts.next()?.parse().ok()?;
        let link = parts.next().filter(|l| !l.is_empty()).map(str::to_owned);
        let name = Text::stored(parts.next()?.to_owned());
        Some(EntryCompany { name, link, slug: slug(feed) })
    };
    let kind: Option<String> = r.get(5)?;
    let kind_slug = kind.as_ref().and_then(|kind| slugs?.of_type(&feeds, kind));
    let topic = feeds.iter().find_map(topic);
    Ok(Entry {
        id,
        uid: r.get(0)?,
        title: Text::stored(r.get(1)?),
        link: r.get(2)?,
        companies: list(3)?.into_iter().flat_map(str::lines).filter_map(company).collect(),
        authors: list(4)?.into_iter().flat_map(str::lines).map(|a| Text::stored(a.to_owned())).collect(),
        kind: kind.map(Text::stored),
        kind_slug,
        topic,
        enclosures: list(14)?.into_iter().flat_map(str::lines).filter_map(Enclosure::unpack).collect(),
        summary: Html::written(r.get(6)?),
        content: r.get::<_, Option<String>>(15)?.map(Html::written).unwrap_or_default(),
        dated: list(7)?.and_then(|d| d.parse().ok()),
        first_seen: Stamp(r.get(8)?),
        published: Stamp(r.get(9)?),
        updated: Stamp(r.get(10)?),
        position: r.get(11)?,
        revision: r.get(13)?,
    })
}
