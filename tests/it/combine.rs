//! Combined feeds, `[[feed]]` of the seeds: which posts they hold, and what becomes of them when the seeds change.

use crate::harness::{Answer, Daemon, Files, Home, Origin, assert_same, page, until};
use std::path::Path;

const CHIPS: &str = "feeds/chips.atom";

/// A post: its title, company, type and day of September 2026.
type Post<'a> = (&'a str, &'a str, &'a str, u32);

const A: Post<'_> = ("Alpha", "Acme", "Benchmark", 3);
const B: Post<'_> = ("Beta", "Bolt", "Benchmark", 4);
const C: Post<'_> = ("Gamma", "Acme", "Tutorial", 5);
const D: Post<'_> = ("Delta", "Core", "Benchmark", 6);

fn say(origin: &Origin, path: &str, posts: &[Post<'_>]) {
    let posts: Vec<_> = posts
        .iter()
        .map(|(title, company, kind, day)| {
            let address = format!("https://x.example/post/{}.md", title.to_lowercase().replace(' ', "-"));
            let list = format!("- Company: {company}\n- Published: Sep {day}, 2026\n- Type: {kind}");
            ((*title).to_owned(), address, list, format!("What {title} says."))
        })
        .collect();
    let posts: Vec<_> = posts.iter().map(|(t, a, l, s)| (t.as_str(), a.as_str(), l.as_str(), s.as_str())).collect();
    origin.say(path, Answer::markdown(page(&posts)));
}

/// Two topics, `tpu` with Alpha and Beta, `gpu` with Gamma and Delta.
fn world() -> Origin {
    let origin = Origin::start();
    say(&origin, "/tpu.md", &[B, A]);
    say(&origin, "/gpu.md", &[D, C]);
    origin
}

/// Seeds that follow both, and more.
fn seeds(origin: &Origin, more: &str) -> String {
    let topic =
        |slug: &str| format!("[[topic]]\nslug = \"{slug}\"\npages = [\"{}\"]\n", origin.url(&format!("/{slug}.md")));
    topic("tpu") + &topic("gpu") + more
}

/// A combined feed that chooses so.
fn chips(keys: &str) -> String {
    format!("[[feed]]\nslug = \"chips\"\ntitle = \"Chips\"\n{keys}\n")
}

fn titles(home: &Home, feed: &str) -> Vec<String> {
    home.entries(feed).into_iter().map(|e| e.title).collect()
}

/// The files that no combined feed is in.
fn others(home: &Home) -> Files {
    let lists = ["index.html", "feeds.opml"];
    let is_other = |path: &Path| !path.starts_with("feeds") && lists.iter().all(|list| path != Path::new(list));
    home.files().into_iter().filter(|(path, _)| is_other(path)).collect()
}

#[test]
fn a_combined_feed_holds_what_is_in_any_topic_and_any_company_and_any_type() {
    let origin = world();
    for (keys, expected) in [
        ("", &["Delta", "Gamma", "Beta", "Alpha"][..]),
        ("topics = [\"tpu\"]", &["Beta", "Alpha"]),
        ("topics = [\"tpu\", \"gpu\"]\ntypes = [\"benchmark\"]", &["Delta", "Beta", "Alpha"]),
        ("companies = [\"acme\", \"core\"]", &["Delta", "Gamma", "Alpha"]),
        ("topics = [\"gpu\"]\ncompanies = [\"acme\", \"bolt\"]\ntypes = [\"tutorial\", \"benchmark\"]", &["Gamma"]),
        ("types = [\"benchmark\"]\ninclude = \"Acme|Bolt\"\nexclude = { title = \"Beta\" }", &["Alpha"]),
        ("companies = [\"nobody\"]", &[]),
    ] {
        let home = Home::with(&seeds(&origin, &chips(keys)));
        home.refresh(0);
        assert_eq!(titles(&home, CHIPS), expected, "{keys}");
        let feed = home.feed(CHIPS);
        assert_eq!(feed.title.value, "Chips");
        for ending in ["rss", "json", "html"] {
            assert!(home.path("out").join(format!("feeds/chips.{ending}")).exists(), "{ending}");
        }
        // A second look finds nothing to do.
        let before = home.files();
        home.refresh(0);
        assert_same(&home.files(), &before);
    }
}

#[test]
fn lists_have_combined_feeds_in_a_group_of_their_own() {
    let origin = world();
    let home = Home::with(&seeds(&origin, &chips("topics = [\"tpu\"]")));
    home.refresh(0);
    let read = |name: &str| std::fs::read_to_string(home.path("out").join(name)).unwrap();
    let opml = read("feeds.opml");
    let group = opml.split("<outline text=\"Combined\">").nth(1).unwrap().split("</outline>").next().unwrap();
    assert!(
        group.contains("xmlUrl=\"http://feeds.example/feeds/chips.atom\"") && group.contains("text=\"Chips\""),
        "{opml}"
    );
    let index = read("index.html");
    let group = index.split("id=\"combined\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(group.contains("feeds/chips.html") && group.contains("2 posts"), "{index}");
}

#[test]
fn switched_on_later_it_is_filled_as_if_it_had_always_been_there_and_nothing_else_moves() {
    let origin = world();
    let choice = chips("topics = [\"tpu\", \"gpu\"]\ntypes = [\"benchmark\"]");
    let always = Home::with(&seeds(&origin, &choice));
    always.refresh(0);
    let home = Home::with(&seeds(&origin, ""));
    home.refresh(0);
    let before = others(&home);
    home.seeds(&seeds(&origin, &choice));
    let run = home.refresh(0);
    assert!(run.out.contains("2 pages: 2 unchanged; 0 new posts"), "{}", run.out);
    assert_eq!(home.entries(CHIPS), always.entries(CHIPS));
    assert_same(&others(&home), &before);
}

#[test]
fn a_changed_choice_takes_in_what_fits_now_and_lets_go_of_what_does_not() {
    let origin = world();
    let home = Home::with(&seeds(&origin, &chips("types = [\"benchmark\"]")));
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Delta", "Beta", "Alpha"]);
    let (before, entries) = (others(&home), home.entries(CHIPS));
    home.seeds(&seeds(&origin, &chips("companies = [\"acme\", \"bolt\"]\nexclude = { title = \"Beta\" }")));
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Gamma", "Alpha"]);
    assert_eq!(home.entries(CHIPS)[1], entries[2], "Alpha stays as it was");
    assert_same(&others(&home), &before);
    // And back again, also for those that left.
    home.seeds(&seeds(&origin, &chips("types = [\"benchmark\"]")));
    home.refresh(0);
    assert_eq!(home.entries(CHIPS), entries);
    assert_same(&others(&home), &before);
}

#[test]
fn posts_enter_as_they_enter_every_other_feed() {
    let origin = world();
    let home =
        Home::with(&seeds(&origin, &chips("topics = [\"tpu\"]\ncompanies = [\"acme\", \"newco\"]\ninclude = \"x\"")));
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), [""; 0]);
    // A new post of a company that nobody knew.
    let new = ("Epsilon x", "Newco", "Benchmark", 7);
    say(&origin, "/tpu.md", &[new, B, A]);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Epsilon x"]);
    // An edit after which the filter takes it.
    say(&origin, "/tpu.md", &[new, B, ("Alpha", "Acme", "Benchmark x", 3)]);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Epsilon x", "Alpha"]);
    // One that is known, when another topic has it too.
    say(&origin, "/gpu.md", &[D, ("Gamma", "Acme", "Tutorial x", 5)]);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Epsilon x", "Alpha"], "it is not in tpu");
    say(&origin, "/tpu.md", &[new, ("Gamma", "Acme", "Tutorial x", 5), B, ("Alpha", "Acme", "Benchmark x", 3)]);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Epsilon x", "Gamma", "Alpha"]);
    // What a later edit makes unfit stays, as everywhere: absence never deletes.
    say(&origin, "/tpu.md", &[new, ("Gamma", "Acme", "Tutorial", 5), B, ("Alpha", "Acme", "Benchmark x", 3)]);
    say(&origin, "/gpu.md", &[D, ("Gamma", "Acme", "Tutorial", 5)]);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Epsilon x", "Gamma", "Alpha"]);
}

#[test]
fn gone_from_the_seeds_it_stays_as_it_is_and_back_in_them_it_has_what_it_missed() {
    let origin = world();
    let choice = seeds(&origin, &chips("topics = [\"tpu\"]"));
    let home = Home::with(&choice);
    home.refresh(0);
    let before = home.files();
    home.seeds(&seeds(&origin, ""));
    home.refresh(0);
    assert_same(&home.files(), &before);
    say(&origin, "/tpu.md", &[("Epsilon", "Acme", "Benchmark", 7), B, A]);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Beta", "Alpha"]);
    home.seeds(&choice);
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Epsilon", "Beta", "Alpha"]);
}

#[test]
fn a_dropped_one_takes_its_files_and_no_post() {
    let origin = world();
    let home = Home::with(&seeds(&origin, &chips("topics = [\"tpu\"]")));
    home.refresh(0);
    let run = home.run(&["drop", "feed:chips"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(run.err.contains("still in the seeds"), "{}", run.err);
    let before = others(&home);
    home.seeds(&seeds(&origin, ""));
    home.refresh(0);
    assert_eq!(home.run(&["drop", "feed:chips"]).code, 0);
    assert!(!home.path("out/feeds/chips.atom").exists() && !home.path("out/feeds/chips.html").exists());
    assert_same(&others(&home), &before);
    assert_eq!(home.run(&["drop", "feed:chips"]).code, 2, "there is none any more");
    let opml = std::fs::read_to_string(home.path("out/feeds.opml")).unwrap();
    assert!(!opml.contains("Combined"), "{opml}");
}

#[test]
fn a_forgotten_post_leaves_it_and_a_dropped_topic_takes_its_posts_along() {
    let origin = world();
    let home = Home::with(&seeds(&origin, &chips("types = [\"benchmark\"]")));
    home.refresh(0);
    assert_eq!(home.run(&["forget", "Beta"]).code, 0);
    assert_eq!(titles(&home, CHIPS), ["Delta", "Alpha"]);
    // The choice changes while it is forgotten, and changes back.
    home.seeds(&seeds(&origin, &chips("types = [\"tutorial\"]")));
    home.refresh(0);
    home.seeds(&seeds(&origin, &chips("types = [\"benchmark\"]")));
    home.refresh(0);
    assert_eq!(titles(&home, CHIPS), ["Delta", "Alpha"]);
    assert_eq!(home.run(&["forget", "--undo", "Beta"]).code, 0);
    assert_eq!(titles(&home, CHIPS), ["Delta", "Beta", "Alpha"]);
    let gpu = format!("[[topic]]\nslug = \"gpu\"\npages = [\"{}\"]\n", origin.url("/gpu.md"));
    home.seeds(&(gpu + &chips("types = [\"benchmark\"]")));
    home.refresh(0);
    assert_eq!(home.run(&["drop", "tpu"]).code, 0);
    assert_eq!(titles(&home, CHIPS), ["Delta"]);
}

#[test]
fn a_renamed_one_keeps_its_id_and_takes_its_posts_along() {
    let origin = world();
    let home = Home::with(&seeds(&origin, &chips("topics = [\"tpu\"]")));
    home.refresh(0);
    let (id, entries) = (home.feed(CHIPS).id, home.entries(CHIPS));
    let renamed = chips("topics = [\"tpu\"]\nformer = [\"chips\"]").replace("slug = \"chips\"", "slug = \"silicon\"");
    home.seeds(&seeds(&origin, &renamed));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    assert_eq!((home.feed("feeds/silicon.atom").id, home.entries("feeds/silicon.atom")), (id, entries));
    assert!(!home.path("out").join(CHIPS).exists());
    let reply = daemon.get("/feeds/chips.atom", &[]);
    assert_eq!(reply.status, 301);
    assert!(reply.header("location").ends_with("/feeds/silicon.atom"), "{reply:?}");
}

/// Whether a company is there only pages say, so a name that means nothing yet is no fault; whoever wonders is told.
#[test]
fn a_company_that_nobody_names_is_found_by_the_doctor() {
    let origin = world();
    let home = Home::with(&seeds(&origin, &chips("companies = [\"acmee\", \"bolt\"]\ntypes = [\"zebra\"]")));
    home.refresh(0);
    let told = home.run(&["doctor", "--json"]).out;
    let all: serde_json::Value = serde_json::from_str(&told).unwrap();
    let of = |f: &serde_json::Value| format!("{} {} {}", f["verdict"], f["found"], f["remedy"]).replace('"', "");
    let found: Vec<String> = all.as_array().unwrap().iter().filter(|f| f["check"] == "feeds").map(of).collect();
    assert_eq!(
        found,
        [
            "odd [[feed]] `chips` names the company `acmee`, which no page has named did you mean `acme`?",
            "odd [[feed]] `chips` names the type `zebra`, which no page has named its posts enter once a page names such a type",
        ]
    );
}

#[test]
fn it_has_archives_as_the_others_have() {
    let posts: Vec<_> = (1..=130)
        .map(|n| {
            let day = chrono::NaiveDate::from_ymd_opt(2025, 1, 1).unwrap() + chrono::Days::new(n);
            (format!("Post {n} {}", n * 7_919), format!("https://x.example/{n}"), format!("- Published: {day}"))
        })
        .rev()
        .collect();
    let posts: Vec<_> = posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str(), "")).collect();
    let home = Home::with("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n");
    std::fs::write(home.path("page.md"), page(&posts)).unwrap();
    home.refresh(0);
    home.seeds(&("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n".to_owned() + &chips("topics = [\"tpu\"]")));
    home.refresh(0);
    for archive in ["archive/1.atom", "archive/2.atom"] {
        let of = |feed: &str| titles(&home, &format!("{feed}/{archive}"));
        assert_eq!(of("feeds/chips"), of("topics/tpu"), "{archive}");
    }
    assert_eq!(home.entries("feeds/chips/archive/1.atom").len(), 100);
}

#[test]
fn it_is_served_as_the_others_are() {
    let origin = world();
    let home = Home::with(&seeds(&origin, ""));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["Beta", "Alpha"]);
    daemon.shows("/topics/gpu.atom", &["Delta", "Gamma"]);
    assert_eq!(daemon.get("/feeds/chips.atom", &[]).status, 404);
    home.seeds(&seeds(&origin, &chips("topics = [\"tpu\"]\ncompanies = [\"bolt\", \"newco\"]")));
    let run = home.run(&["reload"]);
    assert_eq!(run.code, 0, "{run:#?}");
    daemon.shows("/feeds/chips.atom", &["Beta"]);
    let tag = daemon.get("/feeds/chips.atom", &[]).header("etag").to_owned();
    assert_eq!(daemon.get("/feeds/chips.atom", &[&format!("If-None-Match: {tag}")]).status, 304);
    origin.requests();
    say(&origin, "/tpu.md", &[("Epsilon", "Newco", "Benchmark", 7), B, A]);
    let run = home.run(&["refresh", "feed:chips"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let asked: Vec<String> = origin.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, ["/tpu.md"], "the pages of its topics");
    assert_eq!(daemon.titles("/feeds/chips.atom"), ["Epsilon", "Beta"]);
    assert_eq!(home.run(&["refresh", "feed:chisp"]).code, 2);
}

/// Known is published once: until then a feed reader is told to come again, and not that there is nothing.
#[test]
fn before_anything_was_read_it_says_come_again() {
    let origin = world();
    origin.say("/tpu.md", Answer::status(500));
    origin.say("/gpu.md", Answer::status(500));
    let home = Home::with(&seeds(&origin, &chips("topics = [\"tpu\"]\nexclude = \".\"")));
    home.listen("", "");
    let daemon = Daemon::start(&home);
    until("the failures", || (daemon.page(1)["state"] == "failing").then_some(()));
    let reply = daemon.get("/feeds/chips.atom", &[]);
    assert!(reply.status == 503 && !reply.header("retry-after").is_empty(), "{reply:?}");
    say(&origin, "/tpu.md", &[A]);
    home.run(&["refresh", "tpu"]);
    until("an empty feed", || (daemon.get("/feeds/chips.atom", &[]).status == 200).then_some(()));
    assert_eq!(titles(&home, CHIPS), [""; 0]);
}
