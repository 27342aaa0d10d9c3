//! A page that lists topic pages: which of its links are proposed to whoever runs this.

use super::filter::Pattern;
use super::key::Key;
use super::reading::Reading;
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

impl Index {
    /// The pages that a reading of the index lists and that are to be proposed, each once, in its order.
    pub fn proposals(&self, reading: &Reading) -> Vec<Proposal> {
        let mut seen = HashSet::new();
        let proposal = |post: &super::post::Post| {
            let address = post.link.clone()?;
            Some(Proposal { key: Key::of(&address), title: post.title.clone(), address })
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
        format!("index\n{}\n{}", text(&self.include), text(&self.exclude))
    }
}
