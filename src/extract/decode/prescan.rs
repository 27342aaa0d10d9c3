//! The bytes of an HTML document → the charsets that its `<meta>` elements declare.
//!
//! In: bytes, of which ASCII is ASCII. Out: encodings, in the document's order; the first is what a browser takes, and
//! the next ones serve where bytes belie it. Follows the HTML standard, §13.2.3.2 ("prescan a byte stream"): comments are
//! passed over, tags are read attribute by attribute, and `content` counts only beside `http-equiv=content-type`. It could
//! be read, so UTF-16 is not what it is in.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// How far browsers look before they begin to parse.
const MAX_START: usize = 1024;

/// How far into an HTML document a parser is taken to meet a `<meta>`.
const MAX_HEAD: usize = 1024 * 1024;

/// Elements in which a tag is text for a parser.
const RAW: [&[u8]; 6] = [b"script", b"style", b"title", b"textarea", b"noscript", b"template"];

/// What the first bytes of a document declare.
pub(super) fn charsets(bytes: &[u8]) -> impl Iterator<Item = &'static Encoding> {
    let start = &bytes[..bytes.len().min(MAX_START)];
    // Most documents have none, and this is the faster look.
    let has_some = start.windows(b"<meta".len()).any(|tag| tag.eq_ignore_ascii_case(b"<meta"));
    Prescan { rest: if has_some { start } else { &[] }, knows_raw: false }
}

/// What an HTML document declares, however late, as a parser meets it: browsers begin anew with it.
pub(super) fn late(bytes: &[u8]) -> impl Iterator<Item = &'static Encoding> {
    let is_html = bytes.trim_ascii_start().starts_with(b"<");
    Prescan { rest: if is_html { &bytes[..bytes.len().min(MAX_HEAD)] } else { &[] }, knows_raw: true }
}

/// A walk through a document's tags.
struct Prescan<'a> {
    rest: &'a [u8],
    /// Whether what stands in [`RAW`] elements is passed over.
    knows_raw: bool,
}

impl Iterator for Prescan<'_> {
    type Item = &'static Encoding;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(at) = memchr::memchr(b'<', self.rest) {
            self.rest = &self.rest[at + 1..];
            if self.rest.starts_with(b"!--") {
                // `<!-->` is a whole comment: its dashes end it too.
                self.rest = behind(&self.rest[1..], b"-->")?;
                continue;
            }
            let name_at = usize::from(self.rest.first() == Some(&b'/'));
            if !self.rest.get(name_at).is_some_and(u8::is_ascii_alphabetic) {
                if matches!(self.rest.first(), Some(b'!' | b'/' | b'?')) {
                    self.rest = behind(self.rest, b">")?;
                }
                continue;
            }
            let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'>' | b'<' | b'/');
            let end = name_at + self.rest[name_at..].iter().position(is_end)?;
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            if name.eq_ignore_ascii_case(b"meta") {
                if let Some(encoding) = self.meta() {
                    return Some(encoding);
                }
                continue;
            }
            while self.attribute().is_some() {}
            if self.knows_raw && RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw)) {
                self.rest = behind_end(self.rest, name)?;
            }
        }
        None
    }
}

impl<'a> Prescan<'a> {
    /// The charset of a `<meta>`, whose name is passed.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut is_pragma, mut by_charset, mut by_content) = (false, None, None);
        while let Some((name, value)) = self.attribute() {
            let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
            if is(b"http-equiv") {
                is_pragma |= value.eq_ignore_ascii_case(b"content-type");
            } else if is(b"charset") {
                by_charset = by_charset.or_else(|| Encoding::for_label(value));
            } else if is(b"content") {
                by_content = by_content.or_else(|| of_content(value));
            }
        }
        by_charset.or(by_content.filter(|_| is_pragma)).filter(|e| *e != UTF_16LE && *e != UTF_16BE)
    }

    /// The next attribute of the tag, and its value; none at the end of the tag, or of the document. A tag that is never
    /// closed ends with the next one, so that many of them cost no more than their length.
    fn attribute(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let skip = self.rest.iter().position(|b| !b.is_ascii_whitespace() && *b != b'/').unwrap_or(self.rest.len());
        self.rest = &self.rest[skip..];
        if matches!(self.rest.first(), None | Some(b'>' | b'<')) {
            return None;
        }
        let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'/' | b'>' | b'<');
        // A name may begin with `=`.
        let end = self.rest.iter().skip(1).position(|b| is_end(b) || *b == b'=').map_or(self.rest.len(), |at| at + 1);
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else { return Some((name, b"")) };
        let value = value.trim_ascii_start();
        if let [quote @ (b'"' | b'\''), inside @ ..] = value {
            let end = memchr::memchr(*quote, inside).unwrap_or(inside.len());
            self.rest = &inside[(end + 1).min(inside.len())..];
            return Some((name, &inside[..end]));
        }
        let end = value.iter().position(|b| b.is_ascii_whitespace() || *b == b'>').unwrap_or(value.len());
        self.rest = &value[end..];
        Some((name, &value[..end]))
    }
}

/// The charset in `text/html; charset=…` (§2.4.4 of the standard, "extracting a character encoding from a meta element").
fn of_content(mut value: &[u8]) -> Option<&'static Encoding> {
    loop {
        let at = value.windows(b"charset".len()).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        value = value[at + b"charset".len()..].trim_ascii_start();
        let Some(label) = value.strip_prefix(b"=") else { continue };
        let label = label.trim_ascii_start();
        let label = match label.first()? {
            quote @ (b'"' | b'\'') => &label[1..=memchr::memchr(*quote, &label[1..])?],
            _ => label.split(|b| b.is_ascii_whitespace() || *b == b';').next()?,
        };
        return Encoding::for_label(label);
    }
}

/// What stands behind the first of some bytes.
fn behind<'a>(bytes: &'a [u8], what: &[u8]) -> Option<&'a [u8]> {
    Some(&bytes[memchr::memmem::find(bytes, what)? + what.len()..])
}

/// What stands behind the start of an element's end tag.
fn behind_end<'a>(bytes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let ends = memchr::memmem::find_iter(bytes, b"</").map(|at| &bytes[at + 2..]);
    ends.into_iter().find(|rest| rest.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name)))
}
