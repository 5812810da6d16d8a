//! What the tables of `cargo bench` are made of: stacks in pairs, a clock that counts only our own
//! thread's work, an allocator that counts, and the printing.

mod allocator;
mod args;
mod cpu;
mod machine;
pub mod pair;
mod sheet;
mod stack;
mod statistics;

pub use allocator::{Counting, Counts, count};
pub use args::Args;
pub use cpu::cpu_time;
pub use machine::machine;
pub use pair::Pair;
pub use sheet::{Align, Sheet, Table};
pub use stack::Stack;
pub use statistics::Spread;
