//! What servers ask of us is done: the arrival logs of origins say so.

use crate::daemon::EVERY_SECOND;
use crate::harness::{Answer, Daemon, Home, Origin, Request, topic, until};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const B: (&str, &str, &str) = ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026");

fn good() -> Answer {
    Answer::markdown(topic(&[A]))
}

/// A home that follows these pages of an origin, each in a topic of its own.
fn follow(origin: &Origin, pages: &[&str]) -> Home {
    let topic = |page: &&str| {
        let slug = page.trim_start_matches('/').trim_end_matches(".md");
        format!("[[topic]]\nslug = \"{slug}\"\npages = [\"{}\"]\n", origin.url(page))
    };
    Home::with(&pages.iter().map(topic).collect::<String>())
}

/// Changes the configuration.
fn edit(home: &Home, from: &str, to: &str) {
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    assert!(config.contains(from), "{config}");
    std::fs::write(home.path("pagewire.toml"), config.replace(from, to)).unwrap();
}

fn status(home: &Home) -> serde_json::Value {
    serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap()
}

fn paths(requests: &[Request]) -> Vec<&str> {
    requests.iter().map(|request| request.path.as_str()).collect()
}

mod robots {
    use super::*;

    fn obedient(origin: &Origin, pages: &[&str]) -> Home {
        let home = follow(origin, pages);
        edit(&home, "robots = false", "robots = true");
        home
    }

    #[test]
    fn what_is_forbidden_is_not_asked_and_said_so() {
        let origin = Origin::start();
        origin.say("/robots.txt", Answer::ok("text/plain", "User-agent: pagewire\nDisallow: /b\n"));
        origin.say("/a.md", good());
        origin.say("/b.md", good());
        let home = obedient(&origin, &["/a.md", "/b.md"]);
        let run = home.run(&["refresh", "--json"]);
        let lines = run.json();
        assert_eq!((run.code, &lines[0]["added"]), (1, &1.into()), "{run:#?}");
        assert_eq!(lines[1]["error"]["kind"], "robots");
        let message = lines[1]["error"]["message"].as_str().unwrap();
        assert!(message.contains("Disallow: /b") && message.contains("robots = false"), "{message}");
        assert_eq!(paths(&origin.requests()), ["/robots.txt", "/a.md"], "read once, for both");
        home.run(&["refresh"]);
        assert_eq!(paths(&origin.requests()), ["/a.md"], "a copy holds for a day, across starts");
        home.seeds(&format!(
            "[[topic]]\nslug = \"b\"\npages = [{{ url = \"{}\", robots = false }}]\n",
            origin.url("/b.md")
        ));
        assert_eq!(home.report(&[])["outcome"], "changed", "the page's own word");
    }

    #[test]
    fn a_redirect_leads_nowhere_that_is_forbidden() {
        let origin = Origin::start();
        origin.say("/robots.txt", Answer::ok("text/plain", "User-agent: *\nDisallow: /real\n"));
        origin.say("/a.md", Answer::status(302).with("Location", "/real.md"));
        origin.say("/real.md", good());
        let home = obedient(&origin, &["/a.md"]);
        assert_eq!(home.report(&[])["error"]["kind"], "robots");
        assert_eq!(origin.count("/real.md"), 0);
    }

    #[test]
    fn none_allows_and_one_that_fails_forbids() {
        for (answer, kind) in [
            (Answer::status(404), None),
            (Answer::status(403), None),
            (Answer::status(302).with("Location", "/robots.txt"), None),
            (Answer::ok("text/html", "<html><title>Not here</title></html>"), None),
            (Answer::status(500), Some("robots")),
            (Answer::status(429), Some("robots")),
            (Answer { send: Some(3), ..Answer::ok("text/plain", "User-agent: *\n") }, Some("robots")),
        ] {
            let origin = Origin::start();
            origin.say("/robots.txt", answer.clone());
            origin.say("/a.md", good());
            let home = obedient(&origin, &["/a.md"]);
            assert_eq!(home.report(&[])["error"]["kind"].as_str(), kind, "{answer:?}");
            assert_eq!(origin.count("/a.md"), usize::from(kind.is_none()));
        }
    }

    #[test]
    fn a_crawl_delay_is_a_pause_between_pages() {
        let origin = Origin::start();
        origin.say("/robots.txt", Answer::ok("text/plain", "User-agent: *\nCrawl-delay: 1.5\n"));
        let pages = ["/a.md", "/b.md", "/c.md"];
        for page in &pages {
            origin.say(page, good());
        }
        let home = obedient(&origin, &pages);
        home.refresh(0);
        let times: Vec<_> = origin.requests().iter().map(|request| request.at).collect();
        assert_eq!(times.len(), 4);
        for pair in times[1..].windows(2) {
            assert!(pair[1] - pair[0] > Duration::from_millis(1_400), "{:?}", pair[1] - pair[0]);
        }
        // And whoever wonders why it takes so long finds it, after a restart too.
        let told = status(&home);
        let host = json!([{
            "host": "127.0.0.1", "pages": 3, "concurrency": 8, "pause": 0.0, "crawl_delay": 1.5, "pace": 1.5, "until": null,
        }]);
        assert_eq!(told["hosts"], host);
        let told = home.run(&["status"]).out;
        let line = "1.5 s between two requests to 127.0.0.1, as its robots.txt asks (0 s by [fetch])\n";
        assert!(told.contains(line), "{told}");
        // A page that need not obey is not slowed down, and nobody says so.
        home.seeds(&format!("[[topic]]\nslug = \"a\"\nrobots = false\npages = [\"{}\"]\n", origin.url("/a.md")));
        assert!(status(&home)["hosts"][0]["crawl_delay"].is_null());
    }
}

mod rest {
    use super::*;

    /// Fault 044, in both forms, by hand too, and for all pages of the host; a 503 for its own page only (fault 046).
    #[test]
    fn a_429_is_the_hosts_and_a_503_the_pages() {
        let (busy, failing) = (Origin::start(), Origin::start());
        let date = "Sat, 06 Nov 2094 08:49:37 GMT";
        busy.say("/a.md", Answer::status(429).with("Retry-After", date));
        busy.say("/b.md", good());
        failing.say("/a.md", Answer::status(503).with("Retry-After", "1500"));
        failing.say("/b.md", good());
        let at = |origin: &Origin, page: &str, host: &str| origin.url(page).replace("127.0.0.1", host);
        let home = Home::with(&format!(
            "[[topic]]\nslug = \"tpu\"\npages = [\"{}\", \"{}\", \"{}\", \"{}\"]\n",
            at(&busy, "/a.md", "127.0.0.1"),
            at(&failing, "/a.md", "localhost"),
            at(&busy, "/b.md", "127.0.0.1"),
            at(&failing, "/b.md", "localhost"),
        ));
        edit(&home, "per_host = { concurrency = 8, pause = \"0s\" }", "per_host = { concurrency = 1, pause = \"0s\" }");
        let lines = home.run(&["refresh", "--json"]).json();
        assert_eq!(
            (&lines[0]["error"]["kind"], &lines[1]["error"]["kind"]),
            (&"rate-limited".into(), &"rate-limited".into())
        );
        assert_eq!(lines[3]["outcome"], "changed", "the 503 was one page's");
        busy.requests();
        failing.requests();
        let lines = home.run(&["refresh", "--json", "--force"]).json();
        let outcomes: Vec<_> = lines[..4].iter().map(|line| line["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, ["skipped", "skipped", "skipped", "changed"]);
        assert!(busy.requests().is_empty());
        assert_eq!(paths(&failing.requests()), ["/b.md"]);
        let pages = status(&home)["pages"].clone();
        assert!(pages[2]["until"].is_string() && pages[2]["until"] == pages[0]["until"], "{pages}");
        let week = |time: &serde_json::Value| {
            let until = chrono::DateTime::parse_from_rfc3339(time.as_str().unwrap()).unwrap();
            let now = chrono::DateTime::parse_from_rfc3339(status(&home)["now"].as_str().unwrap()).unwrap();
            (until - now).num_hours()
        };
        assert!((7 * 24 - 2..=7 * 24).contains(&week(&pages[0]["until"])), "70 years are a week");
        assert!(pages[3]["until"].is_null());
    }

    #[test]
    fn the_daemon_leaves_a_host_alone_that_asked_one_page_of_it() {
        let origin = Origin::start();
        origin.say("/a.md", good());
        origin.say("/b.md", good());
        let home = follow(&origin, &["/a.md", "/b.md"]);
        home.seeds(
            &std::fs::read_to_string(home.path("seeds.toml"))
                .unwrap()
                .replace("pages", "schedule = \"every 1s\"\npages"),
        );
        home.listen("", EVERY_SECOND);
        let daemon = Daemon::start(&home);
        until("both", || (origin.count("/a.md") > 1 && origin.count("/b.md") > 1).then_some(()));
        origin.say("/b.md", Answer::status(429).with("Retry-After", "4"));
        until("the verdict", || (daemon.page(1)["state"] == "failing").then_some(()));
        let asked =
            origin.requests().into_iter().filter(|request| request.path == "/b.md").map(|r| r.at).max().unwrap();
        origin.say("/b.md", good());
        until("both again", || (origin.count("/a.md") > 0 && origin.count("/b.md") > 0).then_some(()));
        let first = origin.requests().iter().map(|request| request.at).min().unwrap();
        // Times are stored in whole seconds.
        assert!(first - asked >= Duration::from_secs(3), "{:?}", first - asked);
    }
}

mod semantics {
    use super::*;

    #[test]
    fn a_move_for_good_is_told_and_nothing_is_rewritten() {
        let origin = Origin::start();
        let home = follow(&origin, &["/a.md"]);
        for (status_code, first) in [(308, true), (301, false)] {
            origin.say("/a.md", Answer::status(status_code).with("Location", "/new/b.md"));
            origin.say("/new/b.md", Answer::markdown(topic(&[("Alpha", "../post/alpha.md", "Sep 3, 2026")])));
            assert_eq!(home.report(&[])["added"], u32::from(first));
        }
        assert_eq!(
            home.entries("topics/a.atom")[0].link,
            origin.url("/post/alpha.md"),
            "relative to where it was found"
        );
        let page = status(&home)["pages"][0].clone();
        assert_eq!(page["moved"]["to"], origin.url("/new/b.md"));
        assert_eq!((&page["moved"]["times"], &page["moved"]["holds"]), (&2.into(), &false.into()));
        assert!(home.run(&["status"]).out.contains("moved"), "and people see it");
        assert_eq!(page["page"], origin.url("/a.md"));
        origin.say("/a.md", Answer::status(302).with("Location", "/new/b.md"));
        home.refresh(0);
        assert!(status(&home)["pages"][0]["moved"].is_null(), "for now is not for good");
    }

    /// RFC 9110 §15.3.4: what a proxy on the way changed of a 200, a compression for example, is good all the same.
    #[test]
    fn a_203_is_taken_as_a_200() {
        let origin = Origin::start();
        origin.say("/a.md", Answer { status: 203, ..good() });
        assert_eq!(follow(&origin, &["/a.md"]).report(&[])["added"], 1);
    }

    /// Fault 050: a portal that sends everybody to its login.
    #[test]
    fn a_move_to_something_else_is_a_failure() {
        let origin = Origin::start();
        origin.say("/a.md", good());
        let home = follow(&origin, &["/a.md"]);
        home.refresh(0);
        origin.say("/a.md", Answer::status(301).with("Location", "/login"));
        origin.say("/login", Answer::ok("text/html", "<!doctype html><title>Log in</title><h1>Log in</h1>"));
        home.refresh(1);
        let page = status(&home)["pages"][0].clone();
        assert_eq!((&page["state"], &page["moved"]), (&"failing".into(), &serde_json::Value::Null));
    }

    #[test]
    fn what_a_server_says_of_freshness_raises_the_interval() {
        let origin = Origin::start();
        let feed = "<rss version=\"2.0\"><channel><title>T</title><link>https://x.example/</link>\
                    <description>d</description><ttl>600</ttl><item><title>A</title><link>https://x.example/a</link>\
                    </item></channel></rss>";
        origin.say("/fresh.md", good().with("Cache-Control", "max-age=43200"));
        origin.say("/feed.md", Answer::ok("application/rss+xml", feed));
        origin.say("/plain.md", good());
        let home = follow(&origin, &["/fresh.md", "/feed.md", "/plain.md"]);
        home.refresh(0);
        let now = status(&home);
        let hours = |n: usize| {
            let time = |v: &serde_json::Value| chrono::DateTime::parse_from_rfc3339(v.as_str().unwrap()).unwrap();
            (time(&now["pages"][n]["next_due"]) - time(&now["now"])).num_minutes() / 60
        };
        assert!(hours(0) >= 11 && hours(1) >= 9 && hours(2) < 2, "{now}");
        assert_eq!(now["pages"][0]["asks"], 43_200);
        assert_eq!((&now["pages"][1]["asks"], &now["pages"][2]["asks"]), (&36_000.into(), &serde_json::Value::Null));
    }

    /// With libfaketime (Debian: faketime), where it is installed.
    #[test]
    fn a_server_that_says_not_modified_for_ever_is_asked_for_the_whole_page_now_and_then() {
        let Some(library) = glob::glob("/usr/lib/*/faketime/libfaketimeMT.so.1").unwrap().flatten().next() else {
            println!("skipped: no libfaketime here; install the package `faketime`");
            return;
        };
        let origin = Origin::start();
        origin.say("/a.md", good().with("ETag", "\"1\""));
        let home = follow(&origin, &["/a.md"]);
        home.refresh(0);
        origin.say("/a.md", Answer::status(304));
        let asked_with = |days: &str| {
            origin.requests();
            let mut command = home.command(&["refresh"]);
            command.env("LD_PRELOAD", &library).env("FAKETIME", days).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            assert!(command.output().unwrap().status.code().is_some());
            origin.requests().remove(0).headers.get("if-none-match").cloned()
        };
        assert_eq!(asked_with("+7d").as_deref(), Some("\"1\""));
        assert_eq!(asked_with("+9d"), None);
        origin.say("/a.md", good().with("ETag", "\"2\""));
        assert_eq!(asked_with("+9d"), None, "until there is a whole one");
        assert_eq!(asked_with("+10d").as_deref(), Some("\"2\""));
    }

    #[test]
    fn no_header_of_ours_says_where_we_come_from() {
        let origin = Origin::start();
        origin.say("/a.md", Answer::status(302).with("Location", "/b.md?secret=1").with("Set-Cookie", "a=b"));
        origin.say("/b.md?secret=1", good().with("Set-Cookie", "c=d"));
        let home = follow(&origin, &["/a.md"]);
        home.refresh(0);
        home.refresh(0);
        for request in origin.requests() {
            let names: Vec<_> = ["referer", "cookie", "authorization", "origin", "dnt"]
                .into_iter()
                .filter(|name| request.headers.contains_key(*name))
                .collect();
            assert!(names.is_empty(), "{names:?}");
            let agent = &request.headers["user-agent"];
            assert!(agent.starts_with("pagewire/") && agent.contains("+http"), "{agent}");
        }
    }

    /// A kept connection that the server closes without a word costs one more connection, not a failure.
    #[test]
    fn a_dead_connection_is_tried_once_more() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a.md", listener.local_addr().unwrap());
        let served = Arc::new(AtomicUsize::new(0));
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let (count, log) = (Arc::clone(&served), Arc::clone(&arrivals));
        std::thread::spawn(move || {
            for (connection, mut stream) in listener.incoming().flatten().enumerate() {
                let (count, log) = (Arc::clone(&count), Arc::clone(&log));
                std::thread::spawn(move || {
                    let body = topic(&[A]);
                    if stream.read(&mut [0; 4096]).unwrap_or(0) == 0 {
                        return;
                    }
                    log.lock().unwrap().push(connection);
                    count.fetch_add(1, Ordering::SeqCst);
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                    let _ = stream.write_all((head + &body).as_bytes());
                    // The next request on this connection is read, and answered with nothing.
                    let read = stream.read(&mut [0; 4096]).unwrap_or(0);
                    if read > 0 {
                        log.lock().unwrap().push(connection);
                    }
                });
            }
        });
        let home = Home::with(&format!("[[topic]]\nslug = \"a\"\nschedule = \"every 1s\"\npages = [\"{url}\"]\n"));
        home.listen("", EVERY_SECOND);
        let daemon = Daemon::start(&home);
        until("three answers", || (served.load(Ordering::SeqCst) >= 3).then_some(()));
        assert_eq!(daemon.page(0)["failures"], 0, "{}", daemon.log());
        assert!(!daemon.log().contains("exchange failed"), "{}", daemon.log());
        let arrivals = arrivals.lock().unwrap();
        assert!(arrivals.windows(2).any(|pair| pair[0] == pair[1]), "a connection was used again: {arrivals:?}");
    }
}

mod conditional {
    use super::*;

    /// Faults 034, 035, 038: what was given goes back as it was, and nothing that was not.
    #[test]
    fn each_validator_goes_back_as_it_came() {
        let origin = Origin::start();
        for (n, (etag, modified)) in [
            (Some("\"abc-gzip\""), None),
            (Some("unquoted"), None),
            (Some("W/\"x, y\""), Some("Thu, 1 Jan 2026 0:00:00 GMT")),
            (None, Some("yesterday")),
            (None, None),
        ]
        .into_iter()
        .enumerate()
        {
            let page = format!("/{n}.md");
            let mut answer = good();
            for (name, value) in [("ETag", etag), ("Last-Modified", modified)] {
                answer = value.into_iter().fold(answer, |answer, value| answer.with(name, value));
            }
            origin.say(&page, answer);
            let home = follow(&origin, &[&page]);
            home.refresh(0);
            origin.requests();
            home.refresh(0);
            let request = origin.requests().remove(0);
            let sent = ["if-none-match", "if-modified-since"].map(|name| request.headers.get(name).map(String::as_str));
            assert_eq!(sent, [etag, modified]);
        }
    }

    /// Faults 040, 043: a 304 ends a failure, and neither an error nor a 429 ends a page.
    #[test]
    fn a_304_is_good_news() {
        let origin = Origin::start();
        origin.say("/a.md", good().with("ETag", "\"1\""));
        let home = follow(&origin, &["/a.md"]);
        home.refresh(0);
        let before = home.files();
        for status_code in [429, 404, 500] {
            origin.say("/a.md", Answer::status(status_code));
            home.refresh(1);
            let page = status(&home)["pages"][0].clone();
            assert!(page["next_due"].is_string() && page["state"] == "failing", "{page}");
        }
        assert_eq!(status(&home)["pages"][0]["failures"], 3);
        origin.say("/a.md", Answer::status(304));
        origin.requests();
        assert_eq!(home.report(&[])["outcome"], "unchanged");
        assert_eq!(origin.requests()[0].headers["if-none-match"], "\"1\"");
        let page = status(&home)["pages"][0].clone();
        assert_eq!((&page["state"], &page["failures"], &page["posts"]), (&"ok".into(), &0.into(), &1.into()));
        crate::harness::assert_same(&home.files(), &before);
    }
}

mod pace {
    use super::*;

    /// By schedule, by hand and by every page: one host has one pace.
    #[test]
    fn a_host_is_asked_in_its_pace_whoever_asks() {
        let origin = Origin::start();
        let pages = ["/a.md", "/b.md", "/c.md", "/d.md"];
        for page in &pages {
            origin.say(page, good());
        }
        let home = follow(&origin, &pages);
        home.listen("", "");
        edit(&home, "per_host = { concurrency = 8, pause = \"0s\" }", "per_host = { concurrency = 1, pause = \"1s\" }");
        let daemon = Daemon::start(&home);
        let runs: Vec<_> = (0..3).map(|_| home.command(&["-q", "refresh"]).spawn().unwrap()).collect();
        for mut run in runs {
            assert!(run.wait().unwrap().success());
        }
        drop(daemon);
        let times: Vec<_> = origin.requests().iter().map(|request| request.at).collect();
        assert!(times.len() >= 4 && times.len() <= 8, "three orders share their requests: {}", times.len());
        for pair in times.windows(2) {
            assert!(pair[1] - pair[0] > Duration::from_millis(900), "{:?}", pair[1] - pair[0]);
        }
        assert_eq!(origin.most_at_once(), 1);
    }

    /// Fault 130, by the command line; `daemon::order` does it over HTTP.
    #[test]
    fn orders_by_hand_at_once_cost_one_request() {
        let origin = Origin::start();
        origin.say("/a.md", good());
        let home = follow(&origin, &["/a.md"]);
        home.listen("", "");
        let daemon = Daemon::start(&home);
        daemon.shows("/topics/a.atom", &["Alpha"]);
        origin.requests();
        origin.say("/a.md", Answer::markdown(topic(&[A, B])).after(Duration::from_secs(3)));
        let runs: Vec<_> = (0..100)
            .map(|_| home.command(&["refresh", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap())
            .collect();
        for run in runs {
            let run: crate::harness::Run = run.wait_with_output().unwrap().into();
            assert_eq!(run.code, 0, "{run:#?}");
        }
        assert!(origin.count("/a.md") <= 2, "{}", origin.count("/a.md"));
    }

    /// Fault 109: twenty starts of a program that follows many pages of a host are no burst.
    #[test]
    fn twenty_restarts_keep_the_spread() {
        let origin = Origin::start();
        let pages: Vec<String> = (0..40).map(|n| format!("/{n}.md")).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        for page in &pages {
            origin.say(page, good());
        }
        let home = follow(&origin, &pages);
        home.listen("", "");
        let asked = |daemon: &Daemon| {
            let status = daemon.get("/api/status", &[]).json();
            let pages = status["pages"].as_array().unwrap().clone();
            pages.iter().all(|page| page["last_fetch"].is_string()).then_some(())
        };
        let mut daemon = Daemon::start(&home);
        until("all", || asked(&daemon));
        assert_eq!(origin.requests().len(), 40);
        for n in 0..20 {
            daemon.end(["TERM", "KILL"][n % 2]);
            daemon = Daemon::start(&home);
        }
        daemon.page(0);
        assert_eq!(origin.requests().len(), 0, "nobody is asked before the time that was stored");
    }
}
