//! What a fuzzer found stays fixed, and mutations of the seeds do no harm: fuzzing on the stable toolchain.

use std::fs;
use std::path::Path;

use crate::fuzzed::TARGETS;
use crate::support::{ROOT, cases};

/// The number of mutations to try of each seed.
const MUTATIONS: u32 = 500;

/// The inputs of a target in one of the directories, in order.
fn inputs(directory: &str, target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(ROOT).join("fuzz").join(directory).join(target);
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn what_a_fuzzer_found_stays_fixed() {
    for (target, run) in TARGETS {
        for input in inputs("regressions", target) {
            println!("{target} {:?}", String::from_utf8_lossy(&input));
            run(&input);
        }
    }
}

#[test]
fn the_seeds_hold_under_mutations() {
    for (target, run) in TARGETS {
        let seeds = inputs("seeds", target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        for seed in &seeds {
            run(seed);
            for _ in 0..cases(MUTATIONS) {
                let input = random.mutated(seed, &seeds);
                // Shown only where it fails.
                println!("{target} {:?}", String::from_utf8_lossy(&input));
                run(&input);
            }
        }
    }
}

/// The same sequence on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Applies up to four changes: sets a byte, or removes, doubles or imports a part.
    fn mutated(&mut self, seed: &[u8], seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seed.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(input.len());
            let end = at + self.below(input.len() - at);
            match self.below(5) {
                0 if !input.is_empty() => input[at] = self.below(256) as u8,
                1 => drop(input.drain(at..end)),
                2 => {
                    let part = input[at..end].to_vec();
                    input.splice(at..at, part);
                }
                3 => {
                    let other = &seeds[self.below(seeds.len())];
                    let from = self.below(other.len());
                    let to = from + self.below(other.len() - from);
                    input.splice(at..at, other[from..to].iter().copied());
                }
                _ => {
                    let telling = b"\"\\{}[]:,\n\r\t#-'&*|<>!\0\xef\xbb\xbf\xff$.";
                    input.insert(at, telling[self.below(telling.len())]);
                }
            }
        }
        input
    }
}
