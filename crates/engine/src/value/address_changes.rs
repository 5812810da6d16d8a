use core::fmt;
use core::net::IpAddr;

/// Whether addresses may be added and deleted while an association lives (RFC 5061).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressChanges {
    /// Addresses may not change; the peer is not told of the extension.
    #[default]
    Off,
    /// Both ends may change addresses, if both authenticate
    /// ([`Authentication`](crate::Authentication)).
    On,
    /// Both ends may change addresses even if the peer does not authenticate: whoever sees the
    /// association's packets can then take it over (RFC 5061, "Security Considerations"). Only for
    /// peers that leave no choice.
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
    /// We can be reached there, too.
    Add(IpAddr),
    /// We can no longer be reached there.
    Delete(IpAddr),
    /// We want to get data there.
    SetPrimary(IpAddr),
}

/// The reason why a change was not requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressChangeError {
    /// Either end has the option [`address_changes`](crate::Options::address_changes) off,
    /// or does not authenticate, or the peer has said that it does not know such requests.
    Unavailable,
    /// The association is not up yet, or is being shut down.
    NotEstablished,
    /// The endpoint does not own the address, or the association does not use it.
    NotLocal,
    /// The association uses the address already.
    AlreadyThere,
    /// The association would be left without an address.
    LastAddress,
    /// Sixteen changes wait already.
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
