mod as_root;
mod boundaries;
mod fit_tokens;
mod layers;
mod readme;
mod release;
mod security;
