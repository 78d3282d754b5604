//! How much of a tool result a host shows its model. The rest is no gain of ours.

use super::size::Size;

/// A limit on a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Bytes(u64),
    Tokens(u64),
}

/// What a host does with a result that is larger than it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Up to this size a result is shown whole.
    pub most: Limit,
    /// How much the model sees of a larger one.
    pub then: Limit,
}

impl Shown {
    /// How much of a text of this size the model would have seen.
    pub fn of(self, whole: Size) -> Size {
        let fits = match self.most {
            Limit::Bytes(most) => whole.bytes <= most,
            Limit::Tokens(most) => whole.tokens <= most,
        };
        if fits {
            return whole;
        }
        match self.then {
            Limit::Bytes(bytes) => whole.part(bytes.min(whole.bytes)),
            Limit::Tokens(tokens) => {
                let tokens = tokens.min(whole.tokens);
                let bytes =
                    u128::from(whole.bytes) * u128::from(tokens) / u128::from(whole.tokens.max(1));
                Size {
                    bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
                    tokens,
                }
            }
        }
    }
}

/// What a host shows of the results of MCP servers, and of its own tools; `None` if it cuts nothing, or if that is not
/// known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shows {
    pub mcp: Option<Shown>,
    pub own: Option<Shown>,
}

impl Shows {
    pub const ALL: Self = Self {
        mcp: None,
        own: None,
    };

    /// What is shown of a result of this size. Hosts begin the names of MCP tools with `mcp__`.
    pub fn of(self, is_mcp: bool, whole: Size) -> Size {
        let shown = if is_mcp { self.mcp } else { self.own };
        shown.map_or(whole, |shown| shown.of(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_would_have_cut_is_not_shown() {
        let size = |bytes, tokens| Size { bytes, tokens };
        let stub = Shown {
            most: Limit::Tokens(25_000),
            then: Limit::Bytes(1_300),
        };
        assert_eq!(stub.of(size(100_000, 25_000)), size(100_000, 25_000));
        assert_eq!(stub.of(size(100_100, 25_025)), size(1_300, 325));
        let ends = Shown {
            most: Limit::Tokens(10_000),
            then: Limit::Tokens(10_000),
        };
        assert_eq!(ends.of(size(100_000, 25_000)), size(40_000, 10_000));
        assert_eq!(ends.of(size(40_000, 10_000)), size(40_000, 10_000));
        assert_eq!(Shows::ALL.of(true, size(9, 3)), size(9, 3));
    }
}
