//! The command line as a stranger uses it: what it says and how it ends, whatever it is given.

use crate::harness::{Home, pagewire, topic, write};
use std::fs::File;
use std::process::Stdio;

const READING: [&[&str]; 7] = [
    &["status"],
    &["status", "--json"],
    &["check"],
    &["check", "--json"],
    &["export", "opml"],
    &["refresh"],
    &["refresh", "--json"],
];

/// A home whose one page is a file, read once.
fn home() -> Home {
    let home = Home::of("tpu.md");
    write(&home.path("tpu.md"), topic(&[("Alpha", "https://x.example/alpha", "Sep 3, 2026")]));
    home.refresh(0);
    home
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = home();
    let preview: &[&str] = &["preview", "tpu.md"];
    for arguments in READING.into_iter().chain([preview, &["--help"]]) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.command(arguments).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert_eq!(output.stderr, b"", "{arguments:?}");
    }
}

#[test]
fn data_that_cannot_be_written_is_a_failure_and_says_so() {
    let home = home();
    let preview: &[&str] = &["preview", "tpu.md", "--json"];
    for arguments in READING.into_iter().chain([preview]) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = home.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.starts_with("error: cannot write to standard output: "), "{arguments:?}: {err}");
    }
}

#[test]
fn messages_that_nobody_can_read_change_no_exit_code() {
    let home = home();
    let cases: [(&[&str], i32); 4] = [
        (&["refresh", "nope"], 2),
        (&["preview", "nope"], 1),
        (&["preview", "tpu.md", "--explain"], 0),
        (&["nope"], 2),
    ];
    for (arguments, code) in cases {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status = home.command(arguments).stdout(Stdio::null()).stderr(full).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    let status = pagewire().args(["--config", "nope.toml", "refresh"]).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(78));
}

#[test]
fn every_verb_helps_with_an_example() {
    for verb in [&["refresh"] as &[&str], &["preview"], &["status"], &["check"], &["export"], &["export", "opml"]] {
        let output = pagewire().args(verb).arg("--help").output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && out.contains("\nExample"), "{verb:?}: {out}");
    }
}

#[test]
fn an_address_that_no_page_can_have_is_not_taken_for_a_file() {
    for address in ["ftp://x.example/a.md", "http://", "gopher://x.example"] {
        let output = pagewire().args(["preview", address]).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains(address) && err.contains("is no address of a page"), "{err}");
    }
}
