//! The two systems that run scripts: the kernel of a guest, and `sheave run`.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{free_port, text};
use crate::{SHEAVE, has};

/// The program that makes the calls of a script.
const CALLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/kernel/calls.c");
const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/kernel/run.sh");
/// Microseconds after each call: in the guest, packets arrive within it.
const GUEST_PAUSE: &str = "0";

/// Calls, one a line.
pub(crate) type Script = Vec<String>;
/// The calls of a script with their answers behind them.
pub(crate) type Answers = Vec<String>;

/// Both systems, and the folder in which they meet.
pub(crate) struct Machines {
    folder: tempfile::TempDir,
    guest: Guest,
    program: PathBuf,
    batches: usize,
}

/// A guest kernel, which ends with its input.
struct Guest {
    process: Child,
    input: PathBuf,
    output: PathBuf,
}

/// Time that programs get before the next call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    Quick,
    /// For what differs otherwise: whether it still does.
    Slow,
}

impl Pace {
    const fn micros(self) -> &'static str {
        match self {
            Self::Quick => "2000",
            Self::Slow => "30000",
        }
    }
}

impl Machines {
    /// Boots the guest; `None`, with a line that says so, where that is impossible.
    pub(crate) fn start() -> Option<Self> {
        if !has(&["cc", "sh"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = build(folder.path());
        let guest = Guest::boot(folder.path())?;
        Some(Self {
            folder,
            guest,
            program,
            batches: 0,
        })
    }

    /// The answers of both to some scripts: the kernel's first.
    pub(crate) fn answers(&mut self, scripts: &[Script], pace: Pace) -> Vec<(Answers, Answers)> {
        self.batches += 1;
        let number = self.batches;
        let file = self.folder.path().join(format!("scripts.{number}"));
        fs::write(&file, list(scripts)).unwrap();
        let ours = Asked::new(&self.program, &file, pace, &[], "");
        let theirs = self.guest.shell(&format!(
            "calls scripts {GUEST_PAUSE} < /shared/scripts.{number} > /shared/answers.{number}"
        ));
        assert!(theirs, "the guest ran into an error");
        let answers = self.folder.path().join(format!("answers.{number}"));
        let theirs = fs::read(&answers).unwrap();
        let _ = fs::remove_file(answers);
        let _ = fs::remove_file(file);
        // A script that runs into an error in both would tell nothing.
        let theirs = text(&theirs);
        assert!(!theirs.contains("*** 0xb"), "{theirs}");
        let ours = ours.wait();
        let both = split(&theirs).into_iter().zip(split(&ours));
        let both: Vec<_> = both.collect();
        assert_eq!(both.len(), scripts.len(), "{ours}");
        both
    }
}

/// A program that runs scripts.
pub(super) struct Asked(Child);

impl Asked {
    /// Starts it with further flags of `sheave run`, and with ways to make the calls.
    pub(super) fn new(
        program: &Path,
        scripts: &Path,
        pace: Pace,
        flags: &[&str],
        ways: &str,
    ) -> Self {
        let udp = free_port();
        let mut command = Command::new(SHEAVE);
        command.args(["run", "--udp", &udp, "--encap-port", &udp]);
        command
            .args(["--profile", "linux", "--linger", "10ms"])
            .args(["--set", "net.sctp.prsctp_enable=1"])
            .args(["--set", "net.sctp.ecn_enable=1"])
            .args(["-X", "127.0.0.1,127.0.0.2,::1"])
            .args(flags)
            .arg("--")
            .arg(program)
            .args(["scripts", pace.micros(), ways])
            .stdin(fs::File::open(scripts).unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    pub(super) fn wait(mut self) -> String {
        let mut out = String::new();
        let mut stdout = self.0.stdout.take().unwrap();
        let _ = stdout.read_to_string(&mut out);
        let rest = self.0.wait_with_output().unwrap();
        assert!(rest.status.success(), "{out}{}", text(&rest.stderr));
        out
    }
}

/// Builds the program that makes the calls of a script.
pub(super) fn build(folder: &Path) -> PathBuf {
    let program = folder.join("calls");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(CALLS);
    assert!(cc.status().unwrap().success());
    program
}

/// The input of that program.
pub(super) fn list(scripts: &[Script]) -> String {
    let mut list = String::new();
    for (at, script) in scripts.iter().enumerate() {
        for line in script {
            let _ = writeln!(list, "{line}");
        }
        let _ = writeln!(list, "=== {at}");
    }
    list
}

/// The answers to each script.
pub(super) fn split(all: &str) -> Vec<Answers> {
    let mut found = Vec::new();
    let mut lines = Vec::new();
    for line in all.lines() {
        if line.starts_with("=== ") {
            found.push(std::mem::take(&mut lines));
        } else {
            lines.push(line.to_owned());
        }
    }
    found
}

impl Guest {
    fn boot(folder: &Path) -> Option<Self> {
        let mut command = Command::new(MACHINE);
        command
            .args(["sh", "-c"])
            .arg("echo \"$SHEAVE_PEER_INPUT $SHEAVE_PEER_OUTPUT\"; cat > /dev/null")
            .env("SHEAVE_PEER_BOUND", "36000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut first = String::new();
        let mut byte = [0];
        let mut stdout = process.stdout.take().unwrap();
        while stdout.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            first.push(byte[0].into());
        }
        let Some((input, output)) = first.split_once(' ').filter(|_| first.starts_with('/')) else {
            eprintln!("{first}");
            let _ = process.wait();
            return None;
        };
        let mut guest = Self {
            process,
            input: input.into(),
            output: output.into(),
        };
        // Messages are cut as over UDP on a link of 1500 bytes.
        let prepared = guest.shell(&format!(
            "killall peer; mkdir -p /shared && mount -t hostfs none /shared -o {} && \
             ip addr flush dev eth0 && ip addr flush dev eth1 && ip link set lo mtu 1492 && \
             ip addr add 127.0.0.2/8 dev lo && \
             cd /proc/sys/net/sctp && echo 0 > udp_port && echo 1 > intl_enable",
            folder.display()
        ));
        assert!(prepared, "{}", fs::read_to_string(&guest.output).unwrap());
        Some(guest)
    }

    /// Runs a command in the guest; whether it succeeded.
    fn shell(&mut self, command: &str) -> bool {
        let before = self.outcomes().len();
        let mut input = fs::OpenOptions::new()
            .write(true)
            .open(&self.input)
            .unwrap();
        writeln!(input, "{command}").unwrap();
        let began = Instant::now();
        loop {
            let outcomes = self.outcomes();
            if let Some(outcome) = outcomes.get(before) {
                return outcome == "0";
            }
            assert!(
                began.elapsed() < Duration::from_secs(300),
                "the guest does not answer"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The exit status of each command so far.
    fn outcomes(&self) -> Vec<String> {
        let all = fs::read(&self.output).unwrap_or_default();
        let lines = text(&all);
        let found = lines.lines().filter_map(|line| line.strip_prefix("=== "));
        found.map(|word| word.trim().to_owned()).collect()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // It ends at the end of its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
