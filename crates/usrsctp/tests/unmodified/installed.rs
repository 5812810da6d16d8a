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
    if let Some(found) = unpacked(&place) {
        return Ok(found);
    }
    const MISSING: &str = "Debian's source package libusrsctp cannot be fetched";
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .ok_or(MISSING)?;
    fs::create_dir_all(place.join("lists/partial")).unwrap();
    let list = place.join("sources.list");
    let entry = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
                 http://deb.debian.org/debian";
    fs::write(&list, format!("{entry} {codename} main\n")).unwrap();
    let apt = |words: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.current_dir(&place).args(words);
        apt.args([
            "-o",
            "Acquire::Retries=2",
            "-o",
            "Acquire::http::Timeout=20",
        ]);
        apt.arg("-o")
            .arg(format!("Dir::Etc::sourcelist={}", list.display()));
        apt.arg("-o").arg("Dir::Etc::sourceparts=-");
        let lists = place.join("lists");
        apt.arg("-o")
            .arg(format!("Dir::State::lists={}", lists.display()));
        apt.arg("-o").arg(format!("Dir::Cache={}", place.display()));
        succeeds(&mut apt)
    };
    if !apt(&["update"]) || !apt(&["source", "--download-only", "libusrsctp"]) {
        return Err(MISSING);
    }
    let archive = fs::read_dir(&place)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.to_string_lossy().contains(".orig.tar."))
        .ok_or(MISSING)?;
    run(Command::new("tar")
        .arg("xf")
        .arg(archive)
        .arg("-C")
        .arg(&place));
    unpacked(&place).ok_or(MISSING)
}

fn unpacked(place: &Path) -> Option<PathBuf> {
    fs::read_dir(place)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join("programs")))
        .find(|path| path.join("programs_helper.c").exists())
}
