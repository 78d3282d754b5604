//! Which texts become outputs: above a size, unless a rule says otherwise for their tool.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::model::error::{Error, Result};
use crate::model::json::inline_schema;
use crate::model::json::whole::Whole;
use crate::model::text::message::{message, quoted};
use crate::model::text::quantity::shortened;

/// The size above which a text is kept, and the exceptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Offload {
    /// Whether large tool results are kept as outputs; `false` passes everything through unchanged.
    pub enabled: bool,
    /// Texts of more bytes than this become outputs.
    #[serde(with = "Whole::<1, 1_073_741_824>")]
    pub threshold: u64,
    /// Exceptions, of which the first match wins: `UPSTREAM/TOOL: never`, `always` or a number of bytes; `*` matches anything.
    pub rules: Vec<Rule>,
    /// Results that a host gives to a script instead of the model (Codex code mode): `leave` passes them through unchanged, `keep` treats them like any other.
    pub code_mode: CodeMode,
}

/// What to do with a result that a host gives to a script, which needs the data, instead of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CodeMode {
    // Pass it through unchanged.
    #[default]
    Leave,
    // Treat it like any other result.
    Keep,
}

/// In Codex, ids of calls made by a script start with this; those of the model start with `call_`.
const OF_A_SCRIPT: &str = "exec-";

impl Default for Offload {
    fn default() -> Self {
        Self {
            enabled: true,
            threshold: 4_096,
            rules: Vec::new(),
            code_mode: CodeMode::default(),
        }
    }
}

impl Offload {
    /// Leaves everything from this upstream alone, whatever the rules say.
    pub fn leave(&mut self, upstream: &str) {
        let rule = Rule {
            upstream: upstream.to_owned(),
            tool: "*".to_owned(),
            when: When::Never,
        };
        self.rules.insert(0, rule);
    }

    /// The size in bytes above which this tool's texts are kept; `None` if they never are.
    pub fn threshold(&self, upstream: &str, tool: &str) -> Option<u64> {
        if !self.enabled {
            return None;
        }
        let rule = self.rules.iter().find(|rule| rule.fits(upstream, tool));
        match rule.map(|rule| rule.when) {
            None => Some(self.threshold),
            Some(When::Never) => None,
            Some(When::Always) => Some(0),
            Some(When::Above(bytes)) => Some(bytes),
        }
    }

    /// Whether the result of the call with this id is left alone, because a script reads it as data.
    pub fn leaves(&self, call_id: Option<&str>) -> bool {
        self.code_mode == CodeMode::Leave && call_id.is_some_and(|id| id.starts_with(OF_A_SCRIPT))
    }
}

/// An exception: `UPSTREAM/TOOL: never`, `always` or a number of bytes. `*` matches anything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Rule {
    upstream: String,
    tool: String,
    when: When,
}

/// When a text is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Never,
    Always,
    Above(u64),
}

impl Rule {
    pub fn parse(text: &str) -> Result<Self> {
        let parsed = || {
            let (pattern, when) = text.rsplit_once(':')?;
            let (upstream, tool) = pattern.trim().split_once('/')?;
            let when = match when.trim() {
                "never" => When::Never,
                "always" => When::Always,
                bytes => When::Above(bytes.replace(['_', ','], "").parse().ok()?),
            };
            let (upstream, tool) = (upstream.to_owned(), tool.to_owned());
            (!upstream.is_empty() && !tool.is_empty()).then_some(Self {
                upstream,
                tool,
                when,
            })
        };
        parsed().ok_or_else(|| {
            Error::usage(message!("A rule is `UPSTREAM/TOOL: never`, `always` or a number of bytes, with `*` for anything, like `github/list_*: 16384`; {text} was given.", text = quoted(shortened(text, 80))))
        })
    }

    fn fits(&self, upstream: &str, tool: &str) -> bool {
        matches(&self.upstream, upstream) && matches(&self.tool, tool)
    }
}

impl TryFrom<String> for Rule {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}: ", self.upstream, self.tool)?;
        match self.when {
            When::Never => formatter.write_str("never"),
            When::Always => formatter.write_str("always"),
            When::Above(bytes) => write!(formatter, "{bytes}"),
        }
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(Rule, {"type": "string"});

/// Whether a text matches a pattern, in which `*` matches any characters.
pub(in crate::model) fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{assert_data_eq, str};

    #[test]
    fn the_first_matching_rule_wins() {
        let rules = ["fs/read_*: never", "*/shot: always", "fs/*: 100"];
        let offload = Offload {
            rules: rules
                .iter()
                .map(|rule| Rule::parse(rule).unwrap())
                .collect(),
            ..Offload::default()
        };
        let cases = [
            ("fs", "read_file", None),
            ("fs", "list", Some(100)),
            ("web", "shot", Some(0)),
            ("web", "read_file", Some(4_096)),
            ("fs", "shot", Some(0)),
        ];
        for (upstream, tool, threshold) in cases {
            assert_eq!(
                offload.threshold(upstream, tool),
                threshold,
                "{upstream}/{tool}"
            );
        }
        let off = Offload {
            enabled: false,
            ..offload
        };
        assert_eq!(off.threshold("web", "shot"), None);
    }

    #[test]
    fn what_a_script_asked_for_is_left_alone() {
        let leave = Offload::default();
        let keep = Offload {
            code_mode: CodeMode::Keep,
            ..Offload::default()
        };
        for (id, is_left) in [
            (Some("exec-67730789-8b12-48ee-8a28-bfef49d80aee"), true),
            (Some("call_2325ae2dfdca4e5682b0"), false),
            (Some("toolu_exec-1"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(leave.leaves(id), is_left, "{id:?}");
            assert!(!keep.leaves(id), "{id:?}");
        }
    }

    #[test]
    fn a_star_matches_anything() {
        for (pattern, text) in [
            ("*", ""),
            ("a*c", "abc"),
            ("a*c", "ac"),
            ("*b*", "abc"),
            ("a**", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("a*c", "acb"),
            ("*b*", "ac"),
            ("ab*ba", "aba"),
            ("A", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn an_invalid_rule_is_refused() {
        let errors: Vec<String> = ["", "fs: never", "fs/x", "fs/x: maybe", "/x: 5"]
            .map(|rule| Rule::parse(rule).unwrap_err().to_string())
            .into();
        assert_data_eq!(
            errors.join("\n"),
            str![[r#"
A rule is `UPSTREAM/TOOL: never`, `always` or a number of bytes, with `*` for anything, like `github/list_*: 16384`; "" was given.
A rule is `UPSTREAM/TOOL: never`, `always` or a number of bytes, with `*` for anything, like `github/list_*: 16384`; "fs: never" was given.
A rule is `UPSTREAM/TOOL: never`, `always` or a number of bytes, with `*` for anything, like `github/list_*: 16384`; "fs/x" was given.
A rule is `UPSTREAM/TOOL: never`, `always` or a number of bytes, with `*` for anything, like `github/list_*: 16384`; "fs/x: maybe" was given.
A rule is `UPSTREAM/TOOL: never`, `always` or a number of bytes, with `*` for anything, like `github/list_*: 16384`; "/x: 5" was given.
"#]]
        );
    }
}
