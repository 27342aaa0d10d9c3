//! What another configuration would make of the stored pages, before anybody sees it.

use crate::harness::{Answer, Home, Origin, assert_same, topic};
use serde_json::Value;

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const B: (&str, &str, &str) = ("Beta", "https://x.example/post/beta.md", "Sep 2, 2026");

fn replay(home: &Home, code: i32) -> Value {
    let run = home.run(&["replay", "--json"]);
    assert_eq!(run.code, code, "{run:#?}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn with_the_same_configuration_nothing_would_change() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B])));
    let home = Home::of(&origin.url("/tpu.md"));
    home.refresh(0);
    let (files, asked) = (home.files(), origin.count("/tpu.md"));
    let told = replay(&home, 0);
    assert_eq!((told["posts"].clone(), told["files"].clone()), (serde_json::json!([]), serde_json::json!([])));
    assert!(home.run(&["replay"]).out.contains("1 page: nothing would change"));
    assert_eq!(origin.count("/tpu.md"), asked, "no site is asked");
    assert_same(&home.files(), &files);
}

#[test]
fn every_link_and_file_that_another_configuration_would_change_is_listed_and_none_changes() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B])));
    let home = Home::of(&origin.url("/tpu.md"));
    home.refresh(0);
    let files = home.files();
    let seeds = format!("[[topic]]\nslug = \"tpu\"\nlink = \"html\"\npages = [\"{}\"]\n", origin.url("/tpu.md"));
    home.seeds(&seeds);
    let told = replay(&home, 1);
    let posts: Vec<(&str, &str, &str)> = told["posts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["what"].as_str().unwrap(), p["id"].as_str().unwrap(), p["after"].as_str().unwrap()))
        .collect();
    assert_eq!(
        posts,
        [
            ("link", "https://x.example/post/alpha", "https://x.example/post/alpha"),
            ("link", "https://x.example/post/beta", "https://x.example/post/beta"),
        ]
    );
    let paths: Vec<&str> = told["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    for path in ["all.atom", "companies/acme.json", "topics/tpu.html", "types/explainer.rss"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
    assert_same(&home.files(), &files);
    home.seeds(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"{}\"]\n", origin.url("/tpu.md")));
    assert_eq!(home.report(&[])["outcome"], "unchanged", "the state was not touched");
}

#[test]
fn a_page_that_would_not_be_read_any_more_is_told() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B])));
    let home = Home::of(&origin.url("/tpu.md"));
    home.refresh(0);
    home.seeds(&format!("[[topic]]\nslug = \"tpu\"\nkind = \"feed\"\npages = [\"{}\"]\n", origin.url("/tpu.md")));
    let told = replay(&home, 1);
    assert_eq!(told["pages"][0]["outcome"], "failed");
    assert_eq!(told["files"], serde_json::json!([]), "a page that fails changes nothing");
}

#[test]
fn lists_and_files_that_would_go_are_told_and_pages_without_a_document_are_no_success() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A, B])));
    let home = Home::of(&origin.url("/tpu.md"));
    home.refresh(0);
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let fewer = config.replace("[publish]\n", "[publish]\nformats = [\"atom\", \"json\"]\n");
    std::fs::write(home.path("pagewire.toml"), fewer).unwrap();
    let told = replay(&home, 1);
    let becomes =
        |path: &str| told["files"].as_array().unwrap().iter().find(|f| f["path"] == path).map(|f| &f["after"]);
    assert_eq!(becomes("topics/tpu.rss"), Some(&Value::Null), "{told}");
    assert!(becomes("index.html").is_some_and(Value::is_u64), "{told}");
    std::fs::write(home.path("pagewire.toml"), config).unwrap();
    let page = origin.url("/tpu.md");
    home.seeds(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"{page}\", \"new.md\"]\n"));
    let told = replay(&home, 1);
    assert_eq!(told["unread"].as_array().unwrap().len(), 1);
}
