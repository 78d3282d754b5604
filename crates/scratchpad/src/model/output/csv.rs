//! Recognises comma-separated values by their first lines.

use std::collections::HashSet;

/// Columns with longer names are no header.
const MAX_NAME_CHARS: usize = 60;
/// The separators, in the order in which they are tried.
pub(super) const SEPARATORS: [char; 3] = [',', '\t', ';'];

/// The names of the columns, if the complete lines at the start of a text look like a table of separated values.
pub(super) fn columns(start: &[u8]) -> Option<Vec<String>> {
    let complete = start.get(..memchr::memrchr(b'\n', start)?)?;
    let lines: Vec<&str> = std::str::from_utf8(complete).ok()?.lines().collect();
    let (header, rows) = lines.split_first()?;
    if rows.len() < 2 {
        return None;
    }
    SEPARATORS.into_iter().find_map(|separator| {
        let names = fields(header, separator)?;
        let is_table = names.len() >= 2
            && names.iter().all(|name| is_name(name))
            && names.iter().collect::<HashSet<_>>().len() == names.len();
        let fit = |row: &&str| fields(row, separator).is_some_and(|row| row.len() == names.len());
        (is_table && rows.iter().all(fit)).then_some(names)
    })
}

/// A name, and no sentence or number.
pub(super) fn is_name(field: &str) -> bool {
    !field.is_empty()
        && !field.starts_with(char::is_whitespace)
        && field.chars().count() <= MAX_NAME_CHARS
        && field.parse::<f64>().is_err()
        && !field.ends_with(['.', ':', ';', '{', '}'])
        && field.chars().any(char::is_alphabetic)
}

/// The fields of a line; `None` if a quoted one is not closed in it.
fn fields(line: &str, separator: char) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let (mut field, mut is_quoted) = (String::new(), false);
    for char in line.chars() {
        match char {
            '"' => is_quoted = !is_quoted,
            char if char == separator && !is_quoted => fields.push(std::mem::take(&mut field)),
            char => field.push(char),
        }
    }
    fields.push(field);
    (!is_quoted).then_some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_separated_values_are_recognised() {
        for (text, expected) in [
            ("id,name\n1,a\n2,b\n3", "id|name"),
            ("id;\"a name\"\n1;\"x;y\"\n2;z\n", "id|a name"),
            ("a\tb\tc\n1\t2\t3\n4\t5\t6\n", "a|b|c"),
        ] {
            let found = columns(text.as_bytes()).map(|names| names.join("|"));
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "id,name\n1,a\n",
            "1,2\n3,4\n5,6\n",
            "id,name\n1,a,b\n2,b\n",
            "id,id\n1,a\n2,b\n",
            "So, it began\nAnd, it went\nThen, it ended\n",
            "use a;\nuse b;\nuse c;\n",
            "no table\nat all\nhere\n",
        ] {
            assert_eq!(columns(text.as_bytes()), None, "{text}");
        }
    }
}
