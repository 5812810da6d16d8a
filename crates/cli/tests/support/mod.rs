//! The real program, started and stopped by tests, each with UDP ports of its own.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::ops::Range;
use std::path::Path;
use std::process::{self, Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Nothing here takes longer, on a machine that stands still now and then.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Ports below those that the kernel gives to sockets that name none: one that is free now is taken by
/// nobody else before the program binds it.
const PORTS: Range<u32> = 16_384..32_768;

/// A UDP port that is free on 127.0.0.1 and 127.0.0.2, another one with each call.
pub(crate) fn free_port() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    loop {
        // Processes that run side by side begin in different places.
        let start = process::id().wrapping_mul(97);
        let number = start.wrapping_add(CALLS.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + number % (PORTS.end - PORTS.start);
        let port = u16::try_from(port).unwrap();
        let is_free = |ip| UdpSocket::bind((ip, port)).is_ok();
        if is_free("127.0.0.1") && is_free("127.0.0.2") {
            return port.to_string();
        }
    }
}

/// Words of a command line: a text, which is split at spaces, or a list.
pub(crate) trait Words {
    fn words(&self) -> Vec<String>;
}

impl Words for str {
    fn words(&self) -> Vec<String> {
        self.split_whitespace().map(str::to_owned).collect()
    }
}

impl Words for String {
    fn words(&self) -> Vec<String> {
        self.as_str().words()
    }
}

impl<S: AsRef<str>> Words for [S] {
    fn words(&self) -> Vec<String> {
        self.iter().map(|word| word.as_ref().to_owned()).collect()
    }
}

impl<S: AsRef<str>> Words for Vec<S> {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl<S: AsRef<str>, const N: usize> Words for [S; N] {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

pub(crate) fn sheave(args: &(impl Words + ?Sized)) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sheave"));
    command.args(args.words()).stdin(Stdio::null());
    command
}

/// Runs the program, which must succeed.
pub(crate) fn succeed(args: &(impl Words + ?Sized)) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs the program, which must end with this code and name this on standard error.
pub(crate) fn fail(args: &(impl Words + ?Sized), code: i32, named: &str) -> String {
    let output = run(args);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(errors.contains(named), "{named}: {errors}");
    errors
}

/// JSON values, a line each.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Runs the program to its end; ends it by force if it takes too long.
pub(crate) fn run(args: &(impl Words + ?Sized)) -> Output {
    let mut command = sheave(args);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id();
    let (done, is_done) = mpsc::channel::<()>();
    let guard = thread::spawn(move || {
        if is_done.recv_timeout(PATIENCE).is_err() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    });
    let output = child.wait_with_output().unwrap();
    let _ = done.send(());
    guard.join().unwrap();
    output
}

/// A capture in the format of pcap: frames of a link type, a millisecond apart, each with its length on the
/// network.
pub(crate) fn pcap<'a>(
    link_type: u32,
    frames: impl IntoIterator<Item = (&'a [u8], usize)>,
) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, link_type] {
        out.extend(word.to_le_bytes());
    }
    for (number, (frame, len)) in (0_u32..).zip(frames) {
        let lengths = [frame.len(), len].map(|len| u32::try_from(len).unwrap());
        for word in [1_700_000_000, number * 1000, lengths[0], lengths[1]] {
            out.extend(word.to_le_bytes());
        }
        out.extend(frame);
    }
    out
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A program that runs beside the test and prints JSON lines; killed when dropped.
pub(crate) struct Background {
    child: Child,
    lines: Receiver<Value>,
}

impl Background {
    pub(crate) fn start(args: &(impl Words + ?Sized)) -> Self {
        Self::spawn(sheave(args))
    }

    /// Starts a program that becomes `sheave` with these arguments.
    pub(crate) fn start_in(mut wrapper: Command, args: &(impl Words + ?Sized)) -> Self {
        wrapper.arg(env!("CARGO_BIN_EXE_sheave")).args(args.words());
        wrapper.stdin(Stdio::null());
        Self::spawn(wrapper)
    }

    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (to_test, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Ok(value) = serde_json::from_str(&line)
                    && to_test.send(value).is_err()
                {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Waits for the event that `wanted` likes.
    pub(crate) fn await_line(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let line = self
                .lines
                .recv_timeout(rest)
                .expect("the event did not come");
            if wanted(&line) {
                return line;
            }
        }
    }

    /// Starts a server, and waits until it listens.
    pub(crate) fn listening(args: &(impl Words + ?Sized)) -> Self {
        let server = Self::start(args);
        server.await_event("listening");
        server
    }

    pub(crate) fn await_event(&self, event: &str) -> Value {
        self.await_line(|line| line["event"] == event)
    }

    /// Kills it with SIGKILL, like `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([name, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// The exit code, `None` if a signal ended it.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end");
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes `len` bytes of which no two blocks are the same.
pub(crate) fn write_noise(path: &Path, len: usize) {
    let mut state = len as u64 + 1;
    let mut noise = Vec::with_capacity(len + 4096);
    let block: Vec<u8> = (0..4088_u32).map(|at| (at * at).to_le_bytes()[1]).collect();
    while noise.len() < len {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        noise.extend(state.to_be_bytes());
        noise.extend(&block);
    }
    noise.truncate(len);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, noise).unwrap();
}
