//! System calls that no dependency wraps.
#![expect(unsafe_code, reason = "the crate's only edge to the kernel")]

pub(crate) mod memory;
pub(crate) mod seccomp;
pub(crate) mod shared;
pub(crate) mod signals;
pub(crate) mod start;
pub(crate) mod trial;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::event::Timespec;

/// A zero timeout.
pub(crate) const AT_ONCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// The current processor's number plus 1, or 0 if unknown.
pub(crate) fn processor() -> u64 {
    // SAFETY: the call takes no pointer.
    let number = unsafe { libc::sched_getcpu() };
    u64::try_from(number).map_or(0, |number| number + 1)
}

/// Whether bytes sent over this Unix socket are unread at the other end.
pub(crate) fn has_unread(socket: BorrowedFd<'_>) -> bool {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the call writes one `int`, which outlives it.
    let returned = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    returned == 0 && bytes > 0
}

/// Converts the result of a system call that returns -1 for an error.
fn outcome(returned: libc::c_int) -> io::Result<libc::c_int> {
    match returned {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value),
    }
}

/// The error code of a failed call, or 0.
pub(crate) fn code(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(0)
}
