//! Lines of a file of any size, in bounded memory.

use std::io::{self, BufRead};

/// The longest line that is looked at; a longer one can't be ours.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Calls `each` with every line, without its line break, or with nothing for one that is too long.
///
/// Answers whether the last line was complete, that is, ended by a line break.
pub fn for_each_line(
    reader: &mut impl BufRead,
    max: usize,
    mut each: impl FnMut(Option<&[u8]>),
) -> io::Result<bool> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut complete = true;
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', buffer);
        let (part, _) = buffer.split_at(end.unwrap_or(buffer.len()));
        too_long |= line.len() + part.len() > max;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        complete = end.is_some();
        if complete {
            each((!too_long).then_some(&line));
            line.clear();
            too_long = false;
        }
    }
    if !complete {
        each((!too_long).then_some(&line));
    }
    Ok(complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, max: usize) -> (Vec<Option<String>>, bool) {
        let mut found = Vec::new();
        // A tiny buffer, so that lines span several reads.
        let mut reader = io::BufReader::with_capacity(3, text.as_bytes());
        let complete = for_each_line(&mut reader, max, |line| {
            found.push(line.map(|line| String::from_utf8_lossy(line).into_owned()));
        })
        .unwrap();
        (found, complete)
    }

    #[test]
    fn every_line_comes_whole_and_the_torn_one_last() {
        let expected = ["first", "", "third"].map(|line| Some(line.to_owned()));
        assert_eq!(lines("first\n\nthird", 99), (expected.to_vec(), false));
        assert_eq!(lines("first\n\nthird\n", 99), (expected.to_vec(), true));
        assert_eq!(lines("", 99), (vec![], true));
    }

    #[test]
    fn a_line_above_the_limit_is_passed_over_and_the_next_is_not() {
        let expected = vec![None, Some("ok".to_owned())];
        assert_eq!(lines("too long a line\nok\n", 4), (expected, true));
    }
}
