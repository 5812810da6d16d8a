//! The most expensive packets that a search finds for each chunk type: their cost must be
//! proportional to their size (A41).
//!
//! Cost is counted, not timed: `AssocStats::work`. The search climbs from a few packets by changing
//! one number at a time; it is the same on every machine. `SHEAVE_HOSTILE_COST` is the number of
//! attempts for each chunk type, few by default.

mod attack;
mod chunks;

use crate::prelude::*;

use self::attack::{Attack, Outcome};
use self::chunks::Kind;
use super::quiet;

/// A chunk type, the extension it needs, and its maximum cost per byte.
struct Case {
    kind: Kind,
    /// Parameters of the peer's INIT.
    says: &'static [&'static [u8]],
    options: &'static str,
    /// Steps for each byte received.
    bound: f64,
}

/// Each chunk and list entry costs a step, and each queued item a few more once: at most four steps
/// per four bytes.
const LINEAR: f64 = 1.0;

/// A SACK may also acknowledge again what it took back, 16 chunks each: two SACKs of 36 bytes together
/// take as much back, and give as much again, twice.
const REPEATED: f64 = 2.0;

/// Steps that are paid for otherwise: each of the 200 chunks on their way may be acknowledged, in two
/// ways, and be taken back; a thousand once more, without more bytes.
const SACKED: u64 = 5 * 200 + 4 * 1024;

const FORWARD_TSN: &[u8] = &[0xC0, 0, 0, 4];
const LISTED: &[u8] = &[0x80, 0x08, 0, 11, 64, 192, 194, 130, 193, 128, 129];
const LISTED_PLAIN: &[u8] = &[0x80, 0x08, 0, 10, 192, 130, 193, 128, 129, 16];
const CHECKSUM: &[u8] = &[0x9E, 0x02, 0, 4];
const ECN: &[u8] = &[0x80, 0x00, 0, 4];

const PLAIN: &str = "";
const INTERLEAVING: &str = "interleaving=on, partial_reliability=on, reconfiguration=on";
const PARTIAL: &str = "partial_reliability=on";
const RECONFIGURING: &str = "reconfiguration=on";
const READDRESSING: &str = "address_changes=unauthenticated";
const CHECKED: &str = "chunk_checksum=on";
const MARKING: &str = "ecn=on";
const RACK: &str = "loss_detection=rack";
const NR_SACK: &str = "selective_acks=non-renegable";
const DROP_REPORTS: &str = "packet_drop_reports=on";

const CASES: &[(Kind, &[&[u8]], &str, f64)] = &[
    (Kind::Data, &[], PLAIN, LINEAR),
    (Kind::Data, &[FORWARD_TSN], PARTIAL, LINEAR),
    (Kind::IData, &[LISTED], INTERLEAVING, LINEAR),
    (Kind::Sack, &[], PLAIN, REPEATED),
    (Kind::Sack, &[], RACK, REPEATED),
    (Kind::NrSack, &[LISTED_PLAIN], NR_SACK, REPEATED),
    (Kind::ForwardTsn, &[FORWARD_TSN], PARTIAL, LINEAR),
    (Kind::IForwardTsn, &[LISTED], INTERLEAVING, LINEAR),
    (Kind::ReConfig, &[LISTED_PLAIN], RECONFIGURING, LINEAR),
    (Kind::ReConfig, &[LISTED], INTERLEAVING, LINEAR),
    (Kind::Asconf, &[LISTED_PLAIN], READDRESSING, LINEAR),
    (Kind::AsconfAck, &[LISTED_PLAIN], READDRESSING, LINEAR),
    (Kind::PacketDrop, &[LISTED_PLAIN], DROP_REPORTS, LINEAR),
    (Kind::CheckedData, &[CHECKSUM], CHECKED, LINEAR),
    (Kind::Corruption, &[CHECKSUM], CHECKED, LINEAR),
    (Kind::Ecne, &[ECN], MARKING, LINEAR),
    (Kind::Cwr, &[ECN], MARKING, LINEAR),
    (Kind::Heartbeat, &[], PLAIN, LINEAR),
    (Kind::HeartbeatAck, &[], PLAIN, LINEAR),
    (Kind::Error, &[], PLAIN, LINEAR),
    (Kind::Unknown, &[], PLAIN, LINEAR),
];

impl Case {
    /// An association on which the peer may send such chunks, and something is on its way to it.
    fn begin(&self) -> (World, Peer) {
        let mut options = Options {
            receive_buffer: 256 << 10,
            partial_delivery_point: 32,
            max_burst: None,
            ..quiet()
        };
        set(self.options)(&mut options);
        let (mut world, mut peer) = Peer::before_listener(options);
        peer.streams = u16::MAX;
        peer.connect_announcing(&mut world, self.says);
        for n in 0..200 {
            let message = Message {
                delivery: Delivery::Ordered,
                ..blob(n % 10, 4)
            };
            world.offer(A, message).expect("room for it");
        }
        (world, peer)
    }

    /// Steps allowed for the engine's own packets.
    fn paid(&self) -> u64 {
        match self.kind {
            Kind::Sack | Kind::NrSack => SACKED,
            _ => 0,
        }
    }

    /// The most expensive attack found in `attempts` attempts.
    fn worst(&self, attempts: u32) -> Outcome {
        let mut random = Random::new(0x5eed + self.kind as u64);
        let mut best = Attack::first(self.kind);
        let mut worst = best.carry_out(self);
        for attempt in 0..attempts {
            // Occasionally restarts, to leave local maxima.
            let next = if attempt % 16 == 15 {
                Attack::random(self.kind, &mut random)
            } else {
                best.changed(self.kind, &mut random)
            };
            let outcome = next.carry_out(self);
            if outcome.cost(self.paid()) >= worst.cost(self.paid()) {
                (best, worst) = (next, outcome);
            }
        }
        worst
    }
}

// A41
#[test]
fn the_most_expensive_packets_cost_no_more_than_their_bytes() {
    let attempts = std::env::var("SHEAVE_HOSTILE_COST");
    let attempts = attempts.map_or(12, |text| text.parse().expect("a number of attempts"));
    println!(
        "{:<16} {:>12} {:>8}  steps for bytes",
        "chunk", "steps/byte", "bound"
    );
    let mut broken = Vec::new();
    for (number, &(kind, says, options, bound)) in CASES.iter().enumerate() {
        let case = Case {
            kind,
            says,
            options,
            bound,
        };
        let worst = case.worst(attempts);
        println!(
            "{:<16} {:>12.3} {:>8}  {} for {}",
            format!("{:?}", case.kind),
            worst.cost(case.paid()),
            case.bound,
            worst.steps,
            worst.bytes
        );
        if worst.cost(case.paid()) > case.bound {
            broken.push((number, case.kind, worst));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
