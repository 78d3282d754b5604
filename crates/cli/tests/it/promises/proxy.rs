//! The proxy, wrapping, and `run`.
