//! The program that carries out scripts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::installed::{self, Library, run};
use crate::known;
use crate::outcome::{Outcome, Step};
use crate::script::Script;

const SOURCES: [&str; 5] = ["play.c", "option.c", "network.c", "show.c", "draw.c"];

/// The program, compiled with usrsctp's header.
pub(crate) struct Program(PathBuf);

/// The first step of a script in which the libraries differ; none of this library's where its program ended
/// before.
#[derive(Debug)]
#[expect(dead_code, reason = "it is printed")]
pub(crate) struct Finding {
    usrsctps: Option<Step>,
    ours: Option<Step>,
}

impl Program {
    pub(crate) fn compile() -> Result<Self, &'static str> {
        static PROGRAM: OnceLock<Result<PathBuf, &'static str>> = OnceLock::new();
        PROGRAM.get_or_init(Self::build).clone().map(Self)
    }

    fn build() -> Result<PathBuf, &'static str> {
        compile("usrsctp-search", "tests/search", &SOURCES)
    }

    /// The same where usrsctp's library is there to compare with.
    pub(crate) fn beside_usrsctp(self) -> Result<Self, &'static str> {
        let places = ["x86_64", "aarch64"]
            .map(|machine| format!("/usr/lib/{machine}-linux-gnu/libusrsctp.so.2"));
        match places.iter().any(|place| Path::new(place).exists()) {
            true => Ok(self),
            false => Err("no libusrsctp.so.2 of usrsctp's (Debian: libusrsctp2)"),
        }
    }

    /// The text of a script drawn from a seed.
    pub(crate) fn draw(&self, seed: u64) -> String {
        let output = run(Command::new(&self.0).arg("-s").arg(seed.to_string()));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn command(&self, library: Library) -> Command {
        installed::on(library, &self.0)
    }

    /// Starts the program and hands it a script.
    pub(crate) fn start(command: &mut Command, script: &Script) -> Child {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // A program that has ended reads no more.
        let _ = input.write_all(script.to_string().as_bytes());
        child
    }

    /// Carries out a script.
    pub(crate) fn outcome(&self, library: Library, script: &Script) -> Outcome {
        let mut command = self.command(library);
        let child = Self::start(command.stderr(Stdio::null()), script);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        Outcome::parse(&text, output.status.success())
    }

    /// The first difference that is not known.
    pub(crate) fn compare(&self, script: &Script) -> Option<Finding> {
        let ours = self.outcome(Library::Ours, script);
        if let Some(fault) = ours.fault() {
            return Some(Finding {
                usrsctps: None,
                ours: Some(fault.clone()),
            });
        }
        let usrsctps = self.outcome(Library::Usrsctp, script);
        for (theirs, own) in usrsctps.steps.iter().zip(&ours.steps) {
            if theirs == own {
                continue;
            }
            match known::difference(theirs, own) {
                Some(known::Then::GoesOn) => {}
                Some(known::Then::Ends) => return None,
                None => {
                    return Some(Finding {
                        usrsctps: Some(theirs.clone()),
                        ours: Some(own.clone()),
                    });
                }
            }
        }
        // A script on which usrsctp's own library dies shows nothing more.
        let missing = ours.steps.len() < usrsctps.steps.len();
        missing.then(|| Finding {
            usrsctps: usrsctps.steps.get(ours.steps.len()).cloned(),
            ours: None,
        })
    }
}

/// A program in C, compiled with usrsctp's header.
pub(crate) fn compile(name: &str, folder: &str, sources: &[&str]) -> Result<PathBuf, &'static str> {
    installed::header()?;
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o"]);
    cc.arg(&program);
    cc.args(sources.iter().map(|source| folder.join(source)));
    run(cc.args(["-lusrsctp", "-lpthread"]));
    Ok(program)
}
