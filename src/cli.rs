//! The command line: one file a verb.

#[expect(dead_code, reason = "the command line hooks it up")]
mod preview;
