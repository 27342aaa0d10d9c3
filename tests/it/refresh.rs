//! The pipeline from outside: pages in, feeds out, through the real binary.

use crate::harness::{Answer, Files, Home, Origin, assert_same, topic};
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const B: (&str, &str, &str) = ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026");
const C: (&str, &str, &str) = ("Gamma", "https://x.example/post/gamma.md", "Sep 4, 2026");

/// An origin with one page, and a home that follows it.
fn follow(body: &str) -> (Origin, Home) {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(body));
    let home = Home::of(&origin.url("/tpu.md"));
    (origin, home)
}

fn titles(home: &Home, feed: &str) -> Vec<String> {
    home.entries(feed).into_iter().map(|e| e.title).collect()
}

#[test]
fn a_topic_page_becomes_feeds_of_topic_company_type_and_all() {
    let (_origin, home) = follow(&topic(&[A, B]));
    let run = home.refresh(0);
    assert!(run.out.contains("1 page: 1 changed; 2 new posts"), "{}", run.out);
    for feed in ["topics/tpu", "companies/acme", "types/explainer", "all"] {
        assert_eq!(titles(&home, &format!("{feed}.atom")), ["Alpha", "Beta"], "{feed}");
        for ending in ["rss", "json", "html"] {
            assert!(home.path("out").join(format!("{feed}.{ending}")).exists(), "{feed}.{ending}");
        }
    }
    assert!(home.path("out/index.html").exists() && home.path("out/feeds.opml").exists());
    let alpha = &home.entries("topics/tpu.atom")[0];
    assert_eq!(alpha.id, "https://x.example/post/alpha");
    assert_eq!(alpha.link, "https://x.example/post/alpha.md");
    assert_eq!(alpha.published, "2026-09-03T10:00:00Z");
    assert_eq!(alpha.updated, alpha.published);
    assert_eq!(home.feed("topics/tpu.atom").title.value, "TPU");
}

#[test]
fn a_second_refresh_moves_no_byte_and_no_time() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let before = home.files();
    let run = home.refresh(0);
    assert!(run.out.contains("unchanged"), "{}", run.out);
    assert_same(&home.files(), &before);
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B]) + "\n\n\n"));
    home.refresh(0);
    assert_same(&home.files(), &before);
}

#[test]
fn a_new_post_enters_its_feeds_and_nothing_else_moves() {
    let other = post_of("Other", "https://x.example/post/other.md", "Rival", "Benchmark");
    let (origin, home) = follow(&(topic(&[A, B]) + &other));
    home.refresh(0);
    let (before, old) = (home.files(), home.entries("topics/tpu.atom"));
    origin.say("/tpu.md", Answer::markdown(topic(&[C, A, B]) + &other));
    assert_eq!(home.report(&[])["added"], 1);
    let new = home.entries("topics/tpu.atom");
    assert_eq!(new[0].title, "Gamma");
    assert_eq!(new[1..], old[..]);
    for path in ["companies/rival.atom", "types/benchmark.rss", "types/benchmark.html"] {
        assert_eq!(home.files()[std::path::Path::new(path)], before[std::path::Path::new(path)], "{path}");
    }
}

/// FAULTS: a page that says `3 days ago` says something else at each reading, and means the same.
#[test]
fn how_long_ago_a_post_was_published_is_worked_out_once() {
    let page = |alpha: &str, beta: &str| {
        format!(
            "# TPU\n\n### [Alpha](https://x.example/a)\n- Published: {alpha}\n\nText.\n\n\
             ### [Beta](https://x.example/b)\n- Published: {beta}\n\nText.\n"
        )
    };
    let (origin, home) = follow(&page("3 days ago", "2 hours ago"));
    let before = pagewire::clock::now();
    assert_eq!(home.report(&[])["warnings"], serde_json::json!([]));
    let after = pagewire::clock::now();
    let dates = || home.entries("topics/tpu.atom").into_iter().map(|e| (e.title, e.published)).collect::<Vec<_>>();
    let [(_, beta), (_, alpha)] = &dates()[..] else { panic!("two posts: {:?}", dates()) };
    // A day counts from ten in the morning, so that it is that day everywhere (CONTRACT).
    let day = |now: pagewire::model::Stamp| format!("{}T10:00:00Z", &now.plus(-3 * 86_400).rfc3339()[..10]);
    assert!(*alpha == day(before) || *alpha == day(after), "{alpha}");
    assert!((before.plus(-7_200).rfc3339()..=after.plus(-7_200).rfc3339()).contains(beta), "{beta}");
    let first = dates();
    origin.say("/tpu.md", Answer::markdown(page("4 days ago", "a day ago")));
    home.refresh(0);
    assert_eq!(dates(), first);
}

fn post_of(title: &str, address: &str, company: &str, kind: &str) -> String {
    format!("\n### [{title}]({address})\n- Company: {company}\n- Published: Sep 1, 2026\n- Type: {kind}\n\nText.\n")
}

#[test]
fn a_page_that_cannot_be_believed_leaves_everything_as_it_was() {
    let good = topic(&[A, B]);
    let (origin, home) = follow(&good);
    home.refresh(0);
    let before = home.files();
    let html = "<!doctype html><title>Just a moment...</title><h1>Checking your browser</h1><h2>Articles</h2>";
    let bad = [
        (Answer::status(500), "http-500"),
        (Answer::status(404), "http-404"),
        (Answer::status(304), "http-304"),
        (Answer::status(429).with("Retry-After", "0"), "rate-limited"),
        (Answer::markdown(""), "empty"),
        (Answer::markdown("# TPU\n> 0 posts about TPU\n\n## Articles\n"), "empty"),
        (Answer::ok("text/html", html), "not-a-topic-page"),
        (Answer::markdown(html), "not-a-topic-page"),
        (Answer::ok("text/plain", "We are down for maintenance. Back soon.\n"), "not-a-topic-page"),
        (Answer { send: Some(good.len() / 2), ..Answer::markdown(good.clone()) }, "truncated"),
        (Answer::markdown(good.clone()).with("Content-Encoding", "zstd"), "decode"),
        (Answer::markdown(good.clone()).with("Content-Encoding", "gzip"), "decode"),
        (Answer::status(302).with("Location", "http://127.0.0.1:1/"), "io"),
        (Answer::status(302).with("Location", "file:///etc/passwd"), "redirect"),
        (Answer::status(302), "redirect"),
    ];
    for (answer, kind) in bad {
        origin.say("/tpu.md", answer.clone());
        let run = home.run(&["refresh", "--json"]);
        assert_eq!(run.code, 1, "{kind}: {run:#?}");
        let report = &run.json()[0];
        assert_eq!(report["outcome"], "failed");
        assert_eq!(report["error"]["kind"], kind, "{answer:?}: {report}");
        assert_same(&home.files(), &before);
        let status: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
        assert_eq!(status["pages"][0]["state"], "failing");
        assert_eq!(status["pages"][0]["error"]["kind"], kind);
        assert_eq!(status["pages"][0]["posts"], 2);
    }
    origin.say("/tpu.md", Answer::markdown(topic(&[C, A, B])));
    assert_eq!(home.report(&[])["added"], 1, "the next good page brings only what is new");
    let status: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    assert_eq!((&status["pages"][0]["state"], &status["pages"][0]["failures"]), (&"ok".into(), &0.into()));
}

#[test]
fn validators_go_back_byte_for_byte_and_only_to_the_address_that_gave_them() {
    let (origin, home) = follow("");
    let odd = "Thu, 1 Jan 2026 0:00:00 GMT";
    origin.say("/tpu.md", Answer::status(302).with("Location", "/real.md").with("ETag", "\"redirect\""));
    let real = Answer::markdown(topic(&[A])).with("ETag", "W/\"a-gzip\"").with("Last-Modified", odd);
    origin.say("/real.md", real);
    home.refresh(0);
    assert!(origin.requests().iter().all(|r| !r.headers.contains_key("if-none-match")));
    origin.say("/real.md", Answer::status(304));
    assert_eq!(home.report(&[])["outcome"], "unchanged");
    assert_eq!(home.report(&[])["outcome"], "unchanged", "a 304 without validators keeps them");
    for request in origin.requests() {
        let has = |name: &str| request.headers.get(name).map(String::as_str);
        let expected = if request.path == "/real.md" { (Some("W/\"a-gzip\""), Some(odd)) } else { (None, None) };
        assert_eq!((has("if-none-match"), has("if-modified-since")), expected, "{}", request.path);
        assert!(has("referer").is_none() && has("cookie").is_none());
        assert!(has("user-agent").is_some_and(|ua| ua.starts_with("pagewire/")), "{request:?}");
    }
    origin.say("/real.md", Answer::markdown(topic(&[A])));
    home.run(&["refresh", "--force"]);
    assert!(origin.requests().iter().all(|r| !r.headers.contains_key("if-none-match")), "--force asks anew");
}

#[test]
fn retry_after_holds_a_manual_refresh_too() {
    let (origin, home) = follow("");
    origin.say("/tpu.md", Answer::status(503).with("Retry-After", "3600"));
    assert_eq!(home.report(&[])["error"]["kind"], "rate-limited");
    origin.requests();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    let report = home.report(&["--force"]);
    assert_eq!(report["outcome"], "skipped");
    assert!(report["until"].as_str().is_some_and(|t| t.ends_with('Z')), "{report}");
    assert!(origin.requests().is_empty());
}

#[test]
fn a_page_that_is_gone_is_asked_no_more() {
    let (origin, home) = follow(&topic(&[A]));
    home.refresh(0);
    origin.say("/tpu.md", Answer::status(410));
    assert_eq!(home.report(&[])["error"]["kind"], "gone");
    origin.requests();
    let report = home.report(&[]);
    assert_eq!((&report["outcome"], &report["until"]), (&"skipped".into(), &serde_json::Value::Null));
    assert!(origin.requests().is_empty());
    assert_eq!(titles(&home, "topics/tpu.atom"), ["Alpha"], "its last feed stays");
}

#[test]
fn one_bad_page_costs_the_others_nothing() {
    let origin = Origin::start();
    origin.say("/a.md", Answer::status(500));
    origin.say("/b.md", Answer::markdown(topic(&[A])));
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"a\"\npages = [\"{}\"]\n[[topic]]\nslug = \"b\"\npages = [\"{}\", \"missing.md\"]\n",
        origin.url("/a.md"),
        origin.url("/b.md")
    ));
    let run = home.run(&["refresh", "--json"]);
    assert_eq!(run.code, 1);
    let lines = run.json();
    let kinds: Vec<_> = lines[..3].iter().map(|l| l["error"]["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("http-500"), None, Some("io")]);
    assert_eq!(lines[3]["total"]["failed"], 2);
    assert_eq!(titles(&home, "topics/b.atom"), ["Alpha"]);
    assert!(!home.path("out/topics/a.atom").exists(), "no feed before the first good reading");
}

#[test]
fn a_file_that_is_not_published_is_a_failure() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let refuse =
        "INSERT INTO refused (path, why, since) VALUES ('topics/old.rss', '1:1: error: two items have one id', 0)";
    rusqlite::Connection::open(home.path("state.db")).unwrap().execute_batch(refuse).unwrap();
    let seen = |run: crate::harness::Run| {
        let total = run.json().pop().unwrap()["total"].clone();
        (run.code, total["unchanged"].as_u64(), total["refused"].as_u64())
    };
    assert_eq!(seen(home.run(&["refresh", "--json"])), (1, Some(1), Some(1)));
    let run = home.run(&["refresh"]);
    assert!(run.out.contains("1 unchanged; 0 new posts; 1 file not published"), "{}", run.out);
    assert!(run.err.contains("topics/old.rss: 1:1: error: two items have one id"), "{}", run.err);
}

#[test]
fn deleted_files_come_back_as_they_were() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let before = home.files();
    std::fs::remove_dir_all(home.path("out")).unwrap();
    home.refresh(0);
    assert_same(&home.files(), &before);
}

#[test]
fn damaged_files_come_back_as_they_were_and_whole_ones_are_not_touched() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let before = home.files();
    let out = |path: &str| home.path("out").join(path);
    std::fs::remove_file(out("topics/tpu.rss")).unwrap();
    std::fs::write(out("companies/acme.atom"), "").unwrap();
    // As long as it was, with other bytes.
    let mut bytes = std::fs::read(out("all.json")).unwrap();
    bytes[20] ^= 1;
    let damaged = File::options().write(true).open(out("all.json")).unwrap();
    damaged.write_all_at(&bytes, 0).unwrap();
    damaged.set_modified(before[Path::new("all.json")].time + Duration::from_mins(1)).unwrap();
    // Only another time, as a copy has: it is read and found whole.
    let copied = File::options().write(true).open(out("types/explainer.html")).unwrap();
    let time = before[Path::new("types/explainer.html")].time + Duration::from_mins(1);
    copied.set_modified(time).unwrap();
    let inode = |path: &str| std::fs::metadata(out(path)).unwrap().ino();
    let untouched = ["topics/tpu.atom", "types/explainer.html", "index.html"].map(|path| (path, inode(path)));
    let run = home.refresh(0);
    assert!(run.out.contains("unchanged"), "{}", run.out);
    let mut after = home.files();
    assert_eq!(
        after
            .get_mut(Path::new("types/explainer.html"))
            .map(|file| std::mem::replace(&mut file.time, before[Path::new("types/explainer.html")].time)),
        Some(time)
    );
    assert_same(&after, &before);
    for (path, was) in untouched {
        assert_eq!(inode(path), was, "{path}");
    }
}

#[test]
fn a_lost_state_gives_what_the_page_still_lists_the_same_bytes_again() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let before = home.files();
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = std::fs::remove_file(home.path(name));
    }
    home.refresh(0);
    // The outline says when it last changed, and the files carry the time of this refresh.
    let bytes = |files: Files| -> Vec<_> {
        files.into_iter().filter(|(p, _)| !p.ends_with("feeds.opml")).map(|(p, f)| (p, f.bytes)).collect()
    };
    assert!(bytes(home.files()) == bytes(before));
}

#[test]
fn a_changed_title_address_or_format_rewrites_the_feeds_but_no_post() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let before = home.entries("topics/tpu.atom");
    home.configure("");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    std::fs::write(home.path("pagewire.toml"), config.replace("http://feeds.example", "https://other.example/x"))
        .unwrap();
    home.refresh(0);
    assert_eq!(home.entries("topics/tpu.atom"), before);
    let links = home.feed("topics/tpu.atom").links;
    assert!(links.iter().any(|l| l.href == "https://other.example/x/topics/tpu.atom" && l.rel == "self"), "{links:?}");
}

#[test]
fn names_choose_pages_and_unknown_ones_are_refused() {
    let origin = Origin::start();
    origin.say("/a.md", Answer::markdown(topic(&[A])));
    origin.say("/b.md", Answer::markdown(topic(&[B])));
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"alpha\"\npages = [\"{}\"]\n[[topic]]\nslug = \"beta\"\npages = [\"{}\"]\n",
        origin.url("/a.md"),
        origin.url("/b.md")
    ));
    let asked = |names: &[&str]| {
        origin.requests();
        let run = home.run(&[&["refresh"], names].concat());
        let mut paths: Vec<String> = origin.requests().into_iter().map(|r| r.path).collect();
        paths.sort();
        (run.code, paths.join(" "), run.err)
    };
    assert_eq!(asked(&["beta"]).1, "/b.md");
    assert_eq!(asked(&[&origin.url("/a.md")]).1, "/a.md");
    assert_eq!(asked(&["company:acme"]).1, "/a.md /b.md");
    let (code, paths, err) = asked(&["alpah"]);
    assert_eq!((code, paths.as_str()), (2, ""));
    assert!(err.contains("`alpah`") && err.contains("`alpha`"), "{err}");
}

#[test]
fn a_redirect_to_an_address_that_is_not_allowed_is_not_followed() {
    let (origin, home) = follow("");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let config = config.replace("allow_private = true", "allow_private = [\"127.0.0.1/32\"]");
    std::fs::write(home.path("pagewire.toml"), config).unwrap();
    let canary = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let there = canary.local_addr().unwrap();
    for to in [format!("http://{there}/"), format!("http://[::ffff:127.0.0.2]:{}/", there.port())] {
        origin.say("/tpu.md", Answer::status(302).with("Location", &to));
        let report = home.report(&[]);
        assert_eq!(report["error"]["kind"], "refused-address", "{report}");
        assert!(
            report["error"]["message"].as_str().is_some_and(|m| m.contains(&there.port().to_string())),
            "names the hop"
        );
    }
    assert!(canary.accept().is_err(), "nobody called");
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    assert_eq!(home.report(&[])["added"], 1, "the one that is allowed works");
}

#[test]
fn files_of_a_format_that_is_written_no_more_go_and_the_server_leads_on() {
    let (origin, home) = follow(&topic(&[A]));
    home.refresh(0);
    assert!(home.path("out/topics/tpu.rss").exists());
    home.listen("", "");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let config = config.replace("[publish]\n", "[publish]\nformats = [\"atom\"]\n");
    std::fs::write(home.path("pagewire.toml"), config).unwrap();
    let daemon = crate::harness::Daemon::start(&home);
    crate::harness::until("the files to go", || (!home.path("out/topics/tpu.rss").exists()).then_some(()));
    crate::harness::until("an address that leads on", || {
        let moved = daemon.get("/topics/tpu.rss", &[]);
        (moved.status == 301 && moved.header("Location") == "tpu.atom").then_some(())
    });
    assert!(home.files().keys().all(|path| !["rss", "json"].contains(&path.extension().unwrap().to_str().unwrap())));
    assert_eq!((daemon.get("/topics/tpu.atom", &[]).status, daemon.get("/topics/none.rss", &[]).status), (200, 404));
    drop(origin);
}

#[test]
fn a_first_refresh_that_fails_says_its_own_failure_and_nothing_of_ours() {
    let (origin, home) = follow("nothing here");
    let run = home.refresh(1);
    assert!(run.err.is_empty(), "{run:#?}");
    let names: Vec<String> = home.files().keys().map(|path| path.display().to_string()).collect();
    assert_eq!(names, ["favicon.ico", "icon.png", "index.html"], "there is no feed that an outline could name");
    assert!(!home.run(&["status"]).out.contains("not published"));
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    home.refresh(0);
    assert!(std::fs::read_to_string(home.path("out/feeds.opml")).unwrap().contains("topics/tpu.atom"));
}

/// What each of some refreshes sent as `If-None-Match`.
fn asked_with(origin: &Origin) -> Vec<Option<String>> {
    origin.requests().into_iter().map(|r| r.headers.get("if-none-match").cloned()).collect()
}

#[test]
fn a_page_that_fell_is_asked_with_the_validators_of_a_whole_one_until_it_stands() {
    let whole = topic(&[("A", "/a", "Sep 3, 2026"), ("B", "/b", "Sep 2, 2026"), ("C", "/c", "Sep 1, 2026")]);
    let short = topic(&[("A", "/a", "Sep 3, 2026")]);
    let (origin, home) = follow(&whole);
    let say = |body: &str, etag: &str| origin.say("/tpu.md", Answer::markdown(body).with("ETag", etag));
    let some = |etag: &str| Some(etag.to_owned());
    let warnings = |home: &Home| {
        let status: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
        status["pages"][0]["warnings"].as_array().unwrap().len()
    };
    say(&whole, "\"whole\"");
    home.refresh(0);
    say(&short, "\"short\"");
    assert_eq!(home.report(&[])["warnings"][0]["kind"], "shrunk");
    // It says the same once more, so it means it.
    assert_eq!(home.report(&[])["outcome"], "unchanged");
    home.refresh(0);
    assert_eq!(asked_with(&origin), [None, some("\"whole\""), some("\"whole\""), some("\"short\"")]);
    assert_eq!(warnings(&home), 0);
    // Whole again, and a fall that was none.
    say(&whole, "\"whole\"");
    home.refresh(0);
    say(&short, "\"short\"");
    home.refresh(0);
    origin.say("/tpu.md", Answer::status(304).with("ETag", "\"whole\""));
    assert_eq!((home.report(&[])["outcome"].as_str(), warnings(&home)), (Some("unchanged"), 0));
    say(&short, "\"short\"");
    assert_eq!(home.report(&[])["warnings"][0]["kind"], "shrunk", "of a page that was whole meanwhile");
    let report = home.report(&["--accept", "tpu"]);
    assert_eq!((report["delisted"].as_u64(), warnings(&home)), (Some(2), 0), "somebody says that it is right");
    origin.requests();
    home.refresh(0);
    assert_eq!(asked_with(&origin), [some("\"short\"")]);
}

#[test]
fn a_body_that_only_the_closing_ends_gets_its_validators_when_it_comes_again() {
    let (origin, home) = follow("");
    let open = Answer { length: false, ..Answer::markdown(topic(&[A, B])).with("ETag", "\"1\"") };
    origin.say("/tpu.md", open.clone());
    assert_eq!(home.report(&[])["added"], 2);
    assert_eq!(home.report(&[])["outcome"], "unchanged");
    home.run(&["refresh"]);
    let tags: Vec<_> = origin.requests().into_iter().map(|r| r.headers.get("if-none-match").cloned()).collect();
    assert_eq!(tags, [None, None, Some("\"1\"".to_owned())]);
}

#[test]
fn a_signed_picture_in_a_summary_is_no_change() {
    let page = |n: u32| {
        topic(&[B]) + &format!("\n### [Alpha]({})\n\nText ![a chart](https://x.example/c.png?t={n}&s={n})\n", A.1)
    };
    let (origin, home) = follow(&page(1));
    home.refresh(0);
    let before = home.files();
    origin.say("/tpu.md", Answer::markdown(page(2)));
    home.refresh(0);
    assert_same(&home.files(), &before);
}

#[test]
fn the_same_page_gives_the_same_feeds_in_every_zone_and_locale() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B, C])));
    let feeds = |zone: &str, locale: &str| {
        let home = Home::of(&origin.url("/tpu.md"));
        let run = home.command(&["refresh"]).env("TZ", zone).env("LC_ALL", locale).output().unwrap();
        assert!(run.status.success());
        let feeds = home.files().into_iter().filter(|(p, _)| !p.ends_with("feeds.opml"));
        feeds.map(|(p, f)| (p, f.bytes)).collect::<Vec<_>>()
    };
    let first = feeds("UTC", "C");
    assert!(first == feeds("Pacific/Auckland", "fr_FR.UTF-8"));
    assert!(first == feeds("America/Los_Angeles", "ja_JP.UTF-8"));
}

#[test]
fn topics_that_share_a_page_take_what_their_filters_let_through() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B])));
    let seeds = |first: &str| {
        let url = origin.url("/tpu.md");
        format!(
            "[[topic]]\nslug = \"one\"\n{first}\npages = [\"{url}\"]\n\
             [[topic]]\nslug = \"two\"\ninclude = {{ title = \"^(Beta|Gamma)$\" }}\nexclude = \"Gamma\"\npages = [\"{url}\"]\n"
        )
    };
    let home = Home::with(&seeds("include = \"(?i)alpha\""));
    home.refresh(0);
    assert_eq!(titles(&home, "topics/one.atom"), ["Alpha"]);
    assert_eq!(titles(&home, "topics/two.atom"), ["Beta"]);

    origin.say("/tpu.md", Answer::markdown(topic(&[C, A, B])));
    home.refresh(0);
    assert_eq!(titles(&home, "all.atom"), ["Alpha", "Beta"], "nobody takes Gamma");

    home.seeds(&seeds("exclude = \"Alpha\""));
    home.refresh(0);
    assert_eq!(titles(&home, "topics/one.atom"), ["Gamma", "Alpha", "Beta"], "a post that was published stays");
    assert_eq!(
        home.entries("topics/one.atom")[0].published,
        "2026-09-04T10:00:00Z",
        "a changed filter makes a backlog reading"
    );

    // A page of which nothing is taken is not an empty page.
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    home.seeds(&seeds("include = \"Nobody\""));
    let run = home.refresh(0);
    assert!(!run.out.contains("empty") && !run.err.contains("empty"), "{} {}", run.out, run.err);
}
