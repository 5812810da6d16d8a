//! The library as programs in C have it: installed, linked, and run.

#[path = "c/installed.rs"]
mod installed;

use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use installed::{Linked, example, has, prefix, run};
use sheave::{Config, Endpoint, Message, Options, StreamId, Target};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const LONG: Duration = Duration::from_secs(60);

/// Ends the program that a failed test leaves behind.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The echo server, and its UDP port.
fn echo_server(peers: &str) -> (Program, String) {
    let mut command = Command::new(example("echo_server", Linked::Shared));
    let child = command.args(["0", "5001", peers]).stdout(Stdio::piped());
    let mut program = Program(child.spawn().unwrap());
    let mut line = String::new();
    let output = program.0.stdout.as_mut().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let port = line.trim().strip_prefix("UDP port ").unwrap().to_owned();
    (program, port)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_message_crosses_with_its_stream_and_ppid() {
    for linked in [Linked::Shared, Linked::Static] {
        let output = run(&mut Command::new(example("hello", linked)));
        assert_eq!(text(&output), "hello on stream 3, ppid 46\n");
    }
}

#[test]
fn several_associations_are_served_by_one_thread_at_each_end() {
    let (mut server, port) = echo_server("5");
    let mut client = Command::new(example("client", Linked::Shared));
    let output = run(client.args(["127.0.0.1", &port, "5001", "5", "40"]));
    assert_eq!(text(&output), "200 echoes\n");
    assert!(server.0.wait().unwrap().success());
}

#[test]
fn a_failover_is_told_in_events() {
    let output = text(&run(&mut Command::new(example("failover", Linked::Shared))));
    let lines: Vec<&str> = output.lines().collect();
    let place = |line: &str| {
        let found = lines.iter().position(|candidate| *candidate == line);
        found.unwrap_or_else(|| panic!("no line {line:?}:\n{output}"))
    };
    let established = place("established");
    let down = place("path to 127.0.0.3: down");
    let up = place("path to 127.0.0.3: up");
    assert!(established < down && down < up, "{output}");
    assert_eq!(
        lines
            .iter()
            .filter(|line| **line == "received: still here")
            .count(),
        2
    );
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("to 127.0.0.3: not active")),
        "{output}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("to 127.0.0.4: active")),
        "{output}"
    );
}

#[test]
fn keys_change_and_messages_tell_where_they_came_from() {
    let output = run(&mut Command::new(example("keys", Linked::Shared)));
    let expected = "hello from 127.0.0.1, number 0 of stream 2\n\
                    hello from 127.0.0.1, number 1 of stream 2\n\
                    the peer sends with key 7\n\
                    rto_min = 300 ms\n";
    assert_eq!(text(&output), expected);
}

#[cfg(feature = "secure")]
#[test]
fn an_association_is_protected_by_certificates_or_refused_with_the_reason() {
    use std::path::Path;
    let ends = ["one", "other"].map(|name| {
        let identity = sheave::secure::Identity::generate([name]).unwrap();
        let file = |end| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{end}"));
        let files = ["pem", "key"].map(file);
        for (file, text) in files.iter().zip(identity.to_pem().unwrap()) {
            std::fs::write(file, text).unwrap();
        }
        (files, format!("fingerprint={}", identity.fingerprint()))
    });
    let [(one, one_print), (other, other_print)] = ends;
    let program = example("protected", Linked::Shared);
    for (client_trusts, expected) in [(&other_print, "hello, protected\n"), (&one_print, "")] {
        let mut command = Command::new(&program);
        command
            .args(&one)
            .arg(client_trusts)
            .args(&other)
            .arg(&one_print);
        let output = command.output().unwrap();
        assert_eq!(text(&output), expected);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            told.contains("none of the authorities that are trusted"),
            expected.is_empty(),
            "{told}"
        );
    }
}

#[test]
fn a_client_in_c_speaks_to_a_server_in_rust() {
    // Built before the server begins to wait: the first build of the library can take longer.
    let mut client = Command::new(example("client", Linked::Shared));
    let endpoint = Endpoint::bind(Config::udp([HERE], 0)).unwrap();
    let listener = endpoint.listen(5001, Options::default()).unwrap();
    let port = endpoint.udp_port().unwrap().to_string();
    let serving = thread::spawn(move || {
        let peers: Vec<_> = (0..2)
            .map(|_| listener.accept_timeout(LONG).unwrap())
            .collect();
        let echoes = peers.into_iter().map(|peer| {
            thread::spawn(move || {
                let mut echoes = 0;
                while let Ok(Some(received)) = peer.receive() {
                    peer.send(received.message).unwrap();
                    echoes += 1;
                }
                echoes
            })
        });
        let echoes: Vec<_> = echoes.collect();
        echoes
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum::<usize>()
    });
    let output = run(client.args(["127.0.0.1", &port, "5001", "2", "25"]));
    assert_eq!(text(&output), "50 echoes\n");
    assert_eq!(serving.join().unwrap(), 50);
}

#[test]
fn a_client_in_rust_speaks_to_a_server_in_c() {
    let (mut server, port) = echo_server("1");
    let endpoint = Endpoint::bind(Config::udp([HERE], 0)).unwrap();
    let target = Target::over_udp([HERE], port.parse().unwrap(), 5001);
    let association = endpoint.connect_timeout(target, LONG).unwrap();
    for size in [1, 1000, 100_000] {
        let message = Message::new(StreamId(2), vec![5; size]);
        association.send(message.clone()).unwrap();
        let echo = association.receive_timeout(LONG).unwrap().unwrap();
        assert_eq!(echo.message, message);
    }
    association.shutdown_timeout(LONG).unwrap();
    assert!(server.0.wait().unwrap().success());
}

#[test]
fn an_exchange_has_no_error_under_valgrind() {
    if !has("valgrind") {
        eprintln!("skipped: no valgrind");
        return;
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=1", "--leak-check=full"]);
    valgrind.arg("--errors-for-leak-kinds=definite");
    let output = run(valgrind.arg(example("hello", Linked::Shared)));
    assert_eq!(text(&output), "hello on stream 3, ppid 46\n");
}

#[test]
fn the_shared_library_shows_its_functions_and_nothing_else() {
    if !has("nm") {
        eprintln!("skipped: no nm");
        return;
    }
    let library = prefix().join("lib/libsheave.so");
    let mut nm = Command::new("nm");
    let output = text(&run(nm.args(["-D", "--defined-only"]).arg(library)));
    let mut shown: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    shown.retain(|name| *name != "SHEAVE_0.1");
    let header = include_str!("../include/sheave.h");
    let mut declared: Vec<String> = header
        .lines()
        .filter(|line| !line.starts_with([' ', '*', '/']))
        .filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("sheave_"))
        .map(|name| format!("{name}@@SHEAVE_0.1"))
        .collect();
    declared.sort_unstable();
    shown.sort_unstable();
    assert!(declared.len() > 40, "{declared:?}");
    assert_eq!(shown, declared, "left: the library, right: the header");
}

#[test]
fn a_program_in_cpp_can_include_the_header() {
    if !has("c++") {
        eprintln!("skipped: no c++");
        return;
    }
    let header = prefix().join("include/sheave.h");
    let mut compiler = Command::new("c++");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"]);
    run(compiler.arg(header));
}

#[test]
fn pkg_config_knows_the_library() {
    if !has("pkg-config") {
        eprintln!("skipped: no pkg-config");
        return;
    }
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"));
    let output = run(command.args(["--cflags", "--libs", "sheave"]));
    let flags = text(&output);
    let include = prefix().join("include");
    assert!(
        flags.contains(&format!("-I{}", include.display())),
        "{flags}"
    );
    assert!(flags.contains("-lsheave"), "{flags}");
}

#[test]
fn the_examples_are_short() {
    for name in ["hello", "echo_server", "client", "failover", "keys"] {
        let path = installed::source(name);
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 80, "{}: {lines} lines", path.display());
    }
}
