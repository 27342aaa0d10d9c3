//! A changed topic → what its hooks are told.
//!
//! In: a feed and when it was published before. Out: an errand a hook, each with a JSON object: what changed, and which
//! posts are new or edited since. Its id is made of what changed, so that the same change told twice is known as one.

use crate::model::{Entry, FeedKey, Hook, Purpose, Settings, Site, Stamp, Text};
use crate::store::Issue;
use serde_json::{Value, json};
use uuid::Uuid;

/// As many posts as are told at most: who wants more reads the feed.
const MOST: usize = 50;

/// What waits to be sent to hooks about a topic's feed.
pub(super) fn errands(settings: &Settings, issue: &Issue) -> Vec<(Purpose, String, String, String)> {
    let FeedKey::Topic(slug) = &issue.feed.key else { return Vec::new() };
    let hooks: Vec<String> = settings.hooks.iter().filter(|hook| hook.wants(slug)).map(Hook::name).collect();
    if hooks.is_empty() {
        return Vec::new();
    }
    let feed = &issue.feed;
    let is_fresh = |entry: &&Entry| issue.before.is_none_or(|at| entry.updated > at || entry.first_seen > at);
    let posts: Vec<Value> = feed.entries.iter().filter(is_fresh).take(MOST).map(|e| post(e, issue.before)).collect();
    if posts.is_empty() {
        return Vec::new();
    }
    let name = format!("pagewire:{} {} {}", feed.key, feed.updated.0, json!(posts));
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
    hooks.into_iter().map(errand).collect()
}

fn addresses(site: &Site, settings: &Settings, key: &FeedKey) -> Value {
    let one = |ending: &str| (ending.to_owned(), Value::from(site.address(&format!("{key}.{ending}"))));
    settings.publish.formats.iter().map(|format| one(format.ending())).chain([one("html")]).collect()
}

fn post(entry: &Entry, before: Option<Stamp>) -> Value {
    json!({
        "id": entry.uid,
        "new": before.is_none_or(|at| entry.first_seen > at),
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
