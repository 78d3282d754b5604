//! Sessions: lists, history, deletion, export.
