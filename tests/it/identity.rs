//! "Identity and time", sentence by sentence: histories of a page, read at chosen times, and what subscribers see.

use crate::harness::{Home, Seen, assert_same, post, topic, until, write};
use pagewire::config;
use pagewire::model::{Report, Stamp};
use pagewire::refresh::{App, Mode, Step};
use pagewire::store::{Store, StoreError};
use std::path::Path;

/// 2026-10-01T12:00:00Z, when most histories begin.
const START: Stamp = Stamp(1_790_856_000);
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// A topic `tpu` of local pages, refreshed at times of the test's choosing.
pub struct History {
    pub home: Home,
    pub now: Stamp,
}

impl History {
    pub fn new() -> Self {
        Self::with("[[topic]]\nslug = \"tpu\"\npages = [\"tpu.md\"]\n")
    }

    pub fn with(seeds: &str) -> Self {
        Self { home: Home::with(seeds), now: START }
    }

    /// Reads `tpu.md` with this content, an hour after the last reading.
    pub fn read(&mut self, page: &str) -> Report {
        self.read_all(&[("tpu.md", page)]).remove(0)
    }

    fn read_all(&mut self, pages: &[(&str, &str)]) -> Vec<Report> {
        for (name, page) in pages {
            write(&self.home.path(name), page);
        }
        let reports = self.try_refresh();
        self.now = self.now.plus(HOUR);
        reports
    }

    fn try_refresh(&self) -> Vec<Report> {
        let settings = config::load(&self.home.path("pagewire.toml")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = open(&settings.state.database);
            let pages: Vec<usize> = (0..settings.pages.len()).collect();
            let app = App::new(settings, store.clone()).await.unwrap();
            let mut reports = Vec::new();
            app.refresh(&pages, Mode::default(), self.now, |step| {
                if let Step::Page(report) = step {
                    reports.push(report.clone());
                }
            })
            .await
            .unwrap();
            reports
        })
    }

    /// The same at the same time, killed after what it says was stored and before anything was published.
    pub fn store_only(&self, page: &str) {
        write(&self.home.path("tpu.md"), page);
        let settings = config::load(&self.home.path("pagewire.toml")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let app = App::new(settings, open(&self.home.path("state.db"))).await.unwrap();
            let state = app.states().await.unwrap().remove(0);
            let visit = app.visit(0, state, Mode::default(), self.now).await;
            app.save(vec![visit], self.now).await.unwrap();
        });
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.home.entries("topics/tpu.atom")
    }

    /// The ids of the topic's entries, by title.
    fn id(&self, title: &str) -> String {
        let found: Vec<_> = self.seen().into_iter().filter(|e| e.title == title).collect();
        assert_eq!(found.len(), 1, "{title}: {found:?}");
        found[0].id.clone()
    }

    fn entry(&self, title: &str) -> Seen {
        self.seen().into_iter().find(|e| e.title == title).unwrap_or_else(|| panic!("no {title}: {:?}", self.seen()))
    }
}

/// Opens a state that this process closed a moment ago: a child that another test starts just then holds its lock until
/// it becomes its program.
fn open(database: &Path) -> Store {
    until("the state to be free", || match Store::open(database) {
        Err(StoreError::InUse(_)) => None,
        opened => Some(opened.unwrap()),
    })
}

fn counts(r: &Report) -> (u32, u32, u32, u32) {
    (r.added, r.updated, r.renamed, r.delisted)
}

fn warned(r: &Report) -> Vec<&'static str> {
    r.warnings.iter().map(|w| w.kind.as_str()).collect()
}

const ALPHA: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const BETA: (&str, &str, &str) = ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026");
const GAMMA: (&str, &str, &str) = ("Gamma", "https://x.example/post/gamma.md", "Sep 1, 2026");

mod keys {
    use super::*;

    #[test]
    fn another_scheme_host_prefix_or_ending_is_the_same_post_with_its_new_link() {
        let mut h = History::new();
        h.read(&topic(&[("Alpha", "http://www.x.example/post/alpha.html", "Sep 3, 2026"), BETA]));
        let before = h.entry("Alpha");
        let report = h.read(&topic(&[("Alpha", "https://x.example/post/alpha", "Sep 3, 2026"), BETA]));
        assert_eq!(counts(&report), (0, 0, 0, 0));
        let after = h.entry("Alpha");
        assert_eq!(after.link, "https://x.example/post/alpha");
        assert_eq!((after.id, after.updated), (before.id, before.updated));
    }

    #[test]
    fn tracking_parameters_that_change_with_every_poll_change_nothing() {
        let mut h = History::new();
        h.read(&topic(&[("Alpha", "https://x.example/post/alpha?utm_source=1", "Sep 3, 2026")]));
        let before = h.home.files();
        h.read(&topic(&[("Alpha", "https://x.example/post/alpha?utm_source=2", "Sep 3, 2026")]));
        assert_same(&h.home.files(), &before);
    }

    #[test]
    fn fragments_tell_the_entries_of_a_changelog_apart() {
        let version = |n: &'static str| (n, format!("https://x.example/CHANGELOG.md#{n}"));
        let page = |names: &[&'static str]| {
            let posts: Vec<(&str, String)> = names.iter().map(|n| version(n)).collect();
            topic(&posts.iter().map(|(n, a)| (*n, a.as_str(), "Sep 3, 2026")).collect::<Vec<_>>())
        };
        let mut h = History::new();
        assert_eq!(h.read(&page(&["21", "20"])).added, 2);
        assert_eq!(h.read(&page(&["22", "21", "20"])).added, 1);
        assert_eq!(h.id("22"), "https://x.example/CHANGELOG#22");
    }

    #[test]
    fn a_fragment_beside_its_bare_link_is_a_place_on_that_page() {
        let bare = ("Alpha", "https://x.example/post/alpha", "Sep 3, 2026");
        let place = ("Alpha again", "https://x.example/post/alpha#intro", "Sep 3, 2026");
        let mut h = History::new();
        assert_eq!(h.read(&topic(&[bare, place])).added, 1);
        assert_eq!(h.read(&topic(&[place])).added, 0, "the bare link is known");
    }

    #[test]
    fn two_fragments_beside_their_bare_link_are_posts_of_their_own() {
        let at = |address| ("Notes", address, "Sep 3, 2026");
        let page = topic(&[
            ("All", "https://x.example/log", "Sep 4, 2026"),
            at("https://x.example/log#1"),
            ("More", "https://x.example/log#2", "Sep 2, 2026"),
        ]);
        assert_eq!(History::new().read(&page).added, 3);
    }

    #[test]
    fn places_that_every_page_has_are_no_posts() {
        let mut h = History::new();
        let page = topic(&[
            ("Alpha", "https://x.example/post/alpha", "Sep 3, 2026"),
            ("Comments", "https://x.example/post/alpha#comments", "Sep 2, 2026"),
        ]);
        assert_eq!(h.read(&page).added, 2, "two posts share an address and differ by title and date");
        let page = topic(&[
            ("Alpha", "https://x.example/post/beta", "Sep 3, 2026"),
            ("Comments", "https://x.example/post/beta#comments", "Sep 3, 2026"),
        ]);
        assert_eq!(History::new().read(&page).added, 1, "the same day: one post, listed twice");
    }

    #[test]
    fn posts_that_nothing_tells_apart_are_one_and_that_is_told() {
        let item = |title: &str, date: &str| {
            format!("<item><title>{title}</title><link>https://x.example/downloads</link>{date}</item>")
        };
        let feed = |items: &[String]| {
            format!("<rss version=\"2.0\"><channel><title>R</title>{}</channel></rss>", items.concat())
        };
        let mut history = History::new();
        let undated = feed(&[item("One", ""), item("Two", ""), item("Three", "")]);
        let report = history.read(&undated);
        assert_eq!((report.added, report.warnings.len()), (1, 1), "{report:?}");
        let warning = &report.warnings[0];
        assert_eq!(warning.kind.as_str(), "item");
        let told =
            "`Two` is left out, and 1 more likewise: it has the address of `One`, and no guid or date tells them apart";
        assert_eq!(warning.message, told);
        // One post that is listed twice is nothing odd, whatever its letters' case.
        let report = History::new().read(&feed(&[item("One", ""), item("ONE", "")]));
        assert_eq!((report.added, report.warnings.len()), (1, 0), "{report:?}");
    }

    #[test]
    fn releases_that_all_link_to_the_downloads_are_told_apart_by_title_and_date() {
        let dl = "https://x.example/download";
        let (v1, v2, v3) = (("v1", dl, "Sep 1, 2026"), ("v2", dl, "Sep 2, 2026"), ("v3", dl, "Sep 3, 2026"));
        let mut h = History::new();
        assert_eq!(h.read(&topic(&[v1])).added, 1);
        let first = h.id("v1");
        assert_eq!(first, "https://x.example/download");
        assert_eq!(h.read(&topic(&[v2, v1])).added, 1);
        assert_eq!(h.id("v1"), first, "the one already known keeps its entry");
        assert_eq!(h.id("v2"), "https://x.example/download#:post=v2,2026-09-02");
        assert_eq!(h.read(&topic(&[v3, v2, v1])).added, 1);
        assert_eq!(h.read(&topic(&[v3])).added, 0, "for ever, also where it stands alone");
        assert_eq!(h.seen().len(), 3);
    }

    /// A page whose posts have one title and no links; their days of September, the latest first.
    fn weeklies(days: &[u32]) -> String {
        let post =
            |day: &u32| format!("### Weekly notes\n\n- Company: Acme\n- Published: Sep {day}, 2026\n\nAs always.\n\n");
        format!("# Notes\n\n{}", days.iter().map(post).collect::<String>())
    }

    #[test]
    fn posts_without_links_that_share_a_title_are_told_apart_by_their_days_for_ever() {
        for readings in [
            &[&[14][..], &[20, 14], &[20], &[20, 14]][..],
            &[&[14], &[20, 14], &[27, 20, 14], &[27], &[29], &[29, 14]],
            &[&[8, 1], &[15], &[22], &[22, 15], &[1]],
            &[&[8, 1], &[15, 8], &[15], &[22], &[22, 15]],
        ] {
            let mut h = History::new();
            let mut known = std::collections::BTreeSet::new();
            for days in readings {
                let new = days.iter().filter(|day| known.insert(**day)).count();
                let report = h.read(&weeklies(days));
                assert_eq!((report.added as usize, report.updated), (new, 0), "{days:?} of {readings:?}");
                assert!(report.warnings.iter().all(|w| w.kind.as_str() != "item"), "{:?}", report.warnings);
            }
            let seen = h.seen();
            let ids: std::collections::BTreeSet<_> = seen.iter().map(|entry| &entry.id).collect();
            assert_eq!(ids.len(), seen.len(), "{readings:?}");
            let day = |entry: &Seen| entry.published[8..10].parse::<u32>().unwrap();
            assert_eq!(seen.iter().map(day).collect::<Vec<_>>(), known.into_iter().rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_post_without_a_link_that_meets_another_under_its_name_has_an_id_of_its_own() {
        // Its date moved while it stood alone, so that both days lead to it.
        let mut h = History::new();
        for days in [&[14][..], &[20], &[20, 14], &[14], &[20, 14], &[20]] {
            h.read(&weeklies(days));
        }
        let ids: Vec<_> = h.seen().into_iter().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), 2, "{ids:?}");
        assert_ne!(ids[0], ids[1]);
        h.home.run(&["check-feed", h.home.path("out/topics/tpu.atom").to_str().unwrap()]);
    }

    #[test]
    fn an_address_that_a_third_post_gets_makes_a_third_id() {
        let mut h = History::new();
        let titles = ["One of them", "Another thing", "Yet one more", "Fourth matter"];
        for latest in 0..titles.len() {
            // The latest is at the address that each had at first; the others moved to their own.
            let own = |n: usize| format!("https://x.example/{n}.md");
            let at = |n: usize| if n == latest { "https://x.example/news.md".to_owned() } else { own(n) };
            let posts: Vec<_> = (0..=latest).rev().map(|n| (titles[n], at(n), "Sep 3, 2026")).collect();
            let posts: Vec<_> = posts.iter().map(|(title, address, date)| (*title, address.as_str(), *date)).collect();
            assert_eq!(h.read(&topic(&posts)).added, 1);
        }
        let ids: std::collections::BTreeSet<_> = h.seen().into_iter().map(|entry| entry.id).collect();
        assert_eq!((h.seen().len(), ids.len()), (4, 4), "{ids:?}");
    }

    #[test]
    fn one_of_two_posts_of_one_title_and_day_without_links_is_left_out_with_a_word() {
        let mut h = History::new();
        let post = |text| format!("### Note\n\n- Published: Sep 3, 2026\n\n{text}\n\n");
        let report = h.read(&format!("# Notes\n\n{}{}", post("One thing."), post("Another.")));
        assert_eq!((report.added, warned(&report)), (1, vec!["item"]));
        assert!(report.warnings[0].message.starts_with("another `Note` is left out"), "{:?}", report.warnings);
    }

    #[test]
    fn one_post_listed_again_is_one_post() {
        let more = "\n### [Read more](https://x.example/post/alpha.md)\n\nText.\n";
        let again = [ALPHA, ("Alpha (featured)", ALPHA.1, ALPHA.2), ("Alpha", ALPHA.1, "Sep 1, 2026")];
        let page = topic(&again) + more;
        let mut h = History::new();
        assert_eq!(h.read(&page).added, 1);
        assert_eq!(h.seen()[0].title, "Alpha");
    }

    #[test]
    fn an_old_address_beside_its_new_one_is_a_post_of_its_own_with_an_id_of_its_own() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        let id = h.id("Alpha");
        let moved = ("Alpha", "https://x.example/post/alpha-2.md", "Sep 3, 2026");
        assert_eq!(h.read(&topic(&[moved, BETA])).renamed, 1);
        let reused = ("Alpha is back", ALPHA.1, "Sep 5, 2026");
        assert_eq!(h.read(&topic(&[reused, moved, BETA])).added, 1);
        assert_eq!(h.id("Alpha"), id);
        assert!(h.id("Alpha is back").starts_with("urn:uuid:"), "its address made the other's id");
        assert_eq!(counts(&h.read(&topic(&[reused, moved, BETA, GAMMA]))), (1, 0, 0, 0), "and so it stays");
    }
}

mod renames {
    use super::*;

    fn history(old: (&str, &str, &str), new: (&str, &str, &str)) -> (Report, usize) {
        let mut h = History::new();
        h.read(&topic(&[old, BETA, GAMMA]));
        let report = h.read(&topic(&[new, BETA, GAMMA]));
        (report, h.seen().len())
    }

    #[test]
    fn a_fixed_slug_keeps_the_id() {
        let mut h = History::new();
        h.read(&topic(&[("Alhpa", "https://x.example/post/alhpa.md", "Sep 3, 2026"), BETA]));
        let before = h.entry("Alhpa");
        let report = h.read(&topic(&[("Alhpa", "https://x.example/post/alpha.md", "Sep 3, 2026"), BETA]));
        assert_eq!(counts(&report), (0, 1, 1, 0));
        let after = h.entry("Alhpa");
        assert_eq!(after.id, before.id);
        assert_eq!(after.published, before.published);
        assert_eq!(after.link, "https://x.example/post/alpha.md");
        let back = h.read(&topic(&[("Alhpa", "https://x.example/post/alhpa.md", "Sep 3, 2026"), BETA]));
        assert_eq!((back.added, h.seen().len()), (0, 2), "every key stays its own");
    }

    #[test]
    fn nearly_equal_titles_of_one_day_are_one_post() {
        let old = ("How we made training faster", "https://x.example/post/a.md", "Sep 3, 2026");
        let new = ("How we make training faster", "https://x.example/post/b.md", "Sep 3, 2026");
        let (report, posts) = history(old, new);
        assert_eq!((report.added, report.renamed, posts), (0, 1, 3));
    }

    #[test]
    fn other_numbers_make_another_post() {
        let old = ("A very long series of posts, Part 1", "https://x.example/post/a.md", "Sep 3, 2026");
        let new = ("A very long series of posts, Part 2", "https://x.example/post/b.md", "Sep 3, 2026");
        let (report, posts) = history(old, new);
        assert_eq!((report.added, report.renamed, posts), (1, 0, 4));
    }

    #[test]
    fn another_day_or_title_makes_another_post() {
        let old = ("Alpha", "https://x.example/post/a.md", "Sep 3, 2026");
        assert_eq!(history(old, ("Alpha", "https://x.example/post/b.md", "Sep 4, 2026")).0.added, 1);
        assert_eq!(history(old, ("Omega", "https://x.example/post/b.md", "Sep 3, 2026")).0.added, 1);
    }

    #[test]
    fn another_company_makes_another_post() {
        let mut h = History::new();
        let of = |company: &str, address: &str| {
            topic(&[BETA]) + &post("Alpha", address, "Sep 3, 2026").replace("Acme", company).replace("acme", company)
        };
        h.read(&of("Acme", "https://x.example/post/a.md"));
        assert_eq!(h.read(&of("Rival", "https://x.example/post/b.md")).added, 1);
    }

    #[test]
    fn a_post_that_is_still_listed_is_not_renamed() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        let twin = ("Alpha", "https://x.example/post/alpha-2.md", "Sep 3, 2026");
        assert_eq!(counts(&h.read(&topic(&[twin, ALPHA, BETA]))), (1, 0, 0, 0));
    }

    #[test]
    fn a_tie_is_no_rename() {
        let mut h = History::new();
        let twins =
            [("Notes", "https://x.example/1.md", "Sep 3, 2026"), ("Notes", "https://x.example/2.md", "Sep 3, 2026")];
        h.read(&topic(&[twins[0], twins[1], BETA, GAMMA, ALPHA]));
        let report = h.read(&topic(&[("Notes", "https://x.example/3.md", "Sep 3, 2026"), BETA, GAMMA, ALPHA]));
        assert_eq!((report.added, report.renamed), (1, 0));
    }

    #[test]
    fn a_common_original_link_tells_a_post_whatever_else_changed() {
        let post = |title: &str, address: &str, day: u32, original: &str| {
            format!(
                "\n### [{title}]({address})\n- Company: Acme\n- Published: Sep {day}, 2026\n- Original: {original}\n\nText of {title}.\n"
            )
        };
        let page = |posts: &[String]| format!("# TPU\n\n## Articles\n{}", posts.concat());
        let stays = post("Stays", "https://x.example/s", 2, "https://orig.example/s");
        let old = post("Foo bar", "https://x.example/a", 3, "https://orig.example/q");
        let new = |original: &str| post("Totally other", "https://x.example/b", 9, original);

        let mut h = History::new();
        h.read(&page(&[old.clone(), stays.clone()]));
        let id = h.id("Foo bar");
        let report = h.read(&page(&[new("https://www.orig.example/q/"), stays.clone()]));
        assert_eq!((report.added, report.renamed, report.delisted), (0, 1, 0));
        assert_eq!(h.id("Totally other"), id);

        // Also when it had left the page meanwhile.
        let mut h = History::new();
        h.read(&page(&[old.clone(), stays.clone()]));
        h.read(&page(std::slice::from_ref(&stays)));
        assert_eq!(h.read(&page(&[new("https://orig.example/q"), stays.clone()])).renamed, 1);

        // A host alone tells nothing, nor does a link that a third post has, nor one of a post that is still listed.
        for original in ["https://orig.example/", "https://orig.example/s"] {
            let mut h = History::new();
            let old = old.replace("https://orig.example/q", original);
            h.read(&page(&[old, stays.clone()]));
            assert_eq!(h.read(&page(&[new(original), stays.clone()])).renamed, 0, "{original}");
        }
        let mut h = History::new();
        h.read(&page(&[old.clone(), stays.clone()]));
        assert_eq!(h.read(&page(&[new("https://orig.example/q"), old, stays])).renamed, 0);
    }

    #[test]
    fn two_posts_of_one_title_and_day_are_told_by_their_summaries() {
        let text = |n: u32| {
            format!("What happened in week {n}, told at such length that no other summary of this page is like it.")
        };
        let page = |host: &str| {
            let post = |n: u32| ("Weekly".to_owned(), format!("https://{host}/{n}"), text(n));
            let posts: Vec<_> = (1..=2).map(post).collect();
            let posts: Vec<_> = posts
                .iter()
                .map(|(t, a, s)| (t.as_str(), a.as_str(), "- Published: Sep 3, 2026", s.as_str()))
                .collect();
            crate::harness::page(&posts)
        };
        let mut h = History::new();
        h.read(&page("old.example"));
        assert_eq!(h.read(&page("new.example")).renamed, 2);
    }

    #[test]
    fn a_fragment_that_comes_and_goes_is_no_edit() {
        let page = |address: &'static str| topic(&[("Alpha", address, "Sep 3, 2026"), BETA]);
        let mut h = History::new();
        h.read(&page("https://x.example/post/alpha"));
        let before = h.entry("Alpha").updated;
        h.read(&page("https://x.example/post/alpha#intro"));
        assert_eq!(h.entry("Alpha").updated, before);
    }

    #[test]
    fn the_same_long_summary_tells_a_post_with_a_new_title() {
        let long =
            "This summary is long enough to be told from every other one on the page, in more than eighty characters.";
        let page = |title: &str, address: &str, other: &str| {
            crate::harness::page(&[
                (title, address, "- Published: Sep 3, 2026", long),
                ("Beta", "https://x.example/post/beta.md", "- Published: Sep 2, 2026", other),
            ])
        };
        let mut h = History::new();
        h.read(&page("First name", "https://x.example/post/a.md", "Other."));
        assert_eq!(counts(&h.read(&page("Quite another", "https://x.example/post/b.md", "Other."))), (0, 1, 1, 0));
        let mut h = History::new();
        h.read(&page("First name", "https://x.example/post/a.md", long));
        let report = h.read(&page("Quite another", "https://x.example/post/b.md", long));
        assert_eq!(report.added, 1, "two posts have it, so it tells nothing");
    }

    #[test]
    fn a_redesign_that_moves_every_link_renames_dated_and_undated_posts() {
        let page = |base: &str, dated: bool| {
            let list =
                |i: usize| if dated { format!("- Published: Sep {i}, 2026") } else { "- Type: Explainer".into() };
            let posts: Vec<_> = (1..=4).map(|i| (format!("Post {i}"), format!("{base}/{i}"), list(i))).collect();
            let posts: Vec<_> = posts.iter().map(|(t, a, l)| (t.as_str(), a.as_str(), l.as_str(), "Text.")).collect();
            crate::harness::page(&posts)
        };
        for (before, after) in [(true, true), (false, false), (true, false)] {
            let mut h = History::new();
            h.read(&page("https://x.example/old", before));
            let report = h.read(&page("https://x.example/new/2026", after));
            assert_eq!((report.added, report.renamed, h.seen().len()), (0, 4, 4), "{before} {after}");
            assert!(warned(&report).is_empty(), "renamed posts are not gone: {report:?}");
        }
    }

    #[test]
    fn two_undated_pairs_are_no_redesign() {
        let page = |base: &str| {
            let posts = [("One", format!("{base}/1")), ("Two", format!("{base}/2"))];
            let posts: Vec<_> = posts.iter().map(|(t, a)| (*t, a.as_str(), "- Type: Explainer", "Text.")).collect();
            crate::harness::page(&posts)
        };
        let mut h = History::new();
        h.read(&page("https://x.example/old"));
        assert_eq!(h.read(&page("https://x.example/new")).added, 2);
    }

    #[test]
    fn a_host_that_flips_back_and_forth_adds_nothing() {
        let at = |host: &str| {
            let (a, b) = (format!("https://{host}/a.md"), format!("https://{host}/b.md"));
            topic(&[("Alpha", &a, "Sep 3, 2026"), ("Beta", &b, "Sep 2, 2026")])
        };
        let mut h = History::new();
        for host in ["a.example", "sub.a.example", "a.example", "sub.a.example"] {
            h.read(&at(host));
            assert_eq!(h.seen().len(), 2, "{host}");
        }
    }
}

mod times {
    use super::*;

    fn dates(h: &History) -> Vec<(String, String)> {
        h.seen().into_iter().map(|e| (e.title, e.published)).collect()
    }

    #[test]
    fn a_day_is_ten_o_clock_and_its_posts_keep_the_order_of_the_page() {
        let same = |n: &'static str| (n, n, "Sep 3, 2026");
        let page = |names: &[&'static str]| {
            let addresses: Vec<String> = names.iter().map(|n| format!("https://x.example/{n}.md")).collect();
            topic(
                &names.iter().zip(&addresses).map(|(n, a)| (same(n).0, a.as_str(), "Sep 3, 2026")).collect::<Vec<_>>(),
            )
        };
        let mut h = History::new();
        h.read(&page(&["c", "b", "a"]));
        let time = |s: u32| format!("2026-09-03T10:00:0{s}Z");
        let expected = |names: &[(&str, u32)]| -> Vec<(String, String)> {
            names.iter().map(|(n, s)| ((*n).to_owned(), time(*s))).collect()
        };
        assert_eq!(dates(&h), expected(&[("c", 2), ("b", 1), ("a", 0)]));
        h.read(&page(&["e", "d", "c", "b", "a"]));
        assert_eq!(dates(&h), expected(&[("e", 4), ("d", 3), ("c", 2), ("b", 1), ("a", 0)]));
    }

    #[test]
    fn a_page_whose_dates_rise_has_its_oldest_post_on_top() {
        let mut h = History::new();
        h.read(&topic(&[
            ("old", "https://x.example/1.md", "Sep 1, 2026"),
            ("early", "https://x.example/2.md", "Sep 3, 2026"),
            ("late", "https://x.example/3.md", "Sep 3, 2026"),
        ]));
        let order: Vec<String> = h.seen().into_iter().map(|e| e.title).collect();
        assert_eq!(order, ["late", "early", "old"]);
        assert_eq!(h.entry("early").published, "2026-09-03T10:00:00Z");
    }

    #[test]
    fn midnight_everywhere_is_no_time_and_among_others_it_is() {
        let at = |n: &'static str, t: &'static str| (n, if n == "a" { ALPHA.1 } else { BETA.1 }, t);
        let mut h = History::new();
        h.read(&topic(&[at("a", "2026-09-03T00:00:00+09:00"), at("b", "2026-09-02T00:00:00+09:00")]));
        assert_eq!(h.entry("a").published, "2026-09-03T10:00:00Z");
        let mut h = History::new();
        h.read(&topic(&[at("a", "2026-09-03T00:00:00Z"), at("b", "2026-09-02T08:30:00+02:00")]));
        assert_eq!(h.entry("a").published, "2026-09-03T00:00:00Z");
        assert_eq!(h.entry("b").published, "2026-09-02T06:30:00Z");
    }

    #[test]
    fn no_date_is_first_seen_and_stays_so() {
        let page = crate::harness::page(&[
            ("One", "https://x.example/1.md", "- Type: Explainer", "Text."),
            ("Two", "https://x.example/2.md", "- Published: 3/12/2020", "Text."),
            ("Three", "https://x.example/3.md", "- Published: Feb 30, 2026", "Text."),
        ]);
        let mut h = History::new();
        h.read(&page);
        let expected = |t: &str, at: Stamp| (t.to_owned(), at.rfc3339());
        let expected = [expected("One", START), expected("Two", START.plus(-1)), expected("Three", START.plus(-2))];
        assert_eq!(dates(&h), expected);
        h.read(&(page.clone() + "\n"));
        h.read(&(page + "\n\n### [Four](https://x.example/4.md)\n\nText.\n"));
        assert_eq!(dates(&h)[1..], expected);
    }

    #[test]
    fn nothing_is_published_in_the_future() {
        let mut h = History::new();
        h.read(&topic(&[("Later", "https://x.example/1.md", "Jan 1, 2099"), BETA]));
        assert_eq!(h.entry("Later").published, START.rfc3339());
        h.read(&topic(&[
            ("Next", "https://x.example/2.md", "Oct 1, 2026"),
            ("Later", "https://x.example/1.md", "Jan 1, 2099"),
            BETA,
        ]));
        assert_eq!(h.entry("Later").published, START.rfc3339(), "never changed");
    }

    #[test]
    fn a_date_that_the_page_moves_is_not_followed() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        let before = h.home.files();
        let report = h.read(&topic(&[(ALPHA.0, ALPHA.1, "Sep 30, 2026"), BETA]));
        assert_eq!(counts(&report), (0, 0, 0, 0));
        assert_same(&h.home.files(), &before);
    }

    #[test]
    fn a_late_addition_is_dated_as_first_seen_unless_the_page_is_to_be_believed() {
        let old = ("Old", "https://x.example/old.md", "Aug 20, 2026");
        let week = ("Week", "https://x.example/week.md", "Aug 27, 2026");
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        h.read(&topic(&[ALPHA, BETA, week, old]));
        assert_eq!(h.entry("Old").published, START.plus(HOUR).rfc3339());
        assert_eq!(h.entry("Week").published, "2026-08-27T10:00:00Z", "seven days are not more than seven days");
        let mut h = History::with("[[topic]]\nslug = \"tpu\"\npages = [\"tpu.md\"]\nlate = \"page\"\n");
        h.read(&topic(&[ALPHA, BETA]));
        h.read(&topic(&[ALPHA, BETA, old]));
        assert_eq!(h.entry("Old").published, "2026-08-20T10:00:00Z");
    }

    #[test]
    fn a_first_reading_is_dated_as_the_page_says_however_old() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, ("Old", "https://x.example/old.md", "Jan 2, 2020")]));
        assert_eq!(h.entry("Old").published, "2020-01-02T10:00:00Z");
    }

    #[test]
    fn an_edit_moves_updated_to_when_it_was_seen_and_nothing_else() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA, GAMMA]));
        let (alpha, beta) = (h.entry("Alpha"), h.entry("Beta"));
        let page = topic(&[("Alpha 2", ALPHA.1, ALPHA.2), BETA, ("Gamma 2", GAMMA.1, GAMMA.2)]);
        assert_eq!(counts(&h.read(&page)), (0, 2, 0, 0));
        let edited = h.entry("Alpha 2");
        assert_eq!((edited.id, edited.published), (alpha.id, alpha.published));
        assert_eq!(edited.updated, START.plus(HOUR).rfc3339());
        assert_eq!(h.entry("Gamma 2").updated, START.plus(HOUR - 1).rfc3339(), "each following one second less");
        assert_eq!(h.entry("Beta"), beta);
        assert_eq!(h.home.feed("topics/tpu.atom").updated.to_rfc3339(), "2026-10-01T13:00:00+00:00");
    }

    #[test]
    fn typography_markup_and_white_space_are_no_edit() {
        let page =
            |summary: &str| crate::harness::page(&[("It's on - now", ALPHA.1, "- Published: Sep 3, 2026", summary)]);
        let mut h = History::new();
        h.read(&page("One \"two\" three and caf\u{e9}."));
        let before = h.home.files();
        h.read(
            &page("One \u{201c}two\u{201d}  **three**\nand cafe\u{301}.")
                .replace("It's on - now", "It\u{2019}s on \u{2013} now"),
        );
        assert_same(&h.home.files(), &before);
    }

    #[test]
    fn other_settings_are_no_news() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        let before = h.entry("Alpha");
        h.home.seeds("[[topic]]\nslug = \"tpu\"\npages = [{ url = \"tpu.md\", link = \"html\" }]\n");
        let report =
            h.read(&topic(&[("Alpha!", ALPHA.1, ALPHA.2), BETA, ("Old", "https://x.example/old.md", "Jan 2, 2020")]));
        assert_eq!((report.added, report.updated), (1, 0));
        let after = h.entry("Alpha!");
        assert_eq!((after.id, after.updated), (before.id, before.updated));
        assert_eq!(after.link, "https://x.example/post/alpha");
        assert_eq!(h.entry("Old").published, "2020-01-02T10:00:00Z", "a backlog is dated as the page says");
    }

    #[test]
    fn while_the_clock_is_wrong_no_reading_is_taken() {
        let mut h = History::new();
        h.now = Stamp(3);
        let report = h.read(&topic(&[ALPHA]));
        assert_eq!(report.error.map(|e| e.kind.to_string()).as_deref(), Some("clock"));
        h.now = START;
        assert_eq!(h.read(&topic(&[ALPHA])).added, 1);
    }
}

mod pages {
    use super::*;

    const TWO: &str =
        "[[topic]]\nslug = \"tpu\"\npages = [\"tpu.md\"]\n[[topic]]\nslug = \"jax\"\npages = [\"jax.md\"]\n";

    fn text(title: &str, address: &str, summary: &str) -> String {
        crate::harness::page(&[
            (title, address, "- Company: Acme\n- Published: Sep 3, 2026", summary),
            ("Beta", BETA.1, "- Published: Sep 2, 2026", "B."),
        ])
    }

    #[test]
    fn one_post_on_two_pages_is_one_entry_in_both_topics() {
        let mut h = History::with(TWO);
        let reports = h.read_all(&[("tpu.md", &topic(&[ALPHA, BETA])), ("jax.md", &topic(&[ALPHA, GAMMA]))]);
        assert_eq!(reports.iter().map(|r| r.added).collect::<Vec<_>>(), [2, 1]);
        let jax = h.home.entries("topics/jax.atom");
        assert_eq!(jax[0], h.entry("Alpha"));
        assert_eq!(h.home.entries("all.atom").len(), 3);
    }

    #[test]
    fn the_page_that_brought_a_post_owns_its_text_while_it_lists_it() {
        let mut h = History::with(TWO);
        let (ours, theirs) = (text("Alpha", ALPHA.1, "Ours."), text("Alpha, they say", ALPHA.1, "Theirs."));
        h.read_all(&[("tpu.md", &ours), ("jax.md", &theirs)]);
        let before = h.home.files();
        h.read_all(&[("tpu.md", &(ours.clone() + "\n")), ("jax.md", &(theirs.clone() + "\n"))]);
        assert_same(&h.home.files(), &before);
        let edited = text("Alpha, they shout", ALPHA.1, "Theirs.");
        let reports = h.read_all(&[("jax.md", &edited)]);
        assert_eq!(reports[1].updated, 0);
        assert_eq!(h.entry("Alpha").title, "Alpha");
        h.read_all(&[("tpu.md", &topic(&[BETA, GAMMA]))]);
        assert_eq!(h.entry("Alpha").title, "Alpha", "the text stays when its page stops listing it");
        let again = text("Alpha, they whisper", ALPHA.1, "Theirs.");
        let reports = h.read_all(&[("jax.md", &again)]);
        assert_eq!(reports[1].updated, 1);
        assert_eq!(h.entry("Alpha, they whisper").id, "https://x.example/post/alpha");
    }

    #[test]
    fn a_post_that_leaves_the_page_stays_and_one_that_returns_is_no_news() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA, GAMMA]));
        let (before, seen) = (h.home.files(), h.seen());
        assert_eq!(counts(&h.read(&topic(&[ALPHA, GAMMA]))), (0, 0, 0, 1));
        assert_eq!(h.seen(), seen);
        assert_eq!(counts(&h.read(&topic(&[ALPHA, BETA, GAMMA]))), (0, 0, 0, 0));
        assert_same(&h.home.files(), &before);
    }

    #[test]
    fn a_page_that_loses_most_of_its_posts_delists_none() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA, GAMMA]));
        let report = h.read(&topic(&[ALPHA]));
        assert_eq!((warned(&report), report.delisted), (vec!["shrunk"], 0));
        assert_eq!(h.seen().len(), 3);
    }

    #[test]
    fn a_page_with_nothing_in_common_with_its_last_reading_is_warned_about() {
        let mut h = History::new();
        let posts: Vec<(String, String)> =
            (0..40).map(|i| (format!("Post {i}"), format!("https://x.example/{i}.md"))).collect();
        let page = |range: std::ops::Range<usize>| {
            let days: Vec<String> = (0..40).map(|i| format!("Sep {}, 2026", 1 + i / 2)).collect();
            topic(
                &range.rev().map(|i| (posts[i].0.as_str(), posts[i].1.as_str(), days[i].as_str())).collect::<Vec<_>>(),
            )
        };
        h.read(&page(0..20));
        let report = h.read(&page(20..40));
        assert_eq!((report.added, warned(&report)), (20, vec!["shrunk", "gap"]));
        assert_eq!(h.seen().len(), 40);
    }

    #[test]
    fn a_fall_is_told_once_and_ends_with_the_next_change_that_is_none() {
        let mut h = History::new();
        let posts: Vec<(String, String, String)> = (0..60)
            .map(|i| (format!("Post {i}"), format!("https://x.example/{i}.md"), format!("Sep {}, 2026", 1 + i / 2)))
            .collect();
        let page = |range: std::ops::Range<usize>| {
            let posts = posts[range].iter().rev();
            topic(&posts.map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect::<Vec<_>>())
        };
        h.read(&page(0..20));
        assert_eq!(warned(&h.read(&page(25..45))), ["shrunk", "gap"]);
        let report = h.read(&page(27..47));
        assert_eq!((counts(&report), warned(&report)), ((2, 0, 0, 22), vec![]), "18 of 20 are still there");
        let report = h.read(&page(29..49));
        assert_eq!((counts(&report), warned(&report)), ((2, 0, 0, 2), vec![]));
        let report = h.read(&page(29..32));
        assert_eq!((report.delisted, warned(&report)), (0, vec!["shrunk"]), "another fall");
        let report = h.read(&page(29..49));
        assert_eq!((counts(&report), warned(&report)), ((0, 0, 0, 0), vec![]), "all that it left out is back");
        let report = h.read(&page(29..48));
        assert_eq!((report.delisted, warned(&report)), (1, vec![]));
        assert_eq!(h.seen().len(), 44, "nothing is lost or told twice");
    }

    #[test]
    fn what_a_filter_leaves_out_did_not_leave_the_page() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA, GAMMA]));
        h.home.seeds("[[topic]]\nslug = \"tpu\"\ninclude = \"Beta\"\npages = [\"tpu.md\"]\n");
        let report = h.read(&topic(&[ALPHA, BETA, GAMMA]));
        assert_eq!((report.delisted, warned(&report)), (2, vec![]));
    }

    #[test]
    fn a_stated_count_that_no_longer_fits_is_warned_about() {
        let mut h = History::new();
        assert!(warned(&h.read(&topic(&[ALPHA, BETA, GAMMA]))).is_empty());
        let page = topic(&[ALPHA, BETA, GAMMA]).replace("> 3 posts", "> 4 posts");
        assert_eq!(warned(&h.read(&page)), ["count"]);
        let mut h = History::new();
        assert!(warned(&h.read(&page)).is_empty(), "it never fitted");
    }

    #[test]
    fn a_first_reading_without_posts_publishes_an_empty_feed_dated_at_that_reading() {
        let mut h = History::new();
        h.read("# TPU\n> 0 posts about TPU\n\n## Articles\n");
        let feed = h.home.feed("topics/tpu.atom");
        assert_eq!((feed.entries.len(), feed.updated.to_rfc3339().as_str()), (0, "2026-10-01T12:00:00+00:00"));
        h.read(&topic(&[ALPHA]));
        assert_eq!(h.seen().len(), 1);
    }

    #[test]
    fn a_page_that_moves_house_takes_its_history_along() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        let before = h.home.files();
        h.home.seeds("[[topic]]\nslug = \"tpu\"\npages = [{ url = \"new.md\", former = [\"tpu.md\"] }]\n");
        let reports = h.read_all(&[("new.md", &topic(&[ALPHA, BETA]))]);
        assert_eq!(reports[0].outcome.as_str(), "unchanged");
        assert_same(&h.home.files(), &before);
    }

    #[test]
    fn a_topic_that_is_renamed_keeps_its_feed_under_its_new_name_only() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA, BETA]));
        let before = h.seen();
        h.home.seeds("[[topic]]\nslug = \"chips\"\nformer = [\"tpu\"]\npages = [\"tpu.md\"]\n");
        let report = h.read(&topic(&[ALPHA, BETA]));
        assert_eq!((report.added, report.updated), (0, 0));
        assert_eq!(h.home.entries("topics/chips.atom"), before);
        assert!(h.home.files().keys().all(|p| !p.starts_with("topics") || p.to_string_lossy().contains("chips")));
    }

    #[test]
    fn a_topic_that_goes_on_in_another_takes_its_posts_there() {
        const OLD: (&str, &str, &str) = ("Old", "https://x.example/post/old.md", "Aug 1, 2026");
        let mut h = History::with(TWO);
        h.read_all(&[("tpu.md", &topic(&[ALPHA])), ("jax.md", &topic(&[BETA, GAMMA, OLD]))]);
        h.read_all(&[("jax.md", &topic(&[BETA, GAMMA]))]);
        let all = h.home.entries("all.atom");
        h.home.seeds("[[topic]]\nslug = \"tpu\"\nformer = [\"jax\"]\npages = [\"tpu.md\", \"jax.md\"]\n");
        let reports = h.read_all(&[]);
        assert_eq!((reports[0].added, reports[1].added), (0, 0));
        let titles: Vec<String> = h.seen().into_iter().map(|e| e.title).collect();
        assert_eq!(titles, ["Alpha", "Beta", "Gamma", "Old"], "also what its page lists no more");
        assert!(h.home.files().keys().all(|p| !p.to_string_lossy().contains("jax")), "{:?}", h.home.files().keys());
        assert_eq!(h.home.entries("all.atom").len(), all.len());
        h.read_all(&[("jax.md", &topic(&[("New", "https://x.example/new", "Sep 9, 2026"), BETA, GAMMA]))]);
        assert_eq!(h.seen()[0].title, "New");
    }

    #[test]
    fn five_posts_at_once_are_five_posts_whatever_their_dates() {
        let mut h = History::new();
        h.read(&topic(&[("Zero", "https://x.example/0.md", "Sep 20, 2026")]));
        let names: Vec<(String, String)> =
            (1..=5).map(|i| (format!("N{i}"), format!("https://x.example/{i}.md"))).collect();
        let days = ["Sep 30, 2026", "Sep 29, 2026", "Sep 28, 2026", "Sep 27, 2026", "Sep 14, 2026"];
        let mut posts: Vec<_> = names.iter().zip(days).map(|((t, a), d)| (t.as_str(), a.as_str(), d)).collect();
        posts.push(("Zero", "https://x.example/0.md", "Sep 20, 2026"));
        assert_eq!(h.read(&topic(&posts)).added, 5);
        assert_eq!(h.seen().len(), 6);
    }
}

mod floods {
    use super::*;
    use pagewire::model::Outcome;

    /// Posts of an old blog, a day each from 1 August on, at a base address.
    fn blog(base: &str, range: std::ops::Range<u32>) -> String {
        let post = |n: u32| {
            let month = if n < 31 { "Aug" } else { "Sep" };
            (
                format!("{} {n}", "Post".repeat(1 + n as usize % 7)),
                format!("{base}/{n}.md"),
                format!("{month} {}, 2026", 1 + n % 31),
            )
        };
        let posts: Vec<_> = range.rev().map(post).collect();
        topic(&posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect::<Vec<_>>())
    }

    /// Old posts under other titles and addresses, as after a move to another software.
    fn moved() -> String {
        blog("https://x.example/new", 0..12).replace("Post", "Essay").replace("at some length", "in other words")
    }

    fn known() -> History {
        let mut h = History::new();
        h.read(&blog("https://x.example/post", 0..12));
        h
    }

    fn held(report: &Report) -> bool {
        let flood = report.error.as_ref().is_some_and(|e| e.kind.to_string() == "flood");
        (report.outcome == Outcome::Held) == flood && flood
    }

    #[test]
    fn a_page_full_of_old_posts_that_nobody_knows_is_held() {
        let mut h = known();
        let before = h.home.files();
        assert!(held(&h.read(&moved())));
        assert_same(&h.home.files(), &before);
        let status: serde_json::Value = serde_json::from_str(&h.home.run(&["status", "--json"]).out).unwrap();
        assert_eq!(status["pages"][0]["state"], "held");
        assert_eq!(h.read(&blog("https://x.example/post", 0..13)).added, 1, "a reading that is no flood ends the hold");
        let status: serde_json::Value = serde_json::from_str(&h.home.run(&["status", "--json"]).out).unwrap();
        assert_eq!(status["pages"][0]["state"], "ok");
    }

    #[test]
    fn as_many_new_posts_that_are_news_are_none() {
        let mut h = known();
        let report = h.read(&blog("https://x.example/post", 12..24));
        assert_eq!((report.added, report.error), (12, None), "the same day as the newest known, or later");
    }

    #[test]
    fn a_page_that_was_off_line_for_three_weeks_brings_all_that_it_posted_meanwhile() {
        let mut h = known();
        let before = h.seen();
        for _ in 0..21 {
            assert!(h.read("").error.is_some());
            h.now = h.now.plus(DAY);
        }
        let report = h.read(&blog("https://x.example/post", 20..32));
        assert_eq!((report.added, report.error.clone(), warned(&report)), (12, None, vec!["shrunk", "gap"]));
        let after = h.seen();
        assert_eq!(after.len(), 24);
        assert_eq!(after[12..], before[..], "what was known stays, as it was");
        assert!(after.iter().all(|e| e.published <= h.now.rfc3339()));
        let dates: Vec<&str> = after.iter().map(|e| &e.published[..10]).collect();
        assert!(dates.is_sorted_by(|a, b| a >= b) && dates[0] == "2026-09-01", "{dates:?}");
    }

    #[test]
    fn ten_busy_readings_in_a_day_are_news_each_time() {
        let mut h = known();
        for reading in 1..=10 {
            let first = 12 + 3 * (reading - 1);
            let report = h.read(&blog("https://x.example/post", first + 3 - 12..first + 3));
            assert_eq!((report.added, report.error), (3, None), "reading {reading}");
        }
        assert_eq!(h.seen().len(), 12 + 30);
    }

    #[test]
    fn few_known_posts_or_a_fifth_of_known_ones_are_no_flood() {
        let mut h = History::new();
        h.read(&blog("https://x.example/post", 0..9));
        assert_eq!(h.read(&moved()).error, None, "nine are known");
        let mut h = known();
        let page = moved();
        let cut = page.match_indices("\n### ").nth(8).map_or(page.len(), |(at, _)| at);
        let known_ones = blog("https://x.example/post", 10..12);
        let two = &known_ones[known_ones.find("\n### ").unwrap_or(0)..];
        assert_eq!(h.read(&(page[..cut].to_owned() + two)).error, None, "eight of ten are new, which is not over 80 %");
    }

    #[test]
    fn three_readings_over_a_day_that_agree_release_what_is_held_as_no_news() {
        let mut h = known();
        assert!(held(&h.read(&moved())));
        h.now = h.now.plus(DAY / 2);
        assert!(held(&h.read(&(moved() + "\n"))));
        let start = h.now;
        h.now = h.now.plus(DAY / 2);
        let report = h.read(&moved());
        assert_eq!((report.error, report.added), (None, 12));
        assert_eq!(
            h.entry("Essay 0").published,
            "2026-08-01T10:00:01Z",
            "dated as the page says, behind that day's post"
        );
        assert!(h.seen().iter().all(|e| e.updated < start.rfc3339()));
    }

    #[test]
    fn three_readings_within_a_day_or_that_differ_release_nothing() {
        let mut h = known();
        for _ in 0..6 {
            assert!(held(&h.read(&moved())));
        }
        h.now = h.now.plus(2 * DAY);
        let other = moved().replace("/new/", "/newer/").replace("Essay", "Column");
        assert!(held(&h.read(&other)), "other posts than those first held begin anew");
        assert!(held(&h.read(&other)));
    }

    #[test]
    fn accept_releases_at_once_and_takes_an_empty_list_too() {
        let mut h = known();
        assert!(held(&h.read(&moved())));
        let without_names = h.home.run(&["refresh", "--accept"]);
        assert_eq!(without_names.code, 2, "{}", without_names.err);
        assert_eq!(h.home.report(&["tpu", "--accept"])["added"], 12);
        write(&h.home.path("tpu.md"), "# TPU\n> 0 posts about TPU\n\n## Articles\n");
        assert_eq!(h.home.report(&[])["error"]["kind"], "empty");
        let report = h.home.report(&["tpu", "--accept"]);
        assert_eq!((&report["outcome"], &report["delisted"]), (&"changed".into(), &12.into()));
        assert_eq!(h.seen().len(), 24, "absence never deletes");
        assert_eq!(h.home.report(&[])["outcome"], "unchanged");
    }
}

mod names {
    use super::*;

    fn of(company: &str, address: &str) -> String {
        format!(
            "\n### [{address}](https://x.example/{address}.md)\n- Company: {company}\n- Published: Sep 1, 2026\n\nText.\n"
        )
    }

    fn page(companies: &[&str]) -> String {
        let posts: String = companies.iter().enumerate().map(|(i, c)| of(c, &format!("p{i}"))).collect();
        format!("# TPU\n\n## Articles\n{posts}")
    }

    fn companies(h: &History) -> Vec<String> {
        let files = h.home.files();
        let names = files.keys().filter_map(|p| p.strip_prefix("companies").ok()).filter_map(|p| p.to_str());
        names.filter_map(|n| n.strip_suffix(".atom")).map(str::to_owned).collect()
    }

    #[test]
    fn names_that_meet_in_one_slug_get_a_feed_each_whatever_their_order() {
        let mut h = History::new();
        h.read(&page(&["a.b", "A-B", "A B"]));
        let first = companies(&h);
        assert_eq!(first.len(), 3);
        assert!(first.contains(&"a-b".to_owned()), "{first:?}");
        assert_eq!(h.home.feed("companies/a-b.atom").title.value, "A B", "the first in code-point order is plain");
        let mut h = History::new();
        h.read(&page(&["A B", "a.b", "A-B"]));
        assert_eq!(companies(&h), first);
    }

    #[test]
    fn a_slug_once_given_is_kept() {
        let mut h = History::new();
        h.read(&page(&["a.b"]));
        h.read(&page(&["a.b", "A B"]));
        assert_eq!(h.home.feed("companies/a-b.atom").title.value, "a.b");
        assert_eq!(companies(&h).len(), 2);
    }

    #[test]
    fn names_cannot_leave_their_folder_and_may_be_of_any_length() {
        let mut h = History::new();
        let (long, cjk) = ("x".repeat(400), "知".repeat(120) + "🚀");
        h.read(&page(&["../../etc/cron.d/x", "..%2f..", &long, &cjk, "🚀 Labs"]));
        assert_eq!(companies(&h).len(), 5);
        assert!(companies(&h).iter().all(|c| c.len() <= 87 && !c.contains(['/', '.', '%'])), "{:?}", companies(&h));
        assert!(companies(&h).contains(&"etc-cron-d-x".to_owned()));
    }

    #[test]
    fn two_spellings_of_a_name_are_one_company() {
        let mut h = History::new();
        h.read(&page(&["Acme Labs", "ACME  LABS", "Ａｃｍｅ Labs"]));
        assert_eq!(companies(&h), ["acme-labs"]);
    }

    #[test]
    fn a_link_makes_two_names_one_only_while_no_reading_shows_it_with_both() {
        let link = |name: &str| format!("[{name}](https://x.example/company/g.md)");
        let mut h = History::new();
        h.read(&page(&[&link("Google")]));
        h.read(&page(&[&link("Google LLC")]));
        assert_eq!(companies(&h), ["google"]);
        let mut h = History::new();
        h.read(&page(&[&link("Google"), &link("DeepMind")]));
        assert_eq!(companies(&h), ["deepmind", "google"]);
    }

    #[test]
    fn a_bare_host_makes_no_two_names_one() {
        let link = |name: &str| format!("[{name}](https://x.example/)");
        let mut h = History::new();
        h.read(&page(&[&link("One")]));
        h.read(&page(&[&link("Two")]));
        assert_eq!(companies(&h), ["one", "two"]);
    }

    #[test]
    fn a_company_link_on_the_pages_own_host_gives_the_slug() {
        let mut h =
            History::with("[[topic]]\nslug = \"tpu\"\npages = [{ url = \"tpu.md\", base = \"https://x.example/\" }]\n");
        h.read(&page(&[
            "[Acme Incorporated](https://x.example/company/acme.md)",
            "[Rival](https://rival.example/about)",
        ]));
        assert_eq!(companies(&h), ["acme", "rival"]);
    }

    #[test]
    fn the_seeds_name_a_company_and_its_aliases() {
        let mut h = History::with(
            "[[topic]]\nslug = \"tpu\"\npages = [\"tpu.md\"]\n[[company]]\nslug = \"g\"\ntitle = \"Google\"\n\
             aliases = [\"Google Cloud\", \"https://x.example/company/goog.md\"]\n",
        );
        h.read(&page(&["Google", "google cloud", "[Goog](https://x.example/company/goog)"]));
        assert_eq!(companies(&h), ["g"]);
        assert_eq!(h.home.entries("companies/g.atom").len(), 3);
    }
}

mod feeds {
    use super::*;

    #[test]
    fn two_changes_within_a_second_get_two_times_and_then_none_moves() {
        let mut h = History::new();
        h.read(&topic(&[ALPHA]));
        h.now = START;
        h.read(&topic(&[ALPHA, BETA, GAMMA]).replace("Explainer", "Report"));
        let before = h.home.files();
        let time = |name: &str| before[std::path::Path::new(name)].time.duration_since(std::time::UNIX_EPOCH).unwrap();
        for name in ["feeds.opml", "index.html", "topics/tpu.atom"] {
            assert_eq!(time(name).as_secs().cast_signed(), START.0 + 1, "{name}");
        }
        std::fs::remove_file(h.home.path("out/index.html")).unwrap();
        h.read(&topic(&[ALPHA, BETA, GAMMA]).replace("Explainer", "Report"));
        assert_same(&h.home.files(), &before);
    }

    #[test]
    fn a_feed_holds_its_newest_and_those_that_entered_it_lately() {
        let mut h = History::new();
        h.home.configure("");
        let config = std::fs::read_to_string(h.home.path("pagewire.toml")).unwrap();
        let config = config.replace("directory = \"out\"", "directory = \"out\"\nentries = 2\nentries_max = 4");
        write(&h.home.path("pagewire.toml"), config);
        let post = |n: usize| (format!("P{n}"), format!("https://x.example/{n}.md"), format!("Aug {n}, 2026"));
        let page = |upto: usize| {
            let posts: Vec<_> = (1..=upto).rev().map(post).collect();
            topic(&posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect::<Vec<_>>())
        };
        let titles = |h: &History| h.seen().into_iter().map(|e| e.title).collect::<Vec<_>>();
        h.read(&page(6));
        assert_eq!(titles(&h), ["P6", "P5", "P4", "P3"], "a backlog entered when it was published");
        h.read(&page(7));
        assert_eq!(titles(&h), ["P7", "P6"], "the backlog entered more than 30 days before it");
        h.now = h.now.plus(DAY);
        h.read(&page(10));
        assert_eq!(titles(&h), ["P10", "P9", "P8", "P7"]);
        h.now = h.now.plus(40 * DAY);
        h.read(&page(11));
        assert_eq!(titles(&h), ["P11", "P10"]);
    }
}

#[test]
fn an_edit_seen_by_a_clock_that_was_set_back_moves_updated_on_all_the_same() {
    let mut h = History::new();
    let day = |title| topic(&[(title, "https://x.example/a", "")]);
    h.read(&day("An article about chips"));
    h.read(&day("An article on chips and more"));
    let seen = h.seen().remove(0);
    let (published, updated) = (seen.published, seen.updated);
    assert!(published < updated, "{published} {updated}");
    // Behind the last change, then behind the post itself.
    h.now = START.plus(HOUR / 2);
    h.read(&day("An article on chips and much more"));
    h.now = START.plus(-DAY);
    h.read(&day("An article on chips and a lot more"));
    let seen = h.seen().remove(0);
    let later = |seconds| Stamp(START.0 + HOUR).plus(seconds).rfc3339();
    assert_eq!((seen.published, seen.updated), (published, later(2)), "each edit shows, and nothing goes back");
    assert_eq!(updated, later(0));
    // The clock is right again.
    h.now = START.plus(3 * HOUR);
    h.read(&day("An article about many chips"));
    assert_eq!(h.seen().remove(0).updated, START.plus(3 * HOUR).rfc3339());
}
