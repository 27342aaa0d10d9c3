//! Tags as nearly every writer writes them: `<name key="value">`, `<name/>`, and the end tags that are due.
//!
//! In: a place in the text. Out: the element that begins or ends there, or nothing where anything about the tag is odd:
//! other letters in names, other quotes, references, one attribute twice. XML 1.0 §3.1 has more than these.

use super::{Broken, Reading, is_blank};
use std::borrow::Cow;

/// More attributes than these are too many to compare each with each.
const MANY: usize = 32;

/// The bytes of common names.
const IN_NAMES: [bool; 256] = {
    let (mut table, mut byte) = ([false; 256], 0u8);
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

/// How long the common name is that begins here.
fn name_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| !IN_NAMES[usize::from(*b)]).unwrap_or(bytes.len())
}

/// How a tag ends.
struct Ending {
    /// Where, in bytes.
    end: usize,
    is_empty: bool,
    /// Whether an attribute has a prefix.
    is_prefixed: bool,
}

impl Reading<'_, '_> {
    /// Reads a tag without anything odd in it, if one stands here: returns where it ends.
    pub(super) fn usual_tag(&mut self, at: usize) -> Result<Option<usize>, Broken> {
        let [b'<', rest @ ..] = &self.text.as_bytes()[at..] else { return Ok(None) };
        if let [b'/', rest @ ..] = rest {
            return Ok(self.usual_end(rest).map(|length| at + 2 + length));
        }
        let name = at + 1..at + 1 + name_length(rest);
        let (first, bindings) = (self.tree.attributes.len(), self.bindings.len());
        let Some(Ending { end, is_empty, is_prefixed }) = self.usual_attributes(name.end).filter(|_| !name.is_empty())
        else {
            self.tree.attributes.truncate(first);
            self.bindings.truncate(bindings);
            return Ok(None);
        };
        self.start(&self.text[name], first, is_prefixed, at)?;
        if is_empty {
            self.end();
        }
        Ok(Some(end))
    }

    /// Reads the end tag of the element that is open; returns how long it is from its name on.
    fn usual_end(&mut self, rest: &[u8]) -> Option<usize> {
        let name = self.open.last()?.name.as_bytes();
        if rest.get(name.len()) != Some(&b'>') || rest[..name.len()] != *name {
            return None;
        }
        let length = name.len() + 1;
        self.end();
        Some(length)
    }

    /// Reads a tag from behind its name on: ` name="value"` any times, with nothing in a value that stands for something
    /// else, `>` or `/>`.
    fn usual_attributes(&mut self, mut at: usize) -> Option<Ending> {
        let bytes = self.text.as_bytes();
        let mut is_prefixed = false;
        self.names.clear();
        loop {
            let blank = bytes[at..].iter().position(|b| !is_blank(*b))?;
            at += blank;
            match &bytes[at..] {
                [b'>', ..] => return Some(Ending { end: at + 1, is_empty: false, is_prefixed }),
                [b'/', b'>', ..] => return Some(Ending { end: at + 2, is_empty: true, is_prefixed }),
                _ if blank == 0 || self.names.len() == MANY => return None,
                _ => {}
            }
            let length = name_length(&bytes[at..]);
            let name = &self.text[at..at + length];
            let [b'=', b'"', rest @ ..] = &bytes[at + length..] else { return None };
            at += length + 2;
            let length = memchr::memchr3(b'"', b'<', b'&', rest).filter(|length| rest[*length] == b'"')?;
            if name.is_empty() || self.names.contains(&name) {
                return None;
            }
            self.names.push(name);
            is_prefixed |= self.attribute(name, Cow::Borrowed(&self.text[at..at + length]));
            at += length + 1;
        }
    }
}
