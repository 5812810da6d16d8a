//! The most expensive packets that a search finds, for each chunk type: what they cost is in
//! proportion to their bytes (A41).
//!
//! Cost is counted, not timed: `AssocStats::work`. The search climbs from a few packets by changing
//! one number at a time; it is the same on every machine. `SHEAVE_HOSTILE_COST` is the number of
//! attempts for each chunk type, few by default.

mod attack;
mod chunks;

use sheave_engine::wire::{Parameter, RawParameter};
use sheave_engine::{
    AddressChanges, ChunkChecksum, Delivery, ExplicitCongestion, Interleaving, LossDetection,
    Message, Options, PacketDropReports, PartialReliability, PeerRequests, Reconfiguration,
    SelectiveAcks, SendOptions,
};

use self::attack::{Attack, Outcome};
use self::chunks::Kind;
use super::quiet;
use crate::world::{A, Peer, Random, World, blob};

/// A chunk type, what must be agreed on for it, and what each byte may cost.
struct Case {
    kind: Kind,
    /// Parameters of the peer's INIT.
    says: &'static [&'static [u8]],
    tune: fn(&mut Options),
    /// Steps for each byte received.
    bound: f64,
}

/// Each chunk and each entry of a list costs a step, and whatever waited a few more once: four bytes
/// bring no more than four steps.
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

const CASES: &[Case] = &[
    Case {
        kind: Kind::Data,
        says: &[],
        tune: plain,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Data,
        says: &[FORWARD_TSN],
        tune: partial,
        bound: LINEAR,
    },
    Case {
        kind: Kind::IData,
        says: &[LISTED],
        tune: interleaving,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Sack,
        says: &[],
        tune: plain,
        bound: REPEATED,
    },
    Case {
        kind: Kind::Sack,
        says: &[],
        tune: |options| options.loss_detection = LossDetection::Rack,
        bound: REPEATED,
    },
    Case {
        kind: Kind::NrSack,
        says: &[LISTED_PLAIN],
        tune: |options| options.selective_acks = SelectiveAcks::NonRenegable,
        bound: REPEATED,
    },
    Case {
        kind: Kind::ForwardTsn,
        says: &[FORWARD_TSN],
        tune: partial,
        bound: LINEAR,
    },
    Case {
        kind: Kind::IForwardTsn,
        says: &[LISTED],
        tune: interleaving,
        bound: LINEAR,
    },
    Case {
        kind: Kind::ReConfig,
        says: &[LISTED_PLAIN],
        tune: reconfiguring,
        bound: LINEAR,
    },
    Case {
        kind: Kind::ReConfig,
        says: &[LISTED],
        tune: interleaving,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Asconf,
        says: &[LISTED_PLAIN],
        tune: |options| options.address_changes = AddressChanges::Unauthenticated,
        bound: LINEAR,
    },
    Case {
        kind: Kind::AsconfAck,
        says: &[LISTED_PLAIN],
        tune: |options| options.address_changes = AddressChanges::Unauthenticated,
        bound: LINEAR,
    },
    Case {
        kind: Kind::PacketDrop,
        says: &[LISTED_PLAIN],
        tune: |options| options.packet_drop_reports = PacketDropReports::On,
        bound: LINEAR,
    },
    Case {
        kind: Kind::CheckedData,
        says: &[CHECKSUM],
        tune: |options| options.chunk_checksum = ChunkChecksum::On,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Corruption,
        says: &[CHECKSUM],
        tune: |options| options.chunk_checksum = ChunkChecksum::On,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Ecne,
        says: &[ECN],
        tune: |options| options.ecn = ExplicitCongestion::On,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Cwr,
        says: &[ECN],
        tune: |options| options.ecn = ExplicitCongestion::On,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Heartbeat,
        says: &[],
        tune: plain,
        bound: LINEAR,
    },
    Case {
        kind: Kind::HeartbeatAck,
        says: &[],
        tune: plain,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Error,
        says: &[],
        tune: plain,
        bound: LINEAR,
    },
    Case {
        kind: Kind::Unknown,
        says: &[],
        tune: plain,
        bound: LINEAR,
    },
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
        (self.tune)(&mut options);
        let (mut world, mut peer) = Peer::before_listener(options);
        peer.streams = u16::MAX;
        let says: Vec<Parameter<'_>> = (self.says.iter())
            .map(|bytes| RawParameter::parse(bytes).expect("a parameter"))
            .map(Parameter::Unknown)
            .collect();
        peer.connect(&mut world, &says);
        let now = world.now();
        for n in 0..200 {
            let message = Message {
                delivery: Delivery::Ordered,
                ..blob(n % 10, 4)
            };
            let sent = world.assoc(A).send(now, message, SendOptions::default());
            sent.expect("room for it");
        }
        (world, peer)
    }

    /// Steps that the engine's own packets have paid for.
    fn paid(&self) -> u64 {
        match self.kind {
            Kind::Sack | Kind::NrSack => SACKED,
            _ => 0,
        }
    }

    /// The worst that so many attempts find.
    fn worst(&self, attempts: u32) -> Outcome {
        let mut random = Random::new(0x5eed + self.kind as u64);
        let mut best = Attack::first(self.kind);
        let mut worst = best.carry_out(self);
        for attempt in 0..attempts {
            // Now and then from the start, so that no hill is the last one.
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
