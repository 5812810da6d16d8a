//! The grants of this machine to a host, tried in a process of its own: a child that another test makes
//! would hold the ends of sockets open whose hanging up the unit tests wait for.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use std::io;

use sheave_run::{Doors, doors};

#[test]
fn a_child_shows_what_this_machine_grants() {
    let first = doors().unwrap();
    let second = doors().unwrap();
    let codes = |doors: &Doors| {
        let code = |error: &io::Error| error.raw_os_error();
        let memory = doors.memory.as_ref().map_err(code).copied();
        let others = [&doors.listener, &doors.descriptors];
        (
            memory,
            others.map(|outcome| outcome.as_ref().map_err(code).copied()),
        )
    };
    // The first trial leaves nothing behind that the second would meet.
    assert_eq!(codes(&first), codes(&second));
    let running = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    if let Some(release) = first.too_old {
        assert_eq!(release, running.trim());
    }
}
