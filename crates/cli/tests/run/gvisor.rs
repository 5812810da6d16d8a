//! Programs in gVisor, a kernel of its own that has no seccomp listener: a library is preloaded.

use super::containers::{FIRST, test_within};
use super::go::is_built;
use super::*;

/// A program in a sandbox that has the system's files, and no network but loopback.
fn sandboxed(runsc: &Path, state: &Path, program: &[&str]) -> Command {
    let mut sandbox = Command::new(runsc);
    sandbox.arg("--root").arg(state);
    sandbox.args(["--network=none", "--ignore-cgroups", "do"]);
    sandbox.args(program);
    sandbox
}

/// Tests that are left out.
const WITHOUT: &[&str] = &[
    // It takes a third of all the time there.
    "a_signal_every_millisecond",
    // It looks for names by a way that needs a network.
    "gensiot_carries_a_file_each_way",
];

#[test]
fn programs_run_in_gvisor_as_outside() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can start gVisor's sandbox");
        return;
    }
    let runsc = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runsc");
    if !is_built("gvisor", "gvisor.dev/gvisor/runsc", &runsc) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let tried = sandboxed(&runsc, state.path(), &["true"]).output().unwrap();
    if !tried.status.success() {
        eprintln!(
            "skipped: no sandbox of gVisor runs here: {}",
            text(&tried.stderr)
        );
        return;
    }
    // One sandbox after the other, since each has limited time.
    for name in ["python::", "tools::"] {
        test_within(sandboxed(&runsc, state.path(), FIRST), &[name], WITHOUT);
    }
}
