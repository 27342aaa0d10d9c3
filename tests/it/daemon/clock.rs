//! Clocks that jump: with libfaketime (Debian: faketime), where it is installed.

use super::{A, C, TPU, follow, page};
use crate::harness::{Daemon, Home, until, write};
use std::path::PathBuf;

/// A clock that a test sets: an offset such as `-1d`, or a time.
struct Clock {
    library: PathBuf,
    file: PathBuf,
}

impl Clock {
    fn of(home: &Home, reading: &str) -> Option<Self> {
        let library = glob::glob("/usr/lib/*/faketime/libfaketimeMT.so.1").unwrap().flatten().next();
        let Some(library) = library else {
            println!("skipped: no libfaketime here; install the package `faketime`");
            return None;
        };
        let clock = Self { library, file: home.path("clock") };
        clock.set(reading);
        Some(clock)
    }

    fn set(&self, reading: &str) {
        write(&self.file, reading);
    }

    fn start(&self, home: &Home) -> Daemon {
        let mut command = home.command(&["run"]);
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", &self.file);
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("TZ", "UTC");
        Daemon::of(command)
    }
}

/// In how many seconds the first page is due, by the daemon's own clock.
fn wait(daemon: &Daemon) -> i64 {
    let status = daemon.get("/api/status", &[]).json();
    let time = |v: &serde_json::Value| chrono::DateTime::parse_from_rfc3339(v.as_str().unwrap()).unwrap().timestamp();
    time(&status["pages"][0]["next_due"]) - time(&status["now"])
}

/// Fault 106: at most one and a half intervals, in whatever direction the clock is set.
#[test]
fn a_clock_that_jumps_costs_one_refresh_at_most() {
    let (origin, home) = follow(&["tpu"], "");
    let Some(clock) = Clock::of(&home, "+0") else { return };
    let daemon = clock.start(&home);
    daemon.shows(TPU, &["Alpha"]);
    assert_eq!(origin.requests().len(), 1);

    clock.set("+1d");
    // Every question wakes the daemon, which would else look at the clock within half a minute.
    until("one to catch up", || {
        daemon.page(0);
        (origin.count("/tpu.md") == 1).then_some(())
    });
    until("the verdict", || (wait(&daemon) > 0).then_some(()));
    assert!(wait(&daemon) <= 5_400, "{}", wait(&daemon));

    clock.set("-30d");
    until("a new plan", || {
        daemon.page(0);
        daemon.log().contains("the clock was set back").then_some(())
    });
    origin.say("/tpu.md", page(&[C, A]));
    assert_eq!(origin.requests().len(), 1, "set back: nobody is asked at once");
    assert!((0..=5_400).contains(&wait(&daemon)), "{}", wait(&daemon));
    clock.set("-718h");
    until("the next run", || {
        daemon.page(0);
        (origin.count("/tpu.md") == 1).then_some(())
    });
    daemon.shows(TPU, &["Gamma", "Alpha"]);
}

/// The same where the clock was set back while nobody ran; a Retry-After of that future holds nothing up.
#[test]
fn a_start_with_a_clock_set_back_waits_for_an_interval() {
    let (origin, home) = follow(&["tpu"], "");
    let Some(clock) = Clock::of(&home, "+300d") else { return };
    origin.say("/tpu.md", crate::harness::Answer::status(429).with("Retry-After", "3600"));
    let daemon = clock.start(&home);
    until("the verdict", || (daemon.page(0)["failures"] == 1).then_some(()));
    daemon.end("TERM");
    clock.set("+0");
    origin.requests();
    origin.say("/tpu.md", page(&[A]));
    let daemon = clock.start(&home);
    daemon.page(0);
    assert_eq!(origin.requests().len(), 0);
    clock.set("+3h");
    until("the next run", || {
        daemon.page(0);
        (origin.count("/tpu.md") == 1).then_some(())
    });
    daemon.shows(TPU, &["Alpha"]);
}

/// Fault 110: what is due is a time, not a time since the start.
#[test]
fn a_daemon_that_runs_shorter_than_the_interval_asks_once_a_day() {
    let (origin, home) = follow(&["tpu"], "schedule = \"every 6h\"");
    let Some(clock) = Clock::of(&home, "+0") else { return };
    for day in 1..4 {
        let daemon = clock.start(&home);
        until("the day's request", || (origin.count("/tpu.md") == day).then_some(()));
        until("its verdict", || (wait(&daemon) > 0).then_some(()));
        daemon.end("TERM");
        clock.set(&format!("+{day}d"));
    }
}

#[test]
fn a_crontab_line_fires_in_its_minute() {
    let (origin, home) = follow(&["tpu"], "schedule = \"0 12 * * *\"");
    let Some(clock) = Clock::of(&home, "@2027-03-01 11:59:57") else { return };
    let daemon = clock.start(&home);
    until("a page never asked, and noon", || (origin.count("/tpu.md") == 2).then_some(()));
    until("its verdict", || (wait(&daemon) > 86_000).then_some(()));
}

#[test]
fn a_clock_before_our_time_takes_no_reading_and_serves_on() {
    let (origin, home) = follow(&["tpu"], "");
    let Some(clock) = Clock::of(&home, "+0") else { return };
    let daemon = clock.start(&home);
    daemon.shows(TPU, &["Alpha"]);
    daemon.end("TERM");
    origin.requests();
    clock.set("@2020-01-01 00:00:00");
    let daemon = clock.start(&home);
    assert_eq!(daemon.titles(TPU), ["Alpha"]);
    let line = home.report(&[]);
    assert_eq!((&line["outcome"], &line["error"]["kind"]), (&"failed".into(), &"clock".into()));
    assert!((1..=60).contains(&wait(&daemon)), "{}", wait(&daemon));
    assert_eq!(origin.requests().len(), 0);
}
