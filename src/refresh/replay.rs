//! The stored pages once more, with another configuration or another version, and what that would change.
//!
//! In: settings, and a state that is only read. Out: one JSON object: what would become of each page, of each post and
//! of each file. Everything happens in a copy in memory, by the same steps as a real round; nothing is asked of any
//! site, and no file is written.

use super::visit::{Look, Visit, read};
use super::{App, RefreshError, output};
use crate::model::{Settings, Stamp, digest};
use crate::store::{Outline, Piece, Store};
use crate::{extract, render};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Reads the last good document of every page again.
///
/// # Errors
/// When the state cannot be read.
pub async fn replay(settings: Settings, store: &Store, now: Stamp) -> Result<Value, RefreshError> {
    let app = App::new(settings, store.in_memory().await?).await?;
    let before = app.store.outlines().await?;
    let mut visits = Vec::new();
    let mut unread = Vec::new();
    for (index, page) in app.settings.pages.iter().enumerate() {
        let Some((_, body)) = app.store.raw(app.registered.pages[index], true).await? else {
            unread.push(page.address.to_string());
            continue;
        };
        let state = app.states_of(&[index]).await?.remove(0);
        let fingerprint = page.fingerprint(&app.settings.topics);
        let look: Look = read(&body, || {
            let reading = extract::extract_again(&body, &page.settings, state.shape(fingerprint))?;
            Ok(page.filtered(page.attributed(reading), &app.settings.topics))
        });
        visits.push(Visit { index, state, fingerprint, accept: false, look, said: None, planned: false });
    }
    let settled = app.save(visits, now).await?;
    // No site is asked, so nothing is waited for.
    app.fill(&[], Stamp(i64::MAX), now).await?;
    app.store.name_feeds().await?;
    app.settle_feeds(now).await?;
    let posts = posts(&before, &app.store.outlines().await?);
    let reports: Vec<_> = settled.into_iter().map(|s| s.report).collect();
    Ok(json!({ "pages": reports, "unread": unread, "posts": posts, "files": files(&app, now).await? }))
}

/// What differs between two states of the posts.
fn posts(before: &BTreeMap<i64, Outline>, after: &BTreeMap<i64, Outline>) -> Vec<Value> {
    let told = |what: &str, post: &Outline, was: &str, is: &str| json!({ "what": what, "id": post.uid, "title": post.title, "before": was, "after": is });
    let mut changes = Vec::new();
    for (id, is) in after {
        let Some(was) = before.get(id) else {
            changes.push(told("added", is, "", &is.published.rfc3339()));
            continue;
        };
        let (published, updated) = (was.published.rfc3339(), was.updated.rfc3339());
        for (what, a, b) in [
            ("id", was.uid.as_str(), is.uid.as_str()),
            ("published", &published, &is.published.rfc3339()),
            ("updated", &updated, &is.updated.rfc3339()),
            ("title", &was.title, &is.title),
            ("link", was.link.as_deref().unwrap_or_default(), is.link.as_deref().unwrap_or_default()),
            ("feeds", &was.feeds, &is.feeds),
        ] {
            if a != b {
                changes.push(told(what, is, a, b));
            }
        }
    }
    changes
}

/// Every file whose bytes would differ from those that are published, and those that would go.
async fn files(app: &App, now: Stamp) -> Result<Vec<Value>, RefreshError> {
    let mut feeds = app.store.dirty().await?;
    feeds.extend(app.store.published().await?);
    let (site, formats) = (&app.settings.site, &app.settings.publish.formats);
    let mut changes = Vec::new();
    app.store
        .issues::<RefreshError>(&feeds, &app.settings.publish, |piece, _| {
            // An archive follows its posts: what would change in it is told of the feed.
            let Piece::Feed(issue) = piece else { return Ok(()) };
            for document in render::documents(&issue.feed, site, formats) {
                let was = issue.files.get(&document.path);
                if was.is_none_or(|was| was.hash != digest(&document.bytes)) {
                    let bytes = document.bytes.len();
                    changes.push(json!({ "path": document.path, "before": was.map(|w| w.size), "after": bytes }));
                }
            }
            Ok(())
        })
        .await?;
    let (lists, gone) = output::besides(&app.settings, &app.store, now).await?;
    let issued = app.store.issued(&lists.iter().map(|d| d.path.clone()).collect::<Vec<_>>()).await?;
    for (list, was) in lists.iter().zip(issued).filter(|(list, was)| was.is_none_or(|w| w.hash != digest(&list.bytes)))
    {
        changes.push(json!({ "path": list.path, "before": was.map(|w| w.size), "after": list.bytes.len() }));
    }
    changes.extend(gone.iter().map(|path| json!({ "path": path, "before": null, "after": null })));
    changes.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
    Ok(changes)
}
