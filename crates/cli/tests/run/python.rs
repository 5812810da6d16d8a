//! Python's sockets.

use std::io::Write as _;

use super::*;

/// The program of these tests, with these arguments.
fn echo(udp: &str, flags: &[&str], args: &str) -> Command {
    let args: Vec<&str> = ["python3", ECHO]
        .into_iter()
        .chain(args.split(' '))
        .collect();
    run(udp, flags, &args)
}

#[test]
fn programs_talk_to_themselves_under_one_host() {
    needs!("python3");
    for (flags, args, said) in [
        (&[][..], "both 5000 300", "echoed 300"),
        (&[], "both 5000 300", "served 300"),
        (&["--fds", "low"], "both 5000 100", "echoed 100"),
        // A message says when it came.
        (&[], "stamped 5000", "stamped"),
        // A program that is stopped for a while loses nothing.
        (&[], "stopped 5000 100", "answered 100"),
        // Messages of a program that has ended are read whole.
        (&[], "parting 5000 60", "read 60"),
        (&["--fds", "low"], "parting 5000 60", "read 60"),
    ] {
        let out = output(echo(&free_port(), flags, args));
        assert!(out.contains(said), "{args}: {out}");
    }
}

#[test]
fn programs_of_several_runs_join_one_host() {
    needs!("python3");
    for (server, clients, count) in [
        ("server 5000", 1, 100),
        // The socket lives on in the child that the server forks.
        ("forking 5000 3", 3, 20),
        // A one-to-many socket.
        ("many 5000 40", 2, 20),
        // Messages pass through standard streams.
        ("standard 5000", 1, 100),
        // The server shuts down through its standard input.
        ("half 5000", 1, 0),
    ] {
        let udp = free_port();
        let mut server = Guarded::start(echo(&udp, &[], server));
        server.wait_for("ready");
        for _ in 0..clients {
            let out = output(echo(&udp, &[], &format!("client 5000 {count}")));
            assert!(
                out.contains(&format!("echoed {count}")) || count == 0,
                "{out}"
            );
        }
        server.succeed();
    }
}

#[test]
fn the_sysctl_file_of_a_machine_is_heeded() {
    needs!("python3");
    let file = std::env::temp_dir().join(format!("sheave-sysctl-{}", free_port()));
    let lines = "# of a machine with SCTP in its kernel\n\
                 net.ipv4.ip_forward = 1\n\
                 net.sctp.rto_min = 123\n\
                 net/sctp/rto_max=4567\n\
                 net.sctp.rcvbuf_policy = 1\n";
    fs::write(&file, lines).unwrap();
    // SCTP_RTOINFO
    let asks = "import socket, struct\n\
                with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132) as s:\n\
                \x20   print(struct.unpack('iIII', s.getsockopt(132, 0, 16)))";
    let name = file.to_str().unwrap();
    let flags = ["--sysctl", name, "--set", "net.sctp.rto_max=5000"];
    let finished = finish(run(&free_port(), &flags, &["python3", "-c", asks]));
    let (out, err) = (text(&finished.stdout), text(&finished.stderr));
    assert!(out.contains(", 5000, 123)"), "{out}{err}");
    assert!(
        err.contains("no effect here: net.sctp.rcvbuf_policy"),
        "{err}"
    );
    fs::write(&file, "net.sctp.rto_min = 123\nnet.sctp.rto_mix = 1\n").unwrap();
    let finished = finish(run(&free_port(), &flags, &["true"]));
    fs::remove_file(&file).unwrap();
    let err = text(&finished.stderr);
    assert_eq!(finished.status.code(), Some(2), "{err}");
    assert!(
        err.contains(&format!(
            "{name}:2: rto_mix: there is no such key; did you mean"
        )),
        "{err}"
    );
}

#[test]
fn programs_join_a_host_by_its_name() {
    needs!("python3");
    // Two hosts would have ports of their own, and no way to each other.
    let name = format!("test-{}", free_port());
    let joined = |program| echo(&free_port(), &["--join", &name], program);
    let mut server = Guarded::start(joined("server 5000"));
    server.wait_for("ready");
    let out = output(joined("client 5000 100"));
    assert!(out.contains("echoed 100"), "{out}");
    server.succeed();
}

#[test]
fn programs_of_two_hosts_talk_over_udp() {
    needs!("python3");
    let (here, there) = (free_port(), free_port());
    let mut server = Guarded::start(echo(&here, &[], "server 5000"));
    server.wait_for("ready");
    let flags = ["--set", &format!("net.sctp.encap_port={here}"), "--stats"];
    let client = finish(echo(&there, &flags, "client 5000 100"));
    assert!(
        text(&client.stdout).contains("echoed 100"),
        "{}",
        text(&client.stderr)
    );
    assert!(
        text(&client.stderr).contains("sent 100 messages"),
        "{}",
        text(&client.stderr)
    );
    server.succeed();
}

#[test]
fn sockets_of_several_addresses_have_one_port() {
    needs!("python3");
    let addresses = "127.0.0.1,127.0.0.2,127.0.0.3,127.0.0.4";
    let udp = free_port();
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", &udp, "--encap-port", &udp, "-X", addresses]);
    command.args(door(&[]));
    command.args(["--", "python3", ECHO, "stations", "36412"]);
    let out = output(command);
    assert!(out.contains("all answered"), "{out}");
}

#[test]
fn a_signal_every_millisecond_loses_no_message_and_doubles_none() {
    needs!("python3");
    // A million takes minutes: it is for who asks for it.
    let count = std::env::var("SHEAVE_ECHOES").unwrap_or_else(|_| "5000".to_owned());
    let out = output(echo(&free_port(), &[], &format!("storm 5000 {count}")));
    let ends = ["echoed", "served"].map(|end| format!("{end} {count}"));
    assert!(ends.iter().all(|end| out.contains(end)), "{out}");
}

/// A program in which a thread waits for a message while signals come to another one that waits, too.
const ALARMS: &str = "import signal, socket, struct, threading\n\
    signal.signal(signal.SIGALRM, lambda *_: None)\n\
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
    server.bind(('127.0.0.1', 0))\n\
    server.listen()\n\
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
    client.connect(server.getsockname())\n\
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack('ll', 0, 200_000))\n\
    accepted, _ = server.accept()\n\
    waits = threading.Thread(target=lambda: print('received', accepted.recv(100)))\n\
    waits.start()\n\
    for _ in range(5):\n\
    \x20   signal.setitimer(signal.ITIMER_REAL, 0.05)\n\
    \x20   try:\n\
    \x20       client.recv(100)\n\
    \x20   except BlockingIOError:\n\
    \x20       pass\n\
    client.send(b'hello')\n\
    waits.join()";

#[test]
fn a_signal_interrupts_one_thread_alone() {
    needs!("python3");
    let out = output(run(&free_port(), &[], &["python3", "-c", ALARMS]));
    assert!(out.contains("received b'hello'"), "{out}");
}

#[test]
fn a_killed_program_ends_its_associations_and_its_host() {
    needs!("python3");
    let (udp, folder) = (free_port(), tempfile::tempdir().unwrap());
    let host = run(&udp, &["--verbose"], &[]);
    let serve = format!("exec python3 {ECHO} server 5000");
    let mut server = Guarded::start(script(&host, folder.path(), &serve));
    server.wait_for("ready");
    // It is killed when something has arrived.
    let script = format!(
        "python3 {ECHO} client 5000 100000000 & client=$!; \
         until grep -q '] recv.* = [1-9]' {}; do sleep 0.05; done; \
         kill -9 $client; wait $client; test $? = 137",
        folder.path().join("trace").display()
    );
    output(run(&udp, &[], &["sh", "-c", &script]));
    // Its peer sees the end of the association: of its messages, a reset where an answer was not
    // read, or, where it sends just then, that the association shuts down (ESHUTDOWN) or has shut
    // down (EPIPE), both of which are a broken pipe to Python.
    let ended = server.finish();
    let said = fs::read(folder.path().join("trace")).unwrap();
    let said = text(&said);
    let errors = ["ConnectionResetError", "BrokenPipeError"];
    let is_told = ended.status.success() || errors.iter().any(|error| said.contains(error));
    assert!(is_told, "{}: {said}", ended.status);
}

#[test]
fn programs_end_with_a_host_that_is_killed() {
    needs!("python3");
    let udp = free_port();
    let mut server = Guarded::start(echo(&udp, &[], "server 5000"));
    server.wait_for("ready");
    let _client = Guarded::start(echo(&udp, &[], "client 5000 100000000"));
    thread::sleep(Duration::from_millis(500));
    let host = server.id();
    let children = fs::read_to_string(format!("/proc/{host}/task/{host}/children")).unwrap();
    let program = Path::new("/proc").join(children.trim());
    assert!(program.join("status").exists(), "{children}");
    let _ = Command::new("kill")
        .args(["-9", &host.to_string()])
        .status();
    server.finish();
    // Its next call has no answer and fails, which a program takes as it likes: this one ends.
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if !program.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("{} is left", program.display());
}

/// A program that calls once its input says that its host is gone.
const ORPHAN: &str = "import errno, signal, socket, sys\n\
    signal.alarm(100)\n\
    def sock(): return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
    made = sock()\n\
    print('ready', flush=True)\n\
    sys.stdin.readline()\n\
    for call in lambda: made.bind(('127.0.0.1', 5000)), lambda: made.recv(1), sock:\n\
    \x20   try: print(call(), flush=True)\n\
    \x20   except OSError as error: print(errno.errorcode[error.errno], flush=True)\n";

#[test]
fn calls_fail_after_the_host_was_killed() {
    needs!("python3");
    for (door, errors) in [
        ("listener", [&["ENOSYS"][..]; 3]),
        // The kernel answers for a new socket, each in its own way.
        (
            "preload",
            [&["EINVAL"], &["ECONNRESET"], &["EPROTONOSUPPORT", "EINVAL"]],
        ),
    ] {
        if !finish(run(&free_port(), &["--door", door], &["true"]))
            .status
            .success()
        {
            eprintln!("skipped: no door {door} here");
            continue;
        }
        let mut command = run(&free_port(), &["--door", door], &["python3", "-c", ORPHAN]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut host = command.spawn().unwrap();
        let mut input = host.stdin.take().unwrap();
        let said = BufReader::new(host.stdout.take().unwrap()).lines();
        let mut said = said.map_while(Result::ok);
        assert_eq!(said.next().as_deref(), Some("ready"), "{door}");
        host.kill().unwrap();
        host.wait().unwrap();
        input.write_all(b"gone\n").unwrap();
        let said: Vec<String> = said.collect();
        assert_eq!(said.len(), errors.len(), "{door}: {said:?}");
        for (error, expected) in said.iter().zip(errors) {
            assert!(expected.contains(&error.as_str()), "{door}: {said:?}");
        }
    }
}

#[test]
fn calls_and_packets_can_be_looked_at() {
    needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.pcap");
    let flags = ["--verbose", "--pcap", file.to_str().unwrap()];
    let udp = free_port();
    let output = finish(echo(&udp, &flags, "both 5000 3"));
    let err = text(&output.stderr);
    assert!(output.status.success(), "{err}");
    assert!(
        err.contains("] socket(2, ") && err.contains(", 16) = 0"),
        "{err}"
    );
    let mut dump = Command::new(SHEAVE);
    dump.args(["dump", "--udp-port", &udp]).arg(&file);
    let packets = self::output(dump);
    assert!(
        packets.contains("COOKIE ECHO") && packets.contains("SHUTDOWN"),
        "{packets}"
    );
}

#[test]
fn a_program_reaches_itself_at_whichever_udp_port_its_host_is() {
    needs!("python3");
    for udp in ["0", &free_port()] {
        let mut command = Command::new(SHEAVE);
        command.args(["run", "--udp", udp, "-X", "127.0.0.1"]);
        command.args(door(&[]));
        command.args(["--", "python3", ECHO, "stamped", "5000"]);
        output(command);
    }
}

#[test]
fn a_parent_goes_on_with_the_socket_that_was_its_childs_output() {
    needs!("python3");
    let shares = r#"
import socket, subprocess, sys, threading
def new():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
listener = new()
listener.bind(("127.0.0.1", 5000))
listener.listen(1)
def echo():
    peer, _ = listener.accept()
    while message := peer.recv(1 << 20):
        peer.send(message)
threading.Thread(target=echo, daemon=True).start()
client = new()
client.connect(("127.0.0.1", 5000))
subprocess.run(["true"], stdout=client)
client.send(b"own")
print(client.recv(100))
for length in 200000, 300000:
    writes = f"import os\ntry: os.write(1, bytes({length}))\nexcept OSError as e: os.write(2, b'%d' % e.errno)"
    child = subprocess.run([sys.executable, "-c", writes], stdout=client, stderr=subprocess.PIPE)
    print(child.stderr or len(client.recv(1 << 20)))
"#;
    for flags in [&[][..], &["--fds", "low"], &["--door", "preload"]] {
        let out = output(run(&free_port(), flags, &["python3", "-c", shares]));
        assert_eq!(out, "b'own'\n200000\nb'90'\n", "{flags:?}");
    }
}
