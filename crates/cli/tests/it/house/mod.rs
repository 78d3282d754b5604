mod as_root;
mod boundaries;
mod fit_tokens;
mod layers;
mod no_false_secrets;
mod readme;
mod release;
mod security;
