//! Root that works on somebody's state becomes that user first, so that no file is left which its owner can't write.
//!
//! In: where the state is. Out: this process's user and groups. Deliberately absent: names of users; the folder's owner
//! and group are who it belongs to.

use super::{Exit, say_error};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Becomes the owner of the folder that holds the database, if this is root's process and not root's folder. Where the
/// folder is yet to be made, the one in which it will be counts. To be called while the process has one thread: threads
/// started later inherit the user, others would keep theirs.
pub(super) fn become_owner(database: &Path) -> Result<(), Exit> {
    let Some(folder) = database.ancestors().skip(1).find_map(|folder| folder.metadata().ok()) else { return Ok(()) };
    let (user, group) = (Uid::from_raw(folder.uid()), Gid::from_raw(folder.gid()));
    if user.is_root() || !geteuid().is_root() {
        return Ok(());
    }
    let become_it = || {
        set_thread_groups(&[])?;
        set_thread_gid(group)?;
        set_thread_uid(user)
    };
    become_it().map_err(|e| {
        let (database, user) = (database.display(), user.as_raw());
        say_error(format!(
            "cannot become the owner of the state `{database}`, user {user}: {e}; start pagewire as that user"
        ));
        Exit::Config
    })
}
