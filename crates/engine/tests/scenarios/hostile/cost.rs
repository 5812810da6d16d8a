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
    tune: fn(&mut Options),
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

fn plain(_: &mut Options) {}

fn interleaving(options: &mut Options) {
    options.interleaving = Interleaving::On;
    options.partial_reliability = PartialReliability::On;
    options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
}

fn partial(options: &mut Options) {
    options.partial_reliability = PartialReliability::On;
}

fn reconfiguring(options: &mut Options) {
    options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
}

fn readdressing(options: &mut Options) {
    options.address_changes = AddressChanges::Unauthenticated;
}

fn checked(options: &mut Options) {
    options.chunk_checksum = ChunkChecksum::On;
}

fn marking(options: &mut Options) {
    options.ecn = ExplicitCongestion::On;
}

fn rack(options: &mut Options) {
    options.loss_detection = LossDetection::Rack;
}

fn nr_sack(options: &mut Options) {
    options.selective_acks = SelectiveAcks::NonRenegable;
}

fn drop_reports(options: &mut Options) {
    options.packet_drop_reports = PacketDropReports::On;
}

const CASES: &[Case] = &[
    Case::new(Kind::Data, &[], plain, LINEAR),
    Case::new(Kind::Data, &[FORWARD_TSN], partial, LINEAR),
    Case::new(Kind::IData, &[LISTED], interleaving, LINEAR),
    Case::new(Kind::Sack, &[], plain, REPEATED),
    Case::new(Kind::Sack, &[], rack, REPEATED),
    Case::new(Kind::NrSack, &[LISTED_PLAIN], nr_sack, REPEATED),
    Case::new(Kind::ForwardTsn, &[FORWARD_TSN], partial, LINEAR),
    Case::new(Kind::IForwardTsn, &[LISTED], interleaving, LINEAR),
    Case::new(Kind::ReConfig, &[LISTED_PLAIN], reconfiguring, LINEAR),
    Case::new(Kind::ReConfig, &[LISTED], interleaving, LINEAR),
    Case::new(Kind::Asconf, &[LISTED_PLAIN], readdressing, LINEAR),
    Case::new(Kind::AsconfAck, &[LISTED_PLAIN], readdressing, LINEAR),
    Case::new(Kind::PacketDrop, &[LISTED_PLAIN], drop_reports, LINEAR),
    Case::new(Kind::CheckedData, &[CHECKSUM], checked, LINEAR),
    Case::new(Kind::Corruption, &[CHECKSUM], checked, LINEAR),
    Case::new(Kind::Ecne, &[ECN], marking, LINEAR),
    Case::new(Kind::Cwr, &[ECN], marking, LINEAR),
    Case::new(Kind::Heartbeat, &[], plain, LINEAR),
    Case::new(Kind::HeartbeatAck, &[], plain, LINEAR),
    Case::new(Kind::Error, &[], plain, LINEAR),
    Case::new(Kind::Unknown, &[], plain, LINEAR),
];

impl Case {
    const fn new(
        kind: Kind,
        says: &'static [&'static [u8]],
        tune: fn(&mut Options),
        bound: f64,
    ) -> Self {
        Self {
            kind,
            says,
            tune,
            bound,
        }
    }

    /// An association on which the peer may send such chunks, and something is on its way to it.
    fn begin(&self) -> (World, Peer) {
        let mut options = Options {
            receive_buffer: 256 << 10,
            partial_delivery_point: 32,
            max_burst: None,
            ..quiet()
        };
        (self.tune)(&mut options);
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
    for (number, case) in CASES.iter().enumerate() {
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
