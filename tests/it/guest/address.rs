//! No address that is not public is asked by any way there: as it stands, by a redirect, by a name, by the
//! environment's proxy. What is allowed is.

use super::{hasty, page};
use crate::harness::{Answer, Home, Origin, topic};
use pagewire::fetch::{Fetcher, Names};
use pagewire::model::{AllowPrivate, ErrorKind, Stamp};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use url::{Host, Url};

const NOW: Stamp = Stamp(1_796_000_000);

/// Hosts that are not public, in many spellings. `PORT` lies behind each.
const HOSTILE: &[&str] = &[
    // This machine.
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7F.1",
    "0177.0.0.1",
    "017700000001",
    "0x7f.0x0.0x0.0x1",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "⑫7.0.0.1",
    "0",
    "0.0.0.0",
    "0.1.2.3",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:7f00:0001::1]",
    "[2001:0:7f00:1::]",
    // Private networks.
    "10.0.0.1",
    "10.255.255.255",
    "0xa.0.0.1",
    "012.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "3232235521",
    "100.64.0.1",
    "100.127.255.255",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[2002:a00:1::]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[fec0::1]",
    // Clouds' metadata.
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    // For documentation, measurement, many at once, the future.
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[3fff::1]",
    "[5f00::1]",
];

/// Spellings of this machine at which a listener on every address is met.
const HERE: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.2",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "localhost",
];

/// Listens on every address of this machine, and counts who calls.
struct Canary {
    port: u16,
    calls: Arc<AtomicUsize>,
}

impl Canary {
    fn start() -> Self {
        let four = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = four.local_addr().unwrap().port();
        let calls = Arc::new(AtomicUsize::new(0));
        // Where there is no IPv6 nobody can call there.
        let six = TcpListener::bind(("::1", port)).ok();
        for listener in std::iter::once(four).chain(six) {
            let calls = Arc::clone(&calls);
            std::thread::spawn(move || {
                for mut stream in listener.incoming().flatten() {
                    calls.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.read(&mut [0; 4096]);
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
                }
            });
        }
        Self { port, calls }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// The hostile addresses, each at this port.
    fn addresses(&self) -> Vec<String> {
        HOSTILE.iter().map(|host| format!("http://{host}:{}/", self.port)).collect()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Why a fetcher refuses an address.
fn kind(fetcher: &Fetcher, address: &str, allow: &AllowPrivate) -> Option<ErrorKind> {
    let answer = runtime().block_on(fetcher.get(&page(address, allow.clone()), None, NOW));
    answer.err().map(|refusal| refusal.failure.kind)
}

#[test]
fn the_table_is_long_and_every_row_is_an_address() {
    assert!(HOSTILE.len() >= 60, "{}", HOSTILE.len());
    for host in HOSTILE {
        Url::parse(&format!("http://{host}/")).unwrap_or_else(|e| panic!("{host}: {e}"));
    }
}

/// Fault 121.
#[test]
fn as_it_stands() {
    let (canary, fetcher) = (Canary::start(), Fetcher::new(&hasty()));
    for address in canary.addresses() {
        assert_eq!(kind(&fetcher, &address, &AllowPrivate::No), Some(ErrorKind::RefusedAddress), "{address}");
    }
    assert_eq!(canary.calls(), 0);
}

/// Fault 122: and the error names the hop.
#[test]
fn by_a_redirect() {
    let (canary, origin) = (Canary::start(), Origin::start());
    let here = vec!["127.0.0.1".parse().unwrap()];
    let names = Names::Table(Arc::new(HashMap::from([("origin.example".to_owned(), here)])));
    let fetcher = Fetcher::with_names(&hasty(), names);
    let allow = AllowPrivate::Only { nets: Vec::new(), hosts: vec!["origin.example".to_owned()] };
    let from = origin.url("/").replace("127.0.0.1", "origin.example");
    for address in canary.addresses() {
        for status in [301, 302, 303, 307, 308] {
            origin.say("/", Answer::status(status).with("Location", &address));
            let refusal = runtime().block_on(fetcher.get(&page(&from, allow.clone()), None, NOW)).unwrap_err();
            assert_eq!(refusal.failure.kind, ErrorKind::RefusedAddress, "{status} {address}: {}", refusal.failure);
            let hop = Url::parse(&address).unwrap();
            assert!(refusal.failure.message.contains(hop.as_str()), "{}", refusal.failure);
        }
    }
    assert_eq!(canary.calls(), 0);
    assert_eq!(origin.requests().len(), 5 * HOSTILE.len(), "the origin itself is allowed");
}

/// What a name leads to counts, not the name; and an answer with one good address among bad ones leads to that only.
#[test]
fn by_a_name() {
    let canary = Canary::start();
    let ip = |host: &&str| match Url::parse(&format!("http://{host}/")).unwrap().host()? {
        Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
        Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
        Host::Domain(_) => None,
    };
    let hostile: Vec<IpAddr> = HOSTILE.iter().filter_map(ip).collect();
    assert!(hostile.len() >= 60, "{}", hostile.len());
    let mut table: HashMap<String, Vec<IpAddr>> =
        hostile.iter().enumerate().map(|(n, ip)| (format!("n{n}.example"), vec![*ip])).collect();
    table.insert("all.example".to_owned(), hostile.clone());
    let names: Vec<String> = table.keys().cloned().collect();
    let fetcher = Fetcher::with_names(&hasty(), Names::Table(Arc::new(table)));
    for name in names {
        let address = format!("http://{name}:{}/", canary.port);
        assert_eq!(kind(&fetcher, &address, &AllowPrivate::No), Some(ErrorKind::RefusedAddress), "{address}");
        let other = AllowPrivate::Only { nets: vec!["203.0.114.0/24".parse().unwrap()], hosts: vec!["x".to_owned()] };
        assert_eq!(kind(&fetcher, &address, &other), Some(ErrorKind::RefusedAddress), "{address}");
    }
    assert_eq!(canary.calls(), 0);
}

/// The real program, with every variable that names a proxy set.
#[test]
fn by_the_environments_proxy() {
    let canary = Canary::start();
    let pages: Vec<String> = canary.addresses().iter().map(|address| format!("\"{address}\"")).collect();
    let home = Home::with(&format!("[[topic]]\nslug = \"tpu\"\npages = [{}]\n", pages.join(", ")));
    let config = std::fs::read_to_string(home.path("pagewire.toml")).unwrap();
    let config = config.replace("allow_private = true", "allow_private = false");
    std::fs::write(home.path("pagewire.toml"), config).unwrap();
    let mut command = home.command(&["refresh", "--json"]);
    let proxy = format!("http://127.0.0.1:{}", canary.port);
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(name, &proxy);
    }
    let run: crate::harness::Run = command.output().unwrap().into();
    let lines = run.json();
    // Spellings of one address are one page.
    assert!(lines.len() > 50, "{run:#?}");
    for line in &lines[..lines.len() - 1] {
        assert_eq!(line["error"]["kind"], "refused-address", "{line}");
    }
    assert_eq!(canary.calls(), 0);
}

#[test]
fn what_is_allowed_is_asked_in_every_spelling() {
    let nets = |nets: &[&str]| AllowPrivate::Only {
        nets: nets.iter().map(|net| net.parse().unwrap()).collect(),
        hosts: Vec::new(),
    };
    for allow in [AllowPrivate::Yes, nets(&["127.0.0.0/8", "::1/128"])] {
        let (canary, fetcher) = (Canary::start(), Fetcher::new(&hasty()));
        for (n, host) in HERE.iter().enumerate() {
            let address = format!("http://{host}:{}/", canary.port);
            assert_eq!(kind(&fetcher, &address, &allow), None, "{address}");
            assert_eq!(canary.calls(), n + 1, "{address}");
        }
    }
    let (canary, fetcher) = (Canary::start(), Fetcher::new(&hasty()));
    for host in HERE {
        let address = format!("http://{host}:{}/", canary.port);
        let refused = Some(ErrorKind::RefusedAddress);
        assert_eq!(kind(&fetcher, &address, &nets(&["10.0.0.0/8", "fd00::/8"])), refused, "{address}");
    }
    assert_eq!(canary.calls(), 0);
    let named = AllowPrivate::Only { nets: Vec::new(), hosts: vec!["localhost".to_owned()] };
    assert_eq!(kind(&fetcher, &format!("http://localhost:{}/", canary.port), &named), None);
    assert_eq!(kind(&fetcher, &format!("http://127.0.0.1:{}/", canary.port), &named), Some(ErrorKind::RefusedAddress));
}

/// Whatever an address says besides its host.
#[test]
fn neither_users_nor_schemes_nor_odd_ports_pass() {
    let (canary, origin, fetcher) = (Canary::start(), Origin::start(), Fetcher::new(&hasty()));
    let allow = AllowPrivate::Only { nets: vec!["127.0.0.1/32".parse().unwrap()], hosts: Vec::new() };
    for to in [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "unix:/run/x.sock",
        "data:text/markdown,%23%20TPU",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        &format!("http://me:pw@127.0.0.1:{}/", canary.port),
        &format!("http://me@127.0.0.1:{}/", canary.port),
        "http://93.184.215.14:25/",
        "http://example.com:22/",
    ] {
        origin.say("/", Answer::status(302).with("Location", to));
        let kind = kind(&fetcher, &origin.url("/"), &allow);
        assert!(matches!(kind, Some(ErrorKind::Redirect | ErrorKind::RefusedAddress)), "{to}: {kind:?}");
    }
    assert_eq!(canary.calls(), 0);
    origin.say("/", Answer::markdown(topic(&[])));
    assert_eq!(kind(&fetcher, &origin.url("/"), &allow), None);
}
