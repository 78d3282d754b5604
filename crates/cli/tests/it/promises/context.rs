//! Context notes, and the instruction files they reach.
