//! A document: the bytes of one published file.

use super::time::Stamp;
use serde::Serialize;

/// A file below the published folder, and below `base_url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its path, of slugs and known endings only: `topics/tpu.atom`.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// A document that was not published, since readers would have failed at it; the last good one stays in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unpublished {
    /// Its path.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
    /// Since when.
    pub since: Stamp,
}
