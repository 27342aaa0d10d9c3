//! Bytes → text.
//!
//! In: a body's bytes and its `Content-Type`. Out: text without a byte order mark and with `\n` as the only line end.
//! In this order: a byte order mark, or the `<?` of XML in UTF-16; a charset in which ASCII is not ASCII, if one is
//! declared (ISO-2022-JP is valid UTF-8 to the eye); valid UTF-8, because servers declare charsets that their files do
//! not have; the charset that the server declares, else the XML declaration or HTML's `<meta>`, near the start or, as a
//! parser meets it, later (but of these not UTF-8, where the bytes belie it); UTF-8 with faults, each of which becomes
//! U+FFFD; windows-1252. Follows the Encoding Standard, XML 1.0, appendix F, and the HTML standard, §13.2.3.2 and
//! §13.2.3.4.

mod prescan;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// The text of a body.
pub(super) fn text<'a>(bytes: &'a [u8], media_type: Option<&str>) -> Cow<'a, str> {
    let text = decoded(bytes, media_type);
    if memchr::memchr(b'\r', text.as_bytes()).is_some() {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        text
    }
}

fn decoded<'a>(bytes: &'a [u8], media_type: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let utf16 = match bytes {
        [b'<', 0, b'?', 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'?', ..] => Some(UTF_16BE),
        _ => None,
    };
    let by_server = media_type.and_then(charset);
    let by_document = xml_charset(bytes).or_else(|| prescan::charsets(bytes).next());
    let is_other = |e: &&'static Encoding| !e.is_ascii_compatible();
    let by_xml = by_document.filter(|_| bytes.trim_ascii_start().starts_with(b"<?xml"));
    if let Some(encoding) = utf16.or(by_server.filter(is_other)).or(by_xml.filter(is_other)) {
        return encoding.decode_without_bom_handling(bytes).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        // Text of ISO-2022-JP changes its alphabets by escapes, which nothing else has.
        let is_escaped = by_document == Some(ISO_2022_JP) && memchr::memchr(0x1b, bytes).is_some();
        return if is_escaped { ISO_2022_JP.decode_without_bom_handling(bytes).0 } else { Cow::Borrowed(text) };
    }
    let guess = || if is_mostly_utf8(bytes) { UTF_8 } else { WINDOWS_1252 };
    declared(bytes, media_type).unwrap_or_else(guess).decode_without_bom_handling(bytes).0
}

/// What bytes that are no UTF-8 are said to be in, by the server or by themselves.
fn declared(bytes: &[u8], media_type: Option<&str>) -> Option<&'static Encoding> {
    let is_utf8 = is_mostly_utf8(bytes);
    let by_server = media_type.and_then(charset);
    let by_document = xml_charset(bytes).into_iter().chain(prescan::charsets(bytes)).chain(prescan::late(bytes));
    by_server.into_iter().chain(by_document).find(|e| *e != UTF_8 || is_utf8).or(by_server)
}

/// Whether bytes are no UTF-8, and nothing says what they are.
pub(super) fn is_unsaid(bytes: &[u8], media_type: Option<&str>) -> bool {
    std::str::from_utf8(bytes).is_err() && Encoding::for_bom(bytes).is_none() && declared(bytes, media_type).is_none()
}

/// The charset that a body which is not in UTF-8 is said to be in.
pub(super) fn said(bytes: &[u8], media_type: Option<&str>) -> Option<&'static str> {
    declared(bytes, media_type).filter(|encoding| *encoding != UTF_8).map(Encoding::name)
}

/// How far into a document its XML declaration is looked for, behind what should not stand before it.
const MAX_PROLOG: usize = 1024;

/// The charset of an XML declaration. It could be read, so UTF-16 is not what it is in.
fn xml_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(MAX_PROLOG)];
    memchr::memmem::find(start, b"<?xml")?;
    let start = String::from_utf8_lossy(start);
    let (declaration, _) = start.split_once("<?xml")?.1.split_once("?>")?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let label = value[1..].split(quote).next()?;
    Encoding::for_label(label.as_bytes()).filter(|e| *e != UTF_16LE && *e != UTF_16BE)
}

/// The charset parameter of a media type, if it names one that the Encoding Standard knows.
fn charset(media_type: &str) -> Option<&'static Encoding> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        if name.trim().eq_ignore_ascii_case("charset") { Encoding::for_label(value.as_bytes()) } else { None }
    })
}

/// Whether broken UTF-8 was meant: at least as many characters beyond ASCII that are whole as such that are not. Half of a
/// character, or one written in a way that UTF-8 forbids, was meant as UTF-8 too: a lead byte and a byte that follows one.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0usize, 0usize);
    let mut at = 0;
    let mut half = false;
    for chunk in bytes.utf8_chunks() {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        whole += valid.chars().filter(|c| !c.is_ascii()).count();
        at += valid.len();
        let leads = matches!(bytes.get(at..at + 2), Some([0xc0..=0xff, 0x80..=0xbf]));
        // What is left of it comes in pieces.
        half = !invalid.is_empty() && (leads || half && valid.is_empty());
        whole += usize::from(half);
        broken += usize::from(!invalid.is_empty() && !half);
        at += invalid.len();
    }
    whole >= broken
}
