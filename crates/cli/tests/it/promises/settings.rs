//! Settings: names, origins, switches.
