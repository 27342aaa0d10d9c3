//! Some of a feed's posts: `?limit=10`, `?filter=TPU|GPU`, `?filterout=sponsored`, as users of `RSSHub` know them.
//!
//! In: a query, and a document as `render` writes it. Out: the same document with fewer posts. `filter` and `filterout`
//! are regular expressions searched in the title and the text of a post, whatever the case; `filterout` wins; `limit`
//! counts what is left. The expression is bounded in length and size, and takes time in proportion to the text.
//! Everything else in a query is none of ours. Known gap: documents of another writer are answered whole.

use crate::model::Format;
use memchr::memmem;
use percent_encoding::percent_decode_str;
use quick_xml::escape::unescape;
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The longest expression, in bytes.
const MAX_PATTERN: usize = 256;
/// The most memory that one may take when it is compiled, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Which posts are wanted.
#[derive(Debug, Default)]
pub(super) struct Selection {
    limit: Option<usize>,
    filter: Option<Regex>,
    filterout: Option<Regex>,
}

impl Selection {
    /// What a query asks for; none where it asks for no selection.
    ///
    /// # Errors
    /// A sentence about a value that cannot be understood.
    pub(super) fn of(query: &str) -> Result<Option<Self>, String> {
        let mut selection = Self::default();
        for part in query.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = percent_decode_str(&value.replace('+', " ")).decode_utf8_lossy().into_owned();
            match name {
                "limit" if !value.is_empty() => {
                    let limit = value.parse().map_err(|_| format!("`limit` is a number, not `{value}`"))?;
                    selection.limit = Some(limit);
                }
                "filter" if !value.is_empty() => selection.filter = Some(expression(name, &value)?),
                "filterout" if !value.is_empty() => selection.filterout = Some(expression(name, &value)?),
                _ => {}
            }
        }
        let Self { limit, filter, filterout } = &selection;
        let any = limit.is_some() || filter.is_some() || filterout.is_some();
        Ok(any.then_some(selection))
    }

    /// A document with only the posts that are wanted, by its path's ending.
    pub(super) fn cut(&self, ending: &str, bytes: &[u8]) -> Vec<u8> {
        let Some(format) = Format::of_ending(ending) else { return bytes.to_vec() };
        let limit = self.limit.unwrap_or(usize::MAX);
        let posts = format.entries(bytes);
        let kept = posts.iter().map(|post| &bytes[post.clone()]).filter(|post| self.wants(post, format)).take(limit);
        with_only(bytes, &posts, &kept.collect::<Vec<_>>())
    }

    fn wants(&self, post: &[u8], format: Format) -> bool {
        if self.filter.is_none() && self.filterout.is_none() {
            return true;
        }
        let post = String::from_utf8_lossy(post);
        let texts: Vec<Cow<'_, str>> = texts(format)
            .iter()
            .filter_map(|(start, end)| {
                let text = post.split_once(start)?.1.split_once(end)?.0;
                Some(if format == Format::Json { json(text) } else { xml(text) })
            })
            .collect();
        let found = |regex: &Regex| texts.iter().any(|text| regex.is_match(text));
        self.filter.as_ref().is_none_or(found) && !self.filterout.as_ref().is_some_and(found)
    }
}

/// The document with those posts alone that another version of it has not word for word; none where there are none, and
/// where the other says before its posts that it is of another address, or has none that could be told.
pub(super) fn unknown(ending: &str, address: &str, earlier: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let format = Format::of_ending(ending)?;
    let known = format.entries(earlier);
    memmem::find(&earlier[..known.first()?.start], address.as_bytes())?;
    let known: HashSet<&[u8]> = known.into_iter().map(|post| &earlier[post]).collect();
    let posts = format.entries(bytes);
    let kept: Vec<&[u8]> = posts.iter().map(|post| &bytes[post.clone()]).filter(|post| !known.contains(post)).collect();
    (!kept.is_empty()).then(|| with_only(bytes, &posts, &kept))
}

/// A document with some of its posts.
fn with_only(bytes: &[u8], posts: &[Range<usize>], kept: &[&[u8]]) -> Vec<u8> {
    let (Some(first), Some(last)) = (posts.first(), posts.last()) else { return bytes.to_vec() };
    // What stands between two posts is the same between all.
    let between = posts.get(1).map_or(&b""[..], |second| &bytes[first.end..second.start]);
    [&bytes[..first.start], &kept.join(between), &bytes[last.end..]].concat()
}

fn expression(name: &str, pattern: &str) -> Result<Regex, String> {
    if pattern.len() > MAX_PATTERN {
        return Err(format!("`{name}` is longer than {MAX_PATTERN} bytes"));
    }
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_COMPILED).nest_limit(32).build();
    built.map_err(|error| {
        let why = error.to_string();
        format!("`{name}` is no regular expression: {}", why.lines().last().unwrap_or_default())
    })
}

/// Between what the title and the texts of a post stand.
fn texts(format: Format) -> &'static [(&'static str, &'static str)] {
    match format {
        Format::Atom | Format::Rss => &[
            ("<title", "</title>"),
            ("<summary", "</summary>"),
            ("<content", "</content>"),
            ("<description>", "</description>"),
            ("<content:encoded>", "</content:encoded>"),
        ],
        Format::Json => &[("\"title\": \"", "\",\n"), ("\"content_html\": \"", "\",\n")],
    }
}

/// The text of an element: what stands behind its attributes, unescaped; twice, since HTML is escaped in it.
fn xml(text: &str) -> Cow<'_, str> {
    let text = text.split_once('>').filter(|(tag, _)| !tag.contains('&')).map_or(text, |(_, text)| text);
    let once = unescape(text).unwrap_or(Cow::Borrowed(text));
    match unescape(&once).map(Cow::into_owned) {
        Ok(twice) => Cow::Owned(twice),
        Err(_) => once,
    }
}

fn json(text: &str) -> Cow<'_, str> {
    let text: String = serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.to_owned());
    Cow::Owned(unescape(&text).map(Cow::into_owned).unwrap_or(text))
}
