//! Who publishes posts, as the configuration knows them, and when two names are one.

use super::slug::{Slug, name_key};
use super::text::Text;
use std::fmt;

/// A name in the form in which two spellings of it are equal: NFKC, case folded, white space collapsed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(String);

impl NameKey {
    /// The key of a name.
    pub fn of(name: &str) -> Self {
        Self(name_key(name))
    }

    /// The key as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A `[[company]]` of the seeds: its feed's slug and title, and the other names and links under which pages know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanySeed {
    /// The slug of its feed.
    pub slug: Slug,
    /// What its feed is called; also a name of it.
    pub title: Text,
    /// Other names, or addresses (`https://…`) of its page.
    pub aliases: Vec<String>,
}
