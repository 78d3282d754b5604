pub(crate) mod binding;
mod hooks;
mod install;
mod install_instructions;
mod places;
mod undo;
