//! A post's own page: which is to be read, for what, and what it says.

use super::entry::EntryId;
use super::failure::Failure;
use super::page::PageId;
use super::post::Published;
use super::text::{Html, Text};
use super::time::Stamp;
use url::Url;

/// What posts' own pages are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// The link of the article that a post summarises.
    pub original: bool,
    /// The post's text.
    pub content: bool,
}

/// A post whose own page is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// Which post.
    pub entry: EntryId,
    /// The page whose settings say so.
    pub page: PageId,
    /// Where its own page is.
    pub link: Url,
    /// Its title, by which its page is known.
    pub title: Text,
    /// How often it was asked before.
    pub tries: u32,
    /// Whether the post waits for it with being published.
    pub waits: bool,
}

impl Own {
    /// How long a post waits at most for its own page, in seconds.
    pub const WAIT: i64 = 15 * 60;
    /// How many posts of one page are read in that time at most. Of the new posts of a reading only the newest so many
    /// wait; the others are published at once.
    pub const MOST: usize = 20;
    /// After so many failures it waits no longer.
    pub const FAILURES: u32 = 2;
}

/// What a post's own page says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnPage {
    /// The article that it summarises.
    pub original: Option<Url>,
    /// Who wrote it.
    pub authors: Vec<Text>,
    /// When it was published.
    pub published: Option<Published>,
    /// Its text.
    pub content: Html,
}

/// What came of reading a post's own page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnResult {
    /// What it says.
    Read(Box<OwnPage>),
    /// Why it was not read, and when it is asked again; never where nothing would change.
    Failed(Failure, Option<Stamp>),
}
