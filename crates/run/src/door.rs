//! The doors through which calls of programs reach the host.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub(crate) mod preload;

use sheave_sockets::SocketId;

use crate::socket::Blocking;
use crate::sys::memory::{Loan, Memory};
use crate::sys::seccomp::Listener;
use preload::Preload;

/// That which makes one call at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Caller {
    /// A thread under a filter.
    Thread(u32),
    /// A connection of a preloaded library, by the number of its descriptor. A thread has several where a
    /// handler of signals makes calls while another call of its thread waits.
    Connection(u64),
}

/// A system call that a program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trapped {
    /// Names the call, for its answer.
    pub(crate) id: u64,
    pub(crate) caller: Caller,
    /// The thread that made it.
    pub(crate) thread: u32,
    /// The process of that thread, where the door knows it.
    pub(crate) process: Option<u32>,
    /// The number of the system call.
    pub(crate) number: i64,
    /// The call's arguments.
    pub(crate) args: [u64; 6],
    /// The socket behind the first of them, where the caller is believed that.
    pub(crate) seen: Option<Seen>,
}

/// A socket on which a caller says that it calls, and of which it was seen to have a descriptor before. One
/// that lies calls on a socket that it could have kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) inode: u64,
    pub(crate) id: SocketId,
    pub(crate) blocking: Blocking,
}

/// Something that a door tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A call was made.
    Call(Trapped),
    /// The caller's call is to end if it waits.
    Withdrawn(Caller),
    /// The caller has gone, with its call.
    Left(Caller),
    /// What was announced is gone.
    Nothing,
    /// Nobody is left who could make calls.
    Over,
}

/// The call waits no more: a signal interrupted it, or its process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

/// Whether an answer reaches a call that was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Unless the caller ends before.
    Certain,
    /// A signal may end the call before.
    Uncertain,
}

/// The reason why a descriptor could not be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GiveError {
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

/// A descriptor that answers a call.
pub(crate) struct Gift<'a> {
    pub(crate) end: BorrowedFd<'a>,
    pub(crate) on_exec: OnExec,
    /// Chooses the number, where the host has to.
    pub(crate) place: &'a mut dyn FnMut() -> Place,
    /// The caller's memory, and the address in it where the number is to be written, too.
    pub(crate) written: Option<(&'a Memory, u64)>,
}

/// The descriptors of a door, as one process makes it and another may serve it.
#[derive(Debug)]
pub(crate) enum Entrance {
    /// The listener of a filter.
    Listener(OwnedFd),
    /// The socket to which preloaded libraries connect, and the life line of the program.
    Preload {
        arrivals: OwnedFd,
        life: OwnedFd,
        /// The number that the program's libraries say.
        secret: u64,
    },
}

impl Entrance {
    /// The number of its kind, between processes.
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

    /// The number that the program's libraries say, 0 where there are none.
    pub(crate) fn secret(&self) -> u64 {
        match self {
            Self::Listener(_) => 0,
            Self::Preload { secret, .. } => *secret,
        }
    }

    /// The entrance of that kind with these parts; `None` where there is none.
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

    /// The door, for its host.
    ///
    /// # Errors
    /// The system's.
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

/// A way for calls and their answers; readable when there is something to hear.
pub(crate) trait Door: AsFd + fmt::Debug {
    /// The next of what there is to hear.
    ///
    /// # Errors
    /// The system's.
    fn hear(&mut self) -> io::Result<Heard>;

    /// The next call that was made without waking the host.
    fn overhear(&mut self) -> Option<Trapped> {
        None
    }

    /// Whether there is such a call.
    fn has_unheard(&self) -> bool {
        false
    }

    /// Whether such a call is likely to come within microseconds.
    fn is_expectant(&self) -> bool {
        false
    }

    /// Has the host woken for further calls.
    fn rest(&mut self) {}

    /// The memory that the call lends.
    fn loan(&self, _id: u64) -> Option<Loan> {
        None
    }

    /// The call waits for something.
    fn let_wait(&self, _: u64) {}

    /// The caller of that call has a descriptor of the socket with that inode.
    fn prove(&mut self, _id: u64, _inode: u64, _socket: SocketId) {}

    /// Answers a call with what it returns: a value, or an error's code.
    fn answer(&mut self, id: u64, answer: Result<i64, i32>) -> Result<(), Gone>;

    /// Lets the kernel carry the call out.
    fn go_on(&mut self, id: u64) -> Result<(), Gone>;

    /// Whether a descriptor that was given may still be on its way: in no process yet.
    fn has_gifts_on_their_way(&self) -> bool {
        false
    }

    /// Whether answers reach their calls.
    fn arrival(&self) -> Arrival;

    /// Whether the call still waits, so that its thread and memory are what they were.
    fn is_waiting(&self, id: u64) -> bool;

    /// Answers the call with a copy of a descriptor; its number, where that is known.
    fn give(&mut self, id: u64, gift: Gift<'_>) -> Result<Option<i32>, GiveError>;

    /// Whether a signal waits for that thread, for the call that it made to end.
    fn is_interrupted(&self, thread: u32) -> bool;
}
