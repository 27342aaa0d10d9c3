//! Elements that stand on lines of their own, and what becomes of those that no text may hold.
//!
//! In: HTML as a serialiser writes it. Out: the same with each such element's tags gone, and a `<br>`, or in a row of a
//! table a space, where words would run together without them. Follows the default styles of the HTML standard (§15.3).
//! Deliberately absent: parsing; whoever calls has well-nested HTML with quoted attributes.

use std::borrow::Cow;

/// What sets an element apart from what stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// As cells of a row, and buttons.
    Space,
    /// As paragraphs.
    Line,
}

/// Elements on lines of their own that a summary may not hold; some of them a whole article may.
pub(crate) const BOXES: [&str; 31] = [
    "address", "article", "aside", "button", "caption", "center", "details", "dialog", "dir", "div", "fieldset",
    "footer", "form", "h1", "h2", "header", "hgroup", "legend", "main", "menu", "nav", "search", "section", "summary",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr",
];

/// What sets an element of some name apart; none for one within a line.
pub(crate) fn gap(name: &str) -> Option<Gap> {
    match name {
        "td" | "th" | "button" => Some(Gap::Space),
        "p" | "li" | "blockquote" | "pre" | "br" | "h3" | "h4" | "h5" | "h6" | "dd" | "dt" | "ul" | "ol" | "dl"
        | "hr" | "figure" | "figcaption" => Some(Gap::Line),
        name => BOXES.contains(&name).then_some(Gap::Line),
    }
}

/// HTML without the tags of elements on lines of their own that are not kept.
pub(crate) fn unboxed(html: &str, is_kept: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let goes = |tag: &str| gap(name(tag)).is_some() && !is_kept(name(tag));
    if !memchr::memchr_iter(b'<', html.as_bytes()).any(|at| goes(&html[at..])) {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut pending = None;
    let mut behind_words = false;
    let mut rest = html;
    loop {
        let (words, tags) = rest.split_at(memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len()));
        let (tag, after) = tags.split_at(length(tags));
        let shows = |what: &str| !what.trim().is_empty();
        if shows(words) {
            part(&mut out, words, pending.take().filter(|_| behind_words));
            behind_words = true;
        }
        out.push_str(words);
        match gap(name(tag)) {
            own @ Some(_) if !is_kept(name(tag)) => pending = pending.max(own),
            Some(_) => {
                (pending, behind_words) = (None, false);
                out.push_str(tag);
            }
            None => {
                if name(tag) == "img" {
                    part(&mut out, "", pending.take().filter(|_| behind_words));
                    behind_words = true;
                }
                out.push_str(tag);
            }
        }
        if after.is_empty() {
            return Cow::Owned(out);
        }
        rest = after;
    }
}

/// Sets words apart from what stands before them.
fn part(out: &mut String, words: &str, gap: Option<Gap>) {
    match gap {
        Some(Gap::Line) => out.push_str("<br>"),
        Some(Gap::Space) if !out.ends_with(char::is_whitespace) && !words.starts_with(char::is_whitespace) => {
            out.push(' ');
        }
        _ => {}
    }
}

/// The name of the tag that a text begins with.
fn name(tag: &str) -> &str {
    let tag = tag.strip_prefix('<').unwrap_or_default();
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    &tag[..tag.bytes().take_while(u8::is_ascii_alphanumeric).count()]
}

/// How long the tag is that a text begins with. A `>` may stand in an attribute.
fn length(tags: &str) -> usize {
    let mut is_quoted = false;
    let end = tags.bytes().position(|b| {
        is_quoted ^= b == b'"';
        b == b'>' && !is_quoted
    });
    end.map_or(tags.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_two_lines_do_not_run_together() {
        let kept = |name: &str| ["p", "br", "li", "ul"].contains(&name);
        for (html, expected) in [
            ("<div>One</div><div>Two</div>", "One<br>Two"),
            ("<div>One</div>\n<div>Two</div>", "One\n<br>Two"),
            ("<div><p>One</p></div><div><p>Two</p></div>", "<p>One</p><p>Two</p>"),
            ("<em><div>One</div></em>Two", "<em>One</em><br>Two"),
            ("<table><tr><td>One</td><td>Two</td></tr><tr><td>Three</td></tr></table>", "One Two<br>Three"),
            ("One<div title=\"a>b\"><img src=\"x\"></div>", "One<br><img src=\"x\">"),
            ("<p>One<br></p><div>Two</div>", "<p>One<br></p>Two"),
            ("<p>One <em>two</em></p>", "<p>One <em>two</em></p>"),
        ] {
            assert_eq!(unboxed(html, kept), expected, "{html}");
        }
    }
}
