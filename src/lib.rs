//! pagewire turns pages that list posts into feeds.

/// The verbs of the command line.
mod cli {
    #[expect(dead_code, reason = "the command line calls it once it is there")]
    pub(crate) mod check;
}
pub mod config;
pub mod model;
