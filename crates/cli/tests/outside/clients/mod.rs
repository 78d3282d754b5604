mod conformance;
mod mcp;
mod pi;
mod proxy;
