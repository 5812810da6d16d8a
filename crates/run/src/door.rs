//! Doors: the channels by which calls of programs reach the host.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub(crate) mod preload;

use sheave_sockets::SocketId;

use crate::socket::Blocking;
use crate::sys::memory::{Loan, Memory};
use crate::sys::seccomp::Listener;
use preload::Preload;

/// The maker of calls, with at most one call at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Caller {
    /// A thread under a seccomp filter.
    Thread(u32),
    /// A connection of a preloaded library, by descriptor number. A thread uses several if a signal
    /// handler makes a call during another call.
    Connection(u64),
}

/// A trapped system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trapped {
    /// Identifies the call in its answer.
    pub(crate) id: u64,
    pub(crate) caller: Caller,
    /// The thread that made the call.
    pub(crate) thread: u32,
    /// The thread's process, if known.
    pub(crate) process: Option<u32>,
    /// The system call number.
    pub(crate) number: i64,
    /// The call's arguments.
    pub(crate) args: [u64; 6],
    /// The socket of the first argument, if the caller's claim is trusted.
    pub(crate) seen: Option<Seen>,
}

/// A socket that a caller claims to use and had a descriptor of before. A false claim gives access
/// only to a socket that the caller could have kept open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) inode: u64,
    pub(crate) id: SocketId,
    pub(crate) blocking: Blocking,
}

/// An event of a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A call was made.
    Call(Trapped),
    /// The caller's call must end if it is blocked.
    Withdrawn(Caller),
    /// The caller and its call are gone.
    Left(Caller),
    /// The announced event is gone.
    Nothing,
    /// No process is left that could make calls.
    Over,
}

impl From<Option<Trapped>> for Heard {
    fn from(call: Option<Trapped>) -> Self {
        call.map_or(Self::Nothing, Self::Call)
    }
}

/// The call no longer waits: a signal interrupted it, or its process has exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

/// Whether an answer is sure to reach a received call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Yes, unless the caller exits first.
    Certain,
    /// No: a signal may end the call first.
    Uncertain,
}

/// The reason why a descriptor could not be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GiveError {
    /// The call no longer waits.
    Gone,
    /// The kernel refused with this error code.
    Refused(i32),
}

/// Whether a new descriptor has `FD_CLOEXEC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnExec {
    Close,
    Keep,
}

/// The number of a new descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The lowest free number.
    Lowest,
    /// This number; a descriptor that has it is closed.
    At(u32),
}

/// A descriptor that answers a call.
pub(crate) struct Gift<'a> {
    pub(crate) end: BorrowedFd<'a>,
    pub(crate) on_exec: OnExec,
    /// Chooses the number, if the host must.
    pub(crate) place: &'a mut dyn FnMut() -> Place,
    /// The caller's memory and the address to which the number is also written.
    pub(crate) written: Option<(&'a Memory, u64)>,
}

/// The descriptors of a door, created by one process and possibly served by another.
#[derive(Debug)]
pub(crate) enum Entrance {
    /// The listener of a seccomp filter.
    Listener(OwnedFd),
    /// The socket for preloaded libraries and the program's life pipe.
    Preload {
        arrivals: OwnedFd,
        life: OwnedFd,
        /// The secret that the program's libraries must send.
        secret: u64,
    },
}

impl Entrance {
    /// The number of the kind in messages between processes.
    pub(crate) fn kind(&self) -> u8 {
        match self {
            Self::Listener(_) => 0,
            Self::Preload { .. } => 1,
        }
    }

    pub(crate) fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        match self {
            Self::Listener(listener) => vec![listener.as_fd()],
            Self::Preload { arrivals, life, .. } => vec![arrivals.as_fd(), life.as_fd()],
        }
    }

    /// The secret of the program's libraries; 0 for a listener.
    pub(crate) fn secret(&self) -> u64 {
        match self {
            Self::Listener(_) => 0,
            Self::Preload { secret, .. } => *secret,
        }
    }

    /// Rebuilds an entrance from its parts; `None` for an unknown kind.
    pub(crate) fn of(kind: u8, descriptors: Vec<OwnedFd>, secret: u64) -> Option<Self> {
        let mut descriptors = descriptors.into_iter();
        let entrance = match kind {
            0 => Self::Listener(descriptors.next()?),
            1 => Self::Preload {
                arrivals: descriptors.next()?,
                life: descriptors.next()?,
                secret,
            },
            _ => return None,
        };
        descriptors.next().is_none().then_some(entrance)
    }

    /// Opens the door on the host's side.
    ///
    /// # Errors
    /// The error of the system call.
    pub(crate) fn open(self) -> io::Result<Box<dyn Door>> {
        Ok(match self {
            Self::Listener(listener) => Box::new(Listener::new(listener)),
            Self::Preload {
                arrivals,
                life,
                secret,
            } => Box::new(Preload::new(arrivals, life, secret)?),
        })
    }
}

/// A channel for calls and answers; its descriptor is readable when an event is pending.
pub(crate) trait Door: AsFd + fmt::Debug {
    /// Returns the next event.
    ///
    /// # Errors
    /// The error of the system call.
    fn hear(&mut self) -> io::Result<Heard>;

    /// The next call made without waking the host.
    fn overhear(&mut self) -> Option<Trapped> {
        None
    }

    /// Whether [`overhear`](Self::overhear) has a call to return.
    fn has_unheard(&self) -> bool {
        false
    }

    /// Whether such a call is likely within microseconds.
    fn is_expectant(&self) -> bool {
        false
    }

    /// Makes further calls wake the host.
    fn rest(&mut self) {}

    /// The memory that the call lends.
    fn loan(&self, _id: u64) -> Option<Loan> {
        None
    }

    /// Notes that the call is blocked.
    fn let_wait(&self, _: u64) {}

    /// Notes that the call's caller has a descriptor of this socket.
    fn prove(&mut self, _id: u64, _inode: u64, _socket: SocketId) {}

    /// Answers a call with a value or an error code.
    fn answer(&mut self, id: u64, answer: Result<i64, i32>) -> Result<(), Gone>;

    /// Lets the kernel execute the call.
    fn go_on(&mut self, id: u64) -> Result<(), Gone>;

    /// Whether a given descriptor may still be in transit, in no process yet.
    fn has_gifts_on_their_way(&self) -> bool {
        false
    }

    /// Whether answers are sure to reach their calls.
    fn arrival(&self) -> Arrival;

    /// Whether the call still waits, so that its thread and memory are unchanged.
    fn is_waiting(&self, id: u64) -> bool;

    /// Answers the call with a copy of a descriptor; returns its number, if known.
    fn give(&mut self, id: u64, gift: Gift<'_>) -> Result<Option<i32>, GiveError>;

    /// Whether a pending signal interrupts the thread's call.
    fn is_interrupted(&self, thread: u32) -> bool;
}
