//! Calls that every system refuses, each with its own error.

use super::names::System;
use crate::Errno;

/// The reason for which a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A listening one-to-one socket sends nothing.
    SendWhereListening,
    /// A message for no association and to no address.
    SendToNobody,
    /// A message behind the beginning of a shutdown.
    SendWhileShuttingDown,
    /// The end of an association that there is not.
    EndOfNothing,
    /// A listening one-to-one socket connects to nobody.
    ConnectWhereListening,
    /// A one-to-one socket is connecting already.
    ConnectWhileConnecting,
    /// A one-to-many socket has an association with that peer.
    ConnectToKnownPeer,
    /// A socket for one association of a one-to-many socket connects to nobody.
    ConnectWherePeeledOff,
    /// No peer is at port 0: Linux sends an INIT there, which is answered with an ABORT.
    ConnectToNoPort,
    /// A one-to-many socket accepts nothing.
    AcceptFromMany,
    /// A one-to-one socket has no association to peel off.
    PeelOffFromOne,
    PeelOffOfNothing,
    /// No streams are reset or added where RFC 6525 is not agreed on.
    NoReconfiguration,
    /// No association of a one-to-many socket has that id.
    UnknownAssociation,
    /// A request that needs an association, on a socket that has none.
    NoAssociation,
    /// A one-to-one socket has no option of one-to-many sockets, nor the other way around.
    OtherStyle,
    /// A port is shared from the first bind on.
    BoundAlready,
    UnknownAlgorithm,
    /// Keys are not told.
    Secret,
    /// An association that is not up, or has a request under way, resets no streams.
    NotUp,
    Busy,
    /// An address that is none of the socket's.
    NotOurs,
}

impl Refusal {
    /// The error that programs of a system get to see.
    pub(crate) const fn errno(self, system: System) -> Errno {
        let (linux, free_bsd) = match self {
            Self::SendWhereListening => (Errno::EPIPE, Errno::ENOTCONN),
            Self::SendToNobody => (Errno::EPIPE, Errno::ENOENT),
            Self::SendWhileShuttingDown => (Errno::ESHUTDOWN, Errno::ECONNRESET),
            Self::EndOfNothing => (Errno::EINVAL, Errno::ENOENT),
            Self::ConnectWhereListening => (Errno::EISCONN, Errno::EOPNOTSUPP),
            Self::ConnectWhileConnecting => (Errno::EALREADY, Errno::EISCONN),
            Self::ConnectToKnownPeer => (Errno::EISCONN, Errno::EALREADY),
            Self::ConnectWherePeeledOff => (Errno::EISCONN, Errno::EINVAL),
            Self::ConnectToNoPort => (Errno::ECONNREFUSED, Errno::EINVAL),
            Self::AcceptFromMany => (Errno::EOPNOTSUPP, Errno::EINVAL),
            Self::PeelOffFromOne => (Errno::EINVAL, Errno::EOPNOTSUPP),
            Self::PeelOffOfNothing => (Errno::EINVAL, Errno::ENOENT),
            Self::NoReconfiguration => (Errno::ENOPROTOOPT, Errno::EOPNOTSUPP),
            Self::UnknownAssociation | Self::NoAssociation => (Errno::EINVAL, Errno::ENOENT),
            Self::OtherStyle | Self::UnknownAlgorithm => (Errno::EOPNOTSUPP, Errno::EINVAL),
            Self::Secret => (Errno::EOPNOTSUPP, Errno::ENOPROTOOPT),
            Self::NotUp => (Errno::ENOTCONN, Errno::EINVAL),
            Self::Busy => (Errno::EINPROGRESS, Errno::EALREADY),
            Self::NotOurs => (Errno::EADDRNOTAVAIL, Errno::EINVAL),
            Self::BoundAlready => (Errno::EFAULT, Errno::EINVAL),
        };
        match system {
            System::Linux => linux,
            System::FreeBsd => free_bsd,
        }
    }
}
