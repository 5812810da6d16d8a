//! The values that calls take and return.

use core::net::{IpAddr, SocketAddr};

use bytes::Bytes;

use crate::Errno;

/// Names a socket of a [`Stack`](crate::Stack); never reused for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketId(pub(crate) u64);

impl SocketId {
    /// The number as a plain integer.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The id of an association as programs see it (`sctp_assoc_t`); 0 to 2 are reserved (RFC 6458
/// §7.2).
pub type AssocId32 = i32;

/// The address family of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// `AF_INET`: IPv4 addresses only.
    V4,
    /// `AF_INET6`: IPv6 and IPv4 addresses; IPv4 ones appear IPv4-mapped unless the program
    /// disables that.
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
    /// Parses the second argument of `shutdown`.
    ///
    /// # Errors
    /// `EINVAL` for an unknown number.
    pub const fn from_number(number: i32) -> Result<Self, Errno> {
        match number {
            0 => Ok(Self::Read),
            1 => Ok(Self::Write),
            2 => Ok(Self::Both),
            _ => Err(Errno::EINVAL),
        }
    }
}

/// The arguments of `sendmsg`.
#[derive(Clone, Debug)]
pub struct SendCall<'a> {
    /// The address in `msg_name`.
    pub destination: Option<SocketAddr>,
    /// The ancillary data, laid out as in `msg_control` (64-bit layout).
    pub control: &'a [u8],
    /// The flags of the call (`MSG_*`).
    pub flags: i32,
    /// The payload.
    pub payload: Bytes,
}

/// Buffer sizes of `recvmsg`, bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of the message buffer.
    pub payload: usize,
    /// Room for ancillary data.
    pub control: usize,
    /// The flags of the call. `MSG_PEEK` leaves the bytes queued when they are consumed; without
    /// `MSG_DONTWAIT`, a wait that cannot end returns an error.
    pub flags: i32,
}

/// The result of `recvmsg`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The next bytes of a message or notification.
    pub payload: Bytes,
    /// The sender's address; `None` for notifications.
    pub name: Option<SocketAddr>,
    /// The ancillary data for `msg_control` (64-bit layout).
    pub control: Vec<u8>,
    /// The flags to return (`MSG_EOR`, `MSG_NOTIFICATION`, `MSG_CTRUNC`).
    pub flags: i32,
    /// Names the bytes for [`consume`](crate::Stack::consume).
    pub token: ReadToken,
}

/// Names bytes that [`peek`](crate::Stack::peek) has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadToken {
    pub(crate) item: u64,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) keep: Keep,
}

/// Whether bytes stay queued after a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// `MSG_PEEK`, or the end of the stream.
    Kept,
    Taken,
}

/// The state of a socket as `poll` sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// A lower bound of the items to read or associations to accept; end of stream and a pending
    /// error count as one each.
    pub readable: usize,
    /// Whether a message can be sent, or a call would return a pending error.
    pub writable: bool,
    /// Whether the stream ends after the readable items, because the peer or the program has shut
    /// it down (`POLLRDHUP`).
    pub ended: bool,
    /// Whether the program has also shut down the writing half (`POLLHUP`).
    pub hung_up: bool,
    /// The error that `SO_ERROR` would return and clear.
    pub error: Option<Errno>,
}

/// Progress of the association that a socket connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectState {
    /// No association was started.
    Idle,
    /// The handshake is under way.
    InProgress,
    /// The association is up, or was.
    Established,
    /// The association could not be set up.
    Failed(Errno),
}

/// A request that the caller must finish, because it needs descriptors or the program's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Special {
    /// `SCTP_SOCKOPT_PEELOFF` and `..._FLAGS`: call [`peel_off`](crate::Stack::peel_off), create a
    /// descriptor and write its number into the value.
    PeelOff {
        /// The association.
        assoc: AssocId32,
        /// `SOCK_CLOEXEC` and `SOCK_NONBLOCK`.
        flags: u32,
        /// Offset in the value of the new 32-bit descriptor.
        descriptor_at: usize,
    },
    /// `SCTP_SOCKOPT_CONNECTX3`: read `length` bytes at `pointer` in the program's memory, parse
    /// the [addresses](crate::Abi::addresses) and [`connect`](crate::Stack::connect) to them. The
    /// association id goes into the first 32 bits of the value.
    ConnectAt {
        /// Address of the list in the program's memory.
        pointer: u64,
        /// Size of the list, bytes.
        length: usize,
    },
    /// `SCTP_SOCKOPT_CONNECTX` and `..._OLD`: [`connect`](crate::Stack::connect) to these
    /// addresses. Except for `..._OLD`, the call returns the association id.
    Connect(Vec<SocketAddr>),
}
