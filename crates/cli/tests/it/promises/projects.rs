//! Where a project begins.
