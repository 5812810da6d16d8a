use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::Child;
use crate::child::free_udp_port;

/// Time that the program gets to start.
const START: Duration = Duration::from_secs(60);

/// The file of a program, once it was built, or what this machine lacks for it.
type Made = Arc<OnceLock<Result<PathBuf, &'static str>>>;

/// A peer that is a program of its own and speaks SCTP over UDP.
#[derive(Clone, Debug)]
pub struct Program {
    file: PathBuf,
    /// The option of `nsenter` for the network that it runs in, unless that is ours.
    network: Option<String>,
    /// The folder of the library that it shall have instead of the system's.
    library: Option<PathBuf>,
    /// The UDP port that it uses.
    pub udp_port: u16,
}

impl Program {
    /// The program's SCTP port, and ours where it calls.
    pub const PORT: u16 = 5000;

    /// The one made of libusrsctp (`interop/usrsctp`).
    /// Errors: What is missing on this machine.
    pub fn usrsctp() -> Result<Self, &'static str> {
        Self::made("cc", "usrsctp")
    }

    /// The one made of pion, a stack in Go (`interop/pion`).
    /// Errors: What is missing on this machine.
    pub fn pion() -> Result<Self, &'static str> {
        Self::made("go", "pion")
    }

    /// The one with its sources in that folder of `interop`, built once per process by a C compiler, `cc`, with the
    /// library of the folder's name, or by `go`.
    /// Errors: What is missing on this machine.
    pub fn made(by: &str, folder: &str) -> Result<Self, &'static str> {
        static ALL: Mutex<BTreeMap<String, Made>> = Mutex::new(BTreeMap::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let made = Arc::clone(all.entry(folder.to_owned()).or_default());
        // The others may be made meanwhile.
        drop(all);
        let file = made.get_or_init(|| match by {
            "cc" => compile_c(folder),
            "go" => compile_go(folder),
            other => panic!("nothing is made by {other}"),
        });
        file.clone().map(Self::of)
    }

    /// The program in that file.
    pub(crate) fn of(file: PathBuf) -> Self {
        Self {
            file,
            network: None,
            library: None,
            udp_port: free_udp_port(),
        }
    }

    /// The same program in another network, for which this is the option of `nsenter`.
    pub(crate) fn within(self, network: String) -> Self {
        Self {
            network: Some(network),
            ..self
        }
    }

    /// The same program with the libraries of that folder in place of the system's, at another UDP port.
    pub fn with_library(self, folder: &Path) -> Self {
        Self {
            library: Some(folder.to_owned()),
            udp_port: free_udp_port(),
            ..self
        }
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Starts it as a server; `role` is `echo`, `sink` or, with size and number of its messages first among the
    /// options, `offer`.
    pub fn serve(&self, role: &str, options: &str) -> Child {
        let mut child = self.start(&format!("{role} {} {options}", self.udp_port));
        child.line("ready", START);
        child
    }

    /// Starts it as a client of our SCTP port [`PORT`](Self::PORT) at `udp_port`; the head of its
    /// source says what `role` and the rest may be.
    pub fn call(&self, role: &str, udp_port: u16, rest: &str) -> Child {
        self.start(&format!("{role} {} {udp_port} {rest}", self.udp_port))
    }

    fn start(&self, words: &str) -> Child {
        let mut command = match &self.network {
            None => Command::new(&self.file),
            Some(network) => {
                let mut command = Command::new("nsenter");
                command.arg(network).arg(&self.file);
                command
            }
        };
        if let Some(library) = &self.library {
            command.env("LD_LIBRARY_PATH", library);
        }
        Child::start(command.args(words.split_whitespace()))
    }
}

pub(crate) fn beside_us(name: &str) -> PathBuf {
    let ourselves = env::current_exe().expect("a test has a file");
    ourselves.with_file_name(name)
}

pub(crate) fn sources(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

pub(crate) fn must_compile(compiler: &mut Command) {
    let built = compiler.status();
    assert!(
        built.is_ok_and(|status| status.success()),
        "{compiler:?} fails"
    );
}

fn compile_c(folder: &str) -> Result<PathBuf, &'static str> {
    if !Path::new(&format!("/usr/include/{folder}.h")).exists() {
        return Err("no header of the library (for usrsctp Debian's libusrsctp-dev)");
    }
    if Command::new("cc").arg("--version").output().is_err() {
        return Err("no C compiler `cc`");
    }
    let program = beside_us(&format!("{folder}-peer"));
    must_compile(
        Command::new("cc")
            .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
            .args([&program, &sources(&format!("{folder}/peer.c"))])
            .args([&format!("-l{folder}"), "-lpthread"]),
    );
    Ok(program)
}

pub(crate) fn compile_go(folder: &str) -> Result<PathBuf, &'static str> {
    let go = || {
        let mut go = Command::new("go");
        go.current_dir(sources(folder));
        go
    };
    let Ok(downloaded) = go().args(["mod", "download"]).status() else {
        return Err("no Go (Debian: golang-go)");
    };
    if !downloaded.success() {
        return Err("Go's modules cannot be fetched");
    }
    let program = beside_us(&format!("{folder}-peer"));
    must_compile(go().args(["build", "-o"]).arg(&program).arg("."));
    Ok(program)
}
