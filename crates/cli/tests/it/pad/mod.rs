mod pad_model;
mod session;
mod session_log;
