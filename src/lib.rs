//! pagewire turns pages that list posts into feeds.

mod cli;
pub mod extract;
pub mod model;
