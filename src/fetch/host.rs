//! Each host's turn: so many requests at once, and a pause between the starts of two, shared by all pages.

use crate::model::PerHost;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

/// Every host that was asked.
#[derive(Debug)]
pub(super) struct Hosts {
    per: PerHost,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    permits: Arc<Semaphore>,
    /// When the next request may start.
    next: Mutex<Option<Instant>>,
}

impl Hosts {
    pub(super) fn new(per: PerHost) -> Self {
        Self { per, hosts: Mutex::default() }
    }

    /// Waits for the turn of the host of `url`; the request may last as long as the permit lives.
    pub(super) async fn turn(&self, url: &Url) -> Option<OwnedSemaphorePermit> {
        let host = self.host(url);
        let permit = Arc::clone(&host.permits).acquire_owned().await.ok();
        if !self.per.pause.is_zero() {
            let start = {
                let mut next = host.next.lock().unwrap_or_else(PoisonError::into_inner);
                let start = next.map_or_else(Instant::now, |n| n.max(Instant::now()));
                *next = Some(start + self.per.pause);
                start
            };
            tokio::time::sleep_until(start).await;
        }
        permit
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        let name = url.host_str().unwrap_or_default();
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(name) {
            return Arc::clone(host);
        }
        let host = Host { permits: Arc::new(Semaphore::new(self.per.concurrency.max(1))), next: Mutex::new(None) };
        let host = Arc::new(host);
        hosts.insert(name.to_owned(), Arc::clone(&host));
        host
    }
}
