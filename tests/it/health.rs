//! What is broken, since when and why: the health feed and `status`, for whoever runs this and nobody else.

use crate::harness::{Answer, Daemon, Home, Origin, topic, until};
use crate::identity::History;

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const DAY: i64 = 86_400;

fn titles(feed: &[u8]) -> Vec<String> {
    let feed = atom_syndication::Feed::read_from(feed).unwrap();
    feed.entries.into_iter().map(|e| e.title.value).collect()
}

#[test]
fn each_change_of_a_pages_state_is_one_post_and_a_poll_without_one_is_none() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    let home = Home::of(&origin.url("/tpu.md"));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["Alpha"]);
    let health = || titles(&daemon.get("/health.atom", &[]).body);
    assert!(health().is_empty(), "{:?}", health());
    let page = origin.url("/tpu.md");
    origin.say("/tpu.md", Answer::status(500));
    for _ in 0..3 {
        home.run(&["refresh"]);
    }
    assert_eq!(health(), [format!("{page} cannot be read")]);
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    home.run(&["refresh"]);
    until("the recovery to be told", || (health().len() == 2).then_some(()));
    assert_eq!(health()[0], format!("{page} is well again"));

    let reply = daemon.get("/health.atom", &[]);
    let entry = &atom_syndication::Feed::read_from(&reply.body[..]).unwrap().entries[1];
    assert!(entry.summary.as_ref().unwrap().value.contains("http-500"), "{entry:?}");
    let tag = reply.header("etag").to_owned();
    assert_eq!(daemon.get("/health.atom", &[&format!("If-None-Match: {tag}")]).status, 304);
    for ending in ["rss", "json"] {
        let reply = daemon.get(&format!("/health.{ending}"), &[]);
        assert!(reply.status == 200 && reply.text().contains("is well again"), "{ending}");
    }
    // Through a proxy nobody is the operator, and no file of it is in the folder that another server may show.
    assert_eq!(daemon.get("/health.atom", &["X-Forwarded-For: 192.0.2.1"]).status, 404);
    assert!(!home.path("out/health.atom").exists());
}

/// A selector that finds nothing is a failure like any other: the health feed names it and what would fit, once.
#[test]
fn a_selector_that_finds_nothing_is_told_by_the_first_failing_round_and_by_no_other() {
    let origin = Origin::start();
    let list = |class: &str| {
        let post = |n: u32| {
            format!("<div class={class}><h2><a href=\"/p/{n}\">Post {n}</a></h2><time>2026-08-0{n}</time></div>")
        };
        Answer::ok("text/html", format!("<title>T</title><main>{}</main>", [3, 2, 1].map(post).concat()))
    };
    origin.say("/list", list("entry"));
    let page = origin.url("/list");
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [{{ url = \"{page}\", item = \".entry\" }}]\n"));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["Post 3", "Post 2", "Post 1"]);
    origin.say("/list", list("entrys"));
    for _ in 0..3 {
        home.run(&["refresh"]);
    }
    let feed = atom_syndication::Feed::read_from(&daemon.get("/health.atom", &[]).body[..]).unwrap();
    assert_eq!(feed.entries.len(), 1);
    let said = &feed.entries[0].summary.as_ref().unwrap().value;
    assert!(said.contains("`.entry`") && said.contains(".entrys"), "{said}");
    daemon.shows("/topics/tpu.atom", &["Post 3", "Post 2", "Post 1"]);
}

#[test]
fn what_is_counted_is_there_for_prometheus_and_for_the_operator_only() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    origin.say("/gpu.md", Answer::status(503));
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"tpu\"\npages = [\"{}\", \"{}\"]\n",
        origin.url("/tpu.md"),
        origin.url("/gpu.md")
    ));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["Alpha"]);
    let told = |line: &str| {
        let text = daemon.get("/metrics", &[]).text().to_owned();
        text.lines().any(|l| l == line).then_some(text)
    };
    until("both pages to be counted", || told("pagewire_pages{state=\"failing\"} 1"));
    for line in [
        "pagewire_pages{state=\"ok\"} 1",
        "pagewire_posts_total{what=\"added\"} 1",
        "pagewire_fetches_total{scheme=\"http\",outcome=\"changed\"} 1",
        "pagewire_fetch_errors_total{kind=\"http-5xx\"} 1",
        "pagewire_pages_late 0",
    ] {
        assert!(told(line).is_some(), "{line}\n{}", daemon.get("/metrics", &[]).text());
    }
    assert_eq!(daemon.get("/metrics", &["X-Forwarded-For: 192.0.2.1"]).status, 404);
    every_name_is_told(daemon.get("/metrics", &[]).text());
}

/// What the example alerts and the dashboard ask for is there, under that name and with those labels.
fn every_name_is_told(metrics: &str) {
    let asked = regex::Regex::new(r"(pagewire_[a-z_]+)(?:\{([^}]*)\})?").unwrap();
    let label = regex::Regex::new(r"([a-z]+)=").unwrap();
    let samples: Vec<&str> = metrics.lines().filter(|line| !line.starts_with('#')).collect();
    for file in ["prometheus-alerts.yml", "grafana-dashboard.json"] {
        let text = std::fs::read_to_string(format!("{}/packaging/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        // In JSON the quotes of a label's value are escaped.
        let text = text.replace("\\\"", "'");
        let mut names = 0;
        for found in asked.captures_iter(&text) {
            let name = &found[1];
            let told: Vec<_> = samples.iter().filter(|s| s.split(['{', ' ']).next() == Some(name)).collect();
            assert!(!told.is_empty(), "{file}: nothing is called {name}\n{metrics}");
            let labels = found.get(2).map_or("", |labels| labels.as_str());
            for label in label.captures_iter(labels).map(|label| label[1].to_owned()).filter(|label| label != "job") {
                assert!(told.iter().any(|s| s.contains(&format!("{label}=\""))), "{file}: {name} has no {label}");
            }
            names += 1;
        }
        assert!(names > 4, "{file}");
    }
    let dashboard = include_str!("../../packaging/grafana-dashboard.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    assert!(dashboard["panels"].as_array().unwrap().iter().all(|panel| panel["targets"][0]["expr"].is_string()));
}

#[test]
fn a_page_that_is_silent_for_far_longer_than_its_rhythm_is_told_once() {
    let mut h = History::new();
    let posts = [
        ("Five", "https://x.example/5.md", "Sep 29, 2026"),
        ("Four", "https://x.example/4.md", "Sep 22, 2026"),
        ("Three", "https://x.example/3.md", "Sep 15, 2026"),
        ("Two", "https://x.example/2.md", "Sep 8, 2026"),
        ("One", "https://x.example/1.md", "Sep 1, 2026"),
    ];
    let told = |h: &History| h.home.run(&["diff", "tpu", "-n", "100"]).out.matches("stale").count();
    let status = |h: &History| h.home.run(&["status", "--json"]).out;
    h.read(&topic(&posts));
    // A post a week: five weeks of silence are long, six are odd.
    h.now = h.now.plus(38 * DAY);
    h.read(&topic(&posts));
    assert_eq!(told(&h), 0);
    h.now = h.now.plus(7 * DAY);
    h.read(&topic(&posts));
    h.read(&topic(&posts));
    assert_eq!(told(&h), 1);
    assert!(status(&h).contains("\"kind\":\"stale\"") && status(&h).contains("\"state\":\"ok\""), "{}", status(&h));
    // A page that was silent long before anybody followed it is not told.
    let mut late = History::new();
    late.now = late.now.plus(300 * DAY);
    late.read(&topic(&posts));
    late.read(&topic(&posts));
    assert_eq!(told(&late), 0);
    let news = ("Six", "https://x.example/6.md", "Nov 14, 2026");
    h.read(&topic(&[&[news][..], &posts].concat()));
    assert!(!status(&h).contains("stale"));
}
