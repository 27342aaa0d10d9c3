//! The health feed: one post each time a page breaks, recovers, is held or goes stale, or an index lists topic pages that
//! nobody knew, for whoever runs this.
//!
//! In: the journal. Out: documents that are served to the operator and never written to the folder. Their bytes depend on
//! the journal alone, so a reader that has them gets 304.

use super::App;
use crate::clock;
use crate::model::{Act, Deed, Document, Entry, EntryId, Event, Feed, FeedKey, Format, Html, Settings, Site, Text};
use crate::render;
use crate::store::StoreError;
use uuid::Uuid;

/// So many of the newest changes are shown.
const SHOWN: usize = 100;
/// Pages are read at any time, so whoever wants to know asks often; in minutes.
const HEALTH_TTL: u32 = 5;

impl App {
    /// The health feed in every format.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn health(&self) -> Result<Vec<Document>, StoreError> {
        let Settings { site, .. } = self.settings();
        let acts = self.store.health(SHOWN).await?;
        let entries: Vec<Entry> = acts.iter().filter_map(|act| entry(site, act)).collect();
        let feed = Feed {
            key: FeedKey::Health,
            title: Text::line(&format!("{}: health of the pages", site.title)),
            description: Some(Text::line(
                "One post each time a page breaks, recovers, is held or goes stale, or an index lists what is new.",
            )),
            updated: entries.first().map_or(clock::BUILT, |e| e.published),
            ttl: HEALTH_TTL,
            entries,
            ..Feed::default()
        };
        Ok(render::documents(&feed, site, &Format::ALL).collect())
    }
}

/// One change of a page's state.
fn entry(site: &Site, act: &Act) -> Option<Entry> {
    let Event { deed, detail, .. } = act.events.iter().find(|e| e.deed.is_health())?;
    let name = format!("{}\n{}\n{}", act.page, act.at.0, deed.as_str());
    let what = match deed {
        Deed::Held => "is held",
        Deed::Recovered => "is well again",
        Deed::Ended => "ended",
        Deed::Stale => "is stale",
        Deed::Proposed => "lists new topic pages",
        _ => "cannot be read",
    };
    Some(Entry {
        id: EntryId::NEW,
        uid: Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes()).urn().to_string(),
        title: Text::line(&format!("{} {what}", act.page)),
        link: Some(site.address("status")),
        companies: Vec::new(),
        authors: Vec::new(),
        kind: Some(Text::line(deed.as_str())),
        kind_slug: None,
        topic: None,
        summary: Html::escaped(&Text::line(detail)),
        content: Html::default(),
        enclosures: Vec::new(),
        dated: None,
        first_seen: act.at,
        published: act.at,
        updated: act.at,
        position: 0,
        revision: 0,
    })
}
