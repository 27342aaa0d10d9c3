//! The loop: what is due is asked, what was ordered is done, what changed is published, until somebody says stop.
//!
//! In: the clock, orders ([`Ask`]), the configuration when it is read again. Out: feeds, and answers to whoever asked.
//! One thread works through it, so nothing here needs a lock; the server runs on another and is never in its way.
//!
//! A page is one flight however many ask for it; its next check is stored before the request goes out. What has landed
//! is judged and stored together, in the order of the configuration, at most two seconds after the first landed while
//! others are under way. A page's panic is that page's failure. A host's pages wait here for their turn, not in the
//! fetcher, so that a slow host takes no room from the others. Feeds that cannot be written are tried again.
//! Deliberately absent: what a poll means (`refresh`), how it is answered (`serve`), signals (`cli`).

mod agenda;
mod alarm;
mod order;
mod own;
mod push;
pub mod systemd;

use crate::model::{
    Ask, Metrics, Order, Outcome, PageState, Refused, Report, Settings, Shelf, Stamp, Task, Text, Told, Topic,
    Unpublished,
};
use crate::refresh::{App, CROWD, Mode, Published, RefreshError, SLOW, Settled, Visit};
use crate::serve::Terms;
use crate::{clock, schedule, store};
use agenda::Agenda;
use futures_util::FutureExt;
use order::Orders;
use own::Owns;
use push::Push;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;
use tracing::{error, info, warn};

/// How long a landed page waits for others that are under way.
const LINGER: Duration = Duration::from_secs(2);
/// Landed pages that are stored without waiting for more.
const FULL: usize = 200;
/// The longest sleep: the clock on the wall may be set meanwhile.
const NAP: Duration = Duration::from_secs(30);
/// How often it is found out anew what a request is worth to `auto`.
const REPRICE: Duration = Duration::from_hours(1);
/// When feeds that could not be written are tried again.
const AGAIN: Duration = Duration::from_secs(5);
/// What is said of a feed whose writing panicked.
const BUG: &str = "pagewire could not write a feed: please report it";
/// What can only change with a restart.
const RESTART: &str = "restart to change it";

/// How the daemon is told to go on.
pub struct Lines {
    /// What it is asked.
    pub asks: mpsc::Receiver<Ask>,
    /// Where what is published is shown to the server.
    pub shelf: watch::Sender<Arc<Shelf>>,
    /// Where a changed configuration is shown to the server.
    pub terms: watch::Sender<Arc<Terms>>,
    /// How the configuration is read again, and with it what the server needs of it.
    pub load: Box<dyn Fn() -> Result<(Settings, Terms), String> + Send>,
    /// What is counted.
    pub metrics: Metrics,
    /// Where it is served: the first socket that lets everybody in, as it is bound; none where nobody is served.
    pub at: Option<String>,
    /// Holds true when it is to end.
    pub stop: watch::Receiver<bool>,
}

/// A page between being asked and being stored.
struct UnderWay {
    mode: Mode,
    since: Instant,
    /// Whether it has not answered yet.
    is_flying: bool,
    /// Which host is asked; none once it has answered, or where there is none.
    host: Option<String>,
}

/// What became of a page lately.
struct Recent {
    at: Instant,
    mode: Mode,
    report: Report,
}

/// Everything that the loop knows.
struct Daemon {
    app: App,
    lines: Lines,
    agenda: Agenda,
    orders: Orders,
    /// Pages that are to be asked as soon as there is room, by address.
    queue: VecDeque<(String, Mode)>,
    under_way: HashMap<String, UnderWay>,
    /// What orders of less than a moment ago are answered with, by address.
    recent: HashMap<String, Recent>,
    /// Pages that are being asked: with which configuration, and what came back. Each is a task of its own, so that its
    /// answer is read while feeds are written: time runs out for it meanwhile.
    flights: JoinSet<(App, Visit)>,
    push: Push,
    owns: Owns,
    landed: Vec<(App, Visit)>,
    /// When the first of them landed.
    since: Option<Instant>,
    /// When feeds that could not be written are tried again.
    again: Option<Instant>,
    /// Where the clock on the wall stood last.
    last: Stamp,
    /// When it was last found out what a request is worth.
    priced: Instant,
}

/// Works until `lines.stop` holds true. `ready` is told once everything that a stop or crash left is published.
///
/// # Errors
/// When the state or the folder of feeds cannot be used at the start. Later failures are logged and tried again.
pub async fn run(app: App, lines: Lines, ready: oneshot::Sender<()>) -> Result<(), RefreshError> {
    LocalSet::new().run_until(follow(app, lines, ready)).await
}

async fn follow(app: App, lines: Lines, ready: oneshot::Sender<()>) -> Result<(), RefreshError> {
    let mut daemon = Daemon {
        app,
        lines,
        agenda: Agenda::default(),
        orders: Orders::default(),
        queue: VecDeque::new(),
        under_way: HashMap::new(),
        recent: HashMap::new(),
        flights: JoinSet::new(),
        push: Push::default(),
        owns: Owns::default(),
        landed: Vec::new(),
        since: None,
        again: None,
        last: clock::now(),
        priced: Instant::now(),
    };
    daemon.first_publish().await?;
    daemon.plan(&HashSet::new()).await?;
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
            self.push.launch(&self.app).await;
            self.owns.launch(&self.app, &self.lines.metrics).await;
            let nap = tokio::time::sleep_until(self.wake());
            tokio::select! {
                biased;
                _ = async { stop.wait_for(|stop| *stop).await.is_ok() } => break,
                ask = self.lines.asks.recv() => match ask {
                    Some(ask) => self.answer(ask).await,
                    None => break,
                },
                Some(landed) = self.flights.join_next(), if !self.flights.is_empty() => {
                    let (app, visit) = landed.expect("a page's panic is caught within its flight");
                    self.since.get_or_insert_with(Instant::now);
                    if let Some(page) = self.under_way.get_mut(address(&app, visit.index())) {
                        page.host = None;
                        page.is_flying = false;
                    }
                    self.landed.push((app, visit));
                }
                () = self.push.landed() => {}
                () = self.owns.landed() => {}
                () = nap => {}
            }
            if self.again.is_some_and(|again| again <= Instant::now()) {
                let _ = self.publish().await;
            }
            let waited = self.since.is_some_and(|since| since.elapsed() >= LINGER);
            if !self.landed.is_empty() && (self.flights.is_empty() || waited || self.landed.len() >= FULL) {
                self.store().await;
            }
            if self.owns.is_ready() {
                self.fill().await;
            }
        }
        // Downloads under way are given up; what has landed is kept.
        self.store().await;
        if self.owns.has_landed() {
            self.fill().await;
        }
    }

    /// When there is something to do, whatever happens.
    fn wake(&self) -> Instant {
        let now = clock::now();
        let due = self
            .agenda
            .first()
            .into_iter()
            .chain(self.push.wake())
            .chain(self.owns.wake())
            .min()
            .map_or(NAP, |at| Duration::from_secs(u64::try_from(at.0 - now.0).unwrap_or(0)).min(NAP));
        // Whoever waits in the queue may have room once a slow one counts no more.
        let quick = self.under_way.values().filter(|page| page.is_flying && page.since.elapsed() < SLOW);
        let room = if self.queue.is_empty() { None } else { quick.map(|page| page.since + SLOW).min() };
        [Some(Instant::now() + due), self.since.map(|since| since + LINGER), self.again, room, self.owns.full()]
            .into_iter()
            .flatten()
            .min()
            .expect("there is the first one")
    }

    /// Publishes what a stop or a crash left. Only a folder that can't be used ends the start: a full disk, or a feed
    /// that we cannot write, must not keep the others from being served.
    async fn first_publish(&mut self) -> Result<(), RefreshError> {
        match AssertUnwindSafe(self.app.publish(clock::now())).catch_unwind().await {
            Ok(Err(RefreshError::Publish(error))) if error.may_pass() => self.unpublished(&error.to_string()),
            Ok(done) => _ = done?,
            Err(_) => self.unpublished(BUG),
        }
        let _ = self.lines.shelf.send(Arc::new(self.app.shelf().await?));
        Ok(())
    }

    /// Takes over when every page is due from the state; a page that was never asked, and one that is read in another
    /// way than before (`changed`, by address), is due now.
    async fn plan(&mut self, changed: &HashSet<String>) -> Result<(), store::StoreError> {
        let now = clock::now();
        let states = self.app.states().await?;
        self.app.reprice(&states, now).await?;
        self.priced = Instant::now();
        self.agenda.clear();
        let mut moved = Vec::new();
        for (index, (page, state)) in self.app.settings().pages.iter().zip(&states).enumerate() {
            let address = page.address.url().as_str();
            let retired = self.app.settings().is_retired(page, now);
            if !state.ended && !state.paused && !retired && !self.under_way.contains_key(address) {
                let due = if changed.contains(address) { now } else { self.app.due(index, state, now) };
                self.agenda.set(address, due);
                moved.extend(state.next_due.filter(|stored| *stored != due).map(|_| (index, due)));
            }
        }
        self.app.claim(&moved).await
    }

    /// Writes again, in the background of the start, what differs from what was published.
    async fn heal(&mut self) {
        match self.app.verify().await {
            Ok(0) => {}
            Ok(files) => {
                warn!(files, "published files were not as they were left; they are written again");
                let _ = self.publish().await;
            }
            Err(error) => error!("{error}"),
        }
    }

    /// Notices a clock that was set back, so that no page waits until it has caught up.
    async fn look_at_the_clock(&mut self) {
        let now = clock::now();
        if now < self.last.plus(-schedule::SET_BACK) {
            warn!("the clock was set back from {} to {}", self.last.rfc3339(), now.rfc3339());
            if let Err(error) = self.plan(&HashSet::new()).await {
                error!("{error}");
            }
        }
        let ends = |topic: &Topic| topic.retired.is_some_and(|at| at > self.last && at <= now);
        let ended = self.app.settings().topics.iter().any(ends);
        self.last = now;
        if self.priced.elapsed() >= REPRICE && self.app.settings().schedule.budget > 0 {
            self.priced = Instant::now();
            let repriced = async { self.app.reprice(&self.app.states().await?, now).await };
            if let Err(error) = repriced.await {
                error!("{error}");
            }
        }
        if ended {
            if let Err(error) = self.plan(&HashSet::new()).await {
                error!("{error}");
            }
            let _ = self.publish().await;
        }
    }

    /// Asks what is due and what was ordered, as far as there is room.
    async fn launch(&mut self) {
        let now = clock::now();
        for address in self.agenda.take_due(now) {
            if !self.under_way.contains_key(&address) && !self.queue.iter().any(|(a, _)| *a == address) {
                self.queue.push_back((address, Mode::default()));
            }
        }
        let next = self.next_up();
        if next.is_empty() {
            return;
        }
        let indices: Vec<usize> = next.iter().map(|(index, ..)| *index).collect();
        let stored = async {
            let states = self.app.states_of(&indices).await?;
            let may = |(i, state): &(&usize, &PageState)| {
                !state.ended && !state.paused && self.app.left_alone(**i, state, now).is_none()
            };
            let asked = indices.iter().zip(&states).filter(may);
            let claims: Vec<(usize, Stamp)> = asked.map(|(&i, state)| (i, self.app.next_due(i, state, now))).collect();
            self.app.claim(&claims).await.map(|()| states)
        };
        let states = match stored.await {
            Ok(states) => states,
            Err(error) => {
                let addresses = indices.iter().map(|&i| address(&self.app, i).to_owned()).collect();
                return self.put_off(addresses, &error);
            }
        };
        for ((index, mode), state) in next.into_iter().zip(states) {
            let page = &self.app.settings().pages[index];
            let host = self.app.settings().fetch.per_host.host(page.address.url()).map(str::to_owned);
            self.under_way.insert(
                address(&self.app, index).to_owned(),
                UnderWay { mode, since: Instant::now(), is_flying: true, host },
            );
            self.flights.spawn_local(flight(self.app.clone(), self.lines.metrics.clone(), index, state, mode, now));
        }
    }

    /// Takes from the queue what there is room for: so many at once, so many of one host. A page that is under way
    /// waits until it is stored.
    fn next_up(&mut self) -> Vec<(usize, Mode)> {
        if self.queue.is_empty() {
            return Vec::new();
        }
        let settings = self.app.settings();
        let most = settings.fetch.concurrency.max(1);
        let quick = self.under_way.values().filter(|page| page.is_flying && page.since.elapsed() < SLOW).count();
        let all = most.saturating_mul(CROWD).saturating_sub(self.flights.len());
        let mut room = most.saturating_sub(quick).min(all);
        let mut hosts: HashMap<&str, usize> = HashMap::new();
        for host in self.under_way.values().filter_map(|page| page.host.as_deref()) {
            *hosts.entry(host).or_default() += 1;
        }
        let index_of: HashMap<&str, usize> =
            settings.pages.iter().enumerate().map(|(i, page)| (page.address.url().as_str(), i)).collect();
        let mut next = Vec::new();
        self.queue.retain(|(address, mode)| {
            if room == 0 || self.under_way.contains_key(address) {
                return true;
            }
            let Some(&index) = index_of.get(address.as_str()) else {
                self.orders.fail(address, "the page is not followed any more");
                return false;
            };
            if let Some(host) = settings.fetch.per_host.host(settings.pages[index].address.url()) {
                let flying = hosts.entry(host).or_default();
                if *flying >= settings.fetch.per_host.concurrency.max(1) {
                    return true;
                }
                *flying += 1;
            }
            room -= 1;
            next.push((index, *mode));
            false
        });
        next
    }

    /// Leaves pages for later because the state failed.
    fn put_off(&mut self, pages: Vec<String>, why: &store::StoreError) {
        error!("{why}");
        let later = clock::now().plus(60);
        for address in pages {
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
        let mut settled: Vec<(String, Mode, Settled)> = Vec::new();
        while let Some((app, _)) = landed.first() {
            // After a reload, flights of the old configuration land beside those of the new one.
            let app = app.clone();
            let (these, others): (Vec<_>, Vec<_>) = landed.into_iter().partition(|(a, _)| a.same(&app));
            landed = others;
            let addresses: Vec<String> = these.iter().map(|(_, v)| address(&app, v.index()).to_owned()).collect();
            let modes = addresses.iter().map(|a| self.under_way.remove(a).map(|page| page.mode).unwrap_or_default());
            let modes: Vec<Mode> = modes.collect();
            match app.save(these.into_iter().map(|(_, visit)| visit).collect(), now).await {
                Ok(done) => {
                    for page in &done {
                        self.lines.metrics.judged(scheme(&app, page.index), &page.report);
                    }
                    settled.extend(addresses.into_iter().zip(modes).zip(done).map(|((a, m), d)| (a, m, d)));
                }
                Err(error) => self.put_off(addresses, &error),
            }
        }
        let mut unpublished = None;
        if settled.iter().any(|(.., s)| s.report.outcome == Outcome::Changed) {
            unpublished = self.publish().await.err();
        } else if let Ok(shelf) = self.app.shelf().await {
            let _ = self.lines.shelf.send(Arc::new(shelf));
        }
        let leads = settled.iter().any(|(.., s)| s.report.followed > 0);
        let at = Instant::now();
        self.recent.retain(|_, recent| at - recent.at < self.app.settings().server.refresh_min);
        for (address, mode, Settled { report, next_due, .. }) in settled {
            log(&report);
            if let Some(due) = next_due {
                self.agenda.set(&address, due);
            }
            self.orders.tell(&address, &report, mode, unpublished.as_deref());
            self.recent.insert(address, Recent { at, mode, report });
        }
        if leads && let Err(error) = self.be_led().await {
            error!("{error}; what is followed anew is read after the next start");
        }
        self.owns.look_again();
    }

    /// Takes up what posts' own pages say, and publishes those that waited for it or wait no longer.
    async fn fill(&mut self) {
        match self.owns.fill(&self.app).await {
            Ok(false) => {}
            Ok(true) => _ = self.publish().await,
            Err(error) => error!("{error}"),
        }
    }

    /// Publishes what changed and shows it to the server, or says why not.
    async fn publish(&mut self) -> Result<(), String> {
        let start = Instant::now();
        let done = match AssertUnwindSafe(self.app.finish(clock::now())).catch_unwind().await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(_) => Err(BUG.to_owned()),
        };
        let done = done.map(|done| {
            tell_refused(&done);
            self.lines.metrics.published(done.replaced.len(), start.elapsed());
        });
        match &done {
            Err(why) => self.unpublished(why),
            Ok(()) if self.again.take().is_some() => info!("feeds are written again"),
            Ok(()) => {}
        }
        match self.app.refused().await {
            Ok(refused) => self.orders.refused = u32::try_from(refused.len()).unwrap_or(u32::MAX),
            Err(error) => error!("{error}"),
        }
        match self.app.shelf().await {
            Ok(shelf) => _ = self.lines.shelf.send(Arc::new(shelf)),
            Err(error) => error!("{error}"),
        }
        self.push.look_again();
        done
    }

    /// Remembers to publish again, and says so once.
    fn unpublished(&mut self, why: &str) {
        if self.again.is_none() {
            error!("{why}; the feeds stay as they were until they can be written");
        }
        self.again = Some(Instant::now() + AGAIN);
    }

    async fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Status { answer } => {
                let now = clock::now();
                if let Ok(mut status) = self.app.status(now).await {
                    status["feeds"] = json!(self.lines.metrics.readers().all(now));
                    let _ = answer.send(status);
                }
            }
            Ask::Reload { done } => {
                systemd::reloading();
                let result = self.reload().await;
                systemd::ready(&systemd::status(self.app.settings(), self.lines.at.as_deref()));
                match &result {
                    Ok(()) => info!("the configuration was read again"),
                    Err(why) => error!("the configuration is refused, the old one goes on: {why}"),
                }
                let _ = done.send(result);
            }
            Ask::Subscribe { asked, answer } => {
                let _ = answer.send(self.app.subscribe(&asked, clock::now()).await);
                self.push.look_again();
            }
            Ask::Refresh { order, told } => self.order(order, told).await,
            Ask::Metrics { answer } => {
                let now = clock::now();
                let known = async {
                    let states = self.app.states().await?;
                    let budget = self.app.budget(&states, now).await?;
                    Ok::<_, store::StoreError>((states, budget))
                };
                if let Ok((states, budget)) = known.await {
                    let bytes = self.app.state_bytes();
                    let (waiting, under_way) = (self.queue.len(), self.under_way.len());
                    self.lines.metrics.now(&states, budget, waiting, under_way, bytes, now);
                    let _ = answer.send(self.lines.metrics.text());
                }
            }
            Ask::Health { answer } => match self.app.health().await {
                Ok(documents) => _ = answer.send(documents),
                Err(error) => error!("{error}"),
            },
            Ask::Task { task, answer } => _ = answer.send(self.task(&task).await),
        }
    }

    /// Does a task; what it changed is planned anew and published.
    async fn task(&mut self, task: &Task) -> Result<Value, Refused> {
        let done = self.app.task(task, clock::now()).await;
        if done.is_ok() && !task.only_reads() {
            info!("done as asked: {}", Text::line(&task.to_string()));
            let planned = match task {
                Task::Drop { .. } => self.be_led().await,
                _ => self.plan(&HashSet::new()).await.map_err(RefreshError::from),
            };
            planned.map_err(|e| Refused::Failed(e.to_string()))?;
            self.publish().await.map_err(Refused::Failed)?;
        }
        done
    }

    /// Queues what was ordered. Pages that are under way anyway serve this order too, and so does what became of them
    /// within `order.min`.
    async fn order(&mut self, order: Order, told: mpsc::UnboundedSender<Told>) {
        let pages = match self.app.choose(&order.names).await {
            Ok(Ok(pages)) => pages,
            Ok(Err(unknown)) => return drop(told.send(Told::Unknown(unknown))),
            Err(error) => return drop(told.send(Told::Failed(error.to_string()))),
        };
        let addresses: Vec<String> = pages.into_iter().map(|i| address(&self.app, i).to_owned()).collect();
        let mode = Mode { force: order.force, accept: order.accept };
        self.orders.take(&addresses, mode, told);
        for address in addresses {
            let recent = self.recent.get(&address).filter(|r| r.mode.serves(mode) && r.at.elapsed() < order.min);
            if let Some(recent) = recent {
                self.orders.tell(&address, &recent.report, recent.mode, None);
            } else if self.under_way.get(&address).is_some_and(|page| page.mode.serves(mode)) {
                // It is on its way.
            } else if let Some((_, queued)) = self.queue.iter_mut().find(|(a, _)| *a == address) {
                *queued = queued.and(mode);
            } else {
                self.queue.push_back((address, mode));
            }
        }
    }

    /// Goes on with another configuration, or says why not.
    async fn reload(&mut self) -> Result<(), String> {
        let (settings, terms) = (self.lines.load)()?;
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
        if *self.app.said() != settings {
            let app = self.app.reloaded(settings).await.map_err(|e| e.to_string())?;
            app.kept_slugs().await.map_err(|e| e.to_string())?.iter().for_each(|warning| warn!("{warning}"));
            self.go_on_with(app).await.map_err(|e| e.to_string())?;
        }
        let _ = self.lines.terms.send(Arc::new(terms));
        let _ = self.publish().await;
        Ok(())
    }

    /// Follows what indexes lead to by now.
    async fn be_led(&mut self) -> Result<(), RefreshError> {
        let app = self.app.led().await?;
        self.go_on_with(app).await?;
        let _ = self.lines.shelf.send(Arc::new(self.app.shelf().await?));
        Ok(())
    }

    async fn go_on_with(&mut self, app: App) -> Result<(), store::StoreError> {
        let before = self.app.fingerprints();
        let other = |(page, print): &(String, u64)| before.get(page).is_some_and(|before| before != print);
        let changed = app.fingerprints().into_iter().filter(other).map(|(page, _)| page).collect();
        self.app = app;
        self.recent.clear();
        self.plan(&changed).await
    }
}

/// Says which files were not put in place.
fn tell_refused(done: &Published) {
    for Unpublished { path, why, .. } in &done.refused {
        error!(path, "{path} is not published, the last good one stays: {why}; please report it");
    }
}

/// A page's address, which is what it is known by here: its position changes with the configuration.
fn address(app: &App, page: usize) -> &str {
    app.settings().pages[page].address.url().as_str()
}

/// The scheme of a page's address.
fn scheme(app: &App, page: usize) -> &str {
    app.settings().pages[page].address.url().scheme()
}

/// Asks for one page; a panic on the way is the page's failure.
async fn flight(app: App, metrics: Metrics, index: usize, state: PageState, mode: Mode, now: Stamp) -> (App, Visit) {
    let start = Instant::now();
    let visit = AssertUnwindSafe(app.visit(index, state.clone(), mode, now)).catch_unwind().await;
    let visit = visit.unwrap_or_else(|_| Visit::panicked(index, state));
    metrics.fetched(scheme(&app, index), start.elapsed());
    (app, visit)
}

/// One line a change, one a failure, none for a quiet poll.
fn log(report: &Report) {
    let Report { page, added, updated, renamed, delisted, proposed, followed, .. } = report;
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
        (None, _) if proposed + followed > 0 => {
            info!(page, proposed, followed, "{page}: {} new topic pages, see the health feed", proposed + followed);
        }
        _ => tracing::debug!(page, outcome = report.outcome.as_str(), "{page}: {}", report.outcome.as_str()),
    }
}
