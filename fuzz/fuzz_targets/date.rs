//! Any text as a date: no panic, and what is read is read the same way from what it is written as.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewire::extract::date::parse;

fuzz_target!(|text: &str| {
    if let Some(published) = parse(text, chrono_tz::Europe::Berlin) {
        assert_eq!(parse(&published.to_string(), chrono_tz::UTC), Some(published));
    }
});
