use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::ValueEnum;
use sheave_measure::Program;

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

impl Outside {
    /// The rival programs, in table order.
    pub const ALL: [Self; 3] = [Self::QuietDcsctp, Self::Usrsctp, Self::Pion];

    /// Builds the program if needed, and starts it.
    /// Errors: the reason why the program cannot be built or started.
    pub fn start(self) -> Result<Program, String> {
        let mut command = match self {
            Self::Usrsctp => Command::new(compile_usrsctp()?),
            Self::Pion => Command::new(compile_pion()?),
            Self::QuietDcsctp => quiet_dcsctp()?,
        };
        Program::start(&mut command, Stdio::piped()).map_err(|error| error.to_string())
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

/// CPU-seconds of both ends and packets, for `count` messages of `size` bytes.
/// Errors: the program ended or gave a malformed answer.
pub fn transfer(
    program: &mut Program,
    lane: Lane,
    size: usize,
    count: u64,
) -> io::Result<(f64, u64)> {
    program.tell(&format!("{size} {count} {lane}"))?;
    let line = program.line(Duration::MAX)?;
    let mut words = line.split_whitespace();
    let (seconds, packets) = (words.next(), words.next());
    let cost = seconds
        .zip(packets)
        .and_then(|(seconds, packets)| Some((seconds.parse().ok()?, packets.parse().ok()?)));
    cost.ok_or_else(|| io::Error::other(format!("a rival's answer is {line:?}")))
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
