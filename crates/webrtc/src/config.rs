use std::net::SocketAddr;

use sheave::dtls::{DtlsVersion, Identity};
use sheave_datachannel::ChannelOptions;
use sheave_engine::Options;

/// The ICE role of this end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IceMode {
    /// Full ICE with own checks; required if the other end is lite.
    #[default]
    Full,
    /// ICE-lite: only answers checks (RFC 8445 §2.5); for an end with a public address.
    Lite,
}

/// Start of the association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SctpStart {
    /// The descriptions carry the INIT chunks and no SCTP handshake follows DTLS's, if the other
    /// end agrees (draft-hancke-tsvwg-snap); otherwise same as [`Handshake`](Self::Handshake).
    /// Saves two round trips.
    #[default]
    Signalled,
    /// SCTP's handshake inside DTLS.
    Handshake,
}

/// The settings of a [`PeerConnection`](crate::PeerConnection).
#[derive(Clone, Debug)]
pub struct ConnectionConfig {
    /// The addresses of the UDP sockets that carry the datagrams: the host candidates.
    pub addresses: Vec<SocketAddr>,
    /// The ICE role.
    pub ice: IceMode,
    /// The certificate; `None` generates one for the connection.
    pub identity: Option<Identity>,
    /// The DTLS versions to offer.
    pub dtls: DtlsVersion,
    /// Limits of the channels. The peer's `max-message-size` overrides
    /// [`max_send_size`](ChannelOptions::max_send_size).
    pub channels: ChannelOptions,
    /// Options of the association; those that data channels need are added.
    pub association: Options,
    /// Start of the association.
    pub sctp_start: SctpStart,
    /// Longest IP packet to probe for by path MTU discovery (RFC 8899), bytes; 1280 turns discovery
    /// off. Default 1500: Chromium drops a DTLS connection on which a datagram longer than 2048
    /// bytes arrives.
    pub max_pmtu: u16,
    /// File to which the DTLS secrets are appended, in SSLKEYLOGFILE format.
    pub key_log: Option<std::path::PathBuf>,
}

impl ConnectionConfig {
    /// Default settings with these addresses.
    #[must_use]
    pub fn new(addresses: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self {
            addresses: addresses.into_iter().collect(),
            ice: IceMode::Full,
            identity: None,
            dtls: DtlsVersion::Newest,
            channels: ChannelOptions::default(),
            association: Options::default(),
            sctp_start: SctpStart::Signalled,
            max_pmtu: 1500,
            key_log: None,
        }
    }
}
