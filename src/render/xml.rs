//! Elements → XML in memory, a line an element, indented by a space a level.
//!
//! In: names, which are our own, and text and attributes from anywhere, which `model::Text` and `model::Html` cleared
//! of what XML forbids. Out: well-formed XML, as long as every start gets its end. Follows XML 1.0 §2.4 and §3.1.
//! Deliberately absent: names or attributes from outside, comments, instructions.

use crate::model::{is_one_of, run};

/// XML in the making.
pub(super) struct Xml {
    out: String,
    depth: usize,
}

impl Xml {
    /// A document that begins with this declaration, in memory for `capacity` bytes.
    pub(super) fn new(declaration: &str, capacity: usize) -> Self {
        let mut out = String::with_capacity(capacity);
        out.push_str(declaration);
        Self { out, depth: 0 }
    }

    /// The document's bytes, ended by a line's end.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.out.push('\n');
        self.out.into_bytes()
    }

    /// Starts an element that holds others.
    pub(super) fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push('>');
        self.depth += 1;
    }

    /// Ends it.
    pub(super) fn end(&mut self, name: &str) {
        self.depth -= 1;
        self.line();
        self.close(name);
    }

    /// An element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str("/>");
    }

    /// An element with text.
    pub(super) fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.tag(name, attributes);
        self.out.push('>');
        escape(&mut self.out, text);
        self.close(name);
    }

    /// An element with text that stays as it is for those who read the file.
    pub(super) fn cdata(&mut self, name: &str, text: &str) {
        self.tag(name, &[]);
        self.out.push('>');
        self.out.push_str("<![CDATA[");
        let mut done = 0;
        // What would end it is parted in two.
        for end in memchr::memmem::find_iter(text.as_bytes(), b"]]>").map(|at| at + 2) {
            self.out.push_str(&text[done..end]);
            self.out.push_str("]]><![CDATA[");
            done = end;
        }
        self.out.push_str(&text[done..]);
        self.out.push_str("]]>");
        self.close(name);
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.line();
        self.out.push('<');
        self.out.push_str(name);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(&mut self.out, value);
            self.out.push('"');
        }
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth {
            self.out.push(' ');
        }
    }
}

/// Appends text with the five characters escaped that have a meaning in text or in an attribute.
fn escape(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        let plain = run(rest.as_bytes(), |b, _| is_one_of(b, b"<>&'\""));
        out.push_str(&rest[..plain]);
        out.push_str(match rest.as_bytes().get(plain) {
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            Some(b'&') => "&amp;",
            Some(b'\'') => "&apos;",
            Some(_) => "&quot;",
            None => return,
        });
        rest = &rest[plain + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_a_line_each_and_hold_what_they_were_given() {
        let mut xml = Xml::new("<?xml version=\"1.0\"?>", 0);
        xml.start("a", &[("b", "\"<&>'")]);
        xml.empty("c", &[]);
        xml.text("d", &[], "Q&A: <it's \"x\">");
        xml.cdata("e", "<p>]]></p>");
        xml.cdata("f", "");
        xml.end("a");
        let expected = "<?xml version=\"1.0\"?>\n<a b=\"&quot;&lt;&amp;&gt;&apos;\">\n <c/>\n \
                        <d>Q&amp;A: &lt;it&apos;s &quot;x&quot;&gt;</d>\n <e><![CDATA[<p>]]]]><![CDATA[></p>]]></e>\n \
                        <f><![CDATA[]]></f>\n</a>\n";
        assert_eq!(String::from_utf8_lossy(&xml.into_bytes()), expected);
    }
}
