//! What the configuration says in the feeds: how often to come again, in which language, from which topic.

use crate::harness::{Home, assert_same, topic, write};
use crate::identity::History;

/// The text of an element in a published file.
fn element(home: &Home, file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(home.path("out").join(file)).unwrap();
    let rest = text.split_once(&format!("<{name}>"))?.1;
    Some(rest.split_once("</").unwrap().0.to_owned())
}

fn home(seeds: &str) -> Home {
    let home = Home::with(seeds);
    write(&home.path("page.md"), topic(&[("One", "https://x.example/1", "Sep 24, 2026")]));
    home.refresh(0);
    home
}

/// RSS 2.0 §ttl, RSS 1.0 Syndication: both agree with the schedule, and with `max-age`, which is at most an hour.
#[test]
fn a_feed_says_how_often_its_page_is_read() {
    let seeds =
        |schedule: &str| format!("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\nschedule = \"{schedule}\"\n");
    let home = home(&seeds("every 30m"));
    let said = |home: &Home, file: &str| {
        ["ttl", "sy:updatePeriod", "sy:updateFrequency"].map(|name| element(home, file, name).unwrap())
    };
    for file in ["topics/tpu.rss", "all.rss", "companies/acme.rss"] {
        assert_eq!(said(&home, file), ["30", "hourly", "2"], "{file}");
    }
    let before = home.files();
    home.refresh(0);
    assert_same(&home.files(), &before);
    for (schedule, ttl, often) in
        [("*/15 * * * *", "15", "4"), ("@daily", "60", "1"), ("auto", "60", "1"), ("every 45m", "45", "1")]
    {
        home.seeds(&seeds(schedule));
        home.refresh(0);
        for file in ["topics/tpu.rss", "all.rss", "companies/acme.rss"] {
            assert_eq!(said(&home, file), [ttl, "hourly", often], "{schedule} {file}");
        }
    }
    let updated = |home: &Home| home.feed("topics/tpu.atom").updated;
    assert_eq!(updated(&home), home.feed("topics/tpu.atom").entries[0].updated, "no news");
}

#[test]
fn a_topic_has_a_language_and_the_site_has_one_for_the_others() {
    let home = home("[[topic]]\nslug = \"tpu\"\nlanguage = \"de-AT\"\npages = [\"page.md\"]\n");
    let lang = |home: &Home, file: &str| home.feed(file).lang;
    assert_eq!(element(&home, "topics/tpu.rss", "language").as_deref(), Some("de-AT"));
    assert_eq!((lang(&home, "topics/tpu.atom").as_deref(), lang(&home, "all.atom")), (Some("de-AT"), None));
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("[site]", "[site]\nlanguage = \"fr\""));
    home.refresh(0);
    assert_eq!(
        (lang(&home, "topics/tpu.atom").as_deref(), lang(&home, "all.atom").as_deref()),
        (Some("de-AT"), Some("fr"))
    );
    home.seeds("[[topic]]\nslug = \"tpu\"\nlanguage = \"German!\"\npages = [\"page.md\"]\n");
    let run = home.run(&["check"]);
    assert_eq!(run.code, 78);
    assert!(run.err.contains("seeds.toml:3:12") && run.err.contains("a language such as \"en\""), "{}", run.err);
}

#[test]
fn a_merged_feed_says_where_each_post_comes_from_and_follows_its_topics_title() {
    let seeds = |title: &str| format!("[[topic]]\nslug = \"tpu\"\ntitle = \"{title}\"\npages = [\"page.md\"]\n");
    let home = home(&seeds("Chips"));
    let source = |home: &Home, file: &str| home.feed(file).entries[0].source.clone().map(|s| (s.title.value, s.id));
    let id = home.feed("topics/tpu.atom").id;
    assert_eq!(source(&home, "topics/tpu.atom"), None);
    for file in ["all.atom", "companies/acme.atom", "types/explainer.atom"] {
        assert_eq!(source(&home, file), Some(("Chips".to_owned(), id.clone())), "{file}");
    }
    home.seeds(&seeds("Fast chips"));
    home.refresh(0);
    assert_eq!(source(&home, "companies/acme.atom"), Some(("Fast chips".to_owned(), id)));
}

#[test]
fn a_retired_topic_says_so_in_a_last_entry() {
    let seeds = |more: &str| format!("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n{more}\n");
    let home = home(&seeds("retired = \"2999-01-01\""));
    let titles = |home: &Home| home.entries("topics/tpu.atom").into_iter().map(|e| e.title).collect::<Vec<_>>();
    assert_eq!(titles(&home), ["One"]);
    home.seeds(&seeds("retired = 2026-10-01"));
    home.refresh(0);
    assert_eq!(titles(&home), ["TPU has ended", "One"]);
    let last = home.feed("topics/tpu.atom").entries.remove(0);
    assert!(last.content.unwrap().value.unwrap().contains("It is gone from 31 October 2026 on"));
    assert!(home.feed("topics/tpu.atom").updated.to_rfc3339().as_str() >= "2026-10-01", "the feed changed");
    assert_eq!(home.entries("all.atom").len(), 1);
    let before = home.files();
    home.refresh(0);
    assert_same(&home.files(), &before);
    home.seeds(&seeds("retired = \"soon\""));
    assert!(home.run(&["check"]).err.contains("a day such as \"2026-12-01\""));
    home.seeds(&seeds(""));
    home.refresh(0);
    assert_eq!(titles(&home), ["One"], "back again");
}

/// Its feed says for 30 days that it has ended; then its address is gone (410), and no list leads there.
#[test]
fn a_retired_topic_leaves_the_lists_when_it_is_gone() {
    // A history begins on 2026-10-01.
    let mut h = History::with(
        "[[topic]]\nslug = \"old\"\nretired = 2026-10-03\npages = [\"tpu.md\"]\n[[topic]]\nslug = \"new\"\npages = [\"tpu.md\"]\n",
    );
    let page = topic(&[("One", "https://x.example/1", "Sep 24, 2026")]);
    let listed = |h: &mut History, days: i64| {
        h.now = pagewire::model::Stamp(1_790_856_000 + days * 86_400);
        h.read(&page);
        let names = |file: &str| {
            let text = std::fs::read_to_string(h.home.path("out").join(file)).unwrap();
            (text.contains("topics/old."), text.contains("topics/new."))
        };
        [names("feeds.opml"), names("index.html")]
    };
    for days in [0, 3, 31] {
        assert_eq!(listed(&mut h, days), [(true, true); 2], "after {days} days");
    }
    assert_eq!(listed(&mut h, 32), [(false, true); 2]);
}
