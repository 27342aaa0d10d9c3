//! An element that says who wrote → the names in it.
//!
//! In: an element that holds one name or several. Out: each name with the element that holds it. Names in elements of
//! their own are apart where words or signs between them say so, or where they are of one sort and of two words or more
//! each; a first and a last name in two elements are one. Deliberately absent: which elements say who wrote.

use super::tree::{Id, Tree, is_block, squeezed};

/// Longest name of a person, in letters.
pub(super) const MAX_NAME: usize = 60;

/// Most names in one element.
const MAX_NAMES: usize = 20;

/// Words that stand before or between names, in lower case.
const JOINTS: [&str; 27] = [
    "and", "with", "by", "und", "von", "mit", "et", "par", "avec", "y", "por", "con", "e", "di", "da", "en", "door",
    "met", "och", "av", "og", "af", "i", "и", "от", "written", "posted",
];

/// The names in an element.
pub(super) fn names(tree: &Tree, id: Id) -> Vec<(String, Id)> {
    let outer = id;
    let mut id = id;
    loop {
        let parts: Vec<Id> = tree.children(id).filter(|&part| tree.size(part) > 0).collect();
        match parts[..] {
            [only] if tree.is_element(only) => id = only,
            _ => return of_parts(tree, outer, &parts),
        }
    }
}

/// The names in parts that stand side by side.
fn of_parts(tree: &Tree, id: Id, parts: &[Id]) -> Vec<(String, Id)> {
    let line = |id: Id| (tree.line(id), id);
    let elements: Vec<Id> = parts.iter().copied().filter(|&part| tree.is_element(part)).collect();
    let is_joint = |&id: &Id| tree.is_element(id) || joins(tree.nodes[id].text.as_deref().unwrap_or_default());
    if elements.len() > 1 && elements.len() <= MAX_NAMES && parts.iter().all(is_joint) && are_apart(tree, &elements) {
        return elements.into_iter().map(line).collect();
    }
    // Two elements may stand side by side without a space.
    let mut name = String::new();
    let mut behind = id;
    for part in tree.children(id) {
        if tree.is_element(part) && tree.is_element(behind) && behind != id {
            name.push(' ');
        }
        name.push_str(&tree.text(part..tree.end(part), |_| false));
        if tree.nodes[part].text.as_deref().is_some_and(|text| text.ends_with(char::is_whitespace)) {
            name.push(' ');
        }
        behind = part;
    }
    vec![if elements.len() > 1 { (squeezed(&name), id) } else { line(id) }]
}

/// Whether a text only joins names.
fn joins(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| JOINTS.contains(&word.to_lowercase().as_str()))
}

/// Whether elements that stand side by side hold a name each.
fn are_apart(tree: &Tree, elements: &[Id]) -> bool {
    let says = |pair: &[Id]| {
        let between = tree.text(tree.end(pair[0])..pair[1], |_| false);
        between.contains([',', ';', '&', '|', '·', '•', '/', '、', '，']) || between.contains(char::is_alphabetic)
    };
    if elements.windows(2).all(says) {
        return true;
    }
    let sort = |id: Id| (tree.name(id), tree.attribute(id, "class"));
    let is_whole = |&id: &Id| is_block(tree.name(id)) || tree.line(id).contains(' ');
    elements.iter().all(|&id| sort(id) == sort(elements[0])) && elements.iter().all(is_whole)
}

/// A name without "by" before it and signs around it; none where it is no name.
pub(super) fn alone(name: &str) -> Option<String> {
    let mut name = name;
    for label in ["by ", "von ", "par ", "por ", "di ", "door ", "av ", "af ", "от ", "автор: ", "author: ", "autor: "]
    {
        if name.get(..label.len()).is_some_and(|start| start.to_lowercase() == label) {
            name = &name[label.len()..];
        }
    }
    let has_mail = name.contains('<');
    let is_sign = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | ')' | '(') || has_mail && c == '>');
    let name = name.trim_matches(is_sign);
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_ascii_digit());
    (is_name && name.chars().filter(|c| c.is_alphanumeric()).count() <= MAX_NAME).then(|| name.to_owned())
}
