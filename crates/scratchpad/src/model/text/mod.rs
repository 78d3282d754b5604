//! Text and bytes: numbers for people, hashes, token counts, escaping, differences.

pub mod bytes;
pub mod diff;
pub mod escape;
pub mod fence;
pub mod hash;
pub mod imitation;
pub mod message;
pub mod nearest;
pub mod quantity;
pub mod rewrite;
pub mod tokens;
