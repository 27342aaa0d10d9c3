//! Dirty feeds to files: render, compare, replace, and only then call them published.
//!
//! In: what the store holds. Out: a folder in which every file is whole. A crash between two steps repeats them with
//! the same bytes and the same times. What readers would fail at never takes the place of a good file ([`lint::admit`]).

use super::{RefreshError, event};
use crate::model::{Document, FeedHead, FeedKey, Hub, Purpose, Settings, Shelved, Stamp, Unpublished, digest};
use crate::publish::Folder;
use crate::store::{Issued, Piece, Publication, Store};
use crate::{lint, render};
use std::collections::HashMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Feeds that are rendered while nobody else gets at the store.
const CHUNK: usize = 32;

/// The files that belong to no feed.
const LISTS: [&str; 4] = ["index.html", "feeds.opml", "favicon.ico", "icon.png"];

/// Goes up whenever the same content is rendered to other bytes, so that an upgrade rewrites the files.
const RENDER_VERSION: u32 = 2;

/// What a publishing changed for the outside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// The paths of the files that are new or other than before.
    pub replaced: Vec<String>,
    /// The files that were wrong, and were not before, or for another reason.
    pub refused: Vec<Unpublished>,
}

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
        store.issues(chunk, &settings.publish, |piece| press.piece(settings, piece)).await?;
        // Answers that came meanwhile are read before their time is over.
        tokio::task::yield_now().await;
    }
    let lists_issued = store.issued(&LISTS.map(str::to_owned)).await?;
    let is_there = |(path, issued): (&str, &Option<Issued>)| issued.is_some_and(|i| press.folder.holds(path, i.size));
    if !dirty.is_empty() || remade || !LISTS.into_iter().zip(&lists_issued).all(is_there) {
        let heads = store.heads().await?;
        lists(settings, store, &mut press, &heads).await?;
    }
    for path in store.abandoned().await? {
        press.folder.remove(&path)?;
        store.removed(&path).await?;
    }
    press.done.notes = notes.into();
    press.tell(settings);
    press.commit(store).await
}

/// Documents on their way to the folder, and what is to be remembered of them.
struct Press {
    folder: Folder,
    now: Stamp,
    /// Why files were refused before, by path.
    refused: HashMap<String, String>,
    replaced: Vec<String>,
    done: Publication,
}

impl Press {
    async fn open(settings: &Settings, store: &Store, now: Stamp) -> Result<Self, RefreshError> {
        let folder = Folder::open(&settings.publish.directory, settings.publish.mode)?;
        let refused = store.refused().await?.into_iter().map(|refused| (refused.path, refused.why)).collect();
        Ok(Self { folder, now, refused, replaced: Vec::new(), done: Publication::default() })
    }

    /// Takes a feed or an archive in every format.
    fn piece(&mut self, settings: &Settings, piece: Piece) -> Result<(), RefreshError> {
        let (site, formats) = (&settings.site, &settings.publish.formats);
        match piece {
            Piece::Feed(issue) => {
                let replaced = self.replaced.len();
                for document in render::documents(&issue.feed, site, formats) {
                    self.take(&document, issue.files.get(&document.path).copied())?;
                }
                if self.replaced.len() > replaced {
                    self.done.errands.extend(event::errands(settings, &issue));
                }
                self.done.feeds.push(issue.done());
            }
            Piece::Archive(issue) => {
                for document in render::archive(&issue.archive, site, formats) {
                    self.take(&document, issue.files.get(&document.path).copied())?;
                }
                self.done.archives.push(issue.done);
            }
        }
        Ok(())
    }

    /// Stages a document whose bytes differ from what was published, or whose file is gone. One at which readers would
    /// fail stays outside, and the last good one where it is.
    fn take(&mut self, document: &Document, before: Option<Issued>) -> Result<(), RefreshError> {
        let path = &document.path;
        let issued = Issued { hash: hash(document), size: document.bytes.len() as u64, mtime: self.now };
        let same = before.filter(|b| b.hash == issued.hash);
        if same.is_some_and(|b| b.size == issued.size) && self.folder.holds(path, issued.size) {
            return Ok(());
        }
        if let Err(finding) = lint::admit(document) {
            let why = finding.to_string();
            if self.refused.get(path) != Some(&why) {
                self.done.refused.push(Unpublished { path: path.clone(), why, since: self.now });
            }
            return Ok(());
        }
        if self.refused.contains_key(path) {
            self.done.mended.push(path.clone());
        }
        if same.is_none()
            && let Some(mtime) = self.folder.time(document).filter(|t| before.is_none_or(|b| *t > b.mtime))
        {
            // A crash put it in place and came before it was noted: readers know it by that time.
            self.done.files.push((path.clone(), Issued { mtime, ..issued }));
            return Ok(());
        }
        // The same bytes get the same time again; other bytes a later one, or a reader would think them the same.
        let mtime = same.map(|b| b.mtime).or(before.map(|b| later(b, self.now))).unwrap_or(self.now);
        self.folder.stage(document, mtime)?;
        if same.is_none() {
            self.replaced.push(path.clone());
        }
        self.done.files.push((path.clone(), Issued { mtime, ..issued }));
        Ok(())
    }

    /// Leaves word for the hub, of each feed that changed.
    fn tell(&mut self, settings: &Settings) {
        let formats = &settings.publish.formats;
        let is_feed = |path: &&String| {
            !path.contains("/archive/") && formats.iter().any(|format| path.rsplit('.').next() == Some(format.ending()))
        };
        let feeds = self.replaced.iter().filter(is_feed).cloned();
        self.done.at = self.now;
        match &settings.publish.hub {
            None => {}
            Some(Hub::Own) => self.done.delivered.extend(feeds),
            Some(Hub::Outside(hub)) => {
                let ping = |path| (Purpose::Ping, path, hub.to_string(), String::new());
                self.done.errands.extend(feeds.map(ping));
            }
        }
    }

    /// Puts everything in place, and only then calls it published.
    async fn commit(mut self, store: &Store) -> Result<Published, RefreshError> {
        let Publication { feeds, files, refused, .. } = &self.done;
        if files.is_empty() && feeds.is_empty() && refused.is_empty() {
            return Ok(Published::default());
        }
        self.folder.commit()?;
        store.publish(&self.done).await?;
        Ok(Published { replaced: self.replaced, refused: self.done.refused })
    }
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

/// The same at the price of a look at each file's entry in its folder: one that is there with its size and its time
/// counts as whole, and is read only where its time is another.
pub(super) async fn inspect(settings: &Settings, store: &Store) -> Result<usize, RefreshError> {
    let directory = &settings.publish.directory;
    let shelved = store.shelved().await?;
    let is_wrong = |(path, shelved): &(String, Shelved)| !is_whole(&directory.join(path), shelved);
    let wrong: Vec<String> = shelved.into_iter().filter(is_wrong).map(|(path, _)| path).collect();
    store.distrust(&wrong).await?;
    Ok(wrong.len())
}

fn is_whole(file: &Path, shelved: &Shelved) -> bool {
    let Ok(found) = file.symlink_metadata() else { return false };
    let time = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let is_as_left = || time.is_some_and(|time| i64::try_from(time.as_secs()) == Ok(shelved.mtime.0));
    let is_same = || std::fs::read(file).is_ok_and(|bytes| digest(&bytes) == shelved.hash);
    found.is_file() && found.len() == shelved.size && (is_as_left() || is_same())
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
    let outline = |updated| render::opml(&settings.site, heads, &settings.publish.formats, updated);
    let mut opml = outline(press.now);
    let before = store.issued(&[&index, &icon, &picture, &opml].map(|d| d.path.clone())).await?;
    if let Some(before) = before[3] {
        // The outline says when it last changed, which is when its file did.
        let same = outline(before.mtime);
        opml = if hash(&same) == before.hash { same } else { outline(later(before, press.now)) };
    }
    for (document, before) in [index, icon, picture, opml].iter().zip(before) {
        press.take(document, before)?;
    }
    Ok(())
}

/// The time of a file that replaces another: always a later one, also within a second.
fn later(before: Issued, now: Stamp) -> Stamp {
    now.max(before.mtime.plus(1))
}

fn hash(document: &Document) -> [u8; 16] {
    digest(&document.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document { path: "all.json".to_owned(), bytes: text.as_bytes().to_vec() }
    }

    #[tokio::test]
    async fn a_bad_document_never_takes_the_place_of_a_good_one() {
        const GOOD: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": []}"#;
        const BAD: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "items": []}"#;
        let home = tempfile::tempdir().expect("a folder");
        let store = Store::open(&home.path().join("db")).expect("a store");
        let press = |now| {
            let folder = Folder::open(&home.path().join("out"), 0o644).expect("a folder");
            Press {
                folder,
                now: Stamp(now),
                refused: HashMap::new(),
                replaced: Vec::new(),
                done: Publication::default(),
            }
        };
        let on_disk = || std::fs::read_to_string(home.path().join("out/all.json")).expect("a file");
        let published = async |now, text: &str| {
            let mut press = press(now);
            press.refused = store.refused().await.expect("a store").into_iter().map(|r| (r.path, r.why)).collect();
            let before = store.issued(&["all.json".to_owned()]).await.expect("a store")[0];
            press.take(&document(text), before).expect("staged");
            press.commit(&store).await.expect("published")
        };
        assert_eq!(published(10, GOOD).await.replaced, ["all.json"]);
        let why = "1:1: error: the feed has no `title` (JSON Feed 1.1)".to_owned();
        let refused = Unpublished { path: "all.json".to_owned(), why, since: Stamp(20) };
        assert_eq!(published(20, BAD).await, Published { replaced: Vec::new(), refused: vec![refused.clone()] });
        assert_eq!(on_disk(), GOOD);
        assert_eq!(published(30, BAD).await, Published::default(), "said once");
        assert_eq!(store.refused().await.expect("a store"), [refused], "and known until it is mended");
        let better = GOOD.replace('T', "U");
        assert_eq!(published(40, &better).await.replaced, ["all.json"]);
        assert_eq!((on_disk(), store.refused().await.expect("a store")), (better, Vec::new()));
    }
}
