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
        [&doors.listener, &doors.memory, &doors.descriptors].map(|outcome| {
            let error = outcome.as_ref().err();
            error.and_then(io::Error::raw_os_error)
        })
    };
    // The first trial leaves nothing behind that the second would meet.
    assert_eq!(codes(&first), codes(&second));
    let running = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    if let Some(release) = first.too_old {
        assert_eq!(release, running.trim());
    }
}
