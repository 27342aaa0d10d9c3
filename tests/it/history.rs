//! Random histories of a page, and what subscribers may rely on whatever happens: an id is for ever and of one post, a
//! date never moves, nothing leaves, and a failed poll is as if it had not been.

use crate::harness::{Files, assert_same, topic};
use crate::identity::History;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A post of the page's own world, whatever the page prints of it.
#[derive(Debug, Clone)]
struct Truth {
    title: String,
    slug: String,
    day: u32,
    secure: bool,
}

impl Truth {
    fn new(n: usize) -> Self {
        Self {
            title: format!("{} story", word(n)),
            slug: format!("p{n}"),
            day: 1 + u32::try_from(n).unwrap(),
            secure: n.is_multiple_of(2),
        }
    }

    fn address(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://x.example/post/{}.md", self.slug)
    }
}

/// Words that are far apart: titles that are nearly equal would be one post.
fn word(n: usize) -> &'static str {
    [
        "Amber",
        "Bridge",
        "Cobalt",
        "Dandelion",
        "Everest",
        "Falcon",
        "Glacier",
        "Harbour",
        "Indigo",
        "Jasmine",
        "Kingfisher",
        "Lantern",
        "Meadow",
        "Nightingale",
        "Orchard",
        "Porcelain",
        "Quarry",
        "Raspberry",
        "Saffron",
        "Tundra",
        "Umbrella",
        "Velvet",
        "Willow",
        "Xylophone",
        "Yonder",
        "Zeppelin",
    ][n % 26]
}

/// What happens to the page between two polls; numbers choose among what is listed.
#[derive(Debug, Clone)]
enum Event {
    Add,
    EditTitle(usize),
    FixSlug(usize),
    FlipScheme(usize),
    Drop(usize),
    Return(usize),
    Reorder(usize),
    ListTwice(usize),
    /// A poll that fails: empty, another kind of document, or cut off in the middle of a heading.
    Fail(u8),
}

fn event() -> impl Strategy<Value = Event> {
    let n = 0..64_usize;
    prop_oneof![
        4 => Just(Event::Add),
        2 => n.clone().prop_map(Event::EditTitle),
        2 => n.clone().prop_map(Event::FixSlug),
        1 => n.clone().prop_map(Event::FlipScheme),
        2 => n.clone().prop_map(Event::Drop),
        2 => n.clone().prop_map(Event::Return),
        1 => n.clone().prop_map(Event::Reorder),
        1 => n.prop_map(Event::ListTwice),
        2 => (0..3_u8).prop_map(Event::Fail),
    ]
}

/// The world: every post there ever was, which are listed, and in which order.
struct World {
    posts: Vec<Truth>,
    listed: Vec<usize>,
    twice: Option<usize>,
}

impl World {
    fn new() -> Self {
        Self { posts: (0..5).map(Truth::new).collect(), listed: (0..5).rev().collect(), twice: None }
    }

    fn apply(&mut self, event: &Event) {
        self.twice = None;
        let some = |n: &usize| *n % self.listed.len();
        match event {
            Event::Add if self.posts.len() < 26 => {
                self.posts.push(Truth::new(self.posts.len()));
                self.listed.insert(0, self.posts.len() - 1);
            }
            Event::EditTitle(n) => {
                let post = self.listed[some(n)];
                self.posts[post].title.push_str(", revised");
            }
            Event::FixSlug(n) => {
                let post = self.listed[some(n)];
                self.posts[post].slug.push('x');
            }
            Event::FlipScheme(n) => {
                let post = self.listed[some(n)];
                self.posts[post].secure ^= true;
            }
            // Half of the posts stay, so that the page is still whole.
            Event::Drop(n) if self.listed.len() > 4 => drop(self.listed.remove(some(n))),
            Event::Return(n) => {
                let gone: Vec<usize> = (0..self.posts.len()).filter(|p| !self.listed.contains(p)).collect();
                if !gone.is_empty() {
                    self.listed.push(gone[n % gone.len()]);
                }
            }
            Event::Reorder(n) => {
                let by = some(n);
                self.listed.rotate_left(by);
            }
            Event::ListTwice(n) => self.twice = Some(self.listed[some(n)]),
            _ => {}
        }
    }

    fn page(&self) -> String {
        let post = |&i: &usize| {
            (self.posts[i].title.clone(), self.posts[i].address(), format!("Sep {}, 2026", self.posts[i].day))
        };
        let posts: Vec<_> = self.listed.iter().chain(&self.twice).map(post).collect();
        topic(&posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect::<Vec<_>>())
    }

    /// How many different posts were ever listed.
    fn known(&self) -> usize {
        self.posts.len()
    }
}

fn bad(kind: u8, page: &str) -> String {
    match kind {
        0 => String::new(),
        1 => "<!doctype html><title>Just a moment...</title><h1>Checking</h1>".to_owned(),
        _ => page[..page.find("## Articles").unwrap_or(0)].to_owned(),
    }
}

/// Few, since each is a dozen runs of everything; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

/// Every published file but those that list feeds, without their times.
fn feeds(files: Files) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    files.into_iter().filter(|(p, _)| !p.ends_with("feeds.opml")).map(|(p, f)| (p, f.bytes)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn ids_are_for_ever_dates_never_move_and_nothing_leaves(events in proptest::collection::vec(event(), 1..14)) {
        let (mut history, mut calm) = (History::new(), History::new());
        let mut world = World::new();
        history.read(&world.page());
        calm.read(&world.page());
        let mut first: BTreeMap<String, String> = history.seen().into_iter().map(|e| (e.id, e.published)).collect();
        for event in &events {
            if let Event::Fail(kind) = event {
                let before = history.home.files();
                let now = history.now;
                let report = history.read(&bad(*kind, &world.page()));
                prop_assert!(report.error.is_some(), "{:?}", report);
                assert_same(&history.home.files(), &before);
                history.now = now;
                continue;
            }
            world.apply(event);
            let report = history.read(&world.page());
            calm.read(&world.page());
            prop_assert!(report.error.is_none(), "{:?}", report);
            let seen = history.seen();
            let ids: BTreeSet<_> = seen.iter().map(|e| e.id.clone()).collect();
            prop_assert_eq!(ids.len(), seen.len(), "an id twice after {:?}", event);
            prop_assert_eq!(seen.len(), world.known(), "{:?} made or lost a post: {:?}", event, report);
            for entry in &seen {
                let published = first.entry(entry.id.clone()).or_insert_with(|| entry.published.clone());
                prop_assert_eq!(&entry.published, &*published, "{} moved", entry.id);
                prop_assert!(entry.updated >= entry.published);
            }
            prop_assert!(first.keys().all(|id| ids.contains(id)), "an entry left after {:?}", event);
            for &listed in &world.listed {
                let post = &world.posts[listed];
                prop_assert!(seen.iter().any(|e| e.title == post.title && e.link == post.address()), "{:?} is not shown", post);
            }
        }
        prop_assert_eq!(feeds(history.home.files()), feeds(calm.home.files()), "failed polls left a trace");
    }
}

/// A file that is read while it is being written, or cut by a broken copy: wherever it ends, what subscribers see keeps
/// its ids and dates, nothing leaves, and no half of a post becomes one.
#[test]
fn a_page_cut_at_any_byte_adds_and_loses_nothing() {
    let mut world = World::new();
    world.posts.truncate(4);
    world.listed = vec![3, 2, 1, 0];
    let page = world.page();
    let mut history = History::new();
    history.read(&page);
    let ids = |h: &History| h.seen().into_iter().map(|e| (e.id, e.published)).collect::<BTreeSet<_>>();
    let before = ids(&history);
    for cut in (0..page.len()).step_by(3) {
        let report = history.read(&page[..cut]);
        assert_eq!(report.added, 0, "cut at {cut}: {report:?}\n{}", &page[..cut]);
        assert_eq!(ids(&history), before, "cut at {cut}");
    }
    assert_eq!(history.read(&page).added, 0);
    assert_eq!(ids(&history), before);
}

/// What a history of pages leaves in the folder, with the program killed and started again after some of them, or not.
fn crashed(worlds: &[String], kills: &[bool]) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut history = History::new();
    for (page, kill) in worlds.iter().zip(kills) {
        if *kill {
            // Stored, and not yet published: as after a kill between the two.
            history.store_only(page);
        }
        history.read(page);
    }
    feeds(history.home.files())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn crashes_and_restarts_leave_no_trace(
        events in proptest::collection::vec((event(), any::<bool>()), 1..8)
    ) {
        let mut world = World::new();
        let (mut pages, mut kills) = (vec![world.page()], vec![true]);
        for (event, kill) in &events {
            world.apply(event);
            pages.push(world.page());
            kills.push(*kill);
        }
        let calm = vec![false; kills.len()];
        prop_assert_eq!(crashed(&pages, &kills), crashed(&pages, &calm));
    }
}
