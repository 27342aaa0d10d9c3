//! Where a list goes on: the address of its next page, as a page names it.
//!
//! In: a page. Out: the next one, on the same host: `rel=next` of a link or an anchor, in a feed too (RFC 5005 §3, JSON
//! Feed's `next_url`); else a link whose words say "next" or "older"; else a link to this list's page with the number
//! that follows (`?page=2`, `/page/2/`). Pure, as all of `extract`. Deliberately absent: what only scripts would load.

use super::{decode, feed, html, kind, markdown};
use crate::model::{Body, Kind, PageSettings, fold};
use url::Url;

/// A link of a page: where it leads, and what says so.
#[derive(Debug, Clone)]
pub(super) struct Hint {
    pub(super) url: Url,
    /// Whether it is marked with `rel=next`.
    pub(super) is_marked: bool,
    /// Its words.
    pub(super) words: String,
}

/// The next page of the list that a body is a page of.
pub fn next(body: &Body, settings: &PageSettings) -> Option<Url> {
    let text = decode::text(&body.bytes, body.media_type.as_deref());
    let hints = match kind(&text, body.media_type.as_deref()) {
        Kind::Markdown => markdown::hints(&text, body),
        Kind::Html => html::hints(&text, body, settings),
        Kind::Feed => feed::hints(&text, body),
    };
    choose(&hints, &body.address)
}

/// Whether an address can be another page of the list at one: on the same host, and not that page.
pub fn may_go_on(url: &Url, at: &Url) -> bool {
    let bare = |url: &Url| {
        let mut url = url.clone();
        url.set_fragment(None);
        url
    };
    let host = |url: &Url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned());
    let is_web = matches!(url.scheme(), "http" | "https");
    is_web && host(url) == host(at) && url.port() == at.port() && bare(url) != bare(at)
}

fn choose(hints: &[Hint], at: &Url) -> Option<Url> {
    let may = || hints.iter().filter(|hint| may_go_on(&hint.url, at));
    let marked = || may().find(|hint| hint.is_marked);
    let said = || may().find(|hint| says_next(&hint.words));
    let (list, number) = place(at);
    let numbered = || may().find(|hint| place(&hint.url) == (list.clone(), number + 1));
    marked().or_else(said).or_else(numbered).map(|hint| hint.url.clone())
}

/// Words of links that lead on, in lower case.
#[rustfmt::skip]
const WORDS: [&str; 26] = [
    "next", "next page", "go to next page", "older", "older posts", "older post", "older entries", "older articles",
    "older stories", "more posts", "load more", "nächste", "nächste seite", "weiter", "ältere beiträge",
    "ältere artikel", "suivant", "page suivante", "articles plus anciens", "siguiente", "página siguiente", "próxima",
    "successivo", "次へ", "下一页", "다음",
];

fn says_next(words: &str) -> bool {
    let words = fold(words.trim()).to_lowercase();
    WORDS.contains(&words.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Which list an address is a page of, and the page's number.
fn place(url: &Url) -> (String, u32) {
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() < 6 && !text.starts_with('+'));
    let names = ["page", "paged", "pg", "p", "pagina", "seite"];
    let mut path: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    let mut found = None;
    if let [.., word, last] = path[..]
        && ["page", "pages", "p", "seite", "pagina"].contains(&word)
        && let Some(n) = number(last)
    {
        found = Some(n);
        path.truncate(path.len() - 2);
    }
    let mut rest = Vec::new();
    for (name, value) in url.query_pairs() {
        match number(&value).filter(|_| found.is_none() && names.contains(&&*name)) {
            Some(n) => found = Some(n),
            None => rest.push(format!("{name}={value}")),
        }
    }
    (format!("{}?{}", path.join("/"), rest.join("&")), found.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(at: &str, links: &[(&str, bool, &str)]) -> Option<String> {
        let at = Url::parse(at).unwrap();
        let hint = |&(href, is_marked, words): &(&str, bool, &str)| Hint {
            url: at.join(href).unwrap(),
            is_marked,
            words: words.to_owned(),
        };
        choose(&links.iter().map(hint).collect::<Vec<_>>(), &at).map(String::from)
    }

    #[test]
    fn a_list_goes_on_where_it_says_so() {
        let list = "https://x.example/blog/";
        let on = Some("https://x.example/blog/page/2/".to_owned());
        assert_eq!(chosen(list, &[("/blog/a", false, "A"), ("page/2/", true, "")]), on);
        assert_eq!(chosen(list, &[("page/3/", false, "3"), ("page/2/", false, "Older posts →")]), on);
        assert_eq!(chosen(list, &[("page/3/", false, "3"), ("page/2/", false, "2")]), on);
        assert_eq!(
            chosen("https://x.example/blog/page/2", &[("/blog", false, "1"), ("3", false, "3")]).as_deref(),
            Some("https://x.example/blog/page/3")
        );
        assert_eq!(
            chosen("https://x.example/?tag=a&page=2", &[("?page=3", false, "3"), ("?tag=a&page=3", false, "3")])
                .as_deref(),
            Some("https://x.example/?tag=a&page=3")
        );
        for no in [
            ("https://y.example/blog/page/2/", true, "next"),
            ("#", true, "next"),
            ("/tags/page/2", false, "2"),
            ("/blog/next-chip", false, "The next chip"),
        ] {
            assert_eq!(chosen(list, &[no]), None, "{no:?}");
        }
    }
}
