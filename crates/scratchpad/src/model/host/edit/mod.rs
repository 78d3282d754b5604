//! Edits of somebody else's JSON, TOML and YAML files that leave every other byte alone.

pub mod jsonc;
pub mod splice;
pub mod tree;
pub mod yaml;
