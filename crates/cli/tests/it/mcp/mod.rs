mod bad_input;
mod hosts;
mod http;
mod http_limits;
mod server;
mod surface;
mod tool_arguments;
