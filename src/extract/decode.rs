//! Bytes → text.
//!
//! In: a body's bytes and its `Content-Type`. Out: text without a byte order mark and with `\n` as the only line end.
//! In this order: a byte order mark, or the `<?` of XML in UTF-16; a charset in which ASCII is not ASCII, if one is
//! declared (ISO-2022-JP is valid UTF-8 to the eye); valid UTF-8, because servers declare charsets that their files do
//! not have; the charset that the server declares, else the XML declaration or HTML's `<meta>`, near the start or, as a
//! parser meets it, later (but of these not UTF-8, where the bytes belie it); UTF-8 with faults, each of which becomes
//! U+FFFD; windows-1252. Follows the Encoding Standard, XML 1.0, appendix F, and the HTML standard, §13.2.3.2 and
//! §13.2.3.4.

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
    let by_document = xml_charset(bytes).or_else(|| meta_charset(bytes));
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
    let is_utf8 = is_mostly_utf8(bytes);
    let by_document = by_document.or_else(|| late_charset(bytes));
    let declared = [by_server, by_document].into_iter().flatten().find(|e| *e != UTF_8 || is_utf8).or(by_server);
    let encoding = declared.unwrap_or(if is_utf8 { UTF_8 } else { WINDOWS_1252 });
    encoding.decode_without_bom_handling(bytes).0
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

/// The charset that a `<meta>` near the start of an HTML document declares, in either of its two forms. It could be
/// read, so UTF-16 is not what it is in.
fn meta_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(MAX_PROLOG)].to_ascii_lowercase();
    memchr::memmem::find(&start, b"<meta")?;
    let start = String::from_utf8_lossy(&start);
    start.match_indices("<meta").find_map(|(at, _)| of_meta(&start[at + 1..]))
}

/// The charset that a `<meta>`, behind its `<`, declares at the start of a text in lower case.
fn of_meta(text: &str) -> Option<&'static Encoding> {
    // Where a tag is never closed the next one ends it, so that many of them cost no more than their length.
    let tag = text.split(['<', '>']).next()?;
    let value = tag.split_once("charset")?.1.trim_start().strip_prefix('=')?.trim_start();
    let label =
        value.trim_start_matches(['"', '\'']).split(|c: char| c.is_whitespace() || "\"';/".contains(c)).next()?;
    Encoding::for_label(label.as_bytes()).filter(|e| *e != UTF_16LE && *e != UTF_16BE)
}

/// How far into an HTML document a parser is taken to meet a `<meta>`.
const MAX_HEAD: usize = 1024 * 1024;

/// Elements in which a tag is text.
const RAW: [&str; 6] = ["script", "style", "title", "textarea", "noscript", "template"];

/// The charset of the first `<meta>` that a parser meets and that declares one, however late: browsers begin anew with it.
fn late_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.trim_ascii_start().starts_with(b"<") {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_HEAD)]).to_ascii_lowercase();
    let mut rest = &text[..];
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
        } else if RAW.contains(&name) {
            rest = rest.split_once(&format!("</{name}"))?.1;
        } else if name == "meta"
            && let Some(encoding) = of_meta(rest)
        {
            return Some(encoding);
        }
    }
    None
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
