//! Random numbers of associations that share a memory too small for what is sent.

use std::collections::{BTreeMap, VecDeque};

use crate::prelude::*;

/// Longest message of a user, bytes.
const LONGEST: u64 = 4000;

/// Bytes of one stream of one association, in order.
type Streams = BTreeMap<(AssocId, u16), Vec<u8>>;

/// Users of several associations, all of host A.
struct Crowd {
    /// Messages not accepted yet, by association.
    unsent: Vec<(AssocId, VecDeque<Message>)>,
    /// Bytes for Z to read.
    expected: Streams,
}

impl Crowd {
    fn connect(setup: &Setup, world: &mut World, random: &mut Random) -> Self {
        let mut expected = Streams::new();
        let count = 2 + random.index(20);
        let unsent = (0..count).map(|user| {
            let id = setup.connect(world);
            let messages = (0..random.below(30)).map(|n| {
                let stream = random.below(4) as u16;
                let len = 1 + random.below(LONGEST) as usize;
                let payload: Vec<u8> = format!("{user}/{n} ").bytes().cycle().take(len).collect();
                expected.entry((id, stream)).or_default().extend(&payload);
                Message {
                    payload: payload.into(),
                    ..blob(stream, 0)
                }
            });
            (id, messages.collect())
        });
        Self {
            unsent: unsent.collect(),
            expected,
        }
    }

    /// Sends what the engine takes; whether any message is left.
    fn send(&mut self, world: &mut World) -> bool {
        let now = world.now();
        for (id, messages) in &mut self.unsent {
            let mut assoc = world.endpoint(A).assoc(*id).expect("it lives");
            while let Some(next) = messages.front() {
                match assoc.send(now, next.clone(), SendOptions::default()) {
                    Ok(()) => messages.pop_front(),
                    Err(SendError::BufferFull(_)) => break,
                    Err(error) => panic!("{error:?}"),
                };
            }
        }
        self.unsent.iter().any(|(_, messages)| !messages.is_empty())
    }
}

fn setup(seed: u64, random: &mut Random) -> Setup {
    let mut setup = Setup::tuned(|options| {
        options.interleaving = [Interleaving::Off, Interleaving::On][random.index(2)];
        options.outbound_streams = 4;
    });
    setup.seed = seed;
    setup.endpoints.max_memory = 8_000 + random.below(100_000) as usize;
    setup.linked(|link| {
        link.loss = random.below(60) as u16;
        link.duplicate = random.below(30) as u16;
        link.reorder = random.below(30) as u16;
    })
}

/// The bytes of each stream, whatever the association is called at the other end.
fn contents(streams: Streams) -> Vec<Vec<u8>> {
    let mut contents: Vec<_> = streams.into_values().collect();
    contents.sort();
    contents
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    let setup = setup(seed, &mut random);
    let mut world = setup.world();
    let mut crowd = Crowd::connect(&setup, &mut world, &mut random);
    let associations = crowd.unsent.len();
    // Each association may exceed the limit by a message and a packet.
    let most = setup.endpoints.max_memory + associations * (LONGEST as usize + 1500);
    world.set_reading(Z, Reading::Stopped);
    let until = world.now() + secs(600);
    let reads = world.now() + ms(random.below(3000));
    while crowd.send(&mut world) || world.endpoint(A).stats().buffered > 0 {
        assert!(
            world.now() < until,
            "seed {seed}: {:?} is left",
            crowd.unsent
        );
        if world.now() >= reads {
            world.set_reading(Z, Reading::Eager);
        }
        world.run_for(ms(100));
        for host in [A, Z] {
            let held = world.endpoint(host).stats().buffered;
            assert!(
                held <= most,
                "seed {seed}: {host:?} holds {held} of {most} bytes"
            );
        }
    }
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(1));
    let mut read = Streams::new();
    for (_, id, received) in world.received(Z) {
        let stream = received.message.stream.0;
        let bytes = read.entry((*id, stream)).or_default();
        bytes.extend_from_slice(&received.message.payload);
    }
    assert_eq!(contents(read), contents(crowd.expected), "seed {seed}");
    for host in [A, Z] {
        let stats = world.endpoint(host).stats();
        let left = (stats.associations, stats.buffered);
        assert_eq!(left, (associations, 0), "seed {seed}, {host:?}");
    }
}

#[test]
fn every_association_delivers_in_a_memory_too_small_for_all() {
    (0..100).for_each(run);
}
