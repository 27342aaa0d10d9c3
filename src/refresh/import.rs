//! A feed that somebody follows elsewhere, into the ledger of a topic: a move to pagewire announces nothing twice.
//!
//! In: the reading of a feed, and a topic that was not published yet. Out: entries with the feed's own ids and dates, in
//! the topic's feed at once. What a page of the topic lists of them later gets its text, companies and type from there,
//! which is no news; the others stay as they came.

use super::{App, name};
use crate::diff::Keyed;
use crate::model::{Key, Known, Page, Post, Published, Reading, Refused, Stamp};
use crate::store::{Import, StoreError};
use chrono::NaiveTime;

/// A day is shown at 10:00 UTC, as everywhere.
const TEN: NaiveTime = NaiveTime::from_hms_opt(10, 0, 0).expect("it is a time");

impl App {
    /// Takes over a feed's posts, and returns how many there were that nobody knew.
    ///
    /// # Errors
    /// [`Refused`] where there is no such topic, or it has posts already; the inner error is the state's.
    pub async fn import(
        &self,
        topic: &str,
        reading: &Reading,
        now: Stamp,
    ) -> Result<Result<usize, Refused>, StoreError> {
        let Some(index) = self.settings.topics.iter().position(|t| t.slug.as_str() == topic) else {
            return Ok(Err(Refused::Unknown(name::unknown(&self.settings, topic))));
        };
        let Some(first) = self.settings.pages.iter().position(|page| page.topics.contains(&index)) else {
            return Ok(Err(Refused::Failed(format!("the topic `{topic}` has no page"))));
        };
        let posts = imports(&self.settings.pages[first], reading, now);
        let done = self.store.import(&self.registered, index, self.registered.pages[first], &posts, now).await?;
        Ok(done.ok_or_else(|| {
            Refused::Failed(format!(
                "the topic `{topic}` has posts already, whose ids and dates never change: import a feed before the \
                 topic's first reading, or into a new topic"
            ))
        }))
    }
}

/// The posts of a feed as entries.
fn imports(page: &Page, reading: &Reading, now: Stamp) -> Vec<Import> {
    let mut own = now;
    let mut time = |said: Option<Published>| {
        let at = said.map(|said| match said {
            Published::Instant(t) => Stamp(t.timestamp()),
            Published::Day(day) => Stamp(day.and_time(TEN).and_utc().timestamp()),
        });
        at.filter(|at| *at <= now).unwrap_or_else(|| {
            own = own.plus(-1);
            own
        })
    };
    let import = |(post, keys): (usize, Vec<Key>)| {
        let post = &reading.posts[post];
        // Of what readers know a post by, the first that the feed has.
        let guid = post.guid.as_deref().map(str::trim).filter(|guid| !guid.is_empty()).map(str::to_owned);
        let uid =
            guid.or(post.link.as_ref().map(ToString::to_string)).unwrap_or_else(|| format!("https://{}", keys[0]));
        let published = time(post.published);
        Import { post: Post { companies: Vec::new(), kind: None, ..post.clone() }, uid, keys, published }
    };
    Keyed::new(page, reading).keys(&Known::default()).into_iter().map(import).collect()
}
