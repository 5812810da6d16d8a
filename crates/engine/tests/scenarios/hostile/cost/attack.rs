//! Sequences of packets, and small changes to them.

use crate::prelude::*;

use super::Case;
use super::chunks::{Kind, Numbers};

/// Bytes after which an attack is over.
const MOST_BYTES: usize = 100_000;
const MTU: usize = 1460;

/// The packets of a peer, step by step.
#[derive(Clone, Debug)]
pub(super) struct Attack(Vec<Move>);

/// A number of chunks of one kind, each with different numbers, or some reads.
#[derive(Clone, Debug)]
struct Move {
    kind: Kind,
    repeat: u16,
    first: Numbers,
    step: Numbers,
}

/// The cost of an attack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) steps: u64,
    pub(super) bytes: u64,
}

impl Outcome {
    /// Steps per byte, excluding `paid` steps.
    pub(super) fn cost(self, paid: u64) -> f64 {
        self.steps.saturating_sub(paid) as f64 / self.bytes.max(1) as f64
    }
}

impl Attack {
    /// Creates an attack: much queued state, then chunks of this kind with many entries.
    pub(super) fn first(kind: Kind) -> Self {
        // Beginnings, where messages may be mixed; else whole ones whose turn does not come.
        let flags = if kind.filler() == Kind::IData { 2 } else { 3 };
        let waiting = Move {
            kind: kind.filler(),
            repeat: 600,
            first: Numbers {
                tsn: 1,
                number: 1,
                flags,
                len: 1,
                ..Numbers::default()
            },
            step: Numbers {
                tsn: 1,
                number: 1,
                ..Numbers::default()
            },
        };
        let listing = Move {
            kind,
            repeat: 20,
            first: Numbers {
                tsn: 601,
                number: 1 << 30,
                entries: 180,
                len: 4,
                ..Numbers::default()
            },
            step: Numbers {
                tsn: 1,
                ..Numbers::default()
            },
        };
        // Half of what is outstanding is acknowledged, and taken back.
        let taking_back = Move {
            kind,
            repeat: 1000,
            first: Numbers {
                entries: 1,
                ..Numbers::default()
            },
            step: Numbers {
                second: 75,
                ..Numbers::default()
            },
        };
        match kind {
            Kind::Sack => Self(vec![taking_back]),
            _ => Self(vec![waiting, listing]),
        }
    }

    pub(super) fn random(kind: Kind, random: &mut Random) -> Self {
        let count = 1 + random.below(6);
        Self((0..count).map(|_| Move::random(kind, random)).collect())
    }

    /// The same but for a few numbers, or with a step more or less.
    pub(super) fn changed(&self, kind: Kind, random: &mut Random) -> Self {
        let mut moves = self.0.clone();
        for _ in 0..=random.below(3) {
            let at = random.index(moves.len());
            match random.below(10) {
                0 => moves.insert(at, Move::random(kind, random)),
                1 if moves.len() > 1 => drop(moves.remove(at)),
                2 => moves.insert(at, moves[random.index(moves.len())].clone()),
                3 => {
                    let other = random.index(moves.len());
                    moves.swap(at, other);
                }
                4 => moves[at].repeat = 1 + random.below(1000) as u16,
                5 => moves[at].kind = kind.random_beside(random),
                6 | 7 => moves[at].first.change(random),
                _ => moves[at].step.change(random),
            }
        }
        moves.truncate(12);
        Self(moves)
    }

    pub(super) fn carry_out(&self, case: &Case) -> Outcome {
        let (mut world, peer) = case.begin();
        drain(&mut world);
        let mut outcome = Outcome { steps: 0, bytes: 0 };
        let before = world.stats(A).work;
        let mut requests = 0;
        let mut body = Vec::new();
        for one in &self.0 {
            let mut numbers = one.first;
            for _ in 0..one.repeat {
                if one.kind == Kind::Read {
                    let now = world.now();
                    if world.assoc(A).receive(now).is_none() {
                        break;
                    }
                } else {
                    let chunk = one.kind.bytes(&peer, &numbers, &mut requests);
                    if body.len() + chunk.len() > MTU {
                        deliver(&mut world, &peer, &mut body, &mut outcome);
                        if !world.is_open(A) || outcome.bytes as usize > MOST_BYTES {
                            return outcome;
                        }
                        outcome.steps = world.stats(A).work - before;
                    }
                    body.extend_from_slice(&chunk);
                }
                numbers = numbers.plus(&one.step);
            }
            deliver(&mut world, &peer, &mut body, &mut outcome);
            if !world.is_open(A) {
                return outcome;
            }
        }
        outcome.steps = world.stats(A).work - before;
        outcome
    }
}

impl Move {
    fn random(kind: Kind, random: &mut Random) -> Self {
        let mut first = Numbers::default();
        let mut step = Numbers::default();
        for _ in 0..4 {
            first.change(random);
            step.change(random);
        }
        Self {
            kind: kind.random_beside(random),
            repeat: 1 + random.below(300) as u16,
            first,
            step,
        }
    }
}

/// Delivers a packet with these chunks to the engine, and discards all answers.
fn deliver(world: &mut World, peer: &Peer, body: &mut Vec<u8>, outcome: &mut Outcome) {
    if body.is_empty() {
        return;
    }
    let packet = peer.packet_of(body);
    body.clear();
    outcome.bytes += packet.len() as u64;
    peer.hand(world, &packet);
    drain(world);
}

fn drain(world: &mut World) {
    let now = world.now();
    let mut buf = Vec::new();
    while world.endpoint(A).poll_transmit(now, &mut buf, 16).is_some() {}
}
