//! What an HTML page says about itself: title, description, site, base, better forms of itself.

use super::tree::{Id, Tree};
use crate::model::Kind;
use html5ever::local_name;

/// What a page's head says.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// What the site calls itself.
    pub(super) site: Option<String>,
    /// What links resolve against.
    pub(super) base: Option<String>,
    /// Other forms of the page: feeds, Markdown.
    pub(super) alternates: Vec<(Kind, String)>,
    /// The language, in lower case.
    pub(super) language: String,
}

impl About {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut about = Self::default();
        let keep = |slot: &mut Option<String>, text: &str| {
            let text = super::tree::squeezed(text);
            if slot.is_none() && !text.is_empty() {
                *slot = Some(text);
            }
        };
        let mut plain = None;
        for id in tree.elements(1..tree.len()) {
            match *tree.name(id) {
                local_name!("html") => {
                    about.language = tree.attribute(id, "lang").unwrap_or_default().trim().to_ascii_lowercase();
                }
                local_name!("base") if about.base.is_none() => {
                    about.base = tree.attribute(id, "href").map(|href| href.trim().to_owned());
                }
                local_name!("link") => about.alternates.extend(alternate(tree, id)),
                local_name!("title") => keep(&mut about.title, &tree.line(id)),
                local_name!("h1") => keep(&mut plain, &tree.line(id)),
                local_name!("meta") => match meta(tree, id) {
                    Some(("description", text)) => keep(&mut about.description, text),
                    Some(("og:site_name" | "application-name", text)) => keep(&mut about.site, text),
                    _ => {}
                },
                _ => {}
            }
        }
        about.title = about.title.or(plain);
        about
    }
}

/// Another form of the page that a `link` names.
fn alternate(tree: &Tree, id: Id) -> Option<(Kind, String)> {
    let kind = tree.attribute(id, "type")?.split(';').next()?.trim().to_ascii_lowercase();
    let kind = match kind.as_str() {
        "application/rss+xml" | "application/atom+xml" | "application/feed+json" => Kind::Feed,
        "text/markdown" => Kind::Markdown,
        _ => return None,
    };
    let href = tree.attribute(id, "href").filter(|_| tree.has_word(id, "rel", "alternate"))?;
    Some((kind, href.trim().to_owned()))
}

/// The name and content of a `meta`.
fn meta(tree: &Tree, id: Id) -> Option<(&str, &str)> {
    let name = tree.attribute(id, "name").or_else(|| tree.attribute(id, "property"))?;
    Some((name.trim(), tree.attribute(id, "content")?))
}
