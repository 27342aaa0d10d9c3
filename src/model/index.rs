//! A page that lists topic pages: which of its links are proposed to whoever runs this, or followed.

use super::filter::{Filter, Pattern};
use super::key::Key;
use super::page::{Address, Page, Topic};
use super::reading::Reading;
use super::settings::Settings;
use super::slug::Slug;
use super::text::Text;
use std::collections::HashSet;
use url::Url;

/// `[[index]]`: a page whose links lead to topic pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    /// What must be found in a link's title or address; none: nothing must.
    pub include: Option<Pattern>,
    /// What must not.
    pub exclude: Option<Pattern>,
    /// Whether what it lists is followed.
    pub follow: bool,
}

/// A topic page that is followed because an index lists it, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    /// The address of the index.
    pub index: String,
    /// Under which name.
    pub slug: Slug,
    /// The page.
    pub page: Proposal,
}

/// A topic page that an index lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What tells it from others, whatever scheme or ending its address has.
    pub key: Key,
    /// What the index calls it.
    pub title: Text,
    /// Where it is.
    pub address: Url,
}

impl Proposal {
    /// The page at an address, whatever part of it the link leads to: a page is its address.
    pub fn new(title: Text, address: Url) -> Self {
        let address = Address::new(address);
        Self { key: address.key(), title, address: address.url().clone() }
    }
}

impl Settings {
    /// These settings with the topics that indexes lead to, after all others. What the seeds say wins: a page that they
    /// list is no lead, a slug that they give is theirs, and an index that is gone, follows no more or excludes a page
    /// leads there no more.
    #[must_use]
    pub fn led(mut self, leads: Vec<Lead>) -> Self {
        let mut pages: HashSet<Key> = self.pages.iter().map(|page| page.address.key()).collect();
        let former = self.topics.iter().flat_map(|topic| topic.former.iter().chain([&topic.slug]));
        let mut slugs: HashSet<Slug> = former.cloned().collect();
        for Lead { index, slug, page } in leads {
            let of_it = |known: &&Page| known.address.url().as_str() == index;
            let index = self.pages.iter().find(of_it).and_then(|known| known.index.as_ref());
            let leads = index.is_some_and(|index| index.follow && index.takes(&page));
            let beside = slug.beside(page.title.as_str());
            let Some(slug) = [slug, beside].into_iter().find(|slug| !slugs.contains(slug)) else { continue };
            if !leads || !pages.insert(page.key) {
                continue;
            }
            slugs.insert(slug.clone());
            self.pages.push(Page {
                address: Address::new(page.address),
                former: Vec::new(),
                topics: vec![self.topics.len()],
                companies: Vec::new(),
                index: None,
                settings: self.page_settings(),
            });
            self.topics.push(Topic {
                slug,
                title: None,
                former: Vec::new(),
                filter: Filter::default(),
                language: None,
                retired: None,
            });
        }
        self
    }
}

impl Index {
    /// So many pages of one index are followed; what it lists beyond is proposed.
    pub const MOST: usize = 500;

    /// The pages that a reading of the index lists and that are to be proposed, each once, in its order.
    pub fn proposals(&self, reading: &Reading) -> Vec<Proposal> {
        let mut seen = HashSet::new();
        let proposal = |post: &super::post::Post| {
            let address = post.link.clone()?;
            is_web(&address).then(|| Proposal::new(post.title.clone(), address))
        };
        let listed = reading.posts.iter().filter_map(proposal);
        listed.filter(|one| self.takes(one)).filter(|one| seen.insert(one.key.clone())).collect()
    }

    fn takes(&self, one: &Proposal) -> bool {
        let is_in = |pattern: &Pattern| pattern.is_in(&one.title) || pattern.is_in(&Text::line(one.address.as_str()));
        self.include.as_ref().is_none_or(is_in) && !self.exclude.as_ref().is_some_and(is_in)
    }

    /// The same text for the same choice.
    pub(super) fn written(&self) -> String {
        let text = |pattern: &Option<Pattern>| pattern.as_ref().map(ToString::to_string).unwrap_or_default();
        let follow = if self.follow { "\nfollow" } else { "" };
        format!("index\n{}\n{}{follow}", text(&self.include), text(&self.exclude))
    }
}

/// Whether an address is one of the web: no index of another's may have files read.
fn is_web(address: &Url) -> bool {
    matches!(address.scheme(), "http" | "https") && address.has_host()
}
