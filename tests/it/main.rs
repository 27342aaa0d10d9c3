//! The tests from outside, in one binary: each module one side of the program.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, and its helpers are tests too")]
#![allow(clippy::format_push_string, clippy::format_collect, reason = "a test may be plain")]
#![allow(unreachable_pub, reason = "a test binary has no outside")]

mod architecture;
mod archives;
mod backup;
mod busy;
mod cli;
mod combine;
mod company;
mod config;
mod crash;
mod daemon;
mod extract;
mod extract_feed;
mod extract_html;
mod extract_list;
mod feeds;
mod folder;
mod further;
mod fuzz;
mod guest;
mod harness;
mod health;
mod history;
mod identity;
mod import;
mod index;
mod keep;
mod lint;
mod opml;
mod output;
mod own;
mod past;
mod refresh;
mod regression;
mod replay;
mod schedule;
mod serve;
