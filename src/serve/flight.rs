//! Refreshes that somebody ordered, and what was told of each.
//!
//! In: an order, and what the daemon tells. Out: an id, and the whole story as server-sent events for whoever listens,
//! however late. A flight goes on when nobody listens. At most [`KEPT`] are kept, for [`KEEP`] after their end.

use super::stopped;
use crate::model::{Ask, Order, Stamp, Told};
use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Flights that are kept at once.
const KEPT: usize = 64;
/// For how long after their end.
const KEEP: Duration = Duration::from_mins(10);
/// A word now and then: proxies take silence for death.
const PULSE: Duration = Duration::from_secs(15);

/// The events of a flight, as the body of an answer.
pub(super) type Events = StreamBody<Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, Infallible>> + Send>>>;

/// All flights.
pub(super) struct Flights {
    /// When the server started: with it no id is given twice.
    start: Stamp,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    count: u64,
    flights: Vec<Arc<Flight>>,
}

struct Flight {
    id: String,
    order: Order,
    log: watch::Sender<Log>,
}

/// What was told so far.
#[derive(Default)]
struct Log {
    events: Vec<Bytes>,
    end: Option<Instant>,
    /// Whether it ended without a total.
    broken: bool,
}

/// Why no refresh could be ordered.
pub(super) enum Refused {
    /// As many as can be kept are under way.
    Full,
    /// The daemon does not listen.
    Deaf,
}

impl Flights {
    pub(super) fn new(start: Stamp) -> Self {
        Self { start, list: Mutex::default() }
    }

    /// The id of a flight for this order: one under way or one that ended well within its `min`, else a new one.
    pub(super) fn order(&self, mut order: Order, asks: &mpsc::Sender<Ask>) -> Result<String, Refused> {
        order.names.sort_unstable();
        order.names.dedup();
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.clean();
        if let Some(flight) = list.flights.iter().rev().find(|flight| flight.order == order && flight.serves(order.min))
        {
            return Ok(flight.id.clone());
        }
        if list.flights.len() == KEPT {
            return Err(Refused::Full);
        }
        let (told, heard) = mpsc::unbounded_channel();
        asks.try_send(Ask::Refresh { order: order.clone(), told }).map_err(|_| Refused::Deaf)?;
        list.count += 1;
        let id = format!("{:x}-{}", self.start.0, list.count);
        let flight = Arc::new(Flight { id: id.clone(), order, log: watch::Sender::default() });
        list.flights.push(Arc::clone(&flight));
        tokio::spawn(async move { flight.follow(heard).await });
        Ok(id)
    }

    /// What is and will be told of a flight, from the start, until the end or until the server stops.
    pub(super) fn events(&self, id: &str, stop: &watch::Receiver<bool>) -> Option<Events> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let flight = list.flights.iter().find(|flight| flight.id == id)?;
        let state = (flight.log.subscribe(), 0, stop.clone());
        let stream = unfold(state, async |(mut log, at, mut stop)| {
            let event = next(&mut log, at, &mut stop).await?;
            let at = at + usize::from(event != PULSE_EVENT);
            Some((Ok(Frame::data(event)), (log, at, stop)))
        });
        Some(StreamBody::new(Box::pin(stream)))
    }
}

/// A comment, which listeners skip.
const PULSE_EVENT: Bytes = Bytes::from_static(b":\n\n");

/// The event at a position, waited for.
async fn next(log: &mut watch::Receiver<Log>, at: usize, stop: &mut watch::Receiver<bool>) -> Option<Bytes> {
    loop {
        {
            let log = log.borrow_and_update();
            if log.events.len() > at {
                return log.events.get(at).cloned();
            }
            log.end.is_none().then_some(())?;
        }
        tokio::select! {
            changed = log.changed() => changed.ok()?,
            () = stopped(stop) => return None,
            () = sleep(PULSE) => return Some(PULSE_EVENT),
        }
    }
}

impl List {
    /// Lets go of what is old, and of the oldest that ended where there are too many.
    fn clean(&mut self) {
        self.flights.retain(|flight| flight.log.borrow().end.is_none_or(|end| end.elapsed() < KEEP));
        if self.flights.len() >= KEPT
            && let Some(oldest) = self.flights.iter().position(|flight| flight.log.borrow().end.is_some())
        {
            self.flights.remove(oldest);
        }
    }
}

impl Flight {
    /// Whether it answers the same order again.
    fn serves(&self, min: Duration) -> bool {
        let log = self.log.borrow();
        log.end.is_none_or(|end| !log.broken && end.elapsed() < min)
    }

    /// Writes down what the daemon tells.
    async fn follow(&self, mut heard: UnboundedReceiver<Told>) {
        while let Some(told) = heard.recv().await {
            match told {
                Told::Page(report) => self.tell(&event("page", &report), None),
                Told::Total(total) => return self.tell(&event("total", &json!({ "total": total })), Some(false)),
                Told::Unknown(why) => return self.fail("unknown", &why),
                Told::Failed(why) => return self.fail("failed", &why),
            }
        }
        self.fail("failed", "the refresh was cut off: the daemon stops, or something is wrong with it");
    }

    fn fail(&self, kind: &str, message: &str) {
        let error = json!({ "error": { "kind": kind, "message": message } });
        self.tell(&event("error", &error), Some(true));
    }

    /// One more event; the last one says whether the flight broke.
    fn tell(&self, event: &str, last: Option<bool>) {
        self.log.send_modify(|log| {
            log.events.push(Bytes::copy_from_slice(event.as_bytes()));
            log.end = last.map(|_| Instant::now());
            log.broken = last.unwrap_or(false);
        });
    }
}

/// An event as the HTML standard's §9.2 writes it. JSON on one line needs no more than that.
fn event(name: &str, data: &impl Serialize) -> String {
    format!("event: {name}\ndata: {}\n\n", serde_json::to_string(data).expect("keys are strings"))
}
