use std::path::PathBuf;

use clap::Parser;

use crate::{Outside, Stack};

/// Measures the CPU cost of Sheave and its rivals, in turns in one run.
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
    /// Only rows whose name, such as `throughput/64KiB`, contains one of these words
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Fewer rounds and shorter samples
    #[arg(long)]
    pub quick: bool,
    /// Rounds, each with one sample of every stack [default: 7, quick 3]
    #[arg(long)]
    pub rounds: Option<u32>,
    /// Append every sample to FILE, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Only these stacks
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<Stack>,
    /// Only these stacks that run as separate programs [default: all; none with --stack]
    #[arg(long = "outside", value_name = "STACK")]
    pub outside: Vec<Outside>,
    /// No tables: transfer messages of the chosen size with each chosen stack for that many
    /// CPU-seconds, for profiling
    #[arg(long, value_name = "SECONDS")]
    pub spin: Option<f64>,
    /// No tables: transfer messages as ordered on standard input, one "SIZE COUNT" per line
    #[arg(long, hide = true)]
    pub serve: bool,
    /// Passed by cargo
    #[arg(long, hide = true)]
    pub bench: bool,
}

impl Args {
    /// Whether the row of that name is selected.
    pub fn wants(&self, row: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|word| row.contains(word.as_str()))
    }

    /// Whether a table that is measured only on request was named.
    pub fn names(&self, table: &str) -> bool {
        self.filters.iter().any(|word| word.starts_with(table))
    }

    /// Selected stacks.
    pub fn stacks(&self) -> Vec<Stack> {
        if self.stacks.is_empty() {
            Stack::ALL.to_vec()
        } else {
            self.stacks.clone()
        }
    }

    /// Selected programs.
    pub fn outside(&self) -> Vec<Outside> {
        match (self.outside.is_empty(), self.stacks.is_empty()) {
            (true, true) => Outside::ALL.to_vec(),
            _ => self.outside.clone(),
        }
    }

    /// Number of rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 3 } else { 7 }).max(1)
    }

    /// CPU time per sample, seconds.
    pub const fn sample_seconds(&self) -> f64 {
        if self.quick { 0.05 } else { 0.2 }
    }
}
