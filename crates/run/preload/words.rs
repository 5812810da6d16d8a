//! The words between the preloaded library and the host.
//!
//! Calls and their answers go through memory that both share (`region.rs`). Packets of a Unix socket make and
//! end connections, wake the side that sleeps, and carry descriptors. Both sides run on one machine and come
//! from one build, so that numbers travel in its own byte order.

/// The environment variable that tells the library where its host is: the number of the descriptor
/// that shows the host that somebody still runs, the secret of its programs, and the abstract name of
/// the host's socket, with colons between them.
pub(crate) const VARIABLE: &core::ffi::CStr = c"SHEAVE_RUN_DOOR";

/// A call that a program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Names the call, for its answer; the library's own number, never 0.
    pub(crate) id: u64,
    /// The thread that makes the call.
    pub(crate) thread: u32,
    /// The number of the system call.
    pub(crate) number: i64,
    /// The call's arguments.
    pub(crate) args: [u64; 6],
    /// The socket behind the first argument.
    pub(crate) seen: Seen,
}

/// The file behind a descriptor as the library sees it, which spares the host to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The file's inode, 0 where the library has not looked.
    pub(crate) inode: u64,
    /// The status flags (`F_GETFL`).
    pub(crate) flags: u64,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The call returns that value, or minus an error's code.
    Returns(i64),
    /// The call is the kernel's.
    GoesOn,
    /// The call returns the descriptor that comes in a packet.
    Descriptor {
        /// Whether it is closed when the process executes a program.
        closes_on_exec: bool,
        /// The address at which the descriptor's number is to be written, too; 0 for nowhere.
        at: u64,
    },
}

/// A packet of the library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The first: the number by which the host knows programs that it serves, of whatever user.
    Hello { secret: u64 },
    /// A call was made while the host did not watch the region.
    Look,
    /// The call of that name is to end, if it waits: a signal interrupted it.
    Withdraw { id: u64 },
}

/// A packet of the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The first: the region's memory comes with it.
    Region,
    /// An answer came while the library slept.
    Wake,
    /// The descriptor of an answer comes with it.
    Descriptor,
}

/// Bytes of a packet of the library's.
pub(crate) const SAID: usize = 16;
/// Bytes of a packet of the host's.
pub(crate) const TOLD: usize = 8;

const RETURNS: u64 = 1;
const GOES_ON: u64 = 2;
const DESCRIPTOR: u64 = 3;
const CLOSES_ON_EXEC: u64 = 1 << 32;

impl Answered {
    pub(crate) fn to_words(self) -> [u64; 2] {
        match self {
            Self::Returns(value) => [RETURNS, value.cast_unsigned()],
            Self::GoesOn => [GOES_ON, 0],
            Self::Descriptor { closes_on_exec, at } => match closes_on_exec {
                true => [DESCRIPTOR | CLOSES_ON_EXEC, at],
                false => [DESCRIPTOR, at],
            },
        }
    }

    /// The outcome in these words; the kernel's call where it is none.
    pub(crate) fn of_words([kind, value]: [u64; 2]) -> Self {
        match kind & 0xffff_ffff {
            RETURNS => Self::Returns(value.cast_signed()),
            DESCRIPTOR => Self::Descriptor {
                closes_on_exec: kind & CLOSES_ON_EXEC != 0,
                at: value,
            },
            _ => Self::GoesOn,
        }
    }
}

impl Said {
    pub(crate) fn to_bytes(self) -> [u8; SAID] {
        let (kind, value): (u64, u64) = match self {
            Self::Hello { secret } => (1, secret),
            Self::Look => (2, 0),
            Self::Withdraw { id } => (3, id),
        };
        let mut bytes = [0; SAID];
        bytes[..8].copy_from_slice(&kind.to_ne_bytes());
        bytes[8..].copy_from_slice(&value.to_ne_bytes());
        bytes
    }

    /// The packet of these bytes; `None` where it is none.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first_chunk()?;
        let value = u64::from_ne_bytes(rest.try_into().ok()?);
        match u64::from_ne_bytes(*kind) {
            1 => Some(Self::Hello { secret: value }),
            2 => Some(Self::Look),
            3 => Some(Self::Withdraw { id: value }),
            _ => None,
        }
    }
}

impl Told {
    pub(crate) fn to_bytes(self) -> [u8; TOLD] {
        let kind: u64 = match self {
            Self::Region => 1,
            Self::Wake => 2,
            Self::Descriptor => 3,
        };
        kind.to_ne_bytes()
    }

    /// The packet of these bytes; `None` where it is none.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match u64::from_ne_bytes(bytes.try_into().ok()?) {
            1 => Some(Self::Region),
            2 => Some(Self::Wake),
            3 => Some(Self::Descriptor),
            _ => None,
        }
    }
}
