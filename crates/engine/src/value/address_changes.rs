use core::fmt;
use core::net::IpAddr;

/// Whether addresses may be added and deleted while an association lives (RFC 5061).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressChanges {
    /// Addresses cannot change; the extension is not offered to the peer.
    #[default]
    Off,
    /// Both ends may change addresses if both authenticate
    /// ([`Authentication`](crate::Authentication)).
    On,
    /// Both ends may change addresses even without authentication. Anyone who sees the
    /// association's packets can then take it over (RFC 5061, "Security Considerations"). Only for
    /// peers that offer nothing better.
    Unauthenticated,
}

/// Whether the peer may be heard at addresses that it did not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LearnedAddresses {
    /// A packet from there is none of the association's (RFC 9260 §8.4).
    #[default]
    Off,
    /// Over UDP a HEARTBEAT with the association's tag shows another address of the peer, which gets data once
    /// it has answered a heartbeat; nothing of an association is answered with ABORT there. Where both ends
    /// have agreed on [`AddressChanges`], these alone count.
    OverUdp,
}

/// Whether associations follow the addresses that their endpoint gains and loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FollowAddresses {
    /// Associations that begin have the addresses of that moment, and keep them.
    #[default]
    Off,
    /// Peers are told of each change where both ends have agreed on [`AddressChanges`]. Without that, paths over
    /// UDP whose address is gone leave from another one, and peers with [`LearnedAddresses::OverUdp`] go on.
    On,
}

/// A change of our addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressChange {
    /// Adds a local address to the association.
    Add(IpAddr),
    /// Removes a local address from the association.
    Delete(IpAddr),
    /// Requests that the peer send data to that local address.
    SetPrimary(IpAddr),
}

/// The reason why a change was not requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressChangeError {
    /// An end has the option [`address_changes`](crate::Options::address_changes) off or does not
    /// authenticate, or the peer has reported such requests as unknown.
    Unavailable,
    /// The association is not established, or is shutting down.
    NotEstablished,
    /// The endpoint does not own the address, or the association does not use it.
    NotLocal,
    /// The association already uses the address.
    AlreadyThere,
    /// The address is the association's last.
    LastAddress,
    /// Sixteen changes are already queued.
    Busy,
}

impl fmt::Display for AddressChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "one of the two ends does not change addresses",
            Self::NotEstablished => "the association is not established",
            Self::NotLocal => "the address is not one of ours",
            Self::AlreadyThere => "the association uses the address already",
            Self::LastAddress => "the association would be left without an address",
            Self::Busy => "too many changes wait",
        })
    }
}

impl core::error::Error for AddressChangeError {}
