//! Where on an HTML page its posts and their parts are, said by CSS selectors.
//!
//! A [`Selector`] is CSS (Selectors Level 4, as far as the `scraper` crate has it), with `@NAME` behind it for an
//! attribute instead of the text: `time@datetime`, or `@data-id` for one of the post's own element. It is checked when
//! it is made, so what a [`Selectors`] holds can be used. Deliberately absent: documents, and what a selector finds.

use std::fmt;

/// A CSS selector, perhaps with an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Selector {
    /// As written.
    text: String,
    /// How much of it is CSS.
    css: usize,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let css = attribute_at(text).unwrap_or(text.len());
        let selector = Self { text: text.to_owned(), css: text[..css].trim_end().len() };
        if text.is_empty() || text.ends_with('@') {
            return Err(
                "expected a CSS selector such as `article h2 a`, or `time@datetime` for an attribute".to_owned()
            );
        }
        if !selector.css().is_empty()
            && let Err(e) = scraper::Selector::parse(selector.css())
        {
            return Err(why(selector.css(), &e));
        }
        Ok(selector)
    }

    /// The CSS part; empty where the post's own element is meant.
    pub fn css(&self) -> &str {
        &self.text[..self.css]
    }

    /// The attribute, in lower case.
    pub fn attribute(&self) -> Option<String> {
        let name = self.text[self.css..].trim_start().strip_prefix('@')?;
        Some(name.trim().to_ascii_lowercase())
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Where `@NAME` begins at the end of a selector; `@` in quotes or brackets is none.
fn attribute_at(text: &str) -> Option<usize> {
    let (before, name) = text.rsplit_once('@')?;
    let is_name = name.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    let is_open = |open, close| before.matches(open).count() != before.matches(close).count();
    (is_name && !is_open('[', ']') && !is_open('(', ')')).then_some(before.len())
}

/// What is wrong with a selector, in words of this field; the parser's own say to report them to its makers.
fn why(css: &str, error: &scraper::error::SelectorErrorKind) -> String {
    use scraper::error::SelectorErrorKind as E;
    let told = format!("{error:?}");
    let what = match error {
        E::EndOfLine => "it ends too early: something is open or missing",
        _ if told.contains("PseudoElement") || css.contains("::") => {
            "a name behind `:` is not known; text is found by itself, and `selector@attribute` finds an attribute"
        }
        _ if told.contains("Dangling") => "something is missing beside a `>`, `+` or `~`",
        _ if told.contains("Empty") => "a part of it is empty",
        _ if told.contains("PseudoClass") => "a name behind `:` is not known",
        _ => "a sign stands where none can",
    };
    format!("`{css}` is no CSS selector: {what}")
}

/// Which selectors a page has; what none is given for is found without.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Selectors {
    values: Vec<(&'static str, Selector)>,
    /// How dates are written, as `strftime` has it: `%d/%m/%Y`.
    pub date_format: Option<String>,
}

impl Selectors {
    /// The names of selectors, as keys of the seeds and options of `preview`.
    pub const KEYS: [&'static str; 9] =
        ["item", "title", "link_selector", "date", "summary", "author", "type", "company", "image"];

    /// The selector of a name.
    pub fn of(&self, key: &str) -> Option<&Selector> {
        self.values.iter().find(|(k, _)| *k == key).map(|(_, selector)| selector)
    }

    /// Sets the selector of a name; an unknown name is nobody's.
    pub fn set(&mut self, key: &str, selector: Selector) {
        let Some(key) = Self::KEYS.into_iter().find(|k| *k == key) else { return };
        self.values.retain(|(k, _)| *k != key);
        self.values.push((key, selector));
        self.values.sort_by_key(|(k, _)| Self::KEYS.iter().position(|known| known == k));
    }

    /// All that are given, with their names.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Selector)> {
        self.values.iter().map(|(key, selector)| (*key, selector))
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.date_format.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_stands_behind_the_last_at_sign() {
        let read = |text: &str| Selector::new(text).map(|s| (s.css().to_owned(), s.attribute()));
        assert_eq!(read("time@dateTime"), Ok(("time".into(), Some("datetime".into()))));
        assert_eq!(read("@data-id"), Ok((String::new(), Some("data-id".into()))));
        assert_eq!(read("a[href*='@x']"), Ok(("a[href*='@x']".into(), None)));
        assert_eq!(read("div > h2 a"), Ok(("div > h2 a".into(), None)));
    }

    #[test]
    fn what_is_no_selector_is_told() {
        for (text, part) in
            [("", "expected a CSS"), ("a >", "is missing"), ("li:contains(x)", "behind `:`"), ("a[", "no CSS")]
        {
            let message = Selector::new(text).expect_err(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
