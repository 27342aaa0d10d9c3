//! `pagewire run`: the daemon in the foreground.
//!
//! Two threads: this one serves and listens to signals, the other works ([`daemon`]). systemd is told READY once feeds
//! answer, and that all is alive only when the scheduler, the state and the listener have just moved.

use super::owner::become_owner;
use super::watchdog::Parts;
use super::{Exit, log, say_error, settings, store_failed};
use crate::daemon::{self, Lines, systemd};
use crate::model::{Ask, Metrics, Order, Settings};
use crate::refresh::{App, RefreshError};
use crate::serve::{self, Front, Listener, Role, Terms, Token};
use crate::store::{Store, StoreError};
use crate::{clock, config, publish};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot, watch};
use tracing::{error, info, warn};

/// How long the work may take to end once it is told to.
const LAST_WORK: Duration = Duration::from_secs(4);

/// Reload pages by schedule, publish and serve their feeds, in the foreground
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Signals: TERM and INT stop it, HUP reads the configuration again, USR1 refreshes every page.\n\n\
    Example:\n  pagewire --config config/pagewire.toml run"
)]
pub(super) struct Args {}

pub(super) fn run(config: Option<&Path>, verbose: bool, quiet: bool) -> Exit {
    let work = || {
        let settings = settings(config)?;
        become_owner(&settings.state.database)?;
        log::open(settings.log, verbose, quiet);
        raise_file_limit();
        super::runtime()?.block_on(async {
            match whole_store(&settings.state.database).await {
                Ok(store) => serve_and_work(settings, store).await,
                Err(damaged @ StoreError::Damaged { .. }) => serve_alone(settings, &damaged).await,
                Err(error) => Err(store_failed(&error)),
            }
        })
    };
    work().unwrap_or_else(|exit| exit)
}

/// The state, found whole.
async fn whole_store(database: &Path) -> Result<Store, StoreError> {
    let store = Store::open(database)?;
    store.check(database).await?;
    Ok(store)
}

/// Serves the feeds that lie in the folder while the state is damaged: subscribers lose nothing until somebody mends it.
async fn serve_alone(settings: Settings, damaged: &StoreError) -> Result<Exit, Exit> {
    error!("{damaged}; until then the feeds are served as they are, and no page is reloaded");
    let mut signals = Signals::open().map_err(unusable)?;
    let terms = watch::channel(Arc::new(terms(&settings).map_err(unusable)?)).1;
    let listeners = listeners(&settings).await?;
    let parts = Parts::new(None, &settings.server.control.path, &listeners);
    let shelf = watch::channel(Arc::new(publish::shelf(&settings.publish.directory))).1;
    // Whoever asks is told that nobody works.
    let (asks, _) = mpsc::channel(1);
    let (stop, stopped) = watch::channel(false);
    let front =
        Front { shelf, terms, ready: watch::channel(true).1, asks, metrics: Metrics::default(), now: clock::now };
    let server = tokio::spawn(serve::run(listeners, front, stopped));
    systemd::ready("the database is damaged: feeds are served as they are, see the log");
    let watch = tokio::spawn(parts.watch());
    let exit = loop {
        match signals.next().await {
            Signal::Stop(exit) => break exit,
            Signal::Reload | Signal::Refresh => error!("{damaged}"),
        }
    };
    systemd::stopping();
    watch.abort();
    let _ = stop.send(true);
    let _ = server.await;
    Ok(exit)
}

async fn serve_and_work(settings: Settings, store: Store) -> Result<Exit, Exit> {
    // From here on a signal ends or changes the work, however far the start is.
    let mut signals = Signals::open().map_err(unusable)?;
    let terms = terms(&settings).map_err(unusable)?;
    let listeners = listeners(&settings).await?;
    let pulse = store.pulse().clone();
    let app = App::new(settings.clone(), store).await.map_err(failed_start)?;
    app.kept_slugs().await.map_err(|e| store_failed(&e))?.iter().for_each(|warning| warn!("{warning}"));
    let metrics = Metrics::default();
    let (asks, asked) = mpsc::channel(64);
    let (stop, stopped) = watch::channel(false);
    // What was published before is served from the first moment.
    let published = app.shelf().await.map_err(|e| store_failed(&e))?;
    let (shelf, shelves) = watch::channel(Arc::new(published));
    let (terms, terms_now) = watch::channel(Arc::new(terms));
    let (is_ready, ready_now) = watch::channel(false);
    let file = settings.file.clone();
    let at = listeners.iter().find(|listener| listener.role() == Role::Public).map(Listener::name);
    let lines = Lines {
        asks: asked,
        shelf,
        terms,
        load: Box::new(move || {
            let settings = config::load(&file).map_err(|e| e.to_string())?;
            let terms = self::terms(&settings)?;
            Ok((settings, terms))
        }),
        metrics: metrics.clone(),
        at: at.clone(),
        stop: stopped.clone(),
    };
    let (started, mut start) = oneshot::channel();
    let mut parts = Some(Parts::new(Some((asks.clone(), pulse)), &settings.server.control.path, &listeners));
    let worker = Worker::start(app, lines, started)?;
    let front =
        Front { shelf: shelves, terms: terms_now, ready: ready_now, asks: asks.clone(), metrics, now: clock::now };
    let mut server = tokio::spawn(serve::run(listeners, front, stopped));
    let mut watch = None;
    let exit = loop {
        tokio::select! {
            started = &mut start, if parts.is_some() => {
                if started.is_err() {
                    break worker.end().await;
                }
                let _ = is_ready.send(true);
                let status = systemd::status(&settings, at.as_deref());
                info!("pagewire {} {status}", env!("CARGO_PKG_VERSION"));
                systemd::ready(&status);
                watch = parts.take().map(|parts| tokio::spawn(parts.watch()));
            }
            signal = signals.next() => match signal {
                Signal::Stop(exit) => break exit,
                Signal::Reload => post(&asks, Ask::Reload { done: oneshot::channel().0 }),
                Signal::Refresh => {
                    let order = Order::default();
                    post(&asks, Ask::Refresh { order, told: mpsc::unbounded_channel().0 });
                }
            },
            () = worker.ended(), if watch.is_some() => {
                error!("the work ended by itself: a bug, please report it");
                break Exit::Failed;
            }
            _ = &mut server => break Exit::Failed,
        }
    };
    systemd::stopping();
    if let Some(watch) = watch {
        watch.abort();
    }
    let _ = stop.send(true);
    let served = async {
        if !server.is_finished() {
            let _ = server.await;
        }
    };
    tokio::join!(served, worker.end());
    Ok(exit)
}

/// Asks for what a signal wants, without waiting: the next signal may be the end.
fn post(asks: &mpsc::Sender<Ask>, ask: Ask) {
    if asks.try_send(ask).is_err() {
        error!("more is asked than can be done just now; send the signal again");
    }
}

/// What the server needs of the configuration, with the token's file read.
fn terms(settings: &Settings) -> Result<Terms, String> {
    let token = match &settings.server.refresh_token_file {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| {
                format!("cannot read `{}`: {e}; it is `refresh_token_file` of [server]", path.display())
            })?;
            let empty = || format!("`{}` holds no token; it is `refresh_token_file` of [server]", path.display());
            Some(Token::of(&text).ok_or_else(empty)?)
        }
    };
    Ok(Terms { site: settings.site.clone(), server: settings.server.clone(), token })
}

async fn listeners(settings: &Settings) -> Result<Vec<Listener>, Exit> {
    let mut listeners = serve::inherited().map_err(unusable)?;
    for listener in &listeners {
        info!("handed over: listening on {}", listener.name());
    }
    if !listeners.iter().any(|listener| listener.role() == Role::Control) {
        listeners.push(serve::bind_control(&settings.server.control).await.map_err(unusable)?);
    }
    let handed_over = listeners.iter().any(|listener| listener.role() == Role::Public);
    for listen in settings.server.listen.iter().filter(|_| !handed_over) {
        let listener = serve::bind(listen).await.map_err(unusable)?;
        if let Some(address) = listener.address() {
            info!("listening on {address}");
        }
        listeners.push(listener);
    }
    Ok(listeners)
}

fn unusable(why: impl std::fmt::Display) -> Exit {
    say_error(why);
    Exit::Config
}

/// At the start a folder that can't be used is a bad configuration, which a restart does not mend.
fn failed_start(why: RefreshError) -> Exit {
    match why {
        RefreshError::Store(e) => store_failed(&e),
        RefreshError::Publish(e) => unusable(e),
    }
}

/// The thread that works.
struct Worker {
    ended: watch::Receiver<Option<Exit>>,
}

impl Worker {
    fn start(app: App, lines: Lines, started: oneshot::Sender<()>) -> Result<Self, Exit> {
        let (end, ended) = watch::channel(None);
        let work = move || {
            let exit = match super::runtime() {
                Ok(runtime) => match runtime.block_on(daemon::run(app, lines, started)) {
                    Ok(()) => Exit::Well,
                    Err(error) => failed_start(error),
                },
                Err(exit) => exit,
            };
            let _ = end.send(Some(exit));
        };
        let spawned = std::thread::Builder::new().name("work".to_owned()).spawn(work);
        spawned.map_err(|e| unusable(format!("no thread: {e}")))?;
        Ok(Self { ended })
    }

    /// Returns when the work ended, or panicked.
    async fn ended(&self) {
        let _ = self.ended.clone().wait_for(Option::is_some).await;
    }

    /// Waits for the end, for a while, and says how it was.
    async fn end(&self) -> Exit {
        let _ = tokio::time::timeout(LAST_WORK, self.ended()).await;
        self.ended.borrow().unwrap_or(Exit::Failed)
    }
}

enum Signal {
    Stop(Exit),
    Reload,
    Refresh,
}

struct Signals {
    term: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    hup: tokio::signal::unix::Signal,
    usr1: tokio::signal::unix::Signal,
}

impl Signals {
    fn open() -> std::io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            int: signal(SignalKind::interrupt())?,
            hup: signal(SignalKind::hangup())?,
            usr1: signal(SignalKind::user_defined1())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.term.recv() => Signal::Stop(Exit::Well),
            _ = self.int.recv() => Signal::Stop(Exit::Interrupted),
            _ = self.hup.recv() => Signal::Reload,
            _ = self.usr1.recv() => Signal::Refresh,
        }
    }
}

/// Raises the number of open files to what is allowed: a crowd of connections must not leave the work without any.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
