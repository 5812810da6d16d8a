use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{FAREWELL, Process};

const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Process {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Process::start(command).expect("a shell")
}

fn is_running(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn a_told_value_can_be_answered() {
    let mut process = shell("while read line; do echo \"$line\"; done");
    let value = json!({ "go": 1 });
    process.tell(&value).expect("it listens");
    assert_eq!(process.hear(LONG), Ok(value));
}

#[test]
fn a_silent_process_is_waited_for_no_longer_than_asked() {
    let mut process = shell("read line");
    let began = Instant::now();
    let heard = process.hear(Duration::from_millis(20));
    assert!(heard.is_err_and(|error| error.contains("said nothing")));
    assert!(began.elapsed() < LONG);
}

#[test]
fn an_early_end_is_told_from_silence() {
    let heard = shell("exit 3").hear(LONG);
    let error = heard.expect_err("it says nothing");
    assert!(error.contains("ended early (exit status: 3)"), "{error}");
}

#[test]
fn an_error_that_is_named_is_an_error() {
    let heard = shell("echo '{\"error\": \"no room\"}'").hear(LONG);
    assert_eq!(heard, Err("no room".to_owned()));
}

#[test]
fn text_that_is_no_json_is_an_error() {
    let heard = shell("echo hello").hear(LONG);
    assert_eq!(heard, Err("sh: no JSON: hello".to_owned()));
}

#[test]
fn dropping_a_process_ends_it() {
    let process = shell("exec sleep 60");
    let id = process.id();
    drop(process);
    assert!(!is_running(id));
}

#[test]
fn a_process_ends_when_its_input_does() {
    let began = Instant::now();
    shell("read line").end();
    // Otherwise it was killed.
    assert!(began.elapsed() < FAREWELL);
}
