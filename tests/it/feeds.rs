//! Feeds as readers see them: whole, valid, the same in every format, whatever a page says.
//!
//! `tests/golden` holds what the hand-made feeds become; `BLESS=1 cargo test` writes it anew after a change that was
//! meant. What the files must say is in the tests below, from the specifications.

pub mod samples;
mod xml;

use base64::Engine;
use chrono::DateTime;
use pagewire::model::{Archive, Document, EntryTopic, Feed, FeedKey, Format, Html, Site, Slug, Text};
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
    assert_eq!(feed.attribute("xml:lang"), Some("en"));
    let base = "https://feeds.example/base";
    assert_eq!(
        [&feed.one("icon").text, &feed.one("logo").text],
        [&format!("{base}/favicon.ico"), &format!("{base}/icon.png")]
    );
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
    assert_eq!(authors(0), ["Ann \"Q\"", "Bo & Co"]);
    assert_eq!(entries[0].all("author").next().unwrap().one("email").text, "ann@x.example");
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
    let once = ["language", "generator", "docs", "ttl", "sy:updatePeriod", "sy:updateFrequency"];
    let once = once.map(|name| channel.one(name).text.as_str());
    assert_eq!(once, ["en", "pagewire", "https://www.rssboard.org/rss-specification", "30", "hourly", "2"]);
    let image = channel.one("image");
    let of_image = ["url", "title", "link", "width", "height"].map(|name| image.one(name).text.as_str());
    let page = "https://feeds.example/base/topics/hostile.html";
    assert_eq!(
        of_image,
        ["https://feeds.example/base/icon.png", HOSTILE, page, "128", "128"],
        "title and link are the channel's"
    );
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
    assert_eq!((&feed["language"], &feed["icon"]), (&"en".into(), &"https://feeds.example/base/icon.png".into()));
    assert_eq!(feed["authors"], serde_json::json!([{"name": "Feeds & more"}]));
    let first = &feed["items"][0];
    assert_eq!(
        first["author"],
        serde_json::json!({"name": "Ann \"Q\" <ann@x.example>, Bo & Co"}),
        "as version 1 has it"
    );
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

/// Ids, order, instants, texts and authors of every entry in a format.
fn content(feed: &Feed) -> [Vec<[String; 7]>; 3] {
    let (atom, channel, json) = read(feed);
    let rfc3339 = |s: &str| DateTime::parse_from_rfc3339(s).unwrap().timestamp().to_string();
    let words = |html: &str| String::from(Html::written(html.to_owned()).text());
    let href = |e: &Node| e.maybe("link").map_or(String::new(), |l| l.attribute("href").unwrap().to_owned());
    let plain = |node: &Node| match node.attribute("type") {
        Some("html") => words(&node.text),
        _ => node.text.clone(),
    };
    let of_atom = atom.all("entry").map(|e| {
        let body = e.maybe("summary").or(e.maybe("content")).unwrap();
        // Where a page says nothing, the content is the title.
        let said = body.name == "summary" || plain(body) != plain(e.one("title"));
        let words = if said { plain(body) } else { String::new() };
        let kind = e.all("category").find(|c| c.attribute("scheme").is_some_and(|s| s.ends_with("types/")));
        let kind = kind.map_or(String::new(), |c| c.attribute("term").unwrap().to_owned());
        let id = e.one("id").text.clone();
        let mail = |a: &Node| a.maybe("email").map_or(String::new(), |mail| format!(" <{}>", mail.text));
        let authors: Vec<String> = e.all("author").map(|a| a.one("name").text.clone() + &mail(a)).collect();
        [id, plain(e.one("title")), href(e), rfc3339(&e.one("published").text), words, kind, authors.join(", ")]
    });
    let of_rss = channel.all("item").map(|i| {
        let text = |name: &str| i.maybe(name).map_or(String::new(), |n| n.text.clone());
        let published = DateTime::parse_from_rfc2822(&text("pubDate")).unwrap().timestamp().to_string();
        let kind = i.all("category").next().filter(|c| c.attribute("domain").is_none());
        let kind = kind.map_or(String::new(), |c| c.text.clone());
        [text("guid"), text("title"), text("link"), published, words(&text("description")), kind, text("dc:creator")]
    });
    let of_json = json["items"].as_array().unwrap().iter().map(|i| {
        let text = |name: &str| i[name].as_str().unwrap_or_default().to_owned();
        let kind = i["tags"][0].as_str().unwrap_or_default().to_owned();
        let authors: Vec<&str> =
            i["authors"].as_array().into_iter().flatten().map(|a| a["name"].as_str().unwrap()).collect();
        let authors = authors.join(", ");
        let published = rfc3339(&text("date_published"));
        [text("id"), text("title"), text("url"), published, words(&text("content_html")), kind, authors]
    });
    [of_atom.collect(), of_rss.collect(), of_json.collect()]
}

#[test]
fn the_formats_carry_the_same_ids_order_instants_and_texts() {
    let [atom, rss, json] = content(&hostile());
    assert_eq!(atom.len(), 5);
    assert_eq!(atom, rss);
    assert_eq!(atom, json);
    let (atom, _, json) = read(&hostile());
    let updated: Vec<_> = atom.all("entry").map(|e| e.one("updated").text.as_str()).collect();
    let modified: Vec<_> =
        json["items"].as_array().unwrap().iter().map(|i| i["date_modified"].as_str().unwrap()).collect();
    assert_eq!(updated, modified, "RSS has no place for it");
}

/// RFC 4287 §4.2.11; the ids are version 5 in the URL namespace of `pagewire:topics/old` and `pagewire:topics/tpu`.
#[test]
fn a_post_says_which_topic_it_came_from_where_several_meet() {
    let mut feed = hostile();
    feed.entries.truncate(1);
    feed.entries[0].topic =
        Some(EntryTopic { slug: Slug::of("tpu"), identity: Some("topics/old".into()), title: Text::line("T & U") });
    let (topic, ..) = read(&feed);
    assert!(topic.one("entry").maybe("source").is_none(), "in a topic's feed it goes without saying");
    let (atom, ..) = read(&Feed { key: FeedKey::Company(Slug::of("at-t")), ..feed });
    let entry = atom.one("entry");
    let source = entry.one("source");
    assert_eq!(source.one("id").text, "urn:uuid:1680afde-6240-51ac-9a18-2159eeae9b16");
    assert_eq!(source.one("title").text, "T & U");
    assert_eq!(source.one("updated").text, entry.one("updated").text);
    let links: Vec<_> =
        source.all("link").map(|l| (l.attribute("rel").unwrap(), l.attribute("href").unwrap())).collect();
    let base = "https://feeds.example/base/topics/tpu";
    assert_eq!(links, [("self", &*format!("{base}.atom")), ("alternate", &*format!("{base}.html"))]);
}

/// RFC 4287 §3.1.1: text stays text; only what a guessing reader would take for markup says that it is none, as HTML.
#[test]
fn a_title_with_the_end_of_a_tag_is_html_that_shows_it() {
    let mut feed = hostile();
    let html = "Why &lt;b&gt;x&lt;/b&gt; &amp;amp; y";
    for (title, kind, text) in [
        ("a < b & c", None, "a < b & c"),
        ("AT&amp;T <b>", None, "AT&amp;T <b>"),
        ("Why <b>x</b> &amp; y", Some("html"), html),
    ] {
        feed.entries[0].title = Text::line(title);
        let (atom, channel, _) = read(&feed);
        let shown = atom.all("entry").next().unwrap().one("title");
        assert_eq!((shown.attribute("type").filter(|t| *t != "text"), shown.text.as_str()), (kind, text));
        assert_eq!(channel.all("item").next().unwrap().one("title").text, title);
    }
    let [atom, rss, ..] = documents(&feed);
    assert!(text(&rss).contains("<title>Why &#x3C;b&gt;x&#x3C;/b&gt; &#x26;amp; y</title>"), "as the Profile wants it");
    assert!(text(&rss).contains(">Problem &#x26; solution</category>"), "that of a category, too");
    assert!(text(&rss).contains("<description>5 posts about R&#x26;D, &#x3C;summarised&gt;</description>"), "and this");
    assert!(text(&atom).contains(">Why &#x26;lt;b&#x26;gt;"), "the same document to a parser");
}

/// RFC 4287 §4.1.3.1: the title stands for a text that is missing, and means no markup there.
#[test]
fn a_title_in_the_place_of_a_text_shows_what_it_says() {
    let mut feed = hostile();
    for (title, kind, value) in [
        ("A line", "text", "A line"),
        ("References such as &#0;", "html", "References such as &amp;#0;"),
        ("<p> and <br>", "html", "&lt;p&gt; and &lt;br&gt;"),
    ] {
        feed.entries[4].title = Text::line(title);
        let atom = read(&feed).0;
        let content = atom.all("entry").last().unwrap().one("content");
        assert_eq!((content.attribute("type"), content.text.as_str()), (Some(kind), value));
    }
}

#[test]
fn a_feed_that_moved_keeps_its_id() {
    let moved = Feed { identity: Some("topics/hostile".into()), key: FeedKey::Topic(Slug::of("new")), ..hostile() };
    assert_eq!(read(&moved).0.one("id").text, read(&hostile()).0.one("id").text);
}

#[test]
fn a_hub_is_named_in_every_format() {
    let site = Site { hub: Some("https://hub.example/?a=1&b=2".parse().unwrap()), ..site() };
    let made: Vec<Document> = render::documents(&hostile(), &site, &FORMATS).collect();
    let href = |node: &Node, name: &str| {
        let hub = node.all(name).find(|l| l.attribute("rel") == Some("hub")).expect("a hub");
        (hub.attribute("href").unwrap().to_owned(), hub.attribute("type").map(str::to_owned))
    };
    let hub = ("https://hub.example/?a=1&b=2".to_owned(), None);
    assert_eq!(href(&xml::read(&made[0].bytes), "link"), hub);
    assert_eq!(href(xml::read(&made[1].bytes).one("channel"), "atom:link"), hub);
    let json: Value = serde_json::from_slice(&made[2].bytes).unwrap();
    assert_eq!(json["hubs"], serde_json::json!([{"type": "WebSub", "url": "https://hub.example/?a=1&b=2"}]));
}

/// RFC 5005 §2 and §4: a feed that is all there is says so; one that is not leads to its archives, and they lead on.
#[test]
fn archives_lead_to_each_other_and_only_lasting_ones_are_called_archives() {
    let base = "https://feeds.example/base/topics/hostile";
    let ways = |root: &Node, name: &str| -> Vec<(String, String)> {
        let ways =
            root.all(name).map(|l| (l.attribute("rel").unwrap().to_owned(), l.attribute("href").unwrap().to_owned()));
        ways.filter(|(rel, _)| !["alternate", "hub"].contains(&rel.as_str())).collect()
    };
    let way = |rel: &str, path: &str| (rel.to_owned(), format!("{base}{path}"));
    let (atom, channel, json) = read(&hostile());
    assert!(atom.maybe("fh:complete").is_some() && channel.maybe("fh:complete").is_some());
    assert_eq!(atom.attribute("xmlns:fh"), Some("http://purl.org/syndication/history/1.0"));
    assert_eq!((ways(&atom, "link"), json.get("next_url")), (vec![way("self", ".atom")], None));
    let cut = Feed { last_archive: Some(3), ..hostile() };
    let (atom, channel, json) = read(&cut);
    assert!(atom.maybe("fh:complete").is_none() && channel.maybe("fh:complete").is_none());
    let prev = way("prev-archive", "/archive/3.atom");
    assert_eq!(ways(&atom, "link"), [way("self", ".atom"), prev.clone()]);
    assert_eq!(ways(&channel, "atom:link"), [way("self", ".rss"), prev]);
    assert_eq!(json["next_url"], format!("{base}/archive/3.json"));
    for (number, followed, before, after) in
        [(1, true, None, Some(2)), (2, true, Some(1), Some(3)), (3, false, Some(2), None)]
    {
        let archive = Archive { number, followed, feed: cut.clone() };
        let made: Vec<Document> = render::archive(&archive, &site(), &FORMATS).collect();
        let paths: Vec<&str> = made.iter().map(|d| d.path.as_str()).collect();
        assert_eq!(
            paths,
            [format!("topics/hostile/archive/{number}.atom"), format!("topics/hostile/archive/{number}.json")]
        );
        let (part, json) = (xml::read(&made[0].bytes), serde_json::from_slice::<Value>(&made[1].bytes).unwrap());
        let at = |number: i32| format!("/archive/{number}.atom");
        let mut expected = vec![way("self", &at(i32::try_from(number).unwrap())), way("current", ".atom")];
        expected.extend(before.map(|n| way("prev-archive", &at(n))));
        expected.extend(after.map(|n| way("next-archive", &at(n))));
        assert_eq!(ways(&part, "link"), expected);
        assert_eq!(part.maybe("fh:archive").is_some(), followed, "whoever has an archive does not ask again");
        assert_eq!(part.one("id").text, atom.one("id").text, "a part of the same feed");
        assert_eq!(json["feed_url"], format!("{base}/archive/{number}.json"));
        assert_eq!(
            json.get("next_url").and_then(Value::as_str),
            before.map(|n| format!("{base}/archive/{n}.json")).as_deref()
        );
    }
}

/// What was written once for a topic goes as it is into the archives of feeds of several topics, where Atom wants a source.
#[test]
fn an_archive_put_together_from_written_entries_is_the_one_that_is_written_whole() {
    let topic = Feed { entries: hostile().entries, ..hostile() };
    let written = documents(&topic);
    for key in [FeedKey::All, FeedKey::Topic(Slug::of("hostile"))] {
        let merged = key == FeedKey::All;
        let archive = Archive { number: 2, followed: true, feed: Feed { key, last_archive: Some(3), ..topic.clone() } };
        let whole: Vec<Document> = render::archive(&archive, &site(), &FORMATS).collect();
        let bare = Archive { feed: Feed { entries: Vec::new(), ..archive.feed }, ..archive };
        let shells = render::shells(&bare, &site(), &FORMATS);
        assert_eq!(shells.len(), 2);
        for ((shell, _), whole) in shells.iter().zip(&whole) {
            let from = written.iter().find(|d| d.path.ends_with(shell.format.ending())).unwrap();
            let parts = shell.format.entries(&from.bytes);
            assert_eq!(parts.len(), topic.entries.len());
            let mut made = shell.begin(0);
            for (part, entry) in parts.into_iter().zip(&topic.entries) {
                let wants_source = merged && shell.format == Format::Atom;
                let source = entry.topic.as_ref().filter(|_| wants_source).map(|t| render::source(t, &site()).unwrap());
                shell.push(&mut made, &from.bytes[part], source.as_ref());
            }
            let made = Document { path: whole.path.clone(), bytes: shell.end(made) };
            assert!(made == *whole, "{}:\n{}\nnot\n{}", whole.path, text(&made), text(whole));
        }
    }
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
            ttl: 60,
            entries: vec![
                post("urn:x:1", Html::escaped(&plain)),
                post("urn:x:2", Html::sanitised(&format!("<p>{markup}</p><em>{markup}</em>"), None)),
            ],
            ..Feed::default()
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
        let titled = atom.one("title");
        if titled.attribute("type") == Some("html") {
            prop_assert_eq!(Html::written(titled.text.clone()).text(), title.clone());
        } else {
            prop_assert_eq!(titled.text.as_str(), title.as_str());
        }
        let head = pagewire::model::FeedHead { key: feed.key.clone(), title: title.clone(), posts: 1, newest: None };
        let opml = xml::read(&render::opml(&site(), &[head], &FORMATS, THURSDAY).bytes);
        let outline = opml.one("body").one("outline").one("outline");
        prop_assert_eq!(outline.attribute("text").unwrap(), title.as_str());
    }
}
