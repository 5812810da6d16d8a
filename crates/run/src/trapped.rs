//! The outcomes of trapped calls.

use sheave_sockets::Errno;

use crate::sys::memory::Fault;

/// A call that fails, with the error's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) i32);

impl Failure {
    pub(crate) const AGAIN: Self = Self(libc::EAGAIN);
    pub(crate) const INVALID: Self = Self(libc::EINVAL);
    pub(crate) const TOO_LONG: Self = Self(libc::EMSGSIZE);
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self(errno.code())
    }
}

impl From<Fault> for Failure {
    fn from(_: Fault) -> Self {
        Self(libc::EFAULT)
    }
}

impl From<rustix::io::Errno> for Failure {
    fn from(errno: rustix::io::Errno) -> Self {
        Self(errno.raw_os_error())
    }
}

/// The result of working on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The call returns this.
    Returns(i64),
    /// The call is the kernel's.
    GoesOn,
    /// The call was answered already, with that value, where it is known here.
    Answered(Option<i64>),
    /// The call waits no more, and had no effect.
    Gone,
    /// The call waits for something.
    Waits(Wait),
}

/// The event that a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A message, or an association to accept.
    Readable,
    /// Room for a message.
    Writable,
    /// The association that is being set up.
    Connected,
}
