//! usrsctp's own example programs.

use std::net::UdpSocket;
use std::panic::resume_unwind;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use sheave_interop::tests;

use crate::installed::{Library, on};
use crate::running::{
    Input, PAIRS, Running, STEP, WHILE, by_lines, found, ports, read, start, talk, wait_for_server,
    wait_until,
};

/// The pairs whose client is on this library. usrsctp 0.9.5 frees a socket that a callback closes
/// while `usrsctp_connect` still waits on it, as it may where the server ends at once: its client
/// may then wait for ever.
const CALLS_OF_OURS: [(Library, Library); 2] = [PAIRS[0], PAIRS[2]];

/// Runs a server, and the client at its SCTP port with its input; what each client printed.
fn with_client(
    pairs: &[(Library, Library)],
    [server, client]: [&str; 2],
    port: &str,
    input: Input,
) -> Vec<String> {
    let Some(programs) = found(&[server, client]) else {
        return Vec::new();
    };
    let talks = pairs.iter().map(|&(serving, calling)| {
        let [theirs, ours] = ports();
        let _server = start(on(serving, &programs[0]).args([&theirs, &ours]), &theirs);
        let mut command = on(calling, &programs[1]);
        talk(
            command.args(["127.0.0.1", port, "0", &ours, &theirs]),
            input,
        )
    });
    talks.collect()
}

/// Asserts that each client prints all these words.
fn prints(server: &str, client: &str, port: &str, input: Input, words: &[&str]) {
    for said in with_client(&PAIRS, [server, client], port, input) {
        for word in words {
            assert!(said.contains(word), "{server}: no {word} in {said}");
        }
    }
}

/// Asserts that each client prints a day of the week, and this word.
fn prints_a_day_and(word: &str, server: &str) {
    let days = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    for said in with_client(&CALLS_OF_OURS, [server, "client"], "13", Input::Nothing) {
        assert!(days.iter().any(|day| said.contains(day)), "{said}");
        assert!(said.contains(word), "{said}");
    }
}

const UNTIL_ECHOED: Input = Input::Line(WHILE, "what is said\n", "what is said");
const UNTIL_UP: Input = Input::Line(WHILE, "what is said\n", "SCTP_COMM_UP");
const ENDED: &str = "SCTP_SHUTDOWN_COMP";
const CHARACTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

tests! {
    the_echo_server_echoes_a_line =>
        prints("echo_server", "client", "7", UNTIL_ECHOED, &["what is said", "SCTP_COMM_UP"]);
    the_discard_server_hears_the_client_out =>
        prints("discard_server", "client", "9", UNTIL_UP, &[ENDED]);
    the_daytime_server_tells_the_time => prints_a_day_and(ENDED, "daytime_server");
    upcalls_serve_the_echo_client => prints(
        "echo_server_upcall", "client_upcall", "7", Input::Nothing,
        &["socket connected", "Client finished"]
    );
    upcalls_hear_a_client_out => prints("discard_server_upcall", "client", "9", UNTIL_UP, &[ENDED]);
    upcalls_tell_a_client_the_time => prints_a_day_and("", "daytime_server_upcall");
    upcalls_send_a_client_characters_until_it_leaves => prints(
        "chargen_server_upcall", "client", "19", Input::Nothing, &[CHARACTERS, ENDED]
    );
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

tests! {
    tsctp_counts_every_message => tsctp("tsctp", "Sending of 3000 messages");
    tsctp_of_upcalls_counts_every_message => tsctp("tsctp_upcall", "Finished");
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

tests! {
    connections_that_the_program_carries_transfer_twenty_megabytes => loops("ekr_loop");
    connections_that_the_program_carries_transfer_as_much_by_upcalls => loops("ekr_loop_upcall");
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
