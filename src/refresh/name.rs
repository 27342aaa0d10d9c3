//! Which pages a name means, as people type it.

use crate::model::{Address, Settings, Slug};
use std::path::Path;
use url::Url;

/// In front of a company's slug.
pub(super) const COMPANY: &str = "company:";
/// In front of a combined feed's slug.
pub(super) const COMBINED: &str = "feed:";

/// Whether a page may bring posts to a combined feed.
pub(super) fn feeds(settings: &Settings, page: usize, combined: &str) -> bool {
    let topics = |&topic: &usize| settings.topics.get(topic).map(|topic| &topic.slug);
    let brings = |topics_of: &[Slug]| {
        topics_of.is_empty() || settings.pages[page].topics.iter().filter_map(topics).any(|t| topics_of.contains(t))
    };
    settings.combined.iter().any(|feed| feed.slug.as_str() == combined && brings(&feed.topics))
}

/// Whether a name means a page: one of its topics, its address, or its path.
pub(super) fn means(settings: &Settings, page: usize, name: &str) -> bool {
    let page = &settings.pages[page];
    let topics = || page.topics.iter().filter_map(|&t| settings.topics.get(t));
    let file = || page.address.file().zip(Path::new(name).canonicalize().ok());
    topics().any(|t| t.slug.as_str() == name || t.former.iter().any(|s| s.as_str() == name))
        || Url::parse(name).is_ok_and(|url| page.address == Address::new(url))
        || page.address.to_string() == name
        || file().is_some_and(|(page, given)| page.canonicalize().is_ok_and(|p| p == given))
}

/// A sentence about a name that means nothing, with the topic that it may stand for.
pub(super) fn unknown(settings: &Settings, name: &str) -> String {
    let near = settings
        .topics
        .iter()
        .map(|t| &t.slug)
        .map(|slug| (strsim::damerau_levenshtein(slug.as_str(), name), slug))
        .filter(|(distance, slug)| *distance <= slug.as_str().len().div_ceil(3))
        .min();
    let hint = near.map(|(_, slug): (usize, &Slug)| format!("; did you mean `{slug}`?")).unwrap_or_default();
    format!("`{name}` is no topic, page or company here{hint} (`pagewire status` lists the pages)")
}
