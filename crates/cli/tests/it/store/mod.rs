mod bad_store;
mod contract;
mod fuzz_regressions;
mod processes;
