//! Commands, help, errors and languages.
