//! Pages through every step, once: the one place that joins the verbs.
//!
//! In: which pages, and the time of the round. Out: a report a page, feeds on disk. Fetching and reading go on side by
//! side, but readings are judged and stored in the order of the configuration, so that no order of answers shows in a
//! feed. A page's panic, a failure or a full disk costs what it touches and nothing else.

use crate::model::{
    Body, ErrorKind, Failure, Outcome, Page, PageId, PageState, Reading, Report, Settings, Stamp, Total, Validators,
    WarningKind,
};
use crate::store::{Round, Spot, Store, StoreError};
use crate::{clock, diff, extract, fetch, publish, schedule};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::BTreeMap;
use std::sync::Arc;
use url::Url;

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
                    self.save(std::mem::take(&mut batch), now, &mut total, &mut report).await?;
                }
            }
        }
        self.save(batch, now, &mut total, &mut report).await?;
        self.store.name_feeds().await?;
        self.publish(now).await?;
        Ok(total)
    }

    /// One page: asked, and read if it answered with something new.
    async fn visit(&self, index: usize, state: PageState, mode: Mode, now: Stamp) -> Visit {
        let page = &self.settings.pages[index];
        let fingerprint = page.fingerprint(&self.settings.topics);
        let same_settings = state.taken() && state.fingerprint == fingerprint && !mode.force;
        let look = if state.ended {
            Look::Skipped(None)
        } else if let Some(until) = state.retry_after.filter(|until| *until > now) {
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
                Ok(fetch::Fetched::Body(body)) => read(&body, page),
                Err(refusal) => Look::Failed(refusal),
            }
        };
        Visit { index, state, fingerprint, look }
    }

    /// Judges and stores a batch of visits in one transaction, and reports them.
    async fn save(
        &self,
        batch: Batch,
        now: Stamp,
        total: &mut Total,
        report: &mut impl FnMut(&Report),
    ) -> Result<(), StoreError> {
        let settle = |round: &mut Round<'_>| {
            batch.visits.into_iter().map(|visit| self.settle(round, visit, now)).collect::<Result<Vec<Report>, _>>()
        };
        for page in self.store.round(settle).await? {
            total.count(&page);
            report(&page);
        }
        Ok(())
    }

    /// One visit's outcome, into the round's transaction.
    fn settle(&self, round: &mut Round<'_>, visit: Visit, now: Stamp) -> Result<Report, StoreError> {
        let page = &self.settings.pages[visit.index];
        let topics = page.topics.iter().filter_map(|&t| self.settings.topics.get(t)).map(|t| t.slug.to_string());
        let mut report = Report::new(page.address.to_string(), topics.collect(), Outcome::Unchanged);
        let mut state = visit.state;
        match visit.look {
            Look::Skipped(until) => {
                report.outcome = Outcome::Skipped;
                report.until = until;
                return Ok(report);
            }
            Look::NotModified(validators) => {
                state.validators = Some(validators);
                recovered(&mut state, now);
            }
            Look::Same(validators) => {
                let whole = !state.warnings.iter().any(|w| w.kind == WarningKind::Shrunk);
                if whole {
                    state.validators = validators;
                }
                recovered(&mut state, now);
            }
            Look::Read(taken) => {
                let id = self.registered.pages[visit.index];
                match self.take(round, id, visit.index, &mut state, &taken, visit.fingerprint, now, &mut report)? {
                    Ok(()) => recovered(&mut state, now),
                    Err(failure) => failed(&mut state, failure.into(), now, &mut report),
                }
            }
            Look::Failed(refusal) => failed(&mut state, refusal, now, &mut report),
        }
        state.last_fetch = Some(now);
        state.next_due = Some(schedule::next(page, &state, &self.settings.schedule, now));
        round.settle(self.registered.pages[visit.index], &state)?;
        Ok(report)
    }

    /// A reading against what is known. The inner error is the page's, the outer one the database's.
    #[expect(clippy::too_many_arguments, reason = "one step of `settle`, split off to be read on its own")]
    fn take(
        &self,
        round: &mut Round<'_>,
        id: PageId,
        index: usize,
        state: &mut PageState,
        taken: &Taken,
        fingerprint: u64,
        now: Stamp,
        report: &mut Report,
    ) -> Result<Result<(), Failure>, StoreError> {
        let page = &self.settings.pages[index];
        let reading = &taken.reading;
        let backlog = !state.taken() || state.fingerprint != fingerprint;
        let case = diff::Case { page, id, state, reading, now, backlog };
        if let Err(failure) = diff::admit(&case) {
            return Ok(Err(failure));
        }
        let keyed = diff::Keyed::new(page, reading);
        let mut known = round.known(id, &keyed.asks())?;
        let more = keyed.asks_of_split(&known);
        round.learn(id, &more, &mut known)?;
        let missing = round.missing(&known, &diff::wanted(&keyed, &known))?;
        let changes = diff::diff(&case, &keyed, &known, &missing);
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

    /// Writes every feed that may have changed, and what lists them.
    async fn publish(&self, now: Stamp) -> Result<(), RefreshError> {
        output::publish(&self.settings, &self.store, now).await
    }
}

/// A page's poll, before it is judged.
#[derive(Debug)]
struct Visit {
    index: usize,
    state: PageState,
    fingerprint: u64,
    look: Look,
}

/// What a poll brought.
#[derive(Debug)]
enum Look {
    Skipped(Option<Stamp>),
    NotModified(Validators),
    Same(Option<Validators>),
    Read(Box<Taken>),
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

    fn is_full(&self) -> bool {
        self.posts >= BATCH_POSTS || self.visits.len() >= BATCH_PAGES
    }
}

/// Reads a body; a panic of a parser is this page's failure and nobody else's.
fn read(body: &Body, page: &Page) -> Look {
    let work = || extract::extract(body, &page.settings);
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(Ok(reading)) => Look::Read(Box::new(Taken {
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
