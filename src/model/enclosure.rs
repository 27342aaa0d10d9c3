//! An enclosure: a file that belongs to a post, such as a recording.

use url::Url;

/// A file beside a post (RSS `enclosure`, Atom link with `rel="enclosure"`, JSON Feed `attachments`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// Where it is: an absolute `http` or `https` address.
    pub url: String,
    /// Its media type; RSS 2.0 wants one.
    pub media_type: String,
    /// How many bytes; 0 where nobody says, as the RSS Profile advises.
    pub length: u64,
}

/// What is said of a file of which nothing is known (RFC 2046 §4.5.1).
const UNKNOWN: &str = "application/octet-stream";

impl Enclosure {
    /// An enclosure as a source gives it: a type that is none, or a length that is no number of bytes, counts as unknown.
    pub fn new(url: &Url, media_type: &str, length: &str) -> Self {
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_name = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
        };
        let known = media_type.split_once('/').is_some_and(|(kind, name)| is_name(kind) && is_name(name));
        Self {
            url: url.to_string(),
            media_type: if known { media_type } else { UNKNOWN.to_owned() },
            length: length.trim().parse().unwrap_or(0),
        }
    }

    /// As stored: length, type and address, by tabs.
    pub fn pack(&self) -> String {
        format!("{}\t{}\t{}", self.length, self.media_type, self.url)
    }

    /// Reads what [`Self::pack`] wrote.
    pub fn unpack(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t');
        let (length, media_type) = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
        Some(Self { url: parts.next()?.to_owned(), media_type, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_has_a_value_that_every_format_takes() {
        let url = Url::parse("https://x.example/a.mp3").expect("an address");
        for (media_type, length, wanted) in [
            ("audio/mpeg", "123", ("audio/mpeg", 123)),
            ("Audio/MPEG; q=1", " 123 ", ("audio/mpeg", 123)),
            ("", "", (UNKNOWN, 0)),
            ("audio", "3:20", (UNKNOWN, 0)),
            ("a/b\" onload=", "-1", (UNKNOWN, 0)),
        ] {
            let made = Enclosure::new(&url, media_type, length);
            assert_eq!((made.media_type.as_str(), made.length), wanted);
            assert_eq!(Enclosure::unpack(&made.pack()), Some(made));
        }
    }
}
