//! Single values: addresses, languages, numbers. In: a text. Out: whether it is one, by its specification.

use super::Notes;
use super::date::w3c;
use std::borrow::Cow;

/// The text of a document: by its byte order mark, else by its XML declaration, else UTF-8.
pub(super) fn decoded<'b>(bytes: &'b [u8], notes: &mut Notes) -> Cow<'b, str> {
    if let Some((encoding, skip)) = encoding_rs::Encoding::for_bom(bytes) {
        return decode(encoding, &bytes[skip..], notes);
    }
    let start = &bytes[..bytes.len().min(256)];
    let declaration = start.starts_with(b"<?xml").then(|| memchr::memmem::find(start, b"?>")).flatten();
    let declaration = declaration.map_or(Cow::Borrowed(""), |end| String::from_utf8_lossy(&start[..end]));
    let label = declaration.split_once("encoding").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split_once(quote).map(|(label, _)| label.to_owned())
    });
    let Some(label) = label else { return decode(encoding_rs::UTF_8, bytes, notes) };
    if let Some(encoding) = encoding_rs::Encoding::for_label(label.as_bytes()) {
        // A declaration that can be read byte by byte is in no encoding of two bytes.
        let wide = [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].contains(&encoding);
        return decode(if wide { encoding_rs::UTF_8 } else { encoding }, bytes, notes);
    }
    notes.error(0, "XML 1.0 §4.3.3", format!("the encoding `{label}` is not known"));
    String::from_utf8_lossy(bytes)
}

fn decode<'b>(encoding: &'static encoding_rs::Encoding, bytes: &'b [u8], notes: &mut Notes) -> Cow<'b, str> {
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    if broken {
        let at = std::str::from_utf8(bytes).err().map_or(0, |e| e.valid_up_to());
        notes.error(at, "XML 1.0 §4.3.3", format!("bytes that are no {}", encoding.name()));
    }
    text
}

/// Bytes that an address may hold, those only in the place of its host, those beyond ASCII, and those that it may not.
const FINE: u8 = 0;
const BRACKET: u8 = 1;
const BEYOND: u8 = 2;
const ODD: u8 = 4;
/// Which of these each byte is.
const BYTES: [u8; 256] = {
    let (mut table, others, mut byte, mut at) = ([BEYOND; 256], b";/?:@&=+$.-_!~*'()%,#", 0u8, 0);
    while byte < 128 {
        table[byte as usize] = if byte.is_ascii_alphanumeric() { FINE } else { ODD };
        byte += 1;
    }
    while at < others.len() {
        table[others[at] as usize] = FINE;
        at += 1;
    }
    table[b'[' as usize] = BRACKET;
    table[b']' as usize] = BRACKET;
    table
};

/// What an address must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    /// A URI: with its scheme.
    Uri,
    /// An IRI reference (RFC 3987).
    IriReference,
    /// An IRI: with its scheme.
    Iri,
}

/// What is wrong with an address, if something is.
pub(super) fn address(text: &str, wanted: Address) -> Result<(), String> {
    let odd = if matches!(wanted, Address::IriReference | Address::Iri) { ODD } else { ODD | BEYOND };
    // Without an early end, which costs more than it saves.
    let bytes = text.bytes().fold(FINE, |all, b| all | BYTES[usize::from(b)]);
    if bytes & odd != 0 {
        let at = text.bytes().position(|b| BYTES[usize::from(b)] & odd != 0);
        let odd = at.and_then(|at| text[at..].chars().next()).unwrap_or_default();
        return Err(format!("holds `{odd}`, which no address may: write it percent-encoded"));
    }
    // Nearly all of them: what follows finds the same.
    if let [b'h', b't', b't', b'p', rest @ ..] = text.as_bytes()
        && let [b':', b'/', b'/', host, ..] | [b's', b':', b'/', b'/', host, ..] = rest
        && *host != b'/'
        && bytes & BRACKET == 0
    {
        return Ok(());
    }
    let scheme = text.bytes().position(|b| b == b':').map(|at| &text[..at]).filter(|s| {
        s.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
            && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    });
    let Some(scheme) = scheme else {
        let full = matches!(wanted, Address::Uri | Address::Iri);
        let colon = text.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
        return if full || colon { Err("has no scheme, such as `https:`".to_owned()) } else { Ok(()) };
    };
    let rest = &text[scheme.len() + 1..];
    if rest.is_empty() {
        return Err("ends behind its scheme".to_owned());
    }
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    if is("https") || is("http") || is("ftp") {
        let host = rest.strip_prefix("//").filter(|host| !host.starts_with('/') && !host.is_empty());
        let Some(host) = host else { return Err("has no host".to_owned()) };
        let is_bracketed = host.starts_with('[') && host.contains(']');
        if bytes & BRACKET != 0 && !is_bracketed {
            return Err("holds brackets: write them percent-encoded".to_owned());
        }
    } else if is("urn") {
        return urn(rest);
    } else if is("tag") && !is_tag(rest) {
        return Err("is no tag address (RFC 4151), such as `tag:example.org,2026:1`".to_owned());
    }
    Ok(())
}

fn urn(rest: &str) -> Result<(), String> {
    let Some((name, specific)) = rest.split_once(':') else { return Err("is no URN (RFC 8141)".to_owned()) };
    if name.eq_ignore_ascii_case("uuid") {
        return match uuid::Uuid::try_parse(specific) {
            Ok(_) if specific.len() == 36 => Ok(()),
            _ => Err("is no UUID (RFC 9562)".to_owned()),
        };
    }
    let named = (2..=32).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !name.starts_with('-');
    let fine = |b: u8| b.is_ascii_alphanumeric() || b"()+,.:=@;$_!*'-%".contains(&b);
    if named && !specific.is_empty() && specific.bytes().all(fine) {
        Ok(())
    } else {
        Err("is no URN (RFC 8141)".to_owned())
    }
}

fn is_tag(rest: &str) -> bool {
    let Some((authority, rest)) = rest.split_once(',') else { return false };
    let Some((date, _)) = rest.split_once(':') else { return false };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let plain = |s: &str| s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._".contains(&b));
    !host.is_empty() && authority.split('@').all(plain) && matches!(date.len(), 4 | 7 | 10) && w3c(date)
}

/// A mail address (RFC 5322 §3.4.1).
pub(super) fn is_mail(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else { return false };
    let user_fine =
        !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-+.'!#$%&*/=?^`{|}~".contains(&b));
    let label = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    user_fine && host.split('.').all(label)
}

/// A person as RSS wants one: a mail address, and the name behind it in brackets.
pub(super) fn is_contact(text: &str) -> bool {
    let decoded =
        percent_encoding::percent_decode_str(text.strip_prefix("mailto:").unwrap_or(text)).decode_utf8_lossy();
    let text = if text.starts_with("mailto:") { decoded.split('?').next().unwrap_or_default() } else { text }.trim();
    let mail = match text.split_once('(') {
        Some((mail, name)) if name.ends_with(')') => mail.trim(),
        _ => text,
    };
    let mail = mail.rsplit_once('<').map_or(mail, |(_, mail)| mail.trim_end_matches('>'));
    is_mail(mail) || (text.contains('@') && !text.starts_with('@') && !text.ends_with(')'))
}

/// A language (RFC 5646): one of ISO 639, and what follows.
pub(super) fn is_language(text: &str) -> bool {
    let first = text.split('-').next().unwrap_or_default().to_ascii_lowercase();
    match first.len() {
        1 => matches!(first.as_str(), "x" | "i") && text.len() > 2,
        2 => LANGUAGES.split(' ').any(|known| known == first),
        3 => first.bytes().all(|b| b.is_ascii_lowercase()),
        _ => false,
    }
}

const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// A media type (RFC 9110 §8.3.1).
pub(super) fn is_media_type(text: &str) -> bool {
    let end = memchr::memchr(b';', text.as_bytes()).unwrap_or(text.len());
    let kind = text[..end].trim_end();
    let is_of_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`{|}~".contains(&b);
    let token = |s: &str| !s.is_empty() && s.bytes().all(is_of_token);
    let slash = kind.bytes().position(|b| b == b'/');
    slash.is_some_and(|at| token(&kind[..at]) && token(&kind[at + 1..])) && !text.ends_with(';')
}

/// Seconds, or minutes or hours and what follows, two digits each.
pub(super) fn is_duration(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let follows = |s: &&str| s.len() == 2 && digits(s) && **s < *"60";
    parts.len() <= 3 && digits(parts[0]) && parts[1..].iter().all(follows)
}

/// A whole number within bounds.
pub(super) fn is_number(text: &str, least: i64, most: i64) -> bool {
    text.trim().parse::<i64>().is_ok_and(|n| (least..=most).contains(&n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for good in [
            "https://x.example/a?b=c#d",
            "urn:uuid:6c1a8c9e-63b5-5d0c-9f43-5b1f2b0c7e11",
            "tag:x.example,2026-09:1",
            "mailto:a@x.example",
            "http://[::1]/",
        ] {
            assert_eq!(address(good, Address::Uri), Ok(()), "{good}");
        }
        for bad in [
            "/a",
            "",
            "a b",
            "https:///a",
            "http:a",
            "https://x.example/a|b",
            "urn:uuid:1",
            "tag:x",
            "https://x.example/é",
            "https://x.example/[a]",
        ] {
            assert!(address(bad, Address::Uri).is_err(), "{bad}");
        }
        assert_eq!(address("https://x.example/é", Address::Iri), Ok(()));
        assert_eq!(address("../a", Address::IriReference), Ok(()));
    }
}
