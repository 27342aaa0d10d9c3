//! Which posts of its pages a topic takes, and of all posts a combined feed: `include` and `exclude` of the seeds.
//!
//! Each is one regular expression, searched in the title, the companies, the type and the authors, or one for some of
//! these. A post is taken if all that `include` gives are found in it, and nothing that `exclude` gives is. Expressions
//! are those of the `regex` crate, whose time grows with the text only; `(?i)` in front lets case not count.

use super::company::CompanySeed;
use super::page::{Page, Topic};
use super::post::{Company, Post};
use super::reading::Reading;
use super::text::Text;
use regex::Regex;
use std::fmt::{self, Write};

/// A regular expression; two are equal if they are written alike.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads one.
    ///
    /// # Errors
    /// Says what is wrong with it, in one line.
    pub fn new(text: &str) -> Result<Self, String> {
        let last = |e: regex::Error| {
            let told = e.to_string();
            let why = told.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            why.trim().trim_start_matches("error: ").to_owned()
        };
        Regex::new(text).map(Self).map_err(last)
    }

    pub(super) fn is_in(&self, text: &Text) -> bool {
        self.0.is_match(text.as_str())
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// Expressions and where they are searched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms(Vec<(&'static str, Pattern)>);

impl Terms {
    /// Where an expression of its own may be searched.
    pub const KEYS: [&'static str; 4] = ["title", "company", "type", "author"];

    /// One that is searched everywhere.
    pub fn anywhere(pattern: Pattern) -> Self {
        Self(vec![("", pattern)])
    }

    /// Adds one that is searched in one part.
    pub fn add(&mut self, key: &'static str, pattern: Pattern) {
        self.0.push((key, pattern));
    }

    fn found(&self, post: &Post) -> impl Iterator<Item = bool> {
        self.0.iter().map(|(key, pattern)| {
            let is = |k: &str| key.is_empty() || *key == k;
            is("title") && pattern.is_in(&post.title)
                || is("company") && post.companies.iter().any(|c| pattern.is_in(&c.name))
                || is("type") && post.kind.as_ref().is_some_and(|kind| pattern.is_in(kind))
                || is("author") && post.authors.iter().any(|author| pattern.is_in(author))
        })
    }
}

/// What a topic takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// What must be found; nothing given: everything is taken.
    pub include: Terms,
    /// What must not.
    pub exclude: Terms,
}

impl Filter {
    /// Whether a post is taken.
    pub fn takes(&self, post: &Post) -> bool {
        self.include.found(post).all(|found| found) && !self.exclude.found(post).any(|found| found)
    }

    /// The same text for the same filter.
    pub(super) fn written(&self) -> String {
        let terms = |terms: &Terms| {
            terms.0.iter().fold(String::new(), |mut all, (key, pattern)| {
                let _ = writeln!(all, "{key}={pattern}");
                all
            })
        };
        let (include, exclude) = (terms(&self.include), terms(&self.exclude));
        if include.is_empty() && exclude.is_empty() { String::new() } else { format!("{include}!{exclude}") }
    }
}

impl Page {
    /// A reading in which the posts that name no company are of those that list the page.
    pub fn attributed(&self, mut reading: Reading) -> Reading {
        let company = |seed: &CompanySeed| Company { name: seed.title.clone(), link: None };
        for post in reading.posts.iter_mut().filter(|post| post.companies.is_empty()) {
            post.companies.extend(self.companies.iter().map(company));
        }
        reading
    }

    /// A reading without the posts that none of the page's topics takes; a company that lists the page takes them all.
    pub fn filtered(&self, mut reading: Reading, topics: &[Topic]) -> Reading {
        let filters: Vec<&Filter> = self.topics.iter().filter_map(|&t| topics.get(t)).map(|t| &t.filter).collect();
        if self.index.is_some()
            || !self.companies.is_empty()
            || filters.iter().any(|filter| **filter == Filter::default())
        {
            return reading;
        }
        let before = reading.posts.len();
        reading.posts.retain(|post| filters.iter().any(|filter| filter.takes(post)));
        reading.filtered = before - reading.posts.len();
        let filtered = u32::try_from(reading.filtered).unwrap_or(u32::MAX);
        reading.stated = reading.stated.map(|stated| stated.saturating_sub(filtered));
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_include_and_nothing_of_exclude() {
        let post = Post {
            title: Text::line("New kilns"),
            companies: vec![Company { name: Text::line("Acme"), link: None }],
            authors: vec![Text::line("Ana Ruiz")],
            ..Post::default()
        };
        let pattern = |text: &str| Pattern::new(text).unwrap();
        let of = |given: &[(&'static str, &str)]| {
            let mut terms = Terms::default();
            for (key, text) in given {
                terms.add(key, pattern(text));
            }
            terms
        };
        let takes = |include: Terms, exclude: Terms| Filter { include, exclude }.takes(&post);
        let none = Terms::default;
        assert!(takes(none(), none()));
        assert!(takes(Terms::anywhere(pattern("Ana")), none()));
        assert!(!takes(of(&[("title", "Ana")]), none()));
        assert!(takes(of(&[("title", "(?i)KILN"), ("company", "^Acme$")]), none()));
        assert!(!takes(of(&[("title", "kiln"), ("company", "Other")]), none()));
        assert!(!takes(of(&[("title", "kiln")]), of(&[("type", "x"), ("author", "Ruiz")])), "exclude wins");
        assert!(!takes(of(&[("type", "x")]), none()), "no type holds nothing");
        assert!(Pattern::new("a(").is_err_and(|why| why == "unclosed group"));
    }
}
