use std::collections::VecDeque;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sctp_proto::{
    Association, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event,
    Payload, PayloadProtocolIdentifier, ServerConfig, TransportConfig,
};

use super::{Clock, IdleRounds, Impairment, Link, PACKET, Pair, Reading, Toward, UserData, carry};

/// Bytes of the common header and of a DATA chunk's header.
const HEADERS: usize = 28;

/// Two endpoints of the crate `sctp-proto`.
pub struct SctpProtoPair {
    left: End,
    right: End,
    transport: Arc<TransportConfig>,
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

impl SctpProtoPair {
    /// Two endpoints without an association; each will have buffers of `buffer` bytes.
    #[must_use]
    pub fn new(buffer: usize) -> Self {
        let transport = TransportConfig::default()
            .with_max_receive_buffer_size(u32::try_from(buffer).expect("a few megabytes"));
        let transport = Arc::new(transport);
        let mut server = ServerConfig::new();
        server.transport = Arc::clone(&transport);
        Self {
            left: End::new([192, 0, 2, 2], None),
            right: End::new([192, 0, 2, 1], Some(Arc::new(server))),
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

impl Pair for SctpProtoPair {
    fn connect(&mut self) {
        let mut config = ClientConfig::new();
        config.transport = Arc::clone(&self.transport);
        let peer = self.left.peer;
        let association = self
            .left
            .endpoint
            .connect(config, peer)
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
                .write_sctp(&data.next_bytes(), ppid)
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
    fn new(peer: [u8; 4], server: Option<Arc<ServerConfig>>) -> Self {
        let mut config = EndpointConfig::new();
        config.max_payload_size(u32::try_from(PACKET - HEADERS).expect("a packet is small"));
        Self {
            endpoint: Endpoint::new(Arc::new(config), server),
            associations: Vec::new(),
            peer: SocketAddr::from((peer, 9899)),
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
        let Some((_, association)) = self.associations.last_mut() else {
            return;
        };
        while let Some(event) = association.poll() {
            match event {
                Event::Connected => self.established += 1,
                Event::AssociationLost { reason } => panic!("the association ended: {reason}"),
                _ => {}
            }
        }
        while association.poll_endpoint_event().is_some() {}
        while association.accept_stream().is_some() {}
        while let Some(transmit) = association.poll_transmit(now) {
            if let Payload::RawEncode(packets) = transmit.payload {
                self.packets.extend(packets);
            }
        }
    }

    fn handle(&mut self, now: Instant, packet: Bytes) {
        match self.endpoint.handle(now, self.peer, None, None, packet) {
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
            None => {}
        }
    }
}
