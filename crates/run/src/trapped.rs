//! Outcomes of trapped calls.

use sheave_sockets::Errno;

use crate::sys::memory::Fault;

/// A failed call with its error code.
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

/// The outcome of handling a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The call returns this value.
    Returns(i64),
    /// The kernel executes the call.
    GoesOn,
    /// The call was already answered; with this value, if known.
    Answered(Option<i64>),
    /// The call no longer waits and had no effect.
    Gone,
    /// The call blocks.
    Waits(Wait),
}

/// The event that a blocked call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A message, or an association to accept.
    Readable,
    /// Room for a message.
    Writable,
    /// The end of the handshake.
    Connected,
}
