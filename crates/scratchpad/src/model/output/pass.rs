//! Passing outputs on by reference: which argument stands for an output, and who may get what.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::offload::matches;
use super::slice::LineRange;
use super::{Origin, OutputHead};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::id::OutputId;
use crate::model::json::inline_schema;
use crate::model::json::whole::Whole;
use crate::model::text::message::{message, quoted};
use crate::model::text::quantity::shortened;

/// How an argument begins that stands for an output.
pub const PREFIX: &str = "scratchpad://output/";

/// What a reference looks like, for errors.
const FORM: &str = "a reference is scratchpad://output/ID, ID having 12 to 64 hex digits, or that with ?lines=A-B, ?json=FILTER or ?text=FILTER.";

/// Programs that start servers, and our own origins: many servers share such a name.
const SHARED_NAMES: [&str; 28] = [
    "", "bash", "bun", "bunx", "cargo", "cmd", "deno", "docker", "dotnet", "env", "go", "java",
    "mise", "nix", "node", "npm", "npx", "php", "pipx", "podman", "put", "python", "python3",
    "ruby", "run", "sh", "uv", "uvx",
];

/// An argument that stands for an output, or for a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    pub id: OutputId,
    pub part: Part,
}

/// What is passed of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The text, as it was kept.
    Whole,
    /// These lines.
    Lines(LineRange),
    /// The one value that an expression gives.
    Json(String),
    /// The text that a jq filter over the whole text gives.
    Text(String),
}

impl Passed {
    /// Parses an argument that begins with [`PREFIX`]. What follows `=` is taken as it is.
    pub fn parse(argument: &str) -> Result<Self> {
        let refused = |why| Err(Error::new(ErrorKind::Refused, why).hint(FORM));
        let rest = argument.strip_prefix(PREFIX).unwrap_or_default();
        let (id, slice) = match rest.split_once('?') {
            None => (rest, None),
            Some((id, slice)) => (id, Some(slice)),
        };
        let Ok(id) = OutputId::new(id) else {
            return refused(message!(
                "{argument} names no output.",
                argument = quoted(shortened(argument, 80))
            ));
        };
        let part = match slice.and_then(|slice| slice.split_once('=')) {
            None if slice.is_none() => Part::Whole,
            Some(("lines", range)) => Part::Lines(LineRange::parse(range)?),
            Some(("json", expression)) => Part::Json(expression.to_owned()),
            Some(("text", filter)) => Part::Text(filter.to_owned()),
            _ => {
                let slice = shortened(slice.unwrap_or_default(), 40);
                return refused(message!("?{slice} is no part of an output.", slice));
            }
        };
        Ok(Self { id, part })
    }
}

/// Which outputs may be passed on to which tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Passing {
    /// Where outputs may go that an agent passes on by reference: `same` is back to the server that they came from, `FROM -> TO` allows more, each `UPSTREAM/TOOL` with `*` for anything; `never` switches it off.
    pub pass: Vec<Flow>,
    /// The most bytes of one value that is passed on by reference.
    #[serde(with = "Whole::<1, 8_388_608>")]
    pub pass_max_bytes: u64,
}

impl Default for Passing {
    fn default() -> Self {
        Self {
            pass: vec![Flow::Same],
            pass_max_bytes: 1 << 20,
        }
    }
}

impl Passing {
    /// Whether anything may be passed on.
    pub fn is_on(&self) -> bool {
        !self.pass.is_empty() && !self.pass.contains(&Flow::Never)
    }

    /// Whether an output may be sent to a tool. What an agent wrote itself may go anywhere: nobody learns anything new.
    pub fn allows(&self, output: &OutputHead, to: Origin<'_>) -> bool {
        let is_own = output.upstream.is_empty() && output.pinned_by.is_some();
        self.is_on() && (is_own || self.pass.iter().any(|flow| flow.allows(output, to)))
    }

    /// The setting that would allow it as well.
    pub fn with(&self, output: &OutputHead, to: Origin<'_>) -> String {
        let from = match output.upstream.as_str() {
            "" => "*".to_owned(),
            upstream => format!("{upstream}/*"),
        };
        let more = format!("{from} -> {}/{}", to.upstream, to.tool);
        let all = self.pass.iter().map(ToString::to_string).chain([more]);
        all.collect::<Vec<_>>().join("; ")
    }
}

/// A rule of who may send what where.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Flow {
    /// Back to the upstream that gave it.
    Same,
    /// Nothing anywhere.
    Never,
    /// From the tools that match to the tools that match.
    Between(Pattern, Pattern),
}

/// `UPSTREAM/TOOL`, with `*` for anything; without a tool, all of the upstream's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    upstream: String,
    tool: String,
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        let (upstream, tool) = text.trim().split_once('/').unwrap_or((text.trim(), "*"));
        // Nearly always a list in a form that is not taken.
        let is_odd = text.contains(['"', '[', ']', ',', ';']);
        (!is_odd && !upstream.is_empty() && !tool.is_empty()).then(|| Self {
            upstream: upstream.to_owned(),
            tool: tool.to_owned(),
        })
    }

    fn fits(&self, upstream: &str, tool: &str) -> bool {
        matches(&self.upstream, upstream) && matches(&self.tool, tool)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.upstream, self.tool)
    }
}

impl Flow {
    pub fn parse(text: &str) -> Result<Self> {
        let between = || {
            let (from, to) = text.split_once("->")?;
            Some(Self::Between(Pattern::parse(from)?, Pattern::parse(to)?))
        };
        let parsed = match text.trim() {
            "same" => Some(Self::Same),
            "never" => Some(Self::Never),
            _ => between(),
        };
        parsed.ok_or_else(|| {
            Error::usage(message!("A flow is `same`, `never` or `FROM -> TO`, each `UPSTREAM/TOOL` with `*` for anything, like `drive/* -> notes/create_page`; {text} was given.", text = quoted(shortened(text, 80))))
        })
    }

    fn allows(&self, output: &OutputHead, to: Origin<'_>) -> bool {
        match self {
            Self::Same => output.upstream == to.upstream && !SHARED_NAMES.contains(&to.upstream),
            Self::Never => false,
            Self::Between(from, target) => {
                let fits = |tool: &String| from.fits(&output.upstream, tool);
                target.fits(to.upstream, to.tool) && output.tools.iter().any(fits)
            }
        }
    }
}

impl TryFrom<String> for Flow {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => formatter.write_str("same"),
            Self::Never => formatter.write_str("never"),
            Self::Between(from, to) => write!(formatter, "{from} -> {to}"),
        }
    }
}

impl Serialize for Flow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(Flow, {"type": "string"});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::SessionId;
    use crate::model::output::Kind;
    use snapbox::{assert_data_eq, str};

    fn output(upstream: &str, tools: &[&str], is_pinned: bool) -> OutputHead {
        let session = SessionId::new("s").unwrap();
        OutputHead {
            id: OutputId::new("0123456789ab").unwrap(),
            bytes: 9,
            lines: 1,
            kind: Kind::Text,
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            session: session.clone(),
            kept: 0,
            used: 0,
            author: String::new(),
            upstream: upstream.to_owned(),
            preview: String::new(),
            pinned_by: is_pinned.then_some(session),
        }
    }

    fn passing(flows: &[&str]) -> Passing {
        Passing {
            pass: flows
                .iter()
                .map(|flow| Flow::parse(flow).unwrap())
                .collect(),
            ..Passing::default()
        }
    }

    #[test]
    fn an_argument_is_a_reference_or_says_what_is_wrong() {
        let shown = |argument: &str| match Passed::parse(argument) {
            Ok(Passed { id, part }) => format!("{id} {part:?}\n"),
            Err(error) => format!("{error}\n"),
        };
        let all = [
            "scratchpad://output/0123456789ab",
            "scratchpad://output/0123456789ab?lines=120-180",
            "scratchpad://output/0123456789ab?json=.a?=1&b | .[\"%20\"]",
            "scratchpad://output/0123456789ab?text=sub(\"v1\";\"v2\")",
            "scratchpad://output/0123456789ab?json=",
            "scratchpad://output/",
            "scratchpad://output/0123456789AB",
            "scratchpad://output/0123456789a",
            "scratchpad://output/../../etc/passwd",
            "scratchpad://output/0123456789ab ",
            "scratchpad://output/0123456789ab?grep=x",
            "scratchpad://output/0123456789ab?lines",
            "scratchpad://output/0123456789ab?lines=x",
        ]
        .map(shown);
        assert_data_eq!(
            all.concat(),
            str![[r#"
0123456789ab Whole
0123456789ab Lines(Between(120, 180))
0123456789ab Json(".a?=1&b | .[/"%20/"]")
0123456789ab Text("sub(/"v1/";/"v2/")")
0123456789ab Json("")
"scratchpad://output/" names no output.
0123456789ab Whole
"scratchpad://output/0123456789a" names no output.
"scratchpad://output/../../etc/passwd" names no output.
"scratchpad://output/0123456789ab " names no output.
?grep=x is no part of an output.
?lines is no part of an output.
`lines` must be like "120-180" or "-40" (the last 40); "x" was given. Nothing was changed.

"#]]
        );
    }

    #[test]
    fn outputs_go_back_to_where_they_came_from_and_by_rule_elsewhere() {
        let to = |upstream, tool| Origin { upstream, tool };
        let of_drive = output("drive", &["get"], false);
        let default = Passing::default();
        assert!(default.allows(&of_drive, to("drive", "put")));
        assert!(!default.allows(&of_drive, to("notes", "put")));
        let more = passing(&[
            "drive/g* -> notes/put",
            "run -> github/create_*",
            "* -> archive",
        ]);
        assert!(
            !more.allows(&of_drive, to("drive", "put")),
            "same was not given"
        );
        assert!(more.allows(&of_drive, to("notes", "put")));
        assert!(!more.allows(&of_drive, to("notes", "delete")));
        assert!(!more.allows(&output("drive", &["list"], false), to("notes", "put")));
        assert!(more.allows(
            &output("run", &["make"], false),
            to("github", "create_issue")
        ));
        assert!(more.allows(&of_drive, to("archive", "any")));
        // Not known where it came from: only by a rule for all.
        assert!(!default.allows(&output("", &["x"], false), to("", "x")));
        assert!(more.allows(&output("", &["x"], false), to("archive", "x")));
        // Two servers that are both started by npx are not the same.
        assert!(!default.allows(&output("npx", &["get"], false), to("npx", "put")));
        // The agent wrote it.
        assert!(default.allows(&output("", &["set_notes"], true), to("notes", "put")));
        assert!(!default.allows(&output("drive", &["set_notes"], true), to("notes", "put")));
        assert!(!passing(&["* -> *", "never"]).allows(&of_drive, to("drive", "put")));
        assert_eq!(
            default.with(&of_drive, to("notes", "put")),
            "same; drive/* -> notes/put"
        );
    }

    #[test]
    fn a_flow_that_makes_no_sense_is_refused() {
        for wrong in [
            "",
            "all",
            "a ->",
            "-> b",
            "a/ -> b",
            "[\"same\", \"a -> b\"]",
        ] {
            assert!(Flow::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Flow::parse("a/b->c").unwrap().to_string(), "a/b -> c/*");
    }
}
