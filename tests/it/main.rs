//! The tests from outside, in one binary.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, and its helpers are tests too")]

mod feeds;
mod folder;
