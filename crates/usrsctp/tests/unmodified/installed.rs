//! The installed library, and programs of others.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, fs};

/// The library behind a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Ours,
    Usrsctp,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The folder of the library, installed by the command that users have.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // One that was built before.
        if let Some(built) = env::var_os("SHEAVE_USRSCTP_LIBRARY") {
            return built.into();
        }
        let prefix = folder("usrsctp");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.args(["run", "--quiet", "--locked", "--package", "xtask", "--"]);
        run(cargo.args(["usrsctp", "--debug", "--prefix"]).arg(&prefix));
        prefix.join("lib")
    })
}

/// A command that finds that library.
pub(crate) fn on(library: Library, program: &Path) -> Command {
    let mut command = Command::new(program);
    match library {
        Library::Ours => command.env("LD_LIBRARY_PATH", self::library()),
        Library::Usrsctp => command.env_remove("LD_LIBRARY_PATH"),
    };
    command
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether programs of usrsctp can be built here.
pub(crate) fn header() -> Result<(), &'static str> {
    if !Path::new("/usr/include/usrsctp.h").exists() {
        return Err("no usrsctp.h (Debian: libusrsctp-dev)");
    }
    match succeeds(Command::new("cc").arg("--version")) {
        true => Ok(()),
        false => Err("no C compiler `cc`"),
    }
}

/// One of usrsctp's own programs, from the sources of its Debian package, compiled once.
pub(crate) fn example(name: &str) -> Result<PathBuf, &'static str> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    header()?;
    let sources = sources()?;
    let program = folder("usrsctp-programs").join(name);
    if program.exists() {
        return Ok(program);
    }
    fs::create_dir_all(folder("usrsctp-programs")).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-w", "-O1", "-o"]).arg(&program);
    cc.arg(sources.join(format!("{name}.c")));
    cc.arg(sources.join("programs_helper.c"));
    run(cc.args(["-lusrsctp", "-lpthread"]));
    Ok(program)
}

/// A program of ours in C against usrsctp's header.
pub(crate) fn compiled(name: &str) -> Result<PathBuf, &'static str> {
    header()?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/unmodified/{name}.c"));
    let program = folder(name);
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o"]);
    run(cc
        .arg(&program)
        .arg(source)
        .args(["-lusrsctp", "-lpthread"]));
    Ok(program)
}

/// The folder of usrsctp's programs: Debian's source package, fetched once.
fn sources() -> Result<PathBuf, &'static str> {
    let place = folder("usrsctp-source");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/source.sh");
    run(Command::new(script).arg("libusrsctp").arg(&place));
    unpacked(&place).ok_or("Debian's source package libusrsctp cannot be fetched")
}

fn unpacked(place: &Path) -> Option<PathBuf> {
    fs::read_dir(place)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join("programs")))
        .find(|path| path.join("programs_helper.c").exists())
}
