//! `pagewire check`: what a configuration means, or everything that is wrong with it.
//!
//! In: a configuration's name and a time. Out, as data: where everything is, and when each page is due; beside it, for
//! people: warnings and faults. Reads no page, and of the state only which slugs companies have, so the times are those
//! of the schedule, not of a daemon that knows what it last did.

use super::{Exit, deliver, runtime};
use crate::clock;
use crate::config::{ConfigError, Fault, Surroundings, load_in};
use crate::model::{Cadence, Index, Page, Settings, Stamp, duration_text};
use crate::refresh;
use crate::store::Store;
use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeZone};
use chrono_tz::Tz;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// How many due times are shown of each page.
const SHOWN: usize = 5;

/// Read the configuration and the seeds: what they mean, or every fault at its place
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagewire check --at \"2026-10-25 00:00\"   what is due around a change of clocks")]
pub(super) struct Args {
    /// Show due times from here on: 2026-09-24T10:00:00Z, or 2026-09-24 10:00 in the schedule's zone [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// What goes to standard output and standard error, and the exit code.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    out: String,
    err: String,
    exit: Exit,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let answer = answer(&Surroundings::of_process(), config, args.at.as_deref(), args.json, clock::now());
    let _ = std::io::stderr().write_all(answer.err.as_bytes());
    let told = deliver(std::io::stdout(), answer.out.as_bytes());
    if answer.exit == Exit::Well { told } else { answer.exit }
}

fn answer(around: &Surroundings, config: Option<&Path>, at: Option<&str>, json: bool, now: Stamp) -> Answer {
    let at = match at.map(At::parse).transpose() {
        Ok(at) => at.unwrap_or(At::Instant(now)),
        Err(err) => return Answer { out: String::new(), err, exit: Exit::Usage },
    };
    let settings = match around.locate(config).and_then(|file| load_in(&file, around)) {
        Ok(settings) => settings,
        Err(error) => return refused(&error, json),
    };
    let from = at.stamp(settings.schedule.timezone);
    let mut warnings = warnings(&settings);
    warnings.extend(missing(&settings));
    warnings.extend(kept_slugs(&settings));
    let err = warnings.iter().fold(String::new(), |err, warning| err + "warning: " + warning + "\n");
    let out = if json { as_json(&settings, &warnings, from) } else { as_text(&settings, from) };
    Answer { out, err, exit: Exit::Well }
}

fn refused(error: &ConfigError, json: bool) -> Answer {
    let count = match error.faults().len() {
        0 => String::new(),
        1 => "\n1 fault\n".to_owned(),
        n => format!("\n{n} faults\n"),
    };
    let out = if json {
        Sheet { faults: error.faults().iter().map(FaultLine::of).collect(), ..Sheet::default() }.json()
    } else {
        String::new()
    };
    Answer { out, err: format!("{error}\n{count}"), exit: Exit::Config }
}

fn warnings(settings: &Settings) -> Vec<String> {
    let control = settings.server.control.socket().err().map(|e| format!("{e}, or `run` will refuse to start"));
    settings.warnings.iter().cloned().chain(control).collect()
}

/// Warnings about pages that are files which cannot be read: each fails until it can, which is no fault of the seeds.
fn missing(settings: &Settings) -> Vec<String> {
    let files = settings.pages.iter().zip(&settings.places.pages);
    let odd = |(page, place): (&Page, &String)| {
        let path = page.address.file()?;
        let (what, remedy) = match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => ("is a folder, not a page".to_owned(), "name a file in it"),
            Ok(_) => return None,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                ("is not there".to_owned(), "a path is relative to the seeds file that it stands in")
            }
            Err(error) => (format!("can't be read: {error}"), "see who may read it"),
        };
        Some(format!("{place}: the page `{}` {what}; {remedy}", path.display()))
    };
    files.filter_map(odd).collect()
}

/// Warnings about slugs that the state knows better. What else is wrong with the state is a matter of `doctor`.
fn kept_slugs(settings: &Settings) -> Vec<String> {
    let Ok(store) = Store::open_to_read(&settings.state.database) else { return Vec::new() };
    let Ok(runtime) = runtime() else { return Vec::new() };
    runtime.block_on(refresh::kept_slugs(settings, &store)).unwrap_or_default()
}

/// What `--at` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Instant(Stamp),
    /// On the clock of the schedule's zone.
    Local(NaiveDateTime),
}

impl At {
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::Instant(instant.to_utc().into()));
        }
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().and_then(|day| day.and_hms_opt(0, 0, 0));
        let forms = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
        let time = || forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
        day.or_else(time).map(Self::Local).ok_or_else(|| {
            format!(
                "--at: `{text}` is no time: write 2026-09-24T10:00:00Z, or 2026-09-24 10:00 in the schedule's zone\n"
            )
        })
    }

    fn stamp(self, tz: Tz) -> Stamp {
        match self {
            Self::Instant(stamp) => stamp,
            Self::Local(time) => {
                // A time that the zone skips is read as UTC: near enough for a look.
                let local = tz.from_local_datetime(&time).earliest().map(|t| t.to_utc());
                local.unwrap_or_else(|| time.and_utc()).into()
            }
        }
    }
}

/// The next due times of a page; none for `auto`, which depends on what the page does.
fn due(page: &Page, from: Stamp) -> Option<Vec<Stamp>> {
    let cadence = &page.settings.cadence;
    let next = |&after: &Stamp| cadence.next(after, page.settings.timezone);
    (*cadence != Cadence::Auto).then(|| std::iter::successors(Some(from), next).skip(1).take(SHOWN).collect())
}

fn topics<'s>(settings: &'s Settings, page: &Page) -> Vec<&'s str> {
    page.topics.iter().filter_map(|&topic| settings.topics.get(topic)).map(|topic| topic.slug.as_str()).collect()
}

/// What becomes of an index's links.
fn links(index: &Index) -> &'static str {
    if index.follow { "its links are followed as topics" } else { "its links are proposed as topics" }
}

fn listen(settings: &Settings) -> Vec<String> {
    settings.server.listen.iter().map(ToString::to_string).collect()
}

fn as_text(settings: &Settings, from: Stamp) -> String {
    let tz = settings.schedule.timezone;
    let listen = listen(settings);
    let mut out = table(
        "",
        &[
            ("configuration", shown(&settings.file)),
            ("database", shown(&settings.state.database)),
            ("directory", shown(&settings.publish.directory)),
            ("listen", if listen.is_empty() { "off".to_owned() } else { listen.join(", ") }),
            ("control", shown(&settings.server.control.path)),
            ("base_url", settings.site.base_url.to_string()),
            ("timezone", tz.name().to_owned()),
            ("follows", follows(settings)),
        ],
    );
    for page in &settings.pages {
        let mut rows = vec![
            ("topics", topics(settings, page).join(", ")),
            ("companies", page.of_companies().join(", ")),
            ("index", page.index.as_ref().map_or("", links).to_owned()),
            ("schedule", page.settings.cadence.to_string()),
        ];
        rows.retain(|(_, value)| !value.is_empty());
        let names = std::iter::once("due").chain(std::iter::repeat(""));
        rows.extend(names.zip(due_lines(settings, page, from)));
        let _ = write!(out, "\n{}\n{}", page.address, table("  ", &rows));
    }
    out
}

/// When a page is due, a line a time.
fn due_lines(settings: &Settings, page: &Page, from: Stamp) -> Vec<String> {
    let schedule = &settings.schedule;
    if let Some(times) = due(page, from) {
        return times.into_iter().map(|time| local(time, page.settings.timezone)).collect();
    }
    vec![format!("between {} and {}, as the page is worth", duration_text(schedule.min), duration_text(schedule.max))]
}

/// A path as text.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Names and values in two columns.
fn table(indent: &str, rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    rows.iter().fold(String::new(), |out, (name, value)| out + &format!("{indent}{name:width$}  {value}\n"))
}

/// A time as the clock of the schedule's zone shows it: `Mon 2026-09-28 09:00:00 +02:00`.
fn local(time: Stamp, tz: Tz) -> String {
    let local = time.utc().with_timezone(&tz);
    let zone = if tz == Tz::UTC { "UTC".to_owned() } else { local.format("%:z").to_string() };
    format!("{} {zone}", local.format("%a %Y-%m-%d %H:%M:%S"))
}

fn follows(settings: &Settings) -> String {
    let count = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    let pages = count(settings.pages.len(), "page", "pages");
    let topics = count(settings.topics.len(), "topic", "topics");
    match settings.combined.len() {
        0 => format!("{pages} in {topics}"),
        n => format!("{pages} in {topics}, and {}", count(n, "combined feed", "combined feeds")),
    }
}

/// The JSON form: null and empty where the configuration is refused.
#[derive(Default, Serialize)]
struct Sheet<'s> {
    configuration: Option<String>,
    database: Option<String>,
    directory: Option<String>,
    listen: Option<Vec<String>>,
    control: Option<String>,
    base_url: Option<&'s str>,
    timezone: Option<&'s str>,
    /// The bounds of `auto`.
    min: Option<String>,
    max: Option<String>,
    pages: Vec<PageLine<'s>>,
    warnings: &'s [String],
    faults: Vec<FaultLine<'s>>,
}

#[derive(Serialize)]
struct PageLine<'s> {
    page: String,
    topics: Vec<&'s str>,
    companies: Vec<&'s str>,
    schedule: String,
    /// Null for `auto`.
    due: Option<Vec<String>>,
}

#[derive(Serialize)]
struct FaultLine<'s> {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    message: &'s str,
    help: Option<&'s str>,
}

impl<'s> FaultLine<'s> {
    fn of(fault: &'s Fault) -> Self {
        Self {
            file: shown(&fault.file),
            line: fault.place.as_ref().map(|place| place.line),
            column: fault.place.as_ref().map(|place| place.column),
            message: &fault.message,
            help: fault.remedy.as_deref(),
        }
    }
}

impl Sheet<'_> {
    fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers are always JSON") + "\n"
    }
}

fn as_json<'s>(settings: &'s Settings, warnings: &'s [String], from: Stamp) -> String {
    let tz = settings.schedule.timezone;
    let line = |page: &'s Page| PageLine {
        page: page.address.to_string(),
        topics: topics(settings, page),
        companies: page.of_companies(),
        schedule: page.settings.cadence.to_string(),
        due: due(page, from).map(|times| times.into_iter().map(Stamp::rfc3339).collect()),
    };
    Sheet {
        configuration: Some(shown(&settings.file)),
        database: Some(shown(&settings.state.database)),
        directory: Some(shown(&settings.publish.directory)),
        listen: Some(listen(settings)),
        control: Some(shown(&settings.server.control.path)),
        base_url: Some(settings.site.base_url.as_str()),
        timezone: Some(tz.name()),
        min: Some(duration_text(settings.schedule.min)),
        max: Some(duration_text(settings.schedule.max)),
        pages: settings.pages.iter().map(line).collect(),
        warnings,
        faults: Vec::new(),
    }
    .json()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Stamp = Stamp(1_790_244_000); // 2026-09-24T10:00:00Z

    /// A folder with a configuration and its seeds.
    fn folder(config: &str, seeds: &str) -> (tempfile::TempDir, Surroundings) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("config")).unwrap();
        std::fs::write(root.join("config/pagewire.toml"), format!("seeds = \"../seeds.toml\"\n{config}")).unwrap();
        std::fs::write(root.join("seeds.toml"), seeds).unwrap();
        for page in ["a.md", "b.md", "c.md"] {
            std::fs::write(root.join(page), "# T\n").unwrap();
        }
        (dir, Surroundings { folder: root, ..Surroundings::default() })
    }

    fn check(config: &str, seeds: &str, at: Option<&str>, json: bool) -> Answer {
        let (_dir, around) = folder(config, seeds);
        let mut answer = answer(&around, None, at, json, NOW);
        let root = around.folder.display().to_string();
        answer.out = answer.out.replace(&root, "/srv");
        answer.err = answer.err.replace(&root, "/srv");
        answer
    }

    const SEEDS: &str = r#"
[[topic]]
slug = "tpu"
pages = ["https://yomu.fyi/topic/tpu.md", { url = "b.md", schedule = "0 9 * * 1-5" }]

[[topic]]
slug = "ai"
pages = [{ url = "https://yomu.fyi/topic/tpu.md" }, { url = "c.md", schedule = "every 30m" }]
"#;

    #[test]
    fn says_what_it_understood() {
        let answer = check("[schedule]\ntimezone = \"Europe/Berlin\"", SEEDS, None, false);
        let expected = "\
configuration  /srv/config/pagewire.toml
database       /srv/var/pagewire.db
directory      /srv/var/feeds
listen         127.0.0.1:8080
control        /srv/var/control.sock
base_url       http://127.0.0.1:8080/
timezone       Europe/Berlin
follows        3 pages in 2 topics

https://yomu.fyi/topic/tpu.md
  topics    tpu, ai
  schedule  auto
  due       between 5m and 1d, as the page is worth

/srv/b.md
  topics    tpu
  schedule  0 9 * * 1-5
  due       Fri 2026-09-25 09:00:00 +02:00
            Mon 2026-09-28 09:00:00 +02:00
            Tue 2026-09-29 09:00:00 +02:00
            Wed 2026-09-30 09:00:00 +02:00
            Thu 2026-10-01 09:00:00 +02:00

/srv/c.md
  topics    ai
  schedule  every 30m
  due       Thu 2026-09-24 12:30:00 +02:00
            Thu 2026-09-24 13:00:00 +02:00
            Thu 2026-09-24 13:30:00 +02:00
            Thu 2026-09-24 14:00:00 +02:00
            Thu 2026-09-24 14:30:00 +02:00
";
        assert_eq!(answer, Answer { out: expected.to_owned(), err: String::new(), exit: Exit::Well });
    }

    #[test]
    fn a_companys_page_is_told_with_its_company() {
        let seeds =
            "[[company]]\nslug = \"acme\"\npages = [\"a.md\"]\n[[feed]]\nslug = \"f\"\ncompanies = [\"acme\"]\n";
        let answer = check("[schedule]\ndefault = \"@daily\"", seeds, None, false);
        assert!(answer.out.contains("follows        1 page in 0 topics, and 1 combined feed\n"), "{}", answer.out);
        assert!(answer.out.contains("\n/srv/a.md\n  companies  acme\n  schedule   @daily\n"), "{}", answer.out);
        let sheet: serde_json::Value = serde_json::from_str(&check("", seeds, None, true).out).unwrap();
        assert_eq!((&sheet["pages"][0]["topics"], &sheet["pages"][0]["companies"][0]), (&json!([]), &json!("acme")));
    }

    #[test]
    fn a_crontab_line_is_of_the_pages_own_zone() {
        let seeds = "[[topic]]\nslug = \"a\"\nschedule = \"30 2 * * *\"\ntimezone = \"America/New_York\"\n\
                     pages = [\"a.md\", { url = \"b.md\", timezone = \"Asia/Kolkata\" }]";
        let answer = check("", seeds, Some("2026-03-06T00:00:00Z"), false);
        assert!(answer.out.contains("due       Fri 2026-03-06 02:30:00 -05:00\n"), "{}", answer.out);
        assert!(answer.out.contains("due       Sat 2026-03-07 02:30:00 +05:30\n"), "{}", answer.out);
        let sheet: serde_json::Value =
            serde_json::from_str(&check("", seeds, Some("2026-03-07T07:40:00Z"), true).out).unwrap();
        assert_eq!(sheet["pages"][0]["due"][0], "2026-03-08T07:00:00Z", "at the first minute after the hour skipped");
        assert_eq!(sheet["pages"][1]["due"][0], "2026-03-07T21:00:00Z");
    }

    #[test]
    fn at_is_a_time_in_any_usual_form() {
        let config = "[schedule]\ntimezone = \"America/New_York\"\ndefault = \"30 2 * * *\"";
        let seeds = "[[topic]]\nslug = \"a\"\npages = [\"a.md\"]";
        for at in ["2026-03-07T12:00:00Z", "2026-03-07T07:00:00-05:00", "2026-03-07 07:00", "2026-03-07T07:00:00"] {
            let answer = check(config, seeds, Some(at), false);
            assert!(answer.out.contains("due       Sun 2026-03-08 03:00:00 -04:00\n"), "{at}: {}", answer.out);
        }
        let answer = check(config, seeds, Some("2026-03-07"), false);
        assert!(answer.out.contains("due       Sat 2026-03-07 02:30:00 -05:00\n"), "{}", answer.out);
        assert_eq!(
            check(config, seeds, Some("tomorrow"), false),
            Answer {
                out: String::new(),
                err: "--at: `tomorrow` is no time: write 2026-09-24T10:00:00Z, or 2026-09-24 10:00 in the schedule's \
                      zone\n"
                    .to_owned(),
                exit: Exit::Usage
            }
        );
    }

    #[test]
    fn json_holds_every_key() {
        let answer = check("[server]\nlisten = \"off\"", SEEDS, None, true);
        let sheet: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(
            serde_json::to_string(&sheet["pages"][1]).unwrap(),
            r#"{"companies":[],"due":["2026-09-25T09:00:00Z","2026-09-28T09:00:00Z","2026-09-29T09:00:00Z","2026-09-30T09:00:00Z","2026-10-01T09:00:00Z"],"page":"/srv/b.md","schedule":"0 9 * * 1-5","topics":["tpu"]}"#
        );
        assert_eq!(sheet["pages"][0]["due"], serde_json::Value::Null);
        assert_eq!(sheet["listen"], serde_json::json!([]));
        let keys: Vec<&String> = sheet.as_object().unwrap().keys().collect();

        let answer = check("seed = 1", SEEDS, None, true);
        let refused: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(answer.exit, Exit::Config);
        assert_eq!(keys, refused.as_object().unwrap().keys().collect::<Vec<_>>());
        assert_eq!(
            refused["faults"],
            serde_json::json!([{
                "file": "config/pagewire.toml", "line": 2, "column": 1,
                "message": "`seed` is no key of the configuration", "help": "did you mean `seeds`?"
            }])
        );
    }

    #[test]
    fn faults_go_to_standard_error_with_78() {
        assert_eq!(
            check("[log]\nformat = \"jsn\"", SEEDS, None, false),
            Answer {
                out: String::new(),
                err: "\
config/pagewire.toml:3:10: `format`: expected \"auto\" or \"json\", but found the text `\"jsn\"`
  |
3 | format = \"jsn\"
  |          ^^^^^
  = help: did you mean \"json\"?

1 fault
"
                .to_owned(),
                exit: Exit::Config
            }
        );
    }

    #[test]
    fn a_page_that_is_no_file_is_a_warning_at_its_place() {
        let seeds = "[[topic]]\nslug = \"a\"\npages = [\"a.md\", \"tpu.md\",\n  { url = \"config\" }, \"https://x.example/b.md\"]\n\
                     [[company]]\nslug = \"acme\"\npages = [\"gone/acme.md\"]\n[[index]]\nurl = \"list.md\"\n";
        let answer = check("", seeds, None, false);
        assert_eq!(answer.exit, Exit::Well);
        let there = "a path is relative to the seeds file that it stands in";
        assert_eq!(
            answer.err,
            format!(
                "warning: seeds.toml:3:18: the page `/srv/tpu.md` is not there; {there}\n\
                 warning: seeds.toml:4:11: the page `/srv/config` is a folder, not a page; name a file in it\n\
                 warning: seeds.toml:7:10: the page `/srv/gone/acme.md` is not there; {there}\n\
                 warning: seeds.toml:9:7: the page `/srv/list.md` is not there; {there}\n"
            )
        );
    }

    #[test]
    fn what_is_odd_is_a_warning() {
        let (_dir, around) = folder("[state]\ndatabase = \"/srv/a\"", "");
        let deep = "d".repeat(120);
        std::fs::write(
            around.folder.join("config/pagewire.toml"),
            format!("seeds = \"../nothing/*.toml\"\n[state]\ndatabase = \"/{deep}/pagewire.db\""),
        )
        .unwrap();
        let answer = answer(&around, None, None, false, NOW);
        assert_eq!(answer.exit, Exit::Well);
        assert_eq!(
            answer.err,
            format!(
                "warning: config/pagewire.toml:1:9: `seeds`: \"../nothing/*.toml\" matches no file\n\
                 warning: the control socket's path `/{deep}/control.sock` is 134 bytes long, too long for a socket: set \
                 `control` in [server] to one of at most 107 bytes, such as \"/run/pagewire/control.sock\", or `run` will \
                 refuse to start\n"
            )
        );
    }
}
