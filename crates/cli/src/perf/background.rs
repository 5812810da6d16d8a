//! A server in the background, and the file that says which process it is.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Exit, Failure, While};
use crate::sys;

/// Tells the process that it is the one in the background.
const MARK: &str = "SHEAVE_PERF_DAEMON";
/// The line that it prints when it listens.
const READY: &str = "ready";

/// Whether this process is the one in the background.
pub fn is_background() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Starts this command again in the background and waits until it listens.
///
/// # Errors
/// It cannot be started, or ends before it listens; why, it has said itself.
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

/// The process in the background leaves the terminal's session.
pub fn leave_session() {
    // It fails only for the leader of a session, which has no terminal to leave.
    let _ = rustix::process::setsid();
}

/// The process in the background listens: whoever started it may go, and nobody reads what it says.
pub fn tell_ready() {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{READY}").and_then(|()| out.flush());
    drop(out);
    sys::close_standard_streams();
}

/// A file with the number of this process, removed at its end.
pub struct PidFile {
    path: PathBuf,
}

impl PidFile {
    /// Writes the file.
    ///
    /// # Errors
    /// What the system says.
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
