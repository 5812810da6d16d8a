use std::env;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::Child;

/// How long it may take to start.
const START: Duration = Duration::from_secs(10);

/// Builds and runs the peer made of libusrsctp (`interop/usrsctp`).
#[derive(Clone, Debug)]
pub struct Usrsctp {
    program: PathBuf,
    /// The UDP port that it uses.
    pub udp_port: u16,
}

impl Usrsctp {
    /// Builds the peer once per process and gives it a free UDP port.
    ///
    /// # Errors
    /// What is missing on this machine.
    ///
    /// # Panics
    /// The peer does not compile although its library is there.
    pub fn build() -> Result<Self, &'static str> {
        static PROGRAM: OnceLock<Result<PathBuf, &'static str>> = OnceLock::new();
        let program = PROGRAM.get_or_init(compile).clone()?;
        Ok(Self {
            program,
            udp_port: free_udp_port(),
        })
    }

    /// Starts it as a server, `role` is `echo` or `sink`.
    #[must_use]
    pub fn serve(&self, role: &str, port: u16) -> Child {
        self.serve_with(role, port, "")
    }

    /// As [`serve`](Self::serve), with options.
    #[must_use]
    pub fn serve_with(&self, role: &str, port: u16, rest: &str) -> Child {
        let words = format!("{role} {} {port} {rest}", self.udp_port);
        let mut child = Child::start(Command::new(&self.program).args(words.split_whitespace()));
        child.line("ready", START);
        child
    }

    /// Starts it as a client of our SCTP `port` at `udp_port`; `role` is `ping` or `send`.
    #[must_use]
    pub fn call(&self, role: &str, udp_port: u16, port: u16, rest: &str) -> Child {
        let words = format!("{role} {} {udp_port} {port} {rest}", self.udp_port);
        Child::start(Command::new(&self.program).args(words.split_whitespace()))
    }
}

fn compile() -> Result<PathBuf, &'static str> {
    if !Path::new("/usr/include/usrsctp.h").exists() {
        return Err("no usrsctp.h (Debian: libusrsctp-dev)");
    }
    if Command::new("cc").arg("--version").output().is_err() {
        return Err("no C compiler `cc`");
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../usrsctp/peer.c");
    let program = env::current_exe()
        .expect("a test has a file")
        .with_file_name("usrsctp-peer");
    let built = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &source])
        .args(["-lusrsctp", "-lpthread"])
        .status();
    assert!(
        built.is_ok_and(|status| status.success()),
        "{} does not compile",
        source.display()
    );
    Ok(program)
}

fn free_udp_port() -> u16 {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("there is a free UDP port");
    socket.local_addr().expect("it is bound").port()
}
