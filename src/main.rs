//! The `refrast` command.

fn main() {}
