//! Files and directories: private ones, those of other programs, large files, and content staged for the store.

pub mod files;
pub mod find;
pub mod lines;
pub mod private;
pub mod replace;
pub mod spool;
pub mod staged;
pub mod tree;
