//! Origins that misbehave: each costs its own page a failure that says what it was, and nobody else anything.

use super::{hasty, page};
use crate::daemon::EVERY_SECOND;
use crate::harness::{Answer, Daemon, Home, Origin, topic, until};
use pagewire::fetch::{Fetched, Fetcher};
use pagewire::model::{AllowPrivate, ErrorKind, Stamp};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

const NOW: Stamp = Stamp(1_796_000_000);
const A: (&str, &str, &str) = ("Alpha", "https://x.example/post/alpha.md", "Sep 3, 2026");

/// What an origin does once it has read a request, until its peer is gone.
type Deed = Arc<dyn Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync>;

/// A server that does what it likes, by path.
struct Rogue {
    port: u16,
}

impl Rogue {
    fn start(deeds: HashMap<String, Deed>) -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let deeds = Arc::new(deeds);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let deeds = Arc::clone(&deeds);
                std::thread::spawn(move || {
                    let mut head = Vec::new();
                    let mut byte = [0; 1];
                    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                        head.push(byte[0]);
                    }
                    let head = String::from_utf8_lossy(&head);
                    let path = head.split(' ').nth(1).unwrap_or("/");
                    if let Some(deed) = deeds.get(path) {
                        let _ = deed(&mut stream);
                    }
                });
            }
        });
        Self { port }
    }
}

fn say(bytes: impl Into<Vec<u8>>) -> Deed {
    let bytes = bytes.into();
    Arc::new(move |stream| stream.write_all(&bytes))
}

/// A whole answer with these header lines.
fn answer(lines: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n{lines}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn brotli(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 2, 20);
    encoder.write_all(data).unwrap();
    drop(encoder);
    out
}

fn zstd(data: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(data, ruzstd::encoding::CompressionLevel::Fastest)
}

/// 256 MiB of zeros in a gzip of many members, without ever holding them.
fn long_bomb() -> Vec<u8> {
    let member = gzip(&vec![0; 16 << 20]);
    member.repeat(16)
}

/// Sends something over and over until nobody listens.
fn for_ever(start: &'static str, more: &'static [u8], every: Duration) -> Deed {
    Arc::new(move |stream| {
        stream.write_all(start.as_bytes())?;
        loop {
            stream.write_all(more)?;
            if !every.is_zero() {
                std::thread::sleep(every);
            }
        }
    })
}

/// Closes with a reset instead of an end.
fn reset(after: &'static str) -> Deed {
    Arc::new(move |stream| {
        stream.write_all(after.as_bytes())?;
        let socket = socket2::SockRef::from(&*stream);
        socket.set_linger(Some(Duration::ZERO))
    })
}

/// The misbehaviours: path, what is done, the kind of the failure, and words of its message.
fn misdeeds() -> Vec<(&'static str, Deed, ErrorKind, &'static str)> {
    use ErrorKind::{Decode, Http, Io, Redirect, Timeout, TooLarge, Truncated};
    let kilobyte: &'static str = Box::leak(format!("400\r\n{}\r\n", "a".repeat(1_024)).into_boxed_str());
    let zeros = vec![0; 16 << 20];
    let page = topic(&[A]);
    let cut = |bytes: Vec<u8>, n: usize| bytes[..bytes.len() - n].to_vec();
    let to = |to: &str| say(format!("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: {to}\r\n\r\n"));
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    vec![
        ("/gzip-bomb", say(answer("Content-Encoding: gzip\r\n", &long_bomb())), TooLarge, "raise `max_size`"),
        ("/br-bomb", say(answer("Content-Encoding: br\r\n", &brotli(&zeros))), TooLarge, "raise `max_size`"),
        ("/zstd-bomb", say(answer("Content-Encoding: zstd\r\n", &zstd(&zeros))), TooLarge, "raise `max_size`"),
        (
            "/nested-bomb",
            say(answer("Content-Encoding: gzip, gzip\r\n", &gzip(&gzip(&zeros)))),
            TooLarge,
            "raise `max_size`",
        ),
        (
            "/nested-too-deep",
            say(answer("Content-Encoding: gzip, gzip, gzip, gzip\r\n", &gzip(b"x"))),
            Decode,
            "4 content codings",
        ),
        ("/odd-coding", say(answer("Content-Encoding: compress\r\n", b"x")), Decode, "`compress`"),
        ("/no-gzip", say(answer("Content-Encoding: gzip\r\n", page.as_bytes())), Decode, "cannot be undone"),
        ("/cut-gzip", say(answer("Content-Encoding: gzip\r\n", &cut(gzip(page.as_bytes()), 6))), Decode, "undone"),
        ("/cut-br", say(answer("Content-Encoding: br\r\n", &cut(brotli(page.as_bytes()), 3))), Decode, "undone"),
        ("/cut-zstd", say(answer("Content-Encoding: zstd\r\n", &cut(zstd(page.as_bytes()), 6))), Decode, "undone"),
        ("/endless", for_ever("HTTP/1.1 200 OK\r\n\r\n", &[b'a'; 65536], Duration::ZERO), TooLarge, "raise `max_size`"),
        (
            "/told-too-large",
            say("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
            TooLarge,
            "raise `max_size`",
        ),
        (
            "/endless-chunks",
            for_ever("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", kilobyte.as_bytes(), Duration::ZERO),
            TooLarge,
            "raise `max_size`",
        ),
        (
            "/drip",
            for_ever("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"a", Duration::from_millis(100)),
            Timeout,
            "slower than 512 bytes a second",
        ),
        (
            "/silence",
            for_ever("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"", Duration::from_secs(1)),
            Timeout,
            "did not answer in time",
        ),
        ("/slow-head", for_ever("HTTP/1.1 200 OK\r\nX: ", b"a", Duration::from_millis(200)), Timeout, "in time"),
        ("/no-head", for_ever("", b"", Duration::from_secs(1)), Timeout, "did not answer in time"),
        ("/huge-head", for_ever("HTTP/1.1 200 OK\r\nX: ", &[b'a'; 65536], Duration::ZERO), Io, "exchange failed"),
        ("/many-heads", for_ever("HTTP/1.1 200 OK\r\n", b"A: b\r\n", Duration::ZERO), Io, "exchange failed"),
        (
            "/endless-1xx",
            for_ever("", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", Duration::from_millis(5)),
            Timeout,
            "did not answer in time",
        ),
        ("/reset", reset(""), Io, "exchange failed"),
        ("/reset-in-body", reset("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n# TPU"), Truncated, "broke off"),
        ("/closed", say(""), Io, "exchange failed"),
        ("/short", say("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n# TPU"), Truncated, "broke off"),
        ("/cut-chunked", say(format!("{chunked}5\r\n# TPU\r\n")), Truncated, "broke off"),
        ("/cut-chunk", say(format!("{chunked}ff\r\n# TPU")), Truncated, "broke off"),
        ("/bad-chunk", say(format!("{chunked}xyz\r\n# TPU\r\n0\r\n\r\n")), Truncated, "broke off"),
        (
            "/two-lengths",
            say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n# TPU"),
            Io,
            "exchange failed",
        ),
        ("/no-http", say("SSH-2.0-OpenSSH_9.2\r\n"), Io, "exchange failed"),
        ("/circle", to("/circle"), Redirect, "in a circle"),
        ("/circle-of-two", to("/other-way"), Redirect, "in a circle"),
        ("/other-way", to("/circle-of-two"), Redirect, "in a circle"),
        ("/far-1", to("/far-2"), Redirect, "more than 5 redirects"),
        ("/far-2", to("/far-3"), Redirect, "more than 5 redirects"),
        ("/far-3", to("/far-4"), Redirect, "more than 5 redirects"),
        ("/far-4", to("/far-5"), Redirect, "more than 5 redirects"),
        ("/far-5", to("/far-6"), Redirect, "more than 5 redirects"),
        ("/far-6", to("/far-7"), Redirect, "more than 5 redirects"),
        ("/far-7", to("/far-1"), Redirect, "more than 5 redirects"),
        ("/to-file", to("file:///etc/passwd"), Redirect, "no http or https address"),
        ("/to-nowhere", say("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), Redirect, "without a usable Location"),
        ("/not-asked-304", say("HTTP/1.1 304 Not Modified\r\n\r\n"), Http(304), "without validators"),
        ("/part", say("HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\n#"), Http(206), "206"),
        ("/empty-204", say("HTTP/1.1 204 No Content\r\n\r\n"), Http(204), "204"),
        ("/switch", say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), Http(101), "101"),
    ]
}

/// The far ones go in a circle of seven, which is found out only by counting.
#[test]
fn each_misdeed_is_told_by_its_own_words() {
    let misdeeds = misdeeds();
    assert!(misdeeds.len() >= 18);
    let rogue = Rogue::start(misdeeds.iter().map(|(path, deed, ..)| ((*path).to_owned(), Arc::clone(deed))).collect());
    let settings = pagewire::model::FetchSettings {
        timeout: Duration::from_secs(25),
        per_host: pagewire::model::PerHost { concurrency: 99, pause: Duration::ZERO, by_domain: false },
        ..hasty()
    };
    let fetcher = Fetcher::new(&settings);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcomes = runtime.block_on(futures_util::future::join_all(misdeeds.iter().map(async |(path, ..)| {
        let page = page(&format!("http://127.0.0.1:{}{path}", rogue.port), AllowPrivate::Yes);
        fetcher.get(&page, None, NOW).await
    })));
    for ((path, _, kind, words), outcome) in misdeeds.iter().zip(outcomes) {
        let failure = outcome.expect_err(path).failure;
        assert_eq!(failure.kind, *kind, "{path}: {failure}");
        assert!(failure.message.contains(words), "{path}: {failure}");
    }
}

/// What is odd but whole is read as what it is (FACTS: a client that undoes codings stops at the first member).
#[test]
fn odd_codings_of_a_whole_page_are_undone() {
    let page_text = topic(&[A]);
    let (start, end) = page_text.as_bytes().split_at(page_text.len() / 3);
    let deeds: Vec<(&str, Vec<u8>)> = vec![
        ("gzip", gzip(page_text.as_bytes())),
        ("x-gzip", gzip(page_text.as_bytes())),
        ("GZIP", [gzip(start), gzip(b""), gzip(end)].concat()),
        ("gzip, gzip", gzip(&gzip(page_text.as_bytes()))),
        ("br", brotli(page_text.as_bytes())),
        ("gzip, br", brotli(&gzip(page_text.as_bytes()))),
        ("zstd", zstd(page_text.as_bytes())),
        ("zstd", [zstd(start), b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(end)].concat()),
        ("br, zstd", zstd(&brotli(page_text.as_bytes()))),
        ("identity", page_text.clone().into_bytes()),
    ];
    let name = |n: usize| format!("/{n}");
    let rogue = Rogue::start(
        deeds
            .iter()
            .enumerate()
            .map(|(n, (coding, body))| (name(n), say(answer(&format!("Content-Encoding: {coding}\r\n"), body))))
            .collect(),
    );
    let fetcher = Fetcher::new(&hasty());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (n, (coding, _)) in deeds.iter().enumerate() {
        let page = page(&format!("http://127.0.0.1:{}{}", rogue.port, name(n)), AllowPrivate::Yes);
        let answer = runtime.block_on(fetcher.get(&page, None, NOW)).unwrap_or_else(|e| panic!("{coding}: {e:?}"));
        let Fetched::Body(body) = answer.what else { panic!("{coding}") };
        assert!(body.bytes == page_text.as_bytes(), "{coding}");
    }
}

/// Fault 053: and the whole program stays small, whatever it is sent.
#[test]
fn bombs_take_no_memory() {
    let misdeeds = misdeeds();
    let bombs: Vec<_> = misdeeds.iter().filter(|(.., kind, _)| *kind == ErrorKind::TooLarge).collect();
    let rogue = Rogue::start(bombs.iter().map(|(path, deed, ..)| ((*path).to_owned(), Arc::clone(deed))).collect());
    // Of each bomb one on each of many hosts, so that they come at once.
    let pages: Vec<String> = (0..4)
        .flat_map(|n| bombs.iter().map(move |(path, ..)| format!("\"http://127.0.1.{n}:{}{path}\"", rogue.port)))
        .collect();
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    let good = format!("[[topic]]\nslug = \"tpu\"\npages = [\"{}\"]\n", origin.url("/tpu.md"));
    let home = Home::with(&good);
    home.listen("", "");
    let daemon = Daemon::start(&home);
    daemon.shows("/topics/tpu.atom", &["Alpha"]);
    let before = daemon.memory();
    home.seeds(&format!("{good}[[topic]]\nslug = \"bad\"\npages = [{}]\n", pages.join(", ")));
    assert_eq!(home.run(&["reload"]).code, 0);
    until("all have failed", || {
        let status = daemon.get("/api/status", &[]).json();
        let pages = status["pages"].as_array()?;
        pages[1..].iter().all(|page| page["error"]["kind"] == "too-large").then_some(())
    });
    let grown = daemon.memory().saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} KiB");
}

/// Fault 052: a hundred hosts that never end keep nobody waiting.
#[test]
fn a_hundred_tar_pits_delay_no_others() {
    let drip = for_ever("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"a", Duration::from_millis(200));
    let rogue = Rogue::start(HashMap::from([("/pit".to_owned(), drip)]));
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    let pits: Vec<String> = (1..=100).map(|n| format!("\"http://127.0.2.{n}:{}/pit\"", rogue.port)).collect();
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"bad\"\npages = [{}]\n[[topic]]\nslug = \"tpu\"\nschedule = \"every 1s\"\npages = [\"{}\"]\n",
        pits.join(", "),
        origin.url("/tpu.md")
    ));
    home.listen("", EVERY_SECOND);
    let daemon = Daemon::start(&home);
    // All hundred are under way at once, more than `concurrency` allows of healthy ones.
    daemon.shows("/topics/tpu.atom", &["Alpha"]);
    until("the healthy page, again and again", || (origin.count("/tpu.md") >= 5).then_some(()));
    let times: Vec<_> = origin.requests().iter().map(|request| request.at).collect();
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(longest < Duration::from_secs(10), "{longest:?}");
}

/// The same of a refresh without a daemon: what is slow takes no place of others until its time runs out.
#[test]
fn tar_pits_keep_no_page_of_the_same_refresh_waiting() {
    let drip = for_ever("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"a", Duration::from_millis(200));
    let rogue = Rogue::start(HashMap::from([("/pit".to_owned(), drip)]));
    let origin = Origin::start();
    origin.say("/tpu.md", Answer::markdown(topic(&[A])));
    let pit = |n: u8| format!("\"http://127.0.2.{n}:{}/pit\"", rogue.port);
    let home = Home::with(&format!(
        "[[topic]]\nslug = \"tpu\"\npages = [{}, {}, \"{}\"]\n",
        pit(1),
        pit(2),
        origin.url("/tpu.md")
    ));
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let few = "[fetch]\ntimeout = \"15s\"\nconcurrency = 2\n";
    std::fs::write(home.path("pagewire.toml"), config.replace("[fetch]\n", few)).unwrap();
    let start = Instant::now();
    home.refresh(1);
    let (asked, end) = (origin.requests()[0].at - start, start.elapsed());
    assert!(end >= Duration::from_secs(15) && asked < Duration::from_secs(15), "{asked:?} of {end:?}");
    assert_eq!(home.entries("topics/tpu.atom").len(), 1);
}
