//! A test child that installs a seccomp listener and waits, to check what a host may do with a
//! program.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use rustix::process::{Pid, PidfdFlags, WaitOptions};

use super::memory::{self, MemoryAccess};
use super::{outcome, seccomp};

/// Results of the checks.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) listener: io::Result<()>,
    pub(crate) memory: io::Result<MemoryAccess>,
    pub(crate) descriptors: io::Result<()>,
}

/// Pipe ends of the child.
#[derive(Clone, Copy)]
struct ChildEnds {
    /// Receives the listener's error code as one byte, 0 for success.
    report: libc::c_int,
    /// The child exits at the end of this file.
    leash: libc::c_int,
    /// The parent's end of the leash, which the child must close.
    parent: libc::c_int,
}

/// Creates a child and runs all checks on it.
///
/// # Errors
/// The child cannot be created.
pub(crate) fn carry_out() -> io::Result<Trial> {
    let (mut reports, report) = io::pipe()?;
    let (leash, parent) = io::pipe()?;
    let ends = ChildEnds {
        report: report.as_raw_fd(),
        leash: leash.as_raw_fd(),
        parent: parent.as_raw_fd(),
    };
    // SAFETY: the child makes system calls alone before it ends; it touches no lock and no memory
    // but its stack.
    let process = outcome(unsafe { libc::fork() })?;
    if process == 0 {
        run_child(ends);
    }
    drop(report);
    let mut code = [0];
    let listener = match reports.read(&mut code) {
        Ok(1) if code == [0] => Ok(()),
        Ok(1) => Err(io::Error::from_raw_os_error(code[0].into())),
        // A filter around this process has killed the child.
        Ok(_) => Err(io::Error::from_raw_os_error(libc::EPERM)),
        Err(error) => Err(error),
    };
    let trial = Trial {
        listener,
        memory: memory::access(process.unsigned_abs()),
        descriptors: copy_of(process, ends.leash),
    };
    drop(parent);
    let _ = rustix::process::waitpid(Pid::from_raw(process), WaitOptions::empty());
    Ok(trial)
}

/// Tries to copy a descriptor of the child.
fn copy_of(process: libc::pid_t, number: libc::c_int) -> io::Result<()> {
    let process = Pid::from_raw(process).ok_or(io::ErrorKind::NotFound)?;
    let handle = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
    let copy = seccomp::descriptor_of(std::os::fd::AsFd::as_fd(&handle), number);
    copy.map(drop).map_err(io::Error::from_raw_os_error)
}

/// Installs a listener, reports the result, waits for the parent and exits.
fn run_child(ends: ChildEnds) -> ! {
    let report = [u8::try_from(take_listener()).unwrap_or(u8::MAX)];
    // SAFETY: closes the child's copy, which nothing in the child uses.
    unsafe { libc::close(ends.parent) };
    // SAFETY: `report` is live and has one byte.
    unsafe { libc::write(ends.report, report.as_ptr().cast(), 1) };
    let mut byte = [0_u8];
    // SAFETY: `byte` is live, writable, and has one byte.
    unsafe { libc::read(ends.leash, byte.as_mut_ptr().cast(), 1) };
    // SAFETY: ends the child alone, without running what the parent registered for its own end.
    unsafe { libc::_exit(0) }
}

/// Installs a filter that allows every call, with a listener; returns the error code, or 0.
fn take_listener() -> libc::c_int {
    let mut allow = [libc::sock_filter {
        code: u16::try_from(libc::BPF_RET | libc::BPF_K).unwrap_or(6),
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_ALLOW,
    }];
    let filter = libc::sock_fprog {
        len: 1,
        filter: allow.as_mut_ptr(),
    };
    // SAFETY: the call takes no pointer.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: the filter is live and its length is right; the kernel copies it.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const filter,
        )
    };
    match libc::c_int::try_from(listener) {
        Ok(fd) if fd >= 0 => {
            // SAFETY: the descriptor was just made, and nobody else has it.
            drop(unsafe { OwnedFd::from_raw_fd(fd) });
            0
        }
        _ => super::code(&io::Error::last_os_error()),
    }
}
