#![no_main]

#[path = "../../crates/cli/tests/fuzzed/mod.rs"]
#[allow(dead_code)]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzed::transcript(data));
