//! What `check-feed` says of feeds, a rule of a specification each, and that our own feeds have nothing of it.

use crate::feeds::samples::{FORMATS, THURSDAY, bare, empty, heads, hostile, site};
use crate::harness::{Answer, Home, Origin, pagewire, write};
use pagewire::lint::{self, Level};
use pagewire::model::{Archive, Entry, Feed, FeedKey, Html, Slug, Text};
use pagewire::render;
use proptest::prelude::*;

/// The errors of a document, as `line:column: message`.
fn errors(document: &str) -> Vec<String> {
    let findings = lint::check(document.as_bytes()).findings;
    let of = |f: &lint::Finding| format!("{}:{}: {}", f.line, f.column, f.message);
    findings.iter().filter(|f| f.level == Level::Error).map(of).collect()
}

fn rss(channel: &str) -> String {
    format!(
        "<rss version=\"2.0\"><channel><title>T</title><link>https://x.example/</link><description/>{channel}</channel></rss>"
    )
}

fn atom(more: &str) -> String {
    format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>T</title><id>urn:xy:feed</id>\
         <updated>2026-09-24T10:00:00Z</updated><author><name>A</name></author>{more}</feed>"
    )
}

fn entry(more: &str) -> String {
    atom(&format!(
        "<entry><title>T</title><id>urn:xy:1</id><updated>2026-09-24T10:00:00Z</updated>\
         <link href=\"https://x.example/1\"/>{more}</entry>"
    ))
}

#[test]
fn feeds_that_are_in_order_have_no_error() {
    for good in [
        rss(""),
        rss("<item><title>A</title></item>"),
        rss("<item><description>A</description><guid isPermaLink=\"false\">x 1</guid><pubDate>Thu, 24 Sep 2026 10:00:00 GMT</pubDate></item>"),
        rss("<ttl>60</ttl><image><url>https://x.example/i.png</url><title>T</title><link>https://x.example/</link></image>"),
        entry("<summary type=\"html\">&lt;p&gt;x&lt;/p&gt;</summary>"),
        entry("<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><p>x</p></div></content>"),
        "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"T\", \"items\": [{\"id\": \"1\", \"content_text\": \"x\"}]}".to_owned(),
        "<opml version=\"2.0\"><head/><body><outline text=\"T\" type=\"rss\" xmlUrl=\"https://x.example/\"/></body></opml>".to_owned(),
        "\u{feff}<?xml version=\"1.0\"?>\n<!-- c -->".to_owned() + &rss(""),
        "\u{feff}\u{feff}<!-- written by two programs -->".to_owned() + &rss("<copyright>\u{e9}</copyright>"),
    ] {
        assert_eq!(errors(&good), [""; 0], "{good}");
    }
}

#[test]
fn what_xml_forbids_is_found() {
    for (bad, error) in [
        ("", "1:1: there is no element"),
        ("<rss><channel></rss>", "1:15: not well-formed"),
        ("<rss version=\"2.0\">\n<channel>", "2:10: <channel> is not closed"),
        ("<rss>&nbsp;</rss>", "1:6: the entity `&nbsp;` is not declared"),
        ("<rss>&#1;</rss>", "1:6: `&#1;` is no character that XML allows"),
        ("<rss>&#+65;</rss>", "1:6: `&#+65;` is no character that XML allows"),
        ("<rss>&#x+41;</rss>", "1:6: `&#x+41;` is no character that XML allows"),
        ("<rss><!-- a -- b --></rss>", "1:6: not well-formed"),
        ("<rss>\u{1}</rss>", "1:6: a character that XML forbids"),
        ("<rss>a ]]> b</rss>", "1:8: `]]>` in text"),
        ("<rss a='1' a='2'/>", "1:1: <rss>"),
        ("<rss a='<'/>", "1:1: `<` in the attribute `a`"),
        ("<rss x:a='1'/>", "1:1: the prefix `x` is not declared"),
        ("<rss/><rss/>", "1:7: a second root element"),
        ("<rss/>words", "1:7: text outside the root element"),
        ("<html/>", "1:1: <html> is no feed"),
        ("<feed/>", "1:1: Atom's elements are in the namespace"),
    ] {
        let found = errors(bad);
        assert!(found.iter().any(|e| e.starts_with(error)), "{bad:?}: {found:?}");
    }
    assert!(lint::check(b"<rss>\xff</rss>").findings.iter().any(|f| f.message == "bytes that are no UTF-8"));
    let deep = "<a>".repeat(100_000);
    assert_eq!(errors(&deep), ["1:769: elements are nested more than 256 deep"]);
}

/// XML 1.0 §3.1: quotes of either kind, white space within tags, references in values, an end tag for an empty element.
#[test]
fn however_a_tag_is_written_it_says_the_same() {
    let bad = "<entry><title>T</title><id>urn:xy:1</id><updated/><link rel=\"\" href=\"https://x.example/1\"/></entry>";
    let messages = |feed: &str| -> Vec<String> {
        lint::check(feed.as_bytes()).findings.into_iter().map(|finding| finding.message).collect()
    };
    let usual = messages(&atom(bad));
    assert_eq!(usual.len(), 4, "{usual:?}");
    for (from, to) in [
        ("rel=\"\"", "rel=''"),
        ("rel=\"\"", "\n\trel = \"\" "),
        ("<title>", "<title\n>"),
        ("</title>", "</title >"),
        ("<updated/>", "<updated></updated>"),
        ("<updated/>", "<updated />"),
        ("<title>", "<x:title xmlns:x=\"http://www.w3.org/2005/Atom\">"),
        ("x.example/1", "x.example&#x2f;1"),
        ("T</title>", "<![CDATA[T]]></title>"),
    ] {
        let odd = bad.replace(from, to);
        let odd = if to.starts_with("<x:title") { odd.replace("</title>", "</x:title>") } else { odd };
        assert_eq!(messages(&atom(&odd)), usual, "{odd}");
    }
}

/// RSS 2.0, "Required channel elements", "Elements of <item>".
#[test]
fn what_rss_forbids_is_found() {
    for (bad, error) in [
        ("<rss version=\"2.0\"/>".to_owned(), "<rss> has no <channel>"),
        (rss("<title>U</title>"), "a second <title> in <channel>"),
        (rss("<colour>red</colour>"), "<channel> has no element <colour>"),
        (
            rss("<pubDate>2026-09-24</pubDate>"),
            "<pubDate> is no date of RFC 822, such as `Thu, 24 Sep 2026 10:00:00 GMT`: `2026-09-24`",
        ),
        (
            rss("<pubDate>Fri, 24 Sep 2026 10:00:00 GMT</pubDate>"),
            "<pubDate> names another day of the week than that date has: `Fri, 24 Sep 2026 10:00:00 GMT`",
        ),
        (rss("<ttl>soon</ttl>"), "<ttl> is no whole number, 1 or more: `soon`"),
        (rss("<language>zz</language>"), "<language> is no language of RFC 5646, such as `en`: `zz`"),
        (
            rss("<managingEditor>Ann</managingEditor>"),
            "<managingEditor> is no mail address, such as `a@x.example (Ann)`: `Ann`",
        ),
        (rss("<item/>"), "<item> has neither <title> nor <description>"),
        (rss("<item><title>A</title><link>/a</link></item>"), "<link> has no scheme, such as `https:`: `/a`"),
        (
            rss("<item><title>A</title><guid>x</guid></item>"),
            "<guid> is a permalink, but has no scheme, such as `https:`: say isPermaLink=\"false\": `x`",
        ),
        (rss("<item><title>A</title><enclosure url=\"https://x.example/\"/></item>"), "<enclosure> has no `length`"),
        (rss("<skipHours><hour>24</hour><hour>0</hour></skipHours>"), "the same <hour> twice: `0`"),
        (rss("<image/>"), "<image> has no <url>"),
    ] {
        let found = errors(&bad);
        assert!(found.iter().any(|e| e.ends_with(&format!(": {error}"))), "{bad}: {found:?}");
    }
    let twice = "<item><title>A</title><guid isPermaLink=\"false\">1</guid></item>".repeat(2);
    assert_eq!(errors(&rss(&twice)).len(), 1);
}

/// RFC 4287 §4.1 and §3.
#[test]
fn what_atom_forbids_is_found() {
    let none = atom("").replace("<author><name>A</name></author>", "");
    for (bad, error) in [
        (atom("").replace("<id>urn:xy:feed</id>", ""), "<feed> has no <id>"),
        (
            atom("").replace("10:00:00Z", "10:00"),
            "<updated> is no date of RFC 3339, such as `2026-09-24T10:00:00Z`: `2026-09-24T10:00`",
        ),
        (atom("<entry/>"), "<entry> has neither <content> nor a <link rel=\"alternate\">"),
        (none.replace("</feed>", "<entry/></feed>"), "<entry> has no <author>, and neither has its feed"),
        (
            entry("<published>2026-09-24</published>"),
            "<published> is no date of RFC 3339, such as `2026-09-24T10:00:00Z`: `2026-09-24`",
        ),
        (entry("<title>U</title>"), "a second <title> in <entry>"),
        (
            entry("<summary type=\"text/html\">x</summary>"),
            "`type` of <summary> is none of text, html, xhtml: `text/html`",
        ),
        (
            entry("<summary type=\"html\"><p>x</p></summary>"),
            "<summary> of type html holds text, not elements such as <p>: escape it",
        ),
        (
            entry("<content type=\"xhtml\"><p>x</p></content>"),
            "<content> of type xhtml holds <p>, which is no element of XHTML",
        ),
        (entry("<link href=\"https://x.example/2\"/>"), "two alternates have the same type and language"),
        (entry("<category/>"), "<category> has no `term`"),
        (entry("<author/>"), "<author> has no <name>"),
        (atom("<link rel=\"self\"/>"), "<link> has no `href`"),
        (
            atom(
                "<fh:complete xmlns:fh=\"http://purl.org/syndication/history/1.0\"/><link rel=\"prev-archive\" href=\"https://x.example/\"/>",
            ),
            "a complete feed has no other documents, but this links to a prev-archive one",
        ),
    ] {
        let found = errors(&bad);
        assert!(found.iter().any(|e| e.ends_with(&format!(": {error}"))), "{bad}: {found:?}");
    }
}

/// <https://www.jsonfeed.org/version/1.1/>, "Top-level" and "Items".
#[test]
fn what_json_feed_forbids_is_found() {
    let feed = |more: &str| format!("{{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"T\"{more}}}");
    for (bad, error) in [
        ("{".to_owned(), "no JSON: EOF while parsing an object at line 1 column 1"),
        ("{}".to_owned(), "`version` is not https://jsonfeed.org/version/1.1"),
        (feed(""), "the feed has no list `items`"),
        (feed(", \"items\": [{\"content_text\": \"x\"}]"), "item 1 has no `id`"),
        (feed(", \"items\": [{\"id\": \"1\"}]"), "item 1 has neither `content_html` nor `content_text`"),
        (
            feed(", \"items\": [], \"feed_url\": \"feed.json\""),
            "`feed_url` of the feed has no scheme, such as `https:`: `feed.json`",
        ),
        (
            feed(", \"items\": [{\"id\": \"1\", \"content_text\": \"x\", \"date_published\": \"today\"}]"),
            "`date_published` of item 1 is no date of RFC 3339",
        ),
    ] {
        let found = errors(&bad);
        assert!(found.iter().any(|e| e.ends_with(&format!(": {error}"))), "{bad}: {found:?}");
    }
}

/// Every finding of a feed's documents in all formats, and of its archives.
fn findings(feed: &Feed) -> Vec<String> {
    let mut documents: Vec<_> =
        render::documents(feed, &site(), &FORMATS).filter(|d| !d.path.contains(".html")).collect();
    for (number, followed) in [(1, true), (2, false)] {
        let feed = Feed { last_archive: Some(2), ..feed.clone() };
        documents.extend(render::archive(&Archive { number, followed, feed }, &site(), &FORMATS));
    }
    let of = |d: &pagewire::model::Document| {
        let path = d.path.clone();
        lint::check(&d.bytes).findings.into_iter().map(move |finding| format!("{path}:{finding}"))
    };
    documents.iter().flat_map(of).collect()
}

#[test]
fn our_own_feeds_have_nothing_to_find() {
    let merged = Feed { key: FeedKey::Company(Slug::of("at-t")), ..hostile() };
    for feed in [hostile(), empty(), merged] {
        assert_eq!(findings(&feed), [""; 0]);
    }
    let opml = render::opml(&site(), &heads(), &FORMATS, THURSDAY);
    assert_eq!(lint::check(&opml.bytes).findings, []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[<>&;a-z\"'/=:!\\[\\]-]{0,80}") {
        lint::check(&bytes);
        lint::check(text.as_bytes());
        lint::check(rss(&text).as_bytes());
        lint::check(entry(&text).as_bytes());
    }

    #[test]
    fn whatever_a_post_says_our_feeds_are_valid(
        title in any::<String>(), author in any::<String>(), summary in any::<String>(), path in "[^\u{0}]{0,20}", kind in any::<String>(),
    ) {
        let link = url::Url::parse("https://x.example/").unwrap().join(&format!("./{path}")).unwrap();
        let post = Entry {
            title: Text::line(&title),
            uid: format!("https://{}", pagewire::model::Key::of(&link)),
            link: Some(link.into()),
            authors: vec![Text::line(&author)].into_iter().filter(|a| !a.is_empty()).collect(),
            kind: Some(Text::line(&kind)).filter(|k| !k.is_empty()),
            summary: Html::sanitised(&summary, None),
            ..bare("", THURSDAY)
        };
        let feed = Feed { title: Text::line(&format!("T{title}")), updated: THURSDAY, ttl: 60, entries: vec![post], ..Feed::default() };
        let bad: Vec<_> = findings(&feed).into_iter().filter(|f| !f.contains("warning")).collect();
        prop_assert!(bad.is_empty(), "{bad:?}");
    }
}

#[test]
fn check_feed_names_place_rule_and_remedy() {
    let home = Home::with("");
    write(&home.path("good.rss"), rss("<item><title>A</title><guid isPermaLink=\"false\">1</guid></item>"));
    write(
        &home.path("bad.atom"),
        atom("").replace("<id>urn:xy:feed</id>", "\n<id>\u{1b}[31mred</id>").replace('\u{1b}', "&#x9b;"),
    );
    let check = |arguments: &[&str]| {
        let output = pagewire().arg("check-feed").args(arguments).current_dir(home.folder.path()).output().unwrap();
        crate::harness::Run::from(output)
    };
    let good = check(&["good.rss"]);
    assert_eq!(
        (good.code, good.out.lines().last()),
        (0, Some("good.rss: RSS, valid: 0 errors, 1 warning")),
        "{good:?}"
    );
    assert!(good.out.contains("warning: <channel> has no <atom:link rel=\"self\"> (RSS Profile)"), "{}", good.out);
    let bad = check(&["good.rss", "bad.atom", "none.xml"]);
    assert_eq!(bad.code, 1);
    assert!(
        bad.out.contains("bad.atom:2:1: error: <id> has no scheme") && bad.out.contains("(RFC 4287 §4.1.1)"),
        "{}",
        bad.out
    );
    assert!(!bad.out.contains('\u{9b}'), "inert on a terminal");
    assert!(bad.err.contains("none.xml: ") && bad.err.contains("cannot read"), "{}", bad.err);
    let json = check(&["bad.atom", "--json"]).json().remove(0);
    assert_eq!((&json["kind"], &json["valid"]), (&"Atom".into(), &false.into()));
    let first = &json["findings"][0];
    assert!(
        first["line"].is_u64() && first["column"].is_u64() && first["rule"].is_string() && first["message"].is_string()
    );
    let origin = Origin::start();
    origin.say("/feed", Answer::ok("application/rss+xml", rss("<item/>")));
    let remote = check(&[&origin.url("/feed")]);
    assert_eq!(remote.code, 1);
    assert!(remote.out.contains("<item> has neither <title> nor <description> (RSS 2.0)"), "{}", remote.out);
}
