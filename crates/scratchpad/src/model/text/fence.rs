//! Fenced code in Markdown.

/// Tells, line by line, what is inside a code fence.
#[derive(Debug, Default)]
pub struct Fences<'a> {
    open: Option<&'a str>,
}

impl<'a> Fences<'a> {
    /// Whether the next line is code, or begins or ends it.
    pub fn covers(&mut self, line: &'a str) -> bool {
        let line = line.trim();
        if let Some(open) = self.open {
            if closes(line, open) {
                self.open = None;
            }
            return true;
        }
        self.open = opened(line);
        self.open.is_some()
    }
}

/// The mark of the fence that a line opens: three or more backticks or tildes.
fn opened(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|char| {
        let mark = line.strip_suffix(line.trim_start_matches(char))?;
        (mark.len() >= 3).then_some(mark)
    })
}

/// A fence ends with at least as many of the same characters, and nothing else.
fn closes(line: &str, open: &str) -> bool {
    line.starts_with(open) && line.chars().all(|char| open.starts_with(char))
}
