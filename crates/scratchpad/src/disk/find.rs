//! Finding bytes in content of any size.

use std::collections::BTreeSet;
use std::io::{self, Read};

use memchr::memmem;

use crate::model::text::bytes::read_piece;

/// Bytes read at once.
const PART: usize = 1 << 20;

/// Whether content has any of these sequences of bytes.
pub fn contains(
    content: &mut (impl Read + ?Sized),
    wanted: &BTreeSet<Vec<u8>>,
) -> io::Result<bool> {
    let longest = wanted.iter().map(Vec::len).max().unwrap_or(0);
    let mut buffer = vec![0; PART + longest];
    let mut held = 0;
    loop {
        // At most `longest` bytes are held, so the split does not panic.
        let (_, room) = buffer.split_at_mut(held);
        let read = read_piece(content, room)?.len();
        let (part, _) = buffer.split_at(held + read);
        if wanted
            .iter()
            .any(|wanted| memmem::find(part, wanted).is_some())
        {
            return Ok(true);
        }
        if read == 0 {
            return Ok(false);
        }
        let end = part.len();
        let kept = end.min(longest);
        buffer.copy_within(end - kept..end, 0);
        held = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_wherever_they_begin() {
        let wanted = BTreeSet::from([b"needle".to_vec(), b"another one".to_vec()]);
        for before in (PART - 12..PART + 24).chain([0, 1]) {
            let mut content = vec![b'n'; before];
            content.extend_from_slice(b"needle");
            assert!(
                contains(&mut content.as_slice(), &wanted).unwrap(),
                "{before}"
            );
            content.pop();
            assert!(
                !contains(&mut content.as_slice(), &wanted).unwrap(),
                "{before}"
            );
        }
    }
}
