//! A table of a configuration file, read key by key.
//!
//! In: a parsed table and what it is. Out: typed values; everything that is not understood becomes a fault at its
//! place and counts as not given, so that one look finds all faults. Deliberately absent: defaults and the meaning of
//! values; the callers have them.

use super::key::{Group, advice, later};
use super::source::{Source, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// How many characters of a value a message quotes; the line itself stands below it.
const QUOTED: usize = 80;

/// A table, or a place where one could be.
pub(super) struct Section<'a> {
    pub(super) source: &'a Source,
    pub(super) group: Group,
    table: Option<&'a DeTable<'a>>,
    /// Its head.
    span: Span,
}

/// A value and the key that it stands under.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) source: &'a Source,
    pub(super) key: &'a str,
    pub(super) span: Span,
    pub(super) toml: &'a DeValue<'a>,
}

/// Why a value is refused.
pub(super) struct Wrong {
    pub(super) message: String,
    pub(super) remedy: Option<String>,
    /// Whether the value holds a secret.
    pub(super) secret: bool,
}

impl Wrong {
    pub(super) fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: Some(remedy.into()), secret: false }
    }
}

/// An error that says what to do itself.
impl<E: std::error::Error> From<E> for Wrong {
    fn from(error: E) -> Self {
        Self { message: error.to_string(), remedy: None, secret: false }
    }
}

impl<'a> Section<'a> {
    /// A table; its unknown keys, and those of later versions, are noted.
    pub(super) fn new(source: &'a Source, group: Group, table: &'a DeTable<'a>, span: Span) -> Self {
        for (key, value) in table {
            let (name, span) = (key.get_ref().as_ref(), key.span());
            if !group.keys().contains(&name) {
                source.fault(span, format!("`{name}` is no key of {}", group.name()), advice(group, name));
            } else if let Some(later) = later(group, name, value.get_ref()) {
                let message = format!("`{}` is not in this version", later.what);
                if later.secret {
                    source.hide(value.span());
                }
                source.fault(span, message, later.instead.to_owned());
            }
        }
        Self { source, group, table: Some(table), span }
    }

    /// The value of a key, if it is given and this version takes it.
    pub(super) fn get(&self, key: &'a str) -> Option<Value<'a>> {
        debug_assert!(self.group.keys().contains(&key), "{key} is missing from the keys of {:?}", self.group);
        let value = self.table?.get(key)?;
        if later(self.group, key, value.get_ref()).is_some() {
            return None;
        }
        Some(Value { source: self.source, key, span: value.span(), toml: value.get_ref() })
    }

    /// What `read` makes of a key's value; what it refuses is noted.
    pub(super) fn read<T>(&self, key: &'a str, read: impl FnOnce(&Value<'a>) -> Result<T, Wrong>) -> Option<T> {
        self.get(key).and_then(|value| value.take(read))
    }

    /// The values of a list; a lone value is a list of one.
    pub(super) fn list(&self, key: &'a str) -> Option<Vec<Value<'a>>> {
        let value = self.get(key)?;
        match value.toml {
            DeValue::Array(items) => Some(items.iter().map(|item| value.item(item)).collect()),
            _ => Some(vec![value]),
        }
    }

    /// The table under a key; where there is none, an empty one.
    pub(super) fn section(&self, key: &'a str, group: Group) -> Self {
        let empty = || Self { source: self.source, group, table: None, span: self.span.clone() };
        self.get(key).and_then(|value| value.table(group)).unwrap_or_else(empty)
    }

    /// The tables of a `[[list]]`.
    pub(super) fn tables(&self, key: &'a str, group: Group) -> Vec<Self> {
        if let Some(value) = self.get(key)
            && let DeValue::Table(_) = value.toml
        {
            let remedy = format!("write {} with two brackets", group.name());
            value.note(&Wrong::new(format!("`{key}` is a list, and this is one table"), remedy));
            return Vec::new();
        }
        self.list(key).into_iter().flatten().filter_map(|value| value.table(group)).collect()
    }

    /// Notes something wrong with a key's value or, where it is not given, with the table.
    pub(super) fn fault(&self, key: &'a str, message: String, remedy: &str) {
        let span = self.get(key).map_or(self.span.clone(), |value| value.span);
        self.source.fault(span, message, remedy.to_owned());
    }
}

impl<'a> Value<'a> {
    pub(super) fn item(&self, item: &'a Spanned<DeValue<'a>>) -> Self {
        Self { span: item.span(), toml: item.get_ref(), ..self.clone() }
    }

    pub(super) fn note(&self, wrong: &Wrong) {
        if wrong.secret {
            self.source.hide(self.span.clone());
        }
        self.source.fault(self.span.clone(), wrong.message.clone(), wrong.remedy.clone());
    }

    /// What `read` makes of it; what it refuses is noted.
    pub(super) fn take<T>(&self, read: impl FnOnce(&Self) -> Result<T, Wrong>) -> Option<T> {
        read(self).map_err(|wrong| self.note(&wrong)).ok()
    }

    /// A fault for a value of another type or range.
    pub(super) fn expected(&self, what: &str) -> Wrong {
        let kind = match self.toml {
            DeValue::String(_) => "the text",
            DeValue::Integer(_) | DeValue::Float(_) => "the number",
            DeValue::Boolean(_) => "the word",
            DeValue::Datetime(_) => "the date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let found = match self.toml {
            DeValue::Array(_) | DeValue::Table(_) => String::new(),
            _ => format!(" `{}`", short(self.source.quote(&self.span))),
        };
        Wrong {
            message: format!("`{}`: expected {what}, but found {kind}{found}", self.key),
            remedy: None,
            secret: false,
        }
    }

    /// The table that it is; anything else is noted.
    fn table(&self, group: Group) -> Option<Section<'a>> {
        if let DeValue::Table(table) = self.toml {
            return Some(Section::new(self.source, group, table, self.span.clone()));
        }
        self.note(&self.expected(&format!("a table, {}", group.name())));
        None
    }

    /// A text.
    pub(super) fn text(&self, what: &str) -> Result<&'a str, Wrong> {
        match self.toml {
            DeValue::String(text) => Ok(text.as_ref()),
            _ => Err(self.expected(what)),
        }
    }
}

/// What is quoted of a text within a message: the beginning of its first line.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(QUOTED).collect();
    if short.len() < text.len() { short + "…" } else { short }
}
