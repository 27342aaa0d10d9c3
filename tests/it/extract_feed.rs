//! What is read from feeds: each rule with an input and what comes of it, and what becomes of it over several readings.

use crate::harness::{Answer, Home, Origin, assert_same, pagewire};
use pagewire::extract::extract;
use pagewire::model::{Body, ErrorKind, Failure, Kind, LinkMode, PageSettings, Post, Published, Reading, Text};
use proptest::prelude::*;
use url::Url;

const PAGE: &str = "https://news.example/feeds/all";

fn settings() -> PageSettings {
    PageSettings::default()
}

fn read_with(bytes: impl AsRef<[u8]>, media_type: Option<&str>, settings: &PageSettings) -> Result<Reading, Failure> {
    let body = Body {
        address: Url::parse(PAGE).unwrap(),
        bytes: bytes.as_ref().to_vec().into(),
        media_type: media_type.map(str::to_owned),
        validators: None,
        maybe_cut: false,
    };
    extract(&body, settings)
}

fn read(feed: impl AsRef<[u8]>) -> Reading {
    read_with(feed, None, &settings()).unwrap()
}

fn refused(feed: impl AsRef<[u8]>) -> Failure {
    read_with(feed, None, &settings()).unwrap_err()
}

/// An RSS feed of these items.
fn rss(items: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
         xmlns:atom=\"http://www.w3.org/2005/Atom\" xmlns:media=\"http://search.yahoo.com/mrss/\" \
         xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\n<channel>\n<title>Lab notes</title>\n\
         <link>https://lab.example/notes/</link>\n<description>From the lab</description>\n{items}\n</channel>\n</rss>\n"
    )
}

/// An Atom feed of these entries.
fn atom(entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Lab notes</title>\
         <id>urn:lab</id><updated>2026-09-24T10:00:00Z</updated>{entries}</feed>"
    )
}

/// A JSON feed of these items.
fn json(items: &str) -> String {
    format!("{{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"Lab notes\", \"items\": [{items}]}}")
}

/// The only post of a feed.
fn only(feed: impl AsRef<[u8]>) -> Post {
    let mut posts = read(feed).posts;
    assert_eq!(posts.len(), 1, "{posts:?}");
    posts.remove(0)
}

fn titles(reading: &Reading) -> Vec<&str> {
    reading.posts.iter().map(|post| post.title.as_str()).collect()
}

fn link(post: &Post) -> &str {
    post.link.as_ref().map_or("", Url::as_str)
}

fn day(post: &Post) -> String {
    post.published.map_or_else(String::new, Published::json)
}

fn authors(post: &Post) -> Vec<&str> {
    post.authors.iter().map(Text::as_str).collect()
}

fn problems(reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(|p| format!("{}: {}", p.kind.as_str(), p.message)).collect()
}

mod formats {
    use super::*;

    #[test]
    fn rss_2_is_read_whole() {
        let reading = read(rss(
            "<lastBuildDate>Thu, 24 Sep 2026 12:00:00 GMT</lastBuildDate><image><url>https://lab.example/i.png</url>\
             <title>Logo</title><link>https://lab.example/logo</link></image>\
             <item><title>Cold atoms</title><link>https://lab.example/notes/cold</link><guid isPermaLink=\"false\">n-7</guid>\
             <pubDate>Thu, 24 Sep 2026 12:30:00 +0200</pubDate><dc:creator>Ana Roe</dc:creator>\
             <dc:creator><![CDATA[Ben O'Hara & Co]]></dc:creator><category>Physics</category>\
             <description>Atoms at &lt;b&gt;rest&lt;/b&gt;, see &lt;a href=\"/data\"&gt;data&lt;/a&gt;.</description>\
             <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>\
             <enclosure url=\"https://lab.example/a.mp3\" type=\"audio/mpeg\"/></item>\
             <item><title>No more</title><link>https://lab.example/notes/2</link></item>",
        ));
        assert_eq!(reading.kind, Kind::Feed);
        assert_eq!(reading.title, Some(Text::line("Lab notes")));
        assert_eq!(reading.description, Some(Text::line("From the lab")));
        assert_eq!((reading.stated, reading.list), (None, true));
        assert_eq!(problems(&reading), [""; 0]);
        let first = &reading.posts[0];
        assert_eq!(first.title.as_str(), "Cold atoms");
        assert_eq!(link(first), "https://lab.example/notes/cold");
        assert_eq!(first.guid.as_deref(), Some("n-7"));
        assert_eq!(first.published.unwrap().to_string(), "2026-09-24T12:30:00+02:00");
        assert_eq!(authors(first), ["Ana Roe", "Ben O'Hara & Co"]);
        assert_eq!(first.summary.as_str(), "Atoms at <b>rest</b>, see <a href=\"https://lab.example/data\">data</a>.");
        assert_eq!((&first.kind, first.companies.len(), first.extra.len()), (&None, 0, 0));
        let bare = Post { title: Text::line("No more"), link: reading.posts[1].link.clone(), ..Post::default() };
        assert_eq!(reading.posts[1], bare);
    }

    #[test]
    fn atom_1_is_read_whole() {
        let reading = read(atom(
            "<subtitle type=\"html\">All &lt;i&gt;notes&lt;/i&gt;</subtitle><author><name>The lab</name></author>\
             <entry><title type=\"html\">Cold &lt;i&gt;atoms&lt;/i&gt; &amp;amp; hot</title>\
             <link rel=\"self\" href=\"https://lab.example/1.atom\"/>\
             <link rel=\"alternate\" type=\"application/pdf\" href=\"https://lab.example/1.pdf\"/>\
             <link type=\"text/html\" href=\"https://lab.example/1\"/><id>tag:lab.example,2026:1</id>\
             <published>2026-09-23T10:00:00+02:00</published><updated>2026-09-24T10:00:00Z</updated>\
             <author><name>Ana Roe</name><email>ana@lab.example</email></author>\
             <author><name>Ben</name></author><contributor><name>Nobody</name></contributor>\
             <source><title>Elsewhere</title><id>urn:x</id><link href=\"https://x.example/\"/></source>\
             <summary>Plain &lt;b&gt;text&lt;/b&gt;</summary><content type=\"html\">&lt;p&gt;Long&lt;/p&gt;</content></entry>\
             <entry><title>Of the feed</title><id>urn:2</id><updated>2026-09-22T10:00:00Z</updated>\
             <content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><p>An <em>x &lt; y</em></p></div></content>\
             </entry>",
        ));
        assert_eq!(reading.description, Some(Text::line("All notes")));
        let [first, second] = &reading.posts[..] else { panic!("{:?}", titles(&reading)) };
        assert_eq!(first.title.as_str(), "Cold atoms & hot");
        assert_eq!(link(first), "https://lab.example/1");
        assert_eq!(first.guid.as_deref(), Some("tag:lab.example,2026:1"));
        assert_eq!(first.published.unwrap().to_string(), "2026-09-23T10:00:00+02:00");
        assert_eq!(authors(first), ["Ana Roe", "Ben"]);
        assert_eq!(first.summary.as_str(), "<p>Plain &lt;b&gt;text&lt;/b&gt;</p>");
        assert_eq!((link(second), day(second)), ("", "2026-09-22T10:00:00Z".to_owned()));
        assert_eq!(authors(second), ["The lab"], "an entry without an author has the feed's");
        assert_eq!(
            second.summary.as_str(),
            "<div><p>An <em>x &lt; y</em></p></div>".replace("<div>", "").replace("</div>", "")
        );
    }

    #[test]
    fn json_feeds_are_read_whole() {
        let reading = read(
            r#"{"version": "https://jsonfeed.org/version/1", "title": "Lab notes", "description": "D", "home_page_url": "https://lab.example/",
            "author": {"name": "The lab"}, "items": [
            {"id": "1", "url": "https://lab.example/1", "external_url": "https://x.example/", "title": "A <b> & &amp;",
             "content_html": "<p onclick='x'>Hi <a href='/x'>x</a></p>", "date_published": "2026-09-24T10:00:00+02:00",
             "date_modified": "2026-09-25T10:00:00Z", "authors": [{"name": "Ana"}, {"url": "x"}, {"name": "Ben"}], "tags": ["x"],
             "attachments": [{"url": "https://lab.example/a.mp3", "mime_type": "audio/mpeg"}]},
            {"id": 2, "external_url": "https://x.example/2", "content_text": "One <i>.\n\nTwo.", "date_modified": "2026-09-23"},
            {"url": "/3", "title": "C", "summary": "S & T", "content_html": "<p>long</p>", "_x": {"y": 1}}]}"#,
        );
        assert_eq!((reading.kind, reading.list), (Kind::Feed, true));
        assert_eq!(reading.title, Some(Text::line("Lab notes")));
        let [first, second, third] = &reading.posts[..] else { panic!("{:?}", titles(&reading)) };
        assert_eq!(first.title.as_str(), "A <b> & &amp;");
        assert_eq!((link(first), day(first)), ("https://lab.example/1", "2026-09-24T08:00:00Z".to_owned()));
        assert_eq!(authors(first), ["Ana", "Ben"]);
        assert_eq!(first.summary.as_str(), "<p>Hi <a href=\"https://lab.example/x\">x</a></p>");
        assert_eq!(second.guid.as_deref(), Some("2"));
        assert_eq!(second.title.as_str(), "One <i>.", "the first words stand for a title");
        assert_eq!((link(second), day(second)), ("https://x.example/2", "2026-09-23".to_owned()));
        assert_eq!(authors(second), ["The lab"]);
        assert_eq!(second.summary.as_str(), "<p>One &lt;i&gt;.</p>\n<p>Two.</p>");
        assert_eq!((link(third), third.guid.as_deref()), ("https://lab.example/3", None));
        assert_eq!(third.summary.as_str(), "<p>S &amp; T</p>");
    }

    #[test]
    fn rdf_is_read_under_any_prefix() {
        let reading = read(
            "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\" \
             xmlns:d=\"http://purl.org/dc/elements/1.1/\"><channel r:about=\"x\"><title>Old</title>\
             <link>https://old.example/</link><description>D</description><items><r:Seq><r:li r:resource=\"u\"/></r:Seq></items>\
             </channel><image><title>I</title></image><item r:about=\"https://old.example/1\"><title>A</title>\
             <link>https://old.example/1</link><d:date>2026-09-24</d:date><d:creator>Ana</d:creator>\
             <description>&lt;i&gt;T&lt;/i&gt;</description></item><textinput><title>S</title></textinput></r:RDF>",
        );
        assert_eq!(reading.title, Some(Text::line("Old")));
        let post = &reading.posts[0];
        assert_eq!((reading.posts.len(), link(post)), (1, "https://old.example/1"));
        assert_eq!(post.published.unwrap().to_string(), "2026-09-24", "a day stays a day");
        assert_eq!((authors(post), post.summary.as_str()), (vec!["Ana"], "<i>T</i>"));
    }

    #[test]
    fn older_forms_and_odd_versions_are_read() {
        for root in [
            "<rss version=\"0.91\">",
            "<rss version=\"2.0.1\">",
            "<rss version=''>",
            "<rss>",
            "<RSS Version=\"2.0\" xmlns=\"http://backend.userland.com/rss2\">",
            "<rss version=\"2.0\" xmlns=\"http://www.w3.org/2005/Atom\">",
        ] {
            let name = root[1..4].to_owned();
            let feed = format!(
                "{root}<channel><title>T</title><item><title>A</title><link>/a</link></item></channel></{name}>"
            );
            assert_eq!(titles(&read(feed)), ["A"], "{root}");
        }
        let netscape = "<!DOCTYPE rss PUBLIC \"-//Netscape Communications//DTD RSS 0.91//EN\" \
                        \"http://my.netscape.com/publish/formats/rss-0.91.dtd\">\n<rss version=\"0.91\"><channel>\
                        <item><title>A</title></item></channel></rss>";
        assert_eq!(titles(&read(netscape)), ["A"]);
        let post = only(
            "<feed version=\"0.3\" xmlns=\"http://purl.org/atom/ns#\"><title>T</title><tagline>G</tagline><entry>\
             <title mode=\"escaped\" type=\"text/html\">A &lt;b&gt;b&lt;/b&gt;</title><id>1</id>\
             <link rel=\"alternate\" type=\"text/html\" href=\"https://x.example/a\"/><issued>2026-09-24T10:00:00Z</issued>\
             <modified>2026-09-25T10:00:00Z</modified><content type=\"application/xhtml+xml\" mode=\"xml\">\
             <h:p xmlns:h=\"http://www.w3.org/1999/xhtml\">Hi <h:em>x</h:em></h:p></content></entry></feed>",
        );
        assert_eq!((post.title.as_str(), link(&post)), ("A b", "https://x.example/a"));
        assert_eq!((day(&post).as_str(), post.summary.as_str()), ("2026-09-24T10:00:00Z", "<p>Hi <em>x</em></p>"));
    }

    #[test]
    fn an_atom_entry_may_be_a_document() {
        let entry = "<entry xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><link href=\"/a\"/>\
                     <updated>2026-09-24T10:00:00Z</updated><summary>S</summary></entry>";
        for document in [entry.to_owned(), format!("<?xml version=\"1.0\"?>\n<!-- one post -->\n{entry}\n")] {
            let post = only(&document);
            assert_eq!((post.title.as_str(), link(&post)), ("A", "https://news.example/a"));
            assert_eq!(day(&post), "2026-09-24T10:00:00Z");
        }
        let cut = "<?xml version=\"1.0\"?><entry xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><summary>S";
        assert_eq!(refused(cut).kind, ErrorKind::Truncated);
        assert_eq!(refused(entry.trim_end_matches("</entry>")).kind, ErrorKind::Truncated);
    }

    #[test]
    fn an_item_inside_an_items_element_is_no_post_of_the_list() {
        let other = "<title>A</title><sync:other><entry><title>A, as it was</title></entry></sync:other>";
        let feed = atom(&format!("<entry>{other}<link href=\"/a\"/></entry><entry><title>B</title></entry>"));
        let reading = read(&feed);
        assert_eq!(titles(&reading), ["A", "B"]);
        assert_eq!(link(&reading.posts[0]), "https://news.example/a", "what stands behind it counts");
        // Where end tags are missing, the next item begins where it begins.
        assert_eq!(titles(&read(feed.replace("</sync:other>", ""))), ["A", "A, as it was", "B"]);
        let wrapped = rss("<list><item><title>A</title></item><item><title>B</title></item></list>");
        assert_eq!(titles(&read(wrapped)), ["A", "B"]);
    }

    #[test]
    fn a_prefix_may_be_any_or_not_be_declared() {
        let post = only(
            "<a:feed xmlns:a=\"http://www.w3.org/2005/Atom\"><a:entry><a:title>A</a:title>\
             <a:link href=\"https://x.example/a\"/></a:entry></a:feed>",
        );
        assert_eq!((post.title.as_str(), link(&post)), ("A", "https://x.example/a"));
        let post = only(
            "<rss><channel><item><media:title>M</media:title><title>A</title><dc:creator>Ana</dc:creator>\
             <dc:date>2026-09-24</dc:date><content:encoded>C</content:encoded></item></channel></rss>",
        );
        assert_eq!((post.title.as_str(), authors(&post), day(&post).as_str()), ("A", vec!["Ana"], "2026-09-24"));
        assert_eq!(post.summary.as_str(), "<p>C</p>");
    }

    #[test]
    fn a_feed_without_items_is_an_empty_list() {
        for feed in [rss(""), atom(""), json(""), "<rss><channel/></rss>".to_owned()] {
            let reading = read(&feed);
            assert_eq!((reading.posts.len(), reading.list), (0, true), "{feed}");
        }
    }

    #[test]
    fn what_is_no_feed_is_refused() {
        for text in [
            "<?xml version=\"1.0\"?><urlset><url/></urlset>",
            "<rss></rss>",
            "<rdf:RDF></rdf:RDF>",
            "{\"items\": {}}",
            "{\"title\": \"x\"}",
        ] {
            assert_eq!(refused(text).kind, ErrorKind::NotATopicPage, "{text}");
        }
        assert_eq!(refused("[{\"a\": 1}]").kind, ErrorKind::Parse);
        let feed_only = PageSettings { kind: Some(Kind::Feed), ..settings() };
        for text in ["<!doctype html><p>x", "# T\n\n## [A](/a)\n"] {
            let failure = read_with(text, Some("application/rss+xml"), &feed_only).unwrap_err();
            assert_eq!(failure.kind, ErrorKind::NotATopicPage, "{text}");
        }
        let markdown = PageSettings { kind: Some(Kind::Markdown), ..settings() };
        assert_eq!(read_with(rss(""), None, &markdown).unwrap_err().kind, ErrorKind::NotATopicPage);
    }
}

mod charsets {
    use super::*;

    const TITLE: &str = "Чипы и кубиты";

    fn page(declared: &str, label: &str, title: &str) -> Vec<u8> {
        let feed =
            format!("{declared}<rss version=\"2.0\"><channel><item><title>{title}</title></item></channel></rss>");
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        encoding.encode(&feed).0.into_owned()
    }

    fn title(bytes: &[u8], media_type: Option<&str>) -> String {
        read_with(bytes, media_type, &settings()).unwrap().posts[0].title.to_string()
    }

    #[test]
    fn a_charset_may_be_declared_by_server_document_or_both() {
        let says = "<?xml version=\"1.0\" encoding=\"windows-1251\"?>";
        let header = Some("application/rss+xml; charset=windows-1251");
        for (declared, header) in
            [(says, None), ("", header), (says, header), ("\n\n<?xml version='1.0' encoding = 'windows-1251' ?>", None)]
        {
            assert_eq!(title(&page(declared, "windows-1251", TITLE), header), TITLE, "{declared} {header:?}");
        }
        let gbk = "<?xml version='1.0' encoding='gb2312'?>";
        assert_eq!(title(&page(gbk, "gbk", "量子计算"), Some("text/xml")), "量子计算");
    }

    #[test]
    fn the_server_wins_over_the_document() {
        for declared in ["utf-8", "koi8-r", "iso-8859-1"] {
            let declared = format!("<?xml version=\"1.0\" encoding=\"{declared}\"?>");
            let bytes = page(&declared, "windows-1251", TITLE);
            assert_eq!(title(&bytes, Some("text/xml; charset=\"windows-1251\"")), TITLE, "{declared}");
        }
    }

    #[test]
    fn utf_8_wins_over_every_declaration_and_nothing_else_is_called_so() {
        for declared in ["utf-8", "iso-8859-1", "windows-1251", "utf-16", "nonsense"] {
            let declared = format!("<?xml version=\"1.0\" encoding=\"{declared}\"?>");
            for header in [None, Some("text/xml; charset=iso-8859-1")] {
                assert_eq!(title(&page(&declared, "utf-8", TITLE), header), TITLE, "{declared} {header:?}");
            }
        }
        let says = "<?xml version=\"1.0\" encoding=\"windows-1251\"?>";
        assert_eq!(title(&page(says, "windows-1251", TITLE), Some("text/xml; charset=utf-8")), TITLE);
        assert_eq!(title(&page("", "windows-1252", "Café"), None), "Café");
    }

    #[test]
    fn byte_order_marks_and_utf_16_are_understood() {
        let feed = format!(
            "<?xml version=\"1.0\" encoding=\"utf-16\"?><rss><channel><item><title>{TITLE}</title></item></channel></rss>"
        );
        let le: Vec<u8> = feed.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = feed.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [&le, &be, &[&[0xff, 0xfe], &le[..]].concat(), &[&[0xfe, 0xff], &be[..]].concat()] {
            assert_eq!(title(bytes, None), TITLE);
        }
        assert_eq!(title(format!("\u{feff}{feed}").as_bytes(), Some("text/xml; charset=windows-1251")), TITLE);
    }
}

mod repairs {
    use super::*;

    #[test]
    fn junk_around_the_root_means_nothing() {
        let feed = rss("<item><title>A</title></item>");
        for feed in [
            format!("\n \n{feed}"),
            format!("<br />\n<b>Warning</b>: x() in <b>/srv/x.php</b> on line 3<br />\n{feed}"),
            format!("Deprecated: y\n{feed}"),
            format!("{feed}<!-- served in 3 ms -->\n"),
            format!("{feed}<script>x()</script>"),
        ] {
            assert_eq!(titles(&read_with(&feed, Some("application/rss+xml"), &settings()).unwrap()), ["A"], "{feed}");
        }
    }

    #[test]
    fn bare_ampersands_and_unknown_entities_cost_nothing() {
        let reading =
            read(rss("<item><title>R&D at AT&amp;T & more&nbsp;caf&eacute; &mdash; &unknown; &#x41;&#146;</title>\
             <link>https://x.example/?a=1&b=2&copy=3</link><description>x &nbsp;y & z</description></item>\
             <item><title>B</title><link>https://x.example/?a=1&amp;b=2</link></item>"));
        assert_eq!(reading.posts[0].title.as_str(), "R&D at AT&T & more café — &unknown; A’");
        assert_eq!(link(&reading.posts[0]), "https://x.example/?a=1&b=2&copy=3");
        assert_eq!(reading.posts[0].summary.as_str(), "<p>x y &amp; z</p>");
        assert_eq!(link(&reading.posts[1]), "https://x.example/?a=1&b=2");
    }

    #[test]
    fn characters_that_xml_forbids_are_dropped() {
        let post = only(rss(
            "<item><title>A\u{1}B\u{b}&#0;&#x1b;C\u{fffe}</title><link>https://x.example/a</link><guid>g\u{1}1</guid></item>",
        ));
        assert_eq!((post.title.as_str(), post.guid.as_deref()), ("ABC", Some("g1")));
    }

    #[test]
    fn one_broken_item_costs_itself() {
        let reading =
            read(rss("<item><title>A</title></item><item><title>Broken<link>https://x.example/b</link></item>\
             <item><title>C</title><description>un<br>escaped <img src=x.png> & <b>bold</description></item>\
             <item><title>D</title></p></div></item><item><title>E</title><item><title>F</title></item>\
             <item><foo><title>no</title></item><item><title>G</title>"));
        assert_eq!(titles(&reading), ["A", "C", "D", "E", "F", "G"]);
        assert_eq!(
            problems(&reading),
            [
                "item: item 2: its `<title>` is never closed, so the item is left out",
                "item: item 7: it has neither title nor link nor text, so it is left out"
            ]
        );
        assert_eq!(
            reading.posts[1].summary.as_str(),
            "un<br>escaped <img src=\"https://lab.example/notes/x.png\"> &amp; <b>bold</b>"
        );
    }

    #[test]
    fn an_end_that_is_missing_is_no_list() {
        let feed = rss("<item><title>A</title></item><item><title>B</title><link>https://x.example/b</link></item>");
        let whole = feed.find("</channel>").unwrap();
        for end in 60..whole {
            if feed[..end].contains("<channel>") && feed.is_char_boundary(end) {
                assert_eq!(refused(&feed[..end]).kind, ErrorKind::Truncated, "{}", &feed[..end]);
            }
        }
        assert_eq!(titles(&read(&feed[..whole + 10])), ["A", "B"], "the list is whole where the channel is");
        let feed = atom("<entry><title>A</title></entry>");
        assert_eq!(refused(feed.trim_end_matches("</feed>")).kind, ErrorKind::Truncated);
        let feed = json("{\"title\": \"A\"}, {\"title\": \"B\"}");
        for end in 1..feed.len() {
            let failure = refused(&feed[..end]);
            assert!(end < 3 || failure.kind == ErrorKind::Truncated, "{failure} {}", &feed[..end]);
        }
    }

    #[test]
    fn json_that_strict_parsers_refuse_is_read() {
        let reading = read(json(
            r#"{"id": "1", "title": "Half \ud83d and \udc00"}, {"id": 7.5, "title": "Whole \ud83d\ude80 \\ud83d"},
            {"id": 12345678901, "title": 2026, "url": "https://x.example/", "content_text": null, "authors": "Ana"},
            "junk", {"title": ["x"], "id": "4"}, {"title": "tab	here"}"#,
        ));
        assert_eq!(titles(&reading), ["Half \u{fffd} and \u{fffd}", "Whole 🚀 \\ud83d", "2026", "tab here"]);
        let ids: Vec<_> = reading.posts.iter().map(|p| p.guid.as_deref()).collect();
        assert_eq!(ids, [Some("1"), Some("7.5"), Some("12345678901"), None]);
        assert_eq!(
            problems(&reading),
            [
                "item: item 4: it is no object, so it is left out",
                "item: item 5: it has neither title nor link nor text, so it is left out"
            ]
        );
        assert_eq!(titles(&read("{\"items\": [{\"title\": \"A\"}]}")), ["A"], "any version");
        assert_eq!(titles(&read("{\"version\": 3, \"items\": [{\"title\": \"A\"}]}")), ["A"]);
    }

    #[test]
    fn an_item_that_is_no_json_costs_itself() {
        for broken in [
            r#"{"title": "B\x41"}"#,
            r#"{"title": "It\'s", "tags": [1, 2]}"#,
            r#"{"title": "B", "id": 1,}"#,
            r#"{"title": "B", "size": 1e999}"#,
            r#"{"title": "B", "n": NaN}"#,
            r#"{"title": 'B'}"#,
        ] {
            let listed = format!(r#"{{"title": "A, ] \" [", "tags": [1]}}, {broken}, {{"title": "C"}}"#);
            let reading = read(json(&listed));
            assert_eq!(titles(&reading), ["A, ] \" [", "C"], "{broken}");
            assert_eq!(problems(&reading), ["item: item 2: it is null, or no JSON, so it is left out"], "{broken}");
        }
        assert_eq!(titles(&read(json(r#"{"title": "A"}, {"title": "C"},"#))), ["A", "C"], "a comma at the end");
        assert_eq!(refused(r#"{"title": oops, "items": []}"#).kind, ErrorKind::Parse, "no item is broken");
    }

    #[test]
    fn an_error_of_rss_bridge_is_no_post() {
        let error = "<item><title>Bridge returned error 503! (20722)</title><link>https://bridge.example/?x</link>\
                     <guid>https://bridge.example/#20722</guid><pubDate>Thu, 24 Sep 2026 10:00:00 GMT</pubDate></item>";
        let reading = read(rss(&format!("{error}<item><title>A</title></item>")));
        assert_eq!(titles(&reading), ["A"]);
        let told = "item: item 1: `Bridge returned error 503! (20722)` is an error of RSS-Bridge's and no post, so it is left out";
        assert_eq!(problems(&reading), [told]);
        let entry = "<entry><id>e</id><title>Bridge returned error 0! (20722)</title></entry>";
        assert_eq!(titles(&read(atom(entry))), [""; 0]);
        assert_eq!(titles(&read(json(r#"{"title": "Bridge returned error 404! (1)"}"#))), [""; 0]);
        for title in [
            "Bridge returned error 503",
            "Bridge returned error codes! (20722)",
            "Why a Bridge returned error 503! (1)",
        ] {
            assert_eq!(titles(&read(rss(&format!("<item><title>{title}</title></item>")))), [title]);
        }
    }

    #[test]
    fn a_repair_changes_nothing_else() {
        let items = "<item><title>One &amp; <![CDATA[two <b>x</b>]]></title><link>https://x.example/1</link>\
                     <guid>https://x.example/g</guid><pubDate>Thu, 24 Sep 2026 10:00:00 GMT</pubDate>\
                     <description>a &lt;p&gt;b&lt;/p&gt;</description></item>";
        let whole = read(rss(items));
        let broken = read(format!("junk & <br>\n{}", rss(&format!("{items}<item><title>x</item>"))));
        assert_eq!(broken.posts, whole.posts);
        assert_eq!(broken.title, whole.title);
    }

    #[test]
    fn values_that_crash_parsers_cost_nothing() {
        let reading = read(rss("<item><title>A</title><itunes:duration>99999999999999999999:00:00</itunes:duration>\
             <media:thumbnail url=\"x\" time=\"99999999999999999999\"/><media:group><media:title>M</media:title></media:group>\
             <author>Jörg —jo@x.example</author><dc:creator>a@x.example—Zoë</dc:creator></item>"));
        assert_eq!((titles(&reading), authors(&reading.posts[0])), (vec!["A"], vec!["Jörg"]));
    }
}

mod fields {
    use super::*;

    /// Elements stand on lines of their own whether or not their tags may stay.
    #[test]
    fn words_of_different_lines_do_not_run_together() {
        for (html, text) in [
            ("<div>One</div><div>Two</div>", "One\n\nTwo"),
            ("<h2>Intro</h2>Some text", "Intro\n\nSome text"),
            ("<section>One</section>Two", "One\n\nTwo"),
            ("<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>12</td></tr></table>", "Name Age\n\nAnn 12"),
            ("<address>One</address>Two", "One\n\nTwo"),
            ("<div><p>One</p></div><div><p>Two</p></div>", "One\n\nTwo"),
            ("<b>On</b>e <span>Tw</span>o", "One Two"),
            ("<blockquote cite=\"/c\">One</blockquote>Two", "One\n\nTwo"),
        ] {
            let item =
                format!("<item><link>https://lab.example/1</link><description><![CDATA[{html}]]></description></item>");
            let post = only(rss(&item));
            assert_eq!(post.summary.text().as_str(), text, "{html}");
            assert!(!post.summary.as_str().contains("<div") && !post.summary.as_str().contains("cite"), "{html}");
        }
    }

    #[test]
    fn titles_are_plain_text() {
        for (given, title) in [
            ("Use &lt;script&gt; with care", "Use <script> with care"),
            ("<![CDATA[Use <script> &amp; Vec<T>]]>", "Use <script> & Vec<T>"),
            ("&lt;b&gt;Bold&lt;/b&gt; and &lt;em&gt;so&lt;/em&gt;", "Bold and so"),
            ("<![CDATA[It&#8217;s <i>here</i>]]>", "It’s here"),
            ("It&amp;#8217;s Q&amp;amp;A", "It’s Q&A"),
            ("Not <b>escaped</b> at <i>all</i>", "Not escaped at all"),
            ("  Spaced\n  out ", "Spaced out"),
        ] {
            assert_eq!(only(rss(&format!("<item><title>{given}</title></item>"))).title.as_str(), title, "{given}");
        }
        for (given, title) in [
            ("<title>Use &lt;script&gt; &amp;amp; &lt;b&gt;x&lt;/b&gt;</title>", "Use <script> &amp; <b>x</b>"),
            ("<title type=\"html\">Use &amp;lt;script&amp;gt; &lt;b&gt;x&lt;/b&gt;</title>", "Use <script> x"),
            ("<title type=\"html\"><![CDATA[<em>A</em> &amp; B]]></title>", "A & B"),
            (
                "<title type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">1 &lt; <b>2</b></div></title>",
                "1 < 2",
            ),
            ("<title>Not <b>escaped</b></title>", "Not escaped"),
            ("<title type=\"text/plain\">&lt;x></title>", "<x>"),
            ("<title/><summary>Of the first words</summary>", "Of the first words"),
        ] {
            assert_eq!(only(atom(&format!("<entry>{given}</entry>"))).title.as_str(), title, "{given}");
        }
    }

    #[test]
    fn dates_are_read_for_certain_or_not_at_all() {
        for (given, published) in [
            ("<pubDate>Thu, 24 Sep 2026 10:00:00 EST</pubDate>", "2026-09-24T15:00:00Z"),
            ("<pubDate>3/12/2020 12:00:00 PM</pubDate>", ""),
            ("<pubDate>Thu, 31 Dec 2026 24:00:00 +0000</pubDate>", ""),
            ("<pubDate>soon</pubDate>", ""),
            ("<pubDate> </pubDate><dc:date>2026-09-24</dc:date>", "2026-09-24"),
            ("<dc:date>2026-09-20T10:00:00Z</dc:date><pubDate>2026-09-24</pubDate>", "2026-09-24"),
            ("<pubDate>2026-09-24</pubDate><dc:date>2026-09-20T10:00:00Z</dc:date>", "2026-09-24"),
            ("<pubDate>Sep 24, 2026</pubDate>", "2026-09-24"),
            ("<atom:updated>2026-09-24T10:00:00Z</atom:updated>", "2026-09-24T10:00:00Z"),
            // Archives are older than the web; zeros of programs are no dates.
            ("<pubDate>Tue, 24 Jan 1984 09:00:00 CST</pubDate>", "1984-01-24T15:00:00Z"),
            ("<dc:date>1660-01-01</dc:date>", "1660-01-01"),
            ("<pubDate>Sat, 14 Jun 1405 00:00:00 +0000</pubDate>", "1405-06-14T00:00:00Z"),
            // Of these days others count the years.
            ("<dc:date>1405/06/14</dc:date>", ""),
            ("<dc:date>1405-06-14T10:00:00+03:30</dc:date>", ""),
            ("<pubDate>١٤٤٨/٣/٢٣</pubDate>", ""),
            // Days of XML Schema.
            ("<dc:date>2026-09-05+09:00</dc:date>", "2026-09-05"),
            ("<dc:date>2026-09-05-05:00</dc:date>", "2026-09-05"),
            ("<dc:date>2026-09-05Z</dc:date>", "2026-09-05"),
            ("<pubDate>Thu, 01 Jan 1970 00:00:00 +0000</pubDate>", ""),
            ("<dc:date>1900-01-01T00:00:00Z</dc:date>", ""),
            // RFC 2822 §4.3: the letters of soldiers tell no zone.
            ("<pubDate>Thu, 24 Sep 2026 10:00:00 G</pubDate>", "2026-09-24T10:00:00Z"),
        ] {
            assert_eq!(day(&only(rss(&format!("<item><title>A</title>{given}</item>")))), published, "{given}");
        }
        for (given, published) in [
            ("<updated>2021-10-05T012:41:01+05:30</updated>", ""),
            ("<updated>2026-09-24T10:00:00+05:30</updated>", "2026-09-24T04:30:00Z"),
            ("<published>2026</published><updated>2026-09-24T10:00:00Z</updated>", ""),
            ("<published>2026-09-20</published><updated>2026-09-24T10:00:00Z</updated>", "2026-09-20"),
        ] {
            assert_eq!(day(&only(atom(&format!("<entry><title>A</title>{given}</entry>")))), published, "{given}");
        }
        let reading = read(rss(
            "<item><title>A</title><pubDate>Mon, 01 Jan 0001 00:00:00 +0000</pubDate></item><item><title>B</title><pubDate>soon</pubDate></item>",
        ));
        assert_eq!(problems(&reading), ["date: item 2: date `soon` not understood"]);
        let zero = "<item><title>A</title><pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate></item>";
        assert_eq!(problems(&read(rss(zero))), [""; 0]);
        let berlin = PageSettings { timezone: chrono_tz::Europe::Berlin, ..settings() };
        let feed = rss("<item><title>A</title><pubDate>2026-09-24 10:00</pubDate></item>");
        assert_eq!(day(&read_with(feed, None, &berlin).unwrap().posts[0]), "2026-09-24T08:00:00Z");
    }

    #[test]
    fn the_link_is_the_items_own_else_its_permalink() {
        for (given, url) in [
            ("<link>https://x.example/a</link><guid>https://x.example/g</guid>", "https://x.example/a"),
            ("<guid>https://x.example/g</guid>", "https://x.example/g"),
            ("<guid isPermaLink=\"true\"> HTTPS://x.example/g </guid>", "https://x.example/g"),
            ("<link/><guid isPermaLink=\"false\">https://x.example/g</guid>", ""),
            ("<guid>n-1</guid>", ""),
            ("<link> </link><atom:link href=\"https://x.example/h\"/>", "https://x.example/h"),
            ("<comments>https://x.example/c</comments><source url=\"https://x.example/s\">S</source>", ""),
            ("<link>\n  https://x.example/a\n</link>", "https://x.example/a"),
            ("<link>/a</link>", "https://lab.example/a"),
            ("<link>a.html</link>", "https://lab.example/notes/a.html"),
        ] {
            assert_eq!(link(&only(rss(&format!("<item><title>A</title>{given}</item>")))), url, "{given}");
        }
        let reading = read(rss("<item><title>A</title><link>javascript:x()</link></item>"));
        assert_eq!(
            (link(&reading.posts[0]), problems(&reading)),
            ("", vec!["link: item 1: link `javascript:x()` is no http address".to_owned()])
        );
    }

    #[test]
    fn an_atom_link_leads_where_its_relation_says() {
        for (given, url) in [
            (
                "<link rel=\"http://www.iana.org/assignments/relation/alternate\" href=\"/a\"/>",
                "https://news.example/a",
            ),
            ("<link rel=\"Alternate\" href=\"/a\"/>", "https://news.example/a"),
            ("<link rel=\"related\" href=\"/r\"/><link href=\"/a\"/>", "https://news.example/a"),
            ("<link rel=\"https://x.example/rel/alternate\" href=\"/a\"/>", ""),
        ] {
            assert_eq!(link(&only(atom(&format!("<entry><title>A</title>{given}</entry>")))), url, "{given}");
        }
        let long = "<link rel=\"http://www.iana.org/assignments/relation/enclosure\" href=\"/a.mp3\"/>";
        assert_eq!(only(atom(&format!("<entry><title>A</title>{long}</entry>"))).enclosures.len(), 1);
    }

    #[test]
    fn relative_links_resolve_as_atom_says() {
        let entry = |attributes: &str, inside: &str| {
            format!(
                "<entry{attributes}><title>A</title><link href=\"a\"/><content type=\"html\"{inside}>&lt;img src=\"i.png\"&gt;</content></entry>"
            )
        };
        let read_at = |feed: &str, settings: &PageSettings| {
            let post = read_with(feed, None, settings).unwrap().posts.remove(0);
            (link(&post).to_owned(), post.summary.as_str().replace("<img src=\"", "").replace("\">", ""))
        };
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let plain = atom(&entry("", ""));
        assert_eq!(
            read_at(&plain, &settings()),
            both("https://news.example/feeds/a", "https://news.example/feeds/i.png")
        );
        let based = PageSettings { base: Url::parse("https://b.example/x/").ok(), ..settings() };
        assert_eq!(read_at(&plain, &based), both("https://b.example/x/a", "https://b.example/x/i.png"));
        let own = plain.replace("<feed ", "<feed xml:base=\"https://c.example/r/\" ");
        assert_eq!(read_at(&own, &based), both("https://c.example/r/a", "https://c.example/r/i.png"));
        let nested = atom(&entry(" xml:base=\"s/\"", " xml:base=\"t/\"")).replace("<feed ", "<feed xml:base=\"/r/\" ");
        assert_eq!(
            read_at(&nested, &settings()),
            both("https://news.example/r/s/a", "https://news.example/r/s/t/i.png")
        );
    }

    #[test]
    fn link_html_opens_the_twin_for_people() {
        let html = PageSettings { link: LinkMode::Html, ..settings() };
        let feed = rss("<item><title>A</title><link>https://x.example/a.md</link></item>");
        assert_eq!(link(&read_with(feed, None, &html).unwrap().posts[0]), "https://x.example/a");
    }

    #[test]
    fn ids_are_those_given_and_none_is_made() {
        let reading = read(rss(
            "<item><title>A</title><guid></guid></item><item><title>B</title><guid isPermaLink=\"false\"> </guid></item>\
             <item><title>C</title></item><item><title>D</title><guid> n-4 </guid></item>",
        ));
        let ids: Vec<_> = reading.posts.iter().map(|p| p.guid.as_deref()).collect();
        assert_eq!(ids, [None, None, None, Some("n-4")]);
        assert_eq!(only(atom("<entry><title>A</title></entry>")).guid, None);
        assert_eq!(only(json("{\"title\": \"A\", \"id\": \"\"}")).guid, None);
    }

    #[test]
    fn names_are_read_without_mail_addresses() {
        let post = only(rss(
            "<item><title>A</title><author>ana@x.example (Ana Roe)</author><author>ben@x.example</author>\
             <dc:creator>Cy &lt;cy@x.example&gt;</dc:creator><author><name>Di</name><email>di@x.example</email></author></item>",
        ));
        assert_eq!(authors(&post), ["Ana Roe", "Cy", "Di"]);
        let post = only(atom("<entry><title>A</title><author><email>a@x.example</email></author></entry>"));
        assert_eq!(authors(&post), [""; 0]);
    }

    #[test]
    fn markup_from_outside_is_harmless() {
        let post = only(rss(
            "<item><title>A</title><dc:creator>&lt;b onmouseover=x&gt;Ana&lt;/b&gt;</dc:creator><description>\
             &lt;script&gt;x()&lt;/script&gt;&lt;img src=x.png onerror=x&gt;&lt;svg onload=x&gt;&lt;p style=x&gt;Hi</description></item>",
        ));
        assert_eq!(post.summary.as_str(), "<img src=\"https://lab.example/notes/x.png\"><p>Hi</p>");
        assert_eq!(authors(&post), ["<b onmouseover=x>Ana</b>"], "text, to be escaped by writers");
    }
}

mod limits {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn entities_of_the_documents_own_are_neither_expanded_nor_fetched() {
        let feed = "<?xml version=\"1.0\"?><!DOCTYPE rss [ <!ENTITY file SYSTEM \"file:///etc/hostname\">\
                    <!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;\"> ]>\
                    <rss version=\"2.0\"><channel><item><title>X &file; &c;</title></item></channel></rss>";
        assert_eq!(only(feed).title.as_str(), "X &file; &c;");
    }

    /// A feed of this shape is dealt with at once, whatever comes of it.
    fn is_quick(feed: &str) {
        let start = Instant::now();
        let _ = read_with(feed, None, &PageSettings { kind: Some(Kind::Feed), ..settings() });
        assert!(start.elapsed() < Duration::from_secs(5), "{} took {:?}", &feed[..feed.len().min(60)], start.elapsed());
    }

    #[test]
    fn nesting_and_repetition_cost_no_stack_and_no_time() {
        let deep = rss(&format!("<item><title>A</title>{}{}</item>", "<d>".repeat(200_000), "</d>".repeat(200_000)));
        assert_eq!(refused(&deep).kind, ErrorKind::Parse);
        let open = "<d>".repeat(200_000);
        assert_eq!(refused(format!("<rss><channel>{open}")).kind, ErrorKind::Parse);
        for piece in [
            "<!a [>",
            "<!a \"",
            "<a b=\"",
            "<![CDATA[",
            "<!--",
            "<item>",
            "<title>",
            "</item>",
            "&",
            "&lt;",
            "<",
            "<a ",
            "<b:c xmlns:b='x'>",
            "<?x ",
            "]]>",
            "<item><title>",
            "<description><b>",
            "<channel xmlns:a='x'><a:b/>",
            "<x/>",
            "\"",
            "=",
        ] {
            is_quick(&rss(&piece.repeat(100_000)));
            is_quick(&rss(&format!("<item><title>{}</title></item>", piece.repeat(50_000))));
            is_quick(&piece.repeat(100_000));
        }
        is_quick(&"[".repeat(100_000));
        is_quick(&json(&"[".repeat(100_000)));
        is_quick(&json(&"\\ud83d\u{1}".repeat(100_000)));
    }

    #[test]
    fn of_a_thousand_and_more_items_the_newest_are_read() {
        let item = |i: i64| {
            let day = chrono::NaiveDate::from_ymd_opt(2020, 1, 1).unwrap() + chrono::TimeDelta::days(i);
            (
                format!("<item><title>P{i}</title><pubDate>{day}</pubDate></item>"),
                format!("{{\"title\": \"P{i}\", \"date_published\": \"{day}\"}}"),
            )
        };
        let up: Vec<_> = (0..1200).map(item).collect();
        let down: Vec<_> = up.iter().rev().cloned().collect();
        for (items, first, last) in [(up, "P200", "P1199"), (down, "P1199", "P200")] {
            let xml: String = items.iter().map(|(xml, _)| xml.as_str()).collect();
            let list: Vec<_> = items.iter().map(|(_, json)| json.as_str()).collect();
            for reading in [read(rss(&xml)), read(json(&list.join(",")))] {
                let titles = titles(&reading);
                assert_eq!((titles.len(), titles[0], titles[999]), (1000, first, last));
                assert_eq!(problems(&reading), ["item: 1200 items: only the newest 1000 of them are read"]);
            }
        }
    }
}

/// Feeds of each form with most of what they can hold.
fn samples() -> [String; 3] {
    [
        rss("<item><title>A &amp; <![CDATA[<b>b</b>]]></title><link>https://x.example/1</link><guid>g</guid>\
             <pubDate>Thu, 24 Sep 2026 10:00:00 GMT</pubDate><dc:creator>Ana (a@x.example)</dc:creator>\
             <description>&lt;p&gt;Hi&lt;/p&gt;</description><media:thumbnail url='x' time='1'/></item>"),
        atom(
            "<entry xml:base='/b/'><title type='xhtml'><div>A</div></title><id>1</id><link href='a'/>\
              <published>2026-09-24</published><author><name>Ana</name></author>\
              <content type='html'>&lt;p&gt;Hi</content></entry>",
        ),
        json(
            "{\"id\": 1, \"title\": \"A \\ud83d\\ude80\", \"url\": \"https://x.example/\", \"content_html\": \"<p>Hi\"}",
        ),
    ]
}

/// Reads bytes; whatever comes of it, texts are clean.
fn check(bytes: &[u8]) {
    for kind in [None, Some(Kind::Feed)] {
        let settings = PageSettings { kind, ..settings() };
        let Ok(reading) = read_with(bytes, None, &settings) else { continue };
        for post in &reading.posts {
            for text in post.authors.iter().chain([&post.title]) {
                assert!(!text.as_str().contains(|c: char| c.is_control()), "{text:?}");
            }
            assert!(post.link.iter().all(|url| matches!(url.scheme(), "http" | "https")));
            assert!(reading.kind != Kind::Feed || !post.title.is_empty());
            let html = post.summary.as_str();
            assert!(!html.contains("<script") && !html.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')));
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes);
        for start in [&b"<rss><channel><item><title>"[..], b"<feed><entry>", b"{\"items\": [", b"<?xml encoding='"] {
            check(&[start, &bytes].concat());
        }
    }

    #[test]
    fn any_change_of_a_feed_is_read_or_refused(
        which in 0usize..3,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..40, prop::sample::select(vec![
            "", "<", ">", "&", "\"", "'", "</item>", "<item>", "<entry>", "</entry>", "<title>", "]]>", "<![CDATA[", "<!--", "-->",
            "<!DOCTYPE x [", "\u{0}", "é", "\u{1f680}", "\\ud83d", "{", "}", "[", ",", "xml:base='http://['", "xmlns:dc='x'",
            "<dc:creator>é@b.example</dc:creator>", "—a@b.example—", " isPermaLink='x'", "type='x'", "<author>", "</rss>", "</feed>",
        ])), 0..6)
    ) {
        let mut feed = samples()[which].clone();
        for (place, cut, with) in edits {
            let start = feed.floor_char_boundary(place.index(feed.len() + 1));
            let end = feed.floor_char_boundary(start + cut).max(start);
            feed.replace_range(start..end, with);
        }
        check(feed.as_bytes());
    }
}

mod readings {
    use super::*;

    fn home(feed: &str) -> (Home, Origin) {
        let origin = Origin::start();
        say(&origin, feed);
        (Home::of(&origin.url("/feed")), origin)
    }

    fn say(origin: &Origin, feed: &str) {
        origin.say("/feed", Answer::ok("application/rss+xml", feed));
    }

    fn item(title: &str, link: &str, guid: &str) -> String {
        let link = if link.is_empty() { String::new() } else { format!("<link>{link}</link>") };
        format!(
            "<item><title>{title}</title>{link}<guid isPermaLink=\"false\">{guid}</guid>\
             <pubDate>Thu, 24 Sep 2026 10:00:00 GMT</pubDate><description>On {title}.</description></item>"
        )
    }

    fn ids(home: &Home) -> Vec<String> {
        home.entries("topics/tpu.atom").into_iter().map(|e| e.id).collect()
    }

    #[test]
    fn a_feed_read_twice_moves_nothing() {
        let feed = rss(&[item("A", "https://x.example/a", "1"), item("B", "", ""), item("C", "", "3")].concat());
        let (home, _origin) = home(&feed);
        home.refresh(0);
        let before = home.files();
        let run = home.run(&["refresh", "--force"]);
        assert_eq!(run.code, 0, "{run:#?}");
        assert_same(&before, &home.files());
        assert_eq!(ids(&home).len(), 3);
    }

    #[test]
    fn a_guid_keeps_a_post_whose_link_moves() {
        let (home, origin) = home(&rss(&item("A", "https://x.example/a", "n-1")));
        home.refresh(0);
        let before = ids(&home);
        say(&origin, &rss(&item("A, renamed", "https://y.example/other", "n-1")));
        let report = home.report(&[]);
        assert_eq!((&report["added"], &report["updated"]), (&0.into(), &1.into()), "{report}");
        assert_eq!(ids(&home), before);
        assert_eq!(home.entries("topics/tpu.atom")[0].link, "https://y.example/other");
    }

    #[test]
    fn blank_and_repeated_guids_tell_nothing() {
        let items = [
            item("A", "https://x.example/a", ""),
            item("B", "https://x.example/b", " "),
            item("C", "https://x.example/c", "same"),
            item("D", "https://x.example/d", "same"),
        ];
        let (home, origin) = home(&rss(&items.concat()));
        home.refresh(0);
        assert_eq!(ids(&home).len(), 4);
        say(&origin, &rss(&items[1..].concat()));
        let report = home.report(&[]);
        assert_eq!((&report["added"], &report["updated"]), (&0.into(), &0.into()), "{report}");
    }

    /// A guid that three posts had says nothing of a fourth, in whatever reading it comes.
    #[test]
    fn a_guid_that_posts_shared_once_never_tells_which_is_which() {
        let post = |name: &str| item(name, &format!("https://x.example/{name}"), "same");
        let (home, origin) = home(&rss(&[post("A"), post("B"), post("C")].concat()));
        home.refresh(0);
        say(&origin, &rss(&post("C")));
        home.refresh(0);
        say(&origin, &rss(&post("D")));
        let report = home.report(&[]);
        assert_eq!((&report["added"], &report["updated"]), (&1.into(), &0.into()), "{report}");
        assert_eq!(ids(&home).len(), 4);
    }

    #[test]
    fn posts_without_link_and_guid_have_the_same_ids_everywhere() {
        let feed =
            rss("<item><title>Alone</title></item><item><title>Twice</title><pubDate>2026-09-24</pubDate></item>\
             <item><title>Twice</title><pubDate>2026-09-23</pubDate></item>");
        let (one, origin) = home(&feed);
        let other = Home::of(&origin.url("/feed"));
        one.refresh(0);
        other.refresh(0);
        assert_eq!(ids(&one).len(), 3);
        assert_eq!(ids(&one), ids(&other));
        say(&origin, &feed.replace("Alone</title>", "Alone</title><description>Now with text.</description>"));
        let report = one.report(&[]);
        assert_eq!((&report["added"], &report["updated"]), (&0.into(), &1.into()), "{report}");
        assert_eq!(ids(&one), ids(&other));
    }

    #[test]
    fn a_cut_feed_moves_nothing() {
        let items: String = (0..6).map(|i| item(&format!("P{i}"), &format!("https://x.example/{i}"), "")).collect();
        let feed = rss(&items);
        let (home, origin) = home(&feed);
        home.refresh(0);
        let before = home.files();
        say(&origin, &feed[..feed.find("P4").unwrap()]);
        let report = home.report(&[]);
        assert_eq!((&report["outcome"], &report["error"]["kind"]), (&"failed".into(), &"truncated".into()), "{report}");
        assert_same(&before, &home.files());
        say(&origin, &feed);
        assert_eq!(home.report(&[])["outcome"], "unchanged");
    }

    #[test]
    fn an_item_that_was_left_out_is_told() {
        let broken = "<item><title>Broken</item>";
        let (home, _origin) = home(&rss(&[item("A", "https://x.example/a", "1"), broken.to_owned()].concat()));
        let report = home.report(&[]);
        assert_eq!((&report["added"], &report["warnings"][0]["kind"]), (&1.into(), &"item".into()), "{report}");
        let status = home.run(&["status", "--json"]);
        assert_eq!(status.json()[0]["pages"][0]["warnings"][0]["kind"], "item", "{status:#?}");
    }

    #[test]
    fn a_preview_shows_a_feed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("feed.rss");
        std::fs::write(&path, rss(&item("A", "https://x.example/a", "1"))).unwrap();
        let run = pagewire().args(["preview", "--kind", "feed", "--json"]).arg(&path).output().unwrap();
        let posts: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(
            (run.status.code(), &posts[0]["title"], &posts[0]["published"]),
            (Some(0), &"A".into(), &"2026-09-24T10:00:00Z".into())
        );
    }
}
