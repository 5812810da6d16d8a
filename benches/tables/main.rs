//! `cargo bench`: cost of Sheave and its rivals, measured in one run.
//!
//! See `cargo bench -- --help` for the options.

mod echo;
mod flatness;
mod handshakes;
mod instructions;
mod loopback;
mod loss;
mod memory;
mod runner;
mod serve;
mod spin;
mod throughput;

use std::env;
use std::io;

use clap::Parser;
use sheave_bench::{Args, Counting, Sheet, run_quinn_end};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> io::Result<()> {
    if env::args().nth(1).as_deref() == Some(loopback::QUINN_END) {
        return run_quinn_end();
    }
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
    flatness::run(&args, &mut sheet)?;
    handshakes::run(&args, &mut sheet)?;
    echo::run(&args, &mut sheet)?;
    memory::run(&args, &mut sheet)?;
    instructions::run(&args, &mut sheet)?;
    loopback::run(&args)
}
