//! `pagewire man` and `completions`: what packagers install, made from the same words as `--help` and the reference
//! configuration.
//!
//! In: the command line's own description, and the annotated files in `config/`. Out: pages in roff, scripts for shells.

use super::{Exit, deliver, say_error};
use clap::{Command, CommandFactory};
use roff::{Inline, Roff, bold, italic, roman};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Every key of pagewire.toml with a comment, at its default.
const FILE: &str = include_str!("../../config/pagewire.toml");
/// Every key of seeds with a comment.
const SEEDS: &str = include_str!("../../config/seeds.reference.toml");
/// When pages are dated: they have no date of their own, so that a build gives the same bytes at any time.
const SOURCE: &str = concat!("pagewire ", env!("CARGO_PKG_VERSION"));

/// Write a manual page to standard output, or all of them into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pagewire man | man -l -\n  pagewire man pagewire.toml | man -l -\n  \
    pagewire man --dir /usr/share/man")]
pub(super) struct Man {
    /// pagewire, one of its verbs as pagewire-refresh, pagewire.toml, or for editors pagewire.schema.json and
    /// seeds.schema.json
    #[arg(value_name = "PAGE", default_value = "pagewire")]
    page: String,
    /// Write all pages below this folder, as man1/pagewire.1 and man5/pagewire.toml.5
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Write a script that completes commands in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire completions bash > ~/.local/share/bash-completion/completions/pagewire")]
pub(super) struct Completions {
    /// Which shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

pub(super) fn completions(args: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "pagewire", &mut script);
    deliver(std::io::stdout(), &script)
}

pub(super) fn man(args: &Man) -> Exit {
    let pages = pages();
    if let Some(dir) = &args.dir {
        return match write_all(dir, &pages) {
            Ok(()) => Exit::Well,
            Err(error) => {
                say_error(format!("cannot write the manual below `{}`: {error}", dir.display()));
                Exit::Failed
            }
        };
    }
    let schema = match args.page.as_str() {
        "pagewire.schema.json" => Some(schema(FILE)),
        "seeds.schema.json" => Some(schema(SEEDS)),
        _ => None,
    };
    if let Some(schema) = schema {
        return deliver(std::io::stdout(), format!("{schema:#}\n").as_bytes());
    }
    let Some(page) = pages.iter().find(|page| page.name == args.page) else {
        let names: Vec<&str> = pages.iter().map(|page| page.name.as_str()).collect();
        say_error(format!("there is no page `{}`; there are {}", args.page, names.join(", ")));
        return Exit::Usage;
    };
    deliver(std::io::stdout(), &page.roff)
}

/// A manual page.
struct Page {
    name: String,
    section: u8,
    roff: Vec<u8>,
}

fn write_all(dir: &Path, pages: &[Page]) -> std::io::Result<()> {
    for page in pages {
        let folder = dir.join(format!("man{}", page.section));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{}.{}", page.name, page.section)), &page.roff)?;
    }
    Ok(())
}

fn pages() -> Vec<Page> {
    let mut cli = super::Cli::command();
    cli.build();
    let mut pages = vec![of_command(&cli, "pagewire".to_owned())];
    let verbs = cli.get_subcommands().filter(|verb| verb.get_name() != "help");
    pages.extend(verbs.map(|verb| of_command(verb, format!("pagewire-{}", verb.get_name()))));
    pages.push(Page { name: "pagewire.toml".to_owned(), section: 5, roff: of_configuration() });
    pages
}

fn of_command(command: &Command, name: String) -> Page {
    let man = clap_mangen::Man::new(command.clone()).section("1").source(SOURCE).manual("pagewire");
    let mut roff = Vec::new();
    man.render(&mut roff).expect("memory takes every byte");
    Page { name, section: 1, roff }
}

/// pagewire.toml(5), from the annotated files.
fn of_configuration() -> Vec<u8> {
    let mut page = Roff::new();
    page.control("TH", ["pagewire.toml", "5", "", SOURCE, "pagewire"]);
    page.control("SH", ["NAME"]);
    page.text([roman("pagewire.toml - configuration of pagewire, and its seeds")]);
    page.control("SH", ["DESCRIPTION"]);
    page.text([roman("TOML. The file is given by "), bold("--config"), roman(", else by "), bold("$PAGEWIRE_CONFIG")]);
    page.text([roman("; else it is the first that there is of ./config/pagewire.toml, \
        $XDG_CONFIG_HOME/pagewire/pagewire.toml and /etc/pagewire/pagewire.toml. An unknown key, a bad value or a clash is \
        an error that names file, line and column; ")]);
    page.text([bold("pagewire check"), roman(" finds them all. Below, each key stands at its default.")]);
    for part in parts(FILE) {
        write_part(&mut page, &part);
    }
    page.control("SH", ["SEEDS"]);
    for part in parts(SEEDS) {
        write_part(&mut page, &part);
    }
    page.control("SH", ["SEE ALSO"]);
    page.text([bold("pagewire"), roman("(1)")]);
    page.to_roff().into_bytes()
}

fn write_part(page: &mut Roff, part: &Part<'_>) {
    if !part.table.is_empty() {
        page.control("SS", [part.table]);
    }
    if !part.about.is_empty() {
        page.text([roman(part.about.join(" "))]);
    }
    for key in &part.keys {
        page.control("TP", []);
        let line: [Inline; 3] = [bold(key.name), roman(" = "), italic(key.value)];
        page.text(line);
        page.text([roman(key.about.join(" "))]);
    }
}

/// A JSON Schema (draft 2020-12) of an annotated file, with which editors complete, explain and underline.
fn schema(text: &str) -> Value {
    let (mut top, mut page) = (Map::new(), Map::new());
    for part in parts(text) {
        let keys: Map<String, Value> = part.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
        match part.table.trim_matches(['[', ']']) {
            "" => top.extend(keys),
            "page" => page = keys,
            name => {
                let table = json!({
                    "type": "object",
                    "description": part.about.join(" "),
                    "properties": keys,
                    "additionalProperties": false,
                });
                let list = part.table.starts_with("[[");
                top.insert(name.to_owned(), if list { json!({ "type": "array", "items": table }) } else { table });
            }
        }
    }
    let table = json!({ "type": "object", "properties": page, "required": ["url"], "additionalProperties": false });
    let pages = json!({ "anyOf": [{ "type": "string" }, table] });
    if let Some(company) = top.get_mut("company") {
        company["items"]["properties"]["pages"]["items"] = pages.clone();
    }
    // What holds for all pages of a topic may stand in it.
    if let Some(topic) = top.get_mut("topic").and_then(|t| t["items"]["properties"].as_object_mut()) {
        for (name, of_page) in page.iter().filter(|(name, _)| *name != "url") {
            topic.entry(name.clone()).or_insert_with(|| of_page.clone());
        }
        topic["pages"]["items"] = pages;
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": top,
        "additionalProperties": false,
    })
}

/// What a key may hold: what its value in the annotated file is, or what else the configuration takes.
fn property(key: &Key<'_>) -> Value {
    const LISTS: [&str; 2] = ["listen", "allow_private"];
    const TABLES: [&str; 2] = ["include", "exclude"];
    let own = match key.value.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'[') => "array",
        Some(b'{') => "object",
        Some(b't' | b'f') => "boolean",
        _ => "integer",
    };
    let kind = match key.name {
        name if LISTS.contains(&name) => json!([own, "array"]),
        name if TABLES.contains(&name) => json!(["string", "object"]),
        // A size is bytes, or a number with its unit.
        "max_size" => json!(["string", "integer"]),
        _ => json!(own),
    };
    json!({ "type": kind, "description": key.about.join(" ") })
}

/// A table of an annotated file.
struct Part<'a> {
    /// As `[site]`; empty for what stands before the first.
    table: &'a str,
    about: Vec<&'a str>,
    keys: Vec<Key<'a>>,
}

/// A key with the comment above it.
struct Key<'a> {
    name: &'a str,
    value: &'a str,
    about: Vec<&'a str>,
}

/// Reads an annotated file: comments belong to what follows them, and a blank line ends those of the file.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![Part { table: "", about: Vec::new(), keys: Vec::new() }];
    let mut about: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            about.push(comment.trim());
        } else if line.starts_with('[') {
            parts.push(Part { table: line, about: std::mem::take(&mut about), keys: Vec::new() });
        } else if let (Some((name, value)), Some(part)) = (line.split_once(" = "), parts.last_mut()) {
            part.keys.push(Key { name: name.trim(), value, about: std::mem::take(&mut about) });
        } else if let (false, [part]) = (about.is_empty(), &mut parts[..]) {
            part.about.append(&mut about);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_belongs_to_the_key_or_table_below_it() {
        let text = "# The file.\n\n# First.\na = 1\n\n# A table.\n[b]\n# Two\n# lines.\nc = \"x = y\"\n";
        let parts = parts(text);
        let told = |p: &Part<'_>| (p.table.to_owned(), p.about.join(" "), p.keys.len());
        assert_eq!(told(&parts[0]), (String::new(), "The file.".into(), 1));
        assert_eq!(told(&parts[1]), ("[b]".into(), "A table.".into(), 1));
        let key = &parts[1].keys[0];
        assert_eq!((key.name, key.value, key.about.join(" ").as_str()), ("c", "\"x = y\"", "Two lines."));
    }

    #[test]
    fn a_schema_knows_every_key_where_it_may_stand() {
        let file = schema(FILE);
        assert_eq!(file["properties"]["server"]["properties"]["listen"]["type"], json!(["string", "array"]));
        assert_eq!(file["properties"]["seeds"]["type"], "array");
        let seeds = schema(SEEDS);
        let topic = &seeds["properties"]["topic"]["items"]["properties"];
        assert_eq!(topic["robots"]["type"], "boolean");
        assert_eq!(topic["pages"]["items"]["anyOf"][1]["properties"]["robots"]["type"], "boolean");
        assert!(topic["url"].is_null() && seeds["properties"]["page"].is_null());
        assert!(topic["title"]["description"].as_str().is_some_and(|d| d.contains("first page calls itself")));
    }

    #[test]
    fn every_key_of_the_reference_has_a_comment() {
        for part in parts(FILE).iter().chain(&parts(SEEDS)) {
            for key in &part.keys {
                assert!(!key.about.is_empty(), "{} {}", part.table, key.name);
            }
        }
    }
}
