//! A flood: most of what the page lists is new, and most of that is not news.
//!
//! A site that moves or changes its software lists old posts under addresses that nobody knows. Readers would get them
//! all as new. In: the changes of a reading. Out: why it is to be held, if it is. Follows CONTRACT "What a reading can
//! be", row *held*.

use super::Case;
use crate::model::{Changes, Known, Post, Published};
use chrono::NaiveDate;

/// So many posts of the page's own readings must be known before a flood can be told.
const KNOWN: usize = 10;

/// Why a reading is a flood; none where it is not.
pub fn flood(case: &Case<'_>, known: &Known, changes: &Changes) -> Option<String> {
    if case.backlog || known.listing.len() < KNOWN {
        return None;
    }
    let listed = changes.listing.iter().take_while(|l| l.now).count().min(case.reading.posts.len());
    // What earlier readings could not read of the list was no flood then.
    let counts = |post: usize| case.rest.is_none() || post < case.listed();
    let added: Vec<_> = changes.added.iter().filter(|added| counts(added.post)).collect();
    let new = added.len();
    if new * 5 <= listed * 4 {
        return None;
    }
    let newest = known.listing.iter().map(|l| l.day.unwrap_or_else(|| l.published.utc().date_naive())).max()?;
    let undated = known.listing.iter().all(|l| l.day.is_none());
    let is_news = |post: &Post| match post.published.map(Published::day) {
        Some(day) => day >= newest,
        None => undated,
    };
    let news = added.iter().filter(|a| is_news(&case.reading.posts[a.post])).count();
    (news * 2 < new).then(|| told(new, listed, newest))
}

fn told(new: usize, listed: usize, newest: NaiveDate) -> String {
    format!(
        "{new} of {listed} posts are new, and most of them not newer than {newest}: a move rather than news; they are \
         published when three readings over a day agree, or at once by `pagewire refresh --accept` with this page's name"
    )
}
