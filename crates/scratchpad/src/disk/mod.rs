//! Files and directories on disk: private ones, other people's, large ones, and content on its way into the store.

pub mod files;
pub mod lines;
pub mod private;
pub mod staged;
