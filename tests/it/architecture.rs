//! The one rule, kept by a test: nouns live in `model`, a verb imports only `model`, and only `refresh`, `daemon` and
//! `cli` join verbs. `src/lib.rs` says why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each module may import; the table of `src/lib.rs`. A module that joins verbs may import any.
const MAY_IMPORT: [(&str, &[&str]); 12] = [
    ("model", &[]),
    ("clock", &["model"]),
    ("config", &["model"]),
    ("schedule", &["model"]),
    ("fetch", &["model"]),
    ("extract", &["model"]),
    ("diff", &["model"]),
    ("store", &["model"]),
    ("render", &["model"]),
    ("lint", &["model"]),
    ("publish", &["model"]),
    ("serve", &["model"]),
];
const JOINERS: [&str; 5] = ["refresh", "daemon", "cli", "lib", "main"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a source imports by `crate::`, alone or in braces.
fn imports(source: &str) -> BTreeSet<String> {
    let code: String = source.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for part in code.split("crate::").skip(1) {
        let word = |s: &str| s.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        let Some(group) = part.strip_prefix('{') else {
            found.insert(word(part));
            continue;
        };
        let mut depth = 0;
        let mut name = String::new();
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    found.insert(word(&std::mem::take(&mut name)));
                }
                _ => name.push(c),
            }
        }
        found.insert(word(&name));
    }
    found.remove("");
    found
}

#[test]
fn a_verb_imports_only_nouns() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.into_iter().collect();
    for file in files {
        let relative = file.strip_prefix(&src).unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        if JOINERS.contains(&module) {
            continue;
        }
        let may = allowed.get(module).unwrap_or_else(|| panic!("`{module}` has no row in the table of imports"));
        for import in imports(&std::fs::read_to_string(&file).unwrap()) {
            let fine = import == module || may.contains(&import.as_str());
            assert!(fine, "{}: imports `{import}`, which `{module}` may not", relative.display());
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        assert!(source.starts_with("//!"), "{} does not open with what comes in and what goes out", file.display());
    }
}

#[test]
fn imports_are_found_in_every_form() {
    let source =
        "use crate::model::{A, B};\n// crate::no\nuse crate::{diff, store::{X, Y}};\nfn f() { crate::clock::now() }";
    let found: Vec<String> = imports(source).into_iter().collect();
    assert_eq!(found, ["clock", "diff", "model", "store"]);
}
