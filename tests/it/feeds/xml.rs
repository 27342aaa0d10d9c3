//! A strict little reader: a document or a panic. It takes no document that XML 1.0 calls not well-formed.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element; names keep their prefix.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) text: String,
    pub(super) children: Vec<Node>,
}

impl Node {
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &Node> + use<'_> {
        let name = name.to_owned();
        self.children.iter().filter(move |c| c.name == name)
    }

    /// The only child of that name.
    pub(super) fn one(&self, name: &str) -> &Node {
        let mut found = self.all(name);
        let first = found.next().unwrap_or_else(|| panic!("<{}> has no <{name}>", self.name));
        assert!(found.next().is_none(), "<{}> has several <{name}>", self.name);
        first
    }

    pub(super) fn maybe(&self, name: &str) -> Option<&Node> {
        self.all(name).next()
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// The root element of a document.
pub(super) fn read(bytes: &[u8]) -> Node {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    assert!(text.chars().all(is_char), "a character that XML 1.0 §2.2 forbids");
    let mut reader = Reader::from_str(text);
    let mut open = vec![Node::default()];
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(start) => open.push(node(&start)),
            Event::Empty(start) => open.last_mut().unwrap().children.push(node(&start)),
            Event::End(_) => {
                let closed = open.pop().unwrap();
                open.last_mut().unwrap().children.push(closed);
            }
            Event::Text(t) => {
                let t = t.decode().unwrap();
                assert!(!t.contains("]]>"), "§2.4 forbids ]]> in text");
                open.last_mut().unwrap().text.push_str(&t);
            }
            Event::CData(t) => open.last_mut().unwrap().text.push_str(&t.decode().unwrap()),
            Event::GeneralRef(r) => {
                let known = match r.decode().unwrap().as_ref() {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => r.resolve_char_ref().expect("a character"),
                };
                open.last_mut().unwrap().text.push(known.expect("no entity is declared"));
            }
            Event::Eof => break,
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::DocType(_) => panic!("no feed declares a document type"),
        }
    }
    assert_eq!(open.len(), 1, "an element is left open");
    let mut root = open.pop().unwrap();
    assert_eq!(root.children.len(), 1, "one root element");
    assert_eq!(root.text.trim(), "", "no text around it");
    root.children.pop().unwrap()
}

fn node(start: &BytesStart) -> Node {
    let attributes = start.attributes().map(|a| {
        let a = a.expect("well-formed attribute");
        assert!(!a.value.contains(&b'<'), "§3.1 forbids < in an attribute");
        let value = quick_xml::escape::unescape(std::str::from_utf8(&a.value).unwrap()).unwrap().into_owned();
        (String::from_utf8(a.key.as_ref().to_vec()).unwrap(), value)
    });
    Node {
        name: String::from_utf8(start.name().as_ref().to_vec()).unwrap(),
        attributes: attributes.collect(),
        ..Node::default()
    }
}

fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
