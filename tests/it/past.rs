//! The past as people ask for it and change it: `why`, `diff`, `forget`, `pause`, `resume`, `drop`.

use crate::harness::{Answer, Daemon, Home, Origin, Run, assert_same, page, topic, until};
use serde_json::Value;

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const B: (&str, &str, &str) = ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026");
const C: (&str, &str, &str) = ("Gamma", "https://x.example/post/gamma.md", "Sep 4, 2026");

fn follow(body: &str) -> (Origin, Home) {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(body));
    let home = Home::of(&origin.url("/tpu.md"));
    (origin, home)
}

fn say(origin: &Origin, posts: &[(&str, &str, &str)]) {
    origin.say("/tpu.md", Answer::markdown(topic(posts)));
}

fn titles(home: &Home, feed: &str) -> Vec<String> {
    home.entries(feed).into_iter().map(|e| e.title).collect()
}

/// What was done to a post, by the journal: deed and detail.
fn deeds(home: &Home, post: &str) -> Vec<(String, String)> {
    let run = home.run(&["why", "--json", post]);
    assert_eq!(run.code, 0, "{run:#?}");
    let told: Value = serde_json::from_str(&run.out).unwrap();
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    told["acts"].as_array().unwrap().iter().map(|a| (text(&a["what"]), text(&a["detail"]))).collect()
}

fn words(deeds: &[(String, String)]) -> Vec<&str> {
    deeds.iter().map(|(what, _)| what.as_str()).collect()
}

#[test]
fn the_journal_tells_a_posts_life_and_by_which_document() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    say(&origin, &[("Alpha, second edition", A.1, A.2), B]);
    home.refresh(0);
    // Its address changes, and nothing else: a rename.
    say(&origin, &[("Alpha, second edition", "https://x.example/post/alpha-2.md", A.2), B]);
    home.refresh(0);
    say(&origin, &[B]);
    home.refresh(0);
    say(&origin, &[("Alpha, second edition", "https://x.example/post/alpha-2.md", A.2), B]);
    home.refresh(0);
    let deeds = deeds(&home, "second edition");
    assert_eq!(words(&deeds), ["added", "edited", "renamed", "delisted", "returned"], "{deeds:?}");
    assert!(deeds[1].1.contains("title was `Alpha`"), "{deeds:?}");
    assert!(deeds[2].1.contains("link was `https://x.example/post/alpha.md`"), "{deeds:?}");

    let page = origin.url("/tpu.md");
    let run = home.run(&["why", "--json", "https://x.example/post/alpha"]);
    let told: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(told["post"]["id"], "https://x.example/post/alpha");
    assert_eq!(told["post"]["state"], "listed");
    assert_eq!(told["post"]["pages"], serde_json::json!([page]));
    assert_eq!(told["acts"][0]["document"]["address"], page.as_str());
    assert_eq!(told["acts"][0]["document"]["bytes"], topic(&[A, B]).len());
    let people = home.run(&["why", "second edition"]).out;
    assert!(people.contains("added") && people.contains("title was `Alpha`"), "{people}");
}

#[test]
fn a_name_must_mean_one_post() {
    let (_origin, home) = follow(&topic(&[("One of two", A.1, A.2), ("Two of two", B.1, B.2)]));
    home.refresh(0);
    let Run { code, err, .. } = home.run(&["why", "of two"]);
    assert_eq!(code, 2);
    assert!(err.contains("2 posts fit") && err.contains("https://x.example/post/beta"), "{err}");
    let Run { code, err, .. } = home.run(&["why", "no such thing"]);
    assert_eq!(code, 2);
    assert!(err.contains("no post has"), "{err}");
    // A title that is the name wholly is meant before those that hold it.
    assert_eq!(home.run(&["why", "one of TWO"]).code, 0);
}

#[test]
fn diff_shows_a_topics_last_changes_newest_first() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    say(&origin, &[C, A, B]);
    home.refresh(0);
    home.refresh(0);
    let run = home.run(&["diff", "tpu", "--json"]);
    let told: Value = serde_json::from_str(&run.out).unwrap();
    let acts = told["acts"].as_array().unwrap();
    assert_eq!(acts.len(), 2, "{told:#}");
    assert_eq!(acts[0]["posts"][0]["title"], "Gamma");
    assert_eq!(acts[1]["posts"].as_array().unwrap().len(), 2);
    let one = home.run(&["diff", "tpu", "-n", "1"]).out;
    assert!(one.contains("Gamma") && !one.contains("Alpha"), "{one}");
    assert_eq!(home.run(&["diff", "gpu"]).code, 2);
}

#[test]
fn a_post_that_is_held_can_be_asked_for() {
    let old: Vec<_> = (1..=12).map(|d| (format!("Old {d}"), format!("https://x.example/post/{d}.md"))).collect();
    let page = |dir: &str| {
        let posts: Vec<_> = old
            .iter()
            .enumerate()
            .map(|(i, (title, address))| {
                (format!("{title} {dir}"), address.replace("post", dir), format!("Sep {}, 2026", i + 1))
            })
            .collect();
        let posts: Vec<_> = posts.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
        topic(&posts)
    };
    let (origin, home) = follow(&page("post"));
    home.refresh(0);
    // Other addresses, titles and texts, old dates: nothing shows that these are the same posts.
    origin.say("/tpu.md", Answer::markdown(page("moved")));
    assert_eq!(home.refresh(1).out.lines().next().map(|l| l.starts_with("held")), Some(true));
    let deeds_of_one = deeds(&home, "Old 7 moved");
    assert_eq!(words(&deeds_of_one), ["held"]);
    assert!(deeds_of_one[0].1.contains("https://x.example/moved/7.md"), "{deeds_of_one:?}");
    assert_eq!(home.run(&["refresh", "tpu", "--accept"]).code, 0);
    assert_eq!(words(&deeds(&home, "Old 7 moved")), ["added"]);
    assert!(home.run(&["diff", "tpu"]).out.contains("by somebody's word"));
}

#[test]
fn a_forgotten_post_is_in_no_feed_and_never_comes_back_by_itself() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let before = home.entries("topics/tpu.atom");
    assert_eq!(home.run(&["forget", "alpha"]).code, 0);
    for feed in ["topics/tpu.atom", "companies/acme.atom", "types/explainer.atom", "all.atom"] {
        assert_eq!(titles(&home, feed), ["Beta"], "{feed}");
    }
    // The page goes on listing it, edits it, moves it, and is read anew under other settings.
    say(&origin, &[("Alpha!", A.1, A.2), B]);
    home.refresh(0);
    say(&origin, &[("Alpha!", "https://x.example/post/alpha-3.md", A.2), B]);
    home.refresh(0);
    home.seeds(&format!("[[topic]]\nslug = \"tpu\"\nlink = \"html\"\npages = [\"{}\"]\n", origin.url("/tpu.md")));
    home.refresh(0);
    home.run(&["refresh", "--force"]);
    assert_eq!(titles(&home, "topics/tpu.atom"), ["Beta"]);

    let undone = home.run(&["forget", "--undo", "Alpha!"]);
    assert_eq!(undone.code, 0, "{undone:#?}");
    let after = home.entries("topics/tpu.atom");
    assert_eq!(after.iter().map(|e| e.title.as_str()).collect::<Vec<_>>(), ["Alpha!", "Beta"]);
    assert_eq!((&after[0].id, &after[0].published), (&before[0].id, &before[0].published));
    assert!(home.run(&["forget", "--undo", "Alpha!"]).out.contains("was not forgotten"));
}

#[test]
fn forgetting_moves_the_feeds_own_time_and_no_other_post() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let (feed, entries) = (home.feed("topics/tpu.atom"), home.entries("topics/tpu.atom"));
    home.run(&["forget", "Alpha"]);
    assert!(home.feed("topics/tpu.atom").updated > feed.updated, "readers would keep the post");
    assert_eq!(home.entries("topics/tpu.atom"), entries[1..]);
}

#[test]
fn a_paused_page_is_not_asked_and_its_feeds_stay() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    assert_eq!(home.run(&["pause", "tpu"]).code, 0);
    let (asked, before) = (origin.count("/tpu.md"), home.files());
    assert_eq!(home.report(&[])["outcome"], "skipped");
    assert_eq!(home.report(&["tpu"])["until"], Value::Null);
    assert_eq!((origin.count("/tpu.md"), home.report(&[])["outcome"].as_str()), (asked, Some("skipped")));
    assert_same(&home.files(), &before);
    let status: Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    assert_eq!(status["pages"][0]["state"], "paused");
    assert_eq!(status["pages"][0]["next_due"], Value::Null);
    assert_eq!(home.run(&["resume", "tpu"]).code, 0);
    assert_eq!(home.report(&[])["outcome"], "unchanged");
    assert_eq!(home.run(&["pause", "gpu"]).code, 2);
}

#[test]
fn resume_revives_a_page_that_ended() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    origin.say("/tpu.md", Answer::status(410));
    home.refresh(1);
    say(&origin, &[C, A, B]);
    assert_eq!(home.report(&[])["outcome"], "skipped");
    home.run(&["resume", "tpu"]);
    assert_eq!(home.report(&[])["added"], 1);
}

#[test]
fn a_topic_in_the_seeds_is_not_dropped() {
    let (_origin, home) = follow(&topic(&[A, B]));
    home.refresh(0);
    let run = home.run(&["drop", "tpu"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("still in the seeds"), "{}", run.err);
}

#[test]
fn a_dropped_topic_takes_its_files_and_its_own_posts_and_following_it_again_keeps_ids_and_dates() {
    let (origin, home) = follow(&topic(&[A, B]));
    origin.say("/gpu.md", Answer::markdown(topic(&[B, C])));
    let both = format!(
        "[[topic]]\nslug = \"tpu\"\npages = [\"{}\"]\n[[topic]]\nslug = \"gpu\"\npages = [\"{}\"]\n",
        origin.url("/tpu.md"),
        origin.url("/gpu.md")
    );
    home.seeds(&both);
    home.refresh(0);
    let before = home.entries("topics/tpu.atom");
    home.seeds(&format!("[[topic]]\nslug = \"gpu\"\npages = [\"{}\"]\n", origin.url("/gpu.md")));
    home.refresh(0);
    assert_eq!(titles(&home, "topics/tpu.atom"), ["Alpha", "Beta"], "a topic gone from the seeds keeps its feeds");
    assert_eq!(home.run(&["drop", "tpu"]).code, 0);
    for ending in ["atom", "rss", "json", "html"] {
        assert!(!home.path("out/topics").join(format!("tpu.{ending}")).exists(), "{ending}");
    }
    assert_eq!(titles(&home, "all.atom"), ["Gamma", "Beta"], "Beta is in another topic");
    assert_eq!(titles(&home, "topics/gpu.atom"), ["Gamma", "Beta"]);
    assert_eq!(home.run(&["drop", "tpu"]).code, 2);
    home.seeds(&both);
    home.refresh(0);
    assert_eq!(home.entries("topics/tpu.atom"), before);
    assert_eq!(titles(&home, "all.atom"), ["Gamma", "Alpha", "Beta"]);
}

/// The dropped topic's place in the state is the next one's: what was in it must not be in that.
#[test]
fn a_forgotten_post_of_a_dropped_topic_comes_back_into_no_other() {
    // No company and no type, whose feeds would have the last numbers.
    let alpha = page(&[("Alpha", "https://x.example/post/alpha", "- Published: Sep 3, 2026", "Some words.")]);
    let (origin, home) = follow(&alpha);
    home.refresh(0);
    assert_eq!(home.run(&["forget", "Alpha"]).code, 0);
    home.seeds("");
    assert_eq!(home.run(&["drop", "tpu"]).code, 0);
    origin.say("/gpu.md", Answer::markdown(topic(&[C])));
    home.seeds(&format!("[[topic]]\nslug = \"gpu\"\npages = [\"{}\"]\n", origin.url("/gpu.md")));
    home.refresh(0);
    assert_eq!(home.run(&["forget", "Alpha", "--undo"]).code, 0);
    home.refresh(0);
    assert_eq!(titles(&home, "topics/gpu.atom"), ["Gamma"]);
    assert_eq!(titles(&home, "all.atom"), ["Gamma", "Alpha"]);
}

#[test]
fn a_running_daemon_does_what_is_asked_and_serves_it_at_once() {
    let (origin, home) = follow(&topic(&[A, B]));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["Alpha", "Beta"]);
    assert_eq!(words(&deeds(&home, "Alpha")), ["added"]);
    assert_eq!(home.run(&["forget", "Alpha"]).code, 0);
    assert_eq!(daemon.titles("/topics/tpu.atom"), ["Beta"]);
    assert_eq!(home.run(&["pause", "tpu"]).code, 0);
    assert_eq!(daemon.page(0)["state"], "paused");
    say(&origin, &[C, A, B]);
    assert_eq!(home.run(&["resume", "tpu"]).code, 0);
    until("the resumed page to be asked", || (daemon.titles("/topics/tpu.atom") == ["Gamma", "Beta"]).then_some(()));
    assert_eq!(home.run(&["why", "nothing of this name"]).code, 2);
    assert_eq!(home.run(&["drop", "tpu"]).code, 1);
    // Over TCP there is no such address.
    assert_eq!(daemon.ask("POST", "/api/task", &["Content-Type: application/json"], "{}").status, 404);
}
