//! The way to a running daemon: its control socket, found from the same configuration.

use super::{Exit, say_error};
use crate::model::{self, ServerSettings, Task, Told};
use serde_json::Value;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long a status may take: the daemon itself gives up after five seconds.
const STATUS: Duration = Duration::from_secs(6);

/// A daemon that answers.
pub(super) struct Control {
    client: reqwest::Client,
}

/// Why a daemon could not be asked.
pub(super) type Refused = String;

impl Control {
    /// The daemon of this configuration; none where none runs.
    pub(super) fn find(server: &ServerSettings) -> Result<Option<Self>, Exit> {
        let path = &server.control.path;
        match UnixStream::connect(path) {
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                let path = path.display();
                say_error(format!(
                    "a daemon's socket `{path}` is there, but not for you: join its group, or use its user"
                ));
                return Err(Exit::Failed);
            }
            Err(_) => return Ok(None),
        }
        Self::at(path).map(Some).map_err(|e| {
            say_error(format!("cannot talk to the daemon: {e}"));
            Exit::Failed
        })
    }

    fn at(path: &Path) -> Result<Self, reqwest::Error> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).unix_socket(path).build()?;
        Ok(Self { client })
    }

    /// The object of `status --json`.
    pub(super) async fn status(&self) -> Result<Value, Refused> {
        let request = self.client.get("http://localhost/api/status").timeout(STATUS);
        let answer = request.send().await.map_err(broken)?;
        let good = answer.status().is_success();
        let body = read(&answer.bytes().await.map_err(broken)?)?;
        if good { Ok(body) } else { Err(message(&body)) }
    }

    /// Has the configuration read again; the inner error is why it is refused.
    pub(super) async fn reload(&self) -> Result<Result<(), String>, Refused> {
        let answer = self.client.post("http://localhost/api/reload").send().await.map_err(broken)?;
        let good = answer.status().is_success();
        let body = read(&answer.bytes().await.map_err(broken)?)?;
        Ok(if good { Ok(()) } else { Err(message(&body)) })
    }

    /// Has a task done.
    pub(super) async fn task(&self, task: &Task) -> Result<Value, model::Refused> {
        let failed = |why: String| model::Refused::Failed(why);
        let body = serde_json::to_string(task).map_err(|e| failed(e.to_string()))?;
        let request = self.client.post("http://localhost/api/task").header("content-type", "application/json");
        let answer = request.body(body).send().await.map_err(|e| failed(broken(e)))?;
        let status = answer.status();
        let body = read(&answer.bytes().await.map_err(|e| failed(broken(e)))?).map_err(failed)?;
        match status.as_u16() {
            200 => Ok(body),
            404 if body["error"]["kind"] == "unknown" => Err(model::Refused::Unknown(message(&body))),
            _ => Err(failed(message(&body))),
        }
    }

    /// Orders a refresh and passes on each event as it comes: its name and its object. Ends with the last one.
    pub(super) async fn refresh(
        &self,
        names: &[String],
        force: bool,
        accept: bool,
        mut event: impl FnMut(&str, Value),
    ) -> Result<(), Refused> {
        let topics: Vec<String> = names.iter().map(|n| absolute(n)).collect();
        let order = serde_json::json!({ "topics": topics, "force": force, "accept": accept });
        let request = self.client.post("http://localhost/api/refresh").header("content-type", "application/json");
        let answer = request.body(order.to_string()).send().await.map_err(broken)?;
        let good = answer.status().is_success();
        let body = read(&answer.bytes().await.map_err(broken)?)?;
        let Some(id) = body["id"].as_str().filter(|_| good) else { return Err(message(&body)) };
        let mut events =
            self.client.get(format!("http://localhost/api/refresh/{id}/events")).send().await.map_err(broken)?;
        let mut text = Vec::new();
        while let Some(chunk) = events.chunk().await.map_err(broken)? {
            text.extend_from_slice(&chunk);
            while let Some(end) = memchr::memmem::find(&text, b"\n\n") {
                let block: Vec<u8> = text.drain(..end + 2).collect();
                let block = String::from_utf8_lossy(&block);
                let field = |name: &str| block.lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
                if let (Some(name), Some(data)) = (field("event:"), field("data:")) {
                    event(name, read(data.as_bytes())?);
                    if name != "page" {
                        return Ok(());
                    }
                }
            }
        }
        Err("the daemon stopped before it was done".to_owned())
    }
}

/// A name as the daemon can understand it, whose folder is another.
fn absolute(name: &str) -> String {
    let path = Path::new(name);
    if name.contains('/') && !name.contains("://") && path.exists() {
        return path.canonicalize().map_or_else(|_| name.to_owned(), |p| p.display().to_string());
    }
    name.to_owned()
}

fn read(bytes: &[u8]) -> Result<Value, Refused> {
    serde_json::from_slice(bytes).map_err(|e| format!("the daemon's answer cannot be read: {e}"))
}

fn message(body: &Value) -> String {
    body["error"]["message"].as_str().unwrap_or("the daemon refused").to_owned()
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn broken(error: reqwest::Error) -> Refused {
    format!("the daemon does not answer: {error}")
}

/// What an `error` event means.
pub(super) fn told(error: &Value) -> Told {
    let message = error["error"]["message"].as_str().unwrap_or("the daemon failed").to_owned();
    if error["error"]["kind"] == "unknown" { Told::Unknown(message) } else { Told::Failed(message) }
}
