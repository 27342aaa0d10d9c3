//! Copies of the state: backups and their return, and whether a database is whole.
//!
//! In: a database. Out: another file that holds the same at one moment, whoever writes meanwhile. A file is put in place
//! whole or not at all; what was there before a restore stays beside it.

use super::{Store, StoreError, migrate, owners_file, with_suffix};
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};

/// All pages of a database at once: a copy in steps begins anew whenever somebody writes, and may never end.
const ALL: i32 = -1;

impl Store {
    /// Finds out whether the database is whole, as far as SQLite can tell without reading every index entry.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], with what SQLite found first.
    pub async fn check(&self, path: &Path) -> Result<(), StoreError> {
        self.run(|db| quick_check(&db.conn, path)).await
    }

    /// Writes a copy of the whole state into a new file, for its owner alone.
    ///
    /// # Errors
    /// When the file is there already or cannot be written, or the database cannot be read.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        self.run(|db| copy(&db.conn, to)).await
    }

    /// The same in memory: what is done to it leaves no trace.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn in_memory(&self) -> Result<Self, StoreError> {
        let conn = self
            .run(|db| {
                let mut conn = Connection::open_in_memory()?;
                Backup::new(&db.conn, &mut conn)?.step(ALL)?;
                Ok(conn)
            })
            .await?;
        Self::start(conn, None)
    }

    /// Puts a backup in the place of the state, and returns where the state before lies now, if there was one.
    ///
    /// # Errors
    /// When another process owns the state, the backup is none, is damaged or newer than this program, or a file cannot be
    /// written. The state is as it was then.
    pub fn restore(backup: &Path, database: &Path) -> Result<Option<PathBuf>, StoreError> {
        if !backup.exists() {
            return Err(StoreError::NoBackup { path: backup.to_owned(), what: "there is no state at" });
        }
        let none = || StoreError::NoBackup { path: backup.to_owned(), what: "not a pagewire database:" };
        let is_none = |error: StoreError| if matches!(error, StoreError::Foreign(_)) { none() } else { error };
        migrate::look(backup).map_err(is_none)?;
        let source = Connection::open_with_flags(backup, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let version = migrate::check(&source, backup).map_err(|error| is_none(error.at(backup)))?;
        if version == 0 {
            return Err(none());
        }
        quick_check(&source, backup)?;
        let _lock = super::own(database)?;
        let restored = with_suffix(database, ".restored");
        let _ = std::fs::remove_file(&restored);
        copy(&source, &restored)?;
        publish_again(&restored)?;
        let io = |source| StoreError::Io { path: database.to_owned(), source };
        let before = set_aside(database).map_err(io)?;
        std::fs::rename(&restored, database).map_err(io)?;
        sync_folder(database).map_err(io)?;
        Ok(before)
    }
}

/// The files of feeds are of a later time than a backup: all are made again. One whose bytes are the same keeps the time
/// by which readers know it, another gets a new one.
fn publish_again(database: &Path) -> Result<(), StoreError> {
    let conn = Connection::open(database)?;
    conn.execute_batch(
        // The outline holds its own time, by which it is told whether it changed.
        "UPDATE document SET size = -1 WHERE size <> -2;
         UPDATE document SET hash = zeroblob(16), mtime = 0 WHERE size <> -2 AND path <> 'feeds.opml';
         UPDATE feed SET dirty = coalesce(dirty, updated) WHERE updated IS NOT NULL;",
    )?;
    Ok(())
}

/// Keeps a database beside its place under another name, while it stays where it is; its log must not be there when
/// another file takes the place, since SQLite would apply it to that.
fn set_aside(database: &Path) -> std::io::Result<Option<PathBuf>> {
    if !database.exists() {
        return Ok(None);
    }
    // Closing the last connection of a whole database empties its log into it. A damaged one keeps it.
    if let Ok(conn) = Connection::open(database) {
        let _ = conn.pragma_query_value(None, "wal_checkpoint", |_| Ok(()));
        drop(conn);
    }
    let aside = with_suffix(database, ".before-restore");
    let _ = std::fs::remove_file(&aside);
    std::fs::hard_link(database, &aside)?;
    for suffix in ["-wal", "-shm"] {
        match std::fs::rename(with_suffix(database, suffix), with_suffix(&aside, suffix)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(Some(aside))
}

/// Copies a database into a file that is not there yet.
pub(super) fn copy(from: &Connection, to: &Path) -> Result<(), StoreError> {
    let io = |source| StoreError::Io { path: to.to_owned(), source };
    if to.exists() {
        return Err(StoreError::Exists(to.to_owned()));
    }
    let part = with_suffix(to, ".part");
    let _ = std::fs::remove_file(&part);
    owners_file(&part).map_err(io)?;
    let write = || {
        let mut conn = Connection::open(&part)?;
        Backup::new(from, &mut conn)?.step(ALL)?;
        // A copy is one file: its reader needs no log beside it.
        conn.pragma_update(None, "journal_mode", "DELETE")?;
        drop(conn);
        File::open(&part).and_then(|file| file.sync_all()).map_err(io)?;
        std::fs::rename(&part, to).map_err(io)?;
        sync_folder(to).map_err(io)
    };
    let done = write();
    if done.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    done
}

fn sync_folder(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn quick_check(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = conn.pragma_query_value(None, "quick_check", |row| row.get::<_, String>(0));
    match found.map_err(|e| damaged(e, path))? {
        fine if fine == "ok" => Ok(()),
        what => Err(StoreError::Damaged { path: path.to_owned(), what }),
    }
}

/// The error of a damaged database with its remedy.
pub(super) fn damaged(error: rusqlite::Error, path: &Path) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path: path.to_owned(), what: error.to_string() },
        _ => error.into(),
    }
}
