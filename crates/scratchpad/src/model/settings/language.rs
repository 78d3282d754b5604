//! The language of messages to people. What agents read is always English.

use std::fmt;
use std::str::FromStr;

use crate::model::error::{Error, Result};
use crate::model::json::inline_schema;
use crate::model::text::message::{message, quoted};

/// A language that the command line supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The language of the sources.
    English,
    German,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// The two-letter code.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// The language of a locale like `de`, `de_AT.UTF-8` or `de-CH`, if it is supported.
    pub fn of_locale(name: &str) -> Option<Self> {
        let code = name
            .split(['_', '-', '.', '@'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|language| language.code() == code)
    }

    /// The language with this name, or an error that lists the supported ones.
    pub fn named(name: &str) -> Result<Self> {
        Self::of_locale(name).ok_or_else(|| {
            Error::usage(message!("Unknown language {name}.", name = quoted(name)))
                .hint("the languages are `en` and `de`.")
        })
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::named(name)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

inline_schema!(Language, {"type": "string", "enum": Self::ALL.map(Self::code)});

/// Everything that may choose the language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LanguageFacts {
    /// `--lang`.
    pub flag: Option<String>,
    /// The setting `language`, unless it is `auto`.
    pub setting: Option<Language>,
    /// `LC_ALL`, `LC_MESSAGES` and `LANG`.
    pub locales: [Option<String>; 3],
}

/// The flag, else the setting, else the first locale variable that is set; English if that is unsupported.
pub fn language(facts: &LanguageFacts) -> Language {
    let of_locale = |name: &String| Language::of_locale(name).unwrap_or(Language::English);
    facts
        .flag
        .as_ref()
        .map(of_locale)
        .or(facts.setting)
        .or_else(|| facts.locales.iter().flatten().next().map(of_locale))
        .unwrap_or(Language::English)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_wins_over_the_setting_and_the_setting_over_the_environment() {
        let some = |name: &str| Some(name.to_owned());
        let spoken = |flag, setting, all, messages, lang| {
            language(&LanguageFacts {
                flag,
                setting,
                locales: [all, messages, lang],
            })
            .code()
        };
        assert_eq!(spoken(None, None, None, None, None), "en");
        assert_eq!(spoken(None, None, None, None, some("de_DE.UTF-8")), "de");
        assert_eq!(spoken(None, None, None, some("C"), some("de_DE")), "en");
        assert_eq!(spoken(None, None, some("de-AT"), some("C"), None), "de");
        let german = Some(Language::German);
        assert_eq!(spoken(None, german, some("en_US"), None, None), "de");
        assert_eq!(spoken(None, None, some("de@euro"), None, None), "de");
        assert_eq!(spoken(some("en"), german, some("de"), None, None), "en");
        assert_eq!(spoken(None, None, some("fr_FR"), None, some("de")), "en");
        assert!(Language::named("klingon").is_err());
    }
}
