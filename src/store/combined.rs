//! Combined feeds: which posts are in them.
//!
//! In: the combined feeds of the seeds, and the feeds that a post is in. Out: the combined feeds that it enters. A post
//! enters when it is stored or changes, as it enters every other feed, and leaves only when the seeds choose otherwise:
//! then all posts are looked at anew, as they are when a company or type gets the slug that a feed names. Such a look
//! announces nothing: what enters by it counts as entered when it was published.

use super::company::{COMBINED, COMPANY, TOPIC, TYPE};
use super::round::{LEFT, Round, Seat};
use super::{Store, StoreError};
use crate::model::{Combined, Company, EntryId, FeedKey, Post, Slug, Stamp, Text};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;

/// The combined feeds of the seeds. Kept in memory as a whole, since every post asks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    feed: i64,
    chosen: Combined,
    /// The topics, companies and types as the numbers of their feeds; none where all are meant.
    any_of: [Option<Vec<i64>>; 3],
}

impl Rules {
    /// What the seeds mean now: companies and types without a feed mean nothing yet.
    pub(super) fn of(tx: &Connection, seeds: &[Combined]) -> Result<Self, StoreError> {
        let number = |kind: i64, slug: &str| {
            let mut find = tx.prepare_cached("SELECT id FROM feed WHERE kind = ?1 AND slug = ?2")?;
            find.query_row(params![kind, slug], |r| r.get(0)).optional()
        };
        let mut rules = Vec::with_capacity(seeds.len());
        for chosen in seeds {
            let Some(feed) = number(COMBINED, chosen.slug.as_str())? else { continue };
            let mut any_of = [None, None, None];
            let named = [(TOPIC, &chosen.topics), (COMPANY, &chosen.companies), (TYPE, &chosen.types)];
            for (some, (kind, slugs)) in any_of.iter_mut().zip(named).filter(|(_, (_, slugs))| !slugs.is_empty()) {
                let found: Vec<Option<i64>> =
                    slugs.iter().map(|slug| number(kind, slug.as_str())).collect::<Result<_, _>>()?;
                *some = Some(found.into_iter().flatten().collect());
            }
            rules.push(Rule { feed, chosen: chosen.clone(), any_of });
        }
        Ok(Self(rules))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The combined feeds that take a post which is in these feeds.
    pub(super) fn takers(&self, feeds: &[i64], post: &Post) -> Vec<i64> {
        self.0.iter().filter(|rule| rule.takes(feeds, post)).map(|rule| rule.feed).collect()
    }
}

impl Rule {
    fn takes(&self, feeds: &[i64], post: &Post) -> bool {
        let is_in = |some: &Option<Vec<i64>>| some.as_ref().is_none_or(|some| some.iter().any(|f| feeds.contains(f)));
        self.any_of.iter().all(is_in) && self.chosen.filter.takes(post)
    }

    /// What the seeds say, and in a second line what that means to the state.
    fn written(&self) -> String {
        let means: Vec<String> = self.any_of.iter().map(|some| format!("{some:?}")).collect();
        format!("{}\u{1f}{}", self.chosen, means.join(" "))
    }
}

impl Store {
    /// Has combined feeds hold what the seeds choose. Looks at posts only where that, or what it means to the state,
    /// is other than before. One that is gone from the seeds stays as it is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn combine(&self, seeds: &[Combined], now: Stamp) -> Result<(), StoreError> {
        const WRITTEN: &str = "SELECT id, rule FROM feed WHERE kind = ?1 AND rule IS NOT NULL";
        // A feed of posts that are none is published once anything is.
        const BARE: &str = "SELECT 1 FROM feed WHERE id = ?1 AND updated IS NULL AND dirty IS NULL \
             AND EXISTS (SELECT 1 FROM feed WHERE kind = 0 AND (updated IS NOT NULL OR dirty IS NOT NULL))";
        self.run(|db| {
            let rules = Rules::of(&db.conn, seeds)?;
            let mut statement = db.conn.prepare_cached(WRITTEN)?;
            let written = statement.query_map([COMBINED], |r| Ok((r.get(0)?, r.get(1)?)))?;
            let written: Vec<(i64, String)> = written.collect::<Result<_, _>>()?;
            drop(statement);
            let was = |rule: &Rule| written.iter().find(|(feed, _)| *feed == rule.feed).map(|(_, text)| text.as_str());
            let mut bare = HashSet::new();
            for rule in &rules.0 {
                if db.conn.prepare_cached(BARE)?.exists([rule.feed])? {
                    bare.insert(rule.feed);
                }
            }
            let changed: Vec<&Rule> = rules.0.iter().filter(|r| was(r) != Some(r.written().as_str())).collect();
            let left = written.iter().filter(|(feed, _)| rules.0.iter().all(|rule| rule.feed != *feed));
            let left: Vec<i64> = left.map(|(feed, _)| *feed).collect();
            if !changed.is_empty() || !left.is_empty() || !bare.is_empty() {
                db.write(|round| {
                    round.at(now);
                    for feed in &left {
                        round.tx.execute("UPDATE feed SET rule = NULL WHERE id = ?1", [feed])?;
                    }
                    for rule in changed {
                        let said = was(rule).and_then(|was| was.split('\u{1f}').next());
                        round.fill(rule, said != Some(rule.chosen.to_string().as_str()))?;
                    }
                    for feed in &bare {
                        round.touch(*feed);
                    }
                    Ok(())
                })?;
            }
            db.rules = rules;
            Ok(())
        })
        .await
    }

    /// Removes a combined feed that is not in the seeds any more. False where there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drop_combined(&self, slug: &Slug, now: Stamp) -> Result<bool, StoreError> {
        const FIND: &str = "SELECT id FROM feed WHERE kind = ?1 AND slug = ?2";
        const IN_IT: &str = "SELECT id FROM entry WHERE instr(' ' || feeds || ' ', ' ' || ?1 || ' ') > 0";
        self.run(|db| {
            db.write(|round| {
                let feed = round.tx.query_row(FIND, params![COMBINED, slug.as_str()], |r| r.get(0)).optional()?;
                let Some(feed): Option<i64> = feed else { return Ok(false) };
                round.at(now);
                let mut statement = round.tx.prepare(IN_IT)?;
                let posts = statement.query_map([feed], |r| r.get(0).map(EntryId))?;
                let posts: Vec<EntryId> = posts.collect::<Result<_, _>>()?;
                for id in posts {
                    let mut seat = round.seat(id)?;
                    seat.feeds.retain(|f| *f != feed);
                    round.sit(id, &seat.feeds)?;
                }
                round.abandon(&FeedKey::Combined(slug.clone()).path())?;
                round.forget_feed(feed)?;
                Ok(true)
            })
        })
        .await
    }
}

impl Round<'_> {
    /// What a filter looks at of a stored post.
    pub(super) fn filtered_by(&self, id: EntryId) -> Result<Post, StoreError> {
        const SELECT: &str = "SELECT title, kind, authors, companies FROM entry WHERE id = ?1";
        Ok(self.tx.prepare_cached(SELECT)?.query_row([id.0], |r| post(r, 0))?)
    }

    /// Looks at every post anew: what a rule takes enters its feed; what it takes no more leaves, if it is to.
    fn fill(&mut self, rule: &Rule, leaves: bool) -> Result<(), StoreError> {
        const ALL: &str = "SELECT id, feeds, published, gone, title, kind, authors, companies FROM entry";
        let mut statement = self.tx.prepare(ALL)?;
        let mut rows = statement.query([])?;
        let (mut enter, mut leave) = (Vec::new(), Vec::new());
        while let Some(r) = rows.next()? {
            let feeds = r.get::<_, String>(1)?.split(' ').filter_map(|f| f.parse().ok()).collect();
            let (id, seat) = (EntryId(r.get(0)?), Seat { feeds, published: Stamp(r.get(2)?), gone: r.get(3)? });
            let is_in = seat.feeds.contains(&rule.feed);
            // One that has no text is judged when a page gives it one again.
            let takes = seat.gone != LEFT && rule.takes(&seat.feeds, &post(r, 4)?);
            match (is_in, takes) {
                (false, true) => enter.push((id, seat)),
                (true, false) if leaves => leave.push((id, seat)),
                _ => {}
            }
        }
        drop(rows);
        let known = self.archived(rule.feed)?;
        let before = self.so_far();
        for (id, mut seat) in enter {
            seat.feeds.push(rule.feed);
            self.sit(id, &seat.feeds)?;
            if seat.gone == 0 {
                self.enter(rule.feed, id, seat.published, seat.published, known.contains(&id));
            }
        }
        self.oldest_first(before);
        for (id, mut seat) in leave {
            seat.feeds.retain(|feed| *feed != rule.feed);
            self.sit(id, &seat.feeds)?;
            self.leave_one(rule.feed, id, seat.published)?;
        }
        self.tx.execute("UPDATE feed SET rule = ?2 WHERE id = ?1", params![rule.feed, rule.written()])?;
        Ok(())
    }

    /// The posts that a feed's archives hold, also those that left it.
    fn archived(&self, feed: i64) -> Result<HashSet<EntryId>, StoreError> {
        let mut statement = self.tx.prepare_cached("SELECT posts FROM archive WHERE feed = ?1")?;
        let mut rows = statement.query([feed])?;
        let mut posts = HashSet::new();
        while let Some(r) = rows.next()? {
            posts.extend(r.get::<_, String>(0)?.split_whitespace().filter_map(|p| p.parse().ok().map(EntryId)));
        }
        Ok(posts)
    }
}

/// What a filter looks at, from the columns title, kind, authors, companies.
fn post(r: &Row<'_>, from: usize) -> rusqlite::Result<Post> {
    let lines = |i: usize| r.get::<_, Option<String>>(from + i).map(Option::unwrap_or_default);
    let company = |line: &str| Some(Company { name: Text::stored(line.rsplit('\t').next()?.to_owned()), link: None });
    Ok(Post {
        title: Text::stored(r.get(from)?),
        kind: r.get::<_, Option<String>>(from + 1)?.map(Text::stored),
        authors: lines(2)?.lines().map(|author| Text::stored(author.to_owned())).collect(),
        companies: lines(3)?.lines().filter_map(company).collect(),
        ..Post::default()
    })
}
