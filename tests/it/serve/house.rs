//! A server of its own for each test: files in a temporary folder, a shelf, a port of its own, requests by hand.

use pagewire::model::{
    Ask, Control, Listen, Metrics, Order, ServerSettings, Shelf, Shelved, Site, Stamp, Text, Told, parse_duration,
};
use pagewire::serve::{Front, Listener, Terms, Token, bind, bind_control, run};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// The server's present: 24 September 2026, 10:00.
pub const NOW: Stamp = Stamp(1_790_244_000);
/// An hour before: when files were written.
pub const MTIME: Stamp = Stamp(1_790_240_400);
pub const MTIME_HTTP: &str = "Thu, 24 Sep 2026 09:00:00 GMT";

pub struct House {
    pub folder: tempfile::TempDir,
    pub shelf: watch::Sender<Arc<Shelf>>,
    pub terms: watch::Sender<Arc<Terms>>,
    pub ready: watch::Sender<bool>,
    pub stop: watch::Sender<bool>,
    pub asks: mpsc::Receiver<Ask>,
    pub address: SocketAddr,
    pub running: JoinHandle<()>,
    pub runtime: Runtime,
}

/// An answer as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or_else(|| panic!("no head in {bytes:?}"));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[end + 4..].to_vec() }
    }

    /// A header's value; empty without one.
    pub fn header(&self, name: &str) -> &str {
        let named = |line: &&str| line.split(':').next().is_some_and(|n| n.eq_ignore_ascii_case(name));
        let mut lines = self.head.lines().skip(1).filter(named);
        let line = lines.next().unwrap_or_default();
        assert!(lines.next().is_none(), "{name} twice: {}", self.head);
        line.split_once(':').map_or("", |(_, value)| value.trim())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl House {
    /// One feed, `topics/tpu`, with its page, below `http://feeds.example/`.
    pub fn new() -> Self {
        Self::below("http://feeds.example/")
    }

    pub fn below(base: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(bind(&Listen::Tcp("127.0.0.1:0".parse().unwrap()))).unwrap();
        let address = listener.address().unwrap();
        Self::with(base, runtime, address, listener, tempfile::tempdir().unwrap())
    }

    /// On a control socket; the address is a stopgap.
    pub fn controlled() -> (Self, PathBuf) {
        let runtime = Runtime::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/control.sock");
        let listener = runtime.block_on(bind_control(&Control { path: path.clone(), set: true })).unwrap();
        (Self::with("http://feeds.example/", runtime, "127.0.0.1:1".parse().unwrap(), listener, folder), path)
    }

    fn with(base: &str, runtime: Runtime, address: SocketAddr, listener: Listener, folder: tempfile::TempDir) -> Self {
        let shelf = Shelf { directory: folder.path().to_owned(), ..Shelf::default() };
        let (shelf, shelf_seen) = watch::channel(Arc::new(shelf));
        let (terms, terms_seen) = watch::channel(Arc::new(terms(base)));
        let (ready, ready_seen) = watch::channel(true);
        let (stop, stop_seen) = watch::channel(false);
        let (ask, asks) = mpsc::channel(16);
        let front = Front {
            shelf: shelf_seen,
            terms: terms_seen,
            ready: ready_seen,
            asks: ask,
            metrics: Metrics::default(),
            now: || NOW,
        };
        let running = runtime.spawn(run(vec![listener], front, stop_seen));
        let house = Self { folder, shelf, terms, ready, stop, asks, address, running, runtime };
        house.publish("topics/tpu.atom", &feed("tpu"));
        house.publish("topics/tpu.html", PAGE);
        house
    }

    /// Puts a file on the disk and on the shelf.
    pub fn publish(&self, path: &str, content: &str) {
        let file = self.folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        let time = std::time::UNIX_EPOCH + Duration::from_secs(MTIME.0.unsigned_abs());
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        let shelved = Shelved { hash: hash(content), size: content.len() as u64, mtime: MTIME };
        self.change(|shelf| _ = shelf.files.insert(path.to_owned(), shelved));
    }

    pub fn change(&self, change: impl FnOnce(&mut Shelf)) {
        self.shelf.send_modify(|shelf| change(Arc::make_mut(shelf)));
    }

    pub fn settle(&self, change: impl FnOnce(&mut Terms)) {
        self.terms.send_modify(|terms| change(Arc::make_mut(terms)));
    }

    /// GET with these header lines.
    pub fn get(&self, path: &str, headers: &[&str]) -> Reply {
        self.ask("GET", path, headers, "")
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        let mut stream = self.connect();
        stream.write_all(request(method, path, headers, body).as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Reply::of(&bytes)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// `POST /api/refresh` with the token.
    pub fn order(&self, body: &str) -> Reply {
        self.ask("POST", "/api/refresh", &[BEARER, JSON], body)
    }

    /// The next thing that the daemon is asked: a refresh.
    pub fn ordered(&mut self) -> (Order, mpsc::UnboundedSender<Told>) {
        match self.asks.blocking_recv() {
            Some(Ask::Refresh { order, told }) => (order, told),
            other => panic!("{other:?}"),
        }
    }

    /// Stops, and says how long that took.
    pub fn halt(self) -> Duration {
        let start = Instant::now();
        self.stop.send_replace(true);
        self.runtime.block_on(self.running).unwrap();
        start.elapsed()
    }
}

pub const BEARER: &str = "Authorization: Bearer s3cret";
pub const JSON: &str = "Content-Type: application/json";

/// A request that asks to close the connection, for the right host unless the headers say otherwise.
pub fn request(method: &str, path: &str, headers: &[&str], body: &str) -> String {
    let mut out = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|h| h.starts_with("Host:")) {
        out += "Host: feeds.example\r\n";
    }
    for header in headers {
        let _ = write!(out, "{header}\r\n");
    }
    if !body.is_empty() {
        let _ = write!(out, "Content-Length: {}\r\n", body.len());
    }
    out + "\r\n" + body
}

/// One request over a Unix socket.
pub fn ask_unix(path: &Path, method: &str, target: &str, headers: &[&str], body: &str) -> Reply {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(request(method, target, headers, body).as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    Reply::of(&bytes)
}

fn terms(base: &str) -> Terms {
    let server = ServerSettings {
        listen: vec![],
        control: Control { path: PathBuf::new(), set: false },
        refresh_token_file: None,
        refresh_min: parse_duration("1m").unwrap(),
        operator_public: false,
        deltas: false,
    };
    let site = Site { title: Text::line("Test"), base_url: base.parse().unwrap(), language: None, hub: None };
    Terms { site, server, token: Token::of("s3cret\n") }
}

/// What a feed's file holds: enough to be worth a coding.
pub fn feed(name: &str) -> String {
    format!("<feed>{}</feed>\n", format!("<entry>a post about {name}</entry>").repeat(60))
}

pub const PAGE: &str = "<!DOCTYPE html><meta http-equiv=\"Content-Security-Policy\" \
                        content=\"default-src 'none'; style-src 'sha256-x'\"><title>TPU</title>";

pub fn hash(content: &str) -> [u8; 16] {
    blake3::hash(content.as_bytes()).as_bytes()[..16].try_into().unwrap()
}

/// The entity tag of a text, with what a coding adds.
pub fn tag(content: &str, suffix: &str) -> String {
    let hex: String = hash(content).iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    });
    format!("\"{hex}{suffix}\"")
}
