//! A reading against what is known: which posts are new, which are old ones that moved or changed, and whether the
//! reading can be believed at all.
//!
//! In: a [`Reading`], what the store knows about its keys, and the time of the reading. Out: [`Changes`], which the
//! store applies in one transaction. Pure: no I/O, no clock, no randomness; the same input gives the same answer.
//! Follows CONTRACT "Identity and time" and "What a reading can be".
//!
//! The steps, in this order: which entry is each post (`resolve`), which unknown posts are renamed old ones
//! (`rename`), what the page changed its mind about (`meaning`), and how new ones are dated (`date`).
//! Whether the whole is a [`flood`] is judged last, since a renamed post is not new.

mod date;
mod flood;
mod meaning;
mod rename;
mod resolve;
mod stale;

pub use flood::flood;
pub use resolve::Keyed;
pub use stale::{LEAST_SILENCE, stale_at};

use crate::model::{
    Added, Changes, Edited, EntryId, ErrorKind, Failure, Joined, Key, Known, KnownEntry, Late, Listed, Missing, Page,
    PageId, PageState, Post, Reading, Stamp, Warning, WarningKind, fold,
};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Everything that the judgement of one reading needs.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The page as configured.
    pub page: &'a Page,
    /// Its number.
    pub id: PageId,
    /// What is known of its polls.
    pub state: &'a PageState,
    /// What it says now.
    pub reading: &'a Reading,
    /// The time of the reading, one for all pages of a round.
    pub now: Stamp,
    /// Whether its new posts are no news: a first reading, the first under other settings, or one that was held.
    pub backlog: bool,
    /// Whether somebody says that what a guard would keep back is right.
    pub accept: bool,
    /// How many of the reading's posts, the last ones, stand on further pages of the list. The next reading will not
    /// have these, so they do not count as listed.
    pub further: usize,
    /// Set where these are what earlier readings could not read.
    pub rest: Option<Rest>,
}

/// What earlier readings of a list left unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// Whether that was of a backlog reading.
    pub history: bool,
}

impl Case<'_> {
    /// How many posts the page itself lists.
    fn listed(&self) -> usize {
        self.reading.posts.len().saturating_sub(self.further)
    }

    /// Whether a post of the reading, given by its position, is no news where it is new.
    pub fn is_history(&self, post: usize) -> bool {
        self.backlog || post >= self.listed() && self.rest.is_some_and(|rest| rest.history)
    }
}

/// Whether the reading is one of this page at all; judged before anything is looked up.
///
/// # Errors
/// `empty` where the page had posts before, `not-a-topic-page` where it is another kind of document than before or has
/// nothing of a list about it.
pub fn admit(case: &Case<'_>) -> Result<(), Failure> {
    let Case { state, reading, .. } = case;
    if !case.backlog && state.kind.is_some_and(|k| k != reading.kind) {
        let was = state.kind.map_or("", |k| k.as_str());
        let message = format!(
            "the page was {was} and is {} now; if it moved on purpose, say `kind = \"{}\"` in the seeds",
            reading.kind.as_str(),
            reading.kind.as_str()
        );
        return Err(Failure::new(ErrorKind::NotATopicPage, message));
    }
    if !reading.posts.is_empty() || reading.filtered > 0 {
        return Ok(());
    }
    if state.posts > 0 && !case.accept {
        let message = format!("no posts where there were {}; the feeds stay as they are", state.posts);
        return Err(Failure::new(ErrorKind::Empty, message));
    }
    if !reading.list && !case.accept {
        return Err(Failure::new(ErrorKind::NotATopicPage, "the document lists no posts and has no empty list either"));
    }
    Ok(())
}

/// The entries whose texts `diff` needs: those that the page listed last and lists no more, where unknown posts could be
/// them under another address, and those that it ever listed with an unknown post's original link.
pub fn wanted(keyed: &Keyed<'_>, known: &Known) -> Vec<EntryId> {
    if known.listing.is_empty() {
        return Vec::new();
    }
    let seats = keyed.resolve(known);
    let originals: HashSet<u64> =
        seats.iter().filter(|s| s.entry.is_none()).map(|s| keyed.meanings()[s.post].original).collect();
    if originals.is_empty() {
        return Vec::new();
    }
    let present: HashSet<EntryId> = seats.iter().filter_map(|s| s.entry).collect();
    let may_be = |l: &&Listed| l.now || l.original != 0 && originals.contains(&l.original);
    known.listing.iter().filter(may_be).map(|l| l.entry).filter(|entry| !present.contains(entry)).collect()
}

/// What a reading changes.
pub fn diff(case: &Case<'_>, keyed: &Keyed<'_>, known: &Known, missing: &[Missing]) -> Changes {
    let mut seats = keyed.resolve(known);
    let renamed = rename::renames(case.reading, keyed.meanings(), &seats, known, missing);
    for (seat, entry) in &renamed {
        seats[*seat].entry = Some(*entry);
    }
    let past: HashMap<EntryId, &Listed> = known.listing.iter().map(|l| (l.entry, l)).collect();
    let entries: HashMap<EntryId, &KnownEntry> = known.by_key.values().map(|k| (k.entry, k)).collect();
    let merged = merged(case.reading, keyed.meanings(), &seats);
    let mut changes = Changes { renamed: renamed.into_iter().map(|(_, entry)| entry).collect(), ..Changes::default() };
    changes.listing.reserve(seats.len());
    let mut dater = date::Dater::new(case, known);
    let dates = dater.published(&seats);
    let missing: HashMap<EntryId, &Missing> = missing.iter().map(|m| (m.entry.id, m)).collect();
    for (seat, published) in seats.into_iter().zip(dates) {
        let post = &case.reading.posts[seat.post];
        let meaning = keyed.meanings()[seat.post];
        let Some(entry) = seat.entry else {
            let published = published.unwrap_or_else(|| dater.own_time());
            changes
                .listing
                .push(Listed { now: seat.post < case.listed(), ..listed(EntryId::NEW, post, meaning, published) });
            changes.added.push(added(case, seat, published));
            continue;
        };
        let owner = entries.get(&entry).copied();
        let published =
            owner.map(|k| k.published).or(missing.get(&entry).map(|m| m.entry.published)).unwrap_or(case.now);
        let prior = past.get(&entry).copied();
        let is = listed(entry, post, meaning, published);
        // What its own page said of its article is not taken back by a list that says nothing.
        let original = if is.original == 0 { prior.map_or(0, |prior| prior.original) } else { is.original };
        changes.listing.push(Listed { now: seat.post < case.listed(), original, ..is });
        let seat_post = seat.post;
        changes.keys.extend(seat.new_keys(known, entry).map(|k| (k, entry)));
        if owner.is_some_and(|k| k.hollow) {
            changes.edited.push(Edited { entry, post: seat_post, updated: None });
            changes.joined.push(Joined { entry, entered: published });
            changes.returned.extend(prior.filter(|p| !p.now).map(|_| entry));
            continue;
        }
        match prior {
            None => changes
                .joined
                .push(Joined { entry, entered: if case.is_history(seat_post) { published } else { case.now } }),
            Some(prior) => {
                if !prior.now && seat_post < case.listed() {
                    changes.returned.push(entry);
                }
                if case.backlog {
                    // The page may be in a topic that it was not in.
                    changes.joined.push(Joined { entry, entered: published });
                }
                let ours = owner.is_none_or(|k| k.owner == case.id || !k.owner_lists);
                if prior.said != meaning.said && ours {
                    let updated = (!case.backlog).then(|| dater.own_time());
                    changes.updated += u32::from(updated.is_some());
                    changes.edited.push(Edited { entry, post: seat_post, updated });
                } else if owner.is_some_and(|k| k.owner == case.id && moved(k.link.as_deref(), post.link.as_ref())) {
                    changes.edited.push(Edited { entry, post: seat_post, updated: None });
                }
            }
        }
    }
    changes.split = keyed.splits(known);
    absences(case, known, &mut changes);
    changes.warnings.extend(merged);
    changes
}

/// Why an HTML reading is none of the page: it has none of the posts of the last one, and another list than that.
pub fn another_list(case: &Case<'_>, changes: &Changes) -> Option<Failure> {
    let shapes = case.state.server.shape.zip(case.reading.shape);
    let is_other = shapes.is_some_and(|(was, is)| was != is) && !case.backlog && !case.accept;
    (is_other && changes.nothing_left).then(|| {
        let message = "the list of posts is gone, and another list on the page has none of them; if that is the page's new \
                       form, `pagewire refresh --accept PAGE` takes it, and `item` in the seeds says which list is meant";
        Failure::new(ErrorKind::NotATopicPage, message)
    })
}

/// A warning where posts of different titles without dates are one, since they share an address and nothing else tells
/// them apart. One with a date is more likely the same post listed again, as "Read more" or among the featured ones.
/// Without links, it is those of one title and day that say something else.
fn merged(reading: &Reading, meanings: &[meaning::Meaning], seats: &[resolve::Seat]) -> Option<Warning> {
    let title = |post: usize| reading.posts[post].title.as_str();
    let undated = |post: usize| reading.posts[post].published.is_none();
    let linkless = |post: usize| reading.posts[post].link.is_none();
    let retold = |a: usize, b: usize| fold(title(a)).to_lowercase() != fold(title(b)).to_lowercase();
    let differs = |a: usize, b: usize| {
        if linkless(a) { meanings[a].said != meanings[b].said } else { undated(a) && undated(b) && retold(a, b) }
    };
    let pairs = || seats.iter().flat_map(|seat| seat.same.iter().map(|&same| (seat.post, same)));
    let mut lost = pairs().filter(|&(kept, same)| differs(kept, same));
    let (kept, first) = lost.next()?;
    let more = match lost.count() {
        0 => String::new(),
        n => format!(", and {n} more likewise"),
    };
    let (first, kept, linkless) = (title(first), title(kept), linkless(first));
    let message = if linkless {
        format!("another `{first}` is left out{more}: it has the title and day of one before it, and no link or guid")
    } else {
        format!("`{first}` is left out{more}: it has the address of `{kept}`, and no guid or date tells them apart")
    };
    Some(Warning::new(WarningKind::Item, message))
}

/// The new entry of a post that nobody knew.
fn added(case: &Case<'_>, seat: resolve::Seat, published: Stamp) -> Added {
    let linked = case.reading.posts[seat.post].link.is_some();
    let uid = uid(&seat.keys[0], linked && !seat.taken);
    // Without a link the first entry has what a second one with a link gets.
    let turn = seat.taken.then_some(if linked { 1 } else { 2 });
    let news = !case.is_history(seat.post);
    let entered = if news { case.now } else { published };
    Added { uid, turn, keys: seat.keys, published, entered, news, post: seat.post }
}

/// The id of an entry: `https://` and its first key, or a name-based UUID over it where that is no address of its own.
fn uid(key: &Key, own_address: bool) -> String {
    if own_address {
        return ["https://", key.as_str()].concat();
    }
    key.urn(1)
}

fn listed(entry: EntryId, post: &Post, meaning: meaning::Meaning, published: Stamp) -> Listed {
    let day = post.published.map(crate::model::Published::day);
    let meaning::Meaning { said, summary, original } = meaning;
    Listed { entry, now: true, missed: false, said, summary, original, day, published }
}

/// Whether a link with the same key is another address all the same: moved to https, to another host or ending.
/// What only differs in its query or fragment (tracking, signatures) is left as it was, or every poll would rewrite.
fn moved(was: Option<&str>, is: Option<&Url>) -> bool {
    let (Some(was), Some(is)) = (was.and_then(|w| Url::parse(w).ok()), is) else { return false };
    (was.scheme(), was.host(), was.port(), was.path()) != (is.scheme(), is.host(), is.port(), is.path())
}

/// What the reading no longer lists, and the warnings that follow from it.
fn absences(case: &Case<'_>, known: &Known, changes: &mut Changes) {
    let here: HashSet<EntryId> = changes.listing.iter().map(|l| l.entry).collect();
    // A fall is measured at what the last reading really listed: what an earlier one left out cannot leave once more,
    // and goes with the first reading that is no fall itself.
    let before = known.listing.iter().filter(|l| l.now && !l.missed).count();
    let left: Vec<&Listed> = known.listing.iter().filter(|l| l.now && !here.contains(&l.entry)).collect();
    let gone = left.iter().filter(|l| !l.missed).count();
    // In a backlog reading it is other settings that leave posts out, or several readings agreed.
    changes.shrunk = gone * 2 > before && !case.accept && !case.backlog;
    if changes.shrunk {
        let message = format!(
            "{gone} of {before} posts left at once; they stay listed until the next change of the page leaves them out too"
        );
        changes.warnings.push(Warning::new(WarningKind::Shrunk, message));
    } else {
        changes.delisted = left.into_iter().map(|l| l.entry).collect();
    }
    changes.nothing_left = before > 0 && gone == before;
    if changes.nothing_left && !case.backlog {
        let message = "nothing in common with the last reading: posts in between may be missing; poll more often";
        changes.warnings.push(Warning::new(WarningKind::Gap, message));
    }
    let posts = case.listed();
    changes.count_fits = case.reading.stated == u32::try_from(posts).ok();
    if let Some(stated) = case.reading.stated
        && !changes.count_fits
        && case.state.count_fitted
    {
        let message = format!("the page says {stated} posts and lists {posts}");
        changes.warnings.push(Warning::new(WarningKind::Count, message));
    }
    changes.warnings.extend(case.reading.problems.iter().cloned());
    let keep = changes.shrunk;
    let past = known.listing.iter().filter(|l| !here.contains(&l.entry)).copied();
    changes.listing.extend(past.map(|l| Listed { now: l.now && keep, missed: l.now && keep, ..l }));
}

/// Whether a late addition is dated as first seen.
fn late_counts(page: &Page) -> bool {
    page.settings.late == Late::FirstSeen
}
