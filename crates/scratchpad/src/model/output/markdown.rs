//! Recognises Markdown by its first lines.

/// Whether there is a heading, a list or a table.
pub(super) fn looks_like_markdown(start: &[u8]) -> bool {
    let mut items = 0;
    let (mut above, mut rest): (&[u8], &[u8]) = (&[], start);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let (line, behind) = rest.split_at_checked(end).unwrap_or_default();
        rest = behind.strip_prefix(b"\n").unwrap_or_default();
        if line.starts_with(b"@@ -") {
            // A diff: its lines look like list items.
            return false;
        }
        let line = line.trim_ascii();
        let is_there = match line.first() {
            Some(b'#') => is_heading(line),
            Some(b'|' | b':') => is_rule(line, above),
            Some(b'-') if is_rule(line, above) => true,
            Some(b'-' | b'*' | b'+' | b'0'..=b'9') => {
                items += usize::from(is_item(line));
                items >= 2
            }
            _ => false,
        };
        if is_there {
            return true;
        }
        above = line;
    }
    false
}

fn is_heading(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'#').count();
    (1..=6).contains(&marks) && line.get(marks) == Some(&b' ')
}

fn is_item(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let behind = line.get(digits..).unwrap_or_default();
    match digits {
        0 => behind.get(1) == Some(&b' '),
        _ => behind.starts_with(b". "),
    }
}

/// Whether this is the delimiter row below a table's header.
fn is_rule(line: &[u8], above: &[u8]) -> bool {
    line.contains(&b'-')
        && line.contains(&b'|')
        && line.iter().all(|byte| b"|-: ".contains(byte))
        && above.contains(&b'|')
}
