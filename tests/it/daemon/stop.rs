//! The end, wanted or not, and the start after it.

use super::{A, B, C, TPU, follow, page};
use crate::crash::{assert_whole, version};
use crate::harness::{Answer, Daemon, Home, Run, assert_same, until};
use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[test]
fn term_in_the_middle_of_a_download_ends_well_and_keeps_what_landed() {
    let (origin, home) = follow(&["tpu", "slow"], "");
    origin.say("/slow.md", Answer { drip: Duration::from_secs(1), ..page(&[B]) });
    let daemon = Daemon::start(&home);
    until("both requests", || (origin.count("/tpu.md") == 1 && origin.count("/slow.md") == 1).then_some(()));
    // The page that came at once is about to be stored, which nobody sees from outside.
    std::thread::sleep(Duration::from_millis(300));
    let (status, took) = daemon.end("TERM");
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");
    origin.requests();
    let daemon = Daemon::start(&home);
    assert_eq!(daemon.titles(TPU), ["Alpha"]);
    daemon.page(0);
    assert_eq!(origin.requests().len(), 0);
    assert_eq!(daemon.end("INT").0.code(), Some(130));
    let run = home.run(&["refresh", "tpu"]);
    assert_eq!(run.code, 0, "nobody answers on the socket any more: {run:#?}");
}

#[test]
fn a_kill_at_any_instant_loses_and_doubles_nothing() {
    let home = Home::of("page.md");
    home.listen("", "");
    let ids = || -> BTreeSet<String> {
        let there = home.path("out/topics/tpu.atom").exists();
        if there { home.entries("topics/tpu.atom").into_iter().map(|e| e.id).collect() } else { BTreeSet::new() }
    };
    // What a reader was told: the same tag always with the same time.
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    let mut look = |daemon: &Daemon| {
        if let Ok(reply) = daemon.try_ask("GET", TPU, &[], "")
            && reply.status == 200
        {
            let (tag, time) = (reply.header("ETag").to_owned(), reply.header("Last-Modified").to_owned());
            assert_eq!(told.entry(tag).or_insert_with(|| time.clone()), &time);
        }
    };
    for n in 1..=30_u32 {
        std::fs::write(home.path("page.md"), version(n.div_ceil(2) as usize)).unwrap();
        let before = ids();
        let daemon = Daemon::listening(home.command(&["run"]));
        daemon.signal("USR1");
        let end = Instant::now() + Duration::from_millis(u64::from(n * 37 % 31) * 10);
        while Instant::now() < end {
            look(&daemon);
        }
        daemon.end("KILL");
        assert_whole(&home);
        let after = ids();
        assert!(after.is_superset(&before), "round {n}: lost {:?}", before.difference(&after));
    }
    let daemon = Daemon::start(&home);
    assert_eq!(home.run(&["refresh"]).code, 0);
    look(&daemon);
    assert_eq!(ids().len(), 15);
    assert_eq!(daemon.titles(TPU).len(), 15);
    let left: Vec<_> = std::fs::read_dir(home.path("out/topics")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(left.iter().all(|n| !n.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn files_that_somebody_changed_are_as_they_were_after_a_start() {
    let (_origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    daemon.end("TERM");
    let before = home.files();
    for (path, new) in
        [("topics/tpu.atom", None), ("favicon.ico", None), ("all.rss", Some(0)), ("index.html", Some(-1))]
    {
        let path = home.path("out").join(path);
        let mut bytes = std::fs::read(&path).unwrap();
        match new {
            None => std::fs::remove_file(&path).unwrap(),
            Some(0) => std::fs::write(&path, "").unwrap(),
            Some(_) => {
                bytes[0] ^= 1;
                std::fs::write(&path, bytes).unwrap();
            }
        }
    }
    let daemon = Daemon::start(&home);
    until("the same files", || (home.files() == before).then_some(()));
    assert_same(&home.files(), &before);
    assert_eq!(daemon.titles(TPU), ["Alpha"]);
    drop(daemon);
}

#[test]
fn what_cannot_be_used_is_told_at_once() {
    let (_origin, home) = follow(&["tpu"], "");
    let start = Instant::now();
    let run = |home: &Home| -> Run { home.command(&["run"]).output().unwrap().into() };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let with = |from: &str, to: &str| std::fs::write(home.path("pagewire.toml"), config.replace(from, to)).unwrap();

    with("127.0.0.1:0", &format!("127.0.0.1:{port}"));
    let busy = run(&home);
    assert_eq!(busy.code, 78, "{busy:#?}");
    assert!(busy.err.contains(&format!("`127.0.0.1:{port}`")) && busy.err.contains("another program"), "{busy:#?}");

    std::fs::write(home.path("file"), "").unwrap();
    for (from, to) in [("directory = \"out\"", "directory = \"file\""), ("\"state.db\"", "\"file/state.db\"")] {
        with(from, to);
        let run = run(&home);
        assert_eq!(run.code, 78, "{run:#?}");
        assert!(run.err.contains("/file"), "{run:#?}");
    }
    with("[server]\n", "[server]\nrefresh_token_file = \"none\"\n");
    let run_without = run(&home);
    assert_eq!(run_without.code, 78, "{run_without:#?}");

    with("", "");
    let _daemon = Daemon::start(&home);
    let second = run(&home);
    assert_eq!(second.code, 75, "{second:#?}");
    assert!(second.err.contains("in use by another pagewire"), "{second:#?}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// A folder that cannot be written to while the daemon runs: said once, served on, made good by itself.
#[test]
fn feeds_that_cannot_be_written_are_served_as_they_were_until_they_can() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    let in_the_way = home.path("out/companies/rival.atom/x");
    std::fs::create_dir_all(&in_the_way).unwrap();
    let rival = "\n### [Delta](https://x.example/delta)\n- Company: Rival\n- Published: Sep 5, 2026\n\nText.\n";
    origin.say("/tpu.md", Answer::markdown(crate::harness::topic(&[C, A]) + rival));
    let run = home.run(&["refresh"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(run.err.contains("/rival.atom`"), "{run:#?}");
    assert_eq!(daemon.titles(TPU), ["Alpha"]);
    assert_eq!(daemon.log().matches("until they can be written").count(), 1, "{}", daemon.log());
    std::fs::remove_dir_all(in_the_way.parent().unwrap()).unwrap();
    daemon.shows(TPU, &["Delta", "Gamma", "Alpha"]);
}

/// A daemon that hangs, or writes ten thousand feeds, keeps nobody from seeing how things stand.
#[test]
fn the_status_of_a_daemon_that_does_not_answer_is_what_the_state_knows() {
    let (_origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    until("the poll to be stored", || (daemon.page(0)["state"] == "ok").then_some(()));
    daemon.signal("STOP");
    let run = home.run(&["status", "--json"]);
    assert!(run.code == 0 && run.json()[0]["pages"][0]["state"] == "ok", "{run:?}");
}
