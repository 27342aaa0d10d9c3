//! What a page's requests carry besides its address: headers, credentials, a proxy, and whether robots.txt binds them.
//!
//! In: what the configuration says. Out: the same, typed. A value that may be a secret is a [`Secret`], which neither
//! `Debug` nor any message shows; most name a file that is read when a request needs it.

use std::fmt;
use std::path::PathBuf;

/// A value that nobody but the server that wants it may see.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Secret {
    /// As it stands in the configuration.
    Plain(String),
    /// The first line of a file.
    File(PathBuf),
    /// The same of a file that systemd hands over: `LoadCredential=NAME:…` of the unit, in `$CREDENTIALS_DIRECTORY`.
    Credential(String),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(_) => f.write_str("Plain(…)"),
            Self::File(path) => write!(f, "File({})", path.display()),
            Self::Credential(name) => write!(f, "Credential({name})"),
        }
    }
}

/// How a page lets us in (RFC 7617, RFC 6750).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Credentials {
    /// `user:password`.
    Basic(Secret),
    /// A token.
    Bearer(Secret),
}

/// How a page is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct RequestSettings {
    /// Whether the site's robots.txt binds us.
    pub robots: bool,
    /// Headers by their names in lower case, in the order of the configuration; sent to the page's own host only.
    pub headers: Vec<(String, Secret)>,
    /// What lets us in; sent to the page's own host only.
    pub credentials: Option<Credentials>,
    /// The address of a proxy, which may hold a user name and a password.
    pub proxy: Option<Secret>,
}

/// What a site's robots.txt says to us, as far as it binds us (RFC 9309); kept for a day, and across restarts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robots {
    /// The scheme, host and port that it holds for.
    pub origin: String,
    /// When it was read.
    pub read: super::Stamp,
    /// The lines that are meant for us.
    pub text: String,
    /// Whether the site gave it, or none; otherwise it could not be read and everything is forbidden for now.
    pub known: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let settings = RequestSettings {
            headers: vec![("cookie".to_owned(), Secret::Plain("s3cret".to_owned()))],
            credentials: Some(Credentials::Bearer(Secret::Plain("s3cret".to_owned()))),
            proxy: Some(Secret::Plain("http://me:s3cret@proxy.lan".to_owned())),
            ..RequestSettings::default()
        };
        assert!(!format!("{settings:?}").contains("s3cret"), "{settings:?}");
    }
}
