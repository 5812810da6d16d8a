//! Tools to measure Sheave and other stacks: two endpoints in one thread, connections between
//! processes, a CPU clock, a counting allocator, limits of the machine, samples taken in turns, and
//! tables.
//!
//! `cargo bench` compares Sheave with other stacks; `sheave bench` measures without them.

mod allocator;
pub mod callgrind;
pub mod ceiling;
mod connection;
mod cpu;
mod goal;
mod machine;
pub mod pair;
mod program;
mod report;
mod statistics;

pub use allocator::{Counting, Counts, count};
pub use connection::{Connection, Load, Part, Sctp, Tcp, Work};
pub use cpu::{cpu_time, process_cpu_time};
pub use goal::Goal;
pub use machine::machine;
pub use pair::Pair;
pub use program::Program;
pub use report::{Form, Report, Row, Table};
pub use statistics::Spread;
