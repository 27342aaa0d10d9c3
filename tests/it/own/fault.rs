//! Own pages that cannot be read: the post is published as its list prints it, and filled when that is possible.

use super::{ALPHA, BETA, GAMMA, TPU, article, follow, list, state, summary};
use crate::harness::{Answer, Home, Origin, write};
use std::time::Duration;

const ORIGINAL: &str = "link = \"original\"";

/// One post whose own page answers so; what a feed's link opens then, how often it was asked, and what was told.
fn printed(answer: Answer, tries: usize, told: &str) {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", answer);
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("robots = false", "robots = false\ntimeout = \"1s\""));
    let run = home.refresh(0);
    let entries = home.entries(TPU);
    assert_eq!(entries[0].link, origin.url("/post/alpha.md"));
    assert_eq!(entries[0].updated, entries[0].published);
    assert_eq!(origin.count("/post/alpha.md"), tries, "{run:#?}");
    assert!(run.err.contains(told) && run.err.contains("/post/alpha.md"), "{told}: {run:#?}");
    let why = home.run(&["why", "Alpha wins"]);
    assert!(why.out.contains("unread") && why.out.contains(told), "{told}: {why:#?}");
}

#[test]
fn a_missing_page_is_asked_twice() {
    printed(Answer::status(404), 2, "http-404");
}

#[test]
fn a_broken_server_is_asked_twice() {
    printed(Answer::status(500), 2, "http-500");
}

#[test]
fn a_page_that_never_comes_is_given_its_time_twice() {
    printed(summary("Alpha wins", "alpha").after(Duration::from_secs(10)), 2, "timeout");
}

#[test]
fn a_challenge_is_no_page_of_a_post() {
    let challenge = "<!doctype html><title>Just a moment...</title><link rel=canonical href=\"https://wall.example/x\">\
                     <p>Checking your browser before you go on. <a href=\"https://wall.example/help\">Source</a>";
    printed(Answer::ok("text/html", challenge), 2, "does not have the words of its title");
}

#[test]
fn an_empty_page_is_none() {
    printed(Answer::markdown(" \n"), 2, "empty");
}

#[test]
fn a_feed_is_none() {
    printed(
        Answer::ok("application/rss+xml", "<rss version=\"2.0\"><channel><title>Alpha wins</title></channel></rss>"),
        2,
        "is a feed",
    );
}

#[test]
fn a_giant_page_is_asked_once_and_not_kept() {
    let giant = "<p>Alpha wins</p>".repeat(400_000);
    printed(Answer::ok("text/html", giant), 1, "too-large");
}

#[test]
fn a_page_that_ended_is_asked_once() {
    printed(Answer::status(410), 1, "gone");
}

#[test]
fn a_page_that_leads_home_is_none() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", Answer::status(302).with("Location", "/"));
    origin.say(
        "/",
        Answer::ok("text/html", "<title>Sum</title><h1>Alpha wins</h1><a href=https://lab.example/x/y>Original</a>"),
    );
    home.refresh(0);
    assert_eq!(home.entries(TPU)[0].link, origin.url("/post/alpha.md"));
}

#[test]
fn an_address_that_is_not_public_is_not_asked() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", Answer::status(302).with("Location", "http://10.255.255.1/secret"));
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("allow_private = true", "allow_private = [\"127.0.0.1/32\"]"));
    let run = home.refresh(0);
    assert_eq!(home.entries(TPU)[0].link, origin.url("/post/alpha.md"));
    assert_eq!(origin.count("/post/alpha.md"), 1, "that will not change: {run:#?}");
    assert!(run.err.contains("refused-address"), "{run:#?}");
}

#[test]
fn robots_txt_holds_for_own_pages() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/robots.txt", Answer::ok("text/plain", "User-agent: *\nDisallow: /post/\n"));
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("robots = false", "robots = true"));
    let run = home.refresh(0);
    assert_eq!(home.entries(TPU)[0].link, origin.url("/post/alpha.md"));
    assert_eq!(origin.count("/post/alpha.md"), 0);
    assert!(run.err.contains("robots"), "{run:#?}");
}

#[test]
fn a_host_that_asks_for_rest_gets_it_for_all_posts() {
    let (origin, home) = follow(&[ALPHA, BETA, GAMMA], ORIGINAL);
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("concurrency = 8", "concurrency = 1"));
    for name in ["alpha", "beta", "gamma"] {
        origin.say(&format!("/post/{name}.md"), Answer::status(429).with("Retry-After", "3600"));
    }
    home.refresh(0);
    assert_eq!(home.entries(TPU).len(), 3);
    let asked: usize = ["alpha", "beta", "gamma"].iter().map(|n| origin.count(&format!("/post/{n}.md"))).sum();
    assert!(asked <= 3, "none is asked again: {asked}");
    origin.requests();
    home.run(&["refresh", "--force"]);
    assert!(origin.requests().iter().all(|request| !request.path.starts_with("/post/")));
}

#[test]
fn a_later_reading_fills_and_moves_nothing() {
    let (origin, home) = follow(&[ALPHA, BETA], "link = \"original\"\ncontent = \"post\"");
    origin.say("/post/alpha.md", Answer::status(503));
    home.refresh(0);
    let before = home.entries(TPU);
    assert_eq!(before[0].link, origin.url("/post/alpha.md"));
    assert_eq!(before[1].link, article("beta"));
    // Not before its time.
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha"));
    origin.requests();
    home.refresh(0);
    assert_eq!(origin.count("/post/alpha.md"), 0);
    assert_eq!(state(&home, "UPDATE own SET due = due - 3600 WHERE due IS NOT NULL"), 1, "an hour");
    home.refresh(0);
    let after = home.entries(TPU);
    assert_eq!(after[0].link, article("alpha"));
    assert!(home.feed(TPU).entries[0].content.is_some());
    let dates = |e: &crate::harness::Seen| (e.id.clone(), e.published.clone(), e.updated.clone());
    assert_eq!(after.iter().map(dates).collect::<Vec<_>>(), before.iter().map(dates).collect::<Vec<_>>());
    let why = home.run(&["why", "Alpha wins"]);
    assert!(why.out.contains("filled") && why.out.contains(&article("alpha")), "{why:#?}");
}

#[test]
fn after_five_failures_it_is_given_up() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", Answer::status(500));
    home.refresh(0);
    for tries in [3, 4, 5] {
        assert_eq!(state(&home, "UPDATE own SET due = 0 WHERE due IS NOT NULL"), 1);
        home.refresh(0);
        assert_eq!(origin.count("/post/alpha.md"), tries);
    }
    assert_eq!(state(&home, "UPDATE own SET due = 0 WHERE due IS NOT NULL"), 0, "no sixth");
    let why = home.run(&["why", "Alpha wins"]);
    assert!(why.out.contains("given up"), "{why:#?}");
}

#[test]
fn a_post_is_forgotten_while_it_waits() {
    let (origin, home) = follow(&[ALPHA, BETA], ORIGINAL);
    list(&origin, &[BETA]);
    home.refresh(0);
    list(&origin, &[ALPHA, BETA]);
    // As a kill between the two commits of a run leaves it.
    home.refresh(0);
    state(&home, "DELETE FROM member WHERE entry = 2");
    state(&home, "UPDATE entry SET gone = 3 WHERE id = 2");
    state(&home, "UPDATE own SET due = 0, until = 9999999999 WHERE entry = 2");
    state(&home, "UPDATE feed SET dirty = updated");
    let why = home.run(&["why", "Alpha wins"]);
    assert!(why.out.contains("waiting"), "{why:#?}");
    assert_eq!(home.run(&["forget", "Alpha wins"]).code, 0);
    home.refresh(0);
    assert_eq!(home.entries(TPU).len(), 1, "for good");
    assert_eq!(home.run(&["forget", "--undo", "Alpha wins"]).code, 0);
    home.refresh(0);
    assert_eq!(home.entries(TPU).len(), 2);
}

#[test]
fn credentials_go_to_the_pages_own_host_only() {
    let (origin, other) = (Origin::start(), Origin::start());
    let (ours, theirs) = (origin.url("/post/a.md"), other.url("/post/b.md"));
    let text = crate::harness::topic(&[("Alpha wins", &ours, "Sep 3, 2026"), ("Beta follows", &theirs, "Sep 2, 2026")]);
    origin.say("/tpu.md", Answer::markdown(text));
    origin.say("/post/a.md", summary("Alpha wins", "alpha"));
    other.say("/post/b.md", summary("Beta follows", "beta"));
    let home = Home::with("");
    super::seeds(&home, &origin, "link = \"original\"\nheaders = { X-Key = \"secret\" }");
    home.refresh(0);
    let key = |origin: &Origin, path: &str| {
        origin.requests().iter().find(|r| r.path == path).unwrap().headers.get("x-key").cloned()
    };
    assert_eq!(key(&origin, "/post/a.md").as_deref(), Some("secret"));
    assert_eq!(key(&other, "/post/b.md"), None);
    assert_eq!(home.entries(TPU)[1].link, article("beta"));
}
