//! Credentials reach the page's own host, and nobody and nothing else.

use super::hasty;
use crate::harness::{Answer, Daemon, Home, Origin, Run, topic, until, write};
use pagewire::fetch::Fetcher;
use pagewire::model::{AllowPrivate, Credentials, RequestSettings, Secret, Stamp};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");
const TOKEN: &str = "t0psecret-bearer";
const PASSWORD: &str = "t0psecret-password";
const COOKIE: &str = "t0psecret-cookie";

fn good() -> Answer {
    Answer::markdown(topic(&[A]))
}

/// A home with files of secrets, and a page with these keys.
fn home(url: &str, keys: &str) -> Home {
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [{{ url = \"{url}\", {keys} }}]\n"));
    write(&home.path("token"), format!("{TOKEN}\n"));
    write(&home.path("pair"), format!("me:{PASSWORD}\n"));
    write(&home.path("cookie"), format!("session={COOKIE}\n"));
    home
}

#[test]
fn they_come_from_files_and_from_systemd() {
    let origin = Origin::start();
    origin.say("/tpu.md", good());
    let url = origin.url("/tpu.md");
    let sent = |keys: &str| {
        let home = home(&url, keys);
        let run = home.command(&["refresh"]).env("CREDENTIALS_DIRECTORY", home.folder.path()).output().unwrap();
        let run: Run = run.into();
        assert_eq!(run.code, 0, "{run:#?}");
        origin.requests().remove(0).headers
    };
    assert_eq!(sent("credentials = { bearer = \"file:token\" }")["authorization"], format!("Bearer {TOKEN}"));
    assert_eq!(sent("credentials = { bearer = \"credential:token\" }")["authorization"], format!("Bearer {TOKEN}"));
    // RFC 7617 §2: base64 of `me:…`.
    let basic = "Basic bWU6dDBwc2VjcmV0LXBhc3N3b3Jk";
    assert_eq!(sent("credentials = { basic = \"file:pair\" }")["authorization"], basic);
    let headers = sent("headers = { Cookie = \"file:cookie\", Accept-Language = \"en\" }");
    assert_eq!((&headers["cookie"], &headers["accept-language"]), (&format!("session={COOKIE}"), &"en".to_owned()));
}

#[test]
fn they_never_follow_to_another_host() {
    let (origin, other) = (Origin::start(), Origin::start());
    origin.say("/tpu.md", Answer::status(307).with("Location", "/here.md"));
    origin.say("/here.md", Answer::status(307).with("Location", &other.url("/tpu.md")));
    other.say("/tpu.md", good());
    let keys = "credentials = { bearer = \"file:token\" }, headers = { Cookie = \"file:cookie\", X-Key = \"k\" }";
    let home = home(&origin.url("/tpu.md"), keys);
    home.refresh(0);
    for request in origin.requests() {
        assert!(request.headers.contains_key("authorization") && request.headers.contains_key("x-key"), "{request:?}");
    }
    for name in ["authorization", "cookie", "x-key", "referer"] {
        assert!(!other.requests().iter().any(|request| request.headers.contains_key(name)), "{name}");
    }
}

/// Promise 26: planted secrets are searched for in everything that comes out.
#[test]
fn nothing_shows_them() {
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::status(401));
    let keys = "credentials = { basic = \"file:pair\" }, \
                headers = { Cookie = \"file:cookie\", X-Key = \"t0psecret-plain\" }, proxy = \"file:proxy\"";
    let proxied = |address: &str| {
        let home = home(&origin.url("/tpu.md"), keys);
        write(&home.path("proxy"), address);
        home
    };
    for proxy in ["http://me:t0psecret-proxy@127.0.0.1:1", "socks9://t0psecret-proxy", "t0psecret-proxy"] {
        let home = proxied(proxy);
        let mut outputs = Vec::new();
        for arguments in
            [&["refresh", "--json"][..], &["status"], &["status", "--json"], &["check"], &["check", "--json"]]
        {
            let run = home.run(arguments);
            outputs.push(run.out + &run.err);
        }
        home.listen("", "");
        let daemon = Daemon::of({
            let mut command = home.command(&["-v", "run"]);
            command.env("RUST_LOG", "trace");
            command
        });
        until("the verdict", || (daemon.page(0)["state"] == "failing").then_some(()));
        outputs.extend(["/status", "/api/status", "/"].map(|path| daemon.get(path, &[]).text().to_owned()));
        for name in ["cmdline", "environ"] {
            outputs.push(String::from_utf8_lossy(&std::fs::read(daemon.proc(name)).unwrap()).into_owned());
        }
        outputs.push(daemon.log());
        daemon.end("TERM");
        for file in ["state.db", "state.db-wal"] {
            outputs.push(
                std::fs::read(home.path(file)).map_or(String::new(), |b| String::from_utf8_lossy(&b).into_owned()),
            );
        }
        outputs.extend(home.files().values().map(|file| String::from_utf8_lossy(&file.bytes).into_owned()));
        for output in outputs {
            assert!(!output.contains("t0psecret") && !output.contains("bWU6dDBwc2VjcmV0"), "{output}");
        }
    }
}

#[test]
fn a_secret_that_is_missing_is_a_failure_that_names_its_place() {
    let origin = Origin::start();
    for (keys, words) in [
        ("credentials = { bearer = \"file:nowhere\" }", "nowhere"),
        ("credentials = { bearer = \"file:empty\" }", "empty"),
        ("headers = { Cookie = \"credential:site\" }", "LoadCredential=site"),
        ("headers = { Cookie = \"file:binary\" }", "can't be read"),
    ] {
        let home = home(&origin.url("/tpu.md"), keys);
        write(&home.path("empty"), "\n");
        write(&home.path("binary"), b"\xff\xfe");
        let report = home.report(&[]);
        assert_eq!(report["outcome"], "failed");
        assert!(report["error"]["message"].as_str().unwrap().contains(words), "{report}");
    }
    assert!(origin.requests().is_empty(), "nobody is asked without them");
}

/// A proxy is the configuration's; it is told the name, and the policy still judges literal addresses.
#[test]
fn a_proxy_carries_requests_and_knows_who_asks() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (heard, hears) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = vec![0; 8192];
            let length = stream.read(&mut head).unwrap_or(0);
            heard.send(String::from_utf8_lossy(&head[..length]).into_owned()).unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
        }
    });
    let fetcher = Fetcher::new(&hasty());
    let get = |address: &str| {
        let mut page = super::page(address, AllowPrivate::No);
        page.settings.request = RequestSettings {
            proxy: Some(Secret::Plain(format!("http://me:pw@{at}"))),
            credentials: Some(Credentials::Bearer(Secret::Plain(TOKEN.to_owned()))),
            ..RequestSettings::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(fetcher.get(&page, None, Stamp(1_796_000_000)))
    };
    get("http://nowhere.example/tpu.md").unwrap();
    let head = hears.recv().unwrap();
    assert!(head.starts_with("GET http://nowhere.example/tpu.md HTTP/1.1"), "{head}");
    assert!(head.to_ascii_lowercase().contains("proxy-authorization: basic bwu6chc="), "{head}");
    assert!(head.contains(TOKEN), "{head}");
    assert!(get("http://169.254.169.254/latest/").is_err() && hears.try_recv().is_err());
}

/// A SOCKS proxy is told names, too, and who asks (RFC 1928, RFC 1929); it is no way around the policy.
#[test]
fn a_socks_proxy_looks_names_up_and_knows_who_asks() {
    fn take(stream: &mut TcpStream, length: u8) -> Vec<u8> {
        let mut bytes = vec![0; length.into()];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    }
    /// A text with its length before it.
    fn text(stream: &mut TcpStream) -> String {
        let length = take(stream, 1)[0];
        String::from_utf8(take(stream, length)).unwrap()
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (heard, hears) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            assert!(take(&mut stream, 1) == [5] && text(&mut stream).contains('\x02'), "with user and password");
            stream.write_all(&[5, 2]).unwrap();
            assert_eq!(take(&mut stream, 1), [1]);
            let who = (text(&mut stream), text(&mut stream));
            stream.write_all(&[1, 0]).unwrap();
            assert_eq!(take(&mut stream, 4), [5, 1, 0, 3], "connect to a name");
            let place = (text(&mut stream), take(&mut stream, 2));
            stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
            let mut head = vec![0; 8192];
            let length = stream.read(&mut head).unwrap();
            heard.send((who, place, String::from_utf8_lossy(&head[..length]).into_owned())).unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
        }
    });
    let fetcher = Fetcher::new(&hasty());
    let get = |address: &str| {
        let mut page = super::page(address, AllowPrivate::No);
        let proxy = Some(Secret::Plain(format!("socks5h://me:p%40w@{at}")));
        page.settings.request = RequestSettings { proxy, ..RequestSettings::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(fetcher.get(&page, None, Stamp(1_796_000_000)))
    };
    get("http://nowhere.example/tpu.md").unwrap();
    let (who, (name, port), head) = hears.recv().unwrap();
    assert_eq!((who.0.as_str(), who.1.as_str(), name.as_str(), port), ("me", "p@w", "nowhere.example", vec![0, 80]));
    assert!(head.starts_with("GET /tpu.md HTTP/1.1"), "{head}");
    assert!(!head.contains("p@w") && !head.to_ascii_lowercase().contains("proxy-"), "{head}");
    assert!(get("http://169.254.169.254/latest/").is_err() && hears.try_recv().is_err());
}
