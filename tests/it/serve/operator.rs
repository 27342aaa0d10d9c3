//! Who sees how things stand, and who may ask for work.

use super::house::{BEARER, House, JSON, NOW, ask_unix};
use pagewire::model::{Ask, Control, Listen, Order, Outcome, Refused, Report, Told, Total};
use pagewire::serve::{Token, bind, bind_control};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tokio::runtime::Runtime;

const LOCAL: &str = "Host: 127.0.0.1:8080";

/// A daemon that answers every question for the status, and agrees to nothing else.
fn daemon(house: &mut House, status: Value) {
    let (_, nobody) = tokio::sync::mpsc::channel(1);
    let mut asks = std::mem::replace(&mut house.asks, nobody);
    house.runtime.spawn(async move {
        while let Some(ask) = asks.recv().await {
            match ask {
                Ask::Subscribe { answer, .. } => _ = answer.send(Ok(())),
                Ask::Status { answer } => _ = answer.send(status.clone()),
                Ask::Reload { done } => _ = done.send(Err("pagewire.toml:3: no".to_owned())),
                Ask::Refresh { told, .. } => _ = told.send(Told::Total(Total::default())),
                Ask::Task { answer, .. } => _ = answer.send(Err(Refused::Failed("no".to_owned()))),
                Ask::Metrics { answer } => _ = answer.send("# EOF\n".to_owned()),
                Ask::Health { answer } => _ = answer.send(Vec::new()),
            }
        }
    });
}

fn status() -> Value {
    let page = json!({
        "page": "https://x.example/<b>", "topics": ["tpu", "<i>"], "companies": ["<u>"], "index": true, "state": "failing",
        "last_fetch": NOW.plus(-600), "last_change": null, "next_due": NOW.plus(7_200), "posts": 11, "failures": 3,
        "since": NOW.plus(-86_400), "warnings": [{ "kind": "count", "message": "<script>alert(1)</script>" }],
        "error": { "kind": "http-503", "message": "the site says \"<img src=x>\"; try later" },
    });
    let well = json!({
        "page": "javascript:alert(1)", "topics": [], "companies": [], "index": false, "state": "ok", "last_fetch": NOW, "last_change": NOW,
        "next_due": NOW, "posts": 1, "failures": 0, "since": null, "warnings": [], "error": null,
    });
    let host = json!({
        "host": "x.example", "pages": 2, "concurrency": 2, "pause": 1.0, "crawl_delay": 5.0, "pace": 5.0,
        "until": NOW.plus(3_600 * 3),
    });
    let feeds = json!([
        { "feed": "topics/tpu", "requests": 40, "not_modified": 30, "readers": 3, "subscribers": 7 },
        { "feed": "others", "requests": 1, "not_modified": 0, "readers": 1, "subscribers": 0 },
    ]);
    let budget = json!({ "limit": 48, "planned": 44, "spent": 41 });
    json!({ "version": "0.1.0", "now": NOW, "budget": budget, "pages": [well, page], "hosts": [host], "feeds": feeds })
}

#[test]
fn health_is_a_word() {
    let house = House::new();
    let said = |path: &str| (house.get(path, &[]).status, house.get(path, &[]).text().to_owned());
    assert_eq!(said("/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(said("/readyz"), (200, "ok\n".to_owned()));
    house.ready.send_replace(false);
    assert_eq!(said("/readyz"), (503, "starting\n".to_owned()));
    assert_eq!(said("/healthz").0, 200);
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200, "feeds do not wait");
}

#[test]
fn the_status_is_for_this_machine_or_the_token() {
    let mut house = House::new();
    daemon(&mut house, status());
    for (headers, code) in [
        (&[LOCAL][..], 200),
        (&["Host: localhost:8080"], 200),
        (&["Host: feeds.example"], 200),
        (&[LOCAL, "X-Forwarded-For: 192.0.2.1"], 404),
        (&[LOCAL, "X-Forwarded-Host: x"], 404),
        (&[LOCAL, "Forwarded: for=192.0.2.1"], 404),
        (&[LOCAL, "Via: 1.1 x"], 404),
        (&[LOCAL, "Via: 1.1 x", BEARER], 200),
        (&[LOCAL, "Via: 1.1 x", "Authorization: bearer s3cret"], 200),
        (&[LOCAL, "Via: 1.1 x", "Authorization: Bearer s3cre"], 404),
        (&["Host: evil.example"], 403),
        (&["Host: "], 403),
        (&["Host: 127.0.0.1", "Host: 127.0.0.1"], 403),
        (&[LOCAL, "Origin: https://evil.example"], 403),
        (&[LOCAL, "Origin: null"], 403),
        (&[LOCAL, "Origin: http://127.0.0.1:8080"], 200),
    ] {
        for path in ["/status", "/api/status"] {
            assert_eq!(house.get(path, headers).status, code, "{path} {headers:?}");
        }
    }
    house.settle(|terms| terms.server.operator_public = true);
    assert_eq!(house.get("/status", &[LOCAL, "Via: 1.1 x"]).status, 200);
    let reply = house.get("/api/status", &[]);
    assert_eq!((reply.json(), reply.header("Access-Control-Allow-Origin")), (status(), ""));
}

#[test]
fn who_may_not_see_an_address_is_told_that_there_is_none() {
    let house = House::new();
    house.settle(|terms| terms.token = None);
    let nothing = house.get("/nothing", &[]).body;
    for (method, path, headers) in [
        ("GET", "/status", &["Via: x"][..]),
        ("GET", "/api/status", &["Via: x", BEARER]),
        ("GET", "/api/refresh/1-1/events", &["Via: x"]),
        ("POST", "/api/refresh", &[BEARER, JSON]),
        ("GET", "/api/refresh", &[]),
        ("POST", "/api/reload", &[BEARER, JSON]),
    ] {
        let reply = house.ask(method, path, headers, "");
        assert_eq!((reply.status, reply.body), (404, nothing.clone()), "{method} {path}");
    }
}

#[test]
fn the_status_page_shows_strangers_words_as_words() {
    let mut house = House::new();
    daemon(&mut house, status());
    let reply = house.get("/status", &[]);
    let page = reply.text();
    for part in [
        "<a href=\"https://x.example/&lt;b&gt;\">https://x.example/&lt;b&gt;</a>",
        "<a href=\"topics/tpu.html\">tpu</a><span>&lt;i&gt;</span><span>&lt;u&gt;</span><span>index</span>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "the site says &quot;&lt;img src=x&gt;&quot;; try later",
        "title=\"24 September 2026, 09:50 UTC\">10 min ago</time>",
        ">in 2 h</time>",
        "1 of 2 pages needs a look.",
        "41 requests sent in the last 24 hours for pages on schedule auto; 44 of 48 a day planned",
        "<a href=\"topics/tpu.html\">topics/tpu</a></th><td class=\"number\" data-label=\"Readers\">3</td>",
        "data-label=\"Not modified\">75 %</td>",
        "5 s, as it asks</td>",
        ">in 3 h</time>",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(page.find("https://x.example") < page.find("javascript:"), "what failed comes first");
    assert!(!page.contains("href=\"javascript:"));
    let policy = reply.header("Content-Security-Policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(reply.header("Cache-Control"), "no-store");
}

#[test]
fn a_refresh_needs_the_token_json_and_our_name() {
    let house = House::new();
    let long = format!("{{\"topics\":[\"{}\"]}}", "x".repeat(5_000));
    for (headers, body, code) in [
        (&[JSON][..], "{}", 401),
        (&[JSON, "Authorization: Bearer wrong"], "{}", 401),
        (&[JSON, "Authorization: Basic s3cret"], "{}", 401),
        (&[JSON, "Authorization: Bearer"], "{}", 401),
        (&[BEARER], "{}", 415),
        (&[BEARER, "Content-Type: text/plain"], "{}", 415),
        (&[BEARER, JSON], "{", 400),
        (&[BEARER, JSON], "[]", 400),
        (&[BEARER, JSON], "{\"topic\":[]}", 400),
        (&[BEARER, JSON], "{\"accept\":true}", 400),
        (&[BEARER, JSON], &long, 413),
        (&[BEARER, JSON, "Host: evil.example"], "{}", 403),
        (&[BEARER, JSON, "Origin: https://evil.example"], "{}", 403),
    ] {
        let reply = house.ask("POST", "/api/refresh", headers, body);
        assert_eq!(reply.status, code, "{headers:?} {body}");
        let asked = if code == 401 { "Bearer realm=\"pagewire\"" } else { "" };
        assert_eq!(reply.header("WWW-Authenticate"), asked);
    }
    assert_eq!(house.get("/api/refresh", &[BEARER]).header("Allow"), "POST");
    assert!(house.asks.is_empty(), "nothing was asked for");
}

#[test]
fn a_new_token_counts_at_once() {
    let house = House::new();
    house.settle(|terms| terms.token = Token::of(" other \n"));
    assert_eq!(house.order("{}").status, 401);
    assert_eq!(house.ask("POST", "/api/refresh", &["Authorization: Bearer other", JSON], "{}").status, 202);
    assert_eq!(Token::of(" \n"), None);
    assert_eq!(format!("{:?}", Token::of("s3cret")), "Some(Token)");
}

#[test]
fn events_tell_the_whole_story_to_whoever_comes() {
    let mut house = House::new();
    let reply = house.order(r#"{"topics": ["tpu"], "pages": ["https://x.example/"], "force": true}"#);
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    assert_eq!((reply.status, reply.header("Location")), (202, format!("refresh/{id}/events").as_str()));
    let (order, told) = house.ordered();
    let names = vec!["https://x.example/".to_owned(), "tpu".to_owned()];
    assert_eq!(order, Order { names, force: true, accept: false, min: Duration::from_mins(1) });

    let mut early = house.connect();
    write!(early, "GET /api/refresh/{id}/events HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    let report = Report::new("https://x.example/", vec!["tpu".to_owned()], Outcome::Unchanged);
    let mut total = Total::default();
    total.count(&report);
    told.send(Told::Page(report.clone())).unwrap();
    told.send(Told::Total(total)).unwrap();
    let mut heard = Vec::new();
    early.read_to_end(&mut heard).unwrap();
    let heard = super::house::Reply::of(&heard);
    let page = serde_json::to_string(&report).unwrap();
    let story = format!(
        "event: page\ndata: {page}\n\nevent: total\ndata: {}\n\n",
        r#"{"total":{"added":0,"changed":0,"failed":0,"held":0,"pages":1,"refused":0,"skipped":0,"unchanged":1}}"#
    );
    assert_eq!((heard.text(), heard.header("Content-Type")), (story.as_str(), "text/event-stream"));
    let mut late = house.connect();
    write!(late, "GET /api/refresh/{id}/events HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    let mut again = Vec::new();
    late.read_to_end(&mut again).unwrap();
    assert_eq!(super::house::Reply::of(&again).text(), story);
    assert_eq!(house.get("/api/refresh/none/events", &[]).status, 404);
}

#[test]
fn a_refresh_that_breaks_says_why() {
    let mut house = House::new();
    house.settle(|terms| terms.server.refresh_min = Duration::ZERO);
    let cases: [(Option<Told>, &str); 3] = [
        (Some(Told::Unknown("`x` is no topic".into())), r#""message":"`x` is no topic""#),
        (Some(Told::Failed("the disk is full".into())), "the disk is full"),
        (None, "the refresh was cut off"),
    ];
    for (last, words) in cases {
        let id = house.order("{}").json()["id"].as_str().unwrap().to_owned();
        let (_, told) = house.ordered();
        if let Some(last) = last {
            told.send(last).unwrap();
        }
        drop(told);
        let events = house.get(&format!("/api/refresh/{id}/events"), &[]);
        assert!(events.text().contains("event: error\n") && events.text().contains(words), "{}", events.text());
    }
}

#[test]
fn within_refresh_min_the_same_order_asks_nobody() {
    let mut house = House::new();
    let id = |reply: super::house::Reply| reply.json()["id"].as_str().unwrap().to_owned();
    let first = id(house.order(r#"{"topics": ["a", "b"]}"#));
    let (_, told) = house.ordered();
    for _ in 0..100 {
        assert_eq!(id(house.order(r#"{"topics": ["b"], "pages": ["a"]}"#)), first, "under way");
    }
    told.send(Told::Total(Total::default())).unwrap();
    assert_eq!(id(house.order(r#"{"topics": ["b", "a", "a"]}"#)), first, "done");
    assert!(house.asks.is_empty());
    assert_ne!(id(house.order(r#"{"topics": ["a"]}"#)), first, "another order");
    house.ordered();
    // The daemon dropped that one, and a broken flight is no result.
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while house.asks.is_empty() && std::time::Instant::now() < deadline {
        house.order(r#"{"topics": ["a"]}"#);
    }
    assert_eq!(house.ordered().0.names, ["a"]);
}

#[test]
fn at_most_64_refreshes_are_kept() {
    let mut house = House::new();
    let order = |house: &House, n: usize| house.order(&format!("{{\"topics\":[\"t{n}\"]}}"));
    let mut under_way = Vec::new();
    for n in 0..64 {
        assert_eq!(order(&house, n).status, 202);
        under_way.push(house.ordered().1);
    }
    let full = order(&house, 64);
    assert_eq!((full.status, full.header("Retry-After")), (503, "10"));
    under_way[0].send(Told::Total(Total::default())).unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while order(&house, 64).status != 202 {
        assert!(std::time::Instant::now() < deadline, "the one that ended makes room");
    }
}

#[test]
fn a_daemon_that_is_gone_costs_no_feed() {
    let mut house = House::new();
    house.asks.close();
    for reply in [house.get("/api/status", &[]), house.get("/status", &[]), house.order("{}")] {
        assert_eq!((reply.status, reply.header("Retry-After")), (503, "10"));
    }
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200);
}

#[test]
fn the_control_socket_needs_no_token_and_reloads() {
    let (mut house, socket) = House::controlled();
    daemon(&mut house, status());
    house.settle(|terms| terms.token = None);
    let folder = socket.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777;
    let mode = socket.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((folder, mode), (0o750, 0o660));
    let host = "Host: pagewire";
    assert_eq!(ask_unix(&socket, "GET", "/api/status", &[host], "").json(), status());
    let id = ask_unix(&socket, "POST", "/api/refresh", &[host, JSON], "{}").json()["id"].as_str().unwrap().to_owned();
    let events = ask_unix(&socket, "GET", &format!("/api/refresh/{id}/events"), &[host], "");
    assert!(events.text().contains("event: total"), "{}", events.text());
    let again = ask_unix(&socket, "POST", "/api/refresh", &[host, JSON], "{}").json();
    assert_ne!(again["id"], id, "whoever sits at the machine means it");
    let refused = ask_unix(&socket, "POST", "/api/reload", &[host], "");
    assert_eq!((refused.status, &refused.json()["error"]["message"]), (409, &json!("pagewire.toml:3: no")));
    assert_eq!(ask_unix(&socket, "GET", "/api/reload", &[host], "").status, 405);
    assert_eq!(ask_unix(&socket, "GET", "/topics/tpu.atom", &[host], "").status, 200);
}

#[test]
fn a_unix_socket_for_everybody_is_not_the_operators() {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = runtime.block_on(bind(&Listen::Unix(path.clone()))).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o660);
    assert_eq!(listener.role(), pagewire::serve::Role::Public);
}

#[test]
fn a_socket_in_the_way_is_replaced_only_if_nobody_answers() {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let control = Control { path: folder.path().join("control.sock"), set: false };
    let first = runtime.block_on(bind_control(&control)).unwrap();
    let busy = runtime.block_on(bind_control(&control)).unwrap_err().to_string();
    assert!(busy.contains("another program does") && busy.contains("`control` of [server]"), "{busy}");
    drop(first);
    assert!(control.path.exists(), "left behind");
    drop(runtime.block_on(bind_control(&control)).unwrap());
    std::fs::remove_file(&control.path).unwrap();
    std::fs::write(&control.path, "mine").unwrap();
    let file = runtime.block_on(bind_control(&control)).unwrap_err().to_string();
    assert!(file.contains("no socket; move it away"), "{file}");
    assert_eq!(std::fs::read_to_string(&control.path).unwrap(), "mine");
}

#[test]
fn a_busy_port_is_named_with_the_remedy() {
    let house = House::new();
    let error = house.runtime.block_on(bind(&Listen::Tcp(house.address))).unwrap_err().to_string();
    let words =
        format!("cannot listen on `{}`: another program does; stop it, or set `listen` of [server]", house.address);
    assert!(error.starts_with(&words), "{error}");
    let nowhere = "192.0.2.1:80".parse().unwrap();
    let error = house.runtime.block_on(bind(&Listen::Tcp(nowhere))).unwrap_err().to_string();
    assert!(error.contains("take an address that this machine has: `listen` of [server]"), "{error}");
}
