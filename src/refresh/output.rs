//! Dirty feeds to files: render, compare, replace, and only then call them published.
//!
//! In: what the store holds. Out: a folder in which every file is whole. A crash between two steps repeats them with
//! the same bytes and the same times.

use super::RefreshError;
use super::press::{Press, Published, hash, later};
use crate::model::{Document, FeedHead, FeedKey, Format, Settings, Stamp, Topic, digest};
use crate::store::{Issued, Store};
use crate::{publish, render};

/// Feeds that are rendered while nobody else gets at the store.
const CHUNK: usize = 32;

/// The files that belong to no feed.
const LISTS: [&str; 4] = ["index.html", "feeds.opml", "favicon.ico", "icon.png"];

/// Goes up whenever the same content is rendered to other bytes, so that an upgrade rewrites the files.
const RENDER_VERSION: u32 = 2;

/// Writes every feed that may have changed, every file that is missing, and the lists of feeds.
pub(super) async fn publish(settings: &Settings, store: &Store, now: Stamp) -> Result<Published, RefreshError> {
    let mut press = Press::open(settings, store, now).await?;
    let notes = [("made_with", made_with(settings)), ("archives_made_with", archives_made_with(settings))];
    let mut remade = [false; 2];
    for ((name, value), remade) in notes.iter().zip(&mut remade) {
        *remade = store.note(name).await?.as_deref() != Some(value.as_str());
    }
    let [remade, archives_remade] = remade;
    let missing = |key: &FeedKey| paths(settings, key).any(|path| !press.folder.has(&path));
    let published = store.published().await?;
    // Archives are too many to look for each: where a feed's own file is gone, theirs may be, too.
    let redo: Vec<_> = published.iter().filter(|d| archives_remade || missing(&d.key)).cloned().collect();
    store.redo_archives(&redo).await?;
    let again: Vec<_> = published.into_iter().filter(|d| remade || missing(&d.key)).collect();
    store.touch(&again).await?;
    let dirty = store.dirty().await?;
    for chunk in dirty.chunks(CHUNK) {
        store.issues(chunk, &settings.publish, |piece, load| press.piece(settings, piece, load)).await?;
        // Answers that came meanwhile are read before their time is over.
        tokio::task::yield_now().await;
    }
    let lists_issued = store.issued(&LISTS.map(str::to_owned)).await?;
    let is_there = |(path, issued): (&str, &Option<Issued>)| issued.is_some_and(|i| press.folder.holds(path, i.size));
    // A topic is gone by the clock alone.
    let listed = lists_issued.iter().flatten().map(|issued| issued.mtime).max();
    let gone = |topic: &Topic| topic.retired.map(|at| at.plus(Topic::FAREWELL)).filter(|at| *at <= now) > listed;
    let has_gone = listed.is_some() && settings.topics.iter().any(gone);
    if !dirty.is_empty() || remade || has_gone || !LISTS.into_iter().zip(&lists_issued).all(is_there) {
        let heads = store.heads(now).await?;
        lists(settings, store, &mut press, &heads).await?;
    }
    if remade {
        drop_formats(settings, store).await?;
    }
    for path in store.abandoned().await? {
        press.folder.remove(&path)?;
        store.removed(&path).await?;
    }
    press.done.notes = notes.into();
    press.tell(settings);
    press.commit(store).await
}

/// Reads every published file, and where its bytes are not those that were published forgets that they were, so that
/// its feed is dirty and the file is written again.
pub(super) async fn verify(settings: &Settings, store: &Store) -> Result<usize, RefreshError> {
    let mut wrong = Vec::new();
    for (path, shelved) in store.shelved::<Vec<_>>().await? {
        let bytes = std::fs::read(settings.publish.directory.join(&path)).unwrap_or_default();
        if digest(&bytes) != shelved.hash {
            wrong.push(path);
        }
        tokio::task::yield_now().await;
    }
    store.distrust(&wrong).await?;
    Ok(wrong.len())
}

/// The same at the price of a look at each file's entry in its folder ([`publish::damaged`]).
pub(super) async fn inspect(settings: &Settings, store: &Store) -> Result<usize, RefreshError> {
    let shelved: Vec<_> = store.shelved().await?;
    let wrong = publish::damaged(&settings.publish.directory, shelved);
    store.distrust(&wrong).await?;
    Ok(wrong.len())
}

/// The files of a feed.
fn paths(settings: &Settings, key: &FeedKey) -> impl Iterator<Item = String> {
    let path = key.path();
    let endings = settings.publish.formats.iter().map(|f| f.ending()).chain(["html"]);
    endings.map(move |ending| [&path, ".", ending].concat())
}

/// What besides their content decides the bytes of all feeds.
fn made_with(settings: &Settings) -> String {
    let (publish, hub) = (&settings.publish, settings.site.hub.as_ref().map_or("", |hub| hub.as_str()));
    format!("{} {} {hub} {}", publish.entries, publish.entries_max, archives_made_with(settings))
}

/// What besides their content decides the bytes of all archives.
fn archives_made_with(settings: &Settings) -> String {
    let (site, formats) = (&settings.site, &settings.publish.formats);
    let language = site.language.as_ref().map_or("", |language| language.as_str());
    format!("{RENDER_VERSION} {formats:?} {} {language} {}", site.base_url, site.title)
}

/// The page and the outline that list all feeds, and the icons that readers ask for.
async fn lists(settings: &Settings, store: &Store, press: &mut Press, heads: &[FeedHead]) -> Result<(), RefreshError> {
    let index = render::index(&settings.site, heads, &settings.publish.formats);
    let (icon, picture) = (render::favicon(), render::icon());
    let mut all = vec![index, icon, picture];
    // An outline of nothing is none (OPML 2.0), and a reader would take it for the end of its subscriptions.
    if !heads.is_empty() {
        all.push(outline(settings, store, heads, press.now).await?);
    }
    let before = store.issued(&all.iter().map(|d| d.path.clone()).collect::<Vec<_>>()).await?;
    for (document, before) in all.iter().zip(before) {
        press.take(document, before, document)?;
    }
    Ok(())
}

/// The outline, which says when it last changed: when its file did.
async fn outline(settings: &Settings, store: &Store, heads: &[FeedHead], now: Stamp) -> Result<Document, RefreshError> {
    let outline = |updated| render::opml(&settings.site, heads, &settings.publish.formats, updated);
    let new = outline(now);
    let Some(before) = store.issued(std::slice::from_ref(&new.path)).await?[0] else { return Ok(new) };
    let same = outline(before.mtime);
    Ok(if hash(&same) == before.hash { same } else { outline(later(before, now)) })
}

/// What would be written and removed besides the feeds, for who only looks: the lists of feeds, and paths.
pub(super) async fn besides(
    settings: &Settings,
    store: &Store,
    now: Stamp,
) -> Result<(Vec<Document>, Vec<String>), RefreshError> {
    drop_formats(settings, store).await?;
    let heads = store.heads(now).await?;
    let mut lists = vec![render::index(&settings.site, &heads, &settings.publish.formats)];
    if !heads.is_empty() {
        lists.push(outline(settings, store, &heads, now).await?);
    }
    Ok((lists, store.abandoned().await?))
}

/// Has the files of formats removed that are written no more: they would stay as they are for ever.
async fn drop_formats(settings: &Settings, store: &Store) -> Result<(), RefreshError> {
    let left = Format::ALL.into_iter().filter(|f| !settings.publish.formats.contains(f));
    store.abandon_endings(&left.map(Format::ending).collect::<Vec<_>>()).await?;
    Ok(())
}
