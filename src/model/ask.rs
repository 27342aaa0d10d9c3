//! What the server asks of the daemon, and what it is told: the only way from a request to any work.

use super::report::{Report, Total};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A manual refresh as somebody orders it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// Topics, page addresses, paths, or `company:SLUG`; none means everything.
    pub names: Vec<String>,
    /// Ask without validators and read again what is the same.
    pub force: bool,
    /// Release what a guard holds.
    pub accept: bool,
    /// What became of a page within this time answers for it, too.
    pub min: Duration,
}

/// What whoever ordered a refresh is told, in this order: pages, then a total; or a refusal alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// One page is done.
    Page(Report),
    /// All are.
    Total(Total),
    /// A sentence about a name that nobody knows.
    Unknown(String),
    /// The work could not be done, and why.
    Failed(String),
}

/// One request to the daemon.
#[derive(Debug)]
pub enum Ask {
    /// Refresh pages now; one flight a page, however many ask.
    Refresh {
        /// Which.
        order: Order,
        /// Where the answers go; it may be closed early, and the work goes on.
        told: mpsc::UnboundedSender<Told>,
    },
    /// Read the configuration again.
    Reload {
        /// Nothing, or why the old one goes on.
        done: oneshot::Sender<Result<(), String>>,
    },
    /// What `status --json` shows.
    Status {
        /// The object.
        answer: oneshot::Sender<Value>,
    },
}
