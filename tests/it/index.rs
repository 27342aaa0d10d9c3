//! Pages that list topic pages, `[[index]]`: what they list is proposed once, and enters no feed.

use crate::harness::{Answer, Daemon, Home, Origin, until};
use serde_json::Value;

/// An index in Markdown, with links given by title and path.
fn list(origin: &Origin, links: &[(&str, &str)]) -> String {
    let links: String =
        links.iter().map(|(title, path)| format!("- [{title}]({}): about it\n", origin.url(path))).collect();
    format!("# Topics\n\n> All that we write about.\n\n## Topics\n\n{links}")
}

/// An index and a page that is followed, with more keys of the index.
fn seeds(origin: &Origin, keys: &str) -> String {
    let (index, tpu) = (origin.url("/llms.txt"), origin.url("/tpu.md"));
    format!("[[index]]\nurl = \"{index}\"\n{keys}\n[[topic]]\nslug = \"tpu\"\npages = [\"{tpu}\"]\n")
}

fn world(keys: &str) -> (Origin, Home) {
    let origin = Origin::start();
    let home = Home::with(&seeds(&origin, keys));
    origin.say("/tpu.md", Answer::markdown(crate::harness::topic(&[("Alpha", "https://x.example/a", "Sep 3, 2026")])));
    let links = [
        ("TPU", "/tpu.md"),
        ("GPU", "/gpu.md"),
        ("Tea", "/tea.md"),
        ("About us", "/about.md"),
        ("Team", "/about/team"),
    ];
    origin.say("/llms.txt", Answer::ok("text/plain", list(&origin, &links)));
    (origin, home)
}

/// What the index proposed, newest first.
fn proposed(origin: &Origin, home: &Home) -> Vec<String> {
    let run = home.run(&["diff", &origin.url("/llms.txt"), "--json"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let told: Value = serde_json::from_str(&run.out).unwrap();
    let acts = told["acts"].as_array().unwrap().iter().filter(|act| act["what"] == "proposed");
    acts.map(|act| act["detail"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_an_index_lists_is_proposed_once_and_enters_no_feed() {
    let (origin, home) = world("exclude = \"/about\"");
    let run = home.refresh(0);
    assert!(run.out.contains(&format!("changed    {}  2 proposed\n", origin.url("/llms.txt"))), "{}", run.out);
    assert!(run.out.contains("; 1 new post\n"), "{}", run.out);
    let url = |path: &str| origin.url(path);
    let first = format!("`GPU` at {}; `Tea` at {}; `pagewire add ADDRESS` follows one", url("/gpu.md"), url("/tea.md"));
    assert_eq!(
        proposed(&origin, &home),
        std::slice::from_ref(&first),
        "what is followed is not proposed, nor what is excluded"
    );
    let titles: Vec<_> = home.entries("all.atom").into_iter().map(|entry| entry.title).collect();
    assert_eq!(titles, ["Alpha"]);
    home.refresh(0);
    assert_eq!(proposed(&origin, &home).len(), 1);
    let status = home.run(&["status"]).out;
    assert!(status.contains("ok       (index) "), "{status}");

    let links =
        [("Tea", "/tea.html"), ("Kilns", "/kilns.md"), ("GPU", "/gpu.md"), ("T", "/tpu.md"), ("Us", "/about.md")];
    origin.say("/llms.txt", Answer::ok("text/plain", list(&origin, &links)));
    let before = home.files();
    home.refresh(0);
    let new = format!("`Kilns` at {}; `pagewire add ADDRESS` follows one", url("/kilns.md"));
    assert_eq!(proposed(&origin, &home), [new, first], "the same page by another ending is the same");
    crate::harness::assert_same(&home.files(), &before);

    origin.say("/llms.txt", Answer::ok("text/plain", "# Topics\n\nSoon.\n"));
    assert_eq!(home.refresh(1).out.matches("failed").count(), 2, "an index that is suddenly empty is not believed");
}

#[test]
fn the_health_feed_tells_of_it() {
    let (origin, home) = world("include = \"(?i)gpu\"");
    home.listen("", "");
    let daemon = Daemon::start(&home);
    until("the proposal", || (daemon.titles("/health.atom").len() == 1).then_some(()));
    assert_eq!(daemon.titles("/health.atom"), [format!("{} lists new topic pages", origin.url("/llms.txt"))]);
    let told = daemon.get("/health.json", &[]).json()["items"][0]["content_html"].to_string();
    assert!(told.contains("`GPU` at") && !told.contains("Tea"), "{told}");
    // Another choice is looked at anew, and tells what was not told.
    home.seeds(&seeds(&origin, "include = \"(?i)gpu|tea\""));
    assert_eq!(home.run(&["reload"]).code, 0);
    until("the other one", || (proposed(&origin, &home).len() == 2).then_some(()));
    assert!(proposed(&origin, &home)[0].starts_with("`Tea` at"));
}

#[test]
fn an_index_may_be_a_list_of_subscriptions() {
    let (origin, home) = world("");
    let opml = "<?xml version=\"1.0\"?><opml version=\"2.0\"><body><outline text=\"Kilns\" \
                xmlUrl=\"https://kilns.example/feed\"/></body></opml>";
    origin.say("/llms.txt", Answer::ok("text/x-opml", opml));
    home.refresh(0);
    assert_eq!(proposed(&origin, &home), ["`Kilns` at https://kilns.example/feed; `pagewire add ADDRESS` follows one"]);
}

#[test]
fn an_index_in_html_may_say_where_its_links_are() {
    let (origin, home) = world("item = \"li\"");
    let html = "<html><title>Topics</title><nav><a href=/>Home</a></nav><ul><li><a href=/topic/gpu>GPU</a></li>\
                <li><a href=/topic/tea>Tea</a></li></ul>";
    origin.say("/llms.txt", Answer::ok("text/html", html));
    home.refresh(0);
    let (gpu, tea) = (origin.url("/topic/gpu"), origin.url("/topic/tea"));
    assert_eq!(
        proposed(&origin, &home),
        [format!("`GPU` at {gpu}; `Tea` at {tea}; `pagewire add ADDRESS` follows one")]
    );
}

#[test]
fn a_page_of_posts_is_no_index() {
    let home = Home::with(
        "[[index]]\nurl = \"a.md\"\n[[topic]]\nslug = \"tpu\"\npages = [\"a.md\"]\n[[index]]\nexclude = \"a(\"\n",
    );
    let run = home.run(&["check"]);
    assert_eq!(run.code, 78);
    for told in ["seeds.toml:2:7: `", "is an index, and a page of posts elsewhere", "this [[index]] has no `url`"] {
        assert!(run.err.contains(told), "{told}: {}", run.err);
    }
}

/// The origin's pages of these names, each with a post of its own.
fn write(origin: &Origin, names: &[&str]) {
    for name in names {
        let post = format!("https://x.example/{name}");
        let page = crate::harness::topic(&[(&format!("About {name}"), &post, "Sep 3, 2026")]);
        origin.say(&format!("/{name}.md"), Answer::markdown(page));
    }
}

#[test]
fn what_an_index_lists_may_be_followed_until_it_is_dropped() {
    let (origin, home) = world("follow = true\nexclude = \"/about\"");
    write(&origin, &["gpu", "tea"]);
    let before = std::fs::read(home.path("seeds.toml")).unwrap();
    assert!(home.refresh(0).out.contains("  2 followed from now on\n"));
    let told = &proposed(&origin, &home)[0];
    assert!(told.contains(&format!("`GPU` at {} as `gpu`", origin.url("/gpu.md"))), "{told}");
    assert!(!told.contains("pagewire add"), "{told}");
    home.refresh(0);
    assert_eq!(home.entries("topics/gpu.atom")[0].title, "About gpu");
    assert_eq!(home.entries("all.atom").len(), 3);
    assert_eq!(std::fs::read(home.path("seeds.toml")).unwrap(), before, "the seeds are their owner's");
    assert!(home.run(&["status"]).out.contains(" gpu "));

    // It stays when the index lists it no more, and can be named as any other.
    let links =
        [("TPU", "/tpu.md"), ("Tea", "/tea.md"), ("Kilns", "/kilns.md"), ("Us", "/about.md"), ("Team", "/about/us")];
    origin.say("/llms.txt", Answer::ok("text/plain", list(&origin, &links)));
    write(&origin, &["kilns"]);
    home.refresh(0);
    origin.requests();
    home.run(&["refresh", "gpu"]);
    assert_eq!(origin.requests().iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["/gpu.md"]);

    // What is dropped is not followed again, though the index goes on listing it.
    assert_eq!(home.run(&["drop", "tea"]).code, 0);
    assert!(!home.path("out/topics/tea.atom").exists());
    origin.requests();
    home.run(&["refresh", "--force"]);
    let asked: Vec<_> = origin.requests().into_iter().map(|r| r.path).collect();
    assert!(asked.contains(&"/kilns.md".to_owned()) && !asked.contains(&"/tea.md".to_owned()), "{asked:?}");
    assert!(home.run(&["drop", "tpu"]).err.contains("still in the seeds"));

    // An index that follows no more leads nowhere; what was published stays.
    home.seeds(&seeds(&origin, "exclude = \"/about\""));
    origin.requests();
    home.refresh(0);
    assert_eq!(origin.requests().len(), 2);
    assert!(home.path("out/topics/gpu.atom").exists());
}

#[test]
fn what_the_seeds_say_wins_over_what_an_index_lists() {
    let (origin, home) = world("follow = true\ninclude = \"GPU|TPU\"");
    write(&origin, &["gpu", "own"]);
    home.refresh(0);
    home.refresh(0);
    let own = |slug: &str, page: &str| {
        let more = format!("[[topic]]\nslug = \"{slug}\"\npages = [\"{}\"]\n", origin.url(page));
        home.seeds(&(seeds(&origin, "follow = true\ninclude = \"GPU|TPU\"\n") + &more));
        home.refresh(0);
        home.entries("topics/gpu.atom").into_iter().map(|entry| entry.title).collect::<Vec<_>>()
    };
    // A topic of that name is the seeds' own, and the other goes on beside it.
    assert!(own("gpu", "/own.md").contains(&"About own".to_owned()));
    let beside = format!("topics/{}.atom", pagewire::model::Slug::of("GPU").beside("GPU"));
    assert_eq!(home.entries(&beside)[0].title, "About gpu");
    // A page that the seeds list is a page of that topic alone.
    own("chips", "/gpu.md");
    let status: Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    let pages = status["pages"].as_array().unwrap();
    let topics: Vec<_> = pages.iter().filter(|p| p["page"] == origin.url("/gpu.md")).map(|p| &p["topics"]).collect();
    assert_eq!(topics, [&serde_json::json!(["chips"])]);
}

#[test]
fn a_daemon_follows_without_being_asked() {
    let (origin, home) = world("follow = true\ninclude = \"GPU\"");
    write(&origin, &["gpu"]);
    home.listen("", "");
    let daemon = Daemon::start(&home);
    until("the topic", || (daemon.get("/topics/gpu.atom", &[]).status == 200).then_some(()));
    assert_eq!(home.run(&["drop", "gpu"]).code, 0);
    until("its end", || (daemon.get("/topics/gpu.atom", &[]).status == 404).then_some(()));
    origin.requests();
    home.run(&["refresh", "--force"]);
    assert!(origin.requests().iter().all(|r| r.path != "/gpu.md"));
}

#[test]
fn only_so_many_are_followed_and_no_files() {
    let (origin, home) = world("follow = true");
    let links: Vec<(String, String)> = (0..502).map(|n| (format!("Topic {n}"), format!("/t/{n}.md"))).collect();
    let mut links: Vec<(&str, &str)> = links.iter().map(|(t, p)| (t.as_str(), p.as_str())).collect();
    links.insert(0, ("TPU", "/tpu.md"));
    let list = list(&origin, &links) + "- [Secrets](file:///etc/passwd)\n";
    origin.say("/llms.txt", Answer::ok("text/plain", list));
    let out = home.refresh(0).out;
    assert!(out.contains("  2 proposed, 500 followed from now on\n"), "{out}");
    assert!(!proposed(&origin, &home)[0].contains("passwd"));
}

/// A page is its address, whatever part of it a link leads to.
#[test]
fn links_to_parts_of_one_page_are_one_page() {
    let (origin, home) = world("follow = true\ninclude = \"tea\"");
    let links = [
        ("TPU", "/tpu.md"),
        ("Tea", "/tea.md"),
        ("Tea, the second part", "/tea.md#two"),
        ("Green tea", "/green-tea.md#top"),
        ("GPU", "/gpu.md"),
    ];
    origin.say("/llms.txt", Answer::ok("text/plain", list(&origin, &links)));
    for page in ["/tea.md", "/green-tea.md"] {
        origin.say(page, Answer::markdown(crate::harness::topic(&[("Leaf", page, "Sep 3, 2026")])));
    }
    home.refresh(0);
    home.refresh(0);
    origin.requests();
    home.refresh(0);
    assert_eq!((origin.count("/tea.md"), origin.count("/green-tea.md")), (1, 1));
    let status: Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    let topics: Vec<_> = status["pages"].as_array().unwrap().iter().map(|page| page["topics"].to_string()).collect();
    assert_eq!(topics, ["[\"tpu\"]", "[]", "[\"green-tea\"]", "[\"tea\"]"]);
    assert_eq!(home.run(&["refresh", &origin.url("/tpu.md#top")]).code, 0, "as the seeds would take it");
}
