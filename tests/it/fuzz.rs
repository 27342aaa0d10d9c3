//! What fuzzing starts from, and what it found: each input by its target's rule, without a fuzzer.

use crate::extract::{body, settings};
use pagewire::extract::{date, extract};
use pagewire::model::{Kind, PageSettings};
use std::path::{Path, PathBuf};

fn seeds(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{target}");
    files
}

#[test]
fn pages_of_all_kinds_are_read_without_panic() {
    for (target, kind) in [("markdown", Kind::Markdown), ("html", Kind::Html), ("feed", Kind::Feed)] {
        for file in seeds(target) {
            let bytes = std::fs::read(&file).unwrap();
            for end in [bytes.len(), bytes.len() / 2, bytes.len() * 3 / 4] {
                let page = body("https://site.example/blog/", &bytes[..end], None);
                let reading = extract(&page, &PageSettings { kind: Some(kind), ..settings() });
                for post in reading.iter().flat_map(|reading| &reading.posts) {
                    assert!(!post.title.is_empty() || post.link.is_some(), "{}", file.display());
                }
            }
        }
    }
}

#[test]
fn a_date_is_read_again_as_it_is_written() {
    for file in seeds("date") {
        let text = std::fs::read_to_string(&file).unwrap();
        if let Some(published) = date::parse(&text, chrono_tz::Europe::Berlin) {
            assert_eq!(date::parse(&published.to_string(), chrono_tz::UTC), Some(published), "{text}");
        }
    }
}
