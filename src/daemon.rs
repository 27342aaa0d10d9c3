//! The loop: what is due is asked, what was ordered is done, what changed is published, until somebody says stop.
//!
//! In: the clock, orders ([`Ask`]), the configuration when it is read again. Out: feeds, and answers to whoever asked.
//! One thread works through it, so nothing here needs a lock; the server runs on another and is never in its way.
//!
//! A page is one flight however many ask for it; its next check is stored before the request goes out. What has landed
//! is judged and stored together, in the order of the configuration, at most two seconds after the first landed while
//! others are under way. A page's panic is that page's failure.
//! Deliberately absent: what a poll means (`refresh`), how it is answered (`serve`), signals (`cli`).

mod agenda;
mod order;
pub mod systemd;

use crate::model::{Ask, Order, Outcome, PageState, Report, Settings, Shelf, Stamp, Told};
use crate::refresh::{App, Mode, RefreshError, Settled, Visit};
use crate::{clock, store};
use agenda::Agenda;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use order::Orders;
use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tracing::{error, info, warn};

/// How long a landed page waits for others that are under way.
const LINGER: Duration = Duration::from_secs(2);
/// Landed pages that are stored without waiting for more.
const FULL: usize = 200;
/// The longest sleep: the clock on the wall may be set meanwhile.
const NAP: Duration = Duration::from_secs(30);
/// A clock that stands this much before where it stood was set back, in seconds.
const SET_BACK: i64 = 60;
/// What can only change with a restart.
const RESTART: &str = "restart to change it";

/// How the daemon is told to go on.
pub struct Lines {
    /// What it is asked.
    pub asks: mpsc::Receiver<Ask>,
    /// Where what is published is shown to the server.
    pub shelf: watch::Sender<Arc<Shelf>>,
    /// Where a changed configuration is shown to the server.
    pub settings: watch::Sender<Arc<Settings>>,
    /// How the configuration is read again.
    pub load: Box<dyn Fn() -> Result<Settings, String> + Send>,
    /// Holds true when it is to end.
    pub stop: watch::Receiver<bool>,
}

/// A page that is being asked: with which configuration, and what came back.
type Flight = LocalBoxFuture<'static, (App, Visit)>;

/// Everything that the loop knows.
struct Daemon {
    app: App,
    lines: Lines,
    agenda: Agenda,
    orders: Orders,
    /// Pages that are to be asked as soon as there is room, by address.
    queue: VecDeque<(String, Mode)>,
    /// Pages under way, with whether they are asked by force.
    under_way: HashMap<String, bool>,
    flights: FuturesUnordered<Flight>,
    landed: Vec<(App, Visit)>,
    /// When the first of them landed.
    since: Option<Instant>,
    /// Where the clock on the wall stood last.
    last: Stamp,
}

/// Works until `lines.stop` holds true. `ready` is told once everything that a stop or crash left is published.
///
/// # Errors
/// When the state or the folder of feeds cannot be used at the start. Later failures are logged and tried again.
pub async fn run(app: App, lines: Lines, ready: oneshot::Sender<()>) -> Result<(), RefreshError> {
    app.publish(clock::now()).await?;
    let _ = lines.shelf.send(Arc::new(app.shelf().await?));
    let mut daemon = Daemon {
        app,
        lines,
        agenda: Agenda::default(),
        orders: Orders::default(),
        queue: VecDeque::new(),
        under_way: HashMap::new(),
        flights: FuturesUnordered::new(),
        landed: Vec::new(),
        since: None,
        last: clock::now(),
    };
    daemon.plan().await?;
    let _ = ready.send(());
    daemon.heal().await;
    daemon.work().await;
    Ok(())
}

impl Daemon {
    async fn work(&mut self) {
        let mut stop = self.lines.stop.clone();
        loop {
            self.look_at_the_clock().await;
            self.launch().await;
            let nap = tokio::time::sleep_until(self.wake());
            tokio::select! {
                biased;
                _ = async { stop.wait_for(|stop| *stop).await.is_ok() } => break,
                ask = self.lines.asks.recv() => match ask {
                    Some(ask) => self.answer(ask).await,
                    None => break,
                },
                Some((app, visit)) = self.flights.next(), if !self.flights.is_empty() => {
                    self.since.get_or_insert_with(Instant::now);
                    self.landed.push((app, visit));
                }
                () = nap => {}
            }
            let waited = self.since.is_some_and(|since| since.elapsed() >= LINGER);
            if !self.landed.is_empty() && (self.flights.is_empty() || waited || self.landed.len() >= FULL) {
                self.store().await;
            }
        }
        // Downloads under way are given up; what has landed is kept.
        self.store().await;
    }

    /// When there is something to do, whatever happens.
    fn wake(&self) -> Instant {
        let now = clock::now();
        let due = self
            .agenda
            .first()
            .map_or(NAP, |at| Duration::from_secs(u64::try_from(at.0 - now.0).unwrap_or(0)).min(NAP));
        let due = Instant::now() + due;
        self.since.map_or(due, |since| due.min(since + LINGER))
    }

    /// Takes over when every page is due from the state; a page that was never asked is due now.
    async fn plan(&mut self) -> Result<(), store::StoreError> {
        let now = clock::now();
        let states = self.app.states().await?;
        self.agenda.clear();
        for (index, (page, state)) in self.app.settings().pages.iter().zip(&states).enumerate() {
            if !state.ended {
                let due = state.next_due.unwrap_or(now);
                // A stored time beyond what the schedule would say now is from before the clock was set back.
                let latest = if set_back(state, now) { self.app.next_due(index, state, now) } else { due };
                self.agenda.set(page.address.url().as_str(), due.min(latest));
            }
        }
        Ok(())
    }

    /// Writes again, in the background of the start, what differs from what was published.
    async fn heal(&mut self) {
        match self.app.verify().await {
            Ok(0) => {}
            Ok(files) => {
                warn!(files, "published files were not as they were left; they are written again");
                self.publish().await;
            }
            Err(error) => error!("{error}"),
        }
    }

    /// Notices a clock that was set back, so that no page waits until it has caught up.
    async fn look_at_the_clock(&mut self) {
        let now = clock::now();
        if now < self.last.plus(-SET_BACK) {
            warn!("the clock was set back from {} to {}", self.last.rfc3339(), now.rfc3339());
            if let Err(error) = self.plan().await {
                error!("{error}");
            }
        }
        self.last = now;
    }

    /// Asks what is due and what was ordered, as far as there is room.
    async fn launch(&mut self) {
        let now = clock::now();
        for address in self.agenda.take_due(now) {
            if !self.under_way.contains_key(&address) && !self.queue.iter().any(|(a, _)| *a == address) {
                self.queue.push_back((address, Mode::default()));
            }
        }
        let room = self.app.settings().fetch.concurrency.max(1).saturating_sub(self.flights.len());
        let next: Vec<(String, Mode)> = self.queue.drain(..self.queue.len().min(room)).collect();
        if next.is_empty() {
            return;
        }
        let states = match self.app.states().await {
            Ok(states) => states,
            Err(error) => return self.put_off(next, &error),
        };
        let index_of =
            |address: &str| self.app.settings().pages.iter().position(|p| p.address.url().as_str() == address);
        let next: Vec<(usize, String, Mode)> =
            next.into_iter().filter_map(|(address, mode)| Some((index_of(&address)?, address, mode))).collect();
        let claims: Vec<(usize, Stamp)> =
            next.iter().map(|(i, ..)| (*i, self.app.next_due(*i, &states[*i], now))).collect();
        if let Err(error) = self.app.claim(&claims).await {
            return self.put_off(next.into_iter().map(|(_, address, mode)| (address, mode)).collect(), &error);
        }
        for (index, address, mode) in next {
            self.under_way.insert(address, mode.force);
            self.flights.push(flight(self.app.clone(), index, states[index].clone(), mode, now));
        }
    }

    /// Leaves pages for later because the state failed.
    fn put_off(&mut self, pages: Vec<(String, Mode)>, why: &store::StoreError) {
        error!("{why}");
        let later = clock::now().plus(60);
        for (address, _) in pages {
            self.orders.fail(&address, &why.to_string());
            self.agenda.set(&address, later);
        }
    }

    /// Stores and publishes what has landed, and tells whoever waits for it.
    async fn store(&mut self) {
        self.since = None;
        let now = clock::now();
        let mut landed = std::mem::take(&mut self.landed);
        landed.sort_by_key(|(_, visit)| visit.index());
        let mut settled: Vec<(String, Settled)> = Vec::new();
        while let Some((app, _)) = landed.first() {
            // After a reload, flights of the old configuration land beside those of the new one.
            let app = app.clone();
            let (these, others): (Vec<_>, Vec<_>) = landed.into_iter().partition(|(a, _)| a.same(&app));
            landed = others;
            let address = |v: &Visit| app.settings().pages[v.index()].address.url().as_str().to_owned();
            let addresses: Vec<String> = these.iter().map(|(_, visit)| address(visit)).collect();
            for address in &addresses {
                self.under_way.remove(address);
            }
            match app.save(these.into_iter().map(|(_, visit)| visit).collect(), now).await {
                Ok(done) => settled.extend(addresses.into_iter().zip(done)),
                Err(error) => self.put_off(addresses.into_iter().map(|a| (a, Mode::default())).collect(), &error),
            }
        }
        if settled.iter().any(|(_, s)| s.report.outcome == Outcome::Changed) {
            self.publish().await;
        } else if let Ok(shelf) = self.app.shelf().await {
            let _ = self.lines.shelf.send(Arc::new(shelf));
        }
        for (address, settled) in settled {
            log(&settled.report);
            if let Some(due) = settled.next_due {
                self.agenda.set(&address, due);
            }
            self.orders.tell(&address, &settled.report);
        }
    }

    /// Publishes what changed and shows it to the server.
    async fn publish(&mut self) {
        match self.app.finish(clock::now()).await {
            Ok(_) => {}
            Err(error) => error!("{error}; the feeds stay as they were, and are written with the next change"),
        }
        match self.app.shelf().await {
            Ok(shelf) => {
                let _ = self.lines.shelf.send(Arc::new(shelf));
            }
            Err(error) => error!("{error}"),
        }
    }

    async fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Status { answer } => {
                if let Ok(status) = self.app.status(clock::now()).await {
                    let _ = answer.send(status);
                }
            }
            Ask::Reload { done } => {
                systemd::reloading();
                let result = self.reload().await;
                systemd::ready(&systemd::status(self.app.settings()));
                match &result {
                    Ok(()) => info!("the configuration was read again"),
                    Err(why) => error!("the configuration is refused, the old one goes on: {why}"),
                }
                let _ = done.send(result);
            }
            Ask::Refresh { order, told } => self.order(order, told).await,
        }
    }

    /// Queues what was ordered; pages that are under way anyway serve this order too.
    async fn order(&mut self, order: Order, told: mpsc::UnboundedSender<Told>) {
        let pages = match self.app.choose(&order.names).await {
            Ok(Ok(pages)) => pages,
            Ok(Err(unknown)) => return drop(told.send(Told::Unknown(unknown))),
            Err(error) => return drop(told.send(Told::Failed(error.to_string()))),
        };
        let address = |i: usize| self.app.settings().pages[i].address.url().as_str().to_owned();
        let addresses: Vec<String> = pages.into_iter().map(address).collect();
        for address in &addresses {
            if self.under_way.get(address).is_some_and(|forced| (*forced || !order.force) && !order.accept) {
                continue;
            }
            match self.queue.iter_mut().find(|(a, _)| a == address) {
                Some((_, mode)) => {
                    mode.force |= order.force;
                    mode.accept |= order.accept;
                }
                None => self.queue.push_back((address.clone(), Mode { force: order.force, accept: order.accept })),
            }
        }
        self.orders.take(addresses, told);
    }

    /// Goes on with another configuration, or says why not.
    async fn reload(&mut self) -> Result<(), String> {
        let settings = (self.lines.load)()?;
        let now = self.app.settings();
        let fixed = [
            ("listen", now.server.listen == settings.server.listen),
            ("control", now.server.control == settings.server.control),
            ("database", now.state.database == settings.state.database),
            ("directory", now.publish.directory == settings.publish.directory),
        ];
        if let Some((key, _)) = fixed.iter().find(|(_, same)| !same) {
            return Err(format!("`{key}` changed: {RESTART}"));
        }
        if let Some(warning) = settings.warnings.first() {
            return Err(warning.clone());
        }
        if *now == settings {
            return Ok(());
        }
        self.app = self.app.reloaded(settings).await.map_err(|e| e.to_string())?;
        self.plan().await.map_err(|e| e.to_string())?;
        for address in self.under_way.keys() {
            self.agenda.remove(address);
        }
        let _ = self.lines.settings.send(Arc::new(self.app.settings().clone()));
        self.publish().await;
        Ok(())
    }
}

/// Asks for one page; a panic on the way is the page's failure.
fn flight(app: App, index: usize, state: PageState, mode: Mode, now: Stamp) -> Flight {
    let work = async move {
        let visit = AssertUnwindSafe(app.visit(index, state.clone(), mode, now)).catch_unwind().await;
        let visit = visit.unwrap_or_else(|_| Visit::panicked(index, state));
        (app, visit)
    };
    work.boxed_local()
}

/// Whether a state was written by a clock that stood later than it does now.
fn set_back(state: &PageState, now: Stamp) -> bool {
    state.last_fetch.is_some_and(|last| last > now.plus(SET_BACK))
}

/// One line a change, one a failure, none for a quiet poll.
fn log(report: &Report) {
    let Report { page, added, updated, renamed, delisted, .. } = report;
    for warning in &report.warnings {
        warn!(page, kind = warning.kind.as_str(), "{page}: {}", warning.message);
    }
    match (&report.error, report.outcome) {
        (Some(failure), _) => warn!(page, kind = %failure.kind, "{page}: {failure}"),
        (None, Outcome::Changed) if added + updated + renamed + delisted > 0 => {
            info!(
                page,
                added,
                updated,
                renamed,
                delisted,
                "{page}: {added} new, {updated} edited, {renamed} renamed, {delisted} delisted"
            );
        }
        _ => tracing::debug!(page, outcome = report.outcome.as_str(), "{page}: {}", report.outcome.as_str()),
    }
}
