//! What is known, on disk: pages, entries, keys, feeds and what was published.
//!
//! In: what a round of readings changes. Out: what `diff`, `render` and people ask. Every operation is one
//! transaction; no SQL, row or connection is seen outside, so that another database can stand behind the same
//! operations (a claim is then a lease, and a round is tried again when another worker was faster). The operations are
//! asynchronous for that database's sake: with SQLite they work on the caller's thread, one at a time, which costs no
//! hand-over and keeps what was just read in the same core's cache.
//! Deliberately absent: judgement (that is `diff`) and files (that is `publish`).

mod archive;
mod combined;
mod company;
mod copy;
mod entry;
mod feed;
mod index;
mod journal;
mod listing;
mod merge;
mod migrate;
mod own;
mod page;
mod post;
mod push;
mod raw;
mod robots;
mod round;
mod spent;

pub use archive::{ArchiveDone, ArchiveIssue};
pub use feed::{Dirty, Done, Issue, Issued, Load, Piece, Publication};
pub use own::{Filled, Terms};
pub use page::Registered;
pub use post::{Found, Import, Outline};
pub use raw::Raw;
pub use round::{Round, Spot};

use crate::model::{Pulse, Settings};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Why the state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process owns it.
    #[error("the state `{}` is in use by another pagewire; stop it, or let it do the work", .0.display())]
    InUse(PathBuf),
    /// Its folder or files cannot be used.
    #[error("cannot use the state `{}`: {source}; {}", .path.display(), remedy(source.kind()))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A newer version of pagewire wrote it.
    #[error("the state `{}` has schema {found}, and this pagewire knows up to {known}; install the newer version again (nothing was changed)", .path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// The version that it has.
        found: i64,
        /// The newest that we know.
        known: i64,
    },
    /// It is some other program's database, or no database.
    #[error("`{}` is not a pagewire database; point `database` at another file (nothing was changed)", .0.display())]
    Foreign(PathBuf),
    /// It is damaged.
    #[error("the database `{}` is damaged ({what}), and was not touched; bring a backup back with `pagewire restore FILE`, or move it away: what the pages still list keeps its ids then", .path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite found.
        what: String,
    },
    /// A copy is to be written where something is.
    #[error("`{}` is there already, and stays as it is; name a file that is not there yet", .0.display())]
    Exists(PathBuf),
    /// It is no backup.
    #[error("{what} `{}`, so nothing was restored; name a file that `pagewire backup` wrote", .path.display())]
    NoBackup {
        /// What was named.
        path: PathBuf,
        /// What is wrong, with the name behind it.
        what: &'static str,
    },
    /// There is none yet.
    #[error("there is no state at `{}` yet; `pagewire refresh` makes it", .0.display())]
    Missing(PathBuf),
    /// It cannot be written: the disk is full, or no longer what it was. Nothing of it is lost.
    #[error("cannot write the state `{}`: {what}, and what was stored stays as it is; {help}", .path.display())]
    Unwritable {
        /// The database.
        path: PathBuf,
        /// What SQLite found.
        what: String,
        /// What may be done.
        help: &'static str,
    },
    /// The database failed.
    #[error("the database failed: {0}")]
    Database(#[from] rusqlite::Error),
}

impl StoreError {
    /// The same, where a damaged database is told as such, and one that cannot be opened or written.
    fn at(self, database: &Path) -> Self {
        let Self::Database(error) = self else { return self };
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => ErrorKind::ReadOnlyFilesystem,
            Some(ErrorCode::CannotOpen) => ErrorKind::PermissionDenied,
            _ => return copy::damaged(error, database).unwritable(database),
        };
        Self::Io { path: database.to_owned(), source: std::io::Error::new(kind, error) }
    }

    /// The same, where a database that cannot be written is told as such, with its path.
    fn unwritable(self, database: &Path) -> Self {
        let Self::Database(error) = self else { return self };
        let help = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => remedy(ErrorKind::StorageFull),
            Some(ErrorCode::ReadOnly) => remedy(ErrorKind::ReadOnlyFilesystem),
            Some(ErrorCode::SystemIoFailure) => "see whether its disk is full (`df`) or fails (the system's log)",
            _ => return Self::Database(error),
        };
        Self::Unwritable { path: database.to_owned(), what: error.to_string(), help }
    }
}

/// What may be done where a file or folder of the state cannot be used.
fn remedy(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, or set `database` of [state]",
        ErrorKind::ReadOnlyFilesystem => "mount it writable, or set `database` of [state]",
        _ => "check the folder's owner and permissions",
    }
}

/// A handle to the state; clones share the one connection, which closes with the last of them.
#[derive(Debug, Clone)]
pub struct Store {
    db: Arc<Mutex<Db>>,
    pulse: Pulse,
}

/// The connection, and what is kept in memory beside it.
#[derive(Debug)]
pub(crate) struct Db {
    pub(crate) conn: Connection,
    pub(crate) names: company::Names,
    pub(crate) rules: combined::Rules,
    /// Held while the state is ours; the kernel frees it with the process.
    _lock: Option<File>,
}

impl Store {
    /// Opens the state as its owner, makes it if it is not there, and brings it to the present schema.
    ///
    /// # Errors
    /// When another process owns it, it is newer than this program, or its files cannot be used.
    pub fn open(database: &Path) -> Result<Self, StoreError> {
        let lock = own(database)?;
        // SQLite would make it as the umask says, and its log as it finds the database.
        owners_file(database).map_err(|source| StoreError::Io { path: database.to_owned(), source })?;
        let open = || {
            let mut conn = Connection::open(database)?;
            migrate::migrate(&mut conn, database)?;
            Self::start(conn, Some(lock))
        };
        open().map_err(|error| error.at(database))
    }

    /// Opens the state for reading only, beside its owner or without one, and makes no file.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn open_to_read(database: &Path) -> Result<Self, StoreError> {
        match database.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(StoreError::Missing(database.to_owned())),
            Err(source) => return Err(StoreError::Io { path: database.to_owned(), source }),
        }
        migrate::look(database)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // Without a log beside it the file is whole, and SQLite would only make one to read it.
        let immutable = if with_suffix(database, "-wal").exists() { "0" } else { "1" };
        let absolute = std::path::absolute(database).unwrap_or_else(|_| database.to_owned());
        let mut uri = url::Url::from_file_path(&absolute).map_err(|()| StoreError::Missing(database.to_owned()))?;
        uri.set_query(Some(&format!("mode=ro&immutable={immutable}")));
        let open = || {
            let conn = Connection::open_with_flags(uri.as_str(), flags)?;
            if migrate::check(&conn, database)? == 0 {
                // An empty file: somebody made it, and nobody began.
                return Err(StoreError::Missing(database.to_owned()));
            }
            Self::start(conn, None)
        };
        open().map_err(|error| error.at(database))
    }

    fn start(conn: Connection, lock: Option<File>) -> Result<Self, StoreError> {
        conn.set_prepared_statement_cache_capacity(64);
        // One plan a statement, whatever is bound: otherwise some are prepared again for every value.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let names = company::Names::load(&conn)?;
        let rules = combined::Rules::default();
        let db = Arc::new(Mutex::new(Db { conn, names, rules, _lock: lock }));
        Ok(Self { db, pulse: Pulse::default() })
    }

    /// Runs one operation. A panic in one before left no half of a transaction; what it did to the names is undone.
    #[expect(clippy::unused_async, reason = "another database waits here")]
    async fn run<T>(&self, work: impl FnOnce(&mut Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut db = match self.db.lock() {
            Ok(db) => db,
            Err(poisoned) => {
                let mut db = poisoned.into_inner();
                db.names = company::Names::load(&db.conn)?;
                self.db.clear_poison();
                db
            }
        };
        let done = work(&mut db);
        self.pulse.beat();
        done.map_err(|error| match db.conn.path() {
            Some(path) => error.unwritable(Path::new(path)),
            None => error,
        })
    }

    /// Counts the operations, as they end.
    pub fn pulse(&self) -> &Pulse {
        &self.pulse
    }

    /// Makes what the configuration follows known to the state, and gives pages and topics their numbers.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn register(&self, settings: &Settings) -> Result<Registered, StoreError> {
        self.run(|db| {
            let (registered, rules) = db.write(|round| {
                let registered = round.register(settings)?;
                Ok((registered, combined::Rules::of(round.tx, &settings.combined)?))
            })?;
            db.rules = rules;
            Ok(registered)
        })
        .await
    }

    /// Judges and applies a round's readings: `work` runs in one transaction, and either all of it counts or nothing.
    ///
    /// # Errors
    /// When the database fails; nothing was changed then.
    pub async fn round<T>(&self, work: impl FnOnce(&mut Round<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.run(|db| db.write(work)).await
    }
}

impl Db {
    /// Runs `work` in one immediate transaction.
    fn write<T>(&mut self, work: impl FnOnce(&mut Round<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let tx = self.conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let outcome = {
            let mut round = Round::new(&tx, &mut self.names, &self.rules)?;
            work(&mut round).and_then(|done| round.finish().map(|()| done))
        };
        match outcome {
            Ok(done) => {
                tx.commit()?;
                Ok(done)
            }
            Err(error) => {
                drop(tx);
                self.names = company::Names::load(&self.conn)?;
                Err(error)
            }
        }
    }
}

/// Takes the state, or says that another process has it; refuses a file in its place that is no database.
fn own(database: &Path) -> Result<File, StoreError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    };
    let folder = database.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    migrate::look(database)?;
    let lock_path = with_suffix(database, ".lock");
    let lock = owners_file(&lock_path).map_err(io(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::InUse(database.to_owned())),
        Err(std::fs::TryLockError::Error(e)) => Err(io(&lock_path)(e)),
    }
}

/// A file of the state, made if it is not there, for its owner alone.
fn owners_file(path: &Path) -> std::io::Result<File> {
    File::options().create(true).write(true).truncate(false).mode(0o600).open(path)
}

/// `path` with more behind its file name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
