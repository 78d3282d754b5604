//! Noticing that anything was written, by any process.

use std::time::Duration;

use crate::model::error::Result;

/// Looks whether anything was committed since it last looked.
pub trait Watcher: Send {
    /// Whether there may be something new. The first look says no.
    fn has_changed(&mut self) -> Result<bool>;

    /// How long to wait between two looks.
    fn pause(&self) -> Duration;
}

/// What a page needs in order to be live. Writers do nothing for it.
pub trait Watch: Send + Sync {
    /// A watcher that begins now, with a connection of its own where that is needed.
    fn watcher(&self) -> Result<Box<dyn Watcher>>;
}
