//! What must be true of a secret beside its alphabet and length.

/// Whether what comes after the prefix can be a secret.
pub(super) type Check = fn(&[u8]) -> bool;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// How many characters the checksum has.
const CRC_DIGITS: usize = 6;

/// Ends with the CRC32 of what comes before, as GitHub's and npm's tokens do.
pub(super) fn has_crc(value: &[u8]) -> bool {
    let Some((random, checksum)) = value.split_last_chunk::<CRC_DIGITS>() else {
        return false;
    };
    let mut rest = crc32(random);
    checksum.iter().rev().all(|digit| {
        let expected = DIGITS.get((rest % 62) as usize);
        rest /= 62;
        expected == Some(digit)
    })
}

pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let by_bit = |crc: u32| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| by_bit(crc))
    })
}

/// Has digits, small letters and capitals, and none of what stands for a value in documents.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_uppercase)
        && !is_placeholder(value)
}

/// Has digits and letters, and none of what stands for a value in documents.
pub(super) fn is_figures_and_letters(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !is_placeholder(value)
}

/// Has groups of digits between hyphens, and a mixed part at the end.
pub(super) fn is_figure_groups(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'-');
    let last = parts.next_back().unwrap_or_default();
    let is_figures = |part: &[u8]| part.len() >= 10 && part.iter().all(u8::is_ascii_digit);
    last.len() >= 24 && is_figures_and_letters(last) && parts.any(is_figures)
}

/// Is three parts between slashes, the last mixed.
pub(super) fn has_three_parts(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'/').collect();
    matches!(parts[..], [_, _, last] if last.len() == 24 && is_mixed(last))
}

/// Words that documents put where a secret would be.
const STAND_INS: &[&[u8]] = &[
    b"example",
    b"xxxx",
    b"1234567890",
    b"your",
    b"abcdefgh",
    b"placeholder",
    b"redacted",
    b"0000000000",
];

/// Whether something only stands for a value: it has a word for that, or hardly any different characters.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let has = |word: &&[u8]| memchr::memmem::find(&lower, word).is_some();
    let mut seen = [false; 256];
    for byte in value {
        if let Some(seen) = seen.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    let different = seen.iter().filter(|seen| **seen).count();
    STAND_INS.iter().any(has) || different < 8.min(value.len() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_github() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        // Published by GitHub's documents and by others.
        assert!(has_crc(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"));
        assert!(!has_crc(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18"));
        assert!(!has_crc(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkK0mLq17"));
        assert!(!has_crc(b"0mL"));
    }
}
