//! A changed topic → what its hooks are told.
//!
//! In: a feed and what hooks heard of it before. Out: an errand a hook, each with a JSON object: what changed, and which
//! posts are new or edited since, none where only something left. Its id is made of what changed, so that the same
//! change told twice is known as one.

use crate::model::{Entry, FeedKey, Heard, Hook, Purpose, Settings, Site, Text};
use crate::store::Issue;
use serde_json::{Value, json};
use uuid::Uuid;

/// As many posts as are told at most: who wants more reads the feed.
const MOST: usize = 50;

/// What waits to be sent: purpose, event, hook, body.
type Waiting = (Purpose, String, String, String);

/// What waits to be sent to hooks about a topic's feed, and what these have heard then.
pub(super) fn errands(settings: &Settings, issue: &Issue) -> (Vec<Waiting>, Option<Heard>) {
    let feed = &issue.feed;
    let FeedKey::Topic(slug) = &feed.key else { return (Vec::new(), None) };
    let hooks: Vec<String> = settings.hooks.iter().filter(|hook| hook.wants(slug)).map(Hook::name).collect();
    if hooks.is_empty() {
        return (Vec::new(), None);
    }
    // Who is told for the first time of a feed that was there before knows it by its files.
    let there = issue.files.values().map(|file| file.mtime).max();
    let heard = issue.heard.clone().or_else(|| issue.before.and(there).map(|at| Heard::by(at, &feed.entries)));
    let since = issue.dirty.since();
    let is_new = |entry: &Entry| heard.as_ref().is_none_or(|heard| heard.is_new(entry));
    let is_edited = |entry: &Entry| heard.as_ref().is_some_and(|heard| heard.is_edited(entry, since));
    let fresh = feed.entries.iter().map(|entry| (entry, is_new(entry))).filter(|(e, new)| *new || is_edited(e));
    let posts: Vec<Value> = fresh.take(MOST).map(|(entry, new)| post(entry, new)).collect();
    let heard = Some(heard.unwrap_or_default().and(since, feed.entries.iter()));
    if posts.is_empty() && !issue.changed {
        return (Vec::new(), heard);
    }
    let name = format!("pagewire:{} {} {:?} {}", feed.key, feed.updated.0, issue.digest, json!(posts));
    let id = Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes()).to_string();
    let body = json!({
        "id": id,
        "event": "changed",
        "topic": { "slug": slug.as_str(), "title": feed.title.as_str() },
        "feeds": addresses(&settings.site, settings, &feed.key),
        "updated": feed.updated,
        "posts": posts,
    });
    let errand = |hook| (Purpose::Hook, id.clone(), hook, body.to_string());
    (hooks.into_iter().map(errand).collect(), heard)
}

fn addresses(site: &Site, settings: &Settings, key: &FeedKey) -> Value {
    let one = |ending: &str| (ending.to_owned(), Value::from(site.address(&format!("{key}.{ending}"))));
    settings.publish.formats.iter().map(|format| one(format.ending())).chain([one("html")]).collect()
}

fn post(entry: &Entry, is_new: bool) -> Value {
    json!({
        "id": entry.uid,
        "new": is_new,
        "title": entry.title.as_str(),
        "url": entry.link,
        "companies": entry.companies.iter().map(|company| company.name.as_str()).collect::<Vec<_>>(),
        "authors": entry.authors.iter().map(Text::as_str).collect::<Vec<_>>(),
        "published": entry.published,
        "updated": entry.updated,
        "type": entry.kind.as_ref().map(Text::as_str),
        "summary": entry.summary.words(),
    })
}
