//! `cargo bench`: the tables of what Sheave costs, beside its rivals, measured in one run.
//!
//! `cargo bench -- --help` tells what can be chosen.

mod handshakes;
mod loss;
mod memory;
mod queues;
mod runner;
mod serve;
mod spin;
mod throughput;

use std::io;

use clap::Parser;
use sheave_bench::{Args, Counting, Sheet};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> io::Result<()> {
    let args = Args::parse();
    if let Some(seconds) = args.spin {
        spin::run(&args, seconds);
        return Ok(());
    }
    if args.serve {
        return serve::run(&args);
    }
    let mut sheet = Sheet::open(&args)?;
    throughput::run(&args, &mut sheet)?;
    loss::run(&args, &mut sheet)?;
    queues::run(&args, &mut sheet)?;
    handshakes::run(&args, &mut sheet)?;
    memory::run(&args, &mut sheet)
}
