//! The line below a post's heading → the post's date, where that line is a byline.
//!
//! In: the page's sections. Out: dates, in the heads of posts that have none: `*September 5, 2026* · Ann Bee`,
//! `Posted on …`, in a quote or a list too, `<time datetime=…>`. The line stays in the post's text. What a byline is and
//! says is known to [`date::byline`], as for HTML. Deliberately absent: names of authors.

use super::inline::{Inline, attribute};
use super::outline::{Head, Section};
use crate::extract::date::{self, Seen, byline};
use crate::model::Published;
use chrono_tz::Tz;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// How much below a heading is looked at, in bytes.
const MAX: usize = 1_000;

/// Gives posts without a date that of the line below their headings.
pub(super) fn read(sections: &[Section<'_>], heads: &mut [Head], is_post: &[bool], page: &str, tz: Tz) {
    for (n, head) in heads.iter_mut().enumerate().filter(|(n, _)| is_post[*n]) {
        let is_dated = head.fields.as_ref().is_some_and(|fields| fields.published.is_some() || fields.ago.is_some());
        if is_dated || head.published.is_some() {
            continue;
        }
        let list = sections[n].lists.first().map(|(_, range)| range.start).filter(|_| head.fields.is_none());
        let Some(start) = list.or(sections[n].text_at) else { continue };
        let end = sections.get(n + 1).map_or(page.len(), |next| next.at);
        let below = &page[start..page.floor_char_boundary(end.min(start + MAX))];
        let line = first_line(below, tz).unwrap_or_default();
        match byline::plain(line.inline.text.trim(), tz) {
            Some(Seen::Whole(published)) => head.published = Some(line.marked.unwrap_or(published)),
            Some(_) => {}
            None => head.ago = byline::plain_ago(&line.inline.text),
        }
    }
}

/// A line in the making.
#[derive(Default)]
struct Line {
    inline: Inline,
    /// What `<time datetime=…>` says, which stands in the line for what that element shows.
    marked: Option<Published>,
    is_in_time: bool,
}

/// The first line with words of some Markdown; none where it is a heading or code, or goes on in the next.
fn first_line(markdown: &str, tz: Tz) -> Option<Line> {
    let mut line = Line::default();
    let mut events = Parser::new_ext(markdown, Options::empty());
    while let Some(event) = events.next() {
        let has_words = line.inline.text.contains(char::is_alphanumeric);
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. }) => return None,
            Event::SoftBreak if has_words => {
                let goes_on = matches!(events.next(), Some(Event::Text(text)) if text.starts_with(char::is_lowercase));
                return (!goes_on).then_some(line);
            }
            Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::HtmlBlock) if has_words => {
                return Some(line);
            }
            Event::InlineHtml(tag) => line.tag(&tag, tz),
            Event::Html(_) if has_words => return Some(line),
            Event::Html(source) => line.html(&source, tz),
            _ if line.is_in_time => {}
            event => line.inline.push(&event),
        }
    }
    None
}

impl Line {
    /// Takes a tag.
    fn tag(&mut self, tag: &str, tz: Tz) {
        if tag.starts_with("</time") {
            self.is_in_time = false;
        } else if let Some(published) = attribute(tag, "time", "datetime").and_then(|value| date::parse(&value, tz)) {
            self.is_in_time = true;
            self.marked.get_or_insert(published);
            self.inline.push(&Event::Text(published.day().to_string().into()));
        } else {
            self.inline.push(&Event::InlineHtml(tag.into()));
        }
    }

    /// Takes a line of a block of HTML.
    fn html(&mut self, source: &str, tz: Tz) {
        let mut rest = source;
        while let Some((text, behind)) = rest.split_once('<') {
            self.text(text);
            let end = behind.find('>').map_or(behind.len(), |end| end + 1);
            self.tag(&rest[text.len()..text.len() + 1 + end], tz);
            rest = &behind[end..];
        }
        self.text(rest);
    }

    fn text(&mut self, text: &str) {
        if !self.is_in_time {
            self.inline.push(&Event::Text(text.into()));
        }
    }
}
