//! Front matter: what a page says about itself before its Markdown begins.
//!
//! In: a page's text. Out: title and description, where the Markdown begins, and a problem if the block is broken.
//! YAML between a first line `---` and a line `---` or `...`. Broken YAML costs at most itself: each line `key: rest`
//! is then taken by its word, which is what the writer of `title: TPU: part 2` meant. Or a JSON object at the very start.
//!
//! Known gap: TOML front matter (`+++`) is read as Markdown.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Longest front matter that is read, in bytes.
const MAX: usize = 16 * 1024;

/// What it says.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// Why it was not understood as YAML, and where, in bytes.
    pub(super) problem: Option<(usize, String)>,
    /// Where the Markdown begins, in bytes.
    pub(super) end: usize,
}

/// The keys that matter, as strings: `title: 2026` and `title: no` are words here.
#[derive(Default, Deserialize)]
struct Yaml {
    #[serde(alias = "Title")]
    title: Option<String>,
    #[serde(alias = "Description", alias = "summary")]
    description: Option<String>,
}

/// Where the JSON object ends that a text begins with; none where it begins with none that is whole.
pub(in crate::extract) fn json(text: &str) -> Option<usize> {
    let open = text.len() - text.trim_start().len();
    if !text[open..].starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(&text[open..]).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    Some(open + values.byte_offset())
}

/// Reads the front matter of a page, if it has one.
pub(super) fn read(text: &str) -> Front {
    if let Some(end) = json(text) {
        let said: Yaml = serde_json::from_str(text[..end].trim_start()).unwrap_or_default();
        return Front { title: said.title, description: said.description, end, problem: None };
    }
    let Some(block) = find(text) else { return Front::default() };
    let source = &text[block.start..block.end];
    let mut front = Front { end: block.after, ..Front::default() };
    let (line, why) = if source.len() > MAX {
        front.problem = Some((block.start, "longer than 16 KiB, so not read".to_owned()));
        return front;
    } else if !block.is_closed {
        (1, "no line `---` ends it".to_owned())
    } else {
        match yaml(source) {
            Ok(yaml) => return Front { title: yaml.title, description: yaml.description, ..front },
            Err(fault) => fault,
        }
    };
    let before: usize = source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    front.problem = Some((block.start + before, why));
    front.title = by_lines(source, "title");
    front.description = by_lines(source, "description").or_else(|| by_lines(source, "summary"));
    front
}

/// The texts of each key, in lower case: one, or those of a list. Of front matter that is no YAML only simple lines.
pub(super) fn texts(text: &str) -> Vec<(String, Vec<String>)> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Value {
        One(String),
        Many(Vec<String>),
        Other(serde::de::IgnoredAny),
    }
    let Some(block) = find(text) else { return Vec::new() };
    let source = &text[block.start..block.end];
    if source.len() > MAX || !block.is_closed {
        return Vec::new();
    }
    let pairs: Result<BTreeMap<String, Value>, _> = serde_saphyr::from_str_with_options(source, options());
    let Ok(pairs) = pairs else {
        let line = |line: &str| {
            let (key, value) = line.split_once(':').filter(|(key, _)| is_key(key))?;
            Some((key.trim().to_lowercase(), vec![unquoted(value.trim())]))
        };
        return source.lines().filter_map(line).collect();
    };
    let texts = |(key, value): (String, Value)| match value {
        Value::One(text) => Some((key.to_lowercase(), vec![text])),
        Value::Many(texts) => Some((key.to_lowercase(), texts)),
        Value::Other(_) => None,
    };
    pairs.into_iter().filter_map(texts).collect()
}

/// Where the lines of front matter are, and where the text behind them begins.
struct Block {
    start: usize,
    end: usize,
    after: usize,
    is_closed: bool,
}

/// The block at the start of a page. A page may begin with a thematic break `---` too, and have a second one far
/// below: what begins with a blank line, or holds a heading, is no front matter.
fn find(text: &str) -> Option<Block> {
    let open = text.len() - text.trim_start().len();
    let start = open + text[open..].find('\n')? + 1;
    let mut lines = text[start..].split_inclusive('\n');
    if text[open..start].trim_end() != "---" || !is_start(lines.clone().next()?) {
        return None;
    }
    let mut end = start;
    let mut blank = None;
    let closing = lines.find(|line| {
        let found = matches!(line.trim_end(), "---" | "...") || line.starts_with("##");
        if line.trim().is_empty() || line.starts_with("# ") {
            blank.get_or_insert(end);
        }
        end += if found { 0 } else { line.len() };
        found
    });
    match closing {
        Some(line) if !line.starts_with("##") => Some(Block { start, end, after: end + line.len(), is_closed: true }),
        _ => {
            let end = blank.unwrap_or(end);
            Some(Block { start, end, after: end, is_closed: false })
        }
    }
}

/// Whether a line can be the first of front matter.
fn is_start(line: &str) -> bool {
    let ends = matches!(line.trim_end(), "---" | "...");
    ends || line.starts_with("# ") || line.split_once(':').is_some_and(|(key, _)| is_key(key))
}

fn is_key(key: &str) -> bool {
    let key = key.trim_end().trim_matches(['"', '\'']);
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Reads YAML, or says in which line it is broken and why.
fn yaml(source: &str) -> Result<Yaml, (usize, String)> {
    if source.trim().is_empty() {
        return Ok(Yaml { title: None, description: None });
    }
    serde_saphyr::from_str_with_options(source, options()).map_err(|e| {
        let line = e.location().and_then(|at| usize::try_from(at.line()).ok()).unwrap_or(1);
        let why = e.to_string();
        let why = why.lines().next().unwrap_or_default();
        (line, why.split_once(" at line ").map_or(why, |(why, _)| why).to_owned())
    })
}

fn options() -> serde_saphyr::Options {
    // 16 KiB hold no more nodes than this; aliases could make more of them.
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX },
        with_snippet: false,
    }
}

/// The rest of the first line that begins with a key, and the indented lines below it.
fn by_lines(source: &str, wanted: &str) -> Option<String> {
    let mut lines = source
        .lines()
        .skip_while(|line| !line.split_once(':').is_some_and(|(key, _)| key.trim_end().eq_ignore_ascii_case(wanted)));
    let first = lines.next()?.split_once(':')?.1.trim();
    let first = if matches!(first, ">" | "|" | ">-" | "|-") { "" } else { first };
    let mut value = unquoted(first);
    for line in lines.take_while(|line| line.starts_with([' ', '\t'])) {
        value.push(' ');
        value.push_str(line.trim());
    }
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

fn unquoted(value: &str) -> String {
    let inside = |quote| value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote));
    match (inside('"'), inside('\'')) {
        (Some(double), _) => double.replace("\\\"", "\"").replace("\\\\", "\\"),
        (None, Some(single)) => single.replace("''", "'"),
        _ => value.to_owned(),
    }
}
