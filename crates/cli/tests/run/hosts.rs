//! Hosts as others see them: their state, their captures, their neighbours.

use super::*;

use serde_json::Value;

/// A program that has associations of its own until its input ends: one at rest; one that shuts down while its
/// peer does not read; and one that has ended, after an unordered message.
const CONVERSES: &str = "import socket, struct, sys\n\
    def sock(): return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
    server = sock()\n\
    server.bind(('127.0.0.1', 5000))\n\
    server.listen(3)\n\
    def pair():\n\
    \x20   client = sock()\n\
    \x20   client.connect(('127.0.0.1', 5000))\n\
    \x20   return client, server.accept()[0]\n\
    client, accepted = pair()\n\
    client.sendall(b'hello')\n\
    accepted.recv(100)\n\
    SCTP_DEFAULT_SNDINFO, SCTP_UNORDERED = 34, 1\n\
    ended, other = pair()\n\
    ended.setsockopt(132, SCTP_DEFAULT_SNDINFO, struct.pack('HHIIi', 0, SCTP_UNORDERED, 0, 0, 0))\n\
    ended.sendall(b'hello')\n\
    other.recv(100)\n\
    ended.close()\n\
    other.close()\n\
    full, unread = pair()\n\
    full.setblocking(False)\n\
    try:\n\
    \x20   while True: full.send(bytes(1000))\n\
    except BlockingIOError: full.shutdown(socket.SHUT_WR)\n\
    print('up', flush=True)\n\
    sys.stdin.read()\n";

fn sheave(args: &[&str]) -> Output {
    let mut command = Command::new(SHEAVE);
    command.args(args);
    finish(command)
}

/// What `sheave run --list` says of the host at that port.
fn list(port: &str, flags: &[&str]) -> String {
    let name = format!("udp-{port}");
    let said = sheave(&[&["run", "--list", &name], flags].concat());
    assert!(said.status.success(), "{}", text(&said.stderr));
    text(&said.stdout)
}

/// A host with the program's associations.
struct Conversing {
    port: String,
    child: Child,
}

impl Conversing {
    fn start() -> Self {
        let port = free_port();
        let mut command = run(&port, &[], &["python3", "-c", CONVERSES]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        Self { port, child }
    }

    /// The state once the association that has ended is gone, and the window of the full one was probed.
    fn state(&self) -> Value {
        let began = Instant::now();
        loop {
            let state: Value = serde_json::from_str(&list(&self.port, &["--json"])).unwrap();
            let all = state["associations"].as_array().unwrap();
            if all.len() == 4 && all.iter().any(|one| one["retransmissions"] != 0) {
                return state;
            }
            assert!(began.elapsed() < PATIENCE, "{state}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The association of a state of which that is so.
fn find(state: &Value, is_so: impl Fn(&Value) -> bool) -> &Value {
    let mut found = state["associations"].as_array().into_iter().flatten();
    found
        .find(|one| is_so(one))
        .unwrap_or_else(|| panic!("{state}"))
}

#[test]
fn a_running_host_shows_its_associations() {
    needs!("python3");
    let host = Conversing::start();
    let state = &host.state();
    let full = find(state, |one| one["state"] == "SHUTDOWN-PENDING");
    let unread = find(state, |one| one["remote_port"] == full["local_port"]);
    let accepted = find(state, |one| {
        one["local_port"] == 5000 && one["receive_queue"] == 0
    });
    assert_eq!(accepted["state"], "ESTABLISHED");
    assert_eq!(accepted["messages_received"], 1);
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{state}"));
    for (larger, smaller) in [
        (&full["send_queue"], &full["peer_rwnd"]),
        (&full["waiting_chunks"], &full["unacknowledged_chunks"]),
        (&unread["receive_queue"], &unread["rwnd"]),
        (&accepted["rwnd"], &unread["rwnd"]),
    ] {
        assert!(
            number(larger) > number(smaller),
            "{larger} {smaller}: {state}"
        );
    }
    for one in state["associations"].as_array().unwrap() {
        let path = &one["paths"][0];
        let kind = (&path["state"], &path["primary"]);
        assert_eq!(kind, (&"active".into(), &true.into()));
        let [rtt, rto, cwnd, mtu] = ["rtt_ms", "rto_ms", "cwnd", "mtu"].map(|name| &path[name]);
        assert!(
            number(rtt) < number(rto) && number(cwnd) > number(mtu),
            "{path}"
        );
    }
    let all = text(&sheave(&["run", "--list"]).stdout);
    assert!(all.contains(&format!("udp-{}: ", host.port)), "{all}");
    host.end();
}

#[test]
fn a_running_host_shows_counters_by_the_names_of_linux() {
    needs!("python3");
    let host = Conversing::start();
    host.state();
    let port = &host.port;
    let counters = list(port, &["--prometheus"]);
    let counter = |name: &str| {
        let line = format!("{name}{{host=\"udp-{port}\"}} ");
        let mut found = counters.lines().filter_map(|text| text.strip_prefix(&line));
        found
            .next()
            .unwrap_or_else(|| panic!("{name}: {counters}"))
            .parse::<u64>()
            .unwrap()
    };
    // Of the association that has ended, too.
    for (name, value) in [
        ("SctpCurrEstab", 4),
        ("SctpActiveEstabs", 3),
        ("SctpPassiveEstabs", 3),
        ("SctpAborteds", 0),
        ("SctpShutdowns", 2),
        ("SctpOutUnorderChunks", 1),
        ("SctpInUnorderChunks", 1),
        ("SctpChecksumErrors", 0),
        // Probes of a closed window are no timeouts.
        ("SctpT3RtxExpireds", 0),
        ("SctpFastRetransmits", 0),
        ("SctpInPktDiscards", 0),
        // Packets between programs of one host stay in it.
        ("SctpOutSCTPPacks", 0),
        ("SctpInSCTPPacks", 0),
    ] {
        assert_eq!(counter(name), value, "{name}: {counters}");
    }
    for (larger, smaller) in [
        ("SctpOutOrderChunks", "SctpInOrderChunks"),
        ("SctpInOrderChunks", "SctpInUnorderChunks"),
        ("SctpT3Retransmits", "SctpFastRetransmits"),
        ("SctpInDataChunkDiscards", "SctpChecksumErrors"),
        ("SctpOutCtrlChunks", "SctpShutdowns"),
        ("SctpInCtrlChunks", "SctpShutdowns"),
    ] {
        assert!(
            counter(larger) > counter(smaller),
            "{larger}, {smaller}: {counters}"
        );
    }
    host.end();
}

#[test]
fn a_running_host_is_watched_until_it_ends() {
    needs!("python3");
    let host = Conversing::start();
    let state = host.state();
    let full = find(&state, |one| one["state"] == "SHUTDOWN-PENDING");
    let name = &format!("udp-{}", host.port);
    let mut watch = Command::new(SHEAVE);
    watch.args(["run", "--list", name, "--watch", "0.1"]);
    let mut watch = watch
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut looks = BufReader::new(watch.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let head = format!("{name}: process ");
    let mut shown = String::new();
    while shown.matches(&head).count() < 4 {
        shown.push_str(&looks.next().expect("it goes on"));
        shown.push('\n');
    }
    let queues = format!(" > 5000 id {}  queues ", full["id"]);
    let most = full["send_queue"].as_u64().unwrap();
    for queue in shown.split(&queues).skip(1) {
        let queue: u64 = queue.split(' ').next().unwrap().parse().unwrap();
        // Probes of the closed window may have brought a little more over.
        assert!((most - 5000..=most).contains(&queue), "{most}: {shown}");
    }
    for wanted in [
        "4 associations\n",
        "LISTEN 127.0.0.1 port 5000, 0 of 3 wait\n",
        "  ESTABLISHED port 5000 > ",
        "  SHUTDOWN-PENDING port ",
        &queues,
        "    127.0.0.1 > 127.0.0.1 udp ",
        " active, primary  rtt ",
    ] {
        assert!(shown.matches(wanted).count() >= 3, "{wanted}: {shown}");
    }
    host.end();
    looks.for_each(drop);
    assert_eq!(watch.wait().unwrap().code(), Some(1));
    assert_eq!(sheave(&["run", "--list", name]).status.code(), Some(1));
}

#[test]
fn a_capture_names_its_udp_port_and_holds_packets_of_the_own_host_once() {
    needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.pcapng");
    let file = file.to_str().unwrap();
    let port = free_port();
    let program = ["python3", ECHO, "both", "5004", "1"];
    output(run(&port, &["--pcap", file], &program));
    let dumped = sheave(&["dump", file]);
    let dumped = text(&dumped.stdout);
    assert!(dumped.contains(" 1 COOKIE ACK\n"), "{dumped}");
}

#[test]
fn a_run_that_would_join_another_captures_nothing_and_says_so() {
    needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.pcapng");
    let port = free_port();
    let mut host = Guarded::start(run(&port, &[], &["sh", "-c", "echo up; sleep 60"]));
    host.wait_for("up");
    let joins = run(&port, &["--pcap", file.to_str().unwrap()], &["echo", "ran"]);
    let joined = finish(joins);
    let err = text(&joined.stderr);
    assert_eq!(joined.status.code(), Some(1), "{err}");
    assert!(err.contains("no packets to capture"), "{err}");
    assert!(joined.stdout.is_empty() && !file.exists());
}

#[test]
fn a_run_that_joins_is_told_whose_settings_hold() {
    needs!("sleep");
    let port = free_port();
    let flags = ["--set", "net.sctp.rto_min=77"];
    let mut host = Guarded::start(run(&port, &flags, &["sh", "-c", "echo up; sleep 60"]));
    host.wait_for("up");
    for (flags, told) in [
        (&flags[..], false),
        (&[], true),
        (&["--profile", "telecom"], true),
    ] {
        let joined = finish(run(&port, flags, &["true"]));
        let err = text(&joined.stderr);
        assert_eq!(err.contains("--profile, --set"), told, "{flags:?}: {err}");
    }
}

#[test]
fn the_host_of_another_user_is_named_as_such() {
    if !has(&["setpriv"]) || !rustix::process::geteuid().is_root() {
        eprintln!("skipped: this takes root and setpriv");
        return;
    }
    let port = free_port();
    let mut host = Guarded::start(run(&port, &[], &["sh", "-c", "echo up; sleep 60"]));
    host.wait_for("up");
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    let other = run(&port, &[], &["echo", "ran"]);
    command.arg(other.get_program()).args(other.get_args());
    let finished = finish(command);
    let err = text(&finished.stderr);
    assert_eq!(finished.status.code(), Some(1), "{err}");
    assert!(err.contains("of another user"), "{err}");
    assert!(finished.stdout.is_empty());
}

#[test]
fn counters_at_the_end_are_json_where_that_is_asked_for() {
    let finished = finish(run(&free_port(), &["--stats", "--json"], &["true"]));
    let stats: Value = serde_json::from_slice(&finished.stderr).unwrap();
    assert_eq!(stats["stats"]["programs"], 1, "{stats}");
}

#[test]
fn addresses_that_come_later_are_bound_and_reached_and_closed_ports_refuse() {
    needs!("python3", "ip", "unshare", "nsenter", "bash");
    let Some(out) = namespaces::between_two("late.sh", &[]) else {
        return;
    };
    for flags in ["--raw", "--udp 9899"] {
        for line in [
            "bound: 10.8.0.1",
            "reached: hello",
            "closed port of the own host: ECONNREFUSED",
            "closed port of the peer: ECONNREFUSED",
        ] {
            assert!(out.contains(&format!("{flags}: {line}\n")), "{line}: {out}");
        }
    }
    assert!(!out.contains("ETIMEDOUT"), "{out}");
    for tool in ["perf", "recv"] {
        assert!(out.contains(&format!("{tool} reached\n")), "{out}");
    }
}
