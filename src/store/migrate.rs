//! The schema's versions: forward only, each in one transaction, and never past what this program knows.

use super::StoreError;
use rusqlite::Connection;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// `pgwr` in ASCII: marks the file as ours.
const APPLICATION: i64 = 0x7067_7772;

/// How every SQLite database begins (file format §1.3.1).
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What brings version n to n + 1.
const STEPS: [&str; 1] = [include_str!("schema.sql")];

/// Brings a database to the present schema.
pub(super) fn migrate(conn: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let mut version = check(conn, path)?;
    // A commit survives a power cut (FULL), and readers never wait for the writer (WAL). Of the usual page of 4096 bytes
    // posts would leave a fifth unused.
    conn.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -8192; PRAGMA busy_timeout = 5000;
         PRAGMA wal_autocheckpoint = 2000;",
    )?;
    while let Some(step) = usize::try_from(version).ok().and_then(|v| STEPS.get(v)) {
        let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        tx.execute_batch(step)?;
        version += 1;
        tx.pragma_update(None, "application_id", APPLICATION)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    Ok(())
}

/// Refuses a file that is no database before SQLite sees it, which takes a very short file for an empty one.
pub(super) fn look(path: &Path) -> Result<(), StoreError> {
    let mut start = Vec::new();
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(io(e)),
    };
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(io)?;
    if start.is_empty() || start == MAGIC { Ok(()) } else { Err(StoreError::Foreign(path.to_owned())) }
}

/// The version of a database, where it is one of ours and not newer than this program.
pub(super) fn check(conn: &Connection, path: &Path) -> Result<i64, StoreError> {
    let pragma = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let not_ours = |e: rusqlite::Error| match e.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => StoreError::Foreign(path.to_owned()),
        _ => StoreError::Database(e),
    };
    let found = pragma("user_version").map_err(not_ours)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    let application = pragma("application_id")?;
    let tables = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    if application != APPLICATION && (tables > 0 || application != 0 || found != 0) {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(found)
}
