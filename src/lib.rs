//! pagewire turns pages that list posts into feeds.

pub mod model;

pub mod publish;
pub mod render;
