//! Errands, sent: what a publishing left to tell hubs, subscribers and hooks.
//!
//! In: an [`Errand`]. Out: what became of it. One try each; when the next one is, [`push::again`] says. A feed goes out
//! as it lies in the folder, so that it is what GET gives. Nothing here holds up publishing.

use super::App;
use crate::fetch::Letter;
use crate::model::{AllowPrivate, Arrival, Errand, Failure, Format, Hook, HookTo, Hub, Purpose, Stamp, Subscription};
use crate::publish::push;
use crate::store::StoreError;
use std::net::IpAddr;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use url::{Host, Url};

/// For a command.
const COMMAND_TIME: Duration = Duration::from_mins(1);

impl App {
    /// Takes what somebody asks of our hub, to be proved at the subscriber's own address.
    ///
    /// # Errors
    /// A sentence about what stands in the way.
    pub async fn subscribe(&self, asked: &Subscription, now: Stamp) -> Result<(), String> {
        if self.settings.publish.hub != Some(Hub::Own) {
            return Err("there is no hub here".to_owned());
        }
        self.fetcher.admits(&asked.callback).map_err(|why| format!("hub.callback: {}", why.message))?;
        let lease = push::lease((asked.lease > 0).then_some(asked.lease));
        match self.store.verify_subscription(&Subscription { lease, ..asked.clone() }, now).await {
            Ok(true) => Ok(()),
            Ok(false) => Err("there are too many subscriptions".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Errands that are due, but those under way.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn errands(&self, now: Stamp, under_way: &[i64], most: usize) -> Result<Vec<Errand>, StoreError> {
        self.store.errands(now, under_way, most).await
    }

    /// When the next errand is due that is not under way.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn next_errand(&self, under_way: &[i64]) -> Result<Option<Stamp>, StoreError> {
        self.store.next_errand(under_way).await
    }

    /// Notes what became of an errand, and tells why where it did not arrive.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn arrived(&self, errand: &Errand, arrival: &Arrival, now: Stamp) -> Result<(), StoreError> {
        let again = push::again(errand, now);
        let (path, target) = (&errand.path, &errand.target);
        match arrival {
            Arrival::Failed(why) if again.is_none() => tracing::warn!(path, target, "{target} is given up: {why}"),
            Arrival::Failed(why) if errand.attempts == 0 => {
                tracing::warn!(path, target, "{target} is tried again: {why}");
            }
            Arrival::Lost(why) => tracing::warn!(path, target, "{target}: {why}"),
            _ => tracing::debug!(path, target, "{target}: {arrival:?}"),
        }
        self.store.arrived(errand, arrival, again, now).await
    }

    /// Tries each errand that is due once, for a run without a daemon.
    ///
    /// # Errors
    /// When the state fails.
    pub async fn send_due(&self, now: Stamp) -> Result<(), StoreError> {
        for errand in self.errands(now, &[], usize::MAX).await? {
            let arrival = self.send(&errand).await;
            self.arrived(&errand, &arrival, now).await?;
        }
        Ok(())
    }

    /// Tries an errand.
    pub async fn send(&self, errand: &Errand) -> Arrival {
        match errand.purpose {
            Purpose::Ping => self.ping(errand).await,
            Purpose::Verify => self.prove(errand).await,
            Purpose::Deliver => self.deliver(errand).await,
            Purpose::Hook => self.hook(errand).await,
        }
    }

    async fn ping(&self, errand: &Errand) -> Arrival {
        let Ok(to) = Url::parse(&errand.target) else { return Arrival::Lost("no address".to_owned()) };
        if self.settings.publish.hub != Some(Hub::Outside(to.clone())) {
            return Arrival::Lost("it is our hub no more".to_owned());
        }
        let form = ("Content-Type", "application/x-www-form-urlencoded".to_owned());
        let body = push::ping(&self.settings.site.address(&errand.path)).into();
        let letter = Letter { allow: Some(only(&to)), to, headers: vec![form], body: Some(body) };
        taken(self.fetcher.deliver(letter).await)
    }

    async fn prove(&self, errand: &Errand) -> Arrival {
        let Ok(asked) = serde_json::from_str::<Subscription>(&errand.body) else {
            return Arrival::Lost("not understood".to_owned());
        };
        let to = push::verification(&asked, &self.settings.site.address(&asked.path));
        match self.fetcher.deliver(Letter { to, allow: None, headers: Vec::new(), body: None }).await {
            Ok((200..=299, answer)) if answer == asked.challenge.as_bytes() => Arrival::Proved(asked),
            Ok((200..=299, _)) => Arrival::Lost("does not repeat the challenge, so it is not subscribed".to_owned()),
            Ok((status @ 500.., _)) => Arrival::Failed(format!("answers {status}")),
            Ok((status, _)) => Arrival::Lost(format!("answers {status}, so it is not subscribed")),
            Err(failure) => Arrival::Failed(failure.to_string()),
        }
    }

    async fn deliver(&self, errand: &Errand) -> Arrival {
        let Ok(to) = Url::parse(&errand.target) else { return Arrival::Lost("no address".to_owned()) };
        let Some(hub) = &self.settings.site.hub else { return Arrival::Lost("there is no hub any more".to_owned()) };
        let Ok(body) = std::fs::read(self.settings.publish.directory.join(&errand.path)) else {
            return Arrival::Failed("the feed cannot be read".to_owned());
        };
        let format = errand.path.rsplit('.').next().and_then(Format::of_ending);
        let own = self.settings.site.address(&errand.path);
        let mut headers = vec![
            ("Content-Type", format!("{}; charset=utf-8", format.unwrap_or(Format::Atom).media_type())),
            ("Link", format!("<{hub}>; rel=\"hub\", <{own}>; rel=\"self\"")),
        ];
        headers.extend(errand.secret.as_deref().map(|secret| ("X-Hub-Signature", push::signature(secret, &body))));
        taken(self.fetcher.deliver(Letter { to, allow: None, headers, body: Some(body.into()) }).await)
    }

    async fn hook(&self, errand: &Errand) -> Arrival {
        let Some(hook) = self.settings.hooks.iter().find(|hook| hook.name() == errand.target) else {
            return Arrival::Lost("it is no hook any more".to_owned());
        };
        let signature = match signed(hook, errand.body.as_bytes()) {
            Ok(signature) => signature,
            Err(why) => return Arrival::Failed(why),
        };
        match &hook.to {
            HookTo::Url(to) => {
                let mut headers = vec![
                    ("Content-Type", "application/json".to_owned()),
                    ("Idempotency-Key", format!("\"{}\"", errand.path)),
                ];
                headers.extend(signature.map(|signature| ("X-Pagewire-Signature", signature)));
                let body = Some(errand.body.clone().into());
                let letter = Letter { to: to.clone(), allow: Some(only(to)), headers, body };
                taken(self.fetcher.deliver(letter).await)
            }
            HookTo::Command(command) => run(command, &errand.body).await,
        }
    }
}

/// What an answer to something that was brought means.
fn taken(answer: Result<(u16, Vec<u8>), Failure>) -> Arrival {
    match answer {
        Ok((200..=299, _)) => Arrival::Done,
        Ok((410, _)) => Arrival::Gone,
        Ok((status, _)) => Arrival::Failed(format!("answers {status}")),
        Err(failure) => Arrival::Failed(failure.to_string()),
    }
}

/// Whoever writes an address into the configuration means its host, also where that is not public.
fn only(url: &Url) -> AllowPrivate {
    let (mut nets, mut hosts) = (Vec::new(), Vec::new());
    match url.host() {
        Some(Host::Ipv4(ip)) => nets.push(IpAddr::V4(ip).into()),
        Some(Host::Ipv6(ip)) => nets.push(IpAddr::V6(ip).into()),
        Some(Host::Domain(name)) => hosts.push(name.trim_end_matches('.').to_owned()),
        None => {}
    }
    AllowPrivate::Only { nets, hosts }
}

/// The signature of what a hook is sent, where it has a secret.
fn signed(hook: &Hook, body: &[u8]) -> Result<Option<String>, String> {
    let Some(file) = &hook.secret_file else { return Ok(None) };
    let unread =
        |e: std::io::Error| format!("cannot read `{}`: {e}; it is `secret_file` of a [[hook]]", file.display());
    let secret = std::fs::read_to_string(file).map_err(unread)?;
    Ok(Some(push::signature(secret.trim(), body)))
}

/// Runs a command with a body on its standard input.
async fn run(words: &[String], body: &str) -> Arrival {
    let Some((program, arguments)) = words.split_first() else { return Arrival::Lost("no command".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let work = async {
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        if let Some(mut input) = child.stdin.take() {
            // A command that does not read it is as good.
            let _ = input.write_all(body.as_bytes()).await;
        }
        let output = child.wait_with_output().await.map_err(|e| e.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).chars().take(200).collect::<String>();
        Err(format!("{}: {}", output.status, crate::model::Text::line(&said)))
    };
    match tokio::time::timeout(COMMAND_TIME, work).await {
        Ok(Ok(())) => Arrival::Done,
        Ok(Err(why)) => Arrival::Failed(why),
        Err(_) => Arrival::Failed(format!("did not end within {} s", COMMAND_TIME.as_secs())),
    }
}
