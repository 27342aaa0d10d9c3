//! The configuration as meant: every key resolved, checked and typed. `config` makes it; every verb may read it.

use super::cadence::Cadence;
use super::combined::Combined;
use super::company::CompanySeed;
use super::feed::Format;
use super::page::{AllowPrivate, Page, PageSettings, Topic};
use super::push::{Hook, Hub};
use super::request::{RequestSettings, Secret};
use super::text::Text;
use super::time::Stamp;
use chrono_tz::Tz;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// Everything that a configuration and its seeds say.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The file that it was read from.
    pub file: PathBuf,
    /// What the feeds are called and where they are.
    pub site: Site,
    /// Where what is known is kept.
    pub state: StateSettings,
    /// Where feeds go.
    pub publish: PublishSettings,
    /// Who may ask for them.
    pub server: ServerSettings,
    /// How pages are asked for.
    pub fetch: FetchSettings,
    /// When.
    pub schedule: ScheduleSettings,
    /// How the log is written.
    pub log: LogFormat,
    /// What to follow, in the order of the seeds.
    pub topics: Vec<Topic>,
    /// Feeds of posts from several of them, in the order of the seeds.
    pub combined: Vec<Combined>,
    /// Who is told of changed topics.
    pub hooks: Vec<Hook>,
    /// Companies that the seeds name.
    pub companies: Vec<CompanySeed>,
    /// Every page once, in the order in which topics first name them.
    pub pages: Vec<Page>,
    /// What was odd but not wrong: a pattern of `seeds` that matches no file.
    pub warnings: Vec<String>,
    /// Where the seeds say what may be odd for another reason than theirs.
    pub places: Places,
}

/// Places in the seeds, each as `file:line:column`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Of each company's slug, in the order of [`Settings::companies`].
    pub companies: Vec<String>,
    /// Of each page's address, in the order of [`Settings::pages`] as the seeds name them.
    pub pages: Vec<String>,
}

/// The longest time in minutes for which readers are told to keep a feed, as over HTTP: pages are also read on demand.
const TTL_MAX: i64 = 60;
/// The shortest.
const TTL_MIN: i64 = 5;

impl Settings {
    /// How a page is polled and read of which nothing is said.
    pub fn page_settings(&self) -> PageSettings {
        let Self { schedule, fetch, .. } = self;
        PageSettings {
            cadence: schedule.default.clone(),
            timezone: schedule.timezone,
            allow_private: fetch.allow_private.clone(),
            request: RequestSettings { robots: fetch.robots, proxy: fetch.proxy.clone(), ..RequestSettings::default() },
            ..PageSettings::default()
        }
    }

    /// Whether a page is not read any more: all its topics are retired.
    pub fn is_retired(&self, page: &Page, now: Stamp) -> bool {
        let ended = |&topic: &usize| self.topics.get(topic).is_some_and(|t| t.retired.is_some_and(|at| at <= now));
        page.companies.is_empty() && !page.topics.is_empty() && page.topics.iter().all(ended)
    }

    /// For how many minutes readers may keep the feed of everything, and that of each topic: as long as the soonest of its
    /// pages is not read again, from 5 to 60. A page whose schedule promises no time counts as an hour.
    pub fn ttls(&self) -> (u32, Vec<u32>) {
        let (mut all, mut topics) = (TTL_MAX, vec![TTL_MAX; self.topics.len()]);
        for page in &self.pages {
            let Some(seconds) = page.settings.cadence.interval(page.settings.timezone) else { continue };
            let minutes = (seconds / 60).clamp(TTL_MIN, TTL_MAX);
            all = all.min(minutes);
            for &topic in &page.topics {
                topics[topic] = minutes.min(topics[topic]);
            }
        }
        let number = |minutes| u32::try_from(minutes).unwrap_or_default();
        (number(all), topics.into_iter().map(number).collect())
    }
}

/// `[site]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// What the whole is called.
    pub title: Text,
    /// Where subscribers reach it, with a trailing `/` so that paths join to it.
    pub base_url: Url,
    /// The language of feeds that do not say, as in RFC 5646: `en`.
    pub language: Option<Text>,
    /// The `WebSub` hub that feeds name.
    pub hub: Option<Url>,
}

impl Site {
    /// The absolute address of a published path.
    ///
    /// # Panics
    /// Never: published paths are made of slugs and join to any base.
    pub fn address(&self, path: &str) -> String {
        self.base_url.join(path).expect("slugs and endings always join to a base address").into()
    }
}

/// `[state]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSettings {
    /// The database file.
    pub database: PathBuf,
    /// How long texts and archives are kept, in seconds.
    pub keep: i64,
}

/// `[publish]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishSettings {
    /// The folder that feeds go to.
    pub directory: PathBuf,
    /// Which formats, in the order given, each once.
    pub formats: Vec<Format>,
    /// How many of the newest posts a feed holds.
    pub entries: usize,
    /// How many it may hold with those that entered it lately.
    pub entries_max: usize,
    /// The permission bits of new files.
    pub mode: u32,
    /// Who tells subscribers of a change.
    pub hub: Option<Hub>,
}

/// `[server] listen`: one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// `[server] control`: where the control socket is, and whether the configuration said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The socket.
    pub path: PathBuf,
    /// Whether `control` was set; the default lies in the database's folder.
    pub set: bool,
}

/// The longest path that a Unix socket can have, in bytes: `sun_path` holds 108, a NUL among them.
pub const MAX_SOCKET: usize = 107;

/// Why no control socket can be where it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the control socket's path `{}` is {} bytes long, too long for a socket: set `control` in [server] to one of at \
     most 107 bytes, such as \"/run/pagewire/control.sock\"",
    .0.display(),
    .0.as_os_str().len()
)]
pub struct ControlError(PathBuf);

impl Control {
    /// Where the socket can be bound. Asked when it is needed: a long path harms nobody who never opens it.
    ///
    /// # Errors
    /// When the path is too long for a socket.
    pub fn socket(&self) -> Result<&Path, ControlError> {
        if self.path.as_os_str().len() > MAX_SOCKET { Err(ControlError(self.path.clone())) } else { Ok(&self.path) }
    }
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// Where it listens; empty: "off".
    pub listen: Vec<Listen>,
    /// The control socket.
    pub control: Control,
    /// The file with the token for `POST /api/refresh`.
    pub refresh_token_file: Option<PathBuf>,
    /// Within this time POST answers from the last result.
    pub refresh_min: Duration,
    /// Whether everybody may see the operator's pages.
    pub operator_public: bool,
    /// Whether readers that ask for it and merge it are sent what is new alone (226 IM Used).
    pub deltas: bool,
}

/// `[fetch] per_host`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerHost {
    /// Requests to one host at once.
    pub concurrency: usize,
    /// Time between the starts of two requests to one host.
    pub pause: Duration,
    /// Whether all hosts of a registrable domain (Public Suffix List) are one.
    pub by_domain: bool,
}

impl PerHost {
    /// What counts as the host of an address; none where it has none.
    pub fn host(self, url: &Url) -> Option<&str> {
        let host = url.host_str()?;
        let domain = || match url.host() {
            Some(url::Host::Domain(name)) => psl::domain_str(name.trim_end_matches('.')),
            _ => None,
        };
        Some(if self.by_domain { domain().unwrap_or(host) } else { host })
    }
}

/// `[fetch]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchSettings {
    /// What requests call themselves.
    pub user_agent: String,
    /// The total time of a request, redirects included.
    pub timeout: Duration,
    /// The largest body in bytes, after decompression.
    pub max_size: u64,
    /// Requests at once.
    pub concurrency: usize,
    /// Bounds for one host.
    pub per_host: PerHost,
    /// Which addresses that are not public may be asked; a page may say otherwise.
    pub allow_private: AllowPrivate,
    /// Whether robots.txt is obeyed; a page may say otherwise.
    pub robots: bool,
    /// The proxy of pages that name none.
    pub proxy: Option<Secret>,
}

/// `[schedule]`
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleSettings {
    /// For pages that do not say.
    pub default: Cadence,
    /// In which zone crontab lines count, and times of pages without a zone.
    pub timezone: Tz,
    /// The shortest interval of `auto`.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// Requests a day that `auto` may spend; 0: no bound.
    pub budget: u32,
}

/// `[log] format`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, journal fields under systemd.
    Auto,
    /// A JSON object a line.
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_a_domain_are_one_if_that_is_wanted() {
        let host = |by_domain, url: &str| {
            let per = PerHost { concurrency: 1, pause: Duration::ZERO, by_domain };
            Url::parse(url).ok().and_then(|url| per.host(&url).map(str::to_owned))
        };
        for (url, domain) in [
            ("https://blog.x.example.com/a", "example.com"),
            ("https://a.b.co.uk/", "b.co.uk"),
            ("https://me.github.io/", "me.github.io"),
            ("https://127.0.0.1/", "127.0.0.1"),
            ("https://[::1]/", "[::1]"),
            ("https://localhost/", "localhost"),
        ] {
            assert_eq!(host(true, url).as_deref(), Some(domain));
        }
        assert_eq!(host(false, "https://blog.x.example.com:8080/a").as_deref(), Some("blog.x.example.com"));
        assert_eq!(host(true, "file:///a"), None);
    }
}
