//! Answers over TCP and Unix sockets: what is published, how things stand for the operator, a refresh on demand.
//!
//! In: bound sockets ([`bind`], [`bind_control`]), what is published ([`Shelf`]), what the operator wants ([`Terms`])
//! and a way to ask the daemon ([`Ask`]). Out: answers, until `stop` says otherwise. A published feed is answered
//! whatever the daemon is doing: from the shelf and the disk alone.
//!
//! Plain `hyper` and one `match` (`serve/route.rs`), no router: there are seven addresses besides the files, and what a router
//! decides for itself (HEAD, 405, slashes) is promised here to the letter. HTTP/1.1 only: TLS and HTTP/2 are the work
//! of the proxy in front.
//! Deliberately absent: what a refresh does, who is polled when, and any log line per request.

mod answer;
mod cache;
mod coding;
mod condition;
mod connection;
mod delta;
mod document;
mod door;
mod flight;
mod guard;
mod hub;
mod listen;
mod operator;
mod range;
mod reader;
mod route;
mod seat;
mod select;
mod status;

pub use door::Door;
pub use guard::Token;
pub use listen::{BindError, Listener, Role, bind, bind_control, inherited};

use crate::model::{Ask, Metrics, ServerSettings, Shelf, Site, Stamp};
use std::hash::RandomState;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Connections at once from everybody; further ones wait in the kernel's queue.
const PUBLIC_SEATS: usize = 1_024;
/// Connections at once on the control socket, which no crowd outside can take away: a hundred commands at once have two
/// each for a moment.
const CONTROL_SEATS: usize = 512;

/// Everything that answers are made of. The receivers may change at any time; a request sees one state of each.
#[derive(Debug, Clone)]
pub struct Front {
    /// What is published.
    pub shelf: watch::Receiver<Arc<Shelf>>,
    /// What the configuration says.
    pub terms: watch::Receiver<Arc<Terms>>,
    /// Whether the daemon has started and works.
    pub ready: watch::Receiver<bool>,
    /// Where work is asked for.
    pub asks: mpsc::Sender<Ask>,
    /// Where answers are counted.
    pub metrics: Metrics,
    /// The clock.
    pub now: fn() -> Stamp,
}

/// The part of the configuration that answers depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What the whole is called and where subscribers reach it.
    pub site: Site,
    /// Who may see and ask for what.
    pub server: ServerSettings,
    /// What `refresh_token_file` holds; without one there is no `POST /api/refresh` over TCP.
    pub token: Option<Token>,
}

/// What all connections share.
struct Server {
    front: Front,
    cache: cache::Cache,
    flights: flight::Flights,
    stop: watch::Receiver<bool>,
    /// What readers are told apart by, until the end.
    marks: RandomState,
}

/// Serves until `stop` holds true or its sender is gone. Then no connection is taken any more, event streams end at
/// once, answers under way are finished (for at most three seconds), and this returns.
pub async fn run(listeners: Vec<Listener>, front: Front, mut stop: watch::Receiver<bool>) {
    let (cache, flights) = (cache::Cache::default(), flight::Flights::new((front.now)()));
    let server = Arc::new(Server { front, cache, flights, stop: stop.clone(), marks: RandomState::new() });
    let public = seat::Seats::new(PUBLIC_SEATS);
    let control = seat::Seats::new(CONTROL_SEATS);
    let mut doors = JoinSet::new();
    for listener in listeners {
        let seats = if listener.role() == Role::Control { &control } else { &public };
        doors.spawn(connection::accept(listener, Arc::clone(seats), Arc::clone(&server)));
    }
    stopped(&mut stop).await;
    doors.join_all().await;
    public.emptied().await;
    control.emptied().await;
}

/// Waits for the end.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
