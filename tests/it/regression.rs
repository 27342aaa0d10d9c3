//! Faults that programs like this one had, by what went wrong there; those that fit no other test's subject.

use crate::harness::{Answer, Daemon, Home, Origin, topic, until};
use std::time::{Duration, Instant};

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");

/// Fault 004: an item's link is a redirector. What the source printed is the post's address, whatever it leads to, so no
/// request goes there and the second poll finds the same post.
#[test]
fn a_link_through_a_redirector_is_one_post_and_is_never_resolved() {
    let origin = Origin::start();
    origin.say("/r/1", Answer::status(302).with("Location", "/post/alpha"));
    let feed = |clicks: u32| {
        format!(
            "<rss version=\"2.0\"><channel><title>Feed</title><item><title>Alpha</title><link>{}</link>\
             <description>Read by {clicks}.</description></item></channel></rss>",
            origin.url("/r/1")
        )
    };
    origin.say("/feed", Answer::ok("application/rss+xml", feed(1)));
    let home = Home::of(&origin.url("/feed"));
    home.refresh(0);
    let before = home.entries("topics/tpu.atom");
    origin.say("/feed", Answer::ok("application/rss+xml", feed(2)));
    assert_eq!(home.report(&[])["added"], 0);
    let after = home.entries("topics/tpu.atom");
    assert_eq!((after.len(), &after[0].id, &after[0].link), (1, &before[0].id, &origin.url("/r/1")));
    assert_eq!(origin.count("/r/1"), 0);
}

/// Fault 016: a source that fails for days is told to the operator, and no subscriber sees an entry of it.
#[test]
fn failures_of_every_kind_never_become_posts() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    let home = Home::of(&origin.url("/tpu.md"));
    home.refresh(0);
    let before = home.files();
    let failures = [
        Answer::status(500),
        Answer::status(404),
        Answer::ok("text/html", "<title>Error</title><h1>Error 1020</h1>"),
        Answer::ok("application/rss+xml", "<rss version=\"2.0\"><channel><title>Error</title>"),
        Answer { send: Some(10), ..Answer::markdown(topic(&[A])) },
        Answer::markdown(""),
    ];
    for (day, failure) in failures.into_iter().enumerate() {
        origin.say("/tpu.md", failure);
        assert_eq!(home.report(&["--force"])["outcome"], "failed", "day {day}");
    }
    crate::harness::assert_same(&home.files(), &before);
    let status = home.run(&["status", "--json"]).out;
    assert!(status.contains("\"failures\":6") && status.contains("\"state\":\"failing\""), "{status}");
}

/// A server leaves the charset out of one answer. The page is read as its last one was; where the document
/// says its charset itself, that counts.
#[test]
fn a_charset_that_is_left_out_once_edits_nothing() {
    let page = |numbers: &[u32], head: &str| {
        let post = |n: &u32| {
            format!("<article><h2><a href=/{n}>Новые чипы {n}</a></h2><time datetime=2026-09-0{n}>x</time></article>")
        };
        let posts: String = numbers.iter().map(post).collect();
        format!("<html><head>{head}<title>T</title></head><body><h1>T</h1>{posts}</body></html>")
    };
    let cyrillic = |text: &str| encoding_rs::WINDOWS_1251.encode(text).0.into_owned();
    let origin = Origin::start();
    let home = Home::of(&origin.url("/news"));
    for (media_type, body, added) in [
        ("text/html; charset=windows-1251", cyrillic(&page(&[2, 1], "")), 2),
        ("text/html", cyrillic(&page(&[3, 2, 1], "")), 1),
        ("text/html; charset=", cyrillic(&page(&[4, 3, 2, 1], "")), 1),
        ("text/html", encoding_rs::KOI8_R.encode(&page(&[5, 4, 3, 2, 1], "<meta charset=koi8-r>")).0.into_owned(), 1),
        ("text/html", page(&[6, 5, 4, 3, 2, 1], "").into_bytes(), 1),
    ] {
        origin.say("/news", Answer::ok(media_type, body));
        let report = home.report(&[]);
        assert_eq!((&report["added"], &report["updated"]), (&added.into(), &0.into()), "{media_type} {report}");
    }
    assert!(home.entries("topics/tpu.atom").iter().all(|entry| entry.title.starts_with("Новые чипы ")));
}

/// A page that is rebuilt keeps its posts, also while a further page of its list does not answer.
#[test]
fn a_new_form_of_an_html_page_with_posts_that_are_known_is_taken() {
    let post = |n: u32| format!("<a href=/blog/{n}>Notes on kilns, part {n}</a> <time datetime=2026-09-0{n}>x</time>");
    let page = |list: String| {
        let next = "<link rel=next href=/kilns/2>";
        Answer::ok(
            "text/html",
            format!("<html><head><title>Kilns</title>{next}</head><body><main>{list}</main></body></html>"),
        )
    };
    let rows: String = (1..=4).rev().map(|n| format!("<tr><td>{}</td></tr>", post(n))).collect();
    let cards: String = (1..=4).rev().map(|n| format!("<article><h2>{}</h2></article>", post(n))).collect();
    let origin = Origin::start();
    origin.say("/kilns/2", Answer::status(500));
    origin.say("/kilns", page(format!("<table>{rows}</table>")));
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"tpu\"\npages = [{{ url = \"{}\", max_pages = 3 }}]\n",
        origin.url("/kilns")
    ));
    assert_eq!(home.report(&[])["added"], 4);
    origin.say("/kilns", page(cards));
    let report = home.report(&[]);
    assert_eq!((&report["outcome"], &report["added"]), (&"changed".into(), &0.into()), "{report}");
}

/// What a page lists besides its posts may be longer one day, or be all that is there: it is never taken for them.
#[test]
fn another_list_of_an_html_page_never_takes_the_place_of_its_posts() {
    let row = |n: &u32| {
        format!("<tr><td>0{n} September 2026</td><td><a href=/blog/{n}>Notes on kilns, part {n}</a></td></tr>")
    };
    let event = |n: u32| {
        format!("<div class=ev><a href=/ev/{n}>Event of the year, number {n}</a> <time>Dec {n}, 2026</time></div>")
    };
    let page = |posts: &[u32], events: u32| {
        let posts: String = posts.iter().map(row).collect();
        let events: String = (1..=events).map(event).collect();
        let page = format!("<main><table>{posts}</table></main><section><h2>Events</h2>{events}</section>");
        Answer::ok(
            "text/html",
            format!("<html><head><title>Kilns</title></head><body><h1>Kilns</h1>{page}</body></html>"),
        )
    };
    let origin = Origin::start();
    let home = Home::of(&origin.url("/kilns"));
    let read = |posts: &[u32], events| {
        origin.say("/kilns", page(posts, events));
        let report = home.report(&[]);
        (report["outcome"].as_str().unwrap().to_owned(), report["added"].as_u64().unwrap())
    };
    assert_eq!(read(&[4, 3, 2, 1], 2), ("changed".into(), 4));
    assert_eq!(read(&[5, 4, 3, 2, 1], 8), ("changed".into(), 1), "the events are more now");
    assert_eq!(read(&[], 8), ("failed".into(), 0), "and now all that is there");
    let status = home.run(&["status", "--json"]).out;
    assert!(status.contains("not-a-topic-page") && status.contains("--accept"), "{status}");
    assert_eq!(read(&[6, 5, 4, 3, 2, 1], 8), ("changed".into(), 1));
    assert!(home.entries("topics/tpu.atom").iter().all(|entry| entry.title.starts_with("Notes on kilns")));
    // A page that is rebuilt on purpose is taken by somebody's word.
    read(&[], 8);
    assert_eq!(home.report(&["--accept", "tpu"])["added"], 8);
}

/// Fault 116: commands and the daemon work on one state at a time while a page takes its time: nobody finds the database
/// locked, and nobody waits for the page.
#[test]
fn commands_go_on_while_the_daemon_waits_for_a_slow_page() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    origin.say("/slow.md", Answer::markdown(topic(&[A])).after(Duration::from_secs(30)));
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"tpu\"\npages = [\"{}\"]\n[[topic]]\nslug = \"slow\"\npages = [\"{}\"]\n",
        origin.url("/tpu.md"),
        origin.url("/slow.md")
    ));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    until("the slow page to be asked", || (origin.count("/slow.md") == 1).then_some(()));
    daemon.shows("/topics/tpu.atom", &["Alpha"]);
    let start = Instant::now();
    for round in 0..3 {
        for arguments in
            [&["refresh", "tpu"] as &[&str], &["export", "opml"], &["status"], &["why", "Alpha"], &["diff", "tpu"]]
        {
            let run = home.run(arguments);
            assert_eq!(run.code, 0, "round {round}: {arguments:?}: {run:#?}");
            assert!(!run.err.contains("locked"), "{run:#?}");
        }
        let copy = format!("copy-{round}.db");
        assert_eq!(home.run(&["backup", &copy]).code, 0);
    }
    // Eighteen commands; the slow page alone would have held each of them for half a minute.
    assert!(start.elapsed() < Duration::from_secs(30 * 5), "{:?}", start.elapsed());
    assert!(!daemon.log().contains("locked"), "{}", daemon.log());
}

/// Fault 071: files that a source attaches come through in every format, with a type and a length, whatever is missing.
#[test]
fn enclosures_of_unknown_size_have_a_length_of_nought_and_never_an_empty_one() {
    let rss = r#"<rss version="2.0"><channel><title>Talks</title>
<item><title>No size</title><link>https://x.example/1</link>
 <enclosure url="/a.mp3" type="audio/mpeg" length=""/></item>
<item><title>Seconds</title><link>https://x.example/2</link>
 <enclosure url="https://x.example/b.mp3" length="3:20"/></item>
<item><title>Whole</title><link>https://x.example/3</link>
 <enclosure url="https://x.example/c.mp4?a=1&amp;b=2" type="video/mp4" length="1024"/></item>
<item><title>No address</title><link>https://x.example/4</link><enclosure type="audio/mpeg"/></item>
</channel></rss>"#;
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks</title><id>urn:x:1</id>
<updated>2026-09-01T00:00:00Z</updated>
<entry><title>No size</title><id>urn:x:2</id><updated>2026-09-01T00:00:00Z</updated>
<link href="https://x.example/1"/><link rel="enclosure" type="audio/mpeg" href="/a.mp3"/></entry></feed>"#;
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"Talks","items":[{"id":"1",
"url":"https://x.example/1","title":"No size","attachments":[{"url":"/a.mp3","mime_type":"audio/mpeg"}]}]}"#;
    let origin = Origin::start();
    let a = origin.url("/a.mp3");
    for (media_type, source) in
        [("application/rss+xml", rss), ("application/atom+xml", atom), ("application/feed+json", json)]
    {
        origin.say("/feed", Answer::ok(media_type, source));
        let home = Home::of(&origin.url("/feed"));
        home.refresh(0);
        let read = |ending: &str| std::fs::read_to_string(home.path(&format!("out/topics/tpu.{ending}"))).unwrap();
        let (rss, atom, json) = (read("rss"), read("atom"), read("json"));
        let channel: rss::Channel = rss.parse().unwrap();
        let of = |title: &str| {
            let item = channel.items.iter().find(|i| i.title.as_deref() == Some(title)).unwrap();
            item.enclosure.as_ref().map(|e| (e.url.as_str(), e.mime_type.as_str(), e.length.as_str()))
        };
        assert_eq!(of("No size"), Some((a.as_str(), "audio/mpeg", "0")), "{media_type}");
        assert!(!rss.contains("length=\"\"") && !atom.contains("length=\"\""));
        assert!(atom.contains(&format!("href=\"{a}\" rel=\"enclosure\" type=\"audio/mpeg\"")), "{atom}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let items = json["items"].as_array().unwrap();
        let item = items.iter().find(|i| i["title"] == "No size").unwrap();
        assert_eq!(item["attachments"], serde_json::json!([{ "url": a, "mime_type": "audio/mpeg" }]));
        if media_type == "application/rss+xml" {
            assert_eq!(of("Seconds"), Some(("https://x.example/b.mp3", "application/octet-stream", "0")));
            assert_eq!(of("Whole"), Some(("https://x.example/c.mp4?a=1&b=2", "video/mp4", "1024")));
            assert_eq!(of("No address"), None);
            assert!(atom.contains("length=\"1024\""), "{atom}");
        }
        // What was made is a feed by the rules.
        for ending in ["rss", "atom", "json"] {
            let run = home.run(&["check-feed", &format!("out/topics/tpu.{ending}")]);
            assert_eq!(run.code, 0, "{media_type} {ending}: {run:#?}");
        }
    }
}

/// Fault 056, of its kind: half of a character, or one that UTF-8 forbids, in a page that says it is UTF-8 becomes U+FFFD
/// and not a word of another charset; a page of another charset that says so wrongly is still read.
#[test]
fn broken_characters_become_the_replacement_character() {
    let page = |name: &[u8]| {
        let mut bytes =
            b"<?xml version=\"1.0\" encoding=\"utf-8\"?><rss version=\"2.0\"><channel><title>F</title><item><title>A "
                .to_vec();
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(b" Z</title><link>https://x.example/1</link></item></channel></rss>");
        bytes
    };
    for (bytes, wanted) in [
        (&[0xed, 0xa0, 0xbd][..], "\u{fffd}"),
        (&[0xc0, 0x80], "\u{fffd}"),
        (&[0xf0, 0x9f, 0x98], "\u{fffd}"),
        (b"caf\xe9 na\xefve", "caf\u{e9} na\u{ef}ve"),
    ] {
        let home = Home::of("feed.xml");
        crate::harness::write(&home.path("feed.xml"), page(bytes));
        home.refresh(0);
        let title = home.entries("topics/tpu.atom")[0].title.clone();
        let middle = title.strip_prefix("A ").unwrap().strip_suffix(" Z").unwrap();
        assert_eq!(
            middle.replace("\u{fffd}\u{fffd}", "\u{fffd}").replace("\u{fffd}\u{fffd}", "\u{fffd}"),
            wanted,
            "{bytes:x?}"
        );
    }
}

/// What no browser shows is no post and no part of a title; a date that a sentence tells of dates nothing; and an own
/// `<base>` resolves against the address that `--base` gives.
#[test]
fn html_that_nobody_sees_and_dates_of_sentences_tell_nothing() {
    let post = |n: u32| {
        format!(
            "<article><h2><a href=\"p/{n}\">Post number {n}<span hidden>hidden</span><template>no</template></a></h2>\
             <p>On March {n}, 2019 the treaty was signed by all of the parties who had come to the town.</p></article>"
        )
    };
    let posts: String = (1..=4).map(post).collect();
    let hidden: String = (5..=8).map(post).collect();
    let page = format!(
        "<!doctype html><html lang=en><head><title>News</title><base href=\"/site/\"></head><body><main>{posts}</main>\
         <template><section>{hidden}</section></template></body></html>"
    );
    let home = Home::of("page.md");
    crate::harness::write(&home.path("page.html"), page);
    let run =
        home.run(&["preview", "page.html", "--kind", "html", "--base", "https://e.example/news/list.html", "--json"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let posts: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let posts = posts.as_array().unwrap();
    assert_eq!(posts.len(), 4, "{run:#?}");
    for (n, post) in posts.iter().enumerate() {
        assert_eq!(post["title"], format!("Post number {}", n + 1));
        assert_eq!(post["url"], format!("https://e.example/site/p/{}", n + 1));
        assert_eq!(post["published"], serde_json::Value::Null, "{post}");
    }
}
