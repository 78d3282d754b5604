//! Variable-length integers: seven bits per byte, lowest first.

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(low_byte(number) | 0x80);
        number >>= 7;
    }
    out.push(low_byte(number));
}

/// The number of bytes that [`put`] appends.
pub(super) fn length(number: u64) -> usize {
    let bits = u64::BITS - (number | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

fn low_byte(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

/// Maps a signed number to an unsigned one, so that numbers near 0 stay small.
pub(super) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// The inverse of [`zigzag`].
pub(super) fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Reads from the front of a slice; `None` if it is too short.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn remaining(self) -> usize {
        self.rest.len()
    }

    pub(super) fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    /// The next number. Bits above the 64th are lost.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut number = u64::from(first & 0x7F);
        for shift in (7..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next number as a length or an offset.
    #[inline]
    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// The next `length` bytes.
    #[inline]
    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_the_bytes_promised() {
        for number in (0..64)
            .flat_map(|bit| [1_u64 << bit, (1 << bit) - 1])
            .chain([u64::MAX])
        {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(bytes.len(), length(number), "{number}");
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.number(), Some(number));
            assert!(reader.is_empty());
            assert_eq!(zigzag(unzigzag(number)), number);
        }
        assert_eq!([0, -1, 1, i64::MIN].map(zigzag), [0, 1, 2, u64::MAX]);
    }

    #[test]
    fn a_number_without_end_is_none() {
        assert_eq!(Reader::new(&[]).number(), None);
        assert_eq!(Reader::new(&[0x80]).number(), None);
        assert_eq!(Reader::new(&[0xFF; 40]).number(), None);
        assert_eq!(Reader::new(&[1]).bytes(2), None);
    }
}
