//! Elements by tables: which may stand in another, how often, and what each must hold.
//!
//! In: an element and its table. Out: notes on what is unknown, there twice, missing, or holds the wrong thing.

use super::Notes;
use super::date;
use super::space::Space;
use super::tree::Node;
use super::value::{self, Address};

/// What an element must hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    /// Anything; looked at elsewhere, or not at all.
    Any,
    /// Text, and no elements.
    Text,
    /// Text that should not be empty.
    Words,
    /// A date of RFC 822.
    Rfc822,
    /// A date of RFC 3339, without white space.
    Rfc3339,
    /// A date of the W3C's profile of ISO 8601.
    W3c,
    /// The same, and a time may lack its zone.
    Iso8601,
    /// An address.
    Link(Address),
    /// A language.
    Language,
    /// A whole number within bounds.
    Number(i64, i64),
    /// A number within bounds.
    Decimal(f64, f64),
    /// A media type.
    MediaType,
    /// Seconds, or hours, minutes and seconds.
    Duration,
    /// Whole numbers, separated by commas.
    Numbers,
    /// A mail address, and a name in brackets.
    Contact,
    /// A mail address.
    Mail,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A row of a table: an element's name, whether it stands there once at most, and what it holds.
pub(super) type Row = (&'static str, bool, Holds);

/// Checks the children of an element that are in `space` by a table; returns the first one for each row.
pub(super) fn children<'t, const N: usize>(
    parent: Node<'t>,
    space: Space,
    table: &[Row; N],
    rule: &'static str,
    notes: &mut Notes,
) -> [Option<Node<'t>>; N] {
    let mut firsts = [None; N];
    // The row of the child before, from which the next one is looked for, since writers keep an order.
    let mut row = 0;
    for child in parent.children().filter(|child| child.space == space) {
        let is_its = |(name, ..): &Row| *name == child.name;
        let behind = table[row..].iter().position(is_its).map(|n| row + n);
        let Some(found) = behind.or_else(|| table.iter().position(is_its)) else {
            notes.error(child.at, rule, format!("<{}> has no element <{}>", parent.name, child.name));
            continue;
        };
        row = found;
        let (_, once, holds) = &table[row];
        if firsts[row].is_none() {
            firsts[row] = Some(child);
        } else if *once {
            notes.error(child.at, rule, format!("a second <{}> in <{}>", child.name, parent.name));
        }
        if !matches!(holds, Holds::Any) {
            content(child, *holds, rule, notes);
        }
    }
    firsts
}

/// Notes each of these children that is missing.
pub(super) fn needs(parent: Node<'_>, space: Space, names: &[&str], rule: &'static str, notes: &mut Notes) {
    for name in names.iter().filter(|name| parent.first(space, name).is_none()) {
        notes.error(parent.at, rule, format!("<{}> has no <{name}>", parent.name));
    }
}

/// The values of the attributes that an element may have without a namespace, and notes: on each of the first `needed`
/// that is missing, and on each other that there is.
pub(super) fn attributes<'t, const N: usize>(
    node: Node<'t>,
    names: [&str; N],
    needed: usize,
    rule: &'static str,
    notes: &mut Notes,
) -> [Option<&'t str>; N] {
    let (mut values, mut has_others) = ([None; N], false);
    for attribute in node.attributes().iter().filter(|a| a.space == Space::None) {
        match names.iter().position(|name| *name == attribute.name) {
            Some(n) => _ = values[n].get_or_insert(&*attribute.value),
            None => has_others = true,
        }
    }
    if values[..needed].contains(&None) {
        needs_attributes(node, &names[..needed], rule, notes);
    }
    if has_others {
        only_attributes(node, &names, rule, notes);
    }
    values
}

/// Notes attributes without a namespace that the element does not have.
fn only_attributes(node: Node<'_>, names: &[&str], rule: &'static str, notes: &mut Notes) {
    for attribute in node.attributes().iter().filter(|a| a.space == Space::None && !names.contains(&a.name)) {
        notes.error(node.at, rule, format!("<{}> has no attribute `{}`", node.name, attribute.name));
    }
}

/// Notes each of these attributes that is missing.
pub(super) fn needs_attributes(node: Node<'_>, names: &[&str], rule: &'static str, notes: &mut Notes) {
    for name in names.iter().filter(|name| node.attribute(name).is_none()) {
        notes.error(node.at, rule, format!("<{}> has no `{name}`", node.name));
    }
}

/// Checks what an element holds.
pub(super) fn content(node: Node<'_>, holds: Holds, rule: &'static str, notes: &mut Notes) {
    if matches!(holds, Holds::Any) {
        return;
    }
    if let Some(child) = node.children().next() {
        notes.error(child.at, rule, format!("<{}> holds text, not elements such as <{}>", node.name, child.name));
    }
    if matches!(holds, Holds::Text) {
        return;
    }
    // RFC 4287 says where white space is none of the value: dates and ids of Atom.
    let text = if matches!(holds, Holds::Rfc3339 | Holds::Link(Address::Iri | Address::IriReference)) {
        node.text()
    } else {
        node.trimmed()
    };
    if let Err(why) = is(text, holds) {
        note(node, holds, text, rule, format!("<{}> {why}{}", node.name, quoted(text)), notes);
    }
}

/// Notes what is wrong with an attribute's value.
pub(super) fn attribute(node: Node<'_>, name: &str, value: &str, holds: Holds, rule: &'static str, notes: &mut Notes) {
    if let Err(why) = is(value, holds) {
        note(node, holds, value, rule, format!("`{name}` of <{}> {why}{}", node.name, quoted(value)), notes);
    }
}

/// Notes that a value is not what it should be: as bad as readers take it.
fn note(node: Node<'_>, holds: Holds, value: &str, rule: &'static str, message: String, notes: &mut Notes) {
    match holds {
        Holds::Words => notes.warning(node.at, rule, message),
        Holds::Language | Holds::Contact | Holds::Mail => notes.flaw(node.at, rule, message),
        Holds::Link(_) if value.contains(':') => notes.flaw(node.at, rule, message),
        // Readers compare ids and never open them; one that was taken over from another program stays as it is.
        Holds::Link(_) if node.name == "id" => notes.flaw(node.at, rule, message),
        _ => notes.error(node.at, rule, message),
    }
}

/// What is wrong with a text that should be this, if something is.
pub(super) fn is(text: &str, holds: Holds) -> Result<(), String> {
    let unless = |fine: bool, why: &str| if fine { Ok(()) } else { Err(why.to_owned()) };
    match holds {
        Holds::Any | Holds::Text => Ok(()),
        Holds::Words => unless(!text.is_empty(), "is empty"),
        Holds::Rfc822 => date::rfc822(text).map_err(str::to_owned),
        Holds::Rfc3339 => unless(date::rfc3339(text), "is no date of RFC 3339, such as `2026-09-24T10:00:00Z`"),
        Holds::W3c => unless(date::w3c(text), "is no date such as `2026-09-24` or `2026-09-24T10:00Z`"),
        Holds::Iso8601 => unless(date::w3c(text) || date::w3c(&format!("{text}Z")), "is no date of ISO 8601"),
        Holds::MediaType => unless(value::is_media_type(text), "is no media type, such as `audio/mpeg`"),
        Holds::Duration => unless(value::is_duration(text), "is no duration, such as `1:02:03`"),
        Holds::Numbers => {
            let fine = !text.is_empty() && text.split(',').all(|n| value::is_number(n, 0, i64::MAX));
            unless(fine, "is no list of numbers, such as `1,2,3`")
        }
        Holds::Link(wanted) => value::address(text, wanted),
        Holds::Language => unless(value::is_language(text), "is no language of RFC 5646, such as `en`"),
        Holds::Number(least, most) => {
            let bound = || if most == i64::MAX { format!("{least} or more") } else { format!("{least} to {most}") };
            if value::is_number(text, least, most) { Ok(()) } else { Err(format!("is no whole number, {}", bound())) }
        }
        Holds::Decimal(least, most) => {
            let fine = text.parse::<f64>().is_ok_and(|n| (least..=most).contains(&n));
            if fine { Ok(()) } else { Err(format!("is no number from {least} to {most}")) }
        }
        Holds::Contact => unless(value::is_contact(text), "is no mail address, such as `a@x.example (Ann)`"),
        Holds::Mail => unless(value::is_mail(text), "is no mail address"),
        Holds::Word(words) if words.contains(&text) => Ok(()),
        Holds::Word(words) => Err(format!("is none of {}", words.join(", "))),
    }
}

/// The start of a value, as a message shows it.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    match text.len() {
        0 => String::new(),
        n if n > short.len() => format!(": `{short}…`"),
        _ => format!(": `{short}`"),
    }
}
