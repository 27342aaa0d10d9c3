//! Who publishes posts, as the configuration knows them, and when two names are one.

use super::slug::{Slug, name_key};
use super::text::Text;
use percent_encoding::percent_decode_str;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use url::Url;

/// A name in the form in which two spellings of it are equal: NFKC, case folded, white space collapsed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(String);

impl NameKey {
    /// The key of a name.
    pub fn of(name: &str) -> Self {
        Self(name_key(name))
    }

    /// The key as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A `[[company]]` of the seeds: its feed's slug and title, and the other names and links under which pages know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanySeed {
    /// The slug of its feed.
    pub slug: Slug,
    /// What its feed is called; also a name of it.
    pub title: Text,
    /// Other names, or addresses (`https://…`) of its page.
    pub aliases: Vec<String>,
}

/// The slug that a company's link suggests: its last path segment without extension, where the link is on the page's
/// own host. A bare host suggests none.
pub fn linked_slug(link: &Url, page: &Url) -> Option<Slug> {
    let host = |url: &Url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned());
    if host(link).is_none() || host(link) != host(page) {
        return None;
    }
    let segments = link.path_segments()?.rev().map(|segment| {
        let endings = [".md", ".html", ".htm", ".php"];
        let bare = endings.iter().find_map(|ending| segment.strip_suffix(ending)).unwrap_or(segment);
        percent_decode_str(bare).decode_utf8_lossy().into_owned()
    });
    let last = segments.into_iter().find(|segment| !segment.is_empty() && segment != "index")?;
    last.contains(char::is_alphanumeric).then(|| Slug::of(&last))
}

/// The slugs of names that have none yet. Each comes with what its link suggests, if anything; names equal under
/// [`NameKey`] are one. Where two want the same slug, the first in code-point order gets it plain, unless `is_taken`
/// says that somebody has it; the others stand beside it. The order in which the names come does not matter.
pub fn assign_slugs<'a>(
    names: impl IntoIterator<Item = (&'a str, Option<Slug>)>,
    is_taken: impl Fn(&Slug) -> bool,
) -> BTreeMap<NameKey, Slug> {
    let mut wanted: BTreeMap<NameKey, (&str, Option<Slug>)> = BTreeMap::new();
    for (name, linked) in names {
        let one = wanted.entry(NameKey::of(name)).or_insert((name, None));
        one.0 = one.0.min(name);
        one.1 = one.1.take().into_iter().chain(linked).min();
    }
    let mut in_order: Vec<_> = wanted.into_iter().collect();
    in_order.sort_by_key(|(_, (name, _))| *name);
    let mut given = BTreeSet::new();
    let mut slugs = BTreeMap::new();
    for (key, (name, linked)) in in_order {
        let mut slug = linked.unwrap_or_else(|| Slug::of(name));
        while is_taken(&slug) || !given.insert(slug.clone()) {
            slug = slug.beside(name);
        }
        slugs.insert(key, slug);
    }
    slugs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(s: &str) -> Url {
        Url::parse(s).unwrap()
    }

    #[test]
    fn a_link_on_the_pages_host_names_the_company() {
        let page = url("https://www.topics.example/tpu.md");
        let slug = |link: &str| linked_slug(&url(link), &page).map(|s| s.to_string());
        assert_eq!(slug("https://topics.example/company/acme-labs.md").as_deref(), Some("acme-labs"));
        assert_eq!(slug("https://topics.example/c/x.ai.md").as_deref(), Some("x-ai"));
        assert_eq!(slug("https://topics.example/company/acme/index.html").as_deref(), Some("acme"));
        assert_eq!(slug("https://topics.example/"), None, "a bare host");
        assert_eq!(slug("https://acme.example/about"), None, "another host");
    }

    #[test]
    fn where_two_names_meet_the_first_in_code_point_order_is_plain() {
        let none = |_: &Slug| false;
        let slugs = |names: &[&str]| assign_slugs(names.iter().map(|&n| (n, None)), none);
        let of = |names: &[&str], name: &str| slugs(names)[&NameKey::of(name)].to_string();
        for names in [["A B", "A-B"], ["A-B", "A B"]] {
            assert_eq!(of(&names, "A B"), "a-b");
            assert_eq!(of(&names, "A-B"), Slug::of("a-b").beside("A-B").to_string());
        }
        assert_eq!(slugs(&["Acme", "ACME ", "acme"]).len(), 1, "spellings of one name");
        let taken = assign_slugs([("Acme", None)], |s| s.as_str() == "acme");
        assert_eq!(taken[&NameKey::of("acme")], Slug::of("acme").beside("Acme"));
    }

    #[test]
    fn what_a_link_suggests_goes_before_the_name() {
        let linked = [("Acme", None), ("Acme", Some(Slug::of("acme-compute")))];
        let slugs = assign_slugs(linked, |_| false);
        assert_eq!(slugs[&NameKey::of("Acme")].as_str(), "acme-compute");
    }
}
