//! The `sheave` tool.
mod transfer;
fn main() {}
