use bytes::{Bytes, BytesMut};
use core::net::IpAddr;
use std::collections::BTreeMap;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    Assoc, AssocId, Connect, Datagram, Delivery, EarlyData, Endpoint, EndpointOptions,
    ErrorWarning, Event, Icmp, Message, Node, Options, Part, PeerAddress, Received, Reliability,
    SendOptions, Time, Transmit,
};

use crate::first_sends::FirstSends;
use crate::packet_log::{Direction, LoggedPacket};
use crate::watch::{Keep, Watch};
use crate::{
    Admission, Advertised, Agent, Arrival, KeyManagement, Progress, Protocol, Sample, Standing,
    Stats, Transport,
};

/// The side that opens the association.
#[derive(Clone, Debug)]
enum Role {
    Client(Box<Connect>),
    Server { port: u16, options: Box<Options> },
}

/// Whether the association has something to read or accepts data, according to its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Yes,
    /// Waits for an event.
    No,
}

/// An association of the engine.
#[derive(Debug)]
pub struct Sctp {
    endpoint: Endpoint,
    role: Role,
    id: Option<AssocId>,
    standing: Standing,
    writable: Ready,
    readable: Ready,
    /// Delivery order of sent messages.
    delivery: Delivery,
    /// Reliability of sent messages.
    reliability: Reliability,
    /// Messages in partial delivery, by stream.
    parts: BTreeMap<StreamId, BytesMut>,
    /// Messages still unread when the association ended.
    unread: std::vec::IntoIter<Received>,
    log: Vec<(Time, Event)>,
    watch: Option<Watch>,
    first_sends: Option<FirstSends>,
    /// Logged packets, oldest first.
    packets: Option<Vec<LoggedPacket>>,
    keys: Option<Box<dyn KeyManagement>>,
}

impl Sctp {
    /// The connecting side, with the peer's addresses in order of preference. `seed` determines all
    /// randomness in the engine; see [`World::seed`](crate::World::seed).
    #[must_use]
    pub fn client(
        local: &[IpAddr],
        remote: (&[IpAddr], u16),
        options: Options,
        endpoint: EndpointOptions,
        seed: [u8; 32],
    ) -> Self {
        let connect = Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: remote.1,
            remote: remote.0.iter().copied().map(PeerAddress::native).collect(),
            options,
        };
        Self::new(local, Role::Client(Box::new(connect)), endpoint, seed)
    }

    /// The side that listens.
    #[must_use]
    pub fn server(
        local: &[IpAddr],
        port: u16,
        options: Options,
        endpoint: EndpointOptions,
        seed: [u8; 32],
    ) -> Self {
        let options = Box::new(options);
        Self::new(local, Role::Server { port, options }, endpoint, seed)
    }

    fn new(local: &[IpAddr], role: Role, endpoint: EndpointOptions, seed: [u8; 32]) -> Self {
        Self {
            endpoint: Endpoint::new(local.to_vec(), endpoint, seed),
            role,
            id: None,
            standing: Standing::Opening,
            writable: Ready::Yes,
            readable: Ready::No,
            delivery: Delivery::Ordered,
            reliability: Reliability::Reliable,
            parts: BTreeMap::new(),
            unread: Vec::new().into_iter(),
            log: Vec::new(),
            watch: None,
            first_sends: None,
            packets: None,
            keys: None,
        }
    }

    /// Protects the packets of its associations.
    #[must_use]
    pub fn with_keys(mut self, keys: Box<dyn KeyManagement>) -> Self {
        let options = match &mut self.role {
            Role::Client(connect) => &mut connect.options,
            Role::Server { options, .. } => options,
        };
        *options = keys.fit(core::mem::take(options));
        self.keys = Some(keys);
        self
    }

    /// Sets whether sent messages are ordered within their stream (the default) or unordered.
    #[must_use]
    pub const fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// Makes sent messages abandonable, if the options of both ends allow it (RFC 3758).
    #[must_use]
    pub const fn with_reliability(mut self, reliability: Reliability) -> Self {
        self.reliability = reliability;
        self
    }

    /// The current association, if any, for statistics and settings.
    pub fn assoc(&mut self) -> Option<Assoc<'_>> {
        self.endpoint.assoc(self.id?)
    }

    /// The endpoint, for statistics.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Events of the association, except those that only announce readability or writability.
    pub fn log(&self) -> &[(Time, Event)] {
        &self.log
    }

    /// Records a [`Sample`] of a path after every relevant change.
    #[must_use]
    pub fn watched(mut self) -> Self {
        self.watch = Some(Watch::new(Keep::Samples));
        self
    }

    /// Records the [`Stats`] of an association when it ends.
    #[must_use]
    pub fn with_stats(mut self) -> Self {
        self.watch = Some(Watch::new(Keep::Last));
        self
    }

    /// Records everything that [`watched`](Self::watched) does, plus all packets, for an event log.
    #[must_use]
    pub fn logged(mut self) -> Self {
        self.packets = Some(Vec::new());
        self.watched()
    }

    /// Records the first transmission time of each message of a [`Messages`](crate::Messages)
    /// workload.
    #[must_use]
    pub fn with_first_sends(mut self) -> Self {
        self.first_sends = Some(FirstSends::default());
        self
    }

    /// First transmission time of a message on a stream; `None` if not sent yet, or without
    /// [`with_first_sends`](Self::with_first_sends).
    pub fn first_sent(&self, stream: u16, number: u64) -> Option<Time> {
        self.first_sends.as_ref()?.of(stream, number)
    }

    pub(crate) fn packets(&self) -> &[LoggedPacket] {
        self.packets.as_deref().unwrap_or_default()
    }

    /// Changes of the paths, oldest first; empty unless [`watched`](Self::watched).
    pub fn samples(&self) -> &[Sample] {
        self.watch.as_ref().map_or(&[], Watch::samples)
    }

    /// Advertised windows, one per SACK sent, oldest first; empty unless
    /// [`watched`](Self::watched).
    pub fn advertised(&self) -> &[Advertised] {
        self.watch.as_ref().map_or(&[], Watch::advertised)
    }

    /// State of the current association, or of the last one before it ended. `None` if there was
    /// none, or if the ended one was neither [`watched`](Self::watched) nor
    /// [`with_stats`](Self::with_stats).
    pub fn stats(&self) -> Option<Stats> {
        let current = current(&self.endpoint, self.id?);
        current.or_else(|| self.watch.as_ref()?.last().cloned())
    }

    /// Saves the association's state before an event that may end it.
    #[inline]
    fn keep(&mut self) {
        if let Some(watch) = &mut self.watch {
            let stats = self.id.and_then(|id| current(&self.endpoint, id));
            watch.keep(stats);
        }
    }

    /// Samples the paths after an event.
    #[inline]
    fn look(&mut self, now: Time) {
        if let Some(watch) = &mut self.watch
            && watch.wants_samples()
        {
            let stats = self.id.and_then(|id| current(&self.endpoint, id));
            watch.look(now, stats);
        }
    }

    #[inline]
    fn note_sent(&mut self, now: Time, remote: IpAddr, packet: &[u8]) {
        if let Some(first_sends) = &mut self.first_sends {
            first_sends.note(now, packet);
        }
        if let Some(packets) = &mut self.packets {
            packets.push(LoggedPacket::new(now, Direction::Sent, remote, packet));
        }
    }

    fn take_events(&mut self, now: Time) {
        while let Some((id, event)) = self.next_event(now) {
            match event {
                Event::Readable => self.readable = Ready::Yes,
                Event::Writable => self.writable = Ready::Yes,
                Event::Drained => {}
                Event::Established { .. } => {
                    // Further associations are ignored.
                    self.id.get_or_insert(id);
                    self.standing = Standing::Open;
                    self.log.push((now, event));
                }
                Event::PeerShutdown => {
                    self.standing = Standing::Closed;
                    self.log.push((now, event));
                }
                Event::Closed { reason, mut unread } => {
                    self.standing = Standing::Closed;
                    self.unread = core::mem::take(&mut unread).into_iter();
                    self.log.push((now, Event::Closed { reason, unread }));
                }
                _ => self.log.push((now, event)),
            }
        }
    }

    fn next_event(&mut self, now: Time) -> Option<(AssocId, Event)> {
        match &mut self.keys {
            Some(keys) => keys.poll_event(now, &mut self.endpoint),
            None => self.endpoint.poll_event(),
        }
    }

    fn next_received(&mut self, now: Time) -> Option<Received> {
        if let Some(received) = self.unread.next() {
            return Some(received);
        }
        if self.readable == Ready::No {
            return None;
        }
        let mut assoc = self.assoc()?;
        let received = assoc.receive(now);
        if !assoc.is_readable() {
            self.readable = Ready::No;
        }
        received
    }

    /// Assembles parts; `None` until the last one has arrived.
    fn whole(&mut self, received: Received) -> Option<Arrival> {
        let Message {
            stream, payload, ..
        } = received.message;
        let payload = match received.part {
            Part::Whole => payload,
            Part::First | Part::Middle => {
                self.parts.entry(stream).or_default().extend(&payload);
                return None;
            }
            Part::Last => {
                let mut whole = self.parts.remove(&stream).unwrap_or_default();
                whole.extend(&payload);
                whole.freeze()
            }
        };
        let stream = stream.0;
        Some(Arrival { stream, payload })
    }
}

#[inline(never)] // Most runs are not watched.
fn current(endpoint: &Endpoint, id: AssocId) -> Option<Stats> {
    Some(Stats {
        assoc: endpoint.stats_of(id)?,
        paths: endpoint.paths_of(id),
    })
}

impl Node for Sctp {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        if let Some(packets) = &mut self.packets {
            let (remote, packet) = (datagram.remote.ip, datagram.payload);
            packets.push(LoggedPacket::new(now, Direction::Received, remote, packet));
        }
        self.keep();
        self.endpoint.handle_datagram(now, datagram);
        self.take_events(now);
        self.look(now);
    }

    fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        self.keep();
        self.endpoint.handle_icmp(now, icmp);
        self.take_events(now);
        self.look(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.keep();
        self.endpoint.handle_timeout(now);
        self.take_events(now);
        self.look(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        let transmit = self.endpoint.poll_transmit(now, buf, max);
        self.look(now);
        if let Some(transmit) = &transmit {
            self.note_sent(now, transmit.remote.ip, buf);
        }
        transmit
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.endpoint.poll_timeout()
    }
}

impl Agent for Sctp {
    fn protocol(&self) -> Protocol {
        Protocol::Sctp
    }

    fn owns_port(&self, port: u16) -> bool {
        self.endpoint.owns_port(port)
    }

    fn handle_error_warning(&mut self, now: Time, warning: ErrorWarning<'_>) {
        self.keep();
        self.endpoint.handle_error_warning(now, warning);
        self.take_events(now);
        self.look(now);
    }

    fn progress(&self) -> Progress {
        Progress::Endless
    }
}

impl Transport for Sctp {
    fn open(&mut self, now: Time) {
        let opened = match &self.role {
            Role::Client(connect) => {
                let connected = self.endpoint.connect(now, connect.as_ref().clone());
                // Data may be queued before the handshake completes.
                if connect.options.early_data != EarlyData::Off {
                    self.standing = Standing::Open;
                }
                if let (Ok(id), Some(keys)) = (&connected, &mut self.keys) {
                    keys.expect(now, &mut self.endpoint, *id);
                }
                connected.map(|id| self.id = Some(id)).is_ok()
            }
            Role::Server { port, options } => self
                .endpoint
                .listen(*port, options.as_ref().clone())
                .is_ok(),
        };
        if !opened {
            self.standing = Standing::Closed;
        }
        self.take_events(now);
    }

    fn standing(&self) -> Standing {
        self.standing
    }

    fn send(&mut self, now: Time, stream: u16, payload: Bytes) -> Admission {
        if self.writable == Ready::No {
            return Admission::Full;
        }
        let message = Message {
            delivery: self.delivery,
            ..Message::new(StreamId(stream), payload)
        };
        let options = SendOptions {
            reliability: self.reliability,
            ..SendOptions::default()
        };
        let sent = self
            .assoc()
            .is_some_and(|mut assoc| assoc.send(now, message, options).is_ok());
        if sent {
            return Admission::Taken;
        }
        self.writable = Ready::No;
        Admission::Full
    }

    fn receive(&mut self, now: Time) -> Option<Arrival> {
        loop {
            let received = self.next_received(now)?;
            if let Some(arrival) = self.whole(received) {
                return Some(arrival);
            }
        }
    }

    fn queued(&mut self) -> Option<usize> {
        self.assoc().map(|assoc| assoc.stats().send_buffered)
    }

    fn defer(&mut self, now: Time, stream: u16) {
        if let Some(mut assoc) = self.assoc() {
            // Fails if the stream does not exist; nothing is sent on it then.
            let _ = assoc.set_stream_priority(now, StreamId(stream), 1);
        }
    }

    fn close(&mut self, now: Time) {
        self.keep();
        if let Some(mut assoc) = self.assoc() {
            // Fails if a shutdown is in progress, which has the same effect.
            let _ = assoc.shutdown(now);
        }
        self.take_events(now);
    }
}
