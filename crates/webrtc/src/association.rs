//! SCTP and the channels inside the DTLS connection.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use sheave_datachannel::{
    ChannelConfig, ChannelEvent, ChannelId, ChannelOptions, DataChannels, Message, OpenError, Role,
    SendError, association_options,
};
use sheave_engine::{
    CloseReason, Connect, ConnectError, Datagram, Ecn, Endpoint, EndpointOptions, Event, Inits,
    Node, OptionError, Options, PathMtuDiscovery, PeerAddress, Time, UNLIMITED, ZeroChecksum,
};

/// Addresses have no meaning inside DTLS, and are never sent.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

/// Bytes per packet that the engine does not account for: UDP, the longest DTLS record overhead,
/// and the difference between an IPv6 and an IPv4 header.
const OVERHEAD: u16 = 8 + sheave::dtls::RECORD_OVERHEAD + 20;

/// IP packet size in bytes that practically every Internet path carries (RFC 8200 §5, RFC 8831 §5).
const SMALLEST_PATH: u16 = 1280;

/// ICE decides whether the peer is reachable, so the engine retries until the connection is closed,
/// and often enough to resume soon after an interruption.
const RTO_MAX: Duration = Duration::from_secs(10);

/// The association of a connection, and its channels.
pub(crate) struct Association {
    origin: Instant,
    pub(crate) endpoint: Endpoint,
    pub(crate) channels: DataChannels,
    packet: Vec<u8>,
    ended: Option<CloseReason>,
    connected: bool,
}

impl Association {
    pub(crate) fn new(
        now: Instant,
        role: Role,
        ports: (u16, u16),
        (options, max_pmtu): (Options, u16),
        limits: ChannelOptions,
        seed: [u8; 32],
        inits: Option<Inits<'_>>,
    ) -> Result<Self, ConnectError> {
        let mut endpoint = Endpoint::new(vec![HERE], EndpointOptions::default(), seed);
        let connect = Connect {
            local_port: Some(ports.0),
            local: Vec::new(),
            remote_port: ports.1,
            remote: vec![PeerAddress::native(PEER)],
            options: options_inside(options, max_pmtu),
        };
        let assoc = match inits {
            Some(inits) => endpoint.connect_with_inits(Time::ZERO, connect, inits),
            None => endpoint.connect(Time::ZERO, connect),
        }?;
        let channels = DataChannels::new(&mut endpoint, assoc, role, limits);
        let mut association = Self {
            origin: now,
            endpoint,
            channels,
            packet: Vec::new(),
            ended: None,
            connected: false,
        };
        association.settle(Time::ZERO);
        Ok(association)
    }

    pub(crate) fn time(&self, now: Instant) -> Time {
        let nanos = now.saturating_duration_since(self.origin).as_nanos();
        Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    pub(crate) fn handle_packet(&mut self, now: Instant, payload: &[u8]) {
        let time = self.time(now);
        let datagram = Datagram {
            local: HERE,
            remote: PeerAddress::native(PEER),
            ecn: Ecn::NotEct,
            payload,
        };
        self.endpoint.handle_datagram(time, datagram);
        self.settle(time);
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        let time = self.time(now);
        self.endpoint.handle_timeout(time);
        self.settle(time);
    }

    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        let due = self.endpoint.poll_timeout()?;
        Some(self.origin + Duration::from_nanos(due.as_nanos()))
    }

    /// The next packets, and the length of all but the last.
    pub(crate) fn poll_packets(&mut self, now: Instant, most: usize) -> Option<(&[u8], usize)> {
        let time = self.time(now);
        self.packet.clear();
        let transmit = self.endpoint.poll_transmit(time, &mut self.packet, most)?;
        let length = transmit.segment_size.unwrap_or(self.packet.len());
        Some((&self.packet, length.max(1)))
    }

    pub(crate) fn poll_event(&mut self, now: Instant) -> Option<ChannelEvent> {
        let time = self.time(now);
        self.channels.poll_event(time, &mut self.endpoint)
    }

    pub(crate) fn open(
        &mut self,
        now: Instant,
        config: ChannelConfig,
    ) -> Result<ChannelId, OpenError> {
        let time = self.time(now);
        self.channels.open(time, &mut self.endpoint, config)
    }

    pub(crate) fn send(
        &mut self,
        now: Instant,
        channel: ChannelId,
        message: Message,
    ) -> Result<(), SendError> {
        let time = self.time(now);
        self.channels
            .send(time, &mut self.endpoint, channel, message)
    }

    pub(crate) fn close(&mut self, now: Instant, channel: ChannelId) {
        let time = self.time(now);
        self.channels.close(time, &mut self.endpoint, channel);
    }

    /// Whether the association was established; true once.
    pub(crate) fn take_connected(&mut self) -> bool {
        std::mem::take(&mut self.connected)
    }

    /// The reason why the association ended; returned once.
    pub(crate) fn take_ended(&mut self) -> Option<CloseReason> {
        self.ended.take()
    }

    /// Aborts the association.
    pub(crate) fn abort(&mut self, now: Instant) {
        let time = self.time(now);
        if let Some(assoc) = self.endpoint.assoc(self.channels.assoc()) {
            assoc.abort(time, bytes::Bytes::new());
        }
        self.settle(time);
    }

    /// Whether all sent data has been acknowledged.
    pub(crate) fn is_drained(&mut self) -> bool {
        let assoc = self.endpoint.assoc(self.channels.assoc());
        assoc.is_none_or(|assoc| assoc.unacknowledged() == 0 && assoc.waiting() == 0)
    }

    /// Passes the engine's events to the channels before any packet leaves.
    pub(crate) fn settle(&mut self, time: Time) {
        while let Some((_, event)) = self.endpoint.poll_event() {
            match &event {
                Event::Established { .. } | Event::Restarted => self.connected = true,
                Event::Closed { reason, .. } => self.ended = Some(reason.clone()),
                _ => {}
            }
            self.channels.handle_event(time, &mut self.endpoint, event);
        }
    }
}

/// Our INIT chunk, for the signalling.
pub(crate) fn init_chunk(
    options: Options,
    max_pmtu: u16,
    seed: [u8; 32],
) -> Result<Vec<u8>, OptionError> {
    Endpoint::init_chunk(&options_inside(options, max_pmtu), seed)
}

/// Options for an association inside DTLS whose reachability ICE monitors.
fn options_inside(options: Options, max_pmtu: u16) -> Options {
    Options {
        zero_checksum: ZeroChecksum::Dtls,
        initial_pmtu: SMALLEST_PATH - OVERHEAD,
        path_mtu_discovery: match max_pmtu {
            ..=SMALLEST_PATH => PathMtuDiscovery::Off,
            wider => PathMtuDiscovery::Plpmtud {
                max: wider - OVERHEAD,
            },
        },
        rto_max: RTO_MAX.max(options.rto_min),
        association_max_retrans: UNLIMITED,
        path_max_retrans: UNLIMITED,
        potentially_failed_max_retrans: None,
        primary_switchover_max_retrans: None,
        max_init_retransmits: UNLIMITED,
        dead_peer_timeout: None,
        ..association_options(options)
    }
}
