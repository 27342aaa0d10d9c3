//! Links as a page prints them → addresses.
//!
//! In: a destination. Out: an absolute address, or none. A page's links resolve against the configured base, else
//! against the address that answered (RFC 3986 §5); a local file without a base has no such address, and no feed ever
//! holds a `file:` one.

use crate::model::{Body, LinkMode, PageSettings};
use std::cell::RefCell;
use url::{Position, Url};

/// How the links of one page resolve.
pub(super) struct Links {
    base: Option<Url>,
    mode: LinkMode,
    /// The last absolute address of the web: most that follow are on its host.
    last: RefCell<Option<Url>>,
}

impl Links {
    /// How those of this body do.
    pub(super) fn of(body: &Body, settings: &PageSettings) -> Self {
        let own = || matches!(body.address.scheme(), "http" | "https").then(|| body.address.clone());
        Self { base: settings.base.clone().or_else(own), mode: settings.link, last: RefCell::default() }
    }

    /// How those of a page at an address do.
    pub(super) fn at(address: &Url) -> Self {
        Self { base: Some(address.clone()), mode: LinkMode::Page, last: RefCell::default() }
    }

    /// The same against another base.
    pub(super) fn based(self, base: Url) -> Self {
        Self { base: Some(base), ..self }
    }

    /// What relative links resolve against.
    pub(super) fn base(&self) -> Option<&Url> {
        self.base.as_ref()
    }

    /// What a reader of a post opens.
    pub(super) fn post(&self, destination: &str) -> Option<Url> {
        let mut url = self.web(destination)?;
        if self.mode == LinkMode::Html
            && let Some(path) = url.path().strip_suffix(".md")
        {
            // The twin of `x/index.md` is `x/`: the key of `x/index` would be another post's.
            let path = path.strip_suffix("/index").map_or_else(|| path.to_owned(), |folder| format!("{folder}/"));
            url.set_path(&path);
        }
        Some(url)
    }

    /// An address of the web.
    pub(super) fn web(&self, destination: &str) -> Option<Url> {
        self.resolved(destination).filter(|u| matches!(u.scheme(), "http" | "https"))
    }

    /// Whether a destination is a part of the page itself: `#part`, also behind the page's own address.
    pub(super) fn is_within(&self, destination: &str) -> bool {
        let Some((page, _)) = destination.split_once('#') else { return false };
        page.is_empty() || self.base.as_ref().is_some_and(|base| base.as_str().split('#').next() == Some(page))
    }

    /// An address that a summary may hold.
    pub(super) fn anchor(&self, destination: &str) -> Option<Url> {
        self.resolved(destination).filter(|u| matches!(u.scheme(), "http" | "https" | "mailto"))
    }

    fn resolved(&self, destination: &str) -> Option<Url> {
        if destination.trim().is_empty() {
            return None;
        }
        if let Some(url) = self.on_last_host(destination) {
            return Some(url);
        }
        let url = match &self.base {
            Some(base) => base.join(destination).ok(),
            None => Url::parse(destination).ok(),
        };
        if let Some(url) = url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https")) {
            self.last.replace(Some(url.clone()));
        }
        url
    }

    /// An address that begins as the last one does, up to its path: to read a host's name costs more than all the rest.
    fn on_last_host(&self, destination: &str) -> Option<Url> {
        let last = self.last.borrow();
        let last = last.as_ref()?;
        let path = destination.strip_prefix(&last[..Position::BeforePath])?;
        // What a path begins with, and no other host: white space is passed over, and `\\` is a slash.
        let is_path = matches!(path.as_bytes(), [b'/', second, ..] if second.is_ascii_alphanumeric());
        if is_path { last.join(path).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was read before changes nothing: white space within an address is none, and `\` is a slash (WHATWG URL §4.4).
    #[test]
    fn an_address_behind_another_is_what_it_is_alone() {
        let base = Url::parse("https://page.example/list/").expect("an address");
        let links = Links::at(&base);
        for destination in [
            "https://a.example/one",
            "https://a.example/two/../three?x=1#y",
            "https://a.example/%7eb/ü",
            "https://a.example//b.example/x",
            "https://a.example/\\b.example/x",
            "https://a.example/\t/b.example/x",
            "https://a.example:8443/x",
            "https://a.example:443/x",
            "https://a.example.b.example/x",
            "https://a.example@b.example/x",
            "https://a.example",
            "https://a.example?x",
            "HTTPS://A.example/x",
            "http://a.example/x",
            "mailto:ana@a.example",
            "/x",
            "x",
            " ",
        ] {
            links.anchor("https://a.example/before");
            assert_eq!(links.anchor(destination), Links::at(&base).anchor(destination), "{destination:?}");
        }
    }
}
