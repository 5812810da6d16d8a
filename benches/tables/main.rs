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
use serde_json::json;
use sheave_bench::{Args, Counting, Report, machine, run_quinn_end};
use sheave_measure::Form;

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
    let report = Report::new(Form::Text, args.json.as_deref())?;
    let machine = machine();
    println!("{machine}");
    println!(
        "CPU time of both ends; what else runs here counts only as far as it takes caches and half cores"
    );
    report.sample("machine", json!({ "machine": machine }))?;
    throughput::run(&args, &report)?;
    loss::run(&args, &report)?;
    flatness::run(&args, &report)?;
    handshakes::run(&args, &report)?;
    echo::run(&args, &report)?;
    memory::run(&args, &report)?;
    instructions::run(&args, &report)?;
    loopback::run(&args)
}
