use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    Endpoint as Engine, Heartbeats, Interleaving, Options, PartialReliability, PathMtuDiscovery,
    PeerRequests, Reconfiguration, StreamScheduler, UNLIMITED, ZeroChecksum,
};

use crate::Error;

/// The port of data channels by convention.
pub const DEFAULT_SCTP_PORT: u16 = 5000;

/// Bytes of a packet before the user data: the common header, and the header of a DATA chunk.
const HEADERS: u32 = 12 + 16;

/// Bytes of the IPv4 header that the engine reckons with in a path's MTU.
const IP_HEADER: u32 = 20;

/// Bytes that may wait to be sent: str0m has its own limit, far below.
const SEND_BUFFER: usize = 1 << 30;

/// The retransmission timeout grows no longer than this where no one says otherwise: ICE knows whether
/// the peer is there, and data goes on soon after a silence.
const RTO_MAX: Duration = Duration::from_secs(10);

/// The parameters of an association. What is not set is the engine's.
#[derive(Clone, Debug)]
pub struct TransportConfig {
    receive_buffer: u32,
    pub(crate) max_send: u32,
    pub(crate) max_receive: u32,
    outbound_streams: u16,
    inbound_streams: u16,
    init_retransmits: Option<usize>,
    data_retransmits: Option<usize>,
    rto_initial: Option<Duration>,
    rto_min: Option<Duration>,
    rto_max: Option<Duration>,
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
}

impl Default for TransportConfig {
    fn default() -> Self {
        Self {
            receive_buffer: 1 << 20,
            max_send: 65_536,
            max_receive: 65_536,
            outbound_streams: u16::MAX,
            inbound_streams: u16::MAX,
            init_retransmits: Some(8),
            data_retransmits: None,
            rto_initial: None,
            rto_min: None,
            rto_max: None,
            local_port: DEFAULT_SCTP_PORT,
            remote_port: DEFAULT_SCTP_PORT,
        }
    }
}

/// Methods that set one value each.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($value:ident: $type:ty) $field:ident = $set:expr;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $value: $type) -> Self {
            self.$field = $set;
            self
        })*
    };
}

impl TransportConfig {
    setters! {
        /// Bytes of messages that are unread or incomplete.
        with_max_receive_buffer_size(bytes: u32) receive_buffer = bytes;
        /// Bytes of a message to the peer at most.
        with_max_send_message_size(bytes: u32) max_send = bytes;
        /// Bytes of a message from the peer at most.
        with_max_receive_message_size(bytes: u32) max_receive = bytes;
        /// Streams that we want to send on.
        with_max_num_outbound_streams(count: u16) outbound_streams = count;
        /// Streams that the peer may send on.
        with_max_num_inbound_streams(count: u16) inbound_streams = count;
        /// INITs that are sent again; `None` without end.
        with_max_init_retransmits(count: Option<usize>) init_retransmits = count;
        /// Timeouts in a row before the peer counts as gone; `None` without end.
        with_max_data_retransmits(count: Option<usize>) data_retransmits = count;
        /// The first retransmission timeout.
        with_rto_initial_ms(millis: u64) rto_initial = Some(Duration::from_millis(millis));
        /// The shortest retransmission timeout.
        with_rto_min_ms(millis: u64) rto_min = Some(Duration::from_millis(millis));
        /// The longest retransmission timeout.
        with_rto_max_ms(millis: u64) rto_max = Some(Duration::from_millis(millis));
        /// Our SCTP port.
        with_local_port(port: u16) local_port = port;
        /// The peer's SCTP port.
        with_remote_port(port: u16) remote_port = port;
    }

    /// The engine's options for packets with so many bytes of user data.
    pub(crate) fn options(&self, payload: u32) -> Options {
        let modern = Options::default();
        let rto_max = self.rto_max.unwrap_or(RTO_MAX);
        let rto_min = self.rto_min.unwrap_or(modern.rto_min).min(rto_max);
        let rto_initial = self.rto_initial.unwrap_or(modern.rto_initial);
        let pmtu = payload.saturating_add(HEADERS + IP_HEADER);
        let requests = PeerRequests::RESET_INCOMING.union(PeerRequests::ADD_INCOMING);
        let receive_buffer = usize::try_from(self.receive_buffer).unwrap_or(usize::MAX);
        let receive_buffer = receive_buffer.clamp(4 << 10, 1 << 30);
        Options {
            rto_initial: rto_initial.clamp(rto_min, rto_max),
            rto_min,
            rto_max,
            max_init_retransmits: attempts(self.init_retransmits),
            association_max_retrans: attempts(self.data_retransmits).max(1),
            path_max_retrans: attempts(self.data_retransmits),
            potentially_failed_max_retrans: None,
            primary_switchover_max_retrans: None,
            dead_peer_timeout: None,
            heartbeats: Heartbeats::Off,
            initial_pmtu: u16::try_from(pmtu).unwrap_or(u16::MAX).max(512),
            path_mtu_discovery: PathMtuDiscovery::Off,
            zero_checksum: ZeroChecksum::Dtls,
            outbound_streams: self.outbound_streams,
            max_inbound_streams: self.inbound_streams,
            reconfiguration: Reconfiguration::On(requests),
            partial_reliability: PartialReliability::On,
            interleaving: Interleaving::On,
            scheduler: StreamScheduler::WeightedFairQueueing,
            send_buffer: SEND_BUFFER,
            receive_buffer,
            partial_delivery_point: receive_buffer / 2,
            ..modern
        }
    }
}

fn attempts(limit: Option<usize>) -> u32 {
    limit.map_or(UNLIMITED, |limit| {
        u32::try_from(limit).unwrap_or(u32::MAX).min(1000)
    })
}

/// Makes an INIT chunk for the signalling (draft-hancke-tsvwg-snap).
/// Errors: an option is out of range, or the system has no random numbers.
pub fn generate_snap_token(config: &TransportConfig) -> Result<Bytes, Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| Error::Other(error.to_string()))?;
    let options = config.options(EndpointConfig::default().max_payload_size);
    let init = Engine::init_chunk(&options, seed);
    init.map(Bytes::from)
        .map_err(|error| Error::Other(error.to_string()))
}

/// The parameters of an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    pub(crate) max_payload_size: u32,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            max_payload_size: 1200,
        }
    }
}

impl EndpointConfig {
    /// The usual ones.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the bytes of user data in a packet at most.
    pub fn max_payload_size(&mut self, bytes: u32) -> &mut Self {
        self.max_payload_size = bytes;
        self
    }
}

/// The parameters of an association that the peer begins.
#[derive(Clone, Debug, Default)]
pub struct ServerConfig {
    /// Its parameters.
    pub transport: Arc<TransportConfig>,
}

impl ServerConfig {
    /// The usual ones.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// The parameters of an association that this end begins.
#[derive(Clone, Debug, Default)]
pub struct ClientConfig {
    /// Its parameters.
    pub transport: Arc<TransportConfig>,
    pub(crate) inits: Option<(Bytes, Bytes)>,
}

impl ClientConfig {
    /// The usual ones.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the INIT chunks that the two ends have exchanged: no handshake follows.
    #[must_use]
    pub fn with_snap(mut self, ours: Bytes, theirs: Bytes) -> Self {
        self.inits = Some((ours, theirs));
        self
    }
}
