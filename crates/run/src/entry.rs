//! Starts a program together with its door to the host.

mod rights;

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::door::{Entrance, preload};
use crate::error::RunError;
use crate::filter::{self, Base, Closing};
use crate::process::Reach;
use crate::sys::signals::Signals;
use crate::sys::start::{self, StartError};
use crate::{DoorKind, Settings};

/// The preloaded library; empty if the build was allowed to omit it.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/preload.so"));
/// Lowest descriptor number for the life pipe, to leave low numbers to the program.
const HIGH: i32 = 900;

/// Whether this build includes the library.
pub(crate) fn has_library() -> bool {
    !LIBRARY.is_empty()
}

/// A started program.
#[derive(Debug)]
pub(crate) struct Entered {
    pub(crate) process: u32,
    pub(crate) entrance: Entrance,
    /// The smallest trapped descriptor number.
    pub(crate) base: Base,
    /// The library's file; programs can open it while this process runs.
    pub(crate) _library: Option<OwnedFd>,
}

/// Starts the configured program with the configured door.
pub(crate) fn start(
    settings: &Settings,
    signals: &Signals,
    base: Base,
    reach: Reach,
) -> Result<Entered, RunError> {
    let file = find_program(&settings.program);
    let file = file.ok_or_else(|| RunError::NotFound(settings.program.clone()))?;
    if rights::are_gained(&file) {
        eprintln!(
            "sheave: {} runs with more rights than its caller's, which it does not get here: start \
             `sheave run` with these rights where it needs them",
            file.display()
        );
    }
    let words = std::iter::once(&settings.program).chain(&settings.args);
    let args: Result<_, _> = words
        .map(|word| c_string(word.as_bytes().to_vec()))
        .collect();
    let program = start::Program {
        file: c_string(file.as_os_str().as_bytes().to_vec())?,
        args: args?,
        environment: environment(&[])?,
    };
    let refused = match settings.door {
        DoorKind::Preload => return with_library(program, signals, &file),
        DoorKind::Automatic | DoorKind::Listener => {
            match under_filter(&program, signals, base, reach, &file) {
                Err(error @ (RunError::Nested | RunError::Refused(_) | RunError::OldKernel(_))) => {
                    error
                }
                started => return started,
            }
        }
    };
    if settings.door == DoorKind::Listener {
        return Err(refused);
    }
    if !has_library() {
        eprintln!("sheave: {}", RunError::NoLibrary);
        return Err(refused);
    }
    eprintln!(
        "sheave: {refused}: a library is preloaded instead, which does not reach static programs \
         and those of Go"
    );
    with_library(program, signals, &file)
}

fn under_filter(
    program: &start::Program,
    signals: &Signals,
    base: Base,
    reach: Reach,
    file: &Path,
) -> Result<Entered, RunError> {
    check_kernel()?;
    let closing = match reach {
        Reach::Copies => Closing::Free,
        Reach::Names => Closing::Trapped,
    };
    let mut filter = filter::program(base, closing);
    let failed = |error| RunError::start(error, file);
    let started = start::start(program, Some(&mut filter), signals).map_err(failed)?;
    let listener = started
        .listener
        .ok_or_else(|| failed(StartError::Filter(libc::ENOSYS)))?;
    Ok(Entered {
        process: started.process,
        entrance: Entrance::Listener(listener),
        base,
        _library: None,
    })
}

fn with_library(
    mut program: start::Program,
    signals: &Signals,
    file: &Path,
) -> Result<Entered, RunError> {
    if !has_library() {
        return Err(RunError::NoLibrary);
    }
    if is_static(file) {
        eprintln!(
            "sheave: {} is linked statically: a preloaded library does not reach it, only programs \
             that it starts",
            file.display()
        );
    }
    let library = library_file().map_err(RunError::system("keep the library to preload"))?;
    let threshold = preload::open().map_err(RunError::system("open the channel for calls"))?;
    let life = high(&threshold.theirs).map_err(RunError::system("open the channel for calls"))?;
    let own = std::process::id();
    let mut preloaded = OsString::from(format!("/proc/{own}/fd/{}", library.as_raw_fd()));
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preloaded.push(":");
        preloaded.push(others);
    }
    let door = format!(
        "{}:{}:{}",
        life.as_raw_fd(),
        threshold.secret,
        threshold.name
    );
    let variable = preload::VARIABLE.to_str().unwrap_or_default();
    program.environment =
        environment(&[("LD_PRELOAD", preloaded), (variable, OsString::from(door))])?;
    let started = start::start(&program, None, signals);
    let started = started.map_err(|error| RunError::start(error, file))?;
    Ok(Entered {
        process: started.process,
        entrance: Entrance::Preload {
            arrivals: threshold.arrivals,
            life: threshold.life,
            secret: threshold.secret,
        },
        base: Base::LOW,
        _library: Some(library),
    })
}

/// The library as an anonymous file.
fn library_file() -> io::Result<OwnedFd> {
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    let file = rustix::fs::memfd_create("sheave-preload", flags)?;
    let mut left = LIBRARY;
    while !left.is_empty() {
        let written = rustix::io::write(&file, left)?;
        left = left.get(written..).unwrap_or_default();
    }
    Ok(file)
}

/// Duplicates a descriptor to a high number that programs inherit.
fn high(fd: &OwnedFd) -> io::Result<OwnedFd> {
    let copy = rustix::io::fcntl_dupfd_cloexec(fd, HIGH);
    // The file limit may be below `HIGH`.
    let copy = copy.or_else(|_| rustix::io::fcntl_dupfd_cloexec(fd, 0))?;
    rustix::io::fcntl_setfd(&copy, rustix::io::FdFlags::empty())?;
    Ok(copy)
}

fn c_string(bytes: Vec<u8>) -> Result<CString, RunError> {
    CString::new(bytes).map_err(|_| RunError::Nul)
}

/// The environment of this process with some variables replaced.
fn environment(set: &[(&str, OsString)]) -> Result<Vec<CString>, RunError> {
    let is_set = |name: &OsStr| set.iter().any(|(key, _)| name == *key);
    let kept = std::env::vars_os().filter(|(name, _)| !is_set(name));
    let set = set
        .iter()
        .map(|(name, value)| (OsString::from(name), value.clone()));
    let entry = |(name, value): (OsString, OsString)| {
        let mut entry = name.into_vec();
        entry.push(b'=');
        entry.extend(value.into_vec());
        c_string(entry)
    };
    kept.chain(set).map(entry).collect()
}

/// Searches `PATH` for a program, as a shell does.
fn find_program(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(program.into());
    }
    let is_executable = |path: &PathBuf| {
        let access = rustix::fs::Access::EXEC_OK;
        path.is_file() && rustix::fs::access(path, access).is_ok()
    };
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let mut files = std::env::split_paths(&path).map(|directory| directory.join(program));
    files.find(is_executable)
}

/// Whether the file is statically linked: a 64-bit ELF file without an interpreter segment.
fn is_static(file: &Path) -> bool {
    const INTERPRETER: u32 = 3;
    let mut bytes = Vec::new();
    let read = fs::File::open(file).and_then(|file| file.take(16 << 10).read_to_end(&mut bytes));
    let number = |at: usize, length: usize| -> Option<usize> {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        let digits = bytes.iter().rev();
        Some(digits.fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    if read.is_err() || !bytes.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let table = (number(32, 8), number(54, 2), number(56, 2));
    let (Some(at), Some(size), Some(count)) = table else {
        return false;
    };
    let kinds = (0..count).map(|index| number(at + index * size, 4));
    let mut kinds = kinds.map(|kind| kind.and_then(|kind| u32::try_from(kind).ok()));
    !kinds.any(|kind| kind.is_none_or(|kind| kind == INTERPRETER))
}

/// Requires Linux 5.14, the first with `SECCOMP_ADDFD_FLAG_SEND`.
pub(crate) fn check_kernel() -> Result<(), RunError> {
    let uname = rustix::system::uname();
    let release = uname.release().to_string_lossy().into_owned();
    let mut numbers = release
        .split(['.', '-'])
        .map_while(|part| part.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) < (5_u32, 14_u32) => {
            Err(RunError::OldKernel(release))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_is_told_from_other_files() {
        // Test binaries are dynamic unless built for musl.
        let own = std::env::current_exe().unwrap();
        assert_eq!(is_static(&own), cfg!(target_env = "musl"));
        assert!(!is_static(Path::new("/etc/passwd")));
        assert!(!is_static(Path::new("/no such file")));
    }

    #[test]
    fn the_library_is_carried_where_there_is_a_linker_for_it() {
        assert!(has_library());
    }
}
