//! The commands over DTLS, as processes.
#![cfg(feature = "dtls")]

mod support;

use std::fs;
use std::process::Stdio;

use support::{Background, fail, free_port, run, sheave, text, write_noise};

/// A server over DTLS, and the fingerprint that it printed.
fn server(command: &str, port: &str) -> (Background, String) {
    let network = format!("--json --local 127.0.0.1 --udp-port {port}");
    let server = Background::start(&format!("{command} {network}"));
    let listening = server.await_event("listening");
    let fingerprint = listening["fingerprint"].as_str().unwrap_or_default();
    let fingerprint = fingerprint.to_owned();
    (server, fingerprint)
}

#[test]
fn a_file_goes_over_dtls_to_a_receiver_whose_fingerprint_is_pinned() {
    let top = tempfile::tempdir().unwrap();
    let (from, to) = (top.path().join("noise"), top.path().join("to"));
    write_noise(&from, 3_000_000);
    let (port, inbox) = (free_port(), to.display().to_string());
    let (mut receiver, fingerprint) = server(&format!("recv {inbox} --once --dtls"), &port);
    let keys = top.path().join("keys");
    let from_text = from.display();
    let send = format!("send {from_text} 127.0.0.1 --peer-udp-port {port} --dtls=1.3");
    let output = sheave(&send)
        .args(["--fingerprint", &fingerprint])
        .env("SSLKEYLOGFILE", &keys)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(receiver.wait(), Some(0));
    assert_eq!(
        fs::read(to.join("noise")).unwrap(),
        fs::read(&from).unwrap()
    );
    let keys = fs::read_to_string(keys).unwrap();
    assert!(keys.contains("CLIENT_TRAFFIC_SECRET_0 "), "{keys}");
}

#[test]
fn another_fingerprint_is_refused_with_both_named() {
    let port = free_port();
    let (_server, right) = server("ping --serve --dtls", &port);
    let wrong = "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF".repeat(2);
    let ping = format!("ping 127.0.0.1 -c 1 --mode echo --peer-udp-port {port}");
    let call = format!("{ping} --dtls --fingerprint {wrong}");
    let told = fail(&call, 2, "is not the pinned one");
    assert!(told.contains(&right), "{told}");
    assert!(told.contains("--fingerprint"), "{told}");
}

#[test]
fn an_echo_and_heartbeats_go_with_a_pre_shared_key() {
    let top = tempfile::tempdir().unwrap();
    let (key, other) = (top.path().join("key"), top.path().join("other"));
    fs::write(&key, "correct horse battery staple\n").unwrap();
    fs::write(&other, "another horse, another staple\n").unwrap();
    let (key, other) = (key.display().to_string(), other.display().to_string());
    let port = free_port();
    let (_server, _) = server(&format!("ping --serve --dtls --psk {key}"), &port);
    let ping = |mode: &str, psk: &str, patience: &str| {
        let ping = format!("ping 127.0.0.1 -c 2 -i 0.05 --peer-udp-port {port} --mode {mode}");
        run(&format!(
            "{ping} --dtls --psk {psk} --connect-timeout {patience}"
        ))
    };
    for mode in ["echo", "heartbeat"] {
        let output = ping(mode, &key, "60");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("2 received, 0% packet loss"));
    }
    let output = ping("echo", &other, "3");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
}

#[test]
fn a_client_that_trusts_nobody_is_told_what_to_add() {
    for (words, told) in [
        ("--mode echo --dtls", "--fingerprint"),
        ("--dtls", "--mode echo"),
        ("--fingerprint AB", "64 hexadecimal digits"),
        ("--dtls=1.3 --mode echo --psk x", "--dtls=1.2"),
        ("--dtls --mode echo --psk /nowhere", "/nowhere"),
    ] {
        fail(&format!("ping 127.0.0.1 {words}"), 2, told);
    }
}

#[test]
fn an_end_without_dtls_is_told_at_once_that_the_other_one_has_it() {
    let top = tempfile::tempdir().unwrap();
    let (from, inbox) = (top.path().join("noise"), top.path().join("to"));
    write_noise(&from, 1000);
    let (from, inbox) = (from.display().to_string(), inbox.display().to_string());
    let ours = format!("--dtls --fingerprint {}", "AB".repeat(32));
    for (theirs, ours, hint) in [
        ("--dtls", "", "add --dtls"),
        ("", &ours, "leave --dtls away"),
    ] {
        let port = free_port();
        let (_receiver, _) = server(&format!("recv {inbox} {theirs}"), &port);
        let send = format!("send {from} 127.0.0.1 --peer-udp-port {port}");
        // Longer than a test may take.
        fail(&format!("{send} --connect-timeout 600 {ours}"), 1, hint);
    }
}
