//! Messages in the user's language, from catalogues built into the program.
//!
//! The command line's own messages have keys, see [`text!`]; the library's are looked up by their English template,
//! see [`messages`].
//!
//! There is one Fluent file per area and language; an area's keys start with its name. A catalogue is parsed when its
//! first message is needed, so a silent command pays nothing.

mod help;
mod messages;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use super::{env, settings, ui};
use scratchpad::model::settings::Settings;

use scratchpad::model::settings::language::{Language, LanguageFacts, language};
use scratchpad::model::text::quantity::grouped;

/// The messages of one area in every language.
struct Catalogue {
    area: &'static str,
    english: &'static str,
    german: &'static str,
    parsed: [OnceLock<Option<Bundle>>; 2],
}

type Bundle = FluentBundle<FluentResource>;

/// One area: a name, and a file of that name in each language.
macro_rules! area {
    ($area:literal) => {
        Catalogue {
            area: $area,
            english: include_str!(concat!("en/", $area, ".ftl")),
            german: include_str!(concat!("de/", $area, ".ftl")),
            parsed: [OnceLock::new(), OnceLock::new()],
        }
    };
}

/// Help is declared in English; its catalogue is for the other languages.
static HELP: Catalogue = Catalogue {
    area: "help",
    english: "",
    german: include_str!("de/help.ftl"),
    parsed: [OnceLock::new(), OnceLock::new()],
};

/// All areas. A new area is one line here and a file in each language.
static CATALOGUES: [Catalogue; 20] = [
    area!("audit"),
    area!("config"),
    area!("context"),
    area!("doctor"),
    area!("forget"),
    area!("inject"),
    area!("install"),
    area!("note"),
    area!("output"),
    area!("page"),
    area!("profile"),
    area!("project"),
    area!("search"),
    area!("secrets"),
    area!("session"),
    area!("setup"),
    area!("stats"),
    area!("status"),
    area!("store"),
    area!("terminal"),
];

/// The message with this key in the user's language: `text!("context-added", number = 3)`.
macro_rules! text {
    ($key:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::cli::i18n::message($key, vec![$((stringify!($name), fluent_bundle::FluentValue::from($value))),*])
    };
}
pub(super) use help::{hint_of, localized, localized_marks, usage_error};
pub(super) use messages::{in_one_line, translated};
pub(super) use text;

static LANGUAGE: OnceLock<Language> = OnceLock::new();
thread_local! {
    /// The language of whoever this thread answers, where that is not the person at the terminal.
    static ANSWERED: Cell<Option<Language>> = const { Cell::new(None) };
}
static SETTING: OnceLock<Option<Language>> = OnceLock::new();

/// Remembers the configured language, so that the settings are not read again.
pub(super) fn remember_setting(settings: &Settings) {
    // Settings do not change while a process runs.
    let _ = SETTING.set(settings.language.chosen().copied());
}

/// The user's language. With `--json` a program reads, and that is English.
pub(super) fn spoken() -> Language {
    if let Some(language) = ANSWERED.get() {
        return language;
    }
    if ui::is_json() {
        return Language::English;
    }
    *LANGUAGE.get_or_init(|| {
        language(&LanguageFacts {
            flag: env::option_before_parsing("--lang"),
            setting: SETTING
                .get()
                .copied()
                .unwrap_or_else(|| settings::load_leniently()?.language.chosen().copied()),
            locales: ["LC_ALL", "LC_MESSAGES", "LANG"].map(env::variable),
        })
    })
}

/// Does something with all messages of this thread in a language.
pub(super) fn speaking(language: Language, act: &mut dyn FnMut()) {
    /// Ends it, also if `act` panics: the thread is used again.
    struct Before(Option<Language>);
    impl Drop for Before {
        fn drop(&mut self) {
            ANSWERED.set(self.0);
        }
    }
    let _before = Before(ANSWERED.replace(Some(language)));
    act();
}

/// See [`text!`]. A missing key would be shown as is; a test ensures that there is none.
pub(super) fn message(key: &str, arguments: Vec<(&'static str, FluentValue<'_>)>) -> String {
    message_in(spoken(), key, arguments).unwrap_or_else(|| key.to_owned())
}

fn message_in(
    language: Language,
    key: &str,
    arguments: Vec<(&'static str, FluentValue<'_>)>,
) -> Option<String> {
    let bundle = bundle(language, key.split('-').next()?)?;
    let pattern = bundle.get_message(key)?.value()?;
    let arguments: FluentArgs<'_> = arguments.into_iter().collect();
    // The catalogue tests find errors in patterns.
    let text = bundle.format_pattern(pattern, Some(&arguments), &mut Vec::new());
    Some(text.into_owned())
}

fn bundle(language: Language, area: &str) -> Option<&'static Bundle> {
    let catalogue = CATALOGUES
        .iter()
        .chain([&HELP])
        .find(|catalogue| catalogue.area == area)?;
    let [english, german] = &catalogue.parsed;
    let (cell, source) = match language {
        Language::English => (english, catalogue.english),
        Language::German => (german, catalogue.german),
    };
    cell.get_or_init(|| {
        let mut bundle = FluentBundle::new_concurrent(vec![language.code().parse().ok()?]);
        // Isolation marks are for bidirectional text; terminals show them as garbage.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            Language::English => {
                |value, _| Some(number_in(Language::English, whole_number(value)?))
            }
            Language::German => |value, _| Some(number_in(Language::German, whole_number(value)?)),
        }));
        let resource = FluentResource::try_new(source.to_owned()).ok()?;
        bundle.add_resource(resource).ok()?;
        Some(bundle)
    })
    .as_ref()
}

/// How the user's language writes a date and a time of day.
pub(super) fn date_format() -> &'static str {
    match spoken() {
        Language::English => "%Y-%m-%d %H:%M:%S",
        Language::German => "%d.%m.%Y %H:%M:%S",
    }
}

/// What separates a number from its decimals.
pub(super) fn decimal_mark() -> char {
    match spoken() {
        Language::English => '.',
        Language::German => ',',
    }
}

/// A number in the user's locale.
pub(super) fn number(number: impl TryInto<u64>) -> String {
    number_in(spoken(), number)
}

/// A number with its sign, in the user's locale.
pub(super) fn signed(amount: i64) -> String {
    let sign = if amount < 0 { "−" } else { "" };
    format!("{sign}{}", number(amount.unsigned_abs()))
}

fn number_in(language: Language, number: impl TryInto<u64>) -> String {
    match language {
        Language::English => grouped(number),
        Language::German => grouped(number).replace(',', "."),
    }
}

fn whole_number(value: &FluentValue<'_>) -> Option<u64> {
    match value {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "all numbers in messages are counts"
        )]
        FluentValue::Number(number) => Some(number.value as u64),
        _ => None,
    }
}
