//! A page: a document that lists posts, how it is polled and read, and what is known of its polls.

use super::cadence::Cadence;
use super::company::CompanySeed;
use super::digest::number;
use super::entry::EntryId;
use super::failure::{Failure, Warning, WarningKind};
use super::filter::Filter;
use super::index::Index;
use super::key::Key;
use super::own::Wants;
use super::request::RequestSettings;
use super::selectors::Selectors;
use super::server::Server;
use super::slug::Slug;
use super::text::Text;
use super::time::{DAY, Stamp};
use bytes::Bytes;
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::fmt;
use url::Url;

/// The store's number of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(pub i64);

/// Where a page is: an absolute `https`, `http` or `file` address. A page is its address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(Url);

impl Address {
    /// An address; whoever makes one has checked the scheme.
    pub fn new(mut url: Url) -> Self {
        url.set_fragment(None);
        Self(url)
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The path of a local file.
    pub fn file(&self) -> Option<std::path::PathBuf> {
        if self.0.scheme() == "file" { self.0.to_file_path().ok() } else { None }
    }

    /// The key on which the keys of posts without a link stand.
    pub fn key(&self) -> Key {
        Key::of(&self.0)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file() {
            Some(path) => write!(f, "{}", path.display()),
            None => f.write_str(self.0.as_str()),
        }
    }
}

/// What sort of document a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// RSS, Atom, RDF or JSON Feed.
    Feed,
}

impl Kind {
    /// The word for it in configuration and store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Feed => "feed",
        }
    }

    /// The kind that a word names.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Markdown, Self::Html, Self::Feed].into_iter().find(|k| k.as_str() == word)
    }
}

/// What a feed's link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LinkMode {
    /// The link as the page prints it.
    #[default]
    Page,
    /// The same without `.md`: the twin for people.
    Html,
    /// The article that it summarises, which its own page names.
    Original,
}

/// What a feed holds of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Content {
    /// What the page says of it.
    #[default]
    Summary,
    /// That, and the text of its own page.
    Post,
}

/// How an old post is dated that a page adds late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Late {
    /// As first seen: readers hide or ignore old dates.
    #[default]
    FirstSeen,
    /// As the page says.
    Page,
}

/// Which addresses that are not public may be asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum AllowPrivate {
    /// None.
    #[default]
    No,
    /// All.
    Yes,
    /// These networks and host names.
    Only {
        /// Networks, as `10.0.0.0/8`.
        nets: Vec<ipnet::IpNet>,
        /// Host names, in lower case, without a trailing dot.
        hosts: Vec<String>,
    },
}

/// How a page is polled and read. What decides how it is read goes into [`Page::fingerprint`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSettings {
    /// What relative links resolve against, instead of the page's own final address.
    pub base: Option<Url>,
    /// What sort of document it must be; none: found out from its content.
    pub kind: Option<Kind>,
    /// When it is polled.
    pub cadence: Cadence,
    /// In which zone its times without one are.
    pub timezone: Tz,
    /// What a feed's link opens.
    pub link: LinkMode,
    /// What a feed holds of a post.
    pub content: Content,
    /// How many pages its list may have: further ones than the first are read in a backlog reading, and to close a gap.
    pub max_pages: u32,
    /// How late additions are dated.
    pub late: Late,
    /// Which addresses that are not public it may be at.
    pub allow_private: AllowPrivate,
    /// Where its posts and their parts are, if it is HTML.
    pub selectors: Selectors,
    /// What its requests carry, and what binds them.
    pub request: RequestSettings,
}

/// How a page is polled and read of which nothing is said.
impl Default for PageSettings {
    fn default() -> Self {
        Self {
            base: None,
            kind: None,
            cadence: Cadence::Auto,
            timezone: Tz::UTC,
            link: LinkMode::default(),
            content: Content::default(),
            max_pages: 1,
            late: Late::default(),
            allow_private: AllowPrivate::default(),
            selectors: Selectors::default(),
            request: RequestSettings::default(),
        }
    }
}

impl PageSettings {
    /// What its posts' own pages are read for; none where they are not.
    pub fn wants(&self) -> Option<Wants> {
        let wants = Wants { original: self.link == LinkMode::Original, content: self.content == Content::Post };
        (wants.original || wants.content).then_some(wants)
    }
}

/// Goes up whenever the extractor reads the same bytes differently; the next reading is then a backlog reading.
const EXTRACTOR_VERSION: u32 = 3;

/// The longest time for which a server that asks for it is left alone, in seconds.
pub const RETRY_AFTER_MAX: i64 = 7 * DAY;

/// A page as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it is.
    pub address: Address,
    /// Addresses at which it was before.
    pub former: Vec<Address>,
    /// The topics that list it, as positions in `Settings::topics`, in configuration order.
    pub topics: Vec<usize>,
    /// The companies that list it. Its posts that name none are theirs.
    pub companies: Vec<CompanySeed>,
    /// Set where it lists topic pages instead of posts; then no topic or company lists it.
    pub index: Option<Index>,
    /// How it is polled and read.
    pub settings: PageSettings,
}

impl Page {
    /// The slugs of the companies that list it.
    pub fn of_companies(&self) -> Vec<&str> {
        self.companies.iter().map(|company| company.slug.as_str()).collect()
    }

    /// A number that changes when the same bytes would be read differently: settings, topics, companies, extractor
    /// version.
    pub fn fingerprint(&self, topics: &[Topic]) -> u64 {
        let s = &self.settings;
        let mut hash = blake3::Hasher::new();
        for part in [
            EXTRACTOR_VERSION.to_string().as_str(),
            s.base.as_ref().map_or("", Url::as_str),
            s.kind.map_or("", Kind::as_str),
            s.timezone.name(),
            match s.link {
                LinkMode::Page => "page",
                LinkMode::Html => "html",
                LinkMode::Original => "original",
            },
        ] {
            hash.update(part.as_bytes());
            hash.update(&[0]);
        }
        let selectors = s.selectors.all().map(|(key, selector)| format!("{key}={selector}"));
        for part in selectors.chain(s.selectors.date_format.iter().map(|format| format!("date_format={format}"))) {
            hash.update(part.as_bytes());
            hash.update(&[0]);
        }
        if s.content == Content::Post {
            hash.update(b"content=post\0");
        }
        if s.max_pages > 1 {
            hash.update(format!("max_pages={}\0", s.max_pages).as_bytes());
        }
        let topics = self.topics.iter().filter_map(|&t| topics.get(t));
        let mut slugs: Vec<(&str, String)> = topics.map(|t| (t.slug.as_str(), t.filter.written())).collect();
        slugs.sort_unstable();
        for (slug, filter) in slugs {
            hash.update(slug.as_bytes());
            hash.update(&[0]);
            if !filter.is_empty() {
                hash.update(filter.as_bytes());
                hash.update(&[0]);
            }
        }
        for company in &self.companies {
            hash.update(b"company");
            hash.update(company.title.as_str().as_bytes());
            hash.update(&[0]);
        }
        if let Some(index) = &self.index {
            hash.update(index.written().as_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}

/// A topic: what the user follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its feed's slug.
    pub slug: Slug,
    /// Its title; none: what its first page calls itself.
    pub title: Option<Text>,
    /// Slugs that it had before.
    pub former: Vec<Slug>,
    /// Which posts of its pages it takes.
    pub filter: Filter,
    /// The language of its posts, as in RFC 5646: `en`.
    pub language: Option<Text>,
    /// From when on it gets no more posts: its feed says so in a last entry, and is gone [`Topic::FAREWELL`] later.
    pub retired: Option<Stamp>,
}

impl Topic {
    /// How long the feed of a retired topic still stands, in seconds.
    pub const FAREWELL: i64 = 30 * DAY;
}

/// What a server gave to ask again with. Opaque: sent back byte for byte, to the address that gave them only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validators {
    /// The final address that gave them.
    pub address: String,
    /// `ETag`, as raw bytes.
    pub etag: Option<Vec<u8>>,
    /// `Last-Modified`, as raw bytes.
    pub last_modified: Option<Vec<u8>>,
}

/// What one request brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The address that answered in the end.
    pub address: Url,
    /// The decoded bytes.
    pub bytes: Bytes,
    /// The `Content-Type`, if one was sent.
    pub media_type: Option<String>,
    /// What to ask again with.
    pub validators: Option<Validators>,
    /// Whether only the closing of the connection ended the body, so that a cut would not show.
    pub maybe_cut: bool,
}

impl Body {
    /// A number for the bytes: equal bytes, equal number.
    pub fn hash(&self) -> [u8; 16] {
        super::digest(&self.bytes)
    }
}

/// One post in a page's own readings: what tells whether the page changed its mind about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Which entry it is.
    pub entry: EntryId,
    /// Whether it counts as listed: the last taken reading lists it, or it is [`Self::missed`].
    pub now: bool,
    /// Whether it counts as listed only because a fall left it out, of which the readings since have not yet shown
    /// that it was meant.
    pub missed: bool,
    /// A number for the meaning of what the page last said.
    pub said: u64,
    /// A number for the summary's text; 0 where it is shorter than a rename needs.
    pub summary: u64,
    /// A number for the link of the article that the post summarises; 0 where none is given that tells a post.
    pub original: u64,
    /// The day that the page gave.
    pub day: Option<NaiveDate>,
    /// When the entry is published.
    pub published: Stamp,
}

impl Listed {
    /// A number for the link of the article that a post summarises; 0 for a host alone, which many share.
    pub fn original_of(link: &Url) -> u64 {
        let key = Key::of(link);
        if key.is_bare_host() { 0 } else { number(key.as_str().as_bytes()).max(1) }
    }
}

/// What is known of a page's polls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts, each a column")]
pub struct PageState {
    /// What to ask again with.
    pub validators: Option<Validators>,
    /// The settings under which it was last taken; see [`Page::fingerprint`].
    pub fingerprint: u64,
    /// What sort of document it was when first taken.
    pub kind: Option<Kind>,
    /// The hash of the last taken body; none before the first.
    pub body: Option<[u8; 16]>,
    /// The hash of a body that may have been cut: the same bytes again prove it whole.
    pub unproved: Option<[u8; 16]>,
    /// Whether its stated count ever fitted.
    pub count_fitted: bool,
    /// What it calls itself.
    pub title: Option<Text>,
    /// What it says about itself.
    pub description: Option<Text>,
    /// How many posts it lists.
    pub posts: u32,
    /// When it was last asked.
    pub last_fetch: Option<Stamp>,
    /// When it last brought something.
    pub last_change: Option<Stamp>,
    /// When it is next due.
    pub next_due: Option<Stamp>,
    /// How often it failed in a row.
    pub failures: u32,
    /// Since when it has been in its present state (failing, held, ended).
    pub since: Option<Stamp>,
    /// Why it failed last.
    pub error: Option<Failure>,
    /// What was odd about the last taken reading.
    pub warnings: Vec<Warning>,
    /// Until when the server asked to be left alone.
    pub retry_after: Option<Stamp>,
    /// Whether it ended with 410.
    pub ended: bool,
    /// What a guard keeps back.
    pub hold: Option<Hold>,
    /// From when on it counts as stale if it brings nothing; none where its rhythm is not known.
    pub stale_at: Option<Stamp>,
    /// Whether it is stale, and that was told.
    pub stale: bool,
    /// Whether somebody stopped its polling.
    pub paused: bool,
    /// What its server says about being polled.
    pub server: Server,
    /// When it posts, as far as it has shown; a packed [`super::Habit`].
    pub habit: Vec<u8>,
}

/// A reading that is kept back because most of its posts are new without being news: a flood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Numbers for the posts that were first held.
    pub posts: Vec<u64>,
    /// When readings listed most of these, the first included.
    pub readings: Vec<Stamp>,
}

impl Hold {
    /// Readings that agree release what is held.
    const READINGS: usize = 3;
    /// Over at least so many seconds.
    const OVER: i64 = DAY;

    /// Takes up a reading of these posts, and says whether it releases what is held: three readings over a day that
    /// each list at least 80 % of the posts first held. One that lists fewer begins anew.
    pub fn take(hold: Option<Self>, posts: &[u64], now: Stamp) -> (Self, bool) {
        let Some(mut hold) = hold.filter(|h| h.agrees(posts)) else {
            return (Self { posts: posts.to_vec(), readings: vec![now] }, false);
        };
        hold.readings.push(now);
        let over = hold.readings.first().map_or(0, |first| now.0 - first.0);
        let released = hold.readings.len() >= Self::READINGS && over >= Self::OVER;
        (hold, released)
    }

    fn agrees(&self, posts: &[u64]) -> bool {
        let there = self.posts.iter().filter(|p| posts.contains(p)).count();
        there * 5 >= self.posts.len() * 4
    }
}

impl PageState {
    /// Where an HTML page's list was, as long as it is read in the same way ([`Page::fingerprint`]).
    pub fn shape(&self, fingerprint: u64) -> Option<u64> {
        self.server.shape.filter(|_| self.taken() && self.fingerprint == fingerprint)
    }

    /// Whether it was ever taken.
    pub fn taken(&self) -> bool {
        self.body.is_some()
    }

    /// Whether the last reading fell short of the one before, so that the validators are still those of that one.
    pub fn fell(&self) -> bool {
        self.warnings.iter().any(|warning| warning.kind == WarningKind::Shrunk)
    }

    /// Takes the warning of a fall back: a later answer says what the page lists.
    pub fn stands(&mut self) {
        self.warnings.retain(|warning| warning.kind != WarningKind::Shrunk);
    }

    /// Until when the page may not be asked, because its server wants to be left alone. A time further away than any
    /// that is believed is from before the clock was set back.
    pub fn left_alone(&self, now: Stamp) -> Option<Stamp> {
        self.retry_after.filter(|until| (1..=RETRY_AFTER_MAX).contains(&(until.0 - now.0)))
    }

    /// A sentence about a page that is stale.
    pub fn silence(&self) -> String {
        let by = self.stale_at.map(|at| format!(" by {}", at.utc().date_naive())).unwrap_or_default();
        format!("nothing new, though by its own rhythm there should have been something{by}")
    }

    /// The contract's word for its state.
    pub fn word(&self) -> &'static str {
        if self.ended {
            "ended"
        } else if self.paused {
            "paused"
        } else if self.hold.is_some() {
            "held"
        } else if self.error.is_some() {
            "failing"
        } else if self.taken() {
            "ok"
        } else {
            "new"
        }
    }
}
