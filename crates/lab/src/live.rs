//! Processes that take part in a live run: the laboratory's own program, started again.
//!
//! A study whose runs need real sockets starts its parts with [`Process::part`] and talks to them
//! in lines of JSON; in the part, [`Study::take_part`](crate::Study::take_part) talks back over
//! [`Parent`]. A part ends with its parent, however that ends: its standard input closes then.

mod clock;
mod cost;
mod crossing;
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
pub(crate) use lateness::{LATE_MAX, Watch, on_time, on_time_throughout};
pub(crate) use namespaces::{FAR, NEAR, Namespaces};
pub(crate) use processors::all_programs;
use serde_json::{Value, json};
pub(crate) use stage::UNFIT;
pub use stage::{Right, Segmentation, Stage, carried};
pub(crate) use tcp::{tcp_listener, tcp_socket, tcp_stream, text};

use crate::find;

/// Time that a part gets to end by itself once it is asked to.
const FAREWELL: Duration = Duration::from_secs(10);

/// The command that starts the laboratory's own program, where that is not this executable.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how the laboratory's own program is started where it is not this executable, such as a module
/// of an interpreter. It gets the words `lab part STUDY PART`, for [`take_part`]. Only the first call
/// counts.
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

/// The child's side of a live run: all that it says is JSON.
///
/// # Errors
/// There is no such study, the part is no JSON, or the study's own error; the parent has been told.
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
        // A parent that is gone needs to hear nothing.
        let _ = parent.tell(&json!({ "error": error }));
    })
}

/// A process that takes part in a live run. Dropping it ends it.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    /// `None` once it is closed, which ends the part.
    input: Option<ChildStdin>,
    lines: Receiver<Result<Value, String>>,
}

impl Process {
    /// Starts the laboratory's program ([`set_program`]) as a part of a study's run: its
    /// [`take_part`](crate::Study::take_part) gets `part`.
    ///
    /// # Errors
    /// What the system says.
    pub fn part(study: &str, part: &Value) -> Result<Self, String> {
        Self::part_within(&[], study, part)
    }

    /// Starts a part like [`part`](Self::part), by way of a command such as `["unshare", "--net"]`
    /// that goes on as the command that follows it.
    ///
    /// # Errors
    /// The system's message.
    pub fn part_within(prefix: &[&str], study: &str, part: &Value) -> Result<Self, String> {
        let mut words = prefix.iter().map(OsString::from).chain(program()?);
        let first = words.next().unwrap_or_default();
        let mut command = Command::new(first);
        command.args(words);
        command.args(["lab", "part", study]).arg(part.to_string());
        Self::start(command)
    }

    /// Starts any command that writes JSON, a value a line, and ends when its standard input does.
    /// What it writes to standard error goes where ours does.
    ///
    /// # Errors
    /// What the system says.
    pub fn start(mut command: Command) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for the laboratory, which lets the run come to its end.
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
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says something to it.
    ///
    /// # Errors
    /// It has ended.
    pub fn tell(&mut self, value: &Value) -> Result<(), String> {
        let told = match &mut self.input {
            Some(input) => write_line(input, value),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        told.map_err(|error| format!("cannot tell {}: {error}", self.name))
    }

    /// The next thing that it says.
    ///
    /// # Errors
    /// It says nothing within `patience`, ends without a word, says what is no JSON, or names an
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

    /// The port at which it waits, which it says as `{"port": …}`.
    pub(crate) fn hear_port(&mut self, patience: Duration) -> Result<u16, String> {
        let heard = self.hear(patience)?;
        let port = heard["port"].as_u64().and_then(|port| port.try_into().ok());
        port.ok_or_else(|| format!("{} names no port: {heard}", self.name))
    }

    /// Closes its standard input, and waits until it has ended; what has not ended after 10 s is
    /// killed.
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
        // One that has ended already is none the worse for it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The parent of a part, as the part talks to it.
#[derive(Debug)]
pub struct Parent {
    lines: Receiver<Result<Value, String>>,
}

impl Parent {
    /// Takes standard input; this process ends when it does.
    #[must_use]
    pub fn of_this() -> Self {
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in io::stdin().lines() {
                // What nobody waits for any more does no harm.
                let _ = sender.send(parse(line));
            }
            process::exit(0);
        });
        Self { lines }
    }

    /// Says something.
    ///
    /// # Errors
    /// The parent is gone.
    pub fn tell(&self, value: &Value) -> Result<(), String> {
        let told = write_line(&mut io::stdout().lock(), value);
        told.map_err(|error| format!("cannot tell the parent: {error}"))
    }

    /// The next thing that the parent says.
    ///
    /// # Errors
    /// It says nothing within `patience`, or what is no JSON.
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
