//! The tests that drive the library from outside, as one program.

mod config;
mod schedule;
