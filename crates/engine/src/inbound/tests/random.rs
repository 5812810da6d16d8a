//! Random traffic through random trouble: every message comes out exactly once, in order per
//! stream, byte for byte, and the buffer's bound holds at every step.

use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

use super::*;

/// A message that the peer sends.
#[derive(Clone, Debug)]
struct Sent {
    stream: u16,
    delivery: Delivery,
    /// Sizes of its fragments, bytes.
    fragments: Vec<usize>,
}

/// A chunk that the peer sends.
struct SentChunk {
    tsn: Tsn,
    flags: DataFlags,
    stream: StreamId,
    ssn: Ssn,
    /// The message's index, as its PPID.
    message: u32,
    payload: Vec<u8>,
}

/// A step of the network or the reader.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Delivers the n-th chunk that is not acknowledged.
    Deliver(usize),
    /// The same, while the endpoint has so many bytes left.
    Starve(usize, usize),
    /// Delivers the n-th chunk from the beginning, acknowledged or not.
    Repeat(usize),
    Read,
    ReadAll,
}

fn sent() -> impl Strategy<Value = Sent> {
    let sizes = prop_oneof![
        4 => prop::collection::vec(1_usize..600, 1..2),
        2 => prop::collection::vec(1_usize..600, 2..6),
        1 => prop::collection::vec(1_usize..1452, 10..30),
        1 => prop::collection::vec(1_usize..4, 1..20),
    ];
    let delivery = prop_oneof![3 => Just(Delivery::Ordered), 1 => Just(Delivery::Unordered)];
    let parts = (0_u16..4, delivery, sizes);
    parts.prop_map(|(stream, delivery, fragments)| Sent {
        stream: stream * 700,
        delivery,
        fragments,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Deliver(0)),
        6 => (0_usize..40).prop_map(Step::Deliver),
        1 => (0_usize..20, 0_usize..2000).prop_map(|(n, left)| Step::Starve(n, left)),
        1 => (0_usize..500).prop_map(Step::Repeat),
        1 => Just(Step::Read),
        1 => Just(Step::ReadAll),
    ]
}

fn payload(message: usize, len: usize) -> Vec<u8> {
    let byte = |i: usize| (message * 31 + i * 7 + (i >> 8)).to_le_bytes()[0];
    let bytes = (0..len).map(byte);
    bytes.collect()
}

fn chunks(messages: &[Sent], initial_tsn: Tsn, initial_ssn: Ssn) -> Vec<SentChunk> {
    let mut ssns = BTreeMap::new();
    let mut tsn = initial_tsn;
    let mut chunks = Vec::new();
    for (index, sent) in messages.iter().enumerate() {
        let ssn = ssns.entry(sent.stream).or_insert(initial_ssn);
        let bytes = payload(index, sent.fragments.iter().sum());
        let mut at = 0;
        for (i, &len) in sent.fragments.iter().enumerate() {
            let mut flags = DataFlags::EMPTY;
            if sent.delivery == Delivery::Unordered {
                flags = flags.union(DataFlags::UNORDERED);
            }
            if i == 0 {
                flags = flags.union(FIRST);
            }
            if i + 1 == sent.fragments.len() {
                flags = flags.union(LAST);
            }
            chunks.push(SentChunk {
                tsn,
                flags,
                stream: StreamId(sent.stream),
                ssn: *ssn,
                message: u32::try_from(index).unwrap(),
                payload: bytes[at..at + len].to_vec(),
            });
            at += len;
            tsn = tsn.next();
        }
        if sent.delivery == Delivery::Ordered {
            *ssn = ssn.next();
        }
    }
    chunks
}

/// Checks what the user reads.
struct Reader<'a> {
    messages: &'a [Sent],
    /// Per stream: ordered messages to come.
    ordered: BTreeMap<u16, VecDeque<usize>>,
    unread: Vec<bool>,
    /// Per stream: the message that comes in parts.
    partial: BTreeMap<u16, (usize, Vec<u8>)>,
}

impl<'a> Reader<'a> {
    fn new(messages: &'a [Sent]) -> Self {
        let mut ordered: BTreeMap<u16, VecDeque<usize>> = BTreeMap::new();
        for (index, sent) in messages.iter().enumerate() {
            if sent.delivery == Delivery::Ordered {
                ordered.entry(sent.stream).or_default().push_back(index);
            }
        }
        Self {
            messages,
            ordered,
            unread: std::vec![true; messages.len()],
            partial: BTreeMap::new(),
        }
    }

    fn read(&mut self, received: Received) {
        let stream = received.message.stream.0;
        let index = received.message.ppid.0 as usize;
        let bytes = received.message.payload;
        assert_eq!(received.message.delivery, self.messages[index].delivery);
        match received.part {
            Part::Whole => {
                assert!(!self.partial.contains_key(&stream), "inside another");
                self.finish(stream, index, &bytes);
            }
            Part::First => {
                let before = self.partial.insert(stream, (index, bytes.to_vec()));
                assert!(before.is_none());
            }
            Part::Middle | Part::Last => {
                let (begun, gathered) = self.partial.get_mut(&stream).unwrap();
                assert_eq!(*begun, index);
                gathered.extend_from_slice(&bytes);
                if received.part == Part::Last {
                    let (_, gathered) = self.partial.remove(&stream).unwrap();
                    self.finish(stream, index, &gathered);
                }
            }
        }
    }

    fn finish(&mut self, stream: u16, index: usize, bytes: &[u8]) {
        let sent = &self.messages[index];
        assert_eq!(sent.stream, stream);
        if sent.delivery == Delivery::Ordered {
            let turn = self.ordered.get_mut(&stream).unwrap().pop_front();
            assert_eq!(turn, Some(index));
        }
        assert!(std::mem::take(&mut self.unread[index]), "read twice");
        assert_eq!(bytes, payload(index, sent.fragments.iter().sum()));
    }
}

/// A peer, a network and a reader around the receiving half.
struct Scene<'a> {
    inbound: Inbound,
    chunks: &'a [SentChunk],
    reader: Reader<'a>,
    bound: usize,
}

impl Scene<'_> {
    fn is_acknowledged(&mut self, index: usize) -> bool {
        let cumulative = self.inbound.cumulative_tsn();
        let tsn = self.chunks[index].tsn;
        if !tsn.is_after(cumulative) {
            return true;
        }
        let offset = tsn.distance_from(cumulative);
        let mut blocks = self.inbound.gap_blocks(usize::MAX).iter();
        blocks.any(|b| (u32::from(b.start)..=u32::from(b.end)).contains(&offset))
    }

    fn deliver(&mut self, index: usize, memory_left: usize) -> Arrival {
        let chunk = &self.chunks[index];
        let data = Data {
            flags: chunk.flags,
            tsn: chunk.tsn,
            stream: chunk.stream,
            ssn: chunk.ssn,
            ppid: Ppid(chunk.message),
            payload: &chunk.payload,
        };
        let known = self.is_acknowledged(index);
        let arrival = self
            .inbound
            .accept(&data, memory_left, &mut Pool::default())
            .unwrap();
        assert_eq!(arrival == Arrival::Duplicate, known);
        assert_eq!(arrival != Arrival::NoRoom, self.is_acknowledged(index));
        assert!(self.inbound.buffered() <= self.bound);
        self.inbound.clear_duplicates();
        arrival
    }

    fn read(&mut self) -> bool {
        let readable = self.inbound.is_readable();
        let received = self.inbound.receive();
        assert_eq!(received.is_some(), readable);
        if let Some(received) = received {
            self.reader.read(received);
        }
        readable
    }

    fn deliver_missing(&mut self, n: usize, memory_left: usize) {
        let mut missing = Vec::new();
        for index in 0..self.chunks.len() {
            if missing.len() <= n && !self.is_acknowledged(index) {
                missing.push(index);
            }
        }
        if let Some(&index) = missing.get(n) {
            self.deliver(index, memory_left);
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Deliver(n) => self.deliver_missing(n, UNLIMITED),
            Step::Starve(n, memory_left) => self.deliver_missing(n, memory_left),
            Step::Repeat(n) => {
                self.deliver(n % self.chunks.len(), UNLIMITED);
            }
            Step::Read => {
                self.read();
            }
            Step::ReadAll => while self.read() {},
        }
    }

    /// The peer sends what is missing in order, and the reader keeps up.
    fn settle(&mut self) {
        for index in 0..self.chunks.len() {
            let mut tries = 0;
            while !self.is_acknowledged(index) {
                if self.deliver(index, UNLIMITED) == Arrival::NoRoom {
                    assert!(self.read(), "neither room nor anything to read");
                }
                tries += 1;
                assert!(tries < 1000);
            }
        }
        while self.read() {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_message_arrives_once_in_order_and_intact(
        messages in prop::collection::vec(sent(), 1..60),
        steps in prop::collection::vec(step(), 0..600),
        buffer in prop_oneof![Just(4096_usize), 4096_usize..20_000, Just(1_usize << 20)],
        point in prop_oneof![1_usize..3000, Just(1_usize << 20)],
        tsns_before_the_wrap in 0_u32..200,
        ssns_before_the_wrap in 0_u16..10,
    ) {
        let initial_tsn = Tsn(0).plus(tsns_before_the_wrap.wrapping_neg());
        let initial_ssn = Ssn(0).plus(ssns_before_the_wrap.wrapping_neg());
        let chunks = chunks(&messages, initial_tsn, initial_ssn);
        let mut inbound = Inbound::new(initial_tsn, u16::MAX, buffer, point);
        for stream in 0..4 {
            inbound.order.set_due(StreamId(stream * 700), initial_ssn);
        }
        let mut scene = Scene {
            inbound,
            chunks: &chunks,
            reader: Reader::new(&messages),
            bound: buffer + buffer / 4 + 1452 + MESSAGE_OVERHEAD,
        };
        for step in steps {
            scene.step(step);
        }
        scene.settle();
        prop_assert!(scene.reader.unread.iter().all(|unread| !unread));
        prop_assert!(!scene.inbound.has_gaps());
        prop_assert!(scene.inbound.backlog.is_empty());
        prop_assert_eq!(scene.inbound.buffered(), 0);
    }

    #[test]
    fn hostile_chunks_are_faults_or_bounded(
        steps in prop::collection::vec((0_u32..400, 0_u16..4, 0_u16..6, 0_u8..8, 1_usize..2000, any::<bool>()), 1..500),
    ) {
        let mut inbound = Inbound::new(Tsn(u32::MAX - 50), 3, 4096, 2048);
        let zeroes = [0; 2000];
        for (ahead, stream, ssn, flags, len, read) in steps {
            let tsn = Tsn(u32::MAX - 60).plus(ahead).0;
            let data = chunk(tsn, stream, ssn, DataFlags::from_bits(flags), &zeroes[..len]);
            if inbound.accept(&data, UNLIMITED, &mut Pool::default()).is_err() {
                break;
            }
            if read {
                inbound.receive();
            }
            prop_assert!(inbound.buffered() <= 4096 + 4096 / 4 + 2000 + MESSAGE_OVERHEAD);
        }
    }
}
