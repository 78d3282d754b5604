//! Wiring hosts, and taking it back.
