//! pagewire turns pages that list posts into feeds.

pub mod diff;
pub mod clock;
pub mod fetch;
pub mod model;
pub mod store;
