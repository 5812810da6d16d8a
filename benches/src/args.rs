use std::path::PathBuf;

use clap::Parser;

use crate::Stack;

/// Prints what Sheave costs, beside its rivals. All times are CPU time of one thread.
#[derive(Debug, Parser)]
#[command(name = "cargo bench --")]
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
    /// No tables: let each chosen stack move messages of the one chosen size for that many
    /// CPU-seconds, for a profiler to watch
    #[arg(long, value_name = "SECONDS")]
    pub spin: Option<f64>,
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

    /// The stacks asked for.
    #[must_use]
    pub fn stacks(&self) -> Vec<Stack> {
        if self.stacks.is_empty() {
            Stack::ALL.to_vec()
        } else {
            self.stacks.clone()
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
