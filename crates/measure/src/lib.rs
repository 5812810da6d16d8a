//! Tools to measure Sheave: two endpoints in one thread, a clock that counts only our own work, a
//! counting allocator, the limits of the machine, and tables.
//!
//! `cargo bench` puts other stacks beside it; `sheave bench` measures without them.

mod allocator;
pub mod callgrind;
pub mod ceiling;
mod cpu;
mod machine;
pub mod pair;
mod statistics;
mod table;

pub use allocator::{Counting, Counts, count};
pub use cpu::{cpu_time, process_cpu_time};
pub use machine::machine;
pub use pair::Pair;
pub use statistics::Spread;
pub use table::{Align, Table};
