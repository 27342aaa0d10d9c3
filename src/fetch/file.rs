//! A local file as a page.

use super::decode::too_large;
use crate::model::{Address, Body, ErrorKind, Failure};
use std::fs::File;
use std::io::Read;

/// Reads a regular file of at most `max` bytes. A pipe or a device would never end, so it is refused.
pub(super) fn read(address: &Address, max: u64) -> Result<Body, Failure> {
    let io = |e: std::io::Error| Failure::new(ErrorKind::Io, format!("cannot read `{address}`: {e}"));
    let path = address.file().ok_or_else(|| Failure::new(ErrorKind::Io, format!("`{address}` names no local file")))?;
    let kind = std::fs::metadata(&path).map_err(io)?;
    if !kind.is_file() {
        return Err(Failure::new(ErrorKind::Io, format!("`{address}` is no regular file")));
    }
    let mut bytes = Vec::new();
    File::open(&path).map_err(io)?.take(max + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > max {
        return Err(too_large(max));
    }
    let url = address.url().clone();
    Ok(Body { address: url, bytes: bytes.into(), media_type: None, validators: None, maybe_cut: false })
}
