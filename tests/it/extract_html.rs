//! What is read from HTML without configuration: layouts as sites have them, each with its posts.

use crate::extract::{body, settings};
use pagewire::extract::extract;
use pagewire::model::{Ago, ErrorKind, Failure, Published, Reading, Text};

const AT: &str = "https://site.example/blog/";

fn read_at(address: &str, html: &str) -> Result<Reading, Failure> {
    extract(&body(address, html, Some("text/html; charset=utf-8")), &settings())
}

/// `date | title | path` of each post.
fn lines(reading: &Reading) -> Vec<String> {
    let day = |p: Option<Published>| p.map_or_else(|| "-".to_owned(), |p| p.day().to_string());
    let path = |post: &pagewire::model::Post| {
        let url = post.link.clone().expect("a link");
        url.as_str().trim_start_matches("https://site.example").to_owned()
    };
    reading.posts.iter().map(|p| format!("{} | {} | {}", day(p.published), p.title, path(p))).collect()
}

#[track_caller]
fn check(html: &str, expected: &[&str]) {
    check_at(AT, html, expected);
}

#[track_caller]
fn check_at(address: &str, html: &str, expected: &[&str]) {
    let html = format!(
        "<!doctype html><html lang=en><head><title>Blog</title></head><body>
         <header><nav><a href=/>Home</a> <a href=/about/>About our company</a> <a href=/blog/>Blog</a></nav></header>
         {html}
         <footer><a href=/imprint/>Imprint and contact</a> <a href=/terms/>Terms of our service</a> © 2026</footer>"
    );
    assert_eq!(lines(&read_at(address, &html).expect("a list")), expected);
}

mod layouts {
    use super::*;

    /// Without a date a post may say how long ago it was, in an element of its own; in a sentence that is only a text.
    #[test]
    fn how_long_ago_is_read_where_it_stands_alone() {
        let card = |n: usize, title: &str, when: &str| {
            format!(
                "<article><h3><a href=/blog/{n}>{title}</a></h3>{when}<p>What the kilns of house {n} burn, and why that is so.</p></article>"
            )
        };
        let html = [
            card(1, "New kilns are lit", "<span class=date>yesterday</span>"),
            card(2, "Old clay rests", "<time>2 hours ago</time>"),
            card(3, "A blue glaze", "<p>We found it 3 days ago.</p>"),
            card(4, "Ash and iron", "<time datetime=2026-09-04>3 days ago</time>"),
        ];
        let page = format!("<title>Blog</title><main>{}</main>", html.concat());
        let reading = read_at(AT, &page).expect("a list");
        let ago: Vec<_> = reading.posts.iter().map(|post| post.ago).collect();
        assert_eq!(ago, [Some(Ago::Days(1)), Some(Ago::Seconds(7_200)), None, None]);
        assert_eq!(
            reading.posts[3].published.map(Published::day).map(|d| d.to_string()).as_deref(),
            Some("2026-09-04")
        );
    }

    /// A weekly column has one title for all of its posts.
    #[test]
    fn posts_with_equal_titles_are_all_posts() {
        let article = |n: usize, title: &str| {
            format!(
                "<article><h3><a href=/blog/{n}>{title}</a></h3><time datetime=2026-09-0{n}>{n}</time>
                 <p>What happened in our kiln house in week {n}, told by those who were there.</p></article>"
            )
        };
        let row = |n: usize, title: &str| {
            format!("<li><a href=/blog/{n}>{title}</a> <time datetime=2026-09-0{n}>{n}</time></li>")
        };
        let some = ["Weekly notes", "New kilns are lit", "Weekly notes", "Old clay rests", "A blue glaze"];
        let all = ["Weekly notes"; 5];
        for titles in [some, all] {
            let expected: Vec<String> =
                (1..=5).rev().map(|n| format!("2026-09-0{n} | {} | /blog/{n}", titles[n - 1])).collect();
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            check(&(1..=5).rev().map(|n| article(n, titles[n - 1])).collect::<String>(), &expected);
            if titles == some {
                let rows: String = (1..=5).rev().map(|n| row(n, titles[n - 1])).collect();
                check(&format!("<ul>{rows}</ul>"), &expected);
            }
        }
    }

    #[test]
    fn a_heading_that_says_read_more_is_no_title() {
        let article = |n: usize, title: &str| {
            format!(
                "<article><h2>{title}</h2><time datetime=2026-09-0{n}>{n}</time><p>They are hot, as hot as they get.</p>
                 <h4><a href=/blog/{n}>Read more</a></h4></article>"
            )
        };
        let html = [article(3, "New kilns are lit"), article(2, "Old clay rests"), article(1, "A blue glaze")].concat();
        check(
            &html,
            &[
                "2026-09-03 | New kilns are lit | /blog/3",
                "2026-09-02 | Old clay rests | /blog/2",
                "2026-09-01 | A blue glaze | /blog/1",
            ],
        );
    }

    #[test]
    fn a_post_without_a_link_gives_nothing_to_its_neighbour() {
        check(
            "<ul><li><h3><a href=/blog/kilns>New kilns</a></h3><time datetime=2026-09-24>24</time><p>They are hot now.</p></li>
                 <li><h3><a href=/blog/clay>Old clay</a></h3><p>It rests for a whole year.</p></li>
                 <li><h3>A soon to come glaze</h3><time datetime=2026-08-15>15</time><p>Nobody may read it yet.</p></li>
                 <li><h3><a href=/blog/sand>Fine sand</a></h3><time datetime=2026-08-01>1</time><p>It is in the way.</p></li>
                 <li><h3><a href=/blog/oven>Big oven</a></h3><time datetime=2026-07-01>1</time><p>It is too big.</p></li></ul>",
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "- | Old clay | /blog/clay",
                "2026-08-01 | Fine sand | /blog/sand",
                "2026-07-01 | Big oven | /blog/oven",
            ],
        );
    }

    #[test]
    fn the_date_that_is_said_to_be_the_posts_is_it_wherever_it_stands() {
        check(
            "<article><h2><a href=/blog/kilns>New kilns</a></h2><p>Published 24 Sep 2026 · Updated 30 Sep 2026</p>
               <p>They are hot now, as hot as they get.</p></article>
             <article><h2><a href=/blog/clay>Old clay</a></h2><p>Updated 3 Sep 2026 · Published 2 Sep 2026</p>
               <p>Come and see it on <time datetime=2026-12-01>1 December</time> in our house.</p></article>
             <article><h2><a href=/blog/glaze>Blue glaze</a></h2><p>Posted on 1 Aug 2026 by <i>Ann</i></p>
               <p>Come and see it on <time datetime=2026-12-08>8 December</time> in our house.</p></article>",
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn a_time_in_markup_is_kept_beside_the_words_before_it() {
        let post = |n: u8| {
            format!(
                "<article><h2><a href=/blog/{n}>Kiln number {n} is lit</a></h2>
                 <div>Posted on <time datetime=2026-09-0{n}T10:11:12Z>{n} Sep 2026</time></div></article>"
            )
        };
        let reading = read_at(AT, &[post(3), post(2), post(1)].concat()).expect("a list");
        let times: Vec<_> = reading.posts.iter().map(|p| p.published.expect("a date").json()).collect();
        assert_eq!(times, ["2026-09-03T10:11:12Z", "2026-09-02T10:11:12Z", "2026-09-01T10:11:12Z"]);
    }

    #[test]
    fn links_to_the_archives_of_months_are_no_posts() {
        let months = ["September", "August", "July", "June", "May", "April"];
        let html: String =
            (0..6).map(|n| format!("<li><a href=/2026/0{}/>{} 2026</a> ({n})</li>", 9 - n, months[n])).collect();
        let error = read_at(AT, &format!("<h1>Archive</h1><ul>{html}</ul>")).expect_err("no list");
        assert_eq!(error.kind, ErrorKind::NotATopicPage);
    }

    #[test]
    fn articles_with_heading_time_text_and_read_more() {
        check(
            "<main><article><h2><a href=/blog/kilns>New kilns</a></h2><time datetime=2026-09-24>Thursday</time>
               <p>We lit both kilns today and they hold their heat.</p><a href=/blog/kilns>Read more</a></article>
             <article><h2><a href=/blog/clay>Old clay</a></h2><time datetime=2026-09-02>Wednesday</time>
               <p>Clay that rested for a year is easier to throw.</p><a href=/blog/clay>Read more</a></article></main>",
            &["2026-09-24 | New kilns | /blog/kilns", "2026-09-02 | Old clay | /blog/clay"],
        );
    }

    #[test]
    fn a_plain_list_with_dates_before_the_links() {
        check(
            "<ul><li>2026-09-24: <a href=kilns.html>New kilns are lit</a> — and hot</li>
                 <li>2026-09-02: <a href=clay.html>Old clay rests</a></li>
                 <li>2026-08-01: <a href=glaze.html>A blue glaze</a></li></ul>",
            &[
                "2026-09-24 | New kilns are lit | /blog/kilns.html",
                "2026-09-02 | Old clay rests | /blog/clay.html",
                "2026-08-01 | A blue glaze | /blog/glaze.html",
            ],
        );
    }

    #[test]
    fn headings_side_by_side_with_dates_below() {
        check(
            "<div><h3><a href=/blog/kilns>New kilns</a></h3><p class=when>September 24, 2026</p><p>They are hot now.</p>
             <h3><a href=/blog/clay>Old clay</a></h3><p class=when>September 2, 2026</p><p>It rests for a year.</p>
             <h3><a href=/blog/glaze>Blue glaze</a></h3><p class=when>August 1, 2026</p><p>It runs a little.</p></div>",
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn headings_side_by_side_with_dates_above() {
        check(
            "<div><p>September 24, 2026</p><h3><a href=/blog/kilns>New kilns</a></h3><p>They are hot now.</p>
             <p>September 2, 2026</p><h3><a href=/blog/clay>Old clay</a></h3><p>It rests for a year.</p>
             <p>August 1, 2026</p><h3><a href=/blog/glaze>Blue glaze</a></h3><p>It runs a little.</p></div>",
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn a_table_of_dates_and_titles() {
        check(
            "<table><tr><th>Date<th>Title<th>By
             <tr><td>24 Sep 2026<td><a href=/blog/kilns>New kilns</a><td>Ana
             <tr><td>2 Sep 2026<td><a href=/blog/clay>Old clay</a><td>Ben
             <tr><td>1 Aug 2026<td><a href=/blog/glaze>Blue glaze</a><td>Ana</table>",
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    /// What Markdown tables say in their columns HTML tables say too.
    #[test]
    fn the_heads_of_a_tables_columns_name_fields() {
        let row = |n: usize, title: &str, who: &str, by: &str, of: &str, when: &str| {
            format!(
                "<tr><td>{who}</td><td><a href=/blog/{n}>{title}</a></td><td>{by}</td><td>{of}</td><td>{when}</td>\
                 <td>How house {n} burns its clay, and why.</td></tr>"
            )
        };
        let table = |heads: [&str; 6]| {
            let heads: String = heads.iter().map(|head| format!("<th>{head}</th>")).collect();
            let rows = [
                row(1, "New kilns", "<a href=/c/acme>Acme</a>", "Ana Bo, Cy Day", "Report", "24 Sep 2026"),
                row(2, "Old clay", "<a href=/c/acme>Acme</a>", "<a href=/u/ana>Ana Bo</a>", "Tutorial", "2 Sep 2026"),
                row(3, "Blue glaze", "Goo, Inc.", "—", "-", "1 Aug 2026"),
            ];
            format!("<table><thead><tr>{heads}</tr></thead><tbody>{}</tbody></table>", rows.concat())
        };
        for heads in [
            ["Company", "Title", "Author(s)", "Type", "Published", "Summary"],
            ["PUBLISHER", "Post", "By", "Topic", "Date", "Description"],
            ["Organisation:", "Article", "Authors", "category", "Published on", "Abstract"],
        ] {
            let reading = read_at(AT, &table(heads)).expect("a list");
            let of = |n: usize| {
                let post = &reading.posts[n];
                let names =
                    post.companies.iter().map(|c| (c.name.as_str(), c.link.as_ref().map(|l| l.path().to_owned())));
                let authors: Vec<&str> = post.authors.iter().map(Text::as_str).collect();
                (
                    names.collect::<Vec<_>>(),
                    authors,
                    post.kind.as_ref().map(Text::as_str),
                    post.summary.text().to_string(),
                )
            };
            assert_eq!(
                lines(&reading),
                [
                    "2026-09-24 | New kilns | /blog/1",
                    "2026-09-02 | Old clay | /blog/2",
                    "2026-08-01 | Blue glaze | /blog/3"
                ],
                "{heads:?}"
            );
            let acme = || vec![("Acme", Some("/c/acme".to_owned()))];
            let text = |n| format!("How house {n} burns its clay, and why.");
            assert_eq!(of(0), (acme(), vec!["Ana Bo", "Cy Day"], Some("Report"), text(1)), "{heads:?}");
            assert_eq!(of(1), (acme(), vec!["Ana Bo"], Some("Tutorial"), text(2)), "{heads:?}");
            assert_eq!(of(2), (vec![("Goo, Inc.", None)], vec![], None, text(3)), "{heads:?}");
        }
    }

    /// Tables of talks: what stands below "Topic" is the title where nothing else is, and slides are no posts.
    #[test]
    fn a_column_of_topics_without_another_of_titles_is_the_titles() {
        check(
            "<table><tr><th>Date<th>Topic<th>Speaker<th>Slides
             <tr><td>24 Sep 2026<td><a href=/blog/kilns>New kilns</a><td><a href=/u/ana>Ana Bo</a><td><a href=/s/1>slides</a>
             <tr><td>2 Sep 2026<td><a href=/blog/clay>Old clay</a><td><a href=/u/cy>Cy Day</a><td><a href=/s/2>slides</a>
             <tr><td>1 Aug 2026<td><a href=/blog/glaze>Blue glaze</a><td><a href=/u/ana>Ana Bo</a><td><a href=/s/3>slides</a>
             </table>",
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    /// Heads without `th`, a cell that spans rows, two dates: the column says which is the post's.
    #[test]
    fn columns_are_counted_as_a_browser_shows_them() {
        let reading = read_at(
            AT,
            "<table><tr><td colspan=4>Papers of the house<tr><td>Updated<td>Published<td>Paper<td>Company
             <tr><td>30 Sep 2026<td>24 Sep 2026<td><a href=/blog/kilns>New kilns</a><td rowspan=2>Acme
             <tr><td>29 Sep 2026<td>2 Sep 2026<td><a href=/blog/clay>Old clay</a>
             <tr><td>28 Sep 2026<td>1 Aug 2026<td><a href=/blog/glaze>Blue glaze</a><td>Goo</table>",
        )
        .expect("a list");
        assert_eq!(
            lines(&reading),
            [
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ]
        );
        let companies: Vec<&str> =
            reading.posts.iter().flat_map(|post| &post.companies).map(|company| company.name.as_str()).collect();
        assert_eq!(companies, ["Acme", "Goo"], "what spans rows stands in the first of them");
    }

    #[test]
    fn a_definition_list() {
        check(
            "<dl><dt>24 Sep 2026<dd><a href=/blog/kilns>New kilns are lit</a><dt>2 Sep 2026<dd><a href=/blog/clay>Old clay
             rests</a><dt>1 Aug 2026<dd><a href=/blog/glaze>A blue glaze</a></dl>",
            &[
                "2026-09-24 | New kilns are lit | /blog/kilns",
                "2026-09-02 | Old clay rests | /blog/clay",
                "2026-08-01 | A blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn lines_parted_by_breaks() {
        check(
            "<p>2026-09-24 <a href=/blog/kilns>New kilns are lit</a><br>2026-09-02 <a href=/blog/clay>Old clay
             rests</a><br>2026-08-01 <a href=/blog/glaze>A blue glaze</a><br></p>",
            &[
                "2026-09-24 | New kilns are lit | /blog/kilns",
                "2026-09-02 | Old clay rests | /blog/clay",
                "2026-08-01 | A blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn groups_of_a_year_with_day_and_month() {
        check(
            "<h2>2026</h2><ul><li><span>Sep 24</span> <a href=/blog/kilns>New kilns are lit</a>
               <li><span>Jan 2</span> <a href=/blog/clay>Old clay rests</a></ul>
             <h2>2025</h2><ul><li><span>Dec 1</span> <a href=/blog/glaze>A blue glaze</a></ul>",
            &[
                "2026-09-24 | New kilns are lit | /blog/kilns",
                "2026-01-02 | Old clay rests | /blog/clay",
                "2025-12-01 | A blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn whole_cards_that_are_links() {
        check(
            "<div class=grid><a class=card href=/blog/kilns><img src=k.png alt=''><span class=tag>Craft</span>
               <span class=big>New kilns are lit</span><span class=small>24 Sep 2026</span></a>
             <a class=card href=/blog/clay><img src=c.png alt=''><span class=tag>Craft</span>
               <span class=big>Old clay rests</span><span class=small>2 Sep 2026</span></a>
             <a class=card href=/blog/glaze><img src=g.png alt=''><span class=tag>Shop</span>
               <span class=big>A blue glaze</span><span class=small>1 Aug 2026</span></a></div>",
            &[
                "2026-09-24 | New kilns are lit | /blog/kilns",
                "2026-09-02 | Old clay rests | /blog/clay",
                "2026-08-01 | A blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn titles_that_are_no_links_beside_a_link_that_says_nothing() {
        check(
            "<section><div class=item><h4>New kilns</h4><em>24.09.2026</em><p>Hot.</p><a href=/blog/1>Learn more »</a></div>
             <div class=item><h4>Old clay</h4><em>02.09.2026</em><p>Rested.</p><a href=/blog/2>Learn more »</a></div>
             <div class=item><h4>Blue glaze</h4><em>01.08.2026</em><p>Runny.</p><a href=/blog/3>Learn more »</a></div></section>",
            &["2026-09-24 | New kilns | /blog/1", "2026-09-02 | Old clay | /blog/2", "2026-08-01 | Blue glaze | /blog/3"],
        );
    }

    #[test]
    fn links_at_the_ends_of_sentences_that_name_sources() {
        check(
            "<section><div class=i><h3>New kilns are lit</h3><p>The kilns of our town were lit this morning, all of them at
             once. <a href=/blog/1>(The Paper)</a></p></div><div class=i><h3>Old clay rests</h3><p>The clay in the cellar is
             left alone for another year, they say. <a href=/blog/2>(The Paper)</a></p></div><div class=i><h3>A blue
             glaze</h3><p>What was green for long is blue from now on, by popular demand. <a href=/blog/3>(Radio One)</a></p>
             </div><div class=i><h3>The wheel turns</h3><p>And it goes on turning, as those who live beside it know too well.
             <a href=/blog/4>(The Paper)</a></p></div></section>",
            &[
                "- | New kilns are lit | /blog/1",
                "- | Old clay rests | /blog/2",
                "- | A blue glaze | /blog/3",
                "- | The wheel turns | /blog/4",
            ],
        );
    }

    #[test]
    fn an_overlay_link_without_text() {
        check(
            "<div><div class=c><h3>New kilns</h3><small>24 Sep 2026</small><a href=/blog/1 aria-label='Open'></a></div>
             <div class=c><h3>Old clay</h3><small>2 Sep 2026</small><a href=/blog/2 aria-label='Open'></a></div>
             <div class=c><h3>Blue glaze</h3><small>1 Aug 2026</small><a href=/blog/3 aria-label='Open'></a></div></div>",
            &["2026-09-24 | New kilns | /blog/1", "2026-09-02 | Old clay | /blog/2", "2026-08-01 | Blue glaze | /blog/3"],
        );
    }

    #[test]
    fn a_featured_post_in_other_markup_and_again_in_the_list() {
        check(
            "<main><section class=hero><h1><a href=/blog/fire>A fire that was none</a></h1><time>25 Sep 2026</time></section>
             <section class=hero><h1><a href=/blog/kilns>New kilns</a></h1></section>
             <div class=all><article><h2><a href=/blog/kilns>New kilns</a></h2><time>24 Sep 2026</time></article>
             <article><h2><a href=/blog/clay>Old clay</a></h2><time>2 Sep 2026</time></article>
             <article><h2><a href=/blog/glaze>Blue glaze</a></h2><time>1 Aug 2026</time></article></div></main>",
            &[
                "2026-09-25 | A fire that was none | /blog/fire",
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn a_side_bar_and_a_tag_cloud_larger_than_the_list() {
        let tags: String = (0..40).map(|n| format!("<a href=/tag/t{n}>Tag number {n} of many</a> ")).collect();
        let recent: String =
            (0..15).map(|n| format!("<li><a href=/blog/old-{n}>An older post, number {n}</a>")).collect();
        check(
            &format!(
                "<div class=page><div class=content><div class=post><h2><a href=/blog/kilns>New kilns</a></h2>
                 <div class=meta>24 Sep 2026 in <a href=/tag/craft>Craft</a></div></div>
                 <div class=post><h2><a href=/blog/clay>Old clay</a></h2>
                 <div class=meta>2 Sep 2026 in <a href=/tag/craft>Craft</a></div></div>
                 <div class=post><h2><a href=/blog/glaze>Blue glaze</a></h2>
                 <div class=meta>1 Aug 2026 in <a href=/tag/shop>Shop</a></div></div></div>
                 <div class=sidebar><h3>Recent</h3><ul>{recent}</ul><div class=cloud>{tags}</div></div></div>"
            ),
            &[
                "2026-09-24 | New kilns | /blog/kilns",
                "2026-09-02 | Old clay | /blog/clay",
                "2026-08-01 | Blue glaze | /blog/glaze",
            ],
        );
    }

    #[test]
    fn full_texts_with_links_of_their_own() {
        let text =
            "<p>As we said in <a href=/blog/before>the post before</a>, and as <a href=https://else.example/x>others
                    say</a>, it takes time.</p><ul><li><a href=https://else.example/1>First source of it</a>
                    <li><a href=https://else.example/2>Second source of it</a></ul><h3>Why so long</h3><p>It does.</p>";
        check(
            &format!(
                "<main><div class=entry><h2><a href=/blog/kilns>New kilns</a></h2><p>Posted on 24 September 2026 by Ana</p>{text}</div>
                 <div class=entry><h2><a href=/blog/clay>Old clay</a></h2><p>Posted on 2 September 2026 by Ben</p>{text}</div></main>"
            ),
            &["2026-09-24 | New kilns | /blog/kilns", "2026-09-02 | Old clay | /blog/clay"],
        );
    }

    #[test]
    fn dates_in_addresses_only_and_older_posts_in_a_plain_list() {
        check_at(
            "https://site.example/news.html",
            "<div><article><h2><a href=/news/2026/09/24/kilns.html>New kilns</a></h2><p>They are hot.</p></article>
             <article><h2><a href=/news/2026/09/02/clay.html>Old clay</a></h2><p>It rested.</p></article></div>
             <h3>Older</h3><ul><li><a href=/news/2025/12/01/glaze.html>Blue glaze</a>
             <li><a href=/news/2025/11/03/wheel.html>The wheel turns</a></ul>",
            &[
                "2026-09-24 | New kilns | /news/2026/09/24/kilns.html",
                "2026-09-02 | Old clay | /news/2026/09/02/clay.html",
                "2025-12-01 | Blue glaze | /news/2025/12/01/glaze.html",
                "2025-11-03 | The wheel turns | /news/2025/11/03/wheel.html",
            ],
        );
    }

    #[test]
    fn without_dates_below_the_pages_own_address() {
        check(
            "<ul><li><a href=/blog/kilns>Why the new kilns were worth their price</a>
             <li><a href=/blog/clay>What a year of rest does to old clay</a>
             <li><a href=/blog/glaze>How a blue glaze came to be blue</a>
             <li><a href=/blog/wheel>When to stop the wheel, and when not</a>
             <li><a href=/blog/sand>Where the sand in our bricks comes from</a></ul>",
            &[
                "- | Why the new kilns were worth their price | /blog/kilns",
                "- | What a year of rest does to old clay | /blog/clay",
                "- | How a blue glaze came to be blue | /blog/glaze",
                "- | When to stop the wheel, and when not | /blog/wheel",
                "- | Where the sand in our bricks comes from | /blog/sand",
            ],
        );
    }

    #[test]
    fn releases_that_are_parts_of_the_page() {
        check_at(
            "https://site.example/changelog",
            "<main><h1>Changelog</h1><h2 id=v2>2.0 <a href=#v2>#</a></h2><p>24 September 2026</p><ul><li>Faster kilns</ul>
             <h2 id=v1-1>1.1 <a href=#v1-1>#</a></h2><p>2 September 2026</p><ul><li>Fixes a leak</ul>
             <h2 id=v1>1.0 <a href=#v1>#</a></h2><p>1 August 2026</p><ul><li>First</ul></main>",
            &[
                "2026-09-24 | 2.0 | /changelog#v2",
                "2026-09-02 | 1.1 | /changelog#v1-1",
                "2026-08-01 | 1.0 | /changelog#v1",
            ],
        );
    }

    #[test]
    fn wordpress_like_classes_that_differ_from_post_to_post() {
        let post = |n: u32, cat: &str, day: &str| {
            format!(
                "<article id=post-{n} class='post-{n} post type-post category-{cat} hentry'><h2 class=entry-title>
                 <a href=https://site.example/p{n}/ rel=bookmark>The title of post {n}</a></h2><div class=entry-meta>
                 <span class=posted-on><a href=https://site.example/p{n}/><time class='entry-date published' datetime={day}T08:00:00+02:00>x</time>
                 <time class=updated datetime=2026-11-11T08:00:00+02:00>y</time></a></span>
                 <span class=byline> by <span class='author vcard'><a href=/author/ana/>Ana Ruiz</a></span></span></div>
                 <div class=entry-summary><p>What there is to say of it, in a line or two.</p></div></article>"
            )
        };
        let html = post(3, "a", "2026-09-24") + &post(2, "b", "2026-09-02") + &post(1, "c", "2026-08-01");
        check_at(
            "https://site.example/",
            &html,
            &[
                "2026-09-24 | The title of post 3 | /p3/",
                "2026-09-02 | The title of post 2 | /p2/",
                "2026-08-01 | The title of post 1 | /p1/",
            ],
        );
    }

    #[test]
    fn pagination_and_languages_are_no_posts() {
        check(
            "<main><h3><a href=/blog/kilns>New kilns</a></h3><p>24 Sep 2026</p><h3><a href=/blog/clay>Old clay</a></h3>
             <p>2 Sep 2026</p><div><a href=/blog/page/2/>2</a> <a href=/blog/page/3/>3</a> <a href='?page=2'>Next posts</a>
             <a href=/de/blog/>Deutsch</a></div></main>",
            &["2026-09-24 | New kilns | /blog/kilns", "2026-09-02 | Old clay | /blog/clay"],
        );
    }

    #[test]
    fn a_single_post() {
        check(
            "<main><article><h2><a href=/blog/first>Our first post</a></h2><time datetime=2026-09-24>today</time>
             <p>There will be more.</p></article></main>",
            &["2026-09-24 | Our first post | /blog/first"],
        );
    }
}

mod languages {
    use super::*;

    #[track_caller]
    fn dated(lang: &str, days: [&str; 3]) {
        let item = |n: usize| {
            format!("<li><h3><a href=/blog/p{n}>Title {n} of the list</a></h3><span>{}</span></li>", days[n])
        };
        let html = format!("<html lang={lang}><body><main><ul>{}{}{}</ul></main>", item(0), item(1), item(2));
        let reading = read_at(AT, &html).expect(lang);
        let days: Vec<_> = reading.posts.iter().map(|p| p.published.map(|p| p.day().to_string())).collect();
        let expected = ["2026-09-24", "2026-03-02", "2025-12-01"].map(|d| Some(d.to_owned()));
        assert_eq!(days, expected, "{lang}");
    }

    #[test]
    fn dates_are_read_in_the_pages_language() {
        dated("de", ["24. September 2026", "2. März 2026", "1. Dezember 2025"]);
        dated("fr", ["24 septembre 2026", "2 mars 2026", "1er décembre 2025"]);
        dated("es", ["24 de septiembre de 2026", "2 de marzo de 2026", "1 de diciembre de 2025"]);
        dated("pt", ["24 de setembro de 2026", "2 de março de 2026", "1 de dezembro de 2025"]);
        dated("it", ["24 settembre 2026", "2 marzo 2026", "1 dicembre 2025"]);
        dated("ja", ["2026年9月24日（木）", "2026年3月2日", "2025年12月1日"]);
        dated("zh", ["发布于 2026年9月24日", "发布于2026年3月2日", "发布于2025-12-01"]);
        dated("ko", ["2026년 9월 24일", "2026. 3. 2.", "2025.12.01"]);
        dated("ru", ["24 сентября 2026", "2 марта 2026 г.", "1 декабря 2025"]);
        dated("uk", ["24 вересня 2026", "2 березня 2026", "1 грудня 2025"]);
        dated("pl", ["24 września 2026", "2 marca 2026", "1 grudnia 2025"]);
        dated("cs", ["24. září 2026", "2. března 2026", "1. prosince 2025"]);
        dated("tr", ["24 Eylül 2026", "2 Mart 2026", "1 Aralık 2025"]);
        dated("nl", ["24 september 2026", "2 maart 2026", "1 december 2025"]);
        dated("sv", ["24 september 2026", "2 mars 2026", "1 december 2025"]);
        dated("fi", ["24. syyskuuta 2026", "2. maaliskuuta 2026", "1. joulukuuta 2025"]);
        dated("hu", ["2026. szeptember 24.", "2026. március 2.", "2025. december 1."]);
        dated("el", ["24 Σεπτεμβρίου 2026", "2 Μαρτίου 2026", "1 Δεκεμβρίου 2025"]);
        dated("ar", ["24 سبتمبر 2026", "٢ مارس ٢٠٢٦", "1 ديسمبر 2025"]);
        dated("he", ["24 בספטמבר 2026", "2 במרץ 2026", "1 בדצמבר 2025"]);
    }

    #[test]
    fn two_numbers_are_read_as_the_lists_other_dates_prove() {
        dated("en", ["24/09/2026", "02/03/2026", "01/12/2025"]);
        dated("en", ["09/24/2026", "03/02/2026", "12/01/2025"]);
        dated("de", ["24/09/2026", "02/03/2026", "01/12/2025"]);
    }

    #[test]
    fn the_day_of_an_edit_is_not_that_of_publication() {
        let item = |n: u32, more: &str| {
            format!("<li><h3><a href=/blog/{n}>Title number {n}</a></h3><div>Last updated on Mar {n}, 2026{more}</div>")
        };
        let posts = |more: &str| {
            let html =
                format!("<html lang=en><main><ul>{}{}{}</ul></main>", item(3, more), item(2, more), item(1, more));
            read_at(AT, &html).expect("a list").posts
        };
        assert!(posts("").iter().all(|p| p.published.is_none()));
        let day = posts("</div><div>Feb 1, 2026")[0].published.map(|p| p.day().to_string());
        assert_eq!(day.as_deref(), Some("2026-02-01"));
    }

    #[test]
    fn nothing_is_guessed_where_nothing_proves_it() {
        let html = "<html lang=en><main><ul><li><h3><a href=/blog/a>One of two</a></h3><i>03/02/2026</i>
                    <li><h3><a href=/blog/b>Two of two</a></h3><i>04/02/2026</i></ul></main>";
        assert!(read_at(AT, html).expect("a list").posts.iter().all(|p| p.published.is_none()));
    }
}

mod fields {
    use super::*;

    fn only(html: &str) -> pagewire::model::Post {
        let html = format!("<main><article class=h-entry><h2><a href=/blog/a>A title of a post</a></h2>{html}</article>
            <article class=h-entry><h2><a href=/blog/b>Another title</a></h2><time>2026-01-01</time><p>Text.</p></article></main>");
        let mut posts = read_at(AT, &html).expect("a list").posts;
        assert_eq!(posts.len(), 2);
        posts.remove(0)
    }

    #[test]
    fn authors_as_markup_names_them() {
        let names = |html: &str| only(html).authors.iter().map(Text::to_string).collect::<Vec<_>>();
        assert_eq!(names("<time>2026-01-02</time><a rel=author href=/ana>Ana Ruiz</a>"), ["Ana Ruiz"]);
        assert_eq!(names("<time>2026-01-02</time><span class=byline>By Ana Ruiz</span>"), ["Ana Ruiz"]);
        assert_eq!(
            names("<time>2026-01-02</time><div class=authors><a href=/a>Ana</a>, <a href=/b>Ben</a></div>"),
            ["Ana", "Ben"]
        );
    }

    #[test]
    fn the_text_is_safe_and_without_what_is_said_elsewhere() {
        let post = only(
            "<time>2026-01-02</time><p onclick=x>It is <em>hot</em>, see <a href=/x>the plan</a> & the rest
             <script>alert(1)</script><img src=i.png onerror=x></p><a href=/blog/a>Read more</a>",
        );
        assert_eq!(
            post.summary.as_str(),
            "<p>It is <em>hot</em>, see <a href=\"https://site.example/x\">the plan</a> &amp; the rest \
             <img src=\"https://site.example/blog/i.png\" alt=\"\"></p>"
        );
    }

    #[test]
    fn json_ld_tells_what_the_page_does_not_show() {
        let html = r#"<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":["BlogPosting"],
            "url":"/blog/a","headline":"A &amp; B","datePublished":"2026-09-24T08:00:00Z","author":[{"name":"Ana Ruiz"}]}]}
            </script><script type="application/ld+json">{broken</script>
            <main><ul><li><h3><a href=/blog/a>The first of them</a></h3><li><h3><a href=/blog/b>The second of them</a></h3>
            <time>2026-01-01</time></ul></main>"#;
        let posts = read_at(AT, html).expect("a list").posts;
        assert_eq!(posts[0].published.map(Published::json).as_deref(), Some("2026-09-24T08:00:00Z"));
        assert_eq!(posts[0].authors, [Text::line("Ana Ruiz")]);
    }

    #[test]
    fn the_site_is_the_company_of_its_own_posts() {
        let html = "<meta property=og:site_name content='Kiln &amp; Co'><base href=https://site.example/en/><main>
            <article><h2><a href=blog/a>The first of them</a></h2><time>2026-01-02</time></article>
            <article><h2><a href=https://else.example/b>The second</a></h2><time>2026-01-01</time></article></main>";
        let posts = read_at(AT, html).expect("a list").posts;
        assert_eq!(posts[0].link.as_ref().map(url::Url::as_str), Some("https://site.example/en/blog/a"));
        assert_eq!(posts[0].companies[0].name.as_str(), "Kiln & Co");
        assert!(posts[1].companies.is_empty());
    }

    #[test]
    fn the_charset_is_that_of_the_page() {
        let (bytes, ..) = encoding_rs::GBK.encode(
            "<html><head><meta http-equiv=Content-Type content='text/html; charset=gbk'><title>博客</title></head><main>
             <article><h2><a href=/blog/a>新的窑炉已经点火</a></h2><time>2026-09-24</time></article>
             <article><h2><a href=/blog/b>旧的陶土休息一年</a></h2><time>2026-09-02</time></article></main>",
        );
        let reading = extract(&body(AT, bytes, Some("text/html")), &settings()).expect("a list");
        assert_eq!(reading.posts[0].title.as_str(), "新的窑炉已经点火");
    }

    /// A page in GBK with its `<meta>` behind so many bytes of a head; its first title.
    fn title_of_late(head: &str, meta: &str) -> String {
        let page = format!(
            "<!doctype html><html><head>{head}{meta}<title>博客</title></head><main>
             <article><h2><a href=/blog/a>新的窑炉已经点火</a></h2><time>2026-09-24</time></article>
             <article><h2><a href=/blog/b>旧的陶土休息一年</a></h2><time>2026-09-02</time></article></main>"
        );
        let (bytes, ..) = encoding_rs::GBK.encode(&page);
        let reading = extract(&body(AT, bytes, Some("text/html")), &settings()).expect("a list");
        reading.posts[0].title.as_str().to_owned()
    }

    #[test]
    fn a_charset_is_declared_where_a_browser_sees_it() {
        let title = |head: &str| {
            let page = format!(
                "<html><head>{head}<title>T</title></head><body><h1>T</h1>\
                 <article><h2><a href=/1>Новые чипы</a></h2><time datetime=2026-09-05>x</time></article>\
                 <article><h2><a href=/2>Старые чипы</a></h2><time datetime=2026-09-04>x</time></article></body></html>"
            );
            let bytes = encoding_rs::WINDOWS_1251.encode(&page).0.into_owned();
            let body = body("https://x.example/", bytes, Some("text/html"));
            extract(&body, &settings()).expect("a list").posts[0].title.to_string()
        };
        for head in [
            "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
            "<meta name=description content='text/html; charset=koi8-r'><meta charset=windows-1251>",
            "<meta charset='  windows-1251 '>",
            "<meta/charset=\"Windows-1251\"/>",
            "<link rel=x title='<meta charset=koi8-r>'><meta charset=windows-1251>",
            "<meta title='charset=koi8-r' charset=windows-1251>",
            "<meta content='text/html; charset = \"windows-1251\"' http-equiv=Content-Type>",
            "<meta charset=utf-8><meta charset=windows-1251>",
            "<meta charset=nonsense><meta charset=windows-1251>",
        ] {
            assert_eq!(title(head), "Новые чипы", "{head}");
        }
    }

    #[test]
    fn a_charset_may_be_declared_late() {
        let long = format!("<style>{}</style>", "a > b { color: red } ".repeat(200));
        for meta in ["<meta charset=gbk>", "<META HTTP-EQUIV=content-type CONTENT=\"text/html; Charset=GBK\" />"] {
            assert_eq!(title_of_late(&long, meta), "新的窑炉已经点火", "{meta}");
        }
        // What a parser does not meet as a tag declares nothing.
        for other in ["<!-- <meta charset=koi8-r> -->", "<script>'<meta charset=koi8-r>'</script>"] {
            assert_eq!(title_of_late(&(long.clone() + other), "<meta charset=gbk>"), "新的窑炉已经点火", "{other}");
        }
    }

    #[test]
    fn a_page_of_escapes_is_what_its_meta_says() {
        let (bytes, ..) = encoding_rs::ISO_2022_JP.encode(
            "<html><head><meta charset=iso-2022-jp><title>窯</title></head><main>
             <article><h2><a href=/blog/a>新しい窯に火が入る</a></h2><time>2026-09-24</time></article>
             <article><h2><a href=/blog/b>古い土は一年休む</a></h2><time>2026-09-02</time></article></main>",
        );
        let reading = extract(&body(AT, bytes, Some("text/html")), &settings()).expect("a list");
        assert_eq!(reading.posts[0].title.as_str(), "新しい窯に火が入る");
    }
}

#[test]
fn microdata_may_give_a_post_its_only_link() {
    let post = |n: u8| {
        format!(
            "<article itemscope itemtype=https://schema.org/BlogPosting><link itemprop=url href=/blog/{n}>
             <h2 itemprop=headline>Kiln number {n} is lit</h2><time itemprop=datePublished datetime=2026-09-0{n}>{n}</time>
             <p>It is hot, and it will be hot for days.</p></article>"
        )
    };
    check(
        &[post(3), post(2), post(1)].concat(),
        &[
            "2026-09-03 | Kiln number 3 is lit | /blog/3",
            "2026-09-02 | Kiln number 2 is lit | /blog/2",
            "2026-09-01 | Kiln number 1 is lit | /blog/1",
        ],
    );
}

mod people {
    use super::*;

    fn authors(html: &str) -> Vec<Vec<String>> {
        let post = |n: u8| {
            format!(
                "<article><h2><a href=/blog/{n}>Kiln number {n} is lit</a></h2><time datetime=2026-09-0{n}>{n}</time>
                 {html}<p>It is hot, and it will be hot for days.</p></article>"
            )
        };
        let reading = read_at(AT, &[post(3), post(2), post(1)].concat()).expect("a list");
        reading.posts.iter().map(|p| p.authors.iter().map(|a| a.as_str().to_owned()).collect()).collect()
    }

    #[test]
    fn each_of_several_authors_has_a_name_of_their_own() {
        for (html, expected) in [
            ("<div class=authors><span>Ann Bee</span><span>Bob Cee</span></div>", &["Ann Bee", "Bob Cee"][..]),
            ("<span class=author>By <a href=/x>Ann</a>, <a href=/y>Bob</a></span>", &["Ann", "Bob"]),
            ("<p class=byline>By <a href=/x>Ann Bee</a> and <a href=/y>Bob</a></p>", &["Ann Bee", "Bob"]),
            ("<ul class=authors><li>Ann</li><li>Bob</li></ul>", &["Ann", "Bob"]),
            ("<span class=author><b>Ann</b><i>Bee</i></span>", &["Ann Bee"]),
            ("<span class=author-name>Ann Bee</span><span class=author-title>CTO</span>", &["Ann Bee"]),
            ("<span class=byline>By Ann Bee</span>", &["Ann Bee"]),
        ] {
            assert_eq!(authors(html), vec![expected.to_vec(); 3], "{html}");
        }
    }
}

mod not_a_topic_page {
    use super::*;

    /// A server that answers 200 instead of 404 or 403 often lists its newest posts beside.
    #[test]
    fn what_is_sent_instead_of_the_page_is_no_list_whatever_it_lists() {
        let posts: String = (1..6)
            .map(|n| {
                format!(
                    "<article><h3><a href=/p/{n}>Kiln number {n} is lit</a></h3><time>Sep {n}, 2026</time></article>"
                )
            })
            .collect();
        let page = |title: &str, main: &str, posts: &str| {
            let html = format!("<!doctype html><title>{title}</title><main>{main}</main><section>{posts}</section>");
            read_at(AT, &html).map(|reading| reading.posts.len()).map_err(|error| error.kind)
        };
        for title in [
            "Page not found",
            "Page not found – The kiln house",
            "404 Not Found",
            "404: Page Not Found | The kiln house",
            "Error 404 (Not Found)!!1",
            "503 Service Unavailable",
            "Access Denied",
            "403 Forbidden",
            "Attention Required! | Cloudflare",
            "Just a moment...",
            "Sign in",
            "Log in - The kiln house",
            "Down for maintenance",
            "Seite nicht gefunden",
        ] {
            assert_eq!(page(title, "<h1>Oh</h1>", &posts), Err(ErrorKind::NotATopicPage), "{title}");
        }
        assert_eq!(page("The kiln house", "<h1>Page not found</h1>", &posts), Err(ErrorKind::NotATopicPage));
        let form = "<h1>Welcome</h1><form><input name=user><input type=password name=word></form>";
        assert_eq!(page("The kiln house", form, &posts), Err(ErrorKind::NotATopicPage));
        for title in [
            "The kiln house",
            "Posts about 404 pages",
            "Errors | The kiln house",
            "Security: access denied and other stories",
            "How to sign in",
            "Maintenance | The kiln house",
            "404 Media",
        ] {
            assert_eq!(page(title, "<h1>Posts</h1>", &posts), Ok(5), "{title}");
        }
        // A forum has a small form beside its list.
        assert_eq!(page("The kiln house", &format!("{posts}{form}"), ""), Ok(5));
    }

    #[track_caller]
    fn refused(html: &str) {
        let failure = read_at(AT, html).map(|r| lines(&r)).expect_err("no list");
        assert_eq!(failure.kind, ErrorKind::NotATopicPage, "{failure}");
    }

    #[test]
    fn a_challenge() {
        refused(
            "<!doctype html><title>Just a moment...</title><div id=challenge><h1>site.example</h1><p>Checking your browser
             before you go on. Ray: 2026-09-24</p><noscript>Enable JavaScript and cookies to continue</noscript>
             <a href=https://guard.example/help>Performance and security by a guard</a></div>",
        );
    }

    #[test]
    fn a_login() {
        refused(
            "<title>Sign in</title><nav><a href=/>Home</a></nav><main><h1>Sign in</h1><form><input name=user><input name=pass>
             <button>Go</button></form><a href=/blog/reset>Forgot your password?</a> <a href=/blog/join>Create an account</a></main>",
        );
    }

    #[test]
    fn an_error_or_maintenance_page_with_the_sites_navigation() {
        let links: String =
            ["Products and prices", "Customers and stories", "Company and people", "Careers at our place"]
                .iter()
                .map(|t| format!("<li><a href='/{}'>{t}</a>", &t[..4].to_lowercase()))
                .collect();
        refused(&format!("<header><ul>{links}</ul></header><main><h1>Page not found</h1><p>Sorry.</p></main>"));
        refused(&format!(
            "<div class=top><ul>{links}</ul></div><h1>We are back on 24 September 2026</h1><div>{links}</div>"
        ));
    }

    #[test]
    fn a_single_article_with_its_headings_and_related_posts() {
        refused(
            "<main><article><h1>New kilns</h1><time>2026-09-24</time><h2 id=a>Why <a href=#a>#</a></h2><p>Because of heat, as
             <a href=https://else.example/heat>others say</a>.</p><h2 id=b>How <a href=#b>#</a></h2><p>With gas.</p></article></main>
             <aside><h3>Related</h3><a href=/blog/clay>Old clay rests for a year</a> <a href=/blog/glaze>A blue glaze runs</a></aside>",
        );
    }

    #[test]
    fn services_on_a_home_page() {
        let failure = read_at(
            "https://site.example/",
            "<main><div class=card><h3>Kilns</h3><p>We build kilns that hold their heat for a day and a night.</p>
             <a href=/services/kilns>Learn more</a></div><div class=card><h3>Clay</h3><p>We sell clay that has rested for a
             year in our cellar.</p><a href=/services/clay>Learn more</a></div><div class=card><h3>Courses</h3><p>We teach
             throwing to all who have two hands.</p><a href=/services/courses>Learn more</a></div></main>",
        );
        assert_eq!(failure.expect_err("no list").kind, ErrorKind::NotATopicPage);
    }

    #[test]
    fn nothing_at_all() {
        refused("<html></html>");
        refused("<p>words");
    }
}

mod hostile {
    use super::*;
    use std::time::{Duration, Instant};

    /// A core may be held for 250 ms in a release; tests are built without optimisation, which costs ten times that,
    /// and get five times the slack.
    const LIMIT: Duration = Duration::from_millis(250 * 5 * 10);

    #[track_caller]
    fn survives(html: &str) {
        let start = Instant::now();
        let _ = read_at(AT, html);
        assert!(start.elapsed() < LIMIT, "{:?} for {} bytes", start.elapsed(), html.len());
    }

    #[test]
    fn nesting() {
        survives(&"<div>".repeat(90_000));
        survives(&"<b><i><a href=x>".repeat(30_000));
        survives(&format!("{}{}", "<ul><li>".repeat(30_000), "</ul>".repeat(30_000)));
        survives(&"<table><tr><td>".repeat(30_000));
    }

    #[test]
    fn elements_that_browsers_open_again() {
        let many: String = (0..20_000).map(|n| format!("<p><font color=c{n}>")).collect();
        survives(&many);
        survives(&"<a href=x><p>".repeat(50_000));
    }

    #[test]
    fn attributes() {
        let many: String = (0..200_000).map(|n| format!(" a{n}")).collect();
        survives(&format!("<p{many}>x"));
        survives(&format!("<p class='{}'>", "c ".repeat(200_000)));
    }

    #[test]
    fn tags_that_never_end_in_a_page_of_no_charset() {
        for piece in ["<meta ", "<meta charset=", "<!-- ", "<script ", "</script "] {
            let bytes = ["<html>\n".as_bytes(), piece.repeat(150_000).as_bytes(), b"caf\xe9"].concat();
            let start = Instant::now();
            let _ = extract(&body(AT, bytes, Some("text/html")), &settings());
            assert!(start.elapsed() < LIMIT, "{:?} for {piece}", start.elapsed());
        }
    }

    #[test]
    fn links_of_all_shapes() {
        let flat: String = (0..6_000).map(|n| format!("<a href=/blog/p{n}>Title number {n}</a> 2026-09-24 ")).collect();
        survives(&flat);
        let odd: String = (0..6_000)
            .map(|n| format!("<div class='x y{} z'><h2><a href=/blog/p{n}>T {n}</a></h2></div>", "q".repeat(n % 50)))
            .collect();
        survives(&odd);
        let deep = "<div class=a-b-c>".repeat(100);
        let links: String =
            (0..6_000).map(|n| format!("<i class=k{}><a href=/blog/p{n}>T {n}</a></i>", "q".repeat(n % 97))).collect();
        survives(&(deep + &links));
    }

    #[test]
    fn dates_everywhere() {
        survives(&"<p>Sep 24, 2026 1/2/2026 ".repeat(20_000));
        survives(&format!(
            "<article><h2><a href=/blog/a>A title here</a></h2>{}",
            "<time>2026-09-24</time>".repeat(20_000)
        ));
    }

    #[test]
    fn text_without_end() {
        survives(&"a".repeat(2_000_000));
        survives(&"&amp;".repeat(200_000));
        survives(&format!("<script type=application/ld+json>{}", "[".repeat(200_000)));
        survives(&"<!--".repeat(100_000));
        survives(&"<svg>".repeat(100_000));
    }
}

mod selectors {
    use super::*;
    use pagewire::model::{PageSettings, Selector, Selectors};

    const PAGE: &str = "<html lang=en><main><div class=row data-id=k><b class=t>New kilns</b><a class=cat href=/c/craft>Craft</a>
        <i class=d title='24/09/2026'>24/09/2026 by us</i><a class=go href=/news/1>Open</a><img class=pic src=k.png alt=Kiln>
        <div class=txt><p>They are <em>hot</em>.</p></div><a class=co href=/c/acme>Acme</a></div>
        <div class=row data-id=c><b class=t>Old clay</b><a class=cat href=/c/craft>Craft</a>
        <i class=d title='02/09/2026'>02/09/2026 by us</i><a class=go href=/news/2>Open</a></div></main></html>";

    fn with(given: &[(&str, &str)], format: Option<&str>) -> Result<Reading, Failure> {
        let mut selectors = Selectors::default();
        for (key, css) in given {
            selectors.set(key, Selector::new(css).expect("a selector"));
        }
        selectors.date_format = format.map(str::to_owned);
        extract(&body(AT, PAGE, Some("text/html")), &PageSettings { selectors, ..settings() })
    }

    #[test]
    fn each_part_is_where_its_selector_says() {
        let reading = with(
            &[
                ("item", "div.row"),
                ("title", ".t"),
                ("link_selector", "a.go"),
                ("date", "i.d@title"),
                ("summary", ".txt"),
                ("type", ".cat"),
                ("company", ".co"),
                ("author", "@data-id"),
                ("image", "img.pic"),
            ],
            Some("%d/%m/%Y"),
        )
        .expect("a list");
        assert_eq!(lines(&reading), ["2026-09-24 | New kilns | /news/1", "2026-09-02 | Old clay | /news/2"]);
        let post = &reading.posts[0];
        assert_eq!(post.kind.as_ref().map(Text::as_str), Some("Craft"));
        assert_eq!(post.authors, [Text::line("k")]);
        assert_eq!(post.companies[0].name.as_str(), "Acme");
        assert_eq!(post.companies[0].link.as_ref().map(url::Url::as_str), Some("https://site.example/c/acme"));
        let picture = "<p><img src=\"https://site.example/blog/k.png\" alt=\"Kiln\"></p>";
        assert_eq!(post.summary.as_str(), format!("{picture}<p>They are <em>hot</em>.</p>"));
        assert!(reading.posts[1].companies.is_empty());
    }

    #[test]
    fn what_no_selector_is_given_for_is_found_without() {
        let reading = with(&[("item", "div.row"), ("link_selector", ".go")], None).expect("a list");
        assert_eq!(lines(&reading), ["2026-09-24 | New kilns | /news/1", "2026-09-02 | Old clay | /news/2"]);
    }

    #[test]
    fn a_selector_that_finds_nothing_is_named_with_the_nearest_that_would() {
        let told = |given: &[(&str, &str)]| with(given, None).expect_err("nothing").message;
        assert_eq!(
            told(&[("item", "main > div.rows")]),
            "the selector item = `main > div.rows` finds nothing on the page: `main > div.row` would find 2 elements"
        );
        assert_eq!(
            told(&[("item", "section div.row")]),
            "the selector item = `section div.row` finds nothing on the page: `div.row` would find 2 elements"
        );
        assert_eq!(
            told(&[("item", ".row"), ("title", "h2 .t")]),
            "the selector title = `h2 .t` finds nothing on the page: `.t` would find 2 elements"
        );
        assert_eq!(
            told(&[("item", ".t"), ("date", ".d")]),
            "the selector date = `.d` finds nothing in any post that `item` finds: `.d` would find 2 elements"
        );
    }

    #[test]
    fn a_post_may_stand_within_its_link() {
        let html = "<main><a href=/blog/1><div class=x><span>New kilns are lit</span><span>24 Sep 2026</span></div></a>
            <a href=/blog/2><div class=x><span>Old clay rests</span><span>2 Sep 2026</span></div></a></main>";
        let mut selectors = Selectors::default();
        selectors.set("item", Selector::new(".x").expect("a selector"));
        let reading = extract(&body(AT, html, Some("text/html")), &PageSettings { selectors, ..settings() });
        let lines = lines(&reading.expect("a list"));
        assert_eq!(lines, ["2026-09-24 | New kilns are lit | /blog/1", "2026-09-02 | Old clay rests | /blog/2"]);
    }

    #[test]
    fn a_date_that_is_in_another_format_is_a_warning() {
        let reading =
            with(&[("item", ".row"), ("link_selector", ".go"), ("date", ".t")], Some("%Y-%m-%d")).expect("a list");
        assert!(reading.posts[0].published.is_none());
        assert!(
            reading.problems[0].message.contains("date `New kilns` of `New kilns` not understood"),
            "{:?}",
            reading.problems
        );
    }
}
