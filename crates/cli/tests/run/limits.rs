//! Ends of programs, and the cases that cannot be had.

use super::*;

#[test]
fn exit_codes_and_signals_are_those_of_the_program() {
    let code = |program: &[&str]| finish(run(&free_port(), &[], program)).status.code();
    assert_eq!(code(&["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(code(&["sh", "-c", "kill -9 $$"]), Some(137));
    assert_eq!(code(&["/etc/passwd"]), Some(126));
    assert_eq!(code(&["no-such-program"]), Some(127));
}

#[test]
fn a_listener_within_a_listener_says_what_to_do() {
    let inner = [
        SHEAVE, "run", "--udp", "0", "--door", "listener", "--", "true",
    ];
    let output = finish(run(&free_port(), &[], &inner));
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("EBUSY") && err.contains("sheave run -- sh -c"),
        "{err}"
    );
}
