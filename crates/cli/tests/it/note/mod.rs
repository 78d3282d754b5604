mod errors;
mod model;
mod notes;
mod transfer;
