//! Child processes of a live run, which execute the laboratory's own program.
//!
//! A study with runs over real sockets starts its parts with [`Process::part`] and exchanges lines
//! of JSON with them; the part replies from [`Study::take_part`](crate::Study::take_part) over
//! [`Parent`]. A part ends when its standard input closes, and thus with its parent.

mod clock;
mod cost;
mod crossing;
mod ends;
mod lateness;
mod namespaces;
mod processors;
mod stage;
mod tcp;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{env, process, thread};

pub(crate) use clock::{STAMP, clock, stamp, stamped};
pub use cost::{Cost, Counted, Meter, cpu_time};
pub(crate) use crossing::{cross, with_report};
pub(crate) use ends::{call, say, serve};
pub(crate) use lateness::{LATE_MAX, Watch, on_time, on_time_throughout};
pub(crate) use namespaces::{FAR, NEAR, Namespaces};
pub(crate) use processors::all_programs;
use serde_json::{Value, json};
pub(crate) use stage::UNFIT;
pub use stage::{Right, Segmentation, Stage, carried};
pub(crate) use tcp::{tcp_accept, tcp_listener, tcp_socket, tcp_stream, text};

use crate::find;

/// Time that a part has to exit after its input is closed, before it is killed.
const FAREWELL: Duration = Duration::from_secs(10);

/// The command that starts the laboratory's program, if it is not this executable.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the command that starts the laboratory's program if it is not this executable, such as a
/// module of an interpreter. The words `lab part STUDY PART` are appended, for [`take_part`]. Only
/// the first call has an effect.
pub fn set_program(command: Vec<OsString>) {
    let _ = PROGRAM.set(command);
}

fn program() -> Result<Vec<OsString>, String> {
    if let Some(command) = PROGRAM.get() {
        return Ok(command.clone());
    }
    let own = env::current_exe();
    let own = own.map_err(|error| format!("cannot find this executable: {error}"))?;
    Ok(vec![own.into_os_string()])
}

/// Runs the child's side of a live run; its output is lines of JSON.
///
/// # Errors
/// The study is unknown, the part is invalid JSON, or the study failed. The error is also
/// sent to the parent.
pub fn take_part(study: &str, part: &str) -> Result<(), String> {
    let parent = Parent::of_this();
    let taken = find(study)
        .ok_or_else(|| format!("there is no study {study}"))
        .and_then(|study| {
            let part = serde_json::from_str(part);
            let part = part.map_err(|error| format!("cannot read the part: {error}"))?;
            study.take_part(&part, &parent)
        });
    taken.inspect_err(|error| {
        // The parent may be gone, and then needs no error.
        let _ = parent.tell(&json!({ "error": error }));
    })
}

/// A child process of a live run. Dropping it kills the process.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    /// `None` once closed, which ends the part.
    input: Option<ChildStdin>,
    lines: Receiver<Result<Value, String>>,
}

impl Process {
    /// Starts the laboratory's program ([`set_program`]) as a part of a study's run: its
    /// [`take_part`](crate::Study::take_part) receives `part`.
    pub fn part(study: &str, part: &Value) -> Result<Self, String> {
        Self::part_within(&[], study, part)
    }

    /// Starts a part like [`part`](Self::part) through a command such as `["unshare", "--net"]`,
    /// which must execute the words that follow it.
    pub fn part_within(prefix: &[&str], study: &str, part: &Value) -> Result<Self, String> {
        let mut words = prefix.iter().map(OsString::from).chain(program()?);
        let first = words.next().unwrap_or_default();
        let mut command = Command::new(first);
        command.args(words);
        command.args(["lab", "part", study]).arg(part.to_string());
        Self::start(command)
    }

    /// Starts a command that writes one JSON value per line and ends when its standard input
    /// closes. Its standard error is inherited.
    pub fn start(mut command: Command) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // In a process group of its own, since Ctrl-C should reach only the laboratory, which
        // finishes the run.
        command.process_group(0);
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot start {name}: {error}"))?;
        let input = child.stdin.take();
        let (sender, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines() {
                    if sender.send(parse(line)).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Self {
            name,
            child,
            input,
            lines,
        })
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a value to the process.
    pub fn tell(&mut self, value: &Value) -> Result<(), String> {
        let told = match &mut self.input {
            Some(input) => write_line(input, value),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        told.map_err(|error| format!("cannot tell {}: {error}", self.name))
    }

    /// Receives the next value from the process.
    ///
    /// # Errors
    /// The process is silent for `patience`, ends, writes invalid JSON, or reports an
    /// `error`.
    pub fn hear(&mut self, patience: Duration) -> Result<Value, String> {
        match self.lines.recv_timeout(patience) {
            Ok(Ok(value)) => match value.get("error").and_then(Value::as_str) {
                Some(error) => Err(error.to_owned()),
                None => Ok(value),
            },
            Ok(Err(error)) => Err(format!("{}: {error}", self.name)),
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "{} said nothing for {} s",
                self.name,
                patience.as_secs_f64()
            )),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().map(|status| status.to_string());
                let status = status.unwrap_or_else(|error| error.to_string());
                Err(format!("{} ended early ({status})", self.name))
            }
        }
    }

    /// Receives the port on which the process listens, sent as `{"port": …}`.
    pub(crate) fn hear_port(&mut self, patience: Duration) -> Result<u16, String> {
        let heard = self.hear(patience)?;
        let port = heard["port"].as_u64().and_then(|port| port.try_into().ok());
        port.ok_or_else(|| format!("{} names no port: {heard}", self.name))
    }

    /// Closes the process's standard input and waits for it to end; kills it after 10 s.
    pub fn end(mut self) {
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already; then this fails, harmlessly.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The part's connection to its parent.
#[derive(Debug)]
pub struct Parent {
    lines: Receiver<Result<Value, String>>,
}

impl Parent {
    /// Takes standard input; when the input closes, this process exits.
    #[must_use]
    pub fn of_this() -> Self {
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in io::stdin().lines() {
                // The receiver may be gone.
                let _ = sender.send(parse(line));
            }
            process::exit(0);
        });
        Self { lines }
    }

    /// Sends a value to the parent.
    pub fn tell(&self, value: &Value) -> Result<(), String> {
        let told = write_line(&mut io::stdout().lock(), value);
        told.map_err(|error| format!("cannot tell the parent: {error}"))
    }

    /// Receives the next value from the parent.
    ///
    /// # Errors
    /// The parent is silent for `patience`, or sends invalid JSON.
    pub fn hear(&self, patience: Duration) -> Result<Value, String> {
        let heard = self.lines.recv_timeout(patience);
        heard.map_err(|_| "the parent says nothing".to_owned())?
    }
}

fn parse(line: io::Result<String>) -> Result<Value, String> {
    let line = line.map_err(|error| error.to_string())?;
    serde_json::from_str(&line).map_err(|_| format!("no JSON: {line}"))
}

fn write_line(to: &mut impl Write, value: &Value) -> io::Result<()> {
    to.write_all(format!("{value}\n").as_bytes())?;
    to.flush()
}

#[cfg(test)]
mod tests;
