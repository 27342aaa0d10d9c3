//! A combined feed: which of all posts it holds, as `[[feed]]` of the seeds says.

use super::filter::Filter;
use super::slug::Slug;
use super::text::Text;
use std::fmt::{self, Display};

/// A `[[feed]]`: posts that are in any of its topics, and of any of its companies, and of any of its types, and that its
/// filter takes. An empty list does not restrict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combined {
    /// The slug of its feed.
    pub slug: Slug,
    /// What it is called.
    pub title: Text,
    /// Slugs that it had before.
    pub former: Vec<Slug>,
    /// The topics, all of them in the seeds.
    pub topics: Vec<Slug>,
    /// The slugs of companies' feeds, which may not be there yet.
    pub companies: Vec<Slug>,
    /// The slugs of types' feeds, which may not be there yet.
    pub types: Vec<Slug>,
    /// Which of these posts it takes.
    pub filter: Filter,
}

/// What it chooses: the same text for the same choice.
impl Display for Combined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, slugs) in [("topics", &self.topics), ("companies", &self.companies), ("types", &self.types)] {
            let mut slugs: Vec<&str> = slugs.iter().map(Slug::as_str).collect();
            slugs.sort_unstable();
            write!(f, "{name}={};", slugs.join(","))?;
        }
        f.write_str(&self.filter.written())
    }
}
