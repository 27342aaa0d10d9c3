//! The body of an answer, read to its end within its bounds.
//!
//! In: an answer. Out: its bytes as they came, still coded; or why there is no end that could be believed. A body that
//! comes so slowly that it would never end in a useful time ends here, and so does one that grows past the cap. Of
//! bodies that are larger than most pages only a few are read at once, so that a flood of them takes no memory.

use super::decode::{Much, too_large};
use super::{broken, innermost};
use crate::model::{ErrorKind, Failure};
use bytes::{Bytes, BytesMut};
use reqwest::Response;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// As large as most pages are at most; only for these is memory taken on the server's word.
const USUAL: usize = 256 << 10;
/// How many larger bodies are read at once.
const LARGE_ONES: usize = 2;
/// The time over which a body's pace is measured.
const WINDOW: Duration = Duration::from_secs(20);
/// What must come in that time: 512 bytes a second.
const PACE: usize = 20 * 512;

/// Room for bodies that are larger than usual.
#[derive(Debug)]
pub(super) struct Room(Semaphore);

impl Default for Room {
    fn default() -> Self {
        Self(Semaphore::new(LARGE_ONES))
    }
}

impl Room {
    /// Reads as much of a body as is wanted.
    pub(super) async fn read(&self, response: &mut Response, much: Much) -> Result<Bytes, Failure> {
        let (max, whole) = (much.most(), matches!(much, Much::All(_)));
        let told = response.content_length();
        if whole && told.is_some_and(|length| length > max) {
            return Err(too_large(max));
        }
        let most = usize::try_from(max).unwrap_or(usize::MAX);
        let told = told.and_then(|length| usize::try_from(length).ok()).unwrap_or_default();
        let mut wire = BytesMut::with_capacity(told.min(USUAL));
        let mut permit = None;
        let mut mark = (Instant::now(), 0);
        while let Some(chunk) = response.chunk().await.map_err(|e| cut(&e))? {
            let length = wire.len() + chunk.len();
            if length > most {
                if whole {
                    return Err(too_large(max));
                }
                wire.extend_from_slice(&chunk[..most - wire.len()]);
                break;
            }
            if length > USUAL && permit.is_none() {
                permit = self.0.acquire().await.ok();
                mark.0 = Instant::now();
            }
            wire.extend_from_slice(&chunk);
            if mark.0.elapsed() >= WINDOW {
                if length - mark.1 < PACE {
                    let message = "the answer comes slower than 512 bytes a second; is the site overloaded?";
                    return Err(Failure::new(ErrorKind::Timeout, message));
                }
                mark = (Instant::now(), length);
            }
        }
        Ok(wire.freeze())
    }
}

/// What a failure within a body was: silence, or an end before the end.
fn cut(error: &reqwest::Error) -> Failure {
    if error.is_timeout() {
        return broken(error);
    }
    Failure::new(ErrorKind::Truncated, format!("the answer broke off: {}", innermost(error)))
}
