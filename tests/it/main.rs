//! The tests from outside, in one binary: each module one side of the program.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, and its helpers are tests too")]

mod architecture;
mod config;
mod feeds;
mod folder;
mod harness;
mod identity;
mod refresh;
mod schedule;
