//! Lives of many channels over networks that lose, from many seeds: `SHEAVE_WEBRTC_SEEDS` says how
//! many, and `SHEAVE_WEBRTC_FROM` the first.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::time::Duration;

use sheave_datachannel::{
    Channel, ChannelConfig, ChannelEvent, ChannelId, ChannelState, ClosedReason, Message,
    Reliability, SendError,
};
use sheave_engine::Delivery;
use sheave_engine::wire::StreamId;
use sheave_webrtc::{ConnectionEvent, IceMode, SctpStart};

use crate::world::World;

/// Bytes of the longest message that either end takes, near enough.
const LIMIT: usize = 256 << 10;

/// Numbers out of a seed (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len() as u64);
        all[usize::try_from(at).unwrap()]
    }
}

/// A channel, as the plan knows it: its serial number is its label and begins each message.
struct Planned {
    serial: u64,
    delivery: Delivery,
    reliability: Reliability,
    /// Its name at either end, once it has one.
    ids: [Option<ChannelId>; 2],
    /// Messages that an end's connection took.
    sent: [u64; 2],
    closed_by: BTreeSet<usize>,
}

struct Life {
    world: World,
    random: Random,
    channels: Vec<Planned>,
    /// Events of each end that were looked at.
    read: [usize; 2],
    /// Numbers of messages that arrived, by channel and the end where they did.
    arrived: BTreeMap<(u64, usize), Vec<u64>>,
    closed: [Vec<(ChannelId, ClosedReason)>; 2],
}

impl Life {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let lite = random.below(3);
        let start = random.of(&[SctpStart::Handshake, SctpStart::default()]);
        let pmtu = random.of(&[1200, 1500, 9000]);
        let mut world = World::agreed(|n, config| {
            if n as u64 == lite {
                config.ice = IceMode::Lite;
            }
            config.sctp_start = start;
            config.max_pmtu = config.max_pmtu.max(pmtu);
        });
        world.random = seed;
        world.loss = random.of(&[0, 8, 12, 20, 100]);
        world.mtu = random.of(&[1280, 1500, 65_535]);
        Self {
            world,
            random,
            channels: Vec::new(),
            read: [0; 2],
            arrived: BTreeMap::new(),
            closed: [Vec::new(), Vec::new()],
        }
    }

    fn step(&mut self) {
        self.world.step();
        for n in [0, 1] {
            while let Some(event) = self.world.events[n].get(self.read[n]).cloned() {
                self.read[n] += 1;
                self.on_event(n, event);
            }
        }
    }

    fn on_event(&mut self, n: usize, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Channel(ChannelEvent::Incoming { channel }) => {
                let label = self.world.ends[n]
                    .channel(channel)
                    .map(|it| it.label().to_owned());
                if let Some(serial) = label.and_then(|label| label.parse::<usize>().ok()) {
                    let known = &mut self.channels[serial].ids[n];
                    assert_eq!(*known, None, "opened twice");
                    *known = Some(channel);
                }
            }
            ConnectionEvent::Channel(ChannelEvent::Message { message, .. }) => {
                let number =
                    |at: usize| u64::from_be_bytes(message.payload[at..at + 8].try_into().unwrap());
                let (serial, number) = (number(0), number(8));
                let fill = u8::try_from(number % 251).unwrap();
                assert!(message.payload[16..].iter().all(|byte| *byte == fill));
                self.arrived.entry((serial, n)).or_default().push(number);
            }
            ConnectionEvent::Channel(ChannelEvent::Closed { channel, reason }) => {
                self.closed[n].push((channel, reason));
            }
            ConnectionEvent::Channel(ChannelEvent::Refused { stream, fault }) => {
                panic!("{n} refused {stream:?}: {fault:?}")
            }
            ConnectionEvent::Ended(reason) => panic!("{n} ended: {reason}"),
            _ => {}
        }
    }

    fn act(&mut self) {
        let (now, n) = (
            self.world.now,
            usize::try_from(self.random.below(2)).unwrap(),
        );
        match self.random.below(10) {
            0 | 1 => {
                let config = self.config();
                if self.random.below(4) == 0 {
                    self.open_at_both(&config);
                } else if let Ok(id) = self.world.ends[n].open(now, config.clone()) {
                    let mut ids = [None, None];
                    ids[n] = Some(id);
                    self.plan(&config, ids);
                }
            }
            3 if self.random.below(8) == 0 => match self.random.below(4) {
                0 => self.world.suspended[n] ^= true,
                1 => self.close_all(),
                _ => self.world.unread[n] ^= true,
            },
            2 if self.random.below(2) == 0 => {
                if let Some((at, id)) = self.pick(n) {
                    self.world.ends[n].close_channel(now, id);
                    self.channels[at].closed_by.insert(n);
                }
            }
            _ => {
                let Some((at, id)) = self.pick(n) else { return };
                let number = self.channels[at].sent[n];
                let bytes = self.random.of(&[0, 1, 100, 1200, 5000, 60_000, 300_000]);
                let mut payload = self.channels[at].serial.to_be_bytes().to_vec();
                payload.extend(number.to_be_bytes());
                payload.resize(16 + bytes, u8::try_from(number % 251).unwrap());
                match self.world.ends[n].send(now, id, Message::binary(payload)) {
                    Ok(()) => {
                        assert!(bytes < LIMIT, "a message beyond the peer's limit is taken");
                        self.channels[at].sent[n] += 1;
                    }
                    Err(SendError::TooLarge) => assert!(bytes >= LIMIT, "too large: {bytes}"),
                    Err(_) => {}
                }
            }
        }
    }

    /// The properties of the next channel.
    fn config(&mut self) -> ChannelConfig {
        let mut config = ChannelConfig::new(self.channels.len().to_string());
        match self.random.below(6) {
            0 => config = config.with_max_retransmissions(0),
            1 => config = config.with_max_retransmissions(2),
            2 => config = config.with_lifetime(Duration::from_millis(100)),
            _ => {}
        }
        if self.random.below(2) == 0 {
            config = config.unordered();
        }
        config
    }

    fn plan(&mut self, config: &ChannelConfig, ids: [Option<ChannelId>; 2]) {
        self.channels.push(Planned {
            serial: self.channels.len() as u64,
            delivery: config.delivery,
            reliability: config.reliability,
            ids,
            sent: [0; 2],
            closed_by: BTreeSet::new(),
        });
    }

    /// Opens a channel at both ends with an id that was agreed on, if both know that the one before
    /// with that id is closed.
    fn open_at_both(&mut self, config: &ChannelConfig) {
        let stream = StreamId(self.random.of(&[1000, 1001, 1500]));
        let is_free = |channel: &Planned| {
            let is_closed = |n: usize| {
                let id = channel.ids[n].filter(|id| id.stream() == stream);
                id.is_none_or(|id| self.closed[n].iter().any(|(closed, _)| *closed == id))
            };
            is_closed(0) && is_closed(1)
        };
        if !self.channels.iter().all(is_free) {
            return;
        }
        let ids = [0, 1].map(|n| {
            let now = self.world.time(n);
            let config = config.clone().negotiated(stream);
            Some(
                self.world.ends[n]
                    .open(now, config)
                    .expect("the id is free"),
            )
        });
        self.plan(config, ids);
    }

    /// Closes all channels, at either end.
    fn close_all(&mut self) {
        for n in [0, 1] {
            while let Some((at, id)) = self.pick(n) {
                let now = self.world.time(n);
                self.world.ends[n].close_channel(now, id);
                self.channels[at].closed_by.insert(n);
                if self.random.below(6) == 0 {
                    return;
                }
            }
        }
    }

    /// A channel that an end has, and has not closed.
    fn pick(&mut self, n: usize) -> Option<(usize, ChannelId)> {
        let all: Vec<_> = self
            .channels
            .iter()
            .enumerate()
            .filter(|(_, channel)| !channel.closed_by.contains(&n))
            .filter_map(|(at, channel)| Some((at, channel.ids[n]?)))
            .collect();
        (!all.is_empty()).then(|| self.random.of(&all))
    }

    /// What is not as it has to be in the end.
    fn faults(&mut self) -> Vec<String> {
        let mut faults = Vec::new();
        for channel in &self.channels {
            let serial = channel.serial;
            let is_closed = !channel.closed_by.is_empty();
            for n in [0, 1] {
                let told = channel.ids[n].map_or(0, |id| {
                    self.closed[n]
                        .iter()
                        .filter(|(closed, _)| *closed == id)
                        .count()
                });
                let is_there = channel.ids[n].is_some_and(|id| {
                    self.world.ends[n]
                        .channel(id)
                        .is_some_and(|it| it.state() == ChannelState::Open)
                });
                if told != usize::from(is_closed && channel.ids[n].is_some())
                    || is_there == is_closed
                {
                    let state = channel.ids[n]
                        .and_then(|id| self.world.ends[n].channel(id).map(Channel::state));
                    faults.push(format!(
                        "channel {serial} ({:?}) at {n}: closed by {:?}, told {told} times, {state:?}",
                        channel.ids, channel.closed_by
                    ));
                }
                let arrived = self
                    .arrived
                    .get(&(serial, 1 - n))
                    .cloned()
                    .unwrap_or_default();
                let mut sorted = arrived.clone();
                sorted.sort_unstable();
                sorted.dedup();
                if sorted.len() != arrived.len() {
                    faults.push(format!("channel {serial} from {n}: twice in {arrived:?}"));
                }
                if channel.delivery == Delivery::Ordered && !arrived.is_sorted() {
                    faults.push(format!(
                        "channel {serial} from {n}: not in order {arrived:?}"
                    ));
                }
                // What the other end sent while it was being closed may be lost.
                let all = channel.reliability == Reliability::Reliable
                    && channel.closed_by.iter().all(|by| *by == n);
                if all && arrived.len() as u64 != channel.sent[n] {
                    faults.push(format!(
                        "channel {serial} from {n}, closed by {:?}: {} of {} arrived",
                        channel.closed_by,
                        arrived.len(),
                        channel.sent[n]
                    ));
                }
            }
        }
        faults
    }

    fn run(mut self) -> Result<(), String> {
        let steps = 50 + self.random.below(400);
        for _ in 0..steps {
            for _ in 0..self.random.below(3) {
                self.act();
            }
            for _ in 0..self.random.below(8) {
                self.step();
            }
        }
        self.world.suspended = [false; 2];
        self.world.unread = [false; 2];
        let end = self.world.now + Duration::from_secs(600);
        let mut pause = self.world.now;
        loop {
            self.step();
            if self.world.now < pause {
                continue;
            }
            pause = self.world.now + Duration::from_secs(1);
            let faults = self.faults();
            if faults.is_empty() {
                return Ok(());
            }
            if self.world.now > end {
                return Err(faults.join("\n"));
            }
        }
    }
}

/// Does something with each seed that is asked for, `usual` of them where none are; a panic names the seed.
pub(crate) fn search(usual: u64, run: impl Fn(u64) -> Result<(), String>) {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let from = number("SHEAVE_WEBRTC_FROM").unwrap_or(0);
    for seed in from..from + number("SHEAVE_WEBRTC_SEEDS").unwrap_or(usual) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed)));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(faults)) => panic!("seed {seed}:\n{faults}"),
            Err(_) => panic!("seed {seed}"),
        }
    }
}

#[test]
fn channels_live_and_die_as_they_should() {
    search(20, |seed| Life::new(seed).run());
}
