//! The policies that are compared: each in its own words, `auto` in the program's.

use super::optimum::Optimum;
use super::world::{Dice, FROM, Found, MAX, MIN, SHOWN, START, Score, Source, TO, Watched};
use chrono_tz::Tz;
use pagewire::model::{Address, Cadence, DAY, Habit, Page, PageSettings, PageState, ScheduleSettings, Stamp};
use pagewire::schedule;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;
use url::Url;

/// Runs a policy that asks each page without a look at the others. It says when to ask next.
fn each(sources: &[Source], mut next: impl FnMut(&Source, i64) -> i64) -> Score {
    let (mut found, mut dice) = (Found::default(), Dice::new(7));
    for source in sources {
        let mut at = FROM - (dice.part() * 3_600.0) as i64;
        let mut page = Watched::new(source, at);
        // Posts of the last day are found after it.
        while at < TO + MAX {
            found.poll(&mut page, at);
            at = next(source, at);
        }
    }
    found.score(sources.len())
}

/// The value between two, on a logarithmic scale, at which a rising function reaches a target from below.
fn search(mut low: f64, mut high: f64, target: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    for _ in 0..24 {
        let middle = (low * high).sqrt();
        if f(middle) > target {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Every page so many times a day.
pub fn fixed(sources: &[Source], requests: f64) -> Score {
    let every = DAY as f64 / requests;
    let (mut found, mut dice) = (Found::default(), Dice::new(7));
    for source in sources {
        let mut at = FROM as f64 - dice.part() * every;
        let mut page = Watched::new(source, at as i64);
        while at < (TO + MAX) as f64 {
            found.poll(&mut page, at as i64);
            at += every;
        }
    }
    found.score(sources.len())
}

/// As Miniflux does it: so many times for each post of the last week, between the shortest and the longest interval.
pub fn entry_frequency(sources: &[Source], requests: f64) -> Score {
    let run = |factor: f64| {
        each(sources, |source, at| {
            let week = source.posted(at) - source.posted(at - 7 * DAY);
            let every = if week == 0 { MAX } else { ((7 * DAY) as f64 / (week as f64 * factor)) as i64 };
            at + every.clamp(MIN, MAX)
        })
    };
    run(search(0.01, 1_000.0, requests, |factor| run(factor).requests))
}

/// Who knows each page's true rate at every time, and asks at the best times for it.
pub fn clairvoyant(sources: &[Source], optimum: &Optimum, requests: f64) -> Score {
    let run = |value: f64| {
        each(
            sources,
            |source, at| {
                if source.awake.contains(&at) { optimum.next(source, 1.0 / value, at) } else { at + MAX }
            },
        )
    };
    run(search(1e-6, 1e6, requests, |value| run(value).requests))
}

/// The program's own, as it is: learning from its first look on, with a budget for all.
pub fn auto(sources: &[Source], requests: f64) -> Score {
    let settings = ScheduleSettings {
        default: Cadence::Auto,
        timezone: Tz::UTC,
        min: Duration::from_secs(MIN as u64),
        max: Duration::from_secs(MAX as u64),
        budget: (requests * sources.len() as f64) as u32,
    };
    let pages: Vec<Page> = (0..sources.len()).map(page).collect();
    let mut states = vec![PageState::default(); pages.len()];
    let mut watched: Vec<Watched<'_>> = sources.iter().map(|source| Watched::new(source, START)).collect();
    let mut due: BinaryHeap<Reverse<(i64, usize)>> = (0..pages.len()).map(|n| Reverse((START + n as i64, n))).collect();
    let mut found = Found::default();
    let (mut price, mut priced) = (schedule::Price::default(), START - DAY);
    while let Some(Reverse((at, n))) = due.pop().filter(|Reverse((at, _))| *at < TO + MAX) {
        // Every hour in the daemon; it moves slowly.
        if at - priced >= 6 * 3_600 {
            priced = at;
            price = schedule::afford(pages.iter().zip(&states), &settings);
        }
        let (source, state, now) = (&sources[n], &mut states[n], Stamp(at));
        let mut habit = Habit::unpack(&state.habit);
        let first = habit.at.is_none();
        let mut new = found.poll(&mut watched[n], at);
        if first {
            new.start = watched[n].known.saturating_sub(SHOWN);
        }
        let posts: Vec<_> = new.map(|post| source.published(post)).collect();
        schedule::learn(&mut habit, &posts, now);
        state.habit = habit.pack().unwrap_or_default();
        let next = schedule::next(&pages[n], state, &settings, price, now);
        state.last_fetch = Some(now);
        due.push(Reverse((next.0, n)));
    }
    found.score(sources.len())
}

fn page(n: usize) -> Page {
    Page {
        address: Address::new(Url::parse(&format!("https://{n}.example/")).expect("an address")),
        former: Vec::new(),
        topics: Vec::new(),
        companies: Vec::new(),
        index: None,
        settings: PageSettings::default(),
    }
}
