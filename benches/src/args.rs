use std::path::PathBuf;

use clap::Parser;

use crate::{Outside, Stack};

/// Prints what Sheave costs, beside its rivals, measured in turns in one run. Costs are CPU time.
#[derive(Debug, Parser)]
#[command(
    name = "cargo bench --",
    after_help = "\
Examples:
  cargo bench                                    every table
  cargo bench -- throughput                      user bytes per CPU-second, six sizes, all rivals
  cargo bench -- throughput/8KiB --outside pion --stack sheave
  cargo bench -- shared                          the same with one message sent again and again
  cargo bench -- loss                            goodput under random loss, in virtual time
  cargo bench -- loopback                        two processes, beside kernel TCP and QUIC
  cargo bench -- flatness --quick                what one more message, stream, association costs
  cargo bench -- instructions/8KiB               instructions of a packet, by valgrind
  cargo bench -- --json samples.jsonl            every sample, one JSON object a line

Tables: throughput, loss, flatness (queues, streams, associations, active), handshakes, echo, allocations, \
idle, loopback; and, where they are named, shared and instructions. docs/benchmarks.md tells what each compares."
)]
pub struct Args {
    /// Only rows whose name, such as `throughput/64KiB`, holds one of these words
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Fewer rounds and shorter samples
    #[arg(long)]
    pub quick: bool,
    /// Rounds, each with one sample of every stack [default: 7, quick 3]
    #[arg(long)]
    pub rounds: Option<u32>,
    /// Append every sample to FILE, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Only these stacks
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<Stack>,
    /// Only these of the stacks that are programs of their own [default: all; none with --stack]
    #[arg(long = "outside", value_name = "STACK")]
    pub outside: Vec<Outside>,
    /// No tables: let each chosen stack move messages of the one chosen size for that many
    /// CPU-seconds, for a profiler to watch
    #[arg(long, value_name = "SECONDS")]
    pub spin: Option<f64>,
    /// No tables: move messages as the standard input orders, "SIZE COUNT" a line
    #[arg(long, hide = true)]
    pub serve: bool,
    /// Given by cargo
    #[arg(long, hide = true)]
    pub bench: bool,
}

impl Args {
    /// Whether the row of that name is wanted.
    #[must_use]
    pub fn wants(&self, row: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|word| row.contains(word.as_str()))
    }

    /// Whether a table that is measured only where it is named is named.
    #[must_use]
    pub fn names(&self, table: &str) -> bool {
        self.filters.iter().any(|word| word.starts_with(table))
    }

    /// The stacks asked for.
    #[must_use]
    pub fn stacks(&self) -> Vec<Stack> {
        if self.stacks.is_empty() {
            Stack::ALL.to_vec()
        } else {
            self.stacks.clone()
        }
    }

    /// The programs asked for.
    #[must_use]
    pub fn outside(&self) -> Vec<Outside> {
        match (self.outside.is_empty(), self.stacks.is_empty()) {
            (true, true) => Outside::ALL.to_vec(),
            _ => self.outside.clone(),
        }
    }

    /// Rounds of samples.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 3 } else { 7 }).max(1)
    }

    /// CPU-seconds that one sample should take.
    #[must_use]
    pub const fn sample_seconds(&self) -> f64 {
        if self.quick { 0.05 } else { 0.2 }
    }
}
