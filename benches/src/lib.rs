//! What the tables of `cargo bench` are made of beyond `sheave-measure`: the rivals, the choice of
//! what is measured, and the printing.

mod args;
mod outside;
pub mod pair;
mod quinn_end;
mod sheet;
mod stack;

pub use args::Args;
pub use outside::{Cost, Outside, Program};
pub use pair::Pair;
pub use quinn_end::run_quinn_end;
pub use sheave_measure::{Align, Counting, Counts, Spread, Table, count, cpu_time, machine};
pub use sheet::Sheet;
pub use stack::Stack;
