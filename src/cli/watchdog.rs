//! What systemd's watchdog is fed by: proof that every part of the daemon has just moved.
//!
//! In: ways to ask the parts. Out: `WATCHDOG=1` (`sd_notify(3)`) as long as all of them answer. The scheduler takes a
//! question from its queue and reads the state for it, on the thread that also writes to it (or else it is seen to do
//! one thing after another with the state: ten thousand feeds are not written in a moment); a request goes through the
//! control socket; and no door keeps somebody waiting for longer than a beat. A part that answers late is waited
//! for, so that it is systemd that says what is too late. A timer alone feeds nothing: it goes on while all else hangs.
//! Deliberately absent: any cure. A state that fails, or that another program has locked, is no hang: feeds go on being
//! served, and a restart would not mend it.

use crate::daemon::systemd;
use crate::model::{Ask, Pulse};
use crate::serve::{Door, Listener};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tracing::{error, warn};

/// How often what is slow is looked at again.
const LOOK: Duration = Duration::from_millis(200);

/// The parts that must move.
pub(super) struct Parts {
    /// The work: the scheduler, and what is done with the state. None where nobody works.
    work: Option<(mpsc::Sender<Ask>, Pulse)>,
    /// Where the listener answers.
    control: PathBuf,
    /// The doors of all listeners.
    doors: Vec<Door>,
}

impl Parts {
    pub(super) fn new(work: Option<(mpsc::Sender<Ask>, Pulse)>, control: &Path, listeners: &[Listener]) -> Self {
        let doors = listeners.iter().map(|listener| listener.door().clone()).collect();
        Self { work, control: control.to_owned(), doors }
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
        let Some((asks, pulse)) = &self.work else { return Some(()) };
        let before = pulse.count();
        let answered = async {
            let (answer, status) = oneshot::channel();
            asks.send(Ask::Status { answer }).await.ok()?;
            status.await.ok().map(drop)
        };
        let busy = async {
            while pulse.count() == before {
                sleep(LOOK).await;
            }
        };
        tokio::select! {
            biased;
            answered = answered => answered,
            () = busy => Some(()),
        }
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

/// Waits until a part has moved; says so when it takes longer than half a beat (before systemd ends all that could say
/// it), and when it is gone.
async fn moved(part: &str, every: Duration, answer: impl Future<Output = Option<()>>) -> Option<()> {
    let mut answer = pin!(answer);
    let answered = tokio::select! {
        answered = &mut answer => answered,
        () = sleep(every / 2) => {
            warn!("{part} does not answer; systemd is not told that pagewire lives until it does");
            answer.await
        }
    };
    if answered.is_none() {
        error!("{part} is gone; systemd is not told that pagewire lives");
    }
    answered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work that has no time to answer is alive as long as it gets on; one that is gone is not.
    #[test]
    fn work_that_gets_on_is_alive() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (asks, mut asked) = mpsc::channel(1);
        let pulse = Pulse::default();
        let parts = Parts::new(Some((asks, pulse.clone())), Path::new("control.sock"), &[]);
        runtime.block_on(async {
            let busy = async {
                let question = asked.recv().await;
                pulse.beat();
                question
            };
            let (alive, question) = tokio::join!(parts.work(), busy);
            assert!(alive.is_some() && question.is_some());
            drop((question, asked));
            assert!(parts.work().await.is_none());
        });
    }
}
