//! Documents → files in a folder, each whole and, once committed, durable.
//!
//! In: documents and the time that their files shall carry. Out: files. A round of documents is staged (written
//! beside their places under names that no reader asks for), then committed: made durable, renamed into place, and
//! the folders made durable too. Whoever reads sees the old file or the new one, never half; whatever stops us, the
//! next [`Folder::open`] clears what was left lying.
//!
//! Archives are many, so nobody looks for all of them: they are staged in their feed's subfolder, which is cleared, and
//! whether one is there is asked for each.
//!
//! No path from a document is trusted: it must be one of the few shapes that pagewire publishes, and every step is
//! taken relative to an open folder that is no symbolic link, so that no write leaves the published folder.
//! Deliberately absent: whether bytes differ from those published; ownership of files.

use crate::model::{Document, Stamp};
use rustix::fs::{
    self, Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, fchmod, fsync, futimens,
    openat, renameat, statat, syncfs, unlinkat,
};
use rustix::io::Errno;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Up to so many files are made durable one by one; for more, one flush of the whole file system is cheaper.
const FSYNC_EACH: usize = 16;
/// A file being written is named `.NAME` and this.
const STAGED: &str = ".pagewire-tmp";
/// The subfolders that hold feeds; the empty one is the published folder itself.
const SUBFOLDERS: [&str; 5] = ["", "topics", "companies", "types", "feeds"];
/// The endings of files that are published.
pub(super) const ENDINGS: [&str; 7] = ["atom", "rss", "json", "html", "opml", "ico", "png"];
/// The folder of a feed's archives, in the folder that has its slug.
const ARCHIVE: &str = "archive";
/// The longest file name that common file systems take.
const MAX_NAME: usize = 255;

/// Why a document could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The document's path is none of ours: a bug, or an attempt to write elsewhere.
    #[error("`{0}` is no path that pagewire publishes")]
    Path(String),
    /// A folder below the published one is a symbolic link or no folder.
    #[error("`{}` is not a folder of its own: remove it; pagewire writes only inside `directory` of [publish]", .0.display())]
    Link(PathBuf),
    /// The folder cannot be used.
    #[error("cannot use the folder `{}`: {}", .path.display(), remedy(*.source))]
    Folder {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: Errno,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {}", .path.display(), remedy(*.source))]
    Write {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: Errno,
    },
}

impl PublishError {
    /// Whether it may pass by itself, as a full disk does, so that nothing is to be mended in the configuration.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Path(_) | Self::Link(_) => false,
            Self::Folder { source, .. } | Self::Write { source, .. } => {
                matches!(*source, Errno::NOSPC | Errno::DQUOT | Errno::IO | Errno::MFILE | Errno::NFILE)
            }
        }
    }
}

/// The system's words, and what helps.
fn remedy(error: Errno) -> String {
    let help = match error {
        Errno::NOSPC | Errno::DQUOT => "free some space",
        Errno::ACCESS | Errno::PERM => "let pagewire's user write there, or set `directory` of [publish]",
        Errno::ROFS => "mount it writable, or set `directory` of [publish]",
        Errno::NOTDIR | Errno::ISDIR => "move what is in the way, or set `directory` of [publish]",
        _ => return error.to_string(),
    };
    format!("{error}; {help}")
}

/// A place for a file: a subfolder's name, the feed whose archive it is if it is one, and the file's own name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    subfolder: &'static str,
    archive_of: Option<String>,
    name: String,
}

impl Place {
    /// The place of a document's path: `NAME.ENDING` or `SUBFOLDER/NAME.ENDING`, the name of `a-z0-9-` only, or the same
    /// without `.ENDING` before `/archive/NUMBER.ENDING`.
    fn of(path: &str) -> Result<Self, PublishError> {
        let refused = || PublishError::Path(path.to_owned());
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let feed = folder.strip_suffix(ARCHIVE).and_then(|feed| feed.strip_suffix('/'));
        let (folder, archive_of) = match feed {
            Some(feed) => feed.rsplit_once('/').map_or(("", Some(feed)), |(folder, feed)| (folder, Some(feed))),
            None => (folder, None),
        };
        let subfolder = SUBFOLDERS.into_iter().find(|known| *known == folder).ok_or_else(refused)?;
        let (stem, ending) = name.rsplit_once('.').ok_or_else(refused)?;
        let is_slug = |s: &str| !s.is_empty() && s.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        let slugs = is_slug(stem) && archive_of.is_none_or(is_slug);
        let place = Self { subfolder, archive_of: archive_of.map(str::to_owned), name: name.to_owned() };
        let short = place.staged().len() <= MAX_NAME;
        if slugs && short && ENDINGS.contains(&ending) && !path.starts_with('/') { Ok(place) } else { Err(refused()) }
    }

    /// Where the file is written before it is in its place, in its subfolder.
    fn staged(&self) -> String {
        match &self.archive_of {
            Some(feed) => format!(".{feed}.{ARCHIVE}.{}{STAGED}", self.name),
            None => format!(".{}{STAGED}", self.name),
        }
    }

    /// Its path below the published folder.
    fn path(&self) -> PathBuf {
        match &self.archive_of {
            Some(feed) => Path::new(self.subfolder).join(feed).join(ARCHIVE).join(&self.name),
            None => Path::new(self.subfolder).join(&self.name),
        }
    }
}

/// The published folder.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    mode: Mode,
    /// Every file that was there when we last looked or wrote, by its path, with its length where we wrote it.
    held: HashMap<String, Option<u64>>,
    /// What the next commit puts into place, and how long it is.
    staged: BTreeMap<Place, u64>,
    /// The subfolders in use, until the next commit. Not longer: a folder that was removed and made anew must count.
    open: BTreeMap<&'static str, OwnedFd>,
}

impl Folder {
    /// The folder at `root`, made if it is missing, and cleared of what a crash left half written. New files get the
    /// permission bits `mode`, whatever the umask; new folders the same, and `x` where there is `r`.
    ///
    /// # Errors
    /// When it cannot be made or read, or one of its subfolders is a symbolic link.
    pub fn open(root: &Path, mode: u32) -> Result<Self, PublishError> {
        let mut folder = Self::unseen(root, mode);
        folder.look()?;
        Ok(folder)
    }

    /// Finds out whether the folder can be used, without a look at what is in it.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn probe(root: &Path, mode: u32) -> Result<(), PublishError> {
        let folder = Self::unseen(root, mode);
        SUBFOLDERS.into_iter().try_for_each(|subfolder| folder.subfolder(subfolder, false).map(|_| ()))
    }

    fn unseen(root: &Path, mode: u32) -> Self {
        Self {
            root: root.to_owned(),
            mode: Mode::from_raw_mode(mode & 0o777),
            held: HashMap::new(),
            staged: BTreeMap::new(),
            open: BTreeMap::new(),
        }
    }

    /// Looks again at what is there, so that files are known that others removed or changed.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn look(&mut self) -> Result<(), PublishError> {
        self.abandon();
        self.held.clear();
        for subfolder in SUBFOLDERS {
            let Some(dir) = self.subfolder(subfolder, false)? else { continue };
            let found = list(&dir, subfolder).map_err(|source| self.folder_error(subfolder, source))?;
            self.held.extend(found.into_iter().map(|path| (path, None)));
        }
        Ok(())
    }

    /// Whether a file stood at `path` when we last looked or wrote. Asks nobody.
    pub fn has(&self, path: &str) -> bool {
        self.held.contains_key(path)
    }

    /// Whether it also has this length; asks the disk for files that we did not write ourselves.
    pub fn holds(&self, path: &str, length: u64) -> bool {
        let Ok(place) = Place::of(path) else { return false };
        let on_disk = || {
            let file = self.root.join(place.path());
            std::fs::symlink_metadata(file).is_ok_and(|m| m.is_file() && m.len() == length)
        };
        match self.held.get(path) {
            Some(Some(held)) => *held == length,
            Some(None) => on_disk(),
            None => place.archive_of.is_some() && on_disk(),
        }
    }

    /// The time of a document's file, if it is in place with these bytes.
    pub fn time(&self, document: &Document) -> Option<Stamp> {
        if !self.holds(&document.path, document.bytes.len() as u64) {
            return None;
        }
        let file = self.root.join(Place::of(&document.path).ok()?.path());
        let time = std::fs::metadata(&file).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        (std::fs::read(&file).ok()? == document.bytes).then_some(Stamp(i64::try_from(time.as_secs()).ok()?))
    }

    /// Writes a document beside its place, to be put there by the next [`Folder::commit`]. `mtime` becomes the file's
    /// time of last change. A file that is there already hands on its permission bits.
    ///
    /// # Errors
    /// When its path is none of ours or it cannot be written. What was staged before stays staged.
    pub fn stage(&mut self, document: &Document, mtime: Stamp) -> Result<(), PublishError> {
        let place = Place::of(&document.path)?;
        if !self.open.contains_key(place.subfolder) {
            self.open.insert(place.subfolder, self.made(place.subfolder)?);
        }
        if let Err(source) = write(&self.open[place.subfolder], &place, &document.bytes, self.mode, mtime) {
            self.staged.remove(&place);
            self.discard(&place);
            return Err(self.write_error(&place, source));
        }
        self.staged.insert(place, document.bytes.len() as u64);
        Ok(())
    }

    /// Makes everything that is staged durable and puts it into place. Returns the number of files.
    ///
    /// # Errors
    /// When the disk refuses. Nothing stays staged then. Files put into place before the error are whole and stay.
    pub fn commit(&mut self) -> Result<usize, PublishError> {
        let count = self.staged.len();
        let done = self.make_durable().and_then(|()| self.put_in_place()).and_then(|()| self.keep_names());
        self.abandon();
        done.map(|()| count)
    }

    /// Removes a document's file, and takes it back if it is staged. Returns whether there was a file.
    ///
    /// # Errors
    /// When its path is none of ours or the disk refuses.
    pub fn remove(&mut self, path: &str) -> Result<bool, PublishError> {
        let place = Place::of(path)?;
        self.held.remove(path);
        if self.staged.remove(&place).is_some() {
            self.discard(&place);
        }
        let Some(dir) = self.subfolder(place.subfolder, false)? else { return Ok(false) };
        let dir = match &place.archive_of {
            Some(feed) => match self.archives(&dir, place.subfolder, feed, false)? {
                Some(archives) => archives,
                None => return Ok(false),
            },
            None => dir,
        };
        match unlinkat(&dir, &place.name, AtFlags::empty()).and_then(|()| fsync(&dir)) {
            Ok(()) => {
                self.clear(&place);
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(false),
            Err(source) => Err(self.write_error(&place, source)),
        }
    }

    /// The published folder itself, made if it is missing.
    fn root(&self) -> Result<OwnedFd, PublishError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || openat(CWD, &self.root, flags, Mode::empty());
        let error = |source| PublishError::Folder { path: self.root.clone(), source };
        let root = match open() {
            Err(Errno::NOENT) => self.make(&self.root).and_then(|()| open()),
            other => other,
        };
        let root = root.map_err(error)?;
        fs::accessat(&root, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty()).map_err(error)?;
        Ok(root)
    }

    /// Makes a folder and those above it that are missing, so that who may read the files gets to them.
    fn make(&self, folder: &Path) -> Result<(), Errno> {
        if let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty() && !above.exists()) {
            self.make(above)?;
        }
        match fs::mkdir(folder, self.folder_mode()) {
            Ok(()) => fs::chmod(folder, self.folder_mode()),
            Err(Errno::EXIST) => Ok(()),
            Err(other) => Err(other),
        }
    }

    /// An open subfolder, made if it is missing and `make` says so; else none.
    fn subfolder(&self, name: &'static str, make: bool) -> Result<Option<OwnedFd>, PublishError> {
        let root = self.root()?;
        if name.is_empty() {
            return Ok(Some(root));
        }
        self.inner(&root, name, &self.root.join(name), make)
    }

    /// The folder of a feed's archives in an open subfolder, made if it is missing and `make` says so; else none.
    fn archives(
        &self,
        dir: &OwnedFd,
        subfolder: &str,
        feed: &str,
        make: bool,
    ) -> Result<Option<OwnedFd>, PublishError> {
        let path = self.root.join(subfolder).join(feed);
        let Some(of_feed) = self.inner(dir, feed, &path, make)? else { return Ok(None) };
        self.inner(&of_feed, ARCHIVE, &path.join(ARCHIVE), make)
    }

    /// An open folder in another; `path` is where it is, for messages.
    fn inner(&self, outer: &OwnedFd, name: &str, path: &Path, make: bool) -> Result<Option<OwnedFd>, PublishError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || openat(outer, name, flags, Mode::empty());
        let error = |source| match source {
            Errno::LOOP | Errno::NOTDIR => PublishError::Link(path.to_owned()),
            source => PublishError::Folder { path: path.to_owned(), source },
        };
        match open() {
            Err(Errno::NOENT) if make => {
                fs::mkdirat(outer, name, self.folder_mode()).map_err(error)?;
                let dir = open().map_err(error)?;
                fchmod(&dir, self.folder_mode()).and_then(|()| fsync(outer)).map_err(error)?;
                Ok(Some(dir))
            }
            Err(Errno::NOENT) => Ok(None),
            other => other.map(Some).map_err(error),
        }
    }

    /// Removes the folders of a feed's archives once they are empty.
    fn clear(&self, place: &Place) {
        if let Some(feed) = &place.archive_of {
            let folder = self.root.join(place.subfolder).join(feed);
            let _ = std::fs::remove_dir(folder.join(ARCHIVE)).and_then(|()| std::fs::remove_dir(folder));
        }
    }

    /// The subfolder, made if it is missing.
    fn made(&self, name: &'static str) -> Result<OwnedFd, PublishError> {
        self.subfolder(name, true)?.ok_or_else(|| self.folder_error(name, Errno::NOENT))
    }

    /// The bits of a folder whose files are readable as `mode` says.
    fn folder_mode(&self) -> Mode {
        let bits = self.mode.as_raw_mode();
        Mode::from_raw_mode(bits | (bits & 0o444) >> 2 | 0o700)
    }

    fn make_durable(&self) -> Result<(), PublishError> {
        if self.staged.len() > FSYNC_EACH {
            // Subfolders may lie on other file systems; where they don't, the second flush finds nothing to do.
            return self
                .open
                .iter()
                .try_for_each(|(name, dir)| syncfs(dir).map_err(|source| self.folder_error(name, source)));
        }
        self.staged.keys().try_for_each(|place| {
            openat(&self.open[place.subfolder], place.staged(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
                .and_then(fsync)
                .map_err(|source| self.write_error(place, source))
        })
    }

    fn put_in_place(&mut self) -> Result<(), PublishError> {
        // Archives of one feed stand together.
        let mut archives: Option<(&'static str, String, OwnedFd)> = None;
        while let Some((place, length)) = self.staged.pop_first() {
            let done = self.put(&place, &mut archives);
            if let Err(error) = done {
                self.discard(&place);
                return Err(error);
            }
            self.held.insert(place.path().to_string_lossy().into_owned(), Some(length));
        }
        archives.map_or(Ok(()), |(_, feed, dir)| fsync(&dir).map_err(|source| self.folder_error(&feed, source)))
    }

    /// Puts one staged file into place. `archives` is the folder of archives that the one before went into; one that is
    /// left is made durable.
    fn put(&self, place: &Place, archives: &mut Option<(&'static str, String, OwnedFd)>) -> Result<(), PublishError> {
        let dir = &self.open[place.subfolder];
        let to = match &place.archive_of {
            None => dir,
            Some(feed) => {
                let same = archives.as_ref().is_some_and(|(sub, of, _)| *sub == place.subfolder && of == feed);
                if !same {
                    let made = self.archives(dir, place.subfolder, feed, true)?;
                    let made = made.ok_or_else(|| self.folder_error(feed, Errno::NOENT))?;
                    if let Some((_, of, left)) = archives.replace((place.subfolder, feed.clone(), made)) {
                        fsync(&left).map_err(|source| self.folder_error(&of, source))?;
                    }
                }
                archives.as_ref().map_or(dir, |(.., dir)| dir)
            }
        };
        renameat(dir, place.staged(), to, &place.name).map_err(|source| self.write_error(place, source))
    }

    fn keep_names(&self) -> Result<(), PublishError> {
        self.open.iter().try_for_each(|(name, dir)| fsync(dir).map_err(|source| self.folder_error(name, source)))
    }

    /// Removes what is staged.
    fn abandon(&mut self) {
        for place in self.staged.keys() {
            self.discard(place);
        }
        self.staged.clear();
        self.open.clear();
    }

    /// Removes a staged file; if that fails, the next start does it.
    fn discard(&self, place: &Place) {
        if let Some(dir) = self.open.get(place.subfolder) {
            let _ = unlinkat(dir, place.staged(), AtFlags::empty());
        }
    }

    fn folder_error(&self, subfolder: &str, source: Errno) -> PublishError {
        PublishError::Folder { path: self.root.join(subfolder), source }
    }

    fn write_error(&self, place: &Place, source: Errno) -> PublishError {
        PublishError::Write { path: self.root.join(place.path()), source }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// The paths of the files of an open folder. Removes what a crash left staged.
fn list(dir: &OwnedFd, subfolder: &str) -> Result<Vec<String>, Errno> {
    let mut found = Vec::new();
    for item in Dir::read_from(dir)? {
        let item = item?;
        let Ok(name) = item.file_name().to_str() else { continue };
        if name.starts_with('.') && name.ends_with(STAGED) {
            unlinkat(dir, name, AtFlags::empty())?;
            continue;
        }
        // Some file systems do not tell the type here; a file may also be gone by now, and then it is not there.
        let is_file = match item.file_type() {
            FileType::Unknown => statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile),
            kind => kind == FileType::RegularFile,
        };
        if is_file {
            found.push(if subfolder.is_empty() { name.to_owned() } else { [subfolder, "/", name].concat() });
        }
    }
    Ok(found)
}

/// Writes a staged file, with the bits of the file that it will replace, else `mode`.
fn write(dir: &OwnedFd, place: &Place, bytes: &[u8], mode: Mode, mtime: Stamp) -> Result<(), Errno> {
    let staged = place.staged();
    let target = place.path();
    let target = target.strip_prefix(place.subfolder).unwrap_or(&target);
    let mode = match statat(dir, target, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(old) if FileType::from_raw_mode(old.st_mode) == FileType::RegularFile => {
            Mode::from_raw_mode(old.st_mode & 0o777)
        }
        _ => mode,
    };
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(dir, &staged, flags, mode);
    let mut file = File::from(match open() {
        Err(Errno::EXIST) => unlinkat(dir, &staged, AtFlags::empty()).and_then(|()| open())?,
        other => other?,
    });
    file.write_all(bytes).map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::IO))?;
    // The umask took bits away at creation.
    fchmod(file.as_fd(), mode)?;
    let times = Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: mtime.0, tv_nsec: 0 },
    };
    futimens(&file, &times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_published_paths_have_a_place() {
        for path in [
            "all.atom",
            "index.html",
            "feeds.opml",
            "favicon.ico",
            "icon.png",
            "topics/tpu.atom",
            "types/x-1a2b3c.json",
            "topics/tpu/archive/12.atom",
            "all/archive/1.json",
        ] {
            assert!(Place::of(path).is_ok(), "{path}");
        }
        let long = format!("topics/{}.atom", "a".repeat(300));
        for path in [
            "",
            "/",
            "..",
            "../x.atom",
            "topics/../x.atom",
            "topics//x.atom",
            "/topics/x.atom",
            "/x.atom",
            "other/x.atom",
            "topics/a/b.atom",
            "topics/../archive/1.atom",
            "topics/a/b/archive/1.atom",
            "/archive/1.atom",
            "archive/1.atom",
            "topics//archive/1.atom",
            "topics/a/archive/../1.atom",
            "topics/A/archive/1.atom",
            "topics/.atom",
            "topics/.x.atom",
            "topics/X.atom",
            "topics/x",
            "topics/x.sh",
            "topics/x\0.atom",
            "topics/x.atom/",
            "topics",
            "./x.atom",
            "x.atom\n",
            &long,
        ] {
            assert!(matches!(Place::of(path), Err(PublishError::Path(_))), "{path}");
        }
    }

    #[test]
    fn folders_open_to_those_who_may_read_the_files() {
        let folder = |mode| Folder {
            root: PathBuf::new(),
            mode: Mode::from_raw_mode(mode),
            held: HashMap::new(),
            staged: BTreeMap::new(),
            open: BTreeMap::new(),
        };
        assert_eq!(folder(0o644).folder_mode().as_raw_mode(), 0o755);
        assert_eq!(folder(0o640).folder_mode().as_raw_mode(), 0o750);
        assert_eq!(folder(0o600).folder_mode().as_raw_mode(), 0o700);
    }
}
