mod http;
mod pipes;
mod process;
mod store;
mod wrap;
