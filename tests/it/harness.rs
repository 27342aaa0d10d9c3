//! What the tests stand on: the real binary, a scripted origin on loopback, a folder of its own for each test.

use crate::serve::house::{Reply, request};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// The program under test.
pub fn pagewire() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagewire"));
    command.env_remove("PAGEWIRE_CONFIG").env_remove("STATE_DIRECTORY").env("NO_COLOR", "1");
    command
}

/// One scripted answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// How many bytes of the body are sent before the connection closes; all if none.
    pub send: Option<usize>,
    /// Whether the length is told.
    pub length: bool,
    /// How long to wait before the answer.
    pub delay: Duration,
    /// How long to wait before each byte of the body.
    pub drip: Duration,
}

impl Answer {
    pub fn ok(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("Content-Type".into(), media_type.into())],
            body: body.into(),
            send: None,
            length: true,
            delay: Duration::ZERO,
            drip: Duration::ZERO,
        }
    }

    pub fn markdown(body: impl Into<Vec<u8>>) -> Self {
        Self::ok("text/markdown; charset=utf-8", body)
    }

    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), ..Self::ok("text/plain", "") }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// A request as the origin saw it; header names in lower case.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub at: Instant,
}

/// A web server that says what it is told to.
pub struct Origin {
    port: u16,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    log: Arc<Mutex<Vec<Request>>>,
    crowd: Arc<Mutex<Crowd>>,
}

/// How many requests are answered at once, and how many ever were.
#[derive(Debug, Default, Clone, Copy)]
struct Crowd {
    now: usize,
    most: usize,
}

impl Origin {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers: Arc<Mutex<HashMap<String, Answer>>> = Arc::default();
        let log: Arc<Mutex<Vec<Request>>> = Arc::default();
        let crowd: Arc<Mutex<Crowd>> = Arc::default();
        let (a, l, c) = (Arc::clone(&answers), Arc::clone(&log), Arc::clone(&crowd));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (a, l, c) = (Arc::clone(&a), Arc::clone(&l), Arc::clone(&c));
                std::thread::spawn(move || {
                    let _ = serve(stream, &a, &l, &c);
                });
            }
        });
        Self { port, answers, log, crowd }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn say(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    /// The requests since the last call.
    pub fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// How often a path was asked for since then.
    pub fn count(&self, path: &str) -> usize {
        self.log.lock().unwrap().iter().filter(|request| request.path == path).count()
    }

    /// The most requests that were ever under way at once.
    pub fn most_at_once(&self) -> usize {
        self.crowd.lock().unwrap().most
    }
}

fn serve(
    mut stream: TcpStream,
    answers: &Mutex<HashMap<String, Answer>>,
    log: &Mutex<Vec<Request>>,
    crowd: &Mutex<Crowd>,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut head = Vec::new();
    let mut byte = [0; 1];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let path = lines.next().and_then(|l| l.split(' ').nth(1)).unwrap_or("/").to_owned();
    let headers = lines.filter_map(|l| l.split_once(": ")).map(|(n, v)| (n.to_ascii_lowercase(), v.to_owned()));
    {
        let mut crowd = crowd.lock().unwrap();
        crowd.now += 1;
        crowd.most = crowd.most.max(crowd.now);
    }
    log.lock().unwrap().push(Request { path: path.clone(), headers: headers.collect(), at: Instant::now() });
    let answer = answers.lock().unwrap().get(&path).cloned().unwrap_or_else(|| Answer::status(404));
    std::thread::sleep(answer.delay);
    // Before the answer: who has it may ask again before this thread goes on.
    crowd.lock().unwrap().now -= 1;
    let mut out = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        out += &format!("{name}: {value}\r\n");
    }
    if answer.length && answer.status != 304 {
        out += &format!("Content-Length: {}\r\n", answer.body.len());
    }
    stream.write_all((out + "\r\n").as_bytes())?;
    let body = &answer.body[..answer.send.unwrap_or(answer.body.len())];
    if answer.drip.is_zero() {
        return stream.write_all(body);
    }
    for byte in body {
        std::thread::sleep(answer.drip);
        stream.write_all(&[*byte])?;
    }
    Ok(())
}

/// A configuration, its state and its feeds, in a folder that goes with the test.
pub struct Home {
    pub folder: tempfile::TempDir,
}

/// What a run printed.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(o: Output) -> Self {
        Self {
            code: o.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&o.stdout).into_owned(),
            err: String::from_utf8_lossy(&o.stderr).into_owned(),
        }
    }
}

impl Run {
    /// The JSON objects of a `--json` run.
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
    }
}

impl Home {
    /// One topic `tpu` at one address.
    pub fn of(address: &str) -> Self {
        Self::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [\"{address}\"]\n"))
    }

    /// These seeds.
    pub fn with(seeds: &str) -> Self {
        // In memory where that can be: each refresh waits for the disk more often than for anything else.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let home = Self { folder };
        home.seeds(seeds);
        home.configure("");
        home
    }

    /// Writes the configuration, with more at its end.
    pub fn configure(&self, more: &str) {
        self.configure_server("listen = \"off\"\n", more);
    }

    /// The same for a daemon, on a port of its own; with more of the server's keys.
    pub fn listen(&self, server: &str, more: &str) {
        self.configure_server(&format!("listen = \"127.0.0.1:0\"\n{server}\n"), more);
    }

    fn configure_server(&self, server: &str, more: &str) {
        let config = format!(
            "seeds = [\"seeds.toml\"]\n[site]\ntitle = \"Test\"\nbase_url = \"http://feeds.example\"\n\
             [state]\ndatabase = \"state.db\"\n[publish]\ndirectory = \"out\"\n[server]\n{server}\
             [fetch]\nallow_private = true\nrobots = false\nper_host = {{ concurrency = 8, pause = \"0s\" }}\n\
             [schedule]\ndefault = \"every 1h\"\n{more}"
        );
        std::fs::write(self.path("pagewire.toml"), config).unwrap();
    }

    pub fn seeds(&self, seeds: &str) {
        std::fs::write(self.path("seeds.toml"), seeds).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = pagewire();
        command.arg("--config").arg(self.path("pagewire.toml")).args(arguments).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().unwrap().into()
    }

    /// One refresh that must end with this code.
    pub fn refresh(&self, code: i32) -> Run {
        let run = self.run(&["refresh"]);
        assert_eq!(run.code, code, "{run:#?}");
        run
    }

    /// The report of the one page after a refresh.
    pub fn report(&self, arguments: &[&str]) -> serde_json::Value {
        let run = self.run(&[&["refresh", "--json"], arguments].concat());
        run.json().into_iter().next().unwrap_or_else(|| panic!("{run:#?}"))
    }

    /// Every published file with its bytes and its time.
    pub fn files(&self) -> Files {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path("out")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let time = entry.metadata().unwrap().modified().unwrap();
                    let name = path.strip_prefix(self.path("out")).unwrap().to_owned();
                    files.insert(name, File { bytes: std::fs::read(&path).unwrap(), time });
                }
            }
        }
        files
    }

    /// The entries of a published Atom feed, in order.
    pub fn entries(&self, path: &str) -> Vec<Seen> {
        self.feed(path).entries.iter().map(Seen::new).collect()
    }

    /// A published Atom feed, as a strict reader of its format sees it.
    pub fn feed(&self, path: &str) -> atom_syndication::Feed {
        let file = self.path("out").join(path);
        let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        atom_syndication::Feed::read_from(&bytes[..]).unwrap()
    }
}

/// Published files by their paths.
pub type Files = BTreeMap<PathBuf, File>;

/// A published file; a failed comparison shows its text in short.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    pub bytes: Vec<u8>,
    pub time: SystemTime,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        write!(f, "{} bytes at {seconds}", self.bytes.len())
    }
}

/// Fails with the paths that differ.
pub fn assert_same(left: &Files, right: &Files) {
    let paths: std::collections::BTreeSet<_> = left.keys().chain(right.keys()).collect();
    let differ: Vec<_> = paths.into_iter().filter(|p| left.get(*p) != right.get(*p)).collect();
    assert!(differ.is_empty(), "{differ:?} differ");
}

/// An entry as a subscriber sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub id: String,
    pub title: String,
    pub link: String,
    pub published: String,
    pub updated: String,
    pub authors: Vec<String>,
}

impl Seen {
    fn new(e: &atom_syndication::Entry) -> Self {
        let time = |t: chrono::DateTime<chrono::FixedOffset>| t.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self {
            id: e.id.clone(),
            title: e.title.value.clone(),
            link: e.links.iter().find(|l| l.rel == "alternate").map(|l| l.href.clone()).unwrap_or_default(),
            published: e.published.map(time).unwrap_or_default(),
            updated: time(e.updated),
            authors: e.authors.iter().map(|a| a.name.clone()).collect(),
        }
    }
}

/// Sets a file's contents.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) {
    std::fs::write(path, contents).unwrap();
}

/// A topic page with posts given as (title, address, lines of its list, summary).
pub fn page(posts: &[(&str, &str, &str, &str)]) -> String {
    let n = posts.len();
    let mut page = format!("# TPU\n> {n} posts about TPU\n\n## Articles\n");
    for (title, address, list, summary) in posts {
        page += &format!("\n### [{title}]({address})\n{list}\n\n{summary}\n");
    }
    page
}

/// A post of Acme on a day, with a summary that is its own.
pub fn post(title: &str, address: &str, day: &str) -> String {
    format!(
        "\n### [{title}]({address})\n- Company: [Acme](https://x.example/company/acme.md)\n- Published: {day}\n\
         - Type: Explainer\n\nWhat {title} says at some length, so that its text is its own.\n"
    )
}

/// A topic page of such posts.
pub fn topic(posts: &[(&str, &str, &str)]) -> String {
    let n = posts.len();
    let list: String = posts.iter().map(|(title, address, day)| post(title, address, day)).collect();
    format!("# TPU\n> {n} posts about TPU\n\n## Articles\n{list}")
}

/// Asks until there is an answer, for at most 20 seconds.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A running `pagewire run`, which ends with the test.
pub struct Daemon {
    child: Child,
    log: Arc<Mutex<String>>,
    port: u16,
}

impl Daemon {
    /// One that answers and is ready.
    pub fn start(home: &Home) -> Self {
        Self::of(home.command(&["run"]))
    }

    pub fn of(command: Command) -> Self {
        let mut daemon = Self::listening(command);
        until("ready", || {
            assert!(daemon.child.try_wait().unwrap().is_none(), "ended: {}", daemon.log());
            (daemon.get("/readyz", &[]).status == 200).then_some(())
        });
        daemon
    }

    /// One that listens, and may still be starting.
    pub fn listening(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (log, lines) = (Arc::<Mutex<String>>::default(), BufReader::new(child.stderr.take().unwrap()).lines());
        let written = Arc::clone(&log);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| written.lock().unwrap().push_str(&(line + "\n")));
        });
        let mut daemon = Self { child, log, port: 0 };
        daemon.port = until("a port", || {
            assert!(daemon.child.try_wait().unwrap().is_none(), "ended: {}", daemon.log());
            let log = daemon.log();
            let port = log.split("listening on 127.0.0.1:").nth(1)?.lines().next()?.trim().parse();
            Some(port.unwrap())
        });
        daemon
    }

    /// What it wrote to standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub fn get(&self, path: &str, headers: &[&str]) -> Reply {
        self.ask("GET", path, headers, "")
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        self.try_ask(method, path, headers, body).unwrap_or_else(|e| panic!("{method} {path}: {e}\n{}", self.log()))
    }

    pub fn try_ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> std::io::Result<Reply> {
        exchange(self.port, &request(method, path, headers, body))
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The titles of a served Atom feed; none where it is not published.
    pub fn titles(&self, path: &str) -> Vec<String> {
        let reply = self.get(path, &[]);
        if reply.status != 200 {
            return Vec::new();
        }
        let feed = atom_syndication::Feed::read_from(&reply.body[..]).unwrap();
        feed.entries.into_iter().map(|entry| entry.title.value).collect()
    }

    /// Waits until a served feed shows these titles.
    pub fn shows(&self, path: &str, titles: &[&str]) {
        until(&format!("{path} with {titles:?}"), || (self.titles(path) == titles).then_some(()));
    }

    /// A page of `/api/status`, by its position.
    pub fn page(&self, index: usize) -> serde_json::Value {
        self.get("/api/status", &[]).json()["pages"][index].clone()
    }

    /// The most memory that it ever took, in KiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(self.proc("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// A file that the kernel shows of it.
    pub fn proc(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.child.id()).into()
    }

    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// Sends a signal, and says how and how fast it ended.
    pub fn end(mut self, signal: &str) -> (ExitStatus, Duration) {
        let start = Instant::now();
        self.signal(signal);
        let status = until("the end", || self.child.try_wait().unwrap());
        (status, start.elapsed())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One request and its answer, on a connection of its own.
pub fn exchange(port: u16, request: &str) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Reply::of(&bytes))
}
