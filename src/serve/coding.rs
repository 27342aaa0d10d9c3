//! Content codings for answers: which one a reader wants, and bytes in it.
//!
//! In: `Accept-Encoding` (RFC 9110 §12.5.3) and a size; bytes. Out: a coding; the bytes in it, the same ones each time.
//! Nobody is refused: who accepts nothing gets the bytes as they are. No zstd: it makes feeds larger than brotli does.

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;
use std::io::{self, Write};

/// Smaller files fit in a packet as they are.
const SMALL: u64 = 1_024;
/// 9 of 11: a feed of 50 posts in 9 ms; 11 saves an eighth and takes three times as long.
const BROTLI_QUALITY: i32 = 9;

/// How bytes are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Coding {
    Plain,
    Gzip,
    Brotli,
}

impl Coding {
    pub(super) const ALL: [Self; 3] = [Self::Plain, Self::Gzip, Self::Brotli];

    /// What tells its entity tag from those of the other codings.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Gzip => "-gz",
            Self::Brotli => "-br",
        }
    }

    /// Its name in `Content-Encoding`.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    /// The bytes in this coding.
    pub(super) fn encode(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(bytes.len() / 4);
        match self {
            Self::Plain => out.extend_from_slice(bytes),
            Self::Gzip => {
                let mut encoder = GzEncoder::new(&mut out, Compression::best());
                encoder.write_all(bytes)?;
                encoder.finish()?;
            }
            Self::Brotli => {
                let size_hint = bytes.len();
                let params = BrotliEncoderParams { quality: BROTLI_QUALITY, size_hint, ..Default::default() };
                brotli::BrotliCompress(&mut &*bytes, &mut out, &params)?;
            }
        }
        Ok(out)
    }
}

/// The coding that a client wants most for a file of this size; of equals the one that makes it smallest.
pub(super) fn wanted(headers: &HeaderMap, size: u64) -> Coding {
    if size < SMALL {
        return Coding::Plain;
    }
    let lists = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    let offers: Vec<(&str, u32)> = lists.flat_map(|list| list.split(',')).map(offer).collect();
    let weight = |names: &[&str]| {
        let named = |name: &str| offers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, q)| *q);
        names.iter().find_map(|name| named(name)).or_else(|| named("*"))
    };
    let (gzip, brotli) = (weight(&["gzip", "x-gzip"]).unwrap_or(0), weight(&["br"]).unwrap_or(0));
    // Sent as it is unless something else is wanted as much: silence about it is a weak yes.
    let plain = weight(&["identity"]).unwrap_or(1);
    match brotli.max(gzip) {
        0 => Coding::Plain,
        most if most < plain => Coding::Plain,
        most if most == brotli => Coding::Brotli,
        _ => Coding::Gzip,
    }
}

/// A coding's name and its weight in thousandths; what cannot be read counts as not wanted.
fn offer(text: &str) -> (&str, u32) {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let q = parts.find_map(|p| p.strip_prefix("q=").or_else(|| p.strip_prefix("Q=")));
    let weight = q.map_or(Some(1_000), thousandths);
    (name, weight.unwrap_or(0))
}

/// A weight as RFC 9110 §12.4.2 writes it: `0`, `1`, `0.5`, `0.125`.
fn thousandths(q: &str) -> Option<u32> {
    let (whole, part) = q.split_once('.').unwrap_or((q, ""));
    let digits = part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit());
    let whole: u32 = matches!(whole, "0" | "1").then(|| whole.parse().ok())??;
    let part: u32 = digits.then(|| format!("{part:0<3}").parse().ok())??;
    Some((whole * 1_000 + part).min(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_offer_wins_and_nobody_is_refused() {
        for (accept, coding) in [
            ("gzip, deflate, br, zstd", Coding::Brotli),
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("GZIP;Q=0.5", Coding::Gzip),
            ("br;q=0.5, gzip;q=0.8", Coding::Gzip),
            ("br;q=0, gzip", Coding::Gzip),
            ("*", Coding::Brotli),
            ("*;q=0.1, br;q=0", Coding::Gzip),
            ("identity;q=1, gzip;q=0.5", Coding::Plain),
            ("identity;q=0.5, gzip;q=0.5", Coding::Gzip),
            ("identity;q=0", Coding::Plain),
            ("*;q=0", Coding::Plain),
            ("gzip;q=0", Coding::Plain),
            ("gzip;q=0.0000", Coding::Plain),
            ("gzip;q=high", Coding::Plain),
            ("zstd", Coding::Plain),
            ("", Coding::Plain),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accept.parse().expect("a header"))]);
            assert_eq!(wanted(&headers, SMALL), coding, "{accept}");
            assert_eq!(wanted(&headers, SMALL - 1), Coding::Plain, "{accept}");
        }
        assert_eq!(wanted(&HeaderMap::new(), SMALL), Coding::Plain);
    }
}
