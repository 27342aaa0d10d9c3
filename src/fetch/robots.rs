//! What sites forbid to robots (RFC 9309).
//!
//! In: a site's robots.txt. Out: whether an address may be asked, and the pause that the site wants. A copy holds for a
//! day. Where there is none (4xx, or more redirects than are followed) everything is allowed; where it cannot be read
//! (5xx, no answer) the last copy goes on to hold, and without one everything is forbidden until it can be.
//! Deliberately absent: `Sitemap`, and a copy in the state of what is meant for others.

use crate::model::{DAY, ErrorKind, Failure, Robots, Stamp};
use robotxt::{Agent, Robots as Rules};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// What is read of a robots.txt (RFC 9309 §2.5).
pub(super) const MOST: u64 = 500 << 10;
/// The time in which it must come.
pub(super) const TIME: Duration = Duration::from_secs(20);
/// For how long a copy holds (RFC 9309 §2.4), in seconds.
const HOLDS: i64 = DAY;
/// After what time one that could not be read is tried again.
const AGAIN: i64 = 600;
/// For how long a copy that cannot be read again is believed (RFC 9309 §2.3.1.4).
const BELIEVED: i64 = 30 * DAY;

/// What a robots.txt answered.
pub(super) enum Found {
    Text(Vec<u8>),
    Nothing,
    /// With the reason.
    Unreadable(String),
}

/// Copies, by origin.
#[derive(Debug)]
pub(super) struct Copies {
    /// How groups of rules name us.
    agent: String,
    by_origin: Mutex<HashMap<String, Copy>>,
    /// Who reads one: the others wait for it.
    gates: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

#[derive(Debug, Clone)]
struct Copy {
    read: Stamp,
    /// When it was last tried to read it.
    tried: Stamp,
    rules: Rules,
    known: bool,
    /// Why it could not be read, if it could not and somebody knows.
    why: Option<String>,
    /// Whether it is stored as it is.
    stored: bool,
}

impl Copies {
    /// `user_agent` as it is sent; its product is what sites call us.
    pub(super) fn new(user_agent: &str) -> Self {
        let end = user_agent.find(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
        let product = &user_agent[..end.unwrap_or(user_agent.len())];
        let agent = if product.is_empty() { "pagewire" } else { product };
        Self { agent: agent.to_owned(), by_origin: Mutex::default(), gates: Mutex::default() }
    }

    /// What whoever looks at a site's robots.txt holds meanwhile, so that it is read once.
    pub(super) fn gate(&self, url: &Url) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(gates.entry(origin(url)).or_default())
    }

    /// Whether there is a copy that holds.
    pub(super) fn holds(&self, url: &Url, now: Stamp) -> bool {
        let copies = self.lock();
        copies.get(&origin(url)).is_some_and(|copy| {
            let holds = if copy.known { HOLDS } else { AGAIN };
            (0..holds).contains(&(now.0 - copy.read.0)) || (0..AGAIN).contains(&(now.0 - copy.tried.0))
        })
    }

    /// Takes over what was read.
    pub(super) fn learn(&self, url: &Url, found: Found, now: Stamp) {
        let rules = match found {
            Found::Text(text) => Rules::parse(&text, Agent::Exact(&self.agent)),
            Found::Nothing => Rules::allow_all(),
            Found::Unreadable(why) => {
                let mut copies = self.lock();
                let (rules, why) = (Rules::disallow_all(), Some(why));
                let forbidden = || Copy {
                    read: now,
                    tried: now,
                    rules: rules.clone(),
                    known: false,
                    why: why.clone(),
                    stored: false,
                };
                let copy = copies.entry(origin(url)).or_insert_with(&forbidden);
                copy.tried = now;
                if !copy.known || !(0..BELIEVED).contains(&(now.0 - copy.read.0)) {
                    *copy = forbidden();
                }
                return;
            }
        };
        self.lock().insert(origin(url), Copy { read: now, tried: now, rules, known: true, why: None, stored: false });
    }

    /// Admits an address, or says that its site's robots.txt forbids it.
    pub(super) fn admit(&self, url: &Url) -> Result<(), Failure> {
        let copies = self.lock();
        let Some(copy) = copies.get(&origin(url)) else { return Ok(()) };
        if copy.rules.is_url_allowed(url) {
            return Ok(());
        }
        let why = if copy.known {
            let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
            let rule = copy.rules.matching_rule(path).map_or("/", robotxt::Rule::pattern);
            format!("`{}/robots.txt` forbids `{url}` to us: Disallow: {rule}", origin(url))
        } else {
            let why = copy.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("`{}/robots.txt` can't be read{why}, so `{url}` is not asked; it is tried again", origin(url))
        };
        let remedy = "ask the site, or set `robots = false` for the page if you may";
        Err(Failure::new(ErrorKind::Robots, format!("{why}; {remedy}")))
    }

    /// The pause that a site wants between two requests.
    pub(super) fn delay(&self, url: &Url) -> Option<Duration> {
        self.lock().get(&origin(url)).and_then(|copy| copy.rules.crawl_delay())
    }

    /// Takes over copies that were stored.
    pub(super) fn recall(&self, stored: Vec<Robots>) {
        let mut copies = self.lock();
        for Robots { origin, read, text, known } in stored {
            let rules = Rules::parse(text.as_bytes(), Agent::Exact(&self.agent));
            copies.insert(origin, Copy { read, tried: read, rules, known, why: None, stored: true });
        }
    }

    /// The copies that are to be stored; each is told once.
    pub(super) fn news(&self) -> Vec<Robots> {
        let mut copies = self.lock();
        let new = copies.iter_mut().filter(|(_, copy)| !copy.stored);
        new.map(|(origin, copy)| {
            copy.stored = true;
            Robots { origin: origin.clone(), read: copy.read, text: written(&copy.rules), known: copy.known }
        })
        .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Copy>> {
        self.by_origin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address of the robots.txt that an address is under.
pub(super) fn address(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Rules as a robots.txt for everybody that says the same.
fn written(rules: &Rules) -> String {
    let mut text = "User-agent: *\n".to_owned();
    for rule in rules.rules() {
        let word = if rule.is_allow() { "Allow" } else { "Disallow" };
        writeln!(text, "{word}: {}", rule.pattern().replace('#', "%23")).expect("memory takes every line");
    }
    if let Some(delay) = rules.crawl_delay() {
        writeln!(text, "Crawl-delay: {}", delay.as_secs_f64()).expect("memory takes every line");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Stamp = Stamp(1_790_244_000);

    fn copies() -> Copies {
        Copies::new("pagewire/0.1.0 (+https://x.example/)")
    }

    fn url(path: &str) -> Url {
        Url::parse("https://x.example").unwrap().join(path).unwrap()
    }

    fn allowed(text: &str, path: &str) -> bool {
        let copies = copies();
        copies.learn(&url("/"), Found::Text(text.as_bytes().to_vec()), NOW);
        let again = self::copies();
        again.recall(copies.news());
        assert_eq!(copies.admit(&url(path)).is_ok(), again.admit(&url(path)).is_ok(), "stored and not, {text}, {path}");
        copies.admit(&url(path)).is_ok()
    }

    /// RFC 9309 §2.2 and its examples in §5.
    #[test]
    fn the_longest_rule_of_our_group_counts() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: PageWire\nDisallow: /*.gif$\nDisallow: /example/\n\
                    Allow: /example/allowed.html\nDisallow: /caf%C3%A9\nDisallow: /q?x=\n";
        for (path, expected) in [
            ("/tpu.md", true),
            ("/a.gif", false),
            ("/a.gif?x", true),
            ("/example/x", false),
            ("/example/allowed.html", true),
            ("/café", false),
            ("/q?x=1", false),
            ("/q", true),
            ("/robots.txt", true),
        ] {
            assert_eq!(allowed(text, path), expected, "{path}");
        }
        assert!(!allowed("User-agent: *\nDisallow: /\n", "/tpu.md"));
        assert!(allowed("User-agent: other\nDisallow: /\n", "/tpu.md"));
        assert!(allowed("User-agent: page\nDisallow: /\n", "/tpu.md"), "the name of somebody else");
        assert!(allowed("<html>no robots here</html>", "/tpu.md"));
        assert!(!allowed("User-agent: *\nAllow: /a\nDisallow: /a/*#x\n", "/a/b"), "what stands behind # is a comment");
    }

    #[test]
    fn no_copy_allows_and_one_that_cannot_be_read_forbids_until_it_can() {
        let copies = copies();
        copies.learn(&url("/"), Found::Nothing, NOW);
        assert!(copies.admit(&url("/a")).is_ok() && copies.holds(&url("/a"), NOW.plus(DAY - 1)));
        assert!(!copies.holds(&url("/a"), NOW.plus(DAY)));
        copies.learn(&url("/"), Found::Unreadable("it answers 503".to_owned()), NOW.plus(DAY));
        assert!(copies.admit(&url("/a")).is_ok(), "the last copy goes on to hold");
        assert!(copies.holds(&url("/a"), NOW.plus(DAY + 1)), "and is not asked for at every poll");
        copies.learn(&url("/"), Found::Unreadable("it answers 503".to_owned()), NOW.plus(31 * DAY));
        let why = copies.admit(&url("/a")).unwrap_err();
        assert_eq!(why.kind, ErrorKind::Robots);
        assert!(why.message.contains("can't be read"), "{why}");
        copies.learn(&url("/"), Found::Nothing, NOW.plus(31 * DAY + 600));
        assert!(copies.admit(&url("/a")).is_ok());
        assert!(!copies.holds(&Url::parse("http://x.example/").unwrap(), NOW), "another scheme is another site");
    }

    #[test]
    fn a_pause_is_read_and_kept() {
        let copies = copies();
        copies.learn(&url("/"), Found::Text(b"User-agent: *\nCrawl-delay: 2.5\n".to_vec()), NOW);
        assert_eq!(copies.delay(&url("/a")), Some(Duration::from_millis(2_500)));
        let again = self::copies();
        again.recall(copies.news());
        assert_eq!(again.delay(&url("/a")), Some(Duration::from_millis(2_500)));
        assert!(copies.news().is_empty(), "told once");
    }

    #[test]
    fn a_hostile_file_takes_no_time() {
        let line = format!("Disallow: /{}\n", "*a".repeat(200_000));
        let text = format!("User-agent: *\n{line}{}", "Disallow: /x*y*z$\n".repeat(5_000));
        let start = std::time::Instant::now();
        allowed(&text, &format!("/{}", "a".repeat(4_000)));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
