//! The listener of a seccomp filter: the calls that it traps, and their answers.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use super::{code, outcome};

/// Makes the number of an ioctl of seccomp (`linux/seccomp.h`); `direction` is 1 for write, 3 for
/// both.
#[expect(clippy::cast_possible_truncation, reason = "the sizes are below 100")]
const fn request(direction: u32, number: u32, size: usize) -> libc::Ioctl {
    const MAGIC: u32 = b'!' as u32;
    let size = size as u32;
    ((direction << 30) | (size << 16) | (MAGIC << 8) | number) as libc::Ioctl
}

const RECEIVE: libc::Ioctl = request(3, 0, size_of::<libc::seccomp_notif>());
const SEND: libc::Ioctl = request(3, 1, size_of::<libc::seccomp_notif_resp>());
const ID_VALID: libc::Ioctl = request(1, 2, size_of::<u64>());
const ADD_FD: libc::Ioctl = request(1, 3, size_of::<libc::seccomp_notif_addfd>());
const SET_FLAGS: libc::Ioctl = request(1, 4, size_of::<u64>());

/// Let the kernel switch to the other process at once when a call is trapped or answered
/// (Linux 6.6).
const SYNC_WAKE_UP: u64 = 1;
/// The call goes on in the kernel.
const CONTINUE: u32 = 1;
/// The descriptor has the number asked for.
const AT_NUMBER: u32 = 1;
/// Adding the descriptor answers the call, with its number.
const AND_ANSWER: u32 = 2;

/// A trapped system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trapped {
    /// Names the call, for its answer.
    pub(crate) id: u64,
    /// The thread that made it.
    pub(crate) thread: u32,
    /// The number of the system call.
    pub(crate) number: i64,
    /// The call's arguments.
    pub(crate) args: [u64; 6],
}

/// The call waits no more: a signal interrupted it, or its process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

/// The reason why a descriptor could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddError {
    /// The call waits no more.
    Gone,
    /// The process cannot have it, with that error.
    Refused(i32),
}

/// Whether a new descriptor is closed when its process executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnExec {
    Close,
    Keep,
}

/// The number that a new descriptor gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The lowest that is free when it is added.
    Lowest,
    /// This one; what had it is closed.
    At(u32),
}

/// Whether adding a descriptor answers the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Answer,
    Wait,
}

/// The host's end of a filter.
#[derive(Debug)]
pub(crate) struct Listener(OwnedFd);

impl Listener {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        let flags = SYNC_WAKE_UP;
        // SAFETY: this ioctl takes its argument by value. Older kernels refuse it, which is fine.
        unsafe { libc::ioctl(fd.as_raw_fd(), SET_FLAGS, flags) };
        Self(fd)
    }

    /// The next trapped call; `None` when the one that was announced is gone.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn receive(&self) -> io::Result<Option<Trapped>> {
        let mut notification = libc::seccomp_notif {
            id: 0,
            pid: 0,
            flags: 0,
            data: libc::seccomp_data {
                nr: 0,
                arch: 0,
                instruction_pointer: 0,
                args: [0; 6],
            },
        };
        let at = &raw mut notification;
        // SAFETY: `at` points to a live, writable, zeroed notification.
        let received = outcome(unsafe { libc::ioctl(self.0.as_raw_fd(), RECEIVE, at) });
        match received {
            Ok(_) => Ok(Some(Trapped {
                id: notification.id,
                thread: notification.pid,
                number: notification.data.nr.into(),
                args: notification.data.args,
            })),
            Err(error) if matches!(code(&error), libc::ENOENT | libc::EINTR) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Answers a call with what it returns: a value, or an error's code.
    pub(crate) fn answer(&self, id: u64, answer: Result<i64, i32>) -> Result<(), Gone> {
        self.send(libc::seccomp_notif_resp {
            id,
            val: answer.unwrap_or(0),
            error: answer.err().map_or(0, |code| -code),
            flags: 0,
        })
    }

    /// Lets the kernel carry the call out.
    pub(crate) fn go_on(&self, id: u64) -> Result<(), Gone> {
        self.send(libc::seccomp_notif_resp {
            id,
            val: 0,
            error: 0,
            flags: CONTINUE,
        })
    }

    /// Whether the call still waits, so that its thread and memory are what they were.
    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        let at = &raw const id;
        // SAFETY: `at` points to a live u64, which the kernel only reads.
        outcome(unsafe { libc::ioctl(self.0.as_raw_fd(), ID_VALID, at) }).is_ok()
    }

    /// Gives the process a copy of `fd` at that place, and returns its number.
    pub(crate) fn add(
        &self,
        id: u64,
        fd: BorrowedFd<'_>,
        place: Place,
        on_exec: OnExec,
        then: Then,
    ) -> Result<i32, AddError> {
        let and_answer = match then {
            Then::Answer => AND_ANSWER,
            Then::Wait => 0,
        };
        let (at_number, number) = match place {
            Place::Lowest => (0, 0),
            Place::At(number) => (AT_NUMBER, number),
        };
        let request = libc::seccomp_notif_addfd {
            id,
            flags: at_number | and_answer,
            srcfd: u32::try_from(fd.as_raw_fd()).unwrap_or(u32::MAX),
            newfd: number,
            newfd_flags: match on_exec {
                OnExec::Close => libc::O_CLOEXEC.unsigned_abs(),
                OnExec::Keep => 0,
            },
        };
        let at = &raw const request;
        // SAFETY: `at` points to a live request, which the kernel only reads.
        let added = outcome(unsafe { libc::ioctl(self.0.as_raw_fd(), ADD_FD, at) });
        added.map_err(|error| match code(&error) {
            libc::ENOENT | libc::EINPROGRESS | libc::EINTR => AddError::Gone,
            code => AddError::Refused(code),
        })
    }

    fn send(&self, mut answer: libc::seccomp_notif_resp) -> Result<(), Gone> {
        let at = &raw mut answer;
        // SAFETY: `at` points to a live answer.
        outcome(unsafe { libc::ioctl(self.0.as_raw_fd(), SEND, at) }).map_err(|_| Gone)?;
        Ok(())
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Copies a descriptor of another process; the error's code if that is refused or there is none.
pub(crate) fn descriptor_of(process: BorrowedFd<'_>, number: RawFd) -> Result<OwnedFd, i32> {
    if number < 0 {
        return Err(libc::EBADF);
    }
    let flags = rustix::process::PidfdGetfdFlags::empty();
    rustix::process::pidfd_getfd(process, number, flags).map_err(rustix::io::Errno::raw_os_error)
}
