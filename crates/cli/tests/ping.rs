//! `sheave ping` as a process, with ping's exit codes.

mod support;

use std::net::UdpSocket;
use std::ops::RangeInclusive;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use support::{Background, fail, free_port, lines, run, text};

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
fn a_port_that_nobody_listens_on_is_exit_code_1() {
    let port = free_port();
    let _server = server(&port);
    let (code, out) = ping(&port, "-p 999 -W 0.3");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("+2 errors, 100% packet loss"), "{out}");
}

// The server of perf took a first message of 64 KiB at most, and both refused one that came in parts.
#[test]
fn messages_of_every_size_are_echoed() {
    let sizes = ["16", "66000", "1048576"];
    let ports = [free_port(), free_port()];
    let place = |port: &str| format!("--json --local 127.0.0.1 --udp-port {port}");
    let _servers = [("ping --serve", &ports[0]), ("perf -s", &ports[1])]
        .map(|(server, port)| Background::listening(&format!("{server} {}", place(port))));
    for port in &ports {
        for size in sizes {
            let (code, out) = ping(port, &format!("--mode echo -W 60 -s {size}"));
            assert_eq!(code, Some(0), "{size}: {out}");
            let answer = format!("{size} bytes from 127.0.0.1");
            assert_eq!(out.matches(&answer).count(), 2, "{size}: {out}");
        }
    }
}

#[test]
fn a_size_without_an_echo_is_refused() {
    for mode in ["init", "heartbeat"] {
        let flags = format!("ping 127.0.0.1 --mode {mode} -s 100");
        fail(&flags, 2, "add --mode echo");
    }
}

#[test]
fn any_other_error_is_exit_code_2() {
    for args in ["ping no-such-host.invalid", "ping", "ping 127.0.0.1 -i 0"] {
        assert_eq!(run(args).status.code(), Some(2), "{args}");
    }
}

/// Heartbeats that a relay got from the client, and answers that it passed on.
#[derive(Default)]
struct Passed {
    heartbeats: u64,
    answers: u64,
}

/// Heartbeats of the client and answers, numbered from 1 on, that a relay drops.
#[derive(Clone, Copy, Debug)]
enum Loss {
    EachThirdHeartbeat,
    AnswersThreeAndFour,
    /// A fifth each way, seemingly at random.
    AFifth,
}

impl Loss {
    fn takes_heartbeat(self, number: u64) -> bool {
        match self {
            Self::EachThirdHeartbeat => number.is_multiple_of(3),
            Self::AnswersThreeAndFour => false,
            Self::AFifth => Self::draw(number).is_multiple_of(5),
        }
    }

    fn takes_answer(self, number: u64) -> bool {
        match self {
            Self::EachThirdHeartbeat => false,
            Self::AnswersThreeAndFour => matches!(number, 3 | 4),
            Self::AFifth => Self::draw(number + 1_000_000).is_multiple_of(5),
        }
    }

    fn draw(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
    }

    /// Relays between the client that calls `front` and `server` until the client is silent.
    fn relay(self, front: &UdpSocket, server: &str) -> Passed {
        let back = socket();
        back.connect(format!("127.0.0.1:{server}")).unwrap();
        let (mut client, mut passed, mut answers) = (None, Passed::default(), 0);
        let began = Instant::now();
        let (mut last, mut buffer) = (began, [0; 65_536]);
        while last.elapsed().as_secs() < 3 && began.elapsed().as_secs() < 60 {
            if let Ok((len, from)) = front.recv_from(&mut buffer) {
                (client, last) = (Some(from), Instant::now());
                let is_heartbeat = buffer[12] == 4;
                passed.heartbeats += u64::from(is_heartbeat);
                if !is_heartbeat || !self.takes_heartbeat(passed.heartbeats) {
                    back.send(&buffer[..len]).unwrap();
                }
            }
            while let Ok(len) = back.recv(&mut buffer) {
                let is_answer = buffer[12] == 5;
                answers += u64::from(is_answer);
                if !is_answer || !self.takes_answer(answers) {
                    passed.answers += u64::from(is_answer);
                    front.send_to(&buffer[..len], client.unwrap()).unwrap();
                }
            }
        }
        passed
    }
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let wait = Some(Duration::from_millis(2));
    socket.set_read_timeout(wait).unwrap();
    socket
}

fn port_of(socket: &UdpSocket) -> String {
    socket.local_addr().unwrap().port().to_string()
}

// Heartbeats that waited for a lost one were counted, though none of them left: 33 % loss for 17 %,
// 87 % for 36 %.
#[test]
fn the_loss_of_heartbeats_is_that_of_those_that_left() {
    let port = free_port();
    let local = "--local 127.0.0.1 --udp-port";
    let _server = Background::listening(&format!("ping --serve --json {local} {port}"));
    let check = |loss: Loss, count| {
        let front = socket();
        let whom = format!("ping 127.0.0.1 --peer-udp-port {}", port_of(&front));
        let ping = format!("{whom} --json -m heartbeat -c {count} -i 0.3");
        let pinging = thread::spawn(move || text(&run(&ping).stdout));
        let passed = loss.relay(&front, &port);
        let out = pinging.join().unwrap();
        let last = lines(&out).pop().unwrap();
        assert_eq!(last["transmitted"], passed.heartbeats, "{loss:?}: {out}");
        assert_eq!(last["received"], passed.answers, "{loss:?}: {out}");
        let percent = (passed.heartbeats - passed.answers) * 100 / passed.heartbeats;
        assert_eq!(last["loss_percent"], percent, "{loss:?}: {out}");
        assert!((1..60).contains(&percent), "{loss:?}: {out}");
    };
    thread::scope(|scope| {
        scope.spawn(|| check(Loss::EachThirdHeartbeat, 12));
        scope.spawn(|| check(Loss::AnswersThreeAndFour, 12));
        scope.spawn(|| check(Loss::AFifth, 40));
    });
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Answers,
    IsSilent,
    HasNoAddress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    ByItself,
    /// By SIGINT, after two seconds.
    ByCtrlC,
}

/// A use of ping: flags, exit code, and numbers of packets transmitted and received.
type Use = (
    Host,
    End,
    &'static str,
    i32,
    RangeInclusive<u64>,
    RangeInclusive<u64>,
);

const USES: [Use; 14] = {
    use End::{ByCtrlC, ByItself};
    use Host::{Answers, HasNoAddress, IsSilent};
    [
        (Answers, ByItself, "-c 2 -i 0.2", 0, 2..=2, 2..=2),
        (Answers, ByItself, "-c 2 -i 0.2 -q", 0, 2..=2, 2..=2),
        (Answers, ByItself, "-c 1 -W 60 -s 1000", 0, 1..=1, 1..=1),
        (Answers, ByItself, "-c 2 -i 0.2 -w 0", 0, 2..=2, 2..=2),
        // With -w, -c counts answers: it ends when they are there, and fails if they are not.
        (Answers, ByItself, "-c 2 -i 0.2 -w 60", 0, 2..=60, 2..=2),
        (Answers, ByItself, "-c 3 -i 10 -w 2", 1, 1..=1, 1..=1),
        (Answers, ByItself, "-i 0.5 -w 2", 0, 1..=4, 1..=4),
        (Answers, ByCtrlC, "-i 0.5", 0, 1..=5, 1..=5),
        (IsSilent, ByItself, "-c 2 -i 0.2 -W 0.5", 1, 2..=2, 0..=0),
        (IsSilent, ByItself, "-c 2 -i 0.2 -w 1", 1, 3..=5, 0..=0),
        (IsSilent, ByItself, "-i 0.2 -w 1 -q", 1, 2..=5, 0..=0),
        (IsSilent, ByCtrlC, "-i 0.5", 1, 1..=5, 0..=0),
        (HasNoAddress, ByItself, "-c 1", 2, 0..=0, 0..=0),
        (HasNoAddress, ByItself, "-i 0.2 -w 1", 2, 0..=0, 0..=0),
    ]
};

/// Runs each use of a program, and compares exit code and summary. `ping` makes the command line of a
/// host, flags, and a command that ends the program.
fn compare(ping: impl Fn(Host, &str, &str) -> String) {
    for (host, end, flags, code, transmitted, received) in USES {
        let ended = match end {
            End::ByItself => "",
            End::ByCtrlC => "timeout --preserve-status -s INT 2",
        };
        let command = ping(host, flags, ended);
        let began = Instant::now();
        let output = Command::new("sh").args(["-c", &command]).output().unwrap();
        let out = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{command}: {out}");
        assert!(began.elapsed() < Duration::from_secs(50), "{command}");
        let summary = out.lines().find(|line| line.contains("transmitted"));
        assert_eq!(summary.is_some(), host != Host::HasNoAddress, "{out}");
        if let Some(summary) = summary {
            let mut words = summary.split(' ').map(str::parse::<u64>);
            let counts = words.by_ref().flatten().take(2).collect::<Vec<_>>();
            assert!(transmitted.contains(&counts[0]), "{command}: {out}");
            assert!(received.contains(&counts[1]), "{command}: {out}");
            let is_told = counts[1] > 0 && !flags.contains("-q");
            assert_eq!(out.contains("bytes from"), is_told, "{command}: {out}");
        }
    }
}

#[test]
fn flags_and_exit_codes_are_those_of_ping() {
    let port = free_port();
    let _server = server(&port);
    let silent = socket();
    let silent_port = port_of(&silent);
    compare(|host, flags, ended| {
        let (name, port) = match host {
            Host::Answers => ("127.0.0.1", &port),
            Host::IsSilent => ("127.0.0.1", &silent_port),
            Host::HasNoAddress => ("no-such-host.invalid", &port),
        };
        let sheave = env!("CARGO_BIN_EXE_sheave");
        let mode = if flags.contains("-s") { "echo" } else { "init" };
        format!("{ended} {sheave} ping {name} --mode {mode} --peer-udp-port {port} {flags}")
    });
}

#[test]
fn pings_own_flags_and_exit_codes_are_in_the_table() {
    let alone = "unshare --map-root-user --net --pid --fork --kill-child --mount-proc sh -c";
    let silence = "echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all";
    let probe = format!("ping -V | grep iputils && {alone} 'ip link set lo up && {silence}'");
    let probe = Command::new("sh").args(["-c", &probe]).output().unwrap();
    if !probe.status.success() {
        eprintln!("skipped: no ping of iputils, or no network namespaces");
        return;
    }
    compare(|host, flags, ended| {
        let (name, setting) = match host {
            Host::Answers => ("127.0.0.1", "true"),
            Host::IsSilent => ("127.0.0.1", silence),
            Host::HasNoAddress => ("no-such-host.invalid", "true"),
        };
        format!("{alone} 'ip link set lo up; {setting}; {ended} ping {flags} {name}'")
    });
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
