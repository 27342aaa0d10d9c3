//! Feeds are answered whatever else goes on.

use super::{A, C, TPU, follow, page};
use crate::harness::{Answer, Daemon, Home, exchange, until};
use crate::serve::house::request;
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The status and what readers remember.
fn seen(daemon: &Daemon) -> (u16, String, String) {
    let reply = daemon.get(TPU, &[]);
    (reply.status, reply.header("ETag").to_owned(), reply.header("Last-Modified").to_owned())
}

#[test]
fn a_feed_is_served_while_its_source_fails_and_changes_with_its_bytes_only() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    let before = seen(&daemon);
    let bad = [Answer::status(500), Answer::status(404), Answer::markdown(""), Answer::ok("text/html", "<p>Soon")];
    for answer in bad {
        origin.say("/tpu.md", answer);
        assert_eq!(home.run(&["refresh"]).code, 1);
        assert_eq!(seen(&daemon), before);
        let reply = daemon.get(TPU, &[&format!("If-None-Match: {}", before.1)]);
        assert_eq!((reply.status, reply.body.len()), (304, 0));
    }
    origin.say("/tpu.md", page(&[C, A]));
    assert_eq!(home.run(&["refresh"]).code, 0);
    let after = seen(&daemon);
    assert!(after.0 == 200 && after.1 != before.1 && after.2 != before.2, "{before:?} {after:?}");
}

/// Who reads is counted without being known: by feed, for the operator only.
#[test]
fn readers_are_counted_by_feed() {
    let (_origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    until("the feed", || (daemon.get("/topics/tpu.html", &[]).status == 200).then_some(()));
    let agent = |name: &str| format!("User-Agent: {name}");
    let tag = daemon.get(TPU, &[&agent("newsboat/2.30")]).header("ETag").to_owned();
    let same = daemon.get(TPU, &[&agent("newsboat/2.30"), &format!("If-None-Match: {tag}")]);
    assert_eq!(same.status, 304);
    daemon.get("/topics/tpu.rss", &[&agent("sfeed")]);
    daemon.get("/topics/tpu.json", &[&agent("Feedbin feed-id:7 - 12 subscribers")]);
    daemon.get("/topics/tpu.json", &[&agent("Feedbin feed-id:7 - 13 subscribers")]);
    // A browser looks at the page, and somebody behind a proxy on this machine reads everything.
    daemon.get(TPU, &["Sec-Fetch-Dest: document"]);
    daemon.get("/all.atom", &[&agent("newsboat/2.30"), "X-Forwarded-For: 192.0.2.1"]);
    daemon.get("/all.atom", &[&agent("newsboat/2.30"), "X-Forwarded-For: 192.0.2.2"]);
    let feeds = daemon.get("/api/status", &[]).json()["feeds"].clone();
    let row = |feed: &str, requests: u64, same: u64, readers: u64, subscribers: u64| json!({ "feed": feed, "requests": requests, "not_modified": same, "readers": readers, "subscribers": subscribers });
    assert_eq!(feeds, json!([row("topics/tpu", 5, 1, 2, 13), row("all", 2, 0, 2, 0)]));
    let metrics = daemon.get("/metrics", &[]);
    for line in [
        "pagewire_feed_requests_total{feed=\"topics/tpu\",answer=\"304\"} 1",
        "pagewire_feed_readers{feed=\"all\"} 2",
        "pagewire_feed_subscribers{feed=\"topics/tpu\"} 13",
    ] {
        assert!(metrics.text().lines().any(|l| l == line), "{line}\n{}", metrics.text());
    }
    let told = home.run(&["status"]).out;
    assert!(told.contains("      2          13         5  20 %  topics/tpu\n"), "{told}");
    drop(daemon);
    let status: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    assert!(status["feeds"].is_null(), "only a daemon knows: {status}");
}

/// No reader gets an error between the first word of the listener and the last of a stop.
#[test]
fn a_feed_is_served_from_the_first_moment_to_the_last() {
    let home = Home::of("page.md");
    home.listen("", "");
    std::fs::write(home.path("page.md"), crate::crash::version(20)).unwrap();
    let daemon = Daemon::start(&home);
    until("the feed", || (daemon.get(TPU, &[]).status == 200).then_some(()));
    daemon.end("TERM");
    for n in 0..5 {
        std::fs::write(home.path("page.md"), crate::crash::version(21 + n)).unwrap();
        let daemon = Daemon::listening(home.command(&["run"]));
        let (port, stopping, count) = (daemon.port(), AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                loop {
                    match exchange(port, &request("GET", TPU, &[], "")) {
                        Ok(reply) => assert_eq!(reply.status, 200),
                        Err(_) if stopping.load(Ordering::SeqCst) => return,
                        Err(e) => panic!("after {count:?} answers: {e}"),
                    }
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
            until("ready", || (daemon.get("/readyz", &[]).status == 200).then_some(()));
            daemon.signal("USR1");
            let before = count.load(Ordering::SeqCst);
            until("answers while it works", || (count.load(Ordering::SeqCst) > before + 20).then_some(()));
            stopping.store(true, Ordering::SeqCst);
            assert_eq!(daemon.end("TERM").0.code(), Some(0));
            reader.join().unwrap();
        });
    }
}
