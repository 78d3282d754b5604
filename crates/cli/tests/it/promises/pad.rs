//! The pad: actions, limits, the block, nudges.
