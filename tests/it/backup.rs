//! The state is one file that can be taken away, brought back, and is never written over when it is damaged.

use crate::crash::version;
use crate::harness::{Daemon, Home, assert_same};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn home(posts: usize) -> Home {
    let home = Home::of("page.md");
    fs::write(home.path("page.md"), version(posts)).unwrap();
    home.refresh(0);
    home
}

fn titles(home: &Home) -> Vec<String> {
    home.entries("topics/tpu.atom").into_iter().map(|e| e.title).collect()
}

#[test]
fn a_backup_brings_back_what_was_known() {
    let home = home(2);
    let before = home.files();
    assert_eq!(home.run(&["backup", "copy.db"]).code, 0);
    assert_eq!(fs::metadata(home.path("copy.db")).unwrap().permissions().mode() & 0o777, 0o600);
    let run = home.run(&["backup", "copy.db"]);
    assert_eq!(run.code, 78, "no backup is written over: {run:#?}");
    let why = "copy.db` is there already, and stays as it is; name a file that is not there yet\n";
    assert!(run.err.ends_with(why), "{}", run.err);

    fs::write(home.path("page.md"), version(3)).unwrap();
    home.refresh(0);
    let run = home.run(&["restore", "copy.db"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(home.path("state.db.before-restore").exists() && home.path("copy.db").exists());
    fs::write(home.path("page.md"), version(2)).unwrap();
    home.refresh(0);
    home.run(&["refresh", "--force"]);
    assert_eq!(titles(&home), ["Post 2", "Post 1"]);
    let feed = std::path::Path::new("topics/tpu.atom");
    assert!(home.files()[feed].bytes == before[feed].bytes);
    // And the state that was set aside can be brought back like any other.
    assert_eq!(home.run(&["restore", "state.db.before-restore"]).code, 0);
    home.refresh(0);
    assert_eq!(titles(&home), ["Post 3", "Post 2", "Post 1"]);
}

#[test]
fn a_backup_is_taken_beside_a_daemon_and_not_brought_back_under_it() {
    let home = home(2);
    home.listen("", "");
    let daemon = Daemon::start(&home);
    assert_eq!(home.run(&["backup", "copy.db"]).code, 0);
    let run = home.run(&["restore", "copy.db"]);
    assert_eq!(run.code, 75);
    assert!(run.err.contains("state.db` is in use by another pagewire; stop it"), "{}", run.err);
    assert_eq!(daemon.titles("/topics/tpu.atom"), ["Post 2", "Post 1"]);
}

#[test]
fn what_is_no_backup_is_not_restored() {
    let home = home(2);
    let state = fs::read(home.path("state.db")).unwrap();
    fs::write(home.path("empty.db"), "").unwrap();
    fs::write(home.path("other.db"), "something else").unwrap();
    fs::write(home.path("cut.db"), &state[..state.len() / 2]).unwrap();
    for (file, says) in [
        ("empty.db", "not a pagewire database"),
        ("other.db", "not a pagewire database"),
        ("cut.db", "damaged"),
        ("nothing.db", "there is no state"),
    ] {
        let run = home.run(&["restore", file]);
        assert_eq!(run.code, 78, "{file}: {run:#?}");
        assert!(run.err.contains(says), "{file}: {}", run.err);
        if file != "cut.db" {
            let help = "so nothing was restored; name a file that `pagewire backup` wrote\n";
            assert!(run.err.contains(&format!("{file}`, ")) && run.err.ends_with(help), "{file}: {}", run.err);
        }
        assert!(fs::read(home.path("state.db")).unwrap() == state, "{file}");
    }
}

#[test]
fn a_damaged_database_is_told_and_not_touched_and_the_feeds_stay() {
    let home = home(9);
    home.run(&["backup", "copy.db"]);
    let (mut state, before) = (fs::read(home.path("state.db")).unwrap(), home.files());
    // The first pages say what is where; the others are filled with what no page begins with.
    state[8192..].fill(0xff);
    fs::write(home.path("state.db"), &state).unwrap();
    let run = home.run(&["refresh"]);
    assert_eq!(run.code, 78, "{run:#?}");
    assert!(run.err.contains("is damaged") && run.err.contains("pagewire restore"), "{}", run.err);
    // A daemon goes on serving what there is.
    home.listen("", "");
    let daemon = Daemon::start(&home);
    let reply = daemon.get("/topics/tpu.atom", &[]);
    assert_eq!(reply.status, 200);
    assert!(reply.body == before[std::path::Path::new("topics/tpu.atom")].bytes);
    assert_eq!(daemon.get("/topics/tpu.atom", &[&format!("If-None-Match: {}", reply.header("etag"))]).status, 304);
    assert_eq!(daemon.get("/api/status", &[]).status, 503);
    assert!(daemon.log().contains("is damaged"), "{}", daemon.log());
    assert!(daemon.end("TERM").0.success());
    home.configure("");
    assert!(fs::read(home.path("state.db")).unwrap() == state);
    assert_same(&home.files(), &before);
    assert_eq!(home.run(&["restore", "copy.db"]).code, 0);
    assert_eq!(home.refresh(0).out.lines().next().map(|l| l.starts_with("unchanged")), Some(true));
    assert_same(&home.files(), &before);
}

/// A disk without room, as a limit on the size of files stands for it: the message says where and what helps.
#[test]
fn a_state_that_cannot_be_written_is_named_with_what_helps() {
    let home = Home::of("page.md");
    fs::write(home.path("page.md"), version(2)).unwrap();
    let limited = |verb: &str| {
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_pagewire"), "--config"]).arg(home.path("pagewire.toml"));
        crate::harness::Run::from(command.arg(verb).env("NO_COLOR", "1").output().unwrap())
    };
    for verb in ["refresh", "run"] {
        let run = limited(verb);
        assert_eq!(run.code, 1, "{verb}: {run:#?}");
        let path = home.path("state.db").canonicalize().unwrap();
        assert!(run.err.contains(&format!("cannot write the state `{}`: ", path.display())), "{verb}: {}", run.err);
        assert!(run.err.contains("see whether its disk is full (`df`)"), "{verb}: {}", run.err);
    }
    // With room again all is well.
    home.refresh(0);
    assert_eq!(titles(&home), ["Post 2", "Post 1"]);
    // A folder in the database's place.
    let home = Home::of("page.md");
    fs::create_dir(home.path("state.db")).unwrap();
    let run = home.run(&["refresh"]);
    assert_eq!(run.code, 78, "{run:#?}");
    assert!(run.err.contains("state.db`: "), "{}", run.err);
}
