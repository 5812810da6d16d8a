//! Hosts as others see them: their state, their captures, their neighbours.

use super::*;

use serde_json::Value;

/// A program that has an association of its own until its input ends.
const CONVERSES: &str = "import socket, sys\n\
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
    server.bind(('127.0.0.1', 5000))\n\
    server.listen(3)\n\
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
    client.connect(('127.0.0.1', 5000))\n\
    accepted, _ = server.accept()\n\
    client.sendall(b'hello')\n\
    accepted.recv(100)\n\
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

#[test]
fn a_running_host_shows_its_associations_and_counters() {
    needs!("python3");
    let port = free_port();
    let mut child = run(&port, &[], &["python3", "-c", CONVERSES])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");

    let shown = list(&port, &[]);
    for wanted in [
        "LISTEN 127.0.0.1 port 5000, 0 of 3 wait\n",
        "  ESTABLISHED port 5000 > ",
        "    127.0.0.1 > 127.0.0.1 udp ",
        "2 associations\n",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let state: Value = serde_json::from_str(&list(&port, &["--json"])).unwrap();
    let associations = state["associations"].as_array().unwrap();
    let at_server = associations.iter().find(|one| one["local_port"] == 5000);
    let at_server = at_server.unwrap();
    assert_eq!(at_server["state"], "ESTABLISHED");
    assert_eq!(at_server["messages_received"], 1);
    let path = &at_server["paths"][0];
    assert_eq!(
        (&path["state"], &path["primary"]),
        (&"active".into(), &true.into())
    );
    assert!(path["cwnd"].as_u64() > Some(0), "{path}");
    let counters = list(&port, &["--prometheus"]);
    for (counter, value) in [
        ("SctpCurrEstab", 2),
        ("SctpActiveEstabs", 1),
        ("SctpPassiveEstabs", 1),
        ("SctpAborteds", 0),
    ] {
        let wanted = format!("{counter}{{host=\"udp-{port}\"}} {value}\n");
        assert!(counters.contains(&wanted), "{wanted}{counters}");
    }
    let all = text(&sheave(&["run", "--list"]).stdout);
    assert!(all.contains(&format!("udp-{port}: ")), "{all}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());

    let gone = sheave(&["run", "--list", &format!("udp-{port}")]);
    assert_eq!(gone.status.code(), Some(1));
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
    assert!(out.contains("perf reached\n"), "{out}");
}
