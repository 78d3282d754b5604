mod conformance;
mod mcp;
mod proxy;
