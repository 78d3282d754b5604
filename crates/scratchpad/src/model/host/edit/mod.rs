//! Edits of somebody else's JSON, TOML and YAML files that leave every other byte alone.

pub mod place;
pub mod splice;
pub mod tree;
pub mod yaml;
