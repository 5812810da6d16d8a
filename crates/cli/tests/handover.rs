//! `sheave ping --serve --handover` as processes: a server that is replaced while it runs.

mod support;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use support::{Background, free_port, run, text};

fn server(socket: &Path, port: &str, extra: &[&str]) -> Background {
    let socket = socket.to_str().unwrap();
    let place = ["--local", "127.0.0.1", "--udp-port", port];
    let command = ["ping", "--serve", "--json", "--handover", socket];
    Background::start(&[&command[..], &place, extra].concat())
}

fn ping(port: &str, extra: &[&str]) -> (Option<i32>, String) {
    let whom = [
        "ping",
        "127.0.0.1",
        "--peer-udp-port",
        port,
        "--mode",
        "echo",
    ];
    let output = run(&[&whom[..], &["-q"], extra].concat());
    let printed = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), printed)
}

/// Two replacements while two peers go on asking, of which neither misses an answer.
fn replace_twice(extra: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    let (socket, port) = (home.path().join("echo"), free_port());
    let first = server(&socket, &port, extra);
    assert_eq!(first.await_event("listening")["adopted"], 0);
    let mode = std::fs::symlink_metadata(&socket).unwrap().mode();
    assert_eq!(mode & 0o777, 0o600);
    thread::scope(|scope| {
        let asking = [1, 2].map(|_| {
            let port = &port;
            let often = ["-c", "60", "-i", "0.05"];
            scope.spawn(move || ping(port, &[&often[..], extra].concat()))
        });
        let mut current = first;
        for _ in 0..2 {
            thread::sleep(Duration::from_millis(700));
            let next = server(&socket, &port, extra);
            let handed_over = current.await_event("handed_over");
            assert_eq!(handed_over["associations"], 2, "{handed_over}");
            assert_eq!(current.wait(), Some(0));
            assert_eq!(next.await_event("listening")["adopted"], 2);
            current = next;
        }
        for asking in asking {
            let (code, printed) = asking.join().unwrap();
            let all = "60 packets transmitted, 60 received, 0% packet loss";
            assert!(code == Some(0) && printed.contains(all), "{printed}");
        }
        let (code, printed) = ping(&port, &[&["-c", "1"], extra].concat());
        assert_eq!(code, Some(0), "{printed}");
        current.signal("-INT");
        current.wait();
    });
    assert!(!socket.exists());
}

#[test]
fn a_server_is_replaced_and_no_answer_is_missed() {
    replace_twice(&[]);
}

#[test]
fn keys_go_along_to_the_new_server() {
    replace_twice(&["--authentication-key", "correct horse"]);
}

#[test]
fn a_successor_that_cannot_bind_leaves_the_server_as_it_was() {
    let home = tempfile::tempdir().unwrap();
    let (socket, port) = (home.path().join("echo"), free_port());
    let mut first = server(&socket, &port, &[]);
    first.await_event("listening");
    thread::scope(|scope| {
        let asking = scope.spawn(|| ping(&port, &["-c", "30", "-i", "0.05"]));
        thread::sleep(Duration::from_millis(500));
        // An address that no machine has.
        let failed = run(&[
            "ping",
            "--serve",
            "--handover",
            socket.to_str().unwrap(),
            "--local",
            "192.0.2.1",
            "--udp-port",
            &port,
        ]);
        assert_eq!(failed.status.code(), Some(2), "{}", text(&failed.stderr));
        let (code, printed) = asking.join().unwrap();
        let all = "30 packets transmitted, 30 received, 0% packet loss";
        assert!(code == Some(0) && printed.contains(all), "{printed}");
    });
    first.signal("-INT");
    first.wait();
}
