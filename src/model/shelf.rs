//! What is published, as the server needs it: for each path what it would take a disk to find out.

use super::time::Stamp;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// A published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shelved {
    /// The hash of its bytes; its entity tag is made of it.
    pub hash: [u8; 16],
    /// How many bytes.
    pub size: u64,
    /// Its time of last change (`Last-Modified`).
    pub mtime: Stamp,
}

/// Everything that is published at one moment. A change makes a new one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shelf {
    /// The folder that the files are in.
    pub directory: PathBuf,
    /// The files, by their paths below it: `topics/tpu.atom`.
    pub files: HashMap<String, Shelved>,
    /// For each feed, by its path without an ending, when one of its pages is next due.
    pub due: HashMap<String, Stamp>,
    /// Feeds that are followed but not published yet: `topics/tpu`. They answer 503.
    pub pending: HashSet<String>,
    /// Feeds of retired topics, and from when on they are gone: `topics/old`. They answer 410.
    pub gone: HashMap<String, Stamp>,
    /// Feeds that moved, old path to new: `topics/old` to `topics/new`. They answer 301.
    pub moved: HashMap<String, String>,
}
