//! A background server and its pid file.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Exit, Failure, While};
use crate::sys;

/// The environment variable that marks the background process.
const MARK: &str = "SHEAVE_PERF_DAEMON";
/// The line that the background process prints once it listens.
const READY: &str = "ready";

/// Whether this is the background process.
pub fn is_background() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Restarts this command in the background and waits until it listens.
/// Errors: the command cannot be started, or ends before it listens and has printed the reason.
pub fn start() -> Result<Exit, Failure> {
    let program = std::env::current_exe().while_doing("--daemon")?;
    let mut child = Command::new(program)
        .args(std::env::args_os().skip(1))
        .env(MARK, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .while_doing("--daemon")?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout)
            .read_line(&mut line)
            .while_doing("--daemon")?;
    }
    if line.trim_end() == READY {
        return Ok(Exit::Success);
    }
    let _ = child.wait();
    Err(Failure::new("the server in the background did not start"))
}

/// Detaches the background process from the terminal's session.
pub fn leave_session() {
    // Fails only for a session leader, which has no terminal to leave.
    let _ = rustix::process::setsid();
}

/// Signals that the background process listens, and closes its output.
pub fn tell_ready() {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{READY}").and_then(|()| out.flush());
    drop(out);
    sys::close_standard_streams();
}

/// A pid file, removed at the end.
pub struct PidFile {
    path: PathBuf,
}

impl PidFile {
    /// Writes the file.
    pub fn write(path: PathBuf) -> Result<Self, Failure> {
        let written = fs::write(&path, format!("{}\n", std::process::id()));
        written.while_doing(format!("--pidfile {}", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
