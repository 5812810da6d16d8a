use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::net::UdpSocket;
use std::process::{Child as Process, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Says on the terminal, past the test harness's capture, that a test did not run and why.
pub fn skip(why: &str) {
    let test = thread::current().name().unwrap_or("a test").to_owned();
    // A closed standard error is no reason for a test to fail.
    let _ = writeln!(std::io::stderr(), "{test}: skipped: {why}");
}

/// A UDP port that nobody uses now.
pub(crate) fn free_udp_port() -> u16 {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("there is a free UDP port");
    socket.local_addr().expect("it is bound").port()
}

/// A program that runs beside a test and ends with it.
pub struct Child {
    process: Process,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Child {
    /// Starts a program; its standard input stays open as long as this value.
    pub fn start(command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let output = process.stdout.take().expect("standard output is a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            process,
            lines,
            seen: Vec::new(),
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Writes a line to its standard input.
    pub fn tell(&mut self, line: &str) {
        let input = self.process.stdin.as_mut();
        let input = input.expect("standard input is a pipe");
        if let Err(error) = writeln!(input, "{line}") {
            let said: Vec<String> = self.lines.try_iter().collect();
            panic!("the program reads no `{line}` ({error}); it said {said:?}");
        }
    }

    /// Waits for a line that begins so and returns it.
    pub fn line(&mut self, beginning: &str, limit: Duration) -> String {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with(beginning) => return line,
                Ok(line) => self.seen.push(line),
                Err(error) => panic!("no line `{beginning}` ({error}); before: {:?}", self.seen),
            }
        }
    }

    /// Waits for a line that begins in one of these ways and returns it.
    pub fn line_of(&mut self, beginnings: &[&str], limit: Duration) -> String {
        let deadline = Instant::now() + limit;
        let is_one = |line: &String| beginnings.iter().any(|begin| line.starts_with(begin));
        iter::from_fn(|| self.next_line(deadline))
            .find(is_one)
            .unwrap_or_else(|| panic!("no line like {beginnings:?}"))
    }

    /// The next line; `None` where none comes until then.
    pub fn next_line(&mut self, deadline: Instant) -> Option<String> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).ok()
    }

    /// Closes the program's standard input and waits until it ends, `limit` at most.
    pub fn hang_up(&mut self, limit: Duration) {
        drop(self.process.stdin.take());
        let deadline = Instant::now() + limit;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the program ends by itself and returns whether it succeeded.
    pub fn succeeds(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
                other => panic!("the program does not end: {other:?}"),
            }
        }
    }

    /// Tells the program to end, by its process id alone.
    pub fn interrupt(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both fail only where it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
