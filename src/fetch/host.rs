//! Each host's turn: so many requests at once, and a pause between the starts of two, shared by all pages.
//!
//! In: an address before a request. Out: leave, once it is that host's turn. A host that asked all of us to rest (429)
//! or for longer pauses (Crawl-delay) is heeded here, by whomever it is asked.

use crate::model::{PerHost, RETRY_AFTER_MAX, Stamp};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

/// Longer pauses than this are not believed: a page would never be asked.
pub(super) const CRAWL_DELAY_MAX: Duration = Duration::from_mins(5);

/// Every host that was asked.
#[derive(Debug)]
pub(super) struct Hosts {
    per: PerHost,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    permits: Arc<Semaphore>,
    /// Whether a connection to it may be open still.
    met: AtomicBool,
    pace: Mutex<Pace>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    /// When the next request may start.
    next: Option<Instant>,
    /// The pause that the host asks for.
    delay: Duration,
    /// Until when it wants to be left alone.
    rest: Option<Stamp>,
}

impl Hosts {
    pub(super) fn new(per: PerHost) -> Self {
        Self { per, hosts: Mutex::default() }
    }

    /// The same hosts under other bounds: what they asked for goes on to hold.
    pub(super) fn under(&self, per: PerHost) -> Self {
        let next = Self::new(per);
        {
            let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
            for (name, host) in hosts.iter() {
                *next.named(name).pace() = *host.pace();
            }
        }
        next
    }

    /// Waits for the turn of the host of `url`; the request may last as long as the permit lives.
    pub(super) async fn turn(&self, url: &Url) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.host(url).permits).acquire_owned().await.ok();
        self.pause(url).await;
        permit
    }

    /// Waits until the next request to the host of `url` may start.
    pub(super) async fn pause(&self, url: &Url) {
        let host = self.host(url);
        let start = {
            let mut pace = host.pace();
            let pause = self.per.pause.max(pace.delay);
            if pause.is_zero() {
                return;
            }
            let now = Instant::now();
            let start = pace.next.map_or(now, |next| next.max(now));
            pace.next = Some(start + pause);
            start
        };
        tokio::time::sleep_until(start).await;
    }

    /// Notes that the host of `url` answered; whether it had before.
    pub(super) fn meet(&self, url: &Url) {
        self.host(url).met.store(true, Ordering::Relaxed);
    }

    /// Whether a connection to the host of `url` may have been kept.
    pub(super) fn met(&self, url: &Url) -> bool {
        self.host(url).met.load(Ordering::Relaxed)
    }

    /// Heeds the pause that a host asks for; none takes it back.
    pub(super) fn slow_down(&self, url: &Url, delay: Option<Duration>) {
        self.host(url).pace().delay = delay.unwrap_or_default().min(CRAWL_DELAY_MAX);
    }

    /// Leaves the host of `url` alone until then.
    pub(super) fn rest(&self, url: &Url, until: Stamp) {
        let host = self.host(url);
        let mut pace = host.pace();
        pace.rest = pace.rest.max(Some(until));
    }

    /// Until when the host of `url` wants to be left alone. A time further away than any that is believed is from
    /// before the clock was set back.
    pub(super) fn resting(&self, url: &Url, now: Stamp) -> Option<Stamp> {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let until = hosts.get(self.per.host(url)?)?.pace().rest;
        until.filter(|until| (1..=RETRY_AFTER_MAX).contains(&(until.0 - now.0)))
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        self.named(self.per.host(url).unwrap_or_default())
    }

    fn named(&self, name: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(name) {
            return Arc::clone(host);
        }
        let host = Host {
            permits: Arc::new(Semaphore::new(self.per.concurrency.max(1))),
            met: AtomicBool::new(false),
            pace: Mutex::default(),
        };
        let host = Arc::new(host);
        hosts.insert(name.to_owned(), Arc::clone(&host));
        host
    }
}

impl Host {
    fn pace(&self) -> std::sync::MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
