//! Secrets, read when a request needs them.
//!
//! In: where a secret is. Out: its first line, or a failure that names the place and never what is there.

use crate::model::{ErrorKind, Failure, Secret};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file that holds more is no secret of ours.
const MOST: u64 = 64 << 10;

/// The secret itself, without the end of its line.
pub(super) fn read(secret: &Secret, key: &str) -> Result<String, Failure> {
    match secret {
        Secret::Plain(text) => Ok(text.clone()),
        Secret::File(path) => line(path, key),
        Secret::Credential(name) => line(&handed_over(name, key)?, key),
    }
}

fn handed_over(name: &str, key: &str) -> Result<PathBuf, Failure> {
    let folder = std::env::var_os("CREDENTIALS_DIRECTORY").ok_or_else(|| {
        let message = format!(
            "`{key}` wants the credential `{name}`, but systemd handed over none: write LoadCredential={name}:/path \
             into the unit"
        );
        Failure::new(ErrorKind::Io, message)
    })?;
    Ok(Path::new(&folder).join(name))
}

fn line(path: &Path, key: &str) -> Result<String, Failure> {
    let wrong = |why: String| Failure::new(ErrorKind::Io, format!("`{key}`: `{}` {why}", path.display()));
    let mut text = String::new();
    let file = File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text));
    file.map_err(|e| wrong(format!("can't be read: {e}")))?;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return Err(wrong("is empty".to_owned()));
    }
    Ok(line.to_owned())
}
