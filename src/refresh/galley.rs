//! Entries as one round of publishing wrote and checked them, for the archives that hold them too.
//!
//! A post is in the archives of everything, its companies, its type and maybe its topic: at a first refresh, archives are
//! most of what is written. In: documents of topics that were found good. Out: documents of archives, put together from
//! their entries. What is not here is written as everything else is.

use crate::lint;
use crate::model::{Document, Entry, EntryId, EntryTopic, Format, Site, Slug, Stamp};
use crate::publish::{PublishError, Spool};
use crate::render::{self, Shell, Source};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Entries that are written.
pub(super) struct Galley {
    spool: Spool,
    set: BTreeMap<EntryId, Set>,
    sources: Vec<Origin>,
    /// The place of each topic's source in `sources`.
    of_topic: HashMap<Slug, u16>,
}

/// Where an entry is.
struct Set {
    updated: Stamp,
    atom: Place,
    json: Place,
    source: Option<u16>,
}

/// Where bytes are in the spool; none at the length 0.
#[derive(Clone, Copy, Default)]
struct Place {
    at: u32,
    length: u32,
}

struct Origin {
    source: Source,
    /// Whether an entry with it was found good.
    admitted: bool,
}

impl Set {
    fn place(&mut self, format: Format) -> Option<&mut Place> {
        match format {
            Format::Atom => Some(&mut self.atom),
            Format::Json => Some(&mut self.json),
            Format::Rss => None,
        }
    }
}

impl Galley {
    /// An empty one, whose bytes are on the file system of `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        let (set, sources, of_topic) = (BTreeMap::new(), Vec::new(), HashMap::new());
        Self { spool: Spool::new(folder), set, sources, of_topic }
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
            let place = Place { at: kept + within(part.start - start), length: within(part.len()) };
            let set = self.set.entry(entry.id).or_insert_with(|| Set {
                updated: entry.updated,
                atom: Place::default(),
                json: Place::default(),
                source,
            });
            if let Some(of_format) = set.place(format) {
                *of_format = place;
            }
        }
        Ok(())
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
    pub(super) fn updated(&self, entries: &[EntryId], formats: &[Format]) -> Option<Stamp> {
        let wants = |format| formats.contains(&format);
        let of = |entry| {
            let set: &Set = self.set.get(entry)?;
            let has = (!wants(Format::Atom) || set.atom.length > 0) && (!wants(Format::Json) || set.json.length > 0);
            has.then_some(set.updated)
        };
        entries.iter().map(of).try_fold(None, |latest, updated| Some(latest.max(Some(updated?))))?
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
        let places = entries.iter().filter_map(|entry| self.set.get_mut(entry)?.place(shell.format).copied());
        let room: usize = places.map(|place| place.length as usize + 512).sum();
        if room > lint::MAX_SIZE {
            return Ok(None);
        }
        let (mut document, mut bytes) = (shell.begin(room), Vec::new());
        for entry in entries {
            let Some(set) = self.set.get_mut(entry) else { return Ok(None) };
            let Some(place) = set.place(shell.format).copied() else { return Ok(None) };
            bytes.resize(place.length as usize, 0);
            self.spool.read(place.at, &mut bytes)?;
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
