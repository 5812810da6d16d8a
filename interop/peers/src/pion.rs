use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::Child;
use crate::child::free_udp_port;

/// How long it may take to start.
const START: Duration = Duration::from_secs(10);

/// Builds and runs the peer made of pion, a stack in Go (`interop/pion`).
#[derive(Clone, Debug)]
pub struct Pion {
    program: PathBuf,
    /// The UDP port that it uses.
    pub udp_port: u16,
}

impl Pion {
    /// Its SCTP port.
    pub const PORT: u16 = 5000;

    /// Builds the peer once per process and gives it a free UDP port.
    ///
    /// # Errors
    /// What is missing on this machine.
    ///
    /// # Panics
    /// The peer does not compile although its modules are there.
    pub fn build() -> Result<Self, &'static str> {
        static PROGRAM: OnceLock<Result<PathBuf, &'static str>> = OnceLock::new();
        let program = PROGRAM.get_or_init(compile).clone()?;
        Ok(Self {
            program,
            udp_port: free_udp_port(),
        })
    }

    /// Starts it as a server of one association; `role` is `echo` or `sink`.
    #[must_use]
    pub fn serve(&self, role: &str, options: &str) -> Child {
        let words = format!("{role} {} {options}", self.udp_port);
        let mut child = Child::start(Command::new(&self.program).args(words.split_whitespace()));
        child.line("ready", START);
        child
    }

    /// Starts it as a client of our SCTP port [`PORT`](Self::PORT) at `udp_port`; `role` is `ping` or
    /// `send`.
    #[must_use]
    pub fn call(&self, role: &str, udp_port: u16, rest: &str) -> Child {
        let words = format!("{role} {} {udp_port} {rest}", self.udp_port);
        Child::start(Command::new(&self.program).args(words.split_whitespace()))
    }
}

fn compile() -> Result<PathBuf, &'static str> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pion");
    let go = |words: &[&str]| Command::new("go").args(words).current_dir(&source).status();
    let Ok(downloaded) = go(&["mod", "download"]) else {
        return Err("no Go (Debian: golang-go)");
    };
    if !downloaded.success() {
        return Err("Go's modules cannot be fetched");
    }
    let program = env::current_exe()
        .expect("a test has a file")
        .with_file_name("pion-peer");
    let built = go(&["build", "-o", &program.to_string_lossy(), "."]);
    assert!(
        built.is_ok_and(|status| status.success()),
        "{} does not compile",
        source.display()
    );
    Ok(program)
}
