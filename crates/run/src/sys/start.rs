//! Starts a program, under a seccomp filter if given.
//!
//! Until it executes the program, the child shares the host's memory (like `posix_spawn`) and
//! descriptor table. The filter's listener is therefore in the host at once; the child need not
//! send it by a call that its own filter would trap.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use super::signals::{self, Signals};
use super::{code, outcome};

/// Stack size of the child before it executes the program, bytes.
const STACK: usize = 64 << 10;

/// A running program and the listener of its filter, if any.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) process: u32,
    pub(crate) listener: Option<OwnedFd>,
}

/// The reason why a program could not be started.
#[derive(Debug)]
pub(crate) enum StartError {
    /// Creating the process failed.
    Process(io::Error),
    /// The kernel rejected the filter with this error code.
    Filter(i32),
    /// Executing the program failed with this error code.
    Execute(i32),
}

/// The program to execute: its file, arguments and environment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) file: CString,
    pub(crate) args: Vec<CString>,
    pub(crate) environment: Vec<CString>,
}

/// Memory that parent and child share.
struct Shared {
    file: *const libc::c_char,
    args: *const *const libc::c_char,
    environment: *const *const libc::c_char,
    filter: Option<libc::sock_fprog>,
    mask: libc::sigset_t,
    listener: libc::c_int,
    failed: Failed,
    code: libc::c_int,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failed {
    Nothing,
    Filter,
    Execute,
}

/// Starts `program`, under `filter` if there is one.
pub(crate) fn start(
    program: &Program,
    filter: Option<&mut [libc::sock_filter]>,
    signals: &Signals,
) -> Result<Started, StartError> {
    let args = pointers(&program.args);
    let environment = pointers(&program.environment);
    let mut shared = Shared {
        file: program.file.as_ptr(),
        args: args.as_ptr(),
        environment: environment.as_ptr(),
        filter: filter.map(|filter| libc::sock_fprog {
            len: u16::try_from(filter.len()).unwrap_or(u16::MAX),
            filter: filter.as_mut_ptr(),
        }),
        mask: signals.before(),
        listener: -1,
        failed: Failed::Nothing,
        code: 0,
    };
    let mut stack = vec![0_u8; STACK];
    // SAFETY: the end of the vector is one past its last byte; aligned down it lies within.
    let top = unsafe { stack.as_mut_ptr().add(STACK & !15) };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    // No handler of the host may run in the child, which shares its memory.
    let before = signals::change_mask(libc::SIG_SETMASK, &signals::every());
    let before = before.map_err(StartError::Process)?;
    // SAFETY: this thread stands still until the child has executed the program or ended, so that
    // what it shares stays as it is; the stack is the child's alone and large enough for `child`.
    let process =
        outcome(unsafe { libc::clone(child, top.cast(), flags, (&raw mut shared).cast()) });
    let _ = signals::change_mask(libc::SIG_SETMASK, &before);
    let process = process.map_err(StartError::Process)?;
    let listener = match shared.listener {
        -1 => None,
        // SAFETY: the child made it in the table that it shared, and nobody else has it.
        fd => Some(unsafe { OwnedFd::from_raw_fd(fd) }),
    };
    match shared.failed {
        Failed::Nothing => Ok(Started {
            process: process.unsigned_abs(),
            listener,
        }),
        Failed::Execute => Err(StartError::Execute(shared.code)),
        Failed::Filter => Err(StartError::Filter(shared.code)),
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    let pointers = strings.iter().map(|string| CStr::as_ptr(string));
    pointers.chain([std::ptr::null()]).collect()
}

/// Runs in the child on the host's memory, so only system calls: no allocation, no locks.
extern "C" fn child(shared: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the parent passes its `Shared`, which it does not touch before the child is done.
    let shared = unsafe { &mut *shared.cast::<Shared>() };
    // Rust programs ignore SIGPIPE, which children would inherit.
    // SAFETY: signal dispositions are the child's own.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    if let Some(filter) = &shared.filter {
        shared.listener = put_under(filter);
        if shared.listener < 0 {
            return fail(shared, Failed::Filter);
        }
    }
    // SAFETY: the set is live and only read.
    unsafe {
        libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const shared.mask,
            std::ptr::null_mut(),
        )
    };
    // SAFETY: the path is a C string, and both lists end in a null pointer.
    unsafe { libc::execve(shared.file, shared.args, shared.environment) };
    fail(shared, Failed::Execute)
}

/// Installs a filter on this process; returns the listener, or -1.
fn put_under(filter: &libc::sock_fprog) -> libc::c_int {
    // SAFETY: the call takes no pointer.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // With the second flag (Linux 5.19), only a fatal signal interrupts a call that the host has
    // received. Without the flag, the kernel could accept the answer to an interrupted call and
    // drop it together with a message.
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    for flags in [flags | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, flags] {
        // SAFETY: the filter is live, and its length is right.
        let listener = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const *filter,
            )
        };
        if let Ok(listener @ 0..) = libc::c_int::try_from(listener) {
            return listener;
        }
    }
    -1
}

fn fail(shared: &mut Shared, failed: Failed) -> libc::c_int {
    shared.failed = failed;
    shared.code = code(&io::Error::last_os_error());
    // SAFETY: ends the child alone, without running what the parent registered for its own end.
    unsafe { libc::_exit(127) }
}
