//! Waiting in the daemon: a post is published after its own page, or without it in time, and whatever ends us, once.

use super::{ALPHA, BETA, TPU, article, follow, list, seeds, state, summary};
use crate::daemon::EVERY_SECOND;
use crate::harness::{Answer, Daemon, Home, Origin, until};
use std::time::Duration;

const ORIGINAL: &str = "link = \"original\"\nschedule = \"every 1s\"";

fn daemon(home: &Home) -> Daemon {
    home.listen("", EVERY_SECOND);
    Daemon::start(home)
}

/// What the entries of a served feed open.
fn links(daemon: &Daemon) -> Vec<String> {
    let feed = atom_syndication::Feed::read_from(&daemon.get("/topics/tpu.atom", &[]).body[..]).unwrap();
    feed.entries.iter().map(|e| e.links.iter().find(|l| l.rel == "alternate").unwrap().href.clone()).collect()
}

#[test]
fn a_new_post_waits_for_its_own_page() {
    let (origin, home) = follow(&[BETA], ORIGINAL);
    let daemon = daemon(&home);
    daemon.shows("/topics/tpu.atom", &["Beta follows"]);
    assert_eq!(links(&daemon), [article("beta")]);
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha").after(Duration::from_secs(2)));
    list(&origin, &[ALPHA, BETA]);
    until("the request", || (origin.count("/post/alpha.md") == 1).then_some(()));
    let listed = || (origin.count("/tpu.md") > 3).then_some(());
    origin.requests();
    until("some more readings", || daemon.page(0)["posts"].as_u64().filter(|posts| *posts == 2).and(listed()));
    daemon.shows("/topics/tpu.atom", &["Alpha wins", "Beta follows"]);
    assert_eq!(links(&daemon), [article("alpha"), article("beta")], "it was never there with another link");
    assert_eq!(origin.count("/post/alpha.md"), 0, "asked once");
}

#[test]
fn a_feed_that_has_no_post_yet_is_not_there_rather_than_empty() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha").after(Duration::from_secs(3)));
    let daemon = daemon(&home);
    until("the reading", || (daemon.page(0)["posts"] == 1).then_some(()));
    let reply = daemon.get("/topics/tpu.atom", &[]);
    assert!(reply.status == 503 || !daemon.titles("/topics/tpu.atom").is_empty(), "{}", reply.status);
    daemon.shows("/topics/tpu.atom", &["Alpha wins"]);
}

#[test]
fn a_kill_while_posts_wait_loses_and_doubles_nothing() {
    let (origin, home) = follow(&[ALPHA, BETA], ORIGINAL);
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha").after(Duration::from_mins(1)));
    origin.say("/post/beta.md", summary("Beta follows", "beta").after(Duration::from_mins(1)));
    let running = daemon(&home);
    until("both requests", || (origin.count("/post/alpha.md") + origin.count("/post/beta.md") == 2).then_some(()));
    running.end("KILL");
    // Nobody is asked in a hurry, and nothing is published before its time.
    origin.requests();
    let running = Daemon::start(&home);
    until("a reading", || (origin.count("/tpu.md") > 1).then_some(()));
    assert_eq!(origin.count("/post/alpha.md"), 0);
    assert_eq!(running.get("/topics/tpu.atom", &[]).status, 503);
    running.end("KILL");
    // The next try is due, and one of the two waits no longer.
    assert_eq!(state(&home, "UPDATE own SET due = 0, asked = 0"), 2);
    state(&home, "UPDATE own SET until = 1 WHERE entry = (SELECT id FROM entry WHERE title = 'Beta follows')");
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha"));
    let running = Daemon::start(&home);
    running.shows("/topics/tpu.atom", &["Alpha wins", "Beta follows"]);
    assert_eq!(links(&running), [article("alpha"), origin.url("/post/beta.md")]);
    let id = |path: &str| format!("https://{}", origin.url(path).trim_start_matches("http://"));
    let ids: Vec<String> = home.entries(TPU).into_iter().map(|e| e.id).collect();
    assert_eq!(ids, [id("/post/alpha"), id("/post/beta")]);
}

#[test]
fn after_the_second_failure_a_post_waits_no_longer_and_is_filled_later() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", Answer::status(500));
    let running = daemon(&home);
    until("the first try", || (running.log().contains("http-500")).then_some(()));
    assert_eq!(running.get("/topics/tpu.atom", &[]).status, 503, "one failure is not enough");
    running.end("TERM");
    assert_eq!(state(&home, "UPDATE own SET due = 0 WHERE due IS NOT NULL"), 1, "two minutes");
    let running = Daemon::start(&home);
    running.shows("/topics/tpu.atom", &["Alpha wins"]);
    assert_eq!((origin.count("/post/alpha.md"), links(&running)), (2, vec![origin.url("/post/alpha.md")]));
    let dates = |home: &Home| home.entries(TPU).into_iter().map(|e| (e.published, e.updated)).collect::<Vec<_>>();
    let before = dates(&home);
    running.end("TERM");
    assert_eq!(state(&home, "UPDATE own SET due = 0 WHERE due IS NOT NULL"), 1, "an hour");
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha"));
    let running = Daemon::start(&home);
    until("the article", || (links(&running) == [article("alpha")]).then_some(()));
    assert_eq!(dates(&home), before);
}

#[test]
fn a_setting_that_goes_lets_what_waits_go() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    origin.say("/post/alpha.md", summary("Alpha wins", "alpha").after(Duration::from_mins(1)));
    let running = daemon(&home);
    until("the request", || (origin.count("/post/alpha.md") == 1).then_some(()));
    seeds(&home, &origin, "schedule = \"every 1s\"");
    assert_eq!(home.run(&["reload"]).code, 0);
    running.shows("/topics/tpu.atom", &["Alpha wins"]);
    assert_eq!(links(&running), [origin.url("/post/alpha.md")]);
}

/// Own pages are requests like others: so many at once of a host, and a pause between the starts of two.
#[test]
fn own_pages_keep_the_pace_of_their_host() {
    let (origin, home) = follow(&[ALPHA, BETA, super::GAMMA], "link = \"original\"");
    home.listen("", "");
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let slow = config.replace("concurrency = 8, pause = \"0s\"", "concurrency = 1, pause = \"1s\"");
    crate::harness::write(&home.path("pagewire.toml"), slow);
    let running = Daemon::start(&home);
    running.shows("/topics/tpu.atom", &["Alpha wins", "Beta follows", "Gamma last"]);
    let requests = origin.requests();
    let times: Vec<_> = requests.iter().map(|r| r.at).collect();
    assert_eq!(times.len(), 4);
    // Half of the pause: a request that comes late makes the next gap seem shorter.
    let gap = Duration::from_millis(500);
    assert!(times.windows(2).all(|two| two[1] - two[0] >= gap), "{requests:?}");
    assert_eq!(Origin::most_at_once(&origin), 1);
}
