//! Pages of a company, `pages` of `[[company]]`: whose their posts are, and where they go.

use crate::harness::{Answer, Home, Origin, assert_same, page};

const ALPHA: (&str, &str, &str, &str) =
    ("Alpha", "https://x.example/a.md", "- Published: Sep 3, 2026\n- Type: Benchmark", "What Alpha says.");
const BETA: (&str, &str, &str, &str) =
    ("Beta", "https://x.example/b.md", "- Company: Bolt\n- Published: Sep 4, 2026", "What Beta says.");

fn titles(home: &Home, feed: &str) -> Vec<String> {
    home.entries(feed).into_iter().map(|e| e.title).collect()
}

/// An origin with a company's page, and a topic's.
fn world() -> Origin {
    let origin = Origin::start();
    origin.say("/acme.md", Answer::markdown(page(&[BETA, ALPHA])));
    let other = ("Other", "https://x.example/o.md", "- Published: Sep 5, 2026", "What Other says.");
    origin.say("/tpu.md", Answer::markdown(page(&[other])));
    origin
}

fn acme(origin: &Origin) -> String {
    format!("[[company]]\nslug = \"acme\"\ntitle = \"Acme\"\npages = [\"{}\"]\n", origin.url("/acme.md"))
}

fn tpu(origin: &Origin) -> String {
    format!("[[topic]]\nslug = \"tpu\"\npages = [\"{}\"]\n", origin.url("/tpu.md"))
}

#[test]
fn posts_that_name_no_company_are_of_the_one_whose_page_it_is() {
    let origin = world();
    let home = Home::with(&(acme(&origin) + &tpu(&origin)));
    home.refresh(0);
    assert_eq!(titles(&home, "companies/acme.atom"), ["Alpha"]);
    assert_eq!(titles(&home, "companies/bolt.atom"), ["Beta"]);
    assert_eq!(titles(&home, "types/benchmark.atom"), ["Alpha"]);
    assert_eq!(titles(&home, "all.atom"), ["Other", "Beta", "Alpha"]);
    assert_eq!(titles(&home, "topics/tpu.atom"), ["Other"], "a topic lists its own pages only");
    assert_eq!(home.feed("companies/acme.atom").title.value, "Acme");
    let status: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    let pages = status["pages"].as_array().unwrap();
    let topics = |path: &str| pages.iter().find(|p| p["page"] == origin.url(path)).unwrap()["topics"].clone();
    assert_eq!((topics("/acme.md"), topics("/tpu.md")), (serde_json::json!([]), serde_json::json!(["tpu"])));
    let told = home.run(&["status"]).out;
    assert!(told.contains(" company:acme "), "{told}");
    let before = home.files();
    home.refresh(0);
    assert_same(&home.files(), &before);
}

#[test]
fn a_company_can_be_refreshed_by_name_before_it_has_a_post() {
    let origin = world();
    origin.say("/acme.md", Answer::markdown("# Acme\n\n## Articles\n"));
    let home = Home::with(&(acme(&origin) + &tpu(&origin)));
    let run = home.run(&["refresh", "company:acme", "--json"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let lines = run.json();
    assert_eq!(lines.len(), 2, "one page and the total");
    assert_eq!((&lines[0]["page"], &lines[0]["topics"]), (&origin.url("/acme.md").into(), &serde_json::json!([])));
    assert_eq!(titles(&home, "companies/acme.atom"), [""; 0], "a page without posts publishes an empty feed");
    assert_eq!(home.run(&["refresh", "company:acmee"]).code, 2);
}

#[test]
fn a_page_may_be_a_topics_and_a_companys() {
    let origin = world();
    let both = |more: &str| {
        format!("[[topic]]\nslug = \"news\"\n{more}pages = [\"{}\"]\n", origin.url("/acme.md")) + &acme(&origin)
    };
    let home = Home::with(&both("include = \"Acme\"\n"));
    home.refresh(0);
    assert_eq!(titles(&home, "topics/news.atom"), ["Alpha"], "the topic's filter knows whose it is");
    assert_eq!(titles(&home, "all.atom"), ["Beta", "Alpha"], "the company takes every post");
    assert_eq!(home.run(&["refresh", "news", "company:acme", "--json"]).json().len(), 2, "one page and the total");
    // Dropped, the topic leaves the company what is on its page.
    home.seeds(&acme(&origin));
    home.refresh(0);
    assert_eq!(home.run(&["drop", "news"]).code, 0);
    assert_eq!(titles(&home, "companies/acme.atom"), ["Alpha"]);
    assert_eq!(titles(&home, "all.atom"), ["Beta", "Alpha"]);
}

#[test]
fn a_company_that_takes_a_page_later_announces_nothing() {
    let origin = world();
    let topic = format!("[[topic]]\nslug = \"news\"\npages = [\"{}\"]\n", origin.url("/acme.md"));
    let home = Home::with(&topic);
    home.refresh(0);
    let before = home.entries("topics/news.atom");
    home.seeds(&(topic + &acme(&origin)));
    let run = home.refresh(0);
    assert!(run.out.contains("0 new posts"), "{}", run.out);
    assert_eq!(home.entries("topics/news.atom"), before, "no date moves");
    assert_eq!(titles(&home, "companies/acme.atom"), ["Alpha"]);
}

/// A name that the seeds give to a company later takes the feed of that name along, and what led there leads on.
#[test]
fn another_name_of_a_company_takes_its_posts_and_readers_along() {
    let (cloud, search) =
        ("- Company: Google Cloud\n- Published: Sep 5, 2026", "- Company: Google\n- Published: Sep 4, 2026");
    let video = "- Company: [YouTube](company/yt.md)\n- Published: Sep 3, 2026";
    let posts = page(&[
        ("A", "https://x.example/a", cloud, "One."),
        ("B", "https://x.example/b", search, "Two."),
        ("C", "https://x.example/c", video, "Three."),
    ]);
    let topic = "[[topic]]\nslug = \"tpu\"\npages = [{ url = \"tpu.md\", base = \"https://x.example/\" }]\n";
    let home = Home::with(topic);
    crate::harness::write(&home.path("tpu.md"), posts);
    home.refresh(0);
    assert_eq!(titles(&home, "companies/google-cloud.atom"), ["A"]);
    assert_eq!(titles(&home, "companies/yt.atom"), ["C"]);
    let google = "[[company]]\nslug = \"google\"\ntitle = \"Google\"\naliases = [\"Google Cloud\", \"YouTube\"]\n";
    home.seeds(&format!("{topic}{google}"));
    home.refresh(0);
    assert_eq!(titles(&home, "companies/google.atom"), ["A", "B", "C"]);
    let old =
        |path: &std::path::PathBuf| ["cloud", "companies/yt"].iter().any(|old| path.to_string_lossy().contains(old));
    let files: Vec<_> = home.files().into_keys().filter(old).collect();
    assert!(files.is_empty(), "{files:?}");
    let topic = std::fs::read_to_string(home.path("out/topics/tpu.html")).unwrap();
    assert!(topic.contains("companies/google.") && !topic.contains("google-cloud"), "{topic}");
    home.listen("", "");
    let daemon = crate::harness::Daemon::start(&home);
    for old in ["google-cloud", "yt"] {
        let moved = daemon.get(&format!("/companies/{old}.atom"), &[]);
        assert_eq!((moved.status, moved.header("Location")), (301, "../companies/google.atom"), "{old}");
    }
}

/// CONTRACT, slugs: "given when first published, kept for ever", and nobody is left to wonder why.
#[test]
fn a_slug_for_a_company_that_has_one_is_told_with_what_to_write() {
    let origin = world();
    let home = Home::with(&(acme(&origin) + &tpu(&origin)));
    home.refresh(0);
    let seeds = "[[company]]\nslug = \"the-bolts\"\ntitle = \"Bolt\"\n";
    home.seeds(&(acme(&origin) + &tpu(&origin) + seeds));
    let told = "seeds.toml:9:8: the slug `the-bolts` is not used: the feed of `Bolt` was published as `bolt` first, and an \
                address that readers have is kept for ever; write slug = \"bolt\"\n";
    // Before it is in use, and ever after.
    for verb in [&["check"][..], &["refresh"], &["check"], &["refresh"]] {
        let run = home.run(verb);
        assert_eq!((run.code, run.err.as_str()), (0, format!("warning: {told}").as_str()), "{verb:?}");
    }
    let sheet: serde_json::Value = serde_json::from_str(&home.run(&["check", "--json"]).out).unwrap();
    assert_eq!(sheet["warnings"], serde_json::json!([told.trim_end()]));
    assert_eq!(titles(&home, "companies/bolt.atom"), ["Beta"]);
    assert!(!home.path("out/companies/the-bolts.atom").exists());
    // A daemon says it at its start, and at a reload.
    home.listen("", "");
    let daemon = crate::harness::Daemon::start(&home);
    assert_eq!(daemon.log().matches(told.trim_end()).count(), 1, "{}", daemon.log());
    home.seeds(&(acme(&origin) + &tpu(&origin) + "\n" + seeds));
    assert_eq!(home.run(&["reload"]).code, 0);
    assert!(daemon.log().contains("seeds.toml:10:8: the slug `the-bolts`"), "{}", daemon.log());
    drop(daemon);
    home.configure("");
    home.seeds(&(acme(&origin) + &tpu(&origin) + &seeds.replace("the-bolts", "bolt")));
    assert_eq!(home.refresh(0).err, "");
}
