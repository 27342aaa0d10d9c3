//! `headers`, `credentials` and `proxy` of pages: what may be a secret.
//!
//! In: their values. Out: where each secret is, or a header's value as it stands. No message shows a value of these.
//! Deliberately absent: reading what is there; that is done when a request needs it, so that a new token counts at once.

use super::section::{Value, Wrong};
use super::value::resolve;
use crate::model::{Credentials, Secret};
use reqwest::header::{HeaderName, HeaderValue};
use toml::de::DeValue;
use url::Url;

/// Headers that say how a request is sent, not what is asked.
const OURS: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// `{ Name = "value" }`; a value `file:PATH` or `credential:NAME` is read there.
pub(super) fn headers(value: &Value<'_>) -> Result<Vec<(String, Secret)>, Wrong> {
    let what = "a table of headers such as { Cookie = \"file:secrets/cookie\" }";
    let DeValue::Table(table) = value.toml else { return Err(hidden(value.expected(what))) };
    let mut headers = Vec::new();
    for (key, given) in table {
        let name = key.get_ref().to_ascii_lowercase();
        if HeaderName::from_bytes(name.as_bytes()).is_err() {
            return Err(wrong(
                value,
                &format!("`{}` is no name of a header", key.get_ref()),
                "use letters, digits and -",
            ));
        }
        if OURS.contains(&name.as_str()) {
            let message = format!("the header `{name}` is pagewire's own");
            return Err(wrong(value, &message, "take it out: it says how a request is sent"));
        }
        let given = value.item(given);
        given.source.hide(given.span.clone());
        let secret = secret(&given)?;
        if let Secret::Plain(text) = &secret
            && HeaderValue::from_str(text).is_err()
        {
            return Err(wrong(
                value,
                &format!("the header `{name}` has a value that no header can have"),
                "use one line",
            ));
        }
        headers.push((name, secret));
    }
    Ok(headers)
}

/// `{ basic = "file:…" }` or `{ bearer = "credential:…" }`.
pub(super) fn credentials(value: &Value<'_>) -> Result<Credentials, Wrong> {
    let what = "{ basic = \"file:PATH\" } with user:password in the file, or { bearer = \"credential:NAME\" }";
    value.source.hide(value.span.clone());
    let DeValue::Table(table) = value.toml else { return Err(hidden(value.expected(what))) };
    let mut entries = table.iter();
    let (Some((kind, given)), None) = (entries.next(), entries.next()) else {
        return Err(wrong(value, "either one of `basic` and `bearer` is needed, or none", &format!("write {what}")));
    };
    let secret = elsewhere(&value.item(given))?;
    match kind.get_ref().as_ref() {
        "basic" => Ok(Credentials::Basic(secret)),
        "bearer" => Ok(Credentials::Bearer(secret)),
        other => Err(wrong(value, &format!("`{other}` is no kind of credentials"), &format!("write {what}"))),
    }
}

/// An address without a user, or where one with a user is; "" for none.
pub(super) fn proxy(value: &Value<'_>) -> Result<Option<Secret>, Wrong> {
    let what = "the address of a proxy such as \"http://proxy.lan:3128\" or \"socks5h://127.0.0.1:9050\", or \"file:PATH\" \
                where it is";
    value.source.hide(value.span.clone());
    let text = value.text(what).map_err(hidden)?;
    if text.is_empty() {
        return Ok(None);
    }
    let secret = secret(value)?;
    if let Secret::Plain(text) = &secret {
        let url = Url::parse(text).ok().filter(Url::has_host);
        match url {
            Some(url) if matches!(url.scheme(), "socks5" | "socks4" | "socks4a") => {
                let remedy = "write socks5h://host:port: a proxy of pagewire's looks names up itself";
                return Err(wrong(value, &format!("proxies of the kind `{}` are not spoken", url.scheme()), remedy));
            }
            Some(url) if !matches!(url.scheme(), "http" | "https" | "socks5h") => {
                return Err(hidden(value.expected(what)));
            }
            Some(url) if url.username().is_empty() && url.password().is_none() => {}
            Some(_) => {
                let remedy = "put the whole address into a file, and write \"file:PATH\"";
                return Err(wrong(value, "an address with a user name or password in it", remedy));
            }
            None => return Err(hidden(value.expected(what))),
        }
    }
    Ok(Some(secret))
}

/// A value, or where it is.
fn secret(value: &Value<'_>) -> Result<Secret, Wrong> {
    let text = value.text("a text, \"file:PATH\" or \"credential:NAME\"").map_err(hidden)?;
    if let Some(path) = text.strip_prefix("file:") {
        if path.is_empty() {
            return Err(wrong(value, "`file:` names no file", "write its path behind it"));
        }
        return Ok(Secret::File(resolve(&value.source.folder, path)));
    }
    if let Some(name) = text.strip_prefix("credential:") {
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        if !plain || name.starts_with('.') {
            let remedy = "write the NAME of LoadCredential=NAME:PATH: letters, digits, `-`, `_`, `.`";
            return Err(wrong(value, "`credential:` names no credential", remedy));
        }
        return Ok(Secret::Credential(name.to_owned()));
    }
    Ok(Secret::Plain(text.to_owned()))
}

/// Where a value is that must not stand in a configuration.
fn elsewhere(value: &Value<'_>) -> Result<Secret, Wrong> {
    match secret(value)? {
        Secret::Plain(_) => {
            let remedy = "put it into a file of its own and write \"file:PATH\", or \"credential:NAME\" for systemd's";
            Err(wrong(value, "a password or token does not belong here, where many can read it", remedy))
        }
        secret => Ok(secret),
    }
}

/// A fault whose line is not shown.
fn wrong(value: &Value<'_>, message: &str, remedy: &str) -> Wrong {
    Wrong { secret: true, ..Wrong::new(format!("`{}`: {message}", value.key), remedy) }
}

/// The same fault without the value in it.
fn hidden(wrong: Wrong) -> Wrong {
    let message = wrong.message.split(", but found").next().unwrap_or_default().to_owned();
    Wrong { message, secret: true, ..wrong }
}
