//! Content codings undone by ourselves: every member of a gzip stream, several codings in a row, never past the cap.

use crate::model::{ErrorKind, Failure};
use bytes::Bytes;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::Read;

/// The largest window of zstd that a sender may ask for (RFC 9659).
const ZSTD_WINDOW: u64 = 8 << 20;

/// Words that say of bytes that they are as they are: the one of RFC 9110, and what servers are seen to send for it,
/// their charset among it.
const PLAIN: [&str; 7] = ["identity", "none", "binary", "8bit", "utf-8", "utf8", "iso-8859-1"];

/// Codings in a row that are undone; more is a trick.
const MOST: usize = 3;

/// A content coding (RFC 9110 §8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings of an answer, in the order in which they were applied.
pub(super) fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, Failure> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        for word in value.split(',').map(str::trim).filter(|w| !w.is_empty() && !PLAIN.contains(w)) {
            codings.push(match word {
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                other => {
                    let message =
                        format!("the site sent the coding `{other}`, though only gzip, br and zstd were asked for");
                    return Err(Failure::new(ErrorKind::Decode, message));
                }
            });
        }
    }
    if codings.len() > MOST {
        return Err(Failure::new(ErrorKind::Decode, format!("{} content codings in a row", codings.len())));
    }
    Ok(codings)
}

/// How much of a body is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Much {
    /// All of it, which is at most so many bytes.
    All(u64),
    /// As many bytes of its start, whatever comes after them.
    Start(u64),
}

impl Much {
    /// How many bytes.
    pub(super) fn most(self) -> u64 {
        let (Self::All(most) | Self::Start(most)) = self;
        most
    }
}

/// Undoes codings, each as much as is wanted.
pub(super) fn decode(mut bytes: Bytes, codings: &[Coding], much: Much) -> Result<Bytes, Failure> {
    let (max, whole) = (much.most(), matches!(much, Much::All(_)));
    for coding in codings.iter().rev() {
        let mut out = Vec::new();
        let read = match coding {
            Coding::Gzip => flate2::read::MultiGzDecoder::new(&bytes[..]).take(max + 1).read_to_end(&mut out),
            Coding::Deflate => flate2::read::ZlibDecoder::new(&bytes[..]).take(max + 1).read_to_end(&mut out),
            Coding::Brotli => brotli::Decompressor::new(&bytes[..], 4096).take(max + 1).read_to_end(&mut out),
            Coding::Zstd => zstd(&bytes, &mut out, max + 1),
        };
        if out.len() as u64 > max && whole {
            return Err(too_large(max));
        }
        // Of a start the end of the coding is missing.
        if let Err(e) = read
            && (whole || out.is_empty())
        {
            return Err(Failure::new(ErrorKind::Decode, format!("the content coding cannot be undone: {e}")));
        }
        out.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        bytes = out.into();
    }
    Ok(bytes)
}

/// All frames of a zstd stream (RFC 8878 §3.1), up to `most` bytes.
fn zstd(mut coded: &[u8], out: &mut Vec<u8>, most: u64) -> std::io::Result<usize> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(ZSTD_WINDOW);
    while !coded.is_empty() && out.len() < most {
        match decoder.reset(&mut coded) {
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                coded = coded.get(length..).ok_or_else(|| std::io::Error::other("a frame to skip is cut off"))?;
                continue;
            }
            other => other.map_err(std::io::Error::other)?,
        }
        loop {
            let step = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(1);
            let done = decoder.decode_blocks(&mut coded, step).map_err(std::io::Error::other)?;
            let left = most - out.len();
            (&mut decoder).take(left as u64).read_to_end(out)?;
            if done || out.len() >= most {
                break;
            }
        }
        let told = decoder.get_checksum_from_data();
        if out.len() < most && told.is_some() && told != decoder.get_calculated_checksum() {
            return Err(std::io::Error::other("the checksum differs"));
        }
    }
    Ok(out.len())
}

/// The refusal of a body over the cap.
pub(super) fn too_large(max: u64) -> Failure {
    Failure::new(ErrorKind::TooLarge, format!("more than {max} bytes; raise `max_size` if the page is right"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn all_members_and_layers_are_read() {
        let two = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(decode(two.clone().into(), &[Coding::Gzip], Much::All(100)).unwrap(), "one two");
        assert_eq!(decode(gzip(&two).into(), &[Coding::Gzip, Coding::Gzip], Much::All(100)).unwrap(), "one two");
    }

    #[test]
    fn a_bomb_stops_at_the_cap_and_a_cut_stream_fails() {
        let bomb = gzip(&vec![0; 1 << 20]);
        assert_eq!(
            decode(bomb.clone().into(), &[Coding::Gzip], Much::All(1 << 16)).unwrap_err().kind,
            ErrorKind::TooLarge
        );
        assert_eq!(decode(bomb.clone().into(), &[Coding::Gzip], Much::Start(1 << 16)).unwrap().len(), 1 << 16);
        let cut = &bomb[..bomb.len() - 4];
        assert_eq!(
            decode(Bytes::copy_from_slice(cut), &[Coding::Gzip], Much::All(1 << 21)).unwrap_err().kind,
            ErrorKind::Decode
        );
    }

    #[test]
    fn unknown_codings_are_refused_by_name() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, "compress".parse().unwrap());
        assert!(codings(&headers).unwrap_err().message.contains("`compress`"));
        headers.insert(CONTENT_ENCODING, "identity, GZIP , br".parse().unwrap());
        assert_eq!(codings(&headers).unwrap(), [Coding::Gzip, Coding::Brotli]);
        for plain in ["UTF-8", "none", "binary"] {
            headers.insert(CONTENT_ENCODING, plain.parse().unwrap());
            assert_eq!(codings(&headers).unwrap(), [], "{plain} changes no byte");
        }
    }
}
