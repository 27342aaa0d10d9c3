//! A page → its sections, and which of their headings are posts.
//!
//! In: Markdown. Out: for every heading that is not inside a quote or a list: its text, the lists straight below it,
//! and the text after these. The events are walked once and not kept.
//!
//! Which headings are posts is told by the page as a whole, since writers differ: those of the level at which most
//! headings have a list of fields below them; without such lists, of the level at which most headings are links. A page that
//! counts its posts has no others, and a link to a part of the page itself makes no heading a post.

use super::fields::{self, Fields, Placed};
use super::inline::Inline;
use super::release;
use super::summary::Summary;
use crate::extract::date;
use crate::extract::link::Links;
use crate::model::{Ago, Published};
use chrono_tz::Tz;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Most headings of a topic page; a document with more is something else, and would take memory for nothing.
const MAX_SECTIONS: usize = 20_000;

/// Most events of lists that can be fields; longer lists are text.
const MAX_LIST_EVENTS: usize = 1_000;

/// As many as four fields with links have.
const USUAL_LIST_EVENTS: usize = 32;

/// Longest title, in bytes.
const MAX_TITLE: usize = 2_000;

/// A heading and what stands below it, up to the next.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// Where it begins in the page.
    pub(super) at: usize,
    /// 1 to 6; 0 for what stands before the first heading.
    pub(super) level: u8,
    /// The events of the heading.
    pub(super) heading: Vec<Event<'a>>,
    /// The lists straight below it.
    pub(super) lists: Vec<Placed<'a>>,
    /// The text after these.
    pub(super) text: Summary,
    /// Where that begins in the page.
    pub(super) text_at: Option<usize>,
}

impl<'a> Section<'a> {
    fn new(level: u8, at: usize) -> Self {
        Self { at, level, heading: Vec::new(), lists: Vec::new(), text: Summary::default(), text_at: None }
    }

    /// Whether nothing stands below the heading.
    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.text.html.is_empty()
    }

    /// Takes an event of the lists straight below the heading.
    fn push_list(&mut self, placed: Placed<'a>) {
        if self.lists.is_empty() {
            self.lists.reserve(USUAL_LIST_EVENTS);
        }
        self.lists.push(placed);
    }

    /// Makes lists that are too long for fields the beginning of the text.
    fn give_up_lists(&mut self, links: &Links) {
        for (event, _) in self.lists.drain(..) {
            self.text.push(&event, links);
        }
    }
}

/// Which part of a section the walk is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Heading,
    Lists,
    Text,
}

/// The sections of the Markdown that begins at `start`; none when there are too many.
pub(super) fn sections<'a>(page: &'a str, start: usize, links: &Links) -> Option<Vec<Section<'a>>> {
    let mut done = Vec::new();
    let mut here = Section::new(0, start);
    let mut part = Part::Text;
    let mut depth = 0usize;
    // Where the text of the heading that the walk is in ends.
    let mut end = 0;
    for (event, range) in Parser::new_ext(&page[start..], Options::empty()).into_offset_iter() {
        let range = range.start + start..range.end + start;
        let is_outermost = depth == 0;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        match (part, event) {
            (_, Event::Start(Tag::Heading { level, .. })) if is_outermost => {
                end = range.start + before_attributes(&page[range.clone()]).len();
                done.push(std::mem::replace(&mut here, Section::new(level as u8, range.start)));
                part = Part::Heading;
            }
            (Part::Heading, Event::End(TagEnd::Heading(_))) => part = Part::Lists,
            (Part::Heading, _) if range.start >= end => {}
            (Part::Heading, Event::Text(text)) if range.end > end && *text == page[range.clone()] => {
                here.heading.push(Event::Text(page[range.start..end].into()));
            }
            (Part::Heading, event) => here.heading.push(event),
            (Part::Lists, event) if !is_outermost || may_be_fields(&event, &page[range.clone()]) => {
                here.push_list((event, range));
                if here.lists.len() > MAX_LIST_EVENTS {
                    here.text_at = here.lists.first().map(|(_, range)| range.start);
                    here.give_up_lists(links);
                    part = Part::Text;
                }
            }
            (_, event) => {
                here.text_at.get_or_insert(range.start);
                here.text.push(&event, links);
                part = Part::Text;
            }
        }
        if done.len() > MAX_SECTIONS {
            return None;
        }
    }
    done.push(here);
    for section in &mut done {
        section.text.finish();
    }
    Some(done)
}

/// The source of a heading without `{#id .class}` at its end, which is for the maker of the page: most writers of
/// static pages know these attributes, though CommonMark does not.
fn before_attributes(heading: &str) -> &str {
    let line = heading.trim_end().trim_end_matches('#').trim_end();
    let inside = line.strip_suffix('}').and_then(|rest| Some((rest.rfind('{')?, rest)));
    match inside {
        Some((at, rest)) if rest[at + 1..].trim_start().starts_with(['#', '.', ':']) && !rest.contains('\n') => {
            line[..at].trim_end()
        }
        _ => heading,
    }
}

/// Whether a block below a heading may be of its fields: a list, a comment above one, or lines of nothing but fields.
fn may_be_fields(start: &Event<'_>, source: &str) -> bool {
    match start {
        Event::Start(Tag::List(_)) => true,
        Event::Start(Tag::Paragraph) => fields::are_lines(source),
        Event::Start(Tag::HtmlBlock) => source.trim_start().starts_with("<!--"),
        _ => false,
    }
}

/// A heading as a candidate.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) title: String,
    /// The destination of its first link.
    pub(super) link: Option<String>,
    /// The date beside its link, or in the line below.
    pub(super) published: Option<Published>,
    /// How long ago that was, where that line says no more.
    pub(super) ago: Option<Ago>,
    pub(super) fields: Option<Fields>,
    shape: Shape,
    /// Whether it begins with a link, but for signs and a label.
    begins: bool,
}

/// How much of a heading is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// All of it, but for signs and a date.
    Link,
    /// More than half of it.
    Mostly,
    /// Less, or nothing.
    Text,
}

impl Head {
    /// Looks at the heading of a section.
    pub(super) fn of(section: &Section<'_>, page: &str, links: &Links, tz: Tz) -> Self {
        let mut inline = Inline::of(&section.heading);
        inline.settle();
        let fields = Fields::read(&section.lists, page, links, tz);
        let mut head = Self {
            title: String::new(),
            link: None,
            published: None,
            ago: None,
            fields,
            shape: Shape::Text,
            begins: false,
        };
        if let Some(first) = inline.links.first() {
            head.begins = is_label(&inline.text[..first.range.start]);
            (head.shape, head.published) = shape(&inline, tz);
        } else if inline.text.starts_with("http") && links.web(&inline.text).is_some() {
            // An address that nobody made a link is one all the same.
            head.link = (!inline.text.contains(' ')).then(|| inline.text.clone());
            head.shape = if head.link.is_some() { Shape::Link } else { Shape::Text };
        }
        head.title = if head.published.is_some() { inline.linked() } else { inline.text };
        head.link = inline.links.into_iter().next().map(|link| link.destination).or(head.link);
        // Struck out in the dialects that know it.
        if head.title.contains('~') && head.title.matches("~~").count() > 1 {
            head.title = head.title.replace("~~", "");
        }
        head.title.truncate(head.title.floor_char_boundary(MAX_TITLE));
        head.forget_own_link(links);
        head
    }

    /// Whether it is named by a link: all of it, most of it, or its beginning. What stands behind the link is a note.
    fn is_named(&self) -> bool {
        self.shape != Shape::Text || self.begins
    }

    /// Takes what its link says of it away, where that leads to a part of the page itself: it names no post. One that
    /// is a post by its date or its fields may still be found there.
    fn forget_own_link(&mut self, links: &Links) {
        let is_own = self.link.as_deref().is_some_and(|link| links.is_within(link));
        if is_own && self.published.is_none() {
            (self.shape, self.begins) = (Shape::Text, false);
            if !self.fields.as_ref().is_some_and(Fields::is_certain) {
                self.link = None;
            }
        }
    }

    /// Whether it is that of changes which are in no version yet.
    fn is_to_come(&self) -> bool {
        let title = self.title.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        self.published.is_none() && (TO_COME.contains(&title.as_str()) || title.starts_with("unreleased "))
    }

    /// Whether a list of fields says that it is a post.
    fn is_certain(&self) -> bool {
        self.fields.as_ref().is_some_and(|fields| self.link.is_some() || fields.is_certain())
    }
}

/// Whether what stands before a link in a heading only leads to it: signs, or a word or two with a colon.
fn is_label(before: &str) -> bool {
    let before = before.trim();
    !before.contains(char::is_alphanumeric) || before.ends_with(':') && before.split_whitespace().count() <= 3
}

/// How much of a heading with links is a link, and the date beside it.
fn shape(heading: &Inline, tz: Tz) -> (Shape, Option<Published>) {
    if let [link] = &heading.links[..]
        && link.range == (0..heading.text.len())
    {
        return (Shape::Link, None);
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let outside = heading.outside();
    let (beside, all) = (letters(&outside), letters(&heading.text));
    let is_one = heading.links.windows(2).all(|two| two[0].destination == two[1].destination);
    if is_one && beside == 0 {
        return (Shape::Link, None);
    }
    let date = outside.trim_matches(|c: char| !c.is_alphanumeric());
    match date::parse(date, tz).or_else(|| release::noted(date)).filter(|_| is_one) {
        Some(published) => (Shape::Link, Some(published)),
        None if beside * 2 < all => (Shape::Mostly, None),
        None => (Shape::Text, None),
    }
}

/// Which of the headings are posts.
pub(super) fn posts(sections: &[Section<'_>], heads: &[Head]) -> Vec<bool> {
    // A page's own title may be a link; a page of several such titles is a list.
    let is_title = |level, head: &Head| level == 1 && head.shape == Shape::Link;
    let all = || sections.iter().map(|section| section.level).zip(heads);
    let lowest = if all().filter(|&(level, head)| is_title(level, head)).count() > 1 { 1 } else { 2 };
    // Where two levels have equally many, the deeper are posts and the others their sections.
    let most = |counts: &dyn Fn(&Head) -> bool| {
        let count = |wanted| all().filter(|&(level, head)| level == wanted && counts(head)).count();
        (lowest..=6).map(|level| (count(level), level)).max().unwrap_or_default()
    };
    let is_linked = |head: &Head| head.shape != Shape::Text;
    let (with_fields, fields_level) = most(&Head::is_certain);
    let (with_links, links_level) = most(&is_linked);
    let is_post = |level: u8, head: &Head| match head.shape {
        _ if with_fields > 0 && level == fields_level => head.is_certain() || head.is_named(),
        Shape::Link if with_fields > 0 => level >= lowest && level < fields_level && head.is_certain(),
        _ if with_fields > 0 => false,
        Shape::Link => level == links_level,
        // One heading with a link somewhere in it is no list.
        Shape::Mostly => level == links_level && with_links > 1,
        Shape::Text => false,
    };
    all().map(|(level, head)| is_post(level, head)).collect()
}

/// Takes posts without fields out that stand in sections of their own, where the page counts its posts and has as many
/// with fields, or says that it has none: they are headings of something else.
pub(super) fn strangers(sections: &[Section<'_>], heads: &[Head], is_post: &mut [bool], stated: u32) {
    let Some(level) = sections.iter().zip(&*is_post).filter(|(_, is_post)| **is_post).map(|(s, _)| s.level).min()
    else {
        return;
    };
    // Which of the page's parts each stands in, by the headings above them.
    let parts: Vec<usize> = sections
        .iter()
        .scan(0, |part, section| {
            *part += usize::from(section.level < level);
            Some(*part)
        })
        .collect();
    let certain: Vec<usize> =
        (0..heads.len()).filter(|&n| is_post[n] && heads[n].is_certain()).map(|n| parts[n]).collect();
    if u32::try_from(certain.len()) == Ok(stated) {
        for (n, is_post) in is_post.iter_mut().enumerate() {
            *is_post &= certain.binary_search(&parts[n]).is_ok();
        }
    }
}

/// What a changelog's headings are besides links: where most posts have a date beside their links, one without a link is
/// a post too, as the first version has nothing to lead to, and that of changes to come is none. Releases with dates are
/// posts at whatever level: standard-version writes those that only mend one level below the others.
pub(super) fn versions(sections: &[Section<'_>], heads: &mut [Head], is_post: &mut [bool], tz: Tz) {
    let of_posts = || (0..heads.len()).filter(|&n| is_post[n]);
    let dated = of_posts().filter(|&n| heads[n].published.is_some()).count();
    let Some(level) = of_posts().map(|n| sections[n].level).next().filter(|_| dated * 2 >= of_posts().count()) else {
        return;
    };
    if dated == 0 {
        return;
    }
    for (n, head) in heads.iter_mut().enumerate() {
        let is_level = sections[n].level == level;
        let may_be = || is_level || release::LEVELS.contains(&sections[n].level);
        if is_post[n] {
            is_post[n] = !head.is_to_come();
        } else if head.published.is_some() {
            is_post[n] = may_be() && release::is_name(&head.title);
        } else if let (None, Some((published, title))) = (&head.link, dated_title(&head.title, tz).filter(|_| may_be()))
            && (is_level || release::is_name(&title))
        {
            (head.published, head.title) = (Some(published), title);
            is_post[n] = true;
        }
    }
}

/// What the heading of changes is called that are in no version yet (Keep a Changelog), in lower case.
const TO_COME: [&str; 6] = ["unreleased", "upcoming", "next", "next release", "next version", "head"];

/// Gives posts without a date that of the heading above them, where that is a day and nothing else.
pub(super) fn date_groups(sections: &[Section<'_>], heads: &mut [Head], is_post: &[bool], tz: Tz) {
    let mut above: Option<(u8, Published)> = None;
    for (n, head) in heads.iter_mut().enumerate() {
        let level = sections[n].level;
        if above.is_some_and(|(outer, _)| level <= outer) {
            above = None;
        }
        if !is_post[n] {
            if let (None, Some(date::Seen::Whole(day))) = (&head.link, date::seen(head.title.trim(), tz)) {
                above = Some((level, day));
            }
        } else if head.published.is_none() {
            head.published = above.map(|(_, day)| day);
        }
    }
}

/// The headings with a link that are no posts though they stand among posts with fields: where, what they say, and
/// whether they are named by their links.
pub(super) fn left_out<'h>(
    sections: &'h [Section<'_>],
    heads: &'h [Head],
    is_post: &'h [bool],
) -> impl Iterator<Item = (usize, String, bool)> + 'h {
    let is_certain = |&n: &usize| is_post[n] && heads[n].is_certain();
    let level = (0..heads.len()).find(is_certain).map(|n| sections[n].level);
    let last = (0..heads.len()).rev().find(is_certain).unwrap_or(0);
    let left = (0..last).filter(move |&n| !is_post[n] && Some(sections[n].level) == level && heads[n].link.is_some());
    left.map(|n| (sections[n].at, heads[n].title.chars().take(60).collect(), heads[n].is_named()))
}

/// Which headings are posts by their dates: where most of one level begin or end with one, as in a changelog. The date
/// goes into the head, and out of its title.
pub(super) fn dated(sections: &[Section<'_>], heads: &mut [Head], tz: Tz) -> Vec<bool> {
    let found: Vec<Option<(Published, String)>> = heads.iter().map(|head| dated_title(&head.title, tz)).collect();
    let count = |level: u8, is: &dyn Fn(usize) -> bool| {
        sections.iter().enumerate().filter(|(n, section)| section.level == level && is(*n)).count()
    };
    let is_list = |&level: &u8| {
        let with_date = count(level, &|n| found[n].is_some());
        with_date > 1 && with_date * 5 >= count(level, &|_| true) * 3
    };
    let level = (1..=4).find(is_list);
    let is_release = |n: usize| {
        let names = found[n].as_ref().is_some_and(|(_, title)| release::is_name(title));
        names && release::LEVELS.contains(&sections[n].level)
    };
    // Sections of releases may outnumber these on a level; where days or titles are posts, releases are of their texts.
    let at_level = |n: &usize| found[*n].is_some() && Some(sections[*n].level) == level;
    let (others, of_them) = (0..found.len())
        .filter(at_level)
        .fold((0, 0), |(all, releases), n| (all + 1, releases + usize::from(is_release(n))));
    let counts_releases = (0..found.len()).filter(|&n| is_release(n)).count() > 1 && of_them * 2 >= others;
    let is_post: Vec<bool> = (0..found.len()).map(|n| at_level(&n) || counts_releases && is_release(n)).collect();
    for (n, found) in found.into_iter().enumerate().filter(|(n, _)| is_post[*n]) {
        if let Some((published, title)) = found {
            (heads[n].published, heads[n].title) = (Some(published), title);
        }
    }
    is_post
}

/// The date at the start or end of a heading, and its title without it, or as it is where it is all.
fn dated_title(title: &str, tz: Tz) -> Option<(Published, String)> {
    if let Some(date::Seen::Whole(published)) = date::seen(title, tz) {
        return Some((published, title.trim().to_owned()));
    }
    let (seen, range) = date::find(title).filter(|(_, range)| range.end > 0)?;
    let date::Seen::Whole(published) = seen else { return None };
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '"' | '“' | '«' | '!' | '?' | '\'');
    let (before, after) = (&title[..range.start], &title[range.end..]);
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    match (letters(before), letters(after)) {
        (0, 1..) => Some((published, after.trim_matches(is_sign).to_owned())),
        (1.., 0) => Some((published, before.trim_matches(is_sign).to_owned())),
        // `1.2.0 - 2026-09-05 [YANKED]`: a release is called as it was before.
        (1.., 1..) if release::is_name(before) && release::is_note(after) => {
            Some((published, before.trim_matches(is_sign).to_owned()))
        }
        _ => None,
    }
}
