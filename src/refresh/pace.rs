//! How often each host may be asked, for whoever looks: what the configuration says, and what the host asks for.

use crate::fetch::Fetcher;
use crate::model::{PageState, Settings, Stamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Until when hosts are left alone that asked all of us for it.
pub(super) fn rests<'s>(settings: &'s Settings, states: &[PageState], now: Stamp) -> HashMap<&'s str, Stamp> {
    let mut rests = HashMap::new();
    for (page, state) in settings.pages.iter().zip(states).filter(|(_, state)| state.server.host_wide) {
        let host = settings.fetch.per_host.host(page.address.url());
        if let Some((host, until)) = host.zip(state.left_alone(now)) {
            let rest = rests.entry(host).or_insert(until);
            *rest = until.max(*rest);
        }
    }
    rests
}

/// Each host of the pages, by name: how many pages it has, the seconds between the starts of two requests that are
/// configured, those that its robots.txt asks for, those that are kept, and until when it is left alone.
pub(super) fn hosts(settings: &Settings, states: &[PageState], fetcher: &Fetcher, now: Stamp) -> Vec<Value> {
    let mut hosts: BTreeMap<&str, (usize, Option<Duration>)> = BTreeMap::new();
    for page in &settings.pages {
        if let Some(host) = settings.fetch.per_host.host(page.address.url()) {
            let (pages, asked) = hosts.entry(host).or_default();
            *pages += 1;
            *asked = (*asked).max(fetcher.crawl_delay(page));
        }
    }
    let rests = rests(settings, states, now);
    let pause = settings.fetch.per_host.pause;
    let row = |(host, (pages, asked)): (&str, (usize, Option<Duration>))| {
        json!({
            "host": host,
            "pages": pages,
            "concurrency": settings.fetch.per_host.concurrency,
            "pause": pause.as_secs_f64(),
            "crawl_delay": asked.map(|asked| asked.as_secs_f64()),
            "pace": asked.unwrap_or_default().max(pause).as_secs_f64(),
            "until": rests.get(host),
        })
    };
    hosts.into_iter().map(row).collect()
}
