//! Where a feed goes on: `rel=next` of a paged feed (RFC 5005 §3), in RSS as an Atom link, and JSON Feed's `next_url`.

use super::scan::{Scan, Token};
use super::space::local;
use crate::extract::link::Links;
use crate::extract::next::Hint;
use crate::model::Body;
use serde::Deserialize;

/// What it names; archives (`prev-archive`) are no pages of a list.
pub(in crate::extract) fn hints(text: &str, body: &Body) -> Vec<Hint> {
    #[derive(Deserialize)]
    struct Json {
        next_url: Option<String>,
    }
    let address = if text.trim_start().starts_with(['{', '[']) {
        serde_json::from_str::<Json>(text).ok().and_then(|json| json.next_url)
    } else {
        linked(text)
    };
    let url = address.and_then(|address| Links::at(&body.address).web(address.trim()));
    url.map(|url| Hint { url, is_marked: true, words: String::new() }).into_iter().collect()
}

fn linked(text: &str) -> Option<String> {
    for token in (Scan { text, at: 0 }) {
        if let Token::Open(tag) = token
            && local(tag.name).eq_ignore_ascii_case("link")
            && tag
                .attribute("rel")
                .is_some_and(|rel| rel.split_whitespace().any(|word| word.eq_ignore_ascii_case("next")))
        {
            return tag.attribute("href").map(std::borrow::Cow::into_owned);
        }
    }
    None
}
