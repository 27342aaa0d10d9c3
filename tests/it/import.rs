//! A feed that was followed elsewhere becomes a topic's past: nobody sees a post twice.

use crate::harness::{Answer, Home, Origin, topic, write};

const PAGE: [(&str, &str, &str); 3] = [
    ("Gamma", "https://x.example/post/gamma.md", "Sep 4, 2026"),
    ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026"),
    ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026"),
];

/// As a script made it: its own ids, times of its own, an older post that the page dropped, and not yet the newest.
const OLD_FEED: &str = r#"<rss version="2.0"><channel><title>Scraped</title><link>https://x.example/</link>
<item><title>Alpha</title><link>https://x.example/post/alpha</link><guid isPermaLink="false">script-17</guid>
<pubDate>Thu, 03 Sep 2026 06:30:00 GMT</pubDate><description>As scraped.</description></item>
<item><title>Beta</title><link>http://www.x.example/post/beta/?utm_source=rss</link>
<pubDate>Wed, 02 Sep 2026 00:00:00 GMT</pubDate></item>
<item><title>Ancient</title><link>https://x.example/post/ancient</link><guid>https://x.example/post/ancient</guid>
<pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate></item>
</channel></rss>"#;

fn home() -> (Origin, Home) {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&PAGE)));
    let home = Home::of(&origin.url("/tpu.md"));
    write(&home.path("old.xml"), OLD_FEED);
    (origin, home)
}

#[test]
fn ids_and_dates_are_taken_over_and_the_page_then_brings_only_what_is_new() {
    let (_origin, home) = home();
    let run = home.run(&["import", "feed", "old.xml", "--topic", "tpu"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.err.contains("3 posts taken over"), "{}", run.err);
    assert_eq!(home.report(&[])["added"], 1);
    let entries = home.entries("topics/tpu.atom");
    let seen: Vec<_> = entries.iter().map(|e| (e.id.as_str(), e.title.as_str(), e.published.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("https://x.example/post/gamma", "Gamma", "2026-09-04T10:00:00Z"),
            ("script-17", "Alpha", "2026-09-03T06:30:00Z"),
            // Without a guid readers know it by the link as it was printed.
            ("http://www.x.example/post/beta/?utm_source=rss", "Beta", "2026-09-02T00:00:00Z"),
            ("https://x.example/post/ancient", "Ancient", "2026-03-01T12:00:00Z"),
        ]
    );
    // Text, link and company come from the page, and that is no news.
    assert_eq!(entries[1].link, "https://x.example/post/alpha.md");
    assert_eq!(entries[1].updated, entries[1].published);
    let acme: Vec<_> = home.entries("companies/acme.atom").into_iter().map(|e| e.id).collect();
    assert_eq!(acme.len(), 3);
    assert!(acme.contains(&"script-17".to_owned()));
    let files = home.files();
    home.run(&["refresh", "--force"]);
    crate::harness::assert_same(&home.files(), &files);
}

#[test]
fn what_was_published_is_not_rewritten_by_an_import() {
    let (_origin, home) = home();
    home.refresh(0);
    let before = home.files();
    let run = home.run(&["import", "feed", "old.xml", "--topic", "tpu"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("has posts already"), "{}", run.err);
    home.refresh(0);
    crate::harness::assert_same(&home.files(), &before);
}

#[test]
fn what_is_no_feed_or_no_topic_changes_nothing() {
    let (_origin, home) = home();
    write(&home.path("page.md"), topic(&PAGE));
    assert_eq!(home.run(&["import", "feed", "page.md", "--topic", "tpu"]).code, 1);
    assert_eq!(home.run(&["import", "feed", "old.xml", "--topic", "tpo"]).code, 2);
    assert_eq!(home.run(&["import", "feed", "nothing.xml", "--topic", "tpu"]).code, 1);
    assert_eq!(home.report(&[])["added"], 3);
    assert_eq!(home.entries("topics/tpu.atom")[0].id, "https://x.example/post/gamma");
}

#[test]
fn items_that_share_an_address_stay_apart() {
    let (origin, home) = home();
    let item = |n: u32| {
        format!(
            "<item><title>Release {n}</title><link>https://x.example/downloads</link>\
             <guid isPermaLink=\"false\">r{n}</guid><pubDate>0{n} Sep 2026 08:00:00 GMT</pubDate></item>"
        )
    };
    let feed = |items: &[u32]| {
        let items: String = items.iter().map(|n| item(*n)).collect();
        format!("<rss version=\"2.0\"><channel><title>Releases</title>{items}</channel></rss>")
    };
    write(&home.path("old.xml"), feed(&[2, 1]));
    origin.say("/tpu.md", Answer::ok("application/rss+xml", feed(&[3, 2, 1])));
    assert_eq!(home.run(&["import", "feed", "old.xml", "--topic", "tpu"]).code, 0);
    assert_eq!(home.report(&[])["added"], 1);
    let ids: Vec<_> = home.entries("topics/tpu.atom").into_iter().map(|e| e.id).collect();
    assert_eq!(ids[1..], ["r2", "r1"]);
}
