//! The two connections and the network between them.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use sheave_datachannel::{ChannelConfig, ChannelEvent, ChannelId, Message};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent, Description, EndReason, PeerConnection};

/// Time that a datagram takes.
const DELAY: Duration = Duration::from_millis(5);

pub(crate) struct World {
    pub(crate) now: Instant,
    pub(crate) ends: [PeerConnection; 2],
    on_the_way: VecDeque<(Instant, usize, SocketAddr, SocketAddr, Vec<u8>)>,
    pub(crate) events: [Vec<ConnectionEvent>; 2],
    /// One datagram in so many is lost; 0: none.
    pub(crate) loss: u64,
    /// Longer datagrams are lost.
    pub(crate) mtu: usize,
    sent: u64,
    /// Says which datagrams are lost.
    pub(crate) random: u64,
    /// Every datagram that an end has sent, while they are asked for.
    pub(crate) kept: Option<[Vec<Vec<u8>>; 2]>,
}

impl World {
    pub(crate) fn new(adapt: impl Fn(usize, &mut ConnectionConfig)) -> Self {
        let now = Instant::now();
        let ends = [0, 1].map(|n| {
            let address = format!("192.0.2.{}:4000", n + 1).parse().unwrap();
            let mut config = ConnectionConfig::new([address]);
            adapt(n, &mut config);
            PeerConnection::new(now, config).unwrap()
        });
        Self {
            now,
            ends,
            on_the_way: VecDeque::new(),
            events: [Vec::new(), Vec::new()],
            loss: 0,
            mtu: 65_535,
            sent: 0,
            random: 1,
            kept: None,
        }
    }

    /// Two ends that know each other.
    pub(crate) fn agreed(adapt: impl Fn(usize, &mut ConnectionConfig)) -> Self {
        let mut world = Self::new(adapt);
        let offer = through_text(&world.ends[0].offer().unwrap());
        let answer = through_text(&world.ends[1].answer(world.now, &offer).unwrap());
        world.ends[0].accept(world.now, &answer).unwrap();
        world
    }

    pub(crate) fn connected(adapt: impl Fn(usize, &mut ConnectionConfig)) -> Self {
        let mut world = Self::agreed(adapt);
        let is_up = |events: &Vec<ConnectionEvent>| events.contains(&ConnectionEvent::Connected);
        world.run_until(20, |world| world.events.iter().all(is_up));
        world
    }

    /// Runs until `done`, `seconds` at most.
    pub(crate) fn run_until(&mut self, seconds: u64, done: impl Fn(&Self) -> bool) {
        let end = self.now + Duration::from_secs(seconds);
        while !done(self) {
            assert!(self.now < end, "nothing in {seconds} s: {:?}", self.events);
            self.step();
        }
    }

    pub(crate) fn run(&mut self, seconds: u64) {
        let end = self.now + Duration::from_secs(seconds);
        while self.now < end {
            self.step();
        }
    }

    pub(crate) fn step(&mut self) {
        for n in 0..2 {
            self.ends[n].handle_timeout(self.now);
            self.collect(n);
        }
        let due = self
            .ends
            .iter_mut()
            .filter_map(PeerConnection::poll_timeout);
        let due = due.chain(self.on_the_way.front().map(|datagram| datagram.0));
        let next = due.min().unwrap_or(self.now + Duration::from_secs(1));
        self.now = next.max(self.now + Duration::from_micros(10));
        while self.on_the_way.front().is_some_and(|it| it.0 <= self.now) {
            let (_, to, local, remote, bytes) = self.on_the_way.pop_front().unwrap();
            self.ends[to].handle_datagram(self.now, local, remote, &bytes);
            self.collect(to);
        }
    }

    fn collect(&mut self, n: usize) {
        let mut buffer = Vec::new();
        loop {
            while let Some(event) = self.ends[n].poll_event(self.now) {
                self.events[n].push(event);
            }
            let Some(sent) = self.ends[n].poll_transmit(self.now, &mut buffer, 8) else {
                return;
            };
            for datagram in buffer.chunks(sent.segment_size.unwrap_or(buffer.len())) {
                self.sent += 1;
                if let Some(kept) = &mut self.kept {
                    kept[n].push(datagram.to_vec());
                }
                if datagram.len() + 28 <= self.mtu && !self.is_lost() {
                    let (at, bytes) = (self.now + DELAY, datagram.to_vec());
                    self.on_the_way
                        .push_back((at, 1 - n, sent.remote, sent.local, bytes));
                }
            }
        }
    }

    fn is_lost(&mut self) -> bool {
        // Knuth's MMIX constants.
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.loss > 0 && (self.random >> 33).is_multiple_of(self.loss)
    }

    pub(crate) fn open(&mut self, n: usize, config: ChannelConfig) -> ChannelId {
        let channel = self.ends[n].open(self.now, config).unwrap();
        let opened = ConnectionEvent::Channel(ChannelEvent::Opened { channel });
        self.run_until(100, |world| world.events[n].contains(&opened));
        channel
    }

    /// Messages that an end has received.
    pub(crate) fn messages(&self, n: usize) -> Vec<Message> {
        let messages = self.events[n].iter().filter_map(|event| match event {
            ConnectionEvent::Channel(ChannelEvent::Message { message, .. }) => Some(message),
            _ => None,
        });
        messages.cloned().collect()
    }

    pub(crate) fn end_of(&self, n: usize) -> Option<&EndReason> {
        self.events[n].iter().find_map(|event| match event {
            ConnectionEvent::Ended(reason) => Some(reason),
            _ => None,
        })
    }
}

pub(crate) fn through_text(description: &Description) -> Description {
    description.to_string().parse().unwrap()
}

pub(crate) fn large(bytes: usize) -> Message {
    let pattern: Vec<u8> = (0..bytes).map(|n| u8::try_from(n % 251).unwrap()).collect();
    Message::binary(pattern)
}
