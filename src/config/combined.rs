//! `[[feed]]` → a combined feed.
//!
//! In: its table. Out: what it chooses, and the topics that it names, each with its place, since whether they are there
//! is known when all seeds are read. Companies and types are taken as they come: the state alone knows those that
//! pages bring, and may not yet.

use super::section::{Section, Value};
use super::{seeds, value};
use crate::model::{Combined, Slug, Text};

/// What one table says; none without a slug, which is noted.
pub(super) fn combined<'a>(s: &Section<'a>) -> Option<(Combined, Vec<(Slug, Value<'a>)>)> {
    let title = s.read("title", value::line);
    let slug = seeds::slug_of(s, title.as_ref(), "chips");
    let named: Vec<(Slug, Value<'a>)> = placed(s, "topics");
    let slugs = |key| placed(s, key).into_iter().map(|(slug, _)| slug).collect();
    let (former, companies, types) = (slugs("former"), slugs("companies"), slugs("types"));
    let (topics, filter) = (named.iter().map(|(slug, _)| slug.clone()).collect(), seeds::filter(s));
    let slug = slug?;
    let title = title.unwrap_or_else(|| Text::line(slug.as_str()));
    Some((Combined { slug, title, former, topics, companies, types, filter }, named))
}

/// The slugs of a list, each with its place.
fn placed<'a>(s: &Section<'a>, key: &'a str) -> Vec<(Slug, Value<'a>)> {
    let values = s.list(key).unwrap_or_default();
    values.into_iter().filter_map(|value| Some((value.take(value::slug)?, value))).collect()
}
