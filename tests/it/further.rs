//! Lists that go on over several pages: read on once, or to close a gap, and never off the site.

use crate::harness::{Answer, Home, Origin, assert_same, topic};

const TPU: &str = "topics/tpu.atom";

/// Posts `from` down to `to`, a day each; the newest first.
fn posts(from: u32, to: u32) -> Vec<(String, String, String)> {
    let post = |n| (format!("Post {n}"), format!("https://x.example/p/{n}"), format!("2026-08-{n:02}"));
    (to..=from).rev().map(post).collect()
}

fn markdown(from: u32, to: u32, more: &str) -> Answer {
    let posts = posts(from, to);
    let posts: Vec<_> = posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect();
    Answer::markdown(topic(&posts).replace("posts about TPU", "of the posts about TPU") + more)
}

fn html(from: u32, to: u32, head: &str, foot: &str) -> Answer {
    let item = |(title, link, day): (String, String, String)| {
        format!(
            "<article><h2><a href=\"{link}\">{title}</a></h2><time datetime=\"{day}\">{day}</time><p>What {title} says at length.</p></article>"
        )
    };
    let list: String = posts(from, to).into_iter().map(item).collect();
    Answer::ok("text/html", format!("<!doctype html><title>TPU</title>{head}<main>{list}</main>{foot}"))
}

fn home(origin: &Origin, max: u32) -> Home {
    let home = Home::with("");
    home.seeds(&format!("[[topic]]\nslug = \"tpu\"\nmax_pages = {max}\npages = [\"{}\"]\n", origin.url("/tpu")));
    home
}

fn titles(home: &Home) -> Vec<String> {
    home.entries(TPU).into_iter().map(|e| e.title).collect()
}

fn expected(from: u32, to: u32) -> Vec<String> {
    posts(from, to).into_iter().map(|(title, ..)| title).collect()
}

fn asked(origin: &Origin) -> Vec<String> {
    origin.requests().into_iter().map(|request| request.path).collect()
}

#[test]
fn the_first_reading_goes_on_and_the_next_ones_do_not() {
    let origin = Origin::start();
    origin.say("/tpu", html(20, 16, "<link rel=next href=\"/tpu?page=2\">", "").with("ETag", "\"1\""));
    origin.say(
        "/tpu?page=2",
        html(15, 11, "", "<a href=\"/tpu?page=1\">1</a> <a href=\"/tpu?page=3\">3</a>").with("ETag", "\"2\""),
    );
    origin.say("/tpu?page=3", html(10, 6, "", "<a aria-label=\"Older posts\" href=\"/tpu?page=4\">→</a>"));
    origin.say("/tpu?page=4", html(5, 1, "", "<nav><a href=\"/tpu?page=5\">Next</a></nav>"));
    let home = home(&origin, 4);
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"]), (&20.into(), &serde_json::json!([])), "{report}");
    assert_eq!(titles(&home), expected(20, 1));
    assert_eq!(asked(&origin), ["/tpu", "/tpu?page=2", "/tpu?page=3", "/tpu?page=4"], "four, and no fifth");
    // A new post: page one alone, with page one's validators; what is no longer on it is not missed.
    origin.say("/tpu", html(21, 17, "<link rel=next href=\"/tpu?page=2\">", ""));
    let report = home.report(&[]);
    assert_eq!(
        (&report["added"], &report["delisted"], &report["warnings"]),
        (&1.into(), &1.into(), &serde_json::json!([])),
        "{report}"
    );
    let requests = origin.requests();
    assert_eq!((requests.len(), requests[0].headers["if-none-match"].as_str()), (1, "\"1\""));
    let status = home.run(&["status", "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&status.out).unwrap()["pages"][0]["posts"], 5);
}

#[test]
fn one_page_is_read_unless_more_are_allowed() {
    let origin = Origin::start();
    origin.say("/tpu", html(20, 16, "<link rel=next href=\"/tpu?page=2\">", ""));
    let home = home(&origin, 1);
    home.refresh(0);
    assert_eq!((titles(&home), asked(&origin)), (expected(20, 16), vec!["/tpu".to_owned()]));
}

#[test]
fn a_gap_is_closed_up_to_what_is_known() {
    let origin = Origin::start();
    origin.say("/tpu", html(5, 1, "", ""));
    let home = home(&origin, 9);
    home.refresh(0);
    origin.requests();
    // Seven posts since: the first page has nothing in common with the last reading, the second has.
    origin.say("/tpu", html(12, 8, "<link rel=next href=\"/tpu/page/2/\">", ""));
    origin.say("/tpu/page/2/", html(7, 3, "<link rel=next href=\"/tpu/page/3/\">", ""));
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"]), (&7.into(), &serde_json::json!([])), "{report}");
    assert_eq!(titles(&home), expected(12, 1));
    assert_eq!(asked(&origin), ["/tpu", "/tpu/page/2/"], "and not further");
}

#[test]
fn markdown_feeds_and_headers_say_where_it_goes_on() {
    let origin = Origin::start();
    let home = home(&origin, 3);
    origin.say("/tpu", markdown(9, 7, "\n[Older posts](/tpu-2.md)\n"));
    origin.say("/tpu-2.md", markdown(6, 4, "").with("Link", "</tpu-3.md>; rel=\"next\""));
    origin.say("/tpu-3.md", markdown(3, 1, ""));
    home.refresh(0);
    assert_eq!(titles(&home), expected(9, 1));

    let item = |(title, link, day): (String, String, String)| {
        format!(
            "<entry><title>{title}</title><id>{link}</id><link href=\"{link}\"/><updated>{day}T00:00:00Z</updated></entry>"
        )
    };
    let atom = |from, to, next: &str| {
        let entries: String = posts(from, to).into_iter().map(item).collect();
        Answer::ok(
            "application/atom+xml",
            format!(
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>T</title><link rel=\"next\" href=\"{next}\"/>{entries}</feed>"
            ),
        )
    };
    origin.say("/tpu", atom(9, 7, "/feed?p=2"));
    origin.say("/feed?p=2", atom(6, 4, "https://y.example/feed?p=3"));
    let feed = self::home(&origin, 3);
    feed.refresh(0);
    assert_eq!(titles(&feed), expected(9, 4), "and never to another host");

    let items = |from, to| {
        posts(from, to).into_iter().map(|(t, l, d)| serde_json::json!({"id": l, "url": l, "title": t, "date_published": format!("{d}T08:00:00Z")})).collect::<Vec<_>>()
    };
    let json = |from, to, next: &str| {
        let feed = serde_json::json!({"version": "https://jsonfeed.org/version/1.1", "title": "T", "next_url": next, "items": items(from, to)});
        Answer::ok("application/feed+json", feed.to_string())
    };
    origin.say("/tpu", json(9, 7, "/more.json"));
    origin.say("/more.json", json(6, 4, "/more.json"));
    let feed = self::home(&origin, 9);
    origin.requests();
    feed.refresh(0);
    assert_eq!((titles(&feed), asked(&origin)), (expected(9, 4), vec!["/tpu".to_owned(), "/more.json".to_owned()]));
}

#[test]
fn a_walk_ends_where_nothing_new_comes_and_tells_what_failed() {
    let origin = Origin::start();
    // In a circle, by a redirect.
    origin.say("/tpu", html(20, 16, "<link rel=next href=\"/tpu?page=2\">", ""));
    origin.say("/tpu?page=2", Answer::status(302).with("Location", "/tpu"));
    let home = home(&origin, 9);
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"]), (&5.into(), &serde_json::json!([])), "{report}");
    // The same posts again.
    origin.say("/tpu?page=2", html(20, 16, "<link rel=next href=\"/tpu?page=3\">", ""));
    let home = self::home(&origin, 9);
    origin.requests();
    home.refresh(0);
    assert_eq!(asked(&origin), ["/tpu", "/tpu?page=2"]);
    // A failure: what was read counts.
    origin.say("/tpu?page=2", html(15, 11, "<link rel=next href=\"/tpu?page=3\">", ""));
    origin.say("/tpu?page=3", Answer::status(500));
    let home = self::home(&origin, 9);
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"][0]["kind"]), (&10.into(), &"gap".into()), "{report}");
    let message = report["warnings"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("page 3 of the list") && message.contains("http-500"), "{message}");
    // And the next reading does not miss what further pages had.
    origin.say("/tpu", html(21, 17, "", ""));
    let report = home.report(&[]);
    assert_eq!(
        (&report["added"], &report["delisted"], &report["warnings"]),
        (&1.into(), &1.into(), &serde_json::json!([])),
        "{report}"
    );
}

#[test]
fn what_did_not_answer_at_the_first_reading_comes_with_a_later_one_as_the_history_it_is() {
    let origin = Origin::start();
    let first = |from, to| html(from, to, "<link rel=next href=\"/tpu?page=2\">", "").with("ETag", "\"1\"");
    origin.say("/tpu", first(30, 20));
    origin.say("/tpu?page=2", Answer::status(500));
    let home = home(&origin, 3);
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"][0]["kind"]), (&11.into(), &"gap".into()), "{report}");
    // While it does not answer nothing moves, and that is told.
    let before = home.files();
    for _ in 0..3 {
        let report = home.report(&[]);
        assert_eq!(
            (&report["outcome"], &report["warnings"][0]["kind"]),
            (&"unchanged".into(), &"gap".into()),
            "{report}"
        );
        let status: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
        let message = status["pages"][0]["warnings"][0]["message"].as_str().unwrap();
        assert!(message.starts_with("page 2 of the list") && message.contains("http-500"), "{message}");
    }
    assert_same(&before, &home.files());
    // It answers again, and meanwhile there is a new post.
    origin.say("/tpu", first(31, 21));
    origin.say("/tpu?page=2", html(20, 10, "<link rel=next href=\"/tpu?page=3\">", ""));
    origin.say("/tpu?page=3", html(9, 1, "", ""));
    let report = home.report(&[]);
    assert_eq!(
        (&report["outcome"], &report["added"], &report["updated"], &report["warnings"]),
        (&"changed".into(), &20.into(), &0.into(), &serde_json::json!([])),
        "{report}"
    );
    assert_eq!(titles(&home), expected(31, 1));
    let oldest = home.entries(TPU).pop().unwrap();
    assert_eq!((oldest.published.as_str(), oldest.updated.as_str()), ("2026-08-01T10:00:00Z", "2026-08-01T10:00:00Z"));
    // From now on page one alone is asked, with its validators.
    origin.requests();
    let report = home.report(&[]);
    assert_eq!((&report["outcome"], &report["added"]), (&"unchanged".into(), &0.into()), "{report}");
    let requests = origin.requests();
    assert_eq!((requests.len(), requests[0].headers["if-none-match"].as_str()), (1, "\"1\""));
}

#[test]
fn what_did_not_answer_in_a_gap_comes_with_a_later_reading_up_to_what_is_known() {
    let origin = Origin::start();
    origin.say("/tpu", html(5, 1, "", ""));
    let home = home(&origin, 5);
    home.refresh(0);
    let first = html(30, 25, "<link rel=next href=\"/tpu?page=2\">", "").with("ETag", "\"1\"");
    origin.say("/tpu", first.clone());
    origin.say("/tpu?page=2", html(24, 18, "<link rel=next href=\"/tpu?page=3\">", ""));
    origin.say("/tpu?page=3", Answer::status(503));
    assert_eq!(home.report(&[])["added"], 13);
    // The server knows its page, but pagewire does not know all of the list.
    origin.say("/tpu?page=3", html(17, 11, "<link rel=next href=\"/tpu?page=4\">", ""));
    origin.say("/tpu?page=4", html(10, 4, "<link rel=next href=\"/tpu?page=5\">", ""));
    origin.say("/tpu?page=5", html(3, 1, "", ""));
    origin.requests();
    let report = home.report(&[]);
    assert_eq!((&report["added"], &report["warnings"]), (&12.into(), &serde_json::json!([])), "{report}");
    assert!(!origin.requests()[0].headers.contains_key("if-none-match"));
    let mut all = titles(&home);
    all.sort_by_key(|title| std::cmp::Reverse(title["Post ".len()..].parse::<u32>().unwrap()));
    assert_eq!(all, expected(30, 1));
}
