//! Pages through every step, once: the one place that joins the verbs.
//!
//! In: which pages, and the time of the round. Out: a report a page, feeds on disk. Fetching and reading go on side by
//! side, but readings are judged and stored in the order of the configuration, so that no order of answers shows in a
//! feed. A page's panic, a failure or a full disk costs what it touches and nothing else.
//!
//! The steps stand alone too ([`App::visit`], [`App::save`], [`App::publish`]), for a daemon whose pages come and go one
//! by one; [`App::refresh`] is all of them for one round.

use crate::model::{
    Body, ErrorKind, Failure, FeedKey, Hold, Outcome, Page, PageId, PageState, Reading, Report, Settings, Shelf, Stamp,
    Total, Validators, WarningKind,
};
use crate::store::{Round, Spot, Store, StoreError};
use crate::{clock, diff, extract, fetch, publish, schedule};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use url::Url;

mod name;
mod output;

/// Posts in one transaction: enough that its cost is spread, few enough that memory stays small.
const BATCH_POSTS: usize = 3_000;
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

/// What a refresh works with.
#[derive(Debug, Clone)]
pub struct App {
    settings: Arc<Settings>,
    store: Store,
    fetcher: Arc<fetch::Fetcher>,
    registered: Arc<crate::store::Registered>,
    /// For each page the topics that take their title from it.
    titles: Arc<Vec<Vec<usize>>>,
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
        let registered = Arc::new(store.register(&settings).await?);
        let fetcher = Arc::new(fetch::Fetcher::new(&settings.fetch));
        let mut titles = vec![Vec::new(); settings.pages.len()];
        let mut titled = vec![false; settings.topics.len()];
        for (page, titles) in settings.pages.iter().zip(&mut titles) {
            titles.extend(page.topics.iter().filter(|&&topic| !std::mem::replace(&mut titled[topic], true)));
        }
        Ok(Self { settings: Arc::new(settings), store, fetcher, registered, titles: Arc::new(titles) })
    }

    /// Whether two are of one configuration: clones of each other.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.settings, &other.settings)
    }

    /// The configuration.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Refreshes pages, given by their positions in the configuration, and publishes what changed.
    /// `report` is called once a page, in the order of the configuration.
    ///
    /// # Errors
    /// When the state or the folder of feeds fails; what was done before stays done.
    pub async fn refresh(
        &self,
        pages: &[usize],
        mode: Mode,
        now: Stamp,
        mut report: impl FnMut(&Report),
    ) -> Result<Total, RefreshError> {
        let mut total = Total::default();
        let mut tell = |settled: &[Settled]| {
            for page in settled {
                total.count(&page.report);
                report(&page.report);
            }
        };
        let mut states = self.store.states().await?;
        let mut waiting = pages.iter().copied();
        let mut flying = FuturesUnordered::new();
        let mut landed: BTreeMap<usize, Visit> = BTreeMap::new();
        let mut batch = Batch::default();
        let (mut next, mut started, mut held) = (0, 0, 0);
        loop {
            while flying.len() < self.settings.fetch.concurrency.max(1) && held < WAITING_BYTES {
                let Some(index) = waiting.next() else { break };
                let state = states.remove(self.settings.pages[index].address.url().as_str()).map(|(_, s)| s);
                let (place, visit) = (started, self.visit(index, state.unwrap_or_default(), mode, now));
                started += 1;
                flying.push(async move { (place, visit.await) });
            }
            let Some((place, visit)) = flying.next().await else { break };
            held += visit.weight();
            landed.insert(place, visit);
            while let Some(visit) = landed.remove(&next) {
                held -= visit.weight();
                next += 1;
                batch.push(visit);
                if batch.is_full() {
                    tell(&self.save(batch.take(), now).await?);
                }
            }
        }
        tell(&self.save(batch.take(), now).await?);
        self.finish(now).await?;
        Ok(total)
    }

    /// Finds out before anything is asked whether feeds can be published.
    ///
    /// # Errors
    /// When the folder of feeds cannot be used.
    pub fn can_publish(&self) -> Result<(), RefreshError> {
        publish::Folder::open(&self.settings.publish.directory, self.settings.publish.mode)?;
        Ok(())
    }

    /// The positions of the pages that names mean, each once, in the order of the configuration: topics, addresses,
    /// paths, or `company:SLUG`; no name means every page.
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
            let found: Vec<usize> = if let Some(slug) = name.strip_prefix("company:") {
                let listed = self.store.pages_of_company(slug).await?;
                let is_listed = |i: &usize| listed.iter().any(|a| a == pages[*i].address.url().as_str());
                (0..pages.len()).filter(is_listed).collect()
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

    /// What is known of every page's polls, in the order of the configuration.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn states(&self) -> Result<Vec<PageState>, StoreError> {
        let mut states = self.store.states().await?;
        let mut state = |p: &Page| states.remove(p.address.url().as_str()).map(|(_, s)| s).unwrap_or_default();
        Ok(self.settings.pages.iter().map(&mut state).collect())
    }

    /// The same of some pages, by their positions.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn states_of(&self, pages: &[usize]) -> Result<Vec<PageState>, StoreError> {
        let pages: Vec<PageId> = pages.iter().map(|index| self.registered.pages[*index]).collect();
        self.store.states_of(&pages).await
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
        schedule::next(&self.settings.pages[index], state, &self.settings.schedule, now)
    }

    /// When a page is due by what was stored; see [`schedule::due`].
    pub fn due(&self, index: usize, state: &PageState, now: Stamp) -> Stamp {
        schedule::due(&self.settings.pages[index], state, &self.settings.schedule, now)
    }

    /// The same with other settings. What the fetcher keeps (connections, each host's pace) is kept if its settings are
    /// the same.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn reloaded(&self, settings: Settings) -> Result<Self, RefreshError> {
        let same_fetcher = self.settings.fetch == settings.fetch;
        let mut app = Self::new(settings, self.store.clone()).await?;
        if same_fetcher {
            app.fetcher = Arc::clone(&self.fetcher);
        }
        Ok(app)
    }

    /// One page: asked, and read if it answered with something new.
    pub async fn visit(&self, index: usize, state: PageState, mode: Mode, now: Stamp) -> Visit {
        let page = &self.settings.pages[index];
        let fingerprint = page.fingerprint(&self.settings.topics);
        let same_settings = state.taken() && state.fingerprint == fingerprint && !mode.force;
        let look = if state.ended {
            Look::Skipped(None)
        } else if let Some(until) = state.left_alone(now) {
            Look::Skipped(Some(until))
        } else if now < clock::BUILT {
            let message = format!("the clock says {}; set it, then refresh again", now.rfc3339());
            Look::Failed(Failure::new(ErrorKind::Clock, message).into())
        } else {
            let validators = state.validators.as_ref().filter(|_| same_settings);
            match self.fetcher.get(page, validators, now).await {
                Ok(fetch::Fetched::NotModified(validators)) => Look::NotModified(validators),
                Ok(fetch::Fetched::Body(body)) if same_settings && state.body == Some(body.hash()) => {
                    Look::Same(body.validators)
                }
                Ok(fetch::Fetched::Body(body)) => read(&body, || extract::extract(&body, &page.settings)),
                Err(refusal) => Look::Failed(refusal),
            }
        };
        Visit { index, state, fingerprint, accept: mode.accept, look }
    }

    /// Judges and stores visits in one transaction, in the order given. Where that panics, each has a transaction of
    /// its own, and the one that panics again has failed.
    ///
    /// # Errors
    /// When the state fails; nothing was stored then.
    pub async fn save(&self, visits: Vec<Visit>, now: Stamp) -> Result<Vec<Settled>, StoreError> {
        let all = |round: &mut Round<'_>| visits.iter().map(|visit| self.settle(round, visit, now)).collect();
        match AssertUnwindSafe(self.store.round(all)).catch_unwind().await {
            Ok(settled) => return settled,
            Err(_) if visits.len() == 1 => {}
            Err(_) => {
                let mut settled = Vec::with_capacity(visits.len());
                for visit in visits {
                    settled.extend(Box::pin(self.save(vec![visit], now)).await?);
                }
                return Ok(settled);
            }
        }
        let failed =
            Look::Failed(Failure::new(ErrorKind::Panic, "pagewire could not judge the page: please report it").into());
        let visits = visits.into_iter().map(|visit| Visit { look: failed.clone(), ..visit });
        let visits: Vec<Visit> = visits.collect();
        self.store.round(|round| visits.iter().map(|visit| self.settle(round, visit, now)).collect()).await
    }

    /// One visit's outcome, into the round's transaction.
    fn settle(&self, round: &mut Round<'_>, visit: &Visit, now: Stamp) -> Result<Settled, StoreError> {
        let index = visit.index;
        let page = &self.settings.pages[index];
        let topics = page.topics.iter().filter_map(|&t| self.settings.topics.get(t)).map(|t| t.slug.to_string());
        let mut report = Report::new(page.address.to_string(), topics.collect(), Outcome::Unchanged);
        let mut state = visit.state.clone();
        match &visit.look {
            Look::Skipped(until) => {
                report.outcome = Outcome::Skipped;
                report.until = *until;
                return Ok(Settled { index, report, next_due: state.next_due });
            }
            Look::NotModified(validators) => {
                state.validators = Some(validators.clone());
                recovered(&mut state, now);
            }
            Look::Same(validators) => {
                let whole = !state.warnings.iter().any(|w| w.kind == WarningKind::Shrunk);
                if whole {
                    state.validators.clone_from(validators);
                }
                recovered(&mut state, now);
            }
            Look::Read(taken) => {
                let id = self.registered.pages[index];
                match self.take(round, id, visit, taken, &mut state, now, &mut report)? {
                    Ok(()) => recovered(&mut state, now),
                    Err(failure) if failure.kind == ErrorKind::Flood => held(&mut state, failure, now, &mut report),
                    Err(failure) => failed(&mut state, failure.into(), now, &mut report),
                }
            }
            Look::Failed(refusal) => failed(&mut state, refusal.clone(), now, &mut report),
        }
        state.last_fetch = Some(now);
        state.next_due = (!state.ended).then(|| schedule::next(page, &state, &self.settings.schedule, now));
        round.settle(self.registered.pages[index], &state)?;
        Ok(Settled { index, report, next_due: state.next_due })
    }

    /// A reading against what is known. The inner error is the page's, the outer one the database's.
    #[expect(clippy::too_many_arguments, reason = "one step of `settle`, split off to be read on its own")]
    fn take(
        &self,
        round: &mut Round<'_>,
        id: PageId,
        visit: &Visit,
        taken: &Taken,
        state: &mut PageState,
        now: Stamp,
        report: &mut Report,
    ) -> Result<Result<(), Failure>, StoreError> {
        let Visit { index, fingerprint, accept, .. } = *visit;
        let page = &self.settings.pages[index];
        let reading = &taken.reading;
        let backlog = !state.taken() || state.fingerprint != fingerprint;
        let mut case = diff::Case { page, id, state, reading, now, backlog, accept };
        if let Err(failure) = diff::admit(&case) {
            return Ok(Err(failure));
        }
        let keyed = diff::Keyed::new(page, reading);
        let mut known = round.known(id, &keyed.asks())?;
        let more = keyed.asks_of_split(&known);
        round.learn(id, &more, &mut known)?;
        let missing = round.missing(&known, &diff::wanted(&keyed, &known))?;
        let mut changes = diff::diff(&case, &keyed, &known, &missing);
        if let Some(why) = diff::flood(&case, &known, &changes) {
            let (hold, released) = Hold::take(state.hold.clone(), &keyed.numbers(), now);
            if !released && !accept {
                state.hold = Some(hold);
                return Ok(Err(Failure::new(ErrorKind::Flood, why)));
            }
            case = diff::Case { state, backlog: true, ..case };
            changes = diff::diff(&case, &keyed, &known, &missing);
        }
        let backlog = case.backlog;
        let at = page.settings.base.as_ref().unwrap_or(&taken.address);
        let spot = Spot::new(&self.registered, index, page, &self.titles[index], at);
        round.apply(&spot, reading, &changes, now, backlog)?;

        report.outcome = Outcome::Changed;
        report.added = u32::try_from(changes.added.len()).unwrap_or(u32::MAX);
        (report.updated, report.renamed, report.delisted) = (changes.updated, changes.renamed, changes.delisted);
        report.warnings.clone_from(&changes.warnings);
        if report.added + report.updated + report.renamed > 0 {
            state.last_change = Some(now);
        }
        let proved = !taken.maybe_cut || state.unproved == Some(taken.hash);
        if state.fingerprint != fingerprint {
            state.validators = None;
        }
        if proved && !changes.shrunk {
            state.validators.clone_from(&taken.validators);
        }
        state.unproved = taken.maybe_cut.then_some(taken.hash);
        state.fingerprint = fingerprint;
        state.kind = Some(reading.kind);
        state.body = Some(taken.hash);
        state.count_fitted |= changes.count_fits;
        state.title.clone_from(&reading.title);
        state.description.clone_from(&reading.description);
        state.posts = u32::try_from(reading.posts.len()).unwrap_or(u32::MAX);
        state.warnings = changes.warnings;
        Ok(Ok(()))
    }

    /// Ends a round: new companies and types get their slugs, and what changed is published.
    ///
    /// # Errors
    /// When the state or the folder of feeds fails.
    pub async fn finish(&self, now: Stamp) -> Result<usize, RefreshError> {
        self.store.name_feeds().await?;
        self.publish(now).await
    }

    /// Writes every feed that may have changed, and what lists them; the number of files that were replaced.
    ///
    /// # Errors
    /// When the state or the folder of feeds fails; what is dirty stays so.
    pub async fn publish(&self, now: Stamp) -> Result<usize, RefreshError> {
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
        Ok(shelf)
    }

    /// The object of `status --json`.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn status(&self, now: Stamp) -> Result<serde_json::Value, StoreError> {
        Ok(status(&self.settings, &self.states().await?, now))
    }
}

/// A sentence about the first of these names that means nothing whatever the state knows.
pub fn unknown(settings: &Settings, names: &[String]) -> Option<String> {
    let is_known = |name: &&String| {
        name.starts_with("company:") || (0..settings.pages.len()).any(|page| name::means(settings, page, name))
    };
    names.iter().find(|name| !is_known(name)).map(|name| name::unknown(settings, name))
}

/// The object of `status --json`: what is known of each page's polls, in the order of the configuration.
pub fn status(settings: &Settings, states: &[PageState], now: Stamp) -> serde_json::Value {
    let topics = |p: &Page| -> Vec<String> {
        p.topics.iter().filter_map(|&t| settings.topics.get(t)).map(|t| t.slug.to_string()).collect()
    };
    let page = |(p, s): (&Page, &PageState)| {
        serde_json::json!({
            "page": p.address.to_string(),
            "topics": topics(p),
            "state": s.word(),
            "last_fetch": s.last_fetch,
            "last_change": s.last_change,
            "next_due": s.next_due,
            "posts": s.posts,
            "failures": s.failures,
            "since": s.since,
            "warnings": s.warnings,
            "error": s.error,
        })
    };
    let pages: Vec<_> = settings.pages.iter().zip(states).map(page).collect();
    serde_json::json!({ "version": env!("CARGO_PKG_VERSION"), "now": now, "pages": pages })
}

/// A page's poll, judged and stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Which page, by its position in the configuration.
    pub index: usize,
    /// What happened.
    pub report: Report,
    /// When it is next due; none for a page that ended.
    pub next_due: Option<Stamp>,
}

/// A page's poll, before it is judged.
#[derive(Debug)]
pub struct Visit {
    index: usize,
    state: PageState,
    fingerprint: u64,
    /// Whether what a guard would keep back is taken.
    accept: bool,
    look: Look,
}

/// What a poll brought.
#[derive(Debug, Clone)]
enum Look {
    Skipped(Option<Stamp>),
    NotModified(Validators),
    Same(Option<Validators>),
    Read(Arc<Taken>),
    Failed(fetch::Refusal),
}

/// A reading with what is to be remembered of its body.
#[derive(Debug)]
struct Taken {
    reading: Reading,
    hash: [u8; 16],
    size: usize,
    address: Url,
    validators: Option<Validators>,
    maybe_cut: bool,
}

impl Visit {
    /// Which page it was, by its position in the configuration.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The visit of a page whose polling itself panicked.
    pub fn panicked(index: usize, state: PageState) -> Self {
        let failure = Failure::new(ErrorKind::Panic, "pagewire could not ask for the page: please report it");
        let (fingerprint, look) = (state.fingerprint, Look::Failed(failure.into()));
        Self { index, state, fingerprint, accept: false, look }
    }

    /// About how many bytes it holds while it waits.
    fn weight(&self) -> usize {
        match &self.look {
            Look::Read(taken) => taken.size,
            _ => 0,
        }
    }
}

/// Visits that are stored together.
#[derive(Debug, Default)]
struct Batch {
    visits: Vec<Visit>,
    posts: usize,
}

impl Batch {
    fn push(&mut self, visit: Visit) {
        if let Look::Read(taken) = &visit.look {
            self.posts += taken.reading.posts.len();
        }
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

/// Reads a body; a panic of a parser is this page's failure and nobody else's.
fn read(body: &Body, work: impl FnOnce() -> Result<Reading, Failure>) -> Look {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(Ok(reading)) => Look::Read(Arc::new(Taken {
            reading,
            hash: body.hash(),
            size: body.bytes.len(),
            address: body.address.clone(),
            validators: body.validators.clone(),
            maybe_cut: body.maybe_cut,
        })),
        Ok(Err(failure)) => Look::Failed(failure.into()),
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            let message = format!("pagewire could not read the page: {what}; please report it with the page");
            Look::Failed(Failure::new(ErrorKind::Panic, message).into())
        }
    }
}

/// A poll that found the page whole: failures are over.
fn recovered(state: &mut PageState, now: Stamp) {
    if state.error.take().is_some() || state.since.is_none() {
        state.since = Some(now);
    }
    state.failures = 0;
    state.retry_after = None;
    state.hold = None;
}

/// A poll whose posts are kept back: what is known stays, and the page is asked as often as ever.
fn held(state: &mut PageState, failure: Failure, now: Stamp, report: &mut Report) {
    if state.error.as_ref().is_none_or(|e| e.kind != ErrorKind::Flood) {
        state.since = Some(now);
    }
    state.failures = 0;
    state.retry_after = None;
    state.error = Some(failure.clone());
    report.outcome = Outcome::Held;
    report.error = Some(failure);
}

/// A poll that found nothing to believe: what is known stays, the next try waits longer.
fn failed(state: &mut PageState, refusal: fetch::Refusal, now: Stamp, report: &mut Report) {
    if state.error.is_none() {
        state.since = Some(now);
    }
    state.failures = state.failures.saturating_add(1);
    state.retry_after = refusal.retry_after;
    state.ended = refusal.failure.kind == ErrorKind::Gone;
    state.error = Some(refusal.failure.clone());
    report.outcome = Outcome::Failed;
    report.error = Some(refusal.failure);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_parser_is_a_failure_of_its_page() {
        let address = Url::parse("https://x.example/").expect("an address");
        let body = Body { address, bytes: bytes::Bytes::new(), media_type: None, validators: None, maybe_cut: false };
        let Look::Failed(refusal) = read(&body, || panic!("at byte {}", 7)) else { panic!("taken") };
        assert_eq!(refusal.failure.kind, ErrorKind::Panic);
        assert!(refusal.failure.message.contains("at byte 7"), "{}", refusal.failure);
    }
}
