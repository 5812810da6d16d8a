//! A small deterministic network in virtual time: hosts, links, and a record of every packet.
//!
//! Events are ordered by (time, sequence number); time jumps from event to event; everything that
//! is drawn comes from one seed. Runs are bounded in steps and in virtual time.

mod link;
mod pair;
mod peer;
mod random;
mod record;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::ops::Range;
use core::time::Duration;

use sheave_engine::wire::{ChunkType, Packet, StreamId};
use sheave_engine::{
    Assoc, AssocId, AssocStats, CloseReason, Datagram, Ecn, Endpoint, Event, Message, Node, Part,
    PathStats, PeerAddress, Phase, Received, SendError, SendOptions, Time, Transmit,
};

pub(crate) use link::{Link, Loss};
pub(crate) use pair::{PORT, Setup, connect_to};
pub(crate) use peer::{Peer, cookie_of, reseal};
pub(crate) use random::Random;
pub(crate) use record::{Fate, Record};

use link::Line;

/// A host of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostId(usize);

/// The host that connects.
pub(crate) const A: HostId = HostId(0);
/// The host that listens.
pub(crate) const Z: HostId = HostId(1);

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The `n`th address of a host, in a network of its own: `address(A, 2)` and `address(Z, 2)` are
/// one path.
pub(crate) fn address(host: HostId, n: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, n, 0, host.0 as u8 + 1))
}

/// As [`address`], of IP version 6.
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

/// An ordered message.
pub(crate) fn text(stream: u16, payload: &str) -> Message {
    Message::new(StreamId(stream), payload.as_bytes().to_vec())
}

/// An ordered message of `len` bytes that differ from place to place.
pub(crate) fn blob(stream: u16, len: usize) -> Message {
    let bytes: Vec<u8> = (0..len).map(|at| (at * 7 + at / 251) as u8).collect();
    Message::new(StreamId(stream), bytes)
}

/// How a host's user reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Whatever is there, at once.
    Eager,
    /// Not at all.
    Stopped,
}

/// Whether the driver makes only the calls that it must.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Only those.
    Exact,
    /// Also calls at random moments, which must be harmless.
    Redundant,
}

/// What a test's rule says of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Deliver,
    Drop,
    Delay(Duration),
    Replace(Vec<u8>),
}

type Rule = Box<dyn FnMut(&Record) -> Verdict>;

/// Something with addresses: an engine with its user, or an inbox that a test plays by hand.
struct Host {
    addresses: Vec<IpAddr>,
    udp: Option<u16>,
    engine: Option<Endpoint>,
    current: Option<AssocId>,
    reading: Reading,
    outbox: VecDeque<(Message, SendOptions)>,
    /// Contexts of the messages that the engine took.
    accepted: Vec<u64>,
    events: Vec<(Time, AssocId, Event)>,
    received: Vec<(Time, AssocId, Received)>,
    inbox: Vec<Record>,
}

/// A packet on its way.
struct Parcel {
    host: HostId,
    record: Record,
}

/// The whole of it.
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
    log: Vec<Record>,
    hash: u64,
    steps: u64,
    /// Packets that one call of `poll_transmit` may return.
    pub(crate) max_segments: usize,
    /// Whether the driver makes superfluous calls.
    pub(crate) calls: Calls,
}

impl World {
    /// A steps bound no scenario comes near unless something runs in circles.
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
            log: Vec::new(),
            hash: 0xcbf2_9ce4_8422_2325,
            steps: 0,
            max_segments: 8,
            calls: Calls::Exact,
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
            accepted: Vec::new(),
            events: Vec::new(),
            received: Vec::new(),
            inbox: Vec::new(),
        });
        HostId(self.hosts.len() - 1)
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    // ---- what the users of the hosts do ----

    pub(crate) fn endpoint(&mut self, host: HostId) -> &mut Endpoint {
        self.hosts[host.0]
            .engine
            .as_mut()
            .expect("a host with an engine")
    }

    /// Puts another engine in the place of a host's own, as a reboot does.
    pub(crate) fn reboot(&mut self, host: HostId, engine: Endpoint) {
        let host = &mut self.hosts[host.0];
        host.engine = Some(engine);
        host.current = None;
        host.outbox.clear();
    }

    /// The host's association of the moment.
    pub(crate) fn id(&self, host: HostId) -> AssocId {
        self.hosts[host.0].current.expect("an association")
    }

    pub(crate) fn set_current(&mut self, host: HostId, id: AssocId) {
        self.hosts[host.0].current = Some(id);
    }

    pub(crate) fn is_open(&mut self, host: HostId) -> bool {
        let current = self.hosts[host.0].current;
        current.is_some_and(|id| self.endpoint(host).assoc(id).is_some())
    }

    pub(crate) fn assoc(&mut self, host: HostId) -> Assoc<'_> {
        let id = self.id(host);
        self.endpoint(host)
            .assoc(id)
            .expect("the association lives")
    }

    /// Sends as soon as the send buffer has room.
    pub(crate) fn send(&mut self, host: HostId, message: Message) {
        self.send_with(host, message, SendOptions::default());
    }

    /// Sends all of them before anything can leave, so that they may share packets.
    pub(crate) fn send_together(&mut self, host: HostId, messages: Vec<Message>) {
        let messages = messages
            .into_iter()
            .map(|message| (message, SendOptions::default()));
        self.hosts[host.0].outbox.extend(messages);
        self.pump();
    }

    pub(crate) fn send_with(&mut self, host: HostId, message: Message, options: SendOptions) {
        self.hosts[host.0].outbox.push_back((message, options));
        self.pump();
    }

    /// What still waits for room in the send buffer.
    pub(crate) fn waiting(&self, host: HostId) -> usize {
        self.hosts[host.0].outbox.len()
    }

    pub(crate) fn set_reading(&mut self, host: HostId, reading: Reading) {
        self.hosts[host.0].reading = reading;
    }

    pub(crate) fn set_udp(&mut self, host: HostId, port: Option<u16>) {
        self.hosts[host.0].udp = port;
    }

    pub(crate) fn shutdown(&mut self, host: HostId) {
        let now = self.now;
        self.assoc(host).shutdown(now).expect("no shutdown yet");
        self.pump();
    }

    pub(crate) fn abort(&mut self, host: HostId, reason: &'static str) {
        let now = self.now;
        self.assoc(host).abort(now, reason.as_bytes().into());
        self.pump();
    }

    pub(crate) fn stats(&mut self, host: HostId) -> AssocStats {
        self.assoc(host).stats()
    }

    pub(crate) fn path(&mut self, host: HostId, remote: IpAddr) -> PathStats {
        let mut paths = self.assoc(host).path_stats().into_iter();
        paths
            .find(|path| path.remote == remote)
            .unwrap_or_else(|| panic!("no path to {remote}"))
    }

    // ---- what was seen ----

    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// Each event and each packet that arrived, in one number.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.hash
    }

    pub(crate) fn log(&self) -> &[Record] {
        &self.log
    }

    /// What arrived at a host without an engine, in order.
    pub(crate) fn inbox(&self, host: HostId) -> &[Record] {
        &self.hosts[host.0].inbox
    }

    /// Packets that a host sent.
    pub(crate) fn sent(&self, host: HostId) -> impl Iterator<Item = &Record> {
        let addresses = &self.hosts[host.0].addresses;
        self.log
            .iter()
            .filter(|record| addresses.contains(&record.from))
    }

    /// Packets with such a chunk that a host sent.
    pub(crate) fn sent_with(
        &self,
        host: HostId,
        chunk_type: ChunkType,
    ) -> impl Iterator<Item = &Record> {
        self.sent(host).filter(move |record| record.has(chunk_type))
    }

    /// When a host sent packets with such a chunk.
    pub(crate) fn times(&self, host: HostId, chunk_type: ChunkType) -> Vec<Time> {
        self.sent_with(host, chunk_type)
            .map(|record| record.at)
            .collect()
    }

    pub(crate) fn count(&self, host: HostId, chunk_type: ChunkType) -> usize {
        self.sent_with(host, chunk_type).count()
    }

    pub(crate) fn events(&self, host: HostId) -> Vec<Event> {
        self.hosts[host.0]
            .events
            .iter()
            .map(|(_, _, event)| event.clone())
            .collect()
    }

    pub(crate) fn timed_events(&self, host: HostId) -> &[(Time, AssocId, Event)] {
        &self.hosts[host.0].events
    }

    pub(crate) fn saw(&self, host: HostId, event: &Event) -> bool {
        self.hosts[host.0]
            .events
            .iter()
            .any(|(_, _, seen)| seen == event)
    }

    /// Why the host's last association ended.
    pub(crate) fn close_reason(&self, host: HostId) -> Option<CloseReason> {
        self.hosts[host.0]
            .events
            .iter()
            .rev()
            .find_map(|(_, _, event)| match event {
                Event::Closed { reason, .. } => Some(reason.clone()),
                _ => None,
            })
    }

    /// Messages and parts as they were read.
    pub(crate) fn received(&self, host: HostId) -> &[(Time, AssocId, Received)] {
        &self.hosts[host.0].received
    }

    /// Starts the list of what was read anew.
    pub(crate) fn forget_received(&mut self, host: HostId) {
        self.hosts[host.0].received.clear();
    }

    /// Contexts of the messages that the host's engines took.
    pub(crate) fn accepted(&self, host: HostId) -> &[u64] {
        &self.hosts[host.0].accepted
    }

    /// Contexts of the messages that came back to the host.
    pub(crate) fn failed(&self, host: HostId) -> Vec<u64> {
        let events = self.hosts[host.0].events.iter();
        events
            .filter_map(|(_, _, event)| match event {
                Event::SendFailed { context, .. } => Some(*context),
                _ => None,
            })
            .collect()
    }

    /// Whole messages as they were read, parts put together.
    pub(crate) fn messages(&self, host: HostId) -> Vec<Message> {
        let mut partial: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
        let mut whole = Vec::new();
        for (_, _, Received { message, part }) in &self.hosts[host.0].received {
            let held = partial.entry(message.stream.0).or_default();
            if matches!(part, Part::Whole | Part::First) {
                // What was begun before, if anything, was given up.
                held.clear();
            }
            held.extend_from_slice(&message.payload);
            if matches!(part, Part::Whole | Part::Last) {
                let payload = partial.remove(&message.stream.0).unwrap_or_default();
                whole.push(Message {
                    payload: payload.into(),
                    ..message.clone()
                });
            }
        }
        whole
    }

    /// The messages' bytes as text.
    pub(crate) fn texts(&self, host: HostId) -> Vec<String> {
        let messages = self.messages(host);
        messages
            .iter()
            .map(|message| String::from_utf8_lossy(&message.payload).into_owned())
            .collect()
    }

    // ---- what happens on the way ----

    /// How packets from one address to another fare from now on.
    pub(crate) fn set_link(&mut self, from: IpAddr, to: IpAddr, link: Link) {
        self.lines.insert((from, to), Line::new(link));
    }

    /// Changes the link from one address to another.
    pub(crate) fn edit_link(&mut self, from: IpAddr, to: IpAddr, edit: impl FnOnce(&mut Link)) {
        let line = self.lines.entry((from, to));
        edit(
            &mut line
                .or_insert_with(|| Line::new(self.everywhere.clone()))
                .link,
        );
    }

    /// Nothing gets through between two addresses for a while.
    pub(crate) fn cut(&mut self, one: IpAddr, other: IpAddr, when: Range<Time>) {
        self.edit_link(one, other, |link| link.down.push(when.clone()));
        self.edit_link(other, one, |link| link.down.push(when));
    }

    /// The `n`th networks of A and Z carry nothing for a while, whatever leads through them.
    pub(crate) fn cut_path_during(&mut self, n: u8, when: Range<Time>) {
        let ends = [address(A, n), address(Z, n)];
        for at in 0..self.hosts[A.0].addresses.len() {
            for to in 0..self.hosts[Z.0].addresses.len() {
                let (one, other) = (self.hosts[A.0].addresses[at], self.hosts[Z.0].addresses[to]);
                if ends.contains(&one) || ends.contains(&other) {
                    self.cut(one, other, when.clone());
                }
            }
        }
    }

    /// The `n`th networks of A and Z carry nothing from now on.
    pub(crate) fn cut_path(&mut self, n: u8) {
        self.cut_path_during(n, self.now..Time::MAX);
    }

    /// Every link is up again, for good.
    pub(crate) fn mend(&mut self) {
        for line in self.lines.values_mut() {
            line.link.down.clear();
        }
    }

    /// Asks `rule` about every packet; the first rule that does not say `Deliver` decides.
    pub(crate) fn add_rule(&mut self, rule: impl FnMut(&Record) -> Verdict + 'static) {
        self.rules.push(Box::new(rule));
    }

    /// Drops the first `count` packets with such a chunk that a host sends from now on.
    pub(crate) fn drop_next(&mut self, host: HostId, chunk_type: ChunkType, count: usize) {
        let addresses = self.hosts[host.0].addresses.clone();
        let mut left = count;
        self.add_rule(move |record| {
            if left == 0 || !addresses.contains(&record.from) || !record.has(chunk_type) {
                return Verdict::Deliver;
            }
            left -= 1;
            Verdict::Drop
        });
    }

    /// Drops the packets whose places among those with such a chunk are in `places`, from now on.
    pub(crate) fn drop_nth(&mut self, host: HostId, chunk_type: ChunkType, places: &[usize]) {
        let addresses = self.hosts[host.0].addresses.clone();
        let places = places.to_vec();
        let mut nth = 0;
        self.add_rule(move |record| {
            if !addresses.contains(&record.from) || !record.has(chunk_type) {
                return Verdict::Deliver;
            }
            nth += 1;
            if places.contains(&(nth - 1)) {
                Verdict::Drop
            } else {
                Verdict::Deliver
            }
        });
    }

    /// Drops every packet with such a chunk that a host sends, until the switch is set to false.
    pub(crate) fn drop_while(&mut self, host: HostId, chunk_type: ChunkType) -> Rc<RefCell<bool>> {
        let switch = Rc::new(RefCell::new(true));
        let seen = Rc::clone(&switch);
        let addresses = self.hosts[host.0].addresses.clone();
        self.add_rule(move |record| {
            let hit = addresses.contains(&record.from) && record.has(chunk_type);
            if hit && *seen.borrow() {
                Verdict::Drop
            } else {
                Verdict::Deliver
            }
        });
        switch
    }

    /// Puts a packet on the network, from whichever address and UDP port.
    pub(crate) fn inject(
        &mut self,
        from: IpAddr,
        to: IpAddr,
        udp: Option<(u16, u16)>,
        bytes: Vec<u8>,
    ) {
        let ecn = Ecn::NotEct;
        let fate = Fate::Carried;
        self.post(Record {
            at: self.now,
            from,
            to,
            udp,
            ecn,
            bytes,
            fate,
        });
    }

    // ---- time ----

    /// Runs for a while.
    pub(crate) fn run_for(&mut self, span: Duration) {
        let until = self.now + span;
        while self.step(until) {}
    }

    /// Runs until `done`, for `limit` at most; says whether it came to be.
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

    /// Runs until the host saw such an event.
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

    /// One event: the next packet arrives, or timers run. False when nothing is left to happen
    /// before `until`, which is then the time.
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
        if next > until {
            self.now = until;
            return false;
        }
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            self.deliver();
        } else {
            self.expire();
        }
        self.pump();
        true
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

    /// Lets every user and every engine do what it can do now.
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

    /// The user's part: takes events, reads, writes.
    fn use_host(&mut self, host: HostId) {
        let now = self.now;
        let mut noted = Vec::new();
        let Host {
            engine: Some(engine),
            current,
            reading,
            outbox,
            accepted,
            events,
            received,
            ..
        } = &mut self.hosts[host.0]
        else {
            return;
        };
        while let Some((id, event)) = engine.poll_event() {
            noted.push(format!("{id:?} {event:?}"));
            match &event {
                Event::Established { .. } => *current = Some(id),
                Event::Closed { unread, .. } => {
                    received.extend(unread.iter().map(|part| (now, id, part.clone())));
                }
                _ => {}
            }
            events.push((now, id, event));
        }
        if *reading == Reading::Eager {
            let ids: Vec<AssocId> = engine.associations().collect();
            for id in ids {
                while let Some(part) = engine.assoc(id).and_then(|mut it| it.receive(now)) {
                    received.push((now, id, part));
                }
            }
        }
        while let Some(mut assoc) = current.and_then(|id| engine.assoc(id)) {
            let Some((message, options)) = outbox.pop_front() else {
                break;
            };
            match assoc.send(now, message, options) {
                Ok(()) => accepted.push(options.context),
                Err(SendError::ShuttingDown) => {}
                Err(SendError::BufferFull(message)) => {
                    outbox.push_front((message, options));
                    break;
                }
                Err(error) => panic!("send: {error}"),
            }
        }
        for line in noted {
            self.mix(line.as_bytes());
        }
    }

    /// Takes a train apart, as a network interface does.
    fn split(&mut self, host: HostId, transmit: Transmit, buf: &[u8]) {
        assert!(!buf.is_empty(), "a transmit with nothing in it");
        assert!(
            self.hosts[host.0].addresses.contains(&transmit.local),
            "a foreign source"
        );
        let size = transmit.segment_size.unwrap_or(buf.len());
        assert!(
            buf.len().div_ceil(size) <= self.max_segments,
            "more segments than asked for"
        );
        for segment in buf.chunks(size) {
            check(segment);
            let udp = transmit.remote.encapsulation.map(|to| {
                let from = self.hosts[host.0]
                    .udp
                    .expect("encapsulated, yet the host has no port");
                (from, to)
            });
            self.post(Record {
                at: self.now,
                from: transmit.local,
                to: transmit.remote.ip,
                udp,
                ecn: transmit.ecn,
                bytes: segment.to_vec(),
                fate: Fate::Carried,
            });
        }
    }

    /// Sends a packet over its link, past the rules.
    fn post(&mut self, mut record: Record) {
        let verdict = self.rules.iter_mut().map(|rule| rule(&record));
        let verdict = verdict.fold(Verdict::Deliver, |first, next| match first {
            Verdict::Deliver => next,
            decided => decided,
        });
        let owner = self.hosts.iter().position(|host| {
            let port = record.udp.is_none_or(|(_, to)| host.udp == Some(to));
            host.addresses.contains(&record.to) && port
        });
        let Some(owner) = owner else {
            record.fate = Fate::NoSuchHost;
            self.log.push(record);
            return;
        };
        if verdict == Verdict::Drop {
            record.fate = Fate::Dropped;
            self.log.push(record);
            return;
        }
        let line = self.lines.entry((record.from, record.to));
        let line = line.or_insert_with(|| Line::new(self.everywhere.clone()));
        let mut bytes = record.bytes.clone();
        let mut extra = Duration::ZERO;
        match verdict {
            Verdict::Replace(other) => bytes = other,
            Verdict::Delay(span) => extra = span,
            Verdict::Deliver | Verdict::Drop => {}
        }
        let carried = line.carry(self.now, &mut bytes, record.ip_len(), &mut self.random);
        match carried {
            Err(loss) => record.fate = Fate::Lost(loss),
            Ok(arrivals) => {
                for at in arrivals {
                    self.sequence += 1;
                    let record = Record {
                        bytes: bytes.clone(),
                        ..record.clone()
                    };
                    let parcel = Parcel {
                        host: HostId(owner),
                        record,
                    };
                    self.parcels.insert((at + extra, self.sequence), parcel);
                }
            }
        }
        self.log.push(record);
    }

    /// FNV-1a.
    fn mix(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl Drop for World {
    /// A failed test shows what went over the network.
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

/// What holds for every packet that an engine sends, in whatever state.
fn check(bytes: &[u8]) {
    let packet = Packet::parse(bytes).expect("an engine's packet parses");
    assert!(packet.checksum_is_valid(), "an engine's checksum is right");
    assert_eq!(bytes.len() % 4, 0, "chunks are padded");
    let chunks: Vec<_> = packet
        .chunks()
        .map(|chunk| chunk.expect("an engine's chunk parses").chunk_type())
        .collect();
    assert!(!chunks.is_empty(), "a packet holds a chunk");
    for alone in [
        ChunkType::INIT,
        ChunkType::INIT_ACK,
        ChunkType::SHUTDOWN_COMPLETE,
    ] {
        // RFC 9260 §4.3 (3.3): these three are never bundled.
        assert!(
            chunks.len() == 1 || !chunks.contains(&alone),
            "bundled: {chunks:?}"
        );
    }
    for first in [ChunkType::COOKIE_ECHO, ChunkType::COOKIE_ACK] {
        // RFC 9260 §3.2.2, §5.1.5: wherever they stand, they come first.
        assert!(!chunks[1..].contains(&first), "not in front: {chunks:?}");
    }
    // RFC 9260 §8.5.1 A: a zero tag goes with an INIT and with nothing else.
    assert_eq!(
        packet.header.vtag.0 == 0,
        chunks[0] == ChunkType::INIT,
        "tag of {chunks:?}"
    );
    // RFC 9260 §6.10: control before data; an ABORT has no DATA with it.
    let data = chunks.iter().position(|chunk| *chunk == ChunkType::DATA);
    if let Some(first) = data {
        assert!(
            chunks[first..]
                .iter()
                .all(|chunk| *chunk == ChunkType::DATA),
            "{chunks:?}"
        );
        assert!(!chunks.contains(&ChunkType::ABORT), "DATA with an ABORT");
    }
}
