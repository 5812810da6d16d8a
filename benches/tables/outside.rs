use std::env;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use clap::ValueEnum;

use crate::Lane;

/// A rival that runs as a separate program: it transfers messages over an association in its own
/// memory and reports the CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Outside {
    /// The installed libusrsctp, the stack of FreeBSD and older browsers
    Usrsctp,
    /// pion, a stack in Go
    Pion,
    /// dcsctp without logging packets as text, if built by `benches/quiet-dcsctp`
    QuietDcsctp,
}

/// Cost of a transfer.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// CPU time of both ends.
    pub seconds: f64,
    /// Packets that carried the messages.
    pub packets: u64,
}

/// A running rival program, waiting for work.
pub struct Program {
    child: Child,
    /// Standard input for orders; closed to end the program.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Outside {
    /// The rival programs, in table order.
    pub const ALL: [Self; 3] = [Self::QuietDcsctp, Self::Usrsctp, Self::Pion];

    /// Builds the program if needed, and starts it.
    ///
    /// # Errors
    /// The reason why the program cannot be built or started.
    pub fn start(self) -> Result<Program, String> {
        let command = match self {
            Self::Usrsctp => Command::new(compile_usrsctp()?),
            Self::Pion => Command::new(compile_pion()?),
            Self::QuietDcsctp => quiet_dcsctp()?,
        };
        Program::start(command).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Usrsctp => "usrsctp",
            Self::Pion => "pion",
            Self::QuietDcsctp => "dcsctp, quiet",
        })
    }
}

impl Program {
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(orders), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a process without pipes"));
        };
        Ok(Self {
            child,
            orders: Some(orders),
            answers: BufReader::new(answers),
        })
    }

    /// Transfers `count` messages of `size` bytes.
    ///
    /// # Errors
    /// The program ended or gave a malformed answer.
    pub fn transfer(&mut self, lane: Lane, size: usize, count: u64) -> io::Result<Cost> {
        if let Some(orders) = &mut self.orders {
            writeln!(orders, "{size} {count} {lane}")?;
            orders.flush()?;
        }
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let (seconds, packets) = (words.next(), words.next());
        let cost = seconds
            .zip(packets)
            .and_then(|(seconds, packets)| Some((seconds.parse().ok()?, packets.parse().ok()?)));
        let (seconds, packets) =
            cost.ok_or_else(|| io::Error::other(format!("a rival's answer is {line:?}")))?;
        Ok(Cost { seconds, packets })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.orders = None;
        // The program exits when its input closes; its exit status does not affect the figures.
        let _ = self.child.wait();
    }
}

/// The repository's root.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Path of a program built beside this one.
fn beside_us(name: &str) -> Result<PathBuf, String> {
    let ourselves = env::current_exe().map_err(|error| error.to_string())?;
    Ok(ourselves.with_file_name(name))
}

fn compile_usrsctp() -> Result<PathBuf, String> {
    if !Path::new("/usr/include/usrsctp.h").exists() {
        return Err("no usrsctp.h (Debian: libusrsctp-dev)".into());
    }
    let program = beside_us("usrsctp-in-memory")?;
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", "-o"])
        .args([&program, &root().join("benches/outside/usrsctp.c")])
        .arg("-lusrsctp");
    succeed(&mut compiler, "no C compiler `cc`")?;
    Ok(program)
}

fn compile_pion() -> Result<PathBuf, String> {
    let program = beside_us("pion-in-memory")?;
    let mut go = Command::new("go");
    go.arg("build")
        .arg("-o")
        .args([&program, Path::new("./memory")])
        .current_dir(root().join("interop/pion"));
    succeed(&mut go, "no Go (Debian: golang-go)")?;
    Ok(program)
}

fn quiet_dcsctp() -> Result<Command, String> {
    let program = root().join("target/quiet-dcsctp/tables");
    if !program.exists() {
        return Err("not built: run benches/quiet-dcsctp once".into());
    }
    let mut command = Command::new(program);
    command.args(["--serve", "--stack", "dcsctp"]);
    Ok(command)
}

fn succeed(command: &mut Command, missing: &str) -> Result<(), String> {
    match command.output() {
        Err(_) => Err(missing.into()),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}
