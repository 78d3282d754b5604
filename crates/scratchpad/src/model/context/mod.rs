//! What a person wants agents to know, and how it is written into instruction files.

pub mod instructions;
pub mod known;
pub mod lines;
pub mod notes;
pub mod pack;
pub mod region;
pub mod repository;
pub mod toolchain;
