//! Any bytes as a page of this kind: no panic, and whatever is read can be written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewire::extract::extract;
use pagewire::model::{Body, Kind, PageSettings};
use url::Url;

fuzz_target!(|bytes: &[u8]| {
    let address = Url::parse("https://site.example/blog/").expect("it is an address");
    let body = Body { address, bytes: bytes.to_vec().into(), media_type: None, validators: None, maybe_cut: false };
    let settings = PageSettings { kind: Some(Kind::Markdown), ..PageSettings::default() };
    if let Ok(reading) = extract(&body, &settings) {
        for post in &reading.posts {
            assert!(!post.title.is_empty() || post.link.is_some());
            let _ = post.summary.text();
        }
    }
});
