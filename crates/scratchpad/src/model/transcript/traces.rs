//! Which lines of a result turn up again in what the model wrote later.
//!
//! A line counts as used if about 24 of its characters in a row occur there, blanks aside: always if 31 do. Fingerprints
//! are kept, not texts.

use std::collections::HashMap;

/// Characters of a fingerprint.
const WINDOW: usize = 24;
/// One fingerprint for so many characters.
const STEP: usize = 8;
/// The most fingerprints of one conversation. What comes later is taken to be used as a whole.
const MOST: usize = 400_000;

const BASE: u64 = 0x0000_0100_0000_01B3;

#[derive(Debug, Default)]
pub(super) struct Traces(HashMap<u64, (u32, u32)>);

impl Traces {
    /// Remembers the lines of a result; false if there is no room for it.
    pub(super) fn add(&mut self, result: u32, text: &str) -> bool {
        if self.0.len() + text.len() / STEP > MOST {
            return false;
        }
        for (number, line) in (0..).zip(text.lines()) {
            let line: Vec<u8> = line.bytes().filter(|byte| counts(*byte)).collect();
            for window in line.windows(WINDOW).step_by(STEP) {
                let hash = window.iter().fold(0, |hash, byte| next(hash, *byte));
                self.0.entry(hash).or_insert((result, number));
            }
        }
        true
    }

    /// Calls `used` with each result and line that a text repeats.
    pub(super) fn find(&self, text: &str, mut used: impl FnMut(u32, u32)) {
        if self.0.is_empty() {
            return;
        }
        let leaving = (0..WINDOW).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let (mut hash, mut last, mut count) = (0_u64, [0_u8; WINDOW], 0_usize);
        for byte in text.bytes().filter(|byte| counts(*byte)) {
            let Some(place) = last.get_mut(count % WINDOW) else {
                return;
            };
            let left = std::mem::replace(place, byte);
            hash = next(hash, byte);
            if count >= WINDOW {
                hash = hash.wrapping_sub(weight(left).wrapping_mul(leaving));
            }
            count += 1;
            if count >= WINDOW
                && let Some((result, line)) = self.0.get(&hash)
            {
                used(*result, *line);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Blanks may differ, and so does how texts are escaped.
fn counts(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && byte != b'\\'
}

fn weight(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn next(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(weight(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_that_turn_up_again_are_found_and_no_others() {
        let mut traces = Traces::default();
        let line = |number: u32| {
            format!(
                "    test number_{number}_of_the_whole_suite ... {}\n",
                number * 7919
            )
        };
        let text: String = (0..500).map(line).collect();
        assert!(traces.add(3, &text));
        let found = |text: &str| {
            let mut found = BTreeSet::new();
            traces.find(text, |result, line| {
                found.insert((result, line));
            });
            found
        };
        let said = format!("I'll fix this one:\n{}and go on.", line(77).trim_start());
        assert_eq!(found(&said), BTreeSet::from([(3, 77)]));
        let escaped = line(400).replace(' ', "\\n");
        assert!(found(&format!("x{escaped}")).contains(&(3, 400)));
        assert!(found("nothing of all this is in the result that was kept").is_empty());
        assert!(found("number_77_of").is_empty(), "too short");
        let large = "x".repeat(MOST * STEP);
        assert!(!traces.add(4, &large));
    }
}
