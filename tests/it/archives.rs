//! Archives as a client walks them (RFC 5005 §4, and `next_url` of JSON Feed): every post at least once, ever.

use crate::harness::{Home, assert_same, topic, write};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A home whose one page is a file.
fn home() -> (Home, PathBuf) {
    let home = Home::with("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n");
    let page = home.path("page.md");
    (home, page)
}

/// Sets more keys of `[publish]`.
fn publish(home: &Home, keys: &str) {
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(
        &home.path("pagewire.toml"),
        config.replace("directory = \"out\"\n", &format!("directory = \"out\"\n{keys}\n")),
    );
}

/// Posts of the world by number: their titles are far apart, and each is a day older than the next.
fn posts(numbers: impl DoubleEndedIterator<Item = usize>) -> String {
    let posts: Vec<(String, String, String)> = numbers
        .rev()
        .map(|n| {
            let day = chrono::NaiveDate::from_ymd_opt(2025, 1, 1).unwrap() + chrono::Days::new(n as u64);
            (format!("{n} {}", n * 7_919), format!("https://x.example/post/{n}"), day.format("%b %-d, %Y").to_string())
        })
        .collect();
    topic(&posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect::<Vec<_>>())
}

fn number(title: &str) -> usize {
    title.split(' ').next().unwrap().parse().unwrap()
}

/// The documents that a client reads from a feed on, each as its path and the numbers of its posts.
fn walk(home: &Home, feed: &str) -> Vec<(String, Vec<usize>)> {
    let mut walked = Vec::new();
    let mut next = Some(feed.to_owned());
    while let Some(path) = next {
        let bytes = std::fs::read(home.path("out").join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let (titles, prev): (Vec<String>, Option<String>) = if feed.ends_with("atom") {
            let feed = atom_syndication::Feed::read_from(&bytes[..]).unwrap();
            let prev = feed.links.iter().find(|l| l.rel == "prev-archive").map(|l| l.href.clone());
            (feed.entries.into_iter().map(|e| e.title.value).collect(), prev)
        } else {
            let feed: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let titles = feed["items"].as_array().unwrap().iter().map(|i| i["title"].as_str().unwrap().to_owned());
            (titles.collect(), feed["next_url"].as_str().map(str::to_owned))
        };
        walked.push((path, titles.iter().map(|t| number(t)).collect()));
        next = prev.map(|url| url.strip_prefix("http://feeds.example/").unwrap().to_owned());
    }
    walked
}

#[test]
fn whoever_walks_the_archives_gets_every_post() {
    let (home, page) = home();
    publish(&home, "entries = 50\nentries_max = 60");
    let mut total = 60;
    write(&page, posts(0..total));
    home.refresh(0);
    for more in [5, 40, 1, 94, 30, 90] {
        let known = total.saturating_sub(20);
        total += more;
        // The page shows the newest only, and some that are known.
        write(&page, posts(known..total));
        home.refresh(0);
        for (feed, ending) in
            [("topics/tpu", "atom"), ("topics/tpu", "json"), ("all", "atom"), ("companies/acme", "json")]
        {
            let walked = walk(&home, &format!("{feed}.{ending}"));
            let (first, archives) = walked.split_first().unwrap();
            assert!(first.1.len() >= 50, "{feed}");
            let archived: Vec<usize> = archives.iter().rev().flat_map(|(_, posts)| posts.clone()).collect();
            assert_eq!(archived, (0..total).collect::<Vec<_>>(), "{feed}.{ending}: oldest first, each once");
            let sizes: Vec<usize> = archives.iter().rev().map(|(_, posts)| posts.len()).collect();
            assert!(
                sizes[..sizes.len() - 1].iter().all(|size| *size == 100) && *sizes.last().unwrap() <= 100,
                "{sizes:?}"
            );
            let merged: BTreeSet<usize> = walked.into_iter().flat_map(|(_, posts)| posts).collect();
            assert_eq!(merged, (0..total).collect());
        }
    }
    assert!(total > 300);
}

#[test]
fn an_archive_is_the_same_made_with_its_topics_and_made_alone() {
    let home = Home::with(
        "[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n[[topic]]\nslug = \"npu\"\npages = [\"more.md\"]\n",
    );
    publish(&home, "entries = 5\nentries_max = 5");
    write(&home.path("page.md"), posts(0..130).replace("130 1029470", "Tom & Jerry's `<b>` </p>"));
    write(&home.path("more.md"), posts(120..180));
    home.refresh(0);
    let archives = |home: &Home| {
        let mut files = home.files();
        files.retain(|path, _| path.to_str().unwrap().contains("/archive/"));
        files
    };
    let with_topics = archives(&home);
    assert_eq!(with_topics.len(), 2 * (2 + 1 + 2 + 2 + 2), "of tpu, npu, all, Acme and a type, in Atom and JSON Feed");
    for feed in ["all", "companies/acme"] {
        std::fs::remove_file(home.path("out").join(format!("{feed}.atom"))).unwrap();
        std::fs::remove_dir_all(home.path("out").join(feed)).unwrap();
    }
    home.refresh(0);
    assert_same(&archives(&home), &with_topics);
}

#[test]
fn a_full_archive_stays_as_it_is_and_an_edit_is_seen_in_the_feed() {
    let (home, page) = home();
    publish(&home, "entries = 120\nentries_max = 120");
    write(&page, posts(0..150));
    home.refresh(0);
    let archives = |home: &Home| {
        let mut files = home.files();
        files.retain(|path, _| path.starts_with("topics/tpu/archive"));
        files
    };
    let first = archives(&home);
    assert_eq!(first.len(), 4, "two, in Atom and JSON Feed: {:?}", first.keys());
    write(&page, posts(40..150).replace("What 50 395950 says", "What somebody else says"));
    assert_eq!(home.report(&[])["updated"], 1);
    assert!(
        home.feed("topics/tpu.atom").entries.iter().any(|e| e.summary.as_ref().unwrap().value.contains("somebody"))
    );
    assert_same(&archives(&home), &first);
    write(&page, posts(100..260));
    home.refresh(0);
    let mut later = archives(&home);
    assert_eq!(later.len(), 6);
    let full = |files: &crate::harness::Files| {
        let mut files = files.clone();
        files.retain(|path, _| path.file_stem().unwrap() == "1");
        files
    };
    assert_same(&full(&later), &full(&first));
    later.retain(|path, _| path.file_stem().unwrap() != "3");
    write(&page, posts(200..290));
    home.refresh(0);
    let mut last = archives(&home);
    last.retain(|path, _| path.file_stem().unwrap() != "3");
    assert_same(&last, &later);
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("http://feeds.example", "http://moved.example"));
    home.refresh(0);
    let moved = std::fs::read_to_string(home.path("out/topics/tpu/archive/1.atom")).unwrap();
    assert!(
        moved.contains("http://moved.example/topics/tpu/archive/2.atom"),
        "a changed base_url writes all of them again"
    );
}

#[test]
fn a_feed_with_every_post_is_complete_and_has_no_archive() {
    let (home, page) = home();
    write(&page, posts(0..50));
    home.refresh(0);
    let atom = std::fs::read_to_string(home.path("out/topics/tpu.atom")).unwrap();
    assert!(atom.contains("<fh:complete></fh:complete>") && !atom.contains("prev-archive"), "{atom}");
    assert!(!home.path("out/topics/tpu").exists());
    write(&page, posts(0..51));
    home.refresh(0);
    let walked = walk(&home, "topics/tpu.atom");
    assert_eq!(walked.iter().map(|(_, posts)| posts.len()).collect::<Vec<_>>(), [50, 51], "one more than it holds");
    let archive = std::fs::read_to_string(home.path("out/topics/tpu/archive/1.atom")).unwrap();
    assert!(!archive.contains("fh:"), "it still grows");
}

#[test]
fn what_is_gone_from_the_folder_is_written_again() {
    let (home, page) = home();
    write(&page, posts(0..130));
    home.refresh(0);
    let before = home.files();
    std::fs::remove_dir_all(home.path("out")).unwrap();
    home.refresh(0);
    assert_same(&home.files(), &before);
    let (at, bytes) = before.iter().find(|(path, _)| path.ends_with("archive/1.atom")).unwrap();
    let time = |home: &Home| std::fs::metadata(home.path("out").join(at)).unwrap().modified().unwrap();
    assert_eq!(time(&home), bytes.time, "the same bytes have the same time");
}

#[test]
fn an_archive_alone_that_is_gone_is_written_again() {
    let (home, page) = home();
    write(&page, posts(1..=130));
    home.refresh(0);
    let before = home.files();
    std::fs::remove_file(home.path("out/topics/tpu/archive/1.atom")).unwrap();
    home.refresh(0);
    assert_same(&home.files(), &before);
}

#[test]
fn a_renamed_topic_takes_its_archives_along() {
    let (home, page) = home();
    write(&page, posts(0..130));
    home.refresh(0);
    let id = home.feed("topics/tpu.atom").id;
    home.seeds("[[topic]]\nslug = \"chips\"\nformer = [\"tpu\"]\npages = [\"page.md\"]\n");
    home.refresh(0);
    assert!(!home.path("out/topics/tpu").exists() && !home.path("out/topics/tpu.atom").exists());
    assert_eq!(walk(&home, "topics/chips.atom").len(), 3);
    assert_eq!(home.feed("topics/chips.atom").id, id, "a feed keeps its id");
}

#[test]
fn a_forgotten_post_leaves_its_archive_and_every_other_keeps_its_place() {
    let (home, page) = home();
    write(&page, posts(0..130));
    home.refresh(0);
    let places = |home: &Home| walk(home, "topics/tpu.atom").split_off(1);
    let before = places(&home);
    let run = home.run(&["forget", "https://x.example/post/20"]);
    assert_eq!(run.code, 0, "{run:?}");
    let mut without = before.clone();
    without[1].1.retain(|n| *n != 20);
    assert_eq!(places(&home), without);
    home.run(&["forget", "https://x.example/post/20", "--undo"]);
    assert_eq!(places(&home), before, "back where it was");
}
