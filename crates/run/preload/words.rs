//! The protocol between the preloaded library and the host.
//!
//! Calls and answers pass through shared memory (`region.rs`). Packets of a Unix socket open and
//! close connections, wake the side that sleeps and carry descriptors. Both sides run on one
//! machine and come from one build, so numbers are in native byte order.

/// The environment variable with the host's address: the descriptor of the life pipe, the program's
/// secret and the abstract name of the host's socket, separated by colons.
pub(crate) const VARIABLE: &core::ffi::CStr = c"SHEAVE_RUN_DOOR";

/// A call of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The library's id for the call, never 0.
    pub(crate) id: u64,
    /// The thread that makes the call.
    pub(crate) thread: u32,
    /// The system call number.
    pub(crate) number: i64,
    /// The call's arguments.
    pub(crate) args: [u64; 6],
    /// The file of the first argument.
    pub(crate) seen: Seen,
}

/// The file of a descriptor as the library sees it, which saves the host a look-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The file's inode, 0 if not looked up.
    pub(crate) inode: u64,
    /// The status flags (`F_GETFL`).
    pub(crate) flags: u64,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The call returns this value, or a negated error code.
    Returns(i64),
    /// The kernel executes the call.
    GoesOn,
    /// The call returns the descriptor in a packet.
    Descriptor {
        /// Whether the descriptor has `FD_CLOEXEC`.
        closes_on_exec: bool,
        /// Address to which the number is also written; 0 for none.
        at: u64,
    },
}

/// A packet from the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// First packet: the secret of the program.
    Hello { secret: u64 },
    /// A call was made while the host did not poll the region.
    Look,
    /// The call must end if it is blocked, because a signal interrupted it.
    Withdraw { id: u64 },
}

/// A packet from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// First packet: carries the region's memory file.
    Region,
    /// Wakes the library: an answer was published while it slept.
    Wake,
    /// Carries the descriptor of an answer.
    Descriptor,
}

/// Size of a packet from the library, bytes.
pub(crate) const SAID: usize = 16;
/// Size of a packet from the host, bytes.
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

    /// Decodes an outcome; unknown words mean that the kernel executes the call.
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

    /// Parses a packet; `None` if malformed.
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

    /// Parses a packet; `None` if malformed.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match u64::from_ne_bytes(bytes.try_into().ok()?) {
            1 => Some(Self::Region),
            2 => Some(Self::Wake),
            3 => Some(Self::Descriptor),
            _ => None,
        }
    }
}
