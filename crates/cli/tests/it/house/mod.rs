mod boundaries;
mod layers;
mod readme;
