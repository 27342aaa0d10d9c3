//! A made-up world: pages, when they post, and how late each post is found.
//!
//! In: a seed. Out: pages with their posts over 60 days of learning and 30 that count. Rates are log-uniform from 0.01 to
//! 30 posts a day; 80 % of the posts come in ten working hours of weekdays, in time zones all around; some pages post in
//! bursts, some fall silent or wake up; some date their posts to the second, some by the day, some not at all.

use chrono::{DateTime, NaiveDate};
use pagewire::model::{DAY, Published};

/// When it begins: Monday 2026-01-05T00:00:00Z.
pub const START: i64 = 1_767_571_200;
/// What is measured.
pub const FROM: i64 = START + 60 * DAY;
pub const TO: i64 = FROM + 30 * DAY;
/// Posts that a page shows at first.
pub const SHOWN: usize = 20;
/// Bounds of every policy.
pub const MIN: i64 = 300;
pub const MAX: i64 = DAY;
/// Of all posts, in the working hours.
const AT_WORK: f64 = 0.8;
const WORK: std::ops::Range<i64> = 9..19;

/// `SplitMix64`.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    pub fn part(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn wait(&mut self, mean: f64) -> f64 {
        -(1.0 - self.part()).ln() * mean
    }
}

/// How a page dates its posts.
#[derive(Clone, Copy)]
enum Dates {
    Times,
    Days,
    None,
}

/// A page.
pub struct Source {
    /// Posts a day, on the average, while it is awake.
    pub rate: f64,
    /// Seconds that its clocks are ahead of UTC.
    pub zone: i64,
    /// When it posts at all.
    pub awake: std::ops::Range<i64>,
    pub posts: Vec<i64>,
    dates: Dates,
}

/// How many times the average comes at an hour of the week of a page's own clock.
pub fn intensity(local: i64) -> f64 {
    let (day, hour) = ((local - START).div_euclid(DAY).rem_euclid(7), local.rem_euclid(DAY) / 3_600);
    let (work, all) = (50.0, 168.0);
    if day < 5 && WORK.contains(&hour) { AT_WORK * all / work } else { (1.0 - AT_WORK) * all / (all - work) }
}

impl Source {
    pub fn new(dice: &mut Dice) -> Self {
        let rate = 0.01 * 3_000_f64.powf(dice.part());
        let zone = (dice.part() * 24.0) as i64 * 3_600;
        let burst = if dice.part() < 0.15 { 4.0 } else { 1.0 };
        let (kind, turn) = (dice.part(), START + (dice.part() * (TO - START) as f64) as i64);
        let awake = match kind {
            k if k < 0.05 => i64::MIN..turn,
            k if k < 0.10 => turn..i64::MAX,
            _ => i64::MIN..i64::MAX,
        };
        let dates = match dice.part() {
            d if d < 0.6 => Dates::Times,
            d if d < 0.9 => Dates::Days,
            _ => Dates::None,
        };
        let mut posts = Vec::new();
        let peak = AT_WORK * 168.0 / 50.0;
        let mut at = (START - 60 * DAY) as f64;
        loop {
            at += dice.wait(DAY as f64 * burst / (rate * peak));
            let time = at as i64;
            if time >= TO {
                break;
            }
            if dice.part() * peak > intensity(time + zone) || !awake.contains(&time) {
                continue;
            }
            posts.push(time);
            while burst > 1.0 && dice.part() < 1.0 - 1.0 / burst {
                posts.push(time + (dice.part() * 1_800.0) as i64);
            }
        }
        posts.retain(|post| *post < TO);
        posts.sort_unstable();
        Self { rate, zone, awake, posts, dates }
    }

    /// How the page dates a post.
    pub fn published(&self, post: usize) -> Option<Published> {
        let time = |at: i64| DateTime::from_timestamp(at, 0).expect("a time of this century");
        match self.dates {
            Dates::Times => Some(Published::Instant(time(self.posts[post]).into())),
            Dates::Days => {
                let day: NaiveDate = time(self.posts[post] + self.zone).date_naive();
                Some(Published::Day(day))
            }
            Dates::None => None,
        }
    }

    /// How many posts are there at a time.
    pub fn posted(&self, at: i64) -> usize {
        self.posts.partition_point(|post| *post <= at)
    }
}

/// A world of so many pages.
pub fn world(pages: usize, seed: u64) -> Vec<Source> {
    let mut dice = Dice::new(seed);
    (0..pages).map(|_| Source::new(&mut dice)).collect()
}

/// What a policy did.
#[derive(Default)]
pub struct Found {
    delays: Vec<i64>,
    requests: usize,
}

/// A page as a policy sees it: what it has found so far.
pub struct Watched<'s> {
    pub source: &'s Source,
    pub known: usize,
}

impl<'s> Watched<'s> {
    pub fn new(source: &'s Source, at: i64) -> Self {
        Self { source, known: source.posted(at) }
    }
}

impl Found {
    /// A request: the posts that it brings, by their positions.
    pub fn poll(&mut self, page: &mut Watched<'_>, at: i64) -> std::ops::Range<usize> {
        self.requests += usize::from((FROM..TO).contains(&at));
        let before = page.known;
        page.known = page.source.posted(at);
        let counted = (before..page.known).map(|post| page.source.posts[post]).filter(|post| *post >= FROM);
        self.delays.extend(counted.map(|post| at - post));
        before..page.known
    }

    /// What it comes to, for so many pages.
    pub fn score(mut self, pages: usize) -> Score {
        self.delays.sort_unstable();
        let count = self.delays.len().max(1);
        let late = self.delays.get(count * 95 / 100).copied().unwrap_or_default();
        Score {
            mean: self.delays.iter().sum::<i64>() as f64 / count as f64 / 60.0,
            late: late as f64 / 60.0,
            requests: self.requests as f64 / pages as f64 / 30.0,
        }
    }
}

/// Minutes that posts waited, in the mean and of the 95th of a hundred; requests a page and day.
#[derive(Clone, Copy, Default)]
pub struct Score {
    pub mean: f64,
    pub late: f64,
    pub requests: f64,
}
