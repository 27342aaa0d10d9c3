//! The nouns: data and its validation, shared by every verb.
//!
//! In: strings from configuration, pages and the store. Out: values that cannot be wrong in the ways that matter
//! (a [`Slug`] is a safe file name, a [`Text`] holds nothing that XML forbids, a [`Key`] is a link's normal form).
//! Deliberately absent: input and output, the clock, randomness. Nothing here imports another module of the crate.

mod ask;
mod block;
mod budget;
mod cadence;
mod changes;
mod combined;
mod company;
mod digest;
mod document;
mod duration;
mod enclosure;
mod entry;
mod failure;
mod feed;
mod filter;
mod habit;
mod heard;
mod index;
mod journal;
mod key;
mod markup;
mod metrics;
mod own;
mod page;
mod post;
mod pulse;
mod push;
mod readers;
mod reading;
mod report;
mod request;
mod selectors;
mod server;
mod settings;
mod shelf;
mod slug;
mod text;
mod time;

pub use ask::{Ask, Order, Refused, Task, Told};
pub use budget::{Budget, Spent};
pub use cadence::{Cadence, CadenceError, Crontab};
pub use changes::{Added, Asks, Changes, Edited, Joined, Known, KnownEntry, Missing};
pub use combined::Combined;
pub use company::{CompanySeed, NameKey, assign_slugs, linked_slug};
pub use digest::{digest, number};
pub use document::{Document, Unpublished};
pub use duration::{DurationError, duration_text, parse_duration};
pub use enclosure::Enclosure;
pub use entry::{Entry, EntryCompany, EntryId, EntryTopic};
pub use failure::{ErrorKind, Failure, Warning, WarningKind};
pub use feed::{ARCHIVED, Archive, Feed, FeedHead, FeedKey, Format};
pub use filter::{Filter, Pattern, Terms};
pub use habit::{Count, Habit, WEEK_HOURS};
pub use heard::Heard;
pub use index::{Index, Lead, Proposal};
pub use journal::{Act, Deed, Event, Origin, pack_events, unpack_events};
pub use key::{Key, SplitBy, normal_codes, strict_address};
pub(crate) use markup::bounded_tags;
pub use metrics::Metrics;
pub use own::{Own, OwnPage, OwnResult, Wants};
pub use page::{
    Address, AllowPrivate, Body, Content, Hold, Kind, Late, LinkMode, Listed, Page, PageId, PageSettings, PageState,
    RETRY_AFTER_MAX, Topic, Validators,
};
pub use post::{Ago, Company, Post, Published};
pub use pulse::Pulse;
pub use push::{Arrival, Errand, Hook, HookTo, Hub, Purpose, Subscription};
pub use readers::{Reader, Readers, Readership};
pub use reading::Reading;
pub use report::{Outcome, Report, Total};
pub use request::{Credentials, RequestSettings, Robots, Secret};
pub use selectors::{Selector, Selectors};
pub use server::{Moved, Server, Unread};
pub use settings::{
    Control, ControlError, FetchSettings, Listen, LogFormat, MAX_SOCKET, PerHost, Places, PublishSettings,
    ScheduleSettings, ServerSettings, Settings, Site, StateSettings,
};
pub use shelf::{Shelf, Shelved};
pub use slug::{Slug, SlugError};
pub(crate) use text::push_escaped;
pub use text::{Html, Text, fold};
pub use time::{DAY, Stamp};
