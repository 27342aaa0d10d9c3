//! What a post means, as a number: white space, entities, typography and markup do not count, and neither does a link
//! with the same key.

use crate::model::{Key, Listed, NameKey, Post, fold, number};

/// Shortest summary by which two posts can be told to be one, in characters.
const TELLING: usize = 80;

/// What a post means, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    /// For title, summary, authors, companies, type and link.
    pub(super) said: u64,
    /// For the text of the summary alone, or 0 where it is too short to tell a post by.
    pub(super) summary: u64,
    /// For the link of the article that it summarises, or 0 where there is none, or a host alone, which many share.
    pub(super) original: u64,
}

impl Meaning {
    /// That of a post whose link has this key.
    pub(super) fn of(post: &Post, link: Option<&Key>) -> Self {
        let text = post.summary.folded();
        let summary = number(text.as_bytes()).max(1);
        let mut all = String::with_capacity(512);
        let mut part = |s: &str| {
            all.push_str(s);
            all.push('\0');
        };
        part(&fold(post.title.as_str()));
        for author in &post.authors {
            part(&fold(author.as_str()));
        }
        part("\u{1}");
        for company in &post.companies {
            part(NameKey::of(company.name.as_str()).as_str());
        }
        part("\u{1}");
        part(post.kind.as_ref().map(|kind| NameKey::of(kind.as_str())).as_ref().map_or("", NameKey::as_str));
        // Whether a fragment belongs to the key only the whole reading tells; the post's identity has it where it does.
        part(link.map_or("", Key::bare_str));
        let said = number(all.as_bytes()) ^ summary.rotate_left(1);
        let telling = text.len() >= TELLING * 4 || text.chars().nth(TELLING - 1).is_some();
        let original = post.original.as_ref().map_or(0, Listed::original_of);
        Self { said, summary: if telling { summary } else { 0 }, original }
    }
}

/// The names of a post's companies, in a form in which sets can be compared.
pub(super) fn companies<'a>(names: impl Iterator<Item = &'a str>) -> Vec<NameKey> {
    let mut keys: Vec<NameKey> = names.map(NameKey::of).collect();
    keys.sort();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Html, Text};
    use url::Url;

    fn post(title: &str, html: &str, link: &str) -> Post {
        Post {
            title: Text::line(title),
            summary: Html::sanitised(html, None),
            link: Some(Url::parse(link).unwrap()),
            ..Post::default()
        }
    }

    fn meaning(post: &Post) -> Meaning {
        Meaning::of(post, post.link.as_ref().map(Key::of).as_ref())
    }

    #[test]
    fn noise_means_nothing() {
        let a = post("It's  fast - now", "<p>One <b>two</b> &amp; three</p>", "http://www.x.example/p.html?utm_x=1");
        let b = post("It\u{2019}s fast \u{2013} now", "<p>One  two &#38; <i>three</i></p>", "https://x.example/p");
        assert_eq!(meaning(&a), meaning(&b));
        let (typed, set) = (
            post("Fast -- now", "<p>a---b</p>", "https://x.example/p"),
            post("Fast – now", "<p>a—b</p>", "https://x.example/p"),
        );
        assert_eq!(meaning(&typed), meaning(&set));
    }

    #[test]
    fn words_mean_something() {
        let a = post("Fast", "<p>One</p>", "https://x.example/p");
        assert_ne!(meaning(&a), meaning(&post("Faster", "<p>One</p>", "https://x.example/p")));
        assert_ne!(meaning(&a), meaning(&post("Fast", "<p>Two</p>", "https://x.example/p")));
        assert_ne!(meaning(&a), meaning(&post("Fast", "<p>One</p>", "https://x.example/q")));
    }

    /// Names equal after NFKC, case folding and white space are one name.
    #[test]
    fn another_spelling_of_a_company_or_type_is_the_same_one() {
        let named = |company: &str, kind: &str| {
            let company = crate::model::Company { name: Text::line(company), link: None };
            Post { companies: vec![company], kind: Some(Text::line(kind)), ..post("T", "", "https://x.example/p") }
        };
        assert_eq!(meaning(&named("Goo", "Case study")), meaning(&named("GOO", "Case Study")));
        assert_ne!(meaning(&named("Goo", "Case study")), meaning(&named("Gooo", "Case study")));
        assert_ne!(meaning(&named("Goo", "Case study")), meaning(&named("Goo", "Tutorial")));
    }

    #[test]
    fn an_author_is_no_company() {
        let mut a = post("T", "", "https://x.example/p");
        let mut b = a.clone();
        a.authors = vec![Text::line("Google")];
        b.companies = vec![crate::model::Company { name: Text::line("Google"), link: None }];
        assert_ne!(meaning(&a), meaning(&b));
    }
}
