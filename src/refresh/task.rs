//! Tasks: what people ask of the past and order to be forgotten, paused or dropped.
//!
//! In: a [`Task`], from the command line or over the control socket. Out: one JSON object, every key present. What only
//! reads needs the settings and the store; what writes needs an [`App`], and whoever calls it publishes afterwards.

use super::{App, name};
use crate::model::{Act, Event, Page, Refused, Settings, Slug, Stamp, Task, Text, fold};
use crate::store::{Found, Store, StoreError};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// So many posts of a name that means several are shown.
const SHOWN: usize = 5;

/// Answers a question about the past.
///
/// # Errors
/// [`Refused`] for a name that nobody knows; the inner error is the state's.
pub async fn answer(settings: &Settings, store: &Store, task: &Task) -> Result<Result<Value, Refused>, StoreError> {
    match task {
        Task::Why { post } => why(store, post).await,
        Task::Diff { topic, most } => {
            let Some(pages) = pages_of(settings, topic) else {
                return Ok(Err(Refused::Unknown(name::unknown(settings, topic))));
            };
            let acts = store.acts_of(&pages, *most).await?;
            Ok(Ok(json!({ "topic": topic, "acts": told(store, &acts).await? })))
        }
        _ => Ok(Err(Refused::Failed("this needs a state that can be written".to_owned()))),
    }
}

impl App {
    /// Does a task.
    ///
    /// # Errors
    /// [`Refused`] where it cannot be done; the state's failure among them.
    pub async fn task(&self, task: &Task, now: Stamp) -> Result<Value, Refused> {
        let work = async {
            match task {
                Task::Why { .. } | Task::Diff { .. } => answer(&self.settings, &self.store, task).await,
                Task::Forget { post, undo } => self.forget(post, *undo, now).await,
                Task::Pause { names } => self.pause(names, true, now).await,
                Task::Resume { names } => self.pause(names, false, now).await,
                Task::Drop { topic } => self.drop_topic(topic, now).await,
            }
        };
        work.await.unwrap_or_else(|error| Err(Refused::Failed(error.to_string())))
    }

    async fn forget(&self, post: &str, undo: bool, now: Stamp) -> Result<Result<Value, Refused>, StoreError> {
        let found = match one(&self.store, post).await? {
            Ok(found) => found,
            Err(refused) => return Ok(Err(refused)),
        };
        let done = self.store.forget(found.id, undo, now).await?;
        Ok(Ok(json!({ "post": shown(&found), "changed": done })))
    }

    async fn pause(&self, names: &[String], paused: bool, now: Stamp) -> Result<Result<Value, Refused>, StoreError> {
        let chosen = match self.choose(names).await? {
            Ok(chosen) => chosen,
            Err(unknown) => return Ok(Err(Refused::Unknown(unknown))),
        };
        let ids: Vec<_> = chosen.iter().map(|i| self.registered.pages[*i]).collect();
        self.store.pause(&ids, paused, now).await?;
        let pages: Vec<String> = chosen.iter().map(|i| self.settings.pages[*i].address.to_string()).collect();
        Ok(Ok(json!({ "pages": pages, "paused": paused })))
    }

    /// Follows a topic no more that no seed names; whether there was one.
    async fn unfollow(&self, topic: &str) -> Result<bool, StoreError> {
        let is_it = |slug: &Slug| slug.as_str() == topic;
        if self.said.topics.iter().any(|t| is_it(&t.slug)) {
            return Ok(false);
        }
        let of_it = |page: &&Page| page.topics.iter().any(|&t| is_it(&self.settings.topics[t].slug));
        match self.settings.pages.iter().find(of_it) {
            Some(page) => self.store.unfollow(&page.address.key()).await,
            None => Ok(false),
        }
    }

    async fn drop_topic(&self, topic: &str, now: Stamp) -> Result<Result<Value, Refused>, StoreError> {
        let combined = topic.strip_prefix(name::COMBINED);
        let is_followed = match combined {
            Some(feed) => self.settings.combined.iter().any(|f| f.slug.as_str() == feed),
            None => self.settings.topics.iter().any(|t| t.slug.as_str() == topic),
        };
        if is_followed && combined.is_none() && self.unfollow(topic).await? {
            // What stays followed is planned without it.
            return match self.led().await {
                Ok(app) => Box::pin(app.drop_topic(topic, now)).await,
                Err(error) => Ok(Err(Refused::Failed(error.to_string()))),
            };
        }
        if is_followed {
            let why = format!(
                "`{topic}` is still in the seeds, so the next reading would bring it back: take it out there first"
            );
            return Ok(Err(Refused::Failed(why)));
        }
        let slug = Slug::stored(combined.unwrap_or(topic).to_owned());
        let dropped = if combined.is_some() {
            self.store.drop_combined(&slug, now).await?
        } else {
            let pages = &self.registered.pages;
            let of_companies = self.settings.pages.iter().zip(pages).filter(|(page, _)| !page.companies.is_empty());
            let of_companies: Vec<_> = of_companies.map(|(_, id)| *id).collect();
            self.store.drop_topic(&slug, pages, &of_companies, now).await?
        };
        if dropped {
            Ok(Ok(json!({ "topic": topic, "dropped": true })))
        } else {
            Ok(Err(Refused::Unknown(format!("there is no topic `{topic}` in the state"))))
        }
    }
}

/// The one post that a name means.
async fn one(store: &Store, what: &str) -> Result<Result<Found, Refused>, StoreError> {
    let mut found = store.find(what).await?;
    Ok(match found.len() {
        0 => Err(Refused::Unknown(format!("no post has the id, link or a title with `{}`", Text::line(what)))),
        1 => Ok(found.remove(0)),
        n => {
            let mut lines: Vec<String> =
                found.iter().take(SHOWN).map(|f| format!("\n  {}  {}", f.uid, f.title)).collect();
            if n > SHOWN {
                lines.push("\n  …".to_owned());
            }
            let what = Text::line(what);
            Err(Refused::Unknown(format!("{n} posts fit `{what}`; name one by its id or link:{}", lines.concat())))
        }
    })
}

async fn why(store: &Store, post: &str) -> Result<Result<Value, Refused>, StoreError> {
    let found = match one(store, post).await? {
        Ok(found) => found,
        Err(refused) => {
            let held = held(store, post).await?;
            return Ok(if held.is_empty() { Err(refused) } else { Ok(json!({ "post": null, "acts": held })) });
        }
    };
    let acts = store.acts_on(found.id).await?;
    let acts: Vec<Value> =
        acts.iter().flat_map(|act| act.events.iter().map(|event| told_event(act, event, &[]))).collect();
    Ok(Ok(json!({ "post": shown(&found), "acts": acts })))
}

/// What is said of a post that is held back: it has no entry yet.
async fn held(store: &Store, what: &str) -> Result<Vec<Value>, StoreError> {
    let what = fold(what).to_lowercase();
    let fits = |event: &&Event| event.posts.is_empty() && fold(&event.detail).to_lowercase().contains(&what);
    let acts = store.health(usize::MAX).await?;
    let told = |act: &Act| act.events.iter().filter(fits).map(|e| told_event(act, e, &[])).collect::<Vec<_>>();
    Ok(acts.iter().filter(|a| a.events.iter().any(|e| e.deed == crate::model::Deed::Held)).flat_map(told).collect())
}

async fn told(store: &Store, acts: &[Act]) -> Result<Vec<Value>, StoreError> {
    let ids: BTreeSet<_> = acts.iter().flat_map(|a| &a.events).flat_map(|e| &e.posts).copied().collect();
    let titles = store.titles(&ids).await?;
    let posts = |event: &Event| -> Vec<Value> {
        let known = event.posts.iter().filter_map(|id| titles.get(id));
        known.map(|(uid, title)| json!({ "id": uid, "title": title })).collect()
    };
    Ok(acts.iter().flat_map(|act| act.events.iter().map(|event| told_event(act, event, &posts(event)))).collect())
}

fn told_event(act: &Act, event: &Event, posts: &[Value]) -> Value {
    let origin = act.origin.as_ref().map(|o| {
        // Twelve digits tell documents apart, and people can read them out.
        let hash = format!("{:032x}", u128::from_be_bytes(o.hash));
        json!({ "address": o.address, "bytes": o.bytes, "hash": &hash[..12] })
    });
    json!({
        "at": act.at,
        "page": act.page,
        "what": event.deed.as_str(),
        "detail": event.detail,
        "posts": posts,
        "document": origin,
    })
}

fn shown(post: &Found) -> Value {
    let state = if post.forgotten {
        "forgotten"
    } else if post.waits {
        "waiting"
    } else if post.feeds.is_empty() {
        "left"
    } else if post.pages.is_empty() {
        "delisted"
    } else {
        "listed"
    };
    json!({
        "id": post.uid,
        "title": post.title,
        "url": post.link,
        "published": post.published,
        "first_seen": post.first_seen,
        "updated": post.updated,
        "state": state,
        "feeds": post.feeds.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "pages": post.pages,
    })
}

/// The addresses of a topic's pages, or of the page that a name means.
fn pages_of(settings: &Settings, what: &str) -> Option<Vec<String>> {
    let means = |i: &usize| name::means(settings, *i, what);
    let pages: Vec<String> =
        (0..settings.pages.len()).filter(means).map(|i| settings.pages[i].address.url().as_str().to_owned()).collect();
    (!pages.is_empty()).then_some(pages)
}
