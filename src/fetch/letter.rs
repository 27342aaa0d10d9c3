//! A request that brings something: to a hub, a subscriber, a hook. Through the same gate as pages.

use super::{Fetcher, address, broken, client};
use crate::model::{AllowPrivate, ErrorKind, Failure};
use bytes::Bytes;
use reqwest::{StatusCode, header};
use std::time::Duration;
use url::Url;

/// For the whole exchange: who takes longer asks again later.
const TIME: Duration = Duration::from_secs(15);
/// As much of an answer as is read, in bytes: a challenge.
const ANSWER: usize = 16 << 10;

/// What is sent; without a body it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Where to.
    pub to: Url,
    /// Which addresses that are not public it may go to, besides those that pages may be at.
    pub allow: Option<AllowPrivate>,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// What it brings.
    pub body: Option<Bytes>,
}

impl Fetcher {
    /// Whether a letter may go to an address, as far as that can be said before its name is looked up.
    ///
    /// # Errors
    /// Why not.
    pub fn admits(&self, to: &Url) -> Result<(), Failure> {
        address::admit(to, &self.settings.allow_private)
    }

    /// Sends a letter; its status and the start of what was answered. No redirect is followed.
    ///
    /// # Errors
    /// When it may not go there, or does not arrive.
    pub async fn deliver(&self, letter: Letter) -> Result<(u16, Vec<u8>), Failure> {
        let allow = letter.allow.as_ref().unwrap_or(&self.settings.allow_private);
        address::admit(&letter.to, allow)?;
        let tls = letter.to.scheme() == "https";
        let kind = client::Kind { allow: allow.clone(), tls, proxy: None, fresh: false };
        let client = self.clients.of(&kind, &self.settings, &self.names)?;
        let mut request = match letter.body {
            Some(body) => client.post(letter.to).body(body),
            None => client.get(letter.to),
        };
        // What is answered is compared as it comes.
        request = request.header(header::ACCEPT_ENCODING, "identity");
        for (name, value) in letter.headers {
            request = request.header(name, value);
        }
        let work = async {
            let mut response = request.send().await.map_err(|e| broken(&e))?;
            let status = response.status();
            let mut answer = Vec::new();
            while answer.len() < ANSWER && status != StatusCode::NO_CONTENT {
                match response.chunk().await.map_err(|e| broken(&e))? {
                    Some(chunk) => answer.extend_from_slice(&chunk[..chunk.len().min(ANSWER - answer.len())]),
                    None => break,
                }
            }
            Ok((status.as_u16(), answer))
        };
        let late = || Failure::new(ErrorKind::Timeout, format!("no answer within {} s", TIME.as_secs()));
        tokio::time::timeout(TIME, work).await.map_err(|_| late())?
    }
}
