//! Two processes over the sockets of this machine: the table of `sheave bench loopback`, with QUIC
//! beside it.

use std::env;
use std::io;
use std::process::Command;

use sheave_bench::Args;

/// The word that makes this program an end of QUIC.
pub(crate) const QUINN_END: &str = "quinn-end";

/// Lets the tool measure, in turns, all that it knows and this program.
pub(crate) fn run(args: &Args) -> io::Result<()> {
    if !args.wants("loopback") {
        return Ok(());
    }
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let contender = format!(
        "QUIC (quinn, encrypted)={} {QUINN_END}",
        env::current_exe()?.display()
    );
    let mut command = Command::new(cargo);
    command
        .args([
            "run",
            "--profile",
            "dist",
            "--quiet",
            "-p",
            "sheave-cli",
            "--",
        ])
        .args(["bench", "loopback", "--contender", &contender])
        .args(["--rounds", &args.rounds().to_string()])
        .args(["--time", if args.quick { "0.2" } else { "1" }]);
    if let Some(samples) = &args.json {
        command.arg("--samples").arg(samples);
    }
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other("`sheave bench loopback` failed")),
    }
}
