//! What is read from Markdown whose posts are no headings with links.

use crate::extract::{body, settings};
use pagewire::extract::extract;
use pagewire::model::{ErrorKind, Published};

/// `date | title | link | text` of each post; why there is none.
fn lines(page: &str) -> Result<Vec<String>, ErrorKind> {
    let reading =
        extract(&body("https://site.example/news.md", page, Some("text/markdown")), &settings()).map_err(|f| f.kind)?;
    let line = |post: &pagewire::model::Post| {
        let day = post.published.map_or("-".into(), |p: Published| p.day().to_string());
        let link = post.link.as_ref().map_or("-", url::Url::as_str).replace("https://site.example", "");
        format!("{day} | {} | {link} | {}", post.title, post.summary.text())
    };
    Ok(reading.posts.iter().map(line).collect())
}

#[track_caller]
fn check(page: &str, expected: &[&str]) {
    assert_eq!(lines(page).expect("a page"), expected);
}

#[test]
fn a_list_of_dates_links_and_texts() {
    check(
        "# News\n\nWhat is new.\n\n- 2026-09-24: [New kilns](kilns.md) — they are hot\n- 2026-09-02: [Old clay](/clay)\n\n[All](/all)\n",
        &["2026-09-24 | New kilns | /kilns.md | they are hot", "2026-09-02 | Old clay | /clay | "],
    );
}

#[test]
fn dates_behind_links_and_years_in_headings() {
    check(
        "# News\n\n## 2026\n\n* [New kilns](kilns.md) (Sep 24)\n* **[Old clay](clay.md)**, which rests (Sep 2, 2026)\n\n## 2025\n\n\
         * [Blue glaze](glaze.md), Dec 1\n",
        &[
            "2026-09-24 | New kilns | /kilns.md | ",
            "2026-09-02 | Old clay | /clay.md | which rests",
            "2025-12-01 | Blue glaze | /glaze.md | ",
        ],
    );
}

#[test]
fn a_table() {
    check(
        "# Releases\n\n| Version | Date | By |\n| --- | --- | --- |\n| [2.0](v2.md) | 24 Sep 2026 | Ana |\n| [1.0](v1.md) | 2 Sep 2026 | Ben |\n",
        &["2026-09-24 | 2.0 | /v2.md | ", "2026-09-02 | 1.0 | /v1.md | "],
    );
}

#[test]
fn a_changelog_of_headings_with_dates() {
    check(
        "# Changelog\n\nAll that changed.\n\n## [Unreleased]\n\n- Nothing\n\n## [2.0.0] - 2026-09-24\n\n- Faster kilns\n\n\
         ## [1.0.0] - 2026-09-02\n\nFirst.\n",
        &["2026-09-24 | 2.0.0 | - | Faster kilns", "2026-09-02 | 1.0.0 | - | First."],
    );
}

#[test]
fn llms_txt() {
    check(
        "# Kiln\n\n> Kilns for all.\n\n## Docs\n\n- [Start](https://site.example/start.md): how to light one\n\
         - [Clay](https://site.example/clay.md): what to burn\n- [Glaze](https://site.example/glaze.md)\n\n## Optional\n\n\
         - [Sand](https://site.example/sand.md): where it comes from\n- [Wheel](https://site.example/wheel.md)\n",
        &[
            "- | Start | /start.md | how to light one",
            "- | Clay | /clay.md | what to burn",
            "- | Glaze | /glaze.md | ",
            "- | Sand | /sand.md | where it comes from",
            "- | Wheel | /wheel.md | ",
        ],
    );
}

#[test]
fn prose_and_contents_are_no_list() {
    let prose = "# Kiln\n\nA program that fires kilns, as [others](https://a.example) do, but on time, and without any help \
        from a human being who would rather sleep at night.\n\n- [Install](#install)\n- [Use](#use)\n\n## Install\n\nGet it \
        from [here](https://b.example), then run it. It needs a kiln, a wire and some patience, which is sold elsewhere.\n\n\
        - [Docs](https://c.example)\n- [Chat](https://d.example)\n- [Code](https://e.example)\n- [Wiki](https://f.example)\n\
        - [Shop](https://g.example)\n";
    assert_eq!(lines(prose).unwrap_or_default(), Vec::<String>::new());
    assert_eq!(lines("Some words, and [a link](https://a.example).\n"), Err(ErrorKind::NotATopicPage));
}

#[test]
fn a_topic_page_that_lost_its_posts_does_not_become_a_list_of_its_links() {
    let page = "# TPU\n\n11 posts about TPU.\n\n- 2026-01-01 [Imprint](/imprint)\n- 2026-01-01 [Terms](/terms)\n\n## Articles\n";
    assert_eq!(lines(page).unwrap_or_default(), Vec::<String>::new());
}
