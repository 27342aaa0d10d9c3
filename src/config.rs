//! Configuration and seeds → [`Settings`], checked whole.
//!
//! In: `pagewire.toml` and the seeds files that it names. Out: every key resolved and typed, or every fault at once,
//! each with file, line, column and what to do. The TOML is walked with its spans instead of through serde, which
//! stops at the first error. Deliberately absent: anything that asks the network, whether a page's file exists (that
//! is a reading's failure, not a fault of the configuration), and OPML, which is refused until a later version.

mod add;
mod combined;
mod file;
mod key;
mod locate;
mod opml;
mod request;
mod section;
mod seeds;
mod source;
mod value;

pub use add::{Addition, add};
pub use locate::Surroundings;
pub use opml::{Subscribed, subscriptions};
pub use source::{Fault, Place};

use crate::model::{FetchSettings, Settings};
use key::Group;
use section::Section;
use source::Source;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No file was named, and none is where one could be.
    #[error("no configuration: looked for {}; name one with --config or $PAGEWIRE_CONFIG", listed(.0))]
    NotFound(Vec<PathBuf>),
    /// What is wrong, in the order of the files.
    #[error("{}", Listing(.0))]
    Faults(Vec<Fault>),
}

impl ConfigError {
    /// The faults; none where there is no file.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::NotFound(_) => &[],
            Self::Faults(faults) => faults,
        }
    }
}

/// The configuration file: the one that is named, else `$PAGEWIRE_CONFIG`, else the first that exists of
/// `./config/pagewire.toml`, `$XDG_CONFIG_HOME/pagewire/pagewire.toml` and `/etc/pagewire/pagewire.toml`.
///
/// # Errors
/// When there is none; the error lists where it looked.
pub fn locate(explicit: Option<&Path>) -> Result<PathBuf, ConfigError> {
    Surroundings::of_process().locate(explicit)
}

/// The settings that a file and its seeds say.
///
/// # Errors
/// All faults found, in the file and in the seeds.
///
/// # Examples
/// ```no_run
/// let settings = pagewire::config::load("config/pagewire.toml".as_ref()).unwrap_or_else(|faults| panic!("{faults}"));
/// println!("{} pages", settings.pages.len());
/// ```
pub fn load(file: &Path) -> Result<Settings, ConfigError> {
    load_in(file, &Surroundings::of_process())
}

/// The same for other surroundings than this process's.
///
/// # Errors
/// All faults found, in the file and in the seeds.
pub fn load_in(file: &Path, around: &Surroundings) -> Result<Settings, ConfigError> {
    let file = around.folder.join(file);
    let main = read(&file, around).map_err(|fault| ConfigError::Faults(vec![fault]))?;
    let (table, mut faults) = (main.parse(), Vec::new());
    let top = Section::new(&main, Group::Top, &table, 0..0);
    let mut settings = file::settings(&top, &value::resolve(&around.folder, &file), around);
    let (files, warnings) = file::seeds(&top);
    let sources: Vec<Source> =
        files.iter().filter_map(|file| read(file, around).map_err(|fault| faults.push(fault)).ok()).collect();
    let tables: Vec<DeTable<'_>> = sources.iter().map(Source::parse).collect();
    let mut seeds = seeds::Seeds::new(&settings);
    for (source, table) in sources.iter().zip(&tables) {
        seeds.read(&Section::new(source, Group::Seeds, table, 0..0));
    }
    let followed = seeds.finish();
    drop((table, tables));
    let found = std::iter::once(main).chain(sources).flat_map(Source::into_faults);
    let faults: Vec<Fault> = found.chain(faults).collect();
    if !faults.is_empty() {
        return Err(ConfigError::Faults(faults));
    }
    settings.warnings = warnings;
    (settings.topics, settings.companies, settings.pages) = (followed.topics, followed.companies, followed.pages);
    (settings.combined, settings.hooks) = (followed.combined, followed.hooks);
    settings.places = followed.places;
    Ok(settings)
}

/// What a file says without its seeds, whatever else is wrong with it: enough to find the daemon that runs with what it
/// said before. None where it is no TOML at all.
pub fn without_seeds(file: &Path) -> Option<Settings> {
    let around = Surroundings::of_process();
    let file = around.folder.join(file);
    let main = read(&file, &around).ok()?;
    let table = main.parse();
    let top = Section::new(&main, Group::Top, &table, 0..0);
    let settings = file::settings(&top, &value::resolve(&around.folder, &file), &around);
    (!main.is_broken()).then_some(settings)
}

/// How pages are fetched where no configuration says.
pub fn fetch_defaults() -> FetchSettings {
    let nothing = Source::new(PathBuf::new(), PathBuf::new(), "");
    let table = nothing.parse();
    let top = Section::new(&nothing, Group::Top, &table, 0..0);
    file::settings(&top, Path::new("pagewire.toml"), &Surroundings::default()).fetch
}

/// Every key that `pagewire.toml` may hold, its sections among them.
pub fn keys() -> Vec<&'static str> {
    key::of_the_file()
}

/// Every key that seeds may hold, by the table that the reference describes it in.
pub fn keys_of_seeds() -> [(&'static str, Vec<&'static str>); 6] {
    let page = Group::Page.keys();
    let of_topic = Group::Topic.keys().iter().filter(|key| !page.contains(key) || matches!(**key, "former"));
    let keys = |group: Group| group.keys().to_vec();
    [
        ("topic", of_topic.copied().collect()),
        ("page", page.to_vec()),
        ("company", keys(Group::Company)),
        ("feed", keys(Group::Feed)),
        ("index", key::OF_AN_INDEX.to_vec()),
        ("hook", keys(Group::Hook)),
    ]
}

/// A file's text. Its folder is resolved, so that `..` in its paths means what it means to the kernel.
fn read(file: &Path, around: &Surroundings) -> Result<Source, Fault> {
    let name = around.name(file).to_owned();
    let fault = |message: String| Fault { file: name.clone(), place: None, message, remedy: None };
    if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("opml")) {
        return Err(Fault {
            remedy: Some("list its pages in a [[topic]]".to_owned()),
            ..fault("OPML among the seeds is not in this version".to_owned())
        });
    }
    let bytes = fs::read(file).map_err(|e| fault(format!("can't be read: {e}")))?;
    let folder = file.parent().unwrap_or(file);
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let text = String::from_utf8_lossy(&bytes);
    let source = Source::new(name.clone(), folder, &text);
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(source),
        Err(e) => {
            let at = e.valid_up_to();
            source.fault(at..at, "no UTF-8".to_owned(), "save the file as UTF-8".to_owned());
            Err(source.into_faults().remove(0))
        }
    }
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Faults one below the other, with an empty line between two.
struct Listing<'f>(&'f [Fault]);

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if i > 0 { "\n\n" } else { "" })?;
        }
        Ok(())
    }
}
