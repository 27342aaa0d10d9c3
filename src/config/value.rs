//! Values of the configuration: what a text, a number or a list must be.
//!
//! In: a [`Value`]. Out: a typed value, or why it is none and what to write instead. Deliberately absent: which key it
//! belongs to, defaults, and clashes between keys.

use super::key::nearest;
use super::section::{Value, Wrong};
use crate::model::{
    Address, AllowPrivate, Format, Listen, MAX_SOCKET, Pattern, Selector, Slug, Stamp, Text, duration_text,
    parse_duration,
};
use chrono_tz::{TZ_VARIANTS, Tz};
use std::net::{IpAddr, SocketAddr};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use toml::de::DeValue;
use url::{Host, Url};

/// A text in one line that says something.
pub(super) fn line(value: &Value<'_>) -> Result<Text, Wrong> {
    let text = Text::line(value.text("a text")?);
    if text.is_empty() { Err(value.expected("a text that is not empty")) } else { Ok(text) }
}

/// The start of a day, such as "2026-12-01", in UTC.
pub(super) fn day(value: &Value<'_>) -> Result<Stamp, Wrong> {
    let text = match value.toml {
        DeValue::Datetime(date) => date.to_string(),
        _ => value.text("a day such as \"2026-12-01\"")?.to_owned(),
    };
    let day = text.parse::<chrono::NaiveDate>().map_err(|_| value.expected("a day such as \"2026-12-01\""))?;
    Ok(Stamp(day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp()))
}

/// A language as RFC 5646 names it.
pub(super) fn language(value: &Value<'_>) -> Result<Text, Wrong> {
    let what = "a language such as \"en\" or \"pt-BR\"";
    let text = value.text(what)?;
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    let first = text.split('-').next().unwrap_or_default();
    let is_language = (2..=8).contains(&first.len()) && first.bytes().all(|b| b.is_ascii_alphabetic());
    if is_language && text.split('-').all(is_part) { Ok(Text::line(text)) } else { Err(value.expected(what)) }
}

/// The same; none for an empty one.
pub(super) fn optional_language(value: &Value<'_>) -> Result<Option<Text>, Wrong> {
    if value.text("a language")?.is_empty() { Ok(None) } else { language(value).map(Some) }
}

/// `true` or `false`.
pub(super) fn switch(value: &Value<'_>) -> Result<bool, Wrong> {
    match value.toml {
        DeValue::Boolean(on) => Ok(*on),
        _ => Err(value.expected("`true` or `false`, without quotes")),
    }
}

/// A regular expression; none where it is empty.
pub(super) fn pattern(value: &Value<'_>) -> Result<Option<Pattern>, Wrong> {
    let text =
        value.text("a regular expression such as \"(?i)tpu\", or a table with `title`, `company`, `type`, `author`")?;
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |why| {
        Wrong::new(format!("`{text}` is no regular expression: {why}"), "write `[.]` for a sign that is meant as such")
    };
    Pattern::new(text).map(Some).map_err(wrong)
}

/// A CSS selector, perhaps with an attribute.
pub(super) fn selector(value: &Value<'_>) -> Result<Selector, Wrong> {
    let text = value.text("a CSS selector such as \"article h2 a\"")?;
    Selector::new(text).map_err(|why| Wrong::new(why, "try it with `pagewire preview URL --item \"…\"`"))
}

/// The name of an attribute.
pub(super) fn attribute(value: &Value<'_>) -> Result<String, Wrong> {
    let text = value.text("an attribute's name such as \"aria-label\"")?.trim();
    let is_name = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    if is_name { Ok(text.to_owned()) } else { Err(value.expected("an attribute's name such as \"aria-label\"")) }
}

/// How a date is written, in the letters of `strftime`.
pub(super) fn date_format(value: &Value<'_>) -> Result<String, Wrong> {
    let what = "a date's format such as \"%d/%m/%Y\"";
    let text = value.text(what)?;
    let is_known = chrono::format::StrftimeItems::new(text).all(|item| item != chrono::format::Item::Error);
    if is_known && text.contains('%') { Ok(text.to_owned()) } else { Err(value.expected(what)) }
}

/// One of some words.
pub(super) fn word<T: Copy>(value: &Value<'_>, words: &[(&str, T)]) -> Result<T, Wrong> {
    let names: Vec<String> = words.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let text = value.text(&names.join(" or "))?;
    if let Some((_, meaning)) = words.iter().find(|(name, _)| *name == text) {
        return Ok(*meaning);
    }
    let remedy = nearest(text, words.iter().map(|(name, _)| *name)).map(|near| format!("did you mean \"{near}\"?"));
    Err(Wrong { remedy, ..value.expected(&names.join(" or ")) })
}

/// A whole number from `least`.
pub(super) fn count<T: TryFrom<i64>>(value: &Value<'_>, least: i64) -> Result<T, Wrong> {
    let what = format!("a whole number from {least}");
    let DeValue::Integer(number) = value.toml else { return Err(value.expected(&what)) };
    let number = i64::from_str_radix(number.as_str(), number.radix()).ok().filter(|&n| n >= least);
    number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| value.expected(&what))
}

/// A length of time of at least `least`.
pub(super) fn duration(value: &Value<'_>, least: Duration) -> Result<Duration, Wrong> {
    let length = parse_duration(value.text("a length of time such as \"30m\"")?)?;
    if length < least {
        return Err(value.expected(&format!("at least \"{}\"", duration_text(least))));
    }
    Ok(length)
}

/// A number of bytes: plain, or with a unit of a thousand (`8 MB`) or of 1024 (`10MiB`).
pub(super) fn size(value: &Value<'_>) -> Result<u64, Wrong> {
    const UNITS: [(&str, u64); 8] = [
        ("", 1),
        ("b", 1),
        ("kb", 1000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
    ];
    let what = "a size such as \"10MiB\", \"8 MB\" or a number of bytes";
    if let DeValue::Integer(_) = value.toml {
        return count(value, 1).map_err(|_| value.expected(what));
    }
    let text = value.text(what)?.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let unit = text[digits..].trim_start().to_ascii_lowercase();
    let unit = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, bytes)| bytes);
    let size = text[..digits].parse::<u64>().ok().zip(unit).and_then(|(number, bytes)| number.checked_mul(*bytes));
    size.filter(|&bytes| bytes > 0).ok_or_else(|| value.expected(what))
}

/// The permission bits of a file, as `chmod` takes them. Whoever writes a file must be able to replace it.
pub(super) fn mode(value: &Value<'_>) -> Result<u32, Wrong> {
    let what = "permission bits such as \"0644\", which let the owner read and write";
    let digits = value.text(what)?;
    let octal = (3..=4).contains(&digits.len()) && digits.bytes().all(|b| (b'0'..=b'7').contains(&b));
    let mode = u32::from_str_radix(digits, 8).ok().filter(|mode| octal && mode & !0o777 == 0 && mode & 0o600 == 0o600);
    mode.ok_or_else(|| value.expected(what))
}

/// A path, relative to the file in which it stands.
pub(super) fn path(value: &Value<'_>) -> Result<PathBuf, Wrong> {
    match value.text("a path")? {
        "" => Err(value.expected("a path")),
        text if text.starts_with("~/") => {
            Err(Wrong::new(format!("`{text}` is not in your home folder: no shell reads this"), "write the whole path"))
        }
        text => Ok(resolve(&value.source.folder, text)),
    }
}

/// A path that "" switches off.
pub(super) fn optional_path(value: &Value<'_>) -> Result<Option<PathBuf>, Wrong> {
    if value.text("a path")?.is_empty() { Ok(None) } else { path(value).map(Some) }
}

/// A path that a socket fits.
pub(super) fn socket_path(value: &Value<'_>, text: &str) -> Result<PathBuf, Wrong> {
    let path = resolve(&value.source.folder, text);
    match path.as_os_str().len() {
        0..=MAX_SOCKET => Ok(path),
        length => Err(Wrong::new(
            format!("`{}`: the path `{}` is {length} bytes long, too long for a socket", value.key, path.display()),
            format!("choose one of at most {MAX_SOCKET} bytes, such as \"/run/pagewire/control.sock\""),
        )),
    }
}

/// `path` seen from `folder`, without `.` and `..`.
pub(super) fn resolve(folder: &Path, path: impl AsRef<Path>) -> PathBuf {
    let mut out = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// A time zone of the tz database.
pub(super) fn zone(value: &Value<'_>) -> Result<Tz, Wrong> {
    let name = value.text("a time zone such as \"Europe/Berlin\"")?;
    Tz::from_str(name).map_err(|_| {
        let near = nearest(name, TZ_VARIANTS.iter().map(|tz| tz.name())).unwrap_or("Europe/Berlin");
        Wrong::new(format!("`{name}` is no time zone"), format!("write its name as in \"{near}\""))
    })
}

/// A configured slug.
pub(super) fn slug(value: &Value<'_>) -> Result<Slug, Wrong> {
    Ok(Slug::parse(value.text("a slug such as \"tpu\"")?)?)
}

/// A format of a feed.
pub(super) fn format(value: &Value<'_>) -> Result<Format, Wrong> {
    word(value, &Format::ALL.map(|format| (format.ending(), format)))
}

/// Where the server listens.
pub(super) fn listen(value: &Value<'_>) -> Result<Listen, Wrong> {
    let what = "an address and a port such as \"127.0.0.1:8080\", \"unix:/path\" or \"off\"";
    let text = value.text(what)?;
    if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
        return socket_path(value, path).map(Listen::Unix);
    }
    let address = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address = SocketAddr::from_str(address.as_deref().unwrap_or(text));
    address.map(Listen::Tcp).map_err(|_| {
        let remedy = match text.rsplit_once(':') {
            Some(("" | "*", port)) => {
                format!("to listen on every address, write \"[::]:{port}\" or \"0.0.0.0:{port}\"")
            }
            Some(_) => "write the address in numbers".to_owned(),
            None if text.bytes().all(|b| b.is_ascii_digit()) => format!("write \"127.0.0.1:{text}\""),
            None => "write address and port, such as \"127.0.0.1:8080\"".to_owned(),
        };
        Wrong { remedy: Some(remedy), ..value.expected(what) }
    })
}

/// Where subscribers reach the feeds; a slash is put behind it, so that paths join.
pub(super) fn base_url(value: &Value<'_>) -> Result<Url, Wrong> {
    let mut url = web_address(value, "an address such as \"https://feeds.example.org/\"")?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Wrong::new(
            format!("`{}`: `{url}` has a `?` or `#`, and feeds lie below it", value.key),
            "end it with the path",
        ));
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// An absolute `http` or `https` address.
pub(super) fn web_address(value: &Value<'_>, what: &str) -> Result<Url, Wrong> {
    let text = value.text(what)?;
    if names_user(text) {
        return Err(with_user(value));
    }
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let url = url.ok_or_else(|| Wrong {
        remedy: Some("write it whole, with http:// or https://".to_owned()),
        ..value.expected(what)
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(with_user(value));
    }
    Ok(url)
}

/// Whether an address has a user name or password in it, even where it is no address otherwise.
fn names_user(text: &str) -> bool {
    let authority = text.split_once("://").and_then(|(_, rest)| rest.split(['/', '\\', '?', '#']).next());
    authority.is_some_and(|authority| authority.contains('@'))
}

fn with_user(value: &Value<'_>) -> Wrong {
    let message = format!("`{}`: an address with a user name or password in it", value.key);
    Wrong { secret: true, ..Wrong::new(message, "take out what stands before the `@`: others would see it") }
}

/// Where a page is: an address, or a path relative to the file in which it stands.
pub(super) fn address(value: &Value<'_>) -> Result<Address, Wrong> {
    let what = "the address or path of a page";
    let text = value.text(what)?.trim();
    let scheme = text.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()).filter(|s| is_scheme(s));
    let path = match scheme.as_deref() {
        _ if names_user(text) => return Err(with_user(value)),
        Some("http" | "https") => return web_address(value, what).map(Address::new),
        Some("file") => file_path(value, text)?,
        Some(scheme) => {
            return Err(Wrong::new(
                format!("`{text}`: pagewire reads no `{scheme}:` addresses"),
                "use https:, http:, file: or a path; a path with a `:` in its first part begins with ./",
            ));
        }
        None if text.is_empty() => return Err(value.expected(what)),
        None => resolve(&value.source.folder, text),
    };
    let url = Url::from_file_path(&path).map_err(|()| value.expected(what))?;
    Ok(Address::new(url))
}

/// Whether what stands before a `:` is a scheme (RFC 3986 §3.1).
fn is_scheme(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// The path of a `file:` address.
fn file_path(value: &Value<'_>, text: &str) -> Result<PathBuf, Wrong> {
    let rest = &text["file:".len()..];
    if !rest.starts_with('/') {
        return Ok(resolve(&value.source.folder, rest));
    }
    let path = Url::parse(text).ok().and_then(|url| url.to_file_path().ok());
    path.ok_or_else(|| {
        Wrong::new(format!("`{text}` is no file here"), "write file:///folder/file, with three slashes, or a path")
    })
}

/// Which addresses that are not public may be asked.
pub(super) fn allow_private(value: &Value<'_>) -> Result<AllowPrivate, Wrong> {
    let what = "`true`, `false`, or a list of networks and host names such as [\"10.0.0.0/8\", \"rsshub.lan\"]";
    let items = match value.toml {
        DeValue::Boolean(true) => return Ok(AllowPrivate::Yes),
        DeValue::Boolean(false) => return Ok(AllowPrivate::No),
        DeValue::Array(items) => items,
        _ => return Err(value.expected(what)),
    };
    let (mut nets, mut hosts) = (Vec::new(), Vec::new());
    for item in items {
        let item = value.item(item);
        let text = item.text("a network or a host name")?;
        if let Ok(net) = text.parse() {
            nets.push(net);
        } else if let Ok(address) = text.parse::<IpAddr>() {
            nets.push(address.into());
        } else if let Ok(Host::Domain(name)) = Host::parse(text) {
            hosts.push(name.trim_end_matches('.').to_owned());
        } else {
            return Err(Wrong::new(
                format!("`{text}` is neither a network nor a host name"),
                "write a network as \"10.0.0.0/8\", a host as \"rsshub.lan\", without scheme or port",
            ));
        }
    }
    if items.is_empty() { Ok(AllowPrivate::No) } else { Ok(AllowPrivate::Only { nets, hosts }) }
}

/// What requests call themselves: what a header can hold.
pub(super) fn user_agent(value: &Value<'_>) -> Result<Option<String>, Wrong> {
    let text = value.text("a text")?;
    if !text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return Err(value.expected("printable ASCII, as a header needs it"));
    }
    Ok((!text.trim().is_empty()).then(|| text.trim().to_owned()))
}
