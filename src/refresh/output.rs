//! Dirty feeds to files: render, compare, replace, and only then call them published.
//!
//! In: what the store holds. Out: a folder in which every file is whole. A crash between two steps repeats them with
//! the same bytes and the same times.

use super::RefreshError;
use crate::model::{Document, FeedHead, FeedKey, Settings, Stamp, digest};
use crate::publish::Folder;
use crate::render;
use crate::store::{Done, Issued, Piece, Store};
use std::collections::HashMap;

/// Feeds that are rendered while nobody else gets at the store.
const CHUNK: usize = 32;

/// The files that belong to no feed.
const LISTS: [&str; 4] = ["index.html", "feeds.opml", "favicon.ico", "icon.png"];

/// Goes up whenever the same content is rendered to other bytes, so that an upgrade rewrites the files.
const RENDER_VERSION: u32 = 2;

/// Writes every feed that may have changed, every file that is missing, and the lists of feeds.
pub(super) async fn publish(settings: &Settings, store: &Store, now: Stamp) -> Result<usize, RefreshError> {
    let mut folder = Folder::open(&settings.publish.directory, settings.publish.mode)?;
    let notes = [("made_with", made_with(settings)), ("archives_made_with", archives_made_with(settings))];
    let mut remade = [false; 2];
    for ((name, value), remade) in notes.iter().zip(&mut remade) {
        *remade = store.note(name).await?.as_deref() != Some(value.as_str());
    }
    let [remade, archives_remade] = remade;
    let missing = |key: &FeedKey| paths(settings, key).any(|path| !folder.has(&path));
    let published = store.published().await?;
    // Archives are too many to look for each: where a feed's own file is gone, theirs may be, too.
    let redo: Vec<_> = published.iter().filter(|d| archives_remade || missing(&d.key)).cloned().collect();
    store.redo_archives(&redo).await?;
    let again: Vec<_> = published.into_iter().filter(|d| remade || missing(&d.key)).collect();
    store.touch(&again).await?;
    let dirty = store.dirty().await?;
    let (mut files, mut archives) = (Vec::new(), Vec::new());
    let mut done: Vec<Done> = Vec::with_capacity(dirty.len());
    for chunk in dirty.chunks(CHUNK) {
        let write = |piece: Piece| {
            let (site, formats) = (&settings.site, &settings.publish.formats);
            let mut stage = |document: Document, files_before: &HashMap<String, Issued>| {
                let before = files_before.get(&document.path).copied();
                files.extend(stage(&mut folder, &document, before, now)?);
                Ok::<(), RefreshError>(())
            };
            match piece {
                Piece::Feed(issue) => {
                    render::documents(&issue.feed, site, formats).try_for_each(|d| stage(d, &issue.files))?;
                    done.push(issue.done());
                }
                Piece::Archive(issue) => {
                    render::archive(&issue.archive, site, formats).try_for_each(|d| stage(d, &issue.files))?;
                    archives.push(issue.done);
                }
            }
            Ok::<(), RefreshError>(())
        };
        store.issues(chunk, &settings.publish, write).await?;
    }
    let lists_issued = store.issued(&LISTS.map(str::to_owned)).await?;
    let is_there = |(path, issued): (&str, &Option<Issued>)| issued.is_some_and(|i| folder.holds(path, i.size));
    if !done.is_empty() || remade || !LISTS.into_iter().zip(&lists_issued).all(is_there) {
        let heads = store.heads().await?;
        lists(settings, store, &mut folder, &heads, &mut files, now).await?;
    }
    for path in store.abandoned().await? {
        folder.remove(&path)?;
        store.removed(&path).await?;
    }
    if files.is_empty() && done.is_empty() {
        return Ok(0);
    }
    let replaced = folder.commit()?;
    let notes = notes.each_ref().map(|(name, value)| (*name, value.as_str()));
    store.publish(&done, &archives, &files, &notes).await?;
    Ok(replaced)
}

/// Reads every published file, and where its bytes are not those that were published forgets that they were, so that
/// its feed is dirty and the file is written again.
pub(super) async fn verify(settings: &Settings, store: &Store) -> Result<usize, RefreshError> {
    let mut wrong = Vec::new();
    for (path, shelved) in store.shelved().await? {
        let bytes = std::fs::read(settings.publish.directory.join(&path)).unwrap_or_default();
        if digest(&bytes) != shelved.hash {
            wrong.push(path);
        }
        tokio::task::yield_now().await;
    }
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

/// The page and the outline that list all feeds, and the icon that readers ask for.
async fn lists(
    settings: &Settings,
    store: &Store,
    folder: &mut Folder,
    heads: &[FeedHead],
    files: &mut Vec<(String, Issued)>,
    now: Stamp,
) -> Result<(), RefreshError> {
    let index = render::index(&settings.site, heads, &settings.publish.formats);
    let (icon, picture) = (render::favicon(), render::icon());
    let outline = |updated| render::opml(&settings.site, heads, &settings.publish.formats, updated);
    let mut opml = outline(now);
    let before = store.issued(&[&index, &icon, &picture, &opml].map(|d| d.path.clone())).await?;
    if let Some(before) = before[3] {
        // The outline says when it last changed, which is when its file did.
        let same = outline(before.mtime);
        opml = if hash(&same) == before.hash { same } else { outline(later(before, now)) };
    }
    for (document, before) in [index, icon, picture, opml].into_iter().zip(before) {
        files.extend(stage(folder, &document, before, now)?);
    }
    Ok(())
}

/// Stages a document whose bytes differ from what was published, or whose file is gone.
fn stage(
    folder: &mut Folder,
    document: &Document,
    before: Option<Issued>,
    now: Stamp,
) -> Result<Option<(String, Issued)>, RefreshError> {
    let issued = Issued { hash: hash(document), size: document.bytes.len() as u64, mtime: now };
    let same = before.filter(|b| b.hash == issued.hash);
    if same.is_some_and(|b| b.size == issued.size) && folder.holds(&document.path, issued.size) {
        return Ok(None);
    }
    if same.is_none()
        && let Some(mtime) = folder.time(document).filter(|t| before.is_none_or(|b| *t > b.mtime))
    {
        // A crash put it in place and came before it was noted: readers know it by that time.
        return Ok(Some((document.path.clone(), Issued { mtime, ..issued })));
    }
    // The same bytes get the same time again; other bytes a later one, or a reader would think them the same.
    let mtime = same.map(|b| b.mtime).or(before.map(|b| later(b, now))).unwrap_or(now);
    folder.stage(document, mtime)?;
    Ok(Some((document.path.clone(), Issued { mtime, ..issued })))
}

/// The time of a file that replaces another: always a later one, also within a second.
fn later(before: Issued, now: Stamp) -> Stamp {
    now.max(before.mtime.plus(1))
}

fn hash(document: &Document) -> [u8; 16] {
    digest(&document.bytes)
}
