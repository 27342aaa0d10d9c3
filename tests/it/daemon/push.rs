//! What goes out by itself: our own hub, an outside one, and hooks; each over loopback, to a receiver that is sometimes
//! down.

use crate::harness::{Daemon, Home, topic, until, write};
use pagewire::publish::push::signature;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a receiver got.
#[derive(Debug, Clone)]
struct Got {
    head: String,
    headers: HashMap<String, String>,
    body: String,
}

/// A subscriber, hub or hook: repeats challenges, takes what it is brought, and can be out of order.
struct Receiver {
    port: u16,
    status: Arc<Mutex<u16>>,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Receiver {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (status, got) = (Arc::new(Mutex::new(200)), Arc::<Mutex<Vec<Got>>>::default());
        let (s, g) = (Arc::clone(&status), Arc::clone(&got));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(stream, &s, &g);
            }
        });
        Self { port, status, got }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/cb?id=1", self.port)
    }

    fn say(&self, status: u16) {
        *self.status.lock().unwrap() = status;
    }

    /// What was brought so far.
    fn brought(&self) -> Vec<Got> {
        self.got.lock().unwrap().iter().filter(|got| got.head.starts_with("POST")).cloned().collect()
    }
}

fn answer(mut stream: TcpStream, status: &Mutex<u16>, got: &Mutex<Vec<Got>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        bytes.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let head = text.lines().next().unwrap_or_default().to_owned();
    let headers: HashMap<String, String> = text
        .lines()
        .skip(1)
        .filter_map(|l| l.split_once(": "))
        .map(|(n, v)| (n.to_lowercase(), v.to_owned()))
        .collect();
    let mut body = vec![0; headers.get("content-length").and_then(|l| l.parse().ok()).unwrap_or(0)];
    stream.read_exact(&mut body)?;
    let challenge =
        head.split("hub.challenge=").nth(1).and_then(|rest| rest.split(['&', ' ']).next()).unwrap_or_default();
    let status = *status.lock().unwrap();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{challenge}",
        challenge.len()
    )?;
    got.lock().unwrap().push(Got { head, headers, body: String::from_utf8_lossy(&body).into_owned() });
    Ok(())
}

fn page(home: &Home, titles: &[&str]) {
    let posts: Vec<(String, String)> =
        titles.iter().map(|t| ((*t).to_owned(), format!("https://x.example/{t}"))).collect();
    let posts: Vec<_> = posts.iter().map(|(t, a)| (t.as_str(), a.as_str(), "Sep 24, 2026")).collect();
    write(&home.path("page.md"), topic(&posts));
}

/// A daemon with this much more of the configuration, and one post.
fn daemon(seeds: &str, publish: &str) -> (Home, Daemon) {
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n{seeds}"));
    page(&home, &["One"]);
    home.listen("", "");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let config = config.replace("directory = \"out\"\n", &format!("directory = \"out\"\n{publish}\n"));
    write(&home.path("pagewire.toml"), config);
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["One"]);
    (home, daemon)
}

fn refresh(home: &Home) {
    let run = home.run(&["refresh", "tpu"]);
    assert_eq!(run.code, 0, "{run:?}");
}

const TOPIC: &str = "http://feeds.example/topics/tpu.atom";

fn subscribe(daemon: &Daemon, mode: &str, topic: &str, callback: &str, more: &str) -> crate::serve::house::Reply {
    let encode = |s: &str| url::form_urlencoded::byte_serialize(s.as_bytes()).collect::<String>();
    let form = format!("hub.mode={mode}&hub.topic={}&hub.callback={}{more}", encode(topic), encode(callback));
    daemon.ask("POST", "/hub", &["Content-Type: application/x-www-form-urlencoded"], &form)
}

/// W3C WebSub §4 (discovery), §5 (subscribing, verification of intent), §7 and §8 (content, signature).
#[test]
fn a_subscriber_gets_what_get_gives_within_a_second() {
    let (home, daemon) = daemon("", "hub = \"self\"");
    let receiver = Receiver::start();
    for head in [daemon.get("/topics/tpu.atom", &[]), daemon.ask("HEAD", "/topics/tpu.atom", &[], "")] {
        assert_eq!(head.header("Link"), format!("<http://feeds.example/hub>; rel=\"hub\", <{TOPIC}>; rel=\"self\""));
    }
    let atom = daemon.get("/topics/tpu.atom", &[]);
    assert!(atom.text().contains("<link href=\"http://feeds.example/hub\" rel=\"hub\"/>"), "{}", atom.text());
    let reply = subscribe(&daemon, "subscribe", TOPIC, &receiver.url(), "&hub.secret=s3cret&hub.lease_seconds=600");
    assert_eq!(reply.status, 202, "{}", reply.text());
    let asked = until("the question", || receiver.got.lock().unwrap().first().cloned());
    assert!(
        asked.head.starts_with(
            "GET /cb?id=1&hub.mode=subscribe&hub.topic=http%3A%2F%2Ffeeds.example%2Ftopics%2Ftpu.atom&hub.challenge="
        ),
        "{}",
        asked.head
    );
    assert!(asked.head.contains("&hub.lease_seconds=600 "), "{}", asked.head);
    page(&home, &["Two", "One"]);
    let start = Instant::now();
    refresh(&home);
    let brought = until("the new post", || receiver.brought().first().cloned());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(brought.body, daemon.get("/topics/tpu.atom", &[]).text());
    assert!(brought.body.contains("<title>Two</title>"));
    assert_eq!(brought.headers["x-hub-signature"], signature("s3cret", brought.body.as_bytes()));
    assert_eq!(brought.headers["content-type"], "application/atom+xml; charset=utf-8");
    assert!(brought.headers["link"].contains("rel=\"hub\"") && brought.headers["link"].contains("rel=\"self\""));
    refresh(&home);
    page(&home, &["Three", "Two", "One"]);
    refresh(&home);
    until("the third", || (receiver.brought().len() == 2).then_some(()));
    assert!(receiver.brought()[1].body.contains("Three"), "nothing was sent where nothing changed");
    assert_eq!(subscribe(&daemon, "unsubscribe", TOPIC, &receiver.url(), "").status, 202);
    until("the second question", || {
        receiver.got.lock().unwrap().iter().any(|g| g.head.contains("hub.mode=unsubscribe")).then_some(())
    });
    // The answer is noted before the next page is stored.
    page(&home, &["Four", "Three", "Two", "One"]);
    refresh(&home);
    daemon.shows("/topics/tpu.atom", &["Four", "Three", "Two", "One"]);
    assert_eq!(receiver.brought().len(), 2);
}

#[test]
fn a_subscriber_that_is_down_gets_the_newest_once_and_one_that_is_gone_nothing_more() {
    let (home, daemon) = daemon("", "hub = \"self\"");
    let (receiver, other) = (Receiver::start(), Receiver::start());
    for receiver in [&receiver, &other] {
        assert_eq!(subscribe(&daemon, "subscribe", TOPIC, &receiver.url(), "").status, 202);
        until("the question", || (!receiver.got.lock().unwrap().is_empty()).then_some(()));
    }
    receiver.say(503);
    other.say(410);
    page(&home, &["Two", "One"]);
    refresh(&home);
    until("the first try", || (receiver.brought().len() == 1 && other.brought().len() == 1).then_some(()));
    page(&home, &["Three", "Two", "One"]);
    refresh(&home);
    until("another", || (receiver.brought().len() == 2).then_some(()));
    // It waits in the state, across a restart; the clock is moved instead of waited for.
    let (status, _) = daemon.end("TERM");
    assert!(status.success());
    receiver.say(200);
    let later = |home: &Home| {
        let database = rusqlite::Connection::open(home.path("state.db")).unwrap();
        let waiting = "SELECT count(*) FROM errand WHERE purpose = 2";
        let count: i64 = database.query_row(waiting, [], |r| r.get(0)).unwrap();
        database.execute("UPDATE errand SET due = 0", []).unwrap();
        count
    };
    assert_eq!(later(&home), 1, "one for the one that is down, none for the one that is gone");
    let daemon = Daemon::start(&home);
    until("the delivery", || (receiver.brought().len() == 3).then_some(()));
    let brought = receiver.brought().pop().unwrap();
    assert_eq!(brought.body, daemon.get("/topics/tpu.atom", &[]).text(), "the newest, once");
    page(&home, &["Four", "Three", "Two", "One"]);
    refresh(&home);
    until("the fourth", || (receiver.brought().len() == 4).then_some(()));
    assert_eq!(other.brought().len(), 1, "410 ended it");
}

#[test]
fn nobody_is_subscribed_who_did_not_want_it() {
    let (home, daemon) = daemon("", "hub = \"self\"");
    let liar = crate::harness::Origin::start();
    liar.say("/cb", crate::harness::Answer::ok("text/plain", "yes"));
    assert_eq!(subscribe(&daemon, "subscribe", TOPIC, &liar.url("/cb"), "").status, 202);
    until("the question", || liar.requests().first().cloned());
    page(&home, &["Two", "One"]);
    refresh(&home);
    daemon.shows("/topics/tpu.atom", &["Two", "One"]);
    assert_eq!(liar.requests().len(), 0, "it does not repeat the challenge");
    for (mode, topic, callback, more) in [
        ("publish", TOPIC, "http://127.0.0.1:1/", ""),
        ("subscribe", "http://other.example/topics/tpu.atom", "http://127.0.0.1:1/", ""),
        ("subscribe", "http://feeds.example/topics/tpu.html", "http://127.0.0.1:1/", ""),
        ("subscribe", "http://feeds.example/topics/none.atom", "http://127.0.0.1:1/", ""),
        ("subscribe", TOPIC, "file:///etc/passwd", ""),
        ("subscribe", TOPIC, "", ""),
        ("subscribe", TOPIC, "http://127.0.0.1:1/", "&hub.lease_seconds=soon"),
    ] {
        let reply = subscribe(&daemon, mode, topic, callback, more);
        assert_eq!(reply.status, 400, "{mode} {topic} {callback} {more}: {}", reply.text());
    }
    let long = format!("&hub.secret={}", "x".repeat(200));
    assert_eq!(subscribe(&daemon, "subscribe", TOPIC, "http://127.0.0.1:1/", &long).status, 400);
    assert_eq!(daemon.get("/hub", &[]).status, 405);
}

#[test]
fn private_callbacks_are_refused_as_private_pages_are() {
    let (home, daemon) = daemon("", "hub = \"self\"");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    write(&home.path("pagewire.toml"), config.replace("allow_private = true", "allow_private = false"));
    assert_eq!(home.run(&["reload"]).code, 0);
    for callback in [
        "http://127.0.0.1:9/cb",
        "http://[::1]/cb",
        "http://10.0.0.1/cb",
        "http://localhost/cb",
        "http://2130706433/cb",
    ] {
        let reply = subscribe(&daemon, "subscribe", TOPIC, callback, "");
        assert_eq!(reply.status, 400, "{callback}");
        assert!(reply.text().starts_with("hub.callback: "), "{}", reply.text());
    }
}

#[test]
fn an_outside_hub_is_told_once_the_file_is_in_place() {
    let receiver = Receiver::start();
    let (home, daemon) = daemon("", &format!("hub = \"{}\"", receiver.url()));
    page(&home, &["Two", "One"]);
    refresh(&home);
    let is_topic = |got: &Got| got.body.contains("hub.url=http%3A%2F%2Ffeeds.example%2Ftopics%2Ftpu.atom");
    until("the ping", || (receiver.brought().iter().filter(|got| is_topic(got)).count() == 2).then_some(()));
    let ping = receiver.brought().into_iter().find(is_topic).unwrap();
    assert_eq!(ping.headers["content-type"], "application/x-www-form-urlencoded");
    assert!(ping.body.starts_with("hub.mode=publish&hub.topic="), "{}", ping.body);
    assert!(
        daemon
            .get("/topics/tpu.rss", &[])
            .text()
            .contains(&format!("<atom:link href=\"{}\" rel=\"hub\"", receiver.url()))
    );
    assert!(!receiver.brought().iter().any(|got| got.body.contains("archive")));
    assert_eq!(daemon.ask("POST", "/hub", &[], "hub.mode=subscribe").status, 404, "the hub is elsewhere");
}

#[test]
fn a_hook_gets_what_changed_signed_and_again_under_the_same_id() {
    let receiver = Receiver::start();
    receiver.say(500);
    let seeds = format!("[[hook]]\nurl = \"{}\"\nsecret_file = \"secret\"\ntopics = [\"tpu\"]\n", receiver.url());
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n{seeds}"));
    write(&home.path("secret"), "k3y\n");
    page(&home, &["One"]);
    home.refresh(0);
    let first = until("the first try", || receiver.brought().first().cloned());
    let said: serde_json::Value = serde_json::from_str(&first.body).unwrap();
    assert_eq!((&said["event"], &said["topic"]["slug"]), (&"changed".into(), &"tpu".into()));
    assert_eq!(said["feeds"]["atom"], TOPIC);
    assert_eq!((&said["posts"][0]["title"], &said["posts"][0]["new"]), (&"One".into(), &true.into()));
    assert_eq!(first.headers["x-pagewire-signature"], signature("k3y", first.body.as_bytes()));
    assert_eq!(first.headers["idempotency-key"], format!("{:?}", said["id"].as_str().unwrap()));
    assert_eq!(home.entries("topics/tpu.atom").len(), 1, "publishing did not wait for it");
    receiver.say(200);
    let database = rusqlite::Connection::open(home.path("state.db")).unwrap();
    database.execute("UPDATE errand SET due = 0", []).unwrap();
    drop(database);
    home.refresh(0);
    assert_eq!(receiver.brought().len(), 2);
    assert_eq!(
        (receiver.brought()[1].body.clone(), &receiver.brought()[1].headers["idempotency-key"]),
        (first.body, &first.headers["idempotency-key"])
    );
    home.refresh(0);
    assert_eq!(receiver.brought().len(), 2, "it arrived");
}

/// Each post is told as new once, and each edit of it, whatever its dates say and however soon one follows the other.
#[test]
fn hooks_are_told_what_they_have_not_heard() {
    let hook = "[[hook]]\ncommand = \"cat >> told.jsonl; echo >> told.jsonl\"\n";
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n{hook}"));
    write(&home.path("told.jsonl"), "");
    let told = |titles: &[&str]| {
        let before = std::fs::read_to_string(home.path("told.jsonl")).unwrap().len();
        let posts: Vec<(String, String)> =
            titles.iter().map(|t| ((*t).to_owned(), format!("https://x.example/{}", &t[..1]))).collect();
        let day = |address: &str| if address.ends_with('N') { "Sep 26, 2026" } else { "Sep 24, 2026" };
        let posts: Vec<_> = posts.iter().map(|(t, a)| (t.as_str(), a.as_str(), day(a))).collect();
        write(&home.path("page.md"), topic(&posts));
        home.run(&["refresh"]);
        let told = std::fs::read_to_string(home.path("told.jsonl")).unwrap()[before..].to_owned();
        told.lines()
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|said| {
                let post = |p: &serde_json::Value| (p["title"].as_str().unwrap().to_owned(), p["new"] == true);
                said["posts"].as_array().unwrap().iter().map(post).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    let new = |title: &str| (title.to_owned(), true);
    let edited = |title: &str| (title.to_owned(), false);
    assert_eq!(told(&["A", "B"]), [[new("A"), new("B")]]);
    assert_eq!(told(&["N", "A", "B"]), [[new("N")]], "the others were told");
    assert_eq!(told(&["N", "Aa", "B"]), [[edited("Aa")]]);
    assert_eq!(told(&["N", "Aaa", "B"]), [[edited("Aaa")]]);
    assert_eq!(told(&["N", "Aaa", "B"]), [[]; 0]);
    let last = || {
        let told = std::fs::read_to_string(home.path("told.jsonl")).unwrap();
        let said: Vec<serde_json::Value> =
            told.lines().filter(|l| !l.is_empty()).map(|l| serde_json::from_str(l).unwrap()).collect();
        (said.len(), said.last().unwrap()["posts"].as_array().unwrap().len())
    };
    assert_eq!(home.run(&["forget", "B"]).code, 0);
    home.run(&["refresh"]);
    assert_eq!(last(), (5, 0), "the feed changed, and brings nothing");
    assert_eq!(home.run(&["forget", "--undo", "B"]).code, 0);
    home.run(&["refresh"]);
    assert_eq!(last(), (6, 0), "one that is back is not new");
}

#[test]
fn a_hook_can_be_a_command() {
    let home = Home::with(
        "[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n[[hook]]\ncommand = \"cat > told.json\"\n[[hook]]\ncommand = \"echo no >&2; exit 3\"\n",
    );
    page(&home, &["One"]);
    home.refresh(0);
    let told = std::fs::read_to_string(home.path("told.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap()["posts"][0]["title"], "One");
    let waiting = "SELECT count(*) FROM errand WHERE purpose = 3";
    let database = rusqlite::Connection::open(home.path("state.db")).unwrap();
    assert_eq!(
        database.query_row(waiting, [], |r| r.get::<_, i64>(0)).unwrap(),
        1,
        "the one that failed is tried again"
    );
    for (seeds, why) in [
        ("[[hook]]\nurl = \"https://x.example/\"\ncommand = \"true\"\n", "either `url` or `command`"),
        ("[[hook]]\ntopics = [\"tpu\"]\n", "either `url` or `command`"),
        ("[[hook]]\ncommand = \"true\"\ntopics = [\"tup\"]\n", "there is no topic `tup`"),
    ] {
        home.seeds(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n{seeds}"));
        let run = home.run(&["check"]);
        assert!(run.code == 78 && run.err.contains(why), "{seeds}: {run:?}");
    }
}
