//! Which file is the configuration, and where state and feeds go when it does not say.
//!
//! In: the process's folder and variables, as a value so that tests need neither. Out: paths. Follows the XDG Base
//! Directory Specification (empty and relative values count as unset) and systemd's `$STATE_DIRECTORY`.

use super::ConfigError;
use super::value::resolve;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a process finds around it.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Its folder.
    pub folder: PathBuf,
    /// Its variables.
    pub variables: HashMap<String, OsString>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_process() -> Self {
        let names =
            ["PAGEWIRE_CONFIG", "HOME", "STATE_DIRECTORY", "XDG_CONFIG_HOME", "XDG_STATE_HOME"].map(str::to_owned);
        let variables = names.into_iter().filter_map(|name| std::env::var_os(&name).map(|value| (name, value)));
        Self { folder: std::env::current_dir().unwrap_or_default(), variables: variables.collect() }
    }

    /// The file to read.
    ///
    /// # Errors
    /// When no file is named and none is where one could be; the error lists where it looked.
    pub fn locate(&self, explicit: Option<&Path>) -> Result<PathBuf, ConfigError> {
        if let Some(file) = explicit {
            return Ok(file.to_owned());
        }
        if let Some(file) = self.variables.get("PAGEWIRE_CONFIG").filter(|file| !file.is_empty()) {
            return Ok(file.into());
        }
        let here = PathBuf::from("config/pagewire.toml");
        let user = self.xdg("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("pagewire/pagewire.toml"));
        let looked: Vec<PathBuf> =
            [Some(here), user, Some("/etc/pagewire/pagewire.toml".into())].into_iter().flatten().collect();
        let found = looked.iter().find(|file| self.folder.join(file).exists()).cloned();
        found.ok_or(ConfigError::NotFound(looked))
    }

    /// The folder for state and feeds. A file counts as lying where it was `named`, and where it really is.
    pub(super) fn state(&self, named: &Path, file: &Path) -> PathBuf {
        let lies_in = |folder: &Path| named.starts_with(folder) || file.starts_with(folder);
        if let Some(folder) = self.variables.get("STATE_DIRECTORY").and_then(|list| list.to_str()) {
            // systemd gives a list where a unit names several.
            if let Some(first) = folder.split(':').next().filter(|first| !first.is_empty()) {
                return PathBuf::from(first);
            }
        }
        if lies_in(Path::new("/etc")) {
            return PathBuf::from("/var/lib/pagewire");
        }
        if self.xdg("XDG_CONFIG_HOME", ".config").is_some_and(|folder| lies_in(&folder))
            && let Some(folder) = self.xdg("XDG_STATE_HOME", ".local/state")
        {
            return folder.join("pagewire");
        }
        resolve(file.parent().unwrap_or(file), "../var")
    }

    /// A file's name as short as it can be from here; whole from the root, where a daemon stands and nobody reads it.
    pub(super) fn name<'f>(&self, file: &'f Path) -> &'f Path {
        match self.folder.parent() {
            Some(_) => file.strip_prefix(&self.folder).unwrap_or(file),
            None => file,
        }
    }

    fn xdg(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let folder = |name: &str| self.variables.get(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        folder(variable).or_else(|| folder("HOME").map(|home| home.join(below_home)))
    }
}
