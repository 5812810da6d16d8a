//! `sheave run` with the programs that people have.
#![cfg(target_os = "linux")]

/// Ends a test where a program is not installed.
macro_rules! needs {
    ($($program:expr),+) => {
        if !has(&[$($program),+]) {
            return;
        }
    };
}

/// Makes a test of each call.
macro_rules! tests {
    ($($name:ident => $call:expr;)*) => {$(
        #[test]
        fn $name() {
            $call;
        }
    )*};
}

mod containers;
mod differences;
mod endings;
mod go;
mod gvisor;
mod hostile;
mod hosts;
mod kernel;
mod languages;
mod libsctp;
mod limits;
mod namespaces;
mod preload;
mod python;
#[path = "../support/mod.rs"]
mod support;
mod telecom;
mod tools;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use support::{free_port, text};

/// Nothing here takes longer, on a machine that stands still now and then.
const PATIENCE: Duration = Duration::from_secs(180);

const SHEAVE: &str = env!("CARGO_BIN_EXE_sheave");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run");
const ECHO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/echo.py");
const HOSTILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/hostile.py");
const OPTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/options.py");
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
            .process_group(0)
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
            .recv_timeout(PATIENCE)
            .expect("the program is not ready");
    }

    fn runs(&mut self) -> bool {
        self.0.as_mut().is_some_and(is_running)
    }

    /// The process.
    fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    fn finish(mut self) -> Output {
        // The whole group: a program that outlives `sheave run` keeps the pipes open.
        let group = format!("-{}", self.id());
        let child = self.0.take().unwrap();
        let (done, is_done) = mpsc::channel::<()>();
        let guard = thread::spawn(move || {
            if is_done.recv_timeout(PATIENCE).is_err() {
                let _ = Command::new("kill").args(["-9", "--", &group]).status();
            }
        });
        let output = child.wait_with_output().unwrap();
        let _ = done.send(());
        guard.join().unwrap();
        output
    }

    /// The output of a program that must succeed.
    fn succeed(self) -> String {
        let output = self.finish();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{}: {out}{err}", output.status);
        out
    }
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_none())
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // The program goes with its host.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let began = Instant::now();
            while is_running(child) {
                if began.elapsed() > Duration::from_secs(10) {
                    let _ = child.kill();
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// Names the door that all programs use which choose none.
const DOOR: &str = "SHEAVE_TEST_DOOR";

/// The flags that choose the door of a program, unless these do.
fn door(flags: &[&str]) -> Vec<String> {
    match std::env::var(DOOR) {
        Ok(door) if !flags.contains(&"--door") => vec!["--door".to_owned(), door],
        _ => Vec::new(),
    }
}

/// `sheave run` on loopback with these flags.
fn run(udp: &str, flags: &[&str], program: &[&str]) -> Command {
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", udp, "--encap-port", udp]);
    command
        .args(["-X", "127.0.0.1"])
        .args(door(flags))
        .args(flags)
        .arg("--")
        .args(program);
    command
}

/// A script of the shell under a host, in a folder, where the calls of its programs are written to a file.
///
/// The script has `listened N`, which waits until programs have begun to listen so many times.
fn script(host: &Command, folder: &Path, script: &str) -> Command {
    const LISTENED: &str = "listened() { \
        until [ \"$(grep -c '] listen(.* = 0$' trace)\" -ge $1 ]; do sleep 0.05; done; }; ";
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$@\" 2> trace", "sh"]);
    command.arg(host.get_program()).args(host.get_args());
    // Programs of a script that hangs would outlive their host.
    command.args(["timeout", "-s", "KILL", "170", "sh", "-c"]);
    command.arg(format!("{LISTENED}{script}"));
    command.current_dir(folder);
    command
}

/// The output of a script that must succeed, and the calls of its programs.
fn traced(host: &Command, folder: &Path, text: &str) -> (String, String) {
    let output = finish(script(host, folder, text));
    let out = self::text(&output.stdout);
    let calls = fs::read(folder.join("trace")).unwrap_or_default();
    let calls = self::text(&calls);
    assert!(output.status.success(), "{}: {out}{calls}", output.status);
    (out, calls)
}

fn finish(command: Command) -> Output {
    Guarded::start(command).finish()
}

/// The output of a program that must succeed.
fn output(command: Command) -> String {
    Guarded::start(command).succeed()
}

/// Builds a C program of this folder against libsctp; `None`, with a line that says so, where that
/// is impossible.
fn build_c(source: &str, into: &Path) -> Option<String> {
    if !has(&["cc"]) {
        return None;
    }
    if !Path::new("/usr/include/netinet/sctp.h").exists() {
        eprintln!("skipped: no netinet/sctp.h (Debian: libsctp-dev)");
        return None;
    }
    let program = into.join(source).with_extension("");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-O1", "-pthread"])
        .args(["-D_FORTIFY_SOURCE=2", "-o"])
        .arg(&program)
        .arg(Path::new(FOLDER).join(source))
        .arg("-lsctp");
    output(cc);
    Some(program.to_str().unwrap().to_owned())
}
