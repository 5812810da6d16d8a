//! The `sheave` tool: transfer, measure, ping and look at SCTP.
#![expect(
    unreachable_pub,
    reason = "a program has no outside: `pub` says that other modules use the item"
)]

mod args;
#[cfg(feature = "lab")]
mod bench;
#[cfg(feature = "dtls")]
mod certificate;
#[cfg(feature = "webrtc")]
mod dc;
mod demo;
#[cfg(target_os = "linux")]
mod doctor;
mod dump;
#[cfg(feature = "lab")]
mod emulate;
mod failure;
mod features;
mod interrupt;
#[cfg(feature = "lab")]
mod lab;
mod manual;
mod network;
mod paths;
mod perf;
mod ping;
mod recv;
#[cfg(target_os = "linux")]
mod run;
mod screen;
mod send;
mod sys;
mod transfer;
mod units;

use std::process::ExitCode;

use clap::CommandFactory;
use mimalloc::MiMalloc;
use serde_json::json;

use args::{Cli, Command};
use failure::{Exit, Failure, While};
use interrupt::Interrupts;
use screen::Output;

/// The allocator: laboratory threads free memory that others have allocated.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::from_words(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => match features::missing_for(&error) {
            Some(failure) => return complain(&failure, Output::Human),
            None => error.exit(),
        },
    };
    let output = cli.output();
    // `sheave run` forwards signals to its program.
    #[cfg(target_os = "linux")]
    if let Command::Run(args) = &cli.command {
        return match run::run(args, output) {
            Ok(exit) => exit.into(),
            Err(failure) => complain(&failure, output),
        };
    }
    let interrupts = match Interrupts::watch().while_doing("cannot watch for signals") {
        Ok(interrupts) => interrupts,
        Err(failure) => return complain(&failure, output),
    };
    match run_command(&cli, output, &interrupts) {
        // Failures caused by a signal are not reported.
        outcome if interrupts.exit().is_some() && !is_endless(&cli) => {
            if let Err(failure) = outcome {
                eprintln!("sheave: interrupted ({})", failure.what);
            }
            interrupts.exit().unwrap_or(Exit::Failure).into()
        }
        Ok(exit) => exit.into(),
        Err(failure) => complain(&failure, output),
    }
}

fn run_command(cli: &Cli, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Send(args) => send::run(args, output, interrupts),
        Command::Recv(args) => recv::run(args, output, interrupts),
        #[cfg(target_os = "linux")]
        Command::Run(args) => run::run(args, output),
        #[cfg(target_os = "linux")]
        Command::Doctor(args) => doctor::run(args, output),
        Command::Perf(args) => perf::run(args, output, interrupts),
        Command::Ping(args) => ping::run(args, output, interrupts),
        #[cfg(feature = "dtls")]
        Command::Certificate(args) => certificate::run(args, output),
        Command::Dump(args) => dump::run(args, output, interrupts),
        #[cfg(feature = "webrtc")]
        Command::Dc(args) => dc::run(args, output, interrupts),
        Command::Demo(args) => demo::run(args, output, interrupts),
        #[cfg(feature = "lab")]
        Command::Emulate(args) => emulate::run(args, output, interrupts),
        #[cfg(feature = "lab")]
        Command::Lab(args) => lab::run(args, output, interrupts),
        #[cfg(feature = "lab")]
        Command::Bench(args) => bench::run(args, output, interrupts),
        #[cfg(feature = "lab")]
        Command::BenchEnd(args) => bench::run_end(args),
        #[cfg(feature = "lab")]
        Command::BenchSpin(args) => bench::run_spin(args),
        #[cfg(feature = "lab")]
        Command::BenchSockets(args) => bench::run_sockets(args),
        Command::Man(args) => manual::run(args),
        Command::Completions { shell } => {
            let mut out = std::io::stdout().lock();
            clap_complete::generate(*shell, &mut Cli::command(), "sheave", &mut out);
            Ok(Exit::Success)
        }
    }
}

/// Whether the command usually runs until Ctrl-C and then has an exit code of its own.
fn is_endless(cli: &Cli) -> bool {
    match cli.command {
        #[cfg(feature = "lab")]
        Command::Emulate(_) => true,
        Command::Ping(_) | Command::Dump(_) => true,
        _ => false,
    }
}

fn complain(failure: &Failure, output: Output) -> ExitCode {
    if output == Output::Json {
        let event = json!({ "event": "error", "error": failure.what, "fix": failure.fix });
        println!("{event}");
    }
    eprintln!("{failure}");
    failure.exit.into()
}
