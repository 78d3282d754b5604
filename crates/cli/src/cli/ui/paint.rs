//! Colours by meaning, on a terminal that has them.

use std::io;

use super::has_colours;
use scratchpad::model::text::escape::for_terminal;

/// What a text is to its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Paint {
    Heading,
    Good,
    Warning,
    Bad,
    Quiet,
    Match,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Self::Heading => "\x1b[1m",
            Self::Good => "\x1b[32m",
            Self::Warning => "\x1b[33m",
            Self::Bad => "\x1b[1;31m",
            Self::Quiet => "\x1b[2m",
            Self::Match => "\x1b[1;33m",
        }
    }

    /// The text in this colour, for [`super::print`]: whatever in it could steer the terminal is escaped.
    pub(in crate::cli) fn on(self, text: &str) -> String {
        self.over(&super::escaped(text))
    }

    /// The same for a text that is escaped already.
    pub(in crate::cli) fn over(self, escaped: &str) -> String {
        if has_colours(&io::stdout()) && !escaped.is_empty() {
            format!("{}{escaped}\x1b[0m", self.code())
        } else {
            escaped.to_owned()
        }
    }

    /// The same for a text of several lines: each in this colour, without what it is indented by.
    pub(in crate::cli) fn over_lines(self, escaped: &str) -> String {
        let lines = escaped.split('\n').map(|line| {
            let text = line.trim_start_matches(' ');
            let indent = line.len() - text.len();
            " ".repeat(indent) + &self.over(text)
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The text with each match of `wanted` in colour, ignoring case; whatever in it could steer the terminal is escaped.
pub(in crate::cli) fn highlighted(text: &str, wanted: &str) -> String {
    marked(&super::escaped(text), wanted)
}

/// The same for a text that is escaped already.
pub(in crate::cli) fn marked(escaped: &str, wanted: &str) -> String {
    if has_colours(&io::stdout()) && !wanted.is_empty() {
        in_colour(escaped, &for_terminal(wanted))
    } else {
        escaped.to_owned()
    }
}

fn in_colour(text: &str, wanted: &str) -> String {
    let Ok(pattern) = regex::RegexBuilder::new(&regex::escape(wanted))
        .case_insensitive(true)
        .build()
    else {
        return text.to_owned();
    };
    let painted = |found: &regex::Captures<'_>| {
        let found = found.get(0).map_or("", |found| found.as_str());
        format!("{}{found}\x1b[0m", Paint::Match.code())
    };
    // The first line of a table is a heading in a colour of its own.
    let (head, rest) = match text.split_once('\n') {
        Some((head, rest)) if head.starts_with('\x1b') => (format!("{head}\n"), rest),
        _ => (String::new(), text),
    };
    head + &pattern.replace_all(rest, painted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_match_is_marked_in_the_case_it_has() {
        assert_eq!(
            in_colour("The VPN and the vpn.", "vpn"),
            "The \x1b[1;33mVPN\x1b[0m and the \x1b[1;33mvpn\x1b[0m."
        );
    }
}
