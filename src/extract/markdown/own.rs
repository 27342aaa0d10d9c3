//! A post's own page in Markdown → what it says.
//!
//! In: front matter, a title, a list of fields, a text. Out: the article that it names: in front matter, in a field, by a
//! link whose words say so, else the first link to another site in the head, which ends at the second heading or the
//! first long paragraph. The text is all but the title and the fields, with tables.

use super::fields::{Fields, Placed};
use super::front;
use super::inline::Inline;
use super::summary::Summary;
use crate::extract::date;
use crate::extract::link::Links;
use crate::extract::own::{Said, Whence, introduces_original, names_original};
use crate::model::{Html, OwnPage, Text, Wants};
use chrono_tz::Tz;
use pulldown_cmark::{Event, Options, Parser, Tag};
use url::Url;

/// Longest page that is read, in bytes; what follows is left out.
const MAX: usize = 1024 * 1024;

/// A paragraph longer than this is the text, in bytes.
const LONG: usize = 200;

/// Reads the page.
pub(in crate::extract) fn own(page: &str, whence: &Whence<'_>, tz: Tz, wants: Wants) -> Said {
    let page = &page[..page.floor_char_boundary(MAX)];
    let links = whence.links();
    let front = front::read(page);
    let mut walk = Walk {
        page,
        whence,
        links: &links,
        tz,
        place: Place::Title,
        said: OwnPage::default(),
        named: None,
        first: None,
        words: front.title.unwrap_or_default(),
        text: wants.content.then(Summary::of_article),
    };
    let mut block: Vec<Placed<'_>> = Vec::new();
    let mut depth = 0usize;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(&page[front.end..], options).into_offset_iter() {
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        block.push((event, range.start + front.end..range.end + front.end));
        if depth == 0 {
            walk.block(&block);
            block.clear();
        }
    }
    let front = front::texts(page);
    let text = walk.text.take().map(|mut text| {
        text.finish();
        if text.is_raw { Html::article(&text.html, links.base()) } else { Html::written(text.html) }
    });
    let mut said = walk.said;
    said.content = text.unwrap_or_default();
    said.original = of_front(&front, &links, whence).or(said.original).or(walk.named).or(walk.first);
    let words = |keys: &[&str]| front.iter().find(|(key, _)| keys.contains(&key.as_str())).map(|(_, texts)| texts);
    if let (true, Some(authors)) = (said.authors.is_empty(), words(&["author", "authors", "by"])) {
        said.authors = authors.iter().map(|name| Text::line(name)).filter(|name| !name.is_empty()).collect();
    }
    let dated = words(&["published", "date", "published_at", "pubdate", "published_time", "datepublished"]);
    said.published = dated.and_then(|texts| date::parse(texts.first()?.trim(), tz)).or(said.published);
    Said { page: said, words: walk.words }
}

/// The article that front matter names; of keys that often name the page itself another site's address only.
fn of_front(front: &[(String, Vec<String>)], links: &Links, whence: &Whence<'_>) -> Option<Url> {
    let certain = ["original", "original_url", "original-url", "original_link", "source", "source_url", "source-url"];
    let vague = ["canonical", "canonical_url", "canonical-url", "external_url", "link", "url"];
    let find = |keys: &[&str], may_be: &dyn Fn(&Url) -> bool| {
        let texts = front.iter().filter(|(key, _)| keys.contains(&key.as_str())).flat_map(|(_, texts)| texts);
        texts.filter(|text| text.contains("://")).filter_map(|text| links.web(text.trim())).find(|url| may_be(url))
    };
    find(&certain, &|url| whence.may_be(url)).or_else(|| find(&vague, &|url| whence.is_outside(url)))
}

/// Which part of the page the walk is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the title.
    Title,
    /// Between the title and the text.
    Head,
    Text,
}

struct Walk<'a> {
    page: &'a str,
    whence: &'a Whence<'a>,
    links: &'a Links,
    tz: Tz,
    place: Place,
    said: OwnPage,
    /// What the words of a link name.
    named: Option<Url>,
    /// The first link of the head to another site.
    first: Option<Url>,
    words: String,
    text: Option<Summary>,
}

impl Walk<'_> {
    /// Takes a block of the page.
    fn block(&mut self, block: &[Placed<'_>]) {
        let mut inline = Inline::default();
        for (event, _) in block {
            match event {
                // What stands before a link counts to the start of its line.
                Event::SoftBreak | Event::HardBreak => inline.push(&Event::Text("\n".into())),
                event => inline.push(event),
            }
        }
        self.words.push(' ');
        self.words.push_str(&inline.text);
        let is_title = matches!(&block[0].0, Event::Start(Tag::Heading { .. })) && self.place == Place::Title;
        match &block[0].0 {
            Event::Start(Tag::Heading { .. }) if is_title => self.place = Place::Head,
            Event::Start(Tag::Heading { .. }) => self.place = Place::Text,
            Event::Start(Tag::List(None)) if self.place == Place::Head && self.fields(block) => return,
            _ => {}
        }
        self.look(&inline);
        if matches!(&block[0].0, Event::Start(Tag::Paragraph)) && inline.text.len() > LONG {
            self.place = Place::Text;
        }
        if let (Some(text), false) = (&mut self.text, is_title) {
            for (event, _) in block {
                text.push(event, self.links);
            }
        }
    }

    /// Takes a list of fields; whether it is one.
    fn fields(&mut self, block: &[Placed<'_>]) -> bool {
        let Some(fields) = Fields::read(block, self.page, self.links, self.tz) else { return false };
        if let Some(text) = &mut self.text {
            for range in &fields.rest {
                for (event, _) in &block[range.clone()] {
                    text.push(event, self.links);
                }
                text.end_paragraph();
            }
            text.finish();
        }
        self.said.original = self.said.original.take().or(fields.original.filter(|url| self.whence.may_be(url)));
        self.said.published = self.said.published.or(fields.published);
        if self.said.authors.is_empty() {
            self.said.authors = fields.authors;
        }
        true
    }

    /// Looks for the article among a block's links.
    fn look(&mut self, inline: &Inline) {
        for link in &inline.links {
            let Some(url) = self.links.web(&link.destination) else { continue };
            let (before, words) = (&inline.text[..link.range.start], &inline.text[link.range.clone()]);
            let is_named = names_original(words) || introduces_original(before);
            if self.named.is_none() && is_named && self.whence.is_outside(&url) {
                self.named = Some(url.clone());
            }
            let is_person = before.trim_end().to_lowercase().ends_with("by") || before.trim_end().ends_with(':');
            if self.first.is_none() && self.place != Place::Text && !is_person && self.whence.is_outside(&url) {
                self.first = Some(url);
            }
        }
    }
}
