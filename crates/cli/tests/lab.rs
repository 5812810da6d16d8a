//! `sheave lab` as a user, or the laboratory itself, starts it.

use std::process::{Command, Stdio};

use serde_json::Value;

fn sheave() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sheave"))
}

#[test]
fn a_part_that_a_study_does_not_have_is_an_error_for_the_parent() {
    let mut part = sheave()
        .args(["lab", "part", "establishment", "{}"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A part ends when its standard input does, whatever it still had to say.
    let _input = part.stdin.take();
    let output = part.wait_with_output().expect("it ends");
    assert!(!output.status.success());
    let said: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    let error = said["error"].as_str().unwrap_or_default();
    assert!(error.contains("no live runs"), "{said}");
}

#[test]
fn parts_are_none_of_the_users_business() {
    let output = sheave().args(["lab", "--help"]).output().expect("it runs");
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(help.contains("report") && !help.contains("part "), "{help}");
}
