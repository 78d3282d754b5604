mod inject;
mod inject_errors;
mod inject_hosts;
mod notes;
mod profile;
