//! One file per view: what it asks of the scratchpad, and its template.

pub(super) mod error;
pub(super) mod given;
pub(super) mod health;
pub(super) mod home;
pub(super) mod login;
pub(super) mod notes;
pub(super) mod one_note;
pub(super) mod outputs;
pub(super) mod project;
pub(super) mod rows;
pub(super) mod session;
pub(super) mod table;
pub(super) mod tree;
pub(super) mod viewer;
