//! A file of the configuration and what is wrong with it.
//!
//! In: a file's text, byte spans from the TOML parser. Out: [`Fault`]s that name file, line and column (in characters,
//! from 1), quote the line and say what to do. The places of lines are found once, so ten thousand topics cost no
//! more than their bytes. Deliberately absent: what the keys mean; `section` and its callers know that.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use toml::de::{DeTable, DeValue, Error};

/// One thing that is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, as a person there would name it.
    pub file: PathBuf,
    /// Where in it; none: the file as a whole.
    pub place: Option<Place>,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
    /// The line, without control characters.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        let Some(Place { line, column, width, text }) = &self.place else {
            write!(f, "{file}: {}", self.message)?;
            return self.remedy.iter().try_for_each(|remedy| write!(f, "\n  = help: {remedy}"));
        };
        let margin = " ".repeat(line.to_string().len());
        let before = " ".repeat(column - 1);
        let carets = "^".repeat(*width);
        writeln!(f, "{file}:{line}:{column}: {}", self.message)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{margin} | {before}{carets}")?;
        self.remedy.iter().try_for_each(|remedy| write!(f, "\n{margin} = help: {remedy}"))
    }
}

/// A span of bytes in a file.
pub(super) type Span = Range<usize>;

/// A file's text, and the faults found in it.
pub(super) struct Source {
    /// How faults name it.
    pub(super) name: PathBuf,
    /// What its relative paths are relative to: absolute.
    pub(super) folder: PathBuf,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    faults: RefCell<Vec<(Span, String, Option<String>)>>,
    /// Where values begin and end that may be secrets: never quoted, for logs are read.
    secrets: RefCell<BTreeMap<usize, usize>>,
    /// Lines that are no TOML: what the parser made of them is no one's mistake.
    broken: RefCell<BTreeSet<usize>>,
    /// From this byte on, nothing that the parser made of the text can be trusted.
    lost: Cell<usize>,
}

impl Source {
    /// `text` may begin with a byte order mark.
    pub(super) fn new(name: PathBuf, folder: PathBuf, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let ends = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        let (faults, secrets, broken) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { name, folder, text, lines, faults, secrets, broken, lost: Cell::new(usize::MAX) }
    }

    /// The file as a table, as far as it is TOML; where it is not, faults are noted.
    pub(super) fn parse(&self) -> DeTable<'_> {
        let (table, mut errors) = DeTable::parse_recoverable(&self.text);
        errors.sort_by_key(|e| e.span().map(|s| s.start));
        let (twice, errors): (Vec<_>, Vec<_>) = errors.into_iter().partition(|e| e.message() == "duplicate key");
        self.note_errors(&errors);
        if !twice.is_empty() {
            self.note_twice(table.get_ref(), &twice);
        }
        table.into_inner()
    }

    /// The first error of each line; none behind a list or table that never closes, which swallows what follows.
    fn note_errors(&self, errors: &[Error]) {
        let mut broken = BTreeSet::new();
        for error in errors {
            let span = error.span().unwrap_or_default();
            if broken.insert(self.line(span.start)) {
                self.fault(span.clone(), format!("no TOML: {}", error.message()), syntax_remedy(error.message()));
            }
            if error.message().starts_with("missing comma") || error.message().starts_with("unclosed") {
                self.lost.set(span.start + 1);
                break;
            }
        }
        self.broken.replace(broken);
    }

    fn note_twice(&self, table: &DeTable<'_>, errors: &[Error]) {
        let mut keys = HashMap::new();
        collect_keys(table, &mut keys);
        for places in keys.values_mut() {
            places.sort_unstable();
        }
        for span in errors.iter().filter_map(Error::span) {
            let key = &self.text[span.clone()];
            let places = keys.get(key).map_or(&[][..], Vec::as_slice);
            let first = places[..places.partition_point(|&p| p < span.start)].last();
            // A table keeps the place of its last head only.
            let first = first.copied().or_else(|| self.text[..span.start].find(&format!("[{key}]")));
            let first = first.map(|p| format!("; the first is at line {}", self.line(p) + 1)).unwrap_or_default();
            self.fault(span.clone(), format!("`{key}` is given twice{first}"), "take one of them out".to_owned());
        }
    }

    /// Whether something that is missing may stand in a part that is no TOML.
    pub(super) fn is_broken(&self) -> bool {
        !self.broken.borrow().is_empty()
    }

    /// The text of a span.
    pub(super) fn quote(&self, span: &Span) -> &str {
        &self.text[span.clone()]
    }

    /// Notes what is wrong at a place.
    pub(super) fn fault(&self, span: Span, message: String, remedy: impl Into<Option<String>>) {
        if span.start < self.lost.get() && !self.broken.borrow().contains(&self.line(span.start)) {
            self.faults.borrow_mut().push((span, message, remedy.into()));
        }
    }

    /// Keeps a value out of all quotes.
    pub(super) fn hide(&self, span: Span) {
        self.secrets.borrow_mut().insert(span.start, span.end);
    }

    /// `file:line:column`, to name a place in another's fault.
    pub(super) fn at(&self, span: &Span) -> String {
        let Place { line, column, .. } = self.place(span);
        format!("{}:{line}:{column}", self.name.display())
    }

    /// What was noted, in the order of the file.
    pub(super) fn into_faults(self) -> Vec<Fault> {
        let mut faults = self.faults.take();
        faults.sort_by_key(|(span, ..)| span.start);
        let fault = |(span, message, remedy)| Fault {
            file: self.name.clone(),
            place: Some(self.place(&span)),
            message,
            remedy,
        };
        faults.into_iter().map(fault).collect()
    }

    /// The number of a byte's line, from 0.
    fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte) - 1
    }

    fn place(&self, span: &Span) -> Place {
        let line = self.line(span.start);
        let start = self.lines[line];
        let text = self.text[start..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let chars = |byte: usize| text.char_indices().take_while(|&(i, _)| i < byte.saturating_sub(start)).count();
        let (from, to) = (chars(span.start), chars(span.end));
        let secrets = self.secrets.borrow();
        let quoted = text.char_indices().map(|(i, c)| match c {
            _ if secrets.range(..=start + i).next_back().is_some_and(|(_, &end)| start + i < end) => '*',
            c if c.is_control() => ' ',
            c => c,
        });
        Place { line: line + 1, column: from + 1, width: to.saturating_sub(from).max(1), text: quoted.collect() }
    }
}

/// Every key with the places at which it stands.
fn collect_keys<'t>(table: &'t DeTable<'_>, keys: &mut HashMap<&'t str, Vec<usize>>) {
    for (key, value) in table {
        keys.entry(key.get_ref().as_ref()).or_default().push(key.span().start);
        collect_keys_of(value.get_ref(), keys);
    }
}

fn collect_keys_of<'t>(value: &'t DeValue<'_>, keys: &mut HashMap<&'t str, Vec<usize>>) {
    match value {
        DeValue::Table(table) => collect_keys(table, keys),
        DeValue::Array(items) => items.iter().for_each(|item| collect_keys_of(item.get_ref(), keys)),
        _ => {}
    }
}

/// What to do about the parser's commonest complaints, which say what it expected but not what to write.
fn syntax_remedy(message: &str) -> Option<String> {
    let remedy = match message {
        m if m.starts_with("string values must be quoted") => "put the value between quotes: \"…\"",
        m if m.starts_with("unexpected leading zero") => "put it between quotes: \"0644\"",
        m if m.starts_with("invalid boolean") => "write `true` or `false`, or put a text between quotes",
        m if m.starts_with("invalid basic string") => {
            "close the text with a quote on the same line; write a `\\` as `\\\\`"
        }
        m if m.starts_with("missing comma") => "put a comma between two values, and `]` behind the last",
        _ => return None,
    };
    Some(remedy.to_owned())
}
