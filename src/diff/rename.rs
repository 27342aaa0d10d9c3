//! Which unknown posts are old ones at another address.
//!
//! In: posts that no key knows and entries that the page listed and lists no more. Out: pairs. Follows CONTRACT
//! "Identity and time", **Rename**. One to one, best first; a tie is no rename.

use super::meaning::{self, Meaning};
use super::resolve::Seat;
use crate::model::{EntryId, Known, Missing, Post, Published, Reading, fold};
use std::collections::{HashMap, HashSet};

/// The largest distance of two titles that are nearly equal: one edit in ten characters (Damerau–Levenshtein).
const NEARLY: f64 = 0.9;
/// How many pairs with equal titles make a redesign, in which undated ones are believed too: dated or not, they show
/// that the page moved its posts.
const REDESIGN: usize = 3;
/// Above so many pairs titles are only compared for equality: the distance is quadratic, and pages can be hostile.
const MOST_PAIRS: usize = 4_096;
/// Titles are compared up to here.
const MOST_CHARS: usize = 300;

/// How well two fit, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The same original link, which no third post has.
    Original,
    /// Equal titles and the same long summary on the same day.
    Same,
    /// Equal titles on the same day.
    Title,
    /// Nearly equal titles on the same day; in thousandths of difference.
    Near(u32),
    /// The same long summary on the same day.
    Summary,
    /// Equal titles, a date missing.
    Undated,
}

/// One possible rename.
struct Pair {
    fit: Fit,
    seat: usize,
    missing: usize,
}

/// The seats that are renamed entries.
pub(super) fn renames(
    reading: &Reading,
    meanings: &[Meaning],
    seats: &[Seat],
    known: &Known,
    missing: &[Missing],
) -> Vec<(usize, EntryId)> {
    let new: Vec<usize> = (0..seats.len()).filter(|&i| seats[i].entry.is_none()).collect();
    if new.is_empty() || missing.is_empty() {
        return Vec::new();
    }
    let summaries = Counts::new(meanings.iter().map(|m| m.summary).chain(known.listing.iter().map(|l| l.summary)));
    let originals = Counts::new(meanings.iter().map(|m| m.original).chain(known.listing.iter().map(|l| l.original)));
    let measure = new.len() * missing.len() <= MOST_PAIRS;
    let olds: Vec<Old<'_>> = missing.iter().map(Old::new).collect();
    let mut pairs = Vec::new();
    for seat in new {
        let post = seats[seat].post;
        let new = Fresh::new(&reading.posts[post], meanings[post]);
        for (missing, old) in olds.iter().enumerate() {
            if let Some(fit) = fit(&new, old, &summaries, &originals, measure) {
                pairs.push(Pair { fit, seat, missing });
            }
        }
    }
    let mut chosen = best_first(pairs);
    let moved = chosen.iter().filter(|p| matches!(p.fit, Fit::Same | Fit::Title | Fit::Undated)).count();
    chosen.retain(|p| p.fit != Fit::Undated || moved >= REDESIGN);
    chosen.into_iter().map(|p| (p.seat, missing[p.missing].entry.id)).collect()
}

/// A post and an entry in the form in which they are compared.
struct Fresh<'a> {
    post: &'a Post,
    title: String,
    companies: Vec<crate::model::NameKey>,
    meaning: Meaning,
}

struct Old<'a> {
    missing: &'a Missing,
    title: String,
    companies: Vec<crate::model::NameKey>,
}

impl<'a> Fresh<'a> {
    fn new(post: &'a Post, meaning: Meaning) -> Self {
        Self {
            post,
            title: fold(post.title.as_str()).into_owned(),
            companies: meaning::companies(post.companies.iter().map(|c| c.name.as_str())),
            meaning,
        }
    }
}

impl<'a> Old<'a> {
    fn new(missing: &'a Missing) -> Self {
        Self {
            missing,
            title: fold(missing.entry.title.as_str()).into_owned(),
            companies: meaning::companies(missing.entry.companies.iter().map(|c| c.name.as_str())),
        }
    }
}

fn fit(new: &Fresh<'_>, old: &Old<'_>, summaries: &Counts, originals: &Counts, measure: bool) -> Option<Fit> {
    let Meaning { summary, original, .. } = new.meaning;
    if original != 0 && original == old.missing.listed.original && originals.are_two(original) {
        return Some(Fit::Original);
    }
    if new.companies != old.companies || !old.missing.listed.now {
        return None;
    }
    let (Some(a), Some(b)) = (new.post.published, old.missing.entry.dated) else {
        return (new.title == old.title).then_some(Fit::Undated);
    };
    if !same_date(a, b) {
        return None;
    }
    if new.title == old.title {
        let same = summary != 0 && summary == old.missing.listed.summary;
        return Some(if same { Fit::Same } else { Fit::Title });
    }
    if measure && let Some(thousandths) = nearly(&new.title, &old.title) {
        return Some(Fit::Near(thousandths));
    }
    let telling = summary != 0 && summary == old.missing.listed.summary && summaries.are_two(summary);
    telling.then_some(Fit::Summary)
}

/// Two times are the same; a day and a time are where the time is on that day.
fn same_date(a: Published, b: Published) -> bool {
    match (a, b) {
        (Published::Instant(a), Published::Instant(b)) => a == b,
        _ => a.day() == b.day(),
    }
}

/// How far two titles differ, in thousandths, where that is at most one in ten and they hold the same numbers.
fn nearly(a: &str, b: &str) -> Option<u32> {
    let (a, b): (String, String) = (a.chars().take(MOST_CHARS).collect(), b.chars().take(MOST_CHARS).collect());
    let (long, short) = (a.chars().count().max(b.chars().count()), a.chars().count().min(b.chars().count()));
    if (long - short) * 10 > long || numbers(&a) != numbers(&b) {
        return None;
    }
    let alike = strsim::normalized_damerau_levenshtein(&a, &b);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
    (alike >= NEARLY).then(|| ((1.0 - alike) * 1000.0).round() as u32)
}

/// The numbers in a title: "Part 1" and "Part 2" are two posts however alike they are.
fn numbers(s: &str) -> Vec<&str> {
    s.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).collect()
}

/// How many posts have each of some numbers, of those listed now and those known of the page.
struct Counts(HashMap<u64, u32>);

impl Counts {
    fn new(numbers: impl Iterator<Item = u64>) -> Self {
        let mut count: HashMap<u64, u32> = HashMap::new();
        for number in numbers {
            *count.entry(number).or_default() += 1;
        }
        Self(count)
    }

    /// Whether only the two that are compared have it.
    fn are_two(&self, number: u64) -> bool {
        self.0.get(&number) == Some(&2)
    }
}

/// Takes pairs from the best on. Where the best pair of a post or an entry is not its only one as good, it has none.
fn best_first(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_by_key(|p| (p.fit, p.seat, p.missing));
    let (mut seats, mut missing) = (HashSet::new(), HashSet::new());
    let mut chosen = Vec::new();
    let mut rest = pairs.into_iter().peekable();
    while let Some(fit) = rest.peek().map(|p| p.fit) {
        let mut equal = Vec::new();
        while let Some(pair) = rest.next_if(|p| p.fit == fit) {
            if !seats.contains(&pair.seat) && !missing.contains(&pair.missing) {
                equal.push(pair);
            }
        }
        let (mut of_seat, mut of_missing) = (HashMap::new(), HashMap::new());
        for pair in &equal {
            *of_seat.entry(pair.seat).or_insert(0) += 1;
            *of_missing.entry(pair.missing).or_insert(0) += 1;
        }
        for pair in equal {
            let sole = (of_seat[&pair.seat], of_missing[&pair.missing]) == (1, 1);
            if of_seat[&pair.seat] > 1 || sole {
                seats.insert(pair.seat);
            }
            if of_missing[&pair.missing] > 1 || sole {
                missing.insert(pair.missing);
            }
            if sole {
                chosen.push(pair);
            }
        }
    }
    chosen
}
