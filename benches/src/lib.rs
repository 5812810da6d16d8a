//! Parts of `cargo bench` that `sheave-measure` lacks: rivals, selection of measurements, printing.

mod args;
mod lane;
mod outside;
pub mod pair;
mod quinn_end;
mod stack;

pub use args::Args;
pub use lane::Lane;
pub use outside::{Cost, Outside, Program};
pub use pair::Pair;
pub use quinn_end::run_quinn_end;
pub use sheave_measure::{
    Counting, Counts, Report, Row, Spread, Table, count, cpu_time, machine, process_cpu_time,
};
pub use stack::Stack;
