use std::net::SocketAddr;

use sheave::dtls::DtlsError;
use sheave_datachannel::ChannelEvent;
use sheave_engine::CloseReason;

/// News of a [`PeerConnection`](crate::PeerConnection).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// ICE found a way to the peer, or a better one.
    Route {
        /// Our address.
        local: SocketAddr,
        /// The peer's.
        remote: SocketAddr,
    },
    /// ICE hears nothing from the peer, or no more, and nothing but its checks is sent (RFC 7675). It
    /// goes on to look for a way, as long as the connection is not closed; handshake and association go
    /// on over the [`Route`](Self::Route) that it finds.
    Unreachable,
    /// The DTLS handshake is done, and the peer has the certificate of its description.
    Secured,
    /// The association is up: channels can carry messages.
    Connected,
    /// News of a channel, or a message.
    Channel(ChannelEvent),
    /// The connection has ended; nothing follows.
    Ended(EndReason),
}

/// The reason for the end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// [`close`](crate::PeerConnection::close) was called.
    Local,
    /// The DTLS connection ended or never was, closed by the peer among the reasons. A handshake has no
    /// time limit, unless the peer stops half-way: after about three minutes in which ICE hears it all
    /// the same.
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
