//! XML as a writer made it → the same, with `&#x26;` for `&amp;` and `&#x3C;` for `&lt;` where the text is no markup,
//! and with `Z` for `+00:00` in Atom's times, as most feeds write it.
//!
//! To a parser that is the same document. It is for those that decode twice, and take a title such as `&lt;b&gt;` for
//! markup: the RSS Profile asks for hexadecimal references there. In: a document whose text has every `<` escaped.

/// Adds the same document, with hexadecimal references in the text of these elements.
pub(super) fn hexadecimal(bytes: &[u8], elements: &[&str], out: &mut Vec<u8>) {
    const ZERO: &[u8] = b"+00:00";
    let (mut done, mut open) = (0, Open::default());
    for at in memchr::memchr2_iter(b'&', b'+', bytes) {
        let (length, instead): (usize, &[u8]) = match &bytes[at..] {
            t if t.starts_with(b"&amp;") => (5, b"&#x26;"),
            t if t.starts_with(b"&lt;") => (4, b"&#x3C;"),
            t if t.starts_with(b"+00:00</updated>") || t.starts_with(b"+00:00</published>") => (ZERO.len(), b"Z"),
            _ => continue,
        };
        if bytes[at] == b'+'
            || open.text_at(bytes, at).is_some_and(|name| elements.iter().any(|e| e.as_bytes() == name))
        {
            out.extend_from_slice(&bytes[done..at]);
            out.extend_from_slice(instead);
            done = at + length;
        }
    }
    out.extend_from_slice(&bytes[done..]);
}

/// The last tag before a place; asked for one place after the other.
#[derive(Default)]
struct Open {
    /// Where it begins.
    tag: Option<usize>,
    /// As far as was looked.
    seen: usize,
}

impl Open {
    /// The name of the element in whose text `at` is; none within a tag.
    fn text_at<'b>(&mut self, bytes: &'b [u8], at: usize) -> Option<&'b [u8]> {
        self.tag = memchr::memrchr(b'<', &bytes[self.seen..at]).map(|n| self.seen + n).or(self.tag);
        self.seen = at;
        let tag = &bytes[self.tag? + 1..at];
        memchr::memchr(b'>', tag)?;
        tag.split(|b| matches!(b, b' ' | b'>' | b'/')).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_these_elements_is_written_otherwise() {
        let given = "<r a=\"&amp;\"><title type=\"text\">&lt;b&gt; &amp;amp;</title><titles>&amp;</titles>&lt;</r>\
            <updated>2026-09-24T00:00:00+00:00</updated><u>+00:00</u>";
        let mut made = Vec::new();
        hexadecimal(given.as_bytes(), &["title"], &mut made);
        let wanted = "<r a=\"&amp;\"><title type=\"text\">&#x3C;b&gt; &#x26;amp;</title><titles>&amp;</titles>&lt;</r>\
            <updated>2026-09-24T00:00:00Z</updated><u>+00:00</u>";
        assert_eq!(String::from_utf8_lossy(&made), wanted);
    }
}
