use std::hint::black_box;
use std::iter;
use std::mem;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, Checksum, Connect, Datagram, Delivery, Ecn, Endpoint, EndpointOptions, Event, Message,
    Node, Options, PeerAddress, SendError, SendOptions, Time,
};

use super::{Clock, End, Ends, IdleRounds, Pair, Reading, Rng, Troubles, UserData};
use crate::cpu_time;

/// Maximum packets requested per train, as for GSO.
const TRAIN: usize = 64;

/// Associations in use at the same time, in [`SheavePair::cost_in_use`].
pub const AT_A_TIME: usize = 32;
/// Messages per association and turn.
pub const EACH: u64 = 4;
/// Turns per sample, each with different associations.
const TURNS: usize = 500;

const PORT: u16 = 5000;
const LEFT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const RIGHT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

/// Configuration of a pair of Sheave endpoints.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Options of every association.
    pub options: Options,
    /// Whether packets have checksums.
    pub checksum: Checksum,
    /// Lost packets with data, per thousand.
    pub lost_per_mille: u16,
    /// Number of streams, used in turn.
    pub streams: u16,
    /// Whether messages are ordered.
    pub delivery: Delivery,
}

impl Setup {
    /// Configures one ordered stream, checksums, and no losses.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            checksum: Checksum::Computed,
            lost_per_mille: 0,
            streams: 1,
            delivery: Delivery::Ordered,
        }
    }
}

/// Two Sheave endpoints.
pub type SheavePair = Ends<SheaveEnd>;

/// A Sheave endpoint.
pub struct SheaveEnd {
    endpoint: Endpoint,
    address: IpAddr,
    setup: Setup,
    /// Associations in order of establishment; the ids are equal at both ends.
    established: Vec<AssocId>,
    /// The association used for sending or reading.
    chosen: Option<AssocId>,
    /// Whether the endpoint may have packets to send.
    poll: Poll,
    next_stream: u16,
    /// The last message refused by a full send buffer.
    refused: Option<Message>,
    rng: Rng,
    next_port: u16,
    /// Port on which the right end last listened.
    port: u16,
    buffer: Vec<u8>,
}

/// Whether to poll an endpoint for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Poll {
    /// The state changed since the last poll.
    Due,
    /// The end has nothing to send.
    Answered,
}

impl SheavePair {
    /// Creates two endpoints without an association.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with(Setup::new(options))
    }

    /// Creates two endpoints without an association, with this configuration.
    #[must_use]
    pub fn with(mut setup: Setup) -> Self {
        setup.options.outbound_streams = setup.options.outbound_streams.max(setup.streams);
        let mut right = SheaveEnd::new(RIGHT, 2, setup.clone());
        right.listen();
        Self::between(SheaveEnd::new(LEFT, 1, setup), right)
    }

    /// Memory of the left end's associations, by their own count, bytes.
    pub fn footprint(&mut self) -> usize {
        let ids: Vec<AssocId> = self.left.endpoint.associations().collect();
        ids.into_iter()
            .filter_map(|id| Some(self.left.endpoint.assoc(id)?.footprint()))
            .sum()
    }

    /// Number of connected associations.
    pub const fn associations(&self) -> usize {
        self.left.established.len()
    }

    /// Transfers `each` messages on each of `count` random associations concurrently; returns the
    /// packets carried to the right.
    ///
    /// # Panics
    /// There are fewer than `count` associations.
    pub fn transfer_among(&mut self, data: &mut UserData, count: usize, each: u64) -> u64 {
        let chosen = self.left.choose(count);
        self.transfer_at(data, &chosen, each)
    }

    /// Transfers `each` messages on each of the associations with these indices (in order of
    /// connection) concurrently; returns the packets carried to the right.
    pub fn transfer_at(&mut self, data: &mut UserData, chosen: &[usize], each: u64) -> u64 {
        let mut packets = 0;
        let mut missing = chosen.len() as u64 * each * data.message_len() as u64;
        let mut unsent: Vec<(usize, u64)> = chosen.iter().map(|index| (*index, each)).collect();
        let mut idle_rounds = IdleRounds::default();
        while missing > 0 {
            let mut brought = 0;
            for (index, left) in &mut unsent {
                self.left.chosen = self.left.established.get(*index).copied();
                let taken = self.offer(data, *left);
                *left -= taken;
                brought += taken;
            }
            unsent.retain(|(_, left)| *left > 0);
            let carried = self.carry();
            packets += carried;
            for index in chosen {
                self.right.chosen = self.right.established.get(*index).copied();
                let read = self.read().bytes;
                missing -= read;
                brought += read;
            }
            if idle_rounds.is_spent(brought + carried) {
                assert!(self.wait(), "the transfer came to a standstill");
            }
        }
        packets
    }

    /// Transfers on [`AT_A_TIME`] random associations concurrently, then on others, and so on; returns
    /// the CPU time of both ends per packet with data, seconds.
    pub fn cost_in_use(&mut self, data: &mut UserData) -> f64 {
        let at_a_time = AT_A_TIME.min(self.associations());
        let (begin, mut packets) = (cpu_time(), 0);
        for _ in 0..TURNS * AT_A_TIME / at_a_time {
            packets += self.transfer_among(data, at_a_time, EACH);
        }
        (cpu_time() - begin).as_secs_f64() / packets as f64
    }
}

impl SheaveEnd {
    fn new(address: IpAddr, seed: u8, setup: Setup) -> Self {
        let options = EndpointOptions {
            checksum: setup.checksum,
            max_associations: 1 << 20,
            ..EndpointOptions::default()
        };
        Self {
            endpoint: Endpoint::new(vec![address], options, [seed; 32]),
            address,
            setup,
            established: Vec::new(),
            chosen: None,
            poll: Poll::Due,
            next_stream: 0,
            refused: None,
            rng: Rng(0x9e37_79b9_7f4a_7c15),
            next_port: 1024,
            port: PORT,
            buffer: Vec::new(),
        }
    }

    fn listen(&mut self) {
        let listening = self.endpoint.listen(self.port, self.setup.options.clone());
        listening.expect("the port is free");
    }

    /// Indices of `count` distinct random associations.
    fn choose(&mut self, count: usize) -> Vec<usize> {
        let all = self.established.len();
        assert!(count <= all, "{count} of {all} associations");
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count {
            let index = usize::try_from(self.rng.below(all as u64));
            if let Ok(index) = index
                && !chosen.contains(&index)
            {
                chosen.push(index);
            }
        }
        chosen
    }

    fn handle_payload(&mut self, now: Time, from: IpAddr, payload: &[u8]) {
        let datagram = Datagram {
            local: self.address,
            remote: PeerAddress::encapsulated(from, 9899),
            ecn: Ecn::NotEct,
            payload,
        };
        self.endpoint.handle_datagram(now, datagram);
        self.poll = Poll::Due;
    }

    /// Carries one train to `to`, without lost packets; returns the number of packets.
    fn send_train(&mut self, to: &mut Self, now: Time) -> u64 {
        let transmit = self.endpoint.poll_transmit(now, &mut self.buffer, TRAIN);
        let Some(transmit) = transmit else {
            return 0;
        };
        let segment = transmit.segment_size.unwrap_or(self.buffer.len()).max(1);
        let lost = u64::from(self.setup.lost_per_mille);
        let mut packets = 0;
        for payload in self.buffer.chunks(segment) {
            packets += 1;
            if lost > 0 && self.address == LEFT && self.rng.below(1000) < lost {
                continue;
            }
            to.handle_payload(now, self.address, payload);
        }
        packets
    }
}

impl End for SheaveEnd {
    type Packet = Bytes;

    fn prepare(&mut self) {
        if self.next_port == u16::MAX {
            // All local ports have an association with this remote port.
            self.next_port = 1024;
            self.port += 1;
            if self.address == RIGHT {
                self.listen();
            }
        }
        self.next_port += 1;
    }

    fn call(&mut self, clock: &Clock) {
        let to = Connect {
            local_port: Some(self.next_port - 1),
            local: Vec::new(),
            remote_port: self.port,
            remote: vec![PeerAddress::encapsulated(RIGHT, 9899)],
            options: self.setup.options.clone(),
        };
        let called = self.endpoint.connect(now(clock), to);
        called.expect("the peer can be called");
        self.poll = Poll::Due;
    }

    fn established(&self) -> usize {
        self.established.len()
    }

    fn run_timers(&mut self, clock: &Clock) {
        let now = now(clock);
        if self.endpoint.poll_timeout().is_some_and(|due| due <= now) {
            self.endpoint.handle_timeout(now);
            self.poll = Poll::Due;
        }
    }

    fn due(&self, _: &Clock) -> Option<Duration> {
        Some(self.endpoint.poll_timeout()?.since(Time::ZERO))
    }

    /// Packets are slices of their train's buffer: copying would cost more than the stack.
    fn packets(&mut self, clock: &Clock) -> impl Iterator<Item = Bytes> {
        let now = now(clock);
        let poll = mem::replace(&mut self.poll, Poll::Answered);
        let (mut train, mut segment) = (Bytes::new(), 1);
        iter::from_fn(move || {
            if train.is_empty() && poll == Poll::Due {
                let buffer = &mut self.buffer;
                let transmit = self.endpoint.poll_transmit(now, buffer, TRAIN)?;
                let next = Vec::with_capacity(buffer.len());
                train = Bytes::from(mem::replace(buffer, next));
                segment = transmit.segment_size.unwrap_or(train.len()).max(1);
            }
            (!train.is_empty()).then(|| train.split_to(segment.min(train.len())))
        })
    }

    fn handle(&mut self, clock: &Clock, packet: Bytes) {
        let from = if self.address == LEFT { RIGHT } else { LEFT };
        self.handle_payload(now(clock), from, &packet);
    }

    /// Carries a train to the right, or all answers to the left.
    fn send_to(&mut self, peer: &mut Self, clock: &Clock) -> u64 {
        let now = now(clock);
        if self.address == LEFT {
            return self.send_train(peer, now);
        }
        let trains = iter::from_fn(|| Some(self.send_train(peer, now)));
        trains.take_while(|sent| *sent > 0).sum()
    }

    fn take_events(&mut self) {
        while let Some((id, event)) = self.endpoint.poll_event() {
            match event {
                Event::Established { .. } => {
                    self.established.push(id);
                    self.chosen = Some(id);
                }
                Event::Closed { reason, .. } => panic!("the association ended: {reason:?}"),
                _ => {}
            }
        }
    }

    fn offer(&mut self, clock: &Clock, data: &mut UserData, most: u64) -> u64 {
        let now = now(clock);
        if self.refused.is_some() && self.poll == Poll::Answered {
            // No buffer space was freed since the last refusal.
            return 0;
        }
        let Some(mut assoc) = self.chosen.and_then(|id| self.endpoint.assoc(id)) else {
            return 0;
        };
        for taken in 0..most {
            let message = self.refused.take().unwrap_or_else(|| {
                let mut message = Message::new(StreamId(self.next_stream), data.next_bytes());
                message.delivery = self.setup.delivery;
                message
            });
            match assoc.send(now, message, SendOptions::default()) {
                Ok(()) => {
                    self.next_stream = (self.next_stream + 1) % self.setup.streams;
                    self.poll = Poll::Due;
                }
                Err(SendError::BufferFull(message)) => {
                    self.refused = Some(message);
                    return taken;
                }
                Err(error) => panic!("a message is refused: {error}"),
            }
        }
        most
    }

    fn read(&mut self, clock: &Clock) -> Reading {
        let (now, mut reading) = (now(clock), Reading::default());
        let Some(mut assoc) = self.chosen.and_then(|id| self.endpoint.assoc(id)) else {
            return reading;
        };
        while let Some(received) = assoc.receive(now) {
            // The receiver may have to announce an opened window.
            self.poll = Poll::Due;
            reading.messages += 1;
            reading.bytes += black_box(&received.message.payload).len() as u64;
        }
        reading
    }

    fn troubles(&mut self) -> Option<Troubles> {
        let stats = self.endpoint.assoc(self.chosen?)?.stats();
        Some(Troubles {
            timeouts: stats.timeouts,
            retransmissions: stats.retransmissions,
            duplicates: stats.duplicates_received,
        })
    }
}

fn now(clock: &Clock) -> Time {
    Time::ZERO + clock.passed()
}
