//! Signals of the host: blocked, and read from a signalfd.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::outcome;

/// Signals that the host reads instead of handling.
const WATCHED: [libc::c_int; 7] = [
    libc::SIGCHLD,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// A set of signals.
pub(super) type Set = libc::sigset_t;

/// A received signal and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signal {
    pub(crate) number: libc::c_int,
    pub(crate) origin: Origin,
}

/// The origin of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A process.
    Process,
    /// The kernel; for terminal keys, the whole foreground group gets the signal.
    Kernel,
}

/// The signalfd.
#[derive(Debug)]
pub(crate) struct Signals {
    fd: OwnedFd,
    before: Set,
}

impl Signals {
    /// Blocks the watched signals in this thread.
    ///
    /// # Errors
    /// The error of the system call.
    pub(crate) fn watch() -> io::Result<Self> {
        let set = set_of(&WATCHED);
        let before = change_mask(libc::SIG_BLOCK, &set)?;
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: `set` is a live signal set, which the kernel only reads.
        let fd = outcome(unsafe { libc::signalfd(-1, &raw const set, flags) })?;
        // SAFETY: the descriptor was just made, and nobody else has it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Self { fd, before })
    }

    /// The thread's previous mask, for the program.
    pub(super) fn before(&self) -> Set {
        self.before
    }

    /// The next pending signal.
    pub(crate) fn take(&self) -> Option<Signal> {
        let mut seen = MaybeUninit::<libc::signalfd_siginfo>::zeroed();
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: `seen` is live and has room for `size` bytes.
        let read = unsafe { libc::read(self.fd.as_raw_fd(), seen.as_mut_ptr().cast(), size) };
        if usize::try_from(read) != Ok(size) {
            return None;
        }
        // SAFETY: all bytes were set to zero and then filled; every bit pattern is valid.
        let seen = unsafe { seen.assume_init() };
        Some(Signal {
            number: i32::try_from(seen.ssi_signo).unwrap_or(0),
            origin: match seen.ssi_code {
                libc::SI_KERNEL => Origin::Kernel,
                _ => Origin::Process,
            },
        })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The set of all signals.
pub(super) fn every() -> Set {
    let mut set = MaybeUninit::<Set>::zeroed();
    // SAFETY: `set` is live and writable.
    unsafe { libc::sigfillset(set.as_mut_ptr()) };
    // SAFETY: the set was filled.
    unsafe { set.assume_init() }
}

fn set_of(signals: &[libc::c_int]) -> Set {
    let mut set = MaybeUninit::<Set>::zeroed();
    // SAFETY: `set` is live and writable.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    for &signal in signals {
        // SAFETY: `set` is live and was emptied, and the number is that of a signal.
        unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
    }
    // SAFETY: the set was emptied, then filled.
    unsafe { set.assume_init() }
}

/// Changes the thread's mask and returns the previous one.
pub(super) fn change_mask(how: libc::c_int, set: &Set) -> io::Result<Set> {
    let mut before = MaybeUninit::<Set>::zeroed();
    // SAFETY: both sets are live, and `before` is writable.
    let code = unsafe { libc::pthread_sigmask(how, set, before.as_mut_ptr()) };
    match code {
        // SAFETY: the call has filled it.
        0 => Ok(unsafe { before.assume_init() }),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Sends a signal to a thread; signal 0 checks whether the thread belongs to the process.
pub(crate) fn send(process: u32, thread: u32, signal: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes no pointer.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, process, thread, signal) };
    match sent {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
