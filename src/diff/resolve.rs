//! Which entry is each post of a reading? By its keys alone; renames are found later.
//!
//! In: the posts of a reading and the entries to which their keys lead. Out: a [`Seat`] for each different post, in
//! the page's order. Follows CONTRACT "Identity and time", **Key** and **Id**.

use super::meaning::Meaning;
use crate::model::{Asks, EntryId, Key, Known, Page, Post, Reading, SplitBy, fold, number};
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A reading whose posts have their keys.
#[derive(Debug)]
pub struct Keyed<'a> {
    reading: &'a Reading,
    posts: Vec<PostKeys>,
    meanings: Vec<Meaning>,
    /// The addresses that more than one post has.
    shared: HashSet<Key>,
    /// Whether a link key has a fragment.
    fragments: bool,
    /// The keys of guids that different posts have: they tell nothing, in later readings either.
    idle: Vec<Key>,
}

/// The keys that one post's own words give.
#[derive(Debug)]
struct PostKeys {
    /// Of its link, the fragment included.
    link: Option<Key>,
    /// Of its guid, unless another post of the reading has the same.
    guid: Option<Key>,
    /// Where there is neither: of its title.
    text: Option<Key>,
}

impl PostKeys {
    /// Where the post is, as far as it says: at its link, else below its title.
    fn address(&self) -> Option<&Key> {
        self.link.as_ref().or(self.text.as_ref())
    }
}

/// A post with its place: the entry that it is, or the keys that a new one gets.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    /// Its position in the reading.
    pub(super) post: usize,
    /// The positions of posts that nothing tells from it.
    pub(super) same: Vec<usize>,
    /// Its keys; the first makes the id of a new entry.
    pub(super) keys: Vec<Key>,
    /// The entry that it is.
    pub(super) entry: Option<EntryId>,
    /// Whether the first key made another entry's id, so that it can't make this one's.
    pub(super) taken: bool,
}

impl Seat {
    /// Its keys that did not lead to `entry` yet.
    pub(super) fn new_keys(self, known: &Known, entry: EntryId) -> impl Iterator<Item = Key> {
        self.keys.into_iter().filter(move |k| known.by_key.get(k).is_none_or(|e| e.entry != entry))
    }
}

impl<'a> Keyed<'a> {
    /// Gives a reading's posts their keys.
    pub fn new(page: &Page, reading: &'a Reading) -> Self {
        let page_key = page.address.key();
        let mut guids: HashMap<&str, u32> = HashMap::new();
        for guid in reading.posts.iter().filter_map(guid) {
            *guids.entry(guid).or_default() += 1;
        }
        let posts: Vec<PostKeys> = reading
            .posts
            .iter()
            .map(|post| {
                let link = post.link.as_ref().map(Key::of);
                let guid = guid(post).filter(|g| guids[g] == 1).map(|g| Key::of_guid(&page_key, g));
                let titled = || Key::of_text(&page_key, &[&fold(post.title.as_str())]);
                let text = (link.is_none() && guid.is_none()).then(titled);
                PostKeys { link, guid, text }
            })
            .collect();
        let mut seen = HashSet::with_capacity(posts.len());
        let shared = posts.iter().filter_map(PostKeys::address).filter(|k| !seen.insert(*k)).cloned().collect();
        let fragments = posts.iter().filter_map(|p| p.link.as_ref()).any(|k| k.fragment().is_some());
        let meanings = reading.posts.iter().zip(&posts).map(|(post, keys)| Meaning::of(post, keys.link.as_ref()));
        let meanings = meanings.collect();
        let idle = idle_guids(reading).into_iter().map(|guid| Key::of_guid(&page_key, guid)).collect();
        Self { reading, posts, meanings, shared, fragments, idle }
    }

    /// What the posts mean, in the reading's order.
    pub(super) fn meanings(&self) -> &[Meaning] {
        &self.meanings
    }

    /// The different posts of the reading with their keys; the first makes the id of a new entry.
    pub fn keys(&self, known: &Known) -> Vec<(usize, Vec<Key>)> {
        self.resolve(known).into_iter().map(|seat| (seat.post, seat.keys)).collect()
    }

    /// A number for each post's own key: what tells whether two readings list the same posts.
    pub fn numbers(&self) -> Vec<u64> {
        let of = |(keys, post): (&PostKeys, &Post)| {
            let dated = keys.text.as_ref().filter(|title| self.shared.contains(*title)).map(|title| dated(title, post));
            let key = dated.as_ref().or(keys.link.as_ref()).or(keys.guid.as_ref()).or(keys.text.as_ref());
            number(key.map_or("", Key::as_str).as_bytes())
        };
        self.posts.iter().zip(&self.reading.posts).map(of).collect()
    }

    /// What the store is asked first.
    pub fn asks(&self) -> Asks {
        let mut asks = Asks { keys: self.idle.clone(), ..Asks::default() };
        for (keys, post) in self.posts.iter().zip(&self.reading.posts) {
            if let Some(link) = &keys.link {
                if link.fragment().is_some() {
                    asks.keys.push(link.bare());
                    asks.fragments_of.push(link.bare());
                }
                if self.shared.contains(link) {
                    asks.keys.extend(joined_keys(link, post));
                }
                asks.keys.push(link.clone());
            }
            asks.keys.extend(keys.guid.clone());
            if let Some(title) = &keys.text {
                asks.keys.extend([title.clone(), dated(title, post)]);
            }
        }
        asks
    }

    /// What it is asked besides, once it is known which addresses are shared; nothing where none is.
    pub fn asks_of_split(&self, known: &Known) -> Asks {
        let mut asks = Asks::default();
        if !known.split.is_empty() {
            for (keys, post) in self.posts.iter().zip(&self.reading.posts) {
                if let Some(link) = &keys.link {
                    asks.keys.extend(joined_keys(link, post));
                    asks.keys.extend(joined_keys(&link.bare(), post));
                }
            }
        }
        asks
    }

    /// The addresses that this reading finds to be shared and that nobody knew to be.
    pub(super) fn splits(&self, known: &Known) -> Vec<(Key, SplitBy)> {
        let addresses = self.addresses(known);
        let mut found: Vec<(Key, SplitBy)> = self
            .modes(&addresses, known)
            .into_iter()
            .filter(|(address, _)| !known.split.contains_key(*address))
            .map(|(address, by)| (Key::clone(address), by))
            .collect();
        let idle = self.idle.iter().filter(|guid| !known.split.contains_key(*guid));
        found.extend(idle.map(|guid| (guid.clone(), SplitBy::Title)));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    /// The different posts of the reading, in its order, each with the entry that its keys lead to.
    pub(super) fn resolve(&self, known: &Known) -> Vec<Seat> {
        let addresses = self.addresses(known);
        let modes = self.modes(&addresses, known);
        let keeps = self.keepers(&addresses, &modes, known);
        let mut seats: Vec<Seat> = Vec::with_capacity(self.posts.len());
        let mut places: HashMap<Cow<'_, Key>, usize> = HashMap::with_capacity(self.posts.len());
        for (i, keys) in self.posts.iter().enumerate() {
            let post = &self.reading.posts[i];
            let mut own: Vec<Key> = Vec::with_capacity(2);
            let mut kept = None;
            if let Some(address) = addresses[i].as_deref() {
                if let Some(&by) = modes.get(address) {
                    let first =
                        |&j: &usize| addresses[j].as_deref() == Some(address) && alike(&self.reading.posts[j], post);
                    let first = (0..i).find(first).filter(|_| by == SplitBy::Title).unwrap_or(i);
                    own.push(joined(address, by, &self.reading.posts[first]));
                    kept = keeps.get(&first).copied();
                } else {
                    own.push(address.clone());
                    own.extend(keys.link.iter().filter(|k| *k != address).cloned());
                }
            }
            // What several posts had once may be any post's; where there is nothing else it counts all the same.
            own.extend(keys.guid.clone().filter(|guid| own.is_empty() || !known.split.contains_key(guid)));
            // Should its title turn out to be shared, it is known by its date, too.
            own.extend(keys.text.as_ref().map(|title| dated(title, post)));
            own.dedup();
            let entry = kept.or_else(|| own.iter().find_map(|k| known.by_key.get(k)).map(|k| k.entry));
            let place = match addresses[i].as_deref() {
                Some(address) if *address == own[0] => Cow::Borrowed(address),
                _ => Cow::Owned(own[0].clone()),
            };
            match places.entry(place) {
                Entry::Occupied(first) => {
                    let seat: &mut Seat = &mut seats[*first.get()];
                    let more: Vec<Key> = own.into_iter().filter(|k| !seat.keys.contains(k)).collect();
                    seat.keys.extend(more);
                    seat.same.push(i);
                }
                Entry::Vacant(free) => {
                    free.insert(seats.len());
                    seats.push(Seat { post: i, same: Vec::new(), keys: own, entry, taken: false });
                }
            }
        }
        self.part(seats, known)
    }

    /// For each post the key that its link means, or its title where it has none: without the fragment where that names no post of its own.
    fn addresses<'s>(&'s self, known: &Known) -> Vec<Option<Cow<'s, Key>>> {
        if !self.fragments {
            return self.posts.iter().map(|post| post.address().map(Cow::Borrowed)).collect();
        }
        let links = || self.posts.iter().filter_map(|p| p.link.as_ref());
        let bare_listed: HashSet<&Key> = links().filter(|k| k.fragment().is_none()).collect();
        let mut fragments: HashMap<Key, BTreeSet<&str>> = HashMap::new();
        for key in links() {
            if let Some(fragment) = key.fragment() {
                fragments.entry(key.bare()).or_default().insert(fragment);
            }
        }
        let entry = |k: &Key| known.by_key.get(k).map(|e| e.entry);
        let mean = |post: &'s PostKeys| {
            let Some(link) = &post.link else { return post.text.as_ref().map(Cow::Borrowed) };
            if link.fragment().is_none() {
                return Some(Cow::Borrowed(link));
            }
            let bare = link.bare();
            match (entry(link), entry(&bare)) {
                (Some(a), Some(b)) if a == b => return Some(Cow::Owned(bare)),
                (Some(_), _) => return Some(Cow::Borrowed(link)),
                _ => {}
            }
            let mut all = fragments.get(&bare).cloned().unwrap_or_default();
            all.extend(known.fragments.get(&bare).into_iter().flatten().map(String::as_str));
            let is_post = bare_listed.contains(&bare) || entry(&bare).is_some();
            Some(if is_post && all.len() == 1 { Cow::Owned(bare) } else { Cow::Borrowed(link) })
        };
        self.posts.iter().map(mean).collect()
    }

    /// The addresses that several posts share, and what tells those apart.
    fn modes<'k>(&self, addresses: &'k [Option<Cow<'_, Key>>], known: &Known) -> HashMap<&'k Key, SplitBy> {
        if self.shared.is_empty() && !self.fragments && known.split.is_empty() {
            return HashMap::new();
        }
        let all = || addresses.iter().zip(&self.reading.posts).filter_map(|(a, post)| Some((a.as_deref()?, post)));
        let mut seen = HashSet::with_capacity(addresses.len());
        let mut groups: HashMap<&Key, Vec<&Post>> = all()
            .filter(|(address, _)| !seen.insert(*address) || known.split.contains_key(*address))
            .map(|(address, _)| (address, Vec::new()))
            .collect();
        if groups.is_empty() {
            return HashMap::new();
        }
        for (address, post) in all() {
            if let Some(group) = groups.get_mut(address) {
                group.push(post);
            }
        }
        let mode = |(address, posts): (&'k Key, Vec<&Post>)| {
            let by = known.split.get(address).copied().or_else(|| told_apart(&posts))?;
            Some((address, by))
        };
        groups.into_iter().filter_map(mode).collect()
    }

    /// Where an address turns out to be shared: the post that is the entry already known there.
    fn keepers(
        &self,
        addresses: &[Option<Cow<'_, Key>>],
        modes: &HashMap<&Key, SplitBy>,
        known: &Known,
    ) -> HashMap<usize, EntryId> {
        let mut keepers = HashMap::new();
        for address in modes.keys().filter(|a| !known.split.contains_key(**a)) {
            let Some(entry) = known.by_key.get(address).map(|k| k.entry) else { continue };
            let Some(listed) = known.listing.iter().find(|l| l.entry == entry) else { continue };
            let group = || (0..self.posts.len()).filter(|&i| addresses[i].as_deref() == Some(*address));
            let posts = &self.reading.posts;
            let says_so = |i: &usize| self.meanings[*i].said == listed.said;
            let of_its_day = |i: &usize| posts[*i].published.map(crate::model::Published::day) == listed.day;
            // Without links they differ by their days, and may all say the same.
            let linkless = |i: &usize| posts[*i].link.is_none();
            let same = group()
                .find(|i| linkless(i) && of_its_day(i))
                .or_else(|| group().find(says_so))
                .or_else(|| group().find(of_its_day));
            if let Some(i) = same {
                keepers.insert(i, entry);
            }
        }
        keepers
    }

    /// Parts two posts whose different keys lead to one entry (a renamed post beside its old address): the one that
    /// the page lists as before keeps the entry, else the first; the other is new.
    fn part(&self, mut seats: Vec<Seat>, known: &Known) -> Vec<Seat> {
        let mut by_entry: HashMap<EntryId, Vec<usize>> = HashMap::new();
        for (i, seat) in seats.iter().enumerate() {
            if let Some(entry) = seat.entry {
                by_entry.entry(entry).or_default().push(i);
            }
        }
        for (entry, rivals) in by_entry.into_iter().filter(|(_, rivals)| rivals.len() > 1) {
            let said = known.listing.iter().find(|l| l.entry == entry).map(|l| l.said);
            let says = |&&i: &&usize| self.meanings[seats[i].post].said;
            let leads = |&&i: &&usize| known.by_key.get(&seats[i].keys[0]).is_some_and(|k| k.entry == entry);
            let keeper = rivals
                .iter()
                .find(|i| Some(says(i)) == said)
                .or_else(|| rivals.iter().find(leads))
                .copied()
                .unwrap_or(rivals[0]);
            for i in rivals.into_iter().filter(|&i| i != keeper) {
                let seat = &mut seats[i];
                seat.entry = None;
                seat.taken = known.by_key.contains_key(&seat.keys[0]);
                seat.keys.truncate(1);
            }
        }
        seats
    }
}

/// The guids that different posts of a reading have, in order: those with other links, or without links other titles.
fn idle_guids(reading: &Reading) -> BTreeSet<&str> {
    let mut first: HashMap<&str, &Post> = HashMap::new();
    let mut idle = BTreeSet::new();
    for (guid, post) in reading.posts.iter().filter_map(|post| Some((guid(post)?, post))) {
        let other = *first.entry(guid).or_insert(post);
        let differ = match (&other.link, &post.link) {
            (Some(one), Some(other)) => Key::of(one) != Key::of(other),
            _ => other.title != post.title,
        };
        if differ {
            idle.insert(guid);
        }
    }
    idle
}

/// Both keys that a post can have where its address is shared.
fn joined_keys(address: &Key, post: &Post) -> [Key; 2] {
    [joined(address, SplitBy::Guid, post), joined(address, SplitBy::Title, post)]
}

/// The key of a post without a link and a guid whose title others of its page have, too.
fn dated(title: &Key, post: &Post) -> Key {
    joined(title, SplitBy::Title, post)
}

/// The key of a post of a shared address; without a guid, its title and date tell it apart.
fn joined(address: &Key, by: SplitBy, post: &Post) -> Key {
    match (by, guid(post)) {
        (SplitBy::Guid, Some(guid)) => address.joined(SplitBy::Guid, &[guid]),
        _ => address.joined(SplitBy::Title, &[&fold(post.title.as_str()), &date(post)]),
    }
}

/// Whether posts of one address are different posts, and by what.
fn told_apart(posts: &[&Post]) -> Option<SplitBy> {
    let differ =
        |by: fn(&Post, &Post) -> bool| posts.iter().enumerate().any(|(i, a)| posts[..i].iter().any(|b| by(a, b)));
    if posts.len() < 2 {
        None
    } else if posts[0].link.is_some() && differ(|a, b| matches!((guid(a), guid(b)), (Some(a), Some(b)) if a != b)) {
        Some(SplitBy::Guid)
    } else if differ(|a, b| !alike(a, b)) {
        Some(SplitBy::Title)
    } else {
        None
    }
}

/// Whether two posts of one address are one post: not unless both title and date tell them apart. Those without a link
/// have the title in common, and the day tells.
fn alike(a: &Post, b: &Post) -> bool {
    if a.link.is_none() {
        return date(a) == date(b);
    }
    let (Some(one), Some(other)) = (a.published, b.published) else { return true };
    a.title == b.title || one == other
}

fn guid(post: &Post) -> Option<&str> {
    post.guid.as_deref().map(str::trim).filter(|g| !g.is_empty())
}

fn date(post: &Post) -> String {
    post.published.map(|p| p.day().to_string()).unwrap_or_default()
}
