//! A guest that every site welcomes: the gate for requests, and what servers ask of us.

mod address;
mod budget;
mod hostile;
mod manners;
mod secrets;

use pagewire::config;
use pagewire::model::{Address, AllowPrivate, FetchSettings, Page, PageSettings, PerHost};
use std::time::Duration;
use url::Url;

/// Settings of a fetcher in a hurry.
fn hasty() -> FetchSettings {
    FetchSettings {
        per_host: PerHost { concurrency: 8, pause: Duration::ZERO, by_domain: false },
        ..config::fetch_defaults()
    }
}

/// A page at an address.
fn page(address: &str, allow_private: AllowPrivate) -> Page {
    Page {
        address: Address::new(Url::parse(address).unwrap_or_else(|e| panic!("{address}: {e}"))),
        former: Vec::new(),
        topics: vec![0],
        companies: Vec::new(),
        index: None,
        settings: PageSettings { allow_private, ..PageSettings::default() },
    }
}
