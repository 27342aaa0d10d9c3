//! XML as a writer made it → the same, with `&#x26;` for `&amp;` and `&#x3C;` for `&lt;` where the text is no markup,
//! and with `Z` for `+00:00` in Atom's times, as most feeds write it.
//!
//! To a parser that is the same document. It is for those that decode twice, and take a title such as `&lt;b&gt;` for
//! markup: the RSS Profile asks for hexadecimal references there. In: a document whose text has every `<` escaped.

/// The same document, with hexadecimal references in the text of these elements.
pub(super) fn hexadecimal(bytes: &[u8], elements: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 256);
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'<', rest) {
        let end = memchr::memchr(b'>', &rest[at..]).map_or(rest.len(), |end| at + end + 1);
        let tag = &rest[at + 1..end];
        match tag {
            b"/updated>" | b"/published>" if rest[..at].ends_with(b"+00:00") => {
                out.extend_from_slice(&rest[..at - b"+00:00".len()]);
                out.extend_from_slice(b"Z</");
                out.extend_from_slice(&tag[1..]);
            }
            _ => out.extend_from_slice(&rest[..end]),
        }
        rest = &rest[end..];
        let name = tag.split(|b| matches!(b, b' ' | b'>' | b'/')).next().unwrap_or_default();
        if elements.iter().any(|element| element.as_bytes() == name) {
            let text = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            push(&mut out, &rest[..text]);
            rest = &rest[text..];
        }
    }
    out.extend_from_slice(rest);
    out
}

fn push(out: &mut Vec<u8>, mut text: &[u8]) {
    while let Some(at) = memchr::memchr(b'&', text) {
        out.extend_from_slice(&text[..at]);
        let (reference, length): (&[u8], usize) = match &text[at..] {
            t if t.starts_with(b"&amp;") => (b"&#x26;", 5),
            t if t.starts_with(b"&lt;") => (b"&#x3C;", 4),
            _ => (b"&", 1),
        };
        out.extend_from_slice(reference);
        text = &text[at + length..];
    }
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_these_elements_is_written_otherwise() {
        let given = "<r a=\"&amp;\"><title type=\"text\">&lt;b&gt; &amp;amp;</title><titles>&amp;</titles>&lt;</r>\
            <updated>2026-09-24T00:00:00+00:00</updated><u>+00:00</u>";
        let made = hexadecimal(given.as_bytes(), &["title"]);
        let wanted = "<r a=\"&amp;\"><title type=\"text\">&#x3C;b&gt; &#x26;amp;</title><titles>&amp;</titles>&lt;</r>\
            <updated>2026-09-24T00:00:00Z</updated><u>+00:00</u>";
        assert_eq!(String::from_utf8_lossy(&made), wanted);
    }
}
