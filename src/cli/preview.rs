//! `pagewire preview`: what would be extracted from a page.
//!
//! In: a [`Reading`] and the address that it is from. Out: JSON as CONTRACT.md promises it, or lines for people, at most
//! 80 columns wide. Deliberately absent: fetching, and the state; slugs are those that a fresh state would give.

use super::look::{Look, look};
use super::{Exit, counted, deliver, runtime, say_error, say_warning};
use crate::clock;
use crate::model::{
    Company, Failure, Html, Kind, NameKey, OwnPage, Post, Published, Reading, Selector, Selectors, Slug, Text, Wants,
    assign_slugs, linked_slug,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use url::Url;

/// Width of the lines for people.
const WIDTH: usize = 80;

/// How far all lines of a post but its first are set in: the width of a date and a gap.
const INDENT: usize = 12;

/// Show what a page would give; stores nothing and needs no configuration
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagewire preview https://yomu.fyi/topic/tpu.md\n  pagewire preview saved.md --base \
    https://yomu.fyi/ --json | jq '.[].title'\n\nExit codes: 0 posts were found, 1 none, or the page could not be read."
)]
pub(super) struct Args {
    /// The page's address, or a file
    #[arg(value_name = "URL|FILE")]
    page: String,
    /// What relative links resolve against, instead of the page's own address
    #[arg(long, value_name = "URL")]
    base: Option<Url>,
    /// What sort of document it must be
    #[arg(long, default_value = "auto", value_parser = ["auto", "markdown", "html", "feed"])]
    kind: String,
    /// Where feeds' links lead: `original` reads the own pages of the first posts for the articles that they summarise
    #[arg(long, default_value = "page", value_parser = ["page", "original"])]
    link: String,
    /// What feeds hold: `post` reads the own pages of the first posts for their texts
    #[arg(long, default_value = "summary", value_parser = ["summary", "post"])]
    content: String,
    #[command(flatten)]
    selectors: SelectorArgs,
    /// Show how the page was understood
    #[arg(long)]
    explain: bool,
    /// A JSON array
    #[arg(long)]
    json: bool,
}

/// Where an HTML page's posts and their parts are, as in the seeds; what is not given is found without.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "CSS selectors, for HTML; with @NAME behind one for an attribute")]
struct SelectorArgs {
    /// The posts
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    item: Option<Selector>,
    /// Within a post, its title
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    title: Option<Selector>,
    /// The element whose href it leads to
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    link_selector: Option<Selector>,
    /// Its date
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    date: Option<Selector>,
    /// How dates are written, as `%d/%m/%Y`
    #[arg(long, value_name = "FORMAT")]
    date_format: Option<String>,
    /// Its text
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    summary: Option<Selector>,
    /// Its authors
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    author: Option<Selector>,
    /// What sort of post it is
    #[arg(long = "type", value_name = "CSS", value_parser = Selector::new)]
    kind_of_post: Option<Selector>,
    /// Who published it
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    company: Option<Selector>,
    /// Its picture
    #[arg(long, value_name = "CSS", value_parser = Selector::new)]
    image: Option<Selector>,
}

impl SelectorArgs {
    fn selectors(&self) -> Selectors {
        let mut selectors = Selectors::default();
        selectors.date_format.clone_from(&self.date_format);
        let given = [
            &self.item,
            &self.title,
            &self.link_selector,
            &self.date,
            &self.summary,
            &self.author,
            &self.kind_of_post,
            &self.company,
            &self.image,
        ];
        for (key, selector) in Selectors::KEYS.into_iter().zip(given) {
            if let Some(selector) = selector {
                selectors.set(key, selector.clone());
            }
        }
        selectors
    }
}

pub(super) fn run(args: &Args) -> Exit {
    let Args { page, base, kind, selectors, link, content, explain: explained, json } = args;
    let wants = Wants { original: link == "original", content: content == "post" };
    let looked = match runtime() {
        Ok(runtime) => runtime.block_on(async {
            let looked = look(page, base.clone(), Kind::named(kind), selectors.selectors(), clock::now()).await?;
            let own = if wants.original || wants.content { looked.own(wants, clock::now()).await } else { Vec::new() };
            Ok::<_, Failure>((looked, own))
        }),
        Err(exit) => return exit,
    };
    let (Look { mut reading, at, body, settings, .. }, own) = match looked {
        Ok(looked) => looked,
        Err(failure) => {
            if *json {
                deliver(io::stdout(), b"[]\n");
            }
            say_error(failure);
            return Exit::Failed;
        }
    };
    for problem in &reading.problems {
        say_warning(format!("{}: {}", problem.kind.as_str(), problem.message));
    }
    let own = told(&mut reading, own);
    let mut out = Vec::new();
    show(&reading, &slugs(&reading, &at), &own, *json, &mut out).expect("memory takes every byte");
    if *explained {
        let _ = explain(&reading, &crate::extract::explain(&body, &settings), &mut io::stderr());
    }
    let told = deliver(io::stdout(), &out);
    if reading.posts.is_empty() { Exit::Failed } else { told }
}

/// What posts' own pages say, by the place of the post; what they add where the list is silent goes into the reading, as
/// it would into feeds. Says why others were not read.
fn told(reading: &mut Reading, own: Vec<Result<OwnPage, Failure>>) -> Vec<OwnPage> {
    let mut said = Vec::new();
    for (post, page) in reading.posts.iter_mut().zip(own) {
        let page = page.unwrap_or_else(|failure| {
            say_warning(format!("the own page of \"{}\" says nothing: {failure}", post.title));
            OwnPage::default()
        });
        if post.authors.is_empty() {
            post.authors.clone_from(&page.authors);
        }
        post.published = match (post.published, page.published) {
            (None, own) => own,
            (Some(Published::Day(day)), Some(own)) if own.day() == day => Some(own),
            (listed, _) => listed,
        };
        said.push(page);
    }
    said
}

/// The slugs of a reading's companies, as a state that knows nothing yet would give them. `page` is the address against
/// which the page's links resolve.
fn slugs(reading: &Reading, page: &Url) -> BTreeMap<NameKey, Slug> {
    let companies = reading.posts.iter().flat_map(|post| &post.companies);
    let names = companies.map(|c| (c.name.as_str(), c.link.as_ref().and_then(|link| linked_slug(link, page))));
    assign_slugs(names, |_| false)
}

/// Writes a reading.
///
/// # Errors
/// When `out` cannot be written.
fn show(
    reading: &Reading,
    slugs: &BTreeMap<NameKey, Slug>,
    own: &[OwnPage],
    json: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let all = reading.posts.iter().enumerate().map(|(place, post)| (post, own.get(place)));
    if json {
        let posts: Vec<_> = all.map(|(post, own)| PostJson::of(post, own, slugs)).collect();
        serde_json::to_writer_pretty(&mut *out, &posts)?;
        return writeln!(out);
    }
    for (post, own) in all {
        show_post(post, own, widths(reading), out)?;
    }
    let undated = reading.posts.iter().filter(|post| post.published.is_none()).count();
    write!(out, "{}", counted(reading.posts.len(), "post"))?;
    if undated > 0 {
        write!(out, ", {undated} without a date")?;
    }
    if !own.is_empty() && own.len() < reading.posts.len() {
        write!(out, "; the own pages of the first {} were asked", own.len())?;
    }
    match reading.stated {
        Some(stated) if reading.posts.len() != stated as usize => writeln!(out, "; the page says {stated}"),
        _ => writeln!(out),
    }
}

/// Writes what the page says about itself, and how it was understood.
///
/// # Errors
/// When `out` cannot be written.
fn explain(reading: &Reading, found: &[String], out: &mut impl Write) -> io::Result<()> {
    let said = |text: &Option<Text>| text.as_ref().map_or_else(|| "not given".to_owned(), Text::to_string);
    writeln!(out, "read as      {}", reading.kind.as_str())?;
    writeln!(out, "title        {}", said(&reading.title))?;
    writeln!(out, "description  {}", said(&reading.description))?;
    let stated = reading.stated.map_or_else(|| "not given".to_owned(), |n| n.to_string());
    writeln!(out, "states posts {stated}")?;
    for line in found {
        let (what, how) = line.split_once(": ").unwrap_or(("", line));
        writeln!(out, "{what:<12} {}", Text::line(how))?;
    }
    for post in &reading.posts {
        for (key, value) in &post.extra {
            writeln!(out, "not used     {key}: {value} (of \"{}\")", post.title)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct PostJson<'a> {
    title: &'a Text,
    url: Option<&'a str>,
    companies: Vec<CompanyJson<'a>>,
    company: Option<CompanyJson<'a>>,
    authors: &'a [Text],
    published: Option<String>,
    r#type: Option<&'a Text>,
    summary: Option<Text>,
    summary_html: Option<&'a str>,
    original: Option<&'a str>,
    content_html: Option<&'a str>,
}

#[derive(Serialize)]
struct CompanyJson<'a> {
    name: &'a Text,
    url: Option<&'a str>,
    slug: Option<&'a Slug>,
}

impl<'a> PostJson<'a> {
    fn of(post: &'a Post, own: Option<&'a OwnPage>, slugs: &'a BTreeMap<NameKey, Slug>) -> Self {
        let company = |c: &'a Company| CompanyJson {
            name: &c.name,
            url: c.link.as_ref().map(Url::as_str),
            slug: slugs.get(&NameKey::of(c.name.as_str())),
        };
        Self {
            title: &post.title,
            url: post.link.as_ref().map(Url::as_str),
            companies: post.companies.iter().map(company).collect(),
            company: post.companies.first().map(company),
            authors: &post.authors,
            published: post.published.map(Published::json),
            r#type: post.kind.as_ref(),
            summary: Some(post.summary.text()).filter(|text| !text.is_empty()),
            summary_html: Some(post.summary.as_str()).filter(|html| !html.is_empty()),
            original: own.and_then(|own| own.original.as_ref()).map(Url::as_str),
            content_html: own.map(|own| own.content.as_str()).filter(|html| !html.is_empty()),
        }
    }
}

/// The widths of the columns of companies and types.
fn widths(reading: &Reading) -> (usize, usize) {
    let widest = |texts: &mut dyn Iterator<Item = String>, most| texts.map(|t| width(&t)).max().unwrap_or(0).min(most);
    let companies = widest(&mut reading.posts.iter().map(company_names), 30);
    let types = widest(&mut reading.posts.iter().map(|p| p.kind.as_ref().map(Text::to_string).unwrap_or_default()), 24);
    (companies, types)
}

fn company_names(post: &Post) -> String {
    post.companies.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Date, company, type and authors on one line; below it the title, the link, the article's, and the beginnings of the
/// texts.
fn show_post(
    post: &Post,
    own: Option<&OwnPage>,
    (companies, types): (usize, usize),
    out: &mut impl Write,
) -> io::Result<()> {
    let date = post.published.map_or_else(|| "undated".to_owned(), |p| p.day().to_string());
    let kind = post.kind.as_ref().map(Text::to_string).unwrap_or_default();
    let authors = post.authors.iter().map(Text::as_str).collect::<Vec<_>>().join(", ");
    let mut line = format!("{date:<INDENT$}");
    for (text, columns) in [(company_names(post), companies), (kind, types)] {
        if columns > 0 {
            line.push_str(&padded(&cut(&text, columns), columns + 2));
        }
    }
    line.push_str(&authors);
    writeln!(out, "{}", cut(&line, WIDTH).trim_end())?;
    for line in wrapped(post.title.as_str(), WIDTH - INDENT) {
        writeln!(out, "{:INDENT$}{line}", "")?;
    }
    // An address is never cut: it is there to be opened.
    writeln!(out, "{:INDENT$}{}", "", post.link.as_ref().map_or("no link", Url::as_str))?;
    if let Some(original) = own.and_then(|own| own.original.as_ref()) {
        writeln!(out, "{:INDENT$}{original}", "article")?;
    }
    for (name, html) in [("", Some(&post.summary)), ("text", own.map(|own| &own.content))] {
        if let Some(text) = html.map(Html::text).filter(|text| !text.is_empty()) {
            writeln!(out, "{name:INDENT$}{}", cut(&text.as_str().replace("\n\n", " "), WIDTH - INDENT))?;
        }
    }
    writeln!(out)
}

/// How many columns of a terminal a text takes, near enough: the letters of East Asia and pictures take two.
fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

fn columns(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xff00..=0xff60
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// A text in at most so many columns, with an ellipsis where it is cut.
fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut left = most.saturating_sub(1);
    let fits = |c: &char| {
        let fits = columns(*c) <= left;
        left = left.saturating_sub(columns(*c));
        fits
    };
    let head: String = text.chars().take_while(fits).collect();
    format!("{}…", head.trim_end())
}

fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// A text in lines; a word that is longer than a line gets one.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    fn reading() -> Reading {
        let link = |s: &str| Some(Url::parse(s).unwrap());
        let full = Post {
            title: Text::line("A title that is longer than what is left of a line of eighty columns, so it goes on"),
            link: link("https://topics.example/post/a.md"),
            companies: vec![
                Company { name: Text::line("Acme"), link: link("https://topics.example/company/acme-labs.md") },
                Company { name: Text::line("東京ラボ"), link: None },
            ],
            authors: vec![Text::line("Ana O'Neil")],
            published: "2026-09-24".parse().ok(),
            kind: Some(Text::line("Benchmark")),
            summary: Html::written("<p>One &amp; <em>two</em>.</p>\n<p>Three.</p>".into()),
            ..Post::default()
        };
        let bare = Post { title: Text::line("Bare"), ..Post::default() };
        Reading {
            kind: Kind::Markdown,
            title: None,
            description: None,
            stated: Some(3),
            filtered: 0,
            list: true,
            pace: None,
            shape: None,
            posts: vec![full, bare],
            problems: Vec::new(),
        }
    }

    fn shown(reading: &Reading, json: bool) -> String {
        let page = Url::parse("https://topics.example/tpu.md").unwrap();
        let mut out = Vec::new();
        show(reading, &slugs(reading, &page), &[], json, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_has_every_key_and_null_for_what_is_unknown() {
        let posts: serde_json::Value = serde_json::from_str(&shown(&reading(), true)).unwrap();
        let expected = serde_json::json!([
            {
                "title": "A title that is longer than what is left of a line of eighty columns, so it goes on",
                "url": "https://topics.example/post/a.md",
                "companies": [
                    {"name": "Acme", "url": "https://topics.example/company/acme-labs.md", "slug": "acme-labs"},
                    {"name": "東京ラボ", "url": null, "slug": Slug::of("東京ラボ")},
                ],
                "company": {"name": "Acme", "url": "https://topics.example/company/acme-labs.md", "slug": "acme-labs"},
                "authors": ["Ana O'Neil"],
                "published": "2026-09-24",
                "type": "Benchmark",
                "summary": "One & two.\n\nThree.",
                "summary_html": "<p>One &amp; <em>two</em>.</p>\n<p>Three.</p>",
                "original": null,
                "content_html": null,
            },
            {
                "title": "Bare", "url": null, "companies": [], "company": null, "authors": [], "published": null,
                "type": null, "summary": null, "summary_html": null, "original": null, "content_html": null,
            },
        ]);
        assert_eq!(posts, expected);
    }

    #[test]
    fn no_posts_are_an_empty_array() {
        let nothing = Reading { posts: Vec::new(), ..reading() };
        assert_eq!(shown(&nothing, true), "[]\n");
    }

    #[test]
    fn people_get_aligned_lines_and_a_count() {
        let expected = "\
2026-09-24  Acme, 東京ラボ  Benchmark  Ana O'Neil
            A title that is longer than what is left of a line of eighty
            columns, so it goes on
            https://topics.example/post/a.md
            One & two. Three.

undated
            Bare
            no link

2 posts, 1 without a date; the page says 3
";
        assert_eq!(shown(&reading(), false), expected);
    }

    #[test]
    fn what_is_cut_says_so_and_fits() {
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(width(&cut("東京ラボ", 5)), 5);
        assert_eq!(cut("abc", 3), "abc");
    }
}
