//! Third-party clients and servers, installed by `scripts/install-clients`.

use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(super::ROOT)
}

/// The directory they are installed in; panics without the named one.
pub fn installed(name: &str) -> PathBuf {
    let place = std::env::var_os("SCRATCHPAD_CLIENTS")
        .map_or_else(|| root().join("target/clients"), PathBuf::from);
    assert!(
        place.join(name).join(".complete").is_file(),
        "the clients are not installed: run ./scripts/install-clients, or ./scripts/test, which does"
    );
    place
}
