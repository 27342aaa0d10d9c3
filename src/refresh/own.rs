//! Posts' own pages: asked through the same gate as everything, read, and taken up.
//!
//! In: what the store says is due. Out: entries with what their own pages say, published. A reading never costs more than
//! its post: a panic, a refusal or a page that is another one is a failure, tried again later. Deliberately absent: which
//! posts wait (`store`), and when a failed one is tried again (`schedule`).

use super::crowd::Crowd;
use super::visit::guarded;
use super::{App, RefreshError, Step};
use crate::model::{ErrorKind, Failure, Own, OwnResult, PageId, Spent, Stamp};
use crate::store::{Filled, StoreError, Terms};
use crate::{extract, fetch, schedule};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::HashMap;
use std::time::Duration;

/// Longest own page, in bytes.
const MAX_SIZE: u64 = 4 << 20;

impl App {
    /// Posts whose own pages are to be asked now, at most so many, each noted as asked. `busy` says how many requests
    /// are under way a host. Those of a host that wants to be left alone are put off.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn own_due(
        &self,
        busy: &HashMap<String, usize>,
        most: usize,
        all_that_wait: bool,
        now: Stamp,
    ) -> Result<Vec<Own>, StoreError> {
        let pages: Vec<PageId> = self
            .settings
            .pages
            .iter()
            .zip(&self.registered.pages)
            .filter(|(page, _)| page.settings.wants().is_some())
            .map(|(_, id)| *id)
            .collect();
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let mut busy = busy.clone();
        let (mut due, mut put_off) = (Vec::new(), Vec::new());
        let per_host = self.settings.fetch.per_host;
        for own in self.store.own_due(&pages, now, all_that_wait).await? {
            if let Some(until) = self.fetcher.resting(&own.link, now) {
                put_off.push((own.entry, until));
                continue;
            }
            let flying = busy.entry(per_host.host(&own.link).unwrap_or_default().to_owned()).or_default();
            if due.len() < most && (all_that_wait || *flying < per_host.concurrency.max(1)) {
                *flying += 1;
                due.push(own);
            }
        }
        self.store.own_put_off(&put_off).await?;
        let claims: Vec<_> = due.iter().map(|own| (own.entry, again(own.tries + 1, now))).collect();
        self.store.own_claim(&claims, now).await?;
        Ok(due)
    }

    /// When the next of posts' own pages is due, and when the first post waits no longer.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn own_next(&self) -> Result<(Option<Stamp>, Option<Stamp>), StoreError> {
        self.store.own_next().await
    }

    /// The host of a post's own page, as requests are counted.
    pub fn own_host(&self, own: &Own) -> String {
        self.settings.fetch.per_host.host(&own.link).unwrap_or_default().to_owned()
    }

    /// Asks for a post's own page and reads it.
    pub async fn read_own(&self, own: &Own, now: Stamp) -> OwnResult {
        let Some(index) = self.registered.pages.iter().position(|page| *page == own.page) else {
            return OwnResult::Failed(Failure::new(ErrorKind::Invalid, "its page is not followed any more"), None);
        };
        let page = &self.settings.pages[index];
        let Some(wants) = page.settings.wants() else {
            return OwnResult::Failed(Failure::new(ErrorKind::Invalid, "it is not wanted any more"), None);
        };
        let tries = own.tries + 1;
        let body = match self.fetcher.get_from(page, &own.link, MAX_SIZE, now).await {
            Ok((body, _)) => body,
            Err(refusal) => {
                let is_final = matches!(
                    refusal.failure.kind,
                    ErrorKind::Gone | ErrorKind::Robots | ErrorKind::RefusedAddress | ErrorKind::TooLarge
                );
                let again =
                    again(tries, now).filter(|_| !is_final).map(|at| refusal.retry_after.map_or(at, |r| r.max(at)));
                return OwnResult::Failed(own_failure(&refusal), again);
            }
        };
        match guarded(|| extract::own(&body, own, wants, page.settings.timezone)) {
            Ok(page) => OwnResult::Read(Box::new(page)),
            Err(failure) if failure.kind == ErrorKind::Panic => OwnResult::Failed(failure, None),
            Err(failure) => OwnResult::Failed(failure, again(tries, now)),
        }
    }

    /// Takes up what was read, and publishes what waited for it or waits no longer.
    ///
    /// # Errors
    /// When the state fails; nothing was stored then.
    pub async fn fill(&self, results: &[(Own, OwnResult)], until: Stamp, now: Stamp) -> Result<Filled, StoreError> {
        let terms = |id: PageId| {
            let index = self.registered.pages.iter().position(|page| *page == id)?;
            let settings = &self.settings.pages[index].settings;
            Some(Terms { wants: settings.wants()?, late: settings.late })
        };
        let spent = Spent { requests: self.fetcher.spent(), planned: 0 };
        let filled = self.store.fill(results, terms, &self.fetcher.news(), spent, until, now).await?;
        self.fetcher.stored(spent.requests);
        Ok(filled)
    }

    /// Reads what is due for a run without a daemon, which leaves no post waiting: one that fails is tried once more,
    /// and what is not read within the time that posts wait is published without. `tell` hears how far it is.
    ///
    /// # Errors
    /// When the state fails.
    pub(super) async fn settle_own(&self, now: Stamp, mut tell: impl FnMut(Step<'_>)) -> Result<Filled, RefreshError> {
        let mut all = Filled::default();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(Own::WAIT.unsigned_abs());
        for _ in 0..Own::FAILURES {
            let due = self.own_due(&HashMap::new(), usize::MAX, true, now).await?;
            if due.is_empty() {
                break;
            }
            let mut results = self.read_all(due, deadline, now, &mut tell).await;
            // The order of answers shows in no feed.
            results.sort_by_key(|(own, _)| own.entry);
            add(&mut all, self.fill(&results, Stamp(i64::MIN), now).await?);
        }
        add(&mut all, self.fill(&[], Stamp(i64::MAX), now).await?);
        Ok(all)
    }

    /// Reads these, those that come before the deadline.
    async fn read_all(
        &self,
        due: Vec<Own>,
        deadline: tokio::time::Instant,
        now: Stamp,
        tell: &mut impl FnMut(Step<'_>),
    ) -> Vec<(Own, OwnResult)> {
        let (all, mut results) = (due.len(), Vec::new());
        let (mut flying, mut crowd) = (FuturesUnordered::new(), Crowd::new(self.settings.fetch.concurrency));
        let mut waiting = due.into_iter().enumerate().peekable();
        tell(Step::Own { done: 0, all });
        loop {
            while crowd.has_room() {
                let Some((number, own)) = waiting.next() else { break };
                crowd.begin(number);
                flying.push(async move { (number, self.read_own(&own, now).await, own) });
            }
            let one = tokio::select! {
                one = tokio::time::timeout_at(deadline, flying.next()) => one,
                () = crowd.slower(), if waiting.peek().is_some() => continue,
            };
            let Ok(Some((number, result, own))) = one else { return results };
            crowd.end(number);
            results.push((own, result));
            tell(Step::Own { done: results.len(), all });
        }
    }
}

/// When a page that failed so many times is asked again.
fn again(failures: u32, now: Stamp) -> Option<Stamp> {
    schedule::own_again(failures).map(|wait| now.plus(wait))
}

/// What a refusal means for a post's own page.
fn own_failure(refusal: &fetch::Refusal) -> Failure {
    match refusal.failure.kind {
        ErrorKind::Gone => Failure::new(ErrorKind::Gone, "410 Gone: the post's own page ended"),
        _ => refusal.failure.clone(),
    }
}

fn add(all: &mut Filled, more: Filled) {
    all.released += more.released;
    all.filled += more.filled;
    all.unread.extend(more.unread);
}
