//! Documents → where subscribers find them.
//!
//! In: [`Document`](crate::model::Document)s whose bytes changed. Out: files in a folder ([`files`]).
//! Deliberately absent: what a document says, and whether it changed: the caller compares bytes before it asks.
//! Known gaps: object storage, `WebSub` and hooks come later.

pub mod files;
mod shelf;

pub use files::{Folder, PublishError};
pub use shelf::shelf;
