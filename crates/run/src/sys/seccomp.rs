//! The listener of a seccomp filter: receives trapped calls and answers them.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use super::{code, outcome};
use crate::door::{Arrival, Caller, Door, Gift, GiveError, Gone, Heard, OnExec, Place, Trapped};
use crate::process;

/// Computes a seccomp ioctl number (`linux/seccomp.h`); `direction` is 1 for write, 3 for read and
/// write.
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

/// Switches to the other process at once when a call is trapped or answered (Linux 6.6).
const SYNC_WAKE_UP: u64 = 1;
/// The kernel executes the call.
const CONTINUE: u32 = 1;
/// The descriptor gets the requested number.
const AT_NUMBER: u32 = 1;
/// Adding the descriptor also answers the call with its number.
const AND_ANSWER: u32 = 2;

/// Whether adding a descriptor also answers the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Answer,
    Wait,
}

/// The host's end of a filter, and whether its answers always arrive.
#[derive(Debug)]
pub(crate) struct Listener(OwnedFd, Arrival);

impl Listener {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        let flags = SYNC_WAKE_UP;
        // SAFETY: this ioctl takes its argument by value. Older kernels refuse it, which is fine.
        unsafe { libc::ioctl(fd.as_raw_fd(), SET_FLAGS, flags) };
        Self(fd, arrival())
    }

    /// Adds a copy of `fd` to the process at `place` and returns its number.
    fn add(
        &self,
        id: u64,
        fd: BorrowedFd<'_>,
        place: Place,
        on_exec: OnExec,
        then: Then,
    ) -> Result<i32, GiveError> {
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
            libc::ENOENT | libc::EINPROGRESS | libc::EINTR => GiveError::Gone,
            code => GiveError::Refused(code),
        })
    }

    fn send(&self, mut answer: libc::seccomp_notif_resp) -> Result<(), Gone> {
        let at = &raw mut answer;
        // SAFETY: `at` points to a live answer.
        outcome(unsafe { libc::ioctl(self.0.as_raw_fd(), SEND, at) }).map_err(|_| Gone)?;
        Ok(())
    }
}

/// Probes for `WAIT_KILLABLE_RECV` (Linux 5.19) with a null filter: the kernel checks the flags
/// before the filter.
fn arrival() -> Arrival {
    let flags =
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let filter = std::ptr::null::<libc::sock_fprog>();
    // SAFETY: the kernel reads no filter from a null pointer.
    let made = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            filter,
        )
    };
    match made {
        -1 if code(&io::Error::last_os_error()) == libc::EFAULT => Arrival::Certain,
        _ => Arrival::Uncertain,
    }
}

impl Door for Listener {
    fn hear(&mut self) -> io::Result<Heard> {
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
            Ok(_) => Ok(Heard::Call(Trapped {
                id: notification.id,
                caller: Caller::Thread(notification.pid),
                thread: notification.pid,
                process: None,
                number: notification.data.nr.into(),
                args: notification.data.args,
                seen: None,
            })),
            Err(error) if matches!(code(&error), libc::ENOENT | libc::EINTR) => Ok(Heard::Nothing),
            Err(error) => Err(error),
        }
    }

    fn answer(&mut self, id: u64, answer: Result<i64, i32>) -> Result<(), Gone> {
        self.send(libc::seccomp_notif_resp {
            id,
            val: answer.unwrap_or(0),
            error: answer.err().map_or(0, |code| -code),
            flags: 0,
        })
    }

    fn go_on(&mut self, id: u64) -> Result<(), Gone> {
        self.send(libc::seccomp_notif_resp {
            id,
            val: 0,
            error: 0,
            flags: CONTINUE,
        })
    }

    fn arrival(&self) -> Arrival {
        self.1
    }

    fn is_waiting(&self, id: u64) -> bool {
        let at = &raw const id;
        // SAFETY: `at` points to a live u64, which the kernel only reads.
        outcome(unsafe { libc::ioctl(self.0.as_raw_fd(), ID_VALID, at) }).is_ok()
    }

    fn give(&mut self, id: u64, gift: Gift<'_>) -> Result<Option<i32>, GiveError> {
        let place = (gift.place)();
        let Some((memory, at)) = gift.written else {
            let number = self.add(id, gift.end, place, gift.on_exec, Then::Answer)?;
            return Ok(Some(number));
        };
        let number = self.add(id, gift.end, place, gift.on_exec, Then::Wait)?;
        let written = memory.scatter(&[(at, &number.to_le_bytes())]);
        let answer = written.map_or(Err(libc::EFAULT), |()| Ok(i64::from(number)));
        self.answer(id, answer)
            .map_err(|Gone| GiveError::Gone)
            .map(|()| Some(number))
    }

    fn is_interrupted(&self, thread: u32) -> bool {
        process::has_signal(thread)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Copies a descriptor of another process, or returns the error code.
pub(crate) fn descriptor_of(process: BorrowedFd<'_>, number: RawFd) -> Result<OwnedFd, i32> {
    if number < 0 {
        return Err(libc::EBADF);
    }
    let flags = rustix::process::PidfdGetfdFlags::empty();
    rustix::process::pidfd_getfd(process, number, flags).map_err(rustix::io::Errno::raw_os_error)
}
