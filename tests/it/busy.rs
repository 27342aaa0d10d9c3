//! A year of a busy blog in 30 versions of its page, followed by pagewire and by the rule that most scripts follow (a
//! post is its link, its date is now where the page gives none): how often does each announce what is no news?
//!
//! The counts stand in the README.

use crate::harness::page;
use crate::identity::History;
use std::collections::{BTreeMap, BTreeSet};

const DAY: i64 = 86_400;

/// A post of the blog, and the version of the page that first lists it.
#[derive(Clone)]
struct Post {
    title: String,
    slug: String,
    /// None: the page never dates it.
    day: Option<String>,
    since: usize,
}

/// The blog as it is at one version.
struct Blog {
    posts: Vec<Post>,
    base: &'static str,
}

const WORDS: [&str; 12] = [
    "Scheduling",
    "Caching",
    "Indexing",
    "Tracing",
    "Sharding",
    "Batching",
    "Streaming",
    "Compiling",
    "Routing",
    "Sampling",
    "Quantising",
    "Profiling",
];

impl Blog {
    fn write(&mut self, version: usize, n: usize) {
        // Three months of 2026, a post each few days; each seventh is never dated.
        let day = (!n.is_multiple_of(7)).then(|| {
            let days = 3 * n;
            format!("2026-{:02}-{:02}", 4 + days / 28, 1 + days % 28)
        });
        let title = format!("{} at scale, lesson {n}", WORDS[n % WORDS.len()]);
        self.posts.push(Post {
            slug: format!("lesson-{n}-{}", WORDS[n % 12].to_lowercase()),
            title,
            day,
            since: version,
        });
    }

    /// The newest twelve, newest first, as the page has them.
    fn listed(&self) -> Vec<(String, String, Option<String>)> {
        let link = |p: &Post| format!("{}/{}", self.base, p.slug);
        self.posts.iter().rev().take(12).map(|p| (p.title.clone(), link(p), p.day.clone())).collect()
    }
}

fn markdown(listed: &[(String, String, Option<String>)]) -> String {
    let texts: Vec<_> = listed
        .iter()
        .map(|(title, link, day)| {
            let list =
                day.as_ref().map_or("- Company: Acme".to_owned(), |d| format!("- Company: Acme\n- Published: {d}"));
            let text = format!(
                "What we learned about {} in production, told with all the numbers that we may show.",
                title.to_lowercase()
            );
            (title.as_str(), link.as_str(), list, text)
        })
        .collect();
    page(&texts.iter().map(|(t, l, d, s)| (*t, *l, d.as_str(), s.as_str())).collect::<Vec<_>>())
}

/// What a subscriber that remembers every id is told.
#[derive(Default, Debug, PartialEq, Eq)]
struct Told {
    announced: usize,
    dates_moved: usize,
    empty_feeds: usize,
    ids: BTreeMap<String, String>,
}

impl Told {
    fn see(&mut self, feed: &[(String, String)]) {
        self.empty_feeds += usize::from(feed.is_empty());
        for (id, date) in feed {
            match self.ids.insert(id.clone(), date.clone()) {
                None => self.announced += 1,
                Some(before) if before != *date => self.dates_moved += 1,
                Some(_) => {}
            }
        }
    }
}

#[test]
fn thirty_versions_of_a_busy_blog_announce_the_true_posts_once_each() {
    let mut blog = Blog { posts: Vec::new(), base: "http://blog.example/posts" };
    (0..12).for_each(|n| blog.write(1, n));
    let mut history = History::new();
    let (mut ours, mut naive) = (Told::default(), Told::default());
    let mut announced_at: BTreeMap<String, usize> = BTreeMap::new();
    for version in 1..=30 {
        match version {
            // The site moves to https; later to another host, and back for a week.
            6 | 14 => blog.base = "https://blog.example/posts",
            13 => blog.base = "https://www.blog.example/posts",
            // A redesign: every link has another form.
            20 => blog.base = "https://blog.example/engineering/articles",
            // Typos: a title, a title and its slug, a slug.
            4 => blog.posts.last_mut().unwrap().title += " (updated)",
            9 => {
                let post = blog.posts.last_mut().unwrap();
                post.title = post.title.replace("lesson", "lessons");
                post.slug = post.slug.replace("lesson", "lessons");
            }
            16 => blog.posts.last_mut().unwrap().slug += "-2",
            // Two posts are added late, in the middle of the list.
            11 | 24 => {
                let n = blog.posts.len() + 100 + version;
                blog.write(version, n);
                let mut late = blog.posts.pop().unwrap();
                let before = blog.posts.len() - 4;
                late.day = blog.posts[before].day.clone().or(Some("2026-05-01".into()));
                blog.posts.insert(before, late);
            }
            // Nothing new, twice.
            // Two outages: a challenge page, and a page whose list is empty.
            1 | 8 | 17 | 22 | 27 => {}
            _ => {
                let n = blog.posts.len();
                blog.write(version, n);
            }
        }
        let outage = matches!(version, 8 | 22);
        let listed = blog.listed();
        let text = match version {
            8 => "<!doctype html><title>One moment</title><h1>Checking your browser</h1>".to_owned(),
            22 => page(&[]),
            _ => markdown(&listed),
        };
        history.now = history.now.plus(3 * DAY);
        let now = history.now.rfc3339();
        history.read(&text);
        let seen: Vec<(String, String)> = history.seen().into_iter().map(|e| (e.id, e.published)).collect();
        for (id, _) in &seen {
            announced_at.entry(id.clone()).or_insert(version);
        }
        ours.see(&seen);
        let scraped =
            |(_, link, day): &(String, String, Option<String>)| (link.clone(), day.clone().unwrap_or(now.clone()));
        naive.see(&if outage { Vec::new() } else { listed.iter().map(scraped).collect() });
    }

    // Each post once, with the first reading that listed it.
    let truth: BTreeSet<(usize, usize)> = blog.posts.iter().enumerate().map(|(i, p)| (i, p.since)).collect();
    let mut since: Vec<usize> = truth.iter().map(|(_, since)| *since).collect();
    let mut announced: Vec<usize> = announced_at.into_values().collect();
    since.sort_unstable();
    announced.sort_unstable();
    assert_eq!(announced, since);
    assert_eq!((ours.announced, ours.dates_moved, ours.empty_feeds), (blog.posts.len(), 0, 0));

    // What the README says of the naive rule.
    assert_eq!((naive.announced, naive.dates_moved, naive.empty_feeds), (68, 37, 2));
    assert_eq!(blog.posts.len(), 30);
}
