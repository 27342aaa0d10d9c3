//! A document: the bytes of one published file.

/// A file below the published folder, and below `base_url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its path, of slugs and known endings only: `topics/tpu.atom`.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}
