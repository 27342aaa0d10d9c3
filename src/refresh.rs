//! Pages through every step, once: the one place that joins the verbs.
//!
//! In: which pages, and the time of the round. Out: a report a page, feeds on disk. Fetching and reading go on side by
//! side, but readings are judged and stored in the order of the configuration, so that no order of answers shows in a
//! feed. A page's panic, a failure or a full disk costs what it touches and nothing else.
//!
//! The steps stand alone too ([`App::visit`], [`App::save`], [`App::publish`]), for a daemon whose pages come and go one
//! by one; [`App::refresh`] is all of them for one round.

use crate::model::{
    Budget, CompanySeed, DAY, FeedKey, Page, PageId, PageState, Report, Settings, Shelf, Spent, Stamp, Topic, Total,
    Unpublished, Warning, WarningKind,
};
use crate::schedule::Price;
use crate::store::{Filled, Store, StoreError};
use crate::{fetch, publish, schedule};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

mod crowd;
mod event;
mod further;
mod galley;
mod health;
mod import;
mod index;
mod judge;
mod name;
mod output;
mod own;
mod pace;
mod press;
mod push;
mod replay;
mod task;
mod visit;

pub use crowd::{CROWD, SLOW};
pub use index::led;
pub use judge::Settled;
pub use press::Published;
pub use replay::replay;
pub use task::answer;
pub use visit::Visit;

/// Posts in one transaction: enough that its cost is spread, few enough that memory stays small.
const BATCH_POSTS: usize = 1_000;
/// Pages in one transaction.
const BATCH_PAGES: usize = 500;
/// Bytes of readings that may wait for an earlier page before fetching pauses.
const WAITING_BYTES: usize = 16 << 20;

/// Why a refresh could not be done at all.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The state failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The feeds could not be written; they are written at the next start.
    #[error(transparent)]
    Publish(#[from] publish::PublishError),
}

/// What a refresh has done so far, as it goes on.
#[derive(Debug, Clone, Copy)]
pub enum Step<'r> {
    /// A page was judged.
    Page(&'r Report),
    /// So many of so many posts' own pages were asked.
    Own {
        /// Those that answered, or did not.
        done: usize,
        /// All that are to be asked.
        all: usize,
    },
}

/// What a refresh works with.
#[derive(Debug, Clone)]
pub struct App {
    settings: Arc<Settings>,
    /// The same without the topics that indexes lead to.
    said: Arc<Settings>,
    store: Store,
    fetcher: Arc<fetch::Fetcher>,
    registered: Arc<crate::store::Registered>,
    /// For each page the topics that take their title from it.
    titles: Arc<Vec<Vec<usize>>>,
    /// What a request is worth to `auto`.
    price: Arc<Mutex<Price>>,
}

/// How a refresh is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mode {
    /// Ask without validators and read again what is the same.
    pub force: bool,
    /// Release what a guard holds, and take an empty list.
    pub accept: bool,
}

impl Mode {
    /// Both at once.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { force: self.force || other.force, accept: self.accept || other.accept }
    }

    /// Whether what is done in this mode is enough for somebody who wants another.
    pub fn serves(self, wanted: Self) -> bool {
        self.and(wanted) == self
    }
}

impl App {
    /// Gets everything ready: the state knows the pages, and nothing was asked yet.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn new(settings: Settings, store: Store) -> Result<Self, RefreshError> {
        let said = Arc::new(settings);
        let settings = match store.leads().await? {
            none if none.is_empty() => Arc::clone(&said),
            leads => Arc::new(Settings::clone(&said).led(leads)),
        };
        let registered = Arc::new(store.register(&settings).await?);
        let fetcher = Arc::new(fetch::Fetcher::new(&settings.fetch));
        fetcher.recall(store.robots().await?);
        let mut titles = vec![Vec::new(); settings.pages.len()];
        let mut titled = vec![false; settings.topics.len()];
        for (page, titles) in settings.pages.iter().zip(&mut titles) {
            titles.extend(page.topics.iter().filter(|&&topic| !std::mem::replace(&mut titled[topic], true)));
        }
        Ok(Self { settings, said, store, fetcher, registered, titles: Arc::new(titles), price: Arc::default() })
    }

    /// Whether two are of one configuration: clones of each other.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.settings, &other.settings)
    }

    /// The configuration, with the topics that indexes lead to.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The configuration as it stands in its files.
    pub fn said(&self) -> &Settings {
        &self.said
    }

    /// Refreshes pages, given by their positions in the configuration, reads the own pages of posts that need it, and
    /// publishes what changed, and what somebody took away or damaged: no post is left waiting. `tell` is called once a
    /// page, in the order of the configuration, then as posts' own pages are read. Pages that are slow take no place of
    /// others.
    ///
    /// # Errors
    /// When the state or the folder of feeds fails; what was done before stays done.
    pub async fn refresh(
        &self,
        pages: &[usize],
        mode: Mode,
        now: Stamp,
        mut tell: impl FnMut(Step<'_>),
    ) -> Result<(Total, Filled), RefreshError> {
        let mut total = Total::default();
        let mut judged = |settled: &[Settled], tell: &mut dyn FnMut(Step<'_>)| {
            for page in settled {
                total.count(&page.report);
                tell(Step::Page(&page.report));
            }
        };
        let mut states = self.states().await?;
        self.reprice(&states, now).await?;
        let mut waiting = pages.iter().copied().peekable();
        let (mut flying, mut crowd) = (FuturesUnordered::new(), crowd::Crowd::new(self.settings.fetch.concurrency));
        let mut landed: BTreeMap<usize, Visit> = BTreeMap::new();
        let mut batch = Batch::default();
        let (mut next, mut started, mut held) = (0, 0, 0);
        loop {
            while crowd.has_room() && held < WAITING_BYTES {
                let Some(index) = waiting.next() else { break };
                let state = std::mem::take(&mut states[index]);
                let (place, visit) = (started, self.visit(index, state, mode, now));
                crowd.begin(place);
                started += 1;
                flying.push(async move { (place, visit.await) });
            }
            let one = tokio::select! {
                landed = flying.next() => landed,
                () = crowd.slower(), if waiting.peek().is_some() && held < WAITING_BYTES => continue,
            };
            let Some((place, visit)) = one else { break };
            crowd.end(place);
            held += visit.weight();
            landed.insert(place, visit);
            while let Some(visit) = landed.remove(&next) {
                held -= visit.weight();
                next += 1;
                batch.push(visit);
                if batch.is_full() {
                    judged(&self.save(batch.take(), now).await?, &mut tell);
                }
            }
        }
        judged(&self.save(batch.take(), now).await?, &mut tell);
        let filled = self.settle_own(now, tell).await?;
        output::inspect(&self.settings, &self.store).await?;
        self.finish(now).await?;
        Ok((total, filled))
    }

    /// Finds out before anything is asked whether feeds can be published.
    ///
    /// # Errors
    /// When the folder of feeds cannot be used.
    pub fn can_publish(&self) -> Result<(), RefreshError> {
        Ok(publish::Folder::probe(&self.settings.publish.directory, self.settings.publish.mode)?)
    }

    /// The positions of the pages that names mean, each once, in the order of the configuration: topics, addresses,
    /// paths, `company:SLUG` or `feed:SLUG`; no name means every page.
    ///
    /// # Errors
    /// A sentence about the first name that nobody knows, or the state's failure.
    pub async fn choose(&self, names: &[String]) -> Result<Result<Vec<usize>, String>, StoreError> {
        let pages = &self.settings.pages;
        if names.is_empty() {
            return Ok(Ok((0..pages.len()).collect()));
        }
        let mut chosen = std::collections::BTreeSet::new();
        for name in names {
            let found: Vec<usize> = if let Some(slug) = name.strip_prefix(name::COMPANY) {
                let listed = self.store.pages_of_company(slug).await?;
                let is_its = |page: &Page| page.companies.iter().any(|company| company.slug.as_str() == slug);
                let brings = |page: &Page| is_its(page) || listed.iter().any(|a| a == page.address.url().as_str());
                (0..pages.len()).filter(|&i| brings(&pages[i])).collect()
            } else if let Some(slug) = name.strip_prefix(name::COMBINED) {
                (0..pages.len()).filter(|&i| name::feeds(&self.settings, i, slug)).collect()
            } else {
                (0..pages.len()).filter(|&i| name::means(&self.settings, i, name)).collect()
            };
            if found.is_empty() {
                return Ok(Err(name::unknown(&self.settings, name)));
            }
            chosen.extend(found);
        }
        Ok(Ok(chosen.into_iter().collect()))
    }

    /// Warnings about slugs of the seeds that are not used; see [`kept_slugs`].
    ///
    /// # Errors
    /// When the state fails.
    pub async fn kept_slugs(&self) -> Result<Vec<String>, StoreError> {
        kept_slugs(&self.settings, &self.store).await
    }

    /// What is known of every page's polls, in the order of the configuration.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn states(&self) -> Result<Vec<PageState>, StoreError> {
        let (states, others) = self.store.states(&self.registered.pages).await?;
        let ours = self.settings.pages.iter().map(|page| page.address.url().as_str()).zip(&states);
        self.heed(ours.chain(others.iter().map(|(address, state)| (address.as_str(), state))));
        Ok(states)
    }

    /// The same of some pages, by their positions.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn states_of(&self, pages: &[usize]) -> Result<Vec<PageState>, StoreError> {
        let pages: Vec<PageId> = pages.iter().map(|index| self.registered.pages[*index]).collect();
        self.store.states_of(&pages).await
    }

    /// Finds out what a request is worth to `auto` now, given the states of all pages. What else was spent of the budget
    /// in the last day, for posts' own pages or by hand, is not there for polls.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn reprice(&self, states: &[PageState], now: Stamp) -> Result<(), StoreError> {
        let mut settings = self.settings.schedule.clone();
        if settings.budget > 0 {
            settings.budget = settings.budget.saturating_sub(self.spent(now).await?.unplanned()).max(1);
        }
        let price = schedule::afford(self.settings.pages.iter().zip(states), &settings);
        *self.price.lock().unwrap_or_else(PoisonError::into_inner) = price;
        Ok(())
    }

    /// The budget, given the states of all pages.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn budget(&self, states: &[PageState], now: Stamp) -> Result<Budget, StoreError> {
        Ok(budget(&self.settings, states, self.spent(now).await?))
    }

    /// What was spent of the budget in the last day, also what is not stored yet.
    async fn spent(&self, now: Stamp) -> Result<Spent, StoreError> {
        let stored = self.store.spent(now).await?;
        Ok(Spent { requests: stored.requests + self.fetcher.spent(), ..stored })
    }

    /// What a request is worth to `auto`.
    fn price(&self) -> Price {
        *self.price.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves hosts alone that asked for it before a restart.
    fn heed<'s>(&self, states: impl Iterator<Item = (&'s str, &'s PageState)>) {
        for (address, state) in states.filter(|(_, state)| state.server.host_wide) {
            if let (Ok(url), Some(until)) = (url::Url::parse(address), state.retry_after) {
                self.fetcher.rest(&url, until);
            }
        }
    }

    /// Until when a page may not be asked, because its server or its whole host wants to be left alone.
    pub fn left_alone(&self, index: usize, state: &PageState, now: Stamp) -> Option<Stamp> {
        state.left_alone(now).max(self.fetcher.resting(self.settings.pages[index].address.url(), now))
    }

    /// For each page, by its address, a number that changes with the way in which it is read.
    pub fn fingerprints(&self) -> HashMap<String, u64> {
        let Settings { pages, topics, .. } = self.settings();
        pages.iter().map(|page| (page.address.url().as_str().to_owned(), page.fingerprint(topics))).collect()
    }

    /// Stores when pages are next due before they are asked, so that whatever happens they are not asked in a hurry.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn claim(&self, due: &[(usize, Stamp)]) -> Result<(), StoreError> {
        let due: Vec<(PageId, Stamp)> = due.iter().map(|(index, at)| (self.registered.pages[*index], *at)).collect();
        self.store.claim(&due).await
    }

    /// When a page is next due, if it is asked now.
    pub fn next_due(&self, index: usize, state: &PageState, now: Stamp) -> Stamp {
        schedule::next(&self.settings.pages[index], state, &self.settings.schedule, self.price(), now)
    }

    /// When a page is due by what was stored; see [`schedule::due`].
    pub fn due(&self, index: usize, state: &PageState, now: Stamp) -> Stamp {
        schedule::due(&self.settings.pages[index], state, &self.settings.schedule, self.price(), now)
    }

    /// The same with other settings. What each host asked of us is kept; connections too, if the fetcher's settings
    /// are the same.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn reloaded(&self, settings: Settings) -> Result<Self, RefreshError> {
        let same_fetcher = self.settings.fetch == settings.fetch;
        let mut app = Self::new(settings, self.store.clone()).await?;
        if same_fetcher {
            app.fetcher = Arc::clone(&self.fetcher);
        } else {
            let fetcher = self.fetcher.under(&app.settings.fetch);
            fetcher.recall(self.store.robots().await?);
            app.fetcher = Arc::new(fetcher);
        }
        Ok(app)
    }

    /// Ends a round: new companies and types get their slugs, and what changed is published.
    ///
    /// # Errors
    /// When the state or the folder of feeds fails.
    pub async fn finish(&self, now: Stamp) -> Result<Published, RefreshError> {
        self.store.name_feeds().await?;
        self.tend(now).await?;
        self.publish(now).await
    }

    /// Once a day lets go of what is older than `keep`.
    async fn tend(&self, now: Stamp) -> Result<(), StoreError> {
        let Settings { state, publish, .. } = self.settings();
        if self.store.is_time("tended", DAY, now).await? {
            let posts = self.store.prune(now.plus(-state.keep), publish, now).await?;
            if posts > 0 {
                tracing::info!(posts, "texts of posts older than `keep` are gone; what tells them from new ones stays");
            }
        }
        Ok(())
    }

    /// Takes over what the configuration says of feeds: which have ended, and what the combined ones hold.
    async fn settle_feeds(&self, now: Stamp) -> Result<(), RefreshError> {
        let retired = |topic: &Topic| Some((topic.slug.clone(), topic.retired.filter(|at| *at <= now)?));
        self.store.retire(&self.settings.topics.iter().filter_map(retired).collect::<Vec<_>>()).await?;
        self.store.combine(&self.settings.combined, now).await?;
        Ok(())
    }

    /// Writes every feed that may have changed, and what lists them.
    ///
    /// # Errors
    /// When the state or the folder of feeds fails; what is dirty stays so.
    pub async fn publish(&self, now: Stamp) -> Result<Published, RefreshError> {
        self.settle_feeds(now).await?;
        output::publish(&self.settings, &self.store, now).await
    }

    /// Marks the feeds of files whose bytes are not those that were published, and removes these files' claim to be
    /// right, so that the next publishing writes them again. The number of such files.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn verify(&self) -> Result<usize, RefreshError> {
        output::verify(&self.settings, &self.store).await
    }

    /// What is published now, for a server.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn shelf(&self) -> Result<Shelf, StoreError> {
        let mut shelf = Shelf { directory: self.settings.publish.directory.clone(), ..Shelf::default() };
        shelf.files = self.store.shelved().await?;
        let states = self.states().await?;
        let format = self.settings.publish.formats.first().map_or("atom", |f| f.ending());
        if !shelf.files.contains_key(&format!("all.{format}")) {
            shelf.pending.insert(FeedKey::All.path());
        }
        for topic in &self.settings.topics {
            let gone = topic.retired.map(|at| at.plus(Topic::FAREWELL));
            shelf.gone.extend(gone.map(|at| (FeedKey::Topic(topic.slug.clone()).path(), at)));
        }
        for (page, state) in self.settings.pages.iter().zip(&states) {
            for topic in page.topics.iter().filter_map(|&t| self.settings.topics.get(t)) {
                let path = FeedKey::Topic(topic.slug.clone()).path();
                if let Some(due) = state.next_due {
                    let soonest = shelf.due.entry(path.clone()).or_insert(due);
                    *soonest = due.min(*soonest);
                }
                if !shelf.files.contains_key(&format!("{path}.{format}")) {
                    shelf.pending.insert(path.clone());
                }
                for old in &topic.former {
                    shelf.moved.insert(FeedKey::Topic(old.clone()).path(), path.clone());
                }
            }
        }
        for (old, path) in self.store.moved().await? {
            if shelf.files.contains_key(&format!("{path}.{format}")) {
                shelf.moved.insert(old, path);
            }
        }
        for (page, state) in self.settings.pages.iter().zip(&states) {
            for company in page.companies.iter().filter(|_| !state.taken()) {
                let path = FeedKey::Company(company.slug.clone()).path();
                if !shelf.files.contains_key(&format!("{path}.{format}")) {
                    shelf.pending.insert(path);
                }
            }
        }
        for feed in &self.settings.combined {
            let path = FeedKey::Combined(feed.slug.clone()).path();
            let of_topics = feed.topics.iter().map(|topic| FeedKey::Topic(topic.clone()).path());
            let due = of_topics.filter_map(|topic| shelf.due.get(&topic)).min().copied();
            shelf.due.extend(due.map(|due| (path.clone(), due)));
            if !shelf.files.contains_key(&format!("{path}.{format}")) {
                shelf.pending.insert(path.clone());
            }
            for old in feed.former.iter().filter(|old| **old != feed.slug) {
                shelf.moved.insert(FeedKey::Combined(old.clone()).path(), path.clone());
            }
        }
        Ok(shelf)
    }

    /// How many bytes the database has, its log among them.
    pub fn state_bytes(&self) -> u64 {
        let database = &self.settings.state.database;
        let mut log = database.clone().into_os_string();
        log.push("-wal");
        [database.as_path(), Path::new(&log)]
            .into_iter()
            .filter_map(|file| file.metadata().ok())
            .map(|file| file.len())
            .sum()
    }

    /// The object of `status --json`.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn status(&self, now: Stamp) -> Result<serde_json::Value, StoreError> {
        let (states, refused, spent) = (self.states().await?, self.refused().await?, self.spent(now).await?);
        Ok(status(&self.settings, &states, &refused, spent, &self.fetcher, now))
    }

    /// The files that were not published, since readers would have failed at them.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn refused(&self) -> Result<Vec<Unpublished>, StoreError> {
        self.store.refused().await
    }
}

/// Warnings about slugs of the seeds that are not used, since the state knows these companies under others.
///
/// # Errors
/// When the state fails.
pub async fn kept_slugs(settings: &Settings, store: &Store) -> Result<Vec<String>, StoreError> {
    let kept = store.kept_slugs(&settings.companies).await?;
    let said = settings.companies.iter().zip(&settings.places.companies).zip(kept);
    let warning = |((company, place), kept): ((&CompanySeed, &String), Option<String>)| {
        let (kept, slug) = (kept?, &company.slug);
        Some(format!(
            "{place}: the slug `{slug}` is not used: the feed of `{}` was published as `{kept}` first, and an address \
             that readers have is kept for ever; write slug = \"{kept}\"",
            company.title
        ))
    };
    Ok(said.filter_map(warning).collect())
}

/// A sentence about the first of these names that means nothing whatever the state knows: it may know topics where an
/// index is followed.
pub fn unknown(settings: &Settings, names: &[String]) -> Option<String> {
    let is_known = |name: &&String| {
        let knows = |page| match name.strip_prefix(name::COMBINED) {
            Some(slug) => name::feeds(settings, page, slug),
            None => name::means(settings, page, name),
        };
        name.starts_with(name::COMPANY) || (0..settings.pages.len()).any(knows)
    };
    if settings.pages.iter().any(|page| page.index.as_ref().is_some_and(|index| index.follow)) {
        return None;
    }
    names.iter().find(|name| !is_known(name)).map(|name| name::unknown(settings, name))
}

/// The object of `status --json`: what is known of each page's polls, in the order of the configuration, how often their
/// hosts may be asked, the budget and what was spent of it, and which files were not published. Who reads the feeds only
/// a daemon knows.
pub fn status(
    settings: &Settings,
    states: &[PageState],
    refused: &[Unpublished],
    spent: Spent,
    fetcher: &fetch::Fetcher,
    now: Stamp,
) -> serde_json::Value {
    let topics = |p: &Page| -> Vec<String> {
        p.topics.iter().filter_map(|&t| settings.topics.get(t)).map(|t| t.slug.to_string()).collect()
    };
    let rests = pace::rests(settings, states, now);
    let page = |(p, s): (&Page, &PageState)| {
        let rest = settings.fetch.per_host.host(p.address.url()).and_then(|host| rests.get(host)).copied();
        let moved = s.server.moved.as_ref().map(|moved| {
            let holds = moved.holds(now);
            serde_json::json!({ "to": moved.to, "since": moved.since, "times": moved.times, "holds": holds })
        });
        serde_json::json!({
            "page": p.address.to_string(),
            "topics": topics(p),
            "companies": p.of_companies(),
            "index": p.index.is_some(),
            "state": s.word(),
            "last_fetch": s.last_fetch,
            "last_change": s.last_change,
            "next_due": s.next_due,
            "posts": s.posts,
            "failures": s.failures,
            "since": s.since,
            "until": s.left_alone(now).max(rest),
            "asks": s.server.interval(),
            "moved": moved,
            "warnings": warnings(s),
            "error": s.error,
        })
    };
    let pages: Vec<_> = settings.pages.iter().zip(states).map(page).collect();
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "now": now,
        "budget": budget(settings, states, spent),
        "pages": pages,
        "hosts": pace::hosts(settings, states, fetcher, now),
        "feeds": null,
        "refused": refused,
    })
}

fn budget(settings: &Settings, states: &[PageState], spent: Spent) -> Budget {
    let pages = settings.pages.iter().zip(states);
    let planned = schedule::planned(pages, &settings.schedule);
    Budget { limit: settings.schedule.budget, planned, spent: spent.requests }
}

/// What is odd about a page, its silence included.
fn warnings(state: &PageState) -> Vec<Warning> {
    let stale = || Warning::new(WarningKind::Stale, state.silence());
    state.warnings.iter().cloned().chain(state.stale.then(stale)).collect()
}

/// Visits that are stored together.
#[derive(Debug, Default)]
struct Batch {
    visits: Vec<Visit>,
    posts: usize,
}

impl Batch {
    fn push(&mut self, visit: Visit) {
        self.posts += visit.posts();
        self.visits.push(visit);
    }

    fn take(&mut self) -> Vec<Visit> {
        self.posts = 0;
        std::mem::take(&mut self.visits)
    }

    fn is_full(&self) -> bool {
        self.posts >= BATCH_POSTS || self.visits.len() >= BATCH_PAGES
    }
}
