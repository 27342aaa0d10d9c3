//! `pagewire.toml` → settings: defaults, and clashes between keys.
//!
//! In: the top of the file. Out: all of [`Settings`] but what the seeds say. A key that is not understood counts as
//! not given here; its fault is noted, so that nothing of this is used.

use super::key::Group;
use super::locate::Surroundings;
use super::request;
use super::section::{Section, Value, Wrong};
use super::value;
use crate::model::{
    AllowPrivate, Cadence, Control, FetchSettings, Format, Hub, Listen, LogFormat, PerHost, Places, PublishSettings,
    ScheduleSettings, ServerSettings, Settings, Site, StateSettings, Text, duration_text,
};
use chrono_tz::Tz;
use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::de::DeValue;
use url::Url;

const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

/// The settings of a configuration, without topics. `named` is its path as it was asked for, absolute.
pub(super) fn settings(top: &Section<'_>, named: &Path, around: &Surroundings) -> Settings {
    let file = &top.source.folder.join(named.file_name().unwrap_or_default());
    let home = around.state(named, file);
    let mut site = site(&top.section("site", Group::Site));
    let state = state(&top.section("state", Group::State), &home);
    let publish = publish(&top.section("publish", Group::Publish), &home);
    site.hub = publish.hub.as_ref().and_then(|hub| match hub {
        Hub::Own => site.base_url.join("hub").ok(),
        Hub::Outside(address) => Some(address.clone()),
    });
    Settings {
        file: file.clone(),
        publish,
        server: server(&top.section("server", Group::Server), &state.database),
        fetch: fetch(&top.section("fetch", Group::Fetch), &site.base_url),
        schedule: schedule(&top.section("schedule", Group::Schedule)),
        log: log(&top.section("log", Group::Log)),
        site,
        state,
        topics: Vec::new(),
        combined: Vec::new(),
        hooks: Vec::new(),
        companies: Vec::new(),
        pages: Vec::new(),
        warnings: Vec::new(),
        places: Places::default(),
    }
}

fn site(s: &Section<'_>) -> Site {
    let here = || Url::parse("http://127.0.0.1:8080/").expect("a constant address is one");
    Site {
        title: s.read("title", value::line).unwrap_or_else(|| Text::line("Pagewire")),
        base_url: s.read("base_url", value::base_url).unwrap_or_else(here),
        language: s.read("language", value::optional_language).flatten(),
        hub: None,
    }
}

fn state(s: &Section<'_>, home: &Path) -> StateSettings {
    let keep = s.read("keep", |v| value::duration(v, DAY)).unwrap_or(730 * DAY);
    StateSettings {
        database: s.read("database", value::path).unwrap_or_else(|| home.join("pagewire.db")),
        keep: i64::try_from(keep.as_secs()).unwrap_or(i64::MAX),
    }
}

fn publish(s: &Section<'_>, home: &Path) -> PublishSettings {
    let it = PublishSettings {
        directory: s.read("directory", value::path).unwrap_or_else(|| home.join("feeds")),
        formats: formats(s).unwrap_or_else(|| Format::ALL.to_vec()),
        entries: s.read("entries", |v| value::count(v, 1)).unwrap_or(50),
        entries_max: s.read("entries_max", |v| value::count(v, 1)).unwrap_or(1000),
        mode: s.read("mode", value::mode).unwrap_or(0o644),
        hub: s.read("hub", hub).flatten(),
    };
    if it.entries > it.entries_max {
        let message = format!("`entries` = {} is more than `entries_max` = {}", it.entries, it.entries_max);
        s.fault(given(s, "entries", "entries_max"), message, "lower `entries` or raise `entries_max`");
    }
    it
}

/// A hub's address, or "self".
fn hub(value: &Value<'_>) -> Result<Option<Hub>, Wrong> {
    let what = "the address of a hub, \"self\" or \"\"";
    match value.text(what)? {
        "" => Ok(None),
        "self" => Ok(Some(Hub::Own)),
        _ => value::web_address(value, what).map(|address| Some(Hub::Outside(address))),
    }
}

/// The formats in the order given, each once; none where a fault is noted.
fn formats(s: &Section<'_>) -> Option<Vec<Format>> {
    let list = s.list("formats")?;
    if list.is_empty() {
        s.fault("formats", "`formats` is empty, so no feed would be written".to_owned(), "name at least one: \"atom\"");
    }
    let mut formats = Vec::new();
    for format in list.iter().filter_map(|v| v.take(value::format)) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    Some(formats).filter(|formats| !formats.is_empty())
}

/// Of two keys that clash the one that is given, so that the fault points at it.
fn given<'k>(s: &Section<'k>, first: &'k str, second: &'k str) -> &'k str {
    if s.get(first).is_some() { first } else { second }
}

fn server(s: &Section<'_>, database: &Path) -> ServerSettings {
    let control = s.read("control", |v| match v.text("a path")? {
        "" => Ok(None),
        text => value::socket_path(v, text).map(Some),
    });
    let control = control.flatten();
    let set = control.is_some();
    let path = control.unwrap_or_else(|| database.with_file_name("control.sock"));
    ServerSettings {
        listen: listen(s),
        control: Control { path, set },
        refresh_token_file: s.read("refresh_token_file", value::optional_path).flatten(),
        refresh_min: s.read("refresh_min", |v| value::duration(v, Duration::ZERO)).unwrap_or(MINUTE),
        operator_public: s
            .read("operator", |v| value::word(v, &[("local", false), ("public", true)]))
            .unwrap_or_default(),
        deltas: s.read("deltas", value::switch).unwrap_or(false),
    }
}

/// The addresses, each once; none for "off".
fn listen(s: &Section<'_>) -> Vec<Listen> {
    let Some(list) = s.list("listen") else {
        return vec![Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)))];
    };
    let is_off = |v: &Value<'_>| matches!(v.toml, DeValue::String(text) if text == "off");
    if list.len() == 1 && is_off(&list[0]) {
        return Vec::new();
    }
    let mut addresses: Vec<Listen> = Vec::new();
    for item in &list {
        let address = item.take(|v| {
            if is_off(v) {
                return Err(Wrong::new("`listen`: \"off\" stands beside other addresses", "take one or the other out"));
            }
            let address = value::listen(v)?;
            if addresses.contains(&address) {
                let message = format!("`listen`: {} is given twice", v.source.quote(&v.span));
                return Err(Wrong::new(message, "take one out"));
            }
            Ok(address)
        });
        addresses.extend(address);
    }
    if list.is_empty() {
        s.fault("listen", "`listen` is empty".to_owned(), "name an address, or write \"off\"");
    }
    addresses
}

fn fetch(s: &Section<'_>, base_url: &Url) -> FetchSettings {
    let host = s.section("per_host", Group::PerHost);
    let second = Duration::from_secs(1);
    let named = || format!("pagewire/{} (+{base_url})", env!("CARGO_PKG_VERSION"));
    FetchSettings {
        user_agent: s.read("user_agent", value::user_agent).flatten().unwrap_or_else(named),
        timeout: s.read("timeout", |v| value::duration(v, second)).unwrap_or(MINUTE),
        max_size: s.read("max_size", value::size).unwrap_or(10 << 20),
        concurrency: s.read("concurrency", |v| value::count(v, 1)).unwrap_or(64),
        per_host: PerHost {
            concurrency: host.read("concurrency", |v| value::count(v, 1)).unwrap_or(2),
            pause: host.read("pause", |v| value::duration(v, Duration::ZERO)).unwrap_or(second),
            by_domain: host.read("by", |v| value::word(v, &[("host", false), ("domain", true)])).unwrap_or_default(),
        },
        allow_private: s.read("allow_private", value::allow_private).unwrap_or(AllowPrivate::No),
        robots: s.read("robots", value::switch).unwrap_or(true),
        proxy: s.read("proxy", request::proxy).flatten(),
    }
}

fn schedule(s: &Section<'_>) -> ScheduleSettings {
    let min = s.read("min", |v| value::duration(v, Duration::from_secs(1))).unwrap_or(5 * MINUTE);
    let max = s.read("max", |v| value::duration(v, Duration::from_secs(1))).unwrap_or(DAY);
    if min > max {
        let message = format!("`min` = {} is more than `max` = {}", duration_text(min), duration_text(max));
        s.fault(given(s, "min", "max"), message, "lower `min` or raise `max`");
    }
    ScheduleSettings {
        default: s.read("default", |v| cadence(v, min)).unwrap_or(Cadence::Auto),
        timezone: s.read("timezone", value::zone).unwrap_or(Tz::UTC),
        min,
        max,
        budget: s.read("budget", |v| value::count(v, 0)).unwrap_or(0),
    }
}

/// A schedule; an interval below `min` would be a promise that the next key breaks.
pub(super) fn cadence(value: &Value<'_>, min: Duration) -> Result<Cadence, Wrong> {
    let cadence = Cadence::parse(value.text("a schedule such as \"every 30m\"")?)?;
    match cadence {
        Cadence::Every(interval) if interval < min => Err(Wrong::new(
            format!("`{cadence}` is below `min` = {} of [schedule]", duration_text(min)),
            format!("write \"every {}\" or more, or lower `min`", duration_text(min)),
        )),
        cadence => Ok(cadence),
    }
}

fn log(s: &Section<'_>) -> LogFormat {
    s.read("format", |v| value::word(v, &[("auto", LogFormat::Auto), ("json", LogFormat::Json)]))
        .unwrap_or(LogFormat::Auto)
}

/// The files that follow `seeds`, in its order, each once and sorted within a pattern; and the patterns that name none.
pub(super) fn seeds(top: &Section<'_>) -> (Vec<PathBuf>, Vec<String>) {
    let (mut files, mut warnings, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    let Some(patterns) = top.list("seeds") else {
        if !top.source.is_broken() {
            let remedy = "say what to follow, in the first lines: seeds = [\"../seeds/*.toml\"]";
            top.fault("seeds", "`seeds` is missing".to_owned(), remedy);
        }
        return (files, warnings);
    };
    for pattern in patterns {
        let found = pattern.take(matches).unwrap_or_default();
        if found.is_empty() && matches!(pattern.toml, DeValue::String(_)) {
            let at = pattern.source.at(&pattern.span);
            warnings.push(format!("{at}: `seeds`: {} matches no file", pattern.source.quote(&pattern.span)));
        }
        for file in found {
            let same = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            if seen.insert(same) {
                files.push(file);
            }
        }
    }
    (files, warnings)
}

/// The files that a pattern of `seeds` names, sorted; hidden ones only where it says so.
fn matches(value: &Value<'_>) -> Result<Vec<PathBuf>, Wrong> {
    let what = "a path or pattern such as \"../seeds/*.toml\"";
    let text = value.text(what)?;
    if text.is_empty() {
        return Err(value.expected(what));
    }
    let pattern = value::resolve(Path::new(&glob::Pattern::escape(&value.source.folder.to_string_lossy())), text);
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let paths = glob::glob_with(&pattern.to_string_lossy(), options)
        .map_err(|e| Wrong::new(format!("`seeds`: `{text}` is no pattern: {}", e.msg), "use `*`, `?` and `[a-z]`"))?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.map_err(|e| {
            Wrong::new(format!("`seeds`: `{}` can't be read: {}", e.path().display(), e.error()), "see who may read it")
        })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
