//! What the server asks of the daemon, and what it is told: the only way from a request to any work.

use super::document::Document;
use super::push::Subscription;
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

/// A question about the past, or an order that changes what is known; as the control socket carries it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Task {
    /// When was a post added, edited, renamed, held back, and by which document?
    Why {
        /// Its id, its link, or a unique part of its title.
        post: String,
    },
    /// What changed lately on the pages of a topic?
    Diff {
        /// Its slug.
        topic: String,
        /// How many acts at most.
        most: usize,
    },
    /// Take a post out of all feeds for good.
    Forget {
        /// As in `why`.
        post: String,
        /// Put it back instead.
        undo: bool,
    },
    /// Stop polling.
    Pause {
        /// Topics, addresses or paths.
        names: Vec<String>,
    },
    /// Start polling again.
    Resume {
        /// As in `pause`.
        names: Vec<String>,
    },
    /// Remove a topic that is not in the seeds any more, and its files.
    Drop {
        /// Its slug.
        topic: String,
    },
}

impl std::fmt::Display for Task {
    /// As it is typed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Why { post } => write!(f, "why {post}"),
            Self::Diff { topic, .. } => write!(f, "diff {topic}"),
            Self::Forget { post, undo } => write!(f, "forget {post}{}", if *undo { " --undo" } else { "" }),
            Self::Pause { names } => write!(f, "pause {}", names.join(" ")),
            Self::Resume { names } => write!(f, "resume {}", names.join(" ")),
            Self::Drop { topic } => write!(f, "drop {topic}"),
        }
    }
}

impl Task {
    /// Whether it only asks.
    pub fn only_reads(&self) -> bool {
        matches!(self, Self::Why { .. } | Self::Diff { .. })
    }
}

/// Why a task was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A sentence about a name that nobody knows, or that means several.
    #[error("{0}")]
    Unknown(String),
    /// A sentence about what stands in the way.
    #[error("{0}")]
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
    /// Do a task.
    Task {
        /// Which.
        task: Task,
        /// What it found or did.
        answer: oneshot::Sender<Result<Value, Refused>>,
    },
    /// What is counted, in the text format of Prometheus.
    Metrics {
        /// The text.
        answer: oneshot::Sender<String>,
    },
    /// What happened to the pages, as feeds.
    Health {
        /// The health feed in every format.
        answer: oneshot::Sender<Vec<Document>>,
    },
    /// Somebody wants to be told of a feed's changes.
    Subscribe {
        /// What was asked.
        asked: Subscription,
        /// Nothing, or why not.
        answer: oneshot::Sender<Result<(), String>>,
    },
    /// What `status --json` shows.
    Status {
        /// The object.
        answer: oneshot::Sender<Value>,
    },
}
