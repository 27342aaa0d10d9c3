//! Parts of feeds over HTTP: ranges, selections, archives, and feeds that moved or ended.

use super::house::{House, MTIME_HTTP, NOW};
use pagewire::model::{Entry, Feed, FeedKey, Format, Html, Slug, Stamp, Text};
use pagewire::render;
use std::io::Read;

/// RFC 9110 §14: a download that broke off goes on where it was, unless the feed changed meanwhile.
#[test]
fn a_part_of_a_feed_can_be_asked_for() {
    let house = House::new();
    let text = "0123456789".repeat(200);
    house.publish("topics/tpu.atom", &text);
    let whole = house.get("/topics/tpu.atom", &[]);
    assert_eq!(whole.header("Accept-Ranges"), "bytes");
    let tag = whole.header("ETag").to_owned();
    let part = house.get("/topics/tpu.atom", &["Range: bytes=1990-"]);
    assert_eq!((part.status, part.text(), part.header("Content-Range")), (206, "0123456789", "bytes 1990-1999/2000"));
    assert_eq!((part.header("ETag"), part.header("Last-Modified")), (&*tag, MTIME_HTTP));
    for (headers, status) in [
        (vec!["Range: bytes=0-9".to_owned(), format!("If-Range: {tag}")], 206),
        (vec!["Range: bytes=0-9".to_owned(), "If-Range: \"other\"".to_owned()], 200),
        (vec!["Range: bytes=2000-".to_owned()], 416),
        (vec!["Range: bytes=0-1,5-6".to_owned()], 200),
        (vec!["Range: bytes=0-9".to_owned(), format!("If-None-Match: {tag}")], 304),
    ] {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        assert_eq!(house.get("/topics/tpu.atom", &headers).status, status, "{headers:?}");
    }
    assert_eq!(house.get("/topics/tpu.atom", &["Range: bytes=2000-"]).header("Content-Range"), "bytes */2000");
    let head = house.ask("HEAD", "/topics/tpu.atom", &["Range: bytes=0-9"], "");
    assert_eq!((head.status, head.header("Content-Length")), (200, "2000"), "only GET has parts");
    let zipped = house.get("/topics/tpu.atom", &["Accept-Encoding: gzip"]);
    let end = house.get("/topics/tpu.atom", &["Accept-Encoding: gzip", "Range: bytes=5-"]);
    assert_eq!((end.header("ETag"), &end.body[..]), (zipped.header("ETag"), &zipped.body[5..]), "of what is sent");
}

/// Three posts in every format, as pagewire writes them.
fn publish(house: &House) {
    publish_with(house, None);
}

/// The same with a fourth before them.
fn publish_with(house: &House, fourth: Option<&str>) {
    let entry = |n: u8, title: &str, summary: &str| Entry {
        uid: format!("https://x.example/{n}"),
        link: Some(format!("https://x.example/{n}")),
        title: Text::line(title),
        summary: Html::sanitised(summary, None),
        ..crate::feeds::samples::bare("", NOW.plus(-i64::from(n)))
    };
    let mut entries = vec![
        entry(1, "TPUs & <chips>", "<p>About <em>speed</em></p>"),
        entry(2, "Sponsored: a car", "<p>An ad about R&amp;D</p>"),
        entry(3, "Inference", "<p>On a TPU, again</p>"),
    ];
    entries.splice(0..0, fourth.map(|title| entry(4, title, "<p>News</p>")));
    let feed = Feed {
        key: FeedKey::Topic(Slug::of("tpu")),
        title: Text::line("TPU"),
        updated: NOW,
        ttl: 60,
        entries,
        ..Feed::default()
    };
    let site = crate::feeds::samples::site();
    for document in render::documents(&feed, &site, &[Format::Atom, Format::Rss, Format::Json]) {
        house.publish(&document.path, std::str::from_utf8(&document.bytes).unwrap());
    }
}

/// The last letters of the posts' addresses, in each format.
fn shown(house: &House, query: &str) -> [String; 3] {
    ["atom", "rss", "json"].map(|ending| {
        let reply = house.get(&format!("/topics/tpu.{ending}?{query}"), &[]);
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
        let feed = feed_rs::parser::parse(&reply.body[..]).unwrap_or_else(|e| panic!("{query} {ending}: {e}"));
        feed.entries.iter().map(|e| e.id.rsplit('/').next().unwrap().to_owned()).collect()
    })
}

#[test]
fn some_of_a_feeds_posts_can_be_asked_for() {
    let house = House::new();
    publish(&house);
    for (query, posts) in [
        ("", "123"),
        ("limit=2", "12"),
        ("limit=0", ""),
        ("limit=9", "123"),
        ("filter=tpu", "13"),
        ("filter=TPU|car", "123"),
        ("filter=^sponsored", "2"),
        ("filterout=sponsored", "13"),
        ("filter=tpu&filterout=again", "1"),
        ("filterout=sponsored&limit=1", "1"),
        ("filter=%3Cchips%3E", "1"),
        ("filter=R%26D", "2"),
        ("filter=on+a+tpu", "3"),
        ("filter=nothing", ""),
        ("utm_source=x&filter=", "123"),
    ] {
        assert_eq!(shown(&house, query), [posts; 3], "{query}");
    }
}

#[test]
fn a_selection_has_its_own_validators_and_codings() {
    let house = House::new();
    publish(&house);
    let path = "/topics/tpu.rss?filter=tpu";
    let whole = house.get("/topics/tpu.rss", &[]);
    let some = house.get(path, &[]);
    assert_ne!(some.header("ETag"), whole.header("ETag"));
    assert_eq!(some.header("Last-Modified"), whole.header("Last-Modified"));
    assert_eq!(house.get(path, &[&format!("If-None-Match: {}", some.header("ETag"))]).status, 304);
    assert_eq!(house.get(path, &[&format!("If-None-Match: {}", whole.header("ETag"))]).status, 200);
    let zipped = house.get(path, &["Accept-Encoding: gzip"]);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&zipped.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), zipped.header("Content-Encoding")), (some.text(), "gzip"));
    for bad in ["filter=(", "filter=(((((a{999}){999}){999}){999}){999})", "limit=ten", "limit=-1"] {
        let reply = house.get(&format!("/topics/tpu.rss?{bad}"), &[]);
        assert_eq!(reply.status, 400, "{bad}: {}", reply.text());
    }
    assert_eq!(house.get(&format!("/topics/tpu.rss?filter={}", "a".repeat(300)), &[]).status, 400);
    assert_eq!(house.get("/topics/tpu.html?filter=(", &[]).status, 200, "pages are whole");
}

#[test]
fn an_archive_that_lasts_may_be_kept_for_a_day() {
    let house = House::new();
    house.publish("topics/tpu/archive/1.atom", "<feed>1</feed>");
    house.publish("topics/tpu/archive/2.atom", "<feed>2</feed>");
    house.change(|shelf| _ = shelf.due.insert("topics/tpu".into(), NOW.plus(900)));
    let fresh = |path: &str| house.get(path, &[]).header("Cache-Control").to_owned();
    assert_eq!(fresh("/topics/tpu/archive/1.atom"), "public, max-age=86400");
    assert_eq!(fresh("/topics/tpu/archive/2.atom"), "public, max-age=900", "it still grows");
    assert_eq!(house.get("/topics/tpu/archive/3.atom", &[]).status, 404);
    house.change(|shelf| _ = shelf.moved.insert("topics/old".into(), "topics/tpu".into()));
    let moved = house.get("/topics/old/archive/1.json", &[]);
    assert_eq!((moved.status, moved.header("Location")), (301, "../../../topics/tpu/archive/1.json"));
    assert_eq!(house.get("/topics/old.atom?limit=2", &[]).header("Location"), "../topics/tpu.atom?limit=2");
}

#[test]
fn a_retired_feed_is_gone_in_the_end() {
    let house = House::new();
    house.publish("topics/tpu/archive/1.atom", "<feed/>");
    house.change(|shelf| _ = shelf.gone.insert("topics/tpu".into(), NOW.plus(1)));
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200);
    house.change(|shelf| _ = shelf.gone.insert("topics/tpu".into(), NOW));
    for path in ["/topics/tpu.atom", "/topics/tpu.html", "/topics/tpu/archive/1.atom", "/topics/tpu.json"] {
        let reply = house.get(path, &[]);
        assert_eq!(
            (reply.status, reply.text()),
            (410, "This feed has ended: its topic is not followed any more.\n"),
            "{path}"
        );
    }
    house.change(|shelf| _ = shelf.gone.insert("topics/tpu".into(), Stamp(i64::MAX)));
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200);
}

/// RFC 3229 §4.5, with `feed`: what a reader has not is all that it is sent, under the tag of the whole.
#[test]
fn a_reader_that_merges_is_sent_what_is_new_alone_where_that_is_switched_on() {
    const NEWSBOAT: &str = "User-Agent: newsboat/2.21.0 (Linux x86_64)";
    const IM: &str = "A-IM: feed";
    let house = House::new();
    publish(&house);
    let path = |ending: &str| format!("/topics/tpu.{ending}");
    let tags = ["atom", "rss", "json"].map(|ending| house.get(&path(ending), &[]).header("ETag").to_owned());
    let known = |n: usize| format!("If-None-Match: {}", tags[n]);
    publish_with(&house, Some("A fourth, which is new"));
    assert_eq!(house.get(&path("atom"), &[NEWSBOAT, IM, &known(0)]).status, 200, "off");
    house.settle(|terms| {
        terms.server.deltas = true;
        terms.site = crate::feeds::samples::site();
    });
    for (n, ending) in ["atom", "rss", "json"].into_iter().enumerate() {
        let whole = house.get(&path(ending), &[]);
        assert!(whole.header("Vary").contains("A-IM"), "{}", whole.head);
        let part = house.get(&path(ending), &[NEWSBOAT, IM, &known(n)]);
        assert_eq!((part.status, part.header("IM"), part.header("ETag")), (226, "feed", whole.header("ETag")));
        assert_eq!((part.header("Cache-Control"), part.header("Accept-Ranges")), ("no-store, im", ""));
        assert!(part.header("Vary").contains("A-IM"), "{}", part.head);
        let feed = feed_rs::parser::parse(&part.body[..]).unwrap();
        assert_eq!(feed.entries.iter().map(|e| e.id.as_str()).collect::<Vec<_>>(), ["https://x.example/4"]);
        let again = format!("If-None-Match: {}", part.header("ETag"));
        assert_eq!(house.get(&path(ending), &[NEWSBOAT, IM, &again]).status, 304);
    }
    let zipped = house.get(&path("atom"), &[NEWSBOAT, IM, &known(0), "Accept-Encoding: gzip"]);
    assert_eq!((zipped.status, zipped.header("Content-Encoding")), (226, "gzip"));
    let again = format!("If-None-Match: {}", zipped.header("ETag"));
    assert_eq!(house.get(&path("atom"), &[NEWSBOAT, IM, &again, "Accept-Encoding: gzip"]).status, 304);
    // Any doubt is a whole feed.
    let other = format!("If-None-Match: {}", tags[1]);
    let list = format!("If-None-Match: {}, \"x\"", tags[0]);
    for (why, headers) in [
        ("rss2email takes 226 for an error", vec!["User-Agent: rss2email/3.13", IM, &known(0)]),
        ("nor does it ask", vec![NEWSBOAT, &known(0)]),
        ("another change than `feed`", vec![NEWSBOAT, "A-IM: diffe, gzip", &known(0)]),
        ("a version that nobody knows", vec![NEWSBOAT, IM, "If-None-Match: \"0123456789abcdef0123456789abcdef\""]),
        ("no tag of ours", vec![NEWSBOAT, IM, "If-None-Match: \"v1\""]),
        ("several", vec![NEWSBOAT, IM, &list]),
        ("another feed's", vec![NEWSBOAT, IM, &other]),
        ("only a time", vec![NEWSBOAT, IM, "If-Modified-Since: Thu, 24 Sep 2026 08:00:00 GMT"]),
    ] {
        let reply = house.get(&path("atom"), &headers);
        assert_eq!((reply.status, reply.header("IM")), (200, ""), "{why}");
    }
}
