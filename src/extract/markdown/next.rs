//! The links of a Markdown page that may lead to the next page of its list.

use super::inline::Inline;
use crate::extract::link::Links;
use crate::extract::next::Hint;
use crate::model::Body;
use pulldown_cmark::{Options, Parser};

/// Most links that are looked at.
const MAX: usize = 6_000;

/// Every link, with its words.
pub(in crate::extract) fn hints(text: &str, body: &Body) -> Vec<Hint> {
    let links = Links::at(&body.address);
    let mut inline = Inline::default();
    for event in Parser::new_ext(text, Options::empty()) {
        inline.push(&event);
        if inline.links.len() > MAX {
            break;
        }
    }
    let hint = |link: &super::inline::Linked| {
        let words = inline.text.get(link.range.clone()).unwrap_or_default().to_owned();
        Some(Hint { url: links.web(&link.destination)?, is_marked: false, words })
    };
    inline.links.iter().filter_map(hint).collect()
}
