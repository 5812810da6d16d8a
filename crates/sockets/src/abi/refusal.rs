//! Refused calls and their error on each system.

use super::names::System;
use crate::Errno;

/// The reason for refusing a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Sending on a listening one-to-one socket.
    SendWhereListening,
    /// A message without an association or address.
    SendToNobody,
    /// A message after the start of a shutdown.
    SendWhileShuttingDown,
    /// Ending an association that does not exist.
    EndOfNothing,
    /// Connecting a listening one-to-one socket.
    ConnectWhereListening,
    /// Connecting a one-to-one socket twice.
    ConnectWhileConnecting,
    /// Connecting a one-to-many socket to a peer that it already has.
    ConnectToKnownPeer,
    /// Connecting a peeled-off socket.
    ConnectWherePeeledOff,
    /// Connecting to port 0: Linux sends an INIT, which is answered with an ABORT.
    ConnectToNoPort,
    /// Accepting on a one-to-many socket.
    AcceptFromMany,
    /// Peeling off from a one-to-one socket.
    PeelOffFromOne,
    PeelOffOfNothing,
    /// Resetting or adding streams without RFC 6525.
    NoReconfiguration,
    /// An id that no association of the socket has.
    UnknownAssociation,
    /// A request for an association on a socket that has none.
    NoAssociation,
    /// An option of the other socket style.
    OtherStyle,
    /// Sharing a port after `bind`.
    BoundAlready,
    UnknownAlgorithm,
    /// Reading a key.
    Secret,
    /// Resetting streams before the association is up or during another request.
    NotUp,
    Busy,
    /// An address that the socket does not have.
    NotOurs,
}

impl Refusal {
    /// The error code on a system.
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
        system.pick(linux, free_bsd)
    }
}
