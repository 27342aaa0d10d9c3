//! Seeds → topics, companies and pages.
//!
//! In: the seeds files, read section by section, in order. Out: every topic and company, and every page once: what
//! several topics list is merged, and what they say differently, or claim twice, is a fault that names both places.

use super::file::cadence;
use super::key::{Group, nearest};
use super::section::{Section, Value, Wrong};
use super::source::{Source, Span};
use super::{combined, request, value};
use crate::model::{
    Address, AllowPrivate, Cadence, Combined, CompanySeed, Content, Credentials, Filter, Hook, HookTo, Index, Key,
    Kind, Late, LinkMode, NameKey, Page, PageSettings, Places, RequestSettings, Secret, Selector, Selectors, Settings,
    Slug, Terms, Text, Topic,
};
use chrono_tz::Tz;
use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use toml::de::DeValue;
use url::Url;

/// Something that a file says, and where.
#[derive(Clone)]
struct Said<'a, T> {
    what: T,
    source: &'a Source,
    span: Span,
}

impl<T> Said<'_, T> {
    fn at(&self) -> String {
        self.source.at(&self.span)
    }
}

/// What a topic or a page says about how pages are polled and read.
#[derive(Clone, Default)]
struct PageKeys<'a> {
    base: Option<Said<'a, Url>>,
    kind: Option<Said<'a, Option<Kind>>>,
    schedule: Option<Said<'a, Cadence>>,
    timezone: Option<Said<'a, Tz>>,
    link: Option<Said<'a, LinkMode>>,
    content: Option<Said<'a, Content>>,
    max_pages: Option<Said<'a, u32>>,
    late: Option<Said<'a, Late>>,
    allow_private: Option<Said<'a, AllowPrivate>>,
    selectors: Vec<(&'static str, Said<'a, Selector>)>,
    date_format: Option<Said<'a, String>>,
    robots: Option<Said<'a, bool>>,
    headers: Option<Said<'a, Vec<(String, Secret)>>>,
    credentials: Option<Said<'a, Credentials>>,
    proxy: Option<Said<'a, Option<Secret>>>,
}

/// Who lists a page, by position.
#[derive(Clone, Copy)]
enum Lister {
    Topic(usize),
    Company(usize),
    Index,
}

/// A page while topics are still being read.
struct Draft<'a> {
    address: Address,
    former: Vec<Address>,
    topics: Vec<usize>,
    companies: Vec<usize>,
    index: Option<Said<'a, Index>>,
    keys: PageKeys<'a>,
    cadence: Cadence,
}

/// All seeds, as far as they are read.
pub(super) struct Seeds<'a> {
    /// Defaults for pages.
    settings: &'a Settings,
    topics: Vec<Topic>,
    companies: Vec<CompanySeed>,
    hooks: Vec<Hook>,
    combined: Vec<Combined>,
    /// The topics that hooks and combined feeds name, which must be there in the end.
    named: Vec<(Slug, Value<'a>)>,
    drafts: Vec<Draft<'a>>,
    places: Places,
    pages: HashMap<Address, usize>,
    slugs: Claims<'a, Slug>,
    former_slugs: Claims<'a, Slug>,
    former_addresses: Claims<'a, Address>,
    company_slugs: Claims<'a, Slug>,
    combined_slugs: Claims<'a, Slug>,
    names: Claims<'a, NameKey>,
    links: Claims<'a, Key>,
}

/// What all seeds say, in their order.
pub(super) struct Followed {
    pub(super) topics: Vec<Topic>,
    pub(super) companies: Vec<CompanySeed>,
    pub(super) combined: Vec<Combined>,
    pub(super) hooks: Vec<Hook>,
    pub(super) pages: Vec<Page>,
    pub(super) places: Places,
}

/// What belongs to one owner only, with the first place that claims it and the owner's number.
struct Claims<'a, T>(HashMap<T, (usize, Said<'a, ()>)>);

impl<'a, T: Eq + Hash> Claims<'a, T> {
    /// Claims something for an owner. Claimed by another before: that place.
    fn claim(&mut self, what: T, owner: usize, value: &Value<'a>) -> Option<String> {
        let said = Said { what: (), source: value.source, span: value.span.clone() };
        let (first, place) = self.0.entry(what).or_insert((owner, said));
        (*first != owner).then(|| place.at())
    }
}

impl<'a> Seeds<'a> {
    pub(super) fn new(settings: &'a Settings) -> Self {
        Self {
            settings,
            topics: Vec::new(),
            companies: Vec::new(),
            hooks: Vec::new(),
            combined: Vec::new(),
            named: Vec::new(),
            drafts: Vec::new(),
            places: Places::default(),
            pages: HashMap::new(),
            slugs: Claims(HashMap::new()),
            former_slugs: Claims(HashMap::new()),
            former_addresses: Claims(HashMap::new()),
            company_slugs: Claims(HashMap::new()),
            combined_slugs: Claims(HashMap::new()),
            names: Claims(HashMap::new()),
            links: Claims(HashMap::new()),
        }
    }

    /// Reads one file.
    pub(super) fn read(&mut self, top: &Section<'a>) {
        for section in top.tables("topic", Group::Topic) {
            self.topic(&section);
        }
        for section in top.tables("company", Group::Company) {
            self.company(&section);
        }
        for section in top.tables("feed", Group::Feed) {
            self.feed(&section);
        }
        for section in top.tables("index", Group::Index) {
            self.index(&section);
        }
        for section in top.tables("hook", Group::Hook) {
            self.hook(&section);
        }
    }

    /// Who is told of changed topics.
    fn hook(&mut self, s: &Section<'a>) {
        let url = s.read("url", |v| value::web_address(v, "an address that takes JSON by POST"));
        let words = |v: &Value<'a>| v.text("a command").map(str::to_owned);
        let command = match s.get("command") {
            Some(value) if matches!(value.toml, DeValue::Array(_)) => {
                let words: Vec<String> =
                    s.list("command").into_iter().flatten().filter_map(|v| v.take(words)).collect();
                Some(words).filter(|words| !words.is_empty())
            }
            Some(value) => value.take(words).map(|line| vec!["/bin/sh".to_owned(), "-c".to_owned(), line]),
            None => None,
        };
        let to = match (url, command) {
            (Some(url), None) => HookTo::Url(url),
            (None, Some(command)) => HookTo::Command(command),
            (None, None) if s.get("url").or_else(|| s.get("command")).is_some() => return,
            _ => {
                let message = "a [[hook]] has either `url` or `command`".to_owned();
                return s.fault("url", message, "say where changes go: url = \"https://…\"");
            }
        };
        let topics: Vec<_> = s.list("topics").unwrap_or_default();
        let topics = topics.into_iter().filter_map(|v| Some((v.take(value::slug)?, v))).collect::<Vec<_>>();
        self.named.extend(topics.iter().cloned());
        let topics = topics.into_iter().map(|(slug, _)| slug).collect();
        self.hooks.push(Hook { to, secret_file: s.read("secret_file", value::path), topics });
    }

    fn topic(&mut self, s: &Section<'a>) {
        let number = self.topics.len();
        let title = s.read("title", value::line);
        let slug = slug_of(s, title.as_ref(), "tpu");
        if let Some((value, slug)) = s.get("slug").zip(slug.as_ref())
            && let Some(first) = self.slugs.claim(slug.clone(), number, &value)
        {
            twice(
                &value,
                &format!("topic `{slug}`"),
                &first,
                "give one of them another slug, or list all pages in one",
            );
        }
        let former = self.former_slugs(s, number);
        // Without a slug there is a fault, so this stands in for nothing but the look at the pages.
        let slug = slug.unwrap_or_else(|| Slug::of(""));
        let (language, retired) = (s.read("language", value::language), s.read("retired", value::day));
        self.topics.push(Topic { slug, title, former, filter: filter(s), language, retired });
        let keys = self.keys(s);
        let pages = s.list("pages").unwrap_or_default();
        if pages.is_empty() && !s.source.is_broken() {
            s.fault("pages", "this [[topic]] has no pages".to_owned(), "list at least one: pages = [\"https://…\"]");
        }
        for page in pages {
            self.page(Lister::Topic(number), &keys, &page);
        }
    }

    fn former_slugs(&mut self, s: &Section<'a>, number: usize) -> Vec<Slug> {
        let mut former = Vec::new();
        for value in s.list("former").unwrap_or_default() {
            let Some(slug) = value.take(value::slug) else { continue };
            if let Some(first) = self.former_slugs.claim(slug.clone(), number, &value) {
                twice(
                    &value,
                    &format!("the former slug `{slug}`"),
                    &first,
                    "an old address can lead to one topic only",
                );
            }
            former.push(slug);
        }
        former
    }

    /// A page, as address or path, or as a table with one.
    fn page(&mut self, lister: Lister, of_topic: &PageKeys<'a>, page: &Value<'a>) {
        let DeValue::Table(table) = page.toml else {
            if let Some(address) = page.take(value::address) {
                self.list(lister, (address, page), Vec::new(), of_topic.clone());
            }
            return;
        };
        let s = Section::new(page.source, Group::Page, table, page.span.clone());
        let Some(url) = s.get("url") else {
            s.fault("url", "this page has no `url`".to_owned(), "say where it is: { url = \"https://…\" }");
            return;
        };
        let keys = self.keys(&s).over(of_topic);
        let former: Vec<_> = s.list("former").unwrap_or_default();
        let former = former.into_iter().filter_map(|v| Some((v.take(value::address)?, v))).collect();
        if let Some(address) = url.take(value::address) {
            self.list(lister, (address, &url), former, keys);
        }
    }

    /// Adds a page to those known, or to the page that another listed at the same address.
    fn list(
        &mut self,
        lister: Lister,
        (address, said): (Address, &Value<'a>),
        former: Vec<(Address, Value<'a>)>,
        keys: PageKeys<'a>,
    ) -> usize {
        let number = *self.pages.entry(address.clone()).or_insert(self.drafts.len());
        let cadence = keys.schedule.as_ref().map_or(&self.settings.schedule.default, |said| &said.what).clone();
        if let Some(draft) = self.drafts.get_mut(number) {
            draft.keys.join(keys, &draft.address);
            draft.cadence = shorter(&draft.cadence, &cadence, self.settings.schedule.timezone);
        } else {
            let (topics, companies, former) = (Vec::new(), Vec::new(), Vec::new());
            self.drafts.push(Draft { address, former, topics, companies, index: None, keys, cadence });
            self.places.pages.push(said.source.at(&said.span));
        }
        let draft = &mut self.drafts[number];
        let (listers, one) = match lister {
            Lister::Topic(topic) => (&mut draft.topics, topic),
            Lister::Company(company) => (&mut draft.companies, company),
            Lister::Index => return number,
        };
        if listers.last() != Some(&one) {
            listers.push(one);
        }
        for (old, value) in former {
            if let Some(first) = self.former_addresses.claim(old.clone(), number, &value) {
                twice(&value, &format!("the former address `{old}`"), &first, "it can have been one page's only");
            }
            if !self.drafts[number].former.contains(&old) {
                self.drafts[number].former.push(old);
            }
        }
        number
    }

    fn keys(&self, s: &Section<'a>) -> PageKeys<'a> {
        let kinds = [
            ("auto", None),
            ("markdown", Some(Kind::Markdown)),
            ("html", Some(Kind::Html)),
            ("feed", Some(Kind::Feed)),
        ];
        let links = [("page", LinkMode::Page), ("html", LinkMode::Html), ("original", LinkMode::Original)];
        PageKeys {
            base: said(s, "base", |v| value::web_address(v, "an absolute address such as \"https://yomu.fyi/\"")),
            kind: said(s, "kind", |v| value::word(v, &kinds)),
            schedule: said(s, "schedule", |v| cadence(v, self.settings.schedule.min)),
            timezone: said(s, "timezone", value::zone),
            link: said(s, "link", |v| value::word(v, &links)),
            content: said(s, "content", |v| value::word(v, &[("summary", Content::Summary), ("post", Content::Post)])),
            max_pages: said(s, "max_pages", |v| value::count(v, 1)),
            late: said(s, "late", |v| value::word(v, &[("first-seen", Late::FirstSeen), ("page", Late::Page)])),
            allow_private: said(s, "allow_private", value::allow_private),
            selectors: selectors(s),
            date_format: given(s, "date_format", value::date_format),
            robots: said(s, "robots", value::switch),
            headers: said(s, "headers", request::headers),
            credentials: said(s, "credentials", request::credentials),
            proxy: said(s, "proxy", request::proxy),
        }
    }

    fn company(&mut self, s: &Section<'a>) {
        let number = self.companies.len();
        let title = s.read("title", value::line);
        let slug = slug_of(s, title.as_ref(), "google");
        if let Some((value, slug)) = s.get("slug").zip(slug.as_ref())
            && let Some(first) = self.company_slugs.claim(slug.clone(), number, &value)
        {
            twice(&value, &format!("company `{slug}`"), &first, "give one of them another slug");
        }
        // As in a topic: without a slug there is a fault.
        let slug = slug.unwrap_or_else(|| Slug::of(""));
        let title = title.unwrap_or_else(|| Text::line(slug.as_str()));
        if let Some(value) = s.get("title").or_else(|| s.get("slug")) {
            self.claim_name(title.as_str(), number, &value);
        }
        let mut aliases = Vec::new();
        for value in s.list("aliases").unwrap_or_default() {
            aliases.extend(value.take(|v| alias(v)).inspect(|alias| self.claim_name(alias, number, &value)));
        }
        self.companies.push(CompanySeed { slug, title, aliases });
        self.places.companies.push(s.get("slug").map(|value| value.source.at(&value.span)).unwrap_or_default());
        for page in s.list("pages").unwrap_or_default() {
            self.page(Lister::Company(number), &PageKeys::default(), &page);
        }
    }

    /// A page that lists topic pages.
    fn index(&mut self, s: &Section<'a>) {
        let Some(url) = s.get("url") else {
            s.fault("url", "this [[index]] has no `url`".to_owned(), "say where it is: url = \"https://…\"");
            return;
        };
        let pattern = |key| s.read(key, value::pattern).flatten();
        let (include, exclude) = (pattern("include"), pattern("exclude"));
        let what = Index { include, exclude, follow: s.read("follow", value::switch).unwrap_or_default() };
        let keys = self.keys(s);
        let Some(address) = url.take(value::address) else { return };
        let number = self.list(Lister::Index, (address, &url), Vec::new(), keys);
        let said = Said { what, source: url.source, span: url.span.clone() };
        if let Some(first) = &self.drafts[number].index {
            twice(&url, &"this index", &first.at(), "list it once");
        }
        self.drafts[number].index = Some(said);
    }

    /// A feed of posts from several topics, companies or types.
    fn feed(&mut self, s: &Section<'a>) {
        let number = self.combined.len();
        let Some((feed, named)) = combined::combined(s) else { return };
        let former = s.list("former").unwrap_or_default();
        let slugs = s.get("slug").into_iter().zip([&feed.slug]).chain(former.into_iter().zip(&feed.former));
        for (value, slug) in slugs {
            if let Some(first) = self.combined_slugs.claim(slug.clone(), number, &value) {
                twice(&value, &format!("the feed `{slug}`"), &first, "give one of them another slug");
            }
        }
        self.named.extend(named);
        self.combined.push(feed);
    }

    /// Notes a company's name or link that another company has.
    fn claim_name(&mut self, name: &str, company: usize, value: &Value<'a>) {
        let first = match Url::parse(name) {
            Ok(url) if url.has_host() => self.links.claim(Key::of(&url), company, value),
            _ => self.names.claim(NameKey::of(name), company, value),
        };
        if let Some(first) = first {
            twice(value, &format!("the company name `{name}`"), &first, "a name can mean one company only");
        }
    }

    /// Everything, once all files are read.
    pub(super) fn finish(self) -> Followed {
        self.former_clashes();
        for (slug, value) in self.named.iter().filter(|(slug, _)| !self.slugs.0.contains_key(slug)) {
            let near = nearest(slug.as_str(), self.topics.iter().map(|topic| topic.slug.as_str()));
            let remedy = near.map(|near| format!("did you mean `{near}`?"));
            let remedy = remedy.unwrap_or_else(|| "name one that is in the seeds".to_owned());
            value.note(&Wrong::new(format!("`topics`: there is no topic `{slug}`"), remedy));
        }
        let both = |draft: &&Draft<'a>| !draft.topics.is_empty() || !draft.companies.is_empty();
        for (draft, index) in self.drafts.iter().filter(both).filter_map(|draft| Some((draft, draft.index.as_ref()?))) {
            let message = format!("`{}` is an index, and a page of posts elsewhere", draft.address);
            let remedy = "an index lists topic pages, and its links enter no feed: say it once".to_owned();
            index.source.fault(index.span.clone(), message, remedy);
        }
        let page = |draft: Draft<'a>| Page {
            address: draft.address,
            former: draft.former,
            topics: draft.topics,
            companies: draft.companies.into_iter().map(|company| self.companies[company].clone()).collect(),
            index: draft.index.map(|said| said.what),
            settings: draft.keys.settings(draft.cadence, self.settings),
        };
        let pages = self.drafts.into_iter().map(page).collect();
        let Self { topics, companies, combined, hooks, places, .. } = self;
        Followed { topics, companies, combined, hooks, pages, places }
    }

    /// Notes what is said to be former but is in use.
    fn former_clashes(&self) {
        for (slug, (_, old)) in &self.former_slugs.0 {
            if let Some((_, new)) = self.slugs.0.get(slug) {
                old.source.fault(
                    old.span.clone(),
                    format!("`{slug}` is said to be a former slug, but it is one now, at {}", new.at()),
                    "take it out of `former`: its address can't lead away".to_owned(),
                );
            }
        }
        for (address, (_, old)) in &self.former_addresses.0 {
            if self.pages.contains_key(address) {
                old.source.fault(
                    old.span.clone(),
                    format!("`{address}` is said to be a former address, but a page is there now"),
                    "take it out of `former`, or take that page out".to_owned(),
                );
            }
        }
    }
}

impl PageKeys<'_> {
    /// A page's own keys, and its topic's where it has none.
    fn over(self, topic: &Self) -> Self {
        Self {
            base: self.base.or_else(|| topic.base.clone()),
            kind: self.kind.or_else(|| topic.kind.clone()),
            schedule: self.schedule.or_else(|| topic.schedule.clone()),
            timezone: self.timezone.or_else(|| topic.timezone.clone()),
            link: self.link.or_else(|| topic.link.clone()),
            content: self.content.or_else(|| topic.content.clone()),
            max_pages: self.max_pages.or_else(|| topic.max_pages.clone()),
            late: self.late.or_else(|| topic.late.clone()),
            allow_private: self.allow_private.or_else(|| topic.allow_private.clone()),
            selectors: over(self.selectors, &topic.selectors),
            date_format: self.date_format.or_else(|| topic.date_format.clone()),
            robots: self.robots.or_else(|| topic.robots.clone()),
            headers: self.headers.or_else(|| topic.headers.clone()),
            credentials: self.credentials.or_else(|| topic.credentials.clone()),
            proxy: self.proxy.or_else(|| topic.proxy.clone()),
        }
    }

    /// Takes over what another listing of the page says, and notes where it contradicts. Schedules never do: the
    /// shortest holds.
    fn join(&mut self, other: Self, address: &Address) {
        agree(&mut self.base, other.base, "base", address);
        agree(&mut self.kind, other.kind, "kind", address);
        agree(&mut self.timezone, other.timezone, "timezone", address);
        agree(&mut self.link, other.link, "link", address);
        agree(&mut self.content, other.content, "content", address);
        agree(&mut self.max_pages, other.max_pages, "max_pages", address);
        agree(&mut self.late, other.late, "late", address);
        agree(&mut self.allow_private, other.allow_private, "allow_private", address);
        agree(&mut self.date_format, other.date_format, "date_format", address);
        for (key, selector) in other.selectors {
            let place = self.selectors.iter().position(|(known, _)| *known == key);
            let mut kept = place.map(|place| self.selectors.swap_remove(place).1);
            agree(&mut kept, Some(selector), key, address);
            self.selectors.extend(kept.map(|kept| (key, kept)));
        }
        agree(&mut self.robots, other.robots, "robots", address);
        agree(&mut self.headers, other.headers, "headers", address);
        agree(&mut self.credentials, other.credentials, "credentials", address);
        agree(&mut self.proxy, other.proxy, "proxy", address);
    }

    fn settings(self, cadence: Cadence, defaults: &Settings) -> PageSettings {
        let mut selectors = Selectors::default();
        selectors.date_format = self.date_format.map(|said| said.what);
        for (key, selector) in self.selectors {
            selectors.set(key, selector.what);
        }
        let defaults = defaults.page_settings();
        PageSettings {
            selectors,
            base: self.base.map(|said| said.what),
            kind: self.kind.and_then(|said| said.what),
            cadence,
            timezone: self.timezone.map_or(defaults.timezone, |said| said.what),
            link: self.link.map(|said| said.what).unwrap_or_default(),
            content: self.content.map(|said| said.what).unwrap_or_default(),
            max_pages: self.max_pages.map_or(1, |said| said.what),
            late: self.late.map(|said| said.what).unwrap_or_default(),
            allow_private: self.allow_private.map_or(defaults.allow_private, |said| said.what),
            request: RequestSettings {
                robots: self.robots.map_or(defaults.request.robots, |said| said.what),
                headers: self.headers.map(|said| said.what).unwrap_or_default(),
                credentials: self.credentials.map(|said| said.what),
                proxy: self.proxy.map_or(defaults.request.proxy, |said| said.what),
            },
        }
    }
}

/// Which posts a topic or a combined feed takes.
pub(super) fn filter(s: &Section<'_>) -> Filter {
    let [include, exclude] = ["include", "exclude"].map(|key| s.get(key).map_or_else(Terms::default, |v| terms(&v)));
    Filter { include, exclude }
}

/// One regular expression, or a table of some.
fn terms(value: &Value<'_>) -> Terms {
    let DeValue::Table(table) = value.toml else {
        let given = value.take(value::pattern).flatten();
        return given.map_or_else(Terms::default, Terms::anywhere);
    };
    let s = Section::new(value.source, Group::Filter, table, value.span.clone());
    let mut terms = Terms::default();
    for key in Terms::KEYS {
        if let Some(pattern) = s.get(key).and_then(|value| value.take(value::pattern)).flatten() {
            terms.add(key, pattern);
        }
    }
    terms
}

/// The selectors that a section gives. `title_attr` is the attribute that a title is in.
fn selectors<'a>(s: &Section<'a>) -> Vec<(&'static str, Said<'a, Selector>)> {
    // In a [[topic]] `title` is the topic's.
    let keys = Selectors::KEYS.into_iter().filter(|key| *key != "title" || s.group != Group::Topic);
    let mut found: Vec<_> = keys.filter_map(|key| Some((key, given(s, key, value::selector)?))).collect();
    if let Some(attribute) = given(s, "title_attr", value::attribute) {
        let css = found.iter().find(|(key, _)| *key == "title").map_or("", |(_, said)| said.what.css());
        let css = if css.is_empty() { "a" } else { css };
        if let Ok(what) = Selector::new(&format!("{css}@{}", attribute.what)) {
            found.retain(|(key, _)| *key != "title");
            found.push(("title", Said { what, source: attribute.source, span: attribute.span }));
        }
    }
    found
}

/// A page's own selectors, and its topic's for what it has none.
fn over<'a>(
    mut own: Vec<(&'static str, Said<'a, Selector>)>,
    topic: &[(&'static str, Said<'a, Selector>)],
) -> Vec<(&'static str, Said<'a, Selector>)> {
    for (key, said) in topic {
        if !own.iter().any(|(known, _)| known == key) {
            own.push((key, said.clone()));
        }
    }
    own
}

/// Two listings of one page: what one of them says holds, and both must say the same.
fn agree<'a, T: PartialEq>(kept: &mut Option<Said<'a, T>>, other: Option<Said<'a, T>>, key: &str, address: &Address) {
    match (&kept, other) {
        (Some(first), Some(other)) if first.what != other.what => {
            other.source.fault(
                other.span.clone(),
                format!("`{key}` of `{address}` contradicts {}", first.at()),
                "a page that several topics list is one page: say the same, or say it once".to_owned(),
            );
        }
        (None, other) => *kept = other,
        _ => {}
    }
}

/// A key's value with its place.
fn said<'a, T>(
    s: &Section<'a>,
    key: &'a str,
    read: impl FnOnce(&Value<'a>) -> Result<T, Wrong>,
) -> Option<Said<'a, T>> {
    let value = s.get(key)?;
    Some(Said { what: value.take(read)?, source: value.source, span: value.span })
}

/// The same, where an empty text is as good as none.
fn given<'a, T>(
    s: &Section<'a>,
    key: &'a str,
    read: impl FnOnce(&Value<'a>) -> Result<T, Wrong>,
) -> Option<Said<'a, T>> {
    let is_empty = s.get(key).is_some_and(|value| matches!(value.toml, DeValue::String(text) if text.is_empty()));
    if is_empty { None } else { said(s, key, read) }
}

/// The slug of a topic, company or combined feed, which must have one.
pub(super) fn slug_of(s: &Section<'_>, title: Option<&Text>, example: &str) -> Option<Slug> {
    if s.get("slug").is_none() && !s.source.is_broken() {
        let example = title.map_or_else(|| example.to_owned(), |title| Slug::of(title.as_str()).to_string());
        let remedy = format!("give it the name that its feed's address ends with: slug = \"{example}\"");
        s.fault("slug", "`slug` is missing".to_owned(), &remedy);
    }
    s.read("slug", value::slug)
}

/// Another name of a company, or the address of its page.
fn alias(value: &Value<'_>) -> Result<String, Wrong> {
    let text = value.text("a name or an address")?;
    if text.contains("://") {
        return value::web_address(value, "a name, or an address with http:// or https://").map(String::from);
    }
    value::line(value).map(|name| name.to_string())
}

fn twice(value: &Value<'_>, what: &dyn Display, first: &str, remedy: &str) {
    value.note(&Wrong::new(format!("{what} is given twice; the first is at {first}"), remedy));
}

/// The schedule that polls more often. A given one wins over `auto`, which promises no time.
fn shorter(a: &Cadence, b: &Cadence, tz: Tz) -> Cadence {
    let gap = |cadence: &Cadence| cadence.interval(tz).unwrap_or(i64::MAX);
    if a != b && gap(b) < gap(a) { b.clone() } else { a.clone() }
}
