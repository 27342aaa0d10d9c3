//! A post's own page → what it adds to what the list says of the post.
//!
//! In: the page as it came, and the post. Out: the article that it summarises, authors, date, text: an [`OwnPage`].
//! Pure, as all of `extract`. A page that does not have the post's title is another one (a challenge, a login, a home
//! page), whatever its status; nothing is taken from it. No rule is of one site: what names the article is front matter,
//! a field, a link whose words say so, or what HTML, microformats and schema.org have for it.
//!
//! Deliberately absent: readings of its own of what an article's page says otherwise (tags, pictures, related posts).

use super::link::Links;
use super::{decode, html, kind, markdown};
use crate::model::{Body, ErrorKind, Failure, Key, Kind, Own, OwnPage, Wants, fold};
use chrono_tz::Tz;
use std::collections::HashSet;
use url::Url;

/// So much of a page's words is compared with the title, in bytes.
const MAX_WORDS: usize = 256 * 1024;

/// Longest words that name a link, in bytes.
const MAX_LABEL: usize = 60;

/// What a page says, and its words.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) page: OwnPage,
    pub(super) words: String,
}

/// Reads a post's own page.
///
/// # Errors
/// `not-a-topic-page` where it is not the page of this post, `empty` where there is nothing.
pub fn own(body: &Body, own: &Own, wants: Wants, tz: Tz) -> Result<OwnPage, Failure> {
    let text = decode::text(&body.bytes, body.media_type.as_deref());
    if text.trim().is_empty() {
        return Err(Failure::new(ErrorKind::Empty, "the post's own page is empty"));
    }
    let whence = Whence { link: &own.link, at: &body.address };
    if whence.is_home() {
        return Err(no_page(&format!("the post's own page leads to `{}`, which is not it", body.address)));
    }
    let Said { mut page, words } = match kind(&text, body.media_type.as_deref()) {
        Kind::Feed => return Err(no_page("the post's own page is a feed")),
        Kind::Markdown => markdown::own(&text, &whence, tz, wants),
        Kind::Html => html::own(&text, &whence, tz, wants)?,
    };
    if !is_about(own.title.as_str(), &words[..words.floor_char_boundary(MAX_WORDS)]) {
        return Err(no_page(&format!(
            "the post's own page does not have the words of its title, `{}`: a challenge, a login, or another page",
            own.title
        )));
    }
    // An address that only leads elsewhere is no summary: the article is where it leads.
    let led = || Some(body.address.clone()).filter(|_| whence.is_led());
    page.original = page.original.or_else(led).filter(|url| whence.may_be(url));
    page.authors.truncate(20);
    Ok(page)
}

fn no_page(why: &str) -> Failure {
    Failure::new(ErrorKind::NotATopicPage, why)
}

/// Where a post's own page was looked for, and where it was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whence<'a> {
    link: &'a Url,
    at: &'a Url,
}

impl Whence<'_> {
    /// How its links resolve.
    pub(super) fn links(&self) -> Links {
        Links::at(self.at)
    }

    /// Where the page was found.
    pub(super) fn at(&self) -> &Url {
        self.at
    }

    /// Whether the page leads to a home page, which many posts share.
    fn is_home(&self) -> bool {
        Key::of(self.at).is_bare_host() && !Key::of(self.link).is_bare_host()
    }

    /// Whether an address can be the article's: it is no host alone, and not this page's.
    pub(super) fn may_be(&self, url: &Url) -> bool {
        let key = Key::of(url).bare();
        !key.is_bare_host() && key != Key::of(self.link).bare() && (key != Key::of(self.at).bare() || self.is_led())
    }

    /// Whether an address is on another site than the page, and can be the article's.
    pub(super) fn is_outside(&self, url: &Url) -> bool {
        is_other_site(url, self.link) && is_other_site(url, self.at) && self.may_be(url)
    }

    /// Whether the link only leads to another site: not to another host of the same, as for telephones.
    fn is_led(&self) -> bool {
        domain(self.at) != domain(self.link)
    }

    /// Whether an address is of the page itself.
    pub(super) fn is_own(&self, key: &str) -> bool {
        [self.link, self.at].into_iter().any(|url| Key::of(url).bare().as_str() == key)
    }
}

/// The registrable domain of an address, or its host where that has none.
fn domain(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(psl::domain_str(host).filter(|_| url.domain().is_some()).unwrap_or(host))
}

fn is_other_site(one: &Url, other: &Url) -> bool {
    let host = |url: &Url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned());
    host(one) != host(other)
}

/// Whether a page has at least half of a title's words.
fn is_about(title: &str, words: &str) -> bool {
    let (title, page) = (tokens(title), tokens(words));
    let title: HashSet<String> = title.into_iter().collect();
    let page: HashSet<String> = page.into_iter().collect();
    title.is_empty() || title.intersection(&page).count() * 2 >= title.len()
}

/// The words of a text; of writing without spaces each two neighbours.
fn tokens(text: &str) -> Vec<String> {
    let text = fold(text).to_lowercase();
    let mut tokens = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let is_unspaced = |c: char| matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        if word.contains(is_unspaced) {
            let chars: Vec<char> = word.chars().collect();
            tokens.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            tokens.push(word.to_owned());
        }
    }
    tokens
}

/// Words that alone name the article, in lower case.
const NAMES: [&str; 31] = [
    "original",
    "the original",
    "original article",
    "original post",
    "original blog post",
    "original story",
    "original source",
    "original link",
    "original url",
    "original announcement",
    "article original",
    "article source",
    "source",
    "source article",
    "source link",
    "source url",
    "full post",
    "full article",
    "full story",
    "full text",
    "quelle",
    "originalartikel",
    "originalbeitrag",
    "zum original",
    "fuente",
    "fonte",
    "оригинал",
    "источник",
    "原文",
    "出典",
    "원문",
];

/// Words with which links to the article begin, in lower case.
const BEGINNINGS: [&str; 21] = [
    "read the original",
    "read original",
    "view the original",
    "view original",
    "see the original",
    "see original",
    "go to the original",
    "go to original",
    "open the original",
    "open original",
    "visit the original",
    "read the full",
    "read full",
    "read the article",
    "read the post",
    "originally published",
    "originally posted",
    "originally appeared",
    "lire l'original",
    "lire l'article",
    "leer el original",
];

/// Whether the words of a link say that it leads to the article.
pub(super) fn names_original(words: &str) -> bool {
    let words = fold(words.trim()).to_lowercase();
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    words.len() <= MAX_LABEL && (NAMES.contains(&words) || BEGINNINGS.iter().any(|b| begins(words, b)))
}

/// Whether what stands before a link says so: `Source:`, `Originally published at`.
pub(super) fn introduces_original(before: &str) -> bool {
    // Folding makes a line's end a space.
    let before = before.trim_end().rsplit('\n').next().unwrap_or_default();
    let before = fold(before).to_lowercase();
    let line = before.rsplit(['.', '!', '?', ';', '|', '•', '·', '—']).next().unwrap_or_default();
    let line = line.rsplit_once(" - ").map_or(line, |(_, last)| last).trim();
    if let Some(label) = line.strip_suffix([':', '：', '→']) {
        let last = label.rsplit_once(": ").map_or(label, |(_, last)| last);
        return names_original(last) || names_original(label);
    }
    line.strip_suffix("at").or(line.strip_suffix("on")).or(line.strip_suffix("in")).is_some_and(|line| {
        ["originally published ", "originally posted ", "originally appeared "].iter().any(|end| line.ends_with(end))
    })
}

/// Whether some words begin with others, and go on with a new word.
fn begins(words: &str, with: &str) -> bool {
    words.strip_prefix(with).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_about_a_title_that_it_has() {
        assert!(is_about("Reproducing OLMo 3 — a case study", "Reproducing OLMo 3: a case study in five parts"));
        assert!(is_about("日本語の題名です", "これは日本語の題名です。"));
        assert!(!is_about("Expanding our use of TPUs", "Just a moment... Checking your browser before you go on"));
        assert!(!is_about("日本語の題名です", "Just a moment..."));
        assert!(is_about("—", "anything"), "a title without words tells nothing");
    }

    #[test]
    fn links_to_the_article_are_known_by_their_words() {
        for yes in [
            "Original",
            "Read the original →",
            "Source",
            "View original article",
            "Read the full post on x.example",
            "Quelle",
        ] {
            assert!(names_original(yes), "{yes}");
        }
        for no in ["Source code", "Originals", "Read more", "Read the fuller", "Resources", "Company", ""] {
            assert!(!names_original(no), "{no}");
        }
        for yes in [
            "Source:",
            "It ends here. Original article: ",
            "By Ann | Source：",
            "This was originally published at",
            "Sep 3, 2026 · Original:",
        ] {
            assert!(introduces_original(yes), "{yes}");
        }
        for no in ["Company:", "the source", "Resources:", "look at", ""] {
            assert!(!introduces_original(no), "{no}");
        }
    }

    #[test]
    fn the_article_is_elsewhere_and_no_host_alone() {
        let url = |s: &str| Url::parse(s).unwrap();
        let (link, at) = (url("https://sum.example/post/a.md"), url("https://www.sum.example/post/a"));
        let whence = Whence { link: &link, at: &at };
        assert!(whence.is_outside(&url("https://lab.example/blog/a")));
        for no in ["https://lab.example/", "https://sum.example/post/b", "https://sum.example/post/a.html"] {
            assert!(!whence.is_outside(&url(no)), "{no}");
        }
        assert!(whence.may_be(&url("https://sum.example/archive/a")), "where the page says so in as many words");
        assert!(!whence.may_be(&url("https://sum.example/post/a/")));
    }
}
