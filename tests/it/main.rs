//! The tests that drive the library from outside, as one program.

#![allow(clippy::unwrap_used, reason = "a panic here is a failed test")]

mod config;
mod schedule;
