//! `pagewire doctor`: what may be wrong around pagewire, each finding with its remedy. Changes nothing.
//!
//! In: the configuration, the folders, the socket, the network as this user sees them. Out: a line a check.
//! What is wrong in the configuration is `check`'s affair, and what is wrong with a page `status`'s; both are pointed to.

use super::control::Control;
use super::{DIM, Exit, GREEN, RED, YELLOW, counted, deliver, runtime, settings};
use crate::clock;
use crate::fetch::{Fetched, Fetcher};
use crate::model::{Address, AllowPrivate, Combined, ErrorKind, Failure, FeedKey, Page, PageSettings, Settings, Slug};
use crate::store::{Store, StoreError};
use rustix::fs::{Access, statvfs};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use url::Host;

/// Look for what may be wrong around pagewire: permissions, disk, clock, network, socket, state, unit
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: nothing is wrong; 1: something is.\n\nExample:\n  pagewire doctor")]
pub(super) struct Args {
    /// A JSON array of objects `check`, `verdict`, `found`, `remedy`
    #[arg(long)]
    json: bool,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// As it should be.
    Ok,
    /// Works, and may surprise.
    Odd,
    /// Does not work.
    Bad,
}

/// What one check found.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    found: String,
    remedy: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Ok, found: found.into(), remedy: None }
    }

    fn odd(check: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Odd, found: found.into(), remedy: Some(remedy.into()) }
    }

    fn bad(check: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Bad, found: found.into(), remedy: Some(remedy.into()) }
    }
}

/// How long a name, or our own server, may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Less room than this is too little, and than this is little, in MiB.
const FULL: u64 = 64;
const TIGHT: u64 = 512;
/// So many hosts are looked up.
const HOSTS: usize = 10;

pub(super) fn run(config: Option<&Path>, args: &Args) -> Exit {
    let work = || {
        let settings = settings(config)?;
        let findings = runtime()?.block_on(findings(&settings));
        let shown = if args.json {
            let json = serde_json::to_string(&findings).expect("keys are strings");
            deliver(std::io::stdout(), format!("{json}\n").as_bytes())
        } else {
            deliver(anstream::stdout(), as_text(&findings).as_bytes())
        };
        let bad = findings.iter().any(|f| f.verdict == Verdict::Bad);
        Ok(if bad && shown == Exit::Well { Exit::Failed } else { shown })
    };
    work().unwrap_or_else(|exit: Exit| exit)
}

async fn findings(settings: &Settings) -> Vec<Finding> {
    let mut all = vec![configuration(settings), the_clock()];
    all.extend(state(settings).await);
    all.push(folder("state folder", settings.state.database.parent().unwrap_or(Path::new("."))));
    all.push(folder("feeds folder", &settings.publish.directory));
    all.extend(room(settings));
    all.extend(daemon(settings).await);
    all.extend(certificates(settings));
    all.extend(names(settings).await);
    all.push(base_url(settings).await);
    all.extend(unit());
    all
}

fn configuration(settings: &Settings) -> Finding {
    let pages = counted(settings.pages.len(), "page");
    let found = format!("{} follows {pages}", settings.file.display());
    if settings.pages.is_empty() {
        return Finding::odd("configuration", found, "say what to follow in a file that `seeds` names");
    }
    Finding::ok("configuration", found)
}

fn the_clock() -> Finding {
    let now = clock::now();
    if now < clock::BUILT {
        let found = format!("it says {}, before this program was made", now.rfc3339());
        return Finding::bad("clock", found, "set it (timedatectl set-ntp true); no page is read until then");
    }
    Finding::ok("clock", now.rfc3339())
}

async fn state(settings: &Settings) -> Vec<Finding> {
    let database = &settings.state.database;
    let store = match Store::open_to_read(database) {
        Ok(store) => store,
        Err(StoreError::Missing(_)) => {
            return vec![Finding::ok("state", "there is none yet; the first refresh makes it")];
        }
        Err(error) => return vec![Finding::bad("state", error.to_string(), "see above")],
    };
    let mut all = vec![match store.check(database).await {
        Ok(()) => Finding::ok("state", format!("{} is whole", database.display())),
        Err(error) => Finding::bad("state", error.to_string(), "pagewire restore FILE"),
    }];
    if let Ok(data) = database.metadata() {
        if data.mode() & 0o077 != 0 {
            let found = format!("{} is open to others (mode {:04o})", database.display(), data.mode() & 0o7777);
            all.push(Finding::odd("state", found, format!("chmod 600 {}", database.display())));
        }
        let owner = |path: &Path| path.metadata().map(|d| d.uid()).ok();
        let folder = database.parent().and_then(owner);
        if folder.is_some_and(|folder| folder != data.uid()) {
            let remedy = format!(
                "chown --reference={} {}",
                database.parent().unwrap_or(Path::new(".")).display(),
                database.display()
            );
            all.push(Finding::bad("state", "the database and its folder belong to two users", remedy));
        }
    }
    if let Ok((_, states)) = store.states(&[]).await {
        let bad = states.iter().filter(|(_, state)| state.error.is_some()).count();
        if bad > 0 {
            all.push(Finding::odd(
                "pages",
                format!("{} cannot be read or are held", counted(bad, "page")),
                "pagewire status says why",
            ));
        }
    }
    all.extend(combined(settings, &store).await);
    all
}

/// Combined feeds that name a company or a type which nobody knows: it may be misspelt, or only not there yet.
async fn combined(settings: &Settings, store: &Store) -> Vec<Finding> {
    let heads = store.heads(clock::now()).await.unwrap_or_default();
    let company = |key: &FeedKey| if let FeedKey::Company(slug) = key { Some(slug.clone()) } else { None };
    let kind = |key: &FeedKey| if let FeedKey::Type(slug) = key { Some(slug.clone()) } else { None };
    let seeds = settings.companies.iter().map(|company| company.slug.clone());
    let companies: BTreeSet<Slug> = heads.iter().filter_map(|head| company(&head.key)).chain(seeds).collect();
    let types: BTreeSet<Slug> = heads.iter().filter_map(|head| kind(&head.key)).collect();
    let unknown = |feed: &Combined, what: &str, slug: &Slug, known: &BTreeSet<Slug>| {
        let distance = |other: &&Slug| strsim::damerau_levenshtein(other.as_str(), slug.as_str());
        let near = known.iter().min_by_key(distance).filter(|near| distance(near) * 3 <= slug.as_str().len());
        let remedy = near.map_or_else(
            || format!("its posts enter once a page names such a {what}"),
            |near| format!("did you mean `{near}`?"),
        );
        Finding::odd(
            "feeds",
            format!("[[feed]] `{}` names the {what} `{slug}`, which no page has named", feed.slug),
            remedy,
        )
    };
    let mut all = Vec::new();
    for feed in &settings.combined {
        let named = [("company", &feed.companies, &companies), ("type", &feed.types, &types)];
        for (what, slugs, known) in named {
            all.extend(slugs.iter().filter(|slug| !known.contains(slug)).map(|slug| unknown(feed, what, slug, known)));
        }
    }
    all
}

fn folder(check: &'static str, folder: &Path) -> Finding {
    let there = folder.ancestors().find(|f| f.exists()).unwrap_or(folder);
    let shown = folder.display();
    if !there.is_dir() {
        return Finding::bad(check, format!("{} is no folder", there.display()), "move it away, or configure another");
    }
    match rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Finding::ok(check, format!("{shown} can be written")),
        Err(error) => {
            let remedy = format!("run pagewire as the owner of {}, or configure another folder", there.display());
            Finding::bad(check, format!("{shown} cannot be written by this user: {error}"), remedy)
        }
    }
}

fn room(settings: &Settings) -> Vec<Finding> {
    let room = |folder: &Path| {
        let there = folder.ancestors().find(|f| f.exists())?;
        let stat = statvfs(there).ok()?;
        let free = (stat.f_bavail * stat.f_frsize) >> 20;
        let found = format!("{free} MiB are free below {}", there.display());
        let remedy = "free some space: a full disk stops new posts, and the feeds stay as they are";
        Some(match free {
            free if free < FULL => Finding::bad("disk", found, remedy),
            free if free < TIGHT => Finding::odd("disk", found, remedy),
            _ => Finding::ok("disk", found),
        })
    };
    let state = settings.state.database.parent().unwrap_or(Path::new("."));
    let mut all: Vec<Finding> = [state, &settings.publish.directory].into_iter().filter_map(room).collect();
    all.dedup_by(|a, b| a.found == b.found);
    all
}

async fn daemon(settings: &Settings) -> Vec<Finding> {
    let path = settings.server.control.path.display();
    match Control::find(&settings.server) {
        Err(_) => vec![Finding::bad(
            "daemon",
            format!("its socket {path} is not for this user"),
            "join its group, or be root",
        )],
        Ok(None) => {
            let remedy = "start it with `pagewire run` or `systemctl start pagewire`, or refresh by a timer";
            vec![Finding::odd("daemon", format!("none answers at {path}"), remedy)]
        }
        Ok(Some(daemon)) => vec![match daemon.status().await {
            Ok(status) => Finding::ok(
                "daemon",
                format!("pagewire {} answers at {path}", status["version"].as_str().unwrap_or("?")),
            ),
            Err(why) => Finding::bad("daemon", why, "look into its log: journalctl -u pagewire"),
        }],
    }
}

/// Whether pages over https can be asked at all.
fn certificates(settings: &Settings) -> Option<Finding> {
    settings.pages.iter().find(|page| page.address.url().scheme() == "https")?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    Some(match reqwest::Client::builder().no_proxy().build() {
        Ok(_) => Finding::ok("certificates", "the system's authorities are there"),
        Err(error) => Finding::bad("certificates", format!("no https: {error}"), "install the package ca-certificates"),
    })
}

async fn names(settings: &Settings) -> Vec<Finding> {
    let hosts: BTreeSet<String> = settings
        .pages
        .iter()
        .filter_map(|page| match page.address.url().host() {
            Some(Host::Domain(name)) => Some(name.to_owned()),
            _ => None,
        })
        .collect();
    let mut all = Vec::new();
    for host in hosts.iter().take(HOSTS) {
        let looked = tokio::time::timeout(PATIENCE, tokio::net::lookup_host((host.as_str(), 443))).await;
        let why = match looked {
            Ok(Ok(_)) => continue,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer in five seconds".to_owned(),
        };
        all.push(Finding::bad(
            "names",
            format!("`{host}` is not found: {why}"),
            "check its spelling in the seeds, and the resolver",
        ));
    }
    if all.is_empty() && !hosts.is_empty() {
        all.push(Finding::ok("names", format!("{} found", counted(hosts.len().min(HOSTS), "host"))));
    }
    all
}

/// Whether what subscribers are told to ask answers.
async fn base_url(settings: &Settings) -> Finding {
    let base = &settings.site.base_url;
    // Another server that has the folder has no /healthz.
    let ours = !settings.server.listen.is_empty();
    let url = base.join(if ours { "healthz" } else { "index.html" }).expect("a path joins to any base");
    let mut fetch = settings.fetch.clone();
    fetch.timeout = PATIENCE;
    let page = Page {
        address: Address::new(url.clone()),
        former: Vec::new(),
        topics: Vec::new(),
        companies: Vec::new(),
        index: None,
        settings: PageSettings { allow_private: AllowPrivate::Yes, ..PageSettings::default() },
    };
    let looked = Fetcher::new(&fetch).get(&page, None, clock::now()).await.map(|answer| answer.what);
    let file = std::fs::read(settings.publish.directory.join("index.html"));
    let is_right = |bytes: &[u8]| if ours { bytes.starts_with(b"ok") } else { file.as_ref().is_ok_and(|f| f == bytes) };
    let local = matches!(base.host(), Some(Host::Ipv4(ip)) if ip.is_loopback());
    match looked {
        Ok(Fetched::Body(body)) if is_right(&body.bytes) && local => {
            let remedy = "set `base_url` to where others reach you, before they subscribe; for yourself it is right";
            Finding::odd("base_url", format!("{base} answers, on this machine only"), remedy)
        }
        Ok(Fetched::Body(body)) if is_right(&body.bytes) => Finding::ok("base_url", format!("{base} answers")),
        Ok(_) if !ours => {
            let remedy = format!("have the server there serve {}", settings.publish.directory.display());
            Finding::odd("base_url", format!("{url} is not the file of that name in the feeds folder"), remedy)
        }
        Ok(_) => {
            let remedy =
                "another server answers there: let it pass requests on to `listen`, or serve the feeds folder itself";
            Finding::odd("base_url", format!("{url} is not answered by pagewire"), remedy)
        }
        Err(refusal) => {
            let Failure { kind, message } = refusal.failure;
            let remedy =
                "subscribers are told to ask there: start the daemon, or mend `base_url` or the proxy before it";
            let found = format!("{url}: {kind}: {message}");
            if kind == ErrorKind::RefusedAddress {
                Finding::odd("base_url", found, remedy)
            } else {
                Finding::bad("base_url", found, remedy)
            }
        }
    }
}

/// The unit, where systemd runs and has one.
fn unit() -> Vec<Finding> {
    if !Path::new("/run/systemd/system").exists() {
        return Vec::new();
    }
    let show = Command::new("systemctl")
        .args(["show", "pagewire.service", "--property=LoadState,ActiveState,UnitFileState,NeedDaemonReload"])
        .output();
    let Ok(show) = show else { return Vec::new() };
    let text = String::from_utf8_lossy(&show.stdout).into_owned();
    let property =
        |name: &str| text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix('=')).unwrap_or("").to_owned();
    if property("LoadState") != "loaded" {
        return Vec::new();
    }
    let (active, enabled) = (property("ActiveState"), property("UnitFileState"));
    let mut all = vec![if active == "active" {
        Finding::ok("unit", format!("pagewire.service is {active} and {enabled}"))
    } else {
        let remedy = "systemctl enable --now pagewire; if it failed: journalctl -u pagewire";
        Finding::bad("unit", format!("pagewire.service is {active} and {enabled}"), remedy)
    }];
    if property("NeedDaemonReload") == "yes" {
        all.push(Finding::odd("unit", "its file changed since it was read", "systemctl daemon-reload"));
    }
    all
}

fn as_text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for Finding { check, verdict, found, remedy } in findings {
        let (style, word) = match verdict {
            Verdict::Ok => (GREEN, "ok"),
            Verdict::Odd => (YELLOW, "odd"),
            Verdict::Bad => (RED, "bad"),
        };
        let _ = writeln!(out, "{style}{word:<3}{style:#}  {check:<13}  {found}");
        if let Some(remedy) = remedy {
            let _ = writeln!(out, "                    {DIM}{remedy}{DIM:#}");
        }
    }
    out
}
