//! A refresh by hand: over the control socket, by signal, over TCP with a token.

use super::{A, B, C, TPU, follow, page, seeds};
use crate::harness::{Answer, Daemon, Home, Run, until, write};
use crate::serve::house::{BEARER, JSON, ask_unix};
use std::process::{Child, Stdio};
use std::time::Duration;

/// A refresh that runs beside the test.
fn begin(home: &Home, arguments: &[&str]) -> Child {
    let mut command = home.command(&[&["refresh", "--json"], arguments].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> Run {
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_refresh_is_done_by_the_daemon_and_looks_as_without_one() {
    let (origin, home) = follow(&["tpu", "bad"], "");
    origin.say("/bad.md", Answer::status(500));
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    until("the bad one", || (daemon.page(1)["state"] == "failing").then_some(()));
    origin.requests();
    origin.say("/tpu.md", page(&[C, A]));
    let run = home.run(&["refresh", "tpu"]);
    assert_eq!((run.code, origin.requests().len()), (0, 1), "{run:#?}");
    assert!(run.out.contains("1 page: 1 changed; 1 new post"), "{}", run.out);
    assert_eq!(daemon.titles(TPU), ["Gamma", "Alpha"], "published when it returns");

    let runs = || {
        [&["--json"][..], &["--json", "tpu"], &["bad"], &["tpu", "bda"]].map(|names| {
            let run = home.run(&[&["refresh"], names].concat());
            (run.code, run.out, run.err)
        })
    };
    let with = runs();
    daemon.end("TERM");
    let without = runs();
    assert_eq!(with.each_ref().map(|run| run.0), [1, 0, 1, 2]);
    assert_eq!(with, without);
}

#[test]
fn ten_at_once_cost_one_request_and_all_get_the_verdict() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    origin.requests();
    origin.say("/tpu.md", page(&[C, A]).after(Duration::from_secs(2)));
    let runs: Vec<Run> = (0..10).map(|_| begin(&home, &[])).collect::<Vec<_>>().into_iter().map(ended).collect();
    for run in &runs {
        assert_eq!((run.code, run.json()[0]["added"].as_u64()), (0, Some(1)), "{run:#?}");
    }
    assert_eq!(origin.requests().len(), 1);
}

#[test]
fn orders_that_overlap_share_what_they_have_in_common() {
    let (origin, home) = follow(&["one", "two", "three"], "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/three.atom", &["Alpha"]);
    until("all", || (0..3).all(|i| daemon.page(i)["state"] == "ok").then_some(()));
    origin.requests();
    origin.say("/two.md", page(&[B, A]).after(Duration::from_secs(1)));
    let runs = [&["one", "two"], &["two", "three"]].map(|names| begin(&home, names)).map(ended);
    for run in runs {
        assert_eq!((run.code, &run.json()[2]["total"]["pages"]), (0, &2.into()), "{run:#?}");
    }
    let mut paths: Vec<String> = origin.requests().into_iter().map(|request| request.path).collect();
    paths.sort();
    assert_eq!(paths, ["/one.md", "/three.md", "/two.md"]);
}

#[test]
fn a_client_that_hangs_up_stops_no_work() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    origin.requests();
    origin.say("/tpu.md", page(&[C, A]).after(Duration::from_secs(1)));
    let mut child = begin(&home, &[]);
    until("the request", || (origin.count("/tpu.md") == 1).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    daemon.shows(TPU, &["Gamma", "Alpha"]);
}

#[test]
fn force_is_force_even_while_a_gentle_refresh_is_under_way() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    origin.requests();
    origin.say("/tpu.md", Answer::status(304).after(Duration::from_secs(1)));
    let gentle = begin(&home, &[]);
    until("the gentle one", || (origin.count("/tpu.md") == 1).then_some(()));
    origin.say("/tpu.md", page(&[A]));
    let forced = begin(&home, &["--force"]);
    let outcomes = [gentle, forced].map(ended).map(|run| run.json()[0]["outcome"].clone());
    assert_eq!(outcomes, ["unchanged", "changed"]);
    let asked: Vec<bool> = origin.requests().iter().map(|r| r.headers.contains_key("if-none-match")).collect();
    assert_eq!(asked, [true, false]);
    drop(daemon);
}

#[test]
fn usr1_refreshes_everything() {
    let (origin, home) = follow(&["one", "two"], "");
    let daemon = Daemon::start(&home);
    until("all", || (0..2).all(|i| daemon.page(i)["state"] == "ok").then_some(()));
    origin.requests();
    daemon.signal("USR1");
    until("both", || (origin.count("/one.md") == 1 && origin.count("/two.md") == 1).then_some(()));
}

/// Fault 130.
#[test]
fn a_hundred_posts_cost_one_request_a_page() {
    let (origin, home) = follow(&["tpu", "two"], "");
    home.listen("refresh_token_file = \"token\"", "");
    write(&home.path("token"), "s3cret\n");
    let daemon = Daemon::start(&home);
    until("all", || (0..2).all(|i| daemon.page(i)["state"] == "ok").then_some(()));
    assert_eq!(daemon.ask("POST", "/api/refresh", &[JSON], "{}").status, 401);
    assert_eq!(daemon.ask("POST", "/api/refresh", &["Authorization: Bearer no", JSON], "{}").status, 401);
    // What was read under another configuration answers no order.
    home.listen("refresh_token_file = \"token\"\nrefresh_min = \"2m\"", "");
    assert_eq!(home.run(&["reload"]).code, 0);
    origin.requests();
    origin.say("/tpu.md", page(&[C, A]).after(Duration::from_millis(200)));
    let url = origin.url("/tpu.md");
    let orders = ["{}", r#"{"topics":["tpu"]}"#, r#"{"topics":["two","tpu"]}"#, &format!(r#"{{"pages":["{url}"]}}"#)]
        .map(str::to_owned);
    let ids: Vec<String> = (0..100)
        .map(|n| {
            let reply = daemon.ask("POST", "/api/refresh", &[BEARER, JSON], &orders[n % 4]);
            assert_eq!(reply.status, 202, "{reply:?}");
            reply.json()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    for id in [&ids[0], &ids[1], &ids[98], &ids[99]] {
        let events = daemon.get(&format!("/api/refresh/{id}/events"), &[BEARER]);
        assert!(events.text().contains("event: total\ndata: {\"total\":{"), "{events:?}");
        assert!(events.text().contains("\"added\":1"), "{events:?}");
    }
    assert_eq!((origin.count("/tpu.md"), origin.count("/two.md")), (1, 1));
    let unknown = daemon.ask("POST", "/api/refresh", &[BEARER, JSON], r#"{"topics":["nope"]}"#).json();
    let events = daemon.get(&format!("/api/refresh/{}/events", unknown["id"].as_str().unwrap()), &[BEARER]);
    assert!(events.text().contains("event: error") && events.text().contains("`nope` is no topic"), "{events:?}");
}

/// The page of an order may go with a reload before it is asked; whoever waits is told so.
#[test]
fn an_order_for_a_page_that_is_followed_no_more_ends() {
    let (origin, home) = follow(&["tpu", "two"], "");
    let daemon = Daemon::start(&home);
    until("all", || (0..2).all(|i| daemon.page(i)["state"] == "ok").then_some(()));
    origin.requests();
    origin.say("/two.md", page(&[A]).after(Duration::from_secs(2)));
    let gentle = begin(&home, &["two"]);
    until("the gentle one", || (origin.count("/two.md") == 1).then_some(()));
    let socket = home.path("control.sock");
    let forced = ask_unix(&socket, "POST", "/api/refresh", &[JSON], r#"{"topics": ["two"], "force": true}"#);
    home.seeds(&seeds(&origin, &["tpu"], ""));
    assert_eq!(home.run(&["reload"]).code, 0);
    let gentle = ended(gentle);
    assert_eq!(gentle.code, 0, "{gentle:#?}");
    let id = forced.json()["id"].as_str().unwrap().to_owned();
    let events = ask_unix(&socket, "GET", &format!("/api/refresh/{id}/events"), &[], "");
    assert!(events.text().contains("not followed any more") && events.text().contains("event: total"), "{events:?}");
    drop(daemon);
}
