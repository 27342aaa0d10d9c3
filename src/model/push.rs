//! What is sent out by itself: to hubs, to subscribers of ours, to hooks.

use super::slug::Slug;
use super::time::Stamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use url::Url;

/// `[publish] hub`: who tells subscribers of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hub {
    /// pagewire itself.
    Own,
    /// A hub at this address, which is told.
    Outside(Url),
}

/// `[[hook]]`: who is told of changed topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Where it goes.
    pub to: HookTo,
    /// The file with the secret that signs what is sent.
    pub secret_file: Option<PathBuf>,
    /// The topics; empty: all.
    pub topics: Vec<Slug>,
}

/// Where a hook goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookTo {
    /// An address that takes JSON by POST.
    Url(Url),
    /// A program and its arguments, with JSON on its standard input.
    Command(Vec<String>),
}

impl Hook {
    /// What tells it from the others.
    pub fn name(&self) -> String {
        match &self.to {
            HookTo::Url(url) => url.to_string(),
            HookTo::Command(words) => words.join(" "),
        }
    }

    /// Whether it wants to know of a topic.
    pub fn wants(&self, topic: &Slug) -> bool {
        self.topics.is_empty() || self.topics.contains(topic)
    }
}

/// What somebody asks of our hub (`WebSub` §5.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Whether it is to begin, else to end.
    pub subscribe: bool,
    /// Which feed, by its path.
    pub path: String,
    /// Where changes are sent.
    pub callback: Url,
    /// What signs them.
    pub secret: Option<String>,
    /// For how many seconds; 0 where nobody said.
    pub lease: i64,
    /// What the subscriber must answer to prove that it wants this.
    pub challenge: String,
}

/// What an errand is for; stored by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To tell an outside hub that a feed changed.
    Ping = 0,
    /// To ask a subscriber whether it wants what was asked in its name.
    Verify = 1,
    /// To bring a subscriber a feed.
    Deliver = 2,
    /// To tell a hook of a change.
    Hook = 3,
}

impl Purpose {
    /// The one with this number.
    pub fn of(number: i64) -> Option<Self> {
        [Self::Ping, Self::Verify, Self::Deliver, Self::Hook].into_iter().find(|p| *p as i64 == number)
    }
}

/// Something to be sent, until it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    /// The store's number.
    pub id: i64,
    /// Goes up when the same is to be sent once more.
    pub serial: i64,
    /// What for.
    pub purpose: Purpose,
    /// The feed's path; of a hook the event's id.
    pub path: String,
    /// The address, or the hook's name.
    pub target: String,
    /// What is sent, where that is not the feed itself.
    pub body: String,
    /// A subscriber's secret.
    pub secret: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
    /// Since when it waits.
    pub since: Stamp,
}

/// What became of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// It arrived.
    Done,
    /// A subscriber proved that it wants its subscription, or that it wants it no more.
    Proved(Subscription),
    /// It can never arrive, and why.
    Lost(String),
    /// The subscriber is gone for good.
    Gone,
    /// It is tried again, and why.
    Failed(String),
}
