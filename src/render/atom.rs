//! Feed → Atom 1.0 (RFC 4287), with its archives (RFC 5005).
//!
//! Ids: an entry's is its `uid`; the feed's is made from the path alone that it was first published at, so that it stays
//! when the site or the feed moves, and is the archives' too: they are parts of one feed.
//! Every author is an `author`; the site stands in for entries without one (§4.1.1). Text is `text`, markup `html`,
//! never `xhtml`: the writer would put that out as it is. In feeds of several topics each entry has the one that brought
//! it as its `source` (§4.2.11), whose `updated` is the entry's own: when it was taken over from there.

use super::{GENERATOR, HISTORY, ICON, Masthead, part, reference, room};
use crate::model::{
    Enclosure, Entry, EntryCompany, EntryTopic, FeedKey, Format, Html, Site, Stamp, push_escaped, strict_address,
};
use atom_syndication::extension::{Extension, ExtensionMap};
use atom_syndication::{
    Category, Content, Entry as Item, Feed, FixedDateTime, Generator, Link, Person, Source, Text, WriteConfig,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The feed's bytes.
pub(super) fn write(head: &Masthead) -> Vec<u8> {
    let mut feed = Feed {
        title: title(head.feed.title.as_str()),
        id: feed_id(head.feed.identity.as_deref().unwrap_or(&head.stem)),
        updated: time(head.feed.updated),
        authors: vec![person(head.site.title.as_str())],
        generator: Some(Generator { value: GENERATOR.to_owned(), uri: None, version: None }),
        icon: Some(head.site.address("favicon.ico")),
        logo: Some(head.site.address(ICON)),
        lang: head.language().map(str::to_owned),
        extensions: head.mark().map(history).unwrap_or_default(),
        namespaces: head.mark().map(|_| ("fh".to_owned(), HISTORY.to_owned())).into_iter().collect(),
        links: links(head),
        subtitle: Some(title(head.description.as_ref())),
        ..Feed::default()
    };
    part::by_part(Format::Atom, &head.feed.entries, |entries| {
        feed.entries = entries.iter().map(|entry| item(head, entry)).collect();
        written(&feed, room(entries))
    })
}

fn written(feed: &Feed, room: usize) -> Vec<u8> {
    let config = WriteConfig { write_document_declaration: true, indent_size: Some(1) };
    let mut bytes = feed.write_with_config(Vec::with_capacity(room), config).expect("memory takes every byte");
    bytes.push(b'\n');
    let mut out = Vec::with_capacity(bytes.len() + 256);
    reference::hexadecimal(&bytes, &["title", "subtitle", "name"], &mut out);
    out
}

/// The same wherever the feed is served.
fn feed_id(stem: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("pagewire:{stem}").as_bytes()).urn().to_string()
}

/// An empty element of RFC 5005.
fn history(name: &str) -> ExtensionMap {
    let mark = Extension { name: format!("fh:{name}"), value: Some(String::new()), ..Extension::default() };
    BTreeMap::from([("fh".to_owned(), BTreeMap::from([(name.to_owned(), vec![mark])]))])
}

/// This file, the page for people, the same posts in the other formats, and the ways to more.
fn links(head: &Masthead) -> Vec<Link> {
    let mut links = vec![
        link(head.own_address(Format::Atom), "self", Format::Atom.media_type()),
        link(head.page.clone(), "alternate", "text/html"),
    ];
    if head.part.is_none() {
        for &other in head.formats.iter().filter(|&&f| f != Format::Atom) {
            links.push(link(head.address(other), "alternate", other.media_type()));
        }
        links.extend(head.site.hub.iter().map(|hub| Link { mime_type: None, ..link(hub.to_string(), "hub", "") }));
    }
    links.extend(head.around().into_iter().map(|(rel, href)| link(href, rel, Format::Atom.media_type())));
    links
}

/// A feed with nothing but one entry's source.
pub(super) fn source_alone(site: &Site, topic: &EntryTopic) -> Vec<u8> {
    let item = Item { source: Some(source(site, topic, Stamp(0))), ..Item::default() };
    written(&Feed { entries: vec![item], ..Feed::default() }, 2_048)
}

/// Where an entry of a feed of several topics comes from.
fn source(site: &Site, topic: &EntryTopic, updated: Stamp) -> Source {
    let stem = FeedKey::Topic(topic.slug.clone()).path();
    let address = |ending: &str| site.address(&format!("{stem}.{ending}"));
    Source {
        title: title(topic.title.as_str()),
        id: feed_id(topic.identity.as_deref().unwrap_or(&stem)),
        updated: time(updated),
        links: vec![
            link(address(Format::Atom.ending()), "self", Format::Atom.media_type()),
            link(address("html"), "alternate", "text/html"),
        ],
        ..Source::default()
    }
}

fn item(head: &Masthead, entry: &Entry) -> Item {
    // §4.1.2 wants content where there is no link. Where a page says nothing of a post, its title is the content:
    // readers and validators want some, and a summary should not repeat the title (§4.2.13). The text of a post's own
    // page is content beside the summary.
    let has_text = !entry.content.is_empty();
    let whole = !has_text && (entry.link.is_none() || entry.summary.is_empty());
    Item {
        title: title(entry.title.as_str()),
        id: entry.uid.clone(),
        updated: time(entry.updated),
        authors: entry.authors.iter().map(|name| person(name.as_str())).collect(),
        categories: categories(head, entry),
        links: entry.link.iter().map(|link| alternate(link)).chain(entry.enclosures.iter().map(enclosure)).collect(),
        published: Some(time(entry.published)),
        summary: (!whole && !entry.summary.is_empty()).then(|| summary(&entry.summary)),
        content: (whole || has_text).then(|| content(entry)),
        source: entry.topic.as_ref().filter(|_| head.is_merged()).map(|topic| source(head.site, topic, entry.updated)),
        ..Item::default()
    }
}

/// The type, then each company.
fn categories(head: &Masthead, entry: &Entry) -> Vec<Category> {
    let kind = entry.kind.iter().map(|kind| Category {
        term: kind.as_str().to_owned(),
        scheme: Some(head.types.clone()),
        label: None,
    });
    kind.chain(entry.companies.iter().map(|company| company_category(head, company))).collect()
}

fn company_category(head: &Masthead, company: &EntryCompany) -> Category {
    let name = company.name.as_str().to_owned();
    match &company.slug {
        Some(slug) => {
            Category { term: slug.as_str().to_owned(), scheme: Some(head.companies.clone()), label: Some(name) }
        }
        None => Category { term: name, scheme: None, label: None },
    }
}

fn summary(html: &Html) -> Text {
    words(html).map_or_else(|| Text::html(html.as_str()), Text::plain)
}

/// The text of HTML that is no more than a text, which nobody can take for HTML.
fn words(html: &Html) -> Option<Cow<'_, str>> {
    html.is_plain().then(|| html.words()).filter(|words| !looks_like_markup(words))
}

/// Whether a text that is none looks like HTML to a reader that guesses: it has a tag, or a reference.
fn looks_like_markup(text: &str) -> bool {
    let starts =
        |at: usize| text[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '#' | '!'));
    memchr::memchr2_iter(b'<', b'&', text.as_bytes()).any(starts)
}

/// A title: plain, unless it holds the end of a tag, which who guesses takes for markup.
fn title(text: &str) -> Text {
    let ends = |at: usize| text[at + 2..].starts_with(|c: char| c.is_ascii_alphabetic());
    if memchr::memmem::find_iter(text.as_bytes(), b"</").any(ends) {
        return Text::html(escaped(text));
    }
    Text::plain(text)
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    push_escaped(&mut html, text);
    html
}

fn content(entry: &Entry) -> Content {
    let text = if entry.content.is_empty() { &entry.summary } else { &entry.content };
    let (kind, value) = match text {
        html if html.is_empty() => {
            let title = entry.title.as_str();
            if looks_like_markup(title) { ("html", escaped(title)) } else { ("text", title.to_owned()) }
        }
        html => words(html).map_or_else(|| ("html", html.as_str().to_owned()), |words| ("text", words.into_owned())),
    };
    Content { content_type: Some(kind.to_owned()), value: Some(value), ..Content::default() }
}

fn link(href: String, rel: &str, media_type: &str) -> Link {
    Link { href, rel: rel.to_owned(), mime_type: Some(media_type.to_owned()), ..Link::default() }
}

/// What a reader opens. A page that ends in `.md` is no HTML, and a wrong type is worse than none.
fn enclosure(file: &Enclosure) -> Link {
    let length = (file.length > 0).then(|| file.length.to_string());
    Link { length, ..link(strict_address(&file.url).into_owned(), "enclosure", &file.media_type) }
}

fn alternate(url: &str) -> Link {
    let url = strict_address(url);
    let markdown = url.len() >= 3 && url.as_bytes()[url.len() - 3..].eq_ignore_ascii_case(b".md");
    Link { mime_type: (!markdown).then(|| "text/html".to_owned()), ..link(url.into_owned(), "alternate", "") }
}

/// A person; a mail address behind the name, as `Ann <ann@x.example>`, has a place of its own.
fn person(name: &str) -> Person {
    let of_both = name.strip_suffix('>').and_then(|both| both.rsplit_once('<'));
    let is_mail = |(_, mail): &(&str, &str)| {
        let word = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"._%+-".contains(&b));
        mail.split_once('@').is_some_and(|(user, host)| word(user) && word(host) && host.contains('.'))
    };
    let (name, email) = match of_both.filter(is_mail) {
        Some((name, mail)) if !name.trim().is_empty() => (name.trim(), Some(mail.to_owned())),
        _ => (name, None),
    };
    Person { name: name.to_owned(), email, ..Person::default() }
}

fn time(stamp: Stamp) -> FixedDateTime {
    stamp.utc().fixed_offset()
}
