//! The schema's versions: forward only, each in one transaction, and never past what this program knows. Before the
//! first step a copy of the database is laid beside it.

use super::{StoreError, copy, with_suffix};
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
    let version = check(conn, path)?;
    climb(conn, path, version, &STEPS)
}

fn climb(conn: &mut Connection, path: &Path, mut version: i64, steps: &[&str]) -> Result<(), StoreError> {
    // A commit survives a power cut (FULL), and readers never wait for the writer (WAL). Of the usual page of 4096 bytes
    // posts would leave a fifth unused.
    conn.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -4096; PRAGMA busy_timeout = 5000;
         PRAGMA wal_autocheckpoint = 2000;",
    )?;
    let rest = |version| usize::try_from(version).ok().and_then(|v| steps.get(v));
    if version > 0 && rest(version).is_some() {
        let backup = with_suffix(path, &format!(".v{version}"));
        // One that is there is of an earlier try, from before its first step.
        if !backup.exists() {
            copy::copy(conn, &backup)?;
        }
    }
    while let Some(step) = rest(version) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn version(conn: &Connection) -> i64 {
        conn.pragma_query_value(None, "user_version", |r| r.get(0)).expect("a version")
    }

    #[test]
    fn a_migration_leaves_a_copy_of_what_was_before_its_first_step() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.db");
        let steps = ["CREATE TABLE post (title)", "ALTER TABLE post ADD COLUMN link", "CREATE TABLE no such"];
        let mut conn = Connection::open(&path).expect("a database");
        climb(&mut conn, &path, 0, &steps[..1]).expect("the first layout");
        conn.execute("INSERT INTO post VALUES ('Alpha')", []).expect("a row");
        assert!(!with_suffix(&path, ".v0").exists(), "nothing was there to keep");

        // The third step fails: the second stands, the copy is of the first.
        climb(&mut conn, &path, 1, &steps).expect_err("the third step is no SQL");
        assert_eq!(version(&conn), 2);
        let backup = Connection::open(with_suffix(&path, ".v1")).expect("the copy");
        assert_eq!(version(&backup), 1);
        let titles = |conn: &Connection| conn.query_row("SELECT title FROM post", [], |r| r.get::<_, String>(0));
        assert_eq!((titles(&backup), titles(&conn)), (Ok("Alpha".into()), Ok("Alpha".into())));
        climb(&mut conn, &path, 2, &steps[..2]).expect("nothing is left to do");
        assert!(!with_suffix(&path, ".v2").exists());
    }
}
