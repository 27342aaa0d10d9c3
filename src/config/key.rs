//! Every key that a configuration may hold, and which of them this version does not know yet.
//!
//! In: a key and where it stands. Out: whether it is known there, where else it is known, and what comes nearest.
//! Work on a promised feature begins by taking its row out of [`LATER`].

use toml::de::DeValue;

/// What a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Top,
    Site,
    State,
    Publish,
    Server,
    Fetch,
    PerHost,
    Schedule,
    Log,
    Seeds,
    Topic,
    Page,
    Company,
    Feed,
    Index,
    Filter,
    Hook,
}

use Group::{
    Company, Feed, Fetch, Filter, Hook, Index, Log, Page, PerHost, Publish, Schedule, Seeds, Server, Site, State, Top,
    Topic,
};

/// The tables of `pagewire.toml`, then those of the seeds.
const GROUPS: [Group; 17] = [
    Top, Site, State, Publish, Server, Fetch, PerHost, Schedule, Log, Seeds, Topic, Company, Feed, Index, Page, Filter,
    Hook,
];

impl Group {
    /// How messages name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Top => "the configuration",
            Site => "[site]",
            State => "[state]",
            Publish => "[publish]",
            Server => "[server]",
            Fetch => "[fetch]",
            PerHost => "[fetch] `per_host`",
            Schedule => "[schedule]",
            Log => "[log]",
            Seeds => "a seeds file",
            Topic => "[[topic]]",
            Page => "a page of a [[topic]] or [[company]]",
            Company => "[[company]]",
            Feed => "[[feed]]",
            Index => "[[index]]",
            Filter => "`include` or `exclude`",
            Hook => "[[hook]]",
        }
    }

    /// Where its keys belong.
    fn home(self) -> &'static str {
        if self == Top { "the first lines of the configuration, before any [section]" } else { self.name() }
    }

    /// The keys that may stand in it.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Top => &["seeds", "site", "state", "publish", "server", "fetch", "schedule", "log"],
            Site => &["title", "base_url", "language"],
            State => &["database", "keep"],
            Publish => &["directory", "formats", "entries", "entries_max", "mode", "hub"],
            Server => &["listen", "control", "refresh_token_file", "refresh_min", "operator", "deltas"],
            Fetch => {
                &["user_agent", "timeout", "max_size", "concurrency", "per_host", "allow_private", "robots", "proxy"]
            }
            PerHost => &["concurrency", "pause", "by"],
            Schedule => &["default", "timezone", "min", "max", "budget"],
            Log => &["format"],
            Seeds => &["topic", "company", "feed", "index", "hook"],
            Topic => TOPIC_KEYS,
            Page => PAGE_KEYS,
            Company => &["slug", "title", "aliases", "pages"],
            Index => INDEX_KEYS,
            Feed => &["slug", "title", "former", "topics", "companies", "types", "include", "exclude"],
            Filter => &["title", "company", "type", "author"],
            Hook => &["url", "command", "secret_file", "topics"],
        }
    }

    fn is_of_the_seeds(self) -> bool {
        matches!(self, Seeds | Topic | Page | Company | Feed | Index | Filter | Hook)
    }
}

#[rustfmt::skip]
const TOPIC_KEYS: &[&str] = &[
    "slug", "title", "former", "language", "retired", "include", "exclude", "pages",
    "base", "kind", "schedule", "timezone", "link", "content", "late", "robots", "allow_private", "headers",
    "credentials", "proxy", "max_pages", "item", "title_attr", "link_selector", "date", "date_format", "summary",
    "author", "type", "company", "image",
];

#[rustfmt::skip]
const PAGE_KEYS: &[&str] = &[
    "url", "former",
    "base", "kind", "schedule", "timezone", "link", "content", "late", "robots", "allow_private", "headers",
    "credentials", "proxy", "max_pages", "item", "title", "title_attr", "link_selector", "date", "date_format",
    "summary", "author", "type", "company", "image",
];

/// Those of its own; the others say how its page is polled and read.
pub(super) const OF_AN_INDEX: [&str; 4] = ["url", "include", "exclude", "follow"];

#[rustfmt::skip]
const INDEX_KEYS: &[&str] = &[
    "url", "include", "exclude", "follow",
    "base", "kind", "schedule", "timezone", "link", "content", "late", "robots", "allow_private", "headers",
    "credentials", "proxy", "max_pages", "item", "title", "title_attr", "link_selector", "date", "date_format",
    "summary", "author", "type", "company", "image",
];

/// Every key of `pagewire.toml`.
pub(super) fn of_the_file() -> Vec<&'static str> {
    GROUPS.iter().filter(|group| !group.is_of_the_seeds()).flat_map(|group| group.keys()).copied().collect()
}

/// A promise that this version does not keep yet.
struct Later {
    groups: &'static [Group],
    keys: &'static [&'static str],
    refused: Refused,
    /// What to do instead.
    instead: &'static str,
}

/// Which values of a key are refused; the others, its default among them, are taken.
enum Refused {
    /// What begins with one of these.
    Address(&'static [&'static str]),
}

#[rustfmt::skip]
const LATER: &[Later] = &[
    Later { groups: &[State], keys: &["database"], refused: Refused::Address(&["postgres://", "postgresql://"]),
            instead: "name a file, such as \"../var/pagewire.db\"" },
    Later { groups: &[Publish], keys: &["directory"], refused: Refused::Address(&["s3://"]),
            instead: "name a folder, such as \"../var/feeds\"" },
];

/// A promised key or value, as a message names it.
pub(super) struct Promise {
    pub(super) what: String,
    /// What to do instead.
    pub(super) instead: &'static str,
    /// Whether the value may be a secret.
    pub(super) secret: bool,
}

/// What of a key that is known this version refuses, if it does.
pub(super) fn later(group: Group, key: &str, value: &DeValue<'_>) -> Option<Promise> {
    let row = LATER.iter().find(|row| row.groups.contains(&group) && row.keys.contains(&key))?;
    let Refused::Address(starts) = row.refused;
    let what = format!("{key} = \"{}…\"", starts[0]);
    row.refused.is(value).then_some(Promise { what, instead: row.instead, secret: true })
}

impl Refused {
    fn is(&self, value: &DeValue<'_>) -> bool {
        match (self, value) {
            (Self::Address(starts), DeValue::String(text)) => starts.iter().any(|start| text.starts_with(start)),
            _ => false,
        }
    }
}

/// What to say about a key that does not stand where it is known.
pub(super) fn advice(group: Group, key: &str) -> String {
    let near = near_groups(group);
    let homes: Vec<&str> = near.iter().filter(|g| g.keys().contains(&key)).map(|g| g.home()).collect();
    if !homes.is_empty() {
        return format!("`{key}` belongs in {}", homes.join(" or "));
    }
    if let Some(known) = nearest(key, group.keys().iter().copied()) {
        return format!("did you mean `{known}`?");
    }
    let others = near.iter().filter_map(|g| nearest(key, g.keys().iter().copied()).map(|known| (known, g)));
    if let Some((known, group)) = others.min_by_key(|(known, _)| strsim::damerau_levenshtein(key, known)) {
        return format!("did you mean `{known}` in {}?", group.name());
    }
    let keys: Vec<String> = group.keys().iter().map(|known| format!("`{known}`")).collect();
    format!("{} knows {}", group.name(), keys.join(", "))
}

/// The other groups: those of the same file, or else those of the other kind of file.
fn near_groups(group: Group) -> Vec<Group> {
    let mut near: Vec<Group> = GROUPS.into_iter().filter(|&g| g != group).collect();
    near.sort_by_key(|g| g.is_of_the_seeds() != group.is_of_the_seeds());
    near
}

/// The known word that a mistyped one most likely is.
pub(super) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let plain = |s: &str| s.to_ascii_lowercase().replace('-', "_");
    let word = plain(word);
    let allowed = (word.chars().count() / 3).max(1);
    let distances = known.map(|k| (strsim::damerau_levenshtein(&word, &plain(k)), k));
    distances.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, k)| k)
}
