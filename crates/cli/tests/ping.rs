//! `sheave ping` as a process, with ping's exit codes.

mod support;

use support::{Background, free_port, run, text};

fn server(port: &str) -> Background {
    let local = "--local 127.0.0.1,127.0.0.2";
    Background::listening(&format!("ping --serve --json {local} --udp-port {port}"))
}

fn ping(port: &str, extra: &str) -> (Option<i32>, String) {
    let ping = format!("ping 127.0.0.1 --peer-udp-port {port}");
    let output = run(&format!("{ping} -c 2 -i 0.05 {extra}"));
    let printed = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), printed)
}

#[test]
fn every_mode_is_answered_with_exit_code_0() {
    let port = free_port();
    let _server = server(&port);
    for (mode, replies) in [("init", 2), ("heartbeat", 4), ("echo", 2)] {
        let (code, out) = ping(&port, &format!("--mode {mode}"));
        assert_eq!(code, Some(0), "{out}");
        let received = format!("{replies} packets transmitted, {replies} received, 0% packet loss");
        assert!(out.contains(&received), "{out}");
        assert!(out.contains("rtt min/avg/max/mdev = "), "{out}");
    }
}

#[test]
fn perf_servers_echo_too() {
    let port = free_port();
    let local = "--local 127.0.0.1 --udp-port";
    let _server = Background::listening(&format!("perf -s --json -p 15210 {local} {port}"));
    let (code, out) = ping(&port, "--mode echo -s 1000 -p 15210");
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
    let (code, out) = ping(&port, "-p 999 -W 0.3");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("+2 errors, 100% packet loss"), "{out}");
}

#[test]
fn silence_is_exit_code_1() {
    let port = free_port();
    let silent = std::net::UdpSocket::bind(format!("127.0.0.1:{port}")).unwrap();
    let (code, out) = ping(&port, "-W 0.2");
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("2 packets transmitted, 0 received, 100% packet loss"),
        "{out}"
    );
    drop(silent);
}

#[test]
fn any_other_error_is_exit_code_2() {
    for args in ["ping no-such-host.invalid", "ping", "ping 127.0.0.1 -i 0"] {
        assert_eq!(run(args).status.code(), Some(2), "{args}");
    }
}

/// A relay to `server` that drops each third HEARTBEAT of the client.
fn dropping_relay(server: &str) -> (String, std::thread::JoinHandle<u64>) {
    let socket = |to: &str| {
        let socket = std::net::UdpSocket::bind(to).unwrap();
        let wait = Some(std::time::Duration::from_millis(20));
        socket.set_read_timeout(wait).unwrap();
        socket
    };
    let (front, back) = (socket("127.0.0.1:0"), socket("127.0.0.1:0"));
    back.connect(format!("127.0.0.1:{server}")).unwrap();
    let port = front.local_addr().unwrap().port().to_string();
    let relay = std::thread::spawn(move || {
        let (mut client, mut heartbeats, mut buffer) = (None, 0, [0; 65_536]);
        let began = std::time::Instant::now();
        let mut last = began;
        // Until the client is gone.
        while last.elapsed().as_secs() < 2 && began.elapsed().as_secs() < 60 {
            if let Ok((len, from)) = front.recv_from(&mut buffer) {
                (client, last) = (Some(from), std::time::Instant::now());
                let is_heartbeat = buffer[12] == 4;
                heartbeats += u64::from(is_heartbeat);
                if !is_heartbeat || heartbeats % 3 != 0 {
                    back.send(&buffer[..len]).unwrap();
                }
            }
            while let Ok(len) = back.recv(&mut buffer) {
                front.send_to(&buffer[..len], client.unwrap()).unwrap();
            }
        }
        heartbeats
    });
    (port, relay)
}

// Heartbeats that waited for a lost one were counted, though none of them left.
#[test]
fn the_heartbeats_that_are_counted_are_those_that_left() {
    let port = free_port();
    let local = "--local 127.0.0.1 --udp-port";
    let _server = Background::listening(&format!("ping --serve --json {local} {port}"));
    let (front, relay) = dropping_relay(&port);
    let whom = format!("ping 127.0.0.1 --peer-udp-port {front}");
    let output = run(&format!("{whom} --json -m heartbeat -c 12 -i 0.3"));
    let out = text(&output.stdout);
    let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let left = relay.join().unwrap();
    assert_eq!(last["transmitted"], left, "{out}");
    assert_eq!(last["received"], left - left / 3, "{out}");
}

// As ping of iputils has it: with both flags it is a failure to get too few answers.
#[test]
fn fewer_answers_than_asked_for_by_the_deadline_are_exit_code_1() {
    let port = free_port();
    let _server = server(&port);
    let whom = format!("ping 127.0.0.1 --peer-udp-port {port}");
    let output = run(&format!("{whom} -c 3 -i 100 -w 0.5"));
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("1 packets transmitted, 1 received"), "{out}");
    let (code, out) = ping(&port, "-w 0");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("2 packets transmitted, 2 received"), "{out}");
}

#[test]
fn json_tells_the_same() {
    let port = free_port();
    let _server = server(&port);
    let (_, out) = ping(&port, "--json");
    let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["received"]),
        (&"summary".into(), &2.into())
    );
    assert!(last["rtt_avg_ms"].as_f64().unwrap() > 0.0);
}
