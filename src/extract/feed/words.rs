//! Texts of a feed → plain text and HTML.
//!
//! In: a text, and what its format says that it is. Out: [`Text`] and [`Html`]. RSS titles are plain text by its
//! specification and HTML by habit, so both are read: markup that is meant as such goes, anything else in angle brackets
//! (`Vec<T>`, `<script>`) stays literal, and entities are decoded once.

use super::scan::decoded;
use crate::model::{Html, Text};
use url::Url;

/// Longest title that is looked at; a longer one is a text.
const MAX_TITLE: usize = 4096;

/// Most characters of a title that is made of a post's first words.
const MAX_MADE: usize = 80;

/// A text, by what it may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Words {
    /// Nothing was given.
    #[default]
    None,
    /// Plain text (Atom `text`, JSON Feed).
    Plain(String),
    /// HTML (Atom `html` and `xhtml`, RSS `description`).
    Html(String),
    /// A title of RSS.
    Loose(String),
}

impl Words {
    /// As one line of plain text.
    pub(super) fn line(&self) -> Text {
        match self {
            Self::None => Text::default(),
            Self::Plain(text) => Text::line(start(text)),
            Self::Loose(text) => Text::line(&decoded(&without_inline_tags(start(text)))),
            Self::Html(text) if !text.contains('<') => Text::line(&decoded(start(text))),
            Self::Html(text) => Text::line(Html::sanitised(text, None).text().as_str()),
        }
    }

    /// As HTML; `base` is what its links resolve against.
    pub(super) fn html(&self, base: Option<&Url>) -> Html {
        match self {
            Self::None => Html::default(),
            Self::Plain(text) => Html::escaped(&Text::paragraphs(text.split("\n\n"))),
            Self::Html(text) | Self::Loose(text) if text.contains('<') => Html::sanitised(text, base),
            Self::Html(text) | Self::Loose(text) => Html::escaped(&Text::line(&decoded(text))),
        }
    }
}

fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TITLE)]
}

/// The beginning of a post's text, for one without a title.
pub(super) fn first_words(text: &Text) -> Text {
    let first = text.as_str().split("\n\n").next().unwrap_or_default();
    let Some((end, _)) = first.char_indices().nth(MAX_MADE) else { return Text::line(first) };
    let words = first[..end].rsplit_once(' ').map_or(&first[..end], |(words, _)| words);
    Text::line(&format!("{}…", words.trim_end_matches([',', ';', ':', '.', ' '])))
}

/// Elements that only mark up words.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "small", "span",
    "strike", "strong", "sub", "sup", "tt", "u", "var",
];

/// A text without the tags of pairs that only mark up words, and without `<br>`.
fn without_inline_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find('>').map_or(0, |end| end + 1);
        let inside = rest[..end].trim_start_matches('<').trim_end_matches(['>', '/']);
        let name = inside.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        let known = INLINE.into_iter().find(|n| n.eq_ignore_ascii_case(name));
        let is_tag = match known {
            _ if name.eq_ignore_ascii_case("br") => {
                out.push(' ');
                true
            }
            Some(name) if inside.starts_with('/') => {
                let opened = open.iter().rposition(|n| *n == name);
                opened.map(|i| open.truncate(i)).is_some()
            }
            Some(name) if closes(&rest[end..], name) => {
                open.push(name);
                true
            }
            _ => false,
        };
        let len = if is_tag { end } else { 1 };
        if !is_tag {
            out.push('<');
        }
        rest = &rest[len..];
    }
    out + rest
}

/// Whether an element is closed in a text.
fn closes(text: &str, name: &str) -> bool {
    text.split("</").skip(1).any(|tag| {
        tag.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name))
            && tag[name.len()..].trim_start().starts_with('>')
    })
}

/// Somebody's name as feeds give it: `mail (Name)`, `Name <mail>`, `Name`. Mail addresses are nobody's name, and not
/// ours to publish.
pub(super) fn person(text: &str) -> String {
    let text = text.trim();
    let is_mail = |word: &str| word.find('@').is_some_and(|at| at > 0);
    if let Some((before, name)) = text.split_once('(')
        && is_mail(before)
        && let Some(name) = name.trim_end().strip_suffix(')')
        && !is_mail(name)
    {
        return name.trim().to_owned();
    }
    if !text.contains('@') {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_mail(word)).collect();
    words.join(" ").trim_matches([',', ';', '"', '(', ')', '<', '>', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_rss_loses_markup_and_keeps_code() {
        for (title, line) in [
            ("<b>Bold</b> and <EM class=\"x\">so</em> on", "Bold and so on"),
            ("Vec<T> and <script> and <b>", "Vec<T> and <script> and <b>"),
            ("<script>alert(1)</script>", "<script>alert(1)</script>"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("It&#8217;s Q&amp;A&nbsp;time &lt;T&gt;", "It’s Q&A time <T>"),
            ("one<br/>two <a href='/x'>three</a>", "one two three"),
            ("</b> <i>a</b></i>", "</b> a</b>"),
            ("<", "<"),
        ] {
            assert_eq!(Words::Loose(title.to_owned()).line().as_str(), line);
        }
    }

    #[test]
    fn a_name_is_no_mail_address() {
        for (text, name) in [
            ("ana@x.example (Ana Roe)", "Ana Roe"),
            ("Ana Roe <ana@x.example>", "Ana Roe"),
            ("Ana Roe, ana@x.example", "Ana Roe"),
            ("ana@x.example", ""),
            ("—ana@x.example", ""),
            ("ana@x.example—Ana", ""),
            ("Ana (Field Team)", "Ana (Field Team)"),
            ("@ana", "@ana"),
            ("", ""),
        ] {
            assert_eq!(person(text), name, "{text}");
        }
    }

    #[test]
    fn first_words_end_between_two() {
        let long = "word ".repeat(30);
        assert_eq!(first_words(&Text::line(&long)).as_str(), format!("{}…", "word ".repeat(16).trim_end()));
        assert_eq!(first_words(&Text::line(&"x".repeat(100))).as_str(), format!("{}…", "x".repeat(80)));
        assert_eq!(first_words(&Text::paragraphs(["One.", "Two."])).as_str(), "One.");
    }
}
