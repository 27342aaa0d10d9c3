//! How long extraction takes: `cargo run --release --example extract -- FILE...` reads each page eleven times and prints
//! the median of each, the median of all, and the slowest. Reading the file is not counted.

use pagewire::extract::extract;
use pagewire::model::{Body, PageSettings};
use std::time::{Duration, Instant};
use url::Url;

/// How often each page is read.
const TIMES: usize = 11;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = Url::parse("https://site.example/blog/")?;
    let mut all: Vec<Duration> = Vec::new();
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file)?.into();
        let body = Body { address: address.clone(), bytes, media_type: None, validators: None, maybe_cut: false };
        let mut times: Vec<Duration> = Vec::with_capacity(TIMES);
        let mut told = String::new();
        for _ in 0..TIMES {
            let start = Instant::now();
            let reading = extract(&body, &PageSettings::default());
            times.push(start.elapsed());
            told = reading.map_or_else(|failure| failure.kind.to_string(), |r| format!("{} posts", r.posts.len()));
        }
        let time = median(&mut times);
        println!("{time:>12.2?}  {told:<18}  {file}");
        all.push(time);
    }
    if let Some(slowest) = all.iter().max().copied() {
        println!("{} pages: median {:.2?}, slowest {slowest:.2?}", all.len(), median(&mut all));
    }
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
