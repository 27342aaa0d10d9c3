//! Slow, silent and leaving connections: none of them costs a reader a feed.

use super::house::{House, Reply, feed};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Five times what a feed may be delayed.
const SOON: Duration = Duration::from_millis(250);

/// More than sockets hold, and little enough to stay in memory.
fn large() -> String {
    feed("everything").repeat(3_000)
}

/// How long a feed takes, on a new connection.
fn time(house: &House) -> Duration {
    let start = Instant::now();
    assert_eq!(house.get("/topics/tpu.atom", &[]).status, 200);
    start.elapsed()
}

/// Whether the server closed a connection, asked without waiting.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let closed = !matches!(stream.read(&mut [0; 1]), Err(e) if e.kind() == ErrorKind::WouldBlock);
    stream.set_nonblocking(false).unwrap();
    closed
}

#[test]
fn two_thousand_connections_that_say_nothing_do_not_keep_a_feed_back() {
    let house = House::new();
    time(&house);
    let mut crowd: Vec<TcpStream> = (0..2_000).map(|_| house.connect()).collect();
    for (n, stream) in crowd.iter_mut().enumerate() {
        if n % 2 == 0 {
            // Half a head; the connection may have had to leave by now.
            let _ = stream.write_all(b"GET /topics/tpu.atom HTTP/1.1\r\nHost: x\r\nX-Half: ");
        }
    }
    // They came first; after this one all of them are in, or had to leave again.
    time(&house);
    for _ in 0..20 {
        let took = time(&house);
        assert!(took < SOON, "{took:?}");
    }
    let left = crowd.iter_mut().filter_map(|s| is_closed(s).then_some(())).count();
    assert!((976..=1_100).contains(&left), "{left} had to leave");
}

#[test]
fn a_connection_that_is_used_stays_while_idle_ones_leave() {
    let house = House::new();
    let mut kept = house.connect();
    let ask = |kept: &mut TcpStream| {
        kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut bytes = [0; 1_024];
        let n = kept.read(&mut bytes).unwrap();
        assert_eq!(Reply::of(&bytes[..n]).status, 200);
    };
    let mut crowd = Vec::new();
    for _ in 0..15 {
        ask(&mut kept);
        crowd.extend((0..100).map(|_| house.connect()));
    }
    ask(&mut kept);
}

#[test]
fn a_reader_that_stops_reading_does_not_keep_others_back() {
    let house = House::new();
    house.publish("all.atom", &large());
    let mut slow: Vec<TcpStream> = (0..20).map(|_| house.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /all.atom HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_exact(&mut [0; 100]).unwrap();
    }
    for _ in 0..20 {
        let took = time(&house);
        assert!(took < SOON, "{took:?}");
    }
    let mut rest = Vec::new();
    slow[0].read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"</feed>\n"), "a slow reader gets it all");
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let house = House::new();
    let mut stream = house.connect();
    let head = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "x".repeat(40_000));
    let _ = stream.write_all(head.as_bytes());
    let mut bytes = [0; 64];
    // The rest of the head was not read, so the answer may be lost with the connection.
    if let Ok(n @ 12..) = stream.read(&mut bytes) {
        assert!(bytes[..n].starts_with(b"HTTP/1.1 431"), "{:?}", String::from_utf8_lossy(&bytes[..n]));
    }
    time(&house);
}

#[test]
fn stopping_finishes_answers_and_ends_streams_at_once() {
    let mut house = House::new();
    house.publish("all.atom", &large());
    let id = house.order("{}").json()["id"].as_str().unwrap().to_owned();
    let (_, told) = house.ordered();
    let mut events = house.connect();
    write!(events, "GET /api/refresh/{id}/events HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    events.read_exact(&mut [0; 12]).unwrap();
    let mut idle = house.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert!(idle.read(&mut [0; 1_024]).unwrap() > 0);
    let mut reading = house.connect();
    reading.write_all(b"GET /all.atom HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    reading.read_exact(&mut [0; 100]).unwrap();
    // On its way when the server stops.
    let mut arriving = house.connect();
    arriving.write_all(b"GET /topics/tpu.atom HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let address = house.address;

    let reader = std::thread::spawn(move || {
        let (mut end, mut rest) = (Vec::new(), Vec::new());
        events.read_to_end(&mut end).unwrap();
        reading.read_to_end(&mut rest).unwrap();
        let mut answer = Vec::new();
        arriving.read_to_end(&mut answer).unwrap();
        (rest, answer, idle.read(&mut [0; 1]).unwrap())
    });
    let took = house.halt();
    let (rest, answer, idle) = reader.join().unwrap();
    assert!(rest.ends_with(b"</feed>\n"), "an answer under way is finished");
    assert_eq!((Reply::of(&answer).status, idle), (200, 0));
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert!(TcpStream::connect(address).is_err(), "nobody else comes in");
    drop(told);
}

#[test]
fn a_reader_that_takes_too_long_does_not_hold_up_the_stop() {
    let house = House::new();
    house.publish("all.atom", &large());
    let mut slow = house.connect();
    slow.write_all(b"GET /all.atom HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    slow.read_exact(&mut [0; 100]).unwrap();
    let took = house.halt();
    assert!(took >= Duration::from_millis(2_900) && took < Duration::from_secs(6), "{took:?}");
}
