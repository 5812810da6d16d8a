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

use super::link::ARRIVALS_PER_ROUND;
use super::{Clock, IdleRounds, Impairment, Link, Pair, Reading, Rng, Toward, Troubles, UserData};

/// Maximum packets requested per train, as for GSO.
const TRAIN: usize = 64;

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
pub struct SheavePair {
    left: End,
    right: End,
    setup: Setup,
    next_stream: u16,
    /// The last message refused by a full send buffer.
    refused: Option<Message>,
    rng: Rng,
    link: Option<Link<Bytes>>,
    clock: Clock,
    next_port: u16,
    /// Port on which the right end last listened.
    port: u16,
    buffer: Vec<u8>,
    packets: u64,
    answers: u64,
}

struct End {
    endpoint: Endpoint,
    address: IpAddr,
    /// Associations in order of establishment; the ids are equal at both ends.
    established: Vec<AssocId>,
    /// The association used for sending or reading.
    chosen: Option<AssocId>,
    /// Whether the endpoint may have packets to send.
    poll: Poll,
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
        let mut right = End::new(RIGHT, 2, setup.checksum);
        right
            .endpoint
            .listen(PORT, setup.options.clone())
            .expect("the port is free");
        Self {
            left: End::new(LEFT, 1, setup.checksum),
            right,
            setup,
            next_stream: 0,
            refused: None,
            rng: Rng(0x9e37_79b9_7f4a_7c15),
            link: None,
            clock: Clock::new(),
            next_port: 1024,
            port: PORT,
            buffer: Vec::new(),
            packets: 0,
            answers: 0,
        }
    }

    /// Memory of the left end's associations, by their own count, bytes.
    pub fn footprint(&mut self) -> usize {
        let ids: Vec<AssocId> = self.left.endpoint.associations().collect();
        ids.into_iter()
            .filter_map(|id| Some(self.left.endpoint.assoc(id)?.footprint()))
            .sum()
    }

    /// Packets carried to the right so far.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Number of connected associations.
    #[must_use]
    pub const fn associations(&self) -> usize {
        self.left.established.len()
    }

    /// Transfers `each` messages on each of `count` random associations concurrently; returns the
    /// packets carried to the right.
    ///
    /// # Panics
    /// There are fewer than `count` associations.
    pub fn transfer_among(&mut self, data: &mut UserData, count: usize, each: u64) -> u64 {
        let chosen = self.choose(count);
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

    /// Indices of `count` distinct random associations.
    fn choose(&mut self, count: usize) -> Vec<usize> {
        let all = self.associations();
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

    fn now(&self) -> Time {
        Time::ZERO + self.clock.passed()
    }

    fn run_timers(&mut self) {
        let now = self.now();
        for end in [&mut self.left, &mut self.right] {
            if end.endpoint.poll_timeout().is_some_and(|due| due <= now) {
                end.endpoint.handle_timeout(now);
                end.poll = Poll::Due;
            }
        }
    }
}

impl SheavePair {
    /// Puts sent packets on the link and delivers arrived ones.
    fn carry_through_air(&mut self) -> u64 {
        let (now, passed) = (self.now(), self.clock.passed());
        let Some(link) = &mut self.link else {
            return 0;
        };
        let mut moved = 0;
        for toward in [Toward::Right, Toward::Left] {
            let (from, to) = match toward {
                Toward::Right => (&mut self.left, &mut self.right),
                Toward::Left => (&mut self.right, &mut self.left),
            };
            let launched = from.launch_all(now, &mut self.buffer, |packet| {
                link.send(passed, toward, packet);
            });
            moved += launched;
            match toward {
                Toward::Right => self.packets += launched,
                Toward::Left => self.answers += launched,
            }
            let arrivals = iter::from_fn(|| link.arrive(passed, toward));
            for packet in arrivals.take(ARRIVALS_PER_ROUND) {
                to.handle(now, from.address, &packet);
                moved += 1;
            }
        }
        self.left.take_events();
        self.right.take_events();
        moved
    }
}

impl Pair for SheavePair {
    fn connect(&mut self) {
        let now = self.now();
        if self.next_port == u16::MAX {
            // All local ports have an association with this remote port.
            self.next_port = 1024;
            self.port += 1;
            let options = self.setup.options.clone();
            let outcome = self.right.endpoint.listen(self.port, options);
            outcome.expect("the port is free");
        }
        let to = Connect {
            local_port: Some(self.next_port),
            local: Vec::new(),
            remote_port: self.port,
            remote: vec![PeerAddress::encapsulated(RIGHT, 9899)],
            options: self.setup.options.clone(),
        };
        self.next_port += 1;
        self.left
            .endpoint
            .connect(now, to)
            .expect("the peer can be called");
        self.left.poll = Poll::Due;
        let wanted = self.left.established.len() + 1;
        let mut idle_rounds = IdleRounds::default();
        while self.left.established.len() < wanted || self.right.established.len() < wanted {
            if idle_rounds.is_spent(self.carry()) {
                assert!(self.wait(), "the handshake came to a standstill");
            }
        }
        self.carry();
    }

    fn offer(&mut self, data: &mut UserData, most: u64) -> u64 {
        let now = self.now();
        if self.refused.is_some() && self.left.poll == Poll::Answered {
            // No buffer space was freed since the last refusal.
            return 0;
        }
        let Some(mut assoc) = self.left.chosen.and_then(|id| self.left.endpoint.assoc(id)) else {
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
                    self.left.poll = Poll::Due;
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

    fn carry(&mut self) -> u64 {
        self.clock.turn();
        let now = self.now();
        self.run_timers();
        if self.link.is_some() {
            return self.carry_through_air();
        }
        let lost = self.setup.lost_per_mille;
        let fate = |_: usize| lost > 0 && self.rng.below(1000) < u64::from(lost);
        let buffer = &mut self.buffer;
        let carried = self.left.send_train(&mut self.right, now, buffer, fate);
        self.packets += carried;
        loop {
            let answers = self
                .right
                .send_train(&mut self.left, now, buffer, |_| false);
            self.answers += answers;
            if answers == 0 {
                break;
            }
        }
        self.left.take_events();
        self.right.take_events();
        carried
    }

    fn answers(&self) -> u64 {
        self.answers
    }

    fn read(&mut self) -> Reading {
        let now = self.now();
        let mut reading = Reading::default();
        let assoc = self
            .right
            .chosen
            .and_then(|id| self.right.endpoint.assoc(id));
        let Some(mut assoc) = assoc else {
            return reading;
        };
        while let Some(received) = assoc.receive(now) {
            // The receiver may have to announce an opened window.
            self.right.poll = Poll::Due;
            reading.messages += 1;
            reading.bytes += black_box(&received.message.payload).len() as u64;
        }
        reading
    }

    fn wait(&mut self) -> bool {
        let due = [&self.left, &self.right].map(|end| end.endpoint.poll_timeout());
        let due = due.map(|due| Some(due?.since(Time::ZERO)));
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

    fn troubles(&mut self) -> Option<Troubles> {
        let sender = self.left.endpoint.assoc(self.left.chosen?)?.stats();
        let receiver = self.right.endpoint.assoc(self.right.chosen?)?.stats();
        Some(Troubles {
            timeouts: sender.timeouts,
            retransmissions: sender.retransmissions,
            duplicates: receiver.duplicates_received,
        })
    }
}

impl End {
    fn new(address: IpAddr, seed: u8, checksum: Checksum) -> Self {
        let options = EndpointOptions {
            checksum,
            max_associations: 1 << 20,
            ..EndpointOptions::default()
        };
        Self {
            endpoint: Endpoint::new(vec![address], options, [seed; 32]),
            address,
            established: Vec::new(),
            chosen: None,
            poll: Poll::Due,
        }
    }

    /// Carries one train to `to`, without the packets for which `is_lost`, given their length, is
    /// true; returns the number of packets.
    fn send_train(
        &mut self,
        to: &mut Self,
        now: Time,
        buffer: &mut Vec<u8>,
        mut is_lost: impl FnMut(usize) -> bool,
    ) -> u64 {
        let Some(transmit) = self.endpoint.poll_transmit(now, buffer, TRAIN) else {
            return 0;
        };
        let segment = transmit.segment_size.unwrap_or(buffer.len()).max(1);
        let mut packets = 0;
        for payload in buffer.chunks(segment) {
            packets += 1;
            if is_lost(payload.len()) {
                continue;
            }
            to.handle(now, self.address, payload);
        }
        packets
    }

    /// Passes each packet to `send`; returns their number. Packets are slices of their train's
    /// buffer: copying would cost more than the stack.
    fn launch_all(&mut self, now: Time, buffer: &mut Vec<u8>, mut send: impl FnMut(Bytes)) -> u64 {
        let mut packets = 0;
        if self.poll == Poll::Answered {
            return packets;
        }
        self.poll = Poll::Answered;
        while let Some(transmit) = self.endpoint.poll_transmit(now, buffer, TRAIN) {
            let next = Vec::with_capacity(buffer.len());
            let mut train = Bytes::from(mem::replace(buffer, next));
            let segment = transmit.segment_size.unwrap_or(train.len()).max(1);
            while train.len() > segment {
                send(train.split_to(segment));
                packets += 1;
            }
            send(train);
            packets += 1;
        }
        packets
    }

    fn handle(&mut self, now: Time, from: IpAddr, payload: &[u8]) {
        let datagram = Datagram {
            local: self.address,
            remote: PeerAddress::encapsulated(from, 9899),
            ecn: Ecn::NotEct,
            payload,
        };
        self.endpoint.handle_datagram(now, datagram);
        self.poll = Poll::Due;
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
}
