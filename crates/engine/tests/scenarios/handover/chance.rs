//! Random traffic, handed over at random times.

use crate::prelude::*;

use super::{assert_received, hand_over};

fn message(world: &mut World) -> Message {
    let random = world.random();
    let stream = random.below(8) as u16;
    let len = 1 + random.below(6000) as usize;
    let message = blob(stream, len);
    if random.chance(300) {
        message.unordered()
    } else {
        message
    }
}

fn one_run(seed: u64, interleaving: Interleaving) {
    let mut setup = Setup::tuned(|options| {
        options.interleaving = interleaving;
        options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
    });
    setup.seed = seed;
    let setup = setup.linked(|link| link.loss = 20).paths(2);
    let mut world = setup.established();
    let mut sent: [Vec<Message>; 2] = [Vec::new(), Vec::new()];
    let mut moves = 0;
    for _ in 0..60 {
        for (place, host) in [(0, A), (1, Z)] {
            for _ in 0..world.random().below(4) {
                let message = message(&mut world);
                sent[place].push(message.clone());
                world.send(host, message);
            }
        }
        let span = ms(world.random().below(2000));
        world.run_for(span);
        let host: HostId = if world.random().chance(500) { A } else { Z };
        if world.assoc(host).handover_obstacles().is_empty() && world.waiting(host) == 0 {
            hand_over(&mut world, &setup, host);
            moves += 1;
        }
    }
    world.run_for(secs(120));
    assert!(moves > 5, "seed {seed}: {moves} moves");
    assert_received(&world, Z, &sent[0], "chance");
    assert_received(&world, A, &sent[1], "chance");
    let unordered = |message: &Message| message.delivery == Delivery::Unordered;
    assert!(sent[0].iter().any(unordered));
}

#[test]
fn nothing_is_lost_or_doubled_whenever_it_moves() {
    for seed in 1..=12 {
        one_run(seed, Interleaving::Off);
        one_run(seed + 100, Interleaving::On);
    }
}
