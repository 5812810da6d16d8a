//! The values that calls take and return.

use core::net::{IpAddr, SocketAddr};

use bytes::Bytes;

use crate::Errno;

/// Names a socket of a [`Stack`](crate::Stack); never reused for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketId(pub(crate) u64);

impl SocketId {
    /// The number behind the name.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The id of an association as programs see it (`sctp_assoc_t`); 0 to 2 stand for no single one
/// (RFC 6458 §7.2).
pub type AssocId32 = i32;

/// The address family of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// `AF_INET`: IPv4 addresses only.
    V4,
    /// `AF_INET6`: addresses of both kinds, those of IPv4 in mapped form unless the program wants
    /// otherwise.
    V6,
}

impl Domain {
    /// The domain of an address.
    pub(crate) const fn of(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(_) => Self::V4,
            IpAddr::V6(_) => Self::V6,
        }
    }
}

/// The style of a socket (RFC 6458 §3, §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// `SOCK_STREAM`: one association, connected or accepted.
    OneToOne,
    /// `SOCK_SEQPACKET`: many associations.
    OneToMany,
}

/// The halves of a connection that a shutdown closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// `SHUT_RD`.
    Read,
    /// `SHUT_WR`.
    Write,
    /// `SHUT_RDWR`.
    Both,
}

impl How {
    /// The halves that the second argument of `shutdown` stands for.
    ///
    /// # Errors
    /// `EINVAL` for a number that stands for none.
    pub const fn from_number(number: i32) -> Result<Self, Errno> {
        match number {
            0 => Ok(Self::Read),
            1 => Ok(Self::Write),
            2 => Ok(Self::Both),
            _ => Err(Errno::EINVAL),
        }
    }
}

/// A message to send, as `sendmsg` has it.
#[derive(Clone, Debug)]
pub struct SendCall<'a> {
    /// The address in `msg_name`.
    pub destination: Option<SocketAddr>,
    /// The ancillary data, as it lies in `msg_control` (64-bit layout).
    pub control: &'a [u8],
    /// The flags of the call (`MSG_*`).
    pub flags: i32,
    /// The bytes.
    pub payload: Bytes,
}

/// The room that `recvmsg` has, bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Room for the message.
    pub payload: usize,
    /// Room for ancillary data.
    pub control: usize,
    /// The flags of the call; with `MSG_PEEK` nothing is dequeued when it is consumed, and without
    /// `MSG_DONTWAIT` the error of a wait that could not end is returned.
    pub flags: i32,
}

/// An answer to `recvmsg`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The bytes of a message or notification, or the next of them.
    pub payload: Bytes,
    /// The sender; not for notifications.
    pub name: Option<SocketAddr>,
    /// The ancillary data to lay into `msg_control` (64-bit layout).
    pub control: Vec<u8>,
    /// The flags to return (`MSG_EOR`, `MSG_NOTIFICATION`, `MSG_CTRUNC`).
    pub flags: i32,
    /// The thing that [`consume`](crate::Stack::consume) dequeues.
    pub token: ReadToken,
}

/// Names the bytes that were shown by [`peek`](crate::Stack::peek).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadToken {
    pub(crate) item: u64,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) keep: Keep,
}

/// Whether bytes stay in the queue when they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// `MSG_PEEK`, or the end of the stream.
    Kept,
    Taken,
}

/// The state of a socket as `poll` sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Messages and notifications that can be read, or associations that can be accepted, at least;
    /// the end of the stream counts as one, and so does an error.
    pub readable: usize,
    /// Whether a message can be sent.
    pub writable: bool,
    /// Whether a connection is being set up.
    pub connecting: bool,
    /// Whether nothing more comes behind what can be read: the peer has shut down, or the program has
    /// shut the reading half (`POLLRDHUP`).
    pub ended: bool,
    /// Whether, besides, the program has shut the writing half (`POLLHUP`).
    pub hung_up: bool,
    /// The error that `SO_ERROR` would return and clear.
    pub error: Option<Errno>,
}

/// The progress of the association that a socket connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectState {
    /// None was begun.
    Idle,
    /// The handshake is under way.
    InProgress,
    /// The association is up, or was.
    Established,
    /// The association could not be set up.
    Failed(Errno),
}

/// A request that needs descriptors or the program's memory: who calls answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Special {
    /// `SCTP_SOCKOPT_PEELOFF` and `..._FLAGS`: call [`peel_off`](crate::Stack::peel_off), make a
    /// descriptor, write its number into the value.
    PeelOff {
        /// The association.
        assoc: AssocId32,
        /// `SOCK_CLOEXEC` and `SOCK_NONBLOCK`.
        flags: u32,
        /// Offset in the value at which the 32 bits of the new descriptor belong.
        descriptor_at: usize,
    },
    /// `SCTP_SOCKOPT_CONNECTX3`: read so many bytes at that address of the program, then
    /// [`connect`](crate::Stack::connect) to the [addresses](crate::Abi::addresses) there. The id of
    /// the association goes into the first 32 bits of the value.
    ConnectAt {
        /// Their address in the program's memory.
        pointer: u64,
        /// Bytes there.
        length: usize,
    },
    /// `SCTP_SOCKOPT_CONNECTX` and `..._OLD`: [`connect`](crate::Stack::connect) to these. The call
    /// returns the id of the association where it is newer than `..._OLD`.
    Connect(Vec<SocketAddr>),
}
