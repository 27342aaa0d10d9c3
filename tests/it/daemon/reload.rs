//! Another configuration without a restart.

use super::{A, C, TPU, follow, page, seeds};
use crate::harness::{Daemon, Home, exchange, until, write};
use crate::serve::house::{BEARER, JSON, request};
use std::sync::atomic::{AtomicBool, Ordering};

fn reload(home: &Home, code: i32) -> String {
    let run = home.run(&["reload", "--wait"]);
    assert_eq!(run.code, code, "{run:#?}");
    run.err
}

#[test]
fn topics_come_and_go_and_nothing_else_moves() {
    let (origin, home) = follow(&["tpu", "old"], "");
    origin.say("/new.md", page(&[C, A]));
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    daemon.shows("/topics/old.atom", &["Alpha"]);
    let old = daemon.get("/topics/old.atom", &[]);
    origin.requests();
    home.seeds(&seeds(&origin, &["tpu", "new"], ""));
    reload(&home, 0);
    let new = daemon.get("/topics/new.atom", &[]);
    assert!(new.status == 200 || new.status == 503 && !new.header("Retry-After").is_empty(), "known: {new:?}");
    daemon.shows("/topics/new.atom", &["Gamma", "Alpha"]);
    assert_eq!(origin.requests().iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["/new.md"]);
    let kept = daemon.get("/topics/old.atom", &[]);
    assert_eq!((kept.header("ETag"), &kept.body), (old.header("ETag"), &old.body), "a topic that is gone is served on");
    assert_eq!(home.run(&["refresh", "tpu"]).code, 0);
    assert_eq!(origin.requests()[0].headers["if-none-match"], "\"1\"", "validators are kept");

    home.seeds(&seeds(&origin, &["tpu", "old"], ""));
    daemon.signal("HUP");
    until("the old one, by signal", || (daemon.page(1)["topics"][0] == "old").then_some(()));
}

/// Fault 104 among them: what is refused is told with its place, and changes nothing.
#[test]
fn a_refused_configuration_changes_nothing_and_says_where_it_is_wrong() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    let good = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let before = (daemon.get("/api/status", &[]).json()["pages"].clone(), daemon.get(TPU, &[]).body);
    home.seeds(&seeds(&origin, &["tpu", "new"], "schedule = \"0 0 31 2 *\""));
    let said = reload(&home, 78);
    assert!(said.contains("seeds.toml:3:12") && said.contains("never fires"), "{said}");
    daemon.signal("HUP");
    until("the same in the log", || {
        let log = daemon.log();
        (log.contains("seeds.toml:3:12") && log.contains("the old one goes on")).then_some(())
    });
    home.seeds(&seeds(&origin, &["tpu"], ""));
    let other = |from: &str, to: &str| write(&home.path("pagewire.toml"), good.replace(from, to));
    for (key, from, to) in [
        ("listen", "listen = \"127.0.0.1:0\"", "listen = \"127.0.0.1:1\""),
        ("database", "\"state.db\"", "\"other/../state2.db\""),
        ("directory", "directory = \"out\"", "directory = \"out2\""),
        ("control", "[server]\n", "[server]\ncontrol = \"c.sock\"\n"),
        ("seeds", "\"seeds.toml\"", "\"seeds.toml\", \"nothing/*.toml\""),
    ] {
        let log = daemon.log().len();
        other(from, to);
        daemon.signal("HUP");
        let said =
            until(key, || Some(daemon.log()[log..].to_owned()).filter(|said| said.contains("the old one goes on")));
        assert!(said.contains(if key == "seeds" { "nothing/*.toml" } else { "restart" }), "{said}");
        assert!(key == "seeds" || said.contains(&format!("`{key}`")), "{said}");
    }
    other("\"seeds.toml\"", "\"seeds.toml\", \"nothing/*.toml\"");
    assert!(reload(&home, 1).contains("nothing/*.toml"));
    other("directory = \"out\"", "directory = \"out2\"");
    assert!(reload(&home, 1).contains("`directory` changed: restart"));
    assert_eq!((daemon.get("/api/status", &[]).json()["pages"].clone(), daemon.get(TPU, &[]).body), before);
}

#[test]
fn the_token_is_read_again() {
    let (_origin, home) = follow(&["tpu"], "");
    home.listen("refresh_token_file = \"token\"", "");
    write(&home.path("token"), "old");
    let daemon = Daemon::start(&home);
    let status = || daemon.ask("POST", "/api/refresh", &[BEARER, JSON], "{}").status;
    assert_eq!(status(), 401);
    write(&home.path("token"), "s3cret");
    reload(&home, 0);
    assert_eq!(status(), 202);
    std::fs::remove_file(home.path("token")).unwrap();
    assert!(reload(&home, 1).contains("refresh_token_file"));
    assert_eq!(status(), 202, "the old one goes on");
}

#[test]
fn a_page_is_read_anew_when_its_topics_or_its_schedule_change() {
    let (origin, home) = follow(&["tpu"], "schedule = \"every 1d\"");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    let seed = |slug: &str, more: &str| {
        format!(
            "[[topic]]\nslug = \"{slug}\"\n{more}\nschedule = \"every 1d\"\npages = [\"{}\"]\n",
            origin.url("/tpu.md")
        )
    };
    home.seeds(&(seed("tpu", "") + &seed("second", "")));
    reload(&home, 0);
    daemon.shows("/topics/second.atom", &["Alpha"]);
    home.seeds(&(seed("tpu", "") + &seed("third", "former = [\"second\"]")));
    reload(&home, 0);
    daemon.shows("/topics/third.atom", &["Alpha"]);
    let moved = daemon.get("/topics/second.atom", &[]);
    assert_eq!((moved.status, moved.header("Location")), (301, "../topics/third.atom"));
    until("the verdict", || (daemon.page(0)["state"] == "ok").then_some(()));
    origin.requests();
    origin.say("/tpu.md", page(&[C, A]));
    home.seeds(&seeds(&origin, &["tpu"], "schedule = \"every 1s\""));
    reload(&home, 0);
    daemon.shows(TPU, &["Gamma", "Alpha"]);
}

#[test]
fn requests_during_twenty_reloads_never_fail() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = [TPU, "/all.json", "/index.html"]
            .into_iter()
            .map(|path| {
                let (port, done) = (daemon.port(), &done);
                scope.spawn(move || {
                    let mut count = 0;
                    while !done.load(Ordering::Relaxed) {
                        let reply = exchange(port, &request("GET", path, &[], "")).unwrap();
                        assert_eq!(reply.status, 200, "{path}");
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        for n in 0..20 {
            home.seeds(&seeds(&origin, &["tpu", "other"][..=n % 2], &format!("title = \"Title {n}\"")));
            reload(&home, 0);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 20);
        }
    });
    assert!(daemon.get(TPU, &[]).text().contains("<title>Title 19</title>"));
    assert_eq!(origin.count("/tpu.md"), 1);
}

/// A broken file on disk is no fault of the daemon, which goes on with what it read: who asks is answered by it.
#[test]
fn with_broken_seeds_the_daemon_answers_what_it_knows() {
    let (origin, home) = follow(&["tpu"], "");
    let daemon = Daemon::start(&home);
    daemon.shows(TPU, &["Alpha"]);
    home.seeds("[[topic]]\nslug = \"tpu\"\npages = [\n");
    for verb in [&["status"][..], &["status", "--json"], &["refresh"], &["refresh", "tpu", "--json"], &["why", "Alpha"]]
    {
        let run = home.run(verb);
        assert_eq!(run.code, 0, "{verb:?}: {run:#?}");
        let warning =
            "warning: the configuration is broken, and the daemon goes on with what it said before:\nseeds.toml:";
        assert!(run.err.starts_with(warning), "{verb:?}: {}", run.err);
        let told = if verb[0] == "why" { "Alpha".to_owned() } else { origin.url("/tpu.md") };
        assert!(run.out.contains(&told), "{verb:?}: {}", run.out);
    }
    // What needs the files as they are, and what has nobody to ask, is refused.
    assert_eq!(home.run(&["check"]).code, 78);
    assert_eq!(home.run(&["reload"]).code, 78);
    drop(daemon);
    for verb in ["status", "refresh"] {
        let run = home.run(&[verb]);
        assert!(run.code == 78 && run.err.starts_with("seeds.toml:"), "{run:#?}");
    }
}
