mod kept;
mod model;
mod outputs;
mod probes;
mod run;
mod saved;
