//! How often a page is polled.

use std::time::Duration;

/// A schedule as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cadence {
    /// As often as the page's own rate makes worth while.
    Auto,
    /// At a fixed interval.
    Every(Duration),
}

/// Why a schedule is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CadenceError {
    /// It is no schedule.
    #[error(
        "`{0}` is no schedule: use \"auto\", \"every 30m\", \"@hourly\" or a crontab line such as \"*/15 * * * *\""
    )]
    Unknown(String),
}
