//! usrsctp's own example programs.

use std::fs;
use std::io::{Read, Write};
use std::net::UdpSocket;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sheave_interop::skip;

use crate::installed::{Library, example, on};

/// Each end on this library, and one end on usrsctp's.
const PAIRS: [(Library, Library); 3] = [
    (Library::Ours, Library::Ours),
    (Library::Ours, Library::Usrsctp),
    (Library::Usrsctp, Library::Ours),
];
/// Time that a program gets, on a machine that stands still now and then.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time that a server gets to listen once it has bound its UDP port.
const START: Duration = Duration::from_millis(700);

/// Time before a program is told something.
const WHILE: Duration = Duration::from_secs(1);
/// Time between two looks at whether something is so.
const STEP: Duration = Duration::from_millis(20);

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two UDP ports that nobody uses now.
fn ports() -> [String; 2] {
    let sockets = [(); 2].map(|()| UdpSocket::bind("0.0.0.0:0").unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().port().to_string())
}

/// Starts a server that binds that UDP port.
fn start(command: &mut Command, port: &str) -> Running {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(quiet.stdin(Stdio::null()).spawn().unwrap());
    wait_for_server(port);
    running
}

/// Waits until somebody listens at that UDP port.
fn wait_for_server(port: &str) {
    let port: u16 = port.parse().unwrap();
    let wanted = format!(":{port:04X} ");
    let is_bound = || {
        let tables = ["/proc/net/udp", "/proc/net/udp6"].map(fs::read_to_string);
        let mut lines = tables.iter().flatten().flat_map(|table| table.lines());
        lines.any(|line| line.contains(&wanted))
    };
    wait_until(is_bound);
    thread::sleep(START);
}

/// Waits until that is so, [`PATIENCE`] at most; whether it is.
fn wait_until(is_so: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(STEP);
    }
    true
}

/// The input of a program, and when it ends.
#[derive(Clone, Copy)]
enum Input {
    /// Nothing, which ends after two seconds.
    Nothing,
    /// A line after a while, and the end once the program has printed this.
    Line(Duration, &'static str, &'static str),
}

/// Runs a program to its end; what it printed.
fn talk(command: &mut Command, input: Input) -> String {
    let mut command = by_lines(command);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let child = &mut running.0;
    let said = Arc::<Mutex<Vec<u8>>>::default();
    let readers = [
        read(child.stdout.take().unwrap(), &said),
        read(child.stderr.take().unwrap(), &said),
    ];
    let text = || String::from_utf8_lossy(&said.lock().unwrap()).into_owned();
    let mut stdin = child.stdin.take().unwrap();
    match input {
        Input::Nothing => thread::sleep(Duration::from_secs(2)),
        Input::Line(pause, line, wanted) => {
            thread::sleep(pause);
            // A program that has ended already hears nothing.
            let _ = stdin.write_all(line.as_bytes());
            assert!(wait_until(|| text().contains(wanted)), "{}", text());
        }
    }
    drop(stdin);
    let running = Mutex::new(running);
    let has_ended = || matches!(running.lock().unwrap().0.try_wait(), Ok(Some(_)));
    let ended = wait_until(has_ended);
    let _ = running.lock().unwrap().0.kill();
    let status = running.lock().unwrap().0.wait().unwrap();
    for reader in readers {
        reader.join().unwrap();
    }
    let text = text();
    assert!(ended && status.success(), "{status}\n{text}");
    text
}

/// The same command, which prints each line at once.
fn by_lines(command: &Command) -> Command {
    let mut lines = Command::new("stdbuf");
    lines.arg("-oL").arg(command.get_program());
    lines.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => lines.env(name, value),
            None => lines.env_remove(name),
        };
    }
    lines
}

/// Reads all that comes there.
fn read(mut from: impl Read + Send + 'static, into: &Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    let into = Arc::clone(into);
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            into.lock().unwrap().extend(&bytes[..count]);
        }
    })
}

fn found(names: &[&str]) -> Option<Vec<PathBuf>> {
    let programs: Result<Vec<PathBuf>, _> = names.iter().map(|name| example(name)).collect();
    programs.map_err(skip).ok()
}

/// Runs a server, and the client at its SCTP port with its input; what each client printed.
fn with_client(server: &str, client: &str, port: &str, input: Input) -> Vec<String> {
    let Some(programs) = found(&[server, client]) else {
        return Vec::new();
    };
    let talks = PAIRS.map(|(serving, calling)| {
        let [theirs, ours] = ports();
        let _server = start(on(serving, &programs[0]).args([&theirs, &ours]), &theirs);
        let mut command = on(calling, &programs[1]);
        talk(
            command.args(["127.0.0.1", port, "0", &ours, &theirs]),
            input,
        )
    });
    talks.into()
}

#[test]
fn the_echo_server_echoes_a_line() {
    let input = Input::Line(WHILE, "what is said\n", "what is said");
    for said in with_client("echo_server", "client", "7", input) {
        assert!(said.contains("what is said"), "{said}");
        assert!(said.contains("SCTP_COMM_UP"), "{said}");
    }
}

#[test]
fn the_discard_server_hears_the_client_out() {
    let input = Input::Line(WHILE, "what is said\n", "SCTP_COMM_UP");
    for said in with_client("discard_server", "client", "9", input) {
        assert!(said.contains("SCTP_SHUTDOWN_COMP"), "{said}");
    }
}

#[test]
fn the_daytime_server_tells_the_time() {
    for said in with_client("daytime_server", "client", "13", Input::Nothing) {
        assert!(is_a_day(&said), "{said}");
        assert!(said.contains("SCTP_SHUTDOWN_COMP"), "{said}");
    }
}

#[test]
fn upcalls_serve_the_echo_client() {
    for said in with_client("echo_server_upcall", "client_upcall", "7", Input::Nothing) {
        assert!(said.contains("socket connected"), "{said}");
        assert!(said.contains("Client finished"), "{said}");
    }
}

#[test]
fn upcalls_hear_a_client_out_and_tell_it_the_time() {
    let input = Input::Line(WHILE, "what is said\n", "SCTP_COMM_UP");
    for said in with_client("discard_server_upcall", "client", "9", input) {
        assert!(said.contains("SCTP_SHUTDOWN_COMP"), "{said}");
    }
    for said in with_client("daytime_server_upcall", "client", "13", Input::Nothing) {
        assert!(is_a_day(&said), "{said}");
    }
}

fn is_a_day(said: &str) -> bool {
    let days = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    days.iter().any(|day| said.contains(day))
}

/// The clients' packets go over a socket of the program's own.
#[test]
fn a_server_that_carries_its_packets_hears_its_clients() {
    let here = "127.0.0.1";
    for client in ["ekr_client", "st_client"] {
        let Some(programs) = found(&["ekr_server", client]) else {
            return;
        };
        for (serving, calling) in PAIRS {
            let [theirs, ours] = ports();
            let mut command = by_lines(&on(serving, &programs[0]));
            command.args([here, &theirs, here, &ours]);
            command.stdin(Stdio::null()).stderr(Stdio::null());
            let server = Running(command.stdout(Stdio::piped()).spawn().unwrap());
            wait_for_server(&theirs);
            let mut command = on(calling, &programs[1]);
            command.args([here, &ours, here, &theirs, "5001"]);
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            let _client = Running(quiet.stdin(Stdio::null()).spawn().unwrap());
            let line = "Msg of length ";
            let said = counted(server, line);
            assert!(said.contains(line), "{client}: {said}");
        }
    }
}

#[test]
fn the_library_begins_and_ends_many_times() {
    for program in ["test_libmgmt", "test_timer"] {
        if let Some(programs) = found(&[program]) {
            talk(&mut on(Library::Ours, &programs[0]), Input::Nothing);
        }
    }
}

#[test]
fn tsctp_counts_every_message() {
    tsctp("tsctp", "Sending of 3000 messages");
}

#[test]
fn tsctp_of_upcalls_counts_every_message() {
    tsctp("tsctp_upcall", "Finished");
}

/// Sends 3000 messages, at whose end the client prints `finished`.
fn tsctp(name: &str, finished: &str) {
    let Some(programs) = found(&[name]) else {
        return;
    };
    for (serving, calling) in PAIRS {
        let [theirs, ours] = ports();
        let mut command = on(serving, &programs[0]);
        let command = command.args(["-E", &theirs, "-U", &ours]);
        let server = Running(command.stdout(Stdio::piped()).spawn().unwrap());
        wait_for_server(&theirs);
        let mut command = on(calling, &programs[0]);
        let command = command.args(["-v", "-E", &ours, "-U", &theirs, "-n", "3000"]);
        let command = command.args(["-l", "1000", "127.0.0.1"]);
        let said = talk(command, Input::Nothing);
        assert!(said.contains(finished), "{said}");
        let line = "1000, 3000, 3000, 3000000";
        let counted = counted(server, line);
        assert!(counted.contains(line), "{counted}");
    }
}

/// What a server prints of the association until it has printed that line, killed then.
fn counted(mut server: Running, line: &str) -> String {
    let said = Arc::<Mutex<Vec<u8>>>::default();
    let reader = read(server.0.stdout.take().unwrap(), &said);
    let text = || String::from_utf8_lossy(&said.lock().unwrap()).into_owned();
    wait_until(|| text().contains(line));
    drop(server);
    reader.join().unwrap();
    text()
}

#[test]
fn connections_that_the_program_carries_transfer_twenty_megabytes() {
    loops("ekr_loop");
}

#[test]
fn connections_that_the_program_carries_transfer_as_much_by_upcalls() {
    loops("ekr_loop_upcall");
}

fn loops(name: &str) {
    let Some(programs) = found(&[name]) else {
        return;
    };
    // With checksums of the library's, and of the program's.
    for checksums in ["0", "1"] {
        let [first, second] = ports();
        let mut command = on(Library::Ours, &programs[0]);
        let said = talk(command.args([&first, &second, checksums]), Input::Nothing);
        let received: u64 = said
            .lines()
            .filter(|line| line.contains("MSG RCV:") && line.contains("stream 1,"))
            .filter_map(|line| {
                let length = line.split("length ").nth(1)?.split(',').next()?;
                length.parse::<u64>().ok()
            })
            .sum();
        assert_eq!(received, 20 << 20, "{said}");
    }
}

#[test]
fn two_programs_that_carry_their_packets_call_each_other_at_once() {
    let Some(programs) = found(&["ekr_peer"]) else {
        return;
    };
    let here = "127.0.0.1";
    for (one, other) in PAIRS {
        let crossing = Crossing::new();
        let [first, second] = ports();
        let [to_other, to_one] = crossing.ports();
        let mut calling = on(one, &programs[0]);
        calling.args([here, &first, here, &to_other, "5000", "5001"]);
        let mut called = on(other, &programs[0]);
        called.args([here, &second, here, &to_one, "5001", "5000"]);
        let from_one = Input::Line(WHILE, "from one\n", "Msg of length 15 received");
        let from_other = Input::Line(WHILE, "from the other\n", "Msg of length 9 received");
        let [one, other] = thread::scope(|scope| {
            for from in [0, 1] {
                let crossing = &crossing;
                scope.spawn(move || crossing.carry(from));
            }
            let one = scope.spawn(move || talk(&mut calling, from_one));
            let other = scope.spawn(move || talk(&mut called, from_other));
            let said = [one, other].map(thread::ScopedJoinHandle::join);
            crossing.is_over.store(true, Ordering::Relaxed);
            said.map(|text| text.unwrap_or_else(|panic| resume_unwind(panic)))
        });
        assert!(other.contains("Msg of length 9 received"), "{other}");
        assert!(one.contains("Msg of length 15 received"), "{one}");
    }
}

/// A way between two programs that keeps their first INITs until both have called.
///
/// A program that hears the other's INIT before it has called itself answers with an ABORT:
/// so does usrsctp's.
struct Crossing {
    sockets: [UdpSocket; 2],
    callers: AtomicUsize,
    is_over: AtomicBool,
}

impl Crossing {
    fn new() -> Crossing {
        let sockets = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        for socket in &sockets {
            socket.set_read_timeout(Some(STEP)).unwrap();
        }
        Crossing {
            sockets,
            callers: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// The UDP port of each end.
    fn ports(&self) -> [String; 2] {
        let port = |socket: &UdpSocket| socket.local_addr().unwrap().port().to_string();
        self.sockets.each_ref().map(port)
    }

    /// Carries what comes to one end out of the other.
    fn carry(&self, from: usize) {
        let (from, to) = (&self.sockets[from], &self.sockets[1 - from]);
        let mut packet = [0; 65_536];
        let mut has_called = false;
        while !self.is_over.load(Ordering::Relaxed) {
            // Nothing comes within a step, or to a program that has ended.
            let Ok((length, caller)) = from.recv_from(&mut packet) else {
                continue;
            };
            if !has_called {
                from.connect(caller).unwrap();
                self.callers.fetch_add(1, Ordering::Release);
                has_called = true;
            }
            while self.callers.load(Ordering::Acquire) < 2 && !self.is_over.load(Ordering::Relaxed)
            {
                thread::sleep(STEP);
            }
            let _ = to.send(&packet[..length]);
        }
    }
}
