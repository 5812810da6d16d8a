//! A small deterministic network in virtual time: hosts, links, and a record of every packet.
//!
//! Events are ordered by (time, sequence number); time jumps from event to event; all random draws
//! come from one seed. Runs are bounded in steps and in virtual time.

mod link;
mod network;
mod pair;
mod peer;
mod random;
mod record;
mod seen;
mod users;

use std::collections::{BTreeMap, VecDeque};

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    AssocId, Datagram, Endpoint, Event, Message, Node, PathChange, PeerAddress, Phase, Received,
    SendOptions, StreamScheduler, Time,
};

pub(crate) use link::{Link, LossReason, Oversize};
pub(crate) use pair::{
    PORT, Setup, calling, calling_from_port, connect_to, parsed, quiet, quiet_but, set,
};
pub(crate) use peer::{
    Peer, WHOLE, abort, cookie_echo, cookie_of, gap_blocks, heartbeat, ip_parameter, parameter,
    reseal, sack, shutdown, shutdown_complete, written,
};
pub(crate) use random::Random;
pub(crate) use record::{Fate, Record, any_has};

use link::Line;

/// A host of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostId(usize);

impl HostId {
    /// The other host in a world of two.
    pub(crate) const fn other(self) -> Self {
        Self(1 - self.0)
    }
}

/// The host that connects.
pub(crate) const A: HostId = HostId(0);
/// The host that listens.
pub(crate) const Z: HostId = HostId(1);

/// The schedulers.
pub(crate) const SCHEDULERS: [StreamScheduler; 6] = [
    StreamScheduler::FirstCome,
    StreamScheduler::RoundRobin,
    StreamScheduler::RoundRobinPerPacket,
    StreamScheduler::Priority,
    StreamScheduler::FairBandwidth,
    StreamScheduler::WeightedFairQueueing,
];

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The `n`th address of a host, in the `n`th network: `address(A, 2)` and `address(Z, 2)` form one
/// path.
pub(crate) fn address(host: HostId, n: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, n, 0, host.0 as u8 + 1))
}

/// Like [`address`], for IPv6.
pub(crate) fn address6(host: HostId, n: u8) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(
        0xfd00,
        u16::from(n),
        0,
        0,
        0,
        0,
        0,
        host.0 as u16 + 1,
    ))
}

/// The event that the path to `address(host, n)` changed.
pub(crate) fn path_event(host: HostId, n: u8, change: PathChange) -> Event {
    let remote = address(host, n);
    Event::Path { remote, change }
}

/// An ordered message.
pub(crate) fn text(stream: u16, payload: &str) -> Message {
    Message::new(StreamId(stream), payload.as_bytes().to_vec())
}

/// An ordered message of `len` varying bytes.
pub(crate) fn blob(stream: u16, len: usize) -> Message {
    let bytes: Vec<u8> = (0..len).map(|at| (at * 7 + at / 251) as u8).collect();
    Message::new(StreamId(stream), bytes)
}

/// Reading behaviour of a host's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Everything, at once.
    Eager,
    /// Not at all.
    Stopped,
}

/// Whether the driver makes only required calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Only required calls.
    Exact,
    /// Also calls at random times, which must be harmless.
    Redundant,
}

/// Decision of a test's rule about a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Deliver,
    Drop,
    Delay(Duration),
    Replace(Vec<u8>),
    /// Mark as a router does, or drop if not ECN-capable (RFC 3168 §5).
    Mark,
}

type Rule = Box<dyn FnMut(&Record) -> Verdict>;

/// A host with addresses: an engine with its user, or an inbox for a scripted peer.
struct Host {
    addresses: Vec<IpAddr>,
    udp: Option<u16>,
    engine: Option<Endpoint>,
    current: Option<AssocId>,
    reading: Reading,
    outbox: VecDeque<(Message, SendOptions)>,
    events: Vec<(Time, AssocId, Event)>,
    received: Vec<(Time, AssocId, Received)>,
    inbox: Vec<Record>,
}

/// A NAT for addresses and UDP ports in front of one address of a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nat {
    pub(crate) inside: IpAddr,
    pub(crate) outside: IpAddr,
    /// Public port; packets to any other are lost.
    pub(crate) port: u16,
}

/// A packet in flight.
struct Parcel {
    host: HostId,
    record: Record,
}

/// The simulated network with its hosts.
pub(crate) struct World {
    now: Time,
    seed: u64,
    random: Random,
    sequence: u64,
    parcels: BTreeMap<(Time, u64), Parcel>,
    hosts: Vec<Host>,
    lines: BTreeMap<(IpAddr, IpAddr), Line>,
    everywhere: Link,
    rules: Vec<Rule>,
    pub(crate) nats: Vec<Nat>,
    log: Vec<Record>,
    hash: u64,
    steps: u64,
    /// Maximum packets per `poll_transmit`.
    pub(crate) max_segments: usize,
    /// Whether the driver makes redundant calls.
    pub(crate) calls: Calls,
    /// Scheduling interval of processes: arrivals and timers wait for the next turn.
    pub(crate) turn: Duration,
}

impl World {
    /// Step limit, reached only by endless loops.
    const MAX_STEPS: u64 = 20_000_000;

    pub(crate) fn new(seed: u64, everywhere: Link) -> Self {
        Self {
            now: Time::from_millis(1000),
            seed,
            random: Random::new(seed),
            sequence: 0,
            parcels: BTreeMap::new(),
            hosts: Vec::new(),
            lines: BTreeMap::new(),
            everywhere,
            rules: Vec::new(),
            nats: Vec::new(),
            log: Vec::new(),
            hash: 0xcbf2_9ce4_8422_2325,
            steps: 0,
            max_segments: 8,
            calls: Calls::Exact,
            turn: Duration::from_nanos(1),
        }
    }

    pub(crate) fn add_host(&mut self, addresses: Vec<IpAddr>, engine: Option<Endpoint>) -> HostId {
        self.hosts.push(Host {
            addresses,
            udp: None,
            engine,
            current: None,
            reading: Reading::Eager,
            outbox: VecDeque::new(),
            events: Vec::new(),
            received: Vec::new(),
            inbox: Vec::new(),
        });
        HostId(self.hosts.len() - 1)
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Runs for a while.
    pub(crate) fn run_for(&mut self, span: Duration) {
        let until = self.now + span;
        while self.step(until) {}
    }

    /// Runs until `done`, for at most `limit`; returns whether `done` became true.
    pub(crate) fn run_until(
        &mut self,
        limit: Duration,
        mut done: impl FnMut(&mut Self) -> bool,
    ) -> bool {
        let until = self.now + limit;
        loop {
            self.pump();
            if done(self) {
                return true;
            }
            if !self.step(until) {
                return done(self);
            }
        }
    }

    /// Runs until `done` and fails the test if that takes longer than `limit`.
    #[track_caller]
    pub(crate) fn wait(&mut self, limit: Duration, done: impl FnMut(&mut Self) -> bool) {
        assert!(
            self.run_until(limit, done),
            "it did not come to be within {limit:?}"
        );
    }

    /// Runs until the host saw this event.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, host: HostId, event: &Event, limit: Duration) {
        let seen = self.run_until(limit, |world| world.saw(host, event));
        assert!(
            seen,
            "no {event:?} within {limit:?}; {:?}",
            self.events(host)
        );
    }

    /// Runs until the host's association has reached a phase.
    #[track_caller]
    pub(crate) fn wait_phase(&mut self, host: HostId, phase: Phase, limit: Duration) {
        self.wait(limit, |world| {
            world.is_open(host) && world.assoc(host).phase() == phase
        });
    }

    /// Takes a step: the next packet arrives, or timers run. Returns false, with the clock at
    /// `until`, if nothing happens before.
    pub(crate) fn step(&mut self, until: Time) -> bool {
        self.steps += 1;
        assert!(self.steps < Self::MAX_STEPS, "the world runs in circles");
        self.pump();
        let arrival = self.parcels.keys().next().map(|(at, _)| *at);
        let timers = self
            .hosts
            .iter()
            .filter_map(|host| host.engine.as_ref()?.poll_timeout());
        let timer = timers.min();
        let Some(next) = [arrival, timer].into_iter().flatten().min() else {
            self.now = until;
            return false;
        };
        let next = self.turn_after(next);
        if next > until {
            self.now = until;
            return false;
        }
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            self.deliver();
            while self.has_kept_waiting() {
                self.deliver();
            }
        } else {
            self.expire();
        }
        self.pump();
        true
    }

    /// The first turn at or after `at`.
    fn turn_after(&self, at: Time) -> Time {
        let turn = u64::try_from(self.turn.as_nanos()).expect("a short while");
        Time::from_nanos(at.as_nanos().next_multiple_of(turn))
    }

    /// Whether a packet arrived before this turn: a process reads all waiting packets.
    fn has_kept_waiting(&self) -> bool {
        let first = self.parcels.first_key_value();
        first.is_some_and(|((at, _), _)| *at < self.now)
    }

    fn deliver(&mut self) {
        let Some((_, Parcel { host, record })) = self.parcels.pop_first() else {
            return;
        };
        self.mix(&self.now.as_nanos().to_be_bytes());
        self.mix(&record.bytes);
        let now = self.now;
        let redundant = self.calls == Calls::Redundant && self.random.chance(100);
        let host = &mut self.hosts[host.0];
        let Some(engine) = &mut host.engine else {
            host.inbox.push(Record { at: now, ..record });
            return;
        };
        let encapsulation = record.udp.map(|(source, _)| source);
        engine.handle_datagram(
            now,
            Datagram {
                local: record.to,
                remote: PeerAddress {
                    ip: record.from,
                    encapsulation,
                },
                ecn: record.ecn,
                payload: &record.bytes,
            },
        );
        if redundant {
            engine.handle_timeout(now);
        }
    }

    fn expire(&mut self) {
        let now = self.now;
        for engine in self
            .hosts
            .iter_mut()
            .filter_map(|host| host.engine.as_mut())
        {
            if engine.poll_timeout().is_some_and(|at| at <= now) {
                engine.handle_timeout(now);
            }
        }
    }

    /// Runs every user and engine until none can proceed.
    pub(crate) fn pump(&mut self) {
        for at in 0..self.hosts.len() {
            if self.hosts[at].engine.is_some() {
                self.pump_host(HostId(at));
            }
        }
    }

    fn pump_host(&mut self, host: HostId) {
        let mut buf = Vec::new();
        for round in 0.. {
            assert!(round < 100_000, "poll_transmit has no end");
            self.use_host(host);
            let now = self.now;
            let max_segments = self.max_segments;
            let Some(transmit) = self
                .endpoint(host)
                .poll_transmit(now, &mut buf, max_segments)
            else {
                break;
            };
            self.split(host, transmit, &buf);
        }
    }

    /// Mixes bytes into the fingerprint (FNV-1a).
    fn mix(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl Drop for World {
    /// Prints the packets of a failed test.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let skipped = self.log.len().saturating_sub(60);
        println!("seed {}; {skipped} packets, then:", self.seed);
        for record in &self.log[skipped..] {
            println!("{record}");
        }
        for (at, host) in self.hosts.iter().enumerate() {
            println!("events of host {at}, now {}:", self.now);
            for (time, id, event) in host.events.iter().rev().take(20).rev() {
                let line = format!("{event:?}");
                println!(
                    "  {time} {id:?} {}",
                    line.chars().take(200).collect::<String>()
                );
            }
        }
    }
}
