//! Two processes over loopback sockets: the table of `sheave bench loopback`, plus QUIC.

use std::env;
use std::io;
use std::process::Command;

use crate::Args;

/// Argument that makes this program a QUIC end.
pub(crate) const QUINN_END: &str = "quinn-end";

/// Lets the tool measure its own contenders and this program in turns.
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
