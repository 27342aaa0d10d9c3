//! Documents → where subscribers find them.
//!
//! In: [`Document`](crate::model::Document)s whose bytes changed. Out: files in a folder ([`files`]), and the words with
//! which hubs, subscribers and hooks are told ([`push`]); besides, what one round needs twice ([`Spool`]).
//! Deliberately absent: what a document says, and whether it changed: the caller compares bytes before it asks.
//! Known gap: object storage.

pub mod files;
pub mod push;
mod shelf;
mod spool;

pub use files::{Folder, PublishError};
pub use shelf::{damaged, shelf};
pub use spool::Spool;
