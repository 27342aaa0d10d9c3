//! Bytes → text.
//!
//! In: a body's bytes and its `Content-Type`. Out: text without a byte order mark and with `\n` as the only line end.
//! In this order: a byte order mark; a charset in which ASCII is not ASCII, if one is declared (ISO-2022-JP is valid
//! UTF-8 to the eye); valid UTF-8, because servers declare charsets that their files do not have; the declared charset;
//! UTF-8 with faults, each of which becomes U+FFFD; windows-1252. Follows the Encoding Standard.
//!
//! Deliberately absent: charsets declared inside documents; their readers look for them.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// The text of a body.
pub(super) fn text<'a>(bytes: &'a [u8], media_type: Option<&str>) -> Cow<'a, str> {
    let text = decoded(bytes, media_type);
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { text }
}

fn decoded<'a>(bytes: &'a [u8], media_type: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let declared = media_type.and_then(charset);
    if let Some(encoding) = declared.filter(|e| !e.is_ascii_compatible()) {
        return encoding.decode_without_bom_handling(bytes).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let encoding = declared.unwrap_or(if is_mostly_utf8(bytes) { UTF_8 } else { WINDOWS_1252 });
    encoding.decode_without_bom_handling(bytes).0
}

/// The charset parameter of a media type, if it names one that the Encoding Standard knows.
fn charset(media_type: &str) -> Option<&'static Encoding> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        if name.trim().eq_ignore_ascii_case("charset") { Encoding::for_label(value.as_bytes()) } else { None }
    })
}

/// Whether broken UTF-8 was meant: at least as many characters beyond ASCII that are whole as such that are not.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    whole >= broken
}
