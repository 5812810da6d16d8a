//! Programs in gVisor, a kernel of its own that has no seccomp listener: a library is preloaded.

use std::path::PathBuf;

use super::containers::{FIRST, test_within};
use super::*;

/// gVisor's program, built from its module; `None`, with a line that says why, where that is impossible.
fn runsc() -> Option<PathBuf> {
    if !has(&["go"]) {
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runsc");
    let mut build = Command::new("go");
    build
        .args(["build", "-o"])
        .arg(&program)
        .arg("gvisor.dev/gvisor/runsc")
        .env("CGO_ENABLED", "0")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/gvisor"));
    let built = finish(build);
    if !built.status.success() {
        // The module's proxy cannot be reached, or Go is too old.
        eprintln!("skipped: go build runsc: {}", text(&built.stderr));
        return None;
    }
    Some(program)
}

/// A program in a sandbox that has the system's files, and no network but loopback.
fn sandboxed(runsc: &Path, state: &Path, program: &[&str]) -> Command {
    let mut sandbox = Command::new(runsc);
    sandbox.arg("--root").arg(state);
    sandbox.args(["--network=none", "--ignore-cgroups", "do"]);
    sandbox.args(program);
    sandbox
}

/// What takes a third of all the time there.
const WITHOUT: &[&str] = &["a_signal_every_millisecond"];

#[test]
fn programs_run_in_gvisor_as_outside() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can start gVisor's sandbox");
        return;
    }
    let Some(runsc) = runsc() else {
        return;
    };
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
