//! The configuration keys: one table from which parsing, messages, `config show` and the JSON
//! Schema are made. A new setting is one entry here and one field where it is used.

use super::hook_keys;
use super::language::{AUTO, Language};
use super::outputs_url::{DATABASE, OutputsUrl};
use super::store_url::StoreUrl;
pub use super::value::Value;
use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::output::offload::{CodeMode, Rule};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::{grouped, shortened};

/// What a key takes, with what it is when nobody sets it.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number within bounds.
    Whole {
        /// The value when nobody sets it.
        default: u64,
        /// The least that makes sense.
        min: u64,
        /// The most that makes sense.
        max: u64,
    },
    /// A text that is not empty.
    Text {
        /// The value when nobody sets it.
        default: &'static str,
    },
    /// One of these words.
    Choice {
        /// The value when nobody sets it.
        default: &'static str,
        /// All of them.
        of: &'static [&'static str],
    },
    /// A time, like `90m`, `24h` or `7d`.
    Time {
        /// The value when nobody sets it.
        default: &'static str,
    },
    /// On or off.
    Switch {
        /// The value when nobody sets it.
        default: bool,
    },
    /// Rules for outputs; in one line they are separated by `;`.
    Rules,
}

/// Who may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setter {
    /// Also the project's file, which is somebody else's repository.
    Anyone,
    /// Only the person: it chooses where data goes, or what they read.
    Person,
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name, with dots.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Who may set it.
    pub setter: Setter,
    /// What it does, in one sentence.
    pub about: &'static str,
}

const fn budget(name: &'static str, default: u64, max: u64, about: &'static str) -> Key {
    Key {
        name,
        kind: Kind::Whole {
            default,
            min: 1,
            max,
        },
        setter: Setter::Anyone,
        about,
    }
}

/// Where the store is.
pub const STORE_URL: &str = "store.url";
/// Where large outputs of a shared store are.
pub const STORE_OUTPUTS: &str = "store.outputs";
/// How long a write waits for other processes.
pub const STORE_BUSY_TIMEOUT_MS: &str = "store.busy_timeout_ms";
/// Budget of the notes.
pub const PAD_NOTES_MAX_CHARS: &str = "pad.notes_max_chars";
/// Budget of the plan.
pub const PAD_PLAN_MAX_CHARS: &str = "pad.plan_max_chars";
/// Budget of the refs.
pub const PAD_MAX_REFS: &str = "pad.max_refs";
/// Longest ref.
pub const PAD_REF_MAX_CHARS: &str = "pad.ref_max_chars";
/// Budget of the notes in the old form.
pub const PAD_TOKEN_BUDGET: &str = "pad.token_budget";

/// Longest note.
pub const NOTES_MAX_CHARS: &str = "notes.max_chars";
/// Most tags on a note.
pub const NOTES_MAX_TAGS: &str = "notes.max_tags";

/// Whether outputs are kept at all.
pub const OUTPUTS_ENABLED: &str = "outputs.enabled";
/// Size above which a text is kept.
pub const OUTPUTS_THRESHOLD: &str = "outputs.threshold";
/// Exceptions by tool.
pub const OUTPUTS_RULES: &str = "outputs.rules";
/// What becomes of results that go to a script.
pub const OUTPUTS_CODE_MODE: &str = "outputs.code_mode";
/// Longest preview.
pub const OUTPUTS_PREVIEW_LENGTH: &str = "outputs.preview_length";
/// Longest answer.
pub const OUTPUTS_READ_MAX_BYTES: &str = "outputs.read_max_bytes";
/// How old an output may become.
pub const OUTPUTS_MAX_AGE: &str = "outputs.max_age";
/// How much may be kept.
pub const OUTPUTS_MAX_TOTAL_BYTES: &str = "outputs.max_total_bytes";
/// What to call the project.
pub const PROJECT_ID: &str = "project.id";
/// Who writes.
pub const AUTHOR: &str = "author";
/// The language of messages.
pub const LANGUAGE: &str = "language";
/// The profile, which chooses packs.
pub const PROFILE: &str = "profile";
/// Budget of a region.
pub const INJECT_MAX_BYTES: &str = "inject.max_bytes";

/// The longest name of a project or an author.
const MAX_NAME_CHARS: usize = 500;

/// All keys, in the order they are shown.
pub const KEYS: &[Key] = &[
    Key {
        name: LANGUAGE,
        kind: Kind::Text { default: AUTO },
        setter: Setter::Person,
        about: "The language of messages and help: `en`, `de`, or `auto` for what LC_ALL, LC_MESSAGES or LANG say.",
    },
    Key {
        name: PROFILE,
        kind: Kind::Text { default: "default" },
        setter: Setter::Anyone,
        about: "The profile, which chooses the packs that `inject` writes.",
    },
    Key {
        name: PROJECT_ID,
        kind: Kind::Text { default: AUTO },
        setter: Setter::Person,
        about: "What the project is called where it is kept; `auto` is its directory, and in a shared store its repository.",
    },
    Key {
        name: AUTHOR,
        kind: Kind::Text { default: AUTO },
        setter: Setter::Person,
        about: "Who you are to others in a shared store; `auto` is your user name @ your machine.",
    },
    Key {
        name: STORE_URL,
        kind: Kind::Text { default: "sqlite:" },
        setter: Setter::Person,
        about: "Where everything is kept: `sqlite:` is a database in the data directory, `sqlite:/PATH` one elsewhere, `postgres://USER:PASSWORD@HOST/DATABASE` a team's server.",
    },
    Key {
        name: STORE_OUTPUTS,
        kind: Kind::Text { default: DATABASE },
        setter: Setter::Person,
        about: "Where a shared store keeps large outputs: `database`, `s3://BUCKET/PREFIX`, or `file:///DIRECTORY` that all machines see.",
    },
    Key {
        name: STORE_BUSY_TIMEOUT_MS,
        kind: Kind::Whole {
            default: 30_000,
            min: 1,
            max: 600_000,
        },
        setter: Setter::Person,
        about: "How long a command waits while other processes write, in milliseconds.",
    },
    budget(
        PAD_NOTES_MAX_CHARS,
        4_000,
        1_000_000,
        "The most characters in a session's notes.",
    ),
    budget(
        PAD_PLAN_MAX_CHARS,
        2_000,
        1_000_000,
        "The most characters in a session's plan.",
    ),
    budget(
        PAD_MAX_REFS,
        50,
        10_000,
        "The most refs in a session; above it the oldest goes.",
    ),
    budget(
        PAD_REF_MAX_CHARS,
        4_000,
        100_000,
        "The most characters in one ref.",
    ),
    budget(
        PAD_TOKEN_BUDGET,
        2_000,
        1_000_000,
        "The most tokens in the notes when written in the tool's old form (content and mode, no action).",
    ),
    budget(
        NOTES_MAX_CHARS,
        4_000,
        100_000,
        "The most characters in one note.",
    ),
    budget(NOTES_MAX_TAGS, 10, 100, "The most tags on one note."),
    Key {
        name: OUTPUTS_ENABLED,
        kind: Kind::Switch { default: true },
        setter: Setter::Anyone,
        about: "Whether large tool results are kept as outputs; `false` lets everything pass as it is.",
    },
    budget(
        OUTPUTS_THRESHOLD,
        4_096,
        1 << 30,
        "Texts of more bytes than this become outputs.",
    ),
    Key {
        name: OUTPUTS_RULES,
        kind: Kind::Rules,
        setter: Setter::Anyone,
        about: "Exceptions, the first that fits counts: `UPSTREAM/TOOL: never`, `always` or a number of bytes; `*` stands for anything.",
    },
    Key {
        name: OUTPUTS_CODE_MODE,
        kind: Kind::Choice {
            default: CodeMode::Leave.name(),
            of: &CodeMode::NAMES,
        },
        setter: Setter::Anyone,
        about: "Results that a host hands to a script and not to the model (Codex code mode): `leave` passes them as they are, `keep` treats them like others.",
    },
    Key {
        name: OUTPUTS_PREVIEW_LENGTH,
        kind: Kind::Whole {
            default: 200,
            min: 20,
            max: 500,
        },
        setter: Setter::Anyone,
        about: "The most characters of a preview in a reference.",
    },
    Key {
        name: OUTPUTS_READ_MAX_BYTES,
        kind: Kind::Whole {
            default: 32 * 1024,
            min: 256,
            max: 16 << 20,
        },
        setter: Setter::Anyone,
        about: "The most bytes in one answer of scratchpad_read.",
    },
    Key {
        name: OUTPUTS_MAX_AGE,
        kind: Kind::Time { default: "24h" },
        setter: Setter::Person,
        about: "How long an output is kept, like `90m`, `24h` or `7d`.",
    },
    Key {
        name: OUTPUTS_MAX_TOTAL_BYTES,
        kind: Kind::Whole {
            default: 50 * 1024 * 1024,
            min: 1,
            max: 1 << 50,
        },
        setter: Setter::Person,
        about: "How many bytes all outputs may have; above, the least recently used go.",
    },
    Key {
        name: INJECT_MAX_BYTES,
        kind: Kind::Whole {
            default: 16_384,
            min: 2_000,
            max: 1_000_000,
        },
        setter: Setter::Anyone,
        about: "The most bytes that `inject` writes into one instruction file.",
    },
    hook_keys::INJECT_EVERY_TURNS,
    hook_keys::NUDGE_AFTER_TURNS,
    hook_keys::NUDGE_ON_PLAN,
    hook_keys::NUDGE_AFTER_COMPACTION,
    hook_keys::NUDGE_TURNS_SINCE_LAST_USE,
    hook_keys::NUDGE_AT_TOOLS,
];

impl Key {
    /// The key of that name, or an error with the nearest one.
    pub fn named(name: &str) -> Result<&'static Self> {
        let is_meant = |key: &&Self| key.name == name || hook_keys::is_camel_case(key, name);
        KEYS.iter().find(is_meant).ok_or_else(|| {
            let shown = shortened(name, 80);
            let hint = did_you_mean(name, KEYS.iter().map(|key| key.name));
            Error::usage(format!("There is no setting {shown:?}.")).hint(
                hint.unwrap_or_else(|| "`scratchpad config show` lists the settings.".to_owned()),
            )
        })
    }

    /// Refuses a key that a project may not set.
    pub fn check_project_may_set(&self) -> Result<()> {
        if self.setter == Setter::Anyone {
            return Ok(());
        }
        let reason = match self.name {
            LANGUAGE => "you choose what you read",
            PROJECT_ID => "it would choose whose notes you read and write",
            AUTHOR => "it says who you are",
            _ => "it chooses where your data goes",
        };
        Err(
            Error::usage(format!("A project may not set `{}`: {reason}.", self.name)).hint(
                format!(
                    "set it for yourself: `scratchpad config set {} VALUE`.",
                    self.name
                ),
            ),
        )
    }

    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!(
            "SCRATCHPAD_{}",
            self.name.to_ascii_uppercase().replace('.', "_")
        )
    }

    /// The value when nobody sets it.
    pub fn default_value(&self) -> Value {
        match self.kind {
            Kind::Whole { default, .. } => Value::Whole(default),
            Kind::Text { default } | Kind::Choice { default, .. } | Kind::Time { default } => {
                Value::Text(default.to_owned())
            }
            Kind::Switch { default } => Value::Switch(default),
            Kind::Rules => Value::List(Vec::new()),
        }
    }

    /// A value from text, as in the environment and on the command line.
    pub fn read(&self, text: &str) -> Result<Value> {
        match self.kind {
            Kind::Text { .. } | Kind::Choice { .. } | Kind::Time { .. } => {
                self.checked(Value::Text(text.to_owned()))
            }
            Kind::Switch { .. } => match text.trim() {
                "true" | "1" | "on" => Ok(Value::Switch(true)),
                "false" | "0" | "off" => Ok(Value::Switch(false)),
                _ => Err(self.wrong(&format!("{text:?}"))),
            },
            Kind::Rules => {
                let rules = text.split(';').map(|rule| rule.trim().to_owned());
                let rules = rules.filter(|rule| !rule.is_empty()).collect();
                self.checked(Value::List(rules))
            }
            Kind::Whole { .. } => {
                let digits = text.trim().replace('_', "");
                let number = digits
                    .parse()
                    .map_err(|_| self.wrong(&format!("{text:?}")))?;
                self.checked(Value::Whole(number))
            }
        }
    }

    /// The value as it may be shown: without a password.
    pub fn shown(&self, value: &Value) -> Value {
        match (self.name, value) {
            (STORE_URL, Value::Text(url)) => Value::Text(StoreUrl::shown(url)),
            _ => value.clone(),
        }
    }

    /// The value, if it makes sense for this key.
    pub fn checked(&self, value: Value) -> Result<Value> {
        if let (STORE_URL, Value::Text(url)) = (self.name, &value) {
            return StoreUrl::parse(url).map(|_| value);
        }
        if let (STORE_OUTPUTS, Value::Text(url)) = (self.name, &value) {
            return OutputsUrl::parse(url).map(|_| value);
        }
        if let (Kind::Rules, Value::List(rules)) = (self.kind, &value) {
            return rules
                .iter()
                .try_for_each(|rule| Rule::parse(rule).map(drop))
                .map_err(|error| error.within(self.name))
                .map(|()| value);
        }
        if let (PROJECT_ID | AUTHOR, Value::Text(name)) = (self.name, &value) {
            let is_name = (1..=MAX_NAME_CHARS).contains(&name.chars().count())
                && !name.contains(char::is_control)
                && name.trim() == name;
            if is_name {
                return Ok(value);
            }
            return Err(Error::usage(format!(
                "`{}` takes a name of 1 to {MAX_NAME_CHARS} characters on one line, without blanks around it; {:?} was given.",
                self.name,
                shortened(name, 60)
            )));
        }
        if let (LANGUAGE, Value::Text(name)) = (self.name, &value) {
            if name == AUTO || Language::of_locale(name).is_some() {
                return Ok(value);
            }
            return Err(Error::usage(format!(
                "`language` takes auto, en or de; {name:?} was given."
            )));
        }
        let fits = match (&value, self.kind) {
            (Value::Whole(number), Kind::Whole { min, max, .. }) => (min..=max).contains(number),
            (Value::Text(text), Kind::Text { .. }) => !text.is_empty(),
            (Value::Text(text), Kind::Choice { of, .. }) => of.contains(&text.as_str()),
            (Value::Text(text), Kind::Time { .. }) => parse_time(text).is_some(),
            (Value::Switch(_), Kind::Switch { .. }) => true,
            _ => false,
        };
        if fits {
            return Ok(value);
        }
        Err(self.wrong(&match value {
            Value::Whole(number) => grouped(number),
            Value::Text(text) => format!("{text:?}"),
            Value::Switch(on) => on.to_string(),
            Value::List(_) => "a list".to_owned(),
        }))
    }

    /// The error for a value that the key can't take.
    pub fn wrong(&self, given: &str) -> Error {
        Error::usage(match self.kind {
            Kind::Whole { min, max, .. } => format!(
                "`{}` takes a whole number from {} to {}; {given} was given.",
                self.name,
                grouped(min),
                grouped(max)
            ),
            Kind::Text { .. } => format!("`{}` takes a text; {given} was given.", self.name),
            Kind::Choice { of, .. } => {
                let words = of.join(" or ");
                format!("`{}` takes {words}; {given} was given.", self.name)
            }
            Kind::Time { .. } => format!(
                "`{}` takes a time of 1 minute to 10,000 days, like `90m`, `24h` or `7d`; {given} was given.",
                self.name
            ),
            Kind::Switch { .. } => {
                format!("`{}` takes true or false; {given} was given.", self.name)
            }
            Kind::Rules => format!(
                "`{}` takes a list of rules like [\"github/list_*: 16384\"]; {given} was given.",
                self.name
            ),
        })
    }
}

/// The milliseconds of a time like `90m`, `24h` or `7d`.
pub fn parse_time(text: &str) -> Option<Millis> {
    let text = text.trim();
    let (unit, minutes) = [("m", 1), ("h", 60), ("d", 24 * 60)]
        .into_iter()
        .find(|(unit, _)| text.ends_with(unit))?;
    let number: Millis = text.strip_suffix(unit)?.trim().parse().ok()?;
    let minutes = number.checked_mul(minutes)?;
    (1..=10_000 * 24 * 60)
        .contains(&minutes)
        .then_some(minutes * 60_000)
}
