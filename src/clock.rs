//! The one place that asks the time.
//!
//! In: nothing. Out: whole seconds. Everything else takes `now` as an argument, so that tests and replays choose it.

use crate::model::Stamp;

/// 2026-01-01T00:00:00Z: this program did not exist before, so a clock that stands earlier is wrong.
pub const BUILT: Stamp = Stamp(1_767_225_600);

/// The present time.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn now() -> Stamp {
    chrono::Utc::now().into()
}
