//! `sheave ping` as a process, with ping's exit codes.

mod support;

use support::{Background, free_port, run, text};

fn server(port: &str) -> Background {
    let args = [
        "ping",
        "--serve",
        "--json",
        "--local",
        "127.0.0.1,127.0.0.2",
        "--udp-port",
        port,
    ];
    let server = Background::start(&args);
    server.await_event("listening");
    server
}

fn ping(port: &str, extra: &[&str]) -> (Option<i32>, String) {
    let args = [
        "ping",
        "127.0.0.1",
        "-c",
        "2",
        "-i",
        "0.05",
        "--peer-udp-port",
        port,
    ];
    let output = run(&[&args, extra].concat());
    (
        output.status.code(),
        text(&output.stdout) + &text(&output.stderr),
    )
}

#[test]
fn every_mode_is_answered_with_exit_code_0() {
    let port = free_port();
    let _server = server(&port);
    for (mode, replies) in [("init", 2), ("heartbeat", 4), ("echo", 2)] {
        let (code, out) = ping(&port, &["--mode", mode]);
        assert_eq!(code, Some(0), "{out}");
        let received = format!("{replies} packets transmitted, {replies} received, 0% packet loss");
        assert!(out.contains(&received), "{out}");
        assert!(out.contains("rtt min/avg/max/mdev = "), "{out}");
    }
}

#[test]
fn perf_servers_echo_too() {
    let port = free_port();
    let args = [
        "perf",
        "-s",
        "--json",
        "-p",
        "15210",
        "--local",
        "127.0.0.1",
        "--udp-port",
        &port,
    ];
    let server = Background::start(&args);
    server.await_event("listening");
    let (code, out) = ping(&port, &["--mode", "echo", "-s", "1000", "-p", "15210"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.contains("1000 bytes from 127.0.0.1: seq=2 time="),
        "{out}"
    );
}

#[test]
fn a_port_that_nobody_listens_on_is_exit_code_1() {
    let port = free_port();
    let _server = server(&port);
    let (code, out) = ping(&port, &["-p", "999", "-W", "0.3"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("+2 errors, 100% packet loss"), "{out}");
}

#[test]
fn silence_is_exit_code_1() {
    let port = free_port();
    let silent = std::net::UdpSocket::bind(format!("127.0.0.1:{port}")).unwrap();
    let (code, out) = ping(&port, &["-W", "0.2"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("2 packets transmitted, 0 received, 100% packet loss"),
        "{out}"
    );
    drop(silent);
}

#[test]
fn any_other_error_is_exit_code_2() {
    assert_eq!(
        run(&["ping", "no-such-host.invalid"]).status.code(),
        Some(2)
    );
    assert_eq!(run(&["ping"]).status.code(), Some(2));
    assert_eq!(
        run(&["ping", "127.0.0.1", "-i", "0"]).status.code(),
        Some(2)
    );
}

#[test]
fn json_tells_the_same() {
    let port = free_port();
    let _server = server(&port);
    let (_, out) = ping(&port, &["--json"]);
    let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["received"]),
        (&"summary".into(), &2.into())
    );
    assert!(last["rtt_avg_ms"].as_f64().unwrap() > 0.0);
}
