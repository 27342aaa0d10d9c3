//! Text in two types: plain ([`Text`]) and sanitised HTML ([`Html`]).
//!
//! In: strings from anywhere. Out: values that a writer only has to escape. This is the one filter for characters
//! that XML 1.0 §2.2 forbids and for those that reorder or clear a terminal; no writer filters again.
//! Deliberately absent: escaping for a format; that is the writers' work.

use super::block::{BOXES, Gap, gap, unboxed};
use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;
use url::Url;

/// Plain text: no markup, no characters that XML forbids, no control characters but `\n` between paragraphs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Text(String);

impl Text {
    /// One line: every run of white space becomes one space, none at the ends.
    pub fn line(s: &str) -> Self {
        let mut out = String::with_capacity(s.len());
        push_line(&mut out, s);
        Self(out)
    }

    /// Paragraphs: white space within each as in [`Text::line`], empty ones dropped, a blank line between two.
    pub fn paragraphs<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut out = String::new();
        for part in parts {
            let before = out.len();
            if before > 0 {
                out.push_str("\n\n");
            }
            let start = out.len();
            push_line(&mut out, part);
            if out.len() == start {
                out.truncate(before);
            }
        }
        Self(out)
    }

    /// Text that was a [`Text`] before it was stored.
    pub fn stored(s: String) -> Self {
        Self(s)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Text> for String {
    fn from(t: Text) -> Self {
        t.0
    }
}

/// Appends `s` with white space collapsed and without what [`keep`] refuses.
fn push_line(out: &mut String, s: &str) {
    let start = out.len();
    let mut space = false;
    let mut rest = s;
    while let Some(c) = rest.chars().next() {
        // Feeds are made of this: words are taken in one piece, and one by one only what has to be looked at.
        let (piece, after) = rest.split_at(plain(rest).max(c.len_utf8()));
        rest = after;
        if c.is_whitespace() {
            space = true;
        } else if keep(c) {
            if space && out.len() > start {
                out.push(' ');
            }
            space = false;
            out.push_str(piece);
        }
    }
}

/// How much of the beginning of `s` is printable ASCII with single spaces between words.
fn plain(s: &str) -> usize {
    let bytes = s.as_bytes();
    match run(bytes, is_odd) {
        end if end == 0 || bytes[0] == b' ' => 0,
        end => end - usize::from(bytes[end - 1] == b' '),
    }
}

/// Whether all of it is: such a text is a line, and in NFKC.
pub(super) fn is_plain(s: &str) -> bool {
    plain(s) == s.len()
}

/// Whether a byte is not printable ASCII, or the first of two spaces.
#[inline]
fn is_odd(b: u8, next: u8) -> bool {
    let mut is_odd = b.wrapping_sub(b' ') > b'~' - b' ';
    is_odd |= u16::from_le_bytes([b, next]) == u16::from_le_bytes(*b"  ");
    is_odd
}

/// Whether [`Text::line`] would leave `s` as it is; may say no where it would, never yes where it would not.
fn is_line(s: &str) -> bool {
    if s.starts_with(char::is_whitespace) || s.ends_with(char::is_whitespace) {
        return false;
    }
    let mut rest = s.as_bytes();
    loop {
        rest = &rest[run(rest, is_odd)..];
        // Of what is not ASCII only `“ ” ‘ ’ – — …` and their neighbours, and letters below U+0300, are let pass here.
        let fine = match rest {
            [] => return true,
            [0xc2, 0xa1..=0xff, ..] | [0xc3..=0xcb, ..] => 2,
            [0xe2, 0x80, 0x90..=0xa7 | 0xb0..=0xbf, ..] => 3,
            _ => return false,
        };
        rest = &rest[fine..];
    }
}

/// How many bytes at the start do not end it, each judged with the one behind it (0 at the end). Most of a text is
/// such a run, so it is judged in pieces. A judgement without branches (as [`is_one_of`]) takes a whole piece at once.
pub(crate) fn run(bytes: &[u8], ends: impl Fn(u8, u8) -> bool) -> usize {
    let start = pieces::<8>(bytes, pieces::<32>(bytes, 0, &ends), &ends);
    let rest = start..bytes.len();
    rest.into_iter().find(|&at| ends(bytes[at], bytes.get(at + 1).copied().unwrap_or(0))).unwrap_or(bytes.len())
}

/// Whether a byte is one of a few, without branches.
pub(crate) fn is_one_of<const N: usize>(b: u8, few: &[u8; N]) -> bool {
    few.iter().fold(u8::MAX, |least, other| least.min(b ^ other)) == 0
}

/// Where the first piece of `N` bytes begins that holds an end, or is not whole.
fn pieces<const N: usize>(bytes: &[u8], mut start: usize, ends: &impl Fn(u8, u8) -> bool) -> usize {
    let piece = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk::<N>);
    while let (Some(piece), Some(behind)) = (piece(start), piece(start + 1)) {
        let mut any = false;
        for i in 0..N {
            any |= ends(piece[i], behind[i]);
        }
        if any {
            break;
        }
        start += N;
    }
    start
}

/// Whether text may hold `c`: an XML 1.0 `Char`, no control character, no byte order mark, no bidirectional override
/// (those can make one text look like another, and outlive the text on a terminal).
fn keep(c: char) -> bool {
    !matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Sanitised HTML: a short list of tags, no scripts, no styles, absolute `http`, `https` or `mailto` addresses, and
/// nothing that XML forbids once escaped. An empty string means no text at all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Html(String);

/// Elements that a summary may hold; everything else loses its tags and keeps its text.
const TAGS: [&str; 30] = [
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "del",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "strong",
    "sub",
    "sup",
    "ul",
    "ins",
];

/// What the text of a whole article may hold besides.
const ARTICLE_TAGS: [&str; 26] = [
    "caption", "cite", "col", "colgroup", "details", "dfn", "h1", "h2", "kbd", "mark", "q", "rp", "rt", "ruby", "samp",
    "small", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "var",
];

/// The same for a whole article.
const MAX_ARTICLE: usize = 256 * 1024;

/// Elements that a text may hold.
#[derive(Debug)]
struct Tags {
    kept: HashSet<&'static str>,
    /// The same with those that stand on lines of their own: what goes last, and leaves a break.
    with_boxes: HashSet<&'static str>,
}

impl Tags {
    fn of(kept: impl IntoIterator<Item = &'static str>) -> Self {
        let kept: HashSet<_> = kept.into_iter().collect();
        let with_boxes = kept.iter().copied().chain(BOXES).collect();
        Self { kept, with_boxes }
    }
}

/// Longest HTML that is parsed at once; html5ever's time is quadratic in nesting, so the input is bounded first.
const MAX_DIRTY: usize = 32 * 1024;

impl Html {
    /// Sanitises HTML from outside. Relative addresses resolve against `base`; without one they are dropped.
    /// Longer input is cut at 32 KiB, deeper nesting than 100 is read as text only, and a tag keeps its first 128
    /// attributes.
    pub fn sanitised(dirty: &str, base: Option<&Url>) -> Self {
        static TAG_SET: LazyLock<Tags> = LazyLock::new(|| Tags::of(TAGS));
        let dirty = fine(cut(dirty, MAX_DIRTY));
        if depth_over(&dirty, 100) {
            return Self::escaped(&Text::line(&dirty));
        }
        Self::clean(&dirty, base, &TAG_SET)
    }

    /// Sanitises the text of a whole article, which may hold tables too. Longer input is cut at 256 KiB, of deeper
    /// nesting than 100 nothing is left.
    pub fn article(dirty: &str, base: Option<&Url>) -> Self {
        static TAG_SET: LazyLock<Tags> = LazyLock::new(|| Tags::of(TAGS.into_iter().chain(ARTICLE_TAGS)));
        let dirty = fine(cut(dirty, MAX_ARTICLE));
        if depth_over(&dirty, 100) { Self::default() } else { Self::clean(&dirty, base, &TAG_SET) }
    }

    fn clean(dirty: &str, base: Option<&Url>, tags: &Tags) -> Self {
        let dirty = super::markup::bounded_tags(dirty);
        let mut cleaner = ammonia::Builder::default();
        cleaner
            .tags(tags.with_boxes.clone())
            .url_schemes(["http", "https", "mailto"].into())
            .link_rel(None)
            .url_relative(match base {
                Some(b) => ammonia::UrlRelative::RewriteWithBase(b.clone()),
                None => ammonia::UrlRelative::Deny,
            });
        // What these cite no reader shows, and a relative address would stay one.
        for tag in ["blockquote", "q", "del", "ins"] {
            cleaner.rm_tag_attributes(tag, ["cite"]);
        }
        let boxed = cleaner.clean(&dirty).to_string();
        let mut clean = unboxed(&boxed, |name| tags.kept.contains(name)).into_owned();
        if opens_scope(&dirty) {
            cleaner.tags(tags.kept.clone());
            // Stray ends became paragraphs of nothing.
            clean = cleaner.clean(&clean).to_string().replace("<p></p>", "");
        }
        // A reference such as `&#1;` was a character of its own only now.
        let clean = if clean.chars().all(is_fine) { clean } else { fine(&clean) };
        if shows_something(&clean) { Self(clean.trim().to_owned()) } else { Self::default() }
    }

    /// HTML whose writer escaped all text and admitted every address itself.
    pub fn written(safe: String) -> Self {
        Self(safe)
    }

    /// Plain text as one paragraph of HTML.
    pub fn escaped(text: &Text) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        let mut out = String::with_capacity(text.as_str().len() + 8);
        for (i, part) in text.as_str().split("\n\n").enumerate() {
            if i > 0 {
                out.push('\n');
            }
            out.push_str("<p>");
            push_escaped(&mut out, part);
            out.push_str("</p>");
        }
        Self(out)
    }

    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is plain text in a single `<p>`: then a format may say "text" and show it literally.
    pub fn is_plain(&self) -> bool {
        self.inner().is_some()
    }

    /// What stands in the single `<p>` of plain text, still escaped.
    fn inner(&self) -> Option<&str> {
        let inner = self.0.strip_prefix("<p>")?.strip_suffix("</p>")?;
        memchr::memchr(b'<', inner.as_bytes()).is_none().then_some(inner)
    }

    /// The text of plain text, without a copy where nothing in it was escaped; see [`Html::text`] for any other.
    pub fn words(&self) -> Cow<'_, str> {
        match self.inner() {
            Some(inner) if is_line(inner) => {
                if memchr::memchr(b'&', inner.as_bytes()).is_none() {
                    return Cow::Borrowed(inner);
                }
                let mut out = String::with_capacity(inner.len());
                decode_entities(&mut out, inner);
                Cow::Owned(out)
            }
            _ => Cow::Owned(self.text().into()),
        }
    }

    /// The form in which two texts with the same meaning are equal, whatever their markup; see [`fold`].
    pub fn folded(&self) -> String {
        match self.inner() {
            Some(inner) if memchr::memchr(b'&', inner.as_bytes()).is_some() => {
                let mut decoded = String::with_capacity(inner.len());
                decode_entities(&mut decoded, inner);
                fold(&decoded).into_owned()
            }
            Some(inner) => fold(inner).into_owned(),
            None => fold(self.text().as_str()).into_owned(),
        }
    }

    /// The text of it: tags gone, entities decoded, one paragraph a block.
    pub fn text(&self) -> Text {
        let mut parts: Vec<String> = vec![String::new()];
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find('<') {
            if let Some(p) = parts.last_mut() {
                decode_entities(p, &rest[..at]);
            }
            let tag = &rest[at + 1..];
            let end = tag.find('>').map_or(tag.len(), |i| i + 1);
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            match (gap(&name), parts.last_mut()) {
                (Some(Gap::Line), _) => parts.push(String::new()),
                (Some(Gap::Space), Some(part)) => part.push(' '),
                _ => {}
            }
            rest = &tag[end..];
        }
        if let Some(p) = parts.last_mut() {
            decode_entities(p, rest);
        }
        Text::paragraphs(parts.iter().map(String::as_str))
    }
}

/// Whether HTML may hold `c`.
fn is_fine(c: char) -> bool {
    keep(c) || matches!(c, '\n' | '\t')
}

fn fine(html: &str) -> String {
    html.chars().filter(|&c| is_fine(c)).collect()
}

/// Appends `s` with `& < > "` written as entities, safe in HTML text and double-quoted attributes, and without
/// what text may not hold (white space stays as it is).
pub(crate) fn push_escaped(out: &mut String, s: &str) {
    let mut rest = s;
    loop {
        // What begins nothing that must be escaped or dropped.
        let is_other = |b, _| is_one_of(b, b"\"&<>\x7f\xc2\xe2\xef") | matches!(b, 0..=0x1f);
        let (plain, other) = rest.split_at(run(rest.as_bytes(), is_other));
        out.push_str(plain);
        let mut chars = other.chars();
        match chars.next() {
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            Some('>') => out.push_str("&gt;"),
            Some('"') => out.push_str("&quot;"),
            Some(c) if matches!(c, '\n' | '\t') || keep(c) => out.push(c),
            Some(_) => {}
            None => return,
        }
        rest = chars.as_str();
    }
}

/// Appends `s` with the entities decoded that a serialiser of sanitised HTML writes, and numeric ones.
fn decode_entities(out: &mut String, s: &str) {
    let mut rest = s;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = rest.bytes().take(11).position(|b| b == b';').and_then(|end| {
            let c = match &rest[1..end] {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                "nbsp" => '\u{a0}',
                n => {
                    let n = n.strip_prefix('#')?;
                    let code = match n.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                        None => n.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
            };
            Some((c, end + 1))
        });
        let (c, len) = known.unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[len..];
    }
    out.push_str(rest);
}

/// Whether `html` has an element in which a paragraph may stand that stands in a paragraph itself (HTML §13.2.4.2). Where
/// such an element goes and what it holds stays, one paragraph is left in the other, which no reader can parse.
fn opens_scope(html: &str) -> bool {
    const SCOPES: [&str; 11] =
        ["applet", "button", "caption", "marquee", "math", "object", "svg", "table", "td", "template", "th"];
    let opens = |at: usize| {
        let rest = &html.as_bytes()[at + 1..];
        let length = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        SCOPES.iter().any(|scope| scope.as_bytes().eq_ignore_ascii_case(&rest[..length]))
    };
    memchr::memchr_iter(b'<', html.as_bytes()).any(opens)
}

/// Whether there is a word or a picture in sanitised HTML.
fn shows_something(html: &str) -> bool {
    let is_text = |part: &str| {
        let text = part.rsplit('>').next().unwrap_or_default();
        !text.replace("&nbsp;", " ").trim().is_empty()
    };
    html.contains("<img") || html.split('<').any(is_text)
}

/// Whether `html` opens more than `max` elements inside each other, counted without a parser: an upper bound.
fn depth_over(html: &str, max: usize) -> bool {
    let mut depth = 0usize;
    for part in html.split('<').skip(1) {
        match part.as_bytes().first() {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(c) if c.is_ascii_alphabetic() => depth += 1,
            _ => {}
        }
        let void = ["br", "hr", "img", "p", "li", "wbr"].iter().any(|v| {
            part.get(..v.len()).is_some_and(|s| s.eq_ignore_ascii_case(v))
                && part[v.len()..].starts_with(|c: char| !c.is_ascii_alphanumeric())
        });
        if void {
            depth = depth.saturating_sub(1);
        }
        if depth > max {
            return true;
        }
    }
    false
}

/// The longest beginning of `s` of at most `max` bytes that ends between two characters.
fn cut(s: &str, max: usize) -> &str {
    &s[..s.floor_char_boundary(max)]
}

/// The form in which two texts with the same meaning are equal: NFC, typographic quotes, dashes and spaces as their
/// plain twins, white space collapsed, invisible characters gone. Case counts.
pub fn fold(s: &str) -> Cow<'_, str> {
    let folded = unmarked(s);
    // `--` and `---` are how typewriters, and sources of smart punctuation, write dashes.
    if memchr::memmem::find(folded.as_bytes(), b"--").is_none() {
        return folded;
    }
    let mut is_dash = false;
    let is_new = |c: &char| !std::mem::replace(&mut is_dash, *c == '-') || *c != '-';
    Cow::Owned(folded.chars().filter(is_new).collect())
}

/// The same with dashes as they are counted.
fn unmarked(s: &str) -> Cow<'_, str> {
    let nfc = if may_compose(s) { ComposingNormalizerBorrowed::new_nfc().normalize(s) } else { Cow::Borrowed(s) };
    let mut run = unmarked_run(&nfc);
    if run == nfc.len() {
        return nfc;
    }
    let mut out = String::with_capacity(nfc.len());
    let mut space = false;
    let mut rest: &str = &nfc;
    loop {
        if run > 0 {
            push_spaced(&mut out, &mut space, &rest[..run]);
            rest = &rest[run..];
        }
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { break };
        rest = chars.as_str();
        match c {
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{ff07}' => {
                push_spaced(&mut out, &mut space, "'");
            }
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => {
                push_spaced(&mut out, &mut space, "\"");
            }
            '\u{2010}'..='\u{2015}' | '\u{2212}' => push_spaced(&mut out, &mut space, "-"),
            '\u{2026}' => push_spaced(&mut out, &mut space, "..."),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' => {}
            c if c.is_whitespace() => space = true,
            c => push_spaced(&mut out, &mut space, c.encode_utf8(&mut [0; 4])),
        }
        run = unmarked_run(rest);
    }
    Cow::Owned(out)
}

/// How much of the beginning of `s` stays as it is: all but white space, apart from single spaces between words, and what
/// is a mark, or may be by its first byte: U+0080 to U+00BF, U+1000 to U+3FFF, and U+F000 to U+FFFF.
fn unmarked_run(s: &str) -> usize {
    let bytes = s.as_bytes();
    let may_be = |b: u8, next: u8| {
        let mut may_be = is_one_of(b, b"\xc2\xe1\xe2\xe3\xef") | matches!(b, 0..=0x1f);
        may_be |= u16::from_le_bytes([b, next]) == u16::from_le_bytes(*b"  ");
        may_be
    };
    match run(bytes, may_be) {
        end if end == 0 || bytes[0] == b' ' => 0,
        end => end - usize::from(bytes[end - 1] == b' '),
    }
}

/// Whether a text may not be in NFC: below U+0300, and in general punctuation, nothing composes or decomposes.
fn may_compose(s: &str) -> bool {
    let mut rest = s.as_bytes();
    loop {
        rest = &rest[run(rest, |b, _| b >= 0xcc)..];
        match rest {
            [] => return false,
            [0xe2, 0x80 | 0x81, behind @ ..] => rest = behind,
            _ => return true,
        }
    }
}

fn push_spaced(out: &mut String, space: &mut bool, s: &str) {
    if *space && !out.is_empty() {
        out.push(' ');
    }
    *space = false;
    out.push_str(s);
}

/// `s` in NFKC and with case folded (Unicode default case folding).
pub(crate) fn caseless(s: &str) -> String {
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let folded = CaseMapper::new().fold_string(&nfkc.normalize(s)).into_owned();
    nfkc.normalize(&folded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_nothing_that_xml_or_a_terminal_cannot_bear() {
        assert_eq!(Text::line(" a\u{3}b\r\n\tc\u{1b}[2J\u{fffe}\u{ffff}\u{202e}🚀 ").as_str(), "ab c[2J🚀");
        assert_eq!(Text::line("  one two  three \u{a0}four\u{7f}five – six ").as_str(), "one two three fourfive – six");
    }

    #[test]
    fn a_reference_is_no_way_for_what_xml_forbids() {
        let html = Html::sanitised("<p>a&#1b&#x1b;c&#xfffe;d&#xffff;e&#x202e;f &amp;#1;</p>", None);
        assert_eq!(html.as_str(), "<p>abcdef &amp;#1;</p>");
    }

    #[test]
    fn html_keeps_words_and_loses_danger() {
        let h = Html::sanitised(
            "<p onclick=x>Hi <em>you</em><script>alert(1)</script><a href='javascript:x'>j</a><img src='i.png' onerror=x></p>",
            Url::parse("https://x.example/d/").ok().as_ref(),
        );
        assert_eq!(h.as_str(), "<p>Hi <em>you</em><a>j</a><img src=\"https://x.example/d/i.png\"></p>");
        assert_eq!(h.text().as_str(), "Hi youj");
    }

    /// HTML §4.4.1: a paragraph holds no paragraph.
    #[test]
    fn what_goes_leaves_no_paragraph_in_another() {
        for (dirty, clean) in [
            ("<p>a<object><form>z</p>", "<p>a<br>z</p>"),
            ("<p>a<button><p>b</p></button>c</p>", "<p>a</p><p>b</p>c"),
            ("<p>a<table><td><p>b</table>", "<p>a</p><p>b</p>"),
        ] {
            assert_eq!(Html::sanitised(dirty, None).as_str(), clean, "{dirty}");
        }
    }

    #[test]
    fn what_shows_nothing_is_nothing() {
        for nothing in ["<p></p>", "<p>&nbsp;</p>\n<ul><li> </ul>", "<script>a</script><p><em></em>", "<br>"] {
            assert!(Html::sanitised(nothing, None).is_empty(), "{nothing}");
        }
        let base = Url::parse("https://x.example/").ok();
        assert!(!Html::sanitised("<p><img src=i.png></p>", base.as_ref()).is_empty());
    }

    #[test]
    fn what_is_a_line_already_is_left_alone() {
        for yes in ["", "a b", "It\u{2019}s \u{201c}on\u{201d} \u{2014} caf\u{e9} 1.86\u{d7}"] {
            assert!(is_line(yes), "{yes:?}");
            assert_eq!(Text::line(yes).as_str(), yes);
        }
        for no in
            [" a", "a ", "a  b", "a\nb", "a\u{a0}b", "a\u{2003}b", "a\u{2028}b", "a\u{202e}b", "a\u{3}b", "a\u{85}b"]
        {
            assert!(!is_line(no), "{no:?}");
        }
    }

    #[test]
    fn text_of_html_decodes_once() {
        let h = Html::escaped(&Text::line("a < b & \"c\" &amp; d"));
        assert_eq!(h.as_str(), "<p>a &lt; b &amp; &quot;c&quot; &amp;amp; d</p>");
        assert!(h.is_plain());
        assert_eq!(h.text().as_str(), "a < b & \"c\" &amp; d");
    }

    #[test]
    fn escaping_drops_what_text_may_not_hold() {
        let mut out = String::new();
        push_escaped(&mut out, "a\u{0}\u{1f}b\u{7f}\u{85}c\u{202e}\u{2066}\u{feff}\u{ffff}\td\n—é\u{a0}日<>&\"'");
        assert_eq!(out, "abc\td\n—é\u{a0}日&lt;&gt;&amp;&quot;'");
    }

    #[test]
    fn nesting_is_bounded_before_a_parser_sees_it() {
        let deep = "<div>".repeat(5_000);
        assert_eq!(Html::sanitised(&deep, None).as_str().matches("<div").count(), 0);
        assert!(!depth_over(&"<p>a<br>".repeat(500), 100), "void and self-closing elements do not nest");
    }

    #[test]
    fn a_tag_without_end_of_attributes_is_cut() {
        let many: Vec<String> = (0..3_000).map(|i| format!(" a{i}")).collect();
        assert_eq!(Html::sanitised(&format!("<p{}>text</p>", many.concat()), None).as_str(), "<p>text</p>");
    }

    #[test]
    fn folding_hides_typography_only() {
        assert_eq!(fold("It\u{2019}s  \u{201c}on\u{201d} \u{2014} now\u{2026}\u{200b}"), "It's \"on\" - now...");
        assert_eq!(fold("cafe\u{301}"), "caf\u{e9}");
        assert_eq!(
            fold(" 1.86\u{d7}  caf\u{e9}\u{a0}\u{ab}a\u{bb}\tb\u{3000}\u{3042} "),
            "1.86\u{d7} caf\u{e9} \"a\" b \u{3042}"
        );
        assert_ne!(fold("Case"), fold("case"));
    }
}
