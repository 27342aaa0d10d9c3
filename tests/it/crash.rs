//! Whatever stops a refresh, and whenever: nothing that was published is lost or doubled, and the next start heals.

use crate::harness::{Files, Home, assert_same, topic};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A page that grows by one post with each version; all dates are fixed, so the end does not depend on when it ran.
pub fn version(n: usize) -> String {
    let posts: Vec<(String, String, String)> = (1..=n)
        .rev()
        .map(|i| {
            (
                format!("Post {i}"),
                format!("https://x.example/{i}.md"),
                format!("2026-0{}-{:02}", 1 + i / 28, 1 + i % 28),
            )
        })
        .collect();
    topic(&posts.iter().map(|(t, a, d)| (t.as_str(), a.as_str(), d.as_str())).collect::<Vec<_>>())
}

/// No file is half written, and each parses.
pub fn assert_whole(home: &Home) {
    // What was being written lies beside its place under a name that no reader asks for.
    let staged = |p: &Path| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
    for (path, file) in home.files().into_iter().filter(|(p, _)| !staged(p)) {
        assert!(!file.bytes.is_empty(), "{}", path.display());
        if path.extension().is_some_and(|e| e == "atom") {
            let feed = atom_syndication::Feed::read_from(&file.bytes[..])
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let ids: BTreeSet<_> = feed.entries.iter().map(|e| e.id.clone()).collect();
            assert_eq!(ids.len(), feed.entries.len(), "{}: an id twice", path.display());
        }
    }
}

fn ids(home: &Home) -> BTreeSet<String> {
    if home.path("out/topics/tpu.atom").exists() {
        home.entries("topics/tpu.atom").into_iter().map(|e| e.id).collect()
    } else {
        BTreeSet::new()
    }
}

/// The feeds without the outline, whose time of change is the clock's.
fn stable(files: Files) -> Files {
    let feeds = files.into_iter().filter(|(p, _)| !p.ends_with("feeds.opml"));
    feeds
        .map(|(p, mut f)| {
            f.time = std::time::SystemTime::UNIX_EPOCH;
            (p, f)
        })
        .collect()
}

#[test]
fn a_kill_at_any_instant_loses_and_doubles_nothing() {
    let home = Home::of("page.md");
    let mut took = Duration::from_millis(60);
    for n in 1..=100_usize {
        std::fs::write(home.path("page.md"), version(n.div_ceil(4))).unwrap();
        let before = ids(&home);
        let start = Instant::now();
        let mut child = home.command(&["refresh"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A pseudo-random instant of a run, with those near its end as likely as those near its start.
        let wait = took.mul_f64(f64::from(u32::try_from(n * 37 % 101).unwrap()) / 100.0);
        while start.elapsed() < wait && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            took = start.elapsed();
        }
        assert_whole(&home);
        let after = ids(&home);
        assert!(after.is_superset(&before), "round {n}: lost {:?}", before.difference(&after));
    }
    home.refresh(0);
    assert_eq!(ids(&home).len(), 25);
    let left: Vec<_> = std::fs::read_dir(home.path("out/topics")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(left.iter().all(|n| !n.to_string_lossy().starts_with('.')), "{left:?}");
    let control = Home::of("page.md");
    std::fs::write(control.path("page.md"), version(25)).unwrap();
    control.refresh(0);
    let entries = |h: &Home| h.entries("topics/tpu.atom").into_iter().map(|e| (e.id, e.title)).collect::<BTreeSet<_>>();
    assert_eq!(entries(&home), entries(&control));
}

#[test]
fn a_folder_that_cannot_be_used_is_told_before_anything_is_asked() {
    let home = Home::of("page.md");
    std::fs::write(home.path("page.md"), version(3)).unwrap();
    std::fs::write(home.path("out"), "in the way").unwrap();
    let run = home.refresh(78);
    assert!(run.err.contains("/out`") && run.err.contains("`directory` of [publish]"), "{}", run.err);
    std::fs::remove_file(home.path("out")).unwrap();
    home.refresh(0);
    let control = Home::of("page.md");
    std::fs::write(control.path("page.md"), version(3)).unwrap();
    control.refresh(0);
    assert_same(&stable(home.files()), &stable(control.files()));
}

#[test]
fn what_a_run_left_unpublished_is_published_by_the_next() {
    let home = Home::of("page.md");
    std::fs::write(home.path("page.md"), version(3)).unwrap();
    home.refresh(0);
    let before = home.files();
    let conn = rusqlite::Connection::open(home.path("state.db")).unwrap();
    // As a kill between the commit and the renames leaves it: dirty feeds, files of before.
    conn.execute_batch("UPDATE feed SET dirty = updated; DELETE FROM document WHERE path LIKE 'topics/%'").unwrap();
    conn.close().unwrap();
    std::fs::write(home.path("out/topics/tpu.atom"), "half a fi").unwrap();
    let run = home.refresh(0);
    assert!(run.out.contains("unchanged"), "the page is the same, its feeds were not: {}", run.out);
    let bytes = |files: Files| -> Vec<_> { files.into_iter().map(|(p, f)| (p, f.bytes)).collect() };
    assert!(bytes(stable(home.files())) == bytes(stable(before)));
}

#[test]
fn a_second_process_on_the_same_state_is_refused_at_once() {
    let home = Home::of("page.md");
    std::fs::write(home.path("page.md"), version(1)).unwrap();
    home.refresh(0);
    let lock = std::fs::File::options().write(true).open(home.path("state.db.lock")).unwrap();
    lock.lock().unwrap();
    let run = home.refresh(75);
    assert!(run.err.contains("in use by another pagewire"), "{}", run.err);
    assert_eq!(home.run(&["status"]).code, 0, "reading goes on");
    drop(lock);
    home.refresh(0);
}

#[test]
fn a_state_that_is_newer_or_not_ours_is_refused_untouched() {
    let home = Home::of("page.md");
    std::fs::write(home.path("page.md"), version(1)).unwrap();
    home.refresh(0);
    let conn = rusqlite::Connection::open(home.path("state.db")).unwrap();
    let version_now: i64 = conn.pragma_query_value(None, "user_version", |r| r.get(0)).unwrap();
    conn.pragma_update(None, "user_version", version_now + 1).unwrap();
    conn.close().unwrap();
    let bytes = std::fs::read(home.path("state.db")).unwrap();
    let run = home.refresh(78);
    let (newer, known) = (format!("schema {}", version_now + 1), format!("up to {version_now}"));
    assert!(run.err.contains(&newer) && run.err.contains(&known), "{}", run.err);
    assert_eq!(std::fs::read(home.path("state.db")).unwrap(), bytes);

    for foreign in [&b"not a database, but long enough to be looked at as one, which it is not"[..], b"x"] {
        std::fs::write(home.path("state.db"), foreign).unwrap();
        let run = home.refresh(78);
        assert!(run.err.contains("is not a pagewire database"), "{}", run.err);
        assert_eq!(std::fs::read(home.path("state.db")).unwrap(), foreign);
    }
    std::fs::remove_file(home.path("state.db")).unwrap();
    let other = rusqlite::Connection::open(home.path("state.db")).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    other.close().unwrap();
    assert_eq!(home.refresh(78).code, 78);
}

#[test]
fn reading_the_state_makes_no_file() {
    let home = Home::of("page.md");
    let names =
        || -> BTreeSet<_> { std::fs::read_dir(home.folder.path()).unwrap().flatten().map(|e| e.file_name()).collect() };
    let before = names();
    assert_eq!(home.run(&["status"]).code, 0);
    assert_eq!(home.run(&["export", "opml"]).code, 78);
    assert_eq!(names(), before);
    std::fs::write(home.path("page.md"), version(1)).unwrap();
    home.refresh(0);
    let before = names();
    assert_eq!(home.run(&["status", "--json"]).code, 0);
    let opml = home.run(&["export", "opml"]);
    assert!(opml.out.contains("http://feeds.example/topics/tpu.atom"), "{}", opml.out);
    assert_eq!(names(), before);
}
