//! Linux's `SCTP_GET_ASSOC_STATS`, compared with the packets on the wire.

use std::time::Duration;

use sheave_sockets::SocketId;

use crate::pair::{Pair, Wire, sndrcv};

const UNORDERED: u16 = 1;
const DATA: u8 = 0;
const SACK: u8 = 3;

/// The counters, in the order in which they stand in the struct.
struct Counters([u64; 15]);

impl Counters {
    fn of(pair: &mut Pair, end: usize, socket: SocketId) -> Self {
        let stats = pair.get(end, socket, 112, &[0; 256]).unwrap();
        let at = |at: usize| u64::from_ne_bytes(stats[at..at + 8].try_into().unwrap());
        Self(std::array::from_fn(|index| at(136 + 8 * index)))
    }

    fn named(&self, wanted: &str) -> u64 {
        const NAMES: [&str; 15] = [
            "maxrto",
            "isacks",
            "osacks",
            "opackets",
            "ipackets",
            "rtxchunks",
            "outofseqtsns",
            "idupchunks",
            "gapcnt",
            "ouodchunks",
            "iuodchunks",
            "oodchunks",
            "iodchunks",
            "octrlchunks",
            "ictrlchunks",
        ];
        let at = NAMES.iter().position(|name| *name == wanted).unwrap();
        self.0[at]
    }
}

/// A chunk as an end sent it.
struct Chunk {
    kind: u8,
    flags: u8,
    body: Vec<u8>,
}

fn sent(pair: &Pair, end: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let packets = pair.sent.iter().filter(|(from, ..)| *from == end);
    for (.., packet) in packets {
        let mut rest = &packet[12..];
        while let [kind, flags, high, low, ..] = *rest {
            let length = usize::from(u16::from_be_bytes([high, low]));
            chunks.push(Chunk {
                kind,
                flags,
                body: rest[4..length].to_vec(),
            });
            rest = &rest[length.next_multiple_of(4).min(rest.len())..];
        }
    }
    chunks
}

fn count(chunks: &[Chunk], wanted: impl Fn(&Chunk) -> bool) -> u64 {
    chunks.iter().filter(|chunk| wanted(chunk)).count() as u64
}

/// The packets that an end has sent.
fn packets(pair: &Pair, end: usize) -> u64 {
    pair.sent.iter().filter(|(from, ..)| *from == end).count() as u64
}

#[test]
fn each_counter_of_an_association_says_what_was_on_the_wire() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.connected();
    pair.send(0, client, &[1; 4000]).unwrap();
    let unordered = sndrcv(3, UNORDERED, 0, 0);
    for _ in 0..2 {
        pair.send_with(0, client, None, &unordered, b"unordered")
            .unwrap();
    }
    pair.settle();
    // What is lost makes a gap, and is sent again.
    pair.wire = Wire::Cut;
    pair.send(0, client, b"lost").unwrap();
    pair.pass(Duration::from_millis(1));
    pair.wire = Wire::Up;
    pair.send(0, client, b"behind it").unwrap();
    pair.pass(Duration::from_secs(20));

    let near = Counters::of(&mut pair, 0, client);
    let far = Counters::of(&mut pair, 1, accepted);
    let (ours, theirs) = (sent(&pair, 0), sent(&pair, 1));
    let gaps = theirs.iter().filter(|chunk| chunk.kind == SACK);
    let gaps: u64 = gaps.map(|chunk| u64::from(chunk.body[9])).sum();
    let is_data = |chunk: &Chunk| chunk.kind == DATA;
    assert!(gaps > 0);
    assert_eq!(near.named("gapcnt"), gaps);
    assert_eq!(near.named("rtxchunks"), 1);
    assert_eq!((near.named("oodchunks"), near.named("ouodchunks")), (5, 2));
    assert_eq!((far.named("iodchunks"), far.named("iuodchunks")), (5, 2));
    assert_eq!(count(&ours, is_data), 5 + 2 + 1);
    assert_eq!(
        count(&ours, |chunk| is_data(chunk) && chunk.flags & 4 != 0),
        2
    );
    let controls = [&ours, &theirs].map(|chunks| count(chunks, |chunk| !is_data(chunk)));
    assert_eq!(near.named("octrlchunks"), controls[0]);
    assert_eq!(near.named("ictrlchunks"), controls[1]);
    // Neither INIT, INIT ACK nor COOKIE ECHO: there is no association yet.
    assert_eq!(far.named("ictrlchunks"), controls[0] - 2);
    assert_eq!(far.named("octrlchunks"), controls[1] - 1);
    let sacks = count(&theirs, |chunk| chunk.kind == SACK);
    assert_eq!((near.named("isacks"), far.named("osacks")), (sacks, sacks));
    assert_eq!(near.named("opackets"), packets(&pair, 0));
    assert_eq!(near.named("ipackets"), packets(&pair, 1));
    for silent in ["outofseqtsns", "idupchunks"] {
        assert_eq!((near.named(silent), far.named(silent)), (0, 0));
    }
}

#[test]
fn the_longest_rto_is_that_since_it_was_asked_for_last() {
    let mut pair = Pair::new();
    let (client, _accepted) = pair.connected();
    pair.wire = Wire::Cut;
    pair.send(0, client, b"unanswered").unwrap();
    pair.pass(Duration::from_secs(8));
    // Twice backed off from RTO.Min.
    let highest = Counters::of(&mut pair, 0, client).named("maxrto");
    assert!(highest >= 4000, "{highest}");
    assert_eq!(Counters::of(&mut pair, 0, client).named("maxrto"), 0);
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(20));
    pair.send(0, client, b"answered").unwrap();
    pair.settle();
    let now = Counters::of(&mut pair, 0, client).named("maxrto");
    assert!(now > 0, "measured again");
}
