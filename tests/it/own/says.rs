//! What a post's own page says of its article, in every form in which pages say it.

use pagewire::model::{Body, EntryId, Own, OwnPage, PageId, Published, Text, Wants};
use url::Url;

const AT: &str = "https://sum.example/post/alpha";
const ARTICLE: &str = "https://lab.example/blog/alpha";

fn read(media_type: &str, text: &str) -> Result<OwnPage, String> {
    let link = if media_type == "text/html" { AT } else { "https://sum.example/post/alpha.md" };
    read_at(link, link, media_type, text)
}

/// The same where a link leads to another address.
fn read_at(link: &str, address: &str, media_type: &str, text: &str) -> Result<OwnPage, String> {
    let [link, address] = [link, address].map(|url| Url::parse(url).unwrap());
    let own = Own {
        entry: EntryId(1),
        page: PageId(1),
        link,
        title: Text::line("Alpha wins the race"),
        tries: 0,
        waits: true,
    };
    let bytes = bytes::Bytes::from(text.to_owned().into_bytes());
    let body = Body { address, bytes, media_type: Some(media_type.to_owned()), validators: None, maybe_cut: false };
    let wants = Wants { original: true, content: true };
    pagewire::extract::own(&body, &own, wants, chrono_tz::Tz::UTC).map_err(|failure| failure.to_string())
}

fn markdown(text: &str) -> Option<String> {
    read("text/markdown", text).unwrap().original.map(String::from)
}

fn html(head: &str, body: &str) -> Option<String> {
    let page = format!(
        "<!doctype html><html><head><title>Alpha wins the race</title>{head}</head><body><nav><a href=\"https://nav.example/a/b\">\
         Source</a></nav><article><h1>Alpha wins the race</h1>{body}</article><footer><a href=\"https://code.example/o/r\">Source\
         </a></footer></body></html>"
    );
    read("text/html", &page).unwrap().original.map(String::from)
}

#[test]
fn markdown_names_it_in_front_matter() {
    for key in ["source", "original", "Source_URL", "canonical", "canonical_url"] {
        let page =
            format!("---\ntitle: x\n{key}: {ARTICLE}\n---\n# Alpha wins the race\n\n[a](https://other.example/a)\n");
        assert_eq!(markdown(&page).as_deref(), Some(ARTICLE), "{key}");
    }
    // The page's own address, a host alone and words are none.
    for none in [AT, "https://lab.example/", "Lab Blog", "[1, 2]"] {
        assert_eq!(
            markdown(&format!("---\ncanonical: {none}\nsource: {none}\n---\n# Alpha wins the race\n")),
            None,
            "{none}"
        );
    }
}

#[test]
fn markdown_names_it_in_a_field() {
    for field in [
        format!("- Source: [Lab Blog]({ARTICLE})"),
        format!("- Original: <{ARTICLE}>"),
        format!("- Original article: {ARTICLE}"),
        format!(
            "- Company: [Acme](https://acme.example/about/us)\n- Author: [Ann](https://ann.example/me/x)\n- Source: [Lab]({ARTICLE})"
        ),
        format!("- [Read the original]({ARTICLE})"),
        format!("Company: Acme\nSource: [Lab Blog]({ARTICLE})"),
        format!("By [Ann](https://ann.example/me/x)\n\n[Read the full post →]({ARTICLE})"),
        format!("**Original:** [lab.example]({ARTICLE})"),
    ] {
        assert_eq!(
            markdown(&format!("# Alpha wins the race\n\n{field}\n\nIt wins.\n")).as_deref(),
            Some(ARTICLE),
            "{field}"
        );
    }
    let below = format!(
        "# Alpha wins the race\n\n{}\n\n## More\n\nSee [this](https://x.example/y/z).\n\n[View original]({ARTICLE})\n",
        "long ".repeat(60)
    );
    assert_eq!(markdown(&below).as_deref(), Some(ARTICLE), "also at its end");
}

#[test]
fn else_it_is_the_first_link_of_the_head_to_another_site() {
    let page = |head: &str| {
        format!(
            "# Alpha wins the race\n\n- Company: [Acme](https://acme.example/about/us)\n\n{head}\n\n## More\n\n[x](https://x.example/y/z)\n"
        )
    };
    assert_eq!(markdown(&page(&format!("[lab.example/blog]({ARTICLE})"))).as_deref(), Some(ARTICLE));
    assert_eq!(markdown(&format!("# [Alpha wins the race]({ARTICLE})\n\nIt wins.\n")).as_deref(), Some(ARTICLE));
    for none in
        ["[home](https://lab.example/)", "[other post](/post/beta)", "By [Ann](https://ann.example/me/x)", "Nothing."]
    {
        assert_eq!(markdown(&page(none)), None, "{none}");
    }
    let text = format!("{} as [others](https://x.example/y/z) say.", "Many words ".repeat(30));
    assert_eq!(
        markdown(&page(&format!("{text}\n\n[y](https://y.example/y/z)"))).as_deref(),
        Some("https://x.example/y/z")
    );
}

#[test]
fn html_names_it() {
    let link = |words: &str| format!("<p><a href=\"{ARTICLE}\">{words}</a></p>");
    for (head, body) in [
        (format!("<link rel=\"canonical\" href=\"{ARTICLE}\">"), String::new()),
        (String::new(), format!("<div class=\"h-entry\"><a class=\"u-repost-of\" href=\"{ARTICLE}\">it</a></div>")),
        (String::new(), format!("<div class=\"u-bookmark-of h-cite\"><a href=\"{ARTICLE}\">it</a></div>")),
        (
            format!(
                "<script type=\"application/ld+json\">{{\"@type\": \"BlogPosting\", \"headline\": \"A\", \"isBasedOn\": \"{ARTICLE}\"}}</script>"
            ),
            String::new(),
        ),
        (
            format!(
                "<script type=\"application/ld+json\">{{\"@graph\": [{{\"@type\": \"Article\", \"citation\": [{{\"@type\": \"CreativeWork\", \"url\": \"{ARTICLE}\"}}]}}]}}</script>"
            ),
            String::new(),
        ),
        (String::new(), link("Read the original article")),
        (String::new(), link("Original")),
        (String::new(), format!("<p>Source: <a href=\"{ARTICLE}\">Lab Blog</a></p>")),
        (
            String::new(),
            format!(
                "<dl><dt>Source:</dt><dd>x</dd></dl><p>This was originally published on <a href=\"{ARTICLE}\">Lab</a>.</p>"
            ),
        ),
        (String::new(), format!("<footer>Original: <a href=\"{ARTICLE}\">Lab Blog</a></footer>")),
    ] {
        assert_eq!(html(&head, &body).as_deref(), Some(ARTICLE), "{head}{body}");
    }
}

#[test]
fn html_that_names_none_gives_none() {
    for (head, body) in [
        ("<link rel=canonical href=\"https://www.sum.example/post/alpha\">", ""),
        ("<link rel=canonical href=\"https://lab.example/\">", ""),
        (
            "",
            "<p>See <a href=\"https://x.example/y/z\">this</a> and <a href=\"https://x.example/s\">Source code</a>.</p>",
        ),
        ("", "<p><a href=\"/post/beta\">Original</a></p>"),
        (
            "<script type=\"application/ld+json\">{\"@type\": \"Article\", \"citation\": [\"https://a.example/a\", \"https://b.example/b\"]}</script>",
            "",
        ),
        ("<script type=\"application/ld+json\">{broken</script>", ""),
    ] {
        assert_eq!(html(head, body), None, "{head}{body}");
    }
}

#[test]
fn a_link_that_only_leads_on_leads_to_the_article() {
    let page = "<!doctype html><title>Alpha wins the race</title><p>x";
    let to = |address: &str| read_at(AT, address, "text/html", page).map(|page| page.original.map(String::from));
    assert_eq!(to(ARTICLE), Ok(Some(ARTICLE.to_owned())));
    assert_eq!(to("https://m.sum.example/post/alpha"), Ok(None), "the same site, for telephones");
    assert!(to("https://lab.example/").unwrap_err().contains("leads to"), "a home page");
    assert_eq!(to("https://sum.example/posts/2026/alpha"), Ok(None));
}

#[test]
fn authors_and_time_are_what_the_page_says() {
    let head = "<meta name=author content=\"Ann B.\"><meta property=\"article:published_time\" content=\"2026-09-03T15:23:00+02:00\">";
    let page = format!("<!doctype html><title>Alpha wins the race</title>{head}<p>x");
    let said = read("text/html", &page).unwrap();
    assert_eq!(said.authors, [Text::line("Ann B.")]);
    assert!(matches!(said.published, Some(Published::Instant(at)) if at.to_rfc3339() == "2026-09-03T15:23:00+02:00"));
    let fact = "<script type=\"application/ld+json\">{\"@type\": \"NewsArticle\", \"url\": \"https://sum.example/post/alpha\", \"headline\": \"A\", \
                \"author\": [{\"name\": \"Bo\"}, {\"name\": \"Cy\"}], \"datePublished\": \"2026-09-03T10:11:12Z\"}</script>";
    let said = read("text/html", &format!("<!doctype html><title>Alpha wins the race</title>{fact}")).unwrap();
    assert_eq!(said.authors, [Text::line("Bo"), Text::line("Cy")]);
    assert!(said.published.is_some());
}

#[test]
fn authors_and_time_need_no_address_and_no_meta() {
    let page = |head: &str, body: &str| {
        let page = format!(
            "<!doctype html><title>Alpha wins the race</title>{head}<nav><a rel=author href=/x>Nobody</a></nav><article>
             <h1>Alpha wins the race</h1>{body}<p>It wins.</p></article>"
        );
        let said = read("text/html", &page).unwrap();
        let at = said.published.map(pagewire::model::Published::json).unwrap_or_default();
        (said.authors.iter().map(ToString::to_string).collect::<Vec<_>>(), at)
    };
    let fact = "<script type=\"application/ld+json\">{\"@type\": \"Article\", \"headline\": \"Alpha wins the race\", \
                \"author\": {\"name\": \"Ann Bee\"}, \"datePublished\": \"2026-09-03T10:11:12Z\"}</script>";
    let time = "<time datetime=2026-09-03T10:11:12Z>3 Sep</time>";
    let expected =
        |authors: &[&str], at: &str| (authors.iter().map(ToString::to_string).collect::<Vec<_>>(), at.to_owned());
    let at = "2026-09-03T10:11:12Z";
    assert_eq!(page(fact, ""), expected(&["Ann Bee"], at));
    for byline in [
        "<p>By <a rel=author href=/a>Ann Bee</a> and <a rel=author href=/b>Bob</a></p>",
        "<p class=h-card><span class=p-author>Ann Bee</span>, <span class=p-author>Bob</span></p>",
        "<div itemprop=author><span>Ann Bee</span>, <span>Bob</span></div>",
    ] {
        assert_eq!(page("", &format!("{byline}{time}")), expected(&["Ann Bee", "Bob"], at), "{byline}");
    }
    for none in [
        "<p>Updated <time datetime=2026-09-03T10:11:12Z>3 Sep</time></p>".to_owned(),
        format!("<p>{}</p>{time}", "Many words. ".repeat(40)),
        format!("<aside>{time}</aside>"),
    ] {
        assert_eq!(page("", &none), expected(&[], ""), "{none}");
    }
}

/// Depth, size and number of elements are bounded before a parser that is slow at them; a limit in seconds has slack.
#[test]
fn hostile_pages_take_no_time() {
    let title = "<title>Alpha wins the race</title>";
    let text = "<p>Alpha wins the race by far, as everybody saw who was there, and nobody said otherwise.</p>";
    let pages = [
        format!("{title}{}{text}", "<div>".repeat(100_000)),
        format!("{title}{text}{}", "<table><tr><td>".repeat(20_000)),
        format!("{title}{text}{}", "<b><i><a>".repeat(20_000)),
        format!("{title}{}", text.repeat(7_000)),
        format!("{title}<ul>{}</ul>", "<li><ul>".repeat(5_000)),
        format!("{title}<p {}>{text}", "a=1 ".repeat(50_000)),
        format!("{title}<div>{}</div>", "<p>Alpha, wins, the, race, <span><em>x</em></span></p>".repeat(3_000)),
    ];
    for page in &pages {
        let start = std::time::Instant::now();
        let _ = read("text/html", &format!("<!doctype html>{page}"));
        let took = start.elapsed();
        eprintln!("{} KiB: {took:?}", page.len() / 1024);
        assert!(took < std::time::Duration::from_secs(12), "{took:?}: {}", &page[..80]);
    }
    for page in [
        "#".repeat(1 << 20),
        format!("# Alpha wins the race\n{}", "[a](".repeat(200_000)),
        "> ".repeat(200_000),
        "- ".repeat(300_000),
    ] {
        let start = std::time::Instant::now();
        let _ = read("text/markdown", &page);
        assert!(start.elapsed() < std::time::Duration::from_secs(12), "{}", &page[..20]);
    }
}
