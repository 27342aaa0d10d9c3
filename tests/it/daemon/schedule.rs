//! What is done when nobody asks.

use super::{A, B, C, EVERY_SECOND, TPU, follow, page, seeds};
use crate::harness::{Answer, Daemon, Home, Origin, until};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn a_due_page_is_refreshed_by_itself() {
    let (origin, home) = follow(&["tpu"], "schedule = \"every 1s\"");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    origin.requests();
    origin.say("/tpu.md", page(&[C, A]));
    daemon.shows(TPU, &["Gamma", "Alpha"]);
    let requests = origin.requests();
    assert!((1..=2).contains(&requests.len()), "one refresh brought it: {requests:?}");
    assert_eq!(requests[0].headers["if-none-match"], "\"1\"");
}

/// Faults 044, 046, 047: whoever wants to be left alone is, by schedule and by hand, and nobody else is.
#[test]
fn a_page_that_ended_or_asks_for_rest_is_asked_no_more() {
    let (origin, home) = follow(&["tpu", "gone", "busy"], "schedule = \"every 1s\"");
    origin.say("/gone.md", Answer::status(410));
    origin.say("/busy.md", Answer::status(503).with("Retry-After", "1500"));
    let daemon = Daemon::start(&home);
    until("the ends", || (daemon.page(1)["state"] == "ended" && daemon.page(2)["state"] == "failing").then_some(()));
    origin.requests();
    until("the other page, on and on", || (origin.count("/tpu.md") > 3).then_some(()));
    let run = home.run(&["refresh", "--json", "gone", "busy"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let lines = run.json();
    assert!(lines[..2].iter().all(|line| line["outcome"] == "skipped"), "{run:#?}");
    let line = |topic: &str| lines.iter().find(|line| line["topics"][0] == topic).unwrap();
    assert!(line("gone")["until"].is_null() && line("busy")["until"].is_string(), "{run:#?}");
    assert_eq!((origin.count("/gone.md"), origin.count("/busy.md")), (0, 0));
    let [gone, busy] = [1, 2].map(|index| daemon.page(index));
    assert!(gone["next_due"].is_null() && busy["next_due"].as_str() >= line("busy")["until"].as_str(), "{gone} {busy}");
}

/// A retired topic may be looked at by hand; that puts it on no schedule again.
#[test]
fn a_retired_topics_page_is_asked_by_hand_only() {
    let (origin, home) = follow(&["tpu", "old"], "schedule = \"every 1s\"");
    let old = seeds(&origin, &["old"], "schedule = \"every 1s\"\nretired = \"2026-01-01\"");
    home.seeds(&(seeds(&origin, &["tpu"], "schedule = \"every 1s\"") + &old));
    let daemon = Daemon::start(&home);
    until("the other page, on and on", || (origin.count("/tpu.md") > 1).then_some(()));
    assert_eq!(origin.count("/old.md"), 0);
    for times in 1..=2 {
        let run = home.run(&["refresh", "old"]);
        assert_eq!(run.code, 0, "{run:#?}");
        let now = origin.count("/tpu.md");
        until("the other page, on and on", || (origin.count("/tpu.md") > now + 2).then_some(()));
        assert_eq!(origin.count("/old.md"), times);
        assert!(daemon.page(1)["next_due"].is_null(), "{}", daemon.page(1));
    }
}

#[test]
fn failures_back_off_and_are_never_given_up() {
    let (origin, home) = follow(&["tpu"], "schedule = \"every 1s\"");
    origin.say("/tpu.md", Answer::status(500));
    let daemon = Daemon::start(&home);
    until("three tries", || (origin.count("/tpu.md") == 3).then_some(()));
    let times: Vec<_> = origin.requests().iter().map(|request| request.at).collect();
    // Times are stored in whole seconds, so each wait may be up to a second shorter than it says.
    assert!(times[1] - times[0] >= Duration::from_secs(1) && times[2] - times[1] >= Duration::from_secs(3), "2 s, 4 s");
    let page_now = until("the third verdict", || Some(daemon.page(0)).filter(|page| page["failures"] == 3));
    assert!(page_now["next_due"].is_string() && page_now["error"]["kind"] == "http-500", "{page_now}");
    origin.say("/tpu.md", page(&[A]));
    assert_eq!(home.run(&["refresh"]).code, 0, "and by hand at once");
    daemon.shows(TPU, &["Alpha"]);
}

/// Fault 109: nobody is asked in a hurry, whatever ends us.
#[test]
fn the_next_check_is_stored_before_the_request() {
    let (origin, home) = follow(&["tpu"], "");
    origin.say("/tpu.md", page(&[A]).after(Duration::from_mins(1)));
    let daemon = Daemon::start(&home);
    until("the request", || (origin.count("/tpu.md") == 1).then_some(()));
    daemon.end("KILL");
    let daemon = Daemon::start(&home);
    // Whoever answers the second time has looked at what is due.
    let states = [daemon.page(0), daemon.page(0)];
    assert!(states[1]["last_fetch"].is_null() && states[1]["next_due"].is_string(), "{states:?}");
    assert_eq!(origin.count("/tpu.md"), 1);
}

/// Fault 109: and nothing that subscribers see depends on how often we start.
#[test]
fn twenty_restarts_ask_nobody_and_change_nothing() {
    let (origin, home) = follow(&["tpu"], "");
    origin.say("/tpu.md", page(&[A, B]));
    let mut daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha", "Beta"]);
    let seen = |daemon: &Daemon| {
        let paths = [TPU, "/companies/acme.rss", "/all.json", "/topics/tpu.html", "/index.html", "/feeds.opml"];
        paths.map(|path| {
            let reply = daemon.get(path, &[]);
            (reply.header("ETag").to_owned(), reply.header("Last-Modified").to_owned(), reply.body)
        })
    };
    let before = (seen(&daemon), daemon.page(0)["next_due"].clone());
    for n in 0..20 {
        daemon.end(["TERM", "KILL"][n % 2]);
        daemon = Daemon::start(&home);
        assert!((seen(&daemon), daemon.page(0)["next_due"].clone()) == before, "restart {n}");
    }
    assert_eq!(origin.count("/tpu.md"), 1);
}

/// Fault 107.
#[test]
fn five_hundred_pages_of_a_host_come_in_turn_and_spread_out() {
    let origin = Origin::start();
    let pages: Vec<String> = (0..500).map(|n| format!("\"{}\"", origin.url(&format!("/{n}.md")))).collect();
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [{}]\n", pages.join(", ")));
    home.listen("", "");
    for n in 0..500 {
        origin.say(&format!("/{n}.md"), page(&[A]).after(Duration::from_millis(3)));
    }
    let due = |daemon: &Daemon| -> Option<Vec<String>> {
        let status = daemon.get("/api/status", &[]).json();
        let asked = status["pages"].as_array()?.iter().all(|page| page["last_fetch"].is_string());
        let due = |page: &serde_json::Value| page["next_due"].as_str().map(str::to_owned);
        status["pages"].as_array()?.iter().map(due).collect::<Option<Vec<_>>>().filter(|_| asked)
    };
    let daemon = Daemon::start(&home);
    let before = until("all of them", || due(&daemon));
    assert!(origin.most_at_once() <= 8, "{} at once", origin.most_at_once());
    assert_eq!(origin.requests().len(), 500);
    let minutes: BTreeSet<&str> = before.iter().map(|due| &due[14..16]).collect();
    assert!(minutes.len() > 50, "{minutes:?}");
    daemon.end("TERM");
    assert_eq!(due(&Daemon::start(&home)), Some(before), "the same phase after a restart");
}

/// A host that takes half a minute for each of its pages keeps nobody else waiting.
#[test]
fn slow_pages_delay_no_others() {
    let slow = Origin::start();
    let pages: Vec<String> = (0..100).map(|n| format!("\"{}\"", slow.url(&format!("/{n}.md")))).collect();
    let quick = Origin::start();
    quick.say("/tpu.md", page(&[A]));
    let quick_page = quick.url("/tpu.md").replace("127.0.0.1", "localhost");
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"slow\"\npages = [{}]\n[[topic]]\nslug = \"tpu\"\npages = [\"{quick_page}\"]\n",
        pages.join(", ")
    ));
    home.listen("", EVERY_SECOND);
    for n in 0..100 {
        slow.say(&format!("/{n}.md"), page(&[B]).after(Duration::from_secs(30)));
    }
    let start = std::time::Instant::now();
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert!(slow.most_at_once() <= 8 && slow.most_at_once() > 0);
}
