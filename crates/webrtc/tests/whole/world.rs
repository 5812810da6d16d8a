//! The two connections and the network between them.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use sheave_datachannel::{ChannelConfig, ChannelEvent, ChannelId, Message};
use sheave_webrtc::{ConnectionConfig, ConnectionEvent, Description, EndReason, PeerConnection};

/// Time that a datagram takes.
const DELAY: Duration = Duration::from_millis(5);

/// Datagrams that wait for an end that is suspended at most, as in a socket's buffer.
const WAITING: usize = 100;

/// The port of either end.
pub(crate) const PORT: u16 = 4000;

struct Datagram {
    at: Instant,
    to: usize,
    from: SocketAddr,
    /// The address that it was sent to.
    target: SocketAddr,
    bytes: Vec<u8>,
}

pub(crate) struct World {
    pub(crate) now: Instant,
    begun: Instant,
    pub(crate) ends: [PeerConnection; 2],
    on_the_way: VecDeque<Datagram>,
    waiting: [Vec<Datagram>; 2],
    /// Ends that do nothing, for now.
    pub(crate) suspended: [bool; 2],
    /// Ends whose users read nothing, for now.
    pub(crate) unread: [bool; 2],
    /// Time that an end's clock stood still.
    pub(crate) behind: [Duration; 2],
    /// The port that an end's datagrams come from, behind a NAT, and the only one where it is reached.
    pub(crate) ports: [u16; 2],
    pub(crate) events: [Vec<ConnectionEvent>; 2],
    /// One datagram in so many is lost; 0: none.
    pub(crate) loss: u64,
    /// Longer datagrams are lost.
    pub(crate) mtu: usize,
    /// Whether the datagrams of DTLS are lost, and those of ICE are not.
    pub(crate) without_dtls: bool,
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
            let mut config = ConnectionConfig::new([address(n, PORT)]);
            adapt(n, &mut config);
            PeerConnection::new(now, config).unwrap()
        });
        Self {
            now,
            begun: now,
            ends,
            on_the_way: VecDeque::new(),
            waiting: [Vec::new(), Vec::new()],
            suspended: [false; 2],
            unread: [false; 2],
            behind: [Duration::ZERO; 2],
            ports: [PORT; 2],
            events: [Vec::new(), Vec::new()],
            loss: 0,
            mtu: 65_535,
            without_dtls: false,
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
        world.run_until(20, Self::is_up);
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

    /// Lets that much time pass, and no more.
    pub(crate) fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.step_within(end);
        }
    }

    /// Time since the beginning.
    pub(crate) fn elapsed(&self) -> Duration {
        self.now - self.begun
    }

    pub(crate) fn step(&mut self) {
        self.step_within(self.now + Duration::from_secs(1000));
    }

    fn step_within(&mut self, end: Instant) {
        let mut next = self.on_the_way.front().map(|datagram| datagram.at);
        for n in [0, 1] {
            if !self.suspended[n] {
                self.turn(n);
                let due = self.ends[n].poll_timeout().map(|due| due + self.behind[n]);
                next = [next, due].into_iter().flatten().min();
            }
        }
        let next = next.unwrap_or(self.now + Duration::from_secs(1));
        self.now = next.max(self.now + Duration::from_micros(10)).min(end);
        while self.on_the_way.front().is_some_and(|it| it.at <= self.now) {
            let datagram = self.on_the_way.pop_front().unwrap();
            self.arrive(datagram);
        }
    }

    /// The time, as an end has it.
    pub(crate) fn time(&self, n: usize) -> Instant {
        self.now - self.behind[n]
    }

    /// Does what is due at an end, with the datagrams that have come meanwhile.
    fn turn(&mut self, n: usize) {
        let now = self.time(n);
        self.ends[n].handle_timeout(now);
        self.collect(n);
        for datagram in std::mem::take(&mut self.waiting[n]) {
            self.arrive(datagram);
        }
    }

    fn arrive(&mut self, datagram: Datagram) {
        let (n, now) = (datagram.to, self.time(datagram.to));
        if self.suspended[n] {
            if self.waiting[n].len() < WAITING {
                self.waiting[n].push(datagram);
            }
        } else if datagram.target == address(n, self.ports[n]) {
            let own = address(n, PORT);
            self.ends[n].handle_datagram(now, own, datagram.from, &datagram.bytes);
            self.collect(n);
        }
    }

    fn collect(&mut self, n: usize) {
        let (mut buffer, now) = (Vec::new(), self.time(n));
        loop {
            while !self.unread[n]
                && let Some(event) = self.ends[n].poll_event(now)
            {
                self.events[n].push(event);
            }
            let Some(sent) = self.ends[n].poll_transmit(now, &mut buffer, 8) else {
                return;
            };
            for datagram in buffer.chunks(sent.segment_size.unwrap_or(buffer.len())) {
                self.sent += 1;
                if let Some(kept) = &mut self.kept {
                    kept[n].push(datagram.to_vec());
                }
                let is_stopped = self.without_dtls && is_dtls(datagram);
                if datagram.len() + 28 <= self.mtu && !is_stopped && !self.is_lost() {
                    self.on_the_way.push_back(Datagram {
                        at: self.now + DELAY,
                        to: 1 - n,
                        from: address(n, self.ports[n]),
                        target: sent.remote,
                        bytes: datagram.to_vec(),
                    });
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
        let now = self.time(n);
        let channel = self.ends[n].open(now, config).unwrap();
        let opened = ConnectionEvent::Channel(ChannelEvent::Opened { channel });
        self.run_until(100, |world| world.events[n].contains(&opened));
        channel
    }

    /// Whether both ends are connected.
    pub(crate) fn is_up(&self) -> bool {
        let is_up = |events: &Vec<_>| events.contains(&ConnectionEvent::Connected);
        self.events.iter().all(is_up)
    }

    /// Sends a message, which is taken.
    #[track_caller]
    pub(crate) fn send(&mut self, n: usize, channel: ChannelId, message: Message) {
        let sent = self.ends[n].send(self.now, channel, message);
        sent.expect("an open channel with room");
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

/// The address of an end, from which it sends, or from which its datagrams come.
fn address(n: usize, port: u16) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, if n == 0 { 1 } else { 2 }], port))
}

/// Whether a datagram is one of DTLS, among those that an end sends (RFC 7983).
pub(crate) fn is_dtls(datagram: &[u8]) -> bool {
    datagram[0] > 3
}

pub(crate) fn through_text(description: &Description) -> Description {
    description.to_string().parse().unwrap()
}

pub(crate) fn large(bytes: usize) -> Message {
    let pattern: Vec<u8> = (0..bytes).map(|n| u8::try_from(n % 251).unwrap()).collect();
    Message::binary(pattern)
}
