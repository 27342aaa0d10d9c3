//! pagewire turns pages that list posts into feeds.

pub mod extract;
pub mod model;
