//! A page into the seeds: into the topic that is named, or as a topic of its own.
//!
//! In: a configuration and what is to be followed. Out: the file that says so now. What stands in the file stays as it
//! is, comments and all; a file is replaced whole, and put back where the configuration would not be understood any
//! more. A new topic goes into `added.toml` beside the other seeds, if `seeds` finds it there, else into the last of
//! their files.

use super::key::Group;
use super::locate::Surroundings;
use super::section::Section;
use super::{file, load, read, value};
use crate::model::{Address, Settings, Slug};
use std::fs;
use std::path::{Path, PathBuf};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, RawString, Table, Value};

/// A page that is to be followed.
#[derive(Debug, Clone)]
pub struct Addition<'a> {
    /// The topic that is to list it.
    pub topic: &'a Slug,
    /// What the topic is called, if it is new.
    pub title: Option<&'a str>,
    /// Where the page is.
    pub address: &'a Address,
    /// When it is polled, if not as usual.
    pub schedule: Option<&'a str>,
}

/// Adds a page, and says in which file.
///
/// # Errors
/// Says why it could not be added; nothing has changed then.
pub fn add(config: &Path, addition: &Addition<'_>) -> Result<PathBuf, String> {
    let files = seeds_files(config)?;
    for path in &files {
        let Some((mut document, topic)) = topic_in(path, addition.topic)? else { continue };
        let topics = document.get_mut("topic").and_then(Item::as_array_of_tables_mut);
        let table = topics.and_then(|topics| topics.get_mut(topic)).ok_or("the topic cannot be edited")?;
        push_page(table, addition)?;
        return replace(config, path, &document.to_string(), addition).map(|()| path.clone());
    }
    let last = files.last().ok_or("`seeds` names no file: create one, such as seeds/topics.toml, and add again")?;
    let own = last.with_file_name("added.toml");
    let is_new = !own.exists();
    if is_new && replace(config, &own, &new_topic("", addition), addition).is_ok() {
        return Ok(own);
    }
    let target = if is_new || !files.contains(&own) { last } else { &own };
    let text = fs::read_to_string(target).map_err(|e| format!("cannot read `{}`: {e}", target.display()))?;
    replace(config, target, &new_topic(&text, addition), addition).map(|()| target.clone())
}

/// The files of the seeds.
fn seeds_files(config: &Path) -> Result<Vec<PathBuf>, String> {
    let around = Surroundings::of_process();
    let path = around.folder.join(config);
    let source = read(&path, &around).map_err(|fault| fault.to_string())?;
    let table = source.parse();
    let top = Section::new(&source, Group::Top, &table, 0..0);
    let (files, _) = file::seeds(&top);
    Ok(files.into_iter().map(|file| value::resolve(&around.folder, &file)).collect())
}

/// A file that has a topic, and the topic's number in it.
fn topic_in(path: &Path, slug: &Slug) -> Result<Option<(DocumentMut, usize)>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    let document: DocumentMut = text.parse().map_err(|e| format!("`{}`: {e}", path.display()))?;
    let is_it = |table: &Table| table.get("slug").and_then(Item::as_str) == Some(slug.as_str());
    let topics = document.get("topic").and_then(Item::as_array_of_tables).map(ArrayOfTables::iter);
    let number = topics.and_then(|mut topics| topics.position(is_it));
    Ok(number.map(|number| (document, number)))
}

/// Lists a page in a topic.
fn push_page(topic: &mut Table, addition: &Addition<'_>) -> Result<(), String> {
    let page = page(addition);
    match topic.get_mut("pages") {
        Some(Item::Value(Value::Array(pages))) => {
            push_value(pages, page);
        }
        Some(Item::Value(one @ Value::String(_))) => {
            let around = one.decor().clone();
            let mut pages = Array::new();
            pages.push(one.clone().decorated("", ""));
            pages.push(page);
            *pages.decor_mut() = around;
            *one = Value::Array(pages);
        }
        None => {
            topic.insert("pages", Item::Value(Value::Array(Array::from_iter([page]))));
        }
        Some(_) => return Err("the topic's `pages` are no list: add the page there by hand".to_owned()),
    }
    Ok(())
}

/// Adds a page to a list. In a list with a line for each page the new one gets a line too, below all comments that
/// stand in the list.
fn push_value(pages: &mut Array, page: Value) {
    let text = |raw: Option<&RawString>| raw.and_then(RawString::as_str).unwrap_or_default().to_owned();
    let decor = pages.iter().last().map(|last| (text(last.decor().prefix()), text(last.decor().suffix())));
    let (before, behind) = decor.unwrap_or_default();
    let trailing = text(Some(pages.trailing()));
    let end = if trailing.contains('\n') { &trailing } else { &behind };
    if ![&before, end].iter().any(|text| text.contains('\n')) {
        return pages.push(page);
    }
    let last_line = |text: &str| text.rsplit_once('\n').map(|(_, line)| line.to_owned());
    let indent = last_line(&before).unwrap_or_else(|| "  ".to_owned());
    let comments = [behind.trim_end(), trailing.trim_end()].concat();
    let end = format!("\n{}", last_line(end).unwrap_or_default());
    if let Some(last) = pages.iter_mut().last() {
        last.decor_mut().set_suffix("");
    }
    pages.push_formatted(page.decorated(format!("{comments}\n{indent}"), ""));
    pages.set_trailing_comma(true);
    pages.set_trailing(end);
}

fn page(addition: &Addition<'_>) -> Value {
    let address = addition.address.to_string();
    let Some(schedule) = addition.schedule else { return address.into() };
    let mut table = InlineTable::new();
    table.insert("url", address.into());
    table.insert("schedule", schedule.into());
    table.into()
}

/// A file's text with a topic more at its end.
fn new_topic(text: &str, addition: &Addition<'_>) -> String {
    let mut out = text.trim_end().to_owned();
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str("[[topic]]\n");
    let mut line = |key: &str, value: Value| out.extend([key, " = ", value.to_string().as_str(), "\n"]);
    line("slug", addition.topic.as_str().into());
    if let Some(title) = addition.title {
        line("title", title.into());
    }
    line("pages", Value::Array(Array::from_iter([page(addition)])));
    out
}

/// Writes a file of the seeds, and puts it back where the configuration then does not follow the page.
fn replace(config: &Path, path: &Path, text: &str, addition: &Addition<'_>) -> Result<(), String> {
    let before = fs::read(path).ok();
    let was = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let text = &spliced(&was, text);
    let failed = |e: std::io::Error| format!("cannot write `{}`: {e}", path.display());
    write(path, text.as_bytes()).map_err(failed)?;
    let follows = |settings: &Settings| settings.pages.iter().any(|page| page.address == *addition.address);
    let why = match load(config) {
        Ok(settings) if follows(&settings) => return Ok(()),
        Ok(_) => format!("`seeds` does not find `{}`", path.display()),
        Err(error) => error.to_string(),
    };
    match before {
        Some(bytes) => write(path, &bytes).map_err(failed)?,
        None => fs::remove_file(path).map_err(failed)?,
    }
    Err(why)
}

/// A file's new text, with its lines as they were but for those that changed, which end as most others do.
fn spliced(was: &str, is: &str) -> String {
    let ends = was.matches('\n').count();
    let end = if was.matches("\r\n").count() * 2 > ends { "\r\n" } else { "\n" };
    let bare = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    let old: Vec<&str> = was.split_inclusive('\n').collect();
    let new: Vec<String> = is.split_inclusive('\n').map(bare).collect();
    let same = |(old, new): &(&&str, &String)| bare(old) == **new;
    let first = old.iter().zip(&new).take_while(same).count();
    let rest = (old.len() - first).min(new.len() - first);
    let last = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(same).count();
    let mut out = old[..first].concat();
    if !out.is_empty() && !out.ends_with('\n') && first < new.len() {
        out.push_str(end);
    }
    new[first..new.len() - last].iter().for_each(|line| out.extend([line, end]));
    out + &old[old.len() - last..].concat()
}

/// Replaces a file whole; it keeps its mode.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let next = path.with_file_name(format!(".{name}.new"));
    fs::write(&next, bytes)?;
    if let Ok(there) = fs::metadata(&path) {
        fs::set_permissions(&next, there.permissions())?;
    }
    fs::rename(&next, &path)
}
