//! The engine with a clock of its user's.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use sheave_engine::wire::StreamId;
use sheave_engine::{
    Assoc, AssocId, Connect, ConnectError, Datagram, Ecn, EndpointOptions, Event, Inits, Node,
    Options, PeerAddress, Time,
};

/// Addresses mean nothing inside DTLS: these are never sent.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

/// Packets of one length that are made at a time, at most.
const TRAIN: usize = 16;

/// An engine that threads can share, as users of str0m expect of all its parts: policies that are
/// brought to an engine need not be [`Sync`].
pub(crate) struct SharedEngine(Box<Mutex<Engine>>);

impl SharedEngine {
    pub(crate) fn new(engine: Engine) -> Self {
        Self(Box::new(Mutex::new(engine)))
    }

    /// The engine, without a lock.
    pub(crate) fn get_mut(&mut self) -> &mut Engine {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Engine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine, which counts time from the first instant that it is told of.
pub(crate) struct Engine {
    endpoint: sheave_engine::Endpoint,
    origin: Option<Instant>,
    now: Time,
    train: Vec<u8>,
}

impl Engine {
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        Ok(Self {
            endpoint: sheave_engine::Endpoint::new(vec![HERE], EndpointOptions::default(), seed),
            origin: None,
            now: Time::ZERO,
            train: Vec::new(),
        })
    }

    /// Begins an association, with INIT chunks of the signalling if there are any.
    pub(crate) fn connect(
        &mut self,
        ports: (u16, u16),
        options: Options,
        inits: Option<&(Bytes, Bytes)>,
    ) -> Result<AssocId, ConnectError> {
        let to = Connect {
            local_port: Some(ports.0),
            local: Vec::new(),
            remote_port: ports.1,
            remote: vec![PeerAddress::native(PEER)],
            options,
        };
        match inits.and_then(|(ours, theirs)| Inits::new(ours, theirs)) {
            Some(inits) => self.endpoint.connect_with_inits(self.now, to, inits),
            None => self.endpoint.connect(self.now, to),
        }
    }

    pub(crate) fn listen(&mut self, port: u16, options: Options) {
        // Refused for a port that is 0, or listened on: then packets to it are not answered.
        let _ = self.endpoint.listen(port, options);
    }

    /// The time of the last call that told one: those that tell none happen then.
    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// The same time, as its user has it; `None` before the first call that told one.
    pub(crate) fn instant(&self) -> Option<Instant> {
        let origin = self.origin?;
        Some(origin + Duration::from_nanos(self.now.as_nanos()))
    }

    /// Goes on to `now`, never back.
    fn advance(&mut self, now: Instant) -> Time {
        let origin = *self.origin.get_or_insert(now);
        let nanos = now.saturating_duration_since(origin).as_nanos();
        let now = Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.now = self.now.max(now);
        self.now
    }

    pub(crate) fn handle_packet(&mut self, now: Instant, payload: &[u8]) {
        let now = self.advance(now);
        let datagram = Datagram {
            local: HERE,
            remote: PeerAddress::native(PEER),
            ecn: Ecn::NotEct,
            payload,
        };
        self.endpoint.handle_datagram(now, datagram);
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        let now = self.advance(now);
        self.endpoint.handle_timeout(now);
    }

    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        let due = Duration::from_nanos(self.endpoint.poll_timeout()?.as_nanos());
        self.origin.map(|origin| origin + due)
    }

    /// The packets that are due, of one length but for the last.
    pub(crate) fn poll_packets(&mut self, now: Instant) -> Option<Vec<Bytes>> {
        let now = self.advance(now);
        let transmit = (self.endpoint).poll_transmit(now, &mut self.train, TRAIN)?;
        let length = transmit.segment_size.unwrap_or(self.train.len()).max(1);
        let packets = self.train.chunks(length);
        Some(packets.map(Bytes::copy_from_slice).collect())
    }

    pub(crate) fn poll_event(&mut self) -> Option<(AssocId, Event)> {
        self.endpoint.poll_event()
    }

    pub(crate) fn buffered(&self, id: AssocId, stream: StreamId) -> usize {
        self.endpoint.stream_buffered(id, stream)
    }

    pub(crate) fn assoc(&mut self, id: AssocId) -> Option<Assoc<'_>> {
        self.endpoint.assoc(id)
    }
}
