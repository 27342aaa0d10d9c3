//! Single values: dates, addresses, languages, numbers. In: a text. Out: whether it is one, by its specification.

use super::Notes;
use chrono::NaiveDate;
use std::borrow::Cow;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const ZONES: [&str; 11] = ["ut", "gmt", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "z"];

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

/// RFC 822 §5, with years of four digits too (RSS 2.0). What is wrong, if something is.
pub(super) fn rfc822(text: &str) -> Result<(), &'static str> {
    let plain = without_comments(text).to_ascii_lowercase();
    let (day_name, rest) = match plain.split_once(',') {
        Some((name, rest)) => (Some(name.trim()), rest),
        None => (None, plain.as_str()),
    };
    let parts: Vec<&str> = rest.split_whitespace().collect();
    let &[day, month, year, time, zone] = &parts[..] else {
        return Err("is no date of RFC 822, such as `Thu, 24 Sep 2026 10:00:00 GMT`");
    };
    let number = |s: &str, lengths: &[usize]| {
        (lengths.contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<u32>().ok()).flatten()
    };
    let month = MONTHS.iter().position(|m| *m == month).and_then(|m| u32::try_from(m + 1).ok());
    let day = number(day, &[1, 2]);
    let full = number(year, &[2, 4]).map(|y| if year.len() == 4 { y } else { y + if y < 50 { 2000 } else { 1900 } });
    let clock: Vec<Option<u32>> = time.split(':').map(|part| number(part, &[2])).collect();
    let offset = zone.strip_prefix(['+', '-']).is_some_and(|d| number(d, &[4]).is_some());
    let military = zone.len() == 1 && zone.bytes().all(|b| b.is_ascii_lowercase() && b != b'j');
    let known_name = day_name.is_none_or(|name| DAYS.contains(&name));
    let (Some(day), Some(month), Some(full)) = (day, month, full) else {
        return Err("is no date of RFC 822, such as `Thu, 24 Sep 2026 10:00:00 GMT`");
    };
    let shaped = (2..=3).contains(&clock.len()) && clock.iter().all(Option::is_some) && known_name;
    if !shaped || !(offset || military || ZONES.contains(&zone)) {
        return Err("is no date of RFC 822, such as `Thu, 24 Sep 2026 10:00:00 GMT`");
    }
    let Some(date) = i32::try_from(full).ok().and_then(|year| NaiveDate::from_ymd_opt(year, month, day)) else {
        return Err("names a day that there is not");
    };
    let weekday = DAYS[chrono::Datelike::weekday(&date).num_days_from_monday() as usize];
    if day_name.is_some_and(|name| name != weekday) && year.len() == 4 {
        return Err("names another day of the week than that date has");
    }
    if clock[0] > Some(23) || clock[1] > Some(59) || clock.get(2).is_some_and(|s| *s > Some(60)) {
        return Err("names a time that there is not");
    }
    Ok(())
}

/// Without what stands in brackets, which RFC 822 §3.4.3 allows anywhere.
fn without_comments(text: &str) -> String {
    let mut depth = 0usize;
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// RFC 3339 §5.6, as RFC 4287 §3.3 wants it: with a capital `T` and `Z`.
pub(super) fn rfc3339(text: &str) -> bool {
    text.len() >= 20 && text.as_bytes()[10] == b'T' && w3c(text)
}

/// W3C's profile of ISO 8601: a year, a month, a day, or a time with its zone.
pub(super) fn w3c(text: &str) -> bool {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let digits = |s: &str, n: usize| {
        (s.len() == n && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<u32>().ok()).flatten()
    };
    let parts: Vec<&str> = date.split('-').collect();
    let day = match parts[..] {
        [y] => digits(y, 4).map(|_| ()),
        [y, m] => digits(y, 4).zip(digits(m, 2)).filter(|(_, m)| (1..=12).contains(m)).map(|_| ()),
        [y, m, d] => {
            let all = digits(y, 4).zip(digits(m, 2)).zip(digits(d, 2));
            all.and_then(|((y, m), d)| NaiveDate::from_ymd_opt(i32::try_from(y).ok()?, m, d)).map(|_| ())
        }
        _ => None,
    };
    let Some(time) = time else { return day.is_some() };
    let (clock, zone) = match time.strip_suffix('Z') {
        Some(clock) => (clock, None),
        None => match time.rfind(['+', '-']) {
            Some(at) => (&time[..at], Some(&time[at + 1..])),
            None => return false,
        },
    };
    let hours = |s: &str| {
        let (h, m) = s.split_once(':')?;
        digits(h, 2).zip(digits(m, 2)).filter(|(h, m)| *h <= 23 && *m <= 59).map(|_| ())
    };
    let (minutes, seconds) = match clock.match_indices(':').nth(1) {
        Some((at, _)) => (&clock[..at], Some(&clock[at + 1..])),
        None => (clock, None),
    };
    let second = |s: &str| {
        let (whole, part) = s.split_once('.').unwrap_or((s, ""));
        digits(whole, 2).is_some_and(|s| s <= 60) && part.bytes().all(|b| b.is_ascii_digit())
    };
    parts.len() == 3
        && day.is_some()
        && hours(minutes).is_some()
        && seconds.is_none_or(second)
        && zone.is_none_or(|z| hours(z).is_some())
}

/// The characters of ASCII that an address may hold.
const ADDRESS: [bool; 128] = {
    let (mut table, others, mut ascii, mut at) = ([false; 128], b";/?:@&=+$.-_!~*'()%,#[]", 0u8, 0);
    while ascii < 128 {
        table[ascii as usize] = ascii.is_ascii_alphanumeric();
        ascii += 1;
    }
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
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
    let international = matches!(wanted, Address::IriReference | Address::Iri);
    let fine = |b: u8| if b.is_ascii() { ADDRESS[usize::from(b)] } else { international };
    if let Some(odd) = text.bytes().position(|b| !fine(b)).and_then(|at| text[at..].chars().next()) {
        return Err(format!("holds `{odd}`, which no address may: write it percent-encoded"));
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
    let is_bracketed = |host: &str| host.starts_with('[') && host.contains(']');
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ftp" => match rest.strip_prefix("//") {
            Some(host) if host.starts_with('/') || host.is_empty() => Err("has no host".to_owned()),
            None => Err("has no host".to_owned()),
            Some(host) if memchr::memchr2(b'[', b']', host.as_bytes()).is_some() && !is_bracketed(host) => {
                Err("holds brackets: write them percent-encoded".to_owned())
            }
            Some(_) => Ok(()),
        },
        "urn" => urn(rest),
        "tag" if !is_tag(rest) => Err("is no tag address (RFC 4151), such as `tag:example.org,2026:1`".to_owned()),
        _ => Ok(()),
    }
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
    fn dates() {
        for good in [
            "Thu, 24 Sep 2026 10:00:00 +0000",
            "24 Sep 26 10:00 GMT",
            "Thu, 24 Sep 2026 10:00:00 EST",
            "thu,24 sep 2026 10:00 z (noon)",
        ] {
            assert_eq!(rfc822(good), Ok(()), "{good}");
        }
        for bad in [
            "2026-09-24",
            "Fri, 24 Sep 2026 10:00:00 GMT",
            "24 Sept 2026 10:00:00 GMT",
            "31 Feb 2026 10:00:00 GMT",
            "24 Sep 2026",
            "24 Sep 2026 10:00:00",
            "24 Sep 2026 25:00:00 GMT",
            "",
        ] {
            assert!(rfc822(bad).is_err(), "{bad}");
        }
        for good in ["2026-09-24T10:00:00Z", "2026-09-24T10:00:00.25+02:00"] {
            assert!(rfc3339(good), "{good}");
        }
        for bad in [
            "2026-09-24",
            "2026-09-24T10:00Z",
            "2026-09-24t10:00:00Z",
            "2026-09-24 10:00:00Z",
            "2026-09-31T10:00:00Z",
            "2026-09-24T10:00:00",
            "2026-09-24T24:00:00Z",
            "0T",
            "é",
        ] {
            assert!(!rfc3339(bad), "{bad}");
        }
        for (text, good) in [
            ("2026", true),
            ("2026-09", true),
            ("2026-13", false),
            ("2026-09-24T10:00Z", true),
            ("2026-09-24T10:00", false),
        ] {
            assert_eq!(w3c(text), good, "{text}");
        }
    }

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
