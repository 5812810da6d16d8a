//! Network namespaces, and parts of this program in them.

use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{self, Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use sheave::Association;

use crate::pair::LONG;

/// The task of a part, in its environment.
const PART: &str = "SHEAVE_TEST_PART";

/// The UDP port of all ends.
pub(crate) const UDP_PORT: u16 = 9899;

/// Namespaces that end with the test.
pub(crate) struct Namespaces {
    prefix: String,
    ends: &'static [&'static str],
}

impl Namespaces {
    /// Namespaces named by `ends`, and their network, which `join` makes; `None` where that cannot be.
    pub(crate) fn new(
        test: &str,
        ends: &'static [&'static str],
        join: impl FnOnce(&Self) -> bool,
    ) -> Option<Self> {
        let prefix = format!("s{}{test}", process::id());
        let made = Self { prefix, ends };
        let added = ends
            .iter()
            .all(|end| ip(&["netns", "add", &made.name(end)]));
        if !added || !join(&made) {
            eprintln!("skipped: no right to make network namespaces and veth devices");
            return None;
        }
        Some(made)
    }

    fn name(&self, end: &str) -> String {
        format!("{}{end}", self.prefix)
    }

    /// Runs `ip` in a namespace; whether it could.
    pub(crate) fn ip(&self, end: &str, args: &[&str]) -> bool {
        ip(&[&["-n", &self.name(end)], args].concat())
    }

    /// Joins two namespaces by a link, given as the name and the namespace of each device.
    pub(crate) fn veth(&self, [device, end]: [&str; 2], [peer, beyond]: [&str; 2]) -> bool {
        let beyond = self.name(beyond);
        let args = ["link", "add", device, "type", "veth"];
        self.ip(
            end,
            &[&args[..], &["peer", "name", peer, "netns", &beyond]].concat(),
        )
    }

    /// Runs a script in a namespace; whether it could.
    pub(crate) fn shell(&self, end: &str, script: &str) -> bool {
        ip(&["netns", "exec", &self.name(end), "sh", "-c", script])
    }

    /// A command to be run in a namespace.
    pub(crate) fn command(&self, end: &str, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(end)]);
        command.arg(program);
        command
    }

    /// The test `name` of this program, in one of the namespaces, with a task of several words.
    pub(crate) fn part(&self, end: &str, name: &str, task: &str) -> Command {
        let mut command = self.command(end, env::current_exe().expect("a test has a file"));
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        command.env(PART, task).stdout(Stdio::piped());
        command
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for end in self.ends {
            ip(&["netns", "del", &self.name(end)]);
        }
    }
}

fn ip(args: &[&str]) -> bool {
    let quiet = Command::new("ip").args(args).stderr(Stdio::null()).status();
    match quiet {
        Ok(status) => status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("ip: {error}"),
    }
}

/// The task of this part, if it is one.
pub(crate) fn task() -> Option<Vec<String>> {
    let words = env::var(PART).ok()?;
    Some(words.split(' ').map(str::to_owned).collect())
}

/// A part that ends with the test.
pub(crate) struct Part(pub(crate) Child);

impl Part {
    pub(crate) fn spawn(mut command: Command) -> Self {
        Self(command.spawn().expect("a part"))
    }

    /// Waits until the part says that it is ready; returns what it says from then on.
    pub(crate) fn ready(&mut self) -> io::Lines<BufReader<ChildStdout>> {
        let mut lines = BufReader::new(self.0.stdout.take().expect("a pipe")).lines();
        let is_ready = |line: io::Result<String>| line.is_ok_and(|line| line.ends_with("ready"));
        assert!(lines.any(is_ready), "the part is not ready");
        lines
    }

    pub(crate) fn succeeds(&mut self) -> bool {
        self.0.wait().expect("a part").success()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the peer has acknowledged all that was sent.
pub(crate) fn wait_until_sent(association: &Association) {
    let deadline = Instant::now() + LONG;
    while association
        .stats()
        .is_some_and(|stats| stats.send_buffered > 0)
    {
        assert!(Instant::now() < deadline, "something stays unsent");
        thread::sleep(Duration::from_millis(10));
    }
}
