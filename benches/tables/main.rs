//! `cargo bench`: cost of Sheave and its rivals, measured in one run.
//!
//! See `cargo bench -- --help` for the options.
#![expect(
    unreachable_pub,
    reason = "a program has no outside: `pub` says that other modules use the item"
)]

mod args;
mod echo;
mod flatness;
mod handshakes;
mod instructions;
mod lane;
mod loopback;
mod loss;
mod memory;
mod outside;
mod pair;
mod quinn_end;
mod runner;
mod serve;
mod spin;
mod stack;
mod throughput;

use std::env;
use std::io;

use clap::Parser;
use serde_json::json;
use sheave_measure::{
    Counting, Form, Report, Row, Spread, Table, count, cpu_time, machine, process_cpu_time,
};

use args::Args;
use lane::Lane;
use outside::Outside;
use pair::Pair;
use quinn_end::run_quinn_end;
use stack::Stack;

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
