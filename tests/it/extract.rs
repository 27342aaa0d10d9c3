//! What is read from a page: each rule with an input and what comes of it.

use pagewire::extract::{date, extract};
use pagewire::model::{
    Body, Company, ErrorKind, Failure, Html, Kind, LinkMode, PageSettings, Post, Published, Reading, Text,
};
use proptest::prelude::*;
use url::Url;

const PAGE: &str = "https://topics.example/tpu.md";

pub fn settings() -> PageSettings {
    PageSettings::default()
}

pub fn body(address: &str, bytes: impl AsRef<[u8]>, media_type: Option<&str>) -> Body {
    Body {
        address: Url::parse(address).expect("a valid address"),
        bytes: bytes.as_ref().to_vec().into(),
        media_type: media_type.map(str::to_owned),
        validators: None,
        maybe_cut: false,
    }
}

fn read_as(bytes: impl AsRef<[u8]>, media_type: Option<&str>) -> Result<Reading, Failure> {
    extract(&body(PAGE, bytes, media_type), &settings())
}

fn read(page: &str) -> Reading {
    read_as(page, Some("text/markdown; charset=utf-8")).expect("a topic page")
}

/// The only post of a page that consists of this one.
fn only(post: &str) -> Post {
    let mut posts = read(&format!("# Topic\n\n## Articles\n\n{post}")).posts;
    assert_eq!(posts.len(), 1, "{posts:?}");
    posts.remove(0)
}

fn titles(reading: &Reading) -> Vec<&str> {
    reading.posts.iter().map(|post| post.title.as_str()).collect()
}

fn link(post: &Post) -> &str {
    post.link.as_ref().map_or("", Url::as_str)
}

fn texts(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(Text::as_str).collect()
}

fn companies(post: &Post) -> Vec<(&str, &str)> {
    let one = |c: &'_ Company| c.link.as_ref().map_or("", |url| Box::leak(url.to_string().into_boxed_str()));
    post.companies.iter().map(|c| (c.name.as_str(), one(c))).collect()
}

fn problems(reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(|p| format!("{}: {}", p.kind.as_str(), p.message)).collect()
}

fn day(post: &Post) -> String {
    post.published.map_or_else(String::new, pagewire::model::Published::json)
}

mod whole_pages {
    use super::*;

    #[test]
    fn a_topic_page_is_read_whole() {
        let reading = read(include_str!("../pages/labs.md"));
        assert_eq!(reading.kind, Kind::Markdown);
        assert_eq!(reading.title, Some(Text::line("Quantum")));
        assert_eq!(reading.description, Some(Text::line("4 posts about Quantum, each with a summary.")));
        assert_eq!((reading.stated, reading.list), (Some(4), true));
        assert_eq!(problems(&reading), [""; 0]);
        let [first, second, third, fourth] = &reading.posts[..] else { panic!("{:?}", titles(&reading)) };

        assert_eq!(first.title.as_str(), "Error correction at distance 7");
        assert_eq!(link(first), "https://topics.example/post/distance-7.md");
        assert_eq!(companies(first), [("Northwind Labs", "https://topics.example/company/northwind-labs.md")]);
        assert_eq!(texts(&first.authors), ["Ana Roe", "Yu-Chen (Amy) Lin", "Field Team", "Lab 2"]);
        assert_eq!(day(first), "2026-09-24");
        assert_eq!(first.kind, Some(Text::line("Problem & solution")));
        assert_eq!(
            first.summary.as_str(),
            "<p>Logical errors fall by half with each step of <code>d</code>; see \
             <a href=\"https://topics.example/data/d7\">the data</a> and <em>all</em> of the code.</p>"
        );

        assert_eq!(second.title.as_str(), "A compiler for pulse_level() programs");
        assert_eq!(texts(&second.authors), [""; 0]);
        assert_eq!(
            second.summary.as_str(),
            "<p>First paragraph over two lines.</p>\n<ol><li>One</li><li>Two</li></ol>\n\
             <blockquote><p>Quoted, with a <img src=\"https://topics.example/chart.png\" alt=\"chart\">.</p></blockquote>"
        );

        assert_eq!(third.title.as_str(), "Hardware & software: \"fast\" <-> cheap");
        assert_eq!(link(third), "https://topics.example/post/hw.md?a=1&b=2");
        assert_eq!(companies(third)[0].0, "AT&T Labs");
        assert_eq!((texts(&third.authors), third.summary.as_str()), (vec!["Ben O'Hara"], "<p>Short.</p>"));

        let bare = Post { title: fourth.title.clone(), link: fourth.link.clone(), ..Post::default() };
        assert_eq!(*fourth, Post { summary: Html::written("<p>Only a text.</p>".into()), ..bare });
    }

    #[test]
    fn a_byte_order_mark_and_any_line_ends_mean_nothing() {
        let page = include_str!("../pages/labs.md");
        let plain = read(page);
        for ends in ["\r\n", "\r"] {
            assert_eq!(read(&format!("\u{feff}{}", page.replace('\n', ends))), plain);
        }
    }

    #[test]
    fn headings_two_deep_may_be_posts() {
        let reading = read(
            "\n\n## [One](/1)\n\n\n## [Two](https://x.example/2)\n\nText.\n\n### [Inner](/i)\n\nMore.\n\n## [Three](/3)\n",
        );
        assert_eq!(titles(&reading), ["One", "Two", "Three"]);
        assert_eq!(link(&reading.posts[0]), "https://topics.example/1");
        assert_eq!(
            reading.posts[1].summary.as_str(),
            "<p>Text.</p>\n<h4><a href=\"https://topics.example/i\">Inner</a></h4>\n<p>More.</p>"
        );
    }

    #[test]
    fn sections_are_no_posts_though_they_hold_links() {
        let reading = read(
            "# [Topic](/)\n\n## [Articles](/all)\n\n### [One](/1)\n\n### [Two](/2)\n\n## More at [our blog](/b)\n\nBye.\n\n## Articles of old\n\n### [Three](/3)\n- Type: x\n",
        );
        assert_eq!(titles(&reading), ["One", "Two", "Three"]);
        assert_eq!(reading.posts[1].summary.as_str(), "");
        assert_eq!(reading.title, Some(Text::line("Topic")));
    }

    #[test]
    fn a_featured_post_may_stand_above_the_others() {
        let reading = read(
            "# T\n\n## [Big](/big)\n- Published: Sep 2, 2026\n\n## Articles\n\n### [A](/a)\n- Type: x\n\n### [B](/b)\n- Type: x\n",
        );
        assert_eq!(titles(&reading), ["Big", "A", "B"]);
    }

    #[test]
    fn a_posts_own_headings_stay_in_its_text() {
        let reading = read(
            "# T\n\n### [A](/a)\n- Type: x\n\nOne.\n\n#### [Data](/d)\n- Type: CSV\n- Rows: 9\n\n### [B](/b)\n- Type: x\n",
        );
        assert_eq!(titles(&reading), ["A", "B"]);
        assert_eq!(
            reading.posts[0].summary.as_str(),
            "<p>One.</p>\n<h4><a href=\"https://topics.example/d\">Data</a></h4>\n<ul><li>Type: CSV</li><li>Rows: 9</li></ul>"
        );
    }

    #[test]
    fn posts_without_links_are_posts_where_a_list_says_so() {
        let reading = read(
            "# T\n\n## Changes\n\n### Version 2\n- Published: 2026-09-02\n\nNew.\n\n### Version 1\n- Published: 2026-09-01\n\n### Notes\n\nNone.\n",
        );
        assert_eq!(titles(&reading), ["Version 2", "Version 1"]);
        assert_eq!(reading.posts[0].link, None);
        assert_eq!(problems(&reading), [""; 0]);
    }

    #[test]
    fn one_broken_post_costs_one_problem() {
        let reading = read(
            "# T\n\n### [A](/a)\n- Published: Sep 2, 2026\n\n### [Broken](https://x.example/b\n- Published: Sep 1, 2026\n\n### [C](/c)\n- Published: soon\n",
        );
        assert_eq!(titles(&reading), ["A", "[Broken](https://x.example/b", "C"]);
        assert_eq!(reading.posts[1].link, None);
        assert_eq!(
            problems(&reading),
            [
                "link: line 6: `[Broken](https://x.example/b` has no link: look at its brackets",
                "date: line 10: date `soon` not understood: write it as `2026-09-24` or `Sep 24, 2026`",
            ]
        );
    }

    #[test]
    fn posts_listed_twice_are_kept_for_diff_to_judge() {
        assert_eq!(titles(&read("## [A](/a)\n\n## [A](/a)\n")), ["A", "A"]);
    }

    #[test]
    fn a_stated_count_stands_right_before_its_noun() {
        let stated = |intro: &str| read(&format!("# T\n> {intro}\n\n## [A](/a)\n")).stated;
        assert_eq!(stated("11 posts about TPU"), Some(11));
        assert_eq!(stated("All **1,204** articles, sorted"), Some(1204));
        assert_eq!(stated("0 entries."), Some(0));
        assert_eq!(stated("Version 2 of our posts"), None);
        assert_eq!(stated("1.5 posts"), None);
    }

    #[test]
    fn an_empty_list_is_a_list_and_a_page_of_prose_is_none() {
        let list = |page: &str| read(page).list;
        assert!(list("# T\n> 0 posts about T\n\n## Articles\n"));
        assert!(list("# T\n\n## Articles\n"));
        assert!(!list("# T\n\n## About\n\nWe write.\n"));
        assert!(!list("# T\n> 3 posts\n\nBack soon.\n"));
    }

    #[test]
    fn the_pages_last_word_is_not_the_last_posts() {
        let footer = "\n---\n\nMade by us. [Imprint](/imprint)\n";
        let reading = read(&format!("## [A](/a)\n\nOne.\n\n---\n\n## [B](/b)\n\nTwo.\n{footer}"));
        assert_eq!(reading.posts[0].summary.as_str(), "<p>One.</p>");
        assert_eq!(reading.posts[1].summary.as_str(), "<p>Two.</p>");
        let inner = read(&format!("## [A](/a)\n\nOne.\n\n---\n\nStill one.\n\n## [B](/b)\n\nTwo.\n{footer}"));
        assert_eq!(inner.posts[0].summary.as_str(), "<p>One.</p>\n<hr>\n<p>Still one.</p>");
        assert!(inner.posts[1].summary.as_str().contains("Imprint"), "breaks are text on this page");
    }

    #[test]
    fn a_break_right_below_a_text_does_not_make_it_a_heading() {
        let reading = read("# T\n\n### [A](/a)\n- Type: x\n\nThe text\nof A.\n---\n\n### [B](/b)\n- Type: x\n");
        assert_eq!(titles(&reading), ["A", "B"]);
        assert_eq!(reading.posts[0].summary.as_str(), "<p>The text of A.</p>");
    }
}

mod titles_and_links {
    use super::*;

    fn titled(heading: &str) -> (String, String) {
        let post = only(&format!("{heading}\n- Type: x\n"));
        (post.title.to_string(), link(&post).to_owned())
    }

    #[test]
    fn markup_goes_and_words_stay() {
        for (heading, title) in [
            ("### [*Quick* **Rust** `no_std` guide](/u)", "Quick Rust no_std guide"),
            ("### **[Inside bold](/u)**", "Inside bold"),
            ("### *[Inside **both**](/u)*", "Inside both"),
            ("### [Closed](/u) ###", "Closed"),
            ("### [Intro to C#](/u)", "Intro to C#"),
            ("### [F## and #tags](/u) ##", "F## and #tags"),
            ("### [D&amp;D &mdash; it&#39;s &#x41; &copy;](/u)", "D&D — it's A ©"),
            ("### [&amp;amp; &unknown; `&amp;`](/u)", "&amp; &unknown; &amp;"),
            ("### [snake\\_case \\#1 C:\\dir `a\\_b`](/u)", "snake_case #1 C:\\dir a\\_b"),
            ("### [List\\[0\\] and [inner] ones](/u)", "List[0] and [inner] ones"),
            ("### [One \\[ open](/u)", "One [ open"),
            ("### [The <b onclick=x>bold</b> `<b>`](/u)", "The bold <b>"),
            ("### [Vec<T> is Option<String>](/u)", "Vec<T> is Option<String>"),
            ("### [A\u{3}B\u{202e}C\u{ffff}D 🚀 日本](/u)", "ABCD 🚀 日本"),
            ("### [![logo](/l.png)](/u)", "logo"),
            ("### [![logo](/l.png) Named](/u)", "Named"),
            ("### [Named {#1}](/u) {#named .big}", "Named {#1}"),
            ("[Underlined](/u)\n---", "Underlined"),
            ("### 🚀 [Rocket](/u)", "🚀 Rocket"),
            ("### [Long enough a title](/u) (video)", "Long enough a title (video)"),
        ] {
            assert_eq!(titled(heading), (title.to_owned(), "https://topics.example/u".to_owned()), "{heading}");
        }
    }

    #[test]
    fn links_are_taken_to_the_letter() {
        for (heading, expected) in [
            ("### [T](https://x.example/_a_b_*c*.md)", "https://x.example/_a_b_*c*.md"),
            ("### [T](https://x.example/a_(b)_c?q=1&amp;z=2#f)", "https://x.example/a_(b)_c?q=1&z=2#f"),
            ("### [T](<https://x.example/a b> \"tip\")", "https://x.example/a%20b"),
            ("### [T](../up?x=1)", "https://topics.example/up?x=1"),
            ("### [T](//cdn.example/y)", "https://cdn.example/y"),
            ("### [T](other.md#part-2)", "https://topics.example/other.md#part-2"),
            ("### [T][ref]\n\n[ref]: https://x.example/ref\n", "https://x.example/ref"),
            ("### <https://x.example/auto>", "https://x.example/auto"),
            ("### https://x.example/bare", "https://x.example/bare"),
            ("### [](https://x.example/untitled)", "https://x.example/untitled"),
        ] {
            let page = format!("# T\n\n{heading}\n");
            let reading = read(&page);
            assert_eq!(link(&reading.posts[0]), expected, "{heading}");
            assert!(!reading.posts[0].title.is_empty(), "{heading}");
        }
    }

    #[test]
    fn a_date_beside_the_link_is_the_posts() {
        let reading = read("# T\n\n## [1.2.0](/v12) - 2026-09-24\n\nNew.\n\n## Sep 2, 2026: [1.1.0](/v11)\n");
        let found: Vec<_> = reading.posts.iter().map(|p| (p.title.as_str(), day(p))).collect();
        assert_eq!(found, [("1.2.0", "2026-09-24".to_owned()), ("1.1.0", "2026-09-02".to_owned())]);
    }

    #[test]
    fn only_the_web_is_linked() {
        for bad in ["javascript:alert(1)", "mailto:a@x.example", "file:///etc/passwd", "data:text/html,x", ""] {
            let reading = read(&format!("# T\n\n### [A](/a)\n\n### [Bad]({bad})\n"));
            assert_eq!(reading.posts[1].link, None, "{bad}");
            assert_eq!(reading.problems.len(), 1, "{bad}");
        }
    }

    #[test]
    fn a_local_file_links_nowhere_without_a_base() {
        let page = "# T\n\n### [A](post/a.md)\n- Company: [C](company/c.md)\n\nSee [b](b.md), ![pic](p.png), [web](https://x.example/).\n";
        let file = body("file:///srv/pages/t.md", page, None);
        let reading = extract(&file, &settings()).unwrap();
        assert_eq!(reading.posts[0].link, None);
        assert_eq!(companies(&reading.posts[0]), [("C", "")]);
        let summary = "<p>See b, pic, <a href=\"https://x.example/\">web</a>.</p>";
        assert_eq!(reading.posts[0].summary.as_str(), summary);
        let problem =
            "link: line 3: link `post/a.md` of `A` is no http address; a relative one needs the page's `base`";
        assert_eq!(problems(&reading), [problem]);

        let based = PageSettings { base: Url::parse("https://x.example/topics/").ok(), ..settings() };
        let reading = extract(&file, &based).unwrap();
        assert_eq!(link(&reading.posts[0]), "https://x.example/topics/post/a.md");
        assert_eq!(companies(&reading.posts[0]), [("C", "https://x.example/topics/company/c.md")]);
    }

    #[test]
    fn the_twin_for_people_has_no_md() {
        let html = PageSettings { link: LinkMode::Html, ..settings() };
        for (given, expected) in [
            ("/post/a.md?x=1.md", "https://topics.example/post/a?x=1.md"),
            ("/post/a.html.md", "https://topics.example/post/a.html"),
            ("/post/a/index.md", "https://topics.example/post/a/"),
            ("/post/a", "https://topics.example/post/a"),
        ] {
            let reading = extract(&body(PAGE, format!("## [A]({given})\n"), None), &html).unwrap();
            assert_eq!(link(&reading.posts[0]), expected);
        }
    }
}

/// Posts that stand in other forms than most of their page's are posts too, or it is told that they are none.
mod other_sections {
    use super::*;

    /// A topic page that says how many posts it has, lists these, and ends in this section.
    fn page(stated: usize, listed: usize, end: &str) -> Reading {
        let post = |n| {
            format!(
                "### [Post {n}](/post/{n}.md)\n- Company: [Acme](/company/acme.md)\n- Published: Sep {n}, 2026\n\nText.\n\n"
            )
        };
        let posts: String = (1..=listed).rev().map(post).collect();
        read(&format!("# TPU\n> {stated} posts about TPU.\n\n## Articles\n\n{posts}{end}"))
    }

    const RELATED: &str =
        "## Related topics\n\n### [GPU](/topic/gpu.md)\n12 posts about GPU\n\n### [XLA](/topic/xla.md)\nMore.\n";

    #[test]
    fn headings_of_another_section_are_no_posts() {
        for end in [
            RELATED,
            "## Companies\n\n### [Acme](/company/acme.md)\n",
            "## FAQ\n\n### [Who makes it?](#who)\n\nAcme.\n\n### [Since when?](https://topics.example/tpu.md#when)\n",
        ] {
            assert_eq!(titles(&page(2, 2, end)), ["Post 2", "Post 1"], "{end}");
            let none = page(0, 0, end);
            assert_eq!((titles(&none), none.list, none.stated), (vec![], true, Some(0)), "{end}");
        }
        assert_eq!(titles(&page(4, 2, RELATED)), ["Post 2", "Post 1", "GPU", "XLA"], "the count says that they are");
        let late = page(2, 2, "### [Post 3](/post/3.md)\n\nText.\n\n## Related topics\n\n### [GPU](/topic/gpu.md)\n");
        assert_eq!(titles(&late), ["Post 2", "Post 1", "Post 3"], "among posts the count may lag behind");
        let faq = page(9, 2, "## FAQ\n\n### [Who makes it?](#who)\n\nAcme.\n");
        assert_eq!(titles(&faq), ["Post 2", "Post 1"], "a link into the page, whatever the count");
        assert_eq!(faq.posts[1].summary.as_str(), "<p>Text.</p>");
    }

    #[test]
    fn a_post_with_a_date_may_be_found_in_the_page_itself() {
        let reading = read("# Notes\n\n## [One](#one) (2026-09-05)\n\nA.\n\n## [Two](#two) (2026-09-04)\n\nB.\n");
        assert_eq!(reading.posts.iter().map(link).collect::<Vec<_>>(), [format!("{PAGE}#one"), format!("{PAGE}#two")]);
    }
}

mod changelogs {
    use super::*;

    fn listed(page: &str) -> Vec<(String, String, String)> {
        let posts = read(page).posts;
        posts.iter().map(|post| (post.title.to_string(), day(post), post.summary.as_str().to_owned())).collect()
    }

    fn found(releases: [(&str, &str, &str); 4]) -> Vec<(String, String, String)> {
        releases.iter().map(|(title, day, text)| (title.to_string(), day.to_string(), text.to_string())).collect()
    }

    #[test]
    fn releases_stand_at_several_levels() {
        let text = |name: &str| format!("<h4>Bug Fixes</h4>\n<ul><li>of {name}</li></ul>");
        let expected =
            [("1.3.0", "2026-09-05"), ("1.2.1", "2026-08-15"), ("1.2.0", "2026-08-05"), ("1.1.9", "2026-07-05")];
        // standard-version, semantic-release, and one whose releases lead nowhere.
        for (minor, patch) in [("##", "###"), ("#", "##")] {
            for is_linked in [true, false] {
                let release = |(name, day): &(&str, &str)| {
                    let level = if name.ends_with(".0") { minor } else { patch };
                    let name_of = if is_linked { format!("[{name}](/compare/v{name})") } else { (*name).to_owned() };
                    format!("{level} {name_of} ({day})\n\n\n### Bug Fixes\n\n* of {name}\n\n")
                };
                let page: String = expected.iter().map(release).collect();
                let texts = expected.map(|(name, _)| text(name));
                let mut n = 0..;
                let whole = expected.map(|(name, day)| (name, day, texts[n.next().unwrap()].as_str()));
                let title = if minor == "##" { "# Changelog\n\n" } else { "" };
                assert_eq!(listed(&format!("{title}{page}")), found(whole), "{minor} {is_linked}");
                let first_two: String = expected[1..3].iter().map(release).collect();
                assert_eq!(listed(&format!("{title}{first_two}")).len(), 2, "{minor} {is_linked}");
            }
        }
        let patches =
            "# Log\n\n### [1.0.2](/2) (2026-09-05)\n\n### Bug Fixes\n\n* b\n\n### [1.0.1](/1) (2026-09-04)\n\n* a\n";
        assert_eq!(listed(patches)[0].2, "<h4>Bug Fixes</h4>\n<ul><li>b</li></ul>", "sections beside their release");
    }

    #[test]
    fn a_note_behind_the_date_makes_no_other_heading() {
        for note in
            [" [YANKED]", " (yanked)", " - YANKED", " - Codename", " \"Big Cat\"", " 🎉", " (LTS)", ", stable", ""]
        {
            for end in ["[1.2.0]: /r/1.2.0\n[1.1.0]: /r/1.1.0\n[1.0.0]: /r/1.0.0\n", ""] {
                let reading = read(&format!(
                    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-09-05\n\n### Added\n\n- c\n\n\
                     ## [1.1.0] - 2026-08-05{note}\n\n- b\n\n## [1.0.0] - 2026-07-05\n\n- a\n\n{end}"
                ));
                let plain: Vec<_> = titles(&reading).iter().map(|t| t.trim_matches(['[', ']'])).collect();
                assert_eq!(plain, ["1.2.0", "1.1.0", "1.0.0"], "{note} {end}");
                assert_eq!(day(&reading.posts[1]), "2026-08-05", "{note} {end}");
                assert_eq!(reading.posts[0].summary.as_str(), "<h4>Added</h4>\n<ul><li>c</li></ul>", "{note} {end}");
            }
        }
    }
}

mod odd_ones {
    use super::*;

    #[test]
    fn a_heading_that_begins_with_its_link_needs_no_fields_among_others_that_have_some() {
        let reading = read(
            "# T\n\n## Articles\n\n### [Kilns](https://a.example/a)\n- Published: Sep 5, 2026\n\nHot.\n\n\
             ### [Clay](https://a.example/b) — Goo\n\nIt rests.\n\n### New: [Sand](https://a.example/c)\n\n\
             ### More of what is old is [here](https://a.example/d)\n\n### [Glaze](https://a.example/e) (PDF)\n\
             - Published: Sep 4, 2026\n\nBlue.\n",
        );
        assert_eq!(titles(&reading), ["Kilns", "Clay — Goo", "New: Sand", "Glaze (PDF)"]);
        assert_eq!(reading.posts[1].summary.text().as_str(), "It rests.");
        assert_eq!(
            problems(&reading),
            [
                "item: line 16: `More of what is old is here` is no post: it neither begins with its link nor has a list of \
              fields below it"
            ]
        );
    }

    #[test]
    fn fields_may_stand_in_a_list_below_each_row() {
        let row = |n: u8| {
            format!(
                "- [Kiln number {n}](https://a.example/{n})\n  - Company: Goo\n  - Author: Ann, Bob\n  - Type: Report\n  \
                 - Published: Sep {n}, 2026\n"
            )
        };
        let reading = read(&format!("# T\n\n{}{}", row(2), row(1)));
        assert_eq!(titles(&reading), ["Kiln number 2", "Kiln number 1"]);
        let post = &reading.posts[0];
        assert_eq!((day(post), companies(post)), ("2026-09-02".to_owned(), vec![("Goo", "")]));
        assert_eq!((texts(&post.authors), post.kind.as_ref().map(Text::as_str)), (vec!["Ann", "Bob"], Some("Report")));
    }

    #[test]
    fn posts_may_be_numbered_headings() {
        let post = |n: u8| {
            format!(
                "{n}. ### [Kiln number {n}](https://a.example/{n})\n   - Company: Goo\n   - Published: Sep {n}, 2026\n\n   \
                 It is hot.\n"
            )
        };
        let reading = read(&format!("# T\n\n{}{}{}", post(1), post(2), post(3)));
        assert_eq!(titles(&reading), ["Kiln number 1", "Kiln number 2", "Kiln number 3"]);
        assert_eq!(day(&reading.posts[1]), "2026-09-02");
        assert_eq!(reading.posts[1].summary.text().as_str(), "It is hot.");
    }

    #[test]
    fn columns_are_fields() {
        let reading = read(
            "# T\n\n| Title | Company | Author | Type | Date |\n|---|---|---|---|---|\n\
             | [Kilns](https://a.example/1) | [Goo](https://goo.example/) | Ann, Bob | Report | Sep 5, 2026 |\n\
             | [Clay](https://a.example/2) | Acme | Cy | Tutorial | Sep 4, 2026 |\n",
        );
        assert_eq!(titles(&reading), ["Kilns", "Clay"]);
        let post = &reading.posts[0];
        assert_eq!((day(post), companies(post)), ("2026-09-05".to_owned(), vec![("Goo", "https://goo.example/")]));
        assert_eq!((texts(&post.authors), post.kind.as_ref().map(Text::as_str)), (vec!["Ann", "Bob"], Some("Report")));
    }

    #[test]
    fn a_column_of_topics_is_the_type_and_one_of_summaries_the_text() {
        let reading = read(
            "# T\n\n| Title | Publisher | By | Topic | Published | Description |\n|---|---|---|---|---|---|\n\
             | [Kilns](https://a.example/1) | Goo | Ann | Heat | Sep 5, 2026 | Kilns are *hot*, and [so](https://b.example/) on. |\n\
             | [Clay](https://a.example/2) | Acme | Cy | Earth | Sep 4, 2026 | |\n",
        );
        assert_eq!(titles(&reading), ["Kilns", "Clay"]);
        let post = &reading.posts[0];
        assert_eq!((companies(post), texts(&post.authors)), (vec![("Goo", "")], vec!["Ann"]));
        assert_eq!(post.kind.as_ref().map(Text::as_str), Some("Heat"));
        assert_eq!(post.summary.text().as_str(), "Kilns are hot, and so on.");
        assert!(reading.posts[1].summary.is_empty());
    }

    #[test]
    fn a_column_of_topics_or_descriptions_alone_is_that_of_the_titles() {
        let reading = read(
            "# T\n\n| Date | Topic | Slides |\n|---|---|---|\n\
             | Sep 5, 2026 | New kilns are lit | [slides](https://a.example/1) |\n\
             | Sep 4, 2026 | Old clay rests | [slides](https://a.example/2) |\n",
        );
        assert_eq!(titles(&reading), ["New kilns are lit", "Old clay rests"]);
        assert!(reading.posts.iter().all(|post| post.kind.is_none()));
        let reading = read(
            "# T\n\n| Date | Description | PDF |\n|---|---|---|\n\
             | Sep 5, 2026 | [New kilns are lit](https://a.example/1) | [pdf](https://a.example/1.pdf) |\n\
             | Sep 4, 2026 | [Old clay rests](https://a.example/2) | [pdf](https://a.example/2.pdf) |\n",
        );
        assert_eq!(titles(&reading), ["New kilns are lit", "Old clay rests"]);
    }

    #[test]
    fn a_tables_links_need_not_say_the_titles() {
        let reading = read(
            "# T\n\n| Post | Link | When |\n|---|---|---|\n| New kilns are lit | [link](https://a.example/1) | Sep 5, 2026 |\n\
             | Old clay rests | [link](https://a.example/2) | Sep 4, 2026 |\n\
             | A blue glaze | https://a.example/3 | Sep 3, 2026 |\n",
        );
        assert_eq!(titles(&reading), ["New kilns are lit", "Old clay rests", "A blue glaze"]);
        assert_eq!(reading.posts.iter().map(link).collect::<Vec<_>>()[2], "https://a.example/3");
    }

    #[test]
    fn lines_of_nothing_but_fields_are_fields() {
        let reading = read(
            "# T\n\n## Articles\n\n### [Kilns](https://a.example/1)\nCompany: [Goo](https://goo.example/)\n\
             **Author:** Ann, Bob\nPublished: Sep 5, 2026\n\nHot.\n\n### [Clay](https://a.example/2)\n\
             Published: Sep 4, 2026\n\nNote: it rests.\n\n### [Sand](https://a.example/3)\nSource: the river, and it is fine.\n",
        );
        assert_eq!(reading.posts.iter().map(day).collect::<Vec<_>>(), ["2026-09-05", "2026-09-04", ""]);
        assert_eq!(companies(&reading.posts[0]), [("Goo", "https://goo.example/")]);
        assert_eq!(texts(&reading.posts[0].authors), ["Ann", "Bob"]);
        let summaries: Vec<String> = reading.posts.iter().map(|p| p.summary.text().to_string()).collect();
        assert_eq!(summaries, ["Hot.", "Note: it rests.", "Source: the river, and it is fine."]);
    }

    /// A list may begin with its oldest post.
    #[test]
    fn of_a_list_that_is_too_long_the_newest_are_read() {
        let day = |n: i64| {
            (chrono::NaiveDate::from_ymd_opt(2020, 1, 1).expect("a day") + chrono::Days::new(n.unsigned_abs()))
                .to_string()
        };
        let rows: String = (0..1_500).map(|n| format!("- {}: [Kiln {n}](https://a.example/{n})\n", day(n))).collect();
        let reading = read(&format!("# T\n\n{rows}"));
        assert_eq!((reading.posts.len(), titles(&reading)[0], titles(&reading)[999]), (1_000, "Kiln 500", "Kiln 1499"));
        assert_eq!(problems(&reading), ["item: 1500 posts: only the newest 1000 of them are read"]);
        let rows: String = (0..1_500)
            .map(|n| format!("<li><a href=/{n}>Kiln number {n} is lit</a> <time datetime={}>x</time></li>", day(n)))
            .collect();
        let html = format!("<!doctype html><title>T</title><ul>{rows}</ul>");
        let reading = extract(&body(PAGE, html, Some("text/html")), &settings()).expect("a list");
        assert_eq!((reading.posts.len(), titles(&reading)[999]), (1_000, "Kiln number 1499 is lit"));
        assert_eq!(problems(&reading), ["item: 1500 posts: only the newest 1000 of them are read"]);
    }

    /// <https://keepachangelog.com>: what is in no version yet is no news, and the first version compares with nothing.
    #[test]
    fn a_changelogs_versions_are_its_posts() {
        let reading = read(
            "# Changelog\n\n## [Unreleased]\n\n- Soon.\n\n## [1.1.0] - 2026-09-05\n\n- Faster.\n\n## 1.0.0 - 2026-08-05\n\n\
             - First.\n\n[Unreleased]: https://g.example/v1.1.0...HEAD\n[1.1.0]: https://g.example/v1.0.0...v1.1.0\n",
        );
        assert_eq!(titles(&reading), ["1.1.0", "1.0.0"]);
        assert_eq!(
            (day(&reading.posts[0]), day(&reading.posts[1])),
            ("2026-09-05".to_owned(), "2026-08-05".to_owned())
        );
        assert!(problems(&reading).is_empty(), "{:?}", problems(&reading));
    }

    #[test]
    fn a_link_may_be_written_in_html() {
        let post = only("### <a href=\"https://a.example/x?a=1&amp;b=2\">A *title*</a>\n- Author: Ann,, Bob\n\nText\n");
        assert_eq!((post.title.as_str(), link(&post)), ("A title", "https://a.example/x?a=1&b=2"));
        assert_eq!(texts(&post.authors), ["Ann", "Bob"]);
    }
}

mod fields {
    use super::*;

    #[test]
    fn lists_are_written_in_many_ways() {
        for list in [
            "- Company: [Acme](/c)\n- Author: Ana\n- Published: Sep 2, 2026\n- Type: Talk",
            "* **Company:** [Acme](/c)\n* **Author:** Ana\n* **Published:** Sep 2, 2026\n* **Type:** Talk",
            "+ *Company*: [Acme](/c)\n+ *By*: Ana\n+ *Posted on*: Sep 2, 2026\n+ *Category*: Talk",
            "\n- COMPANY : [Acme](/c)\n\n- authors: Ana\n\n- date: Sep 2, 2026\n\n- kind: Talk",
            "  - Publisher: [Acme](/c)\n  - Author: Ana\n  - Date: Sep 2, 2026\n  - Type: Talk",
            "- Company:\n  [Acme](/c)\n- Author:\n    Ana\n- Published: Sep 2,\n  2026\n- Type: Talk",
            "- Company: [Acme](/c)\n* Author: Ana\n- Published: Sep 2, 2026\n* Type: Talk",
            "<!-- 17 -->\n- Company: [Acme](/c)\n- Author: Ana\n- Published: Sep 2, 2026\n- Type: Talk",
            "- Company:\n  - [Acme](/c)\n- Authors:\n  - Ana\n- Published: Sep 2, 2026\n- Type: Talk",
        ] {
            let post = only(&format!("### [T](/t)\n{list}\n\nThe text.\n"));
            assert_eq!(companies(&post), [("Acme", "https://topics.example/c")], "{list}");
            assert_eq!(texts(&post.authors), ["Ana"], "{list}");
            assert_eq!((day(&post), post.kind.clone()), ("2026-09-02".into(), Some(Text::line("Talk"))), "{list}");
            assert_eq!(post.summary.as_str(), "<p>The text.</p>", "{list}");
        }
    }

    #[test]
    fn a_text_without_a_blank_line_above_it_is_no_part_of_the_last_value() {
        let post = only(
            "### [T](/t)\n- Company: Acme\n- Type: Talk\nThe *text*, with [a link](/l)\nand a second line.\n\nMore.\n",
        );
        assert_eq!(post.kind, Some(Text::line("Talk")));
        let link = "<a href=\"https://topics.example/l\">a link</a>";
        let expected = format!("<p>The <em>text</em>, with {link} and a second line.</p>\n<p>More.</p>");
        assert_eq!(post.summary.as_str(), expected);
    }

    #[test]
    fn a_text_set_in_below_the_list_is_the_posts() {
        let post = only("### [T](/t)\n- Type: Talk\n\n  The text.\n\n      code\n\nMore.\n");
        assert_eq!(post.kind, Some(Text::line("Talk")));
        assert_eq!(post.summary.as_str(), "<p>The text.</p>\n<pre><code>code\n</code></pre>\n<p>More.</p>");
    }

    #[test]
    fn a_list_of_the_text_is_no_list_of_fields() {
        for (list, summary) in [
            ("- Note: something\n- Tip: more", "<ul><li>Note: something</li><li>Tip: more</li></ul>"),
            (
                "- [Type: a link](/x): words",
                "<ul><li><a href=\"https://topics.example/x\">Type: a link</a>: words</li></ul>",
            ),
            ("Intro:\n\n- Type: of nothing", "<p>Intro:</p>\n<ul><li>Type: of nothing</li></ul>"),
            ("1. Type: counted", "<ol><li>Type: counted</li></ol>"),
            ("- https://x.example/y", "<ul><li>https://x.example/y</li></ul>"),
        ] {
            let post = only(&format!("### [T](/t)\n{list}\n"));
            assert_eq!((post.kind, post.extra.len()), (None, 0), "{list}");
            assert_eq!(post.summary.as_str(), summary, "{list}");
        }
    }

    #[test]
    fn a_list_right_below_the_fields_is_the_texts() {
        let post =
            only("### [T](/t)\n- Company: Acme\n- Type: Talk\n- Level: easy\n\n- Note: first\n- second\n\nEnd.\n");
        assert_eq!(post.extra, [(Text::line("Level"), Text::line("easy"))]);
        assert_eq!(post.summary.as_str(), "<ul><li><p>Note: first</p></li><li><p>second</p></li></ul>\n<p>End.</p>");
    }

    #[test]
    fn companies_are_parted_by_their_links() {
        for (value, expected) in [
            ("[A](/a), [B](/b)", vec![("A", "https://topics.example/a"), ("B", "https://topics.example/b")]),
            ("[A](/a) & [B](/b)", vec![("A", "https://topics.example/a"), ("B", "https://topics.example/b")]),
            (
                "[A](/a), B Corp and Sons, and C",
                vec![("A", "https://topics.example/a"), ("B Corp and Sons", ""), ("C", "")],
            ),
            ("[Smith, Jones & Co](/s)", vec![("Smith, Jones & Co", "https://topics.example/s")]),
            ("[A](/a), [A](/a)", vec![("A", "https://topics.example/a")]),
            ("Smith, Jones & Co", vec![("Smith, Jones & Co", "")]),
            ("AT&amp;T **Labs**", vec![("AT&T Labs", "")]),
            ("-", vec![]),
            ("", vec![]),
        ] {
            let post = only(&format!("### [T](/t)\n- Type: x\n- Company: {value}\n"));
            assert_eq!(companies(&post), expected, "{value}");
        }
    }

    #[test]
    fn authors_are_parted_by_commas_outside_brackets() {
        for (value, expected) in [
            ("Ana Roe, Bo (Bob, Jr) Li", vec!["Ana Roe", "Bo (Bob, Jr) Li"]),
            ("[Ana](/a), [Bo, of Acme](/b)", vec!["Ana", "Bo, of Acme"]),
            ("Sam Day, Jr., Ana, PhD, and Bo", vec!["Sam Day, Jr.", "Ana, PhD", "Bo"]),
            ("Ana (Amy, Bo", vec!["Ana (Amy", "Bo"]),
            ("Ana; Bo、Cy", vec!["Ana", "Bo", "Cy"]),
            ("The 1,000 Club", vec!["The 1,000 Club"]),
            ("Research and Development", vec!["Research and Development"]),
            ("<b onmouseover=alert(1)>Eve</b>", vec!["Eve"]),
            ("Ana,\n  Bo,\nCy", vec!["Ana", "Bo", "Cy"]),
        ] {
            let post = only(&format!("### [T](/t)\n- Author: {value}\n- Type: x\n"));
            assert_eq!(texts(&post.authors), expected, "{value}");
        }
    }

    #[test]
    fn the_original_article_is_known_where_the_page_names_it() {
        let post = only("### [T](/t)\n- Type: x\n- Original: [there](https://acme.example/blog/t)\n");
        assert_eq!(post.original, Url::parse("https://acme.example/blog/t").ok());
    }

    #[test]
    fn a_date_that_cannot_be_is_no_date_and_a_problem() {
        for bad in ["Feb 30, 2026", "3/12/2020", "some hours ago", "September 2026", "Sep 24"] {
            let reading = read(&format!("# T\n\n### [A](/a)\n- Type: x\n- Published: {bad}\n"));
            assert_eq!(reading.posts[0].published, None);
            let expected =
                format!("date: line 5: date `{bad}` not understood: write it as `2026-09-24` or `Sep 24, 2026`");
            assert_eq!(problems(&reading), [expected]);
        }
        assert_eq!(problems(&read("# T\n\n### [A](/a)\n- Type: x\n- Published:\n")), [""; 0], "nothing is no bad date");
    }
}

mod summaries {
    use super::*;

    fn summary(text: &str) -> String {
        only(&format!("### [T](/t)\n- Type: x\n\n{text}\n")).summary.as_str().to_owned()
    }

    #[test]
    fn code_hides_what_looks_like_a_post() {
        let text = "```md\n### [No](https://x.example/no)\n- Published: Jan 1, 2001\n~~~\n```\n\n~~~\n### [Nor](https://x.example/nor)\n```\n~~~";
        assert_eq!(
            summary(text),
            "<pre><code>### [No](https://x.example/no)\n- Published: Jan 1, 2001\n~~~\n</code></pre>\n\
             <pre><code>### [Nor](https://x.example/nor)\n```\n</code></pre>"
        );
    }

    #[test]
    fn headings_in_quotes_and_lists_are_text() {
        let text = "> ### [Quoted](/q)\n> - Published: Jan 1, 2001\n\n- ### [Listed](/l)";
        assert!(summary(text).starts_with("<blockquote><h4><a href=\"https://topics.example/q\">Quoted</a></h4>"));
    }

    #[test]
    fn all_text_is_escaped_once() {
        assert_eq!(summary("a < b & c &lt;i&gt; \"q\""), "<p>a &lt; b &amp; c &lt;i&gt; &quot;q&quot;</p>");
        assert_eq!(summary("`<![CDATA[` and `]]>`"), "<p><code>&lt;![CDATA[</code> and <code>]]&gt;</code></p>");
        assert_eq!(summary("a\u{1d}b\u{b}c\u{fffe}d 🚀"), "<p>abcd 🚀</p>");
        assert_eq!(summary("a  \nb\\\nc"), "<p>a<br>b<br>c</p>");
    }

    #[test]
    fn addresses_are_absolute_and_of_the_web_or_of_mail() {
        assert_eq!(
            summary(
                "[a](/x?a=1&b=\"2\") [b](javascript:x) [c](mailto:c@x.example) <d@x.example> ![e](data:x) ![f](f.png)"
            ),
            "<p><a href=\"https://topics.example/x?a=1&amp;b=%222%22\">a</a> b <a href=\"mailto:c@x.example\">c</a> \
             <a href=\"mailto:d@x.example\">d@x.example</a> e <img src=\"https://topics.example/f.png\" alt=\"f\"></p>"
        );
    }

    #[test]
    fn raw_html_is_sanitised_and_its_words_stay() {
        let html = summary(
            "One <script>alert(1)</script><img src=/i.png onerror=alert(1)> <em>two</em>\n\n<div onclick=x>three</div>\n\n<svg onload=alert(1)>\n\n[four](/4)",
        );
        assert_eq!(
            html,
            "<p>One <img src=\"https://topics.example/i.png\"> <em>two</em></p>\nthree\n\n\n\n\
             <p><a href=\"https://topics.example/4\">four</a></p>"
        );
        assert_eq!(summary("A Vec<T> of it"), "<p>A Vec&lt;T&gt; of it</p>");
        assert_eq!(summary("Text <!-- hidden --> goes on"), "<p>Text  goes on</p>");
    }

    #[test]
    fn a_text_is_bounded_in_length_and_depth() {
        let long = summary(&"long *text* ".repeat(20_000));
        assert!(long.len() < 33 * 1024 && long.ends_with("</p>"), "{}", long.len());
        let deep = summary(&format!("{} deep", "> ".repeat(5_000)));
        assert_eq!((deep.matches("<blockquote>").count(), deep.matches("</blockquote>").count()), (32, 32));
    }
}

mod front_matter {
    use super::*;

    #[test]
    fn broken_yaml_costs_only_itself() {
        let reading =
            read("---\ntitle: TPU: part 2\ndescription: >\n  7 posts:\n  all of them\n---\n\n# Other\n\n## [A](/a)\n");
        assert_eq!(reading.title, Some(Text::line("TPU: part 2")));
        assert_eq!(reading.description, Some(Text::line("7 posts: all of them")));
        assert_eq!((titles(&reading), reading.stated), (vec!["A"], Some(7)));
        let problem =
            "front-matter: line 2: front matter not understood: mapping values are not allowed in this context";
        assert_eq!(problems(&reading), [problem]);
    }

    #[test]
    fn values_are_words_and_other_keys_do_no_harm() {
        let title = |block: &str| read(&format!("---\n{block}\n---\n# H\n\n## [A](/a)\n")).title.unwrap().to_string();
        assert_eq!(title("title: 2026"), "2026");
        assert_eq!(title("title: no\ntags: [a, b]\nnested: {x: 1}"), "no");
        assert_eq!(title("title: \"Quoted: yes\" # why"), "Quoted: yes");
        assert_eq!(title("title: one\ntitle: two"), "one", "the first of two");
        assert_eq!(title("layout: list"), "H");
        assert_eq!(title("title: [broken"), "[broken");
    }

    #[test]
    fn a_thematic_break_at_the_start_is_no_front_matter() {
        let reading = read("---\n\n# T\n\n## [A](/a)\n\nText: one.\n\n---\n\n## [B](/b)\n");
        assert_eq!((titles(&reading), problems(&reading)), (vec!["A", "B"], vec![]));
        let reading = read("---\nA note: hello.\n\n## [A](/a)\n\n---\n\n## [B](/b)\n");
        assert_eq!(titles(&reading), ["A", "B"]);
    }

    #[test]
    fn an_open_end_loses_no_post() {
        let reading = read("---\ntitle: T\n\n# H\n\n## [A](/a)\n\n---\n\n## [B](/b)\n");
        assert_eq!((titles(&reading), reading.title.clone()), (vec!["A", "B"], Some(Text::line("T"))));
        assert_eq!(problems(&reading), ["front-matter: line 2: front matter not understood: no line `---` ends it"]);
    }

    #[test]
    fn a_large_or_growing_block_is_not_read() {
        let large = read(&format!("---\ntitle: T\nx: {}\n---\n# H\n\n## [A](/a)\n", "y".repeat(20_000)));
        assert_eq!((titles(&large), large.problems.len(), large.title.clone()), (vec!["A"], 1, Some(Text::line("H"))));
        let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..12 {
            let aliases = vec![format!("*a{}", i - 1); 9].join(", ");
            bomb = format!("{bomb}a{i}: &a{i} [{aliases}]\n");
        }
        let reading = read(&format!("{bomb}---\n# H\n\n## [A](/a)\n"));
        assert_eq!((titles(&reading), reading.problems.len()), (vec!["A"], 1));
    }
}

mod documents {
    use super::*;

    fn refused(bytes: &str, media_type: &str) -> String {
        let failure = read_as(bytes, Some(media_type)).expect_err("no topic page");
        assert_eq!(failure.kind, ErrorKind::NotATopicPage, "{bytes}");
        failure.message
    }

    #[test]
    fn html_is_told_by_its_content() {
        for html in [
            "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h2>Articles</h2></body></html>",
            "\n <!-- cached -->\n<HTML lang=en><body>\n\n# T\n\n### [A](/a)\n",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html><html/>",
            "<head><meta charset=utf-8>",
        ] {
            assert!(refused(html, "text/markdown").contains("HTML"), "{html}");
        }
        assert!(refused("<div>\n\n### [A](/a)\n\n</div>", "text/html; charset=utf-8").contains("HTML"));
    }

    #[test]
    fn feeds_and_json_are_told_by_their_content() {
        for feed in [
            "<?xml version=\"1.0\"?><rss/>",
            "<!DOCTYPE rss><rss/>",
            "<rdf:RDF></rdf:RDF>",
            "<?xml version=\"1.0\"?><urlset/>",
            "{\n\"version\": 1}",
        ] {
            assert!(
                refused(feed, "text/plain").contains("no feed") || refused(feed, "text/plain").contains("no JSON Feed"),
                "{feed}"
            );
        }
        assert_eq!(read_as("<feed xmlns=\"x\"/>", Some("text/html")).unwrap().kind, Kind::Feed);
    }

    #[test]
    fn markdown_is_told_by_its_content() {
        for page in [
            "<div align=center>\n\n# T\n\n</div>\n\n## [A](/a)\n",
            "{% raw %}\n\n## [A](/a)\n",
            "<!-- x -->\n## [A](/a)\n",
        ] {
            assert_eq!(titles(&read_as(page, Some("text/plain")).unwrap()), ["A"], "{page}");
        }
        assert_eq!(titles(&read_as("## [A](/a)\n", Some("text/html")).unwrap()), ["A"]);
    }

    #[test]
    fn prose_without_a_heading_is_no_topic_page() {
        for text in ["We are down for maintenance. Back soon.\n", "%PDF-1.7\n", "- [a](/a)\n- [b](/b)\n"] {
            assert!(refused(text, "text/markdown").contains("no heading"), "{text}");
        }
    }

    #[test]
    fn nothing_at_all_is_empty() {
        for text in ["", "  \n", "\u{feff}\r\n"] {
            assert_eq!(read_as(text, None).expect_err("nothing").kind, ErrorKind::Empty, "{text:?}");
        }
    }

    #[test]
    fn a_configured_kind_binds() {
        let must = |kind| PageSettings { kind: Some(kind), ..settings() };
        let html = body(PAGE, "<!doctype html><p>x", None);
        let failure = extract(&html, &must(Kind::Markdown)).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::NotATopicPage);
        assert!(failure.message.contains("`kind` says `markdown`"), "{failure}");
        let markdown = body(PAGE, "## [A](/a)\n", Some("text/html"));
        assert!(extract(&markdown, &must(Kind::Markdown)).is_ok());
        assert!(extract(&markdown, &must(Kind::Html)).is_err());
        assert!(extract(&markdown, &must(Kind::Feed)).is_err());
    }

    #[test]
    fn bytes_become_text_by_the_best_evidence() {
        let title = |bytes: &[u8], media_type| read_as(bytes, media_type).unwrap().posts[0].title.to_string();
        assert_eq!(title(b"## [caf\xe9](/a)\n", None), "café", "windows-1252 where UTF-8 cannot be");
        assert_eq!(title(b"## [caf\xc3\xa9](/a)\n", Some("text/markdown; charset=iso-8859-1")), "café", "UTF-8 wins");
        assert_eq!(
            title(b"## [\xcf\xf0](/a)\n", Some("text/plain; Charset=\"windows-1251\"")),
            "Пр",
            "the declared charset"
        );
        assert_eq!(title(b"## [caf\xe9 \xe2\x80\x94](/a)\n", None), "caf\u{fffd} —", "broken UTF-8 stays UTF-8");
        assert_eq!(title(b"## [caf\xe9](/a)\n", Some("text/markdown; charset=utf-8")), "caf\u{fffd}");
        let utf16: Vec<u8> = "\u{feff}## [日本](/a)\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(title(&utf16, None), "日本", "a byte order mark");
        assert_eq!(title(b"## [\x1b$BF|K\\\x1b(B](/a)\n", Some("text/plain; charset=iso-2022-jp")), "日本");
    }

    #[test]
    fn size_and_nesting_do_not_matter() {
        for page in [
            format!("# T\n\n{} x\n", ">".repeat(20_000)),
            format!("# T\n\n### {}(/a)\n", "[".repeat(20_000)),
            format!("# T\n\n### [A](/a)\n- Author: {}\n", "(".repeat(100_000)),
            format!("# T\n\n### [A](/a)\n{}", "- a\n".repeat(20_000)),
            format!("# T\n\n### [A](/a)\n- Company: {}", "[c](/c), ".repeat(20_000)),
            "# a\n".repeat(30_000),
        ] {
            let _ = read_as(page, None);
        }
    }
}

mod dates {
    use super::*;

    #[test]
    fn where_only_a_date_can_stand_words_beside_it_say_nothing() {
        for (text, date) in [
            ("сб, 5 сентября 2026 г.", "2026-09-05"),
            ("5 września 2026 r.", "2026-09-05"),
            ("2026. szeptember 5., szombat", "2026-09-05"),
            ("2026年9月5日 星期六", "2026-09-05"),
            ("2026年9月5日(土)", "2026-09-05"),
            ("วันเสาร์ที่ 5 กันยายน 2569", "2026-09-05"),
            ("Sep 5, 2026 10:00 a.m.", "2026-09-05T10:00:00Z"),
            ("2026-09-05 10:00:00 +0000 UTC", "2026-09-05T10:00:00Z"),
            ("2026-09-05 10:00:00 +0200 CEST", "2026-09-05T08:00:00Z"),
            ("5 сентября 2026 г., 10:00", "2026-09-05T10:00:00Z"),
            ("2026-09-05+09:00", "2026-09-05"),
            ("2026-09-05-05:00", "2026-09-05"),
            ("2026-09-05Z", "2026-09-05"),
            ("2026년 9월 5일 오후 3:00", "2026-09-05T15:00:00Z"),
            ("2026년 9월 5일 오전 12:30", "2026-09-05T00:30:00Z"),
            ("2026년 9월 5일 오후 12시 30분", "2026-09-05T12:30:00Z"),
            ("2026年9月5日 下午3:00", "2026-09-05T15:00:00Z"),
            ("2026年9月5日上午10点", "2026-09-05T10:00:00Z"),
            ("2026年9月5日 午後3時15分", "2026-09-05T15:15:00Z"),
            ("2026年9月5日 午前0時15分", "2026-09-05T00:15:00Z"),
            ("2026年9月5日 15時15分", "2026-09-05T15:15:00Z"),
            ("2026/9/5 下午 03:00:00", "2026-09-05T15:00:00Z"),
            ("2026/9/5 PM 3:00", "2026-09-05T15:00:00Z"),
            ("5 сентября 2026 г. 10:00", "2026-09-05T10:00:00Z"),
            ("Sep 5, 2026 3:00 p. m.", "2026-09-05T15:00:00Z"),
            // A word that nobody knows may name either half of the day.
            ("2026-09-05 iltapäivällä 3:00", "2026-09-05"),
            ("2026-09-05 iltapäivällä 15:00", "2026-09-05T15:00:00Z"),
            ("2026年9月5日 3时", ""),
            ("2026-09-05 build 3", ""),
            ("2026年9月5日 上午15:00", "2026-09-05T15:00:00Z"),
            ("not before Sep 5, 2026", ""),
            ("Sep 5 or Sep 6, 2026", ""),
            ("version 3 of Sep 5, 2026", ""),
        ] {
            assert_eq!(day(&only(&format!("### [A](https://a.example/a)\n- Published: {text}\n"))), date, "{text}");
            let rss = format!(
                "<rss version=\"2.0\"><channel><title>T</title><item><link>https://a.example/a</link><pubDate>{text}</pubDate>\
                 </item></channel></rss>"
            );
            let reading = extract(&body(PAGE, rss, None), &settings()).expect("a feed");
            assert_eq!(day(&reading.posts[0]), date, "{text} in a feed");
        }
    }

    /// What a page's two posts say of their dates in a line below their headings.
    fn below(line: &str) -> String {
        let post = |n| format!("## [Post {n}](https://a.example/{n})\n\n{line}\n\nSome text of the post.\n\n");
        let reading = read(&format!("# Posts\n\n{}{}", post(2), post(1)));
        assert_eq!(titles(&reading), ["Post 2", "Post 1"], "{line}");
        assert_eq!(day(&reading.posts[0]), day(&reading.posts[1]), "{line}");
        assert!(reading.posts[0].summary.as_str().contains("Some text"), "{line}");
        day(&reading.posts[0])
    }

    #[test]
    fn the_line_below_a_heading_dates_its_post() {
        for line in [
            "*September 5, 2026* · Ann Bee · 5 min read",
            "*2026-09-05* by Ann Bee",
            "2026-09-05",
            "_September 5, 2026_",
            "**Sat, September 5, 2026**",
            "September 5, 2026 | Ann Bee-Smith and Bert Cee | Engineering | 5 min read",
            "Posted on September 5, 2026",
            "Posted on September 5, 2026 in [News](/news)",
            "Published September 5, 2026 by Ann",
            "By [Ann Bee](/ann), September 5, 2026",
            "Ann Bee — September 5, 2026",
            "Ann Bee, 5 September 2026",
            "> September 5, 2026",
            "* September 5, 2026\n* Ann Bee",
            "`2026-09-05`",
            "📅 2026-09-05 ⏱ 5 min",
            "Updated September 7, 2026 · Published September 5, 2026",
            "September 5, 2026 (updated September 7, 2026)",
            "September 5, 2026\nThe text begins on the next line.",
            "![Chart](/chart.png)\n\n2026年9月5日",
            "<time datetime=\"2026-09-05\">Sep 5</time>",
            "Posted <time datetime='2026-09-05'>last week</time> by Ann Bee",
            "<p class=\"meta\">\n<span>September 5, 2026</span>\n</p>",
            "<time class=\"datetime\" datetime=2026-09-05>5/9</time>",
            "<small><time datetime=\"2026-09-05\">5/9</time></small>",
        ] {
            assert_eq!(below(line), "2026-09-05", "{line}");
        }
        assert_eq!(below("<time datetime=\"2026-09-05T10:00:00Z\">Sep 5</time> · Ann"), "2026-09-05T10:00:00Z");
        assert_eq!(below("2026-09-05 10:00 UTC · Ann"), "2026-09-05T10:00:00Z");
    }

    #[test]
    fn a_date_in_running_text_is_not_the_posts() {
        for line in [
            "On September 5, 2026 we moved all of our servers.",
            "September 5, 2026 was a long day",
            "On 5 September 2026\nwe moved.",
            "We met in Rome, September 5, 2026.",
            "2026-09-05: the day on which all of our servers moved to another place",
            "The release of September 5, 2026",
            "Version 2 (2026-09-05) is faster",
            "Updated September 5, 2026",
            "Last updated: 2026-09-05",
            "September 2026",
            "05/09/2026",
            "```\n2026-09-05\n```",
            "#### 2026-09-05",
        ] {
            assert_eq!(below(line), "", "{line}");
        }
        let own = only("### [A](https://a.example/a)\n- Published: Sep 4, 2026\n\nSeptember 5, 2026 · Ann\n");
        assert_eq!(day(&own), "2026-09-04", "a field says it");
        let ago = only("### [A](https://a.example/a)\n\n3 days ago · Ann Bee\n");
        assert_eq!((day(&ago).as_str(), ago.ago), ("", Some(pagewire::model::Ago::Days(3))));
    }

    #[test]
    fn a_heading_that_is_a_day_dates_the_posts_below_it() {
        let reading = read(
            "# T\n\n## 2026-09-05\n\n### [A long title](https://a.example/1)\n\n### [Another title](https://a.example/2)\n\n\
             ## Older\n\n### [Third title](https://a.example/3)\n",
        );
        assert_eq!(reading.posts.iter().map(day).collect::<Vec<_>>(), ["2026-09-05", "2026-09-05", ""]);
        let rows = read("# T\n\n## 2026-09-05\n\n- [A](https://a.example/1)\n- [B](https://a.example/2)\n");
        assert_eq!(rows.posts.iter().map(day).collect::<Vec<_>>(), ["2026-09-05", "2026-09-05"]);
    }

    #[test]
    fn the_links_below_a_day_are_posts_of_that_day() {
        for (newer, older) in [
            ("2026-09-05", "2026-09-04"),
            ("Sep 5, 2026", "Sep 4, 2026"),
            ("Saturday, 5 September 2026", "4 September 2026"),
        ] {
            let reading = read(&format!(
                "# Link blog\n\nThings I read.\n\n## {newer}\n\n- [Alpha](https://a.example/1) — said well\n\
                 - **[Beta](https://b.example/2)**\n\n## {older}\n\n* [Gamma ray](https://c.example/3)\n\n## 2026-09-03\n"
            ));
            assert_eq!(titles(&reading), ["Alpha", "Beta", "Gamma ray"], "{newer}");
            assert_eq!(reading.posts.iter().map(day).collect::<Vec<_>>(), ["2026-09-05", "2026-09-05", "2026-09-04"]);
            assert_eq!(link(&reading.posts[0]), "https://a.example/1");
            assert_eq!(reading.posts[0].summary.as_str(), "<p>said well</p>");
        }
        // Days of a changelog and of a diary are posts themselves.
        for below in [
            "- Fixed a fault\n- [Docs](https://a.example/docs) are longer",
            "- [Faster start](https://a.example/pull/12)\n- [Less memory](https://a.example/pull/13)",
            "- [#12](https://a.example/12) Faster\n- [#13](https://a.example/13) Smaller",
            "Some words of the day.\n\n- [Alpha](https://a.example/1)",
        ] {
            let reading = read(&format!("# Log\n\n## 2026-09-05\n\n{below}\n\n## 2026-09-04\n\n{below}\n"));
            assert_eq!(titles(&reading), ["2026-09-05", "2026-09-04"], "{below}");
        }
    }
    use chrono::{Datelike, NaiveDate};
    use chrono_tz::{Europe::Berlin, Tz};

    fn said(text: &str) -> Option<String> {
        date::parse(text, chrono_tz::UTC).map(|published| published.to_string())
    }

    #[test]
    fn a_day_is_read_in_many_spellings() {
        for text in [
            "Sep 24, 2026",
            "September 24, 2026",
            "24 September 2026",
            "Sept. 24th, 2026",
            "24th of September 2026",
            "Thu, Sep 24, 2026",
            "Thursday 24 Sep 2026",
            "2026-09-24",
            "2026-9-24",
            "2026/09/24",
            "2026.09.24",
            "20260924",
            "24.09.2026",
            "24. 9. 2026",
            "24-Sep-2026",
            "2026 Sep 24",
            "24/09/2026",
            "09/24/2026",
            "2026年9月24日",
            "2026년 9월 24일",
            "24. September 2026",
            "Donnerstag, 24. September 2026",
            "jeudi 24 septembre 2026",
            "24 de septiembre de 2026",
            "quinta-feira, 24 de setembro de 2026",
            "giovedì 24 settembre 2026",
            "donderdag 24 september 2026",
            "24 sept. 2026",
            "SEP 24 2026.",
            "Sep 24,\u{a0}2026",
            "on Sep 24, 2026",
            "Sep 24, 2026 · 5 min read",
            "Sep 24, 2026 (updated Sep 30, 2026)",
        ] {
            assert_eq!(said(text).as_deref(), Some("2026-09-24"), "{text}");
        }
        for (text, expected) in [
            ("1er mars 2026", "2026-03-01"),
            ("3. März 2026", "2026-03-03"),
            ("3 ma\u{308}rz 2026", "2026-03-03"),
            ("14 août 2026", "2026-08-14"),
            ("2 févr. 2026", "2026-02-02"),
            ("1 de março de 2026", "2026-03-01"),
            ("mar. 24 mars 2026", "2026-03-24"),
            ("5 mei 2026", "2026-05-05"),
            ("1º de enero de 2026", "2026-01-01"),
            ("May 1, 2026", "2026-05-01"),
            ("Feb 29, 2028", "2028-02-29"),
            ("5/5/2026", "2026-05-05"),
        ] {
            assert_eq!(said(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_time_is_read_in_its_own_zone() {
        for (text, expected) in [
            ("2026-09-24T10:15:00Z", "2026-09-24T10:15:00+00:00"),
            ("2026-09-24t10:15z", "2026-09-24T10:15:00+00:00"),
            ("2026-09-24 10:15:30.123+02:00", "2026-09-24T10:15:30+02:00"),
            ("2026-09-24T10:15:00+05:30", "2026-09-24T10:15:00+05:30"),
            ("20260924T101500Z", "2026-09-24T10:15:00+00:00"),
            ("2026-09-24T10:15:00+02:00[Europe/Berlin]", "2026-09-24T10:15:00+02:00"),
            ("Thu, 24 Sep 2026 10:15:00 GMT", "2026-09-24T10:15:00+00:00"),
            ("24 Sep 26 10:15 -0700", "2026-09-24T10:15:00-07:00"),
            ("24 Sep 97 10:15 EST", "1997-09-24T10:15:00-05:00"),
            ("Thu, 24 Sep 2026 10:15:00 +0200 (CEST)", "2026-09-24T10:15:00+02:00"),
            ("Sep 24, 2026 10:15 PM PDT", "2026-09-24T22:15:00-07:00"),
            ("Sep 24, 2026 at 12:05 a.m. PT", "2026-09-24T00:05:00-07:00"),
            ("Dec 24, 2026, 9am ET", "2026-12-24T09:00:00-05:00"),
            ("24. September 2026, 10:15 Uhr MESZ", "2026-09-24T10:15:00+02:00"),
            ("2026-09-24 10:15 UTC+2", "2026-09-24T10:15:00+02:00"),
            ("2026-09-24 10:15 Asia/Tokyo", "2026-09-24T10:15:00+09:00"),
            ("2026-12-31T23:59:60Z", "2026-12-31T23:59:59+00:00"),
        ] {
            assert_eq!(said(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_time_without_a_zone_is_the_pages() {
        let said = |text: &str| date::parse(text, Berlin).map(|published| published.to_string());
        assert_eq!(said("2026-07-01 10:00").as_deref(), Some("2026-07-01T10:00:00+02:00"));
        assert_eq!(said("2026-12-01 10:00").as_deref(), Some("2026-12-01T10:00:00+01:00"));
        assert_eq!(said("2026-10-25 02:30").as_deref(), Some("2026-10-25T02:30:00+02:00"), "an hour that comes twice");
        assert_eq!(said("2026-03-29 02:30").as_deref(), Some("2026-03-29T03:30:00+02:00"), "an hour that is skipped");
        assert_eq!(said("2026-07-01").as_deref(), Some("2026-07-01"), "a day is of no zone");
    }

    #[test]
    fn what_is_not_certain_is_no_date() {
        for text in [
            "",
            "soon",
            "Feb 30, 2026",
            "2026-02-29",
            "31.04.2026",
            "3/12/2020",
            "3/12/2020 12:00:00 PM",
            "3-12-2020",
            "Sep 24",
            "September 2026",
            "2026",
            "2026-09",
            "3 hours ago",
            "yesterday",
            "today",
            "24 Sep 26",
            "24.09.26",
            "2021-10-05T012:41:01+05:30",
            "Thu, 31 Dec 2026 24:00:00 +0000",
            "2026-09-24T10:60:00Z",
            "2026-09-24T25:00Z",
            "13:00 PM, Sep 24, 2026",
            "Sep 24, 2026 13:00 PM",
            "2026-09-24T10:00:00+25:00",
            "2026-09-24 10:00 IST",
            "2026-09-24T",
            "Sep 24, 1989",
            "Sep 24, 2101",
            "0001-01-01",
            "1790000000",
            "Sep 24 – 26, 2026",
            "Q3 2026",
            "Sep 24, 2026 to Sep 26, 2026",
            "not Sep 24, 2026",
            "Sep 24, 2026, 1200 words",
            "2026-13-01",
            "00.01.2026",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }

    /// Ten ways to write one day.
    fn spellings(day: NaiveDate) -> [String; 10] {
        [
            "%Y-%m-%d",
            "%Y/%-m/%-d",
            "%Y%m%d",
            "%d.%m.%Y",
            "%b %-d, %Y",
            "%-d %B %Y",
            "%A, %B %-d, %Y",
            "%a, %d %b %Y",
            "%-d-%b-%Y",
            "%Y年%-m月%-d日",
        ]
        .map(|format| day.format(format).to_string())
    }

    #[test]
    fn every_day_is_the_same_day_in_every_zone_and_spelling() {
        let zones: [Tz; 3] = [chrono_tz::Pacific::Auckland, chrono_tz::America::Los_Angeles, chrono_tz::UTC];
        let first = NaiveDate::from_ymd_opt(1990, 1, 1).unwrap();
        for (i, day) in first.iter_days().take_while(|day| day.year() <= 2100).enumerate() {
            for text in spellings(day) {
                let read = date::parse(&text, zones[i % 3]).map(|published| published.to_string());
                assert_eq!(read, Some(day.to_string()), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}", cut in 0usize..40) {
            let _ = date::parse(&text, Berlin);
            let valid = "Thu, 24 Sep 2026 10:15:00.5 +0200 (CEST) Sept. 24º, 2026年9月24日";
            let cut = valid.floor_char_boundary(cut);
            let _ = date::parse(&format!("{}{text}{}", &valid[..cut], &valid[cut..]), Berlin);
        }
    }
}

/// Whether a text holds only what [`Text`] promises.
fn is_clean(text: &str) -> bool {
    text.chars()
        .all(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{feff}' | '\u{202a}'..='\u{202e}'))
}

/// Whether HTML nests well and holds no character that XML forbids.
fn is_well_nested(html: &str) -> bool {
    let mut open = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or((part, ""));
        let name = tag.split(' ').next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some(name) if open.pop() != Some(name) => return false,
            None if !["br", "hr", "img"].contains(&name) => open.push(name),
            _ => {}
        }
    }
    open.is_empty() && html.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t'))
}

proptest! {
    #[test]
    fn any_bytes_give_clean_texts_or_a_failure(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_as([b"# T\n\n### [A](/a)\n".as_slice(), &bytes].concat(), None).map(|r| check(&r));
        let _ = read_as(bytes, None).map(|r| check(&r));
    }

    #[test]
    fn any_marks_give_clean_texts_and_well_nested_html(
        parts in prop::collection::vec(prop::sample::select(vec![
            "# T\n", "## S\n", "### [A](/a)\n", "### B\n", "- Company: [C](/c)\n", "- Author: D, E\n", "* Type: F\n",
            "- Published: Sep 1, 2026\n", "- Note: x\n", "  - sub\n", "text\n", "\n", "\n\n", "> quote\n", "---\n", "```\n",
            "`", "*", "**", "[", "](/x)", "![", "<b>", "</p>", "<!--", "-->", "<T>", "&amp;", "\\", "  ", "\t", "1. n\n",
            "<div>\n", "\u{0}", "\u{1b}", "\u{202e}", "é", "日", ":", "|", "title: x\n", "\r", "    code\n",
        ]), 0..60)
    ) {
        let page = format!("# T\n\n{}", parts.concat());
        let reading = read_as(&page, None).unwrap();
        check(&reading);
    }
}

fn check(reading: &Reading) {
    let lines = [&reading.title, &reading.description].into_iter().flatten();
    for post in &reading.posts {
        let extra = post.extra.iter().flat_map(|(key, value)| [key, value]);
        let texts = post.authors.iter().chain(post.companies.iter().map(|c| &c.name)).chain(&post.kind).chain(extra);
        for text in texts.chain([&post.title]).chain(lines.clone()) {
            assert!(is_clean(text.as_str()), "{text:?}");
        }
        assert!(!post.title.is_empty());
        assert!(post.link.iter().chain(&post.original).all(|url| matches!(url.scheme(), "http" | "https")));
        assert!(is_well_nested(post.summary.as_str()), "{:?}", post.summary);
    }
    assert!(reading.problems.iter().all(|problem| is_clean(&problem.message)));
}

/// Heading attributes of pandoc, Hugo and others, and `~~` of GitHub: neither is a part of the title.
#[test]
fn what_a_dialect_adds_to_a_heading_is_no_part_of_its_title() {
    for (heading, title) in [
        ("[New kilns](https://x.example/1){#kilns .hot}", "New kilns"),
        ("[New kilns](https://x.example/1) {#new_kilns}", "New kilns"),
        ("[New kilns](https://x.example/1) {: .hot } ##", "New kilns"),
        ("~~[New kilns](https://x.example/1)~~", "New kilns"),
        ("[New ~~old~~ kilns](https://x.example/1)", "New old kilns"),
        ("[Props {like} these {}](https://x.example/1)", "Props {like} these {}"),
        ("[About ~ and ~~](https://x.example/1)", "About ~ and ~~"),
    ] {
        assert_eq!(
            only(&format!("### {heading}\n- Published: 2026-09-24\n\nHot.\n")).title.as_str(),
            title,
            "{heading}"
        );
    }
}

#[test]
fn fields_may_be_numbered() {
    let post = only("### [Kilns](https://x.example/1)\n\n1. Company: Acme\n2. Published: 2026-09-24\n\nHot.\n");
    assert_eq!((day(&post).as_str(), companies(&post)), ("2026-09-24", vec![("Acme", "")]));
    assert_eq!(post.summary.as_str(), "<p>Hot.</p>");
}

#[test]
fn front_matter_may_be_json() {
    let front = "{\n  \"title\": \"Kilns\",\n  \"description\": \"1 post about {heat}.\",\n  \"tags\": [\"a\"]\n}\n\n";
    let reading = read(&format!("{front}# Other\n\n### [New kilns](https://x.example/1)\n- Published: 2026-09-24\n"));
    assert_eq!(reading.title, Some(Text::line("Kilns")));
    assert_eq!((reading.stated, titles(&reading)), (Some(1), vec!["New kilns"]));
    let feed = read_as("{\"items\": []}\n", None);
    assert_eq!(feed.expect("a feed").kind, Kind::Feed, "JSON without Markdown behind it");
}

/// The same day in languages that write it in other letters, digits, or years.
#[test]
fn dates_in_many_languages() {
    for text in [
        "24 tháng 9, 2026",
        "Ngày 24 tháng 9 năm 2026",
        "24 กันยายน 2569",
        "๒๔ กันยายน ๒๕๖๙",
        "24 सितंबर 2026",
        "२४ सितम्बर २०२६",
        "٢٤ سبتمبر ٢٠٢٦",
        "24. septembris 2026",
        "24. september 2026",
        "24 септембар 2026",
        "２０２６年９月２４日",
    ] {
        assert_eq!(date::parse(text, chrono_tz::UTC).map(Published::json).as_deref(), Some("2026-09-24"), "{text}");
    }
    assert_eq!(date::parse("24 September 2569", chrono_tz::UTC), None, "no year of ours");
}
