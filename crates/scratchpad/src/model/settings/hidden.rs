//! Tools of servers behind the proxy that agents are not offered.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::model::error::{Error, Result};
use crate::model::json::inline_schema;
use crate::model::output::offload::matches;
use crate::model::text::message::{message, quoted};
use crate::model::text::quantity::shortened;

/// The tools that match `UPSTREAM/TOOL`, or `TOOL` of any upstream; `*` matches anything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Hidden {
    upstream: String,
    tool: String,
}

impl Hidden {
    pub fn parse(text: &str) -> Result<Self> {
        let (upstream, tool) = text.trim().split_once('/').unwrap_or(("*", text.trim()));
        if upstream.is_empty() || tool.is_empty() {
            return Err(Error::usage(message!(
                "A tool to hide is `UPSTREAM/TOOL` or `TOOL`, with `*` for anything, like `github/delete_*`; {text} was given.",
                text = quoted(shortened(text, 80))
            )));
        }
        Ok(Self {
            upstream: upstream.to_owned(),
            tool: tool.to_owned(),
        })
    }

    /// Whether it hides this tool.
    pub fn hides(&self, upstream: &str, tool: &str) -> bool {
        matches(&self.upstream, upstream) && matches(&self.tool, tool)
    }
}

impl TryFrom<String> for Hidden {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.upstream, self.tool)
    }
}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(Hidden, {"type": "string"});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_tools_of_one_upstream_or_of_all() {
        let hides = |pattern: &str| {
            let hidden = Hidden::parse(pattern).unwrap();
            [
                ("github", "delete_repo"),
                ("github", "get"),
                ("fs", "delete_repo"),
            ]
            .map(|(upstream, tool)| hidden.hides(upstream, tool))
        };
        assert_eq!(hides("github/delete_*"), [true, false, false]);
        assert_eq!(hides("delete_*"), [true, false, true]);
        assert_eq!(hides("github/*"), [true, true, false]);
        for wrong in ["", "/", "a/", "/a"] {
            assert!(Hidden::parse(wrong).is_err(), "{wrong}");
        }
    }
}
