//! Texts between tags, and the references in them and in attributes (XML 1.0 §2.4, §4.1).
//!
//! In: a place in the text, or a value as it stands. Out: what it says, in the element that is open.

use super::{Broken, Open, Reading, is_blank};
use quick_xml::Error;
use quick_xml::errors::IllFormedError;
use quick_xml::escape::resolve_html5_entity;
use std::borrow::Cow;

/// A byte order mark, which decoding took away unless there are several.
const MARK: char = '\u{feff}';

/// Whether XML 1.0 §2.2 has this character.
fn is_character(c: char) -> bool {
    !matches!(c, '\0'..'\t' | '\u{b}' | '\u{c}' | '\u{e}'..' ' | '\u{fffe}' | '\u{ffff}')
}

impl<'a> Reading<'a, '_> {
    /// The text from here to the next tag; returns where that is.
    pub(super) fn words(&mut self, start: usize) -> Result<usize, Broken> {
        let rest = &self.text.as_bytes()[start..];
        let is_tag = |length: usize| rest.get(length).is_none_or(|b| *b == b'<');
        // Line breaks between elements are short and many: to look at them by hand is faster than to search.
        let blank = rest.iter().position(|b| !is_blank(*b)).unwrap_or(rest.len());
        if is_tag(blank) {
            if blank > 0 && !self.is_between_elements() {
                self.push(&self.text[start..start + blank]);
            }
            return Ok(start + blank);
        }
        let stop = memchr::memchr3(b'<', b'&', b']', rest).unwrap_or(rest.len());
        if self.open.is_empty() {
            return self.words_outside(start);
        }
        if !is_tag(stop) {
            return self.words_with_references(start);
        }
        self.push(&self.text[start..start + stop]);
        Ok(start + stop)
    }

    /// Text outside the root element: white space at most.
    fn words_outside(&mut self, start: usize) -> Result<usize, Broken> {
        let rest = &self.text.as_bytes()[start..];
        let stop = start + memchr::memchr2(b'<', b'&', rest).unwrap_or(rest.len());
        if !self.text[start..stop].trim_matches([MARK, ' ', '\t', '\r', '\n']).is_empty() {
            return self.outside(start);
        }
        if self.text[stop..].starts_with('&') {
            self.reference(stop)?;
            return self.outside(stop);
        }
        Ok(stop)
    }

    /// Text in an element, in pieces between its references.
    fn words_with_references(&mut self, start: usize) -> Result<usize, Broken> {
        let Some(Open { place, .. }) = self.open.last().copied() else { return Ok(start) };
        let mut text = std::mem::take(&mut self.tree.elements[place].text).into_owned();
        let has_children = self.tree.elements.len() > place + 1;
        let rest = &self.text.as_bytes()[start..];
        let end = start + memchr::memchr(b'<', rest).unwrap_or(rest.len());
        text.reserve(end - start);
        let mut at = start;
        loop {
            let rest = &self.text.as_bytes()[at..end];
            let mut length = memchr::memchr2(b'&', b']', rest).unwrap_or(rest.len());
            if rest.get(length) == Some(&b']') {
                length = memchr::memchr(b'&', rest).unwrap_or(rest.len());
                if let Some(bracket) = memchr::memmem::find(&rest[..length], b"]]>") {
                    return self.broken(at + bracket, "XML 1.0 §2.4", "`]]>` in text".to_owned());
                }
            }
            let words = &self.text[at..at + length];
            if text.is_empty() || !has_children || !words.bytes().all(is_blank) {
                text.push_str(words);
            }
            at += length;
            if rest.get(length) != Some(&b'&') {
                break;
            }
            if let Some((c, length)) = predefined(&rest[length + 1..]) {
                text.push(c);
                at += length + 1;
                continue;
            }
            let name = self.reference(at)?;
            self.entity(name, at, &mut text)?;
            at += name.len() + 2;
        }
        self.tree.elements[place].text = Cow::Owned(text);
        Ok(at)
    }

    /// Appends to the text of the element that is open.
    pub(super) fn push(&mut self, words: &'a str) {
        let Some(Open { place, .. }) = self.open.last().copied() else { return };
        if self.is_between_elements() && words.bytes().all(is_blank) {
            return;
        }
        let text = &mut self.tree.elements[place].text;
        if text.is_empty() {
            *text = Cow::Borrowed(words);
        } else {
            text.to_mut().push_str(words);
        }
    }

    /// Whether white space here does no more than break lines between elements: the one that is open has text and other
    /// elements already. There is much of it, and to keep it all is to copy.
    fn is_between_elements(&self) -> bool {
        let Some(Open { place, .. }) = self.open.last() else { return false };
        self.tree.elements.len() > place + 1 && !self.tree.elements[*place].text.is_empty()
    }

    /// The name in a reference that begins here.
    fn reference(&mut self, at: usize) -> Result<&'a str, Broken> {
        let rest = &self.text[at + 1..];
        match rest.bytes().position(|b| matches!(b, b';' | b'&' | b'<')) {
            Some(length) if rest.as_bytes()[length] == b';' => Ok(&rest[..length]),
            _ => self.ill_formed(at, &Error::IllFormed(IllFormedError::UnclosedReference)),
        }
    }

    /// Appends what an entity stands for that is none of the five.
    fn entity(&mut self, name: &str, at: usize, out: &mut String) -> Result<(), Broken> {
        if let Some(number) = name.strip_prefix('#') {
            let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
            // A number may have a sign, but not here.
            let code = u32::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
            let Some(c) = code.and_then(char::from_u32).filter(|c| is_character(*c)) else {
                return self.broken(at, "XML 1.0 §4.1", format!("`&{name};` is no character that XML allows"));
            };
            out.push(c);
            return Ok(());
        }
        if self.declared.iter().any(|declared| declared == name) {
            return Ok(());
        }
        let Some(text) = resolve_html5_entity(name).filter(|_| self.foreign) else {
            return self.broken(at, "XML 1.0 §4.1", format!("the entity `&{name};` is not declared"));
        };
        out.push_str(text);
        Ok(())
    }

    /// The value of an attribute.
    pub(super) fn unescaped(&mut self, raw: &'a str, at: usize) -> Result<Cow<'a, str>, Broken> {
        if memchr::memchr(b'&', raw.as_bytes()).is_none() {
            return Ok(Cow::Borrowed(raw));
        }
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(start) = rest.find('&') {
            out.push_str(&rest[..start]);
            rest = &rest[start + 1..];
            if let Some((c, length)) = predefined(rest.as_bytes()) {
                out.push(c);
                rest = &rest[length..];
                continue;
            }
            let Some(end) = rest.find(';') else {
                return self.broken(at, "XML 1.0 §4.1", "a bare `&` in an attribute".to_owned());
            };
            self.entity(&rest[..end], at, &mut out)?;
            rest = &rest[end + 1..];
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }
}

/// The character that one of the five references stands for which XML itself has, and how long that is behind its `&`.
fn predefined(rest: &[u8]) -> Option<(char, usize)> {
    match rest {
        [b'l', b't', b';', ..] => Some(('<', 3)),
        [b'g', b't', b';', ..] => Some(('>', 3)),
        [b'a', b'm', b'p', b';', ..] => Some(('&', 4)),
        [b'q', b'u', b'o', b't', b';', ..] => Some(('"', 5)),
        [b'a', b'p', b'o', b's', b';', ..] => Some(('\'', 5)),
        _ => None,
    }
}
