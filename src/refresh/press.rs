//! Documents on their way to the folder: compared with what was published, checked, staged, and then put in place.
//!
//! In: feeds and archives. Out: files, and what the store is to remember of them. What readers would fail at never takes
//! the place of a good file ([`lint::admit`]).

use super::galley::Galley;
use super::{RefreshError, event};
use crate::model::{
    Archive, Document, EntryId, Feed, FeedKey, Format, Hub, Purpose, Settings, Stamp, Unpublished, digest,
};
use crate::publish::Folder;
use crate::store::{ArchiveIssue, Issue, Issued, Load, Piece, Publication, Store};
use crate::{lint, render};
use std::collections::HashMap;

/// What a publishing changed for the outside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// The paths of the files that are new or other than before.
    pub replaced: Vec<String>,
    /// The files that were wrong, and were not before, or for another reason.
    pub refused: Vec<Unpublished>,
}

/// Documents on their way to the folder, and what is to be remembered of them.
pub(super) struct Press {
    pub(super) folder: Folder,
    pub(super) now: Stamp,
    galley: Galley,
    /// Why files were refused before, by path.
    refused: HashMap<String, String>,
    replaced: Vec<String>,
    pub(super) done: Publication,
}

impl Press {
    /// Begins a round.
    pub(super) async fn open(settings: &Settings, store: &Store, now: Stamp) -> Result<Self, RefreshError> {
        let folder = Folder::open(&settings.publish.directory, settings.publish.mode)?;
        let refused = store.refused().await?.into_iter().map(|refused| (refused.path, refused.why)).collect();
        let galley = Galley::new(&settings.publish.directory);
        Ok(Self { folder, now, galley, refused, replaced: Vec::new(), done: Publication::default() })
    }

    /// Takes a feed or an archive in every format.
    pub(super) fn piece(&mut self, settings: &Settings, piece: Piece, load: &mut Load<'_>) -> Result<(), RefreshError> {
        match piece {
            Piece::Feed(issue) => self.feed(settings, *issue),
            Piece::Archive(issue) => self.archive(settings, *issue, load),
        }
    }

    fn feed(&mut self, settings: &Settings, mut issue: Issue) -> Result<(), RefreshError> {
        let (feed, replaced) = (&issue.feed, self.replaced.len());
        for document in render::documents(feed, &settings.site, &settings.publish.formats) {
            let is_good = self.take(&document, issue.files.get(&document.path).copied(), &document)?;
            self.keep(settings, feed, &document, is_good)?;
        }
        if self.replaced.len() > replaced {
            let (errands, heard) = event::errands(settings, &issue);
            self.done.errands.extend(errands);
            issue.heard = heard;
        }
        self.done.feeds.push(issue.done());
        Ok(())
    }

    fn archive(&mut self, settings: &Settings, issue: ArchiveIssue, load: &mut Load<'_>) -> Result<(), RefreshError> {
        let ArchiveIssue { mut archive, entries, files, done } = issue;
        if !self.put_together(settings, &mut archive, &entries, &files)? {
            archive.feed.entries = load(&entries)?;
            archive.feed.updated = archive.feed.entries.iter().map(|e| e.updated).max().unwrap_or(archive.feed.updated);
            for document in render::archive(&archive, &settings.site, &settings.publish.formats) {
                let is_good = self.take(&document, files.get(&document.path).copied(), &document)?;
                self.keep(settings, &archive.feed, &document, is_good)?;
            }
        }
        self.done.archives.push(done);
        Ok(())
    }

    /// Keeps what a topic's document says of its posts, for archives.
    fn keep(
        &mut self,
        settings: &Settings,
        feed: &Feed,
        document: &Document,
        is_good: bool,
    ) -> Result<(), RefreshError> {
        let format =
            document.path.rsplit('.').next().and_then(Format::of_ending).filter(|format| *format != Format::Rss);
        if let (FeedKey::Topic(_), Some(format), true) = (&feed.key, format, is_good) {
            self.galley.keep((format, &document.bytes), &feed.entries, &settings.site)?;
        }
        Ok(())
    }

    /// Takes an archive whose posts all were written before, and says whether it is one.
    fn put_together(
        &mut self,
        settings: &Settings,
        archive: &mut Archive,
        entries: &[EntryId],
        files: &HashMap<String, Issued>,
    ) -> Result<bool, RefreshError> {
        let (site, formats) = (&settings.site, &settings.publish.formats);
        let Some(updated) = self.galley.updated(entries, formats) else { return Ok(false) };
        archive.feed.updated = updated;
        let with_source = !matches!(archive.feed.key, FeedKey::Topic(_));
        for (shell, stand_in) in render::shells(archive, site, formats) {
            let Some(bytes) = self.galley.document((&stand_in.path, &shell), entries, with_source)? else {
                return Ok(false);
            };
            let document = Document { path: stand_in.path.clone(), bytes };
            self.take(&document, files.get(&document.path).copied(), &stand_in)?;
        }
        Ok(true)
    }

    /// Stages a document whose bytes differ from what was published, or whose file is gone. One at which readers would
    /// fail stays outside, and the last good one where it is. `unchecked` is as much of it as was not found good before.
    /// Returns whether it is good.
    pub(super) fn take(
        &mut self,
        document: &Document,
        before: Option<Issued>,
        unchecked: &Document,
    ) -> Result<bool, RefreshError> {
        let path = &document.path;
        let issued = Issued { hash: hash(document), size: document.bytes.len() as u64, mtime: self.now };
        let same = before.filter(|b| b.hash == issued.hash);
        if same.is_some_and(|b| b.size == issued.size) && self.folder.holds(path, issued.size) {
            return Ok(true);
        }
        if let Err(finding) = lint::admit(unchecked) {
            let why = finding.to_string();
            if self.refused.get(path) != Some(&why) {
                self.done.refused.push(Unpublished { path: path.clone(), why, since: self.now });
            }
            return Ok(false);
        }
        if self.refused.contains_key(path) {
            self.done.mended.push(path.clone());
        }
        if same.is_none()
            && let Some(mtime) = self.folder.time(document).filter(|t| before.is_none_or(|b| *t > b.mtime))
        {
            // A crash put it in place and came before it was noted: readers know it by that time.
            self.done.files.push((path.clone(), Issued { mtime, ..issued }));
            return Ok(true);
        }
        // The same bytes get the same time again; other bytes a later one, or a reader would think them the same.
        let mtime = same.map(|b| b.mtime).or(before.map(|b| later(b, self.now))).unwrap_or(self.now);
        self.folder.stage(document, mtime)?;
        if same.is_none() {
            self.replaced.push(path.clone());
        }
        self.done.files.push((path.clone(), Issued { mtime, ..issued }));
        Ok(true)
    }

    /// Leaves word for the hub, of each feed that changed.
    pub(super) fn tell(&mut self, settings: &Settings) {
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
    pub(super) async fn commit(mut self, store: &Store) -> Result<Published, RefreshError> {
        let Publication { feeds, files, refused, .. } = &self.done;
        if files.is_empty() && feeds.is_empty() && refused.is_empty() {
            return Ok(Published::default());
        }
        self.folder.commit()?;
        store.publish(&self.done).await?;
        Ok(Published { replaced: self.replaced, refused: self.done.refused })
    }
}

/// The time of a file that replaces another: always a later one, also within a second.
pub(super) fn later(before: Issued, now: Stamp) -> Stamp {
    now.max(before.mtime.plus(1))
}

pub(super) fn hash(document: &Document) -> [u8; 16] {
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
            let galley = Galley::new(home.path());
            Press {
                folder,
                galley,
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
            press.take(&document(text), before, &document(text)).expect("staged");
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
