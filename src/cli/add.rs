//! `pagewire add`: looks at a page, shows what it found and what better forms of it there are, and follows it.
//!
//! In: an address. Out: a line in the seeds. A better form is only named, or taken with `--best`: the daemon never
//! changes what somebody chose. Deliberately absent: the first refresh; the daemon or `pagewire refresh` does that.

use super::look::{Look, look};
use super::{Exit, counted, deliver, runtime, say_error, settings};
use crate::config::{self, Addition};
use crate::model::{Address, Kind, Post, Reading, Selectors, Settings, Slug, Text};
use crate::{clock, extract};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use url::Url;

/// Look at a page and follow it: appends it to the seeds
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The page may be a feed, Markdown or HTML. Where it has a better form (a feed, a Markdown twin), that is \
    named with the reason.\n\nExamples:\n  pagewire add https://blog.example.org/\n  pagewire add \
    https://blog.example.org/ --best --topic tea --schedule 'every 1h'"
)]
pub(super) struct Args {
    /// The page's address, or a file
    #[arg(value_name = "URL|FILE")]
    page: String,
    /// The topic that is to list it, an old or a new one [default: named like the page]
    #[arg(long, value_name = "SLUG", value_parser = slug)]
    topic: Option<Slug>,
    /// When it is polled, as "every 1h" [default: as the configuration says]
    #[arg(long, value_name = "S")]
    schedule: Option<String>,
    /// Follow the page's best form instead, if it has a better one
    #[arg(long)]
    best: bool,
}

fn slug(text: &str) -> Result<Slug, String> {
    Slug::parse(text).map_err(|e| e.to_string())
}

/// A source of the same posts.
struct Source {
    address: Address,
    reading: Reading,
    /// Why it is better.
    why: String,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let work = || {
        let before = settings(config)?;
        let file = config::locate(config).map_err(|e| {
            say_error(e);
            Exit::Config
        })?;
        let runtime = runtime()?;
        let failed = |failure| {
            say_error(failure);
            Exit::Failed
        };
        let found =
            runtime.block_on(look(&args.page, None, None, Selectors::default(), clock::now())).map_err(failed)?;
        let mut better = runtime.block_on(better(&found));
        let mut out = shown(&found.address, &found.reading);
        for source in &better {
            let _ = write!(out, "\nbetter: {} ({})\n", source.address, source.why);
        }
        let (address, reading) = match better.drain(..).next() {
            Some(source) if args.best => (source.address, source.reading),
            Some(source) => {
                let topic = args.topic.as_ref().map_or_else(String::new, |slug| format!(" --topic {slug}"));
                let _ = writeln!(out, "to follow that instead: pagewire add {}{topic}", source.address);
                (found.address, found.reading)
            }
            None => (found.address, found.reading),
        };
        let told = follow(&before, &file, args, &address, &reading);
        let (line, exit) = told.map_or_else(|why| (None, Err(why)), |line| (Some(line), Ok(())));
        let _ = writeln!(out, "\n{}", line.unwrap_or_default());
        let delivered = deliver(io::stdout(), format!("{}\n", out.trim_end()).as_bytes());
        exit.map_err(|why| {
            say_error(why);
            Exit::Failed
        })?;
        Ok(delivered)
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

/// Writes the page into the seeds, and says what to do next.
fn follow(before: &Settings, file: &Path, args: &Args, address: &Address, reading: &Reading) -> Result<String, String> {
    if let Some(page) = before.pages.iter().find(|page| page.address == *address) {
        let topics = page.topics.iter().filter_map(|&t| before.topics.get(t)).map(|t| t.slug.to_string());
        let topics: Vec<String> = topics.collect();
        let told = format!("already followed in {}", topics.join(", "));
        let other = args.topic.as_ref().is_some_and(|topic| !topics.contains(&topic.to_string()));
        if other || args.schedule.is_some() {
            return Err(format!("{told}; nothing was written: change its topic or schedule in the seeds"));
        }
        return Ok(told);
    }
    let topic = args.topic.clone().unwrap_or_else(|| free_slug(before, address, reading));
    let addition = Addition { topic: &topic, title: None, address, schedule: args.schedule.as_deref() };
    let written = config::add(file, &addition)?;
    Ok(format!(
        "followed as topic {topic}, in {}\nnext: pagewire reload, where a daemon runs; else pagewire refresh {topic}",
        written.display()
    ))
}

/// A slug that no topic has: from the page's title, else its host.
fn free_slug(settings: &Settings, address: &Address, reading: &Reading) -> Slug {
    let title = reading.title.as_ref().map(Text::as_str).filter(|t| t.len() < 60);
    let host = address.url().host_str().unwrap_or("page");
    let host = host.strip_prefix("www.").unwrap_or(host);
    let wanted = Slug::of(title.unwrap_or(host));
    let is_taken = |slug: &Slug| settings.topics.iter().any(|t| t.slug == *slug || t.former.contains(slug));
    let mut slug = if is_taken(&wanted) { Slug::of(host) } else { wanted };
    while is_taken(&slug) {
        slug = slug.beside(address.url().as_str());
    }
    slug
}

/// What was found, in a few lines.
fn shown(address: &Address, reading: &Reading) -> String {
    let mut out = format!("{address}: {}, {}\n", reading.kind.as_str(), counted(reading.posts.len(), "post"));
    if let Some(title) = &reading.title {
        let _ = writeln!(out, "title: {title}");
    }
    for post in reading.posts.iter().take(5) {
        let date = post.published.map_or_else(|| "undated   ".to_owned(), |p| p.day().to_string());
        let _ = writeln!(out, "  {date}  {}", post.title);
    }
    if reading.posts.len() > 5 {
        let _ = writeln!(out, "  … and {} more; pagewire preview shows them", reading.posts.len() - 5);
    }
    out
}

/// Better forms of a page, the best first: feeds that it names, its Markdown twin, and its site's llms.txt. Markdown is
/// what every request asks for first, so a page that has it at its own address came as that.
async fn better(found: &Look) -> Vec<Source> {
    if found.reading.kind != Kind::Html {
        return Vec::new();
    }
    let mut sources = Vec::new();
    for (kind, url) in
        extract::alternates(&found.body, &found.settings).into_iter().take(4).chain(twin(found)).chain(llms(found))
    {
        let other = look(url.as_str(), None, Some(kind), Selectors::default(), clock::now()).await;
        let Ok(other) = other else { continue };
        let (shared, all) = (shared(&found.reading, &other.reading), found.reading.posts.len());
        if shared * 2 < all || other.address == found.address {
            continue;
        }
        let texts = |reading: &Reading| reading.posts.iter().filter(|post| !post.summary.is_empty()).count();
        let times = |reading: &Reading| reading.posts.iter().filter(|post| is_time(post)).count();
        let mut why =
            format!("{}, lists {shared} of these {all}", if kind == Kind::Feed { "a feed" } else { "Markdown" });
        if times(&other.reading) > times(&found.reading) {
            why.push_str(", with times");
        }
        if texts(&other.reading) > texts(&found.reading) {
            why.push_str(", with texts");
        }
        sources.push(Source { address: other.address, reading: other.reading, why });
    }
    // A feed that leaves out posts of the page is not better than one that has them.
    sources.sort_by_key(|source| std::cmp::Reverse(shared(&found.reading, &source.reading)));
    sources
}

fn is_time(post: &Post) -> bool {
    matches!(post.published, Some(crate::model::Published::Instant(_)))
}

/// The Markdown twin that a page may have at its address with `.md`.
fn twin(found: &Look) -> Option<(Kind, Url)> {
    let mut url = found.address.url().clone();
    let path = url.path().trim_end_matches('/').to_owned();
    let path = path.strip_suffix(".html").unwrap_or(&path);
    if !matches!(url.scheme(), "http" | "https") || path.is_empty() || path.rsplit('/').next()?.contains('.') {
        return None;
    }
    url.set_path(&format!("{path}.md"));
    Some((Kind::Markdown, url))
}

/// The site's list of its pages for machines (<https://llmstxt.org>).
fn llms(found: &Look) -> Option<(Kind, Url)> {
    let url = found.address.url();
    let list = matches!(url.scheme(), "http" | "https").then(|| url.join("/llms.txt").ok()).flatten()?;
    Some((Kind::Markdown, list))
}

/// How many posts of one reading another has too, by their links.
fn shared(one: &Reading, other: &Reading) -> usize {
    let keys = |reading: &Reading| -> HashSet<String> {
        reading
            .posts
            .iter()
            .filter_map(|p| p.link.as_ref())
            .map(|link| crate::model::Key::of(link).to_string())
            .collect()
    };
    keys(one).intersection(&keys(other)).count()
}
