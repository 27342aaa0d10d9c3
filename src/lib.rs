//! pagewire turns pages that list posts into feeds.
//!
//! # One rule
//!
//! **The nouns live in [`model`]; every other module is one verb; a verb imports only `model`; only [`refresh`],
//! [`daemon`] and [`cli`] join verbs.** `tests/it/architecture.rs` keeps it.
//!
//! ```text
//! Page ─fetch→ Body ─extract→ Reading ─diff→ Changes ─store→ Feed ─render→ Document ─publish→ files
//!  ↑ schedule says when                          (the past: entries, keys, validators, next checks)
//! ```
//!
//! Data goes one way. [`extract`], [`diff`], [`render`], [`lint`] and [`schedule`] are pure: no I/O, no clock, no randomness;
//! `now` is an argument, and [`clock`] is the one place that asks.
//!
//! # Where a change goes
//!
//! | change | place |
//! | --- | --- |
//! | a page's dialect | one file in `extract/` |
//! | which links of an HTML page are its posts | `extract/html/family.rs`, `extract/html/list.rs` |
//! | which posts a topic takes | `model/filter.rs` |
//! | what an index proposes, or leads to | `model/index.rs`, `store/index.rs`, `refresh/index.rs` |
//! | which posts a combined feed holds | `store/combined.rs` |
//! | what a post's own page says | `extract/own.rs`, `extract/markdown/own.rs`, `extract/html/own.rs`, `extract/html/article.rs` |
//! | which posts wait for their own pages, what becomes of them | `store/own.rs`, `refresh/own.rs`, `daemon/own.rs` |
//! | where a list goes on, and how far it is followed | `extract/next.rs`, `refresh/further.rs` |
//! | a word that names a field: a key, the head of a column | `extract/named.rs` |
//! | an odd date | `extract/date.rs` |
//! | "this is the same post" | `diff/`: `resolve` by keys, `rename` by likeness, `meaning` for "did it change" |
//! | when a post counts as published | `diff/date.rs` |
//! | a reading that is not believed | `diff.rs` (`admit`), `diff/flood.rs` |
//! | when a page is due, back-off | `schedule.rs` |
//! | what `auto` learns of a page, what a request is worth | `schedule/habit.rs`, `schedule/price.rs` |
//! | what counts as spent of the budget | `model/budget.rs`, `fetch.rs`, `store/spent.rs` |
//! | politeness, address policy, robots.txt | `fetch/host.rs`, `fetch/address.rs`, `fetch/robots.rs` |
//! | what a server says about being polled | `fetch/answer.rs`, `model/server.rs` |
//! | how a feed is cut, what its archives hold | `store/feed.rs`, `store/archive.rs` |
//! | a format | one file in `render/` and one arm |
//! | what a feed must not be | one file in `lint/` a format |
//! | a key of the configuration | `config.rs` and `config/pagewire.toml` (a test compares them) |
//! | who is sent what is new alone | `serve/delta.rs` |
//! | an address over HTTP, who may use it | `serve/route.rs`, `serve/guard.rs` |
//! | what is remembered of each reading, and its document | `model/journal.rs`, `store/journal.rs`, `store/raw.rs` |
//! | an order about what is known (`forget`, `drop` …) | `refresh/task.rs`, `store/post.rs` |
//! | whom a change is told (hubs, hooks) | `refresh/push.rs` |
//! | who counts as a reader of a feed | `serve/reader.rs`, `model/readers.rs` |
//! | a verb of the command line | one file in `cli/` |
//!
//! # One post's journey
//!
//! 1. [`daemon`] wakes when a page is due or somebody asks; `cli` without one enters at [`refresh::App::refresh`], which
//!    takes the same steps.
//! 2. [`fetch::Fetcher::get`] asks with the stored validators and answers "not modified" or a [`model::Body`].
//! 3. [`extract::extract()`] makes it a [`model::Reading`]: what the page says now.
//! 4. In one transaction of the [`store`], in the order of the configuration: [`diff::Keyed`] gives each post its keys,
//!    the store says which entries those lead to, [`diff::diff()`] says what is new, changed, renamed or gone, and
//!    [`store::Round::apply`] writes entries, validators, the next check and which feeds are dirty.
//!    Where the page's settings want its posts' own pages ([`model::Wants`]), a new post waits in the store until
//!    [`extract::own()`] has read its own, for so long as [`model::Own`] says, and enters its feeds then.
//! 5. For each dirty feed: [`store::Store::issues`] cuts it and its archives, [`render::documents`] writes it in every
//!    format, [`publish::Folder`] replaces a file only if its bytes differ and [`lint::admit`] finds nothing that readers
//!    would fail at; then the feed is clean. An entry is written and checked once: topics come first, and the archives of
//!    other feeds are put together from what was written for these ([`render::Shell`], `refresh/galley.rs`).
//! 6. [`serve`] answers readers from those files and a [`model::Shelf`] that says what they are; what else is asked of it
//!    becomes a [`model::Ask`].
//!
//! # Invariants
//!
//! 1. A feed's bytes depend on store and configuration only. The same posts give the same bytes and the same file time.
//! 2. An entry's id, first-seen time and `published` are written once, before it is in any feed. A returning post keeps
//!    all three.
//! 3. Absence never deletes. A page that is empty, cut off, a challenge or an error is a failed reading, whatever its
//!    status code, and moves nothing.
//! 4. Entries, validators and the next check are one transaction, before anything is published; dirty feeds are part of
//!    it, so a start publishes what a crash left.
//! 5. Errors never become posts. They are in `status`, in the exit code, on the screen, and in the health feed,
//!    which only the operator sees.
//! 6. Text is plain ([`model::Text`]) or sanitised HTML ([`model::Html`]); one filter at their construction keeps out
//!    what XML forbids; only writers escape.
//! 7. One gate for every request out: scheme, address policy on each hop, deadline, decoded size, hops, pace.
//! 8. One post on several pages is one entry; the page that brought it owns its text while it lists it.
//! 9. One broken post costs one warning, never the page; one broken page never the round; one panic never the program.
//! 10. A page is never given up: failures back off to a ceiling and go on, except 410.
//!
//! Deliberately absent: traits of our own (closed sets are enums), mocks (the network is faked by a real loopback
//! server, the disk by a temporary folder, time by a value), and SQL outside [`store`].

pub mod cli;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod diff;
pub mod extract;
pub mod fetch;
pub mod lint;
pub mod model;
pub mod publish;
pub mod refresh;
pub mod render;
pub mod schedule;
pub mod serve;
pub mod store;
