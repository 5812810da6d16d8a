//! usrsctp's own example programs.

use std::io::Write;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sheave_interop::skip;

use crate::installed::{Library, example, on};

/// Each end on this library, and one end on usrsctp's.
const PAIRS: [(Library, Library); 3] = [
    (Library::Ours, Library::Ours),
    (Library::Ours, Library::Usrsctp),
    (Library::Usrsctp, Library::Ours),
];
/// Time that a program gets.
const PATIENCE: Duration = Duration::from_secs(40);
/// Time that a server gets to bind its ports.
const START: Duration = Duration::from_millis(700);

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

fn start(command: &mut Command) -> Running {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(quiet.stdin(Stdio::null()).spawn().unwrap());
    thread::sleep(START);
    running
}

/// Runs a program to its end, telling it `input` after a while; what it printed.
fn talk(command: &mut Command, input: &str) -> String {
    talk_after(Duration::from_secs(1), command, input)
}

fn talk_after(pause: Duration, command: &mut Command, input: &str) -> String {
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let teller = thread::spawn(move || {
        thread::sleep(pause);
        // A program that has ended already hears nothing.
        let _ = stdin.write_all(input.as_bytes());
        thread::sleep(pause);
    });
    let id = child.id().to_string();
    let waiting = thread::spawn(move || child.wait_with_output().unwrap());
    let began = Instant::now();
    while !waiting.is_finished() {
        if began.elapsed() > PATIENCE {
            let _ = Command::new("kill").arg(&id).status();
        }
        thread::sleep(Duration::from_millis(20));
    }
    teller.join().unwrap();
    let output = waiting.join().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{}\n{text}", output.status);
    text
}

fn found(names: &[&str]) -> Option<Vec<PathBuf>> {
    let programs: Result<Vec<PathBuf>, _> = names.iter().map(|name| example(name)).collect();
    programs.map_err(skip).ok()
}

/// Runs a server, and the client at its SCTP port with a line to say; what each client printed.
fn with_client(server: &str, client: &str, port: &str, input: &str) -> Vec<String> {
    let Some(programs) = found(&[server, client]) else {
        return Vec::new();
    };
    let talks = PAIRS.map(|(serving, calling)| {
        let [theirs, ours] = ports();
        let _server = start(on(serving, &programs[0]).args([&theirs, &ours]));
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
    for said in with_client("echo_server", "client", "7", "what is said\n") {
        assert!(said.contains("what is said"), "{said}");
        assert!(said.contains("SCTP_COMM_UP"), "{said}");
    }
}

#[test]
fn the_discard_server_hears_the_client_out() {
    for said in with_client("discard_server", "client", "9", "what is said\n") {
        assert!(said.contains("SCTP_SHUTDOWN_COMP"), "{said}");
    }
}

#[test]
fn the_daytime_server_tells_the_time() {
    for said in with_client("daytime_server", "client", "13", "") {
        let days = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
        assert!(days.iter().any(|day| said.contains(day)), "{said}");
        assert!(said.contains("SCTP_SHUTDOWN_COMP"), "{said}");
    }
}

#[test]
fn upcalls_serve_the_echo_client() {
    for said in with_client("echo_server_upcall", "client_upcall", "7", "") {
        assert!(said.contains("socket connected"), "{said}");
        assert!(said.contains("Client finished"), "{said}");
    }
}

#[test]
fn tsctp_counts_every_message() {
    let Some(programs) = found(&["tsctp"]) else {
        return;
    };
    for (serving, calling) in PAIRS {
        let [theirs, ours] = ports();
        let mut command = on(serving, &programs[0]);
        let command = command.args(["-E", &theirs, "-U", &ours]);
        let server = Running(command.stdout(Stdio::piped()).spawn().unwrap());
        thread::sleep(START);
        let mut command = on(calling, &programs[0]);
        let command = command.args(["-E", &ours, "-U", &theirs, "-n", "3000", "-l", "1000"]);
        let said = talk(command.arg("127.0.0.1"), "");
        assert!(said.contains("Sending of 3000 messages"), "{said}");
        let counted = counted(server);
        assert!(counted.contains("1000, 3000, 3000, 3000000"), "{counted}");
    }
}

/// What a server prints of the association, told to end then.
fn counted(mut server: Running) -> String {
    thread::sleep(Duration::from_millis(500));
    server.0.kill().unwrap();
    let mut text = String::new();
    let mut output = server.0.stdout.take().unwrap();
    std::io::Read::read_to_string(&mut output, &mut text).unwrap();
    text
}

#[test]
fn connections_that_the_program_carries_transfer_twenty_megabytes() {
    let Some(programs) = found(&["ekr_loop"]) else {
        return;
    };
    // With checksums of the library's, and of the program's.
    for checksums in ["0", "1"] {
        let [first, second] = ports();
        let mut command = on(Library::Ours, &programs[0]);
        let said = talk(command.args([&first, &second, checksums]), "");
        let received: u64 = said
            .lines()
            .filter(|line| line.contains("MSG RCV: length") && line.contains("stream 1,"))
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
    // The first INIT of one is lost while the other starts: usrsctp sends the next after 3 s.
    let pause = Duration::from_secs(4);
    let here = "127.0.0.1";
    for (one, other) in PAIRS {
        let [first, second] = ports();
        let mut command = on(one, &programs[0]);
        command.args([here, &first, here, &second, "5000", "5001"]);
        let one = thread::spawn(move || talk_after(pause, &mut command, "from one\n"));
        let mut command = on(other, &programs[0]);
        command.args([here, &second, here, &first, "5001", "5000"]);
        let other = talk_after(pause, &mut command, "from the other\n");
        let one = one.join().unwrap();
        assert!(other.contains("Msg of length 9 received"), "{other}");
        assert!(one.contains("Msg of length 15 received"), "{one}");
    }
}
