use std::net::SocketAddr;

use sheave::dtls::{DtlsVersion, Identity};
use sheave_datachannel::ChannelOptions;
use sheave_engine::Options;

/// The part that this end plays in ICE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IceMode {
    /// Checks of its own: needed where the other end is lite.
    #[default]
    Full,
    /// Answers alone (RFC 8445 §2.5): for an end with a public address.
    Lite,
}

/// The way in which the association begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SctpStart {
    /// The INIT chunks travel in the descriptions, and no handshake follows DTLS's, if the other end
    /// does so too (draft-hancke-tsvwg-snap); else as [`Handshake`](Self::Handshake). It spares two
    /// round trips.
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
    /// The part in ICE.
    pub ice: IceMode,
    /// The certificate; `None`: one is made for the connection.
    pub identity: Option<Identity>,
    /// The versions of DTLS to speak.
    pub dtls: DtlsVersion,
    /// Limits of the channels. The peer's `max-message-size` takes the place of
    /// [`max_send_size`](ChannelOptions::max_send_size).
    pub channels: ChannelOptions,
    /// The options of the association, before those that data channels need are switched on.
    pub association: Options,
    /// The way in which the association begins.
    pub sctp_start: SctpStart,
    /// Bytes of the longest IP packet to look for by path MTU discovery (RFC 8899); 1280: none is looked
    /// for. By default 1500: Chromium gives up a DTLS connection that brings it a longer datagram than
    /// 2048 bytes.
    pub max_pmtu: u16,
    /// The file that the secrets of the DTLS connection are appended to, in the format of
    /// SSLKEYLOGFILE.
    pub key_log: Option<std::path::PathBuf>,
}

impl ConnectionConfig {
    /// The default settings, with these addresses.
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
