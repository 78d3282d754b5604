//! SHA-256, which names outputs.

use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::bytes::read_piece;

/// The SHA-256 of bytes that arrive in pieces.
#[derive(Clone, Debug, Default)]
pub struct Sha256Stream(Sha256);

impl Sha256Stream {
    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all pieces, as 64 hex digits.
    pub fn hex(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            // Writing to a string can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The SHA-256 of everything that is read, as 64 hex digits.
pub fn sha256_of(content: &mut dyn Read) -> io::Result<String> {
    let mut hash = Sha256Stream::default();
    let mut buffer = vec![0; 128 * 1024];
    loop {
        let piece = read_piece(content, &mut buffer)?;
        if piece.is_empty() {
            return Ok(hash.hex());
        }
        hash.update(piece);
    }
}

/// The SHA-256 of bytes, as 64 hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut stream = Sha256Stream::default();
    stream.update(bytes);
    stream.hex()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_the_standard_one() {
        assert_eq!(
            super::sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
