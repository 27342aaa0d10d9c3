//! A reading: what a page says now.

use super::failure::Warning;
use super::page::Kind;
use super::post::Post;
use super::text::Text;

/// What one look at a page brought, before it is compared with anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What sort of document it was.
    pub kind: Kind,
    /// What the page calls itself.
    pub title: Option<Text>,
    /// What it says about itself.
    pub description: Option<Text>,
    /// How many posts it says that it lists.
    pub stated: Option<u32>,
    /// Whether it has the shape of a list even without a post in it: a feed's root element, or in Markdown a heading
    /// and a stated count of 0 or an empty `##` section.
    pub list: bool,
    /// How many seconds it wants between two polls, where it is a feed that says so.
    pub pace: Option<i64>,
    /// Where an HTML page has its list, as a number: what tells it from another list on it.
    pub shape: Option<u64>,
    /// How many posts were left out because none of the page's topics takes them.
    pub filtered: usize,
    /// The posts in the page's order.
    pub posts: Vec<Post>,
    /// What could not be understood: a date, a link, the front matter.
    pub problems: Vec<Warning>,
}
