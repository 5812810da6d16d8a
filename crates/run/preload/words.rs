//! The words between the preloaded library and the host, over a Unix socket that keeps boundaries.
//!
//! The library says [`Request`]s, the host [`Answer`]s, one for each call. Both run on one machine
//! and come from one build, so that numbers travel in its own byte order.

/// The environment variable that tells the library where its host is: the number of the descriptor
/// that shows the host that somebody still runs, the secret of its programs, and the abstract name of
/// the host's socket, with colons between them.
pub(crate) const VARIABLE: &core::ffi::CStr = c"SHEAVE_RUN_DOOR";

/// Something that the library says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) what: Asked,
    /// The number by which the host knows programs that it serves, of whatever user.
    pub(crate) secret: u64,
    /// The thread that makes the call.
    pub(crate) thread: u32,
    /// Names the call, for its answer; the library's own number.
    pub(crate) id: u64,
    /// The number of the system call.
    pub(crate) number: i64,
    /// The call's arguments.
    pub(crate) args: [u64; 6],
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A call is made.
    Call,
    /// The call made before is to end, if it waits: a signal interrupted it.
    Withdraw,
}

/// Something that the host says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) what: Answered,
    /// The request's.
    pub(crate) id: u64,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The call returns that value, or minus an error's code.
    Returns(i64),
    /// The call is the kernel's.
    GoesOn,
    /// The call returns the descriptor that comes with the answer.
    Descriptor {
        /// Whether it is closed when the process executes a program.
        closes_on_exec: bool,
        /// The address at which the descriptor's number is to be written, too; 0 for nowhere.
        at: u64,
    },
}

/// Bytes of a request.
pub(crate) const REQUEST: usize = 80;
/// Bytes of an answer.
pub(crate) const ANSWER: usize = 24;

const CALL: u64 = 1;
const WITHDRAW: u64 = 2;
const RETURNS: u64 = 1;
const GOES_ON: u64 = 2;
const DESCRIPTOR: u64 = 3;
const CLOSES_ON_EXEC: u64 = 1 << 32;

fn word(bytes: &[u8], index: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[8 * index..8 * index + 8]);
    u64::from_ne_bytes(word)
}

fn put(bytes: &mut [u8], index: usize, word: u64) {
    bytes[8 * index..8 * index + 8].copy_from_slice(&word.to_ne_bytes());
}

impl Request {
    pub(crate) fn to_bytes(self) -> [u8; REQUEST] {
        let kind = match self.what {
            Asked::Call => CALL,
            Asked::Withdraw => WITHDRAW,
        };
        let mut bytes = [0; REQUEST];
        put(&mut bytes, 0, kind | u64::from(self.thread) << 32);
        put(&mut bytes, 1, self.secret);
        put(&mut bytes, 2, self.id);
        put(&mut bytes, 3, self.number.cast_unsigned());
        for (index, arg) in self.args.into_iter().enumerate() {
            put(&mut bytes, 4 + index, arg);
        }
        bytes
    }

    /// The request in these bytes; `None` where it is none.
    pub(crate) fn of_bytes(bytes: &[u8; REQUEST]) -> Option<Self> {
        let first = word(bytes, 0);
        let what = match first & 0xffff_ffff {
            CALL => Asked::Call,
            WITHDRAW => Asked::Withdraw,
            _ => return None,
        };
        let mut args = [0; 6];
        for (index, arg) in args.iter_mut().enumerate() {
            *arg = word(bytes, 4 + index);
        }
        Some(Self {
            what,
            thread: (first >> 32) as u32,
            secret: word(bytes, 1),
            id: word(bytes, 2),
            number: word(bytes, 3).cast_signed(),
            args,
        })
    }
}

impl Answer {
    pub(crate) fn to_bytes(self) -> [u8; ANSWER] {
        let (kind, value) = match self.what {
            Answered::Returns(value) => (RETURNS, value.cast_unsigned()),
            Answered::GoesOn => (GOES_ON, 0),
            Answered::Descriptor { closes_on_exec, at } => match closes_on_exec {
                true => (DESCRIPTOR | CLOSES_ON_EXEC, at),
                false => (DESCRIPTOR, at),
            },
        };
        let mut bytes = [0; ANSWER];
        put(&mut bytes, 0, kind);
        put(&mut bytes, 1, self.id);
        put(&mut bytes, 2, value);
        bytes
    }

    /// The answer in these bytes; `None` where it is none.
    pub(crate) fn of_bytes(bytes: &[u8; ANSWER]) -> Option<Self> {
        let (kind, value) = (word(bytes, 0), word(bytes, 2));
        let what = match kind & 0xffff_ffff {
            RETURNS => Answered::Returns(value.cast_signed()),
            GOES_ON => Answered::GoesOn,
            DESCRIPTOR => Answered::Descriptor {
                closes_on_exec: kind & CLOSES_ON_EXEC != 0,
                at: value,
            },
            _ => return None,
        };
        Some(Self {
            what,
            id: word(bytes, 1),
        })
    }
}
