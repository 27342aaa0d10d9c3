//! HTML → HTML whose tags an HTML tokenizer can take in time that grows with their length only.
//!
//! html5ever compares each attribute of a tag with all before it, so a tag with a hundred thousand attributes would
//! hold a core for minutes. What stands in a tag behind its first [`MAX_ATTRIBUTES`] is dropped here. Nothing else
//! changes; text without such a tag is not copied. Reads no more of HTML than quotes in tags.

use std::borrow::Cow;

/// Most attributes of one tag; real pages have at most some dozens.
const MAX_ATTRIBUTES: usize = 128;

/// HTML without what stands in a tag behind so many attributes.
pub(crate) fn bounded_tags(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'<', &bytes[at..]) {
        at += next + 1;
        if !bytes.get(at).is_some_and(|&b| b.is_ascii_alphabetic() || b == b'/') {
            continue;
        }
        let (full, end) = tag(bytes, at);
        if let Some(full) = full {
            out.push_str(&html[kept..full]);
            kept = end;
        }
        at = end;
    }
    if kept == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[kept..]);
    Cow::Owned(out)
}

/// Where a tag has all attributes that it may have, if it has more, and where its `>` stands.
fn tag(bytes: &[u8], start: usize) -> (Option<usize>, usize) {
    let mut attributes = 0;
    let mut full = None;
    let mut quote = None;
    let mut before = b'a';
    let mut at = start;
    while at < bytes.len() {
        let b = bytes[at];
        match quote {
            Some(q) if b == q => quote = None,
            Some(_) => {}
            None if b == b'>' => break,
            None if matches!(b, b'"' | b'\'') && (before == b'=' || attributes > MAX_ATTRIBUTES) => quote = Some(b),
            None => {
                let is_gap = |b: u8| b.is_ascii_whitespace() || matches!(b, b'/' | b'"' | b'\'');
                if is_gap(before) && !is_gap(b) {
                    attributes += 1;
                    if attributes > MAX_ATTRIBUTES && full.is_none() && bytes[at].is_ascii() {
                        full = Some(at);
                    }
                }
            }
        }
        // White space between `=` and a quote says nothing.
        if quote.is_some() || before != b'=' || !b.is_ascii_whitespace() {
            before = b;
        }
        at += 1;
    }
    (full, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_stays_as_it_is() {
        let html = "<a href=\"x>y\" title='<b>'>a < b</a><!-- <a --><script>if (a<b) c()</script>";
        assert!(matches!(bounded_tags(html), Cow::Borrowed(_)));
    }

    #[test]
    fn a_tag_keeps_its_first_attributes_only() {
        let many: Vec<String> = (0..5_000).map(|i| format!(" a{i}=\"1 > 0\"")).collect();
        let html = format!("<p{}>text</p>", many.concat());
        let bounded = bounded_tags(&html);
        assert!(bounded.ends_with(">text</p>"), "{}", &bounded[bounded.len().saturating_sub(60)..]);
        assert_eq!(bounded.matches(" a").count(), MAX_ATTRIBUTES);
    }
}
