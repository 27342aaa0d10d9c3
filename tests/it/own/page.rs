//! What is read of a post's own page, when, and what becomes of it in feeds.

use super::{ALPHA, BETA, GAMMA, TPU, article, follow, list, seeds, state, summary};
use crate::harness::{Answer, Home, Origin, page};
use pagewire::config;
use pagewire::model::Stamp;
use pagewire::refresh::{App, Mode, Step};
use pagewire::store::Store;
use std::collections::BTreeMap;

const ORIGINAL: &str = "link = \"original\"";
const CONTENT: &str = "content = \"post\"";

#[test]
fn a_feeds_link_opens_the_article_and_the_id_stays_that_of_the_printed_link() {
    let (origin, home) = follow(&[ALPHA, BETA], ORIGINAL);
    home.refresh(0);
    let entries = home.entries(TPU);
    let key = |name: &str| format!("https://{}", origin.url(&format!("/post/{name}")).trim_start_matches("http://"));
    assert_eq!([&entries[0].id, &entries[1].id], [&key("alpha"), &key("beta")]);
    assert_eq!([&entries[0].link, &entries[1].link], [&article("alpha"), &article("beta")]);
    assert_eq!(entries[0].published, "2026-09-03T10:00:00Z");
    assert_eq!(entries[0].updated, entries[0].published);
    let rss = std::fs::read_to_string(home.path("out/topics/tpu.rss")).unwrap();
    let json = std::fs::read_to_string(home.path("out/topics/tpu.json")).unwrap();
    assert!(rss.contains(&format!("<link>{}</link>", article("alpha"))), "{rss}");
    assert!(json.contains(&format!("\"url\": \"{}\"", article("alpha"))), "{json}");
    // Once: a second refresh asks for the page alone, even if all is read anew.
    origin.requests();
    home.refresh(0);
    home.run(&["refresh", "--force"]);
    assert_eq!(origin.requests().iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["/tpu.md", "/tpu.md"]);
    assert_eq!(home.entries(TPU), entries);
}

/// What whoever waits for a refresh can see of it.
#[test]
fn a_refresh_tells_how_many_own_pages_are_read() {
    let (_origin, home) = follow(&[ALPHA, BETA, GAMMA], CONTENT);
    let settings = config::load(&home.path("pagewire.toml")).unwrap();
    let store = Store::open(&settings.state.database).unwrap();
    let mut told = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let app = App::new(settings, store).await.unwrap();
        let tell = |step: Step<'_>| match step {
            Step::Page(report) => told.push((usize::MAX, report.added as usize)),
            Step::Own { done, all } => told.push((done, all)),
        };
        app.refresh(&[0], Mode::default(), Stamp(1_790_856_000), tell).await.unwrap();
    });
    assert_eq!(told, [(usize::MAX, 3), (0, 3), (1, 3), (2, 3), (3, 3)]);
}

#[test]
fn what_the_list_prints_is_not_asked_for() {
    let origin = Origin::start();
    let link = origin.url("/post/alpha.md");
    let fields = format!("- Company: Acme\n- Published: Sep 3, 2026\n- Original: [Lab]({})", article("alpha"));
    origin.say("/tpu.md", Answer::markdown(page(&[("Alpha wins", &link, &fields, "It does.")])));
    let home = Home::with("");
    seeds(&home, &origin, ORIGINAL);
    home.refresh(0);
    assert_eq!(home.entries(TPU)[0].link, article("alpha"));
    assert_eq!(origin.count("/post/alpha.md"), 0);
}

#[test]
fn a_part_of_the_list_itself_has_no_page_of_its_own() {
    let origin = Origin::start();
    let link = origin.url("/tpu.md#alpha");
    origin.say("/tpu.md", Answer::markdown(page(&[("Alpha wins", &link, "- Published: Sep 3, 2026", "It does.")])));
    let home = Home::with("");
    seeds(&home, &origin, "link = \"original\"\ncontent = \"post\"");
    home.refresh(0);
    assert_eq!((home.entries(TPU)[0].link.clone(), origin.requests().len()), (link, 1));
}

#[test]
fn the_text_of_a_markdown_page_is_content_and_the_summary_stays() {
    let (origin, home) = follow(&[ALPHA], CONTENT);
    origin.say(
        "/post/alpha.md",
        Answer::markdown(
            "# Alpha wins\n\n- Company: Acme\n- Published: Sep 3, 2026\n\n## How\n\nIt is [fast](../more) & <b onclick=\"x()\">cheap</b>.\n\n\
             <script>alert(1)</script>\n\n| chip | speed |\n| --- | --- |\n| v5 | 2 |\n\n![a chart](/chart.png)\n",
        ),
    );
    home.refresh(0);
    let feed = home.feed(TPU);
    let entry = &feed.entries[0];
    let content = entry.content.as_ref().unwrap();
    let text = content.value.as_deref().unwrap();
    assert_eq!(content.content_type.as_deref(), Some("html"));
    assert!(text.starts_with("<h2>How</h2>"), "neither title nor fields: {text}");
    let (more, chart) = (origin.url("/more"), origin.url("/chart.png"));
    for part in [&format!("<a href=\"{more}\">fast</a> &amp; <b>cheap</b>"), "<td>v5</td>", &format!("src=\"{chart}\"")]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("script") && !text.contains("onclick") && !text.contains("alert"), "{text}");
    let said = "What Alpha wins says at some length, so that its text is its own.";
    assert_eq!(entry.summary.as_ref().unwrap().value, said);
    assert_eq!(entry.links[0].href, origin.url("/post/alpha.md"), "the link is the page's");

    let rss = rss::Channel::read_from(&std::fs::read(home.path("out/topics/tpu.rss")).unwrap()[..]).unwrap();
    assert_eq!(rss.items()[0].content(), Some(text));
    assert_eq!(rss.items()[0].description(), Some(format!("<p>{said}</p>").as_str()));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(home.path("out/topics/tpu.json")).unwrap()).unwrap();
    assert_eq!((&json["items"][0]["content_html"], &json["items"][0]["summary"]), (&text.into(), &said.into()));
}

/// An article in a page with all that articles stand among.
pub fn article_page(title: &str, head: &str, foot: &str) -> String {
    let paragraph = "The chip was measured over four weeks in two halls, and each of the runs was repeated by another \
                     group that did not know the first results, which were then compared line by line. ";
    format!(
        "<!doctype html><html lang=en><head><title>{title} | Sum</title>{head}</head><body>\
         <nav><a href=/>Home</a> <a href=/about>About us</a></nav><div class=sidebar><h3>Popular</h3><ul>\
         <li><a href=/x>Another story</a><li><a href=/y>A third story</a></ul></div>\
         <main><article><h1>{title}</h1><p>{paragraph}{paragraph}</p><p>See <a href=\"../more\">more</a>. {paragraph}</p>\
         <img src=/chart.png alt=chart><p>{paragraph}{paragraph}</p>{foot}</article></main>\
         <footer>All rights reserved</footer><script>track()</script></body></html>"
    )
}

#[test]
fn the_text_of_an_html_page_is_its_article() {
    let (origin, home) = follow(&[ALPHA], CONTENT);
    origin.say("/post/alpha.md", Answer::ok("text/html", article_page("Alpha wins", "", "")));
    home.refresh(0);
    let feed = home.feed(TPU);
    let text = feed.entries[0].content.as_ref().unwrap().value.as_deref().unwrap();
    let (more, chart) = (origin.url("/more"), origin.url("/chart.png"));
    for part in ["The chip was measured", &format!("<a href=\"{more}\">more</a>"), &format!("src=\"{chart}\"")] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["About us", "Popular", "rights reserved", "track", "<div", "<nav"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
}

#[test]
fn both_come_from_one_reading() {
    let (origin, home) = follow(&[ALPHA], "link = \"original\"\ncontent = \"post\"");
    let head = format!("<link rel=canonical href=\"{}\">", article("alpha"));
    origin.say("/post/alpha.md", Answer::ok("text/html", article_page("Alpha wins", &head, "")));
    home.refresh(0);
    assert_eq!(home.entries(TPU)[0].link, article("alpha"));
    assert!(home.feed(TPU).entries[0].content.is_some());
    assert_eq!(origin.count("/post/alpha.md"), 1);
}

#[test]
fn the_exact_time_and_the_authors_come_from_the_own_page_where_the_list_has_none() {
    let (origin, home) = follow(&[ALPHA, BETA, GAMMA], ORIGINAL);
    let own = |name: &str, title: &str, date: &str| {
        let front = format!("---\nsource: {}\ndate: {date}\nauthors: [Ann, Bo]\n---\n# {title}\n", article(name));
        origin.say(&format!("/post/{name}.md"), Answer::markdown(front));
    };
    own("alpha", ALPHA.0, "2026-09-03T15:23:00+02:00");
    own("beta", BETA.0, "2026-09-07T08:00:00Z");
    own("gamma", GAMMA.0, "2026-09-01");
    home.refresh(0);
    let entries = home.entries(TPU);
    let times: Vec<&str> = entries.iter().map(|e| e.published.as_str()).collect();
    let expected = ["2026-09-03T13:23:00Z", "2026-09-02T10:00:00Z", "2026-09-01T10:00:00Z"];
    assert_eq!(times, expected, "of another day than the list says, nothing is taken");
    assert!(entries.iter().all(|e| e.updated == e.published && e.authors == ["Ann", "Bo"]), "{entries:?}");

    // The list changes its text: what the own page said of the authors stays.
    let posts = [ALPHA, BETA, GAMMA].map(|(title, name, day)| (title, origin.url(&format!("/post/{name}.md")), day));
    let text = crate::harness::topic(&posts.each_ref().map(|(t, a, d)| (*t, a.as_str(), *d)));
    origin.say("/tpu.md", Answer::markdown(text.replace("What Alpha wins says", "What it says now")));
    home.refresh(0);
    let alpha = &home.entries(TPU)[0];
    assert_eq!((alpha.published.as_str(), &alpha.authors[..]), (expected[0], &["Ann".to_owned(), "Bo".to_owned()][..]));
    assert!(alpha.updated > alpha.published && alpha.link == article("alpha"), "{alpha:?}");
}

#[test]
fn a_setting_that_comes_later_fills_what_is_known_and_one_that_goes_takes_it_back() {
    let (origin, home) = follow(&[ALPHA, BETA], "");
    home.refresh(0);
    let before = home.entries(TPU);
    assert_eq!((before[0].link.clone(), origin.count("/post/alpha.md")), (origin.url("/post/alpha.md"), 0));
    seeds(&home, &origin, "link = \"original\"\ncontent = \"post\"");
    home.refresh(0);
    let after = home.entries(TPU);
    assert_eq!([&after[0].link, &after[1].link], [&article("alpha"), &article("beta")]);
    assert!(home.feed(TPU).entries[0].content.is_some());
    let dates = |entries: &[crate::harness::Seen]| -> Vec<_> {
        entries.iter().map(|e| (e.id.clone(), e.published.clone(), e.updated.clone())).collect()
    };
    assert_eq!(dates(&after), dates(&before), "that is no news");
    seeds(&home, &origin, "");
    home.refresh(0);
    assert_eq!(home.entries(TPU), before);
    assert!(home.feed(TPU).entries[0].content.is_none());
    // What was read once is not read again.
    origin.requests();
    seeds(&home, &origin, ORIGINAL);
    home.refresh(0);
    assert_eq!(home.entries(TPU)[0].link, article("alpha"));
    assert_eq!(origin.count("/post/alpha.md"), 0);
}

#[test]
fn of_a_long_list_twenty_are_read_at_a_time_and_all_are_published() {
    let origin = Origin::start();
    let names: Vec<(String, String, String)> = (1..=26)
        .rev()
        .map(|n| (format!("Story {n}"), origin.url(&format!("/post/s{n}.md")), format!("2026-08-{n:02}")))
        .collect();
    let posts: Vec<(&str, &str, &str)> = names.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect();
    origin.say("/tpu.md", Answer::markdown(crate::harness::topic(&posts)));
    for n in 1..=26 {
        origin.say(&format!("/post/s{n}.md"), summary(&format!("Story {n}"), &format!("s{n}")));
    }
    let home = Home::with("");
    seeds(&home, &origin, ORIGINAL);
    let links = || {
        home.entries(TPU).into_iter().map(|e| (e.title, e.link.starts_with("https://lab"))).collect::<BTreeMap<_, _>>()
    };
    home.refresh(0);
    let filled: Vec<_> = links().into_iter().filter(|(_, filled)| *filled).map(|(title, _)| title).collect();
    let newest: Vec<_> = (7..=26).map(|n| format!("Story {n}")).collect();
    assert_eq!(links().len(), 26);
    assert!(filled.len() == 20 && newest.iter().all(|title| filled.contains(title)), "the newest: {filled:?}");
    // Within the quarter of an hour no more, then the others.
    home.refresh(0);
    assert_eq!(links().values().filter(|filled| **filled).count(), 20);
    state(&home, "UPDATE own SET asked = asked - 900");
    origin.requests();
    home.refresh(0);
    assert!(links().values().all(|filled| *filled));
    assert_eq!(origin.requests().len(), 7, "the page and six posts");
}

#[test]
fn a_post_that_moved_is_known_by_its_article() {
    let (origin, home) = follow(&[ALPHA, BETA, GAMMA], ORIGINAL);
    home.refresh(0);
    let before = home.entries(TPU);
    // Another title, another slug, another text: only its own page says that it is the same article.
    list(&origin, &[("How a chip won the day", "how-a-chip", "Sep 4, 2026"), BETA, GAMMA]);
    origin.say("/post/how-a-chip.md", summary("How a chip won the day", "alpha"));
    let report = home.report(&[]);
    assert_eq!(report["outcome"], "changed", "{report}");
    let after = home.entries(TPU);
    let ids = |entries: &[crate::harness::Seen]| entries.iter().map(|e| e.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&after), ids(&before), "nothing is announced twice");
    assert_eq!(after[0].title, "How a chip won the day");
    assert_eq!((&after[0].published, &after[0].link), (&before[0].published, &article("alpha")));
    assert!(after[0].updated > after[0].published);
    let why = home.run(&["why", "How a chip won the day"]);
    assert!(why.out.contains("renamed") && why.out.contains("title was `Alpha wins`"), "{why:#?}");
    // Under both addresses it stays that one.
    home.run(&["refresh", "--force"]);
    list(&origin, &[ALPHA, BETA, GAMMA]);
    home.refresh(0);
    assert_eq!(ids(&home.entries(TPU)), ids(&before));
}

#[test]
fn a_page_that_owns_no_text_has_no_say() {
    let (origin, home) = follow(&[ALPHA], "");
    list(&origin, &[ALPHA]);
    let (one, two) = (origin.url("/tpu.md"), origin.url("/gpu.md"));
    let text = crate::harness::topic(&[("Alpha wins", &origin.url("/post/alpha.md"), "Sep 3, 2026")]);
    origin.say("/gpu.md", Answer::markdown(text));
    home.seeds(&format!(
        "[[topic]]\nslug = \"tpu\"\npages = [\"{one}\"]\n[[topic]]\nslug = \"gpu\"\nlink = \"original\"\npages = [\"{two}\"]\n"
    ));
    home.refresh(0);
    let (tpu, gpu) = (home.entries(TPU), home.entries("topics/gpu.atom"));
    assert_eq!(tpu, gpu, "one post, one text, one link in all feeds: those of the page that brought it");
    assert_eq!((tpu[0].link.clone(), origin.count("/post/alpha.md")), (origin.url("/post/alpha.md"), 0));
}

#[test]
fn replay_asks_nobody_and_says_what_a_setting_would_change() {
    let (origin, home) = follow(&[ALPHA], ORIGINAL);
    home.refresh(0);
    origin.requests();
    let run = home.run(&["replay", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {run:#?}"));
    assert_eq!(said["posts"], serde_json::json!([]), "{said}");
    assert!(origin.requests().is_empty());
}

#[test]
fn a_preview_shows_what_own_pages_say_of_the_first_posts() {
    let (origin, home) = follow(&[ALPHA, BETA, GAMMA], "");
    origin.say("/post/beta.md", Answer::status(404));
    let address = origin.url("/tpu.md");
    let run = home.run(&["preview", &address, "--link", "original", "--content", "post"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.out.contains(&format!("article     {}\n", article("alpha"))), "{}", run.out);
    assert!(run.out.contains("text        What Alpha wins says at more length.\n"), "{}", run.out);
    assert!(run.err.contains("warning: the own page of \"Beta follows\" says nothing: "), "{}", run.err);
    let run = home.run(&["preview", &address, "--link", "original", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(told[0]["url"], origin.url("/post/alpha.md"), "what is printed");
    assert_eq!((&told[0]["original"], &told[1]["original"]), (&article("alpha").into(), &serde_json::Value::Null));
    // Without either nothing but the page is asked.
    origin.requests();
    home.run(&["preview", &address]);
    assert_eq!(origin.requests().len(), 1);
}
