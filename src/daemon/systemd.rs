//! What systemd is told (`sd_notify(3)`): ready, reloading, stopping, alive. Without `NOTIFY_SOCKET` nobody is.

use crate::model::Settings;
use sd_notify::NotifyState;
use std::time::Duration;

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!("systemd was not told: {error}");
    }
}

/// What is done under these settings and served at an address, for people: `follows 1 page, serving http://127.0.0.1:8080 on 127.0.0.1:8080`.
pub fn status(settings: &Settings, at: Option<&str>) -> String {
    let pages = match settings.pages.len() {
        1 => "1 page".to_owned(),
        n => format!("{n} pages"),
    };
    match at {
        Some(address) => format!("follows {pages}, serving {} on {address}", settings.site.base_url),
        None => format!("follows {pages}, feeds in {}", settings.publish.directory.display()),
    }
}

/// Everything is open and answers.
pub fn ready(status: &str) {
    notify(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// The configuration is being read again; [`ready`] ends it.
pub fn reloading() {
    let mut states = vec![NotifyState::Reloading];
    states.extend(NotifyState::monotonic_usec_now().ok());
    notify(&states);
}

/// The end has begun.
pub fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// All parts moved.
pub fn alive() {
    notify(&[NotifyState::Watchdog]);
}

/// How often systemd wants to hear [`alive`]: half of `WatchdogSec=`, so that one lost beat is no death.
pub fn watchdog() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|every| every / 2)
}
