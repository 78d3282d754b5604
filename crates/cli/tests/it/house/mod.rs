mod as_root;
mod boundaries;
mod layers;
mod readme;
