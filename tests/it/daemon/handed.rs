//! A socket that is handed over stays open while the daemon is gone, so that no request is refused by a restart.

use crate::harness::{Daemon, Home, exchange, topic, until, write};
use crate::serve::house::request;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

/// The daemon with this socket as its third descriptor, as systemd does it.
fn with_socket(home: &Home, listener: &TcpListener) -> Command {
    let mut command = Command::new("sh");
    let script = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";
    command.args(["-c", script, env!("CARGO_BIN_EXE_pagewire"), "--config"]).arg(home.path("pagewire.toml")).arg("run");
    command.env("NO_COLOR", "1").current_dir(home.folder.path());
    command.stdin(Stdio::from(OwnedFd::from(listener.try_clone().unwrap())));
    command
}

#[test]
fn a_socket_that_is_handed_over_wins_and_outlives_a_restart() {
    let home = Home::with("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n");
    write(&home.path("page.md"), topic(&[("One", "https://x.example/1", "Sep 24, 2026")]));
    home.listen("", "");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let first = Daemon::of(with_socket(&home, &listener));
    assert_eq!(first.port(), port, "not the one of the configuration");
    first.shows("/topics/tpu.atom", &["One"]);
    let told = format!("follows 1 page, serving http://feeds.example/ on 127.0.0.1:{port}");
    until("where it is served", || first.log().contains(&told).then_some(()));
    let (status, _) = first.end("TERM");
    assert!(status.success());
    // Asked while nobody is there.
    let asked = std::thread::spawn(move || exchange(port, &request("GET", "/topics/tpu.atom", &[], "")));
    let second = Daemon::of(with_socket(&home, &listener));
    assert_eq!(asked.join().unwrap().unwrap().status, 200);
    drop(second);
}

/// Restarts and reloads under load: nobody is refused.
#[test]
fn no_request_fails_through_restarts_and_reloads() {
    let home = Home::with("[[topic]]\nslug = \"tpu\"\npages = [\"page.md\"]\n");
    write(&home.path("page.md"), topic(&[("One", "https://x.example/1", "Sep 24, 2026")]));
    home.listen("", "");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut daemon = Daemon::of(with_socket(&home, &listener));
    daemon.shows("/topics/tpu.atom", &["One"]);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let askers: Vec<_> = (0..4)
        .map(|_| {
            let stop = std::sync::Arc::clone(&stop);
            std::thread::spawn(move || {
                let mut count = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let reply = exchange(port, &request("GET", "/topics/tpu.atom", &[], "")).expect("an answer");
                    assert_eq!(reply.status, 200);
                    count += 1;
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                count
            })
        })
        .collect();
    for _ in 0..3 {
        daemon.signal("HUP");
        let (status, _) = daemon.end("TERM");
        assert!(status.success());
        daemon = Daemon::of(with_socket(&home, &listener));
        let log = daemon.log();
        assert!(log.contains("handed over"), "{log}");
        daemon.signal("HUP");
        until("a reload", || daemon.log().contains("was read again").then_some(()));
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let answered: usize = askers.into_iter().map(|asker| asker.join().unwrap()).sum();
    assert!(answered > 20, "{answered}");
}
