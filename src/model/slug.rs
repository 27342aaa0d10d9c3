//! A name as a file name and a path segment.
//!
//! In: any name. Out: 1 to 87 bytes of `a-z0-9-` that neither begin nor end with `-`, so that no name from a page can
//! leave its folder. Deliberately absent: who gets the plain slug where two names meet; the store decides that.

use super::text::{caseless, is_plain};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;

/// Longest slug made of a name, in bytes (a collision may add `-` and six digits).
const MAX: usize = 80;
/// What is kept of a longer one before `-` and six digits.
const CUT: usize = 73;

/// A safe, lower-case name for files and addresses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Slug(String);

/// Why a configured slug is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no slug: use a-z, 0-9 and single `-` between them, at most 80, for example `{better}`")]
pub struct SlugError {
    given: String,
    better: String,
}

impl Slug {
    /// The slug of a name: transliterated, in lower case, every run of other characters one `-`; over 80 bytes the
    /// first 73 and six hex digits of the name's SHA-256; nothing left: `x-` and the six digits.
    pub fn of(name: &str) -> Self {
        let mut out = String::new();
        for c in deunicode::deunicode(name).chars() {
            if c.is_ascii_alphanumeric() {
                out.push(c.to_ascii_lowercase());
            } else if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
        }
        let out = out.trim_end_matches('-');
        if out.is_empty() {
            return Self(format!("x-{}", six_digits(name)));
        }
        if out.len() > MAX {
            return Self(shortened(out, name));
        }
        Self(out.to_owned())
    }

    /// The slug for `name` where another name already has this one: `-` and the name's six digits behind it.
    #[must_use]
    pub fn beside(&self, name: &str) -> Self {
        if self.0.len() > MAX - 7 {
            return Self(shortened(&self.0, name));
        }
        Self(format!("{}-{}", self.0, six_digits(name)))
    }

    /// A slug from a configuration.
    ///
    /// # Errors
    /// When it is not already one; the error offers the nearest.
    pub fn parse(s: &str) -> Result<Self, SlugError> {
        let slug = Self::of(s);
        if slug.0 == s { Ok(slug) } else { Err(SlugError { given: s.to_owned(), better: slug.0 }) }
    }

    /// A slug that was one before it was stored.
    pub fn stored(s: String) -> Self {
        Self(s)
    }

    /// The slug.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The first 73 bytes of a long slug, `-` and the name's six digits.
fn shortened(slug: &str, name: &str) -> String {
    let cut = &slug[..CUT.min(slug.len())];
    format!("{}-{}", cut.trim_end_matches('-'), six_digits(name))
}

/// Six hex digits of the SHA-256 of a name.
fn six_digits(name: &str) -> String {
    let hash = Sha256::digest(name.as_bytes());
    format!("{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2])
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The form in which two names are one name: NFKC, case folded, white space collapsed.
pub(crate) fn name_key(name: &str) -> String {
    if is_plain(name) {
        return name.to_ascii_lowercase();
    }
    let folded = if name.is_ascii() { name.into() } else { Cow::Owned(caseless(name)) };
    let mut out = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out.make_ascii_lowercase();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        Slug::of(name).0
    }

    #[test]
    fn names_become_file_names() {
        assert_eq!(of("Problem & solution"), "problem-solution");
        assert_eq!(of("A B"), "a-b");
        assert_eq!(of("a.b"), "a-b");
        assert_eq!(of("Zürich Façade"), "zurich-facade");
        assert_eq!(of("../../etc/cron.d/x"), "etc-cron-d-x");
        assert_eq!(of("--"), format!("x-{}", six_digits("--")));
        assert_eq!(of(""), "x-e3b0c4", "the SHA-256 of nothing begins e3b0c4");
    }

    #[test]
    fn long_names_are_cut_to_eighty_bytes() {
        let long = "long ".repeat(80);
        let s = of(&long);
        assert!(s.len() <= MAX, "{s}");
        assert!(s.ends_with(&six_digits(&long)));
        assert_eq!(of(&"a".repeat(80)).len(), 80);
        assert_eq!(of(&"a".repeat(81)), format!("{}-{}", "a".repeat(73), six_digits(&"a".repeat(81))));
    }

    #[test]
    fn a_second_name_stands_beside_the_first() {
        assert_eq!(Slug::of("A-B").beside("A-B").0, format!("a-b-{}", six_digits("A-B")));
        assert!(Slug::of(&"a".repeat(80)).beside("other").0.len() <= 80);
    }

    #[test]
    fn a_configured_slug_is_one_already() {
        assert_eq!(Slug::parse("tpu").map(|s| s.0), Ok("tpu".into()));
        let e = Slug::parse("TPU & co").unwrap_err().to_string();
        assert!(e.contains("`TPU & co`") && e.contains("`tpu-co`"), "{e}");
    }

    #[test]
    fn one_name_in_two_spellings() {
        assert_eq!(name_key("ＧＯＯＧＬＥ  Cloud"), name_key("google cloud"));
        assert_eq!(name_key("Straße"), name_key("STRASSE"));
        assert_ne!(name_key("A B"), name_key("A-B"));
    }
}
