//! Two connections in one process, in virtual time, over a network that loses and delays.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use sheave_datachannel::{ChannelConfig, ChannelEvent, ChannelId, Message};
use sheave_webrtc::{
    ConnectionConfig, ConnectionEvent, Description, EndReason, IceMode, NegotiationError,
    PeerConnection,
};

/// Time that a datagram takes.
const DELAY: Duration = Duration::from_millis(5);

struct World {
    now: Instant,
    ends: [PeerConnection; 2],
    on_the_way: VecDeque<(Instant, usize, SocketAddr, SocketAddr, Vec<u8>)>,
    events: [Vec<ConnectionEvent>; 2],
    /// One datagram in so many is lost; 0: none.
    loss: u64,
    /// Longer datagrams are lost.
    mtu: usize,
    sent: u64,
    random: u64,
}

impl World {
    fn new(adapt: impl Fn(usize, &mut ConnectionConfig)) -> Self {
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
        }
    }

    /// Two ends that know each other.
    fn agreed(adapt: impl Fn(usize, &mut ConnectionConfig)) -> Self {
        let mut world = Self::new(adapt);
        let offer = through_text(&world.ends[0].offer().unwrap());
        let answer = through_text(&world.ends[1].answer(world.now, &offer).unwrap());
        world.ends[0].accept(world.now, &answer).unwrap();
        world
    }

    fn connected(adapt: impl Fn(usize, &mut ConnectionConfig)) -> Self {
        let mut world = Self::agreed(adapt);
        let is_up = |events: &Vec<ConnectionEvent>| events.contains(&ConnectionEvent::Connected);
        world.run_until(20, |world| world.events.iter().all(is_up));
        world
    }

    /// Runs until `done`, `seconds` at most.
    fn run_until(&mut self, seconds: u64, done: impl Fn(&Self) -> bool) {
        let end = self.now + Duration::from_secs(seconds);
        while !done(self) {
            assert!(self.now < end, "nothing in {seconds} s: {:?}", self.events);
            self.step();
        }
    }

    fn run(&mut self, seconds: u64) {
        let end = self.now + Duration::from_secs(seconds);
        while self.now < end {
            self.step();
        }
    }

    fn step(&mut self) {
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

    fn open(&mut self, n: usize, config: ChannelConfig) -> ChannelId {
        let channel = self.ends[n].open(self.now, config).unwrap();
        let opened = ConnectionEvent::Channel(ChannelEvent::Opened { channel });
        self.run_until(20, |world| world.events[n].contains(&opened));
        channel
    }

    /// Messages that an end has received.
    fn messages(&self, n: usize) -> Vec<Message> {
        let messages = self.events[n].iter().filter_map(|event| match event {
            ConnectionEvent::Channel(ChannelEvent::Message { message, .. }) => Some(message),
            _ => None,
        });
        messages.cloned().collect()
    }

    fn end_of(&self, n: usize) -> Option<&EndReason> {
        self.events[n].iter().find_map(|event| match event {
            ConnectionEvent::Ended(reason) => Some(reason),
            _ => None,
        })
    }
}

fn through_text(description: &Description) -> Description {
    description.to_string().parse().unwrap()
}

fn large(bytes: usize) -> Message {
    let pattern: Vec<u8> = (0..bytes).map(|n| u8::try_from(n % 251).unwrap()).collect();
    Message::binary(pattern)
}

#[test]
fn two_ends_find_each_other_and_talk() {
    for lite in [None, Some(0), Some(1)] {
        let mut world = World::connected(|n, config| {
            if lite == Some(n) {
                config.ice = IceMode::Lite;
            }
        });
        for n in [0, 1] {
            let channel = world.open(n, ChannelConfig::new("talk"));
            let now = world.now;
            world.ends[n]
                .send(now, channel, Message::text("hello"))
                .unwrap();
            world.run_until(5, |world| world.messages(1 - n) == [Message::text("hello")]);
        }
    }
}

#[test]
fn messages_of_16_mib_pass_where_both_allow_them() {
    let mut world = World::connected(|_, config| config.channels.max_receive_size = 16 << 20);
    let channel = world.open(0, ChannelConfig::new("large"));
    let (now, message) = (world.now, large(16 << 20));
    world.ends[0].send(now, channel, message.clone()).unwrap();
    world.run_until(120, |world| !world.messages(1).is_empty());
    assert!(world.messages(1) == [message]);
}

#[test]
fn everything_arrives_where_one_datagram_in_twenty_is_lost() {
    let mut world = World::agreed(|_, _| {});
    world.loss = 20;
    world.run_until(60, |world| {
        let is_up = |events: &Vec<_>| events.contains(&ConnectionEvent::Connected);
        world.events.iter().all(is_up)
    });
    let channel = world.open(1, ChannelConfig::new("lossy"));
    let now = world.now;
    for size in [60_000, 0, 1, 64_000] {
        world.ends[1].send(now, channel, large(size)).unwrap();
    }
    world.run_until(60, |world| world.messages(0).len() == 4);
    assert_eq!(world.messages(0)[3], large(64_000));
}

#[test]
fn a_path_of_1280_bytes_is_enough_and_a_wider_one_is_found_out() {
    for (mtu, least) in [(1280, 1200), (1500, 1350), (9000, 8500)] {
        let mut world = World::agreed(|_, config| config.max_pmtu = 9000);
        world.mtu = mtu;
        let channel = world.open(0, ChannelConfig::new("path"));
        for _ in 0..20 {
            let now = world.now;
            world.ends[0].send(now, channel, large(60_000)).unwrap();
            world.run(1);
        }
        assert_eq!(world.messages(1).len(), 20);
        let found = usize::from(world.ends[0].pmtu().unwrap());
        assert!((least..=mtu).contains(&found), "{found} of {mtu}");
    }
}

#[test]
fn a_silence_of_minutes_ends_nothing() {
    let mut world = World::connected(|_, _| {});
    let channel = world.open(0, ChannelConfig::new("silence"));
    world.mtu = 0;
    let now = world.now;
    world.ends[0]
        .send(now, channel, Message::text("late"))
        .unwrap();
    world.run(300);
    assert!(world.events[0].contains(&ConnectionEvent::Unreachable));
    world.mtu = 65_535;
    world.run_until(30, |world| !world.messages(1).is_empty());
    assert_eq!(world.end_of(0), None);
}

#[test]
fn an_end_that_closes_tells_the_other() {
    let mut world = World::connected(|_, _| {});
    let now = world.now;
    world.ends[0].close(now);
    world.run(1);
    assert_eq!(world.end_of(0), Some(&EndReason::Local));
    assert!(world.end_of(1).is_some());
}

#[test]
fn a_peer_with_another_certificate_than_it_described_is_refused() {
    let mut world = World::new(|_, _| {});
    let offer = world.ends[0].offer().unwrap();
    let mut answer = world.ends[1].answer(world.now, &offer).unwrap();
    answer.fingerprints = vec![sheave_webrtc::Fingerprint::new([7; 32])];
    world.ends[0].accept(world.now, &answer).unwrap();
    world.run(5);
    let end = world.end_of(0).map(ToString::to_string).unwrap();
    assert!(end.contains("not the pinned one"), "{end}");
    assert!(!world.events[1].contains(&ConnectionEvent::Connected));
}

#[test]
fn checks_that_come_before_the_answer_lose_nothing() {
    let mut world = World::new(|_, _| {});
    let offer = through_text(&world.ends[0].offer().unwrap());
    let answer = through_text(&world.ends[1].answer(world.now, &offer).unwrap());
    world.run(2);
    world.ends[0].accept(world.now, &answer).unwrap();
    let is_up = |events: &Vec<ConnectionEvent>| events.contains(&ConnectionEvent::Connected);
    world.run_until(5, |world| world.events.iter().all(is_up));
}

#[test]
fn descriptions_that_do_not_fit_are_refused() {
    let lite = |_, config: &mut ConnectionConfig| config.ice = IceMode::Lite;
    let mut world = World::new(lite);
    let offer = world.ends[0].offer().unwrap();
    let refused = world.ends[1].answer(world.now, &offer);
    assert_eq!(refused, Err(NegotiationError::BothLite));
    let refused = world.ends[1].accept(world.now, &offer);
    assert_eq!(refused, Err(NegotiationError::NoOffer));
    let refused = world.ends[0].accept(world.now, &offer);
    assert_eq!(refused, Err(NegotiationError::SetupConflict));
}

#[test]
fn garbage_from_the_network_changes_nothing() {
    let mut world = World::connected(|_, _| {});
    let channel = world.open(0, ChannelConfig::new("calm"));
    let (now, own) = (world.now, "192.0.2.1:4000".parse().unwrap());
    let stranger: SocketAddr = "203.0.113.9:99".parse().unwrap();
    for first in 0..=255_u8 {
        for length in [1, 2, 13, 20, 40, 200] {
            let mut datagram = vec![first; length];
            datagram[length / 2] ^= 0x55;
            world.ends[0].handle_datagram(now, own, stranger, &datagram);
        }
    }
    world.ends[0]
        .send(now, channel, Message::text("still here"))
        .unwrap();
    world.run_until(10, |world| !world.messages(1).is_empty());
    assert_eq!(world.end_of(0), None);
}
