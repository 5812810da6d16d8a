//! Programs among usrsctp's own examples: started, spoken to, and heard.

use std::fs;
use std::io::{Read, Write};
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sheave_interop::skip;

use crate::installed::{Library, example};

/// Each end on this library, and one end on usrsctp's.
pub(crate) const PAIRS: [(Library, Library); 3] = [
    (Library::Ours, Library::Ours),
    (Library::Ours, Library::Usrsctp),
    (Library::Usrsctp, Library::Ours),
];
/// Time that a program gets, on a machine that stands still now and then.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Time that a server gets to listen once it has bound its UDP port.
const START: Duration = Duration::from_millis(700);

/// Time before a program is told something.
pub(crate) const WHILE: Duration = Duration::from_secs(1);
/// Time between two looks at whether something is so.
pub(crate) const STEP: Duration = Duration::from_millis(20);

pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two UDP ports that nobody uses now.
pub(crate) fn ports() -> [String; 2] {
    let sockets = [(); 2].map(|()| UdpSocket::bind("0.0.0.0:0").unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().port().to_string())
}

/// Starts a server that binds that UDP port.
pub(crate) fn start(command: &mut Command, port: &str) -> Running {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(quiet.stdin(Stdio::null()).spawn().unwrap());
    wait_for_server(port);
    running
}

/// Waits until somebody listens at that UDP port.
pub(crate) fn wait_for_server(port: &str) {
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
pub(crate) fn wait_until(is_so: impl Fn() -> bool) -> bool {
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
pub(crate) enum Input {
    /// Nothing, which ends after two seconds.
    Nothing,
    /// A line after a while, and the end once the program has printed this.
    Line(Duration, &'static str, &'static str),
}

/// Runs a program to its end; what it printed.
pub(crate) fn talk(command: &mut Command, input: Input) -> String {
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
pub(crate) fn by_lines(command: &Command) -> Command {
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
pub(crate) fn read(
    mut from: impl Read + Send + 'static,
    into: &Arc<Mutex<Vec<u8>>>,
) -> JoinHandle<()> {
    let into = Arc::clone(into);
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            into.lock().unwrap().extend(&bytes[..count]);
        }
    })
}

pub(crate) fn found(names: &[&str]) -> Option<Vec<PathBuf>> {
    let programs: Result<Vec<PathBuf>, _> = names.iter().map(|name| example(name)).collect();
    programs.map_err(skip).ok()
}
