//! The system calls that no crate of ours wraps.
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

/// The span of a wait that does not wait.
pub(crate) const AT_ONCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// The processor of this thread: its number and 1, or 0 where that is not known.
pub(crate) fn processor() -> u64 {
    // SAFETY: the call takes no pointer.
    let number = unsafe { libc::sched_getcpu() };
    u64::try_from(number).map_or(0, |number| number + 1)
}

/// Whether something that was sent over this Unix socket lies unread at its other end.
pub(crate) fn has_unread(socket: BorrowedFd<'_>) -> bool {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the call writes one `int`, which outlives it.
    let returned = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    returned == 0 && bytes > 0
}

/// The outcome of a system call that returns -1 for an error.
fn outcome(returned: libc::c_int) -> io::Result<libc::c_int> {
    match returned {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value),
    }
}

/// The error code of a failed call, 0 if there is none.
pub(crate) fn code(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(0)
}
