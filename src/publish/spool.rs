//! Bytes that are wanted again within one round of publishing, in a file without a name.
//!
//! In: bytes. Out: where they are, and later parts of them. They are too many to stay in memory, and nobody needs them
//! after the round; whatever ends the process, the file goes with it.

use super::PublishError;
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// No more than so many bytes are kept.
const MOST: u32 = 256 << 20;

/// Keeps bytes for a while.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    file: Option<File>,
    end: u32,
}

impl Spool {
    /// An empty one, which will be on the file system of `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), file: None, end: 0 }
    }

    /// Keeps bytes, and says from where on they are; none where too many are kept already.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn put(&mut self, bytes: &[u8]) -> Result<Option<u32>, PublishError> {
        let at = self.end;
        let end = u32::try_from(bytes.len()).ok().and_then(|length| at.checked_add(length));
        let Some(end) = end.filter(|end| *end <= MOST) else { return Ok(None) };
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile_in(&self.folder).map_err(|error| self.error(&error))?);
        }
        self.file.as_ref().map_or(Ok(()), |mut file| file.write_all(bytes)).map_err(|error| self.error(&error))?;
        self.end = end;
        Ok(Some(at))
    }

    /// Reads as many bytes as `bytes` is long, from `at` on.
    ///
    /// # Errors
    /// When the disk refuses, or so many were not kept there.
    pub fn read(&self, at: u32, bytes: &mut [u8]) -> Result<(), PublishError> {
        let nothing = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let file = self.file.as_ref().ok_or_else(nothing);
        file.and_then(|file| file.read_exact_at(bytes, at.into())).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &std::io::Error) -> PublishError {
        let source = Errno::from_io_error(error).unwrap_or(Errno::IO);
        PublishError::Write { path: self.folder.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_read_back_in_parts_and_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut spool = Spool::new(folder.path());
        assert_eq!(spool.put(b"one, two").expect("room"), Some(0));
        assert_eq!(spool.put(b"three").expect("room"), Some(8));
        let mut bytes = [0; 6];
        spool.read(5, &mut bytes).expect("they are there");
        assert_eq!(&bytes, b"twothr");
        assert!(spool.read(8, &mut bytes).is_err(), "one byte too far");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
