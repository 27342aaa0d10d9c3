//! Published files over HTTP, as readers, browsers and proxies ask for them.

mod crowd;
pub mod house;
mod operator;
mod parts;

use house::{House, MTIME_HTTP, NOW, PAGE, feed, tag};
use pagewire::model::Stamp;
use std::io::Read;

#[test]
fn a_feed_has_validators_freshness_and_its_type() {
    let house = House::new();
    house.change(|shelf| _ = shelf.due.insert("topics/tpu".into(), NOW.plus(1_000)));
    let reply = house.get("/topics/tpu.atom", &[]);
    assert_eq!((reply.status, reply.text()), (200, feed("tpu").as_str()));
    for (name, value) in [
        ("ETag", tag(&feed("tpu"), "").as_str()),
        ("Last-Modified", MTIME_HTTP),
        ("Cache-Control", "public, max-age=1000"),
        ("Content-Type", "application/atom+xml; charset=utf-8"),
        ("Content-Length", &feed("tpu").len().to_string()),
        ("Vary", "Accept-Encoding, Sec-Fetch-Dest"),
        ("X-Content-Type-Options", "nosniff"),
        ("Access-Control-Allow-Origin", "*"),
        ("Content-Encoding", ""),
        ("Set-Cookie", ""),
    ] {
        assert_eq!(reply.header(name), value, "{name}");
    }
}

#[test]
fn every_kind_of_file_has_its_type() {
    let house = House::new();
    for (path, kind) in [
        ("all.rss", "application/rss+xml; charset=utf-8"),
        ("all.json", "application/feed+json; charset=utf-8"),
        ("feeds.opml", "text/x-opml; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("favicon.ico", "image/x-icon"),
    ] {
        house.publish(path, "x");
        assert_eq!(house.get(&format!("/{path}"), &[]).header("Content-Type"), kind);
    }
    assert_eq!(house.get("/", &[]).text(), "x", "the index");
    assert_eq!(house.get("/feeds.opml", &[]).header("Vary"), "Accept-Encoding");
}

#[test]
fn a_page_comes_with_the_policy_that_it_states() {
    let reply = House::new().get("/topics/tpu.html", &[]);
    assert_eq!(reply.text(), PAGE);
    let policy = "default-src 'none'; style-src 'sha256-x'; frame-ancestors 'none'";
    assert_eq!(reply.header("Content-Security-Policy"), policy);
    assert_eq!(reply.header("Referrer-Policy"), "no-referrer");
}

#[test]
fn freshness_is_the_time_to_the_next_due_page_within_bounds() {
    let house = House::new();
    house.publish("feeds.opml", "x");
    let fresh = |path: &str| house.get(path, &[]).header("Cache-Control").to_owned();
    assert_eq!(fresh("/topics/tpu.atom"), "public, max-age=3600", "nothing is ever due");
    for (due, seconds) in [(-5, 300), (10, 300), (301, 301), (3_599, 3_599), (86_400, 3_600)] {
        house.change(|shelf| _ = shelf.due.insert("topics/tpu".into(), NOW.plus(due)));
        assert_eq!(fresh("/topics/tpu.atom"), format!("public, max-age={seconds}"), "{due}");
    }
    house.change(|shelf| _ = shelf.due.insert("all".into(), NOW.plus(700)));
    assert_eq!(fresh("/feeds.opml"), "public, max-age=700", "the soonest");
}

#[test]
fn if_none_match_is_weak_knows_lists_and_every_coding() {
    let house = House::new();
    let ours = |suffix| tag(&feed("tpu"), suffix);
    let bare = ours("").trim_matches('"').to_owned();
    for (sent, status, told) in [
        (ours(""), 304, ours("")),
        (format!("W/{}", ours("")), 304, ours("")),
        (format!("\"x\", W/\"y\" ,{}", ours("")), 304, ours("")),
        (ours("-gz"), 304, ours("-gz")),
        (format!("W/{}", ours("-br")), 304, ours("-br")),
        (ours("-gzip"), 304, ours("")),
        (ours(";gzip"), 304, ours("")),
        (bare, 304, ours("")),
        ("*".to_owned(), 304, ours("")),
        ("\"\"".to_owned(), 200, ours("")),
        (String::new(), 200, ours("")),
        ("\"x\"".to_owned(), 200, ours("")),
        (ours("0"), 200, ours("")),
    ] {
        let reply = house.get("/topics/tpu.atom", &[&format!("If-None-Match: {sent}")]);
        assert_eq!((reply.status, reply.header("ETag")), (status, told.as_str()), "{sent}");
    }
}

#[test]
fn a_304_has_the_headers_and_no_body() {
    let house = House::new();
    let whole = house.get("/topics/tpu.atom", &[]);
    let reply = house.get("/topics/tpu.atom", &[&format!("If-None-Match: {}", whole.header("ETag"))]);
    assert_eq!((reply.status, reply.body.len()), (304, 0));
    for name in ["ETag", "Last-Modified", "Cache-Control", "Vary", "Access-Control-Allow-Origin"] {
        assert_eq!(reply.header(name), whole.header(name), "{name}");
    }
    assert_eq!((reply.header("Content-Length"), reply.header("Content-Type")), ("", ""));
}

#[test]
fn if_modified_since_is_compared_by_not_before() {
    let house = House::new();
    for (since, status) in [
        (MTIME_HTTP, 304),
        ("Thu, 24 Sep 2026 09:00:01 GMT", 304),
        ("Thursday, 24-Sep-26 09:00:00 GMT", 304),
        ("Thu, 24 Sep 2026 08:59:59 GMT", 200),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 200),
        ("yesterday", 200),
        ("", 200),
    ] {
        let reply = house.get("/topics/tpu.atom", &[&format!("If-Modified-Since: {since}")]);
        assert_eq!(reply.status, status, "{since}");
    }
    // A tag that does not match says more than a time that does.
    let both = [format!("If-Modified-Since: {MTIME_HTTP}"), "If-None-Match: \"x\"".to_owned()];
    assert_eq!(house.get("/topics/tpu.atom", &both.each_ref().map(String::as_str)).status, 200);
}

#[test]
fn head_says_what_get_says() {
    let house = House::new();
    for headers in [&[][..], &["Accept-Encoding: gzip"], &["If-None-Match: *"], &["Sec-Fetch-Dest: document"]] {
        for path in ["/topics/tpu.atom", "/nowhere", "/topics/tpu.html"] {
            let (get, head) = (house.get(path, headers), house.ask("HEAD", path, headers, ""));
            let date = |line: &&str| !line.to_ascii_lowercase().starts_with("date:");
            let lines =
                |head: &str| head.lines().filter(date).map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
            assert_eq!((lines(&head.head), head.body.len()), (lines(&get.head), 0), "{path} {headers:?}");
        }
    }
}

#[test]
fn codings_have_the_same_bytes_and_tags_of_their_own() {
    let house = House::new();
    let (gzip, brotli) = ("Accept-Encoding: gzip", "Accept-Encoding: gzip, deflate, br");
    for (accept, name, suffix) in [(gzip, "gzip", "-gz"), (brotli, "br", "-br")] {
        let reply = house.get("/topics/tpu.atom", &[accept]);
        assert_eq!(
            (reply.header("Content-Encoding"), reply.header("ETag")),
            (name, tag(&feed("tpu"), suffix).as_str())
        );
        let mut text = String::new();
        match name {
            "gzip" => flate2::read::GzDecoder::new(&reply.body[..]).read_to_string(&mut text).unwrap(),
            _ => brotli::Decompressor::new(&reply.body[..], 4_096).read_to_string(&mut text).unwrap(),
        };
        assert_eq!(text, feed("tpu"));
        assert!(reply.body.len() < 200, "{} bytes", reply.body.len());
        assert_eq!(house.get("/topics/tpu.atom", &[accept]).body, reply.body, "again");
    }
    house.publish("small.atom", "<feed/>");
    assert_eq!(house.get("/small.atom", &[gzip]).header("Content-Encoding"), "", "not worth it");
}

#[test]
fn a_304_asks_no_disk_and_bytes_once_read_stay() {
    let house = House::new();
    std::fs::remove_dir_all(house.folder.path().join("topics")).unwrap();
    assert_eq!(house.get("/topics/tpu.atom", &[&format!("If-None-Match: {}", tag(&feed("tpu"), ""))]).status, 304);
    let gone = house.get("/topics/tpu.atom", &[]);
    assert_eq!((gone.status, gone.header("Retry-After")), (503, "60"), "known, so never 404");
    house.publish("topics/tpu.atom", &feed("tpu"));
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200);
    std::fs::remove_dir_all(house.folder.path().join("topics")).unwrap();
    assert_eq!(house.get("/topics/tpu.atom", &["Accept-Encoding: gzip"]).status, 200);
}

#[test]
fn a_file_replaced_a_moment_ago_is_answered_as_it_is() {
    let house = House::new();
    let before = house.shelf.borrow().files["topics/tpu.atom"];
    house.publish("topics/tpu.atom", &feed("something newer"));
    house.change(|shelf| _ = shelf.files.insert("topics/tpu.atom".into(), before));
    let newer = tag(&feed("something newer"), "");
    let reply = house.get("/topics/tpu.atom", &[]);
    assert_eq!((reply.text(), reply.header("ETag")), (feed("something newer").as_str(), newer.as_str()));
    assert_eq!(reply.header("Last-Modified"), MTIME_HTTP);
    assert_eq!(house.get("/topics/tpu.atom", &[&format!("If-None-Match: {newer}")]).status, 304);
}

#[test]
fn a_browser_that_opens_a_feed_sees_its_page() {
    let house = House::new();
    let document = "Sec-Fetch-Dest: document";
    for (path, headers, body) in [
        ("/topics/tpu.atom", &[document][..], PAGE),
        ("/topics/tpu.atom?x=1", &[document], PAGE),
        ("/topics/tpu.atom?raw", &[document], &feed("tpu")),
        ("/topics/tpu.atom?x=1&raw=1", &[document], &feed("tpu")),
        ("/topics/tpu.atom?rawish", &[document], PAGE),
        ("/topics/tpu.atom", &["Sec-Fetch-Dest: empty"], &feed("tpu")),
        ("/topics/tpu.atom", &["Accept: text/html,application/xhtml+xml"], &feed("tpu")),
        ("/topics/tpu.atom?utm_source=x", &[], &feed("tpu")),
    ] {
        let reply = house.get(path, headers);
        assert_eq!(
            (reply.text(), reply.header("Vary")),
            (body, "Accept-Encoding, Sec-Fetch-Dest"),
            "{path} {headers:?}"
        );
    }
    house.publish("all.atom", &feed("all"));
    assert_eq!(house.get("/all.atom", &[document]).text(), feed("all"), "without a page");
}

#[test]
fn addresses_work_with_and_without_the_path_of_the_base() {
    let house = House::below("https://x.example/a/feeds/");
    house.publish("index.html", "index");
    for path in ["/topics/tpu.atom", "/a/feeds/topics/tpu.atom"] {
        assert_eq!(house.get(path, &[]).status, 200, "{path}");
    }
    for path in ["/", "/a/feeds/"] {
        assert_eq!(house.get(path, &[]).text(), "index", "{path}");
    }
    assert_eq!(house.get("/a/feeds/healthz", &[]).text(), "ok\n");
    let bare = house.get("/a/feeds", &[]);
    assert_eq!((bare.status, bare.header("Location")), (301, "feeds/"));
    for path in ["/feeds/topics/tpu.atom", "/a/topics/tpu.atom", "/a/feedstopics/tpu.atom"] {
        assert_eq!(house.get(path, &[]).status, 404, "{path}");
    }
}

#[test]
fn what_is_followed_but_not_published_is_503_and_what_moved_is_301() {
    let house = House::below("https://x.example/feeds/");
    house.change(|shelf| {
        shelf.pending.insert("topics/new".into());
        shelf.moved.insert("topics/old".into(), "topics/tpu".into());
    });
    let pending = house.get("/feeds/topics/new.rss", &[]);
    assert_eq!((pending.status, pending.header("Retry-After")), (503, "300"));
    assert!(pending.text().starts_with("This is not published yet"), "{}", pending.text());
    assert_eq!(house.get("/", &[]).status, 503, "the index before the first round");
    for path in ["/topics/old.json", "/feeds/topics/old.json"] {
        // Relative, so that it holds with and without the path of the base.
        let moved = house.get(path, &[]);
        assert_eq!((moved.status, moved.header("Location")), (301, "../topics/tpu.json"), "{path}");
    }
    assert_eq!(house.get("/topics/old.exe", &[]).status, 404);
}

#[test]
fn no_path_leads_out_and_unknown_ones_are_404() {
    let house = House::new();
    std::fs::write(house.folder.path().join("secret.atom"), "secret").unwrap();
    for path in [
        "/secret.atom",
        "/topics/../topics/tpu.atom",
        "/../secret.atom",
        "/topics/%2e%2e/secret.atom",
        "/topics%2ftpu.atom",
        "/topics/tpu.atom/",
        "/topics",
        "/etc/passwd",
        "/%00",
    ] {
        let reply = house.get(path, &[]);
        assert_eq!((reply.status, reply.text()), (404, "Nothing is published at this address.\n"), "{path}");
    }
    let page = house.get("/x", &["Sec-Fetch-Dest: document"]);
    assert_eq!((page.status, page.header("Content-Type")), (404, "text/html; charset=utf-8"));
    assert!(page.text().contains("<a href=\"http://feeds.example/\">"), "{}", page.text());
}

#[test]
fn other_methods_are_405() {
    let house = House::new();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"] {
        let reply = house.ask(method, "/topics/tpu.atom", &[], "");
        assert_eq!((reply.status, reply.header("Allow")), (405, "GET, HEAD"), "{method}");
        assert_eq!(house.ask(method, "/nowhere", &[], "").status, 404, "{method}");
    }
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200);
}

/// Fetch standard, "CORS-preflight request": a web reader that sends validators is asked about them first.
#[test]
fn pages_of_other_origins_may_send_validators() {
    let house = House::new();
    let ask = ["Origin: https://reader.example", "Access-Control-Request-Method: GET"];
    let reply = house.ask("OPTIONS", "/topics/tpu.atom", &ask, "");
    assert_eq!((reply.status, reply.header("Access-Control-Allow-Origin")), (204, "*"));
    assert_eq!(reply.header("Access-Control-Allow-Headers"), "*");
    assert_eq!(house.ask("OPTIONS", "/api/status", &ask, "").header("Access-Control-Allow-Origin"), "");
    assert_eq!(house.get("/topics/tpu.atom", &[]).header("Access-Control-Expose-Headers"), "*");
    assert_eq!(house.get("/%74opics/tpu%2Eatom", &[]).status, 200, "the same address, spelled otherwise");
}

#[test]
fn feeds_are_for_everybody_by_any_name() {
    let house = House::new();
    for headers in [["Host: evil.example", "Origin: https://evil.example"], ["Host: ", "Origin: null"]] {
        assert_eq!(house.get("/topics/tpu.atom", &headers).status, 200, "{headers:?}");
    }
}

#[test]
fn the_time_of_a_file_is_the_one_it_was_published_with() {
    let house = House::new();
    // As after a restored backup: the same bytes with another time.
    let file = std::fs::File::options().write(true).open(house.folder.path().join("topics/tpu.atom")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(house.get("/topics/tpu.atom", &[]).header("Last-Modified"), MTIME_HTTP);
    house.change(|shelf| shelf.files.get_mut("topics/tpu.atom").unwrap().mtime = Stamp(-5));
    assert_eq!(house.get("/topics/tpu.atom", &[]).header("Last-Modified"), "Thu, 01 Jan 1970 00:00:00 GMT");
}
