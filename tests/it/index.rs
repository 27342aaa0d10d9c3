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
