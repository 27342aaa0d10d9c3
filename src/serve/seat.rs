//! How many connections there may be, and how long each may do nothing.
//!
//! In: what a connection is seen to do. Out: when it must go. A connection that rests (between two requests, or with a
//! request that it does not finish sending) gives way when all seats are taken, the longest resting first; after those
//! the readers that have taken nothing for a while. So neither idle nor slow ones keep others out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// For the head of a request, from its first byte; and for that byte, on a new connection.
const HEAD: Duration = Duration::from_secs(10);
/// For the next request on a connection.
const IDLE: Duration = Duration::from_mins(1);
/// For a reader to take some more of an answer.
const STALLED: Duration = Duration::from_mins(1);
/// The same where somebody else waits for the seat.
const SLOW: Duration = Duration::from_secs(5);
/// For answers under way when the server stops.
const DRAIN: Duration = Duration::from_secs(3);
/// For requests that may be on their way then: a connection that is closed unread, new or kept, is an error to its
/// reader. Whoever asks once more within that time is told that the connection closes.
const ARRIVING: Duration = Duration::from_millis(300);
/// How many are asked to leave at a time.
const AT_ONCE: usize = 16;
/// How long to wait for somebody who was asked to leave before another is asked too.
const PATIENCE: Duration = Duration::from_millis(100);

/// The seats of some listeners.
pub(super) struct Seats {
    all: u32,
    free: Arc<Semaphore>,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    /// How many were asked to leave and have not done so.
    leaving: usize,
    seats: HashMap<u64, Arc<Seat>>,
}

impl Seats {
    pub(super) fn new(all: usize) -> Arc<Self> {
        let count = u32::try_from(all).expect("a few thousand at most");
        Arc::new(Self { all: count, free: Arc::new(Semaphore::new(all)), taken: Mutex::default() })
    }

    /// A seat for a new connection; others leave for it if need be.
    pub(super) async fn take(self: &Arc<Self>) -> Sitting {
        let free = Arc::clone(&self.free).try_acquire_owned();
        let permit = match free {
            Ok(permit) => permit,
            Err(_) => self.wait().await,
        };
        let seat = Arc::new(Seat::new(Instant::now()));
        let mut taken = held(&self.taken);
        taken.next += 1;
        let number = taken.next;
        taken.seats.insert(number, Arc::clone(&seat));
        Sitting { seat, number, seats: Arc::clone(self), _permit: permit }
    }

    async fn wait(&self) -> OwnedSemaphorePermit {
        if held(&self.taken).leaving == 0 {
            self.make_room();
        }
        loop {
            if let Ok(Ok(permit)) = timeout(PATIENCE, Arc::clone(&self.free).acquire_owned()).await {
                return permit;
            }
            self.make_room();
        }
    }

    /// Asks those to leave who are missed least, a few at a time: looking at everybody for each newcomer would take
    /// longer than serving them.
    pub(super) fn make_room(&self) {
        let now = Instant::now();
        let mut taken = held(&self.taken);
        let worth = |seat: &Arc<Seat>| Some((held(&seat.state).worth(now)?, Arc::clone(seat)));
        let mut least: Vec<_> = taken.seats.values().filter_map(worth).collect();
        least.sort_unstable_by_key(|(worth, _)| *worth);
        least.truncate(AT_ONCE);
        taken.leaving += least.len();
        for (_, seat) in least {
            held(&seat.state).asked = true;
            seat.called.notify_one();
        }
    }

    /// Waits until all have left.
    pub(super) async fn emptied(&self) {
        let _ = self.free.acquire_many(self.all).await;
    }
}

/// A seat that is taken, for as long as this lives.
pub(super) struct Sitting {
    pub(super) seat: Arc<Seat>,
    number: u64,
    seats: Arc<Seats>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Sitting {
    fn drop(&mut self) {
        let mut taken = held(&self.seats.taken);
        taken.seats.remove(&self.number);
        if held(&self.seat.state).asked {
            taken.leaving -= 1;
        }
    }
}

/// One connection, as far as its time goes.
pub(super) struct Seat {
    state: Mutex<State>,
    called: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No request is under way.
    Resting,
    /// Part of a request's head has come.
    Head,
    /// A request is being answered.
    Busy,
}

#[derive(Debug, Clone, Copy)]
struct State {
    phase: Phase,
    /// When the phase began, or some of an answer was last taken.
    since: Instant,
    /// Whether part of an answer waits for its reader.
    blocked: bool,
    /// Whether a request was ever answered.
    served: bool,
    /// Whether somebody needs the seat.
    asked: bool,
    /// When the server began to stop.
    stopped: Option<Instant>,
}

impl State {
    fn new(now: Instant) -> Self {
        Self { phase: Phase::Resting, since: now, blocked: false, served: false, asked: false, stopped: None }
    }

    /// When this connection is over if nothing more happens; none while we are the ones who work.
    fn limit(&self) -> Option<Instant> {
        let usual = match self.phase {
            _ if self.blocked => Some(self.since + STALLED),
            Phase::Busy => None,
            Phase::Resting if self.served => Some(self.since + IDLE),
            Phase::Resting | Phase::Head => Some(self.since + HEAD),
        };
        let asked = usual.filter(|_| self.asked).map(|_| self.since);
        let stopped = self.stopped.map(|when| match self.phase {
            phase if self.blocked || phase == Phase::Busy => when + DRAIN,
            _ => when + ARRIVING,
        });
        [usual, asked, stopped].into_iter().flatten().min()
    }

    /// How much it is missed, by kind and then by time; none for one that may not be sent away.
    fn worth(&self, now: Instant) -> Option<(u8, Instant)> {
        match self.phase {
            _ if self.asked => None,
            _ if self.blocked => (now >= self.since + SLOW).then_some((1, self.since)),
            Phase::Busy => None,
            Phase::Resting | Phase::Head => Some((0, self.since)),
        }
    }
}

impl Seat {
    fn new(now: Instant) -> Self {
        Self { state: Mutex::new(State::new(now)), called: Notify::new() }
    }

    /// See [`State::limit`].
    pub(super) fn limit(&self) -> Option<Instant> {
        held(&self.state).limit()
    }

    /// Waits until somebody needs this seat.
    pub(super) async fn called(&self) {
        self.called.notified().await;
    }

    /// The server stops.
    pub(super) fn stop(&self) {
        held(&self.state).stopped = Some(Instant::now());
    }

    /// Bytes came in.
    pub(super) fn heard(&self) {
        let mut state = held(&self.state);
        if state.phase == Phase::Resting {
            (state.phase, state.since) = (Phase::Head, Instant::now());
        }
    }

    /// Bytes went out.
    pub(super) fn said(&self) {
        let mut state = held(&self.state);
        (state.blocked, state.since) = (false, Instant::now());
    }

    /// No more bytes can go out for now.
    pub(super) fn block(&self) {
        held(&self.state).blocked = true;
    }

    /// A request has come.
    pub(super) fn begin(&self) {
        held(&self.state).phase = Phase::Busy;
    }

    /// Its answer is made. Says whether another request may follow.
    pub(super) fn end(&self) -> bool {
        let mut state = held(&self.state);
        (state.phase, state.since, state.served) = (Phase::Resting, Instant::now(), true);
        !state.asked && state.stopped.is_none()
    }
}

/// A lock's content. A panic while it was held cannot have left it half changed.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_has_a_limit_but_the_one_we_work_for() {
        let start = Instant::now();
        let at = |seconds: f64| Some(start + Duration::from_secs_f64(seconds));
        let new = State::new(start);
        let served = State { served: true, ..new };
        let head = State { phase: Phase::Head, ..served };
        let busy = State { phase: Phase::Busy, ..served };
        let blocked = State { blocked: true, ..served };
        let one_second_later = Some(start + Duration::from_secs(1));
        for (state, usual, asked, stopped) in [
            (new, at(10.0), at(0.0), at(1.3)),
            (served, at(60.0), at(0.0), at(1.3)),
            (head, at(10.0), at(0.0), at(1.3)),
            (busy, None, None, at(4.0)),
            (blocked, at(60.0), at(0.0), at(4.0)),
        ] {
            assert_eq!(state.limit(), usual, "{state:?}");
            assert_eq!(State { asked: true, ..state }.limit(), asked, "{state:?}");
            assert_eq!(State { stopped: one_second_later, ..state }.limit(), stopped, "{state:?}");
        }
    }
}
