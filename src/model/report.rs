//! What became of a page in a refresh: the line that people and scripts read.

use super::failure::{ErrorKind, Failure, Warning, WarningKind};
use super::time::Stamp;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

/// What a refresh did with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken; it may still have brought nothing new.
    Changed,
    /// The same as the last reading.
    Unchanged,
    /// It could not be taken.
    Failed,
    /// A guard keeps it back.
    Held,
    /// It was not asked.
    Skipped,
}

impl Outcome {
    /// The contract's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Failed => "failed",
            Self::Held => "held",
            Self::Skipped => "skipped",
        }
    }
}

/// One page's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The page's address as the user wrote it, made absolute.
    pub page: String,
    /// The slugs of its topics.
    pub topics: Vec<String>,
    /// What happened.
    pub outcome: Outcome,
    /// Posts never seen before.
    pub added: u32,
    /// Posts whose meaning changed.
    pub updated: u32,
    /// Posts that moved to another address.
    pub renamed: u32,
    /// Posts that the page no longer lists.
    pub delisted: u32,
    /// Topic pages that an index lists and that nobody knew, to be followed by whoever wants it.
    pub proposed: u32,
    /// Those that are followed from now on.
    pub followed: u32,
    /// What was odd.
    pub warnings: Vec<Warning>,
    /// For a skipped page: when it may be asked again; none for a page that ended or is paused.
    pub until: Option<Stamp>,
    /// For a failed or held page: why.
    pub error: Option<Failure>,
}

impl Report {
    /// A report of a page with nothing in it yet.
    pub fn new(page: impl Into<String>, topics: Vec<String>, outcome: Outcome) -> Self {
        Self {
            page: page.into(),
            topics,
            outcome,
            added: 0,
            updated: 0,
            renamed: 0,
            delisted: 0,
            proposed: 0,
            followed: 0,
            warnings: Vec::new(),
            until: None,
            error: None,
        }
    }
}

impl Report {
    /// Reads the JSON that a report was written as, for instance by a daemon.
    pub fn read(json: &Value) -> Option<Self> {
        let text = |v: &Value| v.as_str().map(str::to_owned);
        let number = |name: &str| json[name].as_u64().and_then(|n| u32::try_from(n).ok());
        let outcomes = [Outcome::Changed, Outcome::Unchanged, Outcome::Failed, Outcome::Held, Outcome::Skipped];
        let warning = |w: &Value| Some(Warning::new(WarningKind::named(w["kind"].as_str()?)?, w["message"].as_str()?));
        let error = |e: &Value| Some(Failure::new(ErrorKind::named(e["kind"].as_str()?), e["message"].as_str()?));
        let time = |t: &str| chrono::DateTime::parse_from_rfc3339(t).ok().map(|t| Stamp(t.timestamp()));
        Some(Self {
            page: text(&json["page"])?,
            topics: json["topics"].as_array()?.iter().filter_map(text).collect(),
            outcome: outcomes.into_iter().find(|o| Some(o.as_str()) == json["outcome"].as_str())?,
            added: number("added")?,
            updated: number("updated")?,
            renamed: number("renamed")?,
            delisted: number("delisted")?,
            proposed: number("proposed").unwrap_or_default(),
            followed: number("followed").unwrap_or_default(),
            warnings: json["warnings"].as_array()?.iter().filter_map(warning).collect(),
            until: json["until"].as_str().and_then(time),
            error: error(&json["error"]),
        })
    }
}

/// An object {`kind`, `message`}.
struct Spoken<'a>(String, &'a str);

impl Serialize for Spoken<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut o = s.serialize_struct("Spoken", 2)?;
        o.serialize_field("kind", &self.0)?;
        o.serialize_field("message", self.1)?;
        o.end()
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Spoken(self.kind.as_str().to_owned(), &self.message).serialize(s)
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Spoken(self.kind.to_string(), &self.message).serialize(s)
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.rfc3339())
    }
}

impl<'de> serde::Deserialize<'de> for Stamp {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        let time = chrono::DateTime::parse_from_rfc3339(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(time.timestamp()))
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut o = s.serialize_struct("Report", 12)?;
        o.serialize_field("page", &self.page)?;
        o.serialize_field("topics", &self.topics)?;
        o.serialize_field("outcome", self.outcome.as_str())?;
        o.serialize_field("added", &self.added)?;
        o.serialize_field("updated", &self.updated)?;
        o.serialize_field("renamed", &self.renamed)?;
        o.serialize_field("delisted", &self.delisted)?;
        o.serialize_field("proposed", &self.proposed)?;
        o.serialize_field("followed", &self.followed)?;
        o.serialize_field("warnings", &self.warnings)?;
        o.serialize_field("until", &self.until)?;
        o.serialize_field("error", &self.error)?;
        o.end()
    }
}

/// The sum over a refresh, the last line of `refresh --json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Total {
    /// All pages.
    pub pages: u32,
    /// Pages taken.
    pub changed: u32,
    /// Pages as before.
    pub unchanged: u32,
    /// Pages not taken.
    pub failed: u32,
    /// Pages kept back.
    pub held: u32,
    /// Pages not asked.
    pub skipped: u32,
    /// New posts.
    pub added: u32,
    /// Files that are not published since readers would fail at them.
    #[serde(default)]
    pub refused: u32,
}

impl Total {
    /// Counts one more page.
    pub fn count(&mut self, report: &Report) {
        self.pages += 1;
        self.added += report.added;
        *match report.outcome {
            Outcome::Changed => &mut self.changed,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Failed => &mut self.failed,
            Outcome::Held => &mut self.held,
            Outcome::Skipped => &mut self.skipped,
        } += 1;
    }

    /// Whether something failed, is held or could not be published: exit code 1.
    pub fn is_bad(&self) -> bool {
        self.failed + self.held + self.refused > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_comes_back_from_its_json() {
        let mut report = Report::new("https://x.example/p.md", vec!["tpu".into()], Outcome::Held);
        (report.added, report.updated, report.renamed, report.delisted, report.proposed) = (1, 2, 3, 4, 5);
        report.followed = 6;
        report.warnings = vec![Warning::new(WarningKind::Gap, "one"), Warning::new(WarningKind::Link, "two")];
        report.until = Some(Stamp(1_790_244_000));
        report.error = Some(Failure::new(ErrorKind::Http(503), "no"));
        assert_eq!(serde_json::to_value(&report).ok().as_ref().and_then(Report::read), Some(report));
        let bare = Report::new("p", Vec::new(), Outcome::Unchanged);
        assert_eq!(serde_json::to_value(&bare).ok().as_ref().and_then(Report::read), Some(bare));
    }
}
