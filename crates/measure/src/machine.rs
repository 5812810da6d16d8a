use std::env;
use std::fs;
use std::thread::available_parallelism;

/// One-line description of the machine and of this program's build profile.
#[must_use]
pub fn machine() -> String {
    let cores = available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let toolchain = env::var("RUSTUP_TOOLCHAIN").unwrap_or_else(|_| "toolchain unknown".into());
    format!(
        "{}, {cores} cores, {} {}, {toolchain}, profile {}",
        cpu_model().unwrap_or_else(|| env::consts::ARCH.into()),
        env::consts::OS,
        kernel.trim(),
        env!("SHEAVE_MEASURE_PROFILE"),
    )
}

fn cpu_model() -> Option<String> {
    let facts = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = facts.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
