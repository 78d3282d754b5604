//! Settings: one typed field each.
//!
//! A field's path is the setting's name, its doc comment is the description in `config show --json` and the JSON Schema,
//! its type and its `with` attribute say which values it takes, and the `Default` of its struct has the default value.
//! The budgets of the pad, notes and outputs are the types that those modules use themselves. [`project_file`] lists
//! what a project's file may not set.
//!
//! [`layers`] merges files, the environment and the command line. The JSON Schema is generated only to explain errors
//! (`refusal`) and for `config`, since hooks load the settings before every prompt.

mod address;
pub mod auto;
pub mod environment;
pub mod file;
pub mod hidden;
pub mod hooks;
pub mod language;
pub mod layers;
mod other_names;
pub mod outputs_url;
pub mod passwords;
pub mod project_file;
mod refusal;
pub mod schema;
pub mod secrets;
pub mod store_url;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::json::whole::Whole;
use super::note::NoteLimits;
use super::note::search::SearchMethod;
use super::output::OutputLimits;
use super::output::offload::Offload;
use super::output::pass::Passing;
use super::pad::Limits;
use super::tool::Group;
use auto::{Auto, Name, ProfileName};
use hidden::Hidden;
use hooks::HookSettings;
use language::Language;
use outputs_url::OutputsUrl;
use secrets::SecretSettings;
use store_url::StoreUrl;

/// All settings, in the order in which they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// The language of messages and help: `en`, `de`, or `auto` for what `LC_ALL`, `LC_MESSAGES` or `LANG` say.
    pub language: Auto<Language>,
    /// The profile, which chooses the packs that `inject` writes.
    pub profile: ProfileName,
    pub project: ProjectSettings,
    /// Who you are to others in a shared store; `auto` is your user name @ your machine.
    pub author: Auto<Name>,
    pub store: StoreSettings,
    pub pad: PadSettings,
    pub plan: PlanSettings,
    pub notes: NoteSettings,
    pub outputs: OutputSettings,
    pub proxy: ProxySettings,
    pub inject: InjectSettings,
    pub retention: RetentionSettings,
    pub secrets: SecretSettings,
    pub doctor: DoctorSettings,
    #[serde(flatten)]
    pub hooks: HookSettings,
}

impl Settings {
    /// Whether agents are offered this group of tools, and all that belongs to it.
    pub fn offers(&self, group: Group) -> bool {
        match group {
            Group::Pad => self.pad.enabled,
            Group::Notes => self.notes.enabled,
            Group::Outputs => self.outputs.offload.enabled,
        }
    }

    /// The groups that are switched off.
    pub fn switched_off(&self) -> Vec<Group> {
        let all = Group::ALL.into_iter();
        all.filter(|group| !self.offers(*group)).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PadSettings {
    /// Whether agents have a pad; `false` takes its tool, the block and the hints from them, and keeps what is stored.
    pub enabled: bool,
    #[serde(flatten)]
    pub limits: Limits,
}

impl Default for PadSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            limits: Limits::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlanSettings {
    /// Whether hooks keep the host's own task list as the plan, unless the agent has written one.
    pub mirror: bool,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self { mirror: true }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NoteSettings {
    /// Whether agents have notes; `false` takes their tools from them, and keeps what is stored.
    pub enabled: bool,
    /// Whether hooks keep a note of each session with what they saw: commits, files changed, commands that failed and then passed, outputs, the open plan.
    pub digest: bool,
    #[serde(flatten)]
    pub limits: NoteLimits,
}

impl Default for NoteSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            digest: true,
            limits: NoteLimits::default(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectSettings {
    /// The name under which the store keeps the project; `auto` is its directory, and in a shared store its repository.
    pub id: Auto<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StoreSettings {
    /// Where everything is kept: `sqlite:` is a database in the data directory, `sqlite:/PATH` one elsewhere, `postgres://USER:PASSWORD@HOST/DATABASE` a team's server.
    pub url: StoreUrl,
    /// Where a shared store keeps large outputs: `database`, `s3://BUCKET/PREFIX`, or `file:///DIRECTORY` that all machines see.
    pub outputs: OutputsUrl,
    /// How an embedded store searches notes: `index`, or `scan`, which reads every note, finds the same and leaves the index alone.
    pub search: SearchMethod,
    /// How long a command waits while other processes write, in milliseconds.
    #[serde(with = "Whole::<1, 600_000>")]
    pub busy_timeout_ms: u64,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            url: StoreUrl::default(),
            outputs: OutputsUrl::default(),
            search: SearchMethod::default(),
            busy_timeout_ms: 30_000,
        }
    }
}

impl StoreSettings {
    pub fn busy_timeout(&self) -> Duration {
        Duration::from_millis(self.busy_timeout_ms)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OutputSettings {
    #[serde(flatten)]
    pub offload: Offload,
    #[serde(flatten)]
    pub passing: Passing,
    #[serde(flatten)]
    pub limits: OutputLimits,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProxySettings {
    /// Tools that the proxy takes out of a server's list, and whose calls it refuses: `UPSTREAM/TOOL`; `*` matches anything.
    pub hide: Vec<Hidden>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InjectSettings {
    /// The most bytes that `inject` writes into one instruction file.
    #[serde(with = "Whole::<2_000, 1_000_000>")]
    pub max_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetentionSettings {
    /// How many revisions of a session are kept; beyond it, older ones are thinned out. 0 keeps all.
    #[serde(with = "Whole::<0, 1_000_000>")]
    pub revisions: u64,
    /// After how many days without a turn or a write a session is deleted, with its notes and outputs. 0 keeps them.
    #[serde(with = "Whole::<0, 36_500>")]
    pub sessions_days: u64,
    /// After how many days without a change a note of a project is deleted, unless it is pinned or its lines are still there. 0 keeps them.
    #[serde(with = "Whole::<0, 36_500>")]
    pub notes_days: u64,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            revisions: 1_000,
            sessions_days: 0,
            notes_days: 0,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DoctorSettings {
    /// Hosts that `doctor` does not check; `doctor --ignore HOST` adds one, `doctor --check HOST` takes it out.
    pub ignore: Vec<String>,
}

impl Default for InjectSettings {
    fn default() -> Self {
        Self { max_bytes: 16_384 }
    }
}
