//! How Sheave is measured: two endpoints in one thread, a clock that counts only our own work, an
//! allocator that counts, what the machine can do at most, and tables.
//!
//! `cargo bench` puts other stacks beside it; `sheave bench` measures without them.

mod allocator;
pub mod callgrind;
mod cpu;
mod machine;
pub mod pair;
pub mod roof;
mod statistics;
mod table;

pub use allocator::{Counting, Counts, count};
pub use cpu::{cpu_time, process_cpu_time};
pub use machine::machine;
pub use pair::Pair;
pub use statistics::Spread;
pub use table::{Align, Table};
