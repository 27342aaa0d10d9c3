//! XML, or what was meant to be, → tokens.
//!
//! In: decoded text. Out: tags, texts and CDATA sections, borrowed. Never fails: a `<` or `&` that begins no markup is
//! text, a quote that is never closed ends with its tag. Comments, processing instructions and the document type are
//! passed over, so no entity of the document's own is ever declared, expanded or fetched. Linear in the text, whatever
//! it is. Follows XML 1.0 for what is well-formed.
//!
//! Deliberately absent: nesting, namespaces. Known gaps: tag names that begin beyond ASCII are text.

use quick_xml::escape::resolve_html5_entity;
use std::borrow::Cow;

/// One piece of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text whose entities are not decoded.
    Text(&'a str),
    /// What a CDATA section holds.
    Literal(&'a str),
    /// A start tag, or an empty element.
    Open(Tag<'a>),
    /// An end tag, by its name.
    Close(&'a str),
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// Its name with its prefix.
    pub(super) name: &'a str,
    /// Whether it ends itself.
    pub(super) is_empty: bool,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// The first attribute of a name, its entities decoded.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| decoded(value))
    }

    /// The attributes in their order, as they stand.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            let (name, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, next) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            rest = next;
            // Words without a value may stand before the name.
            Some((name.split_whitespace().next_back().unwrap_or_default(), value))
        })
    }
}

/// A walk over the tokens of a document.
#[derive(Debug, Clone)]
pub(super) struct Scan<'a> {
    /// The document.
    pub(super) text: &'a str,
    /// Where the next token begins.
    pub(super) at: usize,
}

impl Scan<'_> {
    /// Whether each element from here on is closed by its own end tag.
    pub(super) fn is_sound(&mut self) -> bool {
        let mut open = Vec::new();
        for token in self.by_ref() {
            match token {
                Token::Open(tag) if !tag.is_empty => open.push(tag.name),
                Token::Close(name) if open.pop() != Some(name) => return false,
                _ => {}
            }
        }
        open.is_empty()
    }
}

impl<'a> Iterator for Scan<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return None;
            }
            if !is_markup(rest) {
                let skip = rest.chars().next().map_or(1, char::len_utf8);
                let end = memchr::memchr(b'<', &rest.as_bytes()[skip..]).map_or(rest.len(), |i| i + skip);
                self.at += end;
                return Some(Token::Text(&rest[..end]));
            }
            let (piece, token) = markup(rest);
            self.at += piece;
            if token.is_some() {
                return token;
            }
        }
    }
}

/// Whether a text that begins with `<` begins with markup.
fn is_markup(rest: &str) -> bool {
    let is_name = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    match rest.as_bytes() {
        [b'<', b'!', after @ ..] => after.starts_with(b"--") || after.starts_with(b"[CDATA[") || is_name(after.first()),
        [b'<', b'/' | b'?', after @ ..] | [b'<', after @ ..] => is_name(after.first()),
        _ => false,
    }
}

/// How long the markup at the start of a text is, and what it says. What is never closed reaches to the end.
fn markup(rest: &str) -> (usize, Option<Token<'_>>) {
    let until = |start: usize, end: &str| {
        rest[start..]
            .find(end)
            .map_or((rest.len(), &rest[start..]), |i| (start + i + end.len(), &rest[start..start + i]))
    };
    if rest.starts_with("<!--") {
        (until(4, "-->").0, None)
    } else if rest.starts_with("<![CDATA[") {
        let (len, inside) = until(9, "]]>");
        (len, Some(Token::Literal(inside)))
    } else if rest.starts_with("<?") {
        (until(2, "?>").0, None)
    } else if rest.starts_with("<!") {
        (doctype_len(rest), None)
    } else if rest.starts_with("</") {
        let (len, inside) = until(2, ">");
        (len, Some(Token::Close(name_of(inside))))
    } else {
        let len = tag_len(rest);
        let inside = rest[1..len].strip_suffix('>').unwrap_or(&rest[1..len]);
        let is_empty = inside.ends_with('/');
        let inside = inside.trim_end_matches('/');
        let name = name_of(inside);
        (len, Some(Token::Open(Tag { name, is_empty, attributes: &inside[name.len()..] })))
    }
}

/// The name at the start of a tag's inside.
fn name_of(inside: &str) -> &str {
    inside.split(|c: char| c.is_whitespace() || matches!(c, '/' | '<')).next().unwrap_or_default()
}

/// The length of a start tag: up to a `>` outside of quotes. No value may hold a `<`, so one tells a quote that was
/// never closed.
fn tag_len(rest: &str) -> usize {
    let mut quote = None;
    for (i, &b) in rest.as_bytes().iter().enumerate().skip(1) {
        match (quote, b) {
            (None, b'>') => return i + 1,
            (None, b'"' | b'\'') => quote = Some(b),
            (Some(q), b) if q == b => quote = None,
            (_, b'<') => return rest[..i].find('>').map_or(i, |end| end + 1),
            _ => {}
        }
    }
    rest.find('>').map_or(rest.len(), |end| end + 1)
}

/// The length of a document type with its own declarations in brackets.
fn doctype_len(rest: &str) -> usize {
    let (mut quote, mut is_inside, mut at) = (None, false, 0);
    while let Some(&b) = rest.as_bytes().get(at) {
        match (quote, b) {
            (Some(q), b) if q == b => quote = None,
            (None, b'"' | b'\'') => quote = Some(b),
            (None, b'[') => is_inside = true,
            (None, b']') => is_inside = false,
            (None, b'>') if !is_inside => return at + 1,
            // An apostrophe in a comment is no quote.
            (None, b'<') if rest[at..].starts_with("<!--") => match rest[at..].find("-->") {
                Some(len) => at += len,
                None => break,
            },
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Text with its entities decoded once: XML's, HTML's and numeric ones. A `&` that begins none of them stays.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    let Some(mut at) = memchr::memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match entity(rest) {
            Some((value, len)) => {
                out.push_str(&value);
                rest = &rest[len..];
            }
            None => out.push('&'),
        }
        match memchr::memchr(b'&', rest.as_bytes()) {
            Some(next) => at = next,
            None => break,
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The longest entity that is looked for: HTML's longest name has 31 letters.
const MAX_ENTITY: usize = 33;

/// What an entity stands for whose `&` has been read, and its length with the `;`.
fn entity(rest: &str) -> Option<(Cow<'static, str>, usize)> {
    let end = rest.bytes().take(MAX_ENTITY).position(|b| b == b';')?;
    let name = &rest[..end];
    let Some(number) = name.strip_prefix('#') else {
        return resolve_html5_entity(name).map(|value| (Cow::Borrowed(value), end + 1));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    Some((Cow::Owned(character(code.ok()?).into()), end + 1))
}

/// The character of a number. 128 to 159 are meant as in windows-1252, as HTML reads them; what is no character at all
/// becomes U+FFFD.
fn character(code: u32) -> char {
    match u8::try_from(code) {
        Ok(byte @ 0x80..=0x9f) => {
            let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(&byte));
            text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let scan = Scan { text, at: 0 };
        scan.map(|token| match token {
            Token::Text(t) => format!("t{t}"),
            Token::Literal(t) => format!("l{t}"),
            Token::Open(tag) => {
                let attributes: Vec<String> = tag.attributes().map(|(n, v)| format!(" {n}={v}")).collect();
                format!("o{}{}{}", tag.name, attributes.concat(), if tag.is_empty { "/" } else { "" })
            }
            Token::Close(name) => format!("c{name}"),
        })
        .collect()
    }

    #[test]
    fn well_formed_xml_is_its_tokens() {
        assert_eq!(
            told("<?xml version='1.0'?><!-- <a> --><a:b x = \"1>2\" y='&amp;' /><c>t<![CDATA[<d>]]></c >\n"),
            ["oa:b x=1>2 y=&amp;/", "oc", "tt", "l<d>", "cc", "t\n"]
        );
    }

    #[test]
    fn what_begins_no_markup_is_text() {
        assert_eq!(told("1 < 2 <3 <é <"), ["t1 ", "t< 2 ", "t<3 ", "t<é ", "t<"]);
        assert_eq!(told("<a b=\"c><d>e</d>"), ["oa b=c", "od", "te", "cd"]);
        assert_eq!(told("<a checked b=c d>"), ["oa b=c"]);
        assert_eq!(told("<a"), ["oa"]);
        assert_eq!(told("</a"), ["ca"]);
        assert_eq!(told("<!-- a"), [""; 0]);
    }

    #[test]
    fn a_document_type_is_passed_over_whole() {
        assert_eq!(
            told("<!DOCTYPE rss [ <!-- don't --> <!ENTITY a \"x]>y\"> <!ENTITY b SYSTEM 'file:///b'> ]><rss>&a;"),
            ["orss", "t&a;"]
        );
        assert_eq!(told("<!DOCTYPE rss PUBLIC \"-//N//DTD\" \"x.dtd\"><rss>"), ["orss"]);
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(decoded("a&amp;lt; &eacute;&mdash;&nbsp;&#x1F680;&#233;&#146;"), "a&lt; é—\u{a0}🚀é’");
        assert_eq!(
            decoded("?a=1&b=2&copy=3 &; &unknown; &#xD800;&#99999999999;"),
            "?a=1&b=2&copy=3 &; &unknown; \u{fffd}&#99999999999;"
        );
    }
}
