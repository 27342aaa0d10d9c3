//! A folder of feeds as a [`Shelf`]: what can be served when nobody can say any more what was published.
//!
//! In: the published folder. Out: its files, each by its own bytes and its own time.

use crate::model::{Shelf, Shelved, Stamp, digest};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// How deep files lie: `topics/tpu/archive/1.atom`.
const DEPTH: usize = 4;

/// What lies in the folder and could have been published; what cannot be read is left out.
pub fn shelf(directory: &Path) -> Shelf {
    let mut shelf = Shelf { directory: directory.to_owned(), ..Shelf::default() };
    let mut folders = vec![(directory.to_owned(), 1)];
    while let Some((folder, depth)) = folders.pop() {
        for file in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (file.path(), file.file_type());
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) && depth < DEPTH {
                folders.push((path, depth + 1));
            } else if kind.is_ok_and(|kind| kind.is_file())
                && let Some((name, shelved)) = shelved(directory, &path)
            {
                shelf.files.insert(name, shelved);
            }
        }
    }
    shelf
}

/// Which of the files that were published in the folder are not there any more as they were left. One with its size and its
/// time counts as whole, and is read only where its time is another.
pub fn damaged(directory: &Path, published: impl IntoIterator<Item = (String, Shelved)>) -> Vec<String> {
    // From an open folder on, the way to each file is short.
    let folder = openat(CWD, directory, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let is_whole = |path: &str, shelved: &Shelved| {
        let found = folder.as_ref().ok().and_then(|folder| statat(folder, path, AtFlags::SYMLINK_NOFOLLOW).ok());
        let same_size = |stat: &rustix::fs::Stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
                && u64::try_from(stat.st_size) == Ok(shelved.size)
        };
        let is_same = || std::fs::read(directory.join(path)).is_ok_and(|bytes| digest(&bytes) == shelved.hash);
        found.filter(same_size).is_some_and(|stat| stat.st_mtime == shelved.mtime.0 || is_same())
    };
    published.into_iter().filter(|(path, shelved)| !is_whole(path, shelved)).map(|(path, _)| path).collect()
}

fn shelved(directory: &Path, path: &Path) -> Option<(String, Shelved)> {
    let name = path.strip_prefix(directory).ok()?.to_str()?;
    // What was being written has a hidden name.
    let hidden = path.file_name()?.to_str()?.starts_with('.');
    let known = path.extension()?.to_str().is_some_and(|ending| super::files::ENDINGS.contains(&ending));
    let bytes = std::fs::read(path).ok().filter(|_| known && !hidden)?;
    let time = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mtime = Stamp(i64::try_from(time.as_secs()).ok()?);
    Some((name.to_owned(), Shelved { hash: digest(&bytes), size: bytes.len() as u64, mtime }))
}
