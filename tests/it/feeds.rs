//! Feeds as readers see them: whole, valid, the same in every format, whatever a page says.
//!
//! `tests/golden` holds what the hand-made feeds become; `BLESS=1 cargo test` writes it anew after a change that was
//! meant. What the files must say is in the tests below, from the specifications.

mod samples;
mod xml;

use base64::Engine;
use chrono::DateTime;
use pagewire::model::{Document, Feed, FeedKey, Format, Html, Slug, Text};
use pagewire::render;
use proptest::prelude::*;
use samples::{FORMATS, HOSTILE, THURSDAY, bare, empty, heads, hostile, site};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;
use xml::Node;

fn documents(feed: &Feed) -> [Document; 4] {
    let made: Vec<Document> = render::documents(feed, &site(), &FORMATS).collect();
    made.try_into().expect("three formats and a page")
}

fn text(document: &Document) -> &str {
    std::str::from_utf8(&document.bytes).unwrap()
}

/// Atom, RSS and JSON of a feed, read back.
fn read(feed: &Feed) -> (Node, Node, Value) {
    let [atom, rss, json, _] = documents(feed);
    let channel = xml::read(&rss.bytes).children.pop().unwrap();
    (xml::read(&atom.bytes), channel, serde_json::from_slice(&json.bytes).unwrap())
}

#[test]
fn golden() {
    let mut made: Vec<Document> = documents(&hostile()).into();
    made.extend(documents(&empty()));
    made.push(render::index(&site(), &heads(), &FORMATS));
    made.push(render::opml(&site(), &heads(), &FORMATS, THURSDAY));
    for document in made {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(&document.path);
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &document.bytes).unwrap();
        }
        let golden = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(golden == text(&document), "{} differs from {}", document.path, file.display());
    }
}

#[test]
fn the_same_feed_gives_the_same_bytes() {
    assert_eq!(documents(&hostile()), documents(&hostile()));
    assert_eq!(render::favicon(), render::favicon());
}

#[test]
fn only_the_configured_formats_are_made_and_linked() {
    let made: Vec<Document> = render::documents(&hostile(), &site(), &[Format::Rss]).collect();
    assert_eq!(made.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["topics/hostile.rss", "topics/hostile.html"]);
    assert!(!text(&made[1]).contains(".atom"), "no link to a file that is not there");
}

/// RFC 4287 §4.1.1, §4.1.2: id, title, updated and an author for each entry; content where there is no link.
#[test]
fn atom_has_what_rfc_4287_wants() {
    let (feed, ..) = read(&hostile());
    assert_eq!(feed.attribute("xmlns"), Some("http://www.w3.org/2005/Atom"));
    // Version 5 in the URL namespace of `pagewire:topics/hostile`, computed elsewhere.
    assert_eq!(feed.one("id").text, "urn:uuid:8b8cd381-7114-59cf-9f30-7649cff1e64e");
    assert_eq!(feed.one("title").text, HOSTILE);
    assert_eq!(feed.one("subtitle").text, "5 posts about R&D, <summarised>");
    assert_eq!(feed.one("author").one("name").text, "Feeds & more");
    let links: Vec<_> = feed.all("link").map(|l| ["rel", "type", "href"].map(|a| l.attribute(a).unwrap())).collect();
    let base = "https://feeds.example/base/topics/hostile";
    assert_eq!(
        links,
        [
            ["self", "application/atom+xml", &format!("{base}.atom")],
            ["alternate", "text/html", &format!("{base}.html")],
            ["alternate", "application/rss+xml", &format!("{base}.rss")],
            ["alternate", "application/feed+json", &format!("{base}.json")],
        ]
    );
    let entries: Vec<&Node> = feed.all("entry").collect();
    let authors = |i: usize| entries[i].all("author").map(|a| a.one("name").text.as_str()).collect::<Vec<_>>();
    assert_eq!(authors(0), ["Ann \"Q\" <ann@x.example>", "Bo & Co"]);
    assert_eq!(authors(1), [""; 0], "the feed's author stands in");
    let categories: Vec<_> =
        entries[0].all("category").map(|c| ["term", "scheme", "label"].map(|a| c.attribute(a))).collect();
    assert_eq!(
        categories,
        [
            [Some("Problem & solution"), Some("https://feeds.example/base/types/"), None],
            [Some("at-t"), Some("https://feeds.example/base/companies/"), Some("AT&T")],
            [Some("zurich-inc"), Some("https://feeds.example/base/companies/"), Some("Zürich, Inc.")],
        ]
    );
    let texts: Vec<_> = entries.iter().map(|e| (e.maybe("summary"), e.maybe("content"))).collect();
    let typed = |node: Option<&Node>| node.map(|n| (n.attribute("type").unwrap_or("text").to_owned(), n.text.clone()));
    let html = "<p>x &lt; y &amp;&amp; <em>z</em> ]]&gt; <a href=\"https://x.example/?a=1&amp;b=2\">more</a></p>";
    assert_eq!(typed(texts[0].0), Some(("html".into(), html.into())));
    assert_eq!(typed(texts[1].0), Some(("text".into(), "a < b & c".into())));
    assert_eq!(typed(texts[2].1), Some(("text".into(), "A link and no word".into())));
    assert_eq!(typed(texts[3].1), Some(("html".into(), "<p>One</p><ul><li>two</li></ul>".into())));
    assert_eq!(typed(texts[4].1), Some(("text".into(), "Neither < word nor link".into())));
    assert!(texts.iter().all(|(summary, content)| summary.is_some() != content.is_some()), "one of the two");
}

#[test]
fn rss_follows_the_profile() {
    let (_, channel, _) = read(&hostile());
    assert_eq!(channel.one("title").text, HOSTILE);
    assert_eq!(channel.one("link").text, "https://feeds.example/base/topics/hostile.html");
    assert_eq!(channel.one("description").text, "5 posts about R&D, <summarised>");
    assert_eq!(channel.one("lastBuildDate").text, "Thu, 24 Sep 2026 11:00:00 +0000");
    let own = channel.one("atom:link");
    assert_eq!(own.attribute("href"), Some("https://feeds.example/base/topics/hostile.rss"));
    assert_eq!((own.attribute("rel"), own.attribute("type")), (Some("self"), Some("application/rss+xml")));
    let items: Vec<&Node> = channel.all("item").collect();
    assert_eq!(items[0].one("dc:creator").text, "Ann \"Q\" <ann@x.example>, Bo & Co");
    assert_eq!(items[0].one("pubDate").text, "Thu, 24 Sep 2026 10:00:00 +0000");
    let categories: Vec<_> =
        items.iter().flat_map(|i| i.all("category")).map(|c| (c.text.as_str(), c.attribute("domain"))).collect();
    assert_eq!(
        categories,
        [
            ("Problem & solution", None),
            ("AT&T", Some("https://feeds.example/base/companies/at-t.html")),
            ("Zürich, Inc.", Some("https://feeds.example/base/companies/zurich-inc.html")),
            ("Tutorial", None),
            ("Not yet published", Some("https://new.example/")),
            ("Sly", None),
        ]
    );
    for item in items {
        assert_eq!(item.one("guid").attribute("isPermaLink"), Some("false"));
        assert!(item.maybe("author").is_none(), "it would have to be a mail address");
        assert!(item.maybe("title").is_some());
    }
}

#[test]
fn json_has_what_version_1_1_wants() {
    let (.., feed) = read(&hostile());
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(feed["title"], HOSTILE);
    assert_eq!(feed["home_page_url"], "https://feeds.example/base/topics/hostile.html");
    assert_eq!(feed["feed_url"], "https://feeds.example/base/topics/hostile.json");
    assert_eq!(feed["description"], "5 posts about R&D, <summarised>");
    let first = &feed["items"][0];
    assert_eq!(first["tags"], serde_json::json!(["Problem & solution", "AT&T", "Zürich, Inc."]));
    assert_eq!(first["authors"], serde_json::json!([{"name": "Ann \"Q\" <ann@x.example>"}, {"name": "Bo & Co"}]));
    assert_eq!(first["date_published"], "2026-09-24T10:00:00Z");
    assert_eq!(first["date_modified"], "2026-09-24T11:00:00Z");
    assert_eq!(first["summary"], "x < y && z ]]> more");
    for item in feed["items"].as_array().unwrap() {
        assert!(item["id"].is_string() && item["content_html"].is_string(), "both are required");
        assert!(item.get("url") != Some(&Value::Null), "left out, not null");
    }
}

/// Ids, order, instants and texts of every entry in a format.
fn content(feed: &Feed) -> [Vec<[String; 6]>; 3] {
    let (atom, channel, json) = read(feed);
    let rfc3339 = |s: &str| DateTime::parse_from_rfc3339(s).unwrap().timestamp().to_string();
    let words = |html: &str| String::from(Html::written(html.to_owned()).text());
    let href = |e: &Node| e.maybe("link").map_or(String::new(), |l| l.attribute("href").unwrap().to_owned());
    let of_atom = atom.all("entry").map(|e| {
        let body = e.maybe("summary").or(e.maybe("content")).unwrap();
        // Where a page says nothing, the content is the title.
        let said = body.name == "summary" || body.text != e.one("title").text;
        let words = match body.attribute("type") {
            Some("html") => words(&body.text),
            _ if said => body.text.clone(),
            _ => String::new(),
        };
        let kind = e.all("category").find(|c| c.attribute("scheme").is_some_and(|s| s.ends_with("types/")));
        let kind = kind.map_or(String::new(), |c| c.attribute("term").unwrap().to_owned());
        let id = e.one("id").text.clone();
        [id, e.one("title").text.clone(), href(e), rfc3339(&e.one("published").text), words, kind]
    });
    let of_rss = channel.all("item").map(|i| {
        let text = |name: &str| i.maybe(name).map_or(String::new(), |n| n.text.clone());
        let published = DateTime::parse_from_rfc2822(&text("pubDate")).unwrap().timestamp().to_string();
        let kind = i.all("category").next().filter(|c| c.attribute("domain").is_none());
        let kind = kind.map_or(String::new(), |c| c.text.clone());
        [text("guid"), text("title"), text("link"), published, words(&text("description")), kind]
    });
    let of_json = json["items"].as_array().unwrap().iter().map(|i| {
        let text = |name: &str| i[name].as_str().unwrap_or_default().to_owned();
        let kind = i["tags"][0].as_str().unwrap_or_default().to_owned();
        [text("id"), text("title"), text("url"), rfc3339(&text("date_published")), words(&text("content_html")), kind]
    });
    [of_atom.collect(), of_rss.collect(), of_json.collect()]
}

#[test]
fn the_formats_carry_the_same_ids_order_instants_and_texts() {
    let [atom, rss, json] = content(&hostile());
    assert_eq!(atom.len(), 5);
    assert_eq!(atom, rss);
    assert_eq!(atom, json);
}

#[test]
fn an_empty_feed_is_a_feed() {
    let (atom, channel, json) = read(&empty());
    assert_eq!((atom.all("entry").count(), channel.all("item").count()), (0, 0));
    assert_eq!(json["items"], serde_json::json!([]));
    assert_eq!(atom.one("updated").text, "2026-09-24T10:00:00Z");
    assert_eq!(atom.one("author").one("name").text, "Feeds & more");
    assert_eq!(channel.one("description").text, "Posts about Nothing yet", "RSS wants a description");
    assert!(text(&documents(&empty())[3]).contains("No posts yet"));
}

#[test]
fn opml_lists_every_feed_once_in_groups() {
    let opml = xml::read(&render::opml(&site(), &heads(), &FORMATS, THURSDAY).bytes);
    assert_eq!(opml.attribute("version"), Some("2.0"));
    assert_eq!(opml.one("head").one("title").text, "Feeds & more");
    assert_eq!(opml.one("head").one("dateModified").text, "Thu, 24 Sep 2026 10:00:00 +0000");
    let groups: Vec<_> = opml.one("body").all("outline").map(|g| g.attribute("text").unwrap()).collect();
    assert_eq!(groups, ["Everything", "Topics", "Companies", "Types"]);
    let feeds: Vec<_> = opml.one("body").all("outline").flat_map(|g| g.all("outline")).collect();
    assert_eq!(feeds.len(), heads().len());
    let hostile = ["type", "text", "xmlUrl", "htmlUrl"].map(|name| feeds[1].attribute(name).unwrap());
    let base = "https://feeds.example/base/topics/hostile";
    assert_eq!(hostile, ["rss", HOSTILE, &format!("{base}.atom"), &format!("{base}.html")]);
    let opml = render::opml(&site(), &heads(), &[Format::Json, Format::Rss], THURSDAY);
    assert!(text(&opml).contains("hostile.json") && !text(&opml).contains(".atom"), "the first format, Atom is off");
}

#[test]
fn pages_run_nothing_and_load_nothing() {
    let pages = [documents(&hostile())[3].clone(), render::index(&site(), &heads(), &FORMATS)];
    for page in &pages {
        let html = text(page);
        assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\">"));
        for bad in ["<script", "javascript:", "<b>", " onclick", "style=\"", "src="] {
            assert!(!html.contains(bad), "{} holds {bad}", page.path);
        }
        let style = html.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(style));
        assert!(
            html.contains(&format!("default-src 'none'; style-src 'sha256-{hash}'")),
            "the policy admits the style"
        );
    }
    let feed = text(&pages[0]);
    assert!(feed.contains("<h1>R&amp;D — &quot;x&quot; &lt;b&gt; ]]&gt; 🚀 &amp;amp; it's</h1>"));
    assert!(feed.contains(">&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;</a>"), "a title stays literal");
    assert!(feed.contains("<time datetime=\"2026-09-24T10:00:00Z\">24 September 2026</time>"));
    let first = feed.split_once("rel=\"alternate\"").unwrap().1;
    assert!(first.starts_with(" type=\"application/atom+xml\""), "Liferea takes the first");
}

/// Every relative link of a page leads to a file that pagewire publishes, from the page's own folder.
#[test]
fn links_between_pages_are_relative_and_lead_somewhere() {
    let mut published: Vec<String> =
        ["index.html", "feeds.opml", "favicon.ico", "companies/zurich-inc.html"].map(str::to_owned).into();
    for head in heads() {
        for ending in ["atom", "rss", "json", "html"] {
            published.push(format!("{}.{ending}", head.key.path()));
        }
    }
    let all = Feed { key: FeedKey::All, ..hostile() };
    for page in [&documents(&hostile())[3], &documents(&all)[3], &render::index(&site(), &heads(), &FORMATS)] {
        let at = url::Url::parse("https://elsewhere.example/deep/").unwrap().join(&page.path).unwrap();
        for href in text(page).split("href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0) {
            if href.starts_with("https:") {
                continue;
            }
            let mut target = at.join(href).unwrap();
            target.set_fragment(None);
            let path = target.as_str().strip_prefix("https://elsewhere.example/deep/").expect("below the base");
            assert!(published.iter().any(|p| p == path), "{} links to {href}", page.path);
        }
    }
}

#[test]
fn an_index_without_feeds_says_so() {
    let page = render::index(&site(), &[], &FORMATS);
    assert!(text(&page).contains("Nothing is published yet"));
    assert_eq!(xml::read(&render::opml(&site(), &[], &FORMATS, THURSDAY).bytes).one("body").children.len(), 0);
}

/// What pages may hold: any character, with those that have broken feeds more often than others.
fn anything() -> impl Strategy<Value = String> {
    let nasty = proptest::sample::select(vec![
        "]]>",
        "<![CDATA[",
        "&amp;",
        "&#0;",
        "&",
        "<",
        ">",
        "\"",
        "'",
        "</title>",
        "<!--",
        "\u{0}",
        "\u{3}",
        "\u{b}",
        "\u{1b}",
        "\u{7f}",
        "\u{85}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{feff}",
        "\r",
        "\n\n",
        "\t",
        " ",
        "\u{2028}",
        "🚀",
        "e\u{301}",
    ]);
    let piece = prop_oneof![nasty.prop_map(str::to_owned), any::<String>(), "[a-z ]{0,8}"];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_back_as_it_was(
        title in anything(), author in anything(), plain in anything(), markup in anything(), kind in anything(),
    ) {
        let (title, author, kind) = (Text::line(&title), Text::line(&author), Text::line(&kind));
        let post = |uid: &str, summary: Html| pagewire::model::Entry {
            title: title.clone(),
            link: Some("https://x.example/".parse().unwrap()),
            authors: vec![author.clone()],
            kind: Some(kind.clone()),
            summary,
            ..bare(uid, THURSDAY)
        };
        let plain = Text::line(&plain);
        let feed = Feed {
            key: FeedKey::Topic(Slug::of("any")),
            title: title.clone(),
            description: Some(plain.clone()),
            updated: THURSDAY,
            entries: vec![
                post("urn:x:1", Html::escaped(&plain)),
                post("urn:x:2", Html::sanitised(&format!("<p>{markup}</p><em>{markup}</em>"), None)),
            ],
        };
        let (atom, channel, json) = read(&feed);
        let [of_atom, of_rss, of_json] = content(&feed);
        prop_assert_eq!(&of_atom, &of_rss);
        prop_assert_eq!(&of_atom, &of_json);
        for (i, entry) in feed.entries.iter().enumerate() {
            prop_assert_eq!(of_atom[i][1].as_str(), title.as_str());
            prop_assert_eq!(json["items"][i]["content_html"].as_str().unwrap(), entry.summary.as_str());
            let description = channel.all("item").nth(i).unwrap().maybe("description");
            prop_assert_eq!(description.map_or("", |d| d.text.as_str()), entry.summary.as_str());
            let summary = atom.all("entry").nth(i).unwrap().maybe("summary");
            let markup = summary.filter(|s| s.attribute("type") == Some("html"));
            prop_assert!(markup.is_none_or(|s| s.text == entry.summary.as_str()));
            prop_assert_eq!(of_atom[i][5].as_str(), kind.as_str());
        }
        prop_assert_eq!(atom.all("entry").next().unwrap().one("author").one("name").text.as_str(), author.as_str());
        prop_assert_eq!(channel.all("item").next().unwrap().one("dc:creator").text.as_str(), author.as_str());
        prop_assert_eq!(json["items"][0]["authors"][0]["name"].as_str().unwrap(), author.as_str());
        prop_assert_eq!(atom.one("title").text.as_str(), title.as_str());
        let head = pagewire::model::FeedHead { key: feed.key.clone(), title: title.clone(), posts: 1, newest: None };
        let opml = xml::read(&render::opml(&site(), &[head], &FORMATS, THURSDAY).bytes);
        let outline = opml.one("body").one("outline").one("outline");
        prop_assert_eq!(outline.attribute("text").unwrap(), title.as_str());
    }
}
