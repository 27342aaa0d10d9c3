//! Feed → a page for people, and feeds → `index.html`: HTML5, complete without script or any other file.
//!
//! A page is what a browser shows in place of a feed, so it says what the feed holds and how to subscribe. Links
//! between our own pages are relative: they work below any address and from the folder. The addresses to subscribe to
//! are written out in full, as the configuration knows them. A content security policy lets nothing run, even if a
//! summary held more than it should.

use super::{
    COMBINED, EVERYTHING, GENERATOR, Group, Masthead, TOPICS, byline, company_page, group, grouped, preferred, room,
    safe_href,
};
use crate::model::{Entry, FeedHead, FeedKey, Format, Site, Stamp, push_escaped};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const STYLE: &str = include_str!("style.css");

/// Only the style above, and pictures that summaries show.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src 'self' https: http:; base-uri 'none'; form-action 'none'"
    )
});

/// What a page says about itself in its head.
struct Sheet<'a> {
    title: String,
    description: &'a str,
    /// Its own address.
    canonical: String,
    /// From it to the published folder: `../`, or nothing.
    root: &'static str,
    /// The feed that a reader finds by this page, if there is one.
    feed: Option<(&'a FeedKey, &'a str)>,
    formats: &'a [Format],
}

/// The page of a feed.
pub(super) fn feed(head: &Masthead) -> Vec<u8> {
    let feed = head.feed;
    let title = feed.title.as_str();
    let Group { anchor, title: group } = group(&feed.key);
    let sheet = Sheet {
        title: format!("{title} – {}", head.site.title),
        description: &head.description,
        canonical: head.page.clone(),
        root: root(&feed.key),
        feed: Some((&feed.key, title)),
        formats: head.formats,
    };
    sheet.page(&html! {
        header {
            nav.way aria-label="Site" {
                a href={ (sheet.root) "index.html" } { (head.site.title) }
                @if feed.key != FeedKey::All { " " a href={ (sheet.root) "index.html#" (anchor) } { (group) } }
            }
            h1 { (title) }
            p.lead { (head.description) }
            p.meta { span { "Last change: " (day(feed.updated)) } }
        }
        main {
            (subscribe(head))
            section aria-labelledby="posts" {
                h2 #posts .hidden { "Posts" }
                @if feed.entries.is_empty() {
                    p.empty { "No posts yet. The first one will appear here and in the feeds above." }
                }
                (Posts(head, sheet.root))
            }
        }
    })
}

/// All feeds.
pub(super) fn index(site: &Site, heads: &[FeedHead], formats: &[Format]) -> Vec<u8> {
    let all = heads.iter().find(|head| head.key == FeedKey::All);
    let sheet = Sheet {
        title: site.title.to_string(),
        description: "Feeds to subscribe to, by topic, company and type of post",
        canonical: site.address(""),
        root: "",
        feed: all.map(|head| (&head.key, head.title.as_str())),
        formats,
    };
    sheet.page(&html! {
        header {
            h1 { (site.title) }
            p.lead {
                "Give the address of a feed to your feed reader, or "
                a href="feeds.opml" { "import them all (OPML)" } "."
            }
        }
        main {
            @if heads.is_empty() {
                p.empty { "Nothing is published yet. Feeds appear here after the first refresh." }
            }
            @for (group, feeds) in grouped(heads) {
                section aria-labelledby=(group.anchor) {
                    // The one row of the first group says the same.
                    h2 #(group.anchor) .hidden[group == EVERYTHING] { (group.title) }
                    @if [EVERYTHING, TOPICS, COMBINED].contains(&group) {
                        ul.feeds { @for head in feeds { (row(head, formats)) } }
                    } @else {
                        ul.names { @for head in feeds { (name(head)) } }
                    }
                }
            }
        }
    })
}

impl Sheet<'_> {
    /// The whole document around a body.
    fn page(&self, body: &Markup) -> Vec<u8> {
        let (head, body) = (self.head().into_string(), &body.0);
        let footer = html! { footer { "Made by " (GENERATOR) } }.into_string();
        let parts = [DOCTYPE.0, "<html lang=\"en\">", &head, "<body>", body, &footer, "</body></html>\n"];
        parts.concat().into_bytes()
    }

    fn head(&self) -> Markup {
        html! {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(*POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (self.title) }
                meta name="description" content=(self.description);
                meta name="generator" content=(GENERATOR);
                link rel="canonical" href=(self.canonical);
                @if let Some((key, title)) = self.feed {
                    @for format in in_order(self.formats) {
                        link rel="alternate" type=(format.media_type()) title={ (title) " (" (format.name()) ")" }
                            href={ (self.root) (key.path()) "." (format.ending()) };
                    }
                }
                link rel="icon" href={ (self.root) "favicon.ico" } sizes="32x32";
                style { (PreEscaped(STYLE)) }
            }
        }
    }
}

/// The feed's addresses, to be copied.
fn subscribe(head: &Masthead) -> Markup {
    html! {
        section.subscribe aria-labelledby="subscribe" {
            h2 #subscribe { "Subscribe" }
            p { "Copy an address into your feed reader; a click selects all of it." }
            dl {
                @for format in in_order(head.formats) {
                    dt { (format.name()) }
                    dd { code.address { (head.address(format)) } }
                }
            }
        }
    }
}

/// The posts of a feed, written straight into the page, since they are most of it.
struct Posts<'a>(&'a Masthead<'a>, &'static str);

impl Render for Posts<'_> {
    fn render_to(&self, out: &mut String) {
        let Self(head, root) = self;
        out.reserve(room(&head.feed.entries));
        let companies = format!("{root}companies/");
        for entry in &head.feed.entries {
            post(out, entry, root, &companies);
        }
    }
}

fn post(out: &mut String, entry: &Entry, root: &str, companies: &str) {
    let title = match (&entry.link, entry.title.as_str()) {
        (Some(link), "") => link.as_str(),
        (None, "") => "Untitled",
        (_, title) => title,
    };
    out.push_str("<article><h3>");
    match entry.link.as_deref().and_then(safe_href) {
        Some(href) => link(out, "", &[href], title),
        None => push_escaped(out, title),
    }
    out.push_str("</h3><p class=\"meta\">");
    push_day(out, entry.published);
    for company in &entry.companies {
        out.push(' ');
        match company_page(companies, company) {
            Some(href) => link(out, "", &[&href], company.name.as_str()),
            None => element(out, "<span>", company.name.as_str(), "</span>"),
        }
    }
    if let Some(kind) = &entry.kind {
        out.push(' ');
        match &entry.kind_slug {
            Some(slug) => link(out, " class=\"kind\"", &[root, "types/", slug.as_str(), ".html"], kind.as_str()),
            None => element(out, "<span class=\"kind\">", kind.as_str(), "</span>"),
        }
    }
    out.push_str("</p>");
    if let Some(names) = byline(entry) {
        element(out, "<p class=\"by\">By ", &names, "</p>");
    }
    if !entry.summary.is_empty() {
        out.push_str("<div class=\"text\">");
        out.push_str(entry.summary.as_str());
        out.push_str("</div>");
    }
    out.push_str("</article>");
}

/// A link to an address in parts; `class` is the attribute for it, or nothing.
fn link(out: &mut String, class: &str, href: &[&str], text: &str) {
    out.push_str("<a");
    out.push_str(class);
    out.push_str(" href=\"");
    for part in href {
        push_escaped(out, part);
    }
    element(out, "\">", text, "</a>");
}

/// Text between two pieces of markup.
fn element(out: &mut String, start: &str, text: &str, end: &str) {
    out.push_str(start);
    push_escaped(out, text);
    out.push_str(end);
}
/// A feed in the index, with all that one may want of it.
fn row(head: &FeedHead, formats: &[Format]) -> Markup {
    let path = head.key.path();
    html! {
        li {
            h3 { a href={ (path) ".html" } { (head.title) } }
            p.meta {
                span { (count(head.posts)) }
                @if let Some(newest) = head.newest { " " span { "newest " (day(newest)) } }
            }
            p.formats {
                @for format in in_order(formats) {
                    a href={ (path) "." (format.ending()) } aria-label={ (format.name()) ": " (head.title) } { (format.name()) } " "
                }
            }
        }
    }
}

/// A feed in a long list: its page says the rest.
fn name(head: &FeedHead) -> Markup {
    html! { li { a href={ (head.key.path()) ".html" } { (head.title) } " " span.count { (count(head.posts)) } } }
}

fn count(posts: u32) -> String {
    match posts {
        0 => "no posts yet".to_owned(),
        1 => "1 post".to_owned(),
        n => format!("{n} posts"),
    }
}

/// A day as people write it; the instant is there for programs.
fn day(stamp: Stamp) -> Markup {
    let mut out = String::with_capacity(80);
    push_day(&mut out, stamp);
    PreEscaped(out)
}

fn push_day(out: &mut String, stamp: Stamp) {
    let parts = ["<time datetime=\"", &stamp.rfc3339(), "\">", &stamp.day(), "</time>"];
    out.extend(parts);
}

/// The formats with the one to take first.
fn in_order(formats: &[Format]) -> impl Iterator<Item = Format> {
    let first = preferred(formats);
    let mut sorted = formats.to_vec();
    sorted.sort_by_key(|&format| format != first);
    sorted.into_iter()
}

/// The way from a feed's page to the published folder.
fn root(key: &FeedKey) -> &'static str {
    if *key == FeedKey::All { "" } else { "../" }
}
