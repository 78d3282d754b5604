//! Outputs: references, slices, previews, lists and pruning.
