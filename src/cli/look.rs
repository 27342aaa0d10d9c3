//! One page, looked at without a configuration: what `preview` shows and what others that take an address build on.

use crate::config;
use crate::extract;
use crate::fetch::{Fetched, Fetcher};
use crate::model::{
    Address, AllowPrivate, Body, EntryId, ErrorKind, Failure, Key, Kind, Own, OwnPage, Page, PageId, PageSettings,
    Reading, Selectors, Stamp, Wants,
};
use std::path::Path;
use url::{Host, Url};

/// What was found, and the address against which its links resolve.
pub(super) struct Look {
    pub(super) reading: Reading,
    pub(super) at: Url,
    /// Where the page is, as asked for.
    pub(super) address: Address,
    pub(super) body: Body,
    pub(super) settings: PageSettings,
    fetcher: Fetcher,
}

/// So many posts' own pages are read: enough to see what comes of it.
const OWN: usize = 5;

/// Longest own page, in bytes; as in a refresh.
const MAX_OWN: u64 = 4 << 20;

impl Look {
    /// What the own pages of the first posts say, one after the other, or why they say nothing.
    pub(super) async fn own(&self, wants: Wants, now: Stamp) -> Vec<Result<OwnPage, Failure>> {
        let mut page = page(self.address.clone(), self.settings.clone());
        // Nobody typed these addresses.
        page.settings.request.robots = true;
        let mut said = Vec::new();
        for post in self.reading.posts.iter().take(OWN) {
            let printed = OwnPage { original: post.original.clone(), ..OwnPage::default() };
            let is_part = |link: &Url| Key::of(link).bare() == self.address.key().bare();
            let is_known = wants.original && !wants.content && post.original.is_some();
            let Some(link) = post.link.clone().filter(|link| !is_known && !is_part(link)) else {
                said.push(Ok(printed));
                continue;
            };
            let own =
                Own { entry: EntryId(0), page: PageId(0), link, title: post.title.clone(), tries: 0, waits: false };
            let read = self.fetcher.get_from(&page, &own.link, MAX_OWN, now).await;
            said.push(match read {
                Ok((body, _)) => extract::own(&body, &own, wants, page.settings.timezone),
                Err(refusal) => Err(refusal.failure),
            });
        }
        said
    }
}

/// Fetches and reads a page at an address or path, once.
pub(super) async fn look(
    what: &str,
    base: Option<Url>,
    kind: Option<Kind>,
    selectors: Selectors,
    now: Stamp,
) -> Result<Look, Failure> {
    let (page, body, fetcher) = fetch(what, base, kind, selectors, now).await?;
    let reading = extract::extract(&body, &page.settings)?;
    let at = page.settings.base.clone().unwrap_or_else(|| body.address.clone());
    Ok(Look { reading, at, address: page.address, body, settings: page.settings, fetcher })
}

/// The document at an address or path, as it came.
pub(super) async fn body(what: &str, now: Stamp) -> Result<Body, Failure> {
    Ok(fetch(what, None, None, Selectors::default(), now).await?.1)
}

async fn fetch(
    what: &str,
    base: Option<Url>,
    kind: Option<Kind>,
    selectors: Selectors,
    now: Stamp,
) -> Result<(Page, Body, Fetcher), Failure> {
    let address = address(what)?;
    let settings = PageSettings {
        base,
        kind,
        selectors,
        // Whoever types an address means its host, also where it is not public; a redirect elsewhere is judged anew.
        allow_private: only(address.url()),
        // Nor do robots.txt and own headers matter: it is one page that somebody wants to see now.
        ..PageSettings::default()
    };
    let page = page(address, settings);
    let fetcher = Fetcher::new(&config::fetch_defaults());
    let answer = fetcher.get(&page, None, now).await.map_err(|refusal| refusal.failure)?;
    let Fetched::Body(body) = answer.what else {
        return Err(Failure::new(ErrorKind::Http(304), "304 to a request without validators"));
    };
    Ok((page, body, fetcher))
}

fn page(address: Address, settings: PageSettings) -> Page {
    Page { address, former: Vec::new(), topics: Vec::new(), companies: Vec::new(), index: None, settings }
}

/// An address as typed: `http`, `https`, `file`, or else a path.
fn address(what: &str) -> Result<Address, Failure> {
    if let Ok(url) = Url::parse(what)
        && matches!(url.scheme(), "http" | "https" | "file")
    {
        return Ok(Address::new(url));
    }
    let missing = |e: std::io::Error| {
        if what.contains("://") {
            let help = "write http://, https:// or file:// and what follows, or a path";
            return Failure::new(ErrorKind::Invalid, format!("`{what}` is no address of a page; {help}"));
        }
        Failure::new(ErrorKind::Io, format!("cannot read `{what}`: {e}"))
    };
    let path = Path::new(what).canonicalize().map_err(missing)?;
    Url::from_file_path(path)
        .map(Address::new)
        .map_err(|()| Failure::new(ErrorKind::Io, format!("`{what}` is no path")))
}

fn only(url: &Url) -> AllowPrivate {
    let (mut nets, mut hosts) = (Vec::new(), Vec::new());
    match url.host() {
        Some(Host::Ipv4(ip)) => nets.push(std::net::IpAddr::V4(ip).into()),
        Some(Host::Ipv6(ip)) => nets.push(std::net::IpAddr::V6(ip).into()),
        Some(Host::Domain(name)) => hosts.push(name.trim_end_matches('.').to_owned()),
        None => {}
    }
    AllowPrivate::Only { nets, hosts }
}
