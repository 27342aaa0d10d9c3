//! Entries as one round of publishing wrote and checked them, for the archives that hold them too.
//!
//! A post is in the archives of everything, its companies, its type and maybe its topic: at a first refresh, archives are
//! most of what is written. In: documents of topics that were found good. Out: documents of archives, put together from
//! their entries. What is not here is written as everything else is.

use crate::lint;
use crate::model::{Document, Entry, EntryId, EntryTopic, Format, Site, Slug, Stamp};
use crate::publish::{PublishError, Spool};
use crate::render::{self, Shell, Source};
use std::collections::HashMap;
use std::path::Path;

/// Entries that are written.
pub(super) struct Galley {
    spool: Spool,
    atom: Sets,
    json: Sets,
    sources: Vec<Origin>,
    /// The place of each topic's source in `sources`.
    of_topic: HashMap<Slug, u16>,
}

/// The entries of one format, by number once they are looked for: as many as there are posts, so they lie close.
#[derive(Default)]
struct Sets {
    all: Vec<Set>,
    in_order: bool,
}

/// An entry, and where it is in the spool.
#[derive(Clone, Copy)]
struct Set {
    id: EntryId,
    updated: Stamp,
    at: u32,
    length: u32,
    source: Option<u16>,
}

impl Sets {
    fn push(&mut self, set: Set) {
        self.all.push(set);
        self.in_order = false;
    }

    /// An entry as the first topic that has it wrote it.
    fn find(&mut self, id: EntryId) -> Option<Set> {
        if !self.in_order {
            self.all.sort_by_key(|set| set.id);
            self.all.dedup_by_key(|set| set.id);
            self.in_order = true;
        }
        self.all.binary_search_by_key(&id, |set| set.id).ok().map(|place| self.all[place])
    }
}

struct Origin {
    source: Source,
    /// Whether an entry with it was found good.
    admitted: bool,
}

impl Galley {
    /// An empty one, whose bytes are on the file system of `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        let (atom, json) = (Sets::default(), Sets::default());
        Self { spool: Spool::new(folder), atom, json, sources: Vec::new(), of_topic: HashMap::new() }
    }

    /// Keeps the entries of a topic's document that was found good, which stand in it in this order.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn keep(
        &mut self,
        (format, document): (Format, &[u8]),
        entries: &[Entry],
        site: &Site,
    ) -> Result<(), PublishError> {
        let parts = format.entries(document);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Ok(()) };
        let start = first.start;
        let Some(kept) = self.spool.put(&document[start..last.end])? else { return Ok(()) };
        for (entry, part) in entries.iter().zip(&parts).filter(|(entry, _)| entry.id != EntryId::NEW) {
            let source = entry.topic.as_ref().and_then(|topic| self.source_of(topic, site));
            if entry.topic.is_some() && source.is_none() {
                continue;
            }
            let within = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let (at, length) = (kept + within(part.start - start), within(part.len()));
            let set = Set { id: entry.id, updated: entry.updated, at, length, source };
            if let Some(sets) = self.sets(format) {
                sets.push(set);
            }
        }
        Ok(())
    }

    /// The entries of a format; RSS has no archives.
    fn sets(&mut self, format: Format) -> Option<&mut Sets> {
        match format {
            Format::Atom => Some(&mut self.atom),
            Format::Json => Some(&mut self.json),
            Format::Rss => None,
        }
    }

    /// The place of a topic's source; none where there are too many.
    fn source_of(&mut self, topic: &EntryTopic, site: &Site) -> Option<u16> {
        if let Some(known) = self.of_topic.get(&topic.slug) {
            return Some(*known);
        }
        let number = u16::try_from(self.sources.len()).ok()?;
        self.sources.push(Origin { source: render::source(topic, site)?, admitted: false });
        self.of_topic.insert(topic.slug.clone(), number);
        Some(number)
    }

    /// When the latest of some entries changed, if all of them are here in these formats.
    pub(super) fn updated(&mut self, entries: &[EntryId], formats: &[Format]) -> Option<Stamp> {
        let mut latest = None;
        for format in formats.iter().filter(|format| **format != Format::Rss) {
            for entry in entries {
                latest = latest.max(Some(self.sets(*format)?.find(*entry)?.updated));
            }
        }
        latest
    }

    /// The document of an archive with these entries, which are all here; none where one of them is not good in it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn document(
        &mut self,
        (path, shell): (&str, &Shell),
        entries: &[EntryId],
        with_source: bool,
    ) -> Result<Option<Vec<u8>>, PublishError> {
        let Some(sets) = self.sets(shell.format) else { return Ok(None) };
        let Some(sets): Option<Vec<Set>> = entries.iter().map(|entry| sets.find(*entry)).collect() else {
            return Ok(None);
        };
        let room: usize = sets.iter().map(|set| set.length as usize + 512).sum();
        if room > lint::MAX_SIZE {
            return Ok(None);
        }
        let (mut document, mut bytes) = (shell.begin(room), Vec::new());
        for set in sets {
            bytes.resize(set.length as usize, 0);
            self.spool.read(set.at, &mut bytes)?;
            let source = set.source.filter(|_| with_source && shell.format == Format::Atom);
            let mut origin = source.and_then(|number| self.sources.get_mut(usize::from(number)));
            if let Some(origin) = origin.as_deref_mut().filter(|origin| !origin.admitted) {
                let mut alone = shell.begin(bytes.len());
                shell.push(&mut alone, &bytes, Some(&origin.source));
                let alone = Document { path: path.to_owned(), bytes: shell.end(alone) };
                if lint::admit(&alone).is_err() {
                    return Ok(None);
                }
                origin.admitted = true;
            }
            shell.push(&mut document, &bytes, origin.as_deref().map(|origin| &origin.source));
        }
        Ok(Some(shell.end(document)))
    }
}
