//! Markdown → [`Reading`].
//!
//! In: a topic page: front matter, a title, and posts, each a heading with a link, a list of `Key: value` and a text.
//! Out: its posts in its order. Where no heading is a link, headings with dates are posts; where there are none of these
//! either, or these are days over lists of links, rows of lists and tables may be ([`list`]). Walks CommonMark's events
//! (0.31), so nothing inside a code block is a heading, escapes and entities are decoded where and only where they count,
//! and brackets in a link's text are text.
//!
//! Deliberately absent: extensions of CommonMark (tables, strikethrough, footnotes stay the text that they are; only titles
//! lose `~~` and `{#id .class}`) and smart punctuation. Known gaps: fields in a paragraph with other text; a CommonMark
//! construct that is never closed (a code fence, an HTML comment) hides what stands below it, as it does everywhere.

mod byline;
mod fields;
mod front;
mod inline;
mod list;
mod next;
mod outline;
mod own;
mod release;
mod summary;
mod value;

pub(super) use next::hints;
pub(super) use own::own;

use crate::extract::link::Links;
use crate::extract::{newest, no_topic_page};
use crate::model::{Failure, Html, Kind, Post, Reading, Text, Warning, WarningKind};
use chrono_tz::Tz;
pub(super) use front::json as json_front;
use outline::{Head, Section};
use summary::{RULE, Summary};

/// Reads a page.
pub(super) fn read(page: &str, links: &Links, tz: Tz) -> Result<Reading, Failure> {
    let front = front::read(page);
    let Some(sections) = outline::sections(page, front.end, links) else {
        return Err(no_topic_page("the page has more than 20000 headings: it is no topic page"));
    };
    let mut heads: Vec<Head> = sections.iter().map(|s| Head::of(s, page, links, tz)).collect();
    let mut is_post = outline::posts(&sections, &heads);
    let description = front.description.as_deref().map(Text::line).filter(|t| !t.is_empty());
    let mut intro = intro(&sections, &is_post);
    let count =
        |intro: &Option<Text>| description.as_ref().and_then(stated).or_else(|| intro.as_ref().and_then(stated));
    let mut stated = count(&intro);
    if let Some(stated) = stated {
        outline::strangers(&sections, &heads, &mut is_post, stated);
    }
    let mut are_days = false;
    if is_post.contains(&true) {
        outline::versions(&sections, &mut heads, &mut is_post, tz);
    } else {
        is_post = outline::dated(&sections, &mut heads, tz);
        are_days = list::are_days(&sections, &heads, &is_post, tz);
        intro = self::intro(&sections, &is_post);
        stated = count(&intro);
    }
    byline::read(&sections, &mut heads, &is_post, page, tz);
    outline::date_groups(&sections, &mut heads, &is_post, tz);
    let is_list = are_days || !is_post.contains(&true);
    let rows = if is_list { list::posts(&page[front.end..], links, tz) } else { Vec::new() };
    are_days &= !rows.is_empty();
    if are_days {
        is_post.fill(false);
    }
    let is_dated = rows.iter().any(|post| post.published.is_some());
    if sections.len() == 1 && !is_dated {
        return Err(no_topic_page("the page has no heading: a challenge, a note, or not Markdown"));
    }
    let mut problems = Problems { page, at: 0, line: 1, found: Vec::new() };
    if let Some((at, why)) = front.problem {
        problems.push(at, WarningKind::FrontMatter, &format!("front matter not understood: {why}"));
    }
    for (at, title, is_named) in outline::left_out(&sections, &heads, &is_post) {
        let why = if is_named {
            "it has no list of fields below it, and the page counts its posts without it"
        } else {
            "it neither begins with its link nor has a list of fields below it"
        };
        let why = format!("`{title}` is no post: {why}");
        problems.push(at, WarningKind::Item, &why);
    }
    let title =
        front.title.as_deref().map(Text::line).filter(|t| !t.is_empty()).or_else(|| h1(&sections, &heads, &is_post));
    let has_empty = sections
        .iter()
        .zip(sections.iter().skip(1).map(|s| s.level).chain([0]))
        .any(|(section, next)| section.level == 2 && next <= 2 && section.is_empty());
    let mut drafts = drafts(sections, heads, &is_post, page, links);
    drop_footer(&mut drafts);
    let has_links = drafts.iter().any(|draft| draft.head.link.is_some());
    // Not collected in place: a post is smaller than its draft, and many readings wait to be stored.
    let mut posts: Vec<Post> = Vec::with_capacity(drafts.len());
    posts.extend(drafts.into_iter().filter_map(|d| d.post(has_links, links, &mut problems)));
    // A page that says how many posts it has, or has an empty section for them, has no others.
    if are_days || posts.is_empty() && stated.is_none() && !has_empty {
        let (rows, too_many) = newest(rows, |post| post.published);
        problems.found.extend(too_many);
        posts = rows;
    }
    Ok(Reading {
        kind: Kind::Markdown,
        title,
        description: description.or(intro),
        stated,
        filtered: 0,
        list: !posts.is_empty() || stated == Some(0) || has_empty,
        pace: None,
        shape: None,
        posts,
        problems: problems.found,
    })
}

/// The page's own first heading.
fn h1(sections: &[Section<'_>], heads: &[Head], is_post: &[bool]) -> Option<Text> {
    let own = sections.iter().zip(is_post).position(|(section, is_post)| section.level == 1 && !is_post)?;
    Some(Text::line(&heads[own].title)).filter(|t| !t.is_empty())
}

/// The first paragraph or quote of the page, before its sections and posts.
fn intro(sections: &[Section<'_>], is_post: &[bool]) -> Option<Text> {
    let own = sections.iter().zip(is_post).take_while(|(section, is_post)| section.level <= 1 && !**is_post);
    own.map(|(section, _)| Html::written(section.text.html.clone()).text())
        .find_map(|text| text.as_str().split("\n\n").next().map(Text::line).filter(|t| !t.is_empty()))
}

/// The number right before "posts", "articles" or "entries".
fn stated(text: &Text) -> Option<u32> {
    let words: Vec<&str> = text.as_str().split_whitespace().collect();
    words.windows(2).find_map(|two| {
        let noun = two[1].trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let is_noun = ["post", "posts", "article", "articles", "entry", "entries"].contains(&noun.as_str());
        if is_noun { two[0].replace(',', "").parse().ok() } else { None }
    })
}

/// A post in the making.
struct Draft {
    at: usize,
    head: Head,
    text: Summary,
}

/// Posts with their texts: what stands below a post's heading up to the next heading of its level or above.
fn drafts(sections: Vec<Section<'_>>, heads: Vec<Head>, is_post: &[bool], page: &str, links: &Links) -> Vec<Draft> {
    let releases = release::text_level(&sections, &heads, is_post);
    let mut drafts: Vec<Draft> = Vec::new();
    // The level of the post whose text the walk is in.
    let mut inside: Option<u8> = None;
    for ((section, head), &is_post) in sections.into_iter().zip(heads).zip(is_post) {
        if is_post {
            let mut text = Summary::default();
            match &head.fields {
                Some(fields) => {
                    for range in &fields.rest {
                        for (event, _) in &section.lists[range.clone()] {
                            text.push(event, links);
                        }
                        text.end_paragraph();
                    }
                }
                None => lists(&mut text, &section, links),
            }
            text.finish();
            inside = releases.or(Some(section.level));
            text.append(section.text);
            drafts.push(Draft { at: section.at, head, text });
        } else if let (Some(level), Some(draft)) = (inside, drafts.last_mut()) {
            if section.level > level {
                draft.text.heading(&section.heading, "h4", links);
            } else if is_underlined_text(&section, &head, page) {
                draft.text.heading(&section.heading, "p", links);
            } else {
                inside = None;
                continue;
            }
            lists(&mut draft.text, &section, links);
            draft.text.append(section.text);
        }
    }
    drafts
}

/// Writes the lists of a section as text.
fn lists(text: &mut Summary, section: &Section<'_>, links: &Links) {
    for (event, _) in &section.lists {
        text.push(event, links);
    }
    text.finish();
}

/// Whether a heading is a paragraph that a line `---` was put right below, which is meant as a break and makes it one.
fn is_underlined_text(section: &Section<'_>, head: &Head, page: &str) -> bool {
    let is_underlined = !page[section.at..].trim_start().starts_with('#');
    is_underlined && head.title.trim_end().ends_with(['.', '!', '?', '…', '。'])
}

/// Takes what stands below a thematic break at the end of the page out of the last post's text, unless the other posts
/// have such breaks in theirs: it is the page's own last word, and would move from post to post.
fn drop_footer(drafts: &mut [Draft]) {
    let has_break = |draft: &Draft| draft.text.rule.is_some_and(|at| !without_rules(&draft.text.html[at..]).is_empty());
    if let [others @ .., last] = drafts
        && !others.is_empty()
        && !others.iter().any(has_break)
        && let Some(at) = last.text.rule
    {
        last.text.html.truncate(at);
    }
}

/// HTML without the thematic breaks at its ends, which part posts.
fn without_rules(mut html: &str) -> &str {
    loop {
        html = html.trim();
        match html.strip_suffix(RULE).or_else(|| html.strip_prefix(RULE)) {
            Some(shorter) => html = shorter,
            None => return html,
        }
    }
}

impl Draft {
    /// The post; none, and a problem, where there is neither title nor link.
    fn post(self, has_links: bool, links: &Links, problems: &mut Problems<'_>) -> Option<Post> {
        let destination = self.head.link.unwrap_or_default();
        let link = links.post(&destination);
        let shown = || self.head.title.chars().take(60).collect::<String>();
        if link.is_none() && !destination.is_empty() {
            let shown = shown();
            let why =
                format!("link `{destination}` of `{shown}` is no http address; a relative one needs the page's `base`");
            problems.push(self.at, WarningKind::Link, &why);
        } else if link.is_none() && has_links && self.head.published.is_none() {
            problems.push(self.at, WarningKind::Link, &format!("`{}` has no link: look at its brackets", shown()));
        }
        let fields = self.head.fields.unwrap_or_default();
        for (at, kind, why) in &fields.problems {
            problems.push(*at, *kind, why);
        }
        let mut title = Text::line(&self.head.title);
        if title.is_empty() {
            title = Text::line(link.as_ref().map_or(&destination, |url| url.as_str()));
        }
        let summary = summary(self.text, links);
        (!title.is_empty()).then_some(Post {
            title,
            link,
            original: fields.original,
            companies: fields.companies,
            authors: fields.authors,
            published: fields.published.or(self.head.published),
            ago: fields.ago.or(self.head.ago),
            kind: fields.kind,
            summary,
            guid: None,
            extra: fields.extra,
            enclosures: Vec::new(),
        })
    }
}

/// A post's text as it may be published.
fn summary(text: Summary, links: &Links) -> Html {
    let html = without_rules(&text.html);
    if text.is_raw {
        return Html::sanitised(html, links.base());
    }
    if html.len() < text.html.len() {
        return Html::written(html.to_owned());
    }
    let mut html = text.html;
    html.shrink_to_fit();
    Html::written(html)
}

/// What was not understood, with the lines of the page.
struct Problems<'a> {
    page: &'a str,
    /// How far lines are counted, in bytes, and the line there.
    at: usize,
    line: usize,
    found: Vec<Warning>,
}

impl Problems<'_> {
    fn push(&mut self, at: usize, kind: WarningKind, why: &str) {
        if at < self.at {
            (self.at, self.line) = (0, 1);
        }
        self.line += self.page[self.at..at].matches('\n').count();
        self.at = at;
        self.found.push(Warning::new(kind, format!("line {}: {why}", self.line)));
    }
}
