//! Recognises text that the host truncated before handing it over.

/// The header of a truncated text, whose middle is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The tokens of the whole text, as Codex counts them.
    pub tokens: u64,
    /// The length of the header, in bytes.
    pub header: usize,
}

/// Starts a shell output that Codex truncated.
const WARNING: &str = "Warning: truncated output (original token count: ";
/// Starts the line after the warning.
const LINES: &str = "Total output lines: ";

impl Cut {
    /// Parses the start of a text; `None` if it was not truncated.
    pub fn of(start: &[u8]) -> Option<Self> {
        let (warning, rest) = first_line(start)?;
        let number = warning.strip_prefix(WARNING)?.strip_suffix(')')?;
        let tokens = number.parse().ok()?;
        let rest = match first_line(rest) {
            Some((line, behind)) if line.starts_with(LINES) => behind,
            _ => rest,
        };
        let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        Some(Self {
            tokens,
            header: start.len() - rest.len(),
        })
    }
}

/// The first line, if it is complete, and the text after it.
fn first_line(text: &[u8]) -> Option<(&str, &[u8])> {
    let (line, rest) = text.split_at_checked(memchr::memchr(b'\n', text)?)?;
    let line = std::str::from_utf8(line).ok()?;
    Some((line, rest.strip_prefix(b"\n")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_recognised_by_the_first_line() {
        let head = "Warning: truncated output (original token count: 27224)\nTotal output lines: 20000\n\n";
        let found = Cut::of(format!("{head}1\n2\n").as_bytes()).unwrap();
        assert_eq!((found.tokens, found.header), (27_224, head.len()));
        let short = "Warning: truncated output (original token count: 9)\n";
        let found = Cut::of(format!("{short}text").as_bytes()).unwrap();
        assert_eq!((found.tokens, found.header), (9, short.len()));
        for text in [
            "",
            "Warning: truncated output (original token count: 27224)",
            "Warning: truncated output (original token count: many)\n",
            "Warning: truncated output (original token count: 99999999999999999999)\n",
            " Warning: truncated output (original token count: 27224)\n",
            "x\nWarning: truncated output (original token count: 27224)\n",
            "Total output lines: 20000\n",
        ] {
            assert_eq!(Cut::of(text.as_bytes()), None, "{text}");
        }
    }
}
