mod bad_store;
mod fuzz_regressions;
mod processes;
