//! Options from the environment (`SHEAVE_OPTIONS`).

use std::process::{Command, Stdio};

use sheave_interop::skip;

use crate::installed::Library;
use crate::program::Program;
use crate::script::Script;

/// Options, calls before the socket, what a new socket's `SCTP_RTOINFO` is then (initial, most, least), and
/// what the library says at its start.
const ROWS: [(Option<&str>, &str, [u32; 3], &str); 6] = [
    (None, "", [3000, 60_000, 1000], ""),
    (Some("profile=rfc9260"), "", [1000, 60_000, 1000], ""),
    (
        Some("profile=rfc9260,rto_initial=2 s"),
        "",
        [2000, 60_000, 1000],
        "",
    ),
    // Settings hold where the program has made them.
    (
        Some("profile=rfc9260"),
        "setting 0 5000 rto_initial_default\n",
        [5000, 60_000, 1000],
        "",
    ),
    (
        None,
        "setting 0 5000 rto_initial_default\n",
        [5000, 60_000, 1000],
        "",
    ),
    // As without the variable.
    (
        Some("rto_initial=never"),
        "",
        [3000, 60_000, 1000],
        "libusrsctp on Sheave: SHEAVE_OPTIONS: ",
    ),
];

#[test]
fn options_of_the_environment_hold_for_all_that_the_program_does_not_set() {
    let Ok(program) = Program::compile().map_err(skip) else {
        return;
    };
    for (options, settings, [initial, most, least], complaint) in ROWS {
        let mut command = program.command(Library::Ours);
        match options {
            Some(options) => command.env("SHEAVE_OPTIONS", options),
            None => command.env_remove("SHEAVE_OPTIONS"),
        };
        let calls = format!("{settings}socket 0 0 0 0\nget 0 RTOINFO 0 0 0 0 0");
        let (said, warned) = carried_out(&mut command, &Script::new(&calls));
        let wanted = format!("RTOINFO is 16: * {initial:x} {most:x} {least:x}\n");
        assert!(said.contains(&wanted), "{options:?} {settings}: {said}");
        assert_eq!(warned.is_empty(), complaint.is_empty(), "{warned}");
        assert!(warned.starts_with(complaint), "{options:?}: {warned}");
    }
}

/// Lines that the program prints of a script, and its standard error.
fn carried_out(command: &mut Command, script: &Script) -> (String, String) {
    let child = Program::start(command.stderr(Stdio::piped()), script);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output.status);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}
