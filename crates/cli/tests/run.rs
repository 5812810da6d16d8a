//! `sheave run` with the programs that people have.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use support::{free_port, text};

/// Nothing here takes longer.
const PATIENCE: Duration = Duration::from_secs(90);

const SHEAVE: &str = env!("CARGO_BIN_EXE_sheave");
const ECHO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/echo.py");
const HOSTILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/hostile.py");
const REFUSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/refuse.py");

/// Whether the programs are installed; says so if one is not.
fn has(programs: &[&str]) -> bool {
    let found = |program: &&&str| {
        let look = format!("command -v {program} >/dev/null");
        let found = Command::new("sh").args(["-c", &look]).status();
        !found.is_ok_and(|status| status.success())
    };
    let mut missing = programs.iter().filter(found);
    match missing.next() {
        Some(program) => {
            eprintln!("skipped: {program} is not installed");
            false
        }
        None => true,
    }
}

/// A program that is ended by force if it takes too long.
struct Guarded(Option<Child>);

impl Guarded {
    fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self(Some(command.spawn().unwrap()))
    }

    /// Waits until the program has printed a line with `text`; the rest of what it prints is lost.
    fn wait_for(&mut self, wanted: &str) {
        let stdout = self.0.as_mut().unwrap().stdout.take().unwrap();
        let (found, is_found) = mpsc::channel();
        let wanted = wanted.to_owned();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if line.contains(&wanted) {
                    let _ = found.send(());
                }
            }
        });
        is_found
            .recv_timeout(Duration::from_secs(20))
            .expect("the program is not ready");
    }

    fn finish(mut self) -> Output {
        let child = self.0.take().unwrap();
        let id = child.id().to_string();
        let (done, is_done) = mpsc::channel::<()>();
        let guard = thread::spawn(move || {
            if is_done.recv_timeout(PATIENCE).is_err() {
                let _ = Command::new("kill").args(["-9", &id]).status();
            }
        });
        let output = child.wait_with_output().unwrap();
        let _ = done.send(());
        guard.join().unwrap();
        output
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // The program goes with its host.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let began = Instant::now();
            while child.try_wait().is_ok_and(|status| status.is_none()) {
                if began.elapsed() > Duration::from_secs(10) {
                    let _ = child.kill();
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// `sheave run` on loopback with these flags.
fn run(udp: &str, flags: &[&str], program: &[&str]) -> Command {
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", udp, "--encap-port", udp]);
    command
        .args(["-X", "127.0.0.1"])
        .args(flags)
        .arg("--")
        .args(program);
    command
}

fn finish(command: Command) -> Output {
    Guarded::start(command).finish()
}

/// The output of a program that must succeed.
fn output(command: Command) -> String {
    let output = finish(command);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}: {out}{err}", output.status);
    out
}

#[test]
fn a_python_program_talks_to_itself_under_one_host() {
    if !has(&["python3"]) {
        return;
    }
    let out = output(run(
        &free_port(),
        &[],
        &["python3", ECHO, "both", "5000", "300"],
    ));
    assert!(
        out.contains("echoed 300") && out.contains("served 300"),
        "{out}"
    );
}

#[test]
fn programs_of_two_runs_join_one_host() {
    if !has(&["python3"]) {
        return;
    }
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "server", "5000"]));
    server.wait_for("ready");
    let out = output(run(&udp, &[], &["python3", ECHO, "client", "5000", "100"]));
    assert!(out.contains("echoed 100"), "{out}");
    assert!(server.finish().status.success());
}

#[test]
fn programs_of_two_hosts_talk_over_udp() {
    if !has(&["python3"]) {
        return;
    }
    let (here, there) = (free_port(), free_port());
    let mut server = Guarded::start(run(&here, &[], &["python3", ECHO, "server", "5000"]));
    server.wait_for("ready");
    let flags = ["--set", &format!("net.sctp.encap_port={here}"), "--stats"];
    let client = finish(run(
        &there,
        &flags,
        &["python3", ECHO, "client", "5000", "100"],
    ));
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
    assert!(server.finish().status.success());
}

#[test]
fn a_socket_lives_on_in_the_child_that_a_server_forks() {
    if !has(&["python3"]) {
        return;
    }
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "forking", "5000", "3"]));
    server.wait_for("ready");
    for _ in 0..3 {
        let out = output(run(&udp, &[], &["python3", ECHO, "client", "5000", "20"]));
        assert!(out.contains("echoed 20"), "{out}");
    }
    assert!(server.finish().status.success());
}

#[test]
fn a_one_to_many_socket_serves_several_peers() {
    if !has(&["python3"]) {
        return;
    }
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "many", "5000", "40"]));
    server.wait_for("ready");
    for _ in 0..2 {
        let out = output(run(&udp, &[], &["python3", ECHO, "client", "5000", "20"]));
        assert!(out.contains("echoed 20"), "{out}");
    }
    assert!(server.finish().status.success());
}

#[test]
fn a_signal_every_millisecond_loses_no_message_and_doubles_none() {
    if !has(&["python3"]) {
        return;
    }
    let out = output(run(
        &free_port(),
        &[],
        &["python3", ECHO, "storm", "5000", "5000"],
    ));
    assert!(
        out.contains("echoed 5000") && out.contains("served 5000"),
        "{out}"
    );
}

#[test]
fn low_numbers_work_as_high_ones_do() {
    if !has(&["python3"]) {
        return;
    }
    let program = ["python3", ECHO, "both", "5000", "100"];
    let out = output(run(&free_port(), &["--fds", "low"], &program));
    assert!(out.contains("echoed 100"), "{out}");
}

#[test]
fn nothing_needs_a_privilege() {
    if !has(&["python3", "setpriv"]) {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: this test is without a privilege already");
        return;
    }
    // Nobody may be unable to reach the build's folder.
    let folder = tempfile::tempdir().unwrap();
    let copies = [SHEAVE, ECHO].map(|file| {
        let copy = folder.path().join(Path::new(file).file_name().unwrap());
        fs::copy(file, &copy).unwrap();
        copy
    });
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), open).unwrap();
    let udp = free_port();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command
        .arg(&copies[0])
        .args(["run", "--udp", &udp, "--encap-port", &udp]);
    command
        .args(["-X", "127.0.0.1", "--", "/usr/bin/env", "python3"])
        .arg(&copies[1]);
    command
        .args(["both", "5000", "50"])
        .current_dir("/")
        .env("PATH", "/usr/bin:/bin");
    let out = output(command);
    assert!(out.contains("echoed 50"), "{out}");
}

#[test]
fn programs_run_where_descriptors_cannot_be_copied() {
    if !has(&["python3"]) {
        return;
    }
    let udp = free_port();
    let mut command = Command::new("python3");
    command.args([REFUSE, SHEAVE, "run", "--udp", &udp, "--encap-port", &udp]);
    command.args([
        "-X",
        "127.0.0.1",
        "--",
        "python3",
        ECHO,
        "both",
        "5000",
        "100",
    ]);
    let out = output(command);
    assert!(
        out.contains("echoed 100") && out.contains("served 100"),
        "{out}"
    );
}

#[test]
fn a_hostile_program_gets_errors_and_its_host_serves_others() {
    if !has(&["python3"]) || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "server", "5000"]));
    server.wait_for("ready");
    for seed in ["1", "2", "3"] {
        let out = output(run(&udp, &[], &["python3", HOSTILE, seed]));
        assert!(out.contains("survived"), "{out}");
    }
    let out = output(run(&udp, &[], &["python3", ECHO, "client", "5000", "50"]));
    assert!(out.contains("echoed 50"), "{out}");
    assert!(server.finish().status.success());
}

#[test]
fn a_killed_program_ends_its_associations_and_its_host() {
    if !has(&["python3"]) {
        return;
    }
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "server", "5000"]));
    server.wait_for("ready");
    let script = format!("timeout -s KILL 1 python3 {ECHO} client 5000 100000000; test $? = 137");
    output(run(&udp, &[], &["sh", "-c", &script]));
    // Its peer sees the end of the association; a reset, where an answer was not read.
    let ended = server.finish();
    let err = text(&ended.stderr);
    let is_told = ended.status.success() || err.contains("ConnectionResetError");
    assert!(is_told, "{}: {err}", ended.status);
}

#[test]
fn exit_codes_and_signals_are_those_of_the_program() {
    let code = |program: &[&str]| finish(run(&free_port(), &[], program)).status.code();
    assert_eq!(code(&["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(code(&["sh", "-c", "kill -9 $$"]), Some(137));
    assert_eq!(code(&["/etc/passwd"]), Some(126));
    assert_eq!(code(&["no-such-program"]), Some(127));
}

#[test]
fn a_run_within_a_run_says_what_to_do() {
    let inner = [SHEAVE, "run", "--udp", "0", "--", "true"];
    let output = finish(run(&free_port(), &[], &inner));
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("EBUSY") && err.contains("sheave run -- sh -c"),
        "{err}"
    );
}

#[test]
fn calls_and_packets_can_be_looked_at() {
    if !has(&["python3"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.pcap");
    let flags = ["--verbose", "--pcap", file.to_str().unwrap()];
    let program = ["python3", ECHO, "both", "5000", "3"];
    let udp = free_port();
    let output = finish(run(&udp, &flags, &program));
    let err = text(&output.stderr);
    assert!(output.status.success(), "{err}");
    assert!(
        err.contains("] socket(2, ") && err.contains("] listen(512, 16) = 0"),
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

/// The report of a client that measures for a second, with these flags.
fn iperf3(client: &[&str]) -> String {
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["iperf3", "-s", "-1", "--forceflush"]));
    server.wait_for("Server listening");
    let mut program = vec!["iperf3", "-c", "127.0.0.1", "--sctp", "-t", "1"];
    program.extend(client);
    let out = output(run(&udp, &[], &program));
    drop(server);
    out
}

#[test]
fn iperf3_measures_both_ways_and_several_streams() {
    if !has(&["iperf3"]) {
        return;
    }
    for client in [&[][..], &["-R"], &["-P", "4"]] {
        let out = iperf3(client);
        assert!(
            out.contains("receiver") && out.contains("iperf Done"),
            "{client:?}: {out}"
        );
        assert!(!out.contains(" 0.00 bits/sec"), "{client:?}: {out}");
    }
}

#[test]
fn ncat_carries_a_file_and_a_dialogue() {
    if !has(&["ncat"]) {
        return;
    }
    // The end of its input ends a server, too.
    let script = "sleep 5 | ncat --sctp -l 127.0.0.1 5000 > got & server=$!; sleep 1; \
                  head -c 300000 /dev/urandom > sent; \
                  ncat --sctp 127.0.0.1 5000 --send-only < sent && sleep 1 && cmp sent got && \
                  echo same";
    let folder = tempfile::tempdir().unwrap();
    let mut command = run(&free_port(), &[], &["sh", "-c", script]);
    command.current_dir(folder.path());
    let out = output(command);
    assert!(out.contains("same"), "{out}");
}

#[test]
fn ncat_starts_a_program_for_its_peer() {
    if !has(&["ncat"]) {
        return;
    }
    // SCTP has no half-closed state: the client must not end its side before the answer came.
    let script = "ncat --sctp -l 127.0.0.1 5000 -e /bin/cat & sleep 1; \
                  (echo hello; sleep 1) | ncat --sctp 127.0.0.1 5000; wait";
    let finished = finish(run(&free_port(), &[], &["sh", "-c", script]));
    assert_eq!(
        text(&finished.stdout),
        "hello\n",
        "{}",
        text(&finished.stderr)
    );
}

#[test]
fn messages_pass_through_standard_streams() {
    if !has(&["python3"]) {
        return;
    }
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "standard", "5000"]));
    server.wait_for("ready");
    let out = output(run(&udp, &[], &["python3", ECHO, "client", "5000", "100"]));
    assert!(out.contains("echoed 100"), "{out}");
    assert!(server.finish().status.success());
}

#[test]
fn socat_forks_a_program_for_each_peer() {
    if !has(&["socat"]) {
        return;
    }
    let script = "socat SCTP4-LISTEN:5000,bind=127.0.0.1,fork,reuseaddr EXEC:'/bin/cat' & server=$!; \
                  sleep 1; for n in 1 2; do (echo hello $n; sleep 1) | socat -t 2 - SCTP4:127.0.0.1:5000; done; \
                  kill $server";
    let out = output(run(&free_port(), &[], &["sh", "-c", script]));
    assert_eq!(out, "hello 1\nhello 2\n");
}

#[test]
fn a_static_go_program_is_served() {
    if !has(&["go"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("go-sctp");
    let mut build = Command::new("go");
    build
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .env("CGO_ENABLED", "0");
    build.current_dir(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../interop/go-sctp"
    ));
    let built = finish(build);
    if !built.status.success() {
        // The module's proxy cannot be reached.
        eprintln!("skipped: go build: {}", text(&built.stderr));
        return;
    }
    let program = [program.to_str().unwrap(), "5000", "300"];
    let out = output(run(&free_port(), &[], &program));
    assert!(out.contains("echoed 900"), "{out}");
}
