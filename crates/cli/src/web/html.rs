//! What every template has at hand: words, numbers, times, and contents made safe to look at.

use std::fmt::Display;
use std::sync::Arc;

use askama::Template;
use askama::filters::HtmlSafe;

use super::Site;
use super::fields::encoded;
use super::words::Value;
use scratchpad::model::error::Error;
use scratchpad::model::id::{Millis, ProjectId};
use scratchpad::model::settings::language::Language;
use scratchpad::model::text::imitation::is_invisible;
use scratchpad::model::text::message::Message;
use scratchpad::scratchpad::system_time;

/// How the page looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Theme {
    /// As the browser prefers.
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub(super) const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(super) fn named(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|theme| theme.name() == name).unwrap_or_default()
    }
}

/// A number of things. Templates lend what they loop over.
pub(super) trait Count {
    fn count(&self) -> u64;
}

impl Count for u64 {
    fn count(&self) -> u64 {
        *self
    }
}

impl Count for usize {
    fn count(&self) -> u64 {
        u64::try_from(*self).unwrap_or(u64::MAX)
    }
}

impl<T: Count> Count for &T {
    fn count(&self) -> u64 {
        T::count(self)
    }
}

/// A time. Templates lend what they loop over.
pub(super) trait At {
    fn at(&self) -> Millis;
}

impl At for Millis {
    fn at(&self) -> Millis {
        *self
    }
}

impl<T: At> At for &T {
    fn at(&self) -> Millis {
        T::at(self)
    }
}

/// The frame of a page.
pub(super) struct Frame {
    pub(super) site: Arc<Site>,
    pub(super) language: Language,
    pub(super) theme: Theme,
    /// Whose pages the navigation leads to.
    pub(super) project: Option<ProjectId>,
    /// Where we are in it.
    pub(super) here: &'static str,
    /// The path and query of this page.
    pub(super) address: String,
    /// What was just done.
    pub(super) done: Option<String>,
    pub(super) is_logged_in: bool,
}

impl Frame {
    pub(super) fn t(&self, key: &str) -> String {
        self.site.surroundings.text(key, &[])
    }

    /// A text with a number of things.
    pub(super) fn n(&self, key: &str, count: impl Count) -> String {
        let count = Value::Number(count.count());
        self.site.surroundings.text(key, &[("count", count)])
    }

    /// A text with another text in it.
    pub(super) fn v(&self, key: &str, value: impl Display) -> String {
        let value = Value::Text(format!("{value}"));
        self.site.surroundings.text(key, &[("value", value)])
    }

    /// A text about one number of another.
    pub(super) fn of(&self, key: &str, one: impl Count, all: impl Count) -> String {
        let number = |it| Value::Number(it);
        let values = [("one", number(one.count())), ("all", number(all.count()))];
        self.site.surroundings.text(key, &values)
    }

    pub(super) fn number(&self, number: impl Count) -> String {
        self.n("page-number", number)
    }

    pub(super) fn message(&self, message: &Message) -> String {
        self.site.surroundings.message(message)
    }

    pub(super) fn error(&self, error: &Error) -> (String, String) {
        let hint = error.next_step().map(|hint| self.message(hint));
        (self.message(error.message()), hint.unwrap_or_default())
    }

    /// A size as people read it.
    pub(super) fn size(&self, bytes: impl Count) -> String {
        let bytes = bytes.count();
        let (unit, name) = match bytes {
            ..1_000 => return format!("{bytes} B"),
            1_000..1_000_000 => (1_000, "kB"),
            1_000_000..1_000_000_000 => (1_000_000, "MB"),
            _ => (1_000_000_000, "GB"),
        };
        let tenths = bytes / (unit / 10);
        let (whole, tenth) = (tenths / 10, tenths % 10);
        let mark = match self.language {
            Language::English => '.',
            Language::German => ',',
        };
        if whole >= 100 || tenth == 0 {
            format!("{whole} {name}")
        } else {
            format!("{whole}{mark}{tenth} {name}")
        }
    }

    fn age(&self, at: Millis) -> String {
        self.site.surroundings.age(at)
    }

    fn moment(&self, at: Millis) -> String {
        self.site.surroundings.moment(at)
    }

    /// A time, as an element of its own.
    pub(super) fn time(&self, at: impl At) -> Time {
        let at = at.at();
        Time {
            iso: iso(at),
            moment: self.moment(at),
            age: self.age(at),
        }
    }

    /// Whether that was in the last minute.
    pub(super) fn is_fresh(at: Millis) -> bool {
        (system_time() - at) < 60_000
    }

    pub(super) fn is(&self, here: &str) -> bool {
        self.here == here
    }

    pub(super) fn lang(&self) -> &'static str {
        self.language.code()
    }

    pub(super) fn other_languages(&self) -> Vec<(&'static str, &'static str)> {
        let all = [
            (Language::English, "English"),
            (Language::German, "Deutsch"),
        ];
        let others = all.into_iter().filter(|(it, _)| *it != self.language);
        others.map(|(it, name)| (it.code(), name)).collect()
    }

    pub(super) fn theme_name(&self, theme: &str) -> String {
        self.t(match theme {
            "light" => "page-theme-light",
            "dark" => "page-theme-dark",
            _ => "page-theme-auto",
        })
    }

    pub(super) fn view_name(&self, view: &str) -> String {
        self.t(match view {
            "tree" => "page-view-tree",
            "table" => "page-view-table",
            _ => "page-view-log",
        })
    }

    pub(super) fn state_name(&self, state: &str) -> String {
        self.t(match state {
            "good" => "page-state-good",
            "note" => "page-state-note",
            _ => "page-state-bad",
        })
    }

    /// The project's name as a value in a query.
    pub(super) fn project_encoded(&self) -> String {
        self.project
            .as_ref()
            .map_or_else(String::new, |it| encoded(it.as_str()))
    }

    /// The project's address.
    pub(super) fn home(&self) -> String {
        self.project
            .as_ref()
            .map_or_else(|| "/".to_owned(), of_project)
    }

    /// The last part of the project's name: usually its directory.
    pub(super) fn project_name(&self) -> String {
        self.project.as_ref().map(short_name).unwrap_or_default()
    }
}

/// A time, as an element: when it was for programs and for people, and how long ago.
#[derive(Template)]
#[template(path = "time.html")]
pub(super) struct Time {
    iso: String,
    moment: String,
    age: String,
}

/// It escapes its parts itself.
impl HtmlSafe for Time {}

/// A time for programs.
fn iso(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(|_| String::new(), |it| it.to_string())
}

/// The last part of a project's name.
pub(super) fn short_name(project: &ProjectId) -> String {
    let name = project.as_str().trim_end_matches(['/', '\\']);
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    shown(if last.is_empty() {
        project.as_str()
    } else {
        last
    })
}

/// The address of a project.
pub(super) fn of_project(project: &ProjectId) -> String {
    format!("/p/{}", encoded(project.as_str()))
}

/// The address of a session.
pub(super) fn of_session(session: &str) -> String {
    format!("/s/{}", encoded(session))
}

/// Contents with everything made visible that a reader would not see: controls, direction marks, invisible characters.
pub(super) fn shown(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for char in text.chars() {
        // Parts of emoji.
        let joins = matches!(char, '\u{fe0f}' | '\u{200d}') && !before.is_ascii();
        let is_plain = char == '\n' || char == '\t' || joins;
        if !is_plain && (char.is_control() || is_invisible(char)) {
            out.extend(char.escape_unicode());
        } else {
            out.push(char);
        }
        before = char;
    }
    out
}

/// Whether a form gives a text back as it is.
pub(super) fn survives_a_form(text: &str) -> bool {
    let is_kept = |char: char| char == '\n' || char == '\t' || !char.is_control();
    text.chars().all(is_kept)
}

/// What a form sent, with line ends as they are kept.
pub(super) fn from_form(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_would_see_is_shown() {
        assert_eq!(shown("a\r\nb\tc\u{0}\u{1b}[2J"), "a\nb\tc\\u{0}\\u{1b}[2J");
        assert_eq!(shown("x\u{202e}y\u{200b}z"), "x\\u{202e}y\\u{200b}z");
        assert_eq!(shown("❤\u{fe0f}"), "❤\u{fe0f}");
        assert_eq!(shown("a\u{fe0f}"), "a\\u{fe0f}");
    }

    #[test]
    fn a_project_is_known_by_its_directory() {
        let name = |id: &str| short_name(&ProjectId::new(id));
        assert_eq!(name("/home/me/shop"), "shop");
        assert_eq!(name("C:\\work\\shop\\"), "shop");
        assert_eq!(
            (name("/"), name("team")),
            ("/".to_owned(), "team".to_owned())
        );
    }
}
