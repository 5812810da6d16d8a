use std::collections::VecDeque;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rtc_sctp::{
    Association, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event,
    Payload, PayloadProtocolIdentifier, ServerConfig, TransportConfig,
};
use rtc_shared::TransportProtocol;

use super::{Clock, IdleRounds, Impairment, Link, PACKET, Pair, Reading, Toward, UserData, carry};

/// Two endpoints of the crate `rtc-sctp`.
pub struct RtcSctpPair {
    left: End,
    right: End,
    transport: TransportConfig,
    buffer: usize,
    link: Option<Link<Bytes>>,
    clock: Clock,
    reader: Vec<u8>,
    answers: u64,
}

struct End {
    endpoint: Endpoint,
    associations: Vec<(AssociationHandle, Association)>,
    peer: SocketAddr,
    packets: VecDeque<Bytes>,
    established: usize,
}

impl RtcSctpPair {
    /// Two endpoints without an association; each will have buffers of `buffer` bytes.
    #[must_use]
    pub fn new(buffer: usize) -> Self {
        let transport = TransportConfig::default()
            .with_max_receive_buffer_size(u32::try_from(buffer).expect("a few megabytes"));
        let addresses = [[192, 0, 2, 1], [192, 0, 2, 2]].map(|ip| SocketAddr::from((ip, 9899)));
        let server = Arc::new(ServerConfig::new(transport.clone()));
        Self {
            left: End::new(addresses[0], addresses[1], None),
            right: End::new(addresses[1], addresses[0], Some(server)),
            transport,
            buffer,
            link: None,
            clock: Clock::new(),
            reader: vec![0; 1 << 20],
            answers: 0,
        }
    }

    fn run_timers(&mut self) {
        let now = self.clock.instant();
        self.left.run_timers(now);
        self.right.run_timers(now);
    }
}

impl Pair for RtcSctpPair {
    fn connect(&mut self) {
        let config = ClientConfig::new(self.transport.clone());
        let (now, peer) = (self.clock.instant(), self.left.peer);
        let association = self
            .left
            .endpoint
            .connect(now, config, peer)
            .expect("the peer can be called");
        self.left.associations.push(association);
        let wanted = self.left.established + 1;
        let mut idle_rounds = IdleRounds::default();
        while self.left.established < wanted || self.right.established < wanted {
            if idle_rounds.is_spent(self.carry()) {
                assert!(self.wait(), "the handshake came to a standstill");
            }
        }
    }

    fn offer(&mut self, data: &mut UserData, most: u64) -> u64 {
        let now = self.clock.instant();
        let Some((_, association)) = self.left.associations.last_mut() else {
            return 0;
        };
        let ppid = PayloadProtocolIdentifier::Binary;
        if association.stream(0).is_err() {
            association.open_stream(0, ppid).expect("the stream is new");
        }
        let mut stream = association.stream(0).expect("the stream is open");
        let buffered = stream.buffered_amount().expect("the stream is open");
        let room = self.buffer.saturating_sub(buffered) / data.message_len();
        let count = most.min(room as u64);
        for _ in 0..count {
            stream
                .write_sctp(now, &data.next_bytes(), ppid)
                .expect("a message is accepted");
        }
        count
    }

    fn carry(&mut self) -> u64 {
        self.clock.turn();
        self.run_timers();
        let now = self.clock.instant();
        let (passed, link) = (self.clock.passed(), &mut self.link);
        let (left, right) = (&mut self.left, &mut self.right);
        left.collect(now);
        let packets = left.packets.drain(..);
        let carried = carry(link, passed, Toward::Right, packets, |packet| {
            right.handle(now, packet);
        });
        right.collect(now);
        let packets = right.packets.drain(..);
        let answered = carry(link, passed, Toward::Left, packets, |packet| {
            left.handle(now, packet);
        });
        self.answers += answered;
        carried + self.link.as_ref().map_or(0, |_| answered)
    }

    fn answers(&self) -> u64 {
        self.answers
    }

    fn read(&mut self) -> Reading {
        let mut reading = Reading::default();
        let Some((_, association)) = self.right.associations.last_mut() else {
            return reading;
        };
        let Ok(mut stream) = association.stream(0) else {
            return reading;
        };
        while let Ok(Some(message)) = stream.read_sctp() {
            let len = message.read(&mut self.reader).expect("there is room");
            black_box(&self.reader);
            reading.messages += 1;
            reading.bytes += len as u64;
        }
        reading
    }

    fn wait(&mut self) -> bool {
        let due = [&self.left, &self.right].map(|end| end.associations.last()?.1.poll_timeout());
        let due = due.map(|due| Some(self.clock.since_origin(due?)));
        let arrival = self.link.as_ref().and_then(Link::next);
        let Some(due) = due.into_iter().chain([arrival]).flatten().min() else {
            return false;
        };
        self.clock.skip_to(due);
        self.run_timers();
        true
    }

    fn set_impairment(&mut self, impairment: Impairment) {
        self.clock.refine();
        self.link = Some(Link::new(impairment));
    }

    fn passed(&self) -> Duration {
        self.clock.passed()
    }
}

impl End {
    fn new(local: SocketAddr, peer: SocketAddr, server: Option<Arc<ServerConfig>>) -> Self {
        let packet = u32::try_from(PACKET).expect("a packet is small");
        let mut config = EndpointConfig::new();
        config.max_payload_size(rtc_sctp::max_payload_size_for_mtu(packet));
        Self {
            endpoint: Endpoint::new(local, TransportProtocol::UDP, Arc::new(config), server),
            associations: Vec::new(),
            peer,
            packets: VecDeque::new(),
            established: 0,
        }
    }

    fn run_timers(&mut self, now: Instant) {
        if let Some((_, association)) = self.associations.last_mut()
            && association.poll_timeout().is_some_and(|due| due <= now)
        {
            association.handle_timeout(now);
        }
    }

    /// Takes events and packets out of the association in use.
    fn collect(&mut self, now: Instant) {
        let Some((handle, association)) = self.associations.last_mut() else {
            return;
        };
        while let Some(event) = association.poll() {
            match event {
                Event::Connected => self.established += 1,
                Event::AssociationLost { reason, .. } => panic!("the association ended: {reason}"),
                _ => {}
            }
        }
        while let Some(event) = association.poll_endpoint_event() {
            self.endpoint.handle_event(*handle, event);
        }
        while association.accept_stream().is_some() {}
        while let Some(transmit) = association.poll_transmit(now) {
            if let Payload::RawEncode(packets) = transmit.message {
                self.packets.extend(packets);
            }
        }
    }

    fn handle(&mut self, now: Instant, packet: Bytes) {
        match self.endpoint.handle(now, self.peer, None, packet) {
            Some((handle, DatagramEvent::NewAssociation(association))) => {
                self.associations.push((handle, association));
            }
            Some((handle, DatagramEvent::AssociationEvent(event))) => {
                if let Some((last, association)) = self.associations.last_mut()
                    && *last == handle
                {
                    association.handle_event(event);
                }
            }
            _ => {}
        }
    }
}
