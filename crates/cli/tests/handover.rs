//! `sheave ping --serve --handover` as processes: a server that is replaced while it runs.

mod support;

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use support::{Background, free_port, run, succeed, text};

fn server(socket: &Path, port: &str, extra: &str) -> Background {
    let place = format!("--local 127.0.0.1 --udp-port {port}");
    let socket = socket.display();
    Background::start(&format!(
        "ping --serve --json --handover {socket} {place} {extra}"
    ))
}

fn ping(port: &str) -> String {
    format!("ping 127.0.0.1 --peer-udp-port {port} --mode echo")
}

/// A peer that asks until it is told to end.
struct Asking(Background);

impl Asking {
    fn start(port: &str, extra: &str) -> Self {
        // An answer may be late.
        let how = "--json -i 0.05 -W 60";
        Self(Background::start(&format!("{} {how} {extra}", ping(port))))
    }

    /// Waits for some more answers.
    fn await_answers(&self) {
        for _ in 0..15 {
            self.0.await_event("reply");
        }
    }

    /// Ends it and asserts that no question but the last one went without an answer.
    fn end(mut self) {
        self.0.signal("-INT");
        let summary = self.0.await_event("summary");
        let count = |what: &str| summary[what].as_u64().unwrap();
        assert!(count("transmitted") - count("received") <= 1, "{summary}");
        assert_eq!(count("errors"), 0, "{summary}");
        self.0.wait();
    }
}

/// Two replacements while two peers go on asking, of which neither misses an answer.
fn replace_twice(extra: &str) {
    let home = tempfile::tempdir().unwrap();
    let (socket, port) = (home.path().join("echo"), free_port());
    let first = server(&socket, &port, extra);
    assert_eq!(first.await_event("listening")["adopted"], 0);
    let mode = std::fs::symlink_metadata(&socket).unwrap().mode();
    assert_eq!(mode & 0o777, 0o600);
    let asking = [1, 2].map(|_| Asking::start(&port, extra));
    let mut current = first;
    for _ in 0..2 {
        asking.iter().for_each(Asking::await_answers);
        let next = server(&socket, &port, extra);
        let handed_over = current.await_event("handed_over");
        assert_eq!(handed_over["associations"], 2, "{handed_over}");
        assert_eq!(current.wait(), Some(0));
        assert_eq!(next.await_event("listening")["adopted"], 2);
        current = next;
    }
    // More than can have waited to be read here.
    (0..4).for_each(|_| asking.iter().for_each(Asking::await_answers));
    asking.into_iter().for_each(Asking::end);
    succeed(&format!("{} -q -c 1 {extra}", ping(&port)));
    current.signal("-INT");
    current.wait();
    assert!(!socket.exists());
}

#[test]
fn a_server_is_replaced_and_no_answer_is_missed() {
    replace_twice("");
}

#[test]
fn keys_go_along_to_the_new_server() {
    replace_twice("--authentication-key correct-horse");
}

#[test]
fn a_successor_that_cannot_bind_leaves_the_server_as_it_was() {
    let home = tempfile::tempdir().unwrap();
    let (socket, port) = (home.path().join("echo"), free_port());
    let mut first = server(&socket, &port, "");
    first.await_event("listening");
    let asking = Asking::start(&port, "");
    asking.await_answers();
    // An address that no machine has.
    let place = format!("--handover {} --local 192.0.2.1", socket.display());
    let failed = run(&format!("ping --serve {place} --udp-port {port}"));
    assert_eq!(failed.status.code(), Some(2), "{}", text(&failed.stderr));
    (0..4).for_each(|_| asking.await_answers());
    asking.end();
    first.signal("-INT");
    first.wait();
}
