//! `sheave lab` as a user, or the laboratory itself, starts it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn sheave() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sheave"))
}

#[test]
fn a_part_that_a_study_does_not_have_is_an_error_for_the_parent() {
    let output = sheave()
        .args(["lab", "part", "establishment", "{}"])
        .stdin(Stdio::piped())
        .output()
        .expect("it runs");
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

/// A process of a live run, and what it says.
struct Part {
    child: Child,
    input: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
}

impl Part {
    fn start(part: &Value) -> Self {
        let mut child = sheave()
            .args(["lab", "part", "datacenter", &part.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("its output"));
        Self {
            child,
            input,
            lines,
        }
    }

    fn tell(&mut self, word: &str) {
        let input = self.input.as_mut().expect("it listens");
        writeln!(input, "\"{word}\"").expect("it is there");
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Closes its input, as the death of its parent does, and gives it 10 s to end.
    fn ends_without_its_parent(mut self) -> bool {
        self.input = None;
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            if self.child.try_wait().expect("a child").is_some() {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
        false
    }
}

/// Both parts of a live run on this machine's loopback.
fn measure(variant: &str) {
    let load = json!({
        "variant": variant, "message": 2000, "connections": 2, "streams": 1, "buffer": 65_536,
        "count": null, "processors": "all",
    });
    let part = |role| json!({ "carry": { "role": role, "load": load, "stage": null } });
    let mut receiver = Part::start(&part(json!("receive")));
    let to = receiver.hear()["listening"].clone();
    assert_eq!(to.as_array().map(Vec::len), Some(2), "{variant}");
    let mut sender = Part::start(&part(json!({ "send": to })));
    assert_eq!(sender.hear(), json!({ "sending": true }));
    for word in ["begin", "stop"] {
        sender.tell(word);
        receiver.tell(word);
        thread::sleep(Duration::from_millis(300));
    }
    for part in [&mut sender, &mut receiver] {
        let outcome = part.hear();
        assert!(outcome["bytes"].as_u64() > Some(0), "{variant}: {outcome}");
        let cost = &outcome["cost"];
        assert!(cost["cpu_seconds"].as_f64() > Some(0.0), "{outcome}");
    }
    assert!(sender.ends_without_its_parent(), "{variant}");
    assert!(receiver.ends_without_its_parent(), "{variant}");
}

#[test]
fn parts_carry_tcp_and_leave_no_orphans() {
    measure("tcp");
}

#[test]
fn parts_carry_sctp_in_every_variant() {
    for variant in [
        "sctp-classic",
        "sctp",
        "sctp, CRC32c",
        "classic + go-back-N",
    ] {
        measure(variant);
    }
}

#[test]
fn a_part_ends_when_its_parent_dies_before_anything_is_said() {
    let load = json!({
        "variant": "tcp", "message": 1, "connections": 1, "streams": 1, "buffer": 65_536,
        "count": null, "processors": "one",
    });
    let part = json!({ "carry": { "role": "receive", "load": load, "stage": null } });
    let mut part = Part::start(&part);
    part.hear();
    assert!(part.ends_without_its_parent());
}
