//! Instructions for each packet, counted by valgrind, which runs this program for that.

use std::env;
use std::fs;
use std::process::Command;

use clap::Args;
use serde_json::json;
use sheave::Bytes;
use sheave_measure::Pair;

use super::report::column;
use super::setups::Conditions;
use super::{BenchArgs, Job, memory};
use crate::failure::{Exit, Failure, While};

/// User bytes that are moved before anything counts: what grows on first use has grown then.
const WARM: usize = 1 << 21;
/// User bytes whose moving counts.
const COUNTED: usize = 1 << 22;

/// One run under valgrind.
#[derive(Args, Clone, Copy, Debug)]
pub struct SpinArgs {
    /// Under which conditions
    #[command(flatten)]
    conditions: Conditions,
    /// Bytes of a message
    #[arg(long)]
    size: usize,
    /// Messages
    #[arg(long)]
    count: u64,
}

/// Moves messages, and says how many packets carried them.
///
/// # Errors
/// None.
pub fn run_spin(args: &SpinArgs) -> Result<Exit, Failure> {
    let mut pair = args.conditions.pair(args.size);
    let message = Bytes::from(vec![0x5a; args.size]);
    println!("{}", pair.transfer(&message, args.count));
    Ok(Exit::Success)
}

/// Counts for every size in every setup.
pub fn run(args: &BenchArgs, job: &Job<'_>) -> Result<(), Failure> {
    let version = Command::new("valgrind").arg("--version").output();
    let Ok(version) = version else {
        job.report.note(
            "skipped",
            "instructions: no valgrind here (Debian: valgrind)",
        );
        return Ok(());
    };
    let version = String::from_utf8_lossy(&version.stdout);
    let mut table = job.report.table(
        &format!(
            "instructions: of both ends, counted by {}, which knows no AVX-512: the checksum costs \
             more there than it does otherwise",
            version.trim()
        ),
        &[
            column("messages"),
            column("setup"),
            column("a packet"),
            column("a message"),
            column("a user byte"),
        ],
    );
    for size in memory::sizes(args) {
        for setup in args.setups.all() {
            job.step(&format!("instructions, {size} bytes, {setup}"))?;
            let [warm, all] = [WARM, WARM + COUNTED].map(|bytes| bytes.div_ceil(size));
            let (before, packets_before) = count(setup, size, warm)?;
            let (after, packets_after) = count(setup, size, all)?;
            // Starting and warming are in both.
            let instructions = after.saturating_sub(before) as f64;
            let packet = instructions / (packets_after.saturating_sub(packets_before)) as f64;
            let message = instructions / (all - warm) as f64;
            table.row(
                json!({
                    "message_bytes": size,
                    "setup": setup.to_string(),
                    "conditions": setup.fields(),
                    "instructions_per_packet": packet,
                    "instructions_per_message": message,
                }),
                vec![
                    size.to_string(),
                    setup.to_string(),
                    format!("{packet:.0}"),
                    format!("{message:.0}"),
                    format!("{:.2}", message / size as f64),
                ],
            );
        }
    }
    table.print();
    Ok(())
}

/// Instructions and packets of a run that moves so many messages.
fn count(setup: Conditions, size: usize, messages: usize) -> Result<(u64, u64), Failure> {
    let program = env::current_exe().while_doing("cannot find this program")?;
    let folder = tempfile::tempdir().while_doing("cannot make a folder")?;
    let profile = folder.path().join("profile");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "-q"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(program)
        .arg("bench-spin")
        .args(setup.flags())
        .args([
            "--size",
            &size.to_string(),
            "--count",
            &messages.to_string(),
        ])
        .output()
        .while_doing("cannot start valgrind")?;
    let profile = fs::read_to_string(profile).while_doing("cannot read what valgrind counted")?;
    let total = profile.lines().find_map(|line| {
        let rest = line
            .strip_prefix("summary: ")
            .or(line.strip_prefix("totals: "));
        rest?.trim().parse::<u64>().ok()
    });
    let packets = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
    total
        .zip(packets)
        .ok_or_else(|| Failure::new("valgrind did not count"))
}
