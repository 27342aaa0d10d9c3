//! What went wrong with a page: kinds that scripts match on, and sentences for people.

use std::fmt;

/// Why a page could not be taken. Displayed, it is a name of the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The document is no list of posts: a challenge, a login, another kind of document.
    NotATopicPage,
    /// No posts where there were some.
    Empty,
    /// Too many new posts at once to be news.
    Flood,
    /// An HTTP status that is no answer.
    Http(u16),
    /// A time limit ran out.
    Timeout,
    /// More bytes than allowed.
    TooLarge,
    /// The address policy refuses the host.
    RefusedAddress,
    /// The site's robots.txt forbids it.
    Robots,
    /// 429, or 503 with Retry-After.
    RateLimited,
    /// 410: the page ended.
    Gone,
    /// A redirect that leads nowhere.
    Redirect,
    /// The body ended early.
    Truncated,
    /// The content coding or the charset could not be undone.
    Decode,
    /// The document could not be read as what it is.
    Parse,
    /// The document or a setting of it is not valid.
    Invalid,
    /// The computer's clock stands before the program was made.
    Clock,
    /// Reading or writing failed below HTTP.
    Io,
    /// A bug of ours, kept to this page.
    Panic,
}

impl ErrorKind {
    const NAMES: [(Self, &'static str); 17] = [
        (Self::NotATopicPage, "not-a-topic-page"),
        (Self::Empty, "empty"),
        (Self::Flood, "flood"),
        (Self::Timeout, "timeout"),
        (Self::TooLarge, "too-large"),
        (Self::RefusedAddress, "refused-address"),
        (Self::Robots, "robots"),
        (Self::RateLimited, "rate-limited"),
        (Self::Gone, "gone"),
        (Self::Redirect, "redirect"),
        (Self::Truncated, "truncated"),
        (Self::Decode, "decode"),
        (Self::Parse, "parse"),
        (Self::Invalid, "invalid"),
        (Self::Clock, "clock"),
        (Self::Io, "io"),
        (Self::Panic, "panic"),
    ];

    /// The kind that is displayed by this name; unknown names are `invalid`.
    pub fn named(name: &str) -> Self {
        if let Some(status) = name.strip_prefix("http-").and_then(|s| s.parse().ok()) {
            return Self::Http(status);
        }
        Self::NAMES.iter().find(|(_, n)| *n == name).map_or(Self::Invalid, |(k, _)| *k)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Http(status) = self {
            return write!(f, "http-{status}");
        }
        f.write_str(Self::NAMES.iter().find(|(k, _)| k == self).map_or("invalid", |(_, n)| n))
    }
}

/// Why a page was not taken, with a sentence that names the value and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// For scripts.
    pub kind: ErrorKind,
    /// For people: lower case, values in backticks, then the remedy. Inert: safe on a terminal.
    pub message: String,
}

impl Failure {
    /// A failure; control characters of the message are dropped, since parts of it come from outside.
    pub fn new(kind: ErrorKind, message: impl AsRef<str>) -> Self {
        Self { kind, message: super::text::Text::line(message.as_ref()).into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// What was odd about a page that was taken all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningKind {
    /// More than half of the posts left at once.
    Shrunk,
    /// Nothing in common with the last reading: posts in between may be lost.
    Gap,
    /// The page's stated count no longer fits.
    Count,
    /// A date that cannot be read.
    Date,
    /// Front matter that cannot be read.
    FrontMatter,
    /// A post's link that is missing or leads nowhere.
    Link,
    /// A post that is left out.
    Item,
    /// Nothing new for far longer than the page's rhythm.
    Stale,
}

impl WarningKind {
    const ALL: [Self; 8] =
        [Self::Shrunk, Self::Gap, Self::Count, Self::Date, Self::FrontMatter, Self::Link, Self::Item, Self::Stale];

    /// The kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == name)
    }

    /// The contract's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shrunk => "shrunk",
            Self::Gap => "gap",
            Self::Count => "count",
            Self::Date => "date",
            Self::FrontMatter => "front-matter",
            Self::Link => "link",
            Self::Item => "item",
            Self::Stale => "stale",
        }
    }
}

/// One such oddity, with the place in the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// For scripts.
    pub kind: WarningKind,
    /// For people. Inert: safe on a terminal.
    pub message: String,
}

impl Warning {
    /// A warning; control characters of the message are dropped.
    pub fn new(kind: WarningKind, message: impl AsRef<str>) -> Self {
        Self { kind, message: super::text::Text::line(message.as_ref()).into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kinds() {
        for (kind, name) in ErrorKind::NAMES {
            assert_eq!(ErrorKind::named(name), kind);
            assert_eq!(kind.to_string(), name);
        }
        assert_eq!(ErrorKind::named("http-503"), ErrorKind::Http(503));
        assert_eq!(ErrorKind::Http(404).to_string(), "http-404");
    }
}
