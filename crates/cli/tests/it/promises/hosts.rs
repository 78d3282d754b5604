//! Hooks, nudges and bindings, as hosts see them.
