//! A link's normal form: what tells posts apart (CONTRACT "Identity and time").
//!
//! In: a resolved address. Out: a string that stays the same when a site moves to https, drops `www.`, adds tracking
//! parameters or changes an ending. Follows RFC 3986 §6.2.2 (case, percent and path normalisation).
//! Deliberately absent: whether a fragment belongs to the key where the bare link is a post too; that needs the other
//! posts, so `diff` decides it.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;
use std::fmt;
use url::Url;
use uuid::Uuid;

/// A normal form under which a post is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

/// What joins the key of an address where several posts share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitBy {
    /// Their guids differ.
    Guid,
    /// Their titles and dates differ.
    Title,
}

/// Query parameters that say where a reader came from, not what he reads.
const TRACKING: [&str; 11] =
    ["fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok"];

/// Endings that name a form of a document, not another document.
const ENDINGS: [&str; 3] = [".md", ".html", ".htm"];

/// Unreserved characters (RFC 3986 §2.3) stay as they are; everything else is encoded.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Key {
    /// The key of a link, its fragment included (but those that only say where on the page a reader lands).
    pub fn of(link: &Url) -> Self {
        let mut out = String::with_capacity(link.as_str().len());
        if let Some(host) = link.host_str() {
            // The `url` crate has put hosts in lower case and dropped default ports.
            out.push_str(host.strip_prefix("www.").unwrap_or(host));
            if let Some(port) = link.port() {
                out.push(':');
                out.push_str(&port.to_string());
            }
        }
        push_path(&mut out, link);
        push_query(&mut out, link);
        if let Some(fragment) = link.fragment().filter(|f| is_place(f)) {
            out.push('#');
            out.push_str(&normal_percent(fragment));
        }
        Self(out)
    }

    /// The key of a post without a link: `what` tells it from the others of its page.
    pub fn of_text(page: &Key, parts: &[&str]) -> Self {
        page.with_parts(":post=", parts)
    }

    /// The key of a guid, which counts within its page only.
    pub fn of_guid(page: &Key, guid: &str) -> Self {
        page.with_parts(":guid=", &[guid])
    }

    /// This address's key with what tells the posts that share it apart.
    #[must_use]
    pub fn joined(&self, by: SplitBy, parts: &[&str]) -> Self {
        match by {
            SplitBy::Guid => self.with_parts(":guid=", parts),
            SplitBy::Title => self.with_parts(":post=", parts),
        }
    }

    fn with_parts(&self, mark: &str, parts: &[&str]) -> Self {
        let mut out = format!("{}#{mark}", self.bare_str());
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.extend(utf8_percent_encode(part.trim(), SEGMENT));
        }
        Self(out)
    }

    /// A name made from the key (RFC 9562 §5.5): the first, or one for each further entry that is seen under it.
    pub fn urn(&self, turn: u32) -> String {
        // No key has a space.
        let name = if turn > 1 { Cow::Owned(format!("{} {turn}", self.0)) } else { Cow::Borrowed(self.as_str()) };
        Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes()).urn().to_string()
    }

    /// The key without its fragment.
    #[must_use]
    pub fn bare(&self) -> Self {
        Self(self.bare_str().to_owned())
    }

    /// The same as text.
    pub fn bare_str(&self) -> &str {
        &self.0[..memchr::memchr(b'#', self.0.as_bytes()).unwrap_or(self.0.len())]
    }

    /// The fragment, if the key has one.
    pub fn fragment(&self) -> Option<&str> {
        memchr::memchr(b'#', self.0.as_bytes()).map(|at| &self.0[at + 1..])
    }

    /// Whether the key is a host alone: such a link says nothing about a post.
    pub fn is_bare_host(&self) -> bool {
        !self.0.contains(['/', '?', '#'])
    }

    /// A key that was one before it was stored.
    pub fn stored(s: String) -> Self {
        Self(s)
    }

    /// The key as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn push_path(out: &mut String, link: &Url) {
    let path = normal_percent(link.path());
    let mut path = &*path;
    if let Some((head, last)) = path.rsplit_once('/')
        && let Some(ext) = last.strip_prefix("index.")
        && ["html", "htm", "md", "php"].contains(&ext)
    {
        path = &path[..=head.len()];
    }
    while let Some(shorter) = ENDINGS.iter().find_map(|e| path.strip_suffix(e)) {
        path = shorter;
    }
    out.push_str(path.strip_suffix('/').unwrap_or(path));
}

fn push_query(out: &mut String, link: &Url) {
    let mut sep = '?';
    for part in link.query().unwrap_or_default().split('&').filter(|p| !p.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let tracks = name.starts_with("utm_")
            || TRACKING.contains(&name)
            || name == "ref_src"
            || (name == "source" && value.starts_with("rss"));
        if !tracks {
            out.push(sep);
            out.push_str(&normal_percent(part));
            sep = '&';
        }
    }
}

/// Whether a fragment tells posts apart, rather than naming a place on the page that every page has.
fn is_place(fragment: &str) -> bool {
    !(fragment.is_empty()
        || ["comments", "respond", "disqus_thread", "top"].contains(&fragment)
        || fragment.starts_with("more")
        || fragment.starts_with(":~:"))
}

/// What the `url` crate leaves as it came in paths, queries or fragments, though no address may hold it (RFC 3986 §2).
const NEVER: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A link as any reader takes it: what no address may hold is percent-encoded.
pub fn strict_address(link: &str) -> Cow<'_, str> {
    let start = link.find("://").map_or(0, |at| at + 3);
    let host = link[start..].find(['/', '?', '#']).map_or(link.len(), |at| start + at);
    match Cow::from(utf8_percent_encode(&link[host..], NEVER)) {
        Cow::Borrowed(_) => Cow::Borrowed(link),
        Cow::Owned(rest) => Cow::Owned([&link[..host], &rest].concat()),
    }
}

/// Percent-encoding in its normal form: unreserved characters decoded, hex digits in upper case, and what no address
/// may hold encoded.
fn normal_percent(s: &str) -> Cow<'_, str> {
    // Most have nothing that could be encoded in two ways, and that is seen at once.
    let is_normal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-'..=b'/' | b'_');
    if s.bytes().all(is_normal) {
        return Cow::Borrowed(s);
    }
    match Cow::from(utf8_percent_encode(s, NEVER)) {
        Cow::Borrowed(s) => normal_codes(s),
        Cow::Owned(encoded) => Cow::Owned(normal_codes(&encoded).into_owned()),
    }
}

/// The same with nothing encoded that need not be (RFC 3986 §6.2.2.2), and what is in upper case (§6.2.2.1).
pub fn normal_codes(s: &str) -> Cow<'_, str> {
    if !s.contains('%') {
        return Cow::Borrowed(s);
    }
    let mut out = String::with_capacity(s.len());
    let mut rest = s;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let code = rest.get(at..at + 3).filter(|c| c[1..].bytes().all(|b| b.is_ascii_hexdigit()));
        if let Some(code) = code {
            match percent_decode_str(code).next() {
                Some(b) if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => out.push(char::from(b)),
                _ => out.push_str(&code.to_ascii_uppercase()),
            }
            rest = &rest[at + 3..];
        } else {
            out.push_str("%25");
            rest = &rest[at + 1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(s: &str) -> String {
        Key::of(&Url::parse(s).unwrap()).0
    }

    #[test]
    fn one_post_one_key() {
        for same in [
            "http://blog.example/post",
            "https://blog.example/post/",
            "https://www.blog.example:443/post.html",
            "https://user@BLOG.example/a/../post.md",
            "https://blog.example/post/index.html",
            "https://blog.example/post.html.md",
            "https://blog.example/p%6Fst?utm_source=x&fbclid=1&source=rss-feed&ref_src=t",
            "https://blog.example/post#comments",
            "https://blog.example/post#more-12",
            "https://blog.example/post#:~:text=hello",
        ] {
            assert_eq!(key(same), "blog.example/post", "{same}");
        }
    }

    #[test]
    fn other_posts_other_keys() {
        assert_eq!(key("https://x.example/p?id=2&utm_x=1&b=%c3%a9"), "x.example/p?id=2&b=%C3%A9");
        assert_eq!(key("https://x.example/p?source=feed"), "x.example/p?source=feed");
        assert_eq!(key("https://x.example:8443/CHANGELOG.md#22"), "x.example:8443/CHANGELOG#22");
        assert_eq!(key("https://x.example/p%2Fq"), "x.example/p%2Fq");
        assert_eq!(key("https://x.example/a|b?c=[1]#{x}"), "x.example/a%7Cb?c=%5B1%5D#%7Bx%7D");
        assert_eq!(key("https://x.example/a%7cb"), key("https://x.example/a|b"));
        assert_eq!(key("https://x.example/index.php"), "x.example");
        assert_eq!(key("https://x.example/"), "x.example");
        assert!(Key::of(&Url::parse("https://x.example/").unwrap()).is_bare_host());
    }

    #[test]
    fn a_link_that_readers_take_is_left_alone() {
        for same in ["https://[::1]:8080/a%20b?c=d#e", "https://x.example", "mailto:a@x.example"] {
            assert_eq!(strict_address(same), same);
        }
        assert_eq!(strict_address("https://[::1]/[a]?b=c|d^`"), "https://[::1]/%5Ba%5D?b=c%7Cd%5E%60");
    }

    #[test]
    fn what_tells_posts_of_one_address_apart_is_part_of_an_address() {
        let page = Key::of(&Url::parse("https://x.example/dl#a").unwrap());
        assert_eq!(page.joined(SplitBy::Guid, &["v 1,0"]).0, "x.example/dl#:guid=v%201%2C0");
        assert_eq!(Key::of_text(&page, &["A", "2026-01-02"]).0, "x.example/dl#:post=A,2026-01-02");
    }
}
