//! What systemd's watchdog is fed by: proof that every part of the daemon has just moved.
//!
//! In: ways to ask the parts. Out: `WATCHDOG=1` (`sd_notify(3)`) as long as all of them answer. The scheduler takes a
//! question from its queue and reads the state for it, on the thread that also writes to it; a request goes through
//! the control socket; and no door keeps somebody waiting for longer than a beat. A part that answers late is waited
//! for, so that it is systemd that says what is too late. A timer alone feeds nothing: it goes on while all else hangs.
//! Deliberately absent: any cure. A state that fails, or that another program has locked, is no hang: feeds go on being
//! served, and a restart would not mend it.

use crate::daemon::systemd;
use crate::model::Ask;
use crate::serve::{Door, Listener};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tracing::{error, warn};

/// How often a door that is shut is looked at again.
const LOOK: Duration = Duration::from_millis(200);

/// The parts that must move.
pub(super) struct Parts {
    /// The work: the scheduler and the state. None where nobody works.
    asks: Option<mpsc::Sender<Ask>>,
    /// Where the listener answers.
    control: PathBuf,
    /// The doors of all listeners.
    doors: Vec<Door>,
}

impl Parts {
    pub(super) fn new(asks: Option<mpsc::Sender<Ask>>, control: &Path, listeners: &[Listener]) -> Self {
        let doors = listeners.iter().map(|listener| listener.door().clone()).collect();
        Self { asks, control: control.to_owned(), doors }
    }

    /// Tells systemd that all is alive, as long as that is so. Ends at once where systemd does not want to know.
    pub(super) async fn watch(self) {
        let Some(every) = systemd::watchdog() else { return };
        loop {
            let work = moved("the scheduler or the state", every, self.work());
            let listener = moved("the listener", every, self.listener());
            let doors = moved("a door for requests", every, self.doors(every));
            if let (Some(()), Some(()), Some(())) = tokio::join!(work, listener, doors) {
                systemd::alive();
            }
            sleep(every).await;
        }
    }

    async fn work(&self) -> Option<()> {
        let Some(asks) = &self.asks else { return Some(()) };
        let (answer, status) = oneshot::channel();
        asks.send(Ask::Status { answer }).await.ok()?;
        status.await.ok().map(drop)
    }

    async fn listener(&self) -> Option<()> {
        let mut stream = UnixStream::connect(&self.control).await.ok()?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok()?;
        answer.starts_with(b"HTTP/1.1 200").then_some(())
    }

    async fn doors(&self, every: Duration) -> Option<()> {
        let is_shut = |door: &Door| door.shut_since().is_some_and(|since: Instant| since.elapsed() >= every);
        while self.doors.iter().any(is_shut) {
            sleep(LOOK).await;
        }
        Some(())
    }
}

/// Waits until a part has moved; says so when it takes longer than a beat, and when it is gone.
async fn moved(part: &str, every: Duration, answer: impl Future<Output = Option<()>>) -> Option<()> {
    let mut answer = pin!(answer);
    let answered = tokio::select! {
        answered = &mut answer => answered,
        () = sleep(every) => {
            warn!("{part} does not answer; systemd is not told that pagewire lives until it does");
            answer.await
        }
    };
    if answered.is_none() {
        error!("{part} is gone; systemd is not told that pagewire lives");
    }
    answered
}
