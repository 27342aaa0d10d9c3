//! What is counted while the program runs, for Prometheus: pages, fetches, posts, files, requests.
//!
//! One value shared by the daemon and the server; clones count into the same. Labels come from small closed sets, never
//! from a page, an address or a reader, so that their number is bounded; so is that of the feeds whose readers are counted.

use super::budget::Budget;
use super::page::PageState;
use super::readers::{Reader, Readers};
use super::report::{Outcome, Report};
use super::time::Stamp;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::sync::Arc;
use std::time::Duration;

/// One label and its value.
type Label = [(&'static str, String); 1];
type Labels = [(&'static str, String); 2];

/// How late a page may be before it counts as late, in seconds: it may wait for its host's turn.
const LATE: i64 = 300;
/// Upper ends of the classes of times, in seconds.
const SECONDS: [f64; 9] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];

/// The counters.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    fetches: Family<Labels, Counter>,
    errors: Family<Label, Counter>,
    fetch_time: Family<Label, Histogram, fn() -> Histogram>,
    posts: Family<Label, Counter>,
    files: Counter,
    publish_time: Histogram,
    requests: Family<Label, Counter>,
    pages: Family<Label, Gauge>,
    late: Gauge,
    stale: Gauge,
    waiting: Gauge,
    under_way: Gauge,
    state: Gauge,
    budget: Family<Label, Gauge>,
    readers: Readers,
    feed_requests: Family<Labels, Counter>,
    feed_readers: Family<Label, Gauge>,
    feed_subscribers: Family<Label, Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("pagewire");
        let (fetches, errors, posts) = (Family::default(), Family::default(), Family::default());
        let fetch_time = Family::new_with_constructor(seconds as fn() -> Histogram);
        let (files, publish_time, requests) = (Counter::default(), seconds(), Family::default());
        let (pages, late, stale) = (Family::default(), Gauge::default(), Gauge::default());
        let (waiting, under_way, state) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("fetches", "Polls of pages, by scheme and outcome", Family::clone(&fetches));
        registry.register("fetch_errors", "Polls that brought nothing to believe, by kind", Family::clone(&errors));
        registry.register_with_unit(
            "fetch",
            "Time of a poll until its document is read",
            Unit::Seconds,
            Family::clone(&fetch_time),
        );
        registry.register("posts", "Posts, by what happened to them", Family::clone(&posts));
        registry.register("files_written", "Files of feeds that were replaced", files.clone());
        registry.register_with_unit("publish", "Time of writing what changed", Unit::Seconds, publish_time.clone());
        registry.register("requests", "Requests answered, by class of status", Family::clone(&requests));
        registry.register("pages", "Pages by state", Family::clone(&pages));
        registry.register("pages_late", "Pages that are due for more than five minutes", late.clone());
        registry.register("pages_stale", "Pages silent for far longer than their rhythm", stale.clone());
        registry.register("queue", "Pages that wait to be asked", waiting.clone());
        registry.register("under_way", "Pages that are being asked", under_way.clone());
        registry.register_with_unit("state", "Size of the database", Unit::Bytes, state.clone());
        let budget = Family::default();
        registry.register(
            "budget",
            "Requests a day for pages on schedule auto: the limit, those planned, those sent in the last day",
            Family::clone(&budget),
        );
        let (feed_requests, feed_readers, feed_subscribers) = (Family::default(), Family::default(), Family::default());
        registry.register(
            "feed_requests",
            "Requests for a feed in any format, by answer: 304 or other",
            Family::clone(&feed_requests),
        );
        registry.register("feed_readers", "Different readers of a feed in the last day", Family::clone(&feed_readers));
        registry.register(
            "feed_subscribers",
            "People for whom services read a feed, by their own word in the last day",
            Family::clone(&feed_subscribers),
        );
        let build = Family::<Label, Gauge>::default();
        build.get_or_create(&[("version", env!("CARGO_PKG_VERSION").to_owned())]).set(1);
        registry.register("build_info", "What runs", build);
        Self {
            registry: Arc::new(registry),
            fetches,
            errors,
            fetch_time,
            posts,
            files,
            publish_time,
            requests,
            pages,
            late,
            stale,
            waiting,
            under_way,
            state,
            budget,
            readers: Readers::default(),
            feed_requests,
            feed_readers,
            feed_subscribers,
        }
    }
}

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

impl Metrics {
    /// A page was asked for and read, or not.
    pub fn fetched(&self, scheme: &str, took: Duration) {
        self.fetch_time.get_or_create(&[("scheme", scheme.to_owned())]).observe(took.as_secs_f64());
    }

    /// A page was judged.
    pub fn judged(&self, scheme: &str, report: &Report) {
        if report.outcome == Outcome::Skipped {
            return;
        }
        let labels = [("scheme", scheme.to_owned()), ("outcome", report.outcome.as_str().to_owned())];
        self.fetches.get_or_create(&labels).inc();
        if let Some(error) = &report.error {
            // Of a status only its class: a server may make up hundreds.
            let kind = error.kind.to_string();
            let kind = if kind.starts_with("http-") { format!("{}xx", &kind[..6]) } else { kind };
            self.errors.get_or_create(&[("kind", kind)]).inc();
        }
        let counts = [
            ("added", report.added),
            ("updated", report.updated),
            ("renamed", report.renamed),
            ("delisted", report.delisted),
        ];
        for (what, n) in counts.into_iter().filter(|(_, n)| *n > 0) {
            self.posts.get_or_create(&[("what", what.to_owned())]).inc_by(u64::from(n));
        }
    }

    /// Feeds were written.
    pub fn published(&self, files: usize, took: Duration) {
        self.files.inc_by(files as u64);
        self.publish_time.observe(took.as_secs_f64());
    }

    /// A request was answered.
    pub fn answered(&self, status: u16) {
        let class = if status == 304 { "304".to_owned() } else { format!("{}xx", status / 100) };
        self.requests.get_or_create(&[("status", class)]).inc();
    }

    /// A request for a feed was answered.
    pub fn read(&self, feed: &str, not_modified: bool, reader: Reader, now: Stamp) {
        let feed = self.readers.asked(feed, not_modified, reader, now);
        let answer = if not_modified { "304" } else { "other" };
        self.feed_requests.get_or_create(&[("feed", feed), ("answer", answer.to_owned())]).inc();
    }

    /// Who reads which feed.
    pub fn readers(&self) -> &Readers {
        &self.readers
    }

    /// How things stand now.
    pub fn now(
        &self,
        states: &[PageState],
        budget: Budget,
        waiting: usize,
        under_way: usize,
        state_bytes: u64,
        now: Stamp,
    ) {
        let Budget { limit, planned, spent } = budget;
        self.budget.clear();
        for (what, n) in [("limit", Some(limit)), ("planned", planned), ("spent", Some(spent))] {
            if let Some(n) = n {
                self.budget.get_or_create(&[("what", what.to_owned())]).set(i64::from(n));
            }
        }
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        for word in ["new", "ok", "failing", "held", "ended", "paused"] {
            let pages = states.iter().filter(|s| s.word() == word).count();
            self.pages.get_or_create(&[("state", word.to_owned())]).set(count(pages));
        }
        let late = |s: &&PageState| s.next_due.is_some_and(|due| now.0 - due.0 > LATE);
        self.late.set(count(states.iter().filter(late).count()));
        self.stale.set(count(states.iter().filter(|s| s.stale).count()));
        for feed in self.readers.all(now) {
            let label = [("feed", feed.feed)];
            let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            self.feed_readers.get_or_create(&label).set(number(feed.readers));
            self.feed_subscribers.get_or_create(&label).set(number(feed.subscribers));
        }
        self.waiting.set(count(waiting));
        self.under_way.set(count(under_way));
        self.state.set(i64::try_from(state_bytes).unwrap_or(i64::MAX));
    }

    /// All of it, in the text format of `OpenMetrics` 1.0.
    pub fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("memory takes every character");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ErrorKind, Failure};

    #[test]
    fn what_is_counted_is_told_by_name_and_label() {
        let metrics = Metrics::default();
        let mut report = Report::new("https://x.example/", Vec::new(), Outcome::Changed);
        report.added = 3;
        metrics.judged("https", &report);
        let mut failed = Report::new("https://x.example/", Vec::new(), Outcome::Failed);
        failed.error = Some(Failure::new(ErrorKind::Http(503), "no"));
        metrics.judged("https", &failed);
        metrics.clone().answered(304);
        metrics.read("all", true, Reader { mark: 1, subscribers: None }, Stamp(0));
        metrics.read("all", false, Reader { mark: 2, subscribers: Some(7) }, Stamp(0));
        let budget = Budget { limit: 0, planned: None, spent: 5 };
        metrics.now(&[PageState::default()], budget, 2, 1, 4_096, Stamp(0));
        let text = metrics.text();
        for line in [
            "pagewire_fetches_total{scheme=\"https\",outcome=\"changed\"} 1",
            "pagewire_fetch_errors_total{kind=\"http-5xx\"} 1",
            "pagewire_posts_total{what=\"added\"} 3",
            "pagewire_requests_total{status=\"304\"} 1",
            "pagewire_pages{state=\"new\"} 1",
            "pagewire_feed_requests_total{feed=\"all\",answer=\"304\"} 1",
            "pagewire_feed_readers{feed=\"all\"} 1",
            "pagewire_feed_subscribers{feed=\"all\"} 7",
            "pagewire_budget{what=\"spent\"} 5",
            "pagewire_queue 2",
            "pagewire_state_bytes 4096",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
