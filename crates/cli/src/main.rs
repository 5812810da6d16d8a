//! The `sheave` tool.
fn main() {}
