use std::net::SocketAddr;

use sheave::dtls::DtlsError;
use sheave_datachannel::ChannelEvent;
use sheave_engine::CloseReason;

/// An event of a [`PeerConnection`](crate::PeerConnection).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// ICE found a route to the peer, or a better one.
    Route {
        /// Our address.
        local: SocketAddr,
        /// The peer's address.
        remote: SocketAddr,
    },
    /// ICE does not reach the peer, or no longer; only its checks are sent (RFC 7675). ICE keeps
    /// searching until the connection is closed, and handshake and association continue over the
    /// [`Route`](Self::Route) that it finds.
    Unreachable,
    /// The DTLS handshake is complete, and the peer's certificate matches its description.
    Secured,
    /// The association is established; channels can carry messages.
    Connected,
    /// A channel event, or a message.
    Channel(ChannelEvent),
    /// The connection has ended; no further events follow.
    Ended(EndReason),
}

/// The reason why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// [`close`](crate::PeerConnection::close) was called.
    Local,
    /// The DTLS connection failed or was closed by the peer. A handshake has no time limit, unless
    /// the peer stops half-way: then it fails after about three minutes during which ICE still
    /// reaches the peer.
    Dtls(DtlsError),
    /// The association ended.
    Association(CloseReason),
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Local => f.write_str("closed here"),
            Self::Dtls(error) => error.fmt(f),
            Self::Association(reason) => write!(f, "the association ended: {reason}"),
        }
    }
}
